"""Noise laws: mean and variance exactly where the law is finite, within five standard errors where it is not.

A statistical check at five standard errors fails by chance once in two million; the seeds are fixed.
"""

from __future__ import annotations

import tracemalloc
from itertools import combinations, product
from math import comb
from typing import Any
from zlib import crc32

import numpy as np
import pytest
import torch

from theory import SignNoise
from theory.federations.empirical import (
    LogisticFederation,
    RidgeSamples,
    logistic_federation,
    ridge_samples,
    split_clients,
)
from theory.noise.laws import ExclusiveNoise, SharedNoise, SparseNoise, SphereNoise, correlated_participation
from theory.noise.minibatch import EpochNoise, MinibatchNoise
from theory.participation.batches import epoch_batches, step_batches
from theory.participation.sampling import RoundContext

SIGMA = (0.5, 2.0, 0.0, 1.0)
ADDITIVE = [
    SignNoise(SIGMA),
    SphereNoise(SIGMA),
    SparseNoise(SIGMA, 0.25),
    SharedNoise(SphereNoise(SIGMA)),
    SharedNoise(SparseNoise(SIGMA)),
    ExclusiveNoise(SignNoise(SIGMA)),
    ExclusiveNoise(SparseNoise(SIGMA, 0.5)),
    correlated_participation(SphereNoise(SIGMA), 1)[0],
    correlated_participation(SparseNoise(SIGMA, 0.5), 1)[0],
]
N_DRAWS = 40_000
CONTEXT = RoundContext(None, None, 1)


@pytest.mark.parametrize("noise", ADDITIVE, ids=repr)
def test_mean_zero_and_variance_sigma_squared(noise: Any) -> None:
    drawn = noise.draw(3, 0, (2, N_DRAWS, 4, 3))
    assert drawn.shape == (2, N_DRAWS, 4, 3)
    for step in drawn:  # each local step on its own
        error = step.std(axis=0) / N_DRAWS**0.5
        assert np.all(np.abs(step.mean(axis=0)) <= 5 * error)
        square = (step**2).sum(axis=-1)
        error = square.std(axis=0) / N_DRAWS**0.5
        assert np.all(np.abs(square.mean(axis=0) - np.square(SIGMA)) <= 5 * error + 1e-12)


@pytest.mark.parametrize("noise", ADDITIVE, ids=repr)
def test_draws_are_repeatable_and_differ_between_rounds_and_seeds(noise: Any) -> None:
    shape = (3, 5, 4, 2)
    first = noise.draw(1, 2, shape)
    assert np.array_equal(first, noise.draw(1, 2, shape))
    assert not np.array_equal(first, noise.draw(1, 3, shape))
    assert not np.array_equal(first, noise.draw(2, 2, shape))


@pytest.mark.parametrize("law", [SignNoise, SphereNoise, SparseNoise])
def test_another_client_shifts_nobody(law: Any) -> None:
    few, more = law((1.0, 2.0)).draw(0, 1, (2, 3, 2, 4)), law((1.0, 2.0, 3.0)).draw(0, 1, (2, 3, 3, 4))
    assert np.array_equal(few, more[..., :2, :])


def test_sign_noise_draws_have_not_moved() -> None:
    """Made with: SignNoise((0.5, 2.0)).draw(7, 3, (4, 2, 3)), its signs as bytes, crc32."""
    drawn = SignNoise((0.5, 2.0)).draw(7, 3, (4, 2, 3))
    assert crc32(np.signbit(drawn).tobytes()) == 3971272350
    assert np.allclose(np.abs(drawn), np.asarray([[0.5], [2.0]]) / 3**0.5, rtol=1e-15)


@pytest.mark.parametrize("dim", [1, 5])
def test_sphere_noise_lies_on_the_sphere(dim: int) -> None:
    drawn = SphereNoise(SIGMA).draw(0, 0, (3, 50, 4, dim))
    assert np.allclose(np.linalg.norm(drawn, axis=-1), SIGMA, rtol=1e-14)


def test_sphere_noise_prefers_no_direction() -> None:
    drawn = SphereNoise((1.0,)).draw(0, 0, (1, N_DRAWS, 1, 3))[0, :, 0]
    outer = drawn[:, :, None] * drawn[:, None, :]
    assert np.all(np.abs(outer.mean(axis=0) - np.eye(3) / 3) <= 5 * outer.std(axis=0) / N_DRAWS**0.5)


def test_sparse_noise_has_two_heights_and_one_coordinate() -> None:
    noise = SparseNoise((2.0,), 0.25)
    drawn = noise.draw(0, 0, (1, N_DRAWS, 1, 3))[0, :, 0]
    assert set(np.unique(drawn)) == {-4.0, 0.0, 4.0}
    hits = (drawn != 0).sum(axis=-1)
    assert hits.max() == 1
    assert abs(hits.mean() - 0.25) < 5 * (0.25 * 0.75 / N_DRAWS) ** 0.5
    # The law, enumerated: q·(1/dim)·½ for each of 2·dim vectors, the rest at 0.
    law = [(0.25 / 6, sign * 4.0 * np.eye(3)[j]) for sign, j in product((-1, 1), range(3))]
    assert sum(p * (v @ v) for p, v in law) == pytest.approx(4.0)
    assert np.array_equal(sum(p * v for p, v in law), np.zeros(3))
    for p, v in law:
        share = (drawn == v).all(axis=-1).mean()
        assert abs(share - p) < 5 * (p * (1 - p) / N_DRAWS) ** 0.5


def test_shared_noise_is_one_direction_for_all() -> None:
    drawn = SharedNoise(SphereNoise((2.0, 1.0, 3.0))).draw(0, 0, (4, 6, 3, 5))
    assert np.allclose(drawn[..., 1, :], 0.5 * drawn[..., 0, :], rtol=1e-15)
    assert np.allclose(drawn[..., 2, :], 1.5 * drawn[..., 0, :], rtol=1e-15)


@pytest.mark.parametrize("order", ["drawn", "round-robin"])
def test_exclusive_noise_has_one_noisy_client_a_step(order: Any) -> None:
    drawn = ExclusiveNoise(SignNoise((1.0, 2.0, 3.0)), order).draw(0, 1, (6, 40, 3, 2))
    length = np.linalg.norm(drawn, axis=-1)
    assert np.all((length > 0).sum(axis=-1) == 1)
    assert np.allclose(length.sum(axis=-1), 3**0.5 * (np.argmax(length, axis=-1) + 1))
    if order == "round-robin":
        # Step 6 + e of the run, exactly each client's turn in three steps: the mean variance is σ².
        assert np.array_equal(np.argmax(length, axis=-1)[:, 0], [0, 1, 2, 0, 1, 2])
        assert np.allclose((length**2).mean(axis=0), [1.0, 4.0, 9.0])


def test_round_robin_goes_on_over_rounds() -> None:
    noise = ExclusiveNoise(SignNoise((1.0,) * 3), "round-robin")
    turns = [np.argmax(np.abs(noise.draw(0, r, (2, 3, 1))).sum(axis=-1), axis=-1) for r in range(3)]
    assert np.array_equal(np.concatenate(turns), [0, 1, 2, 0, 1, 2])


def test_participation_is_decided_by_the_noise_and_correlates_with_it() -> None:
    noise, law = correlated_participation(SignNoise((1.0,) * 4), coordinate=2)
    drawn = noise.draw(5, 7, (2, N_DRAWS, 4, 3))
    present = law.plan(5, 7, (N_DRAWS, 4), CONTEXT).present
    positive = drawn[0, ..., 2] > 0
    somebody = positive.any(axis=-1)
    assert np.array_equal(present[somebody], positive[somebody])
    assert np.all(present[~somebody])
    assert abs((~somebody).mean() - 1 / 16) < 5 * (1 / 16 / N_DRAWS) ** 0.5
    # Given presence the first step is biased along the coordinate, the second step is not.
    there = present & somebody[:, None]
    assert np.all(drawn[0][there][:, 2] == 1 / 3**0.5)
    assert np.array_equal(drawn[1], SignNoise((1.0,) * 4).draw(5, 7, (2, N_DRAWS, 4, 3))[1])
    second = drawn[1][there]
    assert np.all(np.abs(second.mean(axis=0)) < 5 * second.std(axis=0) / len(second) ** 0.5)


def test_one_cohort_without_a_batch() -> None:
    noise, law = correlated_participation(SphereNoise((1.0, 1.0)))
    for r in range(20):
        positive = noise.draw(0, r, (1, 2, 3))[0, :, 0] > 0
        expected = positive if positive.any() else np.ones(2, bool)
        assert np.array_equal(law.plan(0, r, (2,), CONTEXT).present, expected)


def ridge() -> RidgeSamples:
    generator = np.random.default_rng(0)
    return ridge_samples(generator.normal(size=(9, 2)), generator.normal(size=9), [0] * 4 + [1] * 5, l2=0.1)


def logistic() -> LogisticFederation:
    generator = np.random.default_rng(0)
    y = np.asarray([0, 1, 2, 0, 1, 2, 0, 1, 2])
    return logistic_federation(generator.normal(size=(9, 2)), y, split_clients(y, 2, 0), l2=0.1)


@pytest.mark.parametrize("samples", [ridge(), logistic()], ids=["ridge", "logistic"])
@pytest.mark.parametrize("replacement", [False, True])
def test_minibatch_noise_over_all_minibatches(samples: Any, replacement: bool) -> None:
    """Mean 0 and the stated variance, over every minibatch of two (not their draws)."""
    dim = _dim(samples)
    w = np.random.default_rng(1).normal(size=(2, dim))
    gradients = samples.sample_gradients(w)
    variance = MinibatchNoise(samples, 2, replacement).variance(w)
    for k, n in enumerate([4, 5] if isinstance(samples, RidgeSamples) else [5, 4]):
        g = gradients[k, :n]
        batches = list(product(range(n), repeat=2) if replacement else combinations(range(n), 2))
        assert len(batches) == (n**2 if replacement else comb(n, 2))
        noise = np.asarray([g[list(batch)].mean(axis=0) - g.mean(axis=0) for batch in batches])
        assert np.abs(noise.mean(axis=0)).max() < 1e-14 * 10
        assert (noise**2).sum(axis=-1).mean() == pytest.approx(variance[k], rel=1e-12)


def _dim(samples: Any) -> int:
    return int(samples.dim if isinstance(samples, LogisticFederation) else samples.features.shape[-1])


@pytest.mark.parametrize("samples", [ridge(), logistic()], ids=["ridge", "logistic"])
@pytest.mark.parametrize("replacement", [False, True])
def test_minibatch_noise_draws_those_minibatches_uniformly(samples: Any, replacement: bool) -> None:
    noise, n_draws = MinibatchNoise(samples, 3, replacement), 20_000
    w = np.random.default_rng(1).normal(size=(2, _dim(samples)))
    drawn = noise.gradient_noise(w + np.zeros((n_draws, 1, 1)), 0, 2, 1)
    assert drawn.shape == (n_draws, *w.shape)
    assert np.all(np.abs(drawn.mean(axis=0)) <= 5 * drawn.std(axis=0) / n_draws**0.5)
    square = (drawn**2).sum(axis=-1)
    assert np.all(np.abs(square.mean(axis=0) - noise.variance(w)) <= 5 * square.std(axis=0) / n_draws**0.5)


def test_the_variance_forms_no_gradient_of_a_sample() -> None:
    """One gradient a sample takes 55 MiB here, and 3.5 GiB for images of 28 by 28 at 1,000 samples a client."""
    rng, n = np.random.default_rng(0), 2000
    features, mask = rng.normal(size=(12, n, 30)), np.ones((12, n))
    targets, nothing = np.eye(10)[rng.integers(10, size=(12, n))], np.zeros((12, 300))
    samples = LogisticFederation(features, targets, mask, 0.0, mask[:, 0] / 12, nothing[:, 0], nothing, nothing[0])
    tracemalloc.start()
    found = MinibatchNoise(samples, 10).variance(nothing)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * n * 300 * 8 / 3
    g = samples.sample_gradients(nothing)[3]
    assert found[3] == pytest.approx(((g - g.mean(axis=0)) ** 2).sum(axis=-1).mean() / 10 * 1990 / 1999, rel=1e-12)


def test_a_minibatch_plus_the_noise_free_gradient_is_the_minibatch_gradient() -> None:
    samples = ridge()
    w = np.ones((2, 3))
    drawn = MinibatchNoise(samples, 1).gradient_noise(w, 0, 0, 0)
    stochastic = samples.federation().gradients(w) + drawn
    possible = samples.sample_gradients(w) + 0.1 * w[:, None, :]
    for k, n in enumerate([4, 5]):
        assert np.abs(possible[k, :n] - stochastic[k]).max(axis=-1).min() < 1e-13


def test_full_batches_are_silent_and_steps_are_independent() -> None:
    w = np.ones((2, 3))
    equal = ridge_samples(np.random.default_rng(0).normal(size=(8, 2)), np.arange(8.0), [0, 1] * 4, l2=0.0)
    full = MinibatchNoise(equal, 4)
    assert np.abs(full.gradient_noise(w, 0, 0, 0)).max() < 1e-14
    assert np.array_equal(full.variance(w), np.zeros(2))
    one = MinibatchNoise(equal, 1, replacement=True)
    draws = [one.gradient_noise(np.ones((30, 2, 3)), 0, r, e) for r, e in ((0, 0), (0, 1), (1, 0))]
    assert not np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    assert np.array_equal(draws[0], one.gradient_noise(np.ones((30, 2, 3)), 0, 0, 0))


def test_minibatch_noise_on_torch() -> None:
    ours = ridge()
    theirs = RidgeSamples(
        torch.as_tensor(ours.features), torch.as_tensor(ours.targets), torch.as_tensor(ours.mask), ours.l2
    )
    w = np.ones((6, 2, 3))
    for replacement in (False, True):
        a, b = MinibatchNoise(ours, 2, replacement), MinibatchNoise(theirs, 2, replacement)
        point = torch.as_tensor(w)
        assert np.allclose(a.gradient_noise(w, 0, 1, 2), b.gradient_noise(point, 0, 1, 2).numpy(), atol=1e-13)
        assert np.allclose(a.variance(w), b.variance(point).numpy(), rtol=1e-12)
    assert np.allclose(ours.federation().centers, theirs.federation().centers.numpy(), atol=1e-12)  # type: ignore[attr-defined]


@pytest.mark.parametrize("law", [SignNoise, SphereNoise, SparseNoise])
def test_bad_sigma(law: Any) -> None:
    for sigma in ((), (-1.0,), (float("nan"),), (float("inf"),)):
        with pytest.raises(ValueError, match=rf"{law.__name__}\(sigma=.*one finite value >= 0 per client"):
            law(sigma)
    with pytest.raises(ValueError, match="2 values for 3 clients"):
        law((1.0, 1.0)).draw(0, 0, (1, 3, 2))


def test_bad_settings() -> None:
    with pytest.raises(ValueError, match=r"rate=0.0\): must be in \(0, 1\]"):
        SparseNoise((1.0,), 0.0)
    with pytest.raises(ValueError, match="client 0 lends its noise"):
        SharedNoise(SignNoise((0.0, 1.0)))
    with pytest.raises(ValueError, match=r"order='random'.*round-robin"):
        ExclusiveNoise(SignNoise((1.0,)), "random")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"coordinate=2\): must be in \[0, 2\)"):
        correlated_participation(SignNoise((1.0,)), 2)[0].draw(0, 0, (1, 1, 2))
    with pytest.raises(ValueError, match=r"batch_size=0"):
        MinibatchNoise(ridge(), 0)


@pytest.mark.parametrize("samples", [ridge(), logistic()], ids=["ridge", "logistic"])
def test_a_client_with_few_samples_takes_them_all(samples: Any) -> None:
    w = np.random.default_rng(1).normal(size=(2, _dim(samples)))
    small = int(np.argmin(samples.mask.sum(axis=-1)))
    noise = MinibatchNoise(samples, 5)
    assert noise.variance(w).tolist()[small] == 0
    assert np.abs(noise.gradient_noise(w, 0, 0, 0)).max(axis=-1)[small] < 1e-14


@pytest.mark.parametrize("kind", [MinibatchNoise, EpochNoise])
@pytest.mark.parametrize("samples", [ridge(), logistic()], ids=["ridge", "logistic"])
@pytest.mark.parametrize("batch", [(), (3,)], ids=["one", "replicas"])
def test_a_rounds_gradients_are_noise_and_gradient_of_each_step(kind: Any, samples: Any, batch: Any) -> None:
    federation = samples if isinstance(samples, LogisticFederation) else samples.federation()
    w = np.random.default_rng(1).normal(size=(*batch, 2, _dim(samples)))
    noise = kind(samples, 2)
    drawn = noise.drawn(3, 4, (*batch, 2), 6)
    for step in range(6):
        expected = federation.gradients(w) + noise.gradient_noise(w, 3, 4, step)
        np.testing.assert_allclose(drawn(w, step), expected, rtol=0, atol=1e-13)  # sums of at most five samples


def test_batches_are_those_of_the_common_draw() -> None:
    samples, w = ridge(), np.ones((2, 3))
    gradients = samples.sample_gradients(w)
    for noise, batches in (
        (
            MinibatchNoise(samples, 2),
            [step_batches(1, 2, k, n_samples=n, batch_size=2, n_steps=5) for k, n in ((0, 4), (1, 5))],
        ),
        (
            EpochNoise(samples, 2),
            [epoch_batches(1, 2, k, n_samples=n, batch_size=2, n_epochs=3) for k, n in ((0, 4), (1, 5))],
        ),
    ):
        drawn = noise.drawn(1, 2, (2,), 5)
        for step in range(5):
            for k, batch in enumerate(batches):
                own = gradients[k, batch.index[step, : batch.count[step]]].mean(axis=0)
                np.testing.assert_allclose(drawn.data(w, step)[k], own, rtol=1e-13)
