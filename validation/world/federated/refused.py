"""What is wrong with a description, in words: a formula that is not rational, and sizes that are no pair."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

__all__ = ["check_pairs", "not_rational"]


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


def check_pairs(sizes: Mapping[str, Any]) -> None:
    """Sizes are the least and the largest. Raises `TypeError` for one that is no pair."""
    for name, value in sizes.items():
        if not isinstance(value, tuple | list) or len(value) != 2:
            pair = f"{name}=({value}, {value}) for {value} alone" if isinstance(value, int) else f"{name}=(1, 20)"
            raise TypeError(f"Federated({name}={value!r}): expected the least and the largest, such as {pair}")
