"""When a counterexample counts: rounded to small rationals, recomputed exactly, hypotheses included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream
from theory.exact.decide import Enclosed, Side, Sides, near
from theory.exact.errors import InexactError
from validation.cost.limits import NoAnswerError, announce, limited
from validation.judge.exact.sides import DeclarationError, OutsideError, UndefinedError, decided_sides
from validation.search.plainness import oddity, plainer
from validation.search.scores import evaluate
from validation.search.seen import Search
from validation.search.shrink import shrink, weight_of
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import Choice, Coordinate, Integer, Signed, Simplex, Uniform, stack, take
from validation.statement.outcome import Witness

__all__ = [
    "COARSE",
    "Certification",
    "Decision",
    "FirstWitness",
    "OutsideError",
    "Said",
    "UndefinedError",
    "beside",
    "certify",
    "decide",
    "foreseen",
    "leading",
    "recheck",
    "robustness",
    "telling",
    "witnessed",
]

Float = NDArray[np.float64]
LIMITS = (1, 2, 4, 8, 20, 100, 1000, 10**5, 10**9, 1 << 1100)  # the last keeps every float exactly
_OPEN: tuple[type[Exception], ...] = (NoAnswerError, InexactError, ArithmeticError)
_UNFIT: tuple[type[Exception], ...] = (ValueError, IndexError)
_NEARLY_0 = 1e-6
_FRESH = 4  # candidates of a batch that are certified at once where the first witness ends a search
_TELLING = Fraction(1, 10)
_CLEARED = 8  # dismissed candidates that are kept with their sides
_FINER = 3  # roundings of a long run beyond the first that violates, for one that violates by more
COARSE = (1, 20, 1000, 10**9, LIMITS[-1])  # enough for a draw that is no candidate


def recheck(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> tuple[bool, Side, Side]:
    """(lhs > rhs, lhs, rhs), exactly, with every hypothesis met; raises as `decided_sides` where that is not known.

    Within `rechecking` under the limits in force; raises `NoAnswerError` beyond them.
    """
    return limited(_recheck, (bound, exact), instance)


def _recheck(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> tuple[bool, Side, Side]:
    decision = decided_sides(bound, exact, instance)
    if decision.lhs is None or decision.rhs is None:  # decided sides have values
        raise UndefinedError(str(decision))
    return decision.outcome is Sides.VIOLATED, decision.lhs, decision.rhs


def foreseen(bound: Bound, cases: Iterable[Case]) -> None:
    """Say which cases will be rechecked: within `rechecking` one child then serves them all."""
    announce(_recheck, *((bound, case.exact) for case in cases if case.exact is not None))


class Said(StrEnum):
    """What exact arithmetic says of one draw; `UNDECLARED`: the value of a letter breaks what is declared of it."""

    VIOLATED = "violated"
    MET = "met"
    UNDEFINED = "undefined"
    OUTSIDE = "outside"
    UNDECIDED = "undecided"
    UNDECLARED = "undeclared"


_SETTLED = frozenset({Said.MET, Said.UNDECLARED})  # no rounding of it is asked then


@dataclass(frozen=True)
class Decision:
    """What exact arithmetic says of one draw, and both sides where it says that they have values.

    `instance` is the rounding it was decided at: the simplest one that violates, else the finest one. `inexact`: it is
    undecided because a float slipped in, and what the same function says of another rounding is worth no more.
    """

    said: Said
    instance: Mapping[str, Any] | None = None
    lhs: Side | None = None
    rhs: Side | None = None
    reason: str = ""
    inexact: bool = False

    @property
    def ratio(self) -> Fraction | None:
        """lhs/rhs of a draw that meets the statement, where the right side is positive."""
        if self.said is not Said.MET or self.lhs is None or self.rhs is None or self.rhs <= 0:
            return None
        return min(near(self.lhs) / near(self.rhs), Fraction(1))

    @property
    def digits(self) -> int | None:
        """To how many digits the sides are equal where no more is known."""
        return self.lhs.digits if isinstance(self.lhs, Enclosed) else None


@dataclass(frozen=True)
class Certification:
    """What exact arithmetic said of the candidates: a witness, or how many of them it dismissed and why.

    `dismissed`: no violation in exact numbers. `outside`: a hypothesis fails at every rounding. `undefined`: a side has
    no value at any. `undecided`: neither, for the reason given. `equal_to`: the sides of some dismissed ones were told
    equal to that many digits only. `of`: the answers by case. `undeclared`: the letter whose declaration one breaks, in
    words. `met`: the strongest of the dismissed ones, with their decisions; `lead`: the one of all with the largest
    exact lhs/rhs.
    """

    witness: Witness | None
    dismissed: int = 0
    undecided: int = 0
    outside: int = 0
    undefined: int = 0
    reason: str = ""
    equal_to: int | None = None
    of: Mapping[str, Mapping[Said, int]] = field(default_factory=dict)
    undeclared: str = ""
    met: tuple[tuple[Case, Decision], ...] = ()
    lead: tuple[Case, Decision] | None = None


def certify(bound: Bound, found: Search, seed: int, label: str, *, shrinking: bool = True) -> Certification:
    """The simplest certified witness among the candidates of a search.

    Candidates are taken strongest first, and all of them while none is certified. Each is first recomputed exactly as
    it was evaluated: one that does not violate there is rounding error and is dismissed, as is one whose hypotheses
    fail, or whose sides have no value, at every rounding. A true one is rounded to rationals of growing denominator,
    and the first that still violates counts; after the first witness only a few more are looked at, for plainer and
    simpler numbers. The simplest is made plainer (`plainer`), then shrunk number by number. With `shrinking` off the
    first one counts, as it is.
    """
    ranked = sorted(found.witnesses, key=lambda w: -w[2])
    # The strongest candidate of each case first, small cases before large ones, so that one mechanism does not crowd
    # out another and the numbers stay readable.
    heads = [next(w for w in ranked if w[0] is case) for case in dict.fromkeys(w[0] for w in ranked)]
    heads.sort(key=lambda w: w[0].space.n_cube * w[0].cost)
    queue = [*heads, *[w for w in ranked if not any(w is h for h in heads)]]
    foreseen(bound, (case for case, *_ in heads))
    best: tuple[tuple[bool, int, int], Case, Decision, str, Float] | None = None
    of: dict[str, Counter[Said]] = {}
    reason, undeclared, equal_to = "", "", None
    lead: tuple[Case, Decision] | None = None
    cleared: list[tuple[Case, Decision]] = []
    for position, (case, cube, _, stage) in enumerate(queue):
        if best is not None and (not shrinking or _enough(position, case, best[1], small=best[0][0])):
            break
        decision = decide(bound, case, cube)
        undeclared = undeclared or (decision.reason if decision.said is Said.UNDECLARED else "")
        if decision.instance is not None and decision.said is Said.VIOLATED:
            odd = oddity(case.space, decision.instance)
            weight = (not telling(decision.lhs, decision.rhs), odd, weight_of(decision.instance))
            if best is None or weight < best[0]:
                best = (weight, case, decision, stage, cube)
        elif best is None:
            of.setdefault(case.name, Counter())[decision.said] += 1
            equal_to = decision.digits or equal_to
            reason = reason or (decision.reason if decision.said is Said.UNDECIDED else "")
            lead = leading(lead, (case, decision))
            cleared += [(case, decision)] if decision.said is Said.MET and len(cleared) < _CLEARED else []
    witness = None
    if best is not None:
        _, case, decision, stage, cube = best
        witness = replace(witnessed(bound, case, decision, stage, seed, label, shrinking=shrinking), cube=cube)
    kinds = (Said.MET, Said.UNDECIDED, Said.OUTSIDE, Said.UNDEFINED)
    met, undecided, outside, undefined = (sum(said[kind] for said in of.values()) for kind in kinds)
    more = (undeclared, tuple(cleared), lead)
    return Certification(witness, met, undecided, outside, undefined, reason, equal_to, of, *more)


def leading(one: tuple[Case, Decision] | None, other: tuple[Case, Decision]) -> tuple[Case, Decision] | None:
    """The decision with the larger exact lhs/rhs; the first where they are equal or the other has none."""
    ratio, known = other[1].ratio, None if one is None else one[1].ratio
    return other if ratio is not None and (known is None or ratio > known) else one


def _enough(position: int, case: Case, best: Case, *, small: bool) -> bool:
    """Whether no more candidates are looked at once one is certified: 12 of cheap runs, fewer of long.

    Three times as many, of any size, while the violation that was found is a `small` one.
    """
    most = max(2.0, 12 / best.cost)
    return position >= 3 * most if small else position >= most or case.space.n_cube > 2 * best.space.n_cube


def telling(lhs: Side | None, rhs: Side | None) -> bool:
    """Whether lhs > rhs by a tenth of the right side or more, so that a reader sees it without counting digits.

    >>> telling(Fraction(11), Fraction(10)), telling(Fraction(109), Fraction(100))
    (True, False)
    """
    return lhs is not None and rhs is not None and near(lhs) - near(rhs) >= _TELLING * abs(near(rhs))


@dataclass(eq=False)
class FirstWitness:
    """Asked of a search whenever new candidates turned up: whether one of the strongest is certified, which it keeps.

    Everything random derives from (seed, label).
    """

    bound: Bound
    seed: int
    label: str
    asked: int = 0
    certification: Certification | None = None

    def __call__(self, found: Search) -> bool:
        fresh = Search(witnesses=found.witnesses[self.asked :][:_FRESH])
        self.asked = len(found.witnesses)
        certification = certify(self.bound, fresh, self.seed, self.label, shrinking=False)
        self.certification = certification if certification.witness is not None else None
        return self.certification is not None


def witnessed(
    bound: Bound,
    case: Case,
    decision: Decision,
    stage: str,
    seed: int,
    label: str,
    *,
    shrinking: bool = True,
) -> Witness:
    """The witness that an exactly violating instance becomes: shrunk, recomputed, its neighbourhood looked at.

    Raises `ValueError` for a decision that is no violation.
    """
    instance = decision.instance
    if case.exact is None or instance is None or decision.lhs is None or decision.rhs is None:
        raise ValueError(f"witnessed({case.name!r}): no exact violation")
    if not shrinking:
        return Witness(case, instance, decision.lhs, decision.rhs, stage, None)
    attempts = max(20, round(300 / case.cost))
    told, last = telling(decision.lhs, decision.rhs), [decision]

    def violates(trial: Mapping[str, Any]) -> bool:
        found = _at(bound, case, trial) if case.space.keeps(trial) else Decision(Said.OUTSIDE)
        if found.said is not Said.VIOLATED or (told and not telling(found.lhs, found.rhs)):
            return False
        last.append(found)
        return True

    instance = plainer(case.space, instance, violates, attempts=max(12, attempts // 5))
    odd = oddity(case.space, instance)
    instance = shrink(
        case.space, instance, lambda trial: oddity(case.space, trial) <= odd and violates(trial), attempts=attempts
    )
    # What was decided is not asked again: shrinking may have used up all that rechecks together may take.
    held = next((d for d in reversed(last) if d.instance == instance), decision)
    if held.instance is None or held.lhs is None or held.rhs is None:
        raise ValueError(f"witnessed({case.name!r}): no exact violation")
    moved = robustness(bound, case, held.instance, seed, label)
    return Witness(case, held.instance, held.lhs, held.rhs, stage, moved)


def _at(
    bound: Bound, case: Case, instance: Mapping[str, Any], passes: tuple[type[Exception], ...] = _UNFIT
) -> Decision:
    """What exact arithmetic says at one rounding; a rounding may leave what a check accepts, and so raise `passes`."""
    if case.exact is None:
        return Decision(Said.UNDECIDED, reason="no exact side")
    try:
        violated, lhs, rhs = recheck(bound, case.exact, instance)
    except OutsideError as error:
        return Decision(Said.OUTSIDE, reason=str(error))
    except DeclarationError as error:
        return Decision(Said.UNDECLARED, reason=str(error))
    except UndefinedError as error:
        return Decision(Said.UNDEFINED, reason=str(error))
    except (*_OPEN, *passes) as error:
        words = str(error) or type(error).__name__
        return Decision(Said.UNDECIDED, reason=words, inexact=isinstance(error, InexactError))
    return Decision(Said.VIOLATED if violated else Said.MET, instance, lhs, rhs)


def decide(bound: Bound, case: Case, cube: Float, levels: Sequence[int] = LIMITS) -> Decision:
    """What exact arithmetic says of a draw: as it was evaluated, and at roundings where that has no value.

    What stays undecided as it was evaluated is not tried again, unless it is a candidate, at all of `LIMITS`, and no
    float slipped in. Numbers
    are rounded to denominators up to each of `levels`, which grow; the last keeps what was evaluated. The coarsest that
    violates counts, of a candidate the coarsest `telling` one. A
    hypothesis may fail by a rounding error alone, and a coarser grid meet it: MET then counts only from denominators of
    10⁵ on, below the draw is another instance. A rounding at which a letter breaks its declaration says nothing.
    """
    instance = take(case.space.decode(cube[None]), 0)
    coarse = levels[:-1]
    tried: dict[int, Decision] = {}
    if case.exact is None:
        return Decision(Said.UNDECIDED, reason="no exact side")
    # Small rationals decide most long runs, and the float's own digits are slow there.
    if levels is LIMITS and case.cost > 1:
        found = _first(bound, case, instance, coarse, tried, finer=_FINER)
        found = next((d for d in tried.values() if d.inexact), found)
        if found is not None:
            return found
    exactly = _at(bound, case, case.space.rationalise(instance, levels[-1]), ())  # a faulty check raises
    settled = exactly.said in _SETTLED or exactly.inexact
    if settled or (levels is not LIMITS and exactly.said is Said.UNDECIDED):
        return exactly
    finer = len(coarse) if levels is LIMITS and telling(exactly.lhs, exactly.rhs) else 0
    found = _first(bound, case, instance, coarse, tried, finer=finer)
    if exactly.said is Said.VIOLATED and (found is None or (finer and not telling(found.lhs, found.rhs))):
        return exactly
    if found is not None:
        return found
    fine = [tried[limit] for limit in reversed(coarse) if limit >= 10**5 and tried[limit].said is Said.MET]
    if fine:
        return fine[0]
    if any(d.said is Said.MET for d in tried.values()):
        return Decision(Said.UNDECIDED, reason=exactly.reason)
    return exactly


def beside(bound: Bound, case: Case, cube: Float, levels: Sequence[int]) -> Decision | None:
    """The coarsest rounding of a draw, to denominators up to each of `levels`, that violates; None where none does.

    Then the same with what is nearly 0 at 0, which no rounding comes to, where 0 may be drawn.
    """
    if case.exact is None:
        return None
    instance = take(case.space.decode(cube[None]), 0)
    found = _first(bound, case, instance, _keeping(case, instance, levels), {}, finer=0)
    drawn_0 = [c.name for c in case.space.coordinates if _draws_0(c)]
    zeroed = {**instance, **{n: np.where(np.abs(instance[n]) < _NEARLY_0, 0.0, instance[n]) for n in drawn_0}}
    if found is not None or all(np.array_equal(zeroed[name], instance[name]) for name in instance):
        return found
    return _first(bound, case, zeroed, _keeping(case, zeroed, levels), {}, finer=0)


def _keeping(case: Case, instance: Mapping[str, Any], levels: Sequence[int]) -> list[int]:
    """The levels at which the rounded instance is one of the space, extras and all."""
    return [level for level in levels if case.space.keeps(case.space.rationalise(instance, level))]


def _draws_0(coordinate: Coordinate) -> bool:
    """Whether 0 is in the range of a number drawn by itself; weights have a sum to keep."""
    if isinstance(coordinate, Signed):
        return True
    return isinstance(coordinate, Uniform) and coordinate.low <= 0 <= coordinate.high


def _first(
    bound: Bound,
    case: Case,
    instance: Mapping[str, Any],
    levels: Sequence[int],
    tried: dict[int, Decision],
    *,
    finer: int,
) -> Decision | None:
    """The coarsest rounding that violates; a `telling` one where one of the next `finer` levels has it.

    What is decided goes into `tried`, and is not decided again.
    """
    small: Decision | None = None
    for limit in levels:
        if small is not None and finer <= 0:
            break
        finer -= small is not None
        if limit not in tried:
            tried[limit] = _at(bound, case, case.space.rationalise(instance, limit))
        decision = tried[limit]
        if decision.said is Said.VIOLATED:
            if telling(decision.lhs, decision.rhs):
                return decision
            small = small or decision
    return small


def robustness(bound: Bound, case: Case, instance: Mapping[str, Any], seed: int, label: str, n: int = 200) -> float:
    """The share of ±10% perturbations of every number (simplex rows renormalised) that still violate, in floats."""
    rng = stream(seed, f"robustness/{label}")
    base = stack([instance])
    moved = {}
    for c in case.space.coordinates:
        value = np.repeat(base[c.name], n, axis=0)
        factor = rng.uniform(0.9, 1.1, size=value.shape)
        whole = isinstance(c, Integer | Choice)
        value = value if whole else value * factor
        moved[c.name] = value / value.sum(axis=-1, keepdims=True) if isinstance(c, Simplex) else value
    fixed = _Given(moved)
    scores = evaluate(bound, Case(case.name, fixed, case.measure), np.empty((n, 0)))  # type: ignore[arg-type]
    return float(np.mean(scores.excess > 0))


@dataclass(frozen=True)
class _Given:
    """A stand-in for a space whose instances are already decoded."""

    instances: Mapping[str, Float]

    def decode(self, cube: Float) -> Mapping[str, Float]:
        return self.instances
