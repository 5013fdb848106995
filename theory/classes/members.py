"""Members of classes that are no quadratics: piecewise quadratic functions, separable sums, operators as matrices.

They are exact on rationals (ints, Fractions) and fast on arrays, for a search or to show a counterexample; `violated`
says which of a class's inequalities points, gradients and values break, so that what draws members can be checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from theory.classes.families import Family, Sample
from theory.classes.vectors import Form, Vector

__all__ = ["MatrixOperator", "PiecewiseQuadratic", "Separable", "bent", "huber", "through", "violated"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class PiecewiseQuadratic:
    """f on the line: f″ = curvatures[i] between knots[i − 1] and knots[i], f′ continuous.

    `knots` increase; there is one curvature more than knots. f and f′ are `value` and `slope` at knots[0]. It is
    L-smooth and μ-strongly convex exactly where all curvatures lie in [μ, L].
    """

    knots: tuple[Any, ...]
    curvatures: tuple[Any, ...]
    value: Any = 0
    slope: Any = 0

    def __post_init__(self) -> None:
        increasing = all(a < b for a, b in pairwise(self.knots))
        if not self.knots or not increasing or len(self.curvatures) != len(self.knots) + 1:
            raise ValueError(
                f"PiecewiseQuadratic(knots={self.knots}, curvatures={self.curvatures}): expected increasing knots and"
                " one curvature more"
            )
        for name in ("knots", "curvatures"):
            object.__setattr__(self, name, tuple(_exact(x) for x in getattr(self, name)))
        for name in ("value", "slope"):
            object.__setattr__(self, name, _exact(getattr(self, name)))

    def gradient(self, x: Any) -> Any:
        """f′(x), exact on a rational, elementwise on an array."""
        return self._at(x)[1]

    def __call__(self, x: Any) -> Any:
        """f(x), exact on a rational, elementwise on an array."""
        return self._at(x)[0]

    def _at(self, x: Any) -> tuple[Any, Any]:
        """(f(x), f′(x)): both grow along each piece by as much of it as lies left of x."""
        as_x = float if isinstance(x, np.ndarray) else _exact
        x, knots = _exact(x), [as_x(k) for k in self.knots]
        first, slope, size = as_x(self.curvatures[0]), as_x(self.slope), as_x(self.value)
        past = _least(x - knots[0], 0 * knots[0])
        value, gradient = size + slope * past + first * past * past / 2, slope + first * past
        for i, knot in enumerate(knots):
            inside, c = -_least(knot - x, 0 * knot), as_x(self.curvatures[i + 1])
            if i + 1 < len(knots):
                inside = _least(inside, knots[i + 1] - knot)
            value, gradient = value + slope * inside + c * inside * inside / 2, gradient + c * inside
            if i + 1 < len(knots):
                slope = slope + c * (knots[i + 1] - knot)
        return value, gradient


def huber(L: Any, width: Any, at: Any = 0) -> PiecewiseQuadratic:
    """L(x − at)²/2 up to `width` from `at`, linear beyond: L-smooth and convex."""
    return PiecewiseQuadratic((at - width, at + width), (0, L, 0), L * _exact(width * width) / 2, -L * width)


def bent(left: Any, right: Any, at: Any = 0) -> PiecewiseQuadratic:
    """`left`·(x − at)²/2 on one side of its minimiser, `right`·(x − at)²/2 on the other."""
    return PiecewiseQuadratic((at,), (left, right))


def through(points: Sequence[tuple[Any, Any, Any]], L: Any, mu: Any = 0) -> PiecewiseQuadratic:
    """An L-smooth function, μ-strongly convex (μ = −L: any), with these (x, f′(x), f(x)); exact where they are.

    Between neighbours f″ is μ, then L, then μ: f′ then meets both ends, and where the part with L lies, f does. Source:
    A. Taylor, J. Hendrickx, F. Glineur, 2017, Theorem 4, in one dimension. Raises `ValueError` where none exists.
    """
    rows = sorted({tuple(_exact(v) for v in p) for p in points})
    L, mu = _exact(L), _exact(mu)
    knots, curvatures = [rows[0][0]], [mu]
    for (x, g, f), (y, h, e) in pairwise(rows):
        if x == y:
            raise ValueError(f"through: two gradients or values at {x}")
        length = (h - g - mu * (y - x)) / (L - mu)
        rest = e - f - g * (y - x) - mu * (y - x) ** 2 / 2
        # The part with L, from `start` on, adds (L − μ)·length·(what is left behind its middle) to the value.
        start = (y - x) - length / 2 - (rest / ((L - mu) * length) if length else 0)
        if length < 0 or (length == 0 and rest != 0) or (length > 0 and not 0 <= start <= y - x - length):
            raise ValueError(f"through: no function of the class (L = {L}, μ = {mu}) between {x} and {y}")
        for place, c in ((x + start, mu), (x + start + length, L), (y, mu)):
            if length and place > knots[-1]:
                knots.append(place)
                curvatures.append(c)
    return PiecewiseQuadratic(tuple(knots), (*curvatures, mu), rows[0][2], rows[0][1])


@dataclass(frozen=True)
class Separable:
    """f(x) = Σᵢ partsᵢ(xᵢ), coordinates on the last axis: no quadratic, and of the class that all parts are in."""

    parts: tuple[PiecewiseQuadratic, ...]

    def __call__(self, x: Any) -> Any:
        """f(x), shape (*batch,)."""
        return sum(part(x[..., i] if isinstance(x, np.ndarray) else x[i]) for i, part in enumerate(self.parts))

    def gradient(self, x: Any) -> Any:
        """∇f(x), shaped as x."""
        if isinstance(x, np.ndarray):
            return np.stack([part.gradient(x[..., i]) for i, part in enumerate(self.parts)], axis=-1)
        return [part.gradient(x[i]) for i, part in enumerate(self.parts)]


@dataclass(frozen=True)
class MatrixOperator:
    """x ↦ Ax with A = blocks [[a, −b], [b, a]], eigenvalues a ± bi: monotone where all a >= 0, no gradient where b ≠ 0.

    `pairs`: (a, b) of each block; a block with b = 0 counts twice. The dimension is twice their number.
    """

    pairs: tuple[tuple[Any, Any], ...]

    def __call__(self, x: Any) -> Any:
        """Ax, coordinates on the last axis."""
        at = (lambda i: x[..., i]) if isinstance(x, np.ndarray) else (lambda i: x[i])
        out = []
        for k, (a, b) in enumerate(self.pairs):
            u, v = at(2 * k), at(2 * k + 1)
            out += [a * u - b * v, b * u + a * v]
        return np.stack(out, axis=-1) if isinstance(x, np.ndarray) else out

    @property
    def strong_monotonicity(self) -> Any:
        """The largest μ with ⟨Ax − Ay, x − y⟩ >= μ‖x − y‖²."""
        return min(a for a, _ in self.pairs)

    @property
    def squared_lipschitz(self) -> Any:
        """The smallest L² with ‖Ax − Ay‖² <= L²‖x − y‖²."""
        return max(a * a + b * b for a, b in self.pairs)

    @property
    def cocoercivity(self) -> Any:
        """The largest β with ⟨Ax − Ay, x − y⟩ >= β‖Ax − Ay‖²; raises `ZeroDivisionError` for A = 0."""
        return min(_exact(a) / (a * a + b * b) for a, b in self.pairs)


def violated(
    family: Family,
    xs: Sequence[Sequence[Any]],
    gs: Sequence[Sequence[Any]],
    fs: Sequence[Any] | None = None,
    *,
    tolerance: float = 0.0,
    stationary: Sequence[int] = (),
) -> list[str]:
    """The class's inequalities that these points, gradients (or images) and values break, by more than `tolerance`.

    xs and gs hold coordinates, shape (n_points, d); fs values, none for operators. Rationals are compared exactly; with
    floats `tolerance` is relative to the size of each inequality's terms. `stationary`: places of minimisers.
    """
    n = len(xs)
    samples = [
        Sample(
            Vector({i: fmpq(1)}),
            Vector({n + i: fmpq(1)}),
            Form(values={i: fmpq(1)}) if fs is not None else Form(),
            str(i),
            i in stationary,
            i in stationary,
        )
        for i in range(n)
    ]
    vectors = [*xs, *gs]
    out = []
    for label, condition in family.rule(samples):
        terms = [_number(a) * _inner(vectors[i], vectors[j]) for (i, j), a in condition.form.quad.items()]
        terms += [_number(a) * _exact(fs[k]) for k, a in condition.form.values.items()] if fs is not None else []
        terms.append(_number(condition.form.constant))
        total = sum(terms)
        room = tolerance * float(sum(abs(t) for t in terms))
        if total > room or (condition.equality and total < -room):
            out.append(label)
    return out


def _inner(u: Sequence[Any], v: Sequence[Any]) -> Any:
    return sum((_exact(a) * _exact(b) for a, b in zip(u, v, strict=True)), Fraction(0))


def _number(a: Any) -> Any:
    return Fraction(int(a.p), int(a.q)) if isinstance(a, fmpq) else float(a)


def _exact(x: Any) -> Any:
    """A whole number as a Fraction, so that division stays exact; floats and arrays as they are."""
    return Fraction(x) if isinstance(x, int) and not isinstance(x, bool) else x


def _least(a: Any, b: Any) -> Any:
    return np.minimum(a, b) if isinstance(a, np.ndarray) else min(a, b)
