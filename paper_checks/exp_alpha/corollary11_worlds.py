"""The worlds of Corollary 1.1: a common sequence of models, runs of each strategy on its own, and a run that rests."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Mechanism,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.world.mechanisms import always
from validation.world.world import World, case

__all__ = ["RESTING", "common_sequence", "own_runs"]


def _values_of_u(arguments: Any, rise: Any) -> Any:
    """Any non-decreasing 𝒰 >= 0 on the arguments met, rows: the sum of the rises at arguments up to this one."""
    order = np.argsort(arguments, axis=1, kind="stable")
    ordered = np.take_along_axis(arguments, order, axis=1)
    risen = np.cumsum(rise, axis=1)
    last = np.concatenate([ordered[:, :-1] < ordered[:, 1:], np.ones_like(ordered[:, :1], dtype=bool)], axis=1)
    # Equal arguments share the value reached after the last of them.
    risen = np.minimum.accumulate(np.where(last, risen, np.inf)[:, ::-1], axis=1)[:, ::-1]
    found = np.empty_like(risen)
    np.put_along_axis(found, order, risen, axis=1)
    return found


def common(x: Instance, *, falling: bool) -> Mapping[str, Any]:
    """Ω, Ω with ρᵢ = nᵢρ̃ᵢ as in A.11, which need not sum to 1, and Ω_pr along given points; `falling`: 𝒰 non-increasing."""
    h, m, points = x["curvature"], x["optimum"], x["points"]
    size = x.get("size", np.ones_like(h))
    factor = size * size.shape[1] / size.sum(axis=1, keepdims=True)
    excess = 0.5 * h[:, None] * (points[:, :, None] - m[:, None]) ** 2
    arguments = -factor[:, None] * excess
    sign = -1.0 if falling else 1.0
    u = _values_of_u(sign * arguments.reshape(len(h), -1), x["rise"]).reshape(excess.shape)
    raw = factor[:, None] * u
    with np.errstate(all="ignore"):
        omega = (raw * excess).sum(axis=2) / raw.sum(axis=2)
        as_in_a11 = (raw * excess).sum(axis=2) / u.sum(axis=2)
    defined = (u.sum(axis=2) > 0).all(axis=1)
    plain = (factor[:, None] * excess).mean(axis=2).min(axis=1)
    scale = (h.max(axis=1)) * (np.abs(m).max(axis=1) + np.abs(points).max(axis=1)) ** 2
    return {
        "Omega": np.where(defined, omega.min(axis=1), 0.0),
        "Omega_A11": np.where(defined, as_in_a11.min(axis=1), 0.0),
        "Omega_pr": plain,
        "admissible": defined,
        "magnitude": scale,
    }


def common_exact(x: Mapping[str, Any], *, falling: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega of the strategy of Corollary 1.1 and Omega_pr along the same models; U rises by `rise` at each argument."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    size = x.get("size", [Fraction(1)] * n)
    factor = [n * s / sum(size) for s in size]
    excess = [[h[i] * (w - m[i]) ** 2 / 2 for i in range(n)] for w in x["points"]]
    sign = -1 if falling else 1
    met = sorted(-sign * factor[i] * row[i] for row in excess for i in range(n))
    omegas, sums, plains, defined = [], [], [], True
    for row in excess:
        u = [sum(r for a, r in zip(met, x["rise"], strict=True) if a <= -sign * factor[i] * row[i]) for i in range(n)]
        defined = defined and sum(u) > 0
        if not defined:
            break
        raw = [factor[i] * u[i] for i in range(n)]
        left = sum(raw[i] * row[i] for i in range(n))
        omegas.append(left / sum(raw))
        sums.append(left / sum(u))
        plains.append(sum(factor[i] * row[i] for i in range(n)) / n)
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "data sizes positive": min(size) > 0,
        "U non-negative and non-decreasing": min(x["rise"]) >= 0,
        "weights defined at every t": defined,
    }
    found = {"Omega": omegas, "Omega_A11": sums, "Omega_pr": plains}
    return hypotheses, {name: min(values, default=Fraction(0)) for name, values in found.items()}


def common_sequence(*, equal: bool = False, falling: bool = False) -> World:
    """N one-dimensional clients of any or equal sizes, and P models."""

    def at(N: float, P: float) -> Case:
        n, p = int(N), int(P)
        drawn = Space(
            (
                *(() if equal else (LogScale("size", 1e-2, 1e2, (n,), at=(1.0,)),)),
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("points", 1e-2, 1e2, (p,)),
                Simplex("rise", n * p),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "points": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, **({} if equal else {"size": 0})}),
        )
        name, cost = f"{n} clients, {p} models", max(1.0, n * p / 20)
        return case(name, drawn, common, common_exact, cost=cost, symmetries=same, falling=falling)

    sizes = (Size("N", 1, 300, 3), Size("P", 1, 60, 1))
    return World(NOTATION, (Family("one sequence of models", sizes, at),))


def own(x: Instance, *, E: int, T: int) -> Mapping[str, Any]:
    """Ω and Ω_pr over 0 <= t < T, each on its own noiseless run; 𝒰 a step function of `height` at −`drop`."""
    h, m = x["curvature"], x["optimum"]
    n_clients = h.shape[1]
    factor = n_clients * x["share"] if "share" in x else np.ones_like(h)
    mu_ = h.min(axis=1)
    offset = np.maximum(8 * h.max(axis=1) / mu_, E) - 1
    defined = np.ones(len(h), dtype=bool)

    def run(chosen: bool) -> Any:
        nonlocal defined
        local, middle, least = np.repeat(x["start"][:, None], n_clients, axis=1), x["start"], np.inf
        for t in range(T):
            excess = 0.5 * h * (middle[:, None] - m) ** 2
            weights = factor / n_clients
            if chosen:
                passed = -(factor * excess)[:, :, None] >= -x["drop"][:, None, :]
                raw = factor * (x["height"][:, :1] + (passed * x["height"][:, None, 1:]).sum(axis=2))
                total = raw.sum(axis=1, keepdims=True)
                defined = defined & (total[:, 0] > 0)
                weights = raw / np.where(total > 0, total, 1.0)
            least = np.minimum(least, (weights * excess).sum(axis=1))
            local = local - (2 / (mu_ * (offset + t)))[:, None] * h * (local - m)
            middle = (weights * local).sum(axis=1)
            if (t + 1) % E == 0:
                local = np.repeat(middle[:, None], n_clients, axis=1)
        return least

    omega, plain = run(True), run(False)
    scale = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(x["start"])) ** 2
    return {"Omega": omega, "Omega_pr": plain, "admissible": defined, "magnitude": scale}


def own_exact(x: Mapping[str, Any], *, E: int, T: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The strategy of Corollary 1.1 and proportional weights, each on its own run from one start; no noise, A.9's steps.

    U(y) = height_0 + the heights_k with y >= -drop_k.
    """
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    factor = [n * s for s in x["share"]] if "share" in x else [Fraction(1) for _ in range(n)]
    mu = min(h)
    gamma = max(8 * max(h) / mu, Fraction(E)) - 1
    least, defined = [], True
    for strategy in ("chosen", "proportional"):
        local, middle, seen = [x["start"] for _ in range(n)], x["start"], []
        for t in range(T):
            excess = [h[i] * (middle - m[i]) ** 2 / 2 for i in range(n)]
            weights = [f / n for f in factor]
            if strategy == "chosen":
                u = [
                    x["height"][0]
                    + sum(b for b, d in zip(x["height"][1:], x["drop"], strict=True) if -factor[i] * excess[i] >= -d)
                    for i in range(n)
                ]
                total = sum(factor[i] * u[i] for i in range(n))
                defined = defined and total > 0
                weights = [factor[i] * u[i] / total if total else weights[i] for i in range(n)]
            seen.append(sum(weights[i] * excess[i] for i in range(n)))
            local = [local[i] - 2 / (mu * (gamma + t)) * h[i] * (local[i] - m[i]) for i in range(n)]
            middle = sum(weights[i] * local[i] for i in range(n))
            if (t + 1) % E == 0:
                local = [middle for _ in range(n)]
        least.append(min(seen))
    hypotheses = {
        "strongly convex, smooth": mu > 0,
        "sizes positive, U non-negative": min(factor) > 0 and min(x["height"]) >= 0,
        "weights defined at every t": defined,
    }
    return hypotheses, {"Omega": least[0], "Omega_pr": least[1]}


def own_runs(*, equal: bool) -> World:
    """Each strategy on its own run of T steps in rounds of E, N one-dimensional clients of equal or any sizes."""

    def at(N: float, E: float, T: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                *(() if equal else (Simplex("share", n, interior=True),)),
                LogScale("curvature", 1e-1, 1e1, (n,), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n,)),
                Signed("start", 1e-1, 1e1),
                LogScale("drop", 1e-2, 1e2, (2,)),
                Simplex("height", 3),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "drop": (1, 0)}),
            permuted_clients({"curvature": 0, "optimum": 0, **({} if equal else {"share": 0})}),
        )
        name = f"{n} clients, {int(T)} steps in rounds of {int(E)}"
        several = (Mechanism("several local steps", (), always),) if E > 1 else ()
        cost = max(1.0, T * n / 40)
        return case(name, drawn, own, own_exact, cost=cost, symmetries=same, mechanisms=several, E=int(E), T=int(T))

    sizes = (Size("N", 1, 30, 3), Size("E", 1, 10, 1), Size("T", 1, 50, 3))
    return World(NOTATION, (Family("each strategy on its own run", sizes, at),))


def resting(x: Instance) -> Mapping[str, Any]:
    """Ω of a run that rests between two clients, `copies` of a third without weight; Ω_pr = Γ, where proportional ones end."""
    h, m = x["curvature"], np.stack([x["middle"] - x["apart"], x["middle"] + x["apart"], x["third"]], axis=1)
    curved = np.stack([h[:, 0], h[:, 0], h[:, 1]], axis=1)
    excess = 0.5 * curved * (x["middle"][:, None] - m) ** 2
    often = np.stack([np.ones(len(h)), np.ones(len(h)), x["copies"]], axis=1)
    best = (often * curved * m).sum(axis=1) / (often * curved).sum(axis=1)
    least = (often * 0.5 * curved * (best[:, None] - m) ** 2).sum(axis=1) / often.sum(axis=1)
    scale = curved.max(axis=1) * (np.abs(m).max(axis=1)) ** 2
    apart = excess[:, 2] > excess[:, 0]
    omega = 0.5 * (excess[:, 0] + excess[:, 1])
    return {"Omega": omega, "Omega_pr": least, "admissible": apart, "magnitude": scale}


def resting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients 1, 2 at middle -+ apart with one curvature, the others alike; U(y) = 1 for y >= -(their excess), else 0.

    From the middle the weights are (1/2, 1/2, 0, ...) and the two gradients cancel at every step, inside rounds too: W_bar
    stays for all t >= 0. Proportional weights with A.9's steps tend to W*, so the infimum over t of their weighted
    excess is its value at W*.
    """
    others = int(x["copies"])
    h = [x["curvature"][0], x["curvature"][0]] + [x["curvature"][1]] * others
    m = [x["middle"] - x["apart"], x["middle"] + x["apart"]] + [x["third"]] * others
    excess = [c * (x["middle"] - v) ** 2 / 2 for c, v in zip(h, m, strict=True)]
    u = [1 if -e >= -excess[0] else 0 for e in excess]
    best = sum(c * v for c, v in zip(h, m, strict=True)) / sum(h)
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "weights (1/2, 1/2, 0, ...)": u == [1, 1] + [0] * others,
        "the run rests: the weighted gradient is 0 and the first two mirror each other": h[0] * (x["middle"] - m[0])
        == -h[1] * (x["middle"] - m[1]),
    }
    omega = sum(a * e for a, e in zip(u, excess, strict=True)) / 2
    least = sum(c * (best - v) ** 2 for c, v in zip(h, m, strict=True)) / (2 * len(h))
    return hypotheses, {"Omega": omega, "Omega_pr": least}


RESTING = World(
    NOTATION,
    (
        case(
            "a run at rest, all t >= 0",
            Space(
                (
                    LogScale("curvature", 1e-2, 1e4, (2,), at=(1e-2, 1.0, 1e4)),
                    Signed("middle", 1e-1, 1e1),
                    LogScale("apart", 1e-2, 1e2, at=(1.0,)),
                    Signed("third", 1e-2, 1e3),
                    Choice("copies", (1.0, 2.0, 6.0, 30.0)),
                )
            ),
            resting,
            resting_exact,
            symmetries=(units({"curvature": (1, -2), "middle": (0, 1), "apart": (0, 1), "third": (0, 1)}),),
        ),
    ),
)
"""A run of the strategy that never moves, against the limit of proportional weights; equal sizes."""
