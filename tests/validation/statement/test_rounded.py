"""The fraction with a small denominator next to a float is the standard library's."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.statement.instances.rounded import nearest_fraction

LIMITS = st.one_of(st.integers(1, 30), st.integers(31, 10**9), st.just(1 << 1100))


@given(st.floats(allow_nan=False, allow_infinity=False), LIMITS)
def test_it_is_the_fraction_that_the_standard_library_finds(value: float, limit: int) -> None:
    assert nearest_fraction(value, limit) == Fraction(value).limit_denominator(limit)


@given(st.integers(-300, 300), st.integers(0, 6), st.integers(1, 40))
def test_so_it_is_half_way_between_two_fractions(top: int, power: int, limit: int) -> None:
    value = top / 2**power
    assert nearest_fraction(value, limit) == Fraction(value).limit_denominator(limit)


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_no_number_has_no_fraction(value: float) -> None:
    with pytest.raises((OverflowError, ValueError)):
        nearest_fraction(value, 10)
