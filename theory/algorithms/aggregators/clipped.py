"""Clipping of updates, around 0 and around the last aggregate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import clipping, weighted_sum
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import namespace
from theory.base.checks import check_number, check_whole

__all__ = ["ENTRY", "CentredClipping", "Clipped"]


@dataclass(frozen=True)
class Clipped(Aggregator):
    """Σ aₖuₖ·min(1, τ/‖uₖ‖).

    Source: Sun et al. 2019, norm thresholding. `radius` τ > 0 in units of the model. Byzantine clients of weight b move
    it by at most 2bτ, whatever they send; it has no breakdown point, but no more than that to hold against them.
    Without state.
    """

    radius: float

    weighs = True

    def __post_init__(self) -> None:
        check_number("Clipped", "radius", self.radius)

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the mean of what was clipped."""
        return None, weighted_sum(sent.weights, clipping(sent.updates, self.radius)[..., None] * sent.updates)


@dataclass(frozen=True)
class CentredClipping(Aggregator):
    """v ← v + Σ aₖ(uₖ − v)·min(1, τ/‖uₖ − v‖), `n_steps` times, from the last round's v.

    Source: Karimireddy et al. 2021, Algorithm 2 (centred clipping), there with aₖ = 1/n; v is 0 before the first round.
    `radius` τ > 0 in units of the model. One step moves v by at most τ, and Byzantine clients of weight b take it at
    most 2bτ elsewhere. State: {"centre": v}.
    """

    radius: float
    n_steps: int = 1

    weighs = True

    def __post_init__(self) -> None:
        check_number("CentredClipping", "radius", self.radius)
        check_whole("CentredClipping", "n_steps", self.n_steps, low=1)

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """The new centre, and it again."""
        rows = sent.updates
        centre = namespace(rows).zeros_like(rows[..., 0, :]) if state is None else state["centre"]
        for _ in range(self.n_steps):
            off = rows - centre[..., None, :]
            centre = centre + weighted_sum(sent.weights, clipping(off, self.radius)[..., None] * off)
        return {"centre": centre}, centre


ENTRY = (
    PartEntry("clipped", Clipped, "Sun et al. 2019", "Σ aₖuₖ·min(1, τ/‖uₖ‖)", {"radius": 1.0}),
    PartEntry(
        "centred-clipping",
        CentredClipping,
        "Karimireddy et al. 2021, Algorithm 2",
        "v ← v + Σ aₖ(uₖ − v)·min(1, τ/‖uₖ − v‖)",
        {"radius": 1.0},
    ),
)
