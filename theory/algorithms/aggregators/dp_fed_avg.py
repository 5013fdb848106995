"""DP-FedAvg: clipped updates, each client counted once, and Gaussian noise on their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.algorithms.aggregator import Aggregator, Sent
from theory.algorithms.aggregators.ranks import clipping, count
from theory.algorithms.part_entry import PartEntry
from theory.base.arrays import device_of, namespace
from theory.base.checks import check_number, check_whole
from theory.base.streams import stream

__all__ = ["ENTRY", "DPFedAvg"]


@dataclass(frozen=True)
class DPFedAvg(Aggregator):
    """(1/m) Σ uₖ·min(1, S/‖uₖ‖) + N(0, (zS/m)²·I) over the m clients present.

    Source: McMahan et al. 2018 (DP-FedAvg), Algorithm 1, flat clipping, every client of weight 1. `clip` S > 0 in units
    of the model; `noise` z >= 0 is the ratio of the noise on the sum to S. `expected` > 0 takes the place of m: the
    source divides by the expected size qW of a cohort. *Differs:* 0, the default, divides by the size m of the cohort,
    the same where all cohorts have one size. `theory.algorithms.privacy` has the (ε, δ) of its rounds. The noise of a
    round derives from (`seed`, round); seed −1 is the training seed of a deep run or of `fedverdict simulate`, else 0.
    Without state.
    """

    clip: float
    noise: float
    seed: int = -1
    expected: float = 0.0

    def __post_init__(self) -> None:
        check_number("DPFedAvg", "clip", self.clip)
        check_number("DPFedAvg", "noise", self.noise, closed=True)
        check_whole("DPFedAvg", "seed", self.seed, low=-1, hint="−1 follows the run's seed")
        check_number("DPFedAvg", "expected", self.expected, closed=True)

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """No state; the noisy mean."""
        rows = sent.updates
        xp, n = namespace(rows), namespace(rows).astype(count(sent.present), rows.dtype)[..., None]
        if self.expected:
            n = xp.full_like(n, self.expected)
        # Rows of absent clients are 0.
        mean = xp.sum(clipping(rows, self.clip)[..., None] * rows, axis=-2) / n
        if self.noise == 0:
            return None, mean
        drawn = stream(max(self.seed, 0), "dp-fed-avg", sent.round).standard_normal(tuple(mean.shape))
        draws = xp.asarray(drawn, dtype=rows.dtype, device=device_of(rows))
        return None, mean + self.noise * self.clip / n * draws


ENTRY = PartEntry(
    "dp-fed-avg",
    DPFedAvg,
    "McMahan et al. 2018, Algorithm 1",
    "(1/m) Σ uₖ·min(1, S/‖uₖ‖) + N(0, (zS/m)²·I)",
    {"clip": 1.0, "noise": 1.0},
)
