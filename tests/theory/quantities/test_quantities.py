"""What is measured along a run, against hand-made cases and identities the papers state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from tests.theory.strategies import federations, rounds
from theory import (
    QuadraticFederation,
    RoundStats,
    chi_square,
    global_loss,
    heterogeneity,
    make_rule,
    update_diversity,
    weight_discrepancy,
    weighting_skew,
)


@given(federation=federations())
def test_the_optimum_has_no_gradient_and_the_least_loss(federation: QuadraticFederation) -> None:
    best = federation.optimum()
    pull = (federation.share[:, None] * federation.gradients(best[None, :])).sum(axis=0)
    assert np.abs(pull).max() <= 1e-9 * (1 + np.abs(federation.centers).max()) * float(federation.constants().L)
    assert global_loss(federation, best) <= global_loss(federation, best + 0.1) + 1e-12


@given(federation=federations())
def test_constants_bound_every_curvature(federation: QuadraticFederation) -> None:
    constants = federation.constants()
    probe = np.random.default_rng(0).normal(size=(federation.n_clients, federation.dim))
    form = np.einsum("ki,kij,kj->k", probe, federation.curvature, probe) / (probe**2).sum(axis=1)
    assert np.all(form >= constants.mu * (1 - 1e-9))
    assert np.all(form <= constants.L * (1 + 1e-9))


@given(federation=federations())
def test_heterogeneity_is_nonnegative_and_proportional_weights_have_no_skew(federation: QuadraticFederation) -> None:
    at_best = federation.losses(federation.optimum()[None, :])
    gamma = heterogeneity(federation.share, at_best, federation.floor)
    scale = 1 + np.abs(at_best).max()
    assert gamma >= -1e-12 * scale
    skew = weighting_skew(federation.share, federation.share, at_best + 1.0, federation.floor)
    assert skew == pytest.approx(1.0)


def test_skew_is_undefined_where_its_denominator_vanishes() -> None:
    zero = np.zeros(2)
    assert np.isnan(weighting_skew(np.full(2, 0.5), np.full(2, 0.5), zero, zero))


def test_weight_discrepancy_and_chi_square_by_hand() -> None:
    share, weights = np.asarray([0.5, 0.5]), np.asarray([1.0, 0.0])
    assert weight_discrepancy(weights, share) == pytest.approx(2 * 2 * 0.5)
    assert chi_square(weights, share) == pytest.approx(1.0)
    assert chi_square(share, share) == 0.0
    assert chi_square(weights, np.asarray([1.0, 0.0])) == 0.0
    assert chi_square(share, np.asarray([1.0, 0.0])) == np.inf


@given(stats=rounds())
def test_chi_square_is_the_second_moment_of_the_ratio_minus_one(stats: RoundStats) -> None:
    weights = make_rule("proportional")(stats)
    expected = (weights**2 / stats.share).sum() - 1
    assert chi_square(weights, stats.share) == pytest.approx(expected, abs=1e-12)


def test_update_diversity_of_orthogonal_equal_and_opposite_updates() -> None:
    everyone = np.ones(4, bool)
    assert update_diversity(np.eye(4), everyone) == pytest.approx(2.0)  # √N
    assert update_diversity(np.ones((4, 4)), everyone) == pytest.approx(1.0)
    opposite = np.asarray([[1.0, -1.0], [-1.0, 1.0]])
    assert update_diversity(opposite, np.ones(2, bool)) == np.inf
    assert np.isnan(update_diversity(np.zeros((2, 2)), np.ones(2, bool)))
    assert update_diversity(np.eye(4), np.asarray([True, True, False, False])) == pytest.approx(2**0.5)
