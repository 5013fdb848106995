"""Federations of quadratic clients with certified constants: Fᵢ(w) = ½(w−mᵢ)ᵀAᵢ(w−mᵢ) + cᵢ, F = Σpᵢ Fᵢ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from theory.base.arrays import Array, check_simplex, namespace

__all__ = [
    "Constants",
    "Federation",
    "QuadraticFederation",
    "global_loss",
    "gradient_bound",
]


@dataclass(frozen=True, eq=False)
class Constants:
    """Strong convexity `mu` = minᵢ λ_min(Aᵢ) and smoothness `L` = maxᵢ λ_max(Aᵢ), each (*batch,)."""

    mu: Array
    L: Array


class Federation(Protocol):
    """Clients Fᵢ with data shares pᵢ, F = Σpᵢ Fᵢ; everything a simulator and a claim may ask of them.

    `share` pᵢ and `floor` Fᵢ* are (*batch, n_clients); `local_optima` wᵢ* is (*batch, n_clients, dim).
    `losses` and `gradients` take one model per client, (*batch, n_clients, dim).
    """

    @property
    def share(self) -> Array: ...
    @property
    def floor(self) -> Array: ...
    @property
    def local_optima(self) -> Array: ...
    @property
    def n_clients(self) -> int: ...
    @property
    def dim(self) -> int: ...
    def losses(self, models: Array) -> Any: ...
    def gradients(self, models: Array) -> Any: ...
    def optimum(self) -> Any: ...
    def constants(self) -> Constants: ...


@dataclass(frozen=True, eq=False)
class QuadraticFederation:
    """Quadratic clients Fᵢ(w) = ½(w−mᵢ)ᵀAᵢ(w−mᵢ) + cᵢ; leading axes hold replicas or whole different federations.

    `curvature` Aᵢ: (*batch, n_clients, dim, dim), symmetric positive definite; `centers` mᵢ = wᵢ*: (*batch,
    n_clients, dim); `floor` cᵢ = Fᵢ*: (*batch, n_clients); `share` pᵢ: (*batch, n_clients), on the simplex.
    `spectra`: eigenvalues and eigenvectors where they are known, as from `theory.federations.families.from_spectra`.
    Raises `ValueError` naming the argument, the value and the allowed range.
    """

    curvature: Array
    centers: Array
    floor: Array
    share: Array
    spectra: tuple[Any, Any] | None = None

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
        if self.spectra is not None:
            lowest = float(xp.min(self.spectra[0]))
        else:
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

    @property
    def local_optima(self) -> Array:
        """wᵢ* = mᵢ, (*batch, n_clients, dim)."""
        return self.centers

    def losses(self, models: Array) -> Any:
        """Fᵢ(wᵢ), (*batch, n_clients), at one model per client; broadcast a global model w as ``w[..., None, :]``."""
        xp = namespace(self.centers, models)
        offset = models - self.centers
        return 0.5 * xp.sum(offset * (self.curvature @ offset[..., None])[..., 0], axis=-1) + self.floor

    def gradients(self, models: Array) -> Any:
        """∇Fᵢ(wᵢ) = Aᵢ(wᵢ − mᵢ) at one model per client; `models` (*batch, n_clients, dim), the same shape back."""
        return (self.curvature @ (models - self.centers)[..., None])[..., 0]

    def eigen(self) -> tuple[Any, Any]:
        """(λᵢ, Qᵢ) with Aᵢ = Qᵢ diag(λᵢ) Qᵢᵀ: (*batch, n_clients, dim) and (*batch, n_clients, dim, dim)."""
        if self.spectra is not None:
            return self.spectra
        spectrum, basis = namespace(self.curvature).linalg.eigh(self.curvature)
        return spectrum, basis

    def optimum(self) -> Any:
        """w* = (Σpᵢ Aᵢ)⁻¹ Σpᵢ Aᵢ mᵢ, the minimiser of F = Σpᵢ Fᵢ, (*batch, dim)."""
        xp = namespace(self.curvature)
        p = self.share[..., None]
        pull = xp.sum(p * (self.curvature @ self.centers[..., None])[..., 0], axis=-2)
        return xp.linalg.solve(xp.sum(p[..., None] * self.curvature, axis=-3), pull[..., None])[..., 0]

    def constants(self) -> Constants:
        """μ and L common to all clients, from the spectra. Source: exp_alpha, EA-A1 and EA-A2."""
        xp = namespace(self.curvature)
        spectrum, _ = self.eigen()
        return Constants(mu=xp.min(spectrum, axis=(-2, -1)), L=xp.max(spectrum, axis=(-2, -1)))


def global_loss(federation: Federation, model: Array) -> Any:
    """F(w) = Σpᵢ Fᵢ(w), (*batch,), at one global model (*batch, dim)."""
    xp = namespace(federation.share, model)
    return xp.sum(federation.share * federation.losses(model[..., None, :]), axis=-1)


def gradient_bound(federation: Federation, start: Array, noise_bound: float | Array = 0.0) -> tuple[Any, Any]:
    """(G, radius): ‖∇Fᵢ(w) + nᵢ‖ <= G for every w in a ball that no run leaves, for strongly convex clients.

    The ball is centred at w*; its radius R >= ‖start − w*‖ and R >= (‖∇Fᵢ(w*)‖ + b)/μᵢ for every client, b the largest
    norm of the additive noise. With η <= 1/L a local step maps it into itself: ‖w'−w*‖ <= (1−ημᵢ)R + η(‖∇Fᵢ(w*)‖ + b)
    <= R, and averages stay inside. Hence G = maxᵢ(‖∇Fᵢ(w*)‖ + LᵢR) + b. Shapes (*batch,). Quadratics use each client's
    own μᵢ and Lᵢ, other federations their common constants.
    Source: exp_alpha EA-A4; the paper leaves the set of points open, strong convexity excludes all of R^d.
    Raises `ValueError` when some μ <= 0: then no such ball is known.
    """
    xp = namespace(federation.share, start)
    center = federation.optimum()
    pull = xp.linalg.vector_norm(federation.gradients(center[..., None, :] + 0 * federation.local_optima), axis=-1)
    if isinstance(federation, QuadraticFederation):
        spectrum, _ = federation.eigen()
        low, high = xp.min(spectrum, axis=-1), xp.max(spectrum, axis=-1)
    else:
        constants = federation.constants()
        low, high = constants.mu[..., None] + 0 * pull, constants.L[..., None] + 0 * pull
    if not bool(xp.all(low > 0)):
        raise ValueError(f"gradient_bound(…): smallest strong convexity is {float(xp.min(low)):.3g}; must be > 0")
    radius = xp.maximum(xp.linalg.vector_norm(start - center, axis=-1), xp.max((pull + noise_bound) / low, axis=-1))
    return xp.max(pull + high * radius[..., None], axis=-1) + noise_bound, radius
