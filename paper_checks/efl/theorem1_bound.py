"""The right side of EFL's Theorem 1 with the constants of its induction, in every reading of the bracket of Lemma 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paper_checks.efl.notation import NOTATION
from validation.statement.says import Le, le

__all__ = ["BRACKETS", "bound_with", "collected", "with_C"]

gamma, time, E, mu, L, theta, G2, Delta, Delta0, noise, skew, pull, H, J = NOTATION.symbols(
    "gamma time E mu L theta G2 Delta Delta0 noise skew pull H J"
)
# G² bounds the gradients at the points visited only, and a round of many steps may leave them.
_NOT_KNOWN = "no constant of (7) bounds the distance to ω* after a round by itself"
BRACKETS = ("printed_59", "printed_49", "product_59", "plus_59", "plus_49")


def bound_with(bracket: str) -> Le:
    """The bound (7) at τ = T, time = TE, with the given reading of the bracket of (59) or (49).

    Sums over the rounds, each divided by m² = E[Σ p s]²: `noise` of Σ p²sσ², `skew` of Σ p s D, `pull` of Σ p²s/pᵏ, and
    the bracket.
    """
    inside = NOTATION.symbols(bracket)
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

    return le(Delta, C / (time + gamma) ** 2 + H * J / (time + gamma), again=again, trivial=_NOT_KNOWN)


def collected(bracket: str) -> Le:
    """The same with C as one measured constant."""
    C = NOTATION.symbols(f"C_{bracket}")

    def again(**k: Any) -> Any:
        return (k[f"C_{bracket}"] / (k["time"] + k["gamma"]) + k["H"] * k["J"]) / (k["time"] + k["gamma"])

    return le(Delta, C / (time + gamma) ** 2 + H * J / (time + gamma), again=again, trivial=_NOT_KNOWN)


def with_C(c: Mapping[str, Any]) -> dict[str, Any]:
    """The constants and, for each reading of the bracket, C_T of the induction."""
    out = dict(c)
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        drift = (2 + c["mu"] / (2 * (1 + c["theta"]) * c["L"])) * c["E"] * (c["E"] - 1) * c["G2"] * c[name]
        bar_b = c["noise"] + 2 * (2 + c["theta"]) * c["L"] * c["skew"] + drift
        grown = (16 * c["E"] / c["mu"]) ** 2 * (bar_b + 2 * c["E"] * c["G2"] * c["pull"])
        out[f"C_{name}"] = c["gamma"] ** 2 * c["Delta0"] + grown
    return out
