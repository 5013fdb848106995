"""EFL's aggregation coefficients: a client that finished fewer local steps counts for more per step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_whole, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["EFL", "ENTRY"]


@dataclass(frozen=True)
class EFL:
    """aₖ = E·pₖ/sₖ, sₖ the local steps finished; the weights sum to E·Σ pₖ/sₖ, not to 1.

    Source: efl §4.2, p_τ^k = E p^k/s_τ^k (EFL-ALG3). A client that finished all E steps has weight pₖ; with everybody
    complete this is FedAvg, with clients absent the step is shorter, since nothing is renormalised.
    `n_local_steps` E >= 1; None: what each client planned, as the round says. `when_zero`: the weight of a client
    present with sₖ = 0 is not printed: "zero" gives 0 (it was inactive), "error" raises `ValueError`.
    `over_cohort`: what is not printed either, the weights of |S| clients sampled of N: as they are ("one"), times
    N/|S|, which is right on average ("scaled"), or divided by their sum ("normalised").
    Needs `local_steps`. Raises `ValueError` when somebody finished more than E steps, or fewer than 0.
    """

    simplex: ClassVar[bool] = False

    n_local_steps: int | None = None
    when_zero: Literal["zero", "error"] = "zero"
    over_cohort: Literal["one", "scaled", "normalised"] = "one"

    def __post_init__(self) -> None:
        if self.n_local_steps is not None:
            check_whole("EFL", "n_local_steps", self.n_local_steps, low=1, hint="None is what each client planned")
        check_word("EFL", "when_zero", self.when_zero, ("zero", "error"))
        check_word("EFL", "over_cohort", self.over_cohort, ("one", "scaled", "normalised"))

    @property
    def needs(self) -> tuple[str, ...]:
        """Steps finished, and planned where E is each client's own."""
        return ("local_steps", "planned_steps") if self.n_local_steps is None else ("local_steps",)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        steps = stats.need("local_steps", "EFL")
        xp = namespace(stats.share)
        steps = xp.astype(xp.where(stats.present, steps, xp.zeros_like(steps)), stats.share.dtype)
        planned = self._planned(stats)
        if bool(xp.any(stats.present & (steps > planned))) or not bool(xp.all(steps >= 0)):
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
        # E/s first: it is exactly 1 of a client that finished all.
        weights = stats.share * (planned / xp.where(active, steps, xp.ones_like(steps)))
        answer: Array = xp.where(active, weights, xp.zeros_like(weights))
        if self.over_cohort == "normalised":
            answer = normalised(answer, "EFL(over_cohort='normalised')")
        return self._scale(stats)[..., None] * answer if self.over_cohort == "scaled" else answer

    def total(self, stats: RoundStats) -> Any:
        """What the weights sum to, (*batch,): E·Σ pₖ/sₖ over the clients with sₖ > 0, N/|S| times that, or 1."""
        steps = stats.need("local_steps", "EFL")
        xp = namespace(stats.share)
        if self.over_cohort == "normalised":
            return xp.ones_like(stats.share[..., 0])
        active = stats.present & (steps > 0)
        inverse = xp.where(active, 1 / xp.where(active, steps, xp.ones_like(steps)), xp.zeros_like(steps))
        total = xp.sum(self._planned(stats) * stats.share * inverse, axis=-1)
        return self._scale(stats) * total if self.over_cohort == "scaled" else total

    def _planned(self, stats: RoundStats) -> Any:
        """E, (*batch, n_clients)."""
        if self.n_local_steps is None:
            return namespace(stats.share).astype(stats.need("planned_steps", "EFL"), stats.share.dtype)
        return namespace(stats.share).full_like(stats.share, float(self.n_local_steps))

    def _scale(self, stats: RoundStats) -> Any:
        """N/|S|, (*batch,): clients of the objective, and those present, over those present."""
        xp = namespace(stats.share)
        counted = xp.astype(stats.present | (stats.share > 0), stats.share.dtype)
        return xp.sum(counted, axis=-1) / xp.sum(xp.astype(stats.present, stats.share.dtype), axis=-1)


ENTRY = RuleEntry("efl", EFL, "efl", "§4.2, EFL-ALG3", "E·pₖ/sₖ", total="E·Σ pₖ/sₖ")
