"""Whether the two texts of a case, one in floats and one in exact numbers, measure the same thing.

They are written apart on purpose, so that a slip in one shows as a disagreement with the other. Rounding, and a tie
that each breaks in its own way, move a side a little or seldom; a slip moves it everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.exact.decide import Side, near
from theory.streams import stream
from validation.cost.limits import current, rechecking, within
from validation.judge.certify import LIMITS, UndefinedError, recheck
from validation.search.scores import Draw, evaluate
from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.draw import take

__all__ = ["disagreement"]

Float = NDArray[np.float64]

_CASES, _DRAWS, _TRIED = 6, 5, 64
_FEWEST = 3  # draws that both texts have a value on
_APART = 1e-3  # of both sides and all that they were computed from: far beyond rounding
_SMALL = Fraction(1, 10**290)  # and by more than underflow takes
_SECONDS, _DIGITS = 1.0, 2000


def disagreement(bound: Bound, cases: Sequence[Case], seed: int, label: str) -> str | None:
    """In words, the first case whose texts differ grossly on most of a few random draws; None where none does.

    The draws are of stream (seed, "agreement/label/case"); those that floats cannot tell, among them sides of 0, or
    whose exact sides take too long, are left out, as is a case of fewer than three others.
    """
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    passes = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
    with within(limits), rechecking(*passes, anew=True):
        for case in cases[:_CASES]:
            found = _apart(bound, case, seed, f"agreement/{label}/{case.name}")
            if found is not None:
                return found
    return None


def _apart(bound: Bound, case: Case, seed: int, label: str) -> str | None:
    if case.exact is None:
        return None
    cubes = stream(seed, label).random((_TRIED, case.space.n_cube))
    kind = evaluate(bound, case, cubes).kind
    compared, apart = 0, list[str]()
    for cube in cubes[(kind == Draw.DECIDED) | (kind == Draw.TIE)][:_DRAWS]:
        instance = take(case.space.decode(cube[None]), 0)
        try:
            _, lhs, rhs = recheck(bound, case.exact, case.space.rationalise(instance, LIMITS[-1]))
        except Exception:  # told where it is asked for a verdict
            continue
        sides = _in_floats(bound, case, cube)
        if sides is None or any(value == 0 != near(exact) for value, exact in zip(sides, (lhs, rhs), strict=False)):
            continue  # underflow on the way to a side leaves 0 of any size
        compared += 1
        apart += [words for words in [_difference(sides, lhs, rhs)] if words]
    if compared < _FEWEST or 2 * len(apart) <= compared:
        return None
    where = f"«{case.name}» on {len(apart)} of {compared} random draws, as {apart[0]}"
    return f"measure and plain text differ: {where}; a slip in one of them, or rounding that the measure does not tell"


def _in_floats(bound: Bound, case: Case, cube: Float) -> tuple[float, float, float] | None:
    """(left side, right side, what rounding is relative to); None where a side is measured as missed or not."""
    with np.errstate(all="ignore"):
        constants: Mapping[str, Any] = case.measure(case.space.decode(cube[None]))
        rhs, scale = bound(constants)
    if "toward" in constants:
        return None
    lhs, size = np.ravel(constants["lhs"])[0], np.ravel(constants.get("magnitude", 0.0))[0]
    right, terms = np.ravel(rhs)[0], np.ravel(scale)[0]
    whole = abs(lhs) + abs(right) + terms + size
    return (float(lhs), float(right), float(whole)) if np.isfinite(whole) else None


def _difference(floats: tuple[float, float, float], lhs: Side, rhs: Side) -> str:
    """How the sides differ, in words; empty where they do not."""
    left, right, whole = floats
    for name, value, exact in (("left", left, lhs), ("right", right, rhs)):
        apart = abs(Fraction(value) - near(exact))
        if apart > Fraction(_APART) * Fraction(whole) + _SMALL:
            return f"{name} side {value:.6g} against {_shown(exact)}"
    return ""


def _shown(exact: Side) -> str:
    try:
        return f"{float(near(exact)):.6g}"
    except OverflowError:
        return "what no float holds"
