"""Whole numbers in a formula stay exact when they are divided: Python makes a float of 1/3."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from theory.exact.errors import InexactError
from validation import Bound, assert_holds, le, numbers
from validation.statement.bound import python_source
from validation.statement.instances.draw import LogScale
from validation.statement.notation import Notation, Quantity

x = sp.Symbol("x", positive=True)
n = sp.Symbol("n", positive=True)


@pytest.mark.parametrize(
    ("formula", "at", "value"),
    [
        (sp.Max(1, x) / 3, Fraction(1, 2), Fraction(1, 3)),
        (sp.Max(1, x) / 3, Fraction(1), Fraction(1, 3)),
        (sp.Min(2, x) / 7, Fraction(5), Fraction(2, 7)),
        (sp.Max(1, x - 1) / (3 * x), Fraction(2), Fraction(1, 6)),
        (2**x / 3, Fraction(2), Fraction(4, 3)),
        (sp.Max(0, 2 - x) / sp.Max(3, x), Fraction(1), Fraction(1, 3)),
        (1 / sp.Max(3, x), Fraction(1), Fraction(1, 3)),
    ],
)
def test_a_whole_number_that_is_chosen_and_divided_is_a_fraction(formula: Any, at: Fraction, value: Fraction) -> None:
    assert Bound(formula).exact({"x": at}) == value
    assert eval(python_source(formula), {"Fraction": Fraction}, {"x": at}) == value


def test_a_true_statement_with_a_whole_number_in_a_maximum_holds() -> None:
    notation = Notation((Quantity("x", "x", "a number", positive=True),))
    world = numbers(notation, "x", LogScale("x", 1e-2, 1e2, at=(0.5, 1.0)))
    letter = notation.symbols("x")
    assert assert_holds(world.test(le(sp.Rational(1, 3), sp.Max(1, letter) / 3)), budget=500)


def test_a_float_is_no_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = Bound(x / 3)
    monkeypatch.setitem(vars(bound), "_compiled", compile("1 / 3", "<bound>", "eval"))
    with pytest.raises(InexactError, match="expected a Fraction"):
        bound.exact({"x": Fraction(1)})
