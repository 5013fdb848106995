"""The exact reference itself, on answers known by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given

from tests.theory.strategies import rounds
from theory import RoundStats, chi_square, update_diversity, weight_discrepancy, weighted_excess, weighting_skew
from theory.exact import ball, decide_less, is_positive_semidefinite, quadratic_optimum, rational, rotated, solve
from theory.exact.reference import quantities as exact
from theory.exact.reference.weights import fed_worse, min_norm


def test_rationals_are_the_floats_exactly() -> None:
    assert rational(0.1) == fmpq(3602879701896397, 36028797018963968)
    assert rational(["1/3", 2]) == [fmpq(1, 3), fmpq(2)]
    with pytest.raises(ValueError, match="finite"):
        rational(float("nan"))


def test_solving_pivots_and_reports_singular_systems() -> None:
    half = Fraction(1, 2)
    assert solve([[Fraction(0), Fraction(2)], [half, Fraction(0)]], [Fraction(1), Fraction(1)]) == [2, half]
    with pytest.raises(ZeroDivisionError):
        solve([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]], [Fraction(1), Fraction(0)])


def test_definiteness_is_decided_exactly() -> None:
    tiny = Fraction(1, 10**40)
    assert is_positive_semidefinite([[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]])
    assert not is_positive_semidefinite([[Fraction(1), 1 + tiny], [1 + tiny, Fraction(1)]])
    assert not is_positive_semidefinite([[Fraction(0), Fraction(1)], [Fraction(1), Fraction(5)]])


def test_a_rational_rotation_keeps_the_spectrum() -> None:
    (a, b), (_, d) = rotated([Fraction(2), Fraction(7)], Fraction(1, 3))
    assert a + d == 9
    assert a * d - b * b == 14


def test_optimum_of_two_scalar_clients() -> None:
    one = Fraction(1)
    best = quadratic_optimum([one / 4, 3 * one / 4], [[[one]], [[2 * one]]], [[Fraction(0)], [one]])
    assert best == [Fraction(6, 7)]


def test_balls_decide_or_say_that_they_cannot() -> None:
    assert decide_less(lambda: arb(2).sqrt(), lambda: arb(3).sqrt())
    assert not decide_less(lambda: arb(3).sqrt(), lambda: arb(2).sqrt())
    with pytest.raises(ArithmeticError, match="overlap"):
        decide_less(lambda: arb(2).sqrt() ** 2, lambda: arb(2), limit=512)


def test_an_undecided_argmax_raises() -> None:
    wide = ball(1) + arb(0, 0.5)
    with pytest.raises(ArithmeticError, match="undecided"):
        fed_worse([wide, ball(1)], [ball(0), ball(0)], [True, True])
    tie = [fmpq(1), fmpq(1), fmpq(0)]
    assert fed_worse(tie, [fmpq(0)] * 3, [True] * 3) == [fmpq(1, 2), fmpq(1, 2), fmpq(0)]


def test_min_norm_refuses_many_clients() -> None:
    with pytest.raises(ValueError, match="at most 8"):
        min_norm([[fmpq(1)]] * 9, [True] * 9)


@given(stats=rounds())
def test_quantities_match_their_exact_versions(stats: RoundStats) -> None:
    share, before, best = (rational(x.tolist()) for x in (stats.share, stats.loss_before, stats.loss_best - 20))
    weights = rational([1.0] + [0.0] * (stats.n_clients - 1))
    a, low = stats.share * 0, stats.loss_best - 20  # every client above its best loss
    a[0] = 1

    def close(fast: float, slow: fmpq) -> None:
        assert float(fast) == pytest.approx(float(slow.p) / float(slow.q), rel=1e-9, abs=1e-9)

    close(weighted_excess(a, stats.loss_before, low), exact.weighted_excess(weights, before, best))
    close(weighting_skew(a, stats.share, stats.loss_before, low), exact.weighting_skew(weights, share, before, best))
    close(chi_square(a, stats.share), exact.chi_square(weights, share))
    close(weight_discrepancy(a, stats.share), exact.weight_discrepancy(weights, share))
    updates = rational((stats.updates + 5.0).tolist())
    gram = (stats.updates + 5.0) @ (stats.updates + 5.0).T
    close(update_diversity(gram, stats.present | True) ** 2, exact.square_update_diversity(updates))
