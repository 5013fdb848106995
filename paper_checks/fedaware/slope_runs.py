"""Runs of FedAvg down a loss that is straight far from its minimum: there the gradient does not fall as the loss does."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from validation import Case, Family, Instance, LogScale, Size, Space, case, units

__all__ = ["chosen_slopes", "slope_runs"]


def down(x: Instance, *, K: int, T: int, longest: Fraction) -> Mapping[str, Any]:
    """The constants of Theorem 4.1 for one client of f' = L·clip(w, ±bend), started `ahead` times the bend away.

    No noise and one client: σ_l² = σ_g² = 0. `first`: η_lLK; η_gη_lLK is cut to `longest`.
    """
    L, bend = x["curvature"], x["bend"]
    eta_l = x["first"] / (L * K)
    server = np.minimum(x["server"], float(longest) / x["first"])
    at = start = bend * x["ahead"]
    low = np.full(len(L), np.inf)
    for _ in range(T):
        low = np.minimum(low, (L * np.minimum(at, bend)) ** 2)
        local = at
        for _ in range(K):
            local = local - eta_l * L * np.minimum(local, bend)
        at = at - server * (at - local)
    inside = L * start**2 / 2
    beyond = L * bend * (start - bend / 2)
    one = np.ones(len(L))
    return {
        "low": low,
        "F_star": np.where(start <= bend, inside, beyond),
        "T": T * one,
        "K": K * one,
        "eta": eta_l * server,
        "eta_l": eta_l,
        "L": L,
        "sigma2": 0 * one,
        "sg2": 0 * one,
    }


def down_exact(x: Mapping[str, Any], *, K: int, T: int, longest: Fraction) -> tuple[Mapping[str, bool], Any]:
    """f(w) = L w^2/2 up to the bend b, L b (w - b/2) beyond; the model stays on one side of 0, as eta L K <= 1."""
    L, bend, zero = x["curvature"], x["bend"], Fraction(0)
    eta_l, eta_g = x["first"] / (L * K), min(x["server"], longest / x["first"])

    def gradient(w: Any) -> Any:
        return L * w if w <= bend else L * bend

    w = bend * x["ahead"]
    F_star = L * w * w / 2 if w <= bend else L * bend * (w - bend / 2)
    slopes = []
    for _ in range(T):
        slopes.append(gradient(w))
        update = zero
        for _ in range(K):
            update += eta_l * gradient(w - update)
        w -= eta_g * update
    met = {
        "L > 0, start on the right": L > 0 and bend > 0 and x["ahead"] > 0,
        "eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "eta K L at most as asked": eta_l * eta_g * K * L <= longest,
    }
    return met, {
        "low": min(s * s for s in slopes),
        "F_star": F_star,
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "L": L,
        "sigma2": zero,
        "sg2": zero,
    }


def slope_runs(longest: Fraction) -> Family:
    """One client, 1 to 10 local steps and 1 to 200 rounds, with ηKL at most `longest`."""

    def at(K: float, T: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-3, 1e3, at=(1.0,)),
                LogScale("bend", 1e-3, 1e3, at=(1.0,)),
                LogScale("ahead", 1e-2, 1e2),
                LogScale("first", 1e-3, 0.125, at=(0.125,)),
                LogScale("server", 1e-2, 1e2, at=(1.0, 1e2)),
            )
        )
        return case(
            f"one client down a slope, K = {int(K)}, T = {int(T)}",
            space,
            down,
            down_exact,
            cost=max(1.0, K * T / 60),
            symmetries=(units({"curvature": (1, -2), "bend": (0, 1)}),),
            mechanisms=switched_on(K),
            K=int(K),
            T=int(T),
            longest=longest,
        )

    return Family("one client down a slope", (Size("K", 1, 10, 1), Size("T", 1, 200, 60, ladder=True)), at)


_24 = Fraction(1, 24)


def chosen_down(x: Instance, *, K: int, T: int) -> Mapping[str, Any]:
    """`down` with rates chosen for the instance and the horizon, as `chosen_down_exact` has them."""
    L, bend, ahead = x["curvature"], x["bend"], x["ahead"]
    gap = L * bend**2 * np.where(ahead <= 1, ahead**2 / 2, ahead - 0.5)
    first = np.minimum(0.125, gap * L / (4 * T * (L * bend * np.minimum(ahead, 1.0)) ** 2))
    return down({**x, "first": first, "server": 1 / (24 * first)}, K=K, T=T, longest=_24)


def chosen_down_exact(x: Mapping[str, Any], *, K: int, T: int) -> tuple[Mapping[str, bool], Any]:
    """eta K L = 1/24 and eta_l L K = min(1/8, F* L/(4 T f'(x^0)^2)): one client, whose gradient is 0 at the optimum."""
    L, bend, ahead = x["curvature"], x["bend"], x["ahead"]
    gap = L * bend**2 * (ahead**2 / 2 if ahead <= 1 else ahead - Fraction(1, 2))
    first = min(Fraction(1, 8), gap * L / (4 * T * (L * bend * min(ahead, 1)) ** 2))
    return down_exact({**x, "first": first, "server": 1 / (24 * first)}, K=K, T=T, longest=_24)


def chosen_slopes() -> Family:
    """The same client at rates chosen for the instance and the horizon, with ηKL = 1/24."""

    def at(K: float, T: float) -> Case:
        space = Space(
            (
                LogScale("curvature", 1e-3, 1e3, at=(1.0,)),
                LogScale("bend", 1e-3, 1e3, at=(1.0,)),
                LogScale("ahead", 1e-2, 1e2),
            )
        )
        return case(
            f"one client down a slope, rates chosen, K = {int(K)}, T = {int(T)}",
            space,
            chosen_down,
            chosen_down_exact,
            uses=(down_exact,),
            cost=max(1.0, K * T / 60),
            symmetries=(units({"curvature": (1, -2), "bend": (0, 1)}),),
            mechanisms=switched_on(K),
            K=int(K),
            T=int(T),
        )

    return Family(
        "one client down a slope, rates chosen", (Size("K", 1, 10, 1), Size("T", 1, 200, 60, ladder=True)), at
    )
