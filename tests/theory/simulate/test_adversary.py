"""Greedy adversaries do what their information allows, and no more."""

from __future__ import annotations

import numpy as np
import pytest

from theory import FedWorse, Scheduled, quadratic_family, simulate
from theory.noise.laws import SignNoise
from theory.simulate.adversary import GreedyVertex, WorstLocalModel, worst_cohort


def squared_distance(models):
    return (models**2).sum(axis=-1)


def run(rule, n=4000, n_rounds=20, seed=0):
    """Identical clients w²/2 with sign noise, started at the optimum: E‖w_T‖² over n replicas."""
    federation = quadratic_family(n_clients=4, dim=1, seed=0, structure="equal", condition=1.0, spread=0.0)
    steps = np.full(n_rounds, 0.2)
    noise = SignNoise((1.0, 1.0, 1.0, 1.0))
    start = np.zeros((n, 1))
    found = simulate(federation, rule(start), start=start, step_sizes=steps, n_local_steps=1, noise=noise, seed=seed)
    return found, float((found.final**2).mean())


def test_only_weights_that_see_the_round_bias_the_noise() -> None:
    """For weights chosen before the samples E w_T² <= η²σ² Σ(1−ηc)^2t whatever they are; seeing them adds a bias."""
    federation_curvature = float(
        quadratic_family(n_clients=4, dim=1, seed=0, structure="equal", condition=1.0, spread=0.0).curvature[0, 0, 0]
    )
    rho = 1 - 0.2 * federation_curvature
    bound = 0.2**2 * (1 - rho ** (2 * 20)) / (1 - rho**2)
    results = {
        sees: run(lambda start, s=sees: GreedyVertex(start, squared_distance, s))[1]
        for sees in ("nothing", "past", "round")
    }
    error = 5 * bound * np.sqrt(2 / 4000)
    assert results["nothing"] == pytest.approx(bound, abs=error)
    assert results["past"] == pytest.approx(bound, abs=error)
    assert results["round"] > 1.5 * bound


def test_the_adversary_tracks_the_model_and_stays_on_the_simplex() -> None:
    found, _ = run(lambda start: GreedyVertex(start, squared_distance, "round"), n=50)
    assert np.all(found.weights.sum(axis=-1) == 1)
    assert np.all(found.weights.max(axis=-1) == 1)
    again, _ = run(lambda start: Scheduled(found.weights), n=50)
    np.testing.assert_allclose(again.final, found.final, atol=1e-12)


def test_fedworse_by_the_local_models_keeps_the_noise_and_by_the_broadcast_model_does_not() -> None:
    """Identical clients of curvature c, rounds of two steps 1/(c(t + 4)): the gap stays, or falls as 1/T."""
    federation = quadratic_family(n_clients=4, dim=1, seed=0, structure="equal", condition=1.0, spread=0.0)
    c = float(federation.curvature[0, 0, 0])
    n_steps, n = 400, 500
    steps = 1 / (c * (np.arange(n_steps) + 4))
    ends = {}
    for rule in (WorstLocalModel(), FedWorse()):
        start = np.full((n, 1), 0.01)
        noise = SignNoise((1.0, 1.0, 1.0, 1.0))
        found = simulate(federation, rule, start=start, step_sizes=steps, n_local_steps=2, noise=noise, seed=0)
        ends[type(rule)] = float((found.final**2).mean())
    # Both steps' noise is added up, so the farthest of four ends at more than one σ from the middle on average.
    assert ends[WorstLocalModel] > (1 / (2 * c)) ** 2
    assert ends[FedWorse] < 2 / (c**2 * n_steps)


def test_greedy_is_at_least_as_bad_as_any_fixed_vertex_over_one_round() -> None:
    federation = quadratic_family(n_clients=5, dim=3, seed=1, condition=20.0)
    start = np.ones((1, 3))
    score = squared_distance
    greedy = simulate(federation, GreedyVertex(start, score), start=start, step_sizes=np.full(4, 0.1), n_local_steps=4)
    for k in range(5):
        fixed = Scheduled(np.broadcast_to(np.eye(5)[k], (1, 1, 5)))
        other = simulate(federation, fixed, start=start, step_sizes=np.full(4, 0.1), n_local_steps=4)
        assert score(greedy.final)[0] >= score(other.final)[0] - 1e-12


def test_the_worst_off_take_part() -> None:
    federation = quadratic_family(n_clients=5, dim=2, seed=1)
    start = np.ones((3, 2))
    found = simulate(
        federation,
        Scheduled(np.full((1, 3, 5), 0.2)),
        start=start,
        step_sizes=np.full(3, 0.05),
        n_local_steps=1,
        participation=worst_cohort(2),
    )
    assert np.all(found.present.sum(axis=-1) == 2)
    losses = federation.losses(start[:, None, :])
    first = np.argsort(-losses, axis=-1)[:, :2]
    assert np.all(np.take_along_axis(found.present[0], first, axis=-1))


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="expected one of nothing, past, round"):
        GreedyVertex(np.zeros(1), squared_distance, "future")
    with pytest.raises(ValueError, match=r"worst_cohort\(size=0\)"):
        worst_cohort(0)
