"""The simulator over every kind of federation and noise: it runs, it descends, and it agrees with hand-made steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory import Proportional, QuadraticFederation, SignNoise
from theory.federations.elastic import elastic
from theory.federations.empirical import load_xy, logistic_federation, ridge_federation, ridge_samples, split_clients
from theory.federations.families import from_spectra, quadratic_family
from theory.federations.federation import Federation, global_loss, gradient_bound
from theory.federations.nonconvex import RippledFederation
from theory.noise.laws import SharedNoise, SparseNoise, SphereNoise, correlated_participation
from theory.noise.minibatch import EpochNoise, MinibatchNoise, epoch_steps
from theory.participation.sampling import GivenSteps
from theory.participation.schedules import (
    constant_steps,
    efl_steps,
    geometric_steps,
    inverse_steps,
    proof_gamma,
    tuned_step,
    vanishing_steps,
)
from theory.simulate import simulate


@pytest.fixture(scope="module")
def data() -> tuple[Any, Any, Any]:
    X, y = load_xy("breast_cancer")
    return X, y, split_clients(y, 4, seed=0, skew=0.5)


def kinds(data: tuple[Any, Any, Any]) -> dict[str, Federation]:
    X, y, clients = data
    logistic = logistic_federation(X, y, clients, l2=0.5)
    quadratic = quadratic_family(n_clients=4, dim=3, seed=1)
    return {
        "quadratic": quadratic,
        "ridge": ridge_federation(X, y, clients, l2=0.5),
        "logistic": logistic,
        "elastic": elastic(quadratic, np.ones((4, 3)), np.zeros((4, 3)), 0.1),
        "elastic over logistic": elastic(logistic, np.ones((4, logistic.dim)), np.zeros((4, logistic.dim)), 0.1),
        "rippled": RippledFederation(np.eye(3), np.ones(3), np.full(3, 2.0), np.zeros(3), np.full(3, 1 / 3)),
    }


NAMES = ["quadratic", "ridge", "logistic", "elastic", "elastic over logistic", "rippled"]


@pytest.mark.parametrize("name", NAMES)
def test_every_federation_descends_and_keeps_its_records(name: str, data: tuple[Any, Any, Any]) -> None:
    federation = kinds(data)[name]
    L = float(np.asarray(federation.constants().L))
    start = np.asarray(federation.optimum()) + 0.3
    run = simulate(
        federation,
        Proportional(),
        start=start,
        step_sizes=constant_steps(0.2 / L, 60),
        n_local_steps=2,
        record=("models", "losses", "virtual", "step_losses", "gradients"),
    )
    losses = [float(global_loss(federation, w)) for w in run.models]
    assert losses[-1] < losses[0]
    np.testing.assert_allclose(
        run.loss_before[0], federation.losses(start[None, :] + 0 * federation.local_optima), rtol=1e-9
    )
    np.testing.assert_allclose(run.virtual[::2], run.models, rtol=1e-9, atol=1e-12)
    squares = (federation.gradients(start[None, :] + 0 * federation.local_optima) ** 2).sum(axis=-1)
    np.testing.assert_allclose(run.gradients[0], squares, rtol=1e-8, atol=1e-14)


@pytest.mark.parametrize("name", ["ridge", "logistic", "elastic over logistic"])
def test_the_certified_ball_holds_beyond_quadratics_of_spectra(name: str, data: tuple[Any, Any, Any]) -> None:
    federation = kinds(data)[name]
    start = np.asarray(federation.optimum()) + 0.5
    bound, radius = gradient_bound(federation, start, noise_bound=0.2)
    run = simulate(
        federation,
        Proportional(),
        start=start,
        step_sizes=constant_steps(1 / float(np.asarray(federation.constants().L)), 40),
        n_local_steps=4,
        noise=SphereNoise((0.2,) * federation.n_clients),
        record=("models", "gradients"),
    )
    assert np.linalg.norm(run.models - federation.optimum(), axis=-1).max() <= radius * (1 + 1e-9)
    assert np.sqrt(run.gradients.max()) <= bound * (1 + 1e-9)


def test_no_ball_is_certified_without_strong_convexity(data: tuple[Any, Any, Any]) -> None:
    with pytest.raises(ValueError, match=r"smallest strong convexity is -2.*must be > 0"):
        gradient_bound(kinds(data)["rippled"], np.zeros(3))


def test_minibatch_noise_makes_each_step_a_minibatch_step(data: tuple[Any, Any, Any]) -> None:
    X, y, clients = data
    samples = ridge_samples(X, y, clients, l2=0.5)
    federation = samples.federation()
    noise = MinibatchNoise(samples, batch_size=8)
    start = np.zeros(federation.dim)
    run = simulate(
        federation,
        Proportional(),
        start=start,
        step_sizes=constant_steps(0.01, 2),
        n_local_steps=2,
        noise=noise,
        seed=5,
    )
    local = np.zeros((federation.n_clients, federation.dim))
    for e in range(2):
        local = local - 0.01 * (federation.gradients(local) + noise.gradient_noise(local, 5, 0, e))
    np.testing.assert_allclose(run.final, (federation.share[:, None] * local).sum(axis=0), rtol=1e-12)
    full = simulate(federation, Proportional(), start=start, step_sizes=constant_steps(0.01, 2), n_local_steps=2)
    assert np.abs(full.final - run.final).max() > 1e-6


@pytest.mark.parametrize(
    "noise", [SphereNoise((0.5,) * 4), SparseNoise((0.5,) * 4), SharedNoise(SignNoise((0.5,) * 4))]
)
def test_every_noise_law_runs_with_the_stated_second_moment(noise: Any) -> None:
    """One step from the optimum of identical clients: E‖w₁ − w*‖² = η²·(Σaᵢ²σᵢ², or (Σaᵢσᵢ)² when shared)."""
    federation = QuadraticFederation(np.stack([np.eye(3)] * 4), np.zeros((4, 3)), np.zeros(4), np.full(4, 0.25))
    n = 20_000
    run = simulate(
        federation,
        Proportional(),
        start=np.zeros((n, 3)),
        step_sizes=constant_steps(0.5, 1),
        n_local_steps=1,
        noise=noise,
        record=(),
    )
    squares = (run.final**2).sum(axis=-1)
    expected = 0.25 * (0.25 if isinstance(noise, SharedNoise) else 4 * 0.25**2 * 0.25)
    assert abs(squares.mean() - expected) <= 6 * squares.std() / n**0.5 + 1e-12


def test_noise_correlated_with_participation() -> None:
    federation = QuadraticFederation(np.stack([np.eye(2)] * 3), np.zeros((3, 2)), np.zeros(3), np.full(3, 1 / 3))
    noise, law = correlated_participation(SignNoise((1.0,) * 3))
    run = simulate(
        federation,
        Proportional(),
        start=np.zeros((4000, 2)),
        step_sizes=constant_steps(0.5, 1),
        n_local_steps=1,
        noise=noise,
        participation=law,
    )
    # Only clients whose noise has a fixed sign in the first coordinate are there, so the mean update is biased.
    assert abs(run.final[:, 0].mean()) > 0.1
    assert abs(run.final[:, 1].mean()) < 0.02


def test_known_spectra_are_kept_and_agree_with_a_decomposition() -> None:
    family = quadratic_family(n_clients=3, dim=4, seed=2, n_federations=5)
    assert family.spectra is not None
    rebuilt = QuadraticFederation(family.curvature, family.centers, family.floor, family.share)
    np.testing.assert_allclose(np.sort(family.eigen()[0], axis=-1), rebuilt.eigen()[0], rtol=1e-9)
    spectrum, basis = family.eigen()
    np.testing.assert_allclose(basis @ (spectrum[..., None] * basis.swapaxes(-1, -2)), family.curvature, atol=1e-12)
    with pytest.raises(ValueError, match="smallest eigenvalue -1"):
        from_spectra(-np.ones((1, 2)), None, np.zeros((1, 2)), np.zeros(1), np.ones(1))


def test_schedules_are_the_printed_formulas() -> None:
    np.testing.assert_allclose(inverse_steps(2 / 0.5, 8.0, 3), [4 / 8, 4 / 9, 4 / 10])
    assert proof_gamma(2.0, 5) == 15.0
    assert proof_gamma(1.0, 20) == 19.0
    np.testing.assert_allclose(efl_steps(0.5, 4.0, 2, np.asarray([1.0, 2.0]), 2), [32 / 3, 32 / 3, 4.0, 4.0])
    np.testing.assert_allclose(vanishing_steps(4, 25), np.full(100, 0.1))
    np.testing.assert_allclose(geometric_steps(1e-3, 0.99, 1, 3), [1e-3, 0.99e-3, 0.99**2 * 1e-3])
    assert tuned_step(4.0, 1.0, 0.0, 0.1, 16) == pytest.approx(0.5)
    assert tuned_step(8.0, 0.0, 1.0, 0.1, 1) == pytest.approx(2.0)
    assert tuned_step(1.0, 0.0, 0.0, 4.0, 1) == 0.25
    with pytest.raises(ValueError, match=r"efl_steps\(mu=-1"):
        efl_steps(-1.0, 1.0, 2, np.ones(1), 1)
    with pytest.raises(ValueError, match="d > 0"):
        tuned_step(1.0, 1.0, 1.0, 0.0, 5)


def test_observing_shows_what_recording_stores() -> None:
    federation = quadratic_family(n_clients=3, dim=2, seed=4)
    shown: list[Any] = []
    more: dict[str, Any] = {
        "start": np.ones((5, 2)),
        "step_sizes": constant_steps(0.05, 6),
        "n_local_steps": 3,
        "record": ("models", "weights", "virtual", "step_losses", "gradients"),
    }
    stored = simulate(federation, Proportional(), **more)
    watched = simulate(federation, Proportional(), observe=lambda r, values: shown.append((r, dict(values))), **more)
    np.testing.assert_array_equal(watched.final, stored.final)
    assert watched.models is None
    assert [r for r, _ in shown] == [0, 1]
    for name in ("virtual", "step_losses", "spread", "gradients"):
        together = np.concatenate([values[name] for _, values in shown])
        np.testing.assert_array_equal(together, getattr(stored, name)[: len(together)], err_msg=name)
    np.testing.assert_array_equal(np.stack([values["weights"] for _, values in shown]), stored.weights)


@pytest.mark.parametrize("noisy", [False, True])
def test_virtual_weights_that_change_inside_a_round(noisy: bool) -> None:
    federation = quadratic_family(n_clients=3, dim=2, seed=4)
    weights = np.random.default_rng(0).dirichlet(np.ones(3), size=6)
    noise = SignNoise((0.3,) * 3) if noisy else None
    steps = constant_steps(0.05, 6)
    more: dict[str, Any] = {"start": np.ones(2), "step_sizes": steps, "n_local_steps": 3, "noise": noise, "seed": 2}
    records = ("models", "virtual", "step_losses")
    run = simulate(federation, Proportional(), record=records, virtual_weights=weights, **more)
    model, t = np.ones(2), 0
    for r in range(2):
        drawn = np.zeros((3, 3, 2)) if noise is None else noise.draw(2, r, (3, 3, 2))
        local = np.repeat(model[None], 3, axis=0)
        for e in range(3):
            mean = weights[t] @ local
            np.testing.assert_allclose(run.virtual[t], mean, rtol=1e-12)
            np.testing.assert_allclose(
                run.spread[t], weights[t] @ ((local - mean) ** 2).sum(axis=1), rtol=1e-9, atol=1e-14
            )
            np.testing.assert_allclose(
                run.step_losses[t], federation.losses(np.repeat(mean[None], 3, axis=0)), rtol=1e-10
            )
            local = local - steps[t] * (federation.gradients(local) + drawn[e])
            t += 1
        model = federation.share @ local
        np.testing.assert_allclose(run.models[r + 1], model, rtol=1e-12)
    with pytest.raises(ValueError, match=r"virtual_weights=.*shape \(5, 3\); expected \(6, 3\)"):
        simulate(federation, Proportional(), record=records, virtual_weights=weights[:5], **more)
    with pytest.raises(ValueError, match=r"virtual_weights=.*differ from 1"):
        simulate(federation, Proportional(), record=records, virtual_weights=weights * 2, **more)


def test_a_local_epoch_uses_every_sample_once(data: tuple[Any, Any, Any]) -> None:
    X, y, clients = data
    keep = np.concatenate([np.flatnonzero(clients == k)[: 6 + 2 * k] for k in range(4)])
    samples = ridge_samples(X[keep], y[keep], clients[keep], l2=0.5)
    federation, noise = samples.federation(), EpochNoise(samples, batch_size=2)
    steps = epoch_steps(samples, batch_size=2, n_epochs=2)
    assert steps == (6, 8, 10, 12)
    models = np.repeat(np.full((1, federation.dim), 0.3), 4, axis=0)
    for client, n_steps in enumerate(steps):
        for first in (0, n_steps // 2):  # over each pass the noise at one model adds up to nothing
            total = sum(noise.gradient_noise(models, 1, 0, first + e)[client] for e in range(n_steps // 2))
            assert np.abs(total).max() < 1e-12
        assert np.abs(noise.gradient_noise(models, 1, 0, 0)[client]).max() > 1e-3
    mean = np.mean([(noise.gradient_noise(models, seed, 0, 0) ** 2).sum(axis=-1) for seed in range(3000)], axis=0)
    np.testing.assert_allclose(mean, noise.variance(models), rtol=0.15)  # about six standard errors of 3,000 draws
    run = simulate(
        federation,
        Proportional(),
        start=np.zeros(federation.dim),
        step_sizes=constant_steps(0.01, 24),
        n_local_steps=12,
        noise=noise,
        participation=GivenSteps((steps,)),
    )
    assert global_loss(federation, run.final) < global_loss(federation, np.zeros(federation.dim))
    with pytest.raises(ValueError, match="batch_size=0"):
        EpochNoise(samples, 0)
