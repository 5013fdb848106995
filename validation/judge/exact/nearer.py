"""Parameter points nearer to a violation than any that was drawn: the lowest eigenvalue followed downhill.

Draws reach offsets of 2¹⁰ above an end and fractions of 1/32 of an interval. What fails beyond, or between, is found by
moving one parameter at a time from the best draws, in logarithms of the offsets and weights, as far as it helps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from validation.statement.instances.domain import Domain, Point
from validation.statement.instances.rounded import nearest_fraction

__all__ = ["nearer"]

Float = NDArray[np.float64]

_STARTS = 12  # of the drawn points, lowest first
_ROUNDS = 60
_STEPS = (8.0, 2.0, 0.5, 0.1, 0.01)  # in powers of two of an offset, a weight, or the odds of an interval's two parts
_FAR = 200.0  # powers of two beyond which no point is looked for
_COARSE = 64  # the largest denominator of a significand that is tried before the float itself


def nearer(
    domain: Domain, points: Sequence[Point], lowest: Callable[[Float], Float], inside: Callable[[Point], bool]
) -> list[Point]:
    """Rational points of the domain to which the descent came, those with small numbers first.

    `points`: to start from; `lowest`: of parameters (n, d), in the order of `domain.names`, the number (n,) that is
    negative where the statement fails, +∞ where it has no value; `inside`: whether a point meets every condition.
    """
    if not points or not domain.names:
        return []
    placed = np.array([_coordinates(domain, point) for point in points])
    value = lowest(_parameters(domain, placed))
    order = np.argsort(value, kind="stable")[:_STARTS]
    at, value = placed[order], value[order]
    moves = np.concatenate([s * np.eye(placed.shape[1]) for size in _STEPS for s in (size, -size)])
    for _ in range(_ROUNDS):
        tried = np.clip(at[:, None, :] + moves, -_FAR, _FAR)
        seen = lowest(_parameters(domain, tried.reshape(-1, placed.shape[1]))).reshape(len(at), len(moves))
        best = seen.argmin(axis=1)
        rows = np.arange(len(at))
        better = seen[rows, best] < value
        if not better.any():
            break
        at[better], value[better] = tried[rows, best][better], seen[rows, best][better]
    found = [_exact(domain, row, coarse) for coarse in (True, False) for row in at[np.argsort(value, kind="stable")]]
    return [point for point in found if inside(point)]


def _coordinates(domain: Domain, point: Point) -> list[float]:
    """Logarithms of offsets above a low end, of an interval's two parts' odds, of weights."""
    out = []
    for p in domain.parameters:
        above = point[p.name] - p.low
        out.append(_log2(above) if p.high is None else _log2(above) - _log2(p.high - point[p.name]))
    out += [_log2(point[name]) for group in domain.simplices for name in group]
    return [max(-_FAR, min(_FAR, x)) for x in out]


def _log2(value: Fraction | int) -> float:
    return float(np.log2(float(value))) if value > 0 else -_FAR / 4


def _parameters(domain: Domain, placed: Float) -> Float:
    """The parameters (n, d) at coordinates of the same shape."""
    out, column = np.empty_like(placed), len(domain.parameters)
    for i, p in enumerate(domain.parameters):
        size = 2.0 ** placed[:, i]
        width = None if p.high is None else float(p.high) - float(p.low)
        out[:, i] = float(p.low) + (size if width is None else width * size / (1 + size))
    for group in domain.simplices:
        weights = 2.0 ** placed[:, column : column + len(group)]
        out[:, column : column + len(group)] = weights / weights.sum(axis=1, keepdims=True)
        column += len(group)
    return out


def _exact(domain: Domain, row: Float, coarse: bool) -> Point:
    point: Point = {}
    sizes = iter([_rational(2.0**x, coarse) for x in row])
    for p in domain.parameters:
        size = next(sizes)
        width = None if p.high is None else Fraction(p.high) - Fraction(p.low)
        point[p.name] = Fraction(p.low) + (size if width is None else width * size / (1 + size))
    for group in domain.simplices:
        weights = [next(sizes) for _ in group]
        point |= {name: w / sum(weights) for name, w in zip(group, weights, strict=True)}
    return point


def _rational(value: float, coarse: bool) -> Fraction:
    """The float, or where `coarse` one nearby whose significand has a small denominator."""
    if not coarse:
        return Fraction(value)
    significand, exponent = np.frexp(value)
    return nearest_fraction(float(significand), _COARSE) * Fraction(2) ** int(exponent)
