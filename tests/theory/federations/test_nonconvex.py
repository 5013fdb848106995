"""Clients that are not convex: the gradient is one, L is attained, the floor and the global optimum are global."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import decimals, shares
from theory import global_loss
from theory.federations.nonconvex import RippledFederation, SaddleFederation


@st.composite
def rippled(draw: st.DrawFn) -> RippledFederation:
    n, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))

    def numbers(low: float, high: float, size: int) -> Any:
        return np.asarray(draw(st.lists(decimals(low, high), min_size=size, max_size=size)))

    return RippledFederation(
        centers=numbers(-4, 4, n * d).reshape(n, d),
        scale=numbers(0.125, 2, n),
        ripple=numbers(0, 20, n),
        floor=numbers(-2, 2, n),
        share=draw(shares(n)),
    )


@st.composite
def saddles(draw: st.DrawFn) -> SaddleFederation:
    n, d = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    h, m = (np.asarray(draw(st.lists(decimals(-3, 3), min_size=n * d, max_size=n * d))).reshape(n, d) for _ in "hm")
    return SaddleFederation(h, m, np.linspace(-1, 1, n), draw(shares(n)))


either = st.one_of(rippled(), saddles())


@given(either, st.integers(0, 99))
def test_gradients_are_those_of_the_losses(federation: Any, seed: int) -> None:
    w = np.random.default_rng(seed).normal(size=(federation.n_clients, federation.dim)) * 3
    fields = {k: torch.as_tensor(v) for k, v in vars(federation).items()}
    twin, point = type(federation)(**fields), torch.tensor(w, requires_grad=True)
    losses = twin.losses(point)
    assert np.allclose(losses.detach().numpy(), federation.losses(w), rtol=1e-12, atol=1e-12)
    (by_torch,) = torch.autograd.grad(losses.sum(), point)
    assert np.allclose(federation.gradients(w), by_torch.numpy(), rtol=1e-12, atol=1e-12)
    assert np.allclose(twin.optimum().numpy(), federation.optimum(), atol=1e-9)
    for ours, theirs in zip(vars(federation.constants()).values(), vars(twin.constants()).values(), strict=True):
        assert float(ours) == float(theirs)


@given(either, st.integers(0, 99))
def test_the_constants_bound_the_curvature_along_segments(federation: Any, seed: int) -> None:
    generator, constants = np.random.default_rng(seed), federation.constants()
    shape = (50, federation.n_clients, federation.dim)
    x, step = generator.normal(size=shape) * 3, generator.normal(size=shape)
    change = (step * (federation.gradients(x + step) - federation.gradients(x))).sum(axis=-1)
    square = (step**2).sum(axis=-1)
    assert np.all(change <= constants.L * square + 1e-10)
    assert np.all(change >= constants.mu * square - 1e-10)


@given(either)
def test_both_constants_are_attained(federation: Any) -> None:
    """Central differences of the gradient on a fine grid of each client's own coordinates reach L and mu."""
    x = np.linspace(0, 2 * np.pi, 97)[:, None, None] + federation.local_optima
    h = 1e-5
    diagonal = (federation.gradients(x + h) - federation.gradients(x - h)) / (2 * h)
    constants = federation.constants()
    assert diagonal.max() == pytest.approx(float(constants.L), rel=1e-6, abs=1e-6)  # h² and eps/h
    assert diagonal.min() == pytest.approx(float(constants.mu), rel=1e-6, abs=1e-6)


@given(either, st.integers(0, 99))
def test_the_floor_is_the_minimum_and_sits_at_the_local_optimum(federation: Any, seed: int) -> None:
    at_best = federation.losses(federation.local_optima)
    assert np.allclose(at_best, federation.floor, atol=1e-12)
    assert np.abs(federation.gradients(federation.local_optima)).max() < 1e-14 * 10  # sin π is not 0 in floats
    w = np.random.default_rng(seed).normal(size=(500, federation.n_clients, federation.dim)) * 4
    assert np.all(federation.losses(w) >= federation.floor - 1e-12)


@given(either)
def test_the_optimum_is_global(federation: Any) -> None:
    """F is a sum over coordinates, so a fine grid of each coordinate alone is a complete search."""
    best = federation.optimum()
    value = global_loss(federation, best)
    pull = (federation.share[:, None] * federation.gradients(best[None])).sum(axis=0)
    assert np.abs(pull).max() < 1e-9
    for j in range(federation.dim):
        points = np.tile(best, (4001, 1))
        points[:, j] = np.linspace(-8, 8, 4001)
        assert global_loss(federation, points).min() >= value - 1e-10


def test_two_equal_minima_are_both_reached_from_one_side() -> None:
    """Centers ±π/4 with ripple 3: δ = ±π at the middle, φ' vanishes at 0, and the minimum is beside it."""
    federation = RippledFederation(
        np.asarray([[np.pi / 2], [0.0]]), np.ones(2), np.full(2, 3.0), np.zeros(2), np.full(2, 0.5)
    )
    best = federation.optimum()
    assert global_loss(federation, best) == pytest.approx(global_loss(federation, np.pi / 2 - best))
    grid = np.linspace(-2, 4, 100_001)[:, None]
    # Spacing 6e-5 and L = 8: the grid is within L·h²/8 = 4e-9 of the minimum, and never below it.
    assert 0 <= global_loss(federation, grid).min() - global_loss(federation, best) < 4e-9


def test_many_local_minima_and_a_batch() -> None:
    generator = np.random.default_rng(0)
    many = RippledFederation(
        generator.normal(size=(20, 3, 2)) * 5, np.ones((20, 3)), np.full((20, 3), 15.0), np.zeros((20, 3)),
        np.full((20, 3), 1 / 3),
    )  # fmt: skip
    best = many.optimum()
    assert best.shape == (20, 2)
    assert np.all(many.constants().mu == -28.0)
    grid = np.linspace(-20, 20, 8001)
    for j in range(2):
        points = np.broadcast_to(best, (8001, 20, 2)).copy()
        points[..., j] = grid[:, None]
        assert np.all(global_loss(many, points).min(axis=0) >= global_loss(many, best) - 1e-10)


def test_saddles_have_bounded_gradients_and_indefinite_curvature() -> None:
    h = np.asarray([[2.0, -1.0]])
    federation = SaddleFederation(h, np.zeros((1, 2)), np.zeros(1), np.ones(1))
    w = np.random.default_rng(0).normal(size=(1000, 1, 2)) * 100
    assert np.all(np.linalg.norm(federation.gradients(w), axis=-1) <= np.linalg.norm(h))
    assert np.array_equal(federation.gradients(np.zeros((1, 2))), np.zeros((1, 2)))
    assert federation.floor[0] == -2.0
    assert federation.losses(np.asarray([[1e-3, 0.0]])) > 0 > federation.losses(np.asarray([[0.0, 1e-3]]))


GOOD: dict[str, Any] = {
    "centers": np.zeros((2, 1)),
    "scale": np.ones(2),
    "ripple": np.ones(2),
    "floor": np.zeros(2),
    "share": np.full(2, 0.5),
}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale": np.asarray([1.0, 0.0])}, "scale=.*must be > 0"),
        ({"scale": np.asarray([1.0, -1.0])}, "scale=.*smallest value -1"),
        ({"ripple": np.asarray([1.0, -0.5])}, "ripple=.*smallest value -0.5; must be >= 0"),
        ({"ripple": np.ones(3)}, r"ripple=.*shape \(3,\); expected \(2,\)"),
        ({"floor": np.asarray([0.0, np.nan])}, "floor=.*NaN"),
        ({"centers": np.full((2, 1), np.inf)}, "centers=.*infinity"),
        ({"share": np.asarray([0.5, 0.6])}, "share=.*differ from 1"),
    ],
)
def test_bad_ripples(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RippledFederation(**{**GOOD, **changes})


def test_bad_saddles() -> None:
    with pytest.raises(ValueError, match=r"curvature=.*shape \(2, 2\); expected \(2, 1\)"):
        SaddleFederation(np.ones((2, 2)), np.zeros((2, 1)), np.zeros(2), np.full(2, 0.5))
    with pytest.raises(ValueError, match=r"curvature=.*NaN"):
        SaddleFederation(np.full((2, 1), np.nan), np.zeros((2, 1)), np.zeros(2), np.full(2, 0.5))
