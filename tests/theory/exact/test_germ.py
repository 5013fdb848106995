"""Infinitesimals: arithmetic and order are those of all small enough numbers, and the interval told is long enough."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.errors import InexactError
from theory.exact.germ import EPSILON, Germ, deciding

SMALL = st.fractions(-5, 5, max_denominator=6)
TERMS = st.lists(SMALL, min_size=1, max_size=4)


def polynomial(terms: list[Fraction], at: Any) -> Any:
    total = at * 0
    for term in reversed(terms):
        total = total * at + term
    return total


@given(TERMS, TERMS, TERMS)
def test_what_is_decided_is_so_on_the_whole_interval_that_is_told(a: list[Any], b: list[Any], c: list[Any]) -> None:
    def compared(at: Any) -> tuple[Any, ...]:
        left, right = polynomial(a, at), polynomial(b, at)
        return left < right, abs(left) <= right, max(left, right) == left, polynomial(c, at) * left >= right

    with deciding() as reach:
        found = compared(EPSILON)
    for part in (Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000)):
        assert compared(reach.until * part) == found


@given(TERMS, TERMS, st.integers(-2, 3))
def test_the_field_operations_are_those_of_numbers(a: list[Any], b: list[Any], power: int) -> None:
    def made(at: Any) -> Any:
        left, right = polynomial(a, at) + at**5, polynomial(b, at) + at**6 + 3 * at**5
        return (left - 2 / right + left * right) / (1 + at) + (-left) ** power

    germ = made(EPSILON)
    for at in (Fraction(1, 97), Fraction(-2, 89)):
        try:
            expected = made(at)
        except ZeroDivisionError:
            continue
        assert germ.at(at) == expected


def test_the_leading_term_names_coefficient_and_order() -> None:
    assert ((1 - EPSILON) ** 6 - (1 - 6 * EPSILON)).leading == (15, 2)
    assert (3 / EPSILON**2 + 1).leading == (3, -2)
    assert (EPSILON - EPSILON).leading == (0, 0)
    assert str(3 / EPSILON) == "3·ε^-1 + …"


def test_an_infinitesimal_is_above_0_and_below_every_positive_number() -> None:
    assert 0 < EPSILON < Fraction(1, 10**50)
    assert 1 / EPSILON > 10**50
    assert max([EPSILON, 2 * EPSILON, EPSILON**2]) == 2 * EPSILON
    assert not EPSILON - EPSILON


@pytest.mark.parametrize("wrong", [lambda: EPSILON + 0.7, lambda: 0.7 * EPSILON, lambda: EPSILON ** Fraction(1, 2)])
def test_floats_and_roots_are_refused(wrong: Any) -> None:
    with pytest.raises(InexactError, match=r"float|whole number"):
        wrong()
    with pytest.raises(InexactError, match="as a float"):
        float(EPSILON)
    assert EPSILON + Fraction(1, 2) == EPSILON + 0.5  # a float that is exactly the half that is meant
    with pytest.raises(ZeroDivisionError):
        EPSILON / Germ.of(0)
