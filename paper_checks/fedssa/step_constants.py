"""What the steps over the local rounds share: τ, η, L and C drawn together, their exact form and their units."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from validation import Choice, Instance, Integer, LogScale

__all__ = ["DEGREES", "SQUARES", "step_coordinates", "steps", "steps_exact"]

DEGREES = {
    **dict.fromkeys(("tau", "C", "A", "W_D", "T", "square_weights"), (0, 0)),
    "eta": (-1, 2),
    "L": (1, -2),
    "drop": (1, 0),
    **dict.fromkeys(("noise", "B", "own2", "grad2"), (2, -2)),
}
SQUARES = {**dict.fromkeys(("noise", "B", "own2", "grad2", "gradients"), (2, -2)), "L": (1, -2)}


def steps(x: Instance) -> dict[str, Any]:
    """τ, η = reach/(τL), L and C; `reach` = τηL, at most 1/2 in the theorem."""
    t = x["local_steps"]
    return {"tau": t, "eta": x["reach"] / (t * x["L"]), "L": x["L"], "C": 2 * (t - 1) / t * x["reach"] ** 2}


def steps_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """tau, eta, L and C = 2 tau (tau - 1) eta^2 L^2."""
    t, L = x["local_steps"], x["L"]
    eta = x["reach"] / (t * L)
    met = {"tau >= 1, eta > 0": t >= 1 and eta > 0 and L > 0, "eta L <= 1/(2 tau)": "far" in x or 2 * t * eta * L <= 1}
    return met, {"tau": Fraction(t), "eta": eta, "L": L, "C": 2 * t * (t - 1) * eta**2 * L**2}


def step_coordinates(*flags: str) -> tuple[Any, ...]:
    """Coordinates of `steps` and the noise; `far` allows τηL up to 5."""
    return (
        Integer("local_steps", 1, 300, at=(2, 10)),
        LogScale("reach", 1e-3, 5.0 if "far" in flags else 0.5, at=(0.5,)),
        LogScale("L", 1e-2, 1e2, at=(1.0,)),
        LogScale("noise", 1e-4, 1e4, at=(1.0,)),
        *(Choice(flag, (1.0,)) for flag in flags),
    )
