"""Runs with w = p and η = 1/√(τT) of quadratic clients on the line, with exact first and second moments."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
)

__all__ = ["own_weights", "own_weights_any_rounds"]


def _run(x: Instance) -> Mapping[str, Any]:
    """Mean, or with `least` the smallest, of E‖∇F‖² over T = τm² rounds; curvatures scaled so that L = part·m/(2 + 2A).

    With part <= 1 that gives T >= 4(1 + 2A)τL²; with part > 1 + A the step is longer than 1/(2τL).
    """
    raw, m, p = x["curvature"], x["optimum"], x["share"]
    steps, side = int(x["local_steps"][0]), x["side"]
    rounds = int(steps * side[0] ** 2)
    mean = (p * raw).sum(axis=1)
    bounded = mean > 1e-3 * np.abs(raw).max(axis=1)
    mean = np.where(bounded, mean, 1.0)
    lean = raw / mean[:, None]
    A = (lean**2).max(axis=1) * (1 + x["slack"])
    L = x["part"] * side / (2 + 2 * A)
    h = raw * (L / np.abs(raw).max(axis=1))[:, None]
    H, best = (p * h).sum(axis=1), (p * raw * m).sum(axis=1) / mean
    pull = h * (best[:, None] - m)
    B = (pull**2 * A[:, None] / (A[:, None] - lean**2)).max(axis=1) + x["extra"]
    eta, sigma2 = 1 / (x["local_steps"] * side), x["noise"] * x["noisy"]
    keep = (1 - eta[:, None] * h) ** steps
    jump, fixed = (p * keep).sum(axis=1), (p * (1 - keep) * m).sum(axis=1)
    own = eta[:, None] ** 2 * sum((1 - eta[:, None] * h) ** (2 * e) for e in range(steps))
    fresh = (p**2 * own).sum(axis=1) * sigma2
    model, spread, total = x["start"], np.zeros(len(h)), np.zeros(len(h))
    least = H**2 * (model - best) ** 2
    for _ in range(rounds):
        now = H**2 * ((model - best) ** 2 + spread)
        total, least = total + now, np.fmin(least, now)
        model, spread = jump * model + fixed, jump**2 * spread + fresh
    return {
        "lhs": least if "least" in x else total / rounds,
        "A": A,
        "eta": eta,
        "T": np.full(len(h), float(rounds)),
        "tau": x["local_steps"],
        "L": L,
        "B": B,
        "noise": sigma2,
        "drop": 0.5 * H * (x["start"] - best) ** 2,
        "square_weights": (p**2).sum(axis=1),
        "admissible": bounded,
        "magnitude": H**2 * np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2,
    }


def run_own_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedSSA with w = p on 1-D quadratics, eta = 1/sqrt(tau T): exact mean of E|grad F|^2 over T = tau m^2 rounds."""
    raw, m, p, tau, side = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), x["side"]
    clients, T = range(len(raw)), int(tau * side * side)
    mean = sum(p[k] * raw[k] for k in clients)
    lean = [c / mean for c in raw]
    A = max(v * v for v in lean) * (1 + x["slack"])
    L = x["part"] * side / (2 + 2 * A)
    h = [c * L / max(abs(v) for v in raw) for c in raw]
    H, best = sum(p[k] * h[k] for k in clients), sum(p[k] * raw[k] * m[k] for k in clients) / mean
    pull = [h[k] * (best - m[k]) for k in clients]
    B = max(pull[k] ** 2 * A / (A - lean[k] ** 2) for k in clients) + x["extra"]
    eta, sigma2 = 1 / Fraction(tau * side), x["noise"] * x["noisy"]
    moves = []
    for k in clients:
        own = Fraction(0)
        for _ in range(tau):
            own = (1 - eta * h[k]) ** 2 * own + eta**2 * sigma2
        moves.append(((1 - eta * h[k]) ** tau, own))
    jump = sum(p[k] * moves[k][0] for k in clients)
    fixed = sum(p[k] * (1 - moves[k][0]) * m[k] for k in clients)
    fresh = sum(p[k] ** 2 * moves[k][1] for k in clients)
    squares = []
    if "least" in x:
        at, spread = x["start"], Fraction(0)
        for _ in range(T):
            squares.append((at - best) ** 2 + spread)
            at, spread = jump * at + fixed, jump * jump * spread + fresh
    # Geometric sums in closed form: the deviation from the fixed point is multiplied by `jump` every round.
    rest = fixed / (1 - jump)
    away, miss = x["start"] - rest, rest - best
    first = (1 - jump**T) / (1 - jump)
    second = (1 - jump ** (2 * T)) / (1 - jump**2)
    level = fresh / (1 - jump**2)
    total = away**2 * second + 2 * away * miss * first + T * miss**2 + level * (T - second)
    met = {
        "A.1, A.2: F bounded below": mean > 0 and all(abs(c) <= L for c in h),
        "A.4 for every k and all of R": all(
            lean[k] ** 2 < A and pull[k] ** 2 * A / (A - lean[k] ** 2) <= B for k in clients
        ),
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "T >= 4 (1 + 2A) tau L^2 where asked": "least" in x or 4 * (1 + 2 * A) * tau * L**2 <= T,
        "eta^2 tau T = 1": eta**2 * tau * T == 1,
    }
    return met, {
        "lhs": H * H * (min(squares) if squares else total / T),
        "A": A,
        "eta": eta,
        "T": Fraction(T),
        "tau": Fraction(tau),
        "L": L,
        "B": B,
        "noise": sigma2,
        "drop": H * (x["start"] - best) ** 2 / 2,
        "square_weights": sum((v * v for v in p), Fraction(0)),
    }


def _family(name: str, most: float, *flags: str) -> Family:
    def at(K: float, steps: float, side: float) -> Case:
        size = int(K)
        drawn = Space(
            (
                Signed("curvature", 1e-2, 1e1, (size,)),
                Signed("optimum", 1e-2, 1e2, (size,)),
                Simplex("share", size),
                Signed("start", 1e-2, 1e2),
                LogScale("part", 1e-2, most, at=(1.0,)),
                LogScale("slack", 1e-3, 1e2),
                LogScale("extra", 1e-6, 1.0),
                LogScale("noise", 1e-2, 1e2),
                Choice("noisy", (0.0, 1.0)),
                Choice("local_steps", (float(steps),)),
                Choice("side", (float(side),)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = dict.fromkeys(("curvature", "optimum", "share"), 0)
        same = (permuted_clients(every),)
        cost = min(4.0, max(1.0, size * steps * side**2 / 400))
        return Case(
            f"{size} clients, τ = {int(steps)}, T = {int(steps * side**2)}",
            drawn,
            _run,
            ExactCheck(run_own_exact),
            cost,
            False,
            same,
        )

    sizes = (Size("K", 1, 50, 2), Size("steps", 1, 20, 2), Size("side", 1, 10, 3))
    return Family(name, sizes, at)


def own_weights() -> Family:
    """Clients of any curvature whose mean is convex, w = p, with and without noise; T >= 4(1 + 2A)τL²."""
    return _family("runs with w = p", 1.0)


def own_weights_any_rounds() -> Family:
    """The same with few rounds as well, and steps that overshoot; the smallest squared gradient on the left."""
    return _family("runs with w = p, any T", 1e3, "least")
