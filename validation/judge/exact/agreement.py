"""Whether the two texts of a case, one in floats and one in exact numbers, measure the same thing.

They are written apart on purpose, so that a slip in one shows as a disagreement with the other. Rounding, and a tie
that each breaks in its own way, move a side a little or seldom; a slip moves it everywhere, or makes the other side the
larger one. What exact arithmetic finds violated on the way is a violation like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from theory.exact.decide import Side, near
from validation.cost.limits import NoAnswerError, current, rechecking, within
from validation.judge.exact.certify import COARSE, LIMITS, Decision, Said, UndefinedError, decide, leading, recheck
from validation.search.sample import effort
from validation.search.scores import Draw, scored
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import Choice, Coordinate, Integer, Simplex, Space, stack, take

__all__ = ["Agreement", "Texts", "agreement", "contradiction"]

Float = NDArray[np.float64]

_CASES, _DRAWN, _AT_ONCE = 6, 128, 8
_BITS = 10  # of the numbers drawn that both texts are given; with few the exact sides of long runs stay short
_LONG = 1000  # bits of an exact side, beyond which the draws that follow are rounded
_TOO_LONG = 8  # draws in a row whose exact sides take too long, after which the case is left
_FIRST, _MORE = 5, 20  # draws compared, and where more than half of them differ
_CHEAP, _ALL = 100.0, 36  # effort of an exact recheck up to which so many draws of all cases together are compared
_FEWEST = 3  # draws that both texts have a value on
_OF_ITSELF = Fraction(1, 10)  # of a side: no rounding moves it so far on every draw, even where the other side hides it
_APART = Fraction(1, 1000)  # of both sides and all that they were computed from: far beyond rounding
_TURNING = Fraction(1, 10**6)  # of the same, where it changes which side is larger and no rounding of draws does
_ROUNDING = Fraction(1, 10**9)  # of the largest number drawn: sides that are small differences of large numbers
_NEARBY, _MOVED = 32, 1e-10  # instances beside one, every number moved by so much of itself: rounding shows there
_SMALL = 1e-60  # products of such numbers may go below the range of floats
_SECONDS, _DIGITS = 1.0, 2000
_PASSES = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
_SLIP = "a slip in one of them, or rounding that the measure does not tell"
_ROUNDED = "rounding that the measure does not tell"


@dataclass(frozen=True)
class Agreement:
    """What both texts say of the same draws.

    `words`: the first case whose texts differ, and how; None where none does. `violated`: the first exact violation,
    where they do not differ. `lead`: the draw compared with the largest exact lhs/rhs.
    """

    words: str | None = None
    violated: tuple[Case, Decision] | None = None
    lead: tuple[Case, Decision] | None = None


def agreement(
    bound: Bound, cases: Sequence[Case], seed: int, label: str, *, signs: bool = False, both_violate: bool = False
) -> Agreement:
    """Compare the texts of at most six cases, spread over all, on a few random draws.

    They differ where sides are grossly apart on most draws, or where on any draw another side is the larger one, beyond
    rounding. The draws are of stream (seed, "agreement/label/case"); those that floats cannot tell, or whose exact
    sides take too long, are left out, as is a case of fewer than three others. `signs`: the exact left side is its sign
    alone. `both_violate`: by both texts there is a draw that violates, which no other draw takes back.
    """
    violated, lead = None, None
    chosen = _spread(cases)
    share = _ALL // max(1, len(chosen))
    with _limited():
        for case in chosen:
            texts = Texts.of(bound, case, signs)
            found = _of_case(bound, case, texts, share, seed, f"agreement/{label}/{case.key}", both_violate)
            if found.words is not None:
                return found
            violated = violated or found.violated
            lead = lead if found.lead is None else leading(lead, found.lead)
    return Agreement(None, violated, lead)


def contradiction(
    bound: Bound, instances: Iterable[tuple[Case, Mapping[str, Any]]], *, signs: bool = False
) -> str | None:
    """In words, the first exact instance of which the two texts say that another side is the larger one; else None."""
    with _limited():
        for case, instance in instances:
            texts = Texts.of(bound, case, signs)
            if case.exact is None or texts.one:
                continue
            drawn = stack([instance])
            try:
                lhs, rhs = texts.exactly(instance)
                known = texts.in_floats(drawn)
            except Exception:  # the check that gives the verdict reports it
                continue
            told = (floats for _, floats in known if not _silent(floats, lhs, rhs))
            turned = [words for floats in told if (words := texts.turned(floats, lhs, rhs, drawn, 0))]
            if turned:
                return f"measure and plain text differ on which side is larger: «{case.name}», {turned[0]}; {_SLIP}"
    return None


@contextmanager
def _limited() -> Iterator[None]:
    given = current()
    limits = replace(given, digits=min(given.digits, _DIGITS), recheck_seconds=min(given.recheck_seconds, _SECONDS))
    with within(limits), rechecking(*_PASSES, anew=True):
        yield


def _spread(cases: Sequence[Case]) -> list[Case]:
    """The first, the last, and some between."""
    if len(cases) <= _CASES:
        return list(cases)
    return [cases[i * (len(cases) - 1) // (_CASES - 1)] for i in range(_CASES)]


@dataclass(frozen=True)
class _InFloats:
    """Both sides of one draw, what their rounding is relative to, the largest number drawn, whether floats went below
    their range on the way, so that a side of 0 says nothing, and whether the left side is larger beyond rounding.
    """

    left: float
    right: float
    whole: float
    drawn: float
    lost: bool
    violated: bool


@dataclass(frozen=True, eq=False)
class Texts:
    """The two texts of a case; of a `strict` inequality, which counts as missed or not, both sides as they are.

    `signs`: the exact left side is its sign alone.
    """

    bound: Bound
    case: Case
    signs: bool
    strict: bool

    @classmethod
    def of(cls, bound: Bound, case: Case, signs: bool) -> Texts:
        """The texts of a case against a bound."""
        if case.exact is None or getattr(case.exact.function, "below", None) is None:
            return cls(bound, case, signs, strict=False)
        measure, plain = case.measure, case.exact.function

        def fast(instances: Mapping[str, Float]) -> Mapping[str, Float]:
            seen = measure(instances)
            return {**seen, "lhs": seen["_left_side"], "magnitude": seen["_scale"]}

        def exactly(instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
            met, seen = plain(instance)
            return met, {**seen, "lhs": seen["_left_side"]}

        exact = ExactCheck(exactly, measured=case.exact.measured)
        return cls(Bound(sp.Symbol("_right_side")), replace(case, measure=fast, exact=exact), signs, strict=True)

    @property
    def one(self) -> bool:
        """Whether the exact side is the measure itself: where the two differ, floats alone are to blame."""
        return self.case.exact is not None and self.case.exact.measured

    def exactly(self, instance: Mapping[str, Any]) -> tuple[Side, Side]:
        """Both sides of an exact instance; raises as `recheck` does."""
        if self.case.exact is None:
            raise UndefinedError("no exact side")
        _, lhs, rhs = recheck(self.bound, self.case.exact, instance)
        return lhs, rhs

    def violated(self, lhs: Any, rhs: Any) -> bool:
        """Whether sides as they are violate the statement."""
        return bool(lhs >= rhs if self.strict else lhs > rhs)

    def in_floats(self, instances: Mapping[str, Float]) -> list[tuple[int, _InFloats]]:
        """The draws, by their place, whose sides floats know or take for equal."""
        n = len(next(iter(instances.values())))
        below: list[str] = []
        with np.errstate(all="ignore", under="call", call=lambda kind, _: below.append(kind)):
            constants = self.case.measure(instances)
            rhs, scale = self.bound(constants)
            scores = scored(self.bound, constants)
        given = (constants["lhs"], rhs, scale, constants.get("magnitude", 0.0))
        left, right, terms, size = (np.broadcast_to(np.asarray(v, dtype=np.float64), (n,)) for v in given)
        with np.errstate(all="ignore"):
            whole = abs(left) + abs(right) + terms + size
        decided = np.broadcast_to(scores.kind == Draw.DECIDED, (n,))
        known = (decided | (scores.kind == Draw.TIE)) & np.isfinite(whole)
        numbers = np.concatenate([abs(v).reshape(n, -1) for v in instances.values()], axis=1)
        lost = bool(below) | (np.where(numbers > 0, numbers, 1.0).min(axis=1) < _SMALL)
        drawn = numbers.max(axis=1)
        over = left >= right if self.strict else decided & (left > right)
        columns = (left, right, whole, drawn, lost, over)
        return [(int(i), _InFloats(*(column[i].item() for column in columns))) for i in np.flatnonzero(known)]

    def turned(self, floats: _InFloats, lhs: Side, rhs: Side, instances: Mapping[str, Float], i: int) -> str:
        """How a draw's sides differ, in words, where another is the larger; empty where rounding may be the reason."""
        if floats.violated == self.violated(lhs, rhs):
            return ""
        if self.signs:
            apart = abs(Fraction(floats.left))
            least = _APART * (Fraction(floats.whole) - apart) + _TURNING * Fraction(floats.drawn)
            words = _differing_sign(floats, lhs) if apart > least else ""
        else:
            words, _ = _differences(floats, lhs, rhs, _TURNING)
            apart = max(abs(Fraction(v) - near(side)) for v, side in ((floats.left, lhs), (floats.right, rhs)))
        return words if words and not self._unstable(instances, i, apart) else ""

    def differing(
        self, floats: _InFloats, lhs: Side, rhs: Side, instances: Mapping[str, Float], i: int, short: bool
    ) -> tuple[str, str, str]:
        """How a draw's sides differ grossly, how one does measured by itself, and how another is the larger, in words.

        Of `short` numbers, of which some may be equal that no draw has equal, the first is empty where floats within
        rounding of them give the exact sides.
        """
        turned = self.turned(floats, lhs, rhs, instances, i)
        if self.signs:
            return _differing_sign(floats, lhs), "", turned
        gross, alone = _differences(floats, lhs, rhs, _APART)
        if gross and not turned and short and self._meets(floats, lhs, rhs, instances, i):
            return "", "", ""
        return gross, alone, turned

    def _meets(self, floats: _InFloats, lhs: Side, rhs: Side, instances: Mapping[str, Float], i: int) -> bool:
        """Whether both sides are the exact ones, but for rounding, where every number drawn moves within rounding."""
        found = self._nearby(instances, i)
        pairs = () if found is None else zip(*(side.tolist() for side in found), strict=True)
        moved = (replace(floats, left=left, right=right) for left, right in pairs if np.isfinite([left, right]).all())
        return any(not _differences(one, lhs, rhs, _APART)[0] for one in moved)

    def _unstable(self, instances: Mapping[str, Float], i: int, apart: Fraction) -> bool:
        """Whether a side moves by a tenth of `apart` where every number drawn moves within rounding.

        Sides that cancel do, and ties that may be broken either way.
        """
        found = self._nearby(instances, i)
        moved = () if found is None else (float(np.ptp(side)) for side in found)
        return any(not np.isfinite(far) or Fraction(far) >= apart / 10 for far in moved)

    def _nearby(self, instances: Mapping[str, Float], i: int) -> tuple[Float, Float] | None:
        """Both sides of a draw and of others beside it, within rounding; None where the measure refuses those."""
        nearby = {name: np.repeat(value[i : i + 1], _NEARBY, axis=0) for name, value in instances.items()}
        with np.errstate(all="ignore"):
            _move(nearby, self.case.space)
            try:
                constants = self.case.measure(nearby)
            except ValueError:  # it refuses what was moved, which says nothing of rounding
                return None
            sides = constants["lhs"], self.bound.value(constants)
            left, right = (np.broadcast_to(np.asarray(side, dtype=np.float64), (_NEARBY,)) for side in sides)
            return left, right


def _move(instances: dict[str, Float], space: Space) -> None:
    """Move what is drawn of every instance but the first by `_MOVED` of itself, in place; weights still sum to 1."""
    rng = np.random.default_rng(0)
    for c in space.coordinates:
        if isinstance(c, Integer | Choice):
            continue
        moved = instances[c.name][1:]
        moved *= 1 + _MOVED * rng.uniform(-1, 1, moved.shape)
        if isinstance(c, Simplex):
            moved /= moved.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class _Compared:
    """One draw with its exact sides, in words how floats differ grossly, how a side does measured by itself, and how
    another side is the larger one; empty where they do not. `lost`: floats went below their range, and say nothing.
    """

    cube: Float
    instance: Mapping[str, Any]
    lhs: Side
    rhs: Side
    lost: bool
    gross: str = ""
    of_itself: str = ""
    turned: str = ""


def _of_case(
    bound: Bound, case: Case, texts: Texts, share: int, seed: int, label: str, both_violate: bool
) -> Agreement:
    """What the texts of one case say of a few random draws, `share` of them where they are cheap."""
    compared, apart, alone, turned = 0, list[str](), list[str](), list[str]()
    violated: Decision | None = None
    lead: tuple[Case, Decision] | None = None
    first = max(_FIRST, min(_MORE, share)) if effort(case) <= _CHEAP else _FIRST
    for draw in _compared(texts, seed, label):
        compared += not draw.lost
        apart += [draw.gross] if draw.gross else []
        alone += [draw.of_itself] if draw.of_itself else []
        turned += [draw.turned] if draw.turned and not both_violate else []
        if not texts.violated(draw.lhs, draw.rhs):
            lead = leading(lead, (case, Decision(Said.MET, draw.instance, draw.lhs, draw.rhs)))
        elif violated is None:
            violated = _violation(bound, case, draw)
        seldom = 2 * len(apart) <= compared and len(alone) < compared and not turned
        if compared == _MORE or (compared >= first and seldom):
            break
    if compared == _MORE and len(alone) == compared:
        apart = alone
    found = None if violated is None else (case, violated)
    if texts.one and found is not None:
        return Agreement(None, found, None if texts.signs or texts.strict else lead)
    if compared >= _FEWEST and 2 * len(apart) > compared:
        return Agreement(_words(texts, "", apart, compared))
    if turned and not texts.one:
        return Agreement(_words(texts, " on which side is larger", turned, compared))
    return Agreement(None, found, None if texts.signs or texts.strict else lead)


def _violation(bound: Bound, case: Case, draw: _Compared) -> Decision | None:
    """The violation that a draw is, at the simplest numbers; at those that were compared where others have none."""
    decision = decide(bound, case, draw.cube, COARSE)
    if decision.said is Said.VIOLATED and decision.instance is not None:
        return decision
    if decision.said is Said.UNDECLARED or case.exact is None:
        return None
    try:
        violated, lhs, rhs = recheck(bound, case.exact, draw.instance)
    except NoAnswerError:
        return None
    return Decision(Said.VIOLATED, draw.instance, lhs, rhs) if violated else None


def _words(texts: Texts, what: str, how: Sequence[str], compared: int) -> str:
    where = f"«{texts.case.name}» on {len(how)} of {compared} random draws, as {how[0]}"
    if texts.one:
        return f"the measure in floats and in exact numbers differs: {where}; {_ROUNDED}"
    return f"measure and plain text differ{what}: {where}; {_SLIP}"


def _compared(texts: Texts, seed: int, label: str) -> Iterator[_Compared]:
    """Each random draw of which both texts have a value.

    A float as it is drawn has 53 binary digits, and the exact sides of a long run then have thousands. From the first
    draw on of which that is so, or which is beyond the limits, both texts are given draws rounded to short numbers.
    """
    case = texts.case
    if case.exact is None:
        return
    cubes = stream(seed, label).random((_DRAWN, case.space.n_cube))
    decoded = case.space.decode(cubes)
    begin: int | None = 0
    short, too_long = False, 0
    while begin is not None:
        rows, begin = _rows(texts, decoded, begin, short), None
        for place, row, floats, instances, i in rows:
            try:
                lhs, rhs = texts.exactly(row)
            except NoAnswerError:
                too_long += short
                if not short:
                    begin, short = place, True
                    break
                if too_long == _TOO_LONG:
                    return
                continue
            except Exception:  # the check that gives the verdict reports it
                continue
            too_long = 0
            if _silent(floats, lhs, rhs):
                yield _Compared(cubes[place], row, lhs, rhs, lost=True)
            else:
                yield _Compared(
                    cubes[place], row, lhs, rhs, False, *texts.differing(floats, lhs, rhs, instances, i, short)
                )
            if not short and max(_length(lhs), _length(rhs)) > _LONG:
                begin, short = place + 1, True
                break


_Row: TypeAlias = tuple[int, Mapping[str, Any], _InFloats, Mapping[str, Float], int]


def _rows(texts: Texts, decoded: Mapping[str, Float], begin: int, short: bool) -> Iterator[_Row]:
    """The place of each draw from `begin` on, it in exact numbers, its sides in floats, its batch, its place there."""
    exactly = _rounded if short else _as_drawn
    for first in range(begin, _DRAWN, _AT_ONCE):
        last = min(first + _AT_ONCE, _DRAWN)
        drawn = [(place, exactly(texts.case.space, take(decoded, place))) for place in range(first, last)]
        rows = [(place, row) for place, row in drawn if row is not None]
        instances = stack([row for _, row in rows]) if rows else {}
        for i, floats in texts.in_floats(instances) if rows else ():
            yield *rows[i], floats, instances, i


def _length(side: Side) -> int:
    """Bits of a side that is held as a fraction."""
    return max(side.numerator.bit_length(), side.denominator.bit_length()) if isinstance(side, Fraction) else 0


def _as_drawn(space: Space, instance: Mapping[str, Float]) -> Mapping[str, Any] | None:
    """A draw with all its digits; None for one that has no exact numbers."""
    try:
        return space.rationalise(instance, LIMITS[-1])
    except Exception:  # the check that gives the verdict reports it
        return None


def _rounded(space: Space, instance: Mapping[str, Float]) -> Mapping[str, Any] | None:
    """A draw of numbers with few binary digits, exactly; as it was drawn where that is no instance of the space.

    Their denominators are powers of 2, so that sums have no longer ones. None for one that has no exact numbers.
    """
    try:
        short = {c.name: _shortened(c, np.asarray(instance[c.name])) for c in space.coordinates}
        found = space.rationalise({**instance, **short}, LIMITS[-1])
        return found if space.keeps(found) else space.rationalise(instance, LIMITS[-1])
    except Exception:  # the check that gives the verdict reports it
        return None


def _shortened(coordinate: Coordinate, value: Float) -> Float:
    """Numbers rounded to `_BITS` binary digits of themselves or of their range, and more where many might be alike.

    >>> _shortened(Simplex("w", 1), np.array([1 / 3])), _shortened(Simplex("w", 1), np.array([0.0]))
    (array([0.33349609]), array([0.]))
    """
    if isinstance(coordinate, Integer | Choice):
        return value
    bits = _BITS + value.size.bit_length() - 1
    low, high = getattr(coordinate, "low", 0.0), getattr(coordinate, "high", 1.0)
    _, exponents = np.frexp(value)
    finest = np.minimum(exponents, np.frexp(high - low)[1]) - bits
    rounded: Float = np.ldexp(np.round(np.ldexp(value, -finest)), finest)
    return rounded


def _silent(floats: _InFloats, lhs: Side, rhs: Side) -> bool:
    """Whether floats went below their range on the way to a side that they have at 0, and exact numbers have not."""
    return floats.lost and any(v == 0 != near(side) for v, side in ((floats.left, lhs), (floats.right, rhs)))


def _differences(floats: _InFloats, lhs: Side, rhs: Side, share: Fraction) -> tuple[str, str]:
    """How the sides differ, in words: by a share of all that they were computed from, and each beside itself."""
    whole, drawn = Fraction(floats.whole), Fraction(floats.drawn)
    allowed, least = share * whole + _ROUNDING * drawn, _ROUNDING * (whole + drawn)
    gross = alone = ""
    for name, value, exact in (("left", floats.left, lhs), ("right", floats.right, rhs)):
        told, known = Fraction(value), near(exact)
        apart, words = abs(told - known), f"{name} side {value:.6g} against {_shown(exact)}"
        gross = gross or (words if apart > allowed else "")
        size = max(abs(told), abs(known))
        alone = alone or (words if told and known and apart > max(_OF_ITSELF * size, least) else "")
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
