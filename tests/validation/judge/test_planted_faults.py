"""A mistake in a fast measurement refutes nothing; a mistake in an exact check is seen where the two are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.paper_checks import test_claims
from tests.turns import in_turn
from validation import Case, Claim, Family, Inequality, Instance
from validation.judge.run import run_test
from validation.papers.papers import select
from validation.search.search import search
from validation.statement.claim import ExactCheck, Reading
from validation.statement.verdict import Verdict
from validation.world.federated.families import Attempts

BUDGET = 4_000
Measured = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """A mistake planted in the measurement of one reading, which is true: `change(instances, measured)`."""

    claim: str
    reading: str
    says: str
    change: Callable[[Instance, Measured], Measured]
    largest: int = 10**9  # size that is tried: exact runs of many clients and steps take minutes


def one_step_early(x: Instance, found: Measured) -> Measured:
    gamma = np.maximum(8 * x["kappa"], x["E"]) - 1
    return {**found, "lhs": 2 / (gamma + x["t"] - 1)}


def wrong_sign(x: Instance, found: Measured) -> Measured:
    moved = ((x["weights"] + x["applied"])[..., None] * x["updates"]).sum(axis=1)
    return {**found, "lhs": (moved**2).sum(axis=-1)}


def single_precision(x: Instance, found: Measured) -> Measured:
    noise = np.random.default_rng(0).uniform(-1, 1, size=found["lhs"].shape)
    return {**found, "lhs": found["lhs"] * (1 + float(np.finfo(np.float32).eps) * noise)}


def times(name: str, factor: float) -> Callable[[Instance, Measured], Measured]:
    return lambda _x, found: {**found, name: found[name] * factor}


FAULTS = (
    Fault("EA-S2", "E <= 8L/μ − 1", "one step too early", one_step_early),
    Fault("FA-E12", "path by path", "λ + λ̃ for λ − λ̃", wrong_sign),
    Fault("FA-E12", "path by path", "noise of single precision", single_precision),
    Fault("FA-CHIW", "with χ² + 1 on the right", "noise of single precision", single_precision),
    Fault("EFL-T2a", "as printed", "D̂ halved three times", times("D_without", 0.125)),
    Fault("EFL-T2a", "with the constant 2 instead of 8", "noise of single precision", single_precision),
    Fault("RA-L1", "as printed", "L halved", times("L", 0.5)),
    Fault("RA-L1", "as printed", "the gradient not L-scaled", times("lhs", 4.0)),
    Fault("EA-T1", "γ of A.9 and weights fixed before the round's samples", "Ω thirty times", times("Omega", 30.0), 3),
)


def reading_of(fault: Fault) -> tuple[Claim, Reading]:
    ((_, claim),) = select([fault.claim])
    (reading,) = [r for r in claim.readings if r.name == fault.reading]
    return claim, reading


def with_cases(test: Inequality, change: Callable[[Case], Case]) -> Inequality:
    """The statement with every case changed, those that families build included."""

    def family(item: Family) -> Family:
        return replace(item, at=lambda **sizes: change(item.at(**sizes)))

    return replace(test, cases=tuple(family(c) if isinstance(c, Family) else change(c) for c in test.cases))


def without_large(test: Inequality, largest: int) -> Inequality:
    """The statement over sizes of families up to the largest that is given."""

    def smaller(family: Family) -> Family:
        sizes = tuple(replace(s, high=min(s.high, largest), usual=min(s.usual, largest)) for s in family.sizes)
        if isinstance(family, Attempts):
            return replace(family, sizes=sizes, tried=tuple(t for t in family.tried if max(t) <= largest))
        return replace(family, sizes=sizes)

    return replace(test, cases=tuple(smaller(c) if isinstance(c, Family) else c for c in test.cases))


def planted(test: Inequality, fault: Fault) -> Inequality:
    def wrong(case: Case) -> Case:
        return replace(case, measure=lambda x: fault.change(x, dict(case.measure(x))))

    return with_cases(test, wrong)


@pytest.mark.parametrize("fault", FAULTS, ids=[f"{f.claim}: {f.says}" for f in FAULTS])
def test_a_mistake_in_the_fast_measurement_refutes_nothing(fault: Fault) -> None:
    claim, reading = reading_of(fault)
    assert isinstance(reading.test, Inequality)
    right = without_large(reading.test, fault.largest)
    wrong = planted(right, fault)
    assert not search(right, budget=BUDGET, seed=0, label="as it is").witnesses
    assert search(wrong, budget=BUDGET, seed=0, label="planted").witnesses  # else this test would show nothing
    outcome = run_test(wrong, claim_id=claim.id, name=reading.name, budget=BUDGET, seed=0)
    assert outcome.witness is None
    exact = all(c.exact is not None for c in wrong.cases if isinstance(c, Case))
    if exact and "measure and plain text differ" in outcome.why:  # a gross one is told
        assert outcome.verdict is Verdict.INCONCLUSIVE
    else:
        assert outcome.verdict is (Verdict.HOLDS if exact else Verdict.INCONCLUSIVE)
        assert "dismissed" in outcome.why


@pytest.mark.parametrize("fault", in_turn({f"{f.claim}: {f.says}": f for f in FAULTS}, of=3))
def test_nor_where_the_search_stops_at_its_first_witness(fault: Fault) -> None:
    """The short way that mutants and extras are judged by asks exact arithmetic, too."""
    claim, reading = reading_of(fault)
    assert isinstance(reading.test, Inequality)
    wrong = planted(without_large(reading.test, fault.largest), fault)
    outcome = run_test(wrong, claim_id=claim.id, name=reading.name, budget=BUDGET, seed=1, stop_at_witness=True)
    assert outcome.verdict is not Verdict.REFUTED


def exact_times(name: str, factor: Fraction) -> Callable[[Measured, Mapping[str, Any]], Measured]:
    return lambda constants, _x: {**constants, name: constants[name] * factor}


def exact_one_step_early(constants: Measured, x: Mapping[str, Any]) -> Measured:
    gamma = max(8 * x["kappa"], x["E"]) - 1
    return {**constants, "lhs": 2 / (gamma + x["t"] - 1)}


def exact_wrong_sign(constants: Measured, x: Mapping[str, Any]) -> Measured:
    moved = [
        sum((a + b) * g[j] for a, b, g in zip(x["weights"], x["applied"], x["updates"], strict=True))
        for j in range(len(x["updates"][0]))
    ]
    return {**constants, "lhs": sum(m**2 for m in moved)}


EXACT_FAULTS: tuple[tuple[str, str, Callable[[Measured, Mapping[str, Any]], Measured]], ...] = (
    ("EA-S2", "E <= 8L/μ − 1", exact_one_step_early),
    ("FA-E12", "path by path", exact_wrong_sign),
    ("FA-CHIW", "for all weights", exact_times("chi", Fraction(10**6 + 1, 10**6))),
    ("EFL-T2a", "as printed", exact_times("D_without", Fraction(1, 2))),
    ("RA-L1", "as printed", exact_times("L", Fraction(1, 2))),
)


@pytest.mark.parametrize(("name", "reading", "change"), EXACT_FAULTS, ids=[f[0] for f in EXACT_FAULTS])
def test_a_mistake_in_the_exact_check_shows_when_the_two_are_compared(
    name: str, reading: str, change: Callable[[Measured, Mapping[str, Any]], Measured]
) -> None:
    _, found = reading_of(Fault(name, reading, "", single_precision))
    assert isinstance(found.test, Inequality)
    case = next(c for c in found.test.cases if isinstance(c, Case) and c.exact is not None and "1 client" not in c.name)
    assert case.exact is not None
    own = case.exact.function

    def wrong(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
        hypotheses, constants = own(x)
        return hypotheses, change(dict(constants), x)

    test_claims.compared([test_claims.Said(name, case, found.test)], wanted=6)
    with pytest.raises(AssertionError):
        test_claims.compared([test_claims.Said(name, replace(case, exact=ExactCheck(wrong)), found.test)], wanted=6)
