"""How far two texts may differ before that is a slip, and what counts as no difference at all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.validation.judge.test_agreement import Measured, of, size, times
from theory.base.streams import stream
from validation import Bound, symbols
from validation.judge.exact.agreement import agreement

a = symbols("a")


def words(fast: Measured, plain: Measured, factor: int = 1) -> str | None:
    return agreement(Bound(1 * a), [of(fast, plain, factor)], 0, "l").words


@pytest.mark.parametrize(("by", "told"), [(1e-2, True), (1e-3, False)])
def test_sides_a_thousandth_of_all_that_they_come_of_apart_are_a_slip(by: float, told: bool) -> None:
    """Far below the right side, so that no other side is the larger one: |u| against 2|u|, which add up to 5|u|."""
    assert (words(times(1 + by), size, factor=2) is not None) is told


@pytest.mark.parametrize(("by", "told"), [(5e-6, True), (5e-7, False)])
def test_another_side_is_the_larger_one_from_a_millionth_of_all_that_they_come_of(by: float, told: bool) -> None:
    found = words(times(1 + by), times(1 - Fraction(by)))
    assert ("on which side is larger" in (found or "")) is told


def test_a_side_that_floats_lose_on_the_way_differs_from_nothing() -> None:
    """|u|·10⁻²⁰⁰·10⁻²⁰⁰ is 0 in floats, and stays so times 10⁴⁰⁰."""
    assert words(lambda v: size(v) * 1e-200 * 1e-200 * 1e200 * 1e200, size, factor=2) is None


def test_half_of_the_draws_apart_are_not_most_of_them() -> None:
    def apart_on(most: int) -> Measured:
        case = of(size, size)
        sizes = np.sort(size(case.space.decode(stream(0, "agreement/l/u").random((20, 1)))))
        return lambda v: np.where(size(v) > sizes[-most - 1], 0.5, 1.0) * size(v)

    assert words(apart_on(10), size) is None
    assert "on 11 of 20 random draws" in (words(apart_on(11), size) or "")
