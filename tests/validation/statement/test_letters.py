"""Which letter breaks its declaration, of several and by irrational values, and what is said of it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from theory.exact import exact
from validation.statement.letters import Letter, broken_by

A, B = Letter("a", "positive"), Letter("b", "positive")


def test_every_letter_is_asked_in_turn_and_those_without_a_value_are_left_alone() -> None:
    assert broken_by((A, B), {"a": Fraction(1), "b": Fraction(-2)}) == (B, Fraction(-2))
    assert broken_by((A, B), {"b": Fraction(-2)}) == (B, Fraction(-2))
    assert broken_by((A, B), {"a": Fraction(1)}) is None


def test_an_irrational_value_has_its_own_sign() -> None:
    root = exact(2) ** exact(Fraction(1, 2))
    assert not A.broken_exactly(root)
    assert A.broken_exactly(-root)


@pytest.mark.parametrize(("sign", "told"), [(-1, "below all floats"), (1, "above all floats")])
def test_a_value_that_no_float_holds_is_told_by_its_sign(sign: int, told: str) -> None:
    assert f"but {told} on an instance" in Letter("a", "nonzero").words(Fraction(sign * 10**400))


def test_zero_makes_only_a_positive_letter_nonnegative() -> None:
    assert "declare it nonnegative" in A.words(0)
    assert "declare it signed" in Letter("a", "nonzero").words(0)
