"""Local models against the sum of their scaled stochastic gradients, sample by sample, on the line."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["telescoped"]


def telescoped_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest over clients of (W_i - W_bar^t0 + sum eta_j g_j)^2, after E - 1 local steps or E of them.

    changed 1: all gradients and steps those of the last model; 2: one gradient more; 3: from W_bar^t, the mean before
    the last step, in place of W_bar^t0.
    """
    N, E, worst = len(x["curvature"]), len(x["eta"]), Fraction(0)
    terms, changed = (E if x["whole"] > 0 else E - 1), int(x["changed"])
    paths = []
    for i in range(N):
        w, path = x["start"], []
        for j in range(E):
            g = x["curvature"][i] * (w - x["optimum"][i] + x["noise"][i][j])
            path.append((w, g))
            w = w - x["eta"][j] / max(x["curvature"]) * g
        paths.append([*path, (w, None)])
    mean = sum(x["weights"][i] * paths[i][max(terms - 1, 0)][0] for i in range(N))
    for i in range(N):
        steps = [e / max(x["curvature"]) for e in x["eta"]]
        total = sum(steps[j] * paths[i][j][1] for j in range(terms))
        if changed == 1:
            total = sum(steps[min(terms, E - 1)] * paths[i][min(terms, E - 1)][1] for _ in range(terms))
        if changed == 2:
            total += steps[min(terms, E - 1)] * paths[i][min(terms, E - 1)][1]
        worst = max(worst, (paths[i][terms][0] - (mean if changed == 3 else x["start"]) + total) ** 2)
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "positive steps": min(x["eta"]) > 0,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {"lhs": worst, "nothing": Fraction(0)}


def _telescoped(x: Instance) -> Mapping[str, Any]:
    h, m = x["curvature"], x["optimum"]
    E = x["eta"].shape[1]
    etas = x["eta"] / h.max(axis=1, keepdims=True)
    terms, changed = (E if x["whole"][0] > 0 else E - 1), int(x["changed"][0])
    models, slopes = [np.repeat(x["start"][:, None], h.shape[1], axis=1)], []
    for j in range(E):
        slopes.append(h * (models[-1] - m + x["noise"][:, :, j]))
        models.append(models[-1] - etas[:, j, None] * slopes[-1])
    end, last = models[terms], min(terms, E - 1)
    scaled = [etas[:, j, None] * g for j, g in enumerate(slopes)]
    total = np.sum(scaled[:terms], axis=0) if terms else np.zeros_like(end)
    if changed == 1:
        total = terms * scaled[last]
    if changed == 2:
        total = total + scaled[last]
    base = x["start"][:, None]
    if changed == 3:
        base = (x["weights"] * models[max(terms - 1, 0)]).sum(axis=1, keepdims=True)
    reach = np.max([np.abs(w).max(axis=1) for w in models], axis=0) + np.max(
        [np.abs(s).max(axis=1) for s in scaled], axis=0
    )
    return {
        "lhs": ((end - base + total) ** 2).max(axis=1),
        "nothing": np.zeros(len(end)),
        "magnitude": (E * reach) ** 2,
    }


def telescoped(*, whole: bool, changed: int = 0) -> Inequality:
    """Nothing is left of Wᵢ − W̄ᵗ⁰ + Σηⱼgⱼ for any client; `whole`: after the whole round; `changed`: a planted error."""

    def at(N: float, E: float) -> Case:
        n, e = int(N), int(E)
        drawn = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Signed("start", 1e-2, 1e2),
                Signed("noise", 1e-2, 1e2, (n, e)),
                Simplex("weights", n),
                LogScale("eta", 1e-3, 2.0, (e,), at=(0.25, 1.0)),
                Choice("whole", (float(whole),)),
                Choice("changed", (float(changed),)),
            )
        )
        same = (
            units({"curvature": (1, -2), **dict.fromkeys(("optimum", "start", "noise"), (0, 1))}),
            permuted_clients(dict.fromkeys(("curvature", "optimum", "noise", "weights"), 0)),
        )
        exact = ExactCheck(telescoped_exact)
        cost = max(1.0, n * e / 40)
        return Case(f"{n} clients, E = {e}, step by step", drawn, _telescoped, exact, cost=cost, symmetries=same)

    sizes = (Size("N", 1, 300, 2), Size("E", 1, 100, 4))
    return never_missed((Family("a round of local steps", sizes, at),), degrees=(0, 2))
