"""Where parameters live: intervals, simplices and further conditions, with rational points and corners to try."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import Any, TypeAlias

import numpy as np
import sympy as sp

from validation.statement.bound import exact_value
from validation.statement.instances.rounded import nearest_fraction

__all__ = ["Domain", "Parameter", "Point", "domain_points"]

Point: TypeAlias = dict[str, Fraction]

_CORNERS = (Fraction(1), Fraction(1, 1000), Fraction(1000), Fraction(1, 4))  # offsets above the low end
_MOST_CORNERS = 600


@dataclass(frozen=True)
class Parameter:
    """A real parameter in [low, high]; `high` None for no upper end."""

    name: str
    low: Fraction | int = 0
    high: Fraction | int | None = None

    def __post_init__(self) -> None:
        if self.high is not None and not self.low < self.high:
            raise ValueError(f"Parameter({self.name!r}): low={self.low} must be below high={self.high}")


@dataclass(frozen=True)
class Domain:
    """Parameters in intervals, groups of names on the simplex, and expressions `where` that have to be >= 0."""

    parameters: tuple[Parameter, ...] = ()
    simplices: tuple[tuple[str, ...], ...] = ()
    where: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (*(p.name for p in self.parameters), *(name for group in self.simplices for name in group))

    def plain(self, expression: Any) -> Any:
        """The expression over symbols without assumptions; raises `ValueError` for names outside the domain."""
        expression = sp.sympify(expression)
        unknown = {s.name for s in expression.free_symbols} - set(self.names)
        if unknown:
            raise ValueError(f"Domain: no parameter named {sorted(unknown)}; known: {list(self.names)}")
        return expression.subs({s: sp.Symbol(s.name) for s in expression.free_symbols})

    def holds_at(self, point: Point) -> bool:
        """Whether a point meets every further condition, exactly; not where one of them divides by zero."""
        try:
            return all(exact_value(self.plain(w), point) >= 0 for w in self.where)
        except ZeroDivisionError:
            return False

    def over_orthant(self, expression: Any) -> Any:
        """The expression in t >= 0, one t for each parameter; it covers the domain up to limits, `where` apart."""
        new: dict[Any, Any] = {}
        for p in self.parameters:
            t, low = sp.Symbol(f"t_{p.name}"), sp.Rational(p.low)
            new[sp.Symbol(p.name)] = low + t if p.high is None else (low + sp.Rational(p.high) * t) / (1 + t)
        for group in self.simplices:
            ts = [sp.Symbol(f"t_{name}") for name in group]
            new |= {sp.Symbol(name): t / sum(ts) for name, t in zip(group, ts, strict=True)}
        return self.plain(expression).subs(new, simultaneous=True)

    def constraints(self) -> list[Any]:
        """Polynomials >= 0 on the domain, simplices without their last entry; a rational `where` is left out."""
        out = []
        for p in self.parameters:
            x = sp.Symbol(p.name)
            out += (
                [x - sp.Rational(p.low)] if p.high is None else [(x - sp.Rational(p.low)) * (sp.Rational(p.high) - x)]
            )
        for group in self.simplices:
            rest = [sp.Symbol(name) for name in group[:-1]]
            out += [*rest, 1 - sum(rest)]
        return out + [w for w in map(self.eliminated, self.where) if w.is_polynomial()]

    def eliminated(self, expression: Any) -> Any:
        """The expression with the last entry of every simplex written as 1 minus the others."""
        last = {sp.Symbol(g[-1]): 1 - sum(sp.Symbol(name) for name in g[:-1]) for g in self.simplices}
        return sp.expand(self.plain(expression).subs(last))


def _values(low: Any, high: Any, rng: np.random.Generator) -> Fraction:
    """A random parameter with few digits: log-uniform above `low`, or on a coarse grid of [low, high]."""
    if high is not None:
        q = int(rng.integers(1, 33))
        return Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(int(rng.integers(0, q + 1)), q)
    return Fraction(low) + nearest_fraction(2.0 ** rng.uniform(-10, 10), 64)


def domain_points(domain: Domain, rng: np.random.Generator, wanted: int) -> list[dict[str, Fraction]]:
    """Corners of the domain first, then random points; all rational, all inside."""
    ends = []
    for p in domain.parameters:
        low = Fraction(p.low)
        offsets = [low, *(low + c for c in _CORNERS)]
        ends.append([{p.name: v} for v in (offsets if p.high is None else (low, Fraction(p.high), (low + p.high) / 2))])
    for group in domain.simplices:
        m = len(group)
        rows = [[Fraction(int(i == j)) for j in range(m)] for i in range(m)]
        rows += [[Fraction(1, m)] * m, [Fraction(1 + (m - 1) * (j == 0), 2 * m - 1) for j in range(m)]]
        ends.append([dict(zip(group, row, strict=True)) for row in rows])
    corners = islice(product(*ends), _MOST_CORNERS)
    out: list[dict[str, Fraction]] = [{k: v for part in chosen for k, v in part.items()} for chosen in corners]
    while len(out) < wanted and domain.names:
        point = {p.name: _values(p.low, p.high, rng) for p in domain.parameters}
        for group in domain.simplices:
            counts = rng.integers(0, 1 + int(2.0 ** rng.uniform(1, 9)), size=len(group))
            counts[int(rng.integers(len(group)))] += 1
            point |= {k: Fraction(int(c), int(counts.sum())) for k, c in zip(group, counts, strict=True)}
        out.append(point)
    return [point for point in out if domain.holds_at(point)]
