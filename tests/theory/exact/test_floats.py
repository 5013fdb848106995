"""Floats that become fractions under watch: which are refused, and which rounding is named."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from theory.exact import InexactError
from theory.exact.floats import became_fraction, rounded, watching


def test_a_float_that_is_no_short_decimal_is_refused_under_watch_alone() -> None:
    with watching(), pytest.raises(InexactError, match="write Fraction"):
        became_fraction(0.1)
    with watching(on=False):
        became_fraction(0.1)
    became_fraction(0.1)


def test_after_a_rounding_no_float_becomes_a_fraction_and_the_first_is_named() -> None:
    with watching() as watch:
        became_fraction(0.5)
        rounded(Fraction(1, 2), 0.5)
        assert watch.line is None
        rounded(Fraction(1, 3), 1 / 3)
        first = watch.line
        rounded(Fraction(1, 7), 1 / 7)
        assert watch.line == first
        assert first is not None
        assert "1 / 3" in first
        with pytest.raises(InexactError, match=r"comes of numbers that were rounded.*1 / 3"):
            became_fraction(0.5)


def test_what_no_float_holds_was_not_rounded() -> None:
    with watching() as watch:
        rounded(Fraction(10) ** 400, math.inf)
        assert watch.line is None
