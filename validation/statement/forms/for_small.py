"""«For all sufficiently small η»: an inequality of which one number goes to 0 is decided with an infinitesimal in it.

The number's coordinate is not drawn any more. The exact side of each case runs once with ε in its place; it says which
side is larger for all small enough ε, hypotheses included, and refutes where the left one is. The measure, which the
search climbs, evaluates both sides at two small values and looks at draws of which both say the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isfinite, prod
from typing import Any

import numpy as np
import sympy as sp

from theory.exact.errors import InexactError, raising_line
from theory.exact.germ import EPSILON, Germ, deciding
from validation.statement.bound import Bound
from validation.statement.forms.inner_letters import observed, observed_exactly
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality
from validation.statement.instances.draw import Choice, Instance, Integer, LogScale, Simplex, Space, Uniform, take

__all__ = ["for_small", "holds_until", "in_germs", "refuse_signs", "refuse_small", "sides_in_epsilon"]

_LOOKS, _CHEAP = 5, 10.0  # draws at which `until` is looked at, of cases that cost no more
_STEPS = (1e-4, 1e-5)  # at which the measure looks: terms of third order still stand above rounding


def for_small(test: Inequality, name: str, *, until: float = 1.0) -> Inequality:
    """The inequality for all sufficiently small values of a drawn number, each instance with an interval of its own.

    `name`: of a coordinate of one number that every case draws, such as a step size; `until`: values that are small
    beside it count as small, such as 1/L of the largest curvature drawn. Left side and bound are replaced by the
    leading coefficient of left less right and 0; exact sides must do arithmetic, comparisons, max, min and abs alone.
    Raises `ValueError` for a case without that coordinate, or without an exact side, for one that has no small values
    above 0, such as an `Integer`, for an `until` that is not above 0, and for one that is not small beside the
    constants of most draws.
    """
    if not (isfinite(until) and until > 0):
        raise ValueError(
            f"for_small({name!r}, until={until}): expected a number above 0, beside which values are small"
        )
    refuse_small("for_small", test)
    cases = tuple(
        replace(item, at=partial(_of_family, item.at, test.bound, name, until))
        if isinstance(item, Family)
        else _small(item, test.bound, name, until)
        for item in test.cases
    )
    return replace(
        test,
        bound=Bound(sp.Integer(0), beside=test.bound.letters),
        cases=cases,
        switches=(),
        degrees=None,
        trivial=None,
        grid=None,
        signs=True,
    )


def refuse_small(door: str, test: Inequality) -> None:
    """Raise `ValueError` for a statement of `for_small`, which keeps the sign of its leading coefficient alone."""
    for item in test.cases:
        made = item.at if isinstance(item, Family) else None if item.exact is None else item.exact.function
        if isinstance(made, partial) and made.func in (_of_family, _decided):
            raise ValueError(f"{door}: a statement of for_small, whose interval hangs on other numbers: ask it last")


def refuse_signs(door: str, test: Inequality, why: str) -> None:
    """Raise `ValueError` for a statement whose exact side gives a sign alone."""
    if test.signs:
        form = "the exact side of this statement is a sign alone, as of largest_eigenvalue, spectral_norm or a property"
        raise ValueError(f"{door}: {form}, {why}; expected an inequality of two numbers")


def holds_until(test: Inequality, case: Case, instance: Mapping[str, Any], name: str) -> tuple[bool, Fraction]:
    """Whether left <= right for all 0 < ε < h at one instance, and such an h; `test` and `case` as before `for_small`.

    Raises `ValueError` where a hypothesis fails for small values.
    """
    with deciding() as reach:
        met, gap = _asked(case, test.bound, name, instance)
        failing = [words for words, holds in met.items() if not holds]
        if failing:
            raise ValueError(f"{case.name}: not met for small {name}: {', '.join(failing)}")
        holds = gap.sign <= 0
    return holds, reach.until


def _of_family(at: Any, bound: Bound, name: str, until: float, **sizes: Any) -> Case:
    return _small(at(**sizes), bound, name, until)


def _small(case: Case, bound: Bound, name: str, until: float) -> Case:
    kept = tuple(c for c in case.space.coordinates if c.name != name)
    if len(kept) == len(case.space.coordinates):
        drawn = ", ".join(c.name for c in case.space.coordinates)
        raise ValueError(f"for_small({name!r}): the case «{case.name}» does not draw it; expected one of {drawn}")
    mine = next(c for c in case.space.coordinates if c.name == name)
    shape = getattr(mine, "shape", ())
    if shape:
        several = "several numbers" if prod(shape) > 1 else f"a number of shape {shape}"
        raise ValueError(f"for_small({name!r}): {several} in the case «{case.name}»; expected one, without a shape")
    far = isinstance(mine, Uniform) and not isinstance(mine, LogScale) and not mine.low <= 0 < mine.high
    if far or isinstance(mine, Integer | Choice | Simplex):
        raise ValueError(f"for_small({name!r}): drawn by {mine!r}, which has no small values above 0")
    if case.exact is None:
        raise ValueError(f"for_small({name!r}): the case «{case.name}» has no exact side, which decides")
    _small_enough(case, bound, name, until)
    return replace(
        case,
        space=Space(kept),
        measure=partial(_measured, case.measure, bound, name, until),
        exact=ExactCheck(partial(_decided, case, bound, name), standalone=False),
        symmetries=(),
        differentiable=False,
    )


def _small_enough(case: Case, bound: Bound, name: str, until: float) -> None:
    """Raise `ValueError` where the search, which looks at 10⁻⁵ of `until`, sees other signs than small values have."""
    if case.cost > _CHEAP:
        return
    cubes = case.space.random(np.random.default_rng(0), _LOOKS)
    looked, turned, least = 0, 0, Fraction(until)
    for i in range(_LOOKS):
        instance = case.space.rationalise(take(case.space.decode(cubes), i), 100)
        try:
            with deciding() as reach:
                met, gap = _asked(case, bound, name, instance)
                seen = gap.at(Fraction(_STEPS[-1] * until))
                holds = all(bool(h) for h in met.values())
                sign = gap.sign
        except Exception:  # told where it is asked for a verdict
            continue
        looked += holds
        if holds and (seen > 0) - (seen < 0) != sign:
            turned, least = turned + 1, min(least, reach.until)
    if 2 * turned > looked:
        said = f"for_small({name!r}, until={until}): that is not small beside the constants of «{case.name}»"
        raise ValueError(
            f"{said}: at {turned} of {looked} draws the sign still changes below; try until={float(least):.0e}"
        )


def _measured(measure: Any, bound: Bound, name: str, until: float, drawn: Instance) -> dict[str, Any]:
    """The gap of both sides as a share of their size at the smaller value; draws whose signs differ do not count."""
    n = len(next(iter(drawn.values()))) if drawn else 1
    gaps, counts, said = [], np.ones(n, dtype=bool), []
    size: Any = 1.0
    for step in _STEPS:
        seen = measure({**drawn, name: np.full(n, step * until)})
        said.append(seen)
        left, right = np.asarray(seen["lhs"], dtype=float), bound.value(seen)
        with np.errstate(all="ignore"):
            whole = np.abs(left) + np.abs(right)
            gaps.append(np.where(whole > 0, (left - right) / whole, 0.0))
            size = np.where(whole > 0, 1 + np.asarray(seen.get("magnitude", 0.0)) / whole, 1.0)
        counts &= np.broadcast_to(np.asarray(seen.get("admissible", True), dtype=bool), counts.shape)
    counts &= np.sign(gaps[0]) == np.sign(gaps[1])
    letters = observed(bound.letters, said, [np.ones(n, dtype=bool)] * len(said))
    return {**letters, "lhs": gaps[-1], "admissible": counts, "magnitude": size}


def _decided(case: Case, bound: Bound, name: str, instance: Mapping[str, Any]) -> tuple[Mapping[str, bool], Any]:
    met, found, left, right = _found(case, bound, {**instance, name: EPSILON})
    letters = observed_exactly(bound.letters, [found])
    return {words: bool(holds) for words, holds in met.items()}, {**letters, "lhs": (left - right).leading[0]}


def _asked(case: Case, bound: Bound, name: str, instance: Mapping[str, Any]) -> tuple[Mapping[str, Any], Germ]:
    """The hypotheses, and left less right, with ε in place of one number."""
    met, left, right = sides_in_epsilon(case, bound, {**instance, name: EPSILON})
    return met, left - right


def sides_in_epsilon(case: Case, bound: Bound, instance: Mapping[str, Any]) -> tuple[Mapping[str, Any], Germ, Germ]:
    """The hypotheses and both sides at an instance some of whose numbers are germs.

    Raises `InexactError` where an exact side does more with them than arithmetic, comparisons, max, min and abs.
    """
    met, _, left, right = _found(case, bound, instance)
    return met, left, right


def _found(
    case: Case, bound: Bound, instance: Mapping[str, Any]
) -> tuple[Mapping[str, Any], Mapping[str, Any], Germ, Germ]:
    """The hypotheses, all that is observed, and both sides."""
    if case.exact is None:
        raise ValueError(f"the case «{case.name}» has no exact side")
    instance = {key: _as_fractions(value) for key, value in instance.items()}
    check: Callable[[Mapping[str, Any]], tuple[Mapping[str, Any], Mapping[str, Any]]] = case.exact.function
    try:
        met, found = check(instance)
        return met, found, Germ.of(found["lhs"]), Germ.of(in_germs(bound, found))
    except InexactError:
        raise
    except (TypeError, AttributeError) as error:  # of a function that asks a germ for more than it can do
        raise InexactError(
            f"an infinitesimal can be added, multiplied, divided and compared, no more: {error}{raising_line(error)}"
        ) from None


def in_germs(bound: Bound, found: Mapping[str, Any]) -> Any:
    """A bound at what an exact side observes, germs among it."""
    return _evaluated(bound.expression, found)


def _as_fractions(value: Any) -> Any:
    """Whole numbers as fractions, in lists as they are given: Python divides whole numbers as floats."""
    if isinstance(value, list | tuple):
        return [_as_fractions(one) for one in value]
    return Fraction(value) if isinstance(value, int) else value


def _evaluated(node: Any, values: Mapping[str, Any]) -> Any:
    """A formula at numbers of which some are germs: powers of whole exponent, sums, products, Max, Min, Abs."""
    node = sp.sympify(node)
    if node.is_Symbol:
        return values[node.name]
    if node.is_Rational:
        return Fraction(int(node.p), int(node.q))
    args = [_evaluated(arg, values) for arg in node.args]
    if node.is_Add:
        return sum(args[1:], args[0])
    if node.is_Mul:
        return prod(args[1:], start=args[0])
    if node.is_Pow and node.exp.is_Integer:
        return args[0] ** int(node.exp)
    if isinstance(node, sp.Max | sp.Min):
        return (max if isinstance(node, sp.Max) else min)(args)
    if isinstance(node, sp.Abs):
        return abs(args[0])
    raise InexactError(
        f"for_small: {node.func.__name__} of an infinitesimal; expected +, −, ·, /, powers, Max, Min, Abs"
    )
