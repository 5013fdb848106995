"""Exact numbers: as Fractions where rational, decided where irrational, refused where a float slips in."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory.exact import (
    DigitsError,
    Enclosed,
    Exact,
    InexactError,
    NoValueError,
    Sides,
    UndecidedError,
    at_most_digits,
    decide,
    exact,
    exact_array,
    exact_copy,
)
from theory.exact.interval import Interval
from theory.exact.irrational import _lines, _separation, as_node

FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=60)
POSITIVE = st.fractions(min_value=Fraction(1, 60), max_value=50, max_denominator=60)
OPERATIONS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod)


@given(FRACTIONS, FRACTIONS, st.sampled_from(OPERATIONS))
def test_rationals_compute_as_fractions_do_from_either_side(x: Fraction, y: Fraction, operation) -> None:
    if y == 0 and operation not in OPERATIONS[:3]:
        return
    wanted = operation(x, y)
    assert operation(exact(x), exact(y)) == wanted
    assert operation(exact(x), y) == wanted
    if operation not in OPERATIONS[4:]:
        assert operation(x, exact(y)) == wanted
    assert hash(exact(wanted)) == hash(wanted)
    assert (exact(x) < y, exact(x) <= y, x == exact(y)) == (x < y, x <= y, x == y)
    assert (math.floor(exact(x)), math.ceil(exact(x)), int(exact(x))) == (math.floor(x), math.ceil(x), int(x))
    assert (abs(exact(x)), max(exact(x), y), exact(x).minimum(y)) == (abs(x), max(x, y), min(x, y))


@given(POSITIVE, POSITIVE, POSITIVE)
@settings(max_examples=60, deadline=None)
def test_sums_of_roots_are_told_equal_and_told_apart(x: Fraction, y: Fraction, z: Fraction) -> None:
    p, q, r = exact(x).sqrt(), exact(y).sqrt(), exact(z).root(3)
    assert (p + q) ** 2 == x + y + 2 * exact(x * y).sqrt()
    assert (p - q) * (p + q) == x - y
    assert (p + r) * (p - r) == x - r**2
    assert (x + y + 2 * exact(x * y).sqrt()).sqrt() == p + q
    assert (p + q + r) * (1 + exact("1/1000000000000000000000000000000")) > p + r + q
    assert 1 / (p + q) * (p + q) == 1


@given(POSITIVE, st.fractions(min_value=-3, max_value=3, max_denominator=6))
@settings(max_examples=60, deadline=None)
def test_powers_agree_with_floats_and_their_laws_are_decided(x: Fraction, n: Fraction) -> None:
    found = exact(x) ** n
    assert float(decide(found, 0).lhs) == pytest.approx(float(x) ** float(n), rel=1e-12)
    assert found ** (1 / n) == x if n else found == 1
    assert exact(x) ** (2 * n) == found * found


def test_the_separation_bound_lies_below_numbers_known_to_be_small() -> None:
    for k in range(3, 40):
        small = exact(k + 1).sqrt() + exact(k - 1).sqrt() - 2 * exact(k).sqrt()
        assert small < 0
        bits = _separation(_lines(as_node(small._value)))
        assert bits is not None
        low, high = small.enclosure()
        assert max(abs(low), abs(high)) >= Fraction(1, 2**bits)


def test_exponentials_and_logarithms_to_many_digits() -> None:
    two = exact(2)
    assert two.log().exp() == 2
    assert exact(3).exp() == exact(1).exp() * exact(2).exp()
    assert exact(1).exp() > exact("2.718281828459045235360287471352")
    decision = decide(two.log() * 2, exact(4).log())
    assert decision.outcome is Sides.EQUAL_TO_DIGITS
    assert decision.digits == 1200
    assert "equal to 1,200 digits" in str(decision)
    with pytest.raises(UndecidedError, match=r"agree to 1,2\d\d digits"):
        assert two.log() * 2 == exact(4).log()
    # What cannot be told apart stays open in a maximum instead of being guessed.
    largest = (two.log() * 2).maximum(exact(4).log())
    assert decide(largest, exact(4).log() + exact("1/1000000")).outcome is Sides.NOT_VIOLATED
    assert decide(largest + exact("1/1000000"), exact(4).log()).outcome is Sides.VIOLATED


def test_decisions_and_how_sides_are_shown() -> None:
    two = exact(2).sqrt()
    close = decide(two, Fraction(14142135623730950488016887242096980785696, 10**40))
    assert close.outcome is Sides.VIOLATED
    assert isinstance(close.lhs, Enclosed)
    assert str(close.lhs).startswith("1.41421356237309504880168872420")
    assert close.lhs > close.rhs  # shown apart, though they agree to 128 bits
    assert decide(two * two, 2).outcome is Sides.EQUAL
    assert decide(1, 2).outcome is Sides.NOT_VIOLATED
    assert decide(1, exact(1) / 0).outcome is Sides.UNDEFINED
    assert decide(exact(-2).sqrt(), 1).outcome is Sides.UNDEFINED
    assert str(decide(exact(10) ** 50 * two, 0).lhs).endswith("e+50")
    assert str(decide(-two / 10**7, 0).lhs) == "-1.41421356237309504880168872420…e-7"


@pytest.mark.parametrize("value", [0.5, 2.5, 1e6, 0.0, -3.0, 1e22, 0.1875])
def test_floats_that_are_their_own_shortest_decimal_are_taken(value: float) -> None:
    assert exact(value) == Fraction(value)
    assert exact(Fraction(1, 3)) * value == Fraction(1, 3) * Fraction(value)


@pytest.mark.parametrize(
    ("value", "cure"),
    [
        (0.1, "Fraction(1, 10)"),
        (1 / 3, "Fraction(1, 3)"),
        (1e-9, "Fraction(1, 1000000000)"),
        (1e23, "write 100000000000000000000000 instead"),
    ],
)
def test_other_floats_are_refused_with_line_and_cure(value: float, cure: str) -> None:
    with pytest.raises(InexactError) as refused:
        exact(1) * value
    assert "in line " in str(refused.value)
    assert "`exact(1) * value`" in str(refused.value)
    assert cure in str(refused.value)
    with pytest.raises(InexactError, match="rounded to a float"):
        math.sqrt(exact(2))


def test_numbers_without_a_value_are_carried_but_not_compared() -> None:
    nothing = exact(1) / 0
    assert not (nothing + 1).has_value
    with pytest.raises(NoValueError, match="a division by 0 in line"):
        assert nothing > 0
    x = exact_array([Fraction(0), Fraction(2)])
    assert np.where(x > 0, 1 / x, 0).tolist() == [0, Fraction(1, 2)]
    assert ((x == 0) | (1 / x < 1)).tolist() == [True, True]
    assert np.isfinite(1 / x).tolist() == [False, True]
    with pytest.raises(NoValueError):
        bool(np.all(1 / x > 0))
    assert np.max(exact_array([-math.inf, 1])) == 1
    assert np.exp(exact_array([-math.inf])).tolist() == [0]


def test_a_budget_of_digits_ends_numbers_that_grow() -> None:
    with at_most_digits(50):
        assert exact(3) ** 100 == 3**100
        with pytest.raises(DigitsError, match="50 digits"):
            exact(3) ** 200
        with pytest.raises(DigitsError):
            math.prod([exact("3/2")] * 200)
    assert exact(3) ** 200 == 3**200
    with pytest.raises(ValueError, match="at least 1"), at_most_digits(0):
        pass


ARRAY = [[Fraction(1, 3), Fraction(2)], [Fraction(3), Fraction(-1)]]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x @ x,
        lambda x: np.maximum(0, x) / 2,
        lambda x: np.abs(x).max(axis=0, keepdims=True),
        lambda x: np.where(x > 0, x, 0.5).sum(axis=-1),
        lambda x: np.mean(x, axis=1) - x.mean(),
        lambda x: np.linalg.norm(x, axis=-1),
        lambda x: np.linalg.norm(x, ord=1, axis=0) + np.linalg.norm(x, ord=np.inf, axis=0),
        np.linalg.norm,
        lambda x: np.linalg.solve(x, np.array([1, 2])),
        lambda x: np.linalg.inv(x) + np.linalg.det(x),
        lambda x: np.einsum("ij,ij->i", x, x),
        lambda x: np.std(x, axis=0, ddof=1) + x.var(),
        lambda x: np.cumsum(x, axis=1) * np.prod(x),
        lambda x: np.sort(x, axis=-1)[:, ::-1] + np.median(x, axis=0),
        lambda x: np.sqrt(np.abs(x)) + np.cbrt(x) + np.hypot(x, 1),
        lambda x: np.log1p(np.abs(x)) + np.expm1(x) + np.log2(np.abs(x)) + np.tanh(x) + np.logaddexp(x, 0),
        lambda x: np.clip(x, 0, 1) + x.clip(min=-0.5) + np.sign(x) + np.floor(x) + np.rint(x),
        lambda x: np.stack([x, 2 * x]).sum(axis=(0, 2)),
        lambda x: np.concatenate([x, np.zeros((1, 2))]) + np.ones_like(x).sum(),
        lambda x: np.outer(x[0], x[1]) + np.dot(x, x.T) + np.eye(2),
        lambda x: x[np.arange(2), np.argmax(x, axis=-1)],
        lambda x: (x.astype(int) + (x > 1).astype(float)) * np.linspace(0, 1, 5)[1],
        lambda x: np.power(np.abs(x), 1.5) + np.abs(x) ** -0.5,
        lambda x: np.logical_and(x > 0, x < 3) | ~(x >= 2),
        lambda x: np.average(x, axis=0, weights=np.array([1.0, 3.0])) + np.average(x, axis=-1),
    ],
)
def test_arrays_give_what_numpy_gives_without_rounding(function) -> None:
    floats = np.asarray(function(np.asarray(ARRAY, dtype=np.float64)), dtype=np.float64)
    found = np.asarray(exact_copy(function)(exact_array(ARRAY)))
    assert found.shape == floats.shape
    for fast, slow in zip(floats.flat, found.flat, strict=True):
        side = decide(int(slow) if isinstance(slow, (bool, np.bool_)) else slow, 0).lhs
        assert isinstance(slow, (Exact, bool, np.bool_))
        assert float(side) == pytest.approx(float(fast), rel=1e-12, abs=1e-12)


def test_integers_do_not_wrap_around_in_a_copy() -> None:
    def powers(x):
        return (np.arange(1, 6) ** 30)[-1] * x + np.prod([10**10] * 5)

    assert exact_copy(powers)(exact(1)) == 5**30 + 10**50
    assert exact_array(np.array([3]))[0] ** 50 == 3**50


def test_in_place_changes_stay_exact() -> None:
    x = exact_array(ARRAY)
    y = x.copy()
    y += 1
    y[0, 0] = 5
    assert y.tolist() == [[5, 3], [4, 0]]
    with pytest.raises(InexactError, match=r"0\.1"):
        y[0, 1] = 0.1
    with pytest.raises(InexactError, match="no exact version"):
        np.linalg.eigvalsh(x)


@given(POSITIVE, POSITIVE, st.integers(1, 5), st.integers(-4, 4))
def test_intervals_of_the_scripts_hold_the_exact_numbers(x: Fraction, y: Fraction, q: int, p: int) -> None:
    power = Fraction(p, q)
    found = (Interval(x) ** power - y) * 3 / (1 + Interval(y) ** Fraction(1, q)) - 2 / Interval(x)
    wanted = (exact(x) ** power - y) * 3 / (1 + exact(y) ** Fraction(1, q)) - 2 / exact(x)
    assert found.low <= wanted <= found.high
    assert found.high - found.low <= Fraction(1, 10**90)


def test_an_open_maximum_encloses_the_larger_number_at_every_precision() -> None:
    x = exact(2).log()
    y = x + Fraction(1, 2**5000)  # further than 4,096 bits can tell: which is larger stays open
    with pytest.raises(UndecidedError):
        _ = x < y
    low, high = y.enclosure(8192)
    for top in (x.maximum(y), y.maximum(x)):
        for precision in (128, 4096, *range(4990, 5012), 8192):
            below, above = top.enclosure(precision)
            assert below <= low, precision
            assert high <= above, precision
        assert top.enclosure(8192)[0] > x.enclosure(8192)[1]
        least = -((-x).maximum(-y))
        assert least.enclosure(8192)[1] < low
    assert decide(x.maximum(y), Fraction(7, 10)).outcome is Sides.NOT_VIOLATED
    assert decide(x.maximum(y), Fraction(69, 100)).outcome is Sides.VIOLATED
