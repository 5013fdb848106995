"""The right side of EFL's Theorem 1 with the constants of its induction, in every reading of the bracket of Lemma 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validation import Bound, symbols

__all__ = ["BRACKETS", "DEGREES", "bound_with", "collected", "with_C"]

gamma, time, E, mu, L, theta, G2, Delta0, noise, skew, drift, pull, H, J = symbols(
    "gamma time E mu L theta G2 Delta0 noise skew drift pull H J"
)
DEGREES = {
    "gamma": (0, 0),
    "time": (0, 0),
    "E": (0, 0),
    "mu": (1, -2),
    "L": (1, -2),
    "theta": (0, 0),
    "G2": (2, -2),
    "Delta0": (0, 2),
    "noise": (2, -2),
    "skew": (1, 0),
    "pull": (0, 0),
    "H": (0, 0),
    "J": (0, 2),
    **dict.fromkeys(("C_printed_59", "C_printed_49", "C_product_59", "C_plus_59", "C_plus_49"), (0, 2)),
    **dict.fromkeys(("printed_59", "printed_49", "product_59", "plus_59", "plus_49"), (0, 0)),
}
BRACKETS = ("printed_59", "printed_49", "product_59", "plus_59", "plus_49")


def bound_with(bracket: str) -> Bound:
    """The right side of (7) at τ = T, time = TE, with the given reading of the bracket of (59) or (49).

    Sums over the rounds, each divided by m² = E[Σ p s]²: `noise` of Σ p²sσ², `skew` of Σ p s D, `pull` of Σ p²s/pᵏ, and
    the bracket.
    """
    inside = symbols(bracket)
    growth = (
        noise
        + 2 * (2 + theta) * L * skew
        + (2 + mu / (2 * (1 + theta) * L)) * E * (E - 1) * G2 * inside
        + 2 * E * G2 * pull
    )
    C = gamma**2 * Delta0 + (16 * E) ** 2 * growth / mu**2

    def again(**k: Any) -> Any:
        bar_b = k["noise"] + (4 + 2 * k["theta"]) * k["L"] * k["skew"]
        bar_b = bar_b + (k["E"] ** 2 - k["E"]) * k["G2"] * k[bracket] * (2 + k["mu"] / (2 * k["L"] * (1 + k["theta"])))
        offset = k["time"] + k["gamma"]
        c = k["gamma"] ** 2 * k["Delta0"] + 256 * k["E"] ** 2 / k["mu"] ** 2 * (
            bar_b + 2 * k["E"] * k["G2"] * k["pull"]
        )
        return c / offset**2 + k["H"] * k["J"] / offset

    return Bound(C / (time + gamma) ** 2 + H * J / (time + gamma), again=again, degrees=DEGREES)


def collected(bracket: str) -> Bound:
    """The same with C as one measured constant."""
    C = symbols(f"C_{bracket}")

    def again(**k: Any) -> Any:
        return (k[f"C_{bracket}"] / (k["time"] + k["gamma"]) + k["H"] * k["J"]) / (k["time"] + k["gamma"])

    return Bound(C / (time + gamma) ** 2 + H * J / (time + gamma), again=again, degrees=DEGREES)


def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out
