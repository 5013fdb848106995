"""What a quantity of a deep run is, and what several of them are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from deep.base.floor import BEST_SEEN, Floor
from deep.metrics.rounds import Floats, Rounds
from theory import quantities as theory

__all__ = ["BEST", "ONE_RUN", "OPTIMUM", "Quantity", "consensus", "excess", "of_combined", "remembering"]

OPTIMUM = "losses at w* are those of the model with the lowest training loss seen in {scope}"
BEST = "Fₖ* is the lowest loss of client k seen in {scope}, so it is an upper estimate"
ONE_RUN = "expectations are estimated from one run"


@dataclass(frozen=True)
class Quantity:
    """One quantity: its name, what it says, where it comes from, and how it follows from `Rounds`.

    `unit`: "loss", "ratio", "none" (no unit), "nats", "model", "model²" or "gradient²".
    `of`: its values, NaN or infinite where undefined; None where `Rounds` lacks an optional field.
    `estimates`: why it is an estimate in a deep run, with a place for the runs seen; nothing when it is exact.
    """

    key: str
    title: str
    unit: str
    says: str
    source: str
    of: Callable[[Rounds], Any]
    estimates: tuple[str, ...] = ()

    def why_estimate(self, scope: str = "the run", floor: Floor = BEST_SEEN) -> str | None:
        """Why it is an estimate when losses were seen in `scope` and `floor` stood for Fₖ*; None when it is exact.

        What rests on a solved floor alone is exact to its certificate, which `of_floor` names.
        """
        reasons = []
        for reason in self.estimates:
            if reason == OPTIMUM and floor.at_optimum is not None:
                continue
            if reason == BEST and floor.kind != "best-seen":
                reasons += [] if floor.kind == "solved" else [floor.says]
                continue
            reasons.append(reason.format(scope=scope))
        return "; ".join(reasons) or None

    def of_floor(self, floor: Floor) -> str | None:
        """The floor it rests on, in words; None where it reads none."""
        return floor.says if {OPTIMUM, BEST} & set(self.estimates) else None


def excess(weights: Floats, loss: Floats, loss_best: Floats) -> Any:
    """Σ aₖ(Fₖ(w) − Fₖ*), (n_rounds,); what is unknown of a client without weight does not matter."""
    counts = weights != 0
    return theory.weighted_excess(weights, np.where(counts, loss, 0.0), np.where(counts, loss_best, 0.0))


def remembering(rounds: Rounds) -> Any:
    """Whether a round weights an absent client, as a rule with a memory may; booleans, (n_rounds,)."""
    return np.any((rounds.weights != 0) & ~rounds.present, axis=-1)


def of_combined(quantity: Callable[[Floats, Floats], Any]) -> Callable[[Rounds], Any]:
    """A quantity of Σ aₖuₖ, (n_rounds,); undefined in rounds that weight an absent client."""

    def of(rounds: Rounds) -> Any:
        if rounds.updates is None:
            return None
        return np.where(remembering(rounds), np.nan, quantity(rounds.updates, rounds.cohort_weights))

    return of


def consensus(updates: Floats, weights: Floats) -> Any:
    """ρᵗ(a) with a single run for 𝔼: ‖Σ aₖuₖ‖², (n_rounds,)."""
    return theory.consensus(updates[:, None], weights[:, None], replica_axis=1)
