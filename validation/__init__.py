"""Claims, verdicts and the machinery between them: everything a paper's folder needs, and what a user imports.

deep/ is imported lazily: checking claims never loads torch's world.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.lazily import lazily

if TYPE_CHECKING:
    from theory.exact import Decision, Enclosed, Exact, InexactError, Sides, decide
    from validation.cost.allowed import DEFAULT_BUDGET
    from validation.job.engine import check
    from validation.job.look_up import At, LookedUp, look_up
    from validation.job.testing import Counterexample, assert_holds, find_counterexample, recomputed
    from validation.judge.words import Judged, combine
    from validation.proof.classes import ClassDecision, class_script, decide_class, decide_vectors
    from validation.statement import draw
    from validation.statement.bound import Bound, symbols
    from validation.statement.claim import (
        Case,
        Cell,
        Claim,
        ClassWorstCase,
        Comparison,
        ExactCheck,
        Family,
        Identity,
        Inequality,
        Kind,
        Mechanism,
        Mutant,
        Number,
        Paper,
        Property,
        Reading,
        Relation,
        Size,
        Switch,
    )
    from validation.statement.draw import (
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
    from validation.statement.expectation import Expectation, SampledCase
    from validation.statement.information import Instant
    from validation.statement.notation import Notation, Quantity
    from validation.statement.published import Table, load_table
    from validation.statement.roles import ReadingRole
    from validation.statement.says import all_of, eq, exists, identity, largest, le, lt
    from validation.statement.symmetry import Symmetry, permuted_clients, rotated_space, split_client, units
    from validation.statement.verdict import Verdict
    from validation.world.front import claim, mutant, reading
    from validation.world.stated import Words, but
    from validation.world.world import World, case, numbers

__all__ = [
    "DEFAULT_BUDGET",
    "At",
    "Bound",
    "Case",
    "Cell",
    "Choice",
    "Claim",
    "ClassDecision",
    "ClassWorstCase",
    "Comparison",
    "Counterexample",
    "Decision",
    "Enclosed",
    "Exact",
    "ExactCheck",
    "Expectation",
    "Family",
    "Identity",
    "Inequality",
    "InexactError",
    "Information",
    "Instance",
    "Instant",
    "Integer",
    "Judged",
    "Kind",
    "LogScale",
    "LookedUp",
    "Mechanism",
    "Mutant",
    "Notation",
    "Number",
    "Paper",
    "Property",
    "Quantity",
    "Reading",
    "ReadingRole",
    "Relation",
    "SampledCase",
    "Sides",
    "Signed",
    "Simplex",
    "Size",
    "Space",
    "Switch",
    "Symmetry",
    "Table",
    "Uniform",
    "Verdict",
    "Words",
    "World",
    "all_of",
    "assert_holds",
    "but",
    "case",
    "check",
    "claim",
    "class_script",
    "combine",
    "decide",
    "decide_class",
    "decide_vectors",
    "draw",
    "eq",
    "exists",
    "find_counterexample",
    "identity",
    "largest",
    "le",
    "load_table",
    "look_up",
    "lt",
    "mutant",
    "numbers",
    "permuted_clients",
    "reading",
    "recomputed",
    "rotated_space",
    "split_client",
    "symbols",
    "units",
]

__getattr__ = lazily(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
