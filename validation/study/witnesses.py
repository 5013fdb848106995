"""Where a false statement falls, and where a true one is tight: small exact instances, found and made simple."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

from theory.base.streams import stream
from validation.cost.limits import NoAnswerError, rechecking
from validation.judge.exact.certify import Decision, Said, UndefinedError, telling, witnessed
from validation.judge.gram import judge_vectors
from validation.judge.run import run_test
from validation.proof.symbolic import find_point
from validation.search.plainness import oddity, plainer
from validation.search.shrink import shrink, weight_of
from validation.statement.claim import Case, Identity, Inequality, Property, Test
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.orders import Order
from validation.statement.instances.at import At, exactly
from validation.statement.instances.draw import stack, take
from validation.statement.outcome import Witness
from validation.study.at_instance import cases_at, sides_at, sides_of

__all__ = ["CLOSE", "close", "falling", "nearly", "tight"]

__judges__ = "no"

_SMALL = 24  # cases of small sizes that are tried by themselves
_CHOICES = 9  # of the sizes of a family
_EACH = 400  # evaluations in each
_WHOLE = (4_000, 40_000, 400_000)  # in all cases together, where none of the small ones gives an instance
_LIGHT = 30  # weight of an instance that is not worth simplifying further
_TIGHT_DRAWS = 400  # corners and random draws of each small case that are looked at for equal sides
_LEVELS = (1, 2, 4, 1 << 1100)  # of denominators that they are rounded to
_NUMBERS = tuple(map(Fraction, ("1", "1/2", "2", "1/4", "1/8", "3", "0")))  # of parameters of a step between vectors
_VECTORS = tuple(map(Fraction, (1, -1, 2, 0, -2)))
_POINTS = 4_000
_EQUAL = 1e-9  # relative, of floats
CLOSE = Fraction(1, 100)
"""How far apart, relative to the right side, both sides may be at an instance that stands for a limit."""
_LIMIT_BUDGET = 40_000  # evaluations of the search for such an instance
_ASKED = 40  # draws whose sides are computed exactly
_PASSES = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError, LookupError)


def falling(test: Test, label: str, seconds: float = 15.0) -> At | None:
    """An instance at which a false statement falls, exactly; None where none is found.

    Few clients, rounds and dimensions first, then few digits. `label`: what draws hang on; `seconds`: of processor time
    for cases of small sizes. What is said of printed numbers has no instance but these.
    """
    if isinstance(test, Property):
        test = test.inequality
    if isinstance(test, Inequality):
        with rechecking(*_PASSES):
            found = _smallest(test, label, seconds)
        return None if found is None else _named(test, found.case, found.instance)
    if isinstance(test, Identity):
        point = find_point(test)
        return None if point is None else At("", point[0])
    if isinstance(test, VectorInequality):
        drawn = dict(judge_vectors(test, label, label).detail.get("worst_instance", {}))
        drawn.pop("case", None)
        return _exact(drawn) if drawn else None
    if isinstance(test, Order):
        for family in test.families:
            for values in product(*family.fixed.values()):
                one = _exact(dict(zip(family.fixed, map(str, values), strict=True)), family.name)
                if sides_of(test, one, label).violates:
                    return one
    return None


def tight(test: Test, label: str, seconds: float = 15.0) -> At | None:
    """An instance at which both sides of an inequality are equal, and not 0 unless its right side is 0 everywhere.

    Of a step between vectors they are numbers, vectors on a line.
    """
    if isinstance(test, VectorInequality):
        return _equal_vectors(test, label)
    if not isinstance(test, Inequality):
        return None
    trivial, started = test.bound.expression == 0, time.process_time()
    best: tuple[tuple[bool, int], Case, Mapping[str, Any]] | None = None
    for case in islice(_small(test), _SMALL):
        if time.process_time() - started > seconds:
            break

        def equal(instance: Mapping[str, Any], case: Case = case) -> bool:
            try:
                sides = sides_at(test, case, instance, label)
                return not sides.unmet and bool(sides.left == sides.right) and (trivial or bool(sides.left != 0))
            except _PASSES:
                return False

        start = _equal(test, case, equal, label)
        if start is None:
            continue
        found = plainer(case.space, start, equal, attempts=60)
        odd = oddity(case.space, found)
        found = shrink(
            case.space,
            found,
            lambda one, odd=odd, case=case, equal=equal: oddity(case.space, one) <= odd and equal(one),  # type: ignore[misc]
        )
        weight = (oddity(case.space, found) > 0, weight_of(found))
        if best is None or weight < best[0]:
            best = (weight, case, found)
        if not best[0][0]:
            break
    return None if best is None else _named(test, best[1], best[2])


def close(left: Any, right: Any) -> bool:
    """Whether a left side that is not 0 is no larger than the right one and within `CLOSE` of it."""
    return bool(left != 0 and left <= right and right - left <= CLOSE * abs(right))


def nearly(test: Test, label: str) -> At | None:
    """An instance at which both sides are `close`, for a bound attained in a limit alone: the plainest found."""
    if not isinstance(test, Inequality):
        return None
    made = run_test(test, claim_id=label, name=label, key="limit", budget=_LIMIT_BUDGET, seed=0, shown=False)
    drawn = dict(made.detail.get("worst_instance") or {})
    named = drawn.pop("case", "")
    drawn.pop("family", None)
    if not drawn:
        return None
    found = At(named, {name: exactly(value) for name, value in drawn.items()})
    (case,) = cases_at(test, found)

    def near(instance: Mapping[str, Any]) -> bool:
        try:
            sides = sides_at(test, case, instance, label)
            return not sides.unmet and close(sides.left, sides.right)
        except _PASSES:
            return False

    if not near(found.numbers):
        return None
    plain = plainer(case.space, found.numbers, near, attempts=60)
    odd = oddity(case.space, plain)
    simple = shrink(case.space, plain, lambda one: oddity(case.space, one) <= odd and near(one))
    return _named(test, case, simple)


def _equal_vectors(test: VectorInequality, label: str) -> At | None:
    """The first of small numbers at which both sides are equal and not 0."""
    names = test.domain.names
    for point in islice(product(_NUMBERS, repeat=len(names)), _POINTS):
        for vectors in product(_VECTORS, repeat=len(test.names)):
            one = At("", dict(zip((*names, *test.names), (*point, *vectors), strict=True)))
            try:
                sides = sides_of(test, one, label)
            except _PASSES:
                break
            if sides.unmet:
                break
            if sides.left == sides.right != 0:
                return one
    return None


def _equal(
    test: Inequality, case: Case, equal: Callable[[Mapping[str, Any]], bool], label: str
) -> Mapping[str, Any] | None:
    """The first of many draws, rounded to few digits, with equal sides: those that floats cannot tell apart are asked.

    Of draws as they come almost none has equal sides; of their roundings many have, and corners do.
    """
    rng = stream(0, f"tight/{label}/{case.name}")
    n = max(60, round(_TIGHT_DRAWS / max(1.0, case.cost)))
    drawn = case.space.decode(np.concatenate([case.space.corners(rng, n // 2), case.space.random(rng, n - n // 2)]))
    rows = [take(drawn, i) for i in range(n)]
    for level in _LEVELS:
        rounded = [one for one in (case.space.rationalise(row, level) for row in rows) if case.space.keeps(one)]
        near = _near(test, case, stack(rounded)) if rounded else []
        for i in near[:_ASKED]:
            if equal(rounded[i]):
                return rounded[i]
    return None


def _near(test: Inequality, case: Case, drawn: Mapping[str, Any]) -> list[int]:
    """Admissible draws whose sides floats cannot tell apart, those with a left side that is not 0 first."""
    with np.errstate(all="ignore"):
        seen = case.measure(drawn)
        left = np.asarray(seen["lhs"])
        right = np.broadcast_to(np.asarray(test.bound.value(seen)), left.shape)
        apart = np.abs(left - right) / (np.abs(left) + np.abs(right) + 1e-300)
    met = np.broadcast_to(np.asarray(seen.get("admissible", True)), left.shape)
    near = np.flatnonzero(met & ((apart < _EQUAL) | ((left == 0) & (right == 0))))
    return sorted(near.tolist(), key=lambda i: (left[i] == 0, i))


def _smallest(test: Inequality, label: str, seconds: float) -> Witness | None:
    """The plainest of the witnesses that cases of small sizes give, else one of all cases."""
    started, seen = time.process_time(), 0
    best: Witness | None = None
    for case in islice(_small(test), _SMALL):
        if time.process_time() - started > seconds:
            break
        found = _attacked(replace(test, cases=(case,)), label, _EACH)
        if found is None:
            continue
        seen += 1
        if best is None or _weight(found) < _weight(best):
            best = found
        odd, small, weight = _weight(best)
        if not odd and not small and (seen > 1 or weight < _LIGHT):
            break
    for budget in _WHOLE if best is None else ():
        best = best or _attacked(test, label, budget)
    return best


def _attacked(test: Inequality, label: str, budget: int) -> Witness | None:
    try:
        made = run_test(
            test, claim_id=label, name=label, key="witness", budget=budget, seed=0, stop_at_witness=True, shown=False
        ).witness
        if made is None:
            return None
        decision = Decision(Said.VIOLATED, made.instance, made.lhs, made.rhs)
        return witnessed(test.bound, made.case, decision, made.stage, 0, label)
    except (*_PASSES, NoAnswerError):
        return None


def _weight(found: Witness) -> tuple[bool, bool, int]:
    odd = oddity(found.case.space, found.instance) > 0
    return odd, not telling(found.lhs, found.rhs), weight_of(found.instance)


def _small(test: Inequality) -> Iterator[Case]:
    """Cases with an exact side, families at their smallest sizes; the cheapest first."""
    cases: list[Case] = []
    for item in test.cases:
        if isinstance(item, Case):
            cases.append(item)
            continue
        few = [[v for v in range(size.low, size.low + 3) if v <= size.high] for size in item.sizes]
        choices = sorted(product(*few), key=sum)[:_CHOICES]
        cases += [item.at(**dict(zip([size.name for size in item.sizes], chosen, strict=True))) for chosen in choices]
    yield from sorted((c for c in cases if c.exact is not None), key=lambda c: max(1.0, c.cost) * c.space.n_cube)


def _named(test: Inequality, case: Case, instance: Mapping[str, Any]) -> At:
    """The instance, with the case's name where its numbers alone do not say which case draws them."""
    bare = At("", dict(instance))
    own = cases_at(test, bare)
    return bare if len(own) == 1 and own[0].name == case.name else At(case.name, dict(instance))


def _exact(numbers: Mapping[str, str], case: str = "") -> At:
    return At(case, {name: exactly(value) for name, value in numbers.items()})
