"""Quotients that should stay bounded or vanish, closed forms of them in one growing variable n, and slopes to draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import sympy as sp

__all__ = ["SAYS", "SOURCES", "SYMBOL", "Kind", "Slope", "fitted_slope", "in_n", "n", "quotient", "rational_form"]

SYMBOL = "n"
n = sp.Symbol(SYMBOL, positive=True)
Kind = Literal["upper", "lower", "limit", "faster"]
SAYS = {"upper": "lhs/claimed", "lower": "claimed/lhs", "limit": "|lhs − limit|", "faster": "lhs/claimed"}
SOURCES = {
    "upper": "low / claimed",
    "faster": "low / claimed",
    "lower": 'claimed / high if high > 0 else float("inf")',
    "limit": "max(Fraction(0), low - claimed, claimed - high)",
}
_SPARE = 2  # points beyond those that determine a rational form, which check the degree it was declared with


def in_n(expression: Any) -> Any:
    """The expression with its symbol `n`, of whatever assumptions, replaced by ours."""
    expression = sp.sympify(expression)
    return expression.subs({s: n for s in expression.free_symbols if s.name == SYMBOL})


def rational_form(grid: Sequence[int], values: Sequence[Fraction], degree: int) -> Any:
    """The rational function of n of at most this degree through all points, or None.

    Two such functions that agree at 2·degree + 1 points are the same; two points more check the degree itself.
    """
    if len(grid) < 2 * degree + 1 + _SPARE or any(v == math.inf for v in values):
        return None
    for d in range(degree + 1):
        powers = [[sp.Integer(x) ** j for j in range(d + 1)] for x in grid]
        exact = [sp.Rational(v) for v in values]
        rows = [[*row, *(-v * p for p in row)] for row, v in zip(powers, exact, strict=True)]
        null = sp.Matrix(rows).nullspace()
        if null:
            above, below = (sum(null[0][k * (d + 1) + j] * n**j for j in range(d + 1)) for k in (0, 1))
            form = sp.cancel(above / below) if below != 0 else None
            exactly = form is not None and all(
                sp.denom(form).subs(n, x) != 0 and form.subs(n, x) == v for x, v in zip(grid, exact, strict=True)
            )
            if exactly:
                return form
    return None


@dataclass(frozen=True)
class Slope:
    """A log-log slope with its 95% interval, to draw beside the points; it decides nothing."""

    family: str
    slope: float
    low: float
    high: float


def fitted_slope(name: str, grid: Sequence[int], values: Sequence[float]) -> Slope | None:
    """The least-squares log-log slope over the upper half of the positive points; None with fewer than three."""
    from scipy.special import stdtrit  # `scipy.stats` takes half a second to import

    pairs = [(x, v) for x, v in zip(grid, values, strict=True) if 0 < v < math.inf]
    pairs = pairs[len(pairs) // 2 :]
    if len(pairs) < 3:
        return None
    x, y = np.log(np.asarray(pairs, dtype=np.float64)).T
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    error = float(np.sqrt(np.sum((y - y.mean() - slope * x) ** 2) / (len(x) - 2) / (x @ x)))
    half = float(stdtrit(len(x) - 2, 0.975)) * error  # of Student's t
    return Slope(name, slope, slope - half, slope + half)


def quotient(kind: Kind, low: Fraction, high: Fraction, claimed: Fraction) -> tuple[Any, Any]:
    """Exact lower and upper bounds of the quantity that should stay bounded or vanish; ∞ where lhs is 0."""
    if kind == "limit":
        return max(Fraction(0), low - claimed, claimed - high), max(abs(low - claimed), abs(high - claimed))
    if claimed <= 0:
        raise ValueError(f"Order(kind={kind!r}): the claimed order is {claimed}; it has to be positive")
    if kind == "lower":
        return tuple(claimed / side if side > 0 else math.inf for side in (high, low))  # type: ignore[return-value]
    return low / claimed, high / claimed
