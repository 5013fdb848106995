"""Rounds of many clients: the same as local steps one by one, in memory linear in their number."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import QuadraticFederation, SignNoise, inverse_steps, make_rule, quadratic_family, simulate
from theory.simulate.local_steps import eigen_work
from theory.simulate.local_steps.eigen_work import SharedEigenbasis
from theory.simulate.local_steps.work import LocalRound, StepwiseWork

EVERYTHING = ("models", "weights", "losses", "updates", "virtual", "step_losses", "gradients")


def answers(found: LocalRound, weights: Any, n_steps: int = 3) -> list[Any]:
    """All that a round can be asked."""
    several = np.stack([weights[..., :: (-1) ** e] for e in range(n_steps)])
    return [
        found.loss_before(),
        found.loss_after(),
        found.combine(weights),
        found.updates(),
        found.squares(),
        *found.steps(weights, spread=True),
        *found.steps_by_step(several),
    ]


@settings(max_examples=60)
@given(
    n=st.sampled_from([2, 7, 24, 25, 40]),
    d=st.integers(1, 7),
    batch=st.sampled_from([(), (3,), (2, 2)]),
    noisy=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_both_forms_of_the_sums_within_clients_equal_the_steps_themselves(
    n: int, d: int, batch: tuple[int, ...], noisy: bool, seed: int
) -> None:
    federation = quadratic_family(n_clients=n, dim=d, seed=seed, floor_scale=1.0)
    rng = np.random.default_rng(seed)
    model, weights = rng.normal(size=(*batch, d)), rng.dirichlet(np.ones(n), size=batch)
    etas = 0.1 / (1.0 + np.arange(3)) / float(federation.constants().L)
    noise = rng.normal(size=(3, *batch, n, d)) if noisy else None
    expected = answers(StepwiseWork(federation).run(model, etas, noise, None, path=True), weights)
    found = answers(SharedEigenbasis(federation).run(model, etas, noise, None, path=True), weights)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)
    short = SharedEigenbasis(federation).run(model, etas, noise, None, path=False)
    np.testing.assert_allclose(short.combine(weights), expected[2], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(short.loss_after(), expected[1], rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("noise", [None, 0.3])
def test_few_and_many_clients_walk_the_same_way(monkeypatch: pytest.MonkeyPatch, noise: float | None) -> None:
    """The same run with the number of clients counted as few and as many."""
    federation = quadratic_family(n_clients=12, dim=5, seed=3)
    drawn = None if noise is None else SignNoise((noise,) * 12)
    start = np.linspace(0.5, 1.5, 7)[:, None] * np.ones(5)
    runs = []
    for few in (0, 12):
        monkeypatch.setattr(eigen_work, "_BLOCK", few)
        assert SharedEigenbasis(federation).many == (few == 0)
        runs.append(
            simulate(
                federation,
                make_rule("exp-alpha", alpha=1.0),
                start=start,
                step_sizes=inverse_steps(2.0, 20.0, 12),
                n_local_steps=4,
                noise=drawn,
                record=EVERYTHING,
            )
        )
    for name in ("models", "weights", "loss_before", "loss_after", "updates", "virtual", "spread", "gradients"):
        np.testing.assert_allclose(getattr(runs[0], name), getattr(runs[1], name), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(runs[0].step_losses, runs[1].step_losses, rtol=1e-11, atol=1e-11)


def peak_of_a_run(n: int) -> int:
    federation = quadratic_family(n_clients=n, dim=4, seed=0)
    tracemalloc.start()
    try:
        simulate(
            federation,
            make_rule("fed-soft-worse", temperature=1.0),
            start=np.ones(4),
            step_sizes=inverse_steps(2.0, 20.0, 6),
            n_local_steps=3,
        )
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_linear_in_the_number_of_clients() -> None:
    """Twice the clients take about twice the memory; a matrix between all clients would take four times as much."""
    peak_of_a_run(500)  # what the first run keeps
    small, large = peak_of_a_run(1000), peak_of_a_run(2000)
    assert large < 2.2 * small
    assert large < 2000 * 4 * 8 * 100  # a hundred numbers a coordinate of each client; a matrix would hold 2,000


def test_updates_are_kept_only_when_asked_for() -> None:
    federation = QuadraticFederation(np.ones((2, 1, 1)), np.zeros((2, 1)), np.zeros(2), np.full(2, 0.5))
    given_steps: dict[str, Any] = {"start": np.ones(1), "step_sizes": np.full(2, 0.5), "n_local_steps": 1}
    assert simulate(federation, make_rule("proportional"), **given_steps).updates is None
    kept = simulate(federation, make_rule("proportional"), record=("updates",), **given_steps).updates
    np.testing.assert_array_equal(kept[:, :, 0], [[-0.5, -0.5], [-0.25, -0.25]])
