"""What adaptive servers share: first and second moments of d, coordinate by coordinate."""

from __future__ import annotations

from typing import Any

from theory.algorithms.server import check_fraction, check_rate
from theory.base.arrays import Array, namespace
from theory.base.checks import check_number

__all__ = ["check_adaptive", "first_moment", "second_moment"]


def check_adaptive(call: str, lr: float, beta1: float, beta2: float, **positive: float) -> None:
    """`ValueError` unless lr > 0, β₁ and β₂ lie in [0, 1), and the rest is > 0."""
    check_rate(call, lr)
    check_fraction(call, beta1=beta1, beta2=beta2)
    for name, value in positive.items():
        check_number(call, name, value)


def first_moment(old: Any, direction: Array, beta1: float) -> Any:
    """m ← β₁m + (1 − β₁)d, from 0 where there is none yet."""
    return (1 - beta1) * direction + (0 if old is None else beta1 * old)


def second_moment(old: Any, direction: Array, beta2: float, first: float) -> Any:
    """v ← β₂v + (1 − β₂)d², from `first` in every coordinate where there is none yet."""
    start = namespace(direction).full_like(direction, first) if old is None else old
    return beta2 * start + (1 - beta2) * direction**2
