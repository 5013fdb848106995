"""Whether the two texts of a case, one in floats and one in exact numbers, measure the same thing.

They are written apart on purpose, so that a slip in one shows as a disagreement with the other. Rounding, and a tie
that each breaks in its own way, move a side a little or seldom; a slip moves it everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from theory.exact.decide import Side, near
from validation.cost.limits import current, rechecking, within
from validation.judge.exact.certify import LIMITS, UndefinedError, recheck
from validation.search.scores import Draw, scored
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import take

__all__ = ["disagreement"]

Float = NDArray[np.float64]

_CASES, _DRAWN = 6, 128
_FIRST, _MORE = 5, 20  # draws compared, and where more than half of them differ
_FEWEST = 3  # draws that both texts have a value on
_OF_ITSELF = Fraction(1, 10)  # of a side: no rounding moves it so far on every draw, even where the other side hides it
_APART = Fraction(1, 1000)  # of both sides and all that they were computed from: far beyond rounding
_ROUNDING = Fraction(1, 10**9)  # of the largest number drawn: sides that are small differences of large numbers
_SMALL = 1e-60  # products of such numbers may go below the range of floats
_SECONDS, _DIGITS = 1.0, 2000


def disagreement(bound: Bound, cases: Sequence[Case], seed: int, label: str, *, signs: bool = False) -> str | None:
    """In words, the first case whose texts differ grossly on most of a few random draws; None where none does.

    At most six cases are compared, spread over all. The draws are of stream (seed, "agreement/label/case"); those that
    floats cannot tell, or whose exact sides take too long, are left out, as is a case of fewer than three others.
    `signs`: the exact left side is its sign alone.
    """
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    passes = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
    with within(limits), rechecking(*passes, anew=True):
        for case in _spread(cases):
            found = _apart(*_without_strictness(bound, case), seed, f"agreement/{label}/{case.key}", signs)
            if found is not None:
                return found
    return None


def _spread(cases: Sequence[Case]) -> list[Case]:
    """The first, the last, and some between."""
    if len(cases) <= _CASES:
        return list(cases)
    return [cases[i * (len(cases) - 1) // (_CASES - 1)] for i in range(_CASES)]


def _without_strictness(bound: Bound, case: Case) -> tuple[Bound, Case]:
    """Of a strict inequality, which counts as missed or not, both sides as they are; any other as it is."""
    if case.exact is None or getattr(case.exact.function, "below", None) is None:
        return bound, case
    measure, plain = case.measure, case.exact.function

    def fast(instances: Mapping[str, Float]) -> Mapping[str, Float]:
        seen = measure(instances)
        return {**seen, "lhs": seen["_left_side"], "magnitude": seen["_scale"]}

    def exactly(instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        met, seen = plain(instance)
        return met, {**seen, "lhs": seen["_left_side"]}

    return Bound(sp.Symbol("_right_side")), replace(case, measure=fast, exact=ExactCheck(exactly))


@dataclass(frozen=True)
class _InFloats:
    """Both sides of one draw, what their rounding is relative to, the largest number drawn, and whether floats went
    below their range on the way, so that a side of 0 says nothing.
    """

    left: float
    right: float
    whole: float
    drawn: float
    lost: bool


def _apart(bound: Bound, case: Case, seed: int, label: str, signs: bool) -> str | None:
    compared, apart, alone = 0, list[str](), list[str]()
    for gross, of_itself in _compared(bound, case, seed, label, signs):
        compared += 1
        apart += [gross] if gross else []
        alone += [of_itself] if of_itself else []
        seldom = 2 * len(apart) <= compared and len(alone) < compared
        if compared == _MORE or (compared >= _FIRST and seldom):
            break
    if compared == _MORE and len(alone) == compared:
        apart = alone
    if compared < _FEWEST or 2 * len(apart) <= compared:
        return None
    where = f"«{case.name}» on {len(apart)} of {compared} random draws, as {apart[0]}"
    return f"measure and plain text differ: {where}; a slip in one of them, or rounding that the measure does not tell"


def _compared(bound: Bound, case: Case, seed: int, label: str, signs: bool) -> Iterator[tuple[str, str]]:
    """Of each draw of which both texts have a value, how they differ grossly, and how a side does measured by itself.

    Empty where they do not.
    """
    if case.exact is None:
        return
    instances = case.space.decode(stream(seed, label).random((_DRAWN, case.space.n_cube)))
    for i, floats in _in_floats(bound, case, instances):
        try:
            _, lhs, rhs = recheck(bound, case.exact, case.space.rationalise(take(instances, i), LIMITS[-1]))
        except Exception:  # told where it is asked for a verdict
            continue
        zeros = [value == 0 != near(exact) for value, exact in ((floats.left, lhs), (floats.right, rhs))]
        if not (floats.lost and any(zeros)):
            yield (_differing_sign(floats, lhs), "") if signs else _differences(floats, lhs, rhs)


def _in_floats(bound: Bound, case: Case, instances: Mapping[str, Float]) -> list[tuple[int, _InFloats]]:
    """The draws, by their place, whose sides floats know or take for equal."""
    below: list[str] = []
    with np.errstate(all="ignore", under="call", call=lambda kind, _: below.append(kind)):
        constants = case.measure(instances)
        rhs, scale = bound(constants)
        kind = scored(bound, constants).kind
    given = (constants["lhs"], rhs, scale, constants.get("magnitude", 0.0))
    left, right, terms, size = (np.broadcast_to(np.asarray(v, dtype=np.float64), (_DRAWN,)) for v in given)
    with np.errstate(all="ignore"):
        whole = abs(left) + abs(right) + terms + size
    known = ((kind == Draw.DECIDED) | (kind == Draw.TIE)) & np.isfinite(whole)
    numbers = np.concatenate([abs(v).reshape(_DRAWN, -1) for v in instances.values()], axis=1)
    lost = bool(below) | (np.where(numbers > 0, numbers, 1.0).min(axis=1) < _SMALL)
    drawn = numbers.max(axis=1)
    return [
        (int(i), _InFloats(float(left[i]), float(right[i]), float(whole[i]), float(drawn[i]), bool(lost[i])))
        for i in np.flatnonzero(known)
    ]


def _differences(floats: _InFloats, lhs: Side, rhs: Side) -> tuple[str, str]:
    """How the sides differ, in words: beside all that they were computed from, and each beside itself."""
    whole, drawn = Fraction(floats.whole), Fraction(floats.drawn)
    allowed, least = _APART * whole + _ROUNDING * drawn, _ROUNDING * (whole + drawn)
    gross = alone = ""
    for name, value, exact in (("left", floats.left, lhs), ("right", floats.right, rhs)):
        told, known = Fraction(value), near(exact)
        apart, words = abs(told - known), f"{name} side {value:.6g} against {_shown(exact)}"
        gross = gross or (words if apart > allowed else "")
        larger = max(abs(told), abs(known))
        alone = alone or (words if told and known and apart > max(_OF_ITSELF * larger, least) else "")
    return gross, alone


def _differing_sign(floats: _InFloats, lhs: Side) -> str:
    """How the left sides differ in sign, in words; empty where they do not, or the one in floats is nearly 0."""
    if abs(floats.left) <= float(_ROUNDING) * floats.drawn or (floats.left > 0) == (near(lhs) > 0):
        return ""
    return f"left side {floats.left:.6g} against {_shown(lhs)}"


def _shown(exact: Side) -> str:
    try:
        return f"{float(near(exact)):.6g}"
    except OverflowError:
        return "what no float holds"
