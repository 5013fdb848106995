"""EFL's aggregation coefficients: a client that finished fewer local steps counts for more per step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.arrays import Array, namespace
from theory.rules.checks import check_whole, check_word
from theory.stats import RoundStats

__all__ = ["EFL"]


@dataclass(frozen=True)
class EFL:
    """aₖ = E·pₖ/sₖ, sₖ the local steps finished; the weights sum to E·Σ pₖ/sₖ, not to 1.

    Source: efl §4.2, p_τ^k = E p^k/s_τ^k (EFL-ALG3). A client that finished all E steps has weight pₖ; with everybody
    complete this is FedAvg, with clients absent the step is shorter, since nothing is renormalised.
    `n_local_steps` E >= 1. `when_zero`: the weight of a client present with sₖ = 0 is not printed: "zero" gives 0 (it
    was inactive), "error" raises `ValueError`. Needs `local_steps`.
    Raises `ValueError` when somebody finished more than E steps, or fewer than 0.
    """

    needs: ClassVar[tuple[str, ...]] = ("local_steps",)
    simplex: ClassVar[bool] = False

    n_local_steps: int
    when_zero: Literal["zero", "error"] = "zero"

    def __post_init__(self) -> None:
        check_whole("EFL", "n_local_steps", self.n_local_steps, low=1)
        check_word("EFL", "when_zero", self.when_zero, ("zero", "error"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        steps = stats.need("local_steps", "EFL")
        xp = namespace(stats.share)
        steps = xp.astype(xp.where(stats.present, steps, xp.zeros_like(steps)), stats.share.dtype)
        if bool(xp.any(steps > self.n_local_steps)) or not bool(xp.all(steps >= 0)):
            raise ValueError(
                f"EFL(n_local_steps={self.n_local_steps}): local steps from {float(xp.min(steps)):g} to"
                f" {float(xp.max(steps)):g} in round {stats.round}; expected 0 to n_local_steps"
            )
        active = steps > 0
        if self.when_zero == "error" and bool(xp.any(stats.present & ~active)):
            raise ValueError(
                f"EFL: a client present in round {stats.round} finished no local step, and E·p/0 is not printed;"
                " choose when_zero='zero' to leave it out"
            )
        weights = self.n_local_steps * stats.share / xp.where(active, steps, xp.ones_like(steps))
        answer: Array = xp.where(active, weights, xp.zeros_like(weights))
        return answer

    def total(self, stats: RoundStats) -> Any:
        """E·Σ pₖ/sₖ over the clients with sₖ > 0, which the weights sum to; shape (*batch,)."""
        steps = stats.need("local_steps", "EFL")
        xp = namespace(stats.share)
        active = stats.present & (steps > 0)
        inverse = xp.where(active, 1 / xp.where(active, steps, xp.ones_like(steps)), xp.zeros_like(steps))
        return self.n_local_steps * xp.sum(stats.share * inverse, axis=-1)
