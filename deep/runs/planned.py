"""What a simulation of a run plans beforehand: the rate of every local step, and what it records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from deep.config.config import RunConfig
from theory.algorithms import Client
from theory.participation.irregular import restarted_steps
from theory.participation.schedules import geometric_steps

__all__ = ["RECORDED", "planned_rates", "recorded"]

RECORDED = (
    "models",
    "weights",
    "losses",
    "updates",
    "traffic",
    "drift",
)  # of a simulation that is to stand beside a deep run


def recorded(client: Client) -> tuple[str, ...]:
    """`RECORDED`, and what clients are judged by where that is not the server's model."""
    return (*RECORDED, "judged") if client.judges else RECORDED


def planned_rates(config: RunConfig, n_local_steps: int) -> NDArray[np.float64]:
    """η of every local step of the run, (n_rounds · n_local_steps,)."""
    rates = geometric_steps(config.local_lr, config.lr_decay, n_local_steps, config.n_rounds)
    at = min(config.lr_restart or config.n_rounds, config.n_rounds)
    return restarted_steps(rates, at, n_local_steps)
