"""The geometric median, by smoothed Weiszfeld steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import ascending, count, lengths, median_of, weighted_sum
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import namespace
from theory.base.checks import check_number, check_whole

__all__ = ["ENTRY", "GeometricMedian"]


@dataclass(frozen=True)
class GeometricMedian(Aggregator):
    """argmin_v Σ aₖ‖uₖ − v‖, `n_steps` times v ← Σ βₖuₖ/Σ βₖ with βₖ = aₖ/max(ν, ‖uₖ − v‖).

    Source: Pillutla et al. 2022 (RFA), Algorithm 2 (smoothed Weiszfeld), with the rule's weights aₖ. `smoothing` ν > 0
    in units of the model, 1e-6 there. *Differs:* v begins at the coordinate-wise median, not at a mean, so that no
    number of Byzantine clients below half makes the first steps useless. No step increases the smoothed sum of
    distances. Breakdown point: Byzantine clients with less than half of the weight. Without state.
    """

    smoothing: float = 1e-6
    n_steps: int = 10

    weighs = True

    def __post_init__(self) -> None:
        check_number("GeometricMedian", "smoothing", self.smoothing)
        check_whole("GeometricMedian", "n_steps", self.n_steps, low=1)

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the last v."""
        rows = sent.updates
        xp = namespace(rows, sent.weights)
        found = median_of(ascending(rows, sent.present), count(sent.present))
        a = xp.astype(sent.weights, rows.dtype)
        for _ in range(self.n_steps):
            apart = lengths(rows - found[..., None, :])
            beta = a / xp.where(apart > self.smoothing, apart, xp.full_like(apart, self.smoothing))
            found = weighted_sum(beta / xp.sum(beta, axis=-1, keepdims=True), rows)
        return None, found


ENTRY = PartEntry(
    "geometric-median",
    GeometricMedian,
    "Pillutla et al. 2022, Algorithm 2",
    "argmin_v Σ aₖ‖uₖ − v‖; v ← Σ βₖuₖ/Σ βₖ, βₖ = aₖ/max(ν, ‖uₖ − v‖)",
)
