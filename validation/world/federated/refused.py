"""What is wrong with a description, in words: a formula that is not rational, and sizes that are no pair."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

import sympy as sp

__all__ = ["not_rational", "with_pairs"]

Described = TypeVar("Described")

_PAIRS = ("N", "E", "R", "d")


def not_rational(formula: Any) -> str:
    """Why a formula is not computed exactly in fractions, and what to write instead; '' where no part says it."""
    parts = list(sp.preorder_traversal(sp.sympify(formula)))
    number = next((part for part in parts if part.is_Float), None)
    if number is not None:
        exact = Fraction(str(float(number)))  # the number as it was typed, not the float nearest to it
        return f"{float(number)} is a float; write sympy.Rational({exact.numerator}, {exact.denominator})"
    power = next((part for part in parts if part.is_Pow and not part.exp.is_Integer), None)
    if power is not None:
        what = "a root" if power.exp.is_Rational else "a power that is no whole number"
        return f"{power} is {what}, which is no fraction; for a constant draw a letter (`draws`)"
    known = (sp.Symbol, sp.Rational, sp.Add, sp.Mul, sp.Pow, sp.Max, sp.Min, sp.Abs)
    other = next((part for part in parts if not isinstance(part, known)), None)
    return "" if other is None else f"{other} has no value in fractions"


def with_pairs(described: type[Described]) -> type[Described]:
    """The class, which looks at its sizes before anything is made of them: `TypeError` for one that is no pair."""
    made: Callable[..., None] = described.__init__

    @wraps(made)
    def checked(*given: Any, **named: Any) -> None:
        arguments = signature(made).bind_partial(*given, **named).arguments
        for name in _PAIRS:
            value = arguments.get(name, (1, 1))
            if not isinstance(value, tuple | list) or len(value) != 2:
                pair = f"{name}=({value}, {value}) for {value} alone" if isinstance(value, int) else f"{name}=(1, 20)"
                raise TypeError(f"Federated({name}={value!r}): expected the least and the largest, such as {pair}")
        made(*given, **named)

    described.__init__ = checked  # type: ignore[method-assign]
    return described
