"""Families of quadratic federations from spectra and rotations, with a knob for their heterogeneity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, check_simplex, device_of, namespace
from theory.base.streams import stream
from theory.federations.federation import QuadraticFederation

__all__ = ["Structure", "from_spectra", "plane_rotation", "quadratic_family", "rotation"]

Structure = Literal["dense", "commuting", "equal", "diagonal"]


def rotation(generator: np.random.Generator, dim: int, batch: tuple[int, ...] = ()) -> NDArray[np.float64]:
    """Orthogonal Q with QᵀQ = I to rounding, uniform (Haar) on the orthogonal group, (*batch, dim, dim).

    The QR factor of a Gaussian matrix, its columns' signs fixed by the diagonal of R: without that it is not Haar.
    Source: F. Mezzadri, "How to generate random matrices from the classical compact groups", 2007, §5.
    """
    if dim < 1:
        raise ValueError(f"rotation(dim={dim}): must be >= 1")
    q, r = np.linalg.qr(generator.normal(size=(*batch, dim, dim)))
    signs = np.where(np.diagonal(r, axis1=-2, axis2=-1) < 0, -1.0, 1.0)
    return np.asarray(q * signs[..., None, :])


def plane_rotation(tilt: Array) -> Any:
    """Rotation of the plane by the angle whose half has tangent `tilt`, (*batch,) -> (*batch, 2, 2).

    A rational tilt gives a rational rotation, so an instance drawn in floats can be rechecked exactly
    (`theory.exact.rotated`).
    """
    xp = namespace(tilt)
    c, s = (1 - tilt**2) / (1 + tilt**2), 2 * tilt / (1 + tilt**2)
    return xp.stack([xp.stack([c, -s], axis=-1), xp.stack([s, c], axis=-1)], axis=-2)


def from_spectra(
    spectra: Array, rotations: Array | None, centers: Array, floor: Array, share: Array
) -> QuadraticFederation:
    """Clients with Aᵢ = Qᵢ diag(sᵢ) Qᵢᵀ: eigenvalues sᵢ within a few eps·max sᵢ, exactly sᵢ without rotations.

    `spectra` sᵢ > 0: (*batch, n_clients, dim); `rotations` Qᵢ: (*batch, n_clients, dim, dim), or broadcastable to it
    for a basis in common, or None for diagonal Aᵢ; the rest as in `QuadraticFederation`, which checks the result.
    """
    xp = namespace(spectra, centers, floor, share)
    if rotations is None:
        unit = xp.eye(spectra.shape[-1], dtype=spectra.dtype, device=device_of(spectra))
        curvature = spectra[..., None] * unit
        return QuadraticFederation(curvature, centers, floor, share, (spectra, unit + xp.zeros_like(curvature)))
    product = (rotations * spectra[..., None, :]) @ xp.matrix_transpose(rotations)
    curvature = 0.5 * (product + xp.matrix_transpose(product))
    return QuadraticFederation(curvature, centers, floor, share, (spectra, rotations + xp.zeros_like(curvature)))


def quadratic_family(
    *,
    n_clients: int,
    dim: int,
    seed: int,
    n_federations: int | None = None,
    structure: Structure = "dense",
    condition: float = 10.0,
    scale: float | Sequence[float] = 1.0,
    spread: float = 1.0,
    floor_scale: float = 0.0,
    concentration: float | None = None,
    share: Sequence[float] | None = None,
) -> QuadraticFederation:
    """Aᵢ = Qᵢ diag(sᵢ) Qᵢᵀ, mᵢ = spread·zᵢ with zᵢ ~ N(0, I/dim); w* = 0 and Γ = 0 exactly for spread = 0.

    `n_federations` n: a leading axis of n different federations; None: no such axis.
    `structure`: "dense", every client its own rotation; "commuting", one rotation and different spectra; "equal",
    one rotation and one spectrum; "diagonal", no rotation.
    `condition` κ in [1, 1e6]: the spectrum of client i runs from scaleᵢ/κ to scaleᵢ, ends included, log-uniform
    between; with dim = 1 its one eigenvalue is drawn log-uniformly there. Hence L = maxᵢ scaleᵢ for dim > 1.
    `spread` >= 0: for fixed seed the optima, w* and the gradients at w* are proportional to it, Γ to its square.
    `floor_scale` >= 0: Fᵢ* ~ N(0, floor_scale²). `concentration` > 0: shares are Dirichlet; `share`: given; neither:
    equal. Adding a client or a federation at the end leaves all other clients as they were (shares are renormalised).
    """
    scales = _check(n_clients, dim, n_federations, structure, condition, scale, spread, floor_scale)
    rows = 1 if n_federations is None else n_federations

    def draw(purpose: str, kind: str, *shape: int, common: bool = False) -> NDArray[np.float64]:
        """(rows, n_clients, *shape), rows consumed last, so that more rows only append."""
        one = [getattr(stream(seed, purpose, 0 if common else i), kind)(size=(rows, *shape)) for i in range(n_clients)]
        return np.stack(one, axis=1)

    spectra = scales[:, None] * condition ** -_exponents(
        draw("family-spectrum", "random", 2, dim, common=structure == "equal")
    )
    rotations = None
    if structure != "diagonal":
        rotations = (
            np.stack([rotation(stream(seed, "family-rotation", i), dim, (rows,)) for i in range(n_clients)], axis=1)
            if structure == "dense"
            else rotation(stream(seed, "family-rotation", 0), dim, (rows, 1))
        )
    centers = spread * draw("family-optimum", "standard_normal", dim) / dim**0.5
    floor = floor_scale * draw("family-floor", "standard_normal")
    fields: list[Any] = [spectra, rotations, centers, floor, _shares(seed, rows, n_clients, concentration, share)]
    if n_federations is None:
        fields = [None if field is None else field[0] for field in fields]
    return from_spectra(*fields)


def _exponents(uniform: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponents in [0, 1] with both ends present when dim > 1, in random order; `uniform` (rows, n_clients, 2, dim)."""
    values, order = uniform[..., 0, :].copy(), np.argsort(uniform[..., 1, :], axis=-1)
    if values.shape[-1] > 1:
        values[..., 0], values[..., 1] = 0.0, 1.0
    return np.asarray(np.take_along_axis(values, order, axis=-1))


def _shares(
    seed: int, rows: int, n_clients: int, concentration: float | None, share: Sequence[float] | None
) -> NDArray[np.float64]:
    if share is not None:
        if concentration is not None:
            raise ValueError(f"quadratic_family(share=…, concentration={concentration}): give one of the two")
        given = np.asarray(share, dtype=np.float64)
        if given.shape != (n_clients,):
            raise ValueError(f"quadratic_family(share=…): shape {given.shape}; expected ({n_clients},), one per client")
        check_simplex(given, "quadratic_family(share=…)")
        return np.broadcast_to(given, (rows, n_clients)).copy()
    if concentration is None:
        return np.full((rows, n_clients), 1.0 / n_clients)
    if not 0 < concentration < float("inf"):
        raise ValueError(f"quadratic_family(concentration={concentration}): must be > 0 and finite")
    logs = np.empty((rows, n_clients))
    for client in range(n_clients):
        # log Gamma(a) = log Gamma(a + 1) + log(U)/a: small concentrations underflow otherwise.
        gamma, uniform = stream(seed, "family-share", client), stream(seed, "family-share-boost", client)
        logs[:, client] = (
            np.log(gamma.gamma(concentration + 1, size=rows)) + np.log1p(-uniform.random(rows)) / concentration
        )
    raw = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def _check(
    n_clients: int,
    dim: int,
    n_federations: int | None,
    structure: str,
    condition: float,
    scale: float | Sequence[float],
    spread: float,
    floor_scale: float,
) -> NDArray[np.float64]:
    """The scales, one per client; `ValueError` naming the argument that is out of range."""
    for name, count in (("n_clients", n_clients), ("dim", dim), ("n_federations", n_federations)):
        if count is not None and count < 1:
            raise ValueError(f"quadratic_family({name}={count}): must be >= 1")
    if structure not in get_args(Structure):
        raise ValueError(f"quadratic_family(structure={structure!r}): expected one of {get_args(Structure)}")
    if not 1 <= condition <= 1e6:
        raise ValueError(
            f"quadratic_family(condition={condition}): must be in [1, 1e6]; beyond, rounding moves its small end"
        )
    for name, size in (("spread", spread), ("floor_scale", floor_scale)):
        if not 0 <= size < float("inf"):
            raise ValueError(f"quadratic_family({name}={size}): must be >= 0 and finite")
    scales = np.asarray(scale, dtype=np.float64)
    if scales.shape not in {(), (n_clients,)} or not np.all((scales > 0) & np.isfinite(scales)):
        raise ValueError(f"quadratic_family(scale={scale}): expected one number > 0, or one per client ({n_clients})")
    return np.broadcast_to(scales, (n_clients,)).copy()
