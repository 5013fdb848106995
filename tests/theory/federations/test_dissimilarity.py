"""The frontier of (A, B): never violated, attained where it says, and infinite exactly where it must be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.strategies import federations
from theory import QuadraticFederation
from theory.federations.dissimilarity import family_pair, frontier, infimum_A, realised_dissimilarity, smallest_B
from theory.federations.families import quadratic_family


def squares(federation: QuadraticFederation, w: Any) -> tuple[Any, Any]:
    """‖∇Fₖ(w)‖² (…, n_clients) and ‖∇F(w)‖² (…,)."""
    each = federation.gradients(w[..., None, :])
    whole = (federation.share[..., None] * each).sum(axis=-2)
    return (each**2).sum(axis=-1), (whole**2).sum(axis=-1)


@given(federations(), st.floats(1.01, 10), st.integers(0, 99))
def test_no_point_violates_an_admissible_pair(federation: QuadraticFederation, factor: float, seed: int) -> None:
    A = factor * infimum_A(federation)
    B = smallest_B(federation, A)
    generator = np.random.default_rng(seed)
    w = generator.normal(size=(200, federation.dim)) * 10.0 ** generator.uniform(-2, 4, size=(200, 1))
    each, whole = squares(federation, w)
    # Rounding: of the gradients far out, and of the ill-conditioned H⁻¹.
    assert np.all(each <= (A * whole)[:, None] * (1 + 1e-8) + B * (1 + 1e-8) + 1e-8)


@given(federations(), st.floats(1.1, 10))
def test_the_smallest_B_is_attained(federation: QuadraticFederation, factor: float) -> None:
    """At g = (AI − MᵀM)⁻¹Mᵀb of the worst client the inequality is an equality."""
    A = factor * infimum_A(federation)
    mean = np.einsum("k,kij->ij", federation.share, federation.curvature)
    best = federation.optimum()
    slack = []
    for k in range(federation.n_clients):
        M = federation.curvature[k] @ np.linalg.inv(mean)
        b = federation.gradients(best[None])[k]
        g = np.linalg.solve(A * np.eye(federation.dim) - M.T @ M, M.T @ b)
        each, whole = squares(federation, best + np.linalg.solve(mean, g))
        slack.append(each[k] - A * whole)
    B = smallest_B(federation, A)
    assert max(slack) == pytest.approx(float(B), rel=1e-6, abs=1e-9)  # H⁻¹ has a condition number up to ~100


@given(federations())
def test_below_the_infimum_no_B_serves(federation: QuadraticFederation) -> None:
    A = 0.99 * infimum_A(federation)
    assert smallest_B(federation, A) == np.inf


def test_on_the_edge_by_hand() -> None:
    """Two clients of one dimension, curvatures 1 and 3: M = ½ and 3/2, optimum 3c/4."""

    def pair(c: float) -> QuadraticFederation:
        return QuadraticFederation(
            np.asarray([[[1.0]], [[3.0]]]), np.asarray([[0.0], [c]]), np.zeros(2), np.full(2, 0.5)
        )

    assert infimum_A(pair(1.0)) == 2.25
    assert smallest_B(pair(0.0), 2.25) == 0.0  # common optimum: strong growth, with A on the edge
    assert smallest_B(pair(1.0), 2.25) == np.inf
    # b = ±3/4: client 2 is worst, b²·A/(A − 9/4) = 9/16·4.5/2.25.
    assert smallest_B(pair(1.0), 4.5) == pytest.approx(9 / 8)


def test_a_client_without_share_counts() -> None:
    base = QuadraticFederation(np.asarray([[[1.0]], [[8.0]]]), np.zeros((2, 1)), np.zeros(2), np.asarray([1.0, 0.0]))
    assert infimum_A(base) == 64.0


def test_the_frontier_falls_and_ends_at_the_gradients_at_the_optimum() -> None:
    federation = quadratic_family(n_clients=4, dim=3, seed=0, n_federations=5)
    grid = np.geomspace(1e-2, 1e12, 60)
    B = frontier(federation, grid)
    assert B.shape == (60, 5)
    assert np.all(B[1:] <= B[:-1])
    pull = (federation.gradients(federation.optimum()[:, None, :]) ** 2).sum(axis=-1).max(axis=-1)
    assert np.allclose(B[-1], pull, rtol=1e-6)
    assert np.array_equal(np.isinf(B), grid[:, None] <= infimum_A(federation))
    one = QuadraticFederation(*(getattr(federation, f)[2] for f in ("curvature", "centers", "floor", "share")))
    assert np.allclose(frontier(one, grid), B[:, 2], rtol=1e-12)


@given(federations(), st.floats(0.01, 100))
def test_the_family_of_pairs_is_admissible(federation: QuadraticFederation, s: float) -> None:
    A, B = family_pair(federation, s)
    assert smallest_B(federation, A) <= B * (1 + 1e-9)


def test_realised_dissimilarity_is_the_weighted_variance_of_the_gradients() -> None:
    federation = quadratic_family(n_clients=3, dim=2, seed=1, n_federations=4, concentration=1.0)
    points = np.random.default_rng(0).normal(size=(7, 4, 2))
    got = realised_dissimilarity(federation, points)
    each, whole = squares(federation, points)
    assert got.shape == (7, 4)
    assert np.allclose(got, (federation.share * each).sum(axis=-1) - whole, rtol=1e-9)
    alone = np.zeros((4, 3)) + np.asarray([1.0, 0.0, 0.0])
    assert np.array_equal(realised_dissimilarity(federation, points, alone), np.zeros((7, 4)))


def test_torch_agrees() -> None:
    ours = quadratic_family(n_clients=3, dim=3, seed=2, n_federations=2)
    theirs = QuadraticFederation(
        *(torch.as_tensor(getattr(ours, f)) for f in ("curvature", "centers", "floor", "share"))
    )
    grid = np.asarray([1e3, 1e4])
    assert np.allclose(frontier(ours, grid), frontier(theirs, torch.as_tensor(grid)).numpy(), rtol=1e-9)
    for a, b in zip(family_pair(ours, 2.0), family_pair(theirs, 2.0), strict=True):
        assert np.allclose(a, b.numpy(), rtol=1e-9)
    points = np.ones((2, 3))
    got = realised_dissimilarity(theirs, torch.as_tensor(points)).numpy()
    assert np.allclose(realised_dissimilarity(ours, points), got, rtol=1e-12)


@pytest.mark.parametrize("A", [0.0, -1.0, float("nan")])
def test_A_must_be_positive(A: float) -> None:
    with pytest.raises(ValueError, match=r"smallest_B\(A=.*must be > 0"):
        smallest_B(quadratic_family(n_clients=2, dim=2, seed=0), A)


def test_s_must_be_positive() -> None:
    with pytest.raises(ValueError, match=r"family_pair\(s=0\): must be > 0"):
        family_pair(quadratic_family(n_clients=2, dim=2, seed=0), 0)
