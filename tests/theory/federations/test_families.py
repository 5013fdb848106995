"""Families of quadratics: the spectra asked for, the knobs one at a time, nobody else's draws shifted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from theory import QuadraticFederation, heterogeneity, stream
from theory.federations.families import from_spectra, quadratic_family, rotation

STRUCTURES = ["dense", "commuting", "equal", "diagonal"]


def gamma(federation: QuadraticFederation) -> Any:
    at_best = federation.losses(federation.optimum()[..., None, :])
    return heterogeneity(federation.share, at_best, federation.floor)


@given(st.integers(1, 6), st.integers(0, 99))
def test_rotations_are_orthogonal(dim: int, seed: int) -> None:
    q = rotation(stream(seed, "test"), dim, (3,))
    # eps times a small multiple of dim: Householder QR is backward stable.
    assert np.abs(np.swapaxes(q, -1, -2) @ q - np.eye(dim)).max() < 1e-14


def test_rotations_are_haar() -> None:
    """E Q = 0 and E tr(Q)² = 1 under Haar; raw QR has a diagonal of one sign and fails both."""
    q = rotation(stream(0, "test"), 3, (20_000,))
    trace = np.trace(q, axis1=-2, axis2=-1)
    assert np.abs(q.mean(axis=0)).max() < 5 * (1 / 3) ** 0.5 / 20_000**0.5  # five standard errors
    assert abs((trace**2).mean() - 1) < 5 * (trace**2).std() / 20_000**0.5


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("condition", [1.0, 10.0, 1e6])
def test_spectra_run_from_scale_over_condition_to_scale(structure: Any, condition: float) -> None:
    scale = (1.0, 3.0, 0.5)
    federation = quadratic_family(
        n_clients=3, dim=4, seed=1, n_federations=5, structure=structure, condition=condition, scale=scale
    )
    spectrum = np.linalg.eigvalsh(federation.curvature)
    # eigvalsh and the two products each err by a few eps of the largest eigenvalue.
    assert np.abs(spectrum[..., -1] / scale - 1).max() < 1e-14
    assert np.abs(spectrum[..., 0] / scale * condition - 1).max() < 1e-15 * 8 * condition
    assert federation.curvature.shape == (5, 3, 4, 4)


def test_structures_are_what_they_say() -> None:
    def commutator(structure: Any) -> float:
        a, b = quadratic_family(n_clients=2, dim=3, seed=2, structure=structure).curvature
        return float(np.abs(a @ b - b @ a).max())

    assert commutator("dense") > 1e-3
    assert commutator("commuting") < 1e-14
    diagonal = quadratic_family(n_clients=2, dim=3, seed=2, structure="diagonal").curvature
    assert np.array_equal(diagonal, diagonal * np.eye(3))
    a, b = quadratic_family(n_clients=2, dim=3, seed=2, structure="equal").curvature
    assert np.array_equal(a, b)


def test_one_dimension_draws_a_curvature_per_client() -> None:
    curvature = quadratic_family(n_clients=50, dim=1, seed=0, condition=100.0).curvature.ravel()
    assert 0.01 <= curvature.min() < 0.1 < curvature.max() <= 1.0


@pytest.mark.parametrize("structure", STRUCTURES)
def test_no_spread_means_no_heterogeneity_at_all(structure: Any) -> None:
    federation = quadratic_family(n_clients=4, dim=3, seed=3, n_federations=2, structure=structure, spread=0.0)
    assert np.array_equal(gamma(federation), np.zeros(2))
    assert np.array_equal(federation.optimum(), np.zeros((2, 3)))


@given(st.integers(1, 5), st.integers(1, 4), st.integers(0, 50))
def test_heterogeneity_grows_with_the_square_of_the_spread(n_clients: int, dim: int, seed: int) -> None:
    one, two = (quadratic_family(n_clients=n_clients, dim=dim, seed=seed, spread=s) for s in (1.0, 2.0))
    assert np.array_equal(two.centers, 2 * one.centers)
    # A power of two is exact, and so is everything it multiplies.
    assert np.array_equal(gamma(two), 4 * gamma(one))


def test_one_more_client_or_federation_leaves_the_others_alone() -> None:
    def build(n_clients: int, n_federations: int) -> QuadraticFederation:
        return quadratic_family(
            n_clients=n_clients, dim=3, seed=4, n_federations=n_federations, floor_scale=1.0, concentration=0.5
        )

    few, more = build(3, 4), build(5, 7)
    assert np.array_equal(few.curvature, more.curvature[:4, :3])
    assert np.array_equal(few.centers, more.centers[:4, :3])
    assert np.array_equal(few.floor, more.floor[:4, :3])
    assert np.allclose(few.share / few.share[:, :1], more.share[:4, :3] / more.share[:4, :1], rtol=1e-12)
    assert not np.array_equal(few.curvature[0], few.curvature[1])


def test_shares() -> None:
    assert np.array_equal(quadratic_family(n_clients=4, dim=1, seed=0).share, np.full(4, 0.25))
    assert np.array_equal(quadratic_family(n_clients=2, dim=1, seed=0, share=(0.75, 0.25)).share, [0.75, 0.25])
    share = quadratic_family(n_clients=3, dim=1, seed=0, n_federations=20_000, concentration=0.5).share
    # Dirichlet(½, ½, ½): mean 1/3, variance (1/3)(2/3)/(3·½ + 1) = 4/45; five standard errors.
    assert np.abs(share.mean(axis=0) - 1 / 3).max() < 5 * (4 / 45 / 20_000) ** 0.5
    assert np.abs(share.var(axis=0) - 4 / 45).max() < 5 * ((share - 1 / 3) ** 2).std() / 20_000**0.5
    assert np.all(np.isfinite(quadratic_family(n_clients=3, dim=1, seed=0, concentration=1e-4).share))


def test_spectra_are_the_same_code_on_torch() -> None:
    generator = stream(0, "test")
    spectra, centers = generator.random((2, 3, 4)) + 0.1, generator.random((2, 3, 4))
    rotations, floor, share = rotation(generator, 4, (2, 3)), np.zeros((2, 3)), np.full((2, 3), 1 / 3)
    for q in (rotations, None):
        ours = from_spectra(spectra, q, centers, floor, share)
        theirs = from_spectra(
            *(None if a is None else torch.as_tensor(a) for a in (spectra, q, centers, floor, share))  # type: ignore[arg-type]
        )
        assert isinstance(theirs.curvature, torch.Tensor)
        assert np.abs(ours.curvature - theirs.curvature.numpy()).max() < 1e-14  # summation order


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"condition": 0.5}, r"condition=0.5.*\[1, 1e6\]"),
        ({"condition": 1e7}, r"condition=10000000.0.*\[1, 1e6\]"),
        ({"spread": -1.0}, r"spread=-1.0.*>= 0"),
        ({"spread": float("nan")}, "spread=nan"),
        ({"structure": "round"}, "structure='round'.*'dense'"),
        ({"scale": (1.0, 0.0)}, "scale=.*> 0"),
        ({"scale": (1.0,)}, r"one per client \(2\)"),
        ({"n_clients": 0}, "n_clients=0.*>= 1"),
        ({"n_federations": 0}, "n_federations=0.*>= 1"),
        ({"share": (0.5, 0.6)}, "share=.*differ from 1"),
        ({"share": (1.0,)}, r"share=.*expected \(2,\)"),
        ({"share": (0.5, 0.5), "concentration": 1.0}, "give one of the two"),
        ({"concentration": 0.0}, "concentration=0.0.*> 0"),
    ],
)
def test_bad_input(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        quadratic_family(**{"n_clients": 2, "dim": 2, "seed": 0, **changes})


def test_rotation_needs_a_dimension() -> None:
    with pytest.raises(ValueError, match=r"dim=0.*>= 1"):
        rotation(stream(0, "test"), 0)
