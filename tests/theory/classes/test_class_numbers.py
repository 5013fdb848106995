"""Numbers with square roots: arithmetic, signs, enclosures; the vectors and forms written with them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.classes import Problem, families, number, sqrt
from theory.classes.numbers import enclosure, is_zero, sign, value

SMALL = st.fractions(min_value=-5, max_value=5, max_denominator=12)


@settings(max_examples=40, deadline=None)
@given(SMALL, SMALL, SMALL, SMALL)
def test_products_quotients_and_signs_agree_with_floats(a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> None:
    x, y = number(a) + number(b) * sqrt(2), number(c) + number(d) * sqrt(3)
    assert value(number(x) * y) == pytest.approx((float(a) + float(b) * 2**0.5) * (float(c) + float(d) * 3**0.5))
    if not is_zero(number(y)):
        assert is_zero(number(x) / y * y - x)
        assert sign(number(y)) == (1 if float(c) + float(d) * 3**0.5 > 0 else -1)


def test_roots_of_products_are_products_of_roots() -> None:
    assert sqrt(6) == sqrt(2) * sqrt(3)
    assert sqrt(12) / sqrt(3) == 2
    assert sqrt("9/4") == number("3/2")
    assert is_zero((1 + sqrt(5)) / 2 - 2 / (sqrt(5) - 1))


def test_nested_roots_keep_their_relation_and_long_ratios_their_value() -> None:
    theta = number(1)
    for _ in range(6):
        following = (1 + sqrt(4 * theta**2 + 1)) / 2
        assert is_zero(following**2 - following - theta**2)
        theta = following
    assert value(1 / theta * 7) == pytest.approx(7 / value(theta))
    assert enclosure(1 / theta, 200).rad() < 1e-50


def test_numbers_that_are_not_exact_are_refused() -> None:
    with pytest.raises(TypeError, match=r"number\(0.1\)"):
        number(0.1)
    with pytest.raises(ValueError, match=r"sqrt\(-1\)"):
        sqrt(-1)
    with pytest.raises(ValueError, match="0 <= mu < L"):
        families.smooth_convex(L=1, mu=1)


def test_a_common_shift_is_found_and_one_vector_put_at_zero() -> None:
    from theory.classes import assemble

    p = Problem()
    F = p.function(families.convex())
    optimum, x = F.minimiser("x*"), p.point("x")
    g = F.gradient(x)
    program = assemble(p.statement(F(x) - F(optimum), 1, given=[(x - optimum) ** 2 <= 1, g**2 <= 1]))
    assert len(program.kept) == 2
    assert [dict(direction) for _, direction in program.shifts] == [{0: 1, 1: 1}]
    # Where the origin itself matters, nothing is shifted.
    assert not assemble(p.statement(F(x) - F(optimum), 1, given=[x**2 <= 1, g**2 <= 1])).shifts
