"""«For every law of the noise with these moments»: a drawn number becomes random, with few atoms, by exact weights.

Laws with k given moments reach the extremes of an expectation with at most k + 1 atoms. So the number's coordinate is
replaced by those of such a law: its mean and variance, and more moments where they are given, are met exactly. A side
that is a polynomial of degree k in the number has the same expectation under all of them, and is exact. Any other is
attacked: a law that violates it refutes, and `holds` says what it says of other letters that are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np

from theory.exact.errors import InexactError
from validation.statement.bound import Bound, symbols
from validation.statement.forms.for_small import refuse_small
from validation.statement.forms.inner_letters import observed, observed_exactly
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality
from validation.statement.instances.draw import Instance, LogScale, Signed, Space, Uniform

__all__ = ["any_law"]

Moments: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Any]]

_RIGHT = symbols("mean_of_right")
_INSIDE = "atoms are numbers that the coordinate may be"


def any_law(test: Inequality, name: str, moments: Moments) -> Inequality:
    """E[left] <= E[bound] for every law of a drawn number that has the given moments.

    `name`: of a coordinate of one number that every case draws: atoms of a `LogScale` are above 0, those of a `Uniform`
    in its range, those of a `Signed` anywhere about it. `moments(x)`: E n,
    E n², … at the other numbers of a draw, arrays or exact ones: the mean alone, mean and square, or more. Independent
    numbers are taken one after the other, each with laws of its own: `any_law(any_law(test, "n1", …), "n2", …)`.
    Raises `ValueError` for a case without that coordinate or without an exact side.

    >>> import fedverdict as fv
    >>> sigma2 = fv.symbols("sigma2", positive=True)
    >>> def fourth(x):
    ...     return {"lhs": x["n"] ** 4, "sigma2": x["s"]}
    >>> drawn = fv.Space((fv.LogScale("s", 0.1, 10), fv.Signed("n", 0.1, 10)))
    >>> gaussian = fv.Inequality(fv.Bound(3 * sigma2**2), (fv.Case("n", drawn, fourth, fv.recomputed(fourth)),))
    >>> false = any_law(gaussian, "n", lambda x: (0, x["s"]))
    >>> fv.find_counterexample(false, budget=500) is not None
    True
    """
    refuse_small("any_law", test)
    cases = tuple(
        replace(item, at=partial(_of_family, item.at, test.bound, name, moments))
        if isinstance(item, Family)
        else _random(item, test.bound, name, moments)
        for item in test.cases
    )
    bound = Bound(1 * _RIGHT, beside=test.bound.letters)
    return replace(test, bound=bound, cases=cases, switches=(), degrees=None, trivial=None, grid=None)


def _of_family(at: Any, bound: Bound, name: str, moments: Moments, **sizes: Any) -> Case:
    return _random(at(**sizes), bound, name, moments)


def _random(case: Case, bound: Bound, name: str, moments: Moments) -> Case:
    mine = next((c for c in case.space.coordinates if c.name == name), None)
    if mine is None or prod(getattr(mine, "shape", ())) != 1:
        drawn = ", ".join(c.name for c in case.space.coordinates)
        raise ValueError(
            f"any_law({name!r}): no coordinate of one number in the case «{case.name}»; expected one of {drawn}"
        )
    if case.exact is None:
        raise ValueError(f"any_law({name!r}): the case «{case.name}» has no exact side, which decides")
    others = tuple(c for c in case.space.coordinates if c.name != name)
    low, high = (getattr(mine, end, None) for end in ("low", "high"))
    if low is None or high is None or not high > 0:
        raise ValueError(f"any_law({name!r}): drawn by {mine!r}; expected a range with an end above 0, such as Signed")
    far = max(abs(float(low)), abs(float(high)))
    least = most = None
    if isinstance(mine, LogScale):
        least = Fraction(0)
    elif isinstance(mine, Uniform):
        least, most = Fraction(mine.low), Fraction(mine.high)
    law = _Law(name, moments, _count(others, moments), 1e-6 * far, 2 * far, least, most)
    return replace(
        case,
        space=Space((*others, *law.coordinates)),
        measure=partial(_measured, case.measure, bound, law),
        exact=ExactCheck(partial(_decided, case.exact.function, bound, law), standalone=False),
        symmetries=(),
        differentiable=False,
    )


def _count(others: Sequence[Any], moments: Moments) -> int:
    """How many moments are given."""
    drawn = Space(tuple(others)).decode(np.full((1, Space(tuple(others)).n_cube), 0.5)) if others else {}
    found = len(moments(drawn))
    if found < 1:
        raise ValueError("any_law: no moments are given; expected the mean at least")
    return found


@dataclass(frozen=True)
class _Law:
    """Laws of at most k + 1 atoms with k given moments: how they are drawn, and their atoms and weights."""

    name: str
    moments: Moments
    k: int
    low: float
    high: float
    least: Fraction | None = None
    most: Fraction | None = None

    def inside(self, place: Any) -> Any:
        """Whether an atom is a number that the coordinate may be: above 0 of a scale, between the ends of a range."""
        above = True if self.least is None else place > self.least if self.most is None else place >= self.least
        return above if self.most is None else above & (place <= self.most)

    @property
    def coordinates(self) -> tuple[Any, ...]:
        low, high = self.low, self.high
        if self.k == 1:
            return LogScale(f"{self.name} above", low, high), LogScale(f"{self.name} below", low, high)
        if self.k == 2:
            return (
                LogScale(f"{self.name} above", low, high),
                LogScale(f"{self.name} apart", 1e-3, 1e3, at=(1.0,)),
                Uniform(f"{self.name} between", 0, 1),
            )
        return (Signed(f"{self.name} atoms", low, high, (self.k + 1,)),)

    def atoms(self, x: Mapping[str, Any]) -> tuple[list[Any], list[Any], Any]:
        """(atoms, weights, whether they are a law) of a draw, in floats or exact numbers.

        With a mean m: m + u and m − v. With a variance s, too: m + u, m − v, m + z with uv = s(1 + e) and z between
        −s/u and s/v, where all three weights are >= 0. Else weights that meet the moments, if they are >= 0.
        """
        given = list(self.moments(x))
        if self.k == 1:
            u, v = x[f"{self.name} above"], x[f"{self.name} below"]
            return [given[0] + u, given[0] - v], [v / (u + v), u / (u + v)], u > 0
        if self.k == 2:
            mean, s = given[0], given[1] - given[0] * given[0]
            u, t = x[f"{self.name} above"], x[f"{self.name} between"]
            v = s * (1 + x[f"{self.name} apart"]) / u
            z = t * (s / v) - (1 - t) * (s / u)
            over, under = (s - z * v) / ((u - z) * (u + v)), (s + z * u) / ((v + z) * (u + v))
            return [mean + u, mean - v, mean + z], [over, under, 1 - over - under], s > 0
        return self._solved(x, given)

    def _solved(self, x: Mapping[str, Any], given: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        places = x[f"{self.name} atoms"]
        if not isinstance(places, np.ndarray):
            found = _weights_exact(list(places), [Fraction(1), *given])
            return list(places), found, bool(found) and min(found) >= 0
        powers = places[:, None, :] ** np.arange(self.k + 1)[None, :, None]
        right = np.stack([np.broadcast_to(np.asarray(m, dtype=float), len(places)) for m in (1.0, *given)], axis=1)
        with np.errstate(all="ignore"):
            regular = np.abs(np.linalg.det(powers)) > 1e-12 * np.abs(powers).max(axis=(1, 2))
            powers[~regular] = np.eye(self.k + 1)
            weights = np.linalg.solve(powers, right[:, :, None])[:, :, 0]
        columns = range(self.k + 1)
        law = regular & (weights >= 0).all(axis=1)
        return [places[:, i] for i in columns], [weights[:, i] for i in columns], law


def _weights_exact(places: Sequence[Fraction], given: Sequence[Fraction]) -> list[Fraction]:
    """Weights w with Σ wᵢ placesᵢʲ = givenⱼ for every j, by Lagrange's polynomials; none where two places are equal."""
    if len(set(places)) < len(places):
        return []
    weights = []
    for i, a in enumerate(places):
        polynomial = [Fraction(1)]  # Π (x − b)/(a − b), lowest power first
        for j, b in enumerate(places):
            if j != i:
                shifted = [Fraction(0), *polynomial]
                lower = [*(b * c for c in polynomial), Fraction(0)]
                polynomial = [(p - q) / (a - b) for p, q in zip(shifted, lower, strict=True)]
        weights.append(sum((c * m for c, m in zip(polynomial, given, strict=True)), Fraction(0)))
    return weights


def _measured(measure: Any, bound: Bound, law: _Law, drawn: Instance) -> dict[str, Any]:
    """Both sides in the mean; a law that is none, and a hypothesis that fails at an atom, do not count."""
    n = len(next(iter(drawn.values())))
    places, weights, counts = law.atoms(drawn)
    counts = np.broadcast_to(np.asarray(counts, dtype=bool), (n,)).copy()
    left, right, size = np.zeros(n), np.zeros(n), np.zeros(n)
    said, had = [], []
    for place, weight in zip(places, weights, strict=True):
        seen = measure({**drawn, law.name: np.broadcast_to(np.asarray(place, dtype=float), (n,))})
        used = np.asarray(weight) > 0
        said.append(seen)
        had.append(np.broadcast_to(used, (n,)) & counts)
        here, there = np.asarray(seen["lhs"], dtype=float), bound.value(seen)
        with np.errstate(all="ignore"):
            left = left + np.where(used, weight * here, 0.0)
            right = right + np.where(used, weight * there, 0.0)
            size = size + np.where(used, weight * (np.abs(here) + np.abs(there) + seen.get("magnitude", 0.0)), 0.0)
        counts &= ~used | np.broadcast_to(np.asarray(seen.get("admissible", True), dtype=bool), (n,))
        counts &= ~used | np.broadcast_to(np.asarray(law.inside(place), dtype=bool), (n,))
    letters = observed(bound.letters, said, had)
    return {**letters, "lhs": left, _RIGHT.name: right, "admissible": counts, "magnitude": size}


def _decided(function: Any, bound: Bound, law: _Law, instance: Mapping[str, Any]) -> tuple[Any, Any]:
    """The hypotheses at every atom, and both sides in the mean, in exact numbers."""
    x = {key: _as_fractions(value) for key, value in instance.items()}
    places, weights, counts = law.atoms(x)
    met: dict[str, bool] = {f"a law of {law.name} with these moments": bool(counts) and min(weights) >= 0}
    left, right, said = Fraction(0), Fraction(0), []
    for place, weight in zip(places, weights, strict=True) if all(met.values()) else ():
        if weight == 0:
            continue
        if isinstance(place, float) or isinstance(weight, float):
            raise InexactError("any_law: the moments are floats; expected whole numbers, fractions and what is drawn")
        met[_INSIDE] = met.get(_INSIDE, True) and bool(law.inside(place))
        hypotheses, found = function({**x, law.name: place})
        said.append(found)
        for words, holds in hypotheses.items():
            met[words] = met.get(words, True) and bool(holds)
        left, right = left + weight * found["lhs"], right + weight * bound.exact(found)
    return met, {**observed_exactly(bound.letters, said), "lhs": left, _RIGHT.name: right}


def _as_fractions(value: Any) -> Any:
    """Whole numbers as fractions: Python divides whole numbers as floats."""
    if isinstance(value, list | tuple):
        return [_as_fractions(one) for one in value]
    return Fraction(value) if isinstance(value, int) else value
