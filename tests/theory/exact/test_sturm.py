"""Signs on intervals: by Sturm's theorem as by evaluation, ends in and out, ranges that cannot be read."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from theory.exact.sturm import Range, has_root, never_negative

R = Range.read


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=5), st.integers(-3, 1), st.integers(1, 5))
def test_roots_and_signs_are_those_of_a_product_of_known_factors(roots: list[int], low: int, width: int) -> None:
    p = fmpq_poly([1, 0, 1])  # 1 + x² adds no real root
    for root in roots:
        p *= fmpq_poly([-root, 1])
    closed = Range(Fraction(low), Fraction(low + width), True, True)
    inside = Range(Fraction(low), Fraction(low + width))
    assert has_root(p, closed) == any(low <= root <= low + width for root in roots)
    assert has_root(p, inside) == any(low < root < low + width for root in roots)
    points = [fmpq(low) + fmpq(width * k, 24 * width) for k in range(24 * width + 1)]  # between all whole numbers
    assert never_negative(p, inside) == all(p(x) >= 0 for x in points)


def test_a_window_of_any_width_is_found() -> None:
    narrow = fmpq(1, 10**40)
    p = fmpq_poly([fmpq(1, 4) - narrow, -1, 1])  # (x − 1/2)² − 10⁻⁴⁰
    assert not never_negative(p, R("(0, 1)"))
    assert never_negative(p + fmpq_poly([narrow]), R("(0, 1)"))
    assert never_negative(fmpq_poly([0, 1]), R("[0, oo)"))
    assert not never_negative(fmpq_poly([5, -1]), R("[0, oo)"))
    assert never_negative(fmpq_poly([0]), R("(0, 1)"))


def test_ranges_are_read_as_brackets_say() -> None:
    assert str(R("(0, 1/2]")) == "(0, 1/2]"
    assert [Fraction(0) in R("(0, 1]"), Fraction(1) in R("(0, 1]"), Fraction(7) in R("[1, oo)")] == [False, True, True]
    for odd in ("0, 1", "(0; 1)", "(a, 1)", ""):
        with pytest.raises(ValueError, match="expected an interval such as"):
            R(odd)
    with pytest.raises(ValueError, match="expected low < high"):
        R("(1, 1)")
