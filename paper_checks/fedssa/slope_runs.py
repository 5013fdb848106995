"""Runs at Corollary A.8's step down a loss that is straight far from its minimum, where the gradient stays."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validation import Case, Family, Instance, LogScale, Size, Space, case

__all__ = ["slope_runs"]


def down(x: Instance, *, tau: int, side: int) -> Mapping[str, Any]:
    """The constants of Corollary A.8 for one client of F' = L·clip(θ, ±bend), started `ahead` times the bend away.

    No noise; η = 1/√(τT), T = τ·side²; `part`: τηL. One client meets A.4 with A = 1 and any B, here `extra`.
    """
    L, bend = x["part"] * side, x["bend"]
    eta = 1 / (tau * side)
    at = start = bend * x["ahead"]
    low = np.full(len(L), np.inf)
    for _ in range(tau * side**2):
        low = np.minimum(low, (L * np.minimum(at, bend)) ** 2)
        for _ in range(tau):
            at = at - eta * L * np.minimum(at, bend)
    one = np.ones(len(L))
    return {
        "low": low,
        "drop": np.where(start <= bend, L * start**2 / 2, L * bend * (start - bend / 2)),
        "L": L,
        "A": one,
        "B": x["extra"],
        "noise": 0 * one,
        "square_weights": one,
        "eta": eta * one,
        "tau": tau * one,
        "T": tau * side**2 * one,
    }


def down_exact(x: Mapping[str, Any], *, tau: int, side: int) -> tuple[Mapping[str, bool], Any]:
    """F(w) = L w^2/2 up to the bend b, L b (w - b/2) beyond; the model stays on one side of 0, as tau eta L <= 1/2."""
    L, bend, T = x["part"] * side, x["bend"], tau * side**2
    eta = Fraction(1, tau * side)
    w = bend * x["ahead"]
    drop = L * w * w / 2 if w <= bend else L * bend * (w - bend / 2)
    slopes = []
    for _ in range(T):
        slopes.append(L * min(w, bend))
        for _ in range(tau):
            w -= eta * L * min(w, bend)
    met = {
        "L > 0, start on the right": L > 0 and bend > 0 and x["ahead"] > 0,
        "A.4; A, B > 0": x["extra"] > 0,
        "eta L <= 1/(2 tau)": 2 * tau * eta * L <= 1,
    }
    out = {"low": min(s * s for s in slopes), "drop": drop, "L": L, "A": Fraction(1), "B": x["extra"]}
    out |= {"noise": Fraction(0), "square_weights": Fraction(1), "eta": eta, "tau": Fraction(tau), "T": Fraction(T)}
    return met, out


def slope_runs() -> Family:
    """One client, 1 or 2 local steps, T = τ, 4τ, …, 400τ rounds."""

    def at(steps: float, side: float) -> Case:
        space = Space(
            (
                LogScale("part", 1e-3, 0.5, at=(0.5,)),
                LogScale("bend", 1e-2, 1e2, at=(1.0,)),
                LogScale("ahead", 1e-2, 1e2),
                LogScale("extra", 1e-6, 1.0),
            )
        )
        chosen: dict[str, Any] = {"tau": int(steps), "side": int(side)}
        rounds = chosen["tau"] * chosen["side"] ** 2
        return case(
            f"one client down a slope, τ = {chosen['tau']}, T = {rounds}",
            space,
            partial(down, **chosen),
            partial(down_exact, **chosen),
            cost=max(1.0, chosen["tau"] * rounds / 60),
        )

    return Family("one client down a slope", (Size("steps", 1, 2, 1), Size("side", 1, 20, 10)), at)
