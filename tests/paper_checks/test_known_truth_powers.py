"""Long exact powers of the known truths keep 400 bits of what they are, however small it is."""

from __future__ import annotations

from fractions import Fraction

import pytest

from paper_checks.known_truths.exact_rounds import gathered, margin, power


@pytest.mark.parametrize("n", [9, 40, 300])
@pytest.mark.parametrize("base", [Fraction(1, 10**15 + 1), Fraction(999, 1001)])
def test_a_power_is_right_to_300_bits_and_never_0(base: Fraction, n: int) -> None:
    """A bound that counted as 0 was exceeded by a left side of 10^-1215 of the same run."""
    true, found = base**n, power(base, n)
    assert found > 0
    assert abs(found - true) <= true / 2**300
    assert margin(n, found**2) > 0


def test_a_power_of_0_is_0() -> None:
    assert gathered([[Fraction(0)]], [[Fraction(0)]], 20) == ([[0]], [[0]])
