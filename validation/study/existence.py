"""«There is …» without a name: a witness is searched and shown exactly; only a proof refutes.

`there_is(opposite)` takes what would hold everywhere if there were none. `some_choice` takes an inequality and one of
its numbers, of which one value is to serve all instances: counterexamples to the values tried exclude whole intervals
of them, exactly, and no value is left where the statement is refuted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import numpy as np

from theory.classes import Statement
from theory.exact.errors import InexactError
from theory.exact.germ import EPSILON, Germ, deciding
from theory.exact.sturm import Range, has_root
from validation.judge.run import run_test
from validation.proof.classes import decide_class
from validation.statement.claim import Case, Inequality, Test
from validation.statement.forms.for_small import refuse_small, sides_in_epsilon
from validation.statement.forms.kinds import ExactCheck
from validation.statement.instances.draw import Instance, Space
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict
from validation.study.choices import next_value, possible

__all__ = ["Choice", "Existence", "some_choice", "there_is"]

__judges__ = "no"

_ROUNDS = 40  # values tried of a choice
_LONGEST = 1000  # bits of a value's denominator: floats, which search, have none so small
_HALVINGS = 24  # to find how far an interval reaches on either side of a value


@dataclass(frozen=True)
class Existence:
    """`word`: "proved" with a `witness`, exact; "refuted" where the opposite is proved; else "inconclusive"."""

    word: str
    why: str
    witness: Any = None

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


@dataclass(frozen=True)
class Choice:
    """`word`: "holds" with the `value` that the search finds nothing against; "refuted" by `instances`, exactly.

    `instances`: (case, numbers, interval): at each value of the interval the statement fails at the numbers. `left`:
    the values, as intervals, that neither excludes.
    """

    word: str
    why: str
    value: Fraction | None = None
    instances: tuple[tuple[str, Mapping[str, Any], tuple[Fraction, Fraction]], ...] = ()
    left: tuple[tuple[Fraction, Fraction], ...] = ()

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


def there_is(opposite: Test | Statement, *, budget: int = 10_000, seed: int = 0) -> Existence:
    """Whether some instance violates `opposite`: an inequality over drawn instances, vectors, or a whole class.

    An exact violation is the witness. Where `opposite` is proved for all there is none; that no search finds one, or
    that `opposite` holds, says nothing.

    >>> import fedverdict as fv
    >>> p = fv.classes.Problem()
    >>> F = p.function(fv.classes.families.smooth_convex(L=1))
    >>> best, x = F.minimiser(), p.point("x")
    >>> moved = p.statement((x - 3 * F.gradient(x) - best) ** 2, 1, given=[(x - best) ** 2 <= 1])
    >>> print(there_is(moved).word)  # a function on which a step of 3/L moves away from the minimum
    proved
    """
    if not isinstance(opposite, (Statement, *get_args(Test))):
        kind = type(opposite).__name__
        raise TypeError(f"there_is({opposite!r}): a {kind}; expected an inequality, or a statement over a class")
    if isinstance(opposite, Statement):
        decision = decide_class(opposite)
        words = {"refuted": "proved", "proved": "refuted", "inconclusive": "inconclusive"}
        return Existence(words[decision.word], decision.why, decision.witness)
    outcome = run_test(opposite, claim_id="there is", name="opposite", budget=budget, seed=seed, stop_at_witness=True)
    if outcome.verdict is Verdict.REFUTED:
        witness = outcome.detail.get("worst_instance") if outcome.witness is None else outcome.witness.instance
        return Existence("proved", f"an exact instance: {outcome.why}", witness)
    if outcome.verdict is Verdict.PROVED:
        return Existence("refuted", f"the opposite is proved: {outcome.why}")
    return Existence("inconclusive", f"none was found, and the opposite is not proved: {outcome.why}")


def some_choice(test: Inequality, name: str, within: str, *, budget: int = 2_000, seed: int = 0) -> Choice:
    """Whether one value of a drawn number serves every instance: «there is an η > 0 such that …».

    `name`: of a coordinate of one number that every case draws, all other coordinates being drawn without it; `within`:
    where it may be chosen, a bounded interval of positive numbers such as "(0, 2]". A value is tried; a counterexample
    to it excludes an interval around it, by the roots of left − right in the number; the next value lies elsewhere.
    Exact sides must do arithmetic, comparisons, max, min and abs with the number alone. `budget`: evaluations a value.
    Of an `Integer` or a `Choice` its own values in the interval are tried. Raises `ValueError` for an interval that is
    not bounded or not positive, one with values that a `Uniform` has not, and a case without the coordinate.
    """
    whole = Range.read(within)
    if whole.high is None or whole.low < 0:
        raise ValueError(f"some_choice(within={within!r}): expected a bounded interval of positive numbers")
    refuse_small("some_choice", test)
    cases = [_checked(item, name) for item in test.cases]
    drawn_by = [next(c for c in case.space.coordinates if c.name == name) for case in cases]
    listed, tried = possible(name, drawn_by, whole), set[Fraction]()
    if listed is not None and not len(listed):
        raise ValueError(f"some_choice(within={within!r}): {name} has no value there, drawn by {drawn_by[0]!r}")
    left = [(whole.low, whole.high)]
    found: list[tuple[str, Mapping[str, Any], tuple[Fraction, Fraction]]] = []
    for turn in range(_ROUNDS):
        value = next_value(left, whole, turn, listed, tried)
        if value is not None and value.denominator.bit_length() > _LONGEST:
            near = ", ".join(f"[{float(a):.3g}, {float(b):.3g}]" for a, b in left)
            why = f"{len(found)} exact instances leave values of {name} that are too near an end to be tried: {near}"
            return Choice("inconclusive", why, instances=tuple(found), left=tuple(left))
        if value is None:
            why = f"{len(found)} exact instances leave no value of {name} in {whole}"
            return Choice("refuted", why, instances=tuple(found))
        tried.add(value)
        outcome = _tried(test, name, value, budget, seed + turn)
        if outcome.verdict.true:
            why = f"with {name} = {value} the search finds no counterexample"
            return Choice("holds", why, value, tuple(found), tuple(left))
        if outcome.witness is None:
            why = f"with {name} = {value} nothing was decided: {outcome.why}"
            return Choice("inconclusive", why, value, tuple(found), tuple(left))
        instance = outcome.witness.instance
        case = next(case for case in test.cases if isinstance(case, Case) and case.name == outcome.witness.case.name)
        reach = _excluded(case, test, name, instance, value)
        found.append((case.name, instance, reach))
        left = _without(left, reach, value, whole)
    why = f"after {_ROUNDS} values of {name}, some are left that no instance excludes"
    return Choice("inconclusive", why, instances=tuple(found), left=tuple(left))


def _tried(test: Inequality, name: str, value: Fraction, budget: int, seed: int) -> Outcome:
    """What a search says of the statement at one value of the number."""
    fixed = replace(test, cases=tuple(_fixed(item, name, value) for item in test.cases), switches=(), grid=None)
    return run_test(fixed, claim_id="some choice", name=name, budget=budget, seed=seed, stop_at_witness=True)


def _checked(case: Any, name: str) -> Case:
    if not isinstance(case, Case):
        raise ValueError(f"some_choice({name!r}): a family of cases; expected cases")
    if all(c.name != name for c in case.space.coordinates) or case.exact is None:
        drawn = ", ".join(c.name for c in case.space.coordinates)
        raise ValueError(f"some_choice({name!r}): the case «{case.name}» draws {drawn}, or has no exact side")
    return case


def _fixed(case: Any, name: str, value: Fraction) -> Case:
    known = _checked(case, name)
    exact: Any = known.exact
    return replace(
        known,
        space=Space(tuple(c for c in known.space.coordinates if c.name != name)),
        measure=partial(_measured, known.measure, name, float(value)),
        exact=ExactCheck(partial(_decided, exact.function, name, value), standalone=False),
        symmetries=(),
        differentiable=False,
    )


def _measured(measure: Any, name: str, value: float, drawn: Instance) -> Mapping[str, Any]:
    n = len(next(iter(drawn.values())))
    seen: Mapping[str, Any] = measure({**drawn, name: np.full(n, value)})
    return seen


def _decided(function: Any, name: str, value: Fraction, instance: Mapping[str, Any]) -> Any:
    return function({**instance, name: value})


def _excluded(
    case: Case, test: Inequality, name: str, instance: Mapping[str, Any], value: Fraction
) -> tuple[Fraction, Fraction]:
    """Numbers around a value at which the instance violates the statement: all between two ends, the ends not."""
    ends = []
    for turn in (-1, 1):
        try:
            with deciding() as reach:
                met, left, right = sides_in_epsilon(
                    case, test.bound, {**instance, name: value + turn * value * EPSILON}
                )
                admitted = all(bool(holds) for holds in met.values())
            ends.append(value + turn * value * (_reach(left - right, reach.until) if admitted else Fraction(0)))
        except (InexactError, ArithmeticError):
            ends.append(value)
    return ends[0], ends[1]


def _reach(gap: Germ, until: Fraction) -> Fraction:
    """How far gap > 0 without a root or a pole, at most `until`, from below."""
    product = gap.top * gap.bottom

    def free(h: Fraction) -> bool:
        return not has_root(product, Range(Fraction(0), h))

    if gap.sign <= 0:
        return Fraction(0)
    if free(until):
        return until
    low, high = Fraction(0), until
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if free(middle) else (low, middle)
    return low


def _without(
    left: list[tuple[Fraction, Fraction]], reach: tuple[Fraction, Fraction], value: Fraction, whole: Range
) -> list[tuple[Fraction, Fraction]]:
    """The values left, without those strictly between two ends and without the value between them."""
    low, high = reach
    kept: list[tuple[Fraction, Fraction]] = []
    for a, b in left:
        if a == b == value:
            continue
        if b < low or a > high or (a == b and not low < a < high):
            kept.append((a, b))
            continue
        kept += [(a, low)] if a < low or (a == low and a in whole and a != value) else []
        kept += [(high, b)] if high < b or (high == b and b in whole and b != value) else []
    return kept
