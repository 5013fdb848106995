"""How far two texts may differ before that is a slip, and what counts as no difference at all."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from tests.validation.judge.test_agreement import Measured, of, size, times
from theory.base.streams import stream
from validation import Bound, Case, LogScale, Space, symbols
from validation.judge.exact.agreement import Texts, agreement
from validation.statement.claim import ExactCheck

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
        between = (sizes[-most - 1] + sizes[-most]) / 2
        return lambda v: np.where(size(v) > between, 0.5, 1.0) * size(v)

    assert words(apart_on(10), size) is None
    assert "on 11 of 20 random draws" in (words(apart_on(11), size) or "")


def test_a_witness_of_both_texts_is_not_taken_back_by_draws_on_which_another_side_is_larger() -> None:
    case = of(size, size, 2)
    sizes = np.sort(size(case.space.decode(stream(0, "agreement/l/u").random((20, 1)))))
    turned = of(lambda v: np.where(size(v) > sizes[-7], 3.0, 1.0) * size(v), size, 2)
    assert "on which side is larger" in (agreement(Bound(1 * a), [turned], 0, "l").words or "")
    assert agreement(Bound(1 * a), [turned], 0, "l", both_violate=True).words is None


def test_a_side_a_millionth_apart_from_itself_on_every_draw_is_no_slip() -> None:
    plain = ExactCheck(lambda v: ({}, {"lhs": v["u"], "a": 2 * v["u"]}))
    space = Space((LogScale("u", 1.0, 100.0),))
    never_0 = Case("u", space, lambda v: {"lhs": v["u"] * (1 + 1e-6), "a": 2 * v["u"]}, plain)
    assert agreement(Bound(1 * a), [never_0], 0, "l").words is None


@pytest.mark.parametrize(("apart", "unstable"), [(Fraction(1), False), (Fraction(1, 10**3), True)])
def test_a_side_that_moves_with_the_rounding_of_what_is_drawn_turns_nothing(apart: Fraction, unstable: bool) -> None:
    """10⁷u moves by some 10⁻³ where u moves by 10⁻¹⁰ of itself."""
    case = Case("u", Space((LogScale("u", 0.5, 2.0),)), lambda x: {"lhs": 1e7 * x["u"], "a": 1 + 0 * x["u"]}, None)
    texts = Texts(Bound(1 * a), case, signs=False, strict=False)
    assert texts._unstable({"u": np.array([1.0])}, 0, apart) is unstable


@pytest.mark.parametrize("strict", [True, False])
def test_equal_sides_violate_a_strict_inequality_alone(strict: bool) -> None:
    case = Case("u", Space((LogScale("u", 0.5, 2.0),)), lambda x: {"lhs": x["u"], "a": x["u"]}, None)
    texts = Texts(Bound(1 * a), case, signs=False, strict=strict)
    assert texts.violated(Fraction(1), Fraction(1)) is strict
    assert texts.violated(Fraction(2), Fraction(1))
    assert not texts.violated(Fraction(1), Fraction(2))
