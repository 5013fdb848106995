"""FedNova's normalised averaging: a client counts for what it did per step, not for how many steps it took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "FedNova"]


@dataclass(frozen=True)
class FedNova:
    """aₖ = τ_eff·pₖ/τₖ, so that x ← x + τ_eff Σ pₖ Δₖ/τₖ; the weights sum to τ_eff·Σ pₖ/τₖ, not to 1.

    Source: Wang et al. 2020 (FedNova), §4, "x ← x − τ_eff Σ pᵢ·η dᵢ" with dᵢ = Gᵢaᵢ/‖aᵢ‖₁: τₖ = ‖aₖ‖₁ are the
    `effective_steps` of the round, with momentum more than those finished. pₖ are the data shares, renormalised over
    the clients present; one that finished no step moved nothing and has weight 0.
    `effective_steps` τ_eff > 0; None takes Σ pₖτₖ, the paper's default, which makes the weights of equal clients pₖ.
    With τ_eff = E, no momentum and everyone present this is EFL's E·pₖ/sₖ. Raises `ValueError` when the shares of all
    clients present are 0.

    >>> import numpy as np
    >>> share, everyone, tau = np.array([0.75, 0.25]), np.array([True, True]), np.array([4.0, 2.0])
    >>> FedNova()(RoundStats(share, everyone, effective_steps=tau))
    array([0.65625, 0.4375 ])
    """

    needs: ClassVar[tuple[str, ...]] = ("effective_steps",)
    simplex: ClassVar[bool] = False

    effective_steps: float | None = None

    def __post_init__(self) -> None:
        if self.effective_steps is not None:
            hint = "None takes the mean of the clients' own"
            check_number("FedNova", "effective_steps", self.effective_steps, hint=hint)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        weights: Array = self._scale(stats)[..., None] * self._per_step(stats)
        return weights

    def total(self, stats: RoundStats) -> Any:
        """τ_eff·Σ pₖ/τₖ over the clients with τₖ > 0, which the weights sum to; shape (*batch,)."""
        return self._scale(stats) * namespace(stats.share).sum(self._per_step(stats), axis=-1)

    def _scale(self, stats: RoundStats) -> Any:
        """τ_eff, (*batch,)."""
        xp = namespace(stats.share)
        shares, tau = _shares(stats), _tau(stats)
        if self.effective_steps is None:
            return xp.sum(shares * tau, axis=-1)
        return xp.full_like(tau[..., 0], self.effective_steps)

    def _per_step(self, stats: RoundStats) -> Any:
        """pₖ/τₖ, 0 for clients that did nothing, (*batch, n_clients)."""
        xp = namespace(stats.share)
        tau = _tau(stats)
        moved = tau > 0
        per_step = _shares(stats) / xp.where(moved, tau, xp.ones_like(tau))
        return xp.where(moved, per_step, xp.zeros_like(per_step))


def _shares(stats: RoundStats) -> Any:
    return normalised(masked_shares(stats), "FedNova", "are their data shares right?")


def _tau(stats: RoundStats) -> Any:
    """τₖ of the clients present, else 0."""
    steps = stats.need("effective_steps", "FedNova")
    xp = namespace(stats.share)
    return xp.astype(xp.where(stats.present, steps, xp.zeros_like(steps)), stats.share.dtype)


ENTRY = RuleEntry("fed-nova", FedNova, "Wang et al. 2020", "§4", "τ_eff·pₖ/τₖ, τ_eff = Σ pₖτₖ", total="τ_eff·Σ pₖ/τₖ")
