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
from typing import Any, TypeAlias

import numpy as np

from theory.exact.copied import exact_copy
from theory.exact.errors import InexactError, raising_line
from theory.exact.germ import Germ
from theory.exact.number import Exact, exact
from validation.statement.bound import Bound, symbols
from validation.statement.forms.for_small import in_germs, refuse_signs, refuse_small
from validation.statement.forms.inner_letters import observed, observed_exactly
from validation.statement.forms.kinds import Case, ExactCheck, Family, Inequality
from validation.statement.forms.laws import no_law
from validation.statement.instances.draw import Instance, LogScale, Signed, Space, Uniform, _as_written

__all__ = ["any_law"]

Moments: TypeAlias = Callable[[Mapping[str, Any]], Sequence[Any]]

_RIGHT = symbols("mean_of_right")
_INSIDE = "atoms are numbers that the coordinate may be"
_FAR = 1000  # times the largest number drawn: where a rare atom of a law without an end may lie
_NEAR = 1e-6  # of the way to an end of the range: the nearest atom
_ROUNDING = 1e-12


def any_law(test: Inequality, name: str, moments: Moments) -> Inequality:
    """E[left] <= E[bound] for every law of a drawn number that has the given moments.

    `name`: of a coordinate of one number that every case draws: atoms of a `LogScale` are above 0, those of a `Uniform`
    in its range, ends included, those of a `Signed` anywhere: rare ones up to 1000 times as far as it is drawn. An
    `Integer` and a `Choice` have no such laws. `moments(x)`: E n, E n², … at the other numbers of a draw, arrays or
    exact ones: the mean alone, mean and square, or more. Independent
    numbers are taken one after the other, each with laws of its own: `any_law(any_law(test, "n1", …), "n2", …)`.
    Raises `ValueError` for a case without that coordinate or without an exact side, for a statement whose exact side
    is a sign, such as one of eigenvalues, and for moments of no law, or of one law alone that two moments do not say.

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
    refuse_signs("any_law", test, "whose mean over a law says nothing")
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
    shape = getattr(mine, "shape", ())
    if mine is None or shape:
        drawn = ", ".join(c.name for c in case.space.coordinates)
        raise ValueError(
            f"any_law({name!r}): no coordinate of one number{f', but of shape {shape}' if shape else ''} in the case"
            f" «{case.name}»; expected one of {drawn}, of one number, drawn without a shape"
        )
    if case.exact is None:
        raise ValueError(f"any_law({name!r}): the case «{case.name}» has no exact side, which decides")
    others = tuple(c for c in case.space.coordinates if c.name != name)
    if not isinstance(mine, Signed | Uniform) or not mine.high > 0:
        raise ValueError(
            f"any_law({name!r}): drawn by {mine!r}; expected a range with an end above 0, whose numbers all count: a"
            " Signed, LogScale or Uniform"
        )
    far = max(abs(float(mine.low)), abs(float(mine.high)))
    least = most = None
    if isinstance(mine, LogScale):
        least = Fraction(0)
    elif isinstance(mine, Uniform):
        least, most = _as_written(mine.low), _as_written(mine.high)
    law = _Law(name, moments, _count(name, others, moments), 1e-6 * far, 2 * far, least, most)
    missing = no_law(_seen(others, law), law.k, least, most)
    if missing:
        raise ValueError(f"any_law({name!r}): {missing}, at every draw of «{case.name}» that was tried")
    return replace(
        case,
        space=Space((*others, *law.coordinates)),
        measure=partial(_measured, case.measure, bound, law),
        exact=ExactCheck(partial(_decided, case.exact.function, bound, law), standalone=False),
        symmetries=(),
        differentiable=False,
    )


def _drawn(others: Sequence[Any], n: int) -> dict[str, Any]:
    """Some draws of the other numbers: the middle, corners, and random ones."""
    if not others:
        return {}
    space, rng = Space(tuple(others)), np.random.default_rng(0)
    middle = np.full((1, space.n_cube), 0.5)
    return space.decode(np.concatenate([middle, space.corners(rng, n), space.random(rng, n)]) if n else middle)


def _count(name: str, others: Sequence[Any], moments: Moments) -> int:
    """How many moments are given."""
    drawn = _drawn(others, 0)
    try:
        found: Any = moments(drawn)
    except KeyError as error:
        known = ", ".join(drawn) or "nothing"
        why = "the noise itself" if error.args == (name,) else "not drawn"
        raise ValueError(f"any_law({name!r}): the moments read {error}, {why}; they may read {known}") from None
    if not isinstance(found, tuple | list):
        raise ValueError(f"any_law({name!r}): the moments are {found!r}; expected a tuple such as (mean, square)")
    if len(found) < 1:
        raise ValueError("any_law: no moments are given; expected the mean at least")
    return len(found)


def _seen(others: Sequence[Any], law: _Law) -> list[Any]:
    """The moments at some draws, each (n,) in floats."""
    drawn = _drawn(others, 32)
    n = len(next(iter(drawn.values()))) if drawn else 1
    with np.errstate(all="ignore"):
        return [np.broadcast_to(np.asarray(m, dtype=float), (n,)) for m in law.moments(drawn)]


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
        """Whether an atom is a number that the coordinate may be: above 0 of a scale, between the ends of a range.

        In floats an atom at an end may be beyond it by rounding.
        """
        slack: Any = _ROUNDING * self.high if isinstance(place, np.ndarray) else 0
        if self.least is None:
            return True
        if self.most is None:
            return place > self.least
        return (place >= self.least - slack) & (place <= self.most + slack)

    @property
    def coordinates(self) -> tuple[Any, ...]:
        """How far the atoms are from the mean: in units, or as shares of the way to an end that the number has."""
        low, high, name = self.low, self.high, self.name
        short = 1.0 if self.most is not None else 1 - _NEAR  # the low end of a scale, 0, is none of its numbers
        most = min(_FAR * high, float(np.finfo(np.float64).max))
        free = LogScale(f"{name} above", low, most, at=(low, high, most))
        above = free if self.most is None else LogScale(f"{name} above", _NEAR, 1.0)
        if self.k == 1:
            bounded = LogScale(f"{name} below", _NEAR, short)
            return above, replace(free, name=f"{name} below") if self.least is None else bounded
        if self.k == 2:
            bounded = LogScale(f"{name} apart", _NEAR, short)
            apart = LogScale(f"{name} apart", 1e-3, 1e3, at=(1.0,)) if self.least is None else bounded
            return above, apart, Uniform(f"{name} between", 0, 1)
        places, shape = f"{name} atoms", (self.k + 1,)
        if self.least is None:
            return (Signed(places, low, high, shape),)
        if self.most is None:
            return (LogScale(places, low, high, shape),)
        return (Uniform(places, float(self.least), float(self.most), shape),)

    def given(self, x: Mapping[str, Any]) -> list[Any]:
        """The moments at a draw: arrays in floats, else numbers that never round, the function's own floats apart."""
        if any(isinstance(value, np.ndarray) for value in x.values()):
            return [np.asarray(m, dtype=float) for m in self.moments(x)]
        try:
            found = exact_copy(self.moments)({key: _as_exact(value) for key, value in x.items()})
        except InexactError:
            raise
        except (TypeError, AttributeError, IndexError) as error:
            raise InexactError(f"any_law: the moments of {self.name}: {error}{raising_line(error)}") from None
        return [_as_fractions(_plain(exact(m) if isinstance(m, float) else m)) for m in found]

    def atoms(self, x: Mapping[str, Any]) -> tuple[list[Any], list[Any], Any]:
        """(atoms, weights, whether they are a law) of a draw, in floats or exact numbers.

        With a mean m: m + u and m − v. With a variance s, too: m + u, m − v, m + z with uv = s(1 + e) and z between
        −s/u and s/v, where all three weights are >= 0; without variance m alone. Else weights that meet the moments, if
        they are >= 0. The sums of the weights have no differences, which would round.
        """
        given = self.given(x)
        if self.k > 2:
            return self._solved(x, given)
        mean = given[0]
        u = x[f"{self.name} above"] * (1 if self.most is None else self.end(mean, self.most) - mean)
        if self.k == 1:
            v = x[f"{self.name} below"] * (1 if self.least is None else mean - self.end(mean, self.least))
            with np.errstate(all="ignore"):
                weights = [v / (u + v), u / (u + v)]
            return [mean + u, mean - v], weights, (u >= 0) & (v >= 0) & (u + v > 0)
        s = given[1] - mean * mean
        if not isinstance(s, np.ndarray | float):  # exact
            return self._of_two(x, mean, s, u) if s != 0 else ([mean], [Fraction(1)], True)
        alone = np.abs(s) <= _ROUNDING * (np.abs(given[1]) + mean * mean)
        with np.errstate(all="ignore"):
            places, weights, counts = self._of_two(x, mean, np.where(alone, 1.0, s), u)
        places = [np.where(alone, mean, place) for place in places]
        return (
            places,
            [np.where(alone, w, one) for w, one in zip((0.0, 0.0, 1.0), weights, strict=True)],
            alone | counts,
        )

    @staticmethod
    def end(mean: Any, end: Fraction) -> Any:
        """An end of the range in the numbers of a mean."""
        return float(end) if isinstance(mean, float | np.ndarray) else end

    def _of_two(self, x: Mapping[str, Any], mean: Any, s: Any, u: Any) -> tuple[list[Any], list[Any], Any]:
        e, t = x[f"{self.name} apart"], x[f"{self.name} between"]
        if self.least is not None:  # a share of the way to the e with which m − v is the end
            e = e * (u * (mean - self.end(mean, self.least)) / s - 1)
            e = np.where(np.abs(e) < _ROUNDING, 0.0, e) if isinstance(e, np.ndarray) else e
        v = s * (1 + e) / u
        z = t * u / (1 + e) - (1 - t) * s / u
        over = (1 - t) * s / (u * (u * (e + (1 - t)) / (1 + e) + (1 - t) * s / u))
        under = t * s / (v * (s * (e + t) / u + t * u / (1 + e)))
        return (
            [mean + u, mean - v, mean + z],
            [over, under, 1 - over - under],
            (s > 0) & (u > 0) & (e >= 0) & ((e > 0) | ((t > 0) & (t < 1))),
        )

    def _solved(self, x: Mapping[str, Any], given: Sequence[Any]) -> tuple[list[Any], list[Any], Any]:
        places = x[f"{self.name} atoms"]
        if not isinstance(places, np.ndarray):
            places = [place if isinstance(place, Germ) else Fraction(place) for place in places]
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
    a_law = f"a law of {law.name} with these moments"
    try:
        places, weights, counts = law.atoms(x)
    except ZeroDivisionError:  # two atoms in one place
        places, weights, counts = [], [], False
    met: dict[str, bool] = {a_law: bool(counts) and min(weights) >= 0}
    left, right, said = Fraction(0), Fraction(0), []
    for place, weight in zip(places, weights, strict=True) if all(met.values()) else ():
        if weight == 0:
            continue
        met[_INSIDE] = met.get(_INSIDE, True) and bool(law.inside(place))
        hypotheses, found = function({**x, law.name: place})
        said.append(found)
        for words, holds in hypotheses.items():
            met[words] = met.get(words, True) and bool(holds)
        there = in_germs(bound, found) if any(isinstance(v, Germ) for v in found.values()) else bound.exact(found)
        left, right = left + weight * found["lhs"], right + weight * there
    return met, {**observed_exactly(bound.letters, said), "lhs": left, _RIGHT.name: right}


def _as_fractions(value: Any) -> Any:
    """Whole numbers as fractions: Python divides whole numbers as floats."""
    if isinstance(value, list | tuple):
        return [_as_fractions(one) for one in value]
    return Fraction(value) if isinstance(value, int) else value


def _as_exact(value: Any) -> Any:
    """Numbers that never round, in lists as they are given; an infinitesimal stays what it is."""
    if isinstance(value, list | tuple):
        return [_as_exact(one) for one in value]
    return value if isinstance(value, Germ) else exact(value)


def _plain(value: Any) -> Any:
    """An exact number as a fraction where it is one, also in an array of one."""
    if isinstance(value, np.ndarray):
        return _plain(value.item())
    return value.fraction() if isinstance(value, Exact) and value.is_rational else value
