"""Forty false statements and their true twins: by overflow, underflow, rounding, rarity, and only after many steps.

Each is one inequality of one number c, false on a set that its bounds name; its twin changes a bound or a factor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Bound, Case, Choice, Family, Inequality, LogScale, Size, Space, Uniform, symbols
from validation.statement.claim import ExactCheck

__all__ = ["STATEMENTS", "Statement"]

r = symbols("r")
Side = Callable[[Any, Callable[[str], Any]], Any]


@dataclass(frozen=True)
class Statement:
    """A false statement of one kind, and its true twin."""

    kind: str
    name: str
    false: Inequality
    true: Inequality


def case_of(name: str, space: Space, left: Callable[[Any, Any], Any], right: Callable[[Any, Any], Any]) -> Case:
    """left <= right, one text for floats and for fractions; n("0.1") is a number of the kind computed with."""

    def measure(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": left(x, float) + 0 * x["c"], "r": right(x, float) + 0 * x["c"]}

    def exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        return {}, {"lhs": Fraction(left(x, Fraction)), "r": Fraction(right(x, Fraction))}

    return Case(name, space, measure, ExactCheck(exact, standalone=False))


def says(left: Side, right: Side, low: float, high: float, *, log: bool = True) -> Inequality:
    """left(c) <= right(c) for c in [low, high]."""
    space = Space((LogScale("c", low, high) if log else Uniform("c", low, high),))
    case = case_of("numbers", space, lambda x, n: left(x["c"], n), lambda x, n: right(x["c"], n))
    return Inequality(Bound(r), (case,))


Row = tuple[str, Side, Side, float, float, Side, float, float]  # name, left, right, range; the twin's right and range


def _SQUARE(c: Any, n: Any) -> Any:
    return c**2


_OVERFLOW: tuple[Row, ...] = (
    ("c² <= 1e154 c", _SQUARE, lambda c, n: n("1e154") * c, 1, 1e300, lambda c, n: n("1e154") * c, 1, 1e153),
    ("c³ <= 1e200 c", lambda c, n: c**3, lambda c, n: n("1e200") * c, 1, 1e120, lambda c, n: n("1e200") * c, 1, 1e99),
    ("c⁴ <= 1e300 c", lambda c, n: c**4, lambda c, n: n("1e300") * c, 1, 1e140, lambda c, n: n("1e300") * c, 1, 1e7),
    ("c² <= 1e160 c", _SQUARE, lambda c, n: n("1e160") * c, 1, 1e305, lambda c, n: n("1e160") * c, 1, 1e140),
    (
        "(1 + c)^100 <= 1e300 c",
        lambda c, n: (1 + c) ** 100,
        lambda c, n: n("1e300") * c,
        1,
        1e10,
        lambda c, n: n("1e300") * c,
        1,
        500,
    ),
    (
        "c² + (c³ − c³) <= 1e150 c",
        lambda c, n: c**2 + (c**3 - c**3),
        lambda c, n: n("1e150") * c,
        1,
        1e200,
        lambda c, n: n("1e150") * c,
        1,
        1e100,
    ),
)
_UNDERFLOW: tuple[Row, ...] = (
    ("c² <= c²/2", _SQUARE, lambda c, n: c**2 / 2, 1e-300, 1e-200, lambda c, n: 2 * c**2, 1e-300, 1e-200),
    (
        "c³ <= 0.9 c³",
        lambda c, n: c**3,
        lambda c, n: n("0.9") * c**3,
        1e-250,
        1e-150,
        lambda c, n: n("1.1") * c**3,
        1e-250,
        1e-150,
    ),
    ("c² <= c³", _SQUARE, lambda c, n: c**3, 1e-300, 1e-170, lambda c, n: c, 1e-300, 1e-170),
    (
        "1e300 c² <= 1e-60",
        lambda c, n: n("1e300") * c**2,
        lambda c, n: n("1e-60"),
        1e-200,
        1e-170,
        lambda c, n: n("1e-30"),
        1e-170,
        1e-166,
    ),
    (
        "c²/c² <= 1/2",
        lambda c, n: c**2 / c**2,
        lambda c, n: n("0.5"),
        1e-300,
        1e-200,
        lambda c, n: n("2"),
        1e-100,
        1e-50,
    ),
    (
        "c⁴ <= 0.999 c⁴",
        lambda c, n: c**4,
        lambda c, n: n("0.999") * c**4,
        1e-200,
        1e-90,
        lambda c, n: c**4,
        1e-200,
        1e-90,
    ),
    ("−c² <= −2c²", lambda c, n: -(c**2), lambda c, n: -2 * c**2, 1e-300, 1e-180, lambda c, n: c, 1e-300, 1e-180),
    (
        "c·1e-200·1e200 <= 0",
        lambda c, n: c * n("1e-200") * n("1e-200") * n("1e200") * n("1e200"),
        lambda c, n: 0 * c,
        1e-3,
        1e3,
        lambda c, n: 2 * c,
        1e-3,
        1e3,
    ),
)
_ROUNDING: tuple[Row, ...] = (
    ("c <= (1 − 1e-9) c", lambda c, n: c, lambda c, n: (1 - n("1e-9")) * c, 1, 10, lambda c, n: c, 1, 10),
    (
        "c <= (1 − 1e-12) c",
        lambda c, n: c,
        lambda c, n: (1 - n("1e-12")) * c,
        1e-3,
        1e3,
        lambda c, n: (1 + n("1e-12")) * c,
        1e-3,
        1e3,
    ),
    ("1 + c <= 1", lambda c, n: 1 + c, lambda c, n: n("1"), 1e-30, 1e-17, lambda c, n: 1 + 2 * c, 1e-30, 1e-17),
    ("c² + 1e-20 <= c²", lambda c, n: c**2 + n("1e-20"), lambda c, n: c**2, 1, 2, lambda c, n: c**2 + 1, 1, 2),
    (
        "(c + 1)² − c² − 2c <= 1 − 1e-12",
        lambda c, n: (c + 1) ** 2 - c**2 - 2 * c,
        lambda c, n: 1 - n("1e-12"),
        1,
        1e6,
        lambda c, n: n("1"),
        1,
        1e6,
    ),
    ("c/c <= 1 − 1e-10", lambda c, n: c / c, lambda c, n: 1 - n("1e-10"), 1, 10, lambda c, n: n("1"), 1, 10),
    (
        "c³ <= (1 − 1e-11) c³",
        lambda c, n: c**3,
        lambda c, n: (1 - n("1e-11")) * c**3,
        1e-2,
        1e2,
        lambda c, n: c * c * c,
        1e-2,
        1e2,
    ),
    ("(1 + 1e-15) c <= c", lambda c, n: (1 + n("1e-15")) * c, lambda c, n: c, 1, 10, lambda c, n: 2 * c, 1, 10),
)
_AT = ("0.137", "0.5001", "0.7313", "0.91")


def _rows(kind: str, rows: tuple[Row, ...]) -> list[Statement]:
    return [
        Statement(kind, name, says(left, right, low, high), says(left, fine, a, b))
        for name, left, right, low, high, fine, a, b in rows
    ]


def _descents() -> list[Statement]:
    """Gradient descent on x²/2 and on x⁴/4 with steps beyond what they bear: the iterates leave the float range."""

    def quadratic(steps: tuple[float, ...]) -> Inequality:
        def left(x: Any, n: Any) -> Any:
            step = x["step"] if n is float else Fraction(x["step"])
            return ((1 - step) ** 2000 * x["c"]) ** 2

        space = Space((LogScale("c", 0.1, 10.0), Choice("step", steps)))
        return Inequality(Bound(r), (case_of("2,000 steps", space, left, lambda x, n: 10 * x["c"] ** 2),))

    def quartic(most: float) -> Inequality:
        def left(x: Any, n: Any) -> Any:
            at = x["c"]
            for _ in range(5):
                at = at - x["step"] * at**3
            return at**2

        space = Space((LogScale("c", 0.5, 1.0), LogScale("step", 1e-2, most)))
        return Inequality(Bound(r), (case_of("5 steps", space, left, lambda x, n: 10 * x["c"] ** 2),))

    return [
        Statement("overflow", "x²/2, steps 1, 3/2, 3", quadratic((1.0, 1.5, 3.0)), quadratic((1.0, 1.5, 2.0))),
        Statement("overflow", "x⁴/4, step·x₀² > 2", quartic(1e4), quartic(1.0)),
    ]


def _rare() -> list[Statement]:
    """1 <= 1 + (c − a)² − w², and 1 <= 1/2 + |c − a|/w without a slope elsewhere: false within w of a."""

    def smooth(at: str, width: str) -> Inequality:
        return says(lambda c, n: n("1"), lambda c, n: 1 + (c - n(at)) ** 2 - n(width) ** 2, 0, 1, log=False)

    def flat(at: str, width: str) -> Inequality:
        def right(c: Any, n: Any) -> Any:
            away = abs(c - n(at)) / n(width)
            return n("0.5") + (np.minimum(away, 1.0) if n is float else min(away, Fraction(1)))

        return says(lambda c, n: n("1"), right, 0, 1, log=False)

    def nowhere(at: str) -> Inequality:
        return says(lambda c, n: n("1"), lambda c, n: 1 + (c - n(at)) ** 2, 0, 1, log=False)

    return [Statement("rarity", f"within 2e-4 of {a}", smooth(a, "2e-4"), nowhere(a)) for a in _AT] + [
        Statement("rarity", f"flat but within 1e-3 of {a}", flat(a, "1e-3"), nowhere(a)) for a in _AT
    ]


def _late() -> list[Statement]:
    """c·T/(T + T₀) <= c/2: false from T₀ + 1 on, a little more with every step."""

    def up_to(first: int, most: int) -> Inequality:
        def at(T: float) -> Case:
            space = Space((LogScale("c", 0.1, 10.0),))
            return case_of(f"T = {T}", space, lambda x, n: x["c"] * int(T) / (int(T) + first), lambda x, n: x["c"] / 2)

        return Inequality(Bound(r), (Family("horizons", (Size("T", 1, most, 3, ladder=True),), at),))

    return [
        Statement("late horizon", f"from {first} on", up_to(first, 100_000), up_to(first, first))
        for first in (1_000, 2_500, 6_000, 11_000, 20_000, 35_000, 60_000, 90_000)
    ]


STATEMENTS = (
    *_rows("overflow", _OVERFLOW),
    *_descents(),
    *_rows("underflow", _UNDERFLOW),
    *_rows("rounding", _ROUNDING),
    *_rare(),
    *_late(),
)
