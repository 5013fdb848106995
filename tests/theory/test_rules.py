"""One battery for every rule of the registry: a new rule is tested by being listed."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import rounds
from theory import (
    RULES,
    ExpAlpha,
    FedSoftWorse,
    FedWorse,
    MinNorm,
    Proportional,
    RoundStats,
    SampledByWeights,
    Scheduled,
    make_rule,
)
from theory.exact import ball, rational
from theory.exact import weights as exact

NAMES = [entry.name for entry in RULES]


def to_torch(stats: RoundStats) -> RoundStats:
    def move(value: Any) -> Any:
        return torch.from_numpy(np.ascontiguousarray(value)) if isinstance(value, np.ndarray) else value

    return RoundStats(**{f.name: move(getattr(stats, f.name)) for f in fields(stats)})


@pytest.mark.parametrize("name", NAMES)
@given(stats=rounds())
def test_weights_lie_on_the_simplex_and_absent_clients_get_exactly_zero(name: str, stats: RoundStats) -> None:
    weights = make_rule(name)(stats)
    assert weights.shape == stats.share.shape
    assert np.all(weights >= 0)
    assert abs(weights.sum() - 1) <= 4 * weights.size * np.finfo(float).eps
    assert np.all(weights[~stats.present] == 0)


@pytest.mark.parametrize("name", NAMES)
@given(stats=rounds())
def test_numpy_and_torch_agree(name: str, stats: RoundStats) -> None:
    rule = make_rule(name)  # the very same object for both
    from_torch = rule(to_torch(stats))
    assert isinstance(from_torch, torch.Tensor)
    np.testing.assert_allclose(from_torch.numpy(), rule(stats), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(stats=rounds(), data=st.data())
def test_permuting_clients_permutes_weights(name: str, stats: RoundStats, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(stats.n_clients)))
    moved = RoundStats(
        **{
            f.name: getattr(stats, f.name)[list(order)]
            if isinstance(getattr(stats, f.name), np.ndarray)
            else getattr(stats, f.name)
            for f in fields(stats)
        }
    )
    rule = make_rule(name)
    before, after = rule(stats), rule(moved)
    if name == "min-norm":  # weights need not be unique, the combined update is
        np.testing.assert_allclose(after @ moved.updates, before @ stats.updates, atol=1e-6)
    else:
        np.testing.assert_allclose(after, before[list(order)], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
@given(first=rounds(max_clients=3), second=rounds(max_clients=3))
def test_a_batch_is_a_loop(name: str, first: RoundStats, second: RoundStats) -> None:
    if first.n_clients != second.n_clients:
        return
    arrays = ("share", "present", "loss_before", "loss_after", "loss_best", "updates")
    both = RoundStats(**{f: np.stack([getattr(first, f), getattr(second, f)]) for f in arrays})
    rule = make_rule(name)
    np.testing.assert_allclose(rule(both), np.stack([rule(first), rule(second)]), atol=1e-12)


@given(stats=rounds())
def test_rules_match_their_exact_versions(stats: RoundStats) -> None:
    share, before, after, best = (
        [ball(float(v)) for v in x] for x in (stats.share, stats.loss_before, stats.loss_after, stats.loss_best)
    )
    present = [bool(p) for p in stats.present]
    pairs = {
        "proportional": exact.proportional(share, present),
        "exp-alpha": exact.exp_alpha(before, after, present, ball(0.5)),
        "fed-soft-worse": exact.fed_soft_worse(share, before, best, present, ball(0.5)),
        "fed-worse": exact.fed_worse(rational(stats.loss_before.tolist()), rational(stats.loss_best.tolist()), present),
    }
    settings = {"exp-alpha": {"alpha": 0.5}, "fed-soft-worse": {"temperature": 0.5}}
    for name, reference in pairs.items():
        expected = [float(x.p) / float(x.q) if hasattr(x, "q") else float(x) for x in reference]
        np.testing.assert_allclose(make_rule(name, **settings.get(name, {}))(stats), expected, rtol=1e-12, atol=1e-14)


@given(stats=rounds(max_clients=4))
def test_min_norm_matches_exact_enumeration(stats: RoundStats) -> None:
    reference = exact.min_norm(rational(stats.updates.tolist()), [bool(p) for p in stats.present])
    expected = np.asarray([float(w.p) / float(w.q) for w in reference]) @ stats.updates
    scale = max(1.0, float(np.abs(stats.updates).max()))
    np.testing.assert_allclose(MinNorm()(stats) @ stats.updates, expected, atol=1e-6 * scale)


@given(stats=rounds())
def test_limits_of_the_temperatures(stats: RoundStats) -> None:
    fedavg = Proportional()(stats)
    np.testing.assert_allclose(FedSoftWorse(1e9)(stats), fedavg, atol=1e-7)
    np.testing.assert_allclose(ExpAlpha(1e9, data_size=True)(stats), fedavg, atol=1e-7)
    even = stats.present / stats.present.sum()
    np.testing.assert_allclose(ExpAlpha(1e9)(stats), even, atol=1e-7)
    hard = FedWorse()(stats)
    if (hard > 0).sum() == 1:
        np.testing.assert_allclose(FedSoftWorse(1e-4)(stats), hard, atol=1e-12)


@pytest.mark.parametrize("name", ["exp-alpha", "fed-soft-worse", "fed-worse"])
def test_huge_losses_stay_finite(name: str) -> None:
    loss = np.asarray([1e300, -1e300, 3.0])
    zero = np.zeros(3)
    stats = RoundStats(
        share=np.full(3, 1 / 3), present=np.ones(3, bool), loss_before=loss, loss_after=zero, loss_best=zero
    )
    weights = make_rule(name)(stats)
    assert np.all(np.isfinite(weights))
    assert weights.sum() == pytest.approx(1)


def test_exp_alpha_leans_towards_the_client_whose_loss_fell_least() -> None:
    half = np.full(2, 0.5)
    stats = RoundStats(share=half, present=np.ones(2, bool), loss_before=np.ones(2), loss_after=np.asarray([0.9, 0.1]))
    weights = ExpAlpha(alpha=0.2)(stats)
    assert weights[0] / weights[1] == pytest.approx(np.exp(0.8 / 0.2))


def test_fed_worse_shares_ties_equally() -> None:
    stats = RoundStats(
        share=np.asarray([0.6, 0.2, 0.2]),
        present=np.ones(3, bool),
        loss_before=np.asarray([2.0, 2.0, 1.0]),
        loss_best=np.zeros(3),
    )
    assert FedWorse()(stats).tolist() == [0.5, 0.5, 0.0]


def test_scheduled_keeps_its_last_row_and_renormalises_over_the_cohort() -> None:
    rule = Scheduled(np.asarray([[1.0, 0.0], [0.25, 0.75]]))
    stats = RoundStats(share=np.full(2, 0.5), present=np.ones(2, bool), round=7)
    assert rule(stats).tolist() == [0.25, 0.75]
    assert rule(replace(stats, present=np.asarray([True, False]))).tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match="no client with positive weight"):
        rule(replace(stats, round=0, present=np.asarray([False, True])))


@given(stats=rounds(), k=st.integers(1, 5))
def test_sampling_by_weights_draws_multiples_of_one_kth_from_the_cohort(stats: RoundStats, k: int) -> None:
    rule = SampledByWeights(ExpAlpha(1.0), n_sampled=k, seed=3)
    weights = rule(stats)
    np.testing.assert_allclose(weights * k, np.round(weights * k), atol=1e-12)
    assert weights.sum() == pytest.approx(1)
    assert np.all(weights[~stats.present] == 0)
    np.testing.assert_array_equal(rule(stats), weights)
    np.testing.assert_array_equal(rule(to_torch(stats)).numpy(), weights)


def test_sampling_by_weights_is_unbiased_for_the_rule_it_samples() -> None:
    n, share = 40_000, np.asarray([0.5, 0.3, 0.2])
    batch = RoundStats(share=np.tile(share, (n, 1)), present=np.ones((n, 3), bool))
    mean = SampledByWeights(Proportional(), n_sampled=2)(batch).mean(axis=0)
    assert np.all(np.abs(mean - share) < 5 * np.sqrt(share * (1 - share) / (2 * n)))
    with pytest.raises(ValueError, match="n_sampled=0"):
        SampledByWeights(Proportional(), n_sampled=0)
