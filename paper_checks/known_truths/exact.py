"""Exact helpers of the known truths: rational orthogonal bases, functions of known L and μ, shortest points of hulls.

Plain functions over Fractions and lists. Scripts of counterexamples carry copies of them, so each one uses only
builtins, `Fraction` and its neighbours here and in `theory.exact`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theory.exact import dot, is_positive_semidefinite, matvec, quadratic_gradient, quadratic_loss
from theory.worlds.hull import FACES, faces, reflected, stationary_points, turned

__all__ = [
    "CURVED",
    "FACES",
    "TURNED",
    "faces",
    "is_simplex",
    "is_within",
    "reflected",
    "smooth_function",
    "stationary_points",
    "turned",
]

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]


def is_simplex(weights: Sequence[Number]) -> bool:
    """Non-negative, and sum exactly 1."""
    return sum(weights) == 1 and min(weights) >= 0


def is_within(matrix: Matrix, low: Number, high: Number) -> bool:
    """Every eigenvalue of a symmetric matrix in [low, high], by two exact LDL^T."""
    n = range(len(matrix))
    above = [[matrix[i][j] - (low if i == j else 0) for j in n] for i in n]
    below = [[(high if i == j else 0) - matrix[i][j] for j in n] for i in n]
    return is_positive_semidefinite(above) and is_positive_semidefinite(below)


def smooth_function(
    x: Mapping[str, Any],
) -> tuple[Mapping[str, bool], Number, Number, Callable[[Vector], Number], Callable[[Vector], Vector]]:
    """(hypotheses, L, mu, F, gradient of F); F has its minimum 0 at the origin.

    F(w) = w^T A w/2 for `spectrum` and `reflectors`; with `kink`, instead a sum over the turned axes z of functions of
    curvature flat + extra for |z| < kink and flat beyond. `nonconvex` drops the hypothesis of strong convexity.
    """
    reflectors = x.get("reflectors", [])
    if "kink" in x:
        shape = list(zip(x["flat"], x["extra"], x["kink"], strict=True))
        L, mu = max(a + b for a, b, _ in shape), min(x["flat"])
        bent = {"mu > 0, and every curvature in [mu, L]": mu > 0 and min(min(b, k) for _, b, k in shape) >= 0}

        def value(w: Vector) -> Number:
            total = Fraction(0)
            for z, (a, b, k) in zip(reflected(reflectors[::-1], w), shape, strict=True):
                total += a * z * z / 2 + b * (z * z / 2 if abs(z) <= k else k * abs(z) - k * k / 2)
            return total

        def slope(w: Vector) -> Vector:
            inside = zip(reflected(reflectors[::-1], w), shape, strict=True)
            return reflected(reflectors, [a * z + b * max(-k, min(k, z)) for z, (a, b, k) in inside])

        return bent, L, mu, value, slope
    A, origin = turned(x["spectrum"], reflectors), [Fraction(0)] * len(x["spectrum"])
    L, mu = max(abs(s) for s in x["spectrum"]), min(x["spectrum"])
    hypotheses = {"L-smoothness, by exact LDL^T": is_within(A, -L, L)}
    if "nonconvex" not in x:
        hypotheses["mu-strong convexity, by exact LDL^T"] = mu > 0 and is_within(A, mu, L)
    return (
        hypotheses,
        L,
        mu,
        lambda w: quadratic_loss(A, origin, Fraction(0), w),
        lambda w: quadratic_gradient(A, origin, w),
    )


TURNED = (dot, matvec, is_positive_semidefinite, reflected, turned, is_within)  # a quadratic in any rational basis
CURVED = (*TURNED, quadratic_loss, quadratic_gradient, smooth_function)  # `smooth_function` and all it calls
