"""Federations from data: gradients against autograd, optima against independent solvers, constants along segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression, Ridge

from theory import global_loss
from theory.base.minimise import minimise
from theory.federations.empirical import (
    LogisticFederation,
    load_xy,
    logistic_federation,
    ridge_federation,
    ridge_samples,
    split_clients,
)


def small(n_clients: int = 3, l2: float = 0.1, skew: float = 0.5, n: int = 40) -> LogisticFederation:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(n, 4)), generator.integers(0, 3, size=n)
    return logistic_federation(X, y, split_clients(y, n_clients, 0, skew), l2=l2)


@pytest.mark.parametrize("name", ["digits", "diabetes", "breast_cancer"])
def test_bundled_data_are_standardised(name: str) -> None:
    X, y = load_xy(name)
    assert np.abs(X.mean(axis=0)).max() < 1e-12
    assert set(np.round(X.std(axis=0), 12)) <= {0.0, 1.0}
    assert y.shape == X.shape[:1]


@given(st.integers(1, 60), st.integers(1, 12), st.sampled_from([0.0, 0.3, 0.5, 1.0]), st.integers(0, 99))
def test_splits_are_even_complete_and_repeatable(n: int, n_clients: int, skew: float, seed: int) -> None:
    if n_clients > n:
        with pytest.raises(ValueError, match="n_clients <= n_samples"):
            split_clients(np.zeros(n), n_clients, seed, skew)
        return
    y = np.random.default_rng(seed).integers(0, 3, size=n)
    clients = split_clients(y, n_clients, seed, skew)
    sizes = np.bincount(clients, minlength=n_clients)
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1
    assert np.array_equal(clients, split_clients(y, n_clients, seed, skew))


def test_skew_sorts_labels_and_no_skew_does_not() -> None:
    _, y = load_xy("digits")
    classes = [len(np.unique(y[split_clients(y, 10, 0, skew) == 0])) for skew in (0.0, 1.0)]
    assert classes[0] == 10
    assert classes[1] <= 2


@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_ridge_is_its_own_quadratic(skew: float) -> None:
    X, y = load_xy("diabetes")
    clients = split_clients(y, 4, 1, skew)
    federation = ridge_federation(X, y, clients, l2=0.05)
    w = np.random.default_rng(0).normal(size=(5, 11))
    ones = np.ones((len(X), 1))
    for k in range(4):
        mine = clients == k
        features = np.concatenate([X, ones], axis=1)[mine]
        by_hand = 0.5 * ((features @ w.T - y[mine, None]) ** 2).mean(axis=0) + 0.025 * (w**2).sum(axis=1)
        assert np.allclose(federation.losses(w[:, None, :])[:, k], by_hand, rtol=1e-12)
        library = Ridge(alpha=0.05 * mine.sum(), fit_intercept=False, solver="svd").fit(features, y[mine])
        assert np.allclose(federation.centers[k], library.coef_, atol=1e-10)
    assert np.allclose(federation.share, np.bincount(clients) / len(y))
    # Shares nᵢ/n make F the pooled ridge problem.
    pooled = Ridge(alpha=0.05 * len(y), fit_intercept=False, solver="svd").fit(np.concatenate([X, ones], axis=1), y)
    assert np.allclose(federation.optimum(), pooled.coef_, atol=1e-10)


def test_ridge_without_penalty_needs_enough_samples() -> None:
    X, y = np.eye(3), np.arange(3.0)
    with pytest.raises(ValueError, match=r"l2=0.0\): .*singular.*raise l2"):
        ridge_federation(X, y, [0, 0, 1], l2=0.0, intercept=False)
    assert ridge_federation(X, y, [0, 0, 0], l2=0.0, intercept=False).dim == 3


def test_logistic_gradients_are_those_of_the_losses_and_torch_agrees() -> None:
    federation = small()
    twin = LogisticFederation(
        **{k: v if isinstance(v, float) else torch.as_tensor(v) for k, v in vars(federation).items()}
    )
    w = np.random.default_rng(1).normal(size=(2, 3, federation.dim)) * 3
    point = torch.tensor(w, requires_grad=True)
    losses = twin.losses(point)
    (by_torch,) = torch.autograd.grad(losses.sum(), point)
    assert np.allclose(losses.detach().numpy(), federation.losses(w), rtol=1e-13)
    assert np.allclose(federation.gradients(w), by_torch.numpy(), rtol=1e-10, atol=1e-13)
    assert float(twin.constants().L) == pytest.approx(float(federation.constants().L), rel=1e-13)
    samples = federation.sample_gradients(w)
    mean = (federation.mask[..., None] * samples).sum(axis=-2) / federation.mask.sum(axis=-1)[:, None]
    assert np.allclose(mean + federation.l2 * w, federation.gradients(w), rtol=1e-10, atol=1e-13)


def test_logistic_losses_by_hand_and_padding_does_not_count() -> None:
    federation = small(n_clients=3)
    assert set(federation.mask.sum(axis=1)) == {13.0, 14.0}  # type: ignore[attr-defined]
    w = np.random.default_rng(2).normal(size=(3, federation.dim))
    for k in range(3):
        mine = np.asarray(federation.mask[k] > 0)
        X, Y = torch.as_tensor(federation.features[k][mine]), torch.as_tensor(federation.targets[k][mine])
        W = torch.as_tensor(w[k].reshape(5, 3))
        expected = torch.nn.functional.cross_entropy(X @ W, Y.argmax(dim=1)) + 0.05 * (W**2).sum()
        assert federation.losses(w)[k] == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(("name", "n_clients"), [("digits", 10), ("breast_cancer", 5)])
@pytest.mark.parametrize("skew", [0.0, 1.0])
def test_optima_of_bundled_data(name: str, n_clients: int, skew: float) -> None:
    X, y = load_xy(name)
    federation = logistic_federation(X, y, split_clients(y, n_clients, 0, skew), l2=1e-2)
    at_zero = np.linalg.norm(federation.gradients(np.zeros((1, federation.dim))), axis=-1)
    residual = np.linalg.norm(federation.gradients(federation.local_optima), axis=-1)
    assert np.all(residual <= 1e-10 * at_zero)
    best = federation.optimum()
    pull = federation.share @ federation.gradients(best[None])
    assert np.linalg.norm(pull) <= 1e-9 * at_zero.max()  # relative to ‖∇F(0)‖, which averaging makes smaller
    generator = np.random.default_rng(0)
    for size in (1e-3, 1.0):
        step = size * generator.normal(size=(5, n_clients, federation.dim)) / federation.dim**0.5
        assert np.all(federation.losses(federation.local_optima + step) > federation.floor)
        assert np.all(global_loss(federation, best + step[:, 0]) > global_loss(federation, best))


def test_the_global_optimum_is_that_of_scikit_learn() -> None:
    X, y = load_xy("breast_cancer")
    library = LogisticRegression(C=1 / (1e-2 * len(y)), fit_intercept=False, tol=1e-12, max_iter=10_000).fit(X, y)
    # Its one vector v has penalty ½·1e-2·‖v‖²; ours, W₁ = −W₀ = v/2 at the optimum, has ½·l2·‖v‖²/2.
    W = logistic_federation(X, y, split_clients(y, 5, 0), l2=2e-2, intercept=False).optimum().reshape(-1, 2)  # type: ignore[attr-defined]
    assert np.abs(W.sum(axis=1)).max() < 1e-8
    assert np.abs((W[:, 1] - W[:, 0]) - library.coef_[0]).max() < 1e-5  # what L-BFGS in scikit-learn reaches


@pytest.mark.parametrize("l2", [1e-3, 1.0])
def test_constants_bound_the_curvature_along_segments(l2: float) -> None:
    federation = small(l2=l2, skew=1.0)
    constants, generator = federation.constants(), np.random.default_rng(0)
    x, step = generator.normal(size=(2, 500, 3, federation.dim)) * 10.0 ** generator.uniform(-3, 1, size=(2, 500, 1, 1))
    change = (step * (federation.gradients(x + step) - federation.gradients(x))).sum(axis=-1)
    square = (step**2).sum(axis=-1)
    assert np.all(change <= constants.L * square * (1 + 1e-9) + 1e-12)
    assert np.all(change >= constants.mu * square * (1 - 1e-9) - 1e-12)


def test_the_smoothness_bound_is_attained_by_two_classes_at_zero() -> None:
    """At w = 0 with C = 2, diag(p) − ppᵀ has the eigenvalue ½: a bound with less than ½ would be wrong."""
    X = np.asarray([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
    federation = logistic_federation(X, [0, 1, 0], [0, 0, 0], l2=0.1, intercept=False)
    direction = np.asarray([[1.0, -1.0, 0.0, 0.0]]) / 2**0.5
    h = 1e-5
    curvature = (direction * (federation.gradients(h * direction) - federation.gradients(-h * direction))).sum() / 2 / h
    assert curvature == pytest.approx(float(federation.constants().L), rel=1e-8)


def test_minimise_reports_what_it_missed() -> None:
    def kink(w: Any) -> Any:  # convex, but no gradient is ever small
        return np.abs(w).sum(axis=-1), np.where(w < 0.3, -1.0, 1.0)

    with pytest.raises(RuntimeError, match=r"kink: relative gradient 1\.0e\+00 after L-BFGS"):
        minimise(kink, np.ones((1, 1)), name="kink")


def test_minimise_handles_many_rows_of_bad_condition() -> None:
    generator = np.random.default_rng(0)
    curvature = 10.0 ** generator.uniform(-5, 0, size=(4, 6))
    center = generator.normal(size=(4, 6))
    found = minimise(
        lambda w: (0.5 * (curvature * (w - center) ** 2).sum(axis=-1), curvature * (w - center)),
        np.zeros((4, 6)),
        name="rows",
    )
    assert np.abs(found - center).max() < 1e-4  # 1e-10 of the gradient, over a curvature of 1e-5


X, Y, C = np.arange(8.0).reshape(4, 2), np.asarray([0, 1, 0, 1]), np.asarray([0, 0, 1, 1])


@pytest.mark.parametrize(
    ("args", "l2", "message"),
    [
        ((X * np.nan, Y, C), 1.0, "NaN or infinity"),
        ((X, np.where(Y > 0, np.inf, 0.0), C), 1.0, "NaN or infinity"),
        ((X, Y, np.asarray([0, 0, 2, 2])), 1.0, "client 1 of 3 has no sample"),
        ((X, Y[:3], C), 1.0, r"shapes \(4, 2\), \(3,\), \(4,\)"),
        ((X, Y, C[:3]), 1.0, r"expected \(n_samples, n_features\)"),
        ((X, Y, C - 1), 1.0, "client index >= 0"),
        ((X, Y, C + 0.5), 1.0, "client index >= 0"),
        ((X, Y, C), -1.0, r"l2=-1.0\): must be >= 0"),
        ((X, Y, C), float("nan"), "l2=nan"),
    ],
)
def test_bad_data(args: Any, l2: float, message: str) -> None:
    for build in (ridge_samples, logistic_federation):
        with pytest.raises(ValueError, match=message):
            build(*args, l2=l2)


def test_bad_names_and_settings() -> None:
    with pytest.raises(ValueError, match=r"load_xy\('digit'\).*did you mean 'digits'"):
        load_xy("digit")
    with pytest.raises(ValueError, match=r"skew=1.5\): must be in \[0, 1\]"):
        split_clients(Y, 2, 0, 1.5)
    with pytest.raises(ValueError, match=r"l2=0\): .* can be separated"):
        logistic_federation(X, Y, C, l2=0.0)
    with pytest.raises(ValueError, match="1 class; expected at least 2"):
        logistic_federation(X, Y * 0, C, l2=1.0)
    with pytest.raises(ValueError, match=r"share=.*differ from 1"):
        logistic_federation(X, Y, C, l2=1.0, share=np.asarray([0.5, 0.6]))
