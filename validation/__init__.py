"""Claims, verdicts and the machinery between them: everything a paper's folder needs, and what a user imports.

deep/ is imported lazily: checking claims never loads torch's world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from validation.papers.look_up import look_up
    from validation.proof.classes import class_script, decide_class, decide_vectors
    from validation.published.tables import Table, load_table
    from validation.statement.bound import Bound, symbols
    from validation.statement.claim import (
        Case,
        Cell,
        Claim,
        ClassWorstCase,
        Comparison,
        Family,
        Identity,
        Inequality,
        Mechanism,
        Mutant,
        Number,
        Paper,
        Relation,
        Size,
        Switch,
    )
    from validation.statement.instances import draw
    from validation.statement.instances.at import at
    from validation.statement.instances.draw import (
        Choice,
        Information,
        Instance,
        Integer,
        LogScale,
        Signed,
        Simplex,
        Space,
        Uniform,
    )
    from validation.statement.instances.information import Instant
    from validation.statement.instances.symmetry import Symmetry, permuted_clients, rotated_space, split_client, units
    from validation.statement.minimum import minimises
    from validation.statement.notation import Notation, Quantity
    from validation.statement.says import all_of, eq, exists, identity, largest, le, lt
    from validation.statement.setting import setting
    from validation.statement.verdict import Verdict
    from validation.verdict.engine import check
    from validation.verdict.testing import assert_holds, find_counterexample, recomputed
    from validation.world.claims import corollary, definition, lemma, proposition, relation, remark, step, theorem
    from validation.world.variants import mutant, nowhere, reading, twice
    from validation.world.world import World, case, numbers

__all__ = [
    "Bound",
    "Case",
    "Cell",
    "Choice",
    "Claim",
    "ClassWorstCase",
    "Comparison",
    "Family",
    "Identity",
    "Inequality",
    "Information",
    "Instance",
    "Instant",
    "Integer",
    "LogScale",
    "Mechanism",
    "Mutant",
    "Notation",
    "Number",
    "Paper",
    "Quantity",
    "Relation",
    "Signed",
    "Simplex",
    "Size",
    "Space",
    "Switch",
    "Symmetry",
    "Table",
    "Uniform",
    "Verdict",
    "World",
    "all_of",
    "assert_holds",
    "at",
    "case",
    "check",
    "class_script",
    "corollary",
    "decide_class",
    "decide_vectors",
    "definition",
    "draw",
    "eq",
    "exists",
    "find_counterexample",
    "identity",
    "largest",
    "le",
    "lemma",
    "load_table",
    "look_up",
    "lt",
    "minimises",
    "mutant",
    "nowhere",
    "numbers",
    "permuted_clients",
    "proposition",
    "reading",
    "recomputed",
    "relation",
    "remark",
    "rotated_space",
    "setting",
    "split_client",
    "step",
    "symbols",
    "theorem",
    "twice",
    "units",
]

__getattr__ = lazily(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
