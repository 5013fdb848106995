"""One import for everything a user needs: ``import fedverdict as fv``.

A name is imported when it is first used: the import takes milliseconds, and PyTorch is loaded by deep runs alone
(``pip install 'fedverdict[deep]'``).

Promised from version 0.2 on: `check`, `assert_holds`, `run`, `simulate`, `RunConfig`, `rules`, `algorithms`,
`decide_class` and `__version__`. A change that breaks their callers warns for one minor version first.

Provisional, may change in any minor version: how claims are written (`theorem`, `lemma`, `corollary`, `proposition`,
`step`, `remark`, `relation`, `definition`, their `reading`, `mutant`, `at`, `twice`, `nowhere`, `setting`, and
`Notation`, `Quantity`), their formulas (`le`, `lt`, `eq`, `exists`, `identity`) and worlds (`World`, `case`,
`numbers`, `Federated` with `run_letters`); `tighten`, `for_small`, `big_o`,
`largest_eigenvalue`, `spectral_norm`, `any_law`, `decide_range`, `there_is`, `some_choice`, `no_better`.

All other names are public: a change of theirs stands in the changelog. The policy is in ``docs/api_policy.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fedverdict._own import own_names

if TYPE_CHECKING:
    from deep.config.config import RunConfig
    from deep.metrics import summarise
    from deep.runs.engine import run
    from deep.runs.estimate import estimate
    from deep.runs.privacy import privacy_of
    from deep.runs.simulated import simulated as run_convex
    from deep.storage.record import DeepRun, RoundRecord
    from theory import algorithms, classes, rules
    from theory.algorithms import make_client, make_server
    from theory.federations.families import quadratic_family
    from theory.federations.federation import QuadraticFederation, global_loss
    from theory.noise.laws import SignNoise
    from theory.participation.schedules import inverse_steps
    from theory.rules import make_rule
    from theory.rules.stats import RoundStats
    from theory.simulate import simulate
    from validation.papers.look_up import look_up
    from validation.papers.papers import select
    from validation.proof.classes import class_script, decide_class, decide_range
    from validation.statement.bound import Bound, symbols
    from validation.statement.claim import Case, Claim, Family, Inequality, Paper, Size
    from validation.statement.forms.any_law import any_law
    from validation.statement.forms.eigenvalues import largest_eigenvalue, spectral_norm
    from validation.statement.forms.for_small import for_small
    from validation.statement.instances import draw
    from validation.statement.instances.at import at
    from validation.statement.instances.draw import Choice, Integer, LogScale, Signed, Simplex, Space, Uniform
    from validation.statement.minimum import minimises
    from validation.statement.notation import Notation, Quantity
    from validation.statement.says import eq, exists, identity, le, lt
    from validation.statement.setting import setting
    from validation.statement.verdict import Verdict
    from validation.study.big_o import big_o
    from validation.study.existence import some_choice, there_is
    from validation.study.no_better import no_better
    from validation.study.tighten import tighten
    from validation.verdict.engine import check
    from validation.verdict.testing import assert_holds, find_counterexample, recomputed
    from validation.world.claims import corollary, definition, lemma, proposition, relation, remark, step, theorem
    from validation.world.federated import run_letters
    from validation.world.federated.within import Federated
    from validation.world.variants import mutant, nowhere, reading, twice
    from validation.world.world import World, case, numbers

__all__ = [
    "Bound",
    "Case",
    "Choice",
    "Claim",
    "DeepRun",
    "Family",
    "Federated",
    "Inequality",
    "Integer",
    "LogScale",
    "Notation",
    "Paper",
    "QuadraticFederation",
    "Quantity",
    "RoundRecord",
    "RoundStats",
    "RunConfig",
    "SignNoise",
    "Signed",
    "Simplex",
    "Size",
    "Space",
    "Uniform",
    "Verdict",
    "World",
    "__version__",
    "algorithms",
    "any_law",
    "assert_holds",
    "at",
    "big_o",
    "case",
    "check",
    "class_script",
    "classes",
    "corollary",
    "decide_class",
    "decide_range",
    "definition",
    "draw",
    "eq",
    "estimate",
    "exists",
    "find_counterexample",
    "for_small",
    "global_loss",
    "identity",
    "inverse_steps",
    "largest_eigenvalue",
    "le",
    "lemma",
    "look_up",
    "lt",
    "make_client",
    "make_rule",
    "make_server",
    "minimises",
    "mutant",
    "no_better",
    "nowhere",
    "numbers",
    "privacy_of",
    "proposition",
    "quadratic_family",
    "reading",
    "recomputed",
    "relation",
    "remark",
    "rules",
    "run",
    "run_convex",
    "run_letters",
    "select",
    "setting",
    "simulate",
    "some_choice",
    "spectral_norm",
    "step",
    "summarise",
    "symbols",
    "theorem",
    "there_is",
    "tighten",
    "twice",
]

__version__ = "0.2.0"

__getattr__ = own_names(__name__, __file__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
