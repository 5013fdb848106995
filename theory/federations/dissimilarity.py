"""How far clients' gradients may be from the global one: the frontier of (A, B), and what a run realises."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, device_of, namespace
from theory.federations.federation import Federation, QuadraticFederation

__all__ = ["family_pair", "frontier", "infimum_A", "realised_dissimilarity", "smallest_B"]


def smallest_B(federation: QuadraticFederation, A: float | Array) -> Any:
    """The least B with ‖∇Fₖ(w)‖² <= A‖∇F(w)‖² + B for every client and every w; infinite where there is none.

    Source: fedssa SSA-A4. With H = Σpₖ Hₖ, ∇Fₖ = bₖ + Mₖ∇F, Mₖ = Hₖ H⁻¹, bₖ = ∇Fₖ(w*), and ∇F takes every value, so
    B = maxₖ sup_g ‖bₖ + Mₖg‖² − A‖g‖². With Mₖ = U diag(s) Vᵀ and t = Uᵀbₖ the supremum is Σⱼ tⱼ² A/(A − sⱼ²): finite
    iff sⱼ² < A, or sⱼ² = A and tⱼ = 0 (that term is 0). Clients of share 0 count: the assumption names every client.
    `A` > 0: a number or broadcastable to (*batch,); returns that shape. The edge sⱼ² = A is decided by the computed
    sⱼ, so on it the answer is right only up to rounding. Raises `ValueError` for A that is not > 0.
    """
    xp = namespace(federation.curvature)
    _, s, t = _modes(federation)
    bound = xp.asarray(A, dtype=s.dtype, device=device_of(s))[..., None, None]
    if not bool(xp.all(bound > 0)):
        raise ValueError(f"smallest_B(A=…): smallest value {float(xp.min(bound)):g}; must be > 0 and not NaN")
    room = bound - s**2
    square = t**2 + xp.zeros_like(room)
    term = xp.where(room > 0, square * bound / xp.where(room > 0, room, xp.ones_like(room)), xp.full_like(room, xp.inf))
    term = xp.where((room == 0) & (square == 0), xp.zeros_like(room), term)
    return xp.max(xp.sum(term, axis=-1), axis=-1)


def frontier(federation: QuadraticFederation, A_grid: Array) -> Any:
    """The smallest B at each A of a grid (n_points,): (n_points, *batch). Source: fedssa SSA-A4."""
    xp = namespace(federation.curvature, A_grid)
    batch = len(federation.centers.shape) - 2
    return smallest_B(federation, xp.reshape(A_grid, (A_grid.shape[0],) + (1,) * batch))


def infimum_A(federation: QuadraticFederation) -> Any:
    """maxₖ ‖Mₖ‖₂², (*batch,): every larger A is admissible with some B, no smaller one is. Source: fedssa SSA-A4."""
    xp = namespace(federation.curvature)
    return xp.max(_modes(federation)[1], axis=(-2, -1)) ** 2


def family_pair(federation: QuadraticFederation, s: float) -> tuple[Any, Any]:
    """A = (1 + 1/s) maxₖ‖Mₖ‖₂², B = (1 + s) maxₖ‖bₖ‖², each (*batch,): admissible, and not on the frontier in general.

    Source: fedssa SSA-A4, "one family of pairs"; Young's inequality with weight s > 0. Raises `ValueError` otherwise.
    """
    if not 0 < s < float("inf"):
        raise ValueError(f"family_pair(s={s}): must be > 0 and finite")
    xp = namespace(federation.curvature)
    pull = _modes(federation)[0]
    return (1 + 1 / s) * infimum_A(federation), (1 + s) * xp.max(xp.sum(pull**2, axis=-1), axis=-1)


def realised_dissimilarity(federation: Federation, points: Array, weights: Array | None = None) -> Any:
    """σ_g² = Σλᵢ‖∇fᵢ(x) − ∇f(x)‖², ∇f = Σλᵢ∇fᵢ, units of the squared gradient.

    Source: fedaware FA-A4.1; its maximum over a run is the run's σ_g² (for unequal Hessians it grows with ‖x‖, so no
    constant serves all of R^d). `points` (*points, *batch, dim) → (*points, *batch); `weights` λ, default the shares.
    """
    xp = namespace(federation.share, points)
    weight = (federation.share if weights is None else weights)[..., None]
    gradients = federation.gradients(points[..., None, :])
    mean = xp.sum(weight * gradients, axis=-2, keepdims=True)
    return xp.sum(weight * (gradients - mean) ** 2, axis=(-2, -1))


def _modes(federation: QuadraticFederation) -> tuple[Any, Any, Any]:
    """bₖ, the singular values of Mₖ and Uᵀbₖ, each (*batch, n_clients, dim)."""
    xp = namespace(federation.curvature)
    mean = xp.sum(federation.share[..., None, None] * federation.curvature, axis=-3)
    # Hₖ and H are symmetric, so Mₖ = (H⁻¹ Hₖ)ᵀ.
    mixing = xp.matrix_transpose(xp.linalg.solve(mean[..., None, :, :], federation.curvature))
    left, singular, _ = xp.linalg.svd(mixing, full_matrices=False)
    pull = federation.gradients(federation.optimum()[..., None, :])
    return pull, singular, (xp.matrix_transpose(left) @ pull[..., None])[..., 0]
