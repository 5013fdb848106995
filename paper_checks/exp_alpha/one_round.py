"""One round of quadratic clients on the line: excess losses, loss changes, and in which order they put the clients."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL, exp_weights, slack
from paper_checks.exp_alpha.notation import NOTATION
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.world.world import World, case

__all__ = ["one_round"]


def _facts(x: Instance, E: int, alike: bool, one_moved: bool, met: bool) -> dict[str, Any]:
    h = np.broadcast_to(x["curvature"][:, :1], x["optimum"].shape) if alike else x["curvature"]
    m = x["optimum"].copy()
    if one_moved:
        m[:, :-1] = 0.0
    start = x["progress"] * m.mean(axis=1) if met else x["start"]
    keep = 1 - (x["step"] / h.max(axis=1))[:, None] * h
    before = 0.5 * h * (start[:, None] - m) ** 2
    mean = (x["weights"] * (m + keep ** (E - 1) * (start[:, None] - m))).sum(axis=1)
    return {
        "h": h,
        "m": m,
        "before": before,
        "after": keep ** (2 * E) * before,
        "late": 0.5 * h * (mean[:, None] - m) ** 2,
        "size": h.max(axis=1) * (np.abs(start) + np.abs(m).max(axis=1)) ** 2,
        "slowest": (1 - x["step"] * h.min(axis=1) / h.max(axis=1)) ** (2 * E),
    }


def facts_exact(x: Mapping[str, Any], E: int, alike: bool, one_moved: bool, met: bool) -> tuple[Any, Any]:
    """One round of E steps, step size step/L, of clients h/2 (w - m)^2 from `start`, no noise; excess losses."""
    n = len(x["optimum"])
    h = [x["curvature"][0] for _ in range(n)] if alike else x["curvature"]
    m = [Fraction(0) for _ in range(n - 1)] + [x["optimum"][-1]] if one_moved else x["optimum"]
    start = x["progress"] * sum(m) / n if met else x["start"]
    eta, paths = x["step"] / max(h), [[start] for _ in range(n)]
    for i in range(n):
        for _ in range(E):
            paths[i].append(paths[i][-1] - eta * h[i] * (paths[i][-1] - m[i]))
    mean = sum(x["weights"][i] * paths[i][-2] for i in range(n))
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "0 < eta L <= 1": 0 < x["step"] <= 1,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
        "alpha > 0": x["alpha"] > 0,
    }
    return hypotheses, {
        "h": h,
        "m": m,
        "before": [h[i] * (start - m[i]) ** 2 / 2 for i in range(n)],
        "after": [h[i] * (paths[i][-1] - m[i]) ** 2 / 2 for i in range(n)],
        "late": [h[i] * (mean - m[i]) ** 2 / 2 for i in range(n)],
        "slowest": (1 - eta * min(h)) ** (2 * E),
    }


def _out_of_order(larger: Any, smaller: Any) -> Any:
    """max over pairs of min(aᵢ − aⱼ, bᵢ − bⱼ): > 0 where the larger a has the larger b too."""
    first, second = larger[:, :, None] - larger[:, None, :], smaller[:, :, None] - smaller[:, None, :]
    return np.minimum(first, second).max(axis=(1, 2))


def misordered(larger: list[Fraction], smaller: list[Fraction]) -> Fraction:
    """The largest min(a_i - a_j, b_i - b_j) over pairs: positive where a larger a comes with a larger b."""
    n = range(len(larger))
    return max(min(larger[i] - larger[j], smaller[i] - smaller[j]) for i in n for j in n)


def orders(x: Instance, *, E: int, alike: bool, one_moved: bool, met: bool, sized: bool) -> Mapping[str, Any]:
    """By how much orders of clients are missed, and what a round leaves of the largest Ωᵢ.

    `by_shift`: the one farther off has the larger Ωᵢ. `by_change`, `by_late`: the larger Ωᵢ at W^{T−E}, at W̄^{T−1}, the
    smaller exponent. `by_weight`: the smaller weight of Corollary 1.1, 𝒰(y) = α/(α − y); `sized`: any data sizes.
    `alike`: one curvature; `one_moved`: all optima at 0 but the last; `met`: a start on the way from 0 to the mean.
    """
    f = _facts(x, E, alike, one_moved, met)
    before, change = f["before"], f["after"] - f["before"]
    factor = x["weights"] * x["weights"].shape[1] if sized else np.ones_like(x["weights"])
    raw = factor / (1 + factor * before / x["alpha"][:, None])
    weights = raw / raw.sum(axis=1, keepdims=True)
    missed = {  # in squared lengths, times the largest curvature
        "by_shift": _out_of_order(f["h"].max(axis=1, keepdims=True) * f["m"] ** 2, -before),
        "by_change": _out_of_order(before, change),
        "by_late": _out_of_order(f["late"], change),
        "by_weight": _out_of_order(before, weights * before.max(axis=1, keepdims=True)),
    }
    rest = {"left": f["after"].max(axis=1), "slowest": f["slowest"], "Omega_most": before.max(axis=1)}
    return {**missed, **rest, "sizes": dict.fromkeys((*missed, "left", "Omega_most"), f["size"])}


def orders_exact(
    x: Mapping[str, Any], *, E: int, alike: bool, one_moved: bool, met: bool, sized: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, pair by pair."""
    hypotheses, f = facts_exact(x, E, alike, one_moved, met)
    before, n = f["before"], range(len(f["before"]))
    change = [a - b for a, b in zip(f["after"], before, strict=True)]
    factor = [x["weights"][i] * len(before) if sized else Fraction(1) for i in n]
    raw = [factor[i] / (1 + factor[i] * before[i] / x["alpha"]) for i in n]
    return hypotheses, {
        "by_shift": misordered([max(f["h"]) * v * v for v in f["m"]], [-b for b in before]),
        "by_change": misordered(before, change),
        "by_late": misordered(f["late"], change),
        "by_weight": misordered(before, [r / sum(raw) * max(before) for r in raw]),
        "left": max(abs(c + b) for c, b in zip(change, before, strict=True)),
        "slowest": f["slowest"],
        "Omega_most": max(before),
    }


def weighed(x: Instance, *, E: int, alike: bool, reverse: bool) -> Mapping[str, Any]:
    """ΣρᵢΩᵢ with Exp-α's weights and the mean of the Ωᵢ, both at W^{T−E}; `reverse`: the exponent's sign turned."""
    f = _facts(x, E, alike, False, False)
    scores = (-1.0 if reverse else 1.0) * (f["after"] - f["before"]) / x["alpha"][:, None]
    raw = np.exp(np.maximum(scores - scores.max(axis=1, keepdims=True), -700.0))
    found = {"now": (raw * f["before"]).sum(axis=1) / raw.sum(axis=1), "plain_mean": f["before"].mean(axis=1)}
    return {**found, "sizes": dict.fromkeys(found, f["size"])}


def weighed_exact(
    x: Mapping[str, Any], *, E: int, alike: bool, reverse: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i at W^(T-E), rho of Exp-alpha, less its rounding, and the plain mean of the Omega_i."""
    hypotheses, f = facts_exact(x, E, alike, False, False)
    sign = -1 if reverse else 1
    a = exp_weights([sign * (u - v) for u, v in zip(f["after"], f["before"], strict=True)], x["alpha"])
    now = sum(w * b for w, b in zip(a, f["before"], strict=True)) - slack() * max(f["before"])
    return hypotheses, {"now": now, "plain_mean": sum(f["before"]) / len(f["before"])}


def one_round(
    *,
    alike: bool = False,
    one_moved: bool = False,
    met: bool = False,
    sized: bool = False,
    exp_weights: bool = False,
    reverse: bool = False,
) -> World:
    """Up to 60 clients h/2(w − m)², up to 300 local steps of size `step`/L, equal shares; see `orders` and `weighed`."""

    def at(N: float, E: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (1 if alike else n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                LogScale("step", 1e-3, 1.0, at=(0.25, 1.0)),
                Simplex("weights", n),
                LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0)),
                LogScale("progress", 1e-3, 1.0),
            )
        )
        lengths = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "alpha": (1, 0)})
        names = permuted_clients({"curvature": 0, "optimum": 0, "weights": 0})
        same = (lengths,) if alike or one_moved else (lengths, names)
        name, cost = f"{n} clients, E = {int(E)}", max(1.0, n / 8)
        if exp_weights:
            return case(
                name,
                space,
                weighed,
                weighed_exact,
                uses=(*EXPONENTIAL, facts_exact),
                cost=cost,
                symmetries=same,
                E=int(E),
                alike=alike,
                reverse=reverse,
            )
        return case(
            name,
            space,
            orders,
            orders_exact,
            uses=(misordered, facts_exact),
            cost=cost,
            symmetries=same,
            E=int(E),
            alike=alike,
            one_moved=one_moved,
            met=met,
            sized=sized,
        )

    return World(NOTATION, (Family("one round", (Size("N", 2, 60, 3), Size("E", 1, 300, 5)), at),))
