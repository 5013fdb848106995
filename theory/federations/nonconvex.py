"""Smooth clients that are not convex, bounded below, with exact L, exact minima and the exact global optimum."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

from theory.base.arrays import Array, check_simplex, namespace
from theory.federations.federation import Constants

__all__ = ["RippledFederation", "SaddleFederation"]


@dataclass(frozen=True, eq=False)
class RippledFederation:
    """Fᵢ(w) = cᵢ Σⱼ [xⱼ² + aᵢ sin² xⱼ] + Fᵢ*, x = w − mᵢ: coercive, with many local minima once aᵢ is large.

    Each Fᵢ'' lies in [2cᵢ(1−aᵢ), 2cᵢ(1+aᵢ)], and both ends are attained: `constants` are exact, and mu <= 0 says
    that some client is not strongly convex (−mu bounds the negative curvature). mᵢ is the one global minimiser.
    `centers` mᵢ: (*batch, n_clients, dim); `scale` cᵢ > 0, `ripple` aᵢ >= 0, `floor`, `share`: (*batch, n_clients).
    """

    centers: Array
    scale: Array
    ripple: Array
    floor: Array
    share: Array

    def __post_init__(self) -> None:
        _check(self, "RippledFederation", "centers", {"scale": 0.0, "ripple": 0.0, "floor": None})
        xp = namespace(self.scale)
        if not bool(xp.all(self.scale > 0)):
            raise ValueError("RippledFederation(scale=…): contains 0; must be > 0, else the client has no minimiser")

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
        """wᵢ* = mᵢ, (*batch, n_clients, dim), unique."""
        return self.centers

    def losses(self, models: Array) -> Any:
        """Fᵢ(wᵢ), (*batch, n_clients), at one model per client."""
        xp = namespace(self.centers, models)
        x = models - self.centers
        return self.scale * xp.sum(x**2 + self.ripple[..., None] * xp.sin(x) ** 2, axis=-1) + self.floor

    def gradients(self, models: Array) -> Any:
        """∂ⱼFᵢ = cᵢ(2xⱼ + aᵢ sin 2xⱼ), (*batch, n_clients, dim)."""
        xp = namespace(self.centers, models)
        x = models - self.centers
        return self.scale[..., None] * (2 * x + self.ripple[..., None] * xp.sin(2 * x))

    def optimum(self) -> Any:
        """A global minimiser of F = Σpᵢ Fᵢ to rounding, (*batch, dim); there is a second one only if |δ| = π.

        Coordinates separate, and sines of one frequency add up: with P = Σpᵢcᵢ, m̄ = Σpᵢcᵢmᵢ/P and R e^{iψ} =
        Σpᵢcᵢaᵢ e^{2imᵢ}, each is φ(x) = P x² − ½R cos(2x − δ) + constant, x = w − m̄, δ = ψ − 2m̄ taken in [−π, π].
        Let δ >= 0 (else mirror). Beyond |x| = δ/2 φ is larger than at δ/2; for −δ/2 <= x < 0 it is at least φ(−x).
        On [0, δ/2] φ' is convex, <= 0 at 0 and >= 0 at δ/2: bisection finds its last zero, the minimum.
        """
        xp = namespace(self.centers)
        weight = (self.share * self.scale)[..., None]
        total = xp.sum(weight, axis=-2)
        middle = xp.sum(weight * self.centers, axis=-2) / total
        offset = 2 * (self.centers - middle[..., None, :])
        wave = weight * self.ripple[..., None]
        sine, cosine = xp.sum(wave * xp.sin(offset), axis=-2), xp.sum(wave * xp.cos(offset), axis=-2)
        size, delta = xp.sqrt(sine**2 + cosine**2), xp.atan2(sine, cosine)
        sign, width = xp.where(delta < 0, -xp.ones_like(delta), xp.ones_like(delta)), xp.abs(delta)
        low, high = xp.zeros_like(width), 0.5 * width
        for _ in range(64):  # halvings until the ends are neighbouring numbers, or nearly 0
            mid = 0.5 * (low + high)
            falling = 2 * total * mid + size * xp.sin(2 * mid - width) < 0
            low, high = xp.where(falling, mid, low), xp.where(falling, high, mid)
        return middle + sign * high

    def constants(self) -> Constants:
        """mu = minᵢ 2cᵢ(1−aᵢ), possibly <= 0, and L = maxᵢ 2cᵢ(1+aᵢ), both exact, (*batch,)."""
        xp = namespace(self.scale)
        return Constants(
            mu=xp.min(2 * self.scale * (1 - self.ripple), axis=-1),
            L=xp.max(2 * self.scale * (1 + self.ripple), axis=-1),
        )


@dataclass(frozen=True, eq=False)
class SaddleFederation:
    """Fᵢ(w) = Σⱼ hᵢⱼ (1 − cos(wⱼ − mᵢⱼ)) + cᵢ: near mᵢ the quadratic ½xᵀdiag(hᵢ)x, a saddle for mixed signs.

    Everything is exact: each Fᵢ'' fills [−maxⱼ|hᵢⱼ|, maxⱼ|hᵢⱼ|], Fᵢ* = cᵢ + Σⱼ min(0, 2hᵢⱼ), and ‖∇Fᵢ‖ <= ‖hᵢ‖ on
    all of R^d: bounded gradients hold, which strong convexity excludes. Minimisers repeat with period 2π, and Fᵢ does
    not grow at infinity.
    `curvature` hᵢ and `saddles` mᵢ: (*batch, n_clients, dim); `offset` cᵢ and `share`: (*batch, n_clients).
    """

    curvature: Array
    saddles: Array
    offset: Array
    share: Array

    def __post_init__(self) -> None:
        _check(self, "SaddleFederation", "saddles", {"offset": None})
        xp = namespace(self.curvature, self.saddles)
        if tuple(self.curvature.shape) != tuple(self.saddles.shape):
            raise ValueError(
                f"SaddleFederation(curvature=…): shape {tuple(self.curvature.shape)}; expected"
                f" {tuple(self.saddles.shape)} from saddles"
            )
        if not bool(xp.all(xp.isfinite(self.curvature))):
            raise ValueError("SaddleFederation(curvature=…): contains NaN or infinity")

    @property
    def n_clients(self) -> int:
        """Number of clients."""
        return int(self.saddles.shape[-2])

    @property
    def dim(self) -> int:
        """Dimension of the model."""
        return int(self.saddles.shape[-1])

    @property
    def floor(self) -> Any:
        """Fᵢ* = cᵢ + Σⱼ min(0, 2hᵢⱼ), (*batch, n_clients)."""
        xp = namespace(self.curvature)
        return self.offset + 2 * xp.sum(xp.minimum(self.curvature, xp.zeros_like(self.curvature)), axis=-1)

    @property
    def local_optima(self) -> Any:
        """mᵢⱼ where hᵢⱼ >= 0, mᵢⱼ + π where hᵢⱼ < 0: one of the global minimisers, (*batch, n_clients, dim)."""
        xp = namespace(self.curvature)
        return xp.where(self.curvature < 0, self.saddles + pi, self.saddles)

    def losses(self, models: Array) -> Any:
        """Fᵢ(wᵢ), (*batch, n_clients), at one model per client."""
        xp = namespace(self.curvature, models)
        # 1 − cos x = 2 sin²(x/2), without its cancellation near 0.
        return xp.sum(2 * self.curvature * xp.sin(0.5 * (models - self.saddles)) ** 2, axis=-1) + self.offset

    def gradients(self, models: Array) -> Any:
        """∂ⱼFᵢ = hᵢⱼ sin(wⱼ − mᵢⱼ), (*batch, n_clients, dim)."""
        xp = namespace(self.curvature, models)
        return self.curvature * xp.sin(models - self.saddles)

    def optimum(self) -> Any:
        """ψⱼ = arg Σpᵢhᵢⱼ e^{i mᵢⱼ} in [−π, π], exact: F = Σⱼ −Rⱼ cos(wⱼ − ψⱼ) + constant; (*batch, dim)."""
        xp = namespace(self.curvature)
        weight = self.share[..., None] * self.curvature
        return xp.atan2(xp.sum(weight * xp.sin(self.saddles), axis=-2), xp.sum(weight * xp.cos(self.saddles), axis=-2))

    def constants(self) -> Constants:
        """L = maxᵢⱼ |hᵢⱼ| and mu = −L, both attained, (*batch,)."""
        xp = namespace(self.curvature)
        largest = xp.max(xp.abs(self.curvature), axis=(-2, -1))
        return Constants(mu=-largest, L=largest)


def _check(federation: Any, name: str, points: str, fields: dict[str, float | None]) -> None:
    """Shapes, finite numbers and lower limits of the fields that hold one number per client."""
    center = getattr(federation, points)
    xp, shape = namespace(center, federation.share), tuple(center.shape[:-1])
    for field, lowest in {**fields, "share": None}.items():
        value = getattr(federation, field)
        if tuple(value.shape) != shape:
            raise ValueError(f"{name}({field}=…): shape {tuple(value.shape)}; expected {shape}, one per client")
        if not bool(xp.all(xp.isfinite(value))):
            raise ValueError(f"{name}({field}=…): contains NaN or infinity")
        if lowest is not None and float(xp.min(value)) < lowest:
            raise ValueError(f"{name}({field}=…): smallest value {float(xp.min(value)):g}; must be >= {lowest:g}")
    if not bool(xp.all(xp.isfinite(center))):
        raise ValueError(f"{name}({points}=…): contains NaN or infinity")
    check_simplex(federation.share, f"{name}(share=…)")
