"""Runs of two or three one-dimensional clients for Theorem A.5: the small federations that refute it as printed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from theory.quantities import weight_discrepancy
from validation import Case, Choice, ExactCheck, Instance, LogScale, Signed, Simplex, Space, Uniform

__all__ = ["line_runs"]


def _run(x: Instance) -> Mapping[str, Any]:
    """One-dimensional quadratic clients, some possibly concave, with p and w fixed; exact first and second moments."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["weights"]
    n = len(h)
    steps, rounds = int(x["local_steps"][0]), int(x["n_rounds"][0])
    H = (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / H
    L_ = np.abs(h).max(axis=1)
    size = x["step_fraction"] / (2 * steps * L_)
    lean = h / H[:, None]  # ∇F_k = pull + lean·∇F
    pull = h * (best[:, None] - m)
    A_ = (lean**2).max(axis=1) * (1 + x["slack"])
    B_ = (pull**2 * A_[:, None] / (A_[:, None] - lean**2)).max(axis=1) + x["extra"]
    sigma2 = x["noise"] * x["noisy"]
    keep = (1 - size[:, None] * h) ** steps
    jump = (w * keep).sum(axis=1)
    fixed = (w * (1 - keep) * m).sum(axis=1)
    own = size[:, None] ** 2 * sum((1 - size[:, None] * h) ** (2 * e) for e in range(steps))
    fresh = (w**2 * own).sum(axis=1) * sigma2
    model, spread = x["start"], np.zeros(n)
    squares = []
    for _ in range(rounds):
        squares.append(H**2 * ((model - best) ** 2 + spread))
        model = jump * model + fixed
        spread = jump**2 * spread + fresh
    drift = 2 * steps * (steps - 1) * (size * L_) ** 2
    gap = weight_discrepancy(w, p)
    denominator = 1 - drift - 2 * A_ * drift - gap * (1 - drift)
    return {
        "lhs": np.min(squares, axis=0),
        "tau": x["local_steps"],
        "eta": size,
        "T": x["n_rounds"],
        "L": L_,
        "C": drift,
        "A": A_,
        "B": B_,
        "W_D": gap,
        "drop": 0.5 * H * (x["start"] - best) ** 2,
        "noise": sigma2,
        "square_weights": (w**2).sum(axis=1),
        "admissible": (H > 1e-3 * L_) & ((denominator > 1e-6) | (x["any_denominator"] > 0)),
        "magnitude": H**2 * np.maximum(np.abs(m).max(axis=1), np.abs(x["start"])) ** 2,
    }


def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedSSA on 1-D quadratics with fixed p and w: exact moments of the gradient of F at the start of every round."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["weights"]
    tau, T, K = int(x["local_steps"]), int(x["n_rounds"]), len(h)
    clients = range(K)
    H = sum(p[k] * h[k] for k in clients)
    best = sum(p[k] * h[k] * m[k] for k in clients) / H
    L = max(abs(v) for v in h)
    eta = x["step_fraction"] / (2 * tau * L)
    lean = [h[k] / H for k in clients]
    pull = [h[k] * (best - m[k]) for k in clients]
    A = max(v * v for v in lean) * (1 + x["slack"])
    B = max(pull[k] ** 2 * A / (A - lean[k] ** 2) for k in clients) + x["extra"]
    sigma2 = x["noise"] * x["noisy"]
    model, spread, squares = x["start"], Fraction(0), []
    for _ in range(T):
        squares.append(H * H * ((model - best) ** 2 + spread))
        local, carried, own = [model] * K, [Fraction(1)] * K, [Fraction(0)] * K
        for _ in range(tau):
            local = [local[k] - eta * h[k] * (local[k] - m[k]) for k in clients]
            carried = [(1 - eta * h[k]) * carried[k] for k in clients]
            own = [(1 - eta * h[k]) ** 2 * own[k] + eta**2 * sigma2 for k in clients]
        model = sum(w[k] * local[k] for k in clients)
        spread = sum(w[k] * carried[k] for k in clients) ** 2 * spread + sum(w[k] ** 2 * own[k] for k in clients)
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    W_D = 2 * K * sum((p[k] - w[k]) ** 2 for k in clients)
    hypotheses = {
        "A.1: every F_k is L-smooth": all(abs(v) <= L for v in h),
        "A.2: F = sum p_k F_k bounded below": H > 0,
        "A.3: variance sigma^2 (mean 0 and independent by the recursion for the spread)": sigma2 >= 0,
        "A.4: |grad F_k|^2 <= A |grad F|^2 + B for every k and all of R": all(
            lean[k] ** 2 < A and pull[k] ** 2 * A / (A - lean[k] ** 2) <= B for k in clients
        ),
        "A, B > 0": min(A, B) > 0,
        "eta L <= 1/(2 tau)": eta > 0 and eta * L * 2 * tau <= 1,
        "p and w on the simplex": sum(p) == 1 and sum(w) == 1 and min(p) >= 0 and min(w) >= 0,
        "denominator positive (where required)": (x["any_denominator"] > 0 or 1 - C - 2 * A * C - W_D * (1 - C) > 0),
    }
    constants = {
        "lhs": min(squares),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(T),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": W_D,
        "drop": H * (x["start"] - best) ** 2 / 2,
        "noise": sigma2,
        "square_weights": sum(v * v for v in w),
    }
    return hypotheses, constants


_POSITIVE, _ANY_SIGN = "convex clients", "clients of any curvature"


def _case(n_clients: int, local_steps: int, n_rounds: int, signs: str, any_denominator: bool) -> Case:
    curvature = (
        LogScale("curvature", 1e-2, 1e1, (n_clients,), at=(1e-2, 1.0, 1e1))
        if signs == _POSITIVE
        else Signed("curvature", 1e-2, 1e1, (n_clients,))
    )
    space = Space(
        (
            curvature,
            Signed("optimum", 1e-2, 1e1, (n_clients,)),
            Simplex("share", n_clients),
            Simplex("weights", n_clients),
            Signed("start", 1e-2, 1e2),
            Uniform("step_fraction", 0.01, 1.0),
            LogScale("slack", 1e-3, 1e2),
            LogScale("extra", 1e-6, 1.0),
            LogScale("noise", 1e-2, 1e2),
            Choice("noisy", (0.0, 0.0, 1.0)),
            Choice("local_steps", (float(local_steps),)),
            Choice("n_rounds", (float(n_rounds),)),
            Choice("any_denominator", (float(any_denominator),)),
        )
    )
    name = f"{n_clients} 1-D {signs}, τ = {local_steps}, T = {n_rounds}"
    return Case(name, space, _run, ExactCheck(run_exact))


def line_runs(*, any_denominator: bool) -> tuple[Case, ...]:
    """Convex clients and clients of any curvature, the least squared gradient on the left."""
    sizes = ((1, 1, 1), (2, 1, 1), (2, 1, 16), (2, 1, 128), (2, 3, 8), (3, 2, 32))
    return tuple(_case(*size, kind, any_denominator) for kind in (_POSITIVE, _ANY_SIGN) for size in sizes)
