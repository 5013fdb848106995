"""What theory measures along a run, of a deep one: three tables of quantities, and their values.

Everything in `theory.quantities` that losses, weights, shares, presence and inner products of updates determine.
Left out, as a history does not hold what they need:
- `combined_variance`: replicas of a round; `forgetting_factor`: the law of participation and the rule's α.
- `biased_round`, `biased_round_count`, `bias_ceiling`: expectations over the law of participation.
- `drift_constant`, `ssa_denominator`, `start_term`, `target_mismatch_term`, `weighted_noise_term`, `drift_noise_term`,
  `drift_bias_term`, `speed_floor`, `speed_term`, `error_term`: the constants L, μ, σ, G, A or B of the losses.
- `pareto_gap`: the clients' gradients at one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

import numpy as np

from deep.metrics.of_round import ROUND_QUANTITIES
from deep.metrics.of_run import CLIENT_QUANTITIES, RUN_QUANTITIES
from deep.metrics.quantity import Quantity
from deep.metrics.rounds import Floats, Rounds

__all__ = [
    "CLIENT_QUANTITIES",
    "ROUND_QUANTITIES",
    "RUN_QUANTITIES",
    "Quantity",
    "client_quantities",
    "round_quantities",
    "run_quantities",
]


def round_quantities(
    rounds: Rounds, quantities: Sequence[Quantity] = ROUND_QUANTITIES
) -> dict[str, list[float | None]]:
    """Values per round by key, (n_rounds,); None where undefined or unknown."""
    return {q.key: [_number(value) for value in _values(q, rounds, rounds.share.shape[:1])] for q in quantities}


def client_quantities(rounds: Rounds) -> dict[str, list[list[float | None]]]:
    """Values per round and client by key of `CLIENT_QUANTITIES`, (n_rounds, n_clients); None where undefined."""
    found = {q.key: _values(q, rounds, rounds.share.shape) for q in CLIENT_QUANTITIES}
    return {key: [_numbers(row) for row in values] for key, values in found.items()}


def run_quantities(rounds: Rounds) -> dict[str, float | None]:
    """One value for the whole run by key of `RUN_QUANTITIES`; None where undefined or unknown in one of its rounds."""
    return {q.key: _number(float(_values(q, rounds, ()))) for q in RUN_QUANTITIES}


def _values(quantity: Quantity, rounds: Rounds, shape: tuple[int, ...]) -> Floats:
    with np.errstate(invalid="ignore"):  # minima over rounds meet the NaN of what was not measured
        found = quantity.of(rounds)
    return np.full(shape, np.nan) if found is None else np.asarray(found, dtype=np.float64)


def _numbers(row: Floats) -> list[float | None]:
    """`_number` of each."""
    found: list[float | None] = row.tolist()
    for place in np.flatnonzero(~np.isfinite(row)).tolist():
        found[place] = None
    return found


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
