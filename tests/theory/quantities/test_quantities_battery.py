"""One battery for every quantity: torch agrees with NumPy, a batch is a loop, and nobody's number depends on order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

import theory.quantities as q

Data = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """How to call a quantity on data whose leading axes are (rounds, batch), and what its result's axes are."""

    call: Callable[[Data], Any]
    over_rounds: bool = False
    per_client: bool = False


LOCAL = {"local_lr": 0.1, "n_local_steps": 3}
CASES: dict[str, Case] = {
    "weighted_excess": Case(lambda d: q.weighted_excess(d["a"], d["loss"], d["best"])),
    "heterogeneity": Case(lambda d: q.heterogeneity(d["p"], d["loss"], d["best"])),
    "excess_at_optimum": Case(lambda d: q.excess_at_optimum(d["a"], d["loss"], d["best"])),
    "greatest_excess_at_optimum": Case(lambda d: q.greatest_excess_at_optimum(d["a"], d["loss"], d["best"]), True),
    "excess_at_model": Case(lambda d: q.excess_at_model(d["a"], d["loss"], d["best"])),
    "least_excess_at_model": Case(lambda d: q.least_excess_at_model(d["a"], d["loss"], d["best"]), True),
    "least_proportional_excess": Case(lambda d: q.least_proportional_excess(d["p"][0], d["loss"], d["best"]), True),
    "weighting_skew": Case(lambda d: q.weighting_skew(d["a"], d["p"], d["loss"], d["best"])),
    "least_skew": Case(lambda d: q.least_skew(d["a"], d["p"], d["loss"], d["best"]), True),
    "greatest_skew_at_optimum": Case(lambda d: q.greatest_skew_at_optimum(d["a"], d["p"], d["loss"], d["best"]), True),
    "share_ratio": Case(lambda d: q.share_ratio(d["a"], d["p"]), per_client=True),
    "share_ratio_range": Case(lambda d: q.share_ratio_range(d["a"], d["p"])[1]),
    "share_ratio_extremes": Case(lambda d: q.share_ratio_extremes(d["a"], d["p"])[0], True),
    "speed_floor": Case(
        lambda d: q.speed_floor(L=2.0, mu=1.0, heterogeneity=d["a"].sum(-1), start_squared_distance=3.0)
    ),
    "speed_term": Case(
        lambda d: q.speed_term(
            d["a"].sum(-1),
            L=2.0,
            mu=1.0,
            G=1.0,
            sigma=0.5,
            n_local_steps=3,
            heterogeneity=0.25,
            start_squared_distance=3.0,
        )
    ),
    "error_term": Case(
        lambda d: q.error_term(d["a"].sum(-1), 2 * d["p"].sum(-1), L=2.0, mu=1.0, heterogeneity=0.25),
    ),
    "chi_square": Case(lambda d: q.chi_square(d["a"], d["p"])),
    "weight_entropy": Case(lambda d: q.weight_entropy(d["a"])),
    "weight_discrepancy": Case(lambda d: q.weight_discrepancy(d["a"], d["p"])),
    "drift_constant": Case(lambda d: q.drift_constant(L=d["a"].sum(-1), **LOCAL)),
    "ssa_denominator": Case(lambda d: q.ssa_denominator(drift=0.1, discrepancy=d["a"].sum(-1), A=1.0)),
    "start_term": Case(lambda d: q.start_term(start_gap=d["a"].sum(-1), drift=0.1, n_rounds=7, **LOCAL)),
    "target_mismatch_term": Case(lambda d: q.target_mismatch_term(discrepancy=d["a"].sum(-1), drift=0.1, B=2.0)),
    "weighted_noise_term": Case(lambda d: q.weighted_noise_term(d["a"], drift=0.1, L=2.0, local_lr=0.1, sigma=0.5)),
    "drift_noise_term": Case(lambda d: q.drift_noise_term(sigma=d["a"].sum(-1), L=2.0, **LOCAL)),
    "drift_bias_term": Case(lambda d: q.drift_bias_term(drift=d["a"].sum(-1), B=2.0)),
    "noniid_gap": Case(lambda d: q.noniid_gap(d["loss"], d["best"]), per_client=True),
    "biased_round": Case(lambda d: q.biased_round(d["a"], d["p"])),
    "biased_round_count": Case(lambda d: q.biased_round_count(d["steps"].sum(-1) > 4)),
    "bias_ceiling": Case(lambda d: q.bias_ceiling(d["a"], d["loss"] - d["best"], mu=0.5, n_local_steps=3), True),
    "any_inactive": Case(lambda d: q.any_inactive(d["steps"])),
    "coefficient_bound": Case(lambda d: q.coefficient_bound(d["a"], d["p"]), True),
    "pseudo_gradient": Case(lambda d: q.pseudo_gradient(d["g"], d["a"])),
    "combined_variance": Case(lambda d: q.combined_variance(d["replicas"], d["a"], replica_axis=0)),
    "consensus": Case(lambda d: q.consensus(d["replicas"], d["a"], replica_axis=0, unbiased=True)),
    "consensus_dynamics": Case(lambda d: q.consensus_dynamics(d["a"].sum(-1), **LOCAL), True),
    "reweighted_consensus_dynamics": Case(
        lambda d: q.reweighted_consensus_dynamics(d["a"].sum(-1), d["p"].sum(-1), **LOCAL), True
    ),
    "forgetting_factor": Case(lambda d: q.forgetting_factor(d["a"], alpha=0.5), per_client=True),
    "update_diversity": Case(lambda d: q.update_diversity(d["gram"], d["present"])),
    "mean_update_diversity": Case(lambda d: q.mean_update_diversity(d["gram"], d["present"]), True),
    "local_update_diversity": Case(lambda d: q.local_update_diversity(d["replicas"], d["a"], replica_axis=0)),
    "realised_gamma": Case(lambda d: q.realised_gamma(d["replicas"], d["a"], replica_axis=0)),
    "mean_pairwise_cosine": Case(lambda d: q.mean_pairwise_cosine(d["gram"], d["present"])),
    "coherence_sum": Case(lambda d: q.coherence_sum(d["gram"], d["present"])),
    "client_coherence": Case(lambda d: q.client_coherence(d["gram"], d["a"]), per_client=True),
    "pareto_gap": Case(lambda d: q.pareto_gap(d["g"])),
}


def data() -> Data:
    """Three rounds of two federations of four clients; `replicas` has five replicas of the updates in front."""
    rng = np.random.default_rng(3)
    best = rng.normal(size=(3, 2, 4))
    replicas = rng.normal(size=(5, 3, 2, 4, 6)) + 1.0
    g = replicas[0]
    return {
        "a": rng.dirichlet(np.ones(4), (3, 2)),
        "p": np.repeat(rng.dirichlet(np.ones(4), 2)[None], 3, axis=0),
        "best": best,
        "loss": best + rng.exponential(size=best.shape),
        "steps": rng.integers(0, 3, size=(3, 2, 4)),
        "replicas": replicas,
        "g": g,
        "gram": g @ g.swapaxes(-1, -2),
        "present": np.ones((3, 2, 4), bool),
    }


def client_axis(name: str) -> int:
    return -2 if name in ("g", "replicas", "gram") else -1


@pytest.mark.parametrize("name", CASES)
def test_numpy_and_torch_agree(name: str) -> None:
    ours = CASES[name].call(data())
    theirs = CASES[name].call({key: torch.from_numpy(np.ascontiguousarray(x)) for key, x in data().items()})
    assert isinstance(theirs, torch.Tensor)
    np.testing.assert_allclose(theirs.numpy(), ours, rtol=1e-12, atol=1e-12)  # a few roundings apart
    assert np.all(np.isfinite(np.asarray(ours, dtype=float)))


@pytest.mark.parametrize("name", CASES)
def test_a_batch_is_a_loop(name: str) -> None:
    case, whole = CASES[name], np.asarray(CASES[name].call(data()))
    for b in range(2):
        one = {key: x[:, :, b] if key == "replicas" else x[:, b] for key, x in data().items()}
        np.testing.assert_allclose(case.call(one), np.take(whole, b, axis=0 if case.over_rounds else 1), rtol=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_permuting_clients_changes_nothing_but_the_order(name: str) -> None:
    order, case, given = [2, 0, 3, 1], CASES[name], data()
    moved = {key: np.take(x, order, axis=client_axis(key)) for key, x in given.items()}
    moved["gram"] = moved["gram"][..., order]
    expected = np.asarray(case.call(given))
    np.testing.assert_allclose(case.call(moved), expected[..., order] if case.per_client else expected, atol=1e-9)


def test_every_public_quantity_is_in_the_battery() -> None:
    assert sorted(CASES) == sorted(q.__all__)
