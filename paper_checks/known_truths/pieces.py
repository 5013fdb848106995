"""One-dimensional functions whose gradient is piecewise linear: exactly for one point, and fast for many.

Slopes are (left outer, left inner, right inner, right outer), knots (left, right) > 0 the distances at which the inner
slope gives way to the outer; the gradient at 0 is `pull`. A function is L-smooth and μ-strongly convex when every slope
lies between μ and L.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["gradients", "slope_at", "value_at", "values"]

Float = NDArray[np.float64]


def slope_at(slopes: Sequence[Any], knots: Sequence[Any], pull: Any, x: Any) -> Any:
    """The gradient at x."""
    inner, outer, knot = (slopes[1], slopes[0], knots[0]) if x < 0 else (slopes[2], slopes[3], knots[1])
    near = min(abs(x), knot)
    size = inner * near + outer * (abs(x) - near)
    return pull + (-size if x < 0 else size)


def value_at(slopes: Sequence[Any], knots: Sequence[Any], pull: Any, x: Any) -> Any:
    """The value at x, 0 at 0: the integral of the gradient."""
    inner, outer, knot = (slopes[1], slopes[0], knots[0]) if x < 0 else (slopes[2], slopes[3], knots[1])
    near = min(abs(x), knot)
    far = abs(x) - near
    return pull * x + inner * near**2 / 2 + inner * near * far + outer * far**2 / 2


def gradients(slopes: Float, knots: Float, pull: Float, x: Float) -> Float:
    """The gradients at x (*batch); slopes (*batch, 4), knots (*batch, 2)."""
    right, left = np.maximum(x, 0.0), np.maximum(-x, 0.0)
    bent_right = slopes[..., 2] * right + (slopes[..., 3] - slopes[..., 2]) * np.maximum(right - knots[..., 1], 0.0)
    bent_left = slopes[..., 1] * left + (slopes[..., 0] - slopes[..., 1]) * np.maximum(left - knots[..., 0], 0.0)
    return np.asarray(pull + bent_right - bent_left)


def values(slopes: Float, knots: Float, pull: Float, x: Float) -> Float:
    """The values at x (*batch), 0 at 0."""
    right, left = np.maximum(x, 0.0), np.maximum(-x, 0.0)
    over_right, over_left = np.maximum(right - knots[..., 1], 0.0), np.maximum(left - knots[..., 0], 0.0)
    twice = slopes[..., 2] * right**2 + (slopes[..., 3] - slopes[..., 2]) * over_right**2
    twice = twice + slopes[..., 1] * left**2 + (slopes[..., 0] - slopes[..., 1]) * over_left**2
    return np.asarray(pull * x + 0.5 * twice)
