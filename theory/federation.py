"""Federations of quadratic clients with certified constants: Fᵢ(w) = ½(w−mᵢ)ᵀAᵢ(w−mᵢ) + cᵢ, F = Σpᵢ Fᵢ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.arrays import Array, check_simplex, namespace

__all__ = [
    "Constants",
    "QuadraticFederation",
    "certified_constants",
    "global_loss",
    "gradient_bound",
    "gradients",
    "losses",
    "optimum",
]


@dataclass(frozen=True, eq=False)
class QuadraticFederation:
    """Quadratic clients Fᵢ(w) = ½(w−mᵢ)ᵀAᵢ(w−mᵢ) + cᵢ; leading axes hold replicas or whole different federations.

    `curvature` Aᵢ: (*batch, n_clients, dim, dim), symmetric positive definite; `centers` mᵢ = wᵢ*: (*batch,
    n_clients, dim); `floor` cᵢ = Fᵢ*: (*batch, n_clients); `share` pᵢ: (*batch, n_clients), on the simplex.
    Raises `ValueError` naming the argument, the value and the allowed range.
    """

    curvature: Array
    centers: Array
    floor: Array
    share: Array

    def __post_init__(self) -> None:
        xp = namespace(self.curvature, self.centers, self.floor, self.share)
        shape, dim = tuple(self.centers.shape[:-1]), self.centers.shape[-1]
        if tuple(self.curvature.shape) != (*shape, dim, dim):
            raise ValueError(
                f"QuadraticFederation(curvature=…): shape {tuple(self.curvature.shape)}; expected {(*shape, dim, dim)}"
                " from centers"
            )
        for name, value in (("floor", self.floor), ("share", self.share)):
            if tuple(value.shape) != shape:
                raise ValueError(
                    f"QuadraticFederation({name}=…): shape {tuple(value.shape)}; expected {shape}, one per client"
                )
        check_simplex(self.share, "QuadraticFederation(share=…)")
        for name, value in (("curvature", self.curvature), ("centers", self.centers), ("floor", self.floor)):
            if not bool(xp.all(xp.isfinite(value))):
                raise ValueError(f"QuadraticFederation({name}=…): contains NaN or infinity")
        skew = float(xp.max(xp.abs(self.curvature - xp.matrix_transpose(self.curvature))))
        scale = float(xp.max(xp.abs(self.curvature)))
        if skew > 1e-12 * scale:
            raise ValueError(f"QuadraticFederation(curvature=…): not symmetric, entries differ by {skew:.1e}")
        lowest = float(xp.min(xp.linalg.eigvalsh(self.curvature)))
        if lowest <= 0:
            raise ValueError(
                f"QuadraticFederation(curvature=…): smallest eigenvalue {lowest:.3g}; expected positive definite Aᵢ"
            )

    @property
    def n_clients(self) -> int:
        """Number of clients."""
        return int(self.centers.shape[-2])

    @property
    def dim(self) -> int:
        """Dimension of the model."""
        return int(self.centers.shape[-1])


@dataclass(frozen=True, eq=False)
class Constants:
    """Strong convexity `mu` = minᵢ λ_min(Aᵢ) and smoothness `L` = maxᵢ λ_max(Aᵢ), each (*batch,)."""

    mu: Array
    L: Array


def certified_constants(federation: QuadraticFederation) -> Constants:
    """μ and L common to all clients, from the spectra. Source: exp_alpha, EA-A1 and EA-A2."""
    xp = namespace(federation.curvature)
    spectrum = xp.linalg.eigvalsh(federation.curvature)
    return Constants(mu=xp.min(spectrum, axis=(-2, -1)), L=xp.max(spectrum, axis=(-2, -1)))


def gradients(federation: QuadraticFederation, models: Array) -> Any:
    """∇Fᵢ(wᵢ) = Aᵢ(wᵢ − mᵢ) at one model per client; `models` (*batch, n_clients, dim), the same shape back."""
    return (federation.curvature @ (models - federation.centers)[..., None])[..., 0]


def losses(federation: QuadraticFederation, models: Array) -> Any:
    """Fᵢ(wᵢ), (*batch, n_clients), at one model per client; broadcast a global model w as ``w[..., None, :]``."""
    xp = namespace(federation.centers, models)
    offset = models - federation.centers
    return 0.5 * xp.sum(offset * (federation.curvature @ offset[..., None])[..., 0], axis=-1) + federation.floor


def optimum(federation: QuadraticFederation) -> Any:
    """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ, the minimiser of F = Σpᵢ Fᵢ, (*batch, dim)."""
    xp = namespace(federation.curvature)
    p = federation.share[..., None]
    pull = xp.sum(p * (federation.curvature @ federation.centers[..., None])[..., 0], axis=-2)
    return xp.linalg.solve(xp.sum(p[..., None] * federation.curvature, axis=-3), pull[..., None])[..., 0]


def global_loss(federation: QuadraticFederation, model: Array) -> Any:
    """F(w) = Σpᵢ Fᵢ(w), (*batch,), at one global model (*batch, dim)."""
    xp = namespace(federation.share, model)
    return xp.sum(federation.share * losses(federation, model[..., None, :]), axis=-1)


def gradient_bound(federation: QuadraticFederation, start: Array, noise_bound: float | Array = 0.0) -> tuple[Any, Any]:
    """(G, radius): ‖∇Fᵢ(w) + nᵢ‖ <= G for every w in a ball that no run leaves.

    The ball is centred at w*; its radius R >= ‖start − w*‖ and R >= (‖Aᵢ(mᵢ−w*)‖ + b)/μᵢ for every client, b the
    largest norm of the additive noise. With η <= 1/L a local step maps it into itself: ‖w'−w*‖ <= (1−ημᵢ)R +
    η(‖Aᵢ(mᵢ−w*)‖ + b) <= R, and averages stay inside. Hence G = maxᵢ(‖Aᵢ(mᵢ−w*)‖ + LᵢR) + b. Shapes (*batch,).
    Source: exp_alpha EA-A4; the paper leaves the set of points open, strong convexity excludes all of R^d.
    """
    xp = namespace(federation.curvature, start)
    center = optimum(federation)
    pull = xp.linalg.vector_norm(gradients(federation, center[..., None, :]), axis=-1)
    spectrum = xp.linalg.eigvalsh(federation.curvature)
    reach = xp.max((pull + noise_bound) / xp.min(spectrum, axis=-1), axis=-1)
    radius = xp.maximum(xp.linalg.vector_norm(start - center, axis=-1), reach)
    bound = xp.max(pull + xp.max(spectrum, axis=-1) * radius[..., None], axis=-1) + noise_bound
    return bound, radius
