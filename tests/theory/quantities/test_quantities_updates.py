"""Diversity, cosines and consensus: closed forms, identities the papers use, and limits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theory.quantities as q
from tests.theory.strategies import decimals, rounds, shares
from theory import RoundStats, make_rule, min_norm_point

EVERYONE = np.ones(3, bool)


def test_lud_and_gamma_of_orthonormal_identical_and_opposite_updates() -> None:
    third = np.full(3, 1 / 3)
    assert q.local_update_diversity(np.eye(3), third) == pytest.approx(3**0.5)
    assert q.realised_gamma(np.eye(3), third) == pytest.approx(3.0)
    assert q.local_update_diversity(np.ones((3, 2)), third) == pytest.approx(1.0)
    assert q.realised_gamma(np.ones((3, 2)), third) == pytest.approx(1.0)
    opposite = np.asarray([[1.0], [-1.0]])
    assert q.local_update_diversity(opposite, np.full(2, 0.5)) == np.inf
    assert q.realised_gamma(opposite, np.full(2, 0.5)) == np.inf
    assert np.isnan(q.local_update_diversity(0 * opposite, np.full(2, 0.5)))
    assert np.isnan(q.realised_gamma(0 * opposite, np.full(2, 0.5)))


@given(stats=rounds())
def test_diversity_is_at_least_one_and_at_most_the_root_of_gamma(stats: RoundStats) -> None:
    assert stats.updates is not None
    lud = q.local_update_diversity(stats.updates, stats.share)
    gamma = q.realised_gamma(stats.updates, stats.share)
    if np.isfinite(lud) and lud < 1e6:  # beyond, G is rounding
        assert 1 - 1e-9 <= lud <= np.sqrt(gamma) * (1 + 1e-9)
        uniform = np.full(stats.n_clients, 1 / stats.n_clients)
        cohort = np.ones(stats.n_clients, bool)
        gram = stats.updates @ stats.updates.T
        elud = q.update_diversity(gram, cohort)
        if elud < 1e6:
            assert q.local_update_diversity(stats.updates, uniform) == pytest.approx(elud)


def test_lud_uses_the_expectation_of_both_squares_not_of_their_ratio() -> None:
    updates = np.asarray([[[1.0], [1.0]], [[3.0], [-1.0]]])  # two replicas of two clients
    half = np.full(2, 0.5)
    # 𝔼 of ½(1 + 1) and ½(9 + 1) is 3; of 1² and 1² is 1.
    assert q.local_update_diversity(updates, half, replica_axis=0) == pytest.approx(3**0.5)
    # 𝔼‖g₁‖² = 5, 𝔼‖g₂‖² = 1.
    assert q.realised_gamma(updates, half, replica_axis=0) == pytest.approx(5.0)


def test_mean_update_diversity_is_a_mean_over_rounds() -> None:
    grams = np.stack([np.eye(3), np.ones((3, 3))])
    assert q.mean_update_diversity(grams, np.stack([EVERYONE, EVERYONE])) == pytest.approx((3**0.5 + 1) / 2)


def test_cosines_by_hand() -> None:
    updates = np.asarray([[2.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])
    gram = updates @ updates.T
    assert q.coherence_sum(gram, EVERYONE) == pytest.approx(-1.0)
    assert q.mean_pairwise_cosine(gram, EVERYONE) == pytest.approx(-1 / 3)
    assert q.mean_pairwise_cosine(gram, np.asarray([True, True, False])) == pytest.approx(0.0)
    assert np.isnan(q.mean_pairwise_cosine(gram, np.asarray([True, False, False])))
    assert q.coherence_sum(gram, np.asarray([True, False, False])) == 0.0
    # G = (0.5·2 − 0.25·1, 0.25·3) = (0.75, 0.75)
    coherence = q.client_coherence(gram, np.asarray([0.5, 0.25, 0.25]))
    assert coherence == pytest.approx([2**-0.5, 2**-0.5, -(2**-0.5)])
    for scale in (1e-140, 1e140):
        assert q.client_coherence(gram * scale**2, np.asarray([0.5, 0.25, 0.25])) == pytest.approx(coherence)


def test_a_zero_update_has_no_cosine_unless_it_is_absent() -> None:
    updates = np.asarray([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    gram = updates @ updates.T
    assert np.isnan(q.mean_pairwise_cosine(gram, EVERYONE))
    assert q.mean_pairwise_cosine(gram, np.asarray([True, True, False])) == pytest.approx(2**-0.5)
    coherence = q.client_coherence(gram, np.asarray([0.5, 0.5, 0.0]))
    assert np.isnan(coherence).tolist() == [False, False, True]


@given(stats=rounds())
def test_cosines_ignore_everyones_length(stats: RoundStats) -> None:
    assert stats.updates is not None
    lengths = np.arange(1.0, stats.n_clients + 1)[:, None]
    gram, scaled = (u @ u.T for u in (stats.updates, lengths * stats.updates))
    np.testing.assert_allclose(
        q.mean_pairwise_cosine(gram, stats.present), q.mean_pairwise_cosine(scaled, stats.present), atol=1e-12
    )


@given(
    draws=st.lists(st.lists(decimals(-4, 4), min_size=6, max_size=6), min_size=2, max_size=5),
    weights=shares(3),
    unbiased=st.booleans(),
)
def test_second_moment_is_variance_plus_consensus(
    draws: list[list[float]], weights: np.ndarray, unbiased: bool
) -> None:
    updates = np.asarray(draws).reshape(-1, 3, 2)
    second = (q.pseudo_gradient(updates, weights) ** 2).sum(-1).mean()
    variance = q.combined_variance(updates, weights, replica_axis=0, unbiased=unbiased)
    assert variance + q.consensus(updates, weights, replica_axis=0, unbiased=unbiased) == pytest.approx(second)
    # Jensen, as FA-VAR uses it: the variance of the combination is at most the combination of the variances.
    alone = sum(
        w * q.combined_variance(updates, np.eye(3)[i], replica_axis=0, unbiased=unbiased) for i, w in enumerate(weights)
    )
    assert variance <= alone + 1e-9


def test_unbiased_estimates_average_to_the_truth() -> None:
    """All samples of two from three equally likely outcomes: the mean of the estimates is exact, the plain one is not.

    G ∈ {0, 3, 6}: ρ = 9, 𝕍 = 6.
    """
    outcomes = np.asarray([0.0, 3.0, 6.0])
    pairs = np.stack(np.meshgrid(outcomes, outcomes), axis=-1).reshape(9, 2, 1, 1)
    one = np.ones(1)
    assert q.consensus(pairs, one, replica_axis=1, unbiased=True).mean() == pytest.approx(9.0)
    assert q.consensus(pairs, one, replica_axis=1).mean() == pytest.approx(9.0 + 6.0 / 2)
    assert q.combined_variance(pairs, one, replica_axis=1, unbiased=True).mean() == pytest.approx(6.0)
    assert q.combined_variance(pairs, one, replica_axis=1).mean() == pytest.approx(3.0)


def test_the_replica_axis_may_be_named_from_either_end_and_weights_may_follow_it() -> None:
    rng = np.random.default_rng(0)
    updates, weights = rng.normal(size=(4, 7, 3, 2)), rng.dirichlet(np.ones(3), (4, 7))
    first, second = (q.consensus(updates, weights, replica_axis=a) for a in (1, -3))
    assert first.shape == (4,)
    np.testing.assert_array_equal(first, second)
    expected = (np.einsum("brk,brkd->brd", weights, updates).mean(1) ** 2).sum(-1)
    np.testing.assert_allclose(first, expected)
    for axis in (2, -2, 4, -5):
        with pytest.raises(ValueError, match=rf"replica_axis={axis}: .*\(4, 7, 3, 2\)"):
            q.consensus(updates, weights, replica_axis=axis)
    with pytest.raises(ValueError, match="1 replica; expected at least 2"):
        q.combined_variance(updates[:1], weights[:1], replica_axis=0, unbiased=True)


def test_dynamics_and_forgetting_by_hand() -> None:
    rho, chi = np.asarray([4.0, 2.0]), np.asarray([0.0, 3.0])
    assert q.consensus_dynamics(rho, local_lr=0.5, n_local_steps=3) == pytest.approx(3.0 / 0.75)
    assert q.reweighted_consensus_dynamics(chi, rho, local_lr=0.5, n_local_steps=3) == pytest.approx(3.0 / 0.75)
    assert q.reweighted_consensus_dynamics(0 * chi, rho, local_lr=0.5, n_local_steps=3) == 0.0
    assert q.forgetting_factor(np.asarray([0.0, 0.1, 1.0]), alpha=0.5).tolist() == [1.0, 0.95**2, 0.25]
    with pytest.raises(ValueError, match=r"forgetting_factor\(alpha=1.5\)"):
        q.forgetting_factor(np.ones(1), alpha=1.5)


def test_pareto_gap_inside_on_and_outside_the_hull_of_the_minimisers() -> None:
    inside = np.asarray([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    assert q.pareto_gap(inside) == pytest.approx(0.0, abs=1e-8)
    assert q.pareto_gap(np.asarray([[3.0, 1.0], [-2.0, 1.0]])) == pytest.approx(1.0)
    assert q.pareto_gap(np.eye(4)) == pytest.approx(0.5)  # FA-MN10
    assert q.pareto_gap(np.zeros((2, 3))) == 0.0


@given(stats=rounds(max_clients=4))
def test_pareto_gap_is_below_every_combination(stats: RoundStats) -> None:
    assert stats.updates is not None
    gap = q.pareto_gap(stats.updates)
    assert gap <= np.linalg.norm(q.pseudo_gradient(stats.updates, stats.share)) + 1e-7
    assert gap <= np.linalg.norm(stats.updates, axis=-1).min() + 1e-7
    squared = min_norm_point(stats.updates @ stats.updates.T).squared_norm
    assert gap**2 == pytest.approx(squared, abs=1e-9)


def test_the_min_norm_rule_reaches_the_gap() -> None:
    updates = np.random.default_rng(1).normal(size=(4, 5))
    stats = RoundStats(share=np.full(4, 0.25), present=np.ones(4, bool), updates=updates)
    combined = q.pseudo_gradient(updates, make_rule("min-norm")(stats))
    assert np.linalg.norm(combined) == pytest.approx(q.pareto_gap(updates))
