"""Two slips on the right: an index, so that the bound is negative by cancellation; an exponent, so units matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.traps.model import Checked, Trap, contraction, log_uniform, rng_of, short, trap_claim
from validation import Case, Choice, Instance, LogScale, Signed, Simplex, Space, Uniform, symbols
from validation.statement.claim import ExactCheck

delta0, gamma, omega, G = symbols("delta0 gamma omega G")


def _two_targets(x: Instance) -> Mapping[str, Any]:
    h, m = x["curvature"], x["optimum"]

    def least(weights: Any) -> tuple[Any, Any, Any]:
        total = (weights[..., None] * h).sum(axis=1)
        best = (weights[..., None] * h * m).sum(axis=1) / total
        return total, best, 0.5 * (weights[..., None] * h * (best[:, None] - m) ** 2).sum(axis=(1, 2))

    total, best, omega = least(x["weights"])
    _, _, gamma = least(x["share"])
    away = best + x["offset"]
    final = (1 - total) ** x["n_rounds"][:, None] * (away - best)
    return {
        "lhs": 0.5 * (total * final**2).sum(axis=-1),
        "delta0": (x["offset"] ** 2).sum(axis=-1),
        "gamma": gamma,
        "omega": omega,
    }


def two_targets_exact(x: Mapping[str, Any]) -> Checked:
    """Gradient descent at step size 1 = 1/L on sum a_i F_i, F_i diagonal quadratics; the least sums under p and a."""
    h, m, n = x["curvature"], x["optimum"], int(x["n_rounds"])
    clients, dims = range(len(h)), range(len(h[0]))
    least, total = {}, {}
    for name in ("share", "weights"):
        a = x[name]
        total[name] = [sum(a[i] * h[i][j] for i in clients) for j in dims]
        best = [sum(a[i] * h[i][j] * m[i][j] for i in clients) / total[name][j] for j in dims]
        least[name] = sum(a[i] * h[i][j] * (best[j] - m[i][j]) ** 2 for i in clients for j in dims) / 2
    keep = [(1 - t) ** n for t in total["weights"]]
    lhs = sum(t * (k * o) ** 2 for t, k, o in zip(total["weights"], keep, x["offset"], strict=True)) / 2
    hypotheses = {
        "p on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "a on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
        "0 < curvature <= L = 1": min(min(c) for c in h) > 0 and max(max(c) for c in h) <= 1,
    }
    return hypotheses, {
        "lhs": lhs,
        "delta0": sum(o**2 for o in x["offset"]),
        "gamma": least["share"],
        "omega": least["weights"],
    }


def _two_targets_case(n_clients: int, dim: int, n_rounds: int) -> Case:
    space = Space(
        (
            Simplex("share", n_clients),
            Simplex("weights", n_clients),
            LogScale("curvature", 0.1, 1.0, (n_clients, dim)),
            Uniform("optimum", -1.0, 1.0, (n_clients, dim)),
            Uniform("offset", -1.0, 1.0, (dim,)),
            Choice("n_rounds", (float(n_rounds),)),
        )
    )
    name = f"{n_clients} clients, dimension {dim}, {n_rounds} rounds of E = 1"
    return Case(name, space, _two_targets, ExactCheck(two_targets_exact))


def cancellation(seed: int) -> Trap:
    """F_a(w_T) − F_a* <= C‖w_0 − w_a*‖²/2 + Γ − Ω with Γ = min Σpᵢ(Fᵢ − Fᵢ*) and Ω = min Σaᵢ(Fᵢ − Fᵢ*).

    With the weights a in Γ, too, it holds: then Γ >= Ω, and the left side is at most L‖w_0 − w_a*‖²/2. With the shares
    p the right side is negative where the weights lean towards clients that disagree more than the rest and the start
    is near w_a*. C > 1 makes room: it fails only where Ω − Γ exceeds (C − 1)‖w_0 − w_a*‖²/2.
    """
    rng = rng_of("cancellation", seed)
    room = short(log_uniform(rng, 10.0, 300.0))
    case = _two_targets_case(int(rng.integers(3, 7)), int(rng.integers(2, 5)), int(rng.integers(1, 21)))
    says = f"The excess of the weighted loss is at most {float(room):.4g}‖w_0 − w_a*‖²/2 + Γ − Ω."
    mutant = ("initial distance dropped", gamma - omega, "with a = p both are equal, and the start need not be optimal")
    return Trap(trap_claim("cancellation", seed, says, room * delta0 / 2 + gamma - omega, (case,), mutant))


def _drift(x: Instance) -> Mapping[str, Any]:
    h, m, start = x["curvature"], x["optimum"], x["start"][:, None]
    moved = (contraction(x) ** x["local_steps"][:, None] - 1) * (start - m)
    return {
        "lhs": (x["weights"] * moved**2).sum(axis=-1),
        "G": (h * np.abs(start - m)).max(axis=-1),
        "magnitude": 1e-3 * (m**2 + start**2).max(axis=-1),
    }


def drift_exact(x: Mapping[str, Any]) -> Checked:
    """E local steps at step size 1 on h_i/2 (w - m_i)^2: the drift, and G = max |gradient|, which is the first one."""
    a, h, m, w = x["weights"], x["curvature"], x["optimum"], x["start"]
    moved = [((1 - c) ** int(x["local_steps"]) - 1) * (w - o) for c, o in zip(h, m, strict=True)]
    hypotheses = {
        "weights on the simplex": sum(a) == 1 and min(a) >= 0,
        "0 < h_i <= L = 1": min(h) > 0 and max(h) <= 1,
    }
    return hypotheses, {
        "lhs": sum(p * d**2 for p, d in zip(a, moved, strict=True)),
        "G": max(c * abs(w - o) for c, o in zip(h, m, strict=True)),
    }


def units_matter(seed: int) -> Trap:
    """Σaᵢ(wᵢ − w)² <= C·E²·G³ (even seeds) or C·E²·G (odd seeds) where E²G² is true and nearly attained.

    At G = 1, and on the safe side of it, C > 1 makes the slip generous; it fails only for G < 1/C, or for G > C.
    """
    rng = rng_of("units", seed)
    room = short(log_uniform(rng, 1e3, 1e5))
    n_clients, n_local = int(rng.integers(2, 5)), int(rng.integers(1, 11))
    space = Space(
        (
            Simplex("weights", n_clients),
            LogScale("curvature", 0.3, 1.0, (n_clients,)),
            Signed("optimum", 1e-7, 1e7, (n_clients,)),
            Signed("start", 1e-7, 1e7),
            Choice("local_steps", (float(n_local),)),
        )
    )
    case = Case(f"{n_clients} clients, E = {n_local}", space, _drift, ExactCheck(drift_exact))
    exponent = 3 if seed % 2 == 0 else 1
    says = f"The drift is at most {float(room):.4g}·{n_local}²·G to the power {exponent}."
    mutant = ("C·E² dropped, and G in fourth power", G**4, "for one client, E = 1 and G < 1 the drift is G²")
    return Trap(trap_claim("units", seed, says, room * n_local**2 * G**exponent, (case,), mutant))
