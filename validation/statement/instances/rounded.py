"""The fraction with a small denominator that is nearest to a float."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["nearest_fraction"]


def nearest_fraction(value: float, limit: int) -> Fraction:
    """`Fraction(value).limit_denominator(limit)` in whole numbers alone, several times as fast.

    `limit`: at least 1. Raises what `Fraction(value)` raises of an infinity and of no number.

    >>> nearest_fraction(0.3333, 10), nearest_fraction(-2.5, 10)
    (Fraction(1, 3), Fraction(-5, 2))
    """
    top, below = value.as_integer_ratio()
    if below <= limit:
        return Fraction(top, below)
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = top, below
    while True:
        a = n // d
        q2 = q0 + a * q1
        if q2 > limit:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
        n, d = d, n - a * d
    k = (limit - q0) // q1
    # Of p1/q1 and (p0 + k p1)/(q0 + k q1), on either side of the value, the nearer one, and of equals the former.
    if 2 * d * (q0 + k * q1) <= below:
        return Fraction(p1, q1)
    return Fraction(p0 + k * p1, q0 + k * q1)
