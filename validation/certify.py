"""When a counterexample counts: rounded to small rationals, recomputed exactly, hypotheses included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream
from validation.bound import Bound
from validation.claim import Case, ExactCheck
from validation.draw import stack, take
from validation.scores import evaluate
from validation.search import Search
from validation.shrink import shrink, weight_of

__all__ = [
    "Certification",
    "UndefinedError",
    "Witness",
    "certify",
    "recheck",
    "robustness",
]

Float = NDArray[np.float64]
LIMITS = (1, 2, 4, 8, 20, 100, 1000, 10**5, 10**9, 1 << 1100)  # the last keeps every float exactly


@dataclass(frozen=True)
class Witness:
    """A certified counterexample: the instance in Fractions, and both sides as recomputed exactly."""

    case: Case
    instance: Mapping[str, Any]
    lhs: Fraction
    rhs: Fraction
    stage: str
    robustness: float


class UndefinedError(Exception):
    """A hypothesis fails, or a side is undefined, at an instance that was to be rechecked."""


def recheck(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> tuple[bool, Fraction, Fraction]:
    """(lhs > rhs, lhs, rhs), exactly, with every hypothesis met; else raises `UndefinedError` saying which is not."""
    try:
        hypotheses, constants = exact.function(instance)
        lhs, rhs = Fraction(constants["lhs"]), bound.exact(constants)
    except ZeroDivisionError as error:
        raise UndefinedError(f"undefined: {error}") from None
    broken = [name for name, met in hypotheses.items() if not met]
    if broken:
        raise UndefinedError(f"hypotheses not met: {', '.join(broken)}")
    return lhs > rhs, lhs, rhs


@dataclass(frozen=True)
class Certification:
    """What exact arithmetic said of the candidates: a witness, or how many it dismissed and how many stay open."""

    witness: Witness | None
    dismissed: int
    undecided: int


def certify(bound: Bound, found: Search, seed: int, label: str, *, shrinking: bool = True) -> Certification:
    """The simplest certified witness among the candidates of a search.

    Candidates are taken strongest first, and all of them while none is certified. Each is first recomputed exactly as
    it was evaluated: one that does not violate there is rounding error and is dismissed, one whose hypotheses fail or
    whose sides are undefined at every rounding stays undecided. A true one is rounded to rationals of growing
    denominator, and the first that still violates counts; after the first witness only a few more are looked at, for
    simpler numbers. The simplest is shrunk number by number, unless `shrinking` is off.
    """
    ranked = sorted(found.witnesses, key=lambda w: -w[2])
    # The strongest candidate of each case first, small cases before large ones, so that one mechanism does not crowd
    # out another and the numbers stay readable.
    heads = [next(w for w in ranked if w[0] is case) for case in dict.fromkeys(w[0] for w in ranked)]
    heads.sort(key=lambda w: w[0].space.n_cube * w[0].cost)
    queue = [*heads, *[w for w in ranked if not any(w is h for h in heads)]]
    best: tuple[int, Case, dict[str, Any], str] | None = None
    dismissed = undecided = 0
    for position, (case, cube, _, stage) in enumerate(queue):
        if best is not None and (position >= 12 or case.space.n_cube > 2 * best[1].space.n_cube):
            break
        outcome = _recheck_rounded(bound, case, cube)
        if isinstance(outcome, dict):
            weight = weight_of(outcome)
            if best is None or weight < best[0]:
                best = (weight, case, outcome, stage)
        elif best is None:
            dismissed += outcome
            undecided += not outcome
    if best is None:
        return Certification(None, dismissed, undecided)
    _, case, instance, stage = best
    if shrinking:
        attempts = max(20, round(300 / case.cost))
        instance = shrink(case.space, instance, lambda trial: _violates(bound, case, trial), attempts=attempts)
    assert case.exact is not None  # a rounded instance came from it
    _, lhs, rhs = recheck(bound, case.exact, instance)
    share = robustness(bound, case, instance, seed, label)
    return Certification(Witness(case, instance, lhs, rhs, stage, share), dismissed, undecided)


def _violates(bound: Bound, case: Case, instance: Mapping[str, Any]) -> bool:
    """Whether an instance violates exactly, with every hypothesis met and both sides defined."""
    if case.exact is None:
        return False
    try:
        return recheck(bound, case.exact, instance)[0]
    except (UndefinedError, ArithmeticError, ValueError, IndexError):
        return False


def _recheck_rounded(bound: Bound, case: Case, cube: Float) -> dict[str, Any] | bool:
    """The first rounding of a candidate that violates exactly; else whether it was dismissed as rounding error."""
    if case.exact is None:
        return False
    instance = take(case.space.decode(cube[None]), 0)
    levels = LIMITS[:-1]
    if case.cost > 4:  # long runs: small rationals decide most of them, and the float's own digits are slow
        for limit in levels:
            rounded = case.space.rationalise(instance, limit)
            if _violates(bound, case, rounded):
                return rounded
    exactly = case.space.rationalise(instance, LIMITS[-1])
    try:
        if not recheck(bound, case.exact, exactly)[0]:
            return True
    except UndefinedError:
        pass  # a hypothesis may fail by a rounding error alone; a coarser grid may meet it
    for limit in (*levels, LIMITS[-1]):
        rounded = case.space.rationalise(instance, limit)
        if _violates(bound, case, rounded):
            return rounded
    return False


def robustness(bound: Bound, case: Case, instance: Mapping[str, Any], seed: int, label: str, n: int = 200) -> float:
    """The share of ±10% perturbations of every number (simplex rows renormalised) that still violate, in floats."""
    rng = stream(seed, f"robustness/{label}")
    base = stack([instance])
    moved = {}
    for c in case.space.coordinates:
        value = np.repeat(base[c.name], n, axis=0)
        factor = rng.uniform(0.9, 1.1, size=value.shape)
        whole = type(c).__name__ in {"Integer", "Choice"}
        value = value if whole else value * factor
        moved[c.name] = value / value.sum(axis=-1, keepdims=True) if type(c).__name__ == "Simplex" else value
    fixed = _Given(moved)
    scores = evaluate(bound, Case(case.name, fixed, case.measure), np.empty((n, 0)))  # type: ignore[arg-type]
    return float(np.mean(scores.excess > 0))


@dataclass(frozen=True)
class _Given:
    """A stand-in for a space whose instances are already decoded."""

    instances: Mapping[str, Float]

    def decode(self, cube: Float) -> Mapping[str, Float]:
        return self.instances
