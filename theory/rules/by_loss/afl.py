"""Agnostic federated learning: the weights climb the clients' losses, and stay on the simplex."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from theory.base.arrays import Array, namespace
from theory.base.checks import check_number, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import masked_shares, normalised
from theory.rules.simplex import project_on_simplex
from theory.rules.stats import RoundStats

__all__ = ["AFL", "ENTRY"]


@dataclass(frozen=True)
class AFL:
    """λ ← Π(λ + γ·(F₁(w), …, F_N(w))), Π the Euclidean projection on the simplex; aₖ = λₖ over the clients present.

    Source: fedssa B.2, baseline AFL (Mohri et al. 2019, γ = 0.001); minimax over λ in the simplex.
    `step_size` γ > 0, per unit of loss. `start`: λ in the first round, "share" pₖ or "uniform". The round is combined
    with the λ it began with; its losses then move λ, both derivatives at the broadcast model as in the source.
    Absent clients: their loss counts as 0 in the ascent, and the round's weights are λ over the clients present,
    renormalised. `when_zero`: λ may be 0 for all of them: "error" raises `ValueError`, "share" then uses their shares.
    The state is λ, (*batch, n_clients). Needs `loss_before`.
    """

    needs: ClassVar[tuple[str, ...]] = ("loss_before", "updates")

    step_size: float = 1e-3
    start: Literal["share", "uniform"] = "share"
    when_zero: Literal["error", "share"] = "error"

    def __post_init__(self) -> None:
        check_number("AFL", "step_size", self.step_size)
        check_word("AFL", "start", self.start, ("share", "uniform"))
        check_word("AFL", "when_zero", self.when_zero, ("error", "share"))

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(λ after this round, weights on the simplex, this round's updates)."""
        loss = stats.need("loss_before", "AFL")
        xp = namespace(loss, stats.share)
        held = state if state is not None else self._start(stats)
        here = self._over_cohort(held, stats)
        climb = self.step_size * xp.where(stats.present, loss, xp.zeros_like(loss))
        return project_on_simplex(held + climb), here, stats.updates

    def _start(self, stats: RoundStats) -> Array:
        xp = namespace(stats.share)
        start: Array = xp.ones_like(stats.share) / stats.n_clients if self.start == "uniform" else stats.share
        return start

    def _over_cohort(self, held: Any, stats: RoundStats) -> Any:
        xp = namespace(held)
        here = xp.where(stats.present, held, xp.zeros_like(held))
        if self.when_zero == "share":
            lost = xp.sum(here, axis=-1, keepdims=True) == 0
            here = xp.where(lost, masked_shares(stats), here)
        hint = "λ has left this cohort: choose when_zero='share', a smaller step_size, or more clients a round"
        return normalised(here, f"AFL, round {stats.round}", hint)


ENTRY = RuleEntry("afl", AFL, "fedssa", "B.2 (Mohri et al. 2019)", "λ; then λ ← Π(λ + γF(w))")
