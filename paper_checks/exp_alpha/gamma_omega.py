"""EA-D5: Γ, Ω and Ω_pr, and what their definition leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Integer,
    Kind,
    LogScale,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.draw import Coordinate

__all__ = ["CLAIMS"]


def _missing(lhs: Any, magnitude: Any) -> Mapping[str, Any]:
    return {"lhs": lhs, "nothing": np.zeros_like(lhs), "magnitude": magnitude}


def _clients(n: int) -> tuple[Coordinate, ...]:
    return (LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)), Signed("optimum", 1e-2, 1e2, (n,)))


def _sizes(h: Any, *points: Any) -> Any:
    return h.max(axis=1) * sum(np.abs(p).reshape(len(h), -1).max(axis=1) for p in points) ** 2


def _ranges(x: Instance) -> Mapping[str, Any]:
    """By how much Γ, Ω or Ω_pr over the models given leaves [0, largest summand]."""
    h, m, p, a, models = x["curvature"], x["optimum"], x["share"], x["rows"], x["models"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    now = 0.5 * h[:, None] * (models[:, :, None] - m[:, None]) ** 2
    if "about_best" in x:
        now = now - there[:, None]
    gamma, omega = (a * there[:, None]).sum(axis=2).max(axis=1), (a * now).sum(axis=2).min(axis=1)
    plain = (p[:, None] * now).sum(axis=2).min(axis=1)
    low = -np.minimum(np.minimum(gamma, omega), plain)
    high = np.maximum(gamma - there.max(axis=1), np.maximum(omega, plain) - now.max(axis=2).min(axis=1))
    return _missing(np.maximum(low, high), _sizes(h, m, models))


def ranges_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma, Omega and Omega_pr over a few models with their weights, against 0 and the largest summand."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["optimum"]))
    best = sum(p[i] * h[i] * m[i] for i in n) / sum(p[i] * h[i] for i in n)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in n]
    rows = [[h[i] * (w - m[i]) ** 2 / 2 - (there[i] if "about_best" in x else 0) for i in n] for w in x["models"]]
    Gamma = max(sum(a[i] * there[i] for i in n) for a in x["rows"])
    Omega = min(sum(a[i] * row[i] for i in n) for a, row in zip(x["rows"], rows, strict=True))
    plain = min(sum(p[i] * row[i] for i in n) for row in rows)
    top = min(max(row) for row in rows)
    lhs = max(-min(Gamma, Omega, plain), Gamma - max(there), max(Omega, plain) - top)
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, *x["rows"])),
    }
    return met, {"lhs": lhs, "nothing": Fraction(0)}


def _ranged(*flags: str) -> Family:
    def at(N: float, P: float) -> Case:
        n, p = int(N), int(P)
        drawn = (*_clients(n), Simplex("share", n), Simplex("rows", n, (p,)), Signed("models", 1e-2, 1e2, (p,)))
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "models": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "rows": 1}),
        )
        space = Space((*drawn, *(Choice(f, (1.0,)) for f in flags)))
        cost = max(1.0, n * p / 40)
        return Case(f"{n} clients, {p} models", space, _ranges, ExactCheck(ranges_exact), cost, False, same)

    return Family("any models", (Size("N", 1, 60, 3), Size("P", 1, 30, 3)), at)


def _one_number(x: Instance) -> Mapping[str, Any]:
    """min_t E Ωₜ − E min_t Ωₜ over t = 0, 1 (`paths`), or Ω over T steps less Ω over T + 1; one client, E = 1."""
    h, w, eta = x["curvature"], x["point"], x["length"] / x["curvature"]
    kept = (1 - x["length"]) * w
    start = 0.5 * h * w**2
    if "paths" in x:
        ends = [0.5 * h * (kept + s * eta * x["noise"]) ** 2 for s in (1.0, -1.0)]
        lhs = np.minimum(start, (ends[0] + ends[1]) / 2) - sum(np.minimum(start, e) for e in ends) / 2
    else:
        factor = (1 - x["length"]) ** (2 * x["T"])
        lhs = start * (factor / (1 - x["length"]) ** 2 - factor)
    return _missing(lhs, h * (np.abs(w) + eta * x["noise"]) ** 2)


def one_number_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One client h/2 w^2, steps of size length/h: two ways to take Omega over the noise +-n, or over T and T + 1 steps."""
    h, w, s = x["curvature"], x["point"], x["length"]
    met = {"A1, A2": h > 0, "0 < eta L < 1": 0 < s < 1}
    start = h * w * w / 2
    if "paths" in x:
        ends = [h * ((1 - s) * w + sign * s / h * x["noise"]) ** 2 / 2 for sign in (1, -1)]
        lhs = min(start, sum(ends) / 2) - sum(min(start, e) for e in ends) / 2
        return met, {"lhs": lhs, "nothing": Fraction(0)}
    T = int(x["T"])
    over = [min(h * ((1 - s) ** t * w) ** 2 / 2 for t in range(last)) for last in (T, T + 1)]
    return met, {"lhs": over[0] - over[1], "nothing": Fraction(0)}


def _single(*flags: str) -> Case:
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            Signed("point", 1e-2, 1e2),
            LogScale("noise", 1e-2, 1e2),
            LogScale("length", 1e-2, 0.9, at=(0.25, 0.5)),
            Integer("T", 1, 100),
            *(Choice(f, (1.0,)) for f in flags),
        )
    )
    same = (units({"curvature": (1, -2), "point": (0, 1), "noise": (1, -1)}),)
    name = "one client" + "".join(f", {f}" for f in flags)
    return Case(name, drawn, _one_number, ExactCheck(one_number_exact), symmetries=same)


D5 = Claim(
    id="EA-D5",
    kind=Kind.PROPERTY,
    source="Theorem 1 (Sec. 3.2), Sec. 3.3",
    title="Γ, Ω and Ω_pr",
    statement=(
        r"\Gamma=\max_t\sum_i\rho_i^{t+1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^*)),\quad\Omega=\min_t\sum_i\rho_i^{t+1}"
        r"(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ \forall t\ge0,\quad\Omega_{pr}=\min_t\sum_i\rho_i"
        r"(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))"
    ),
    says="Γ, Ω and Ω_pr are non-negative, finite and well defined.",
    assumes=("A1, A2", "weights and shares on the simplex"),
    readings=(
        Reading(
            "non-negative and finite",
            "For any models and weights: at least 0, and at most the largest summand.",
            never_missed((_ranged(),), degrees=(1, 0)),
        ),
        Reading(
            "path by path or in expectation",
            "Where W̄ᵗ is random, the mean of the minimum over t is the minimum of the means.",
            never_missed((_single("paths"),), degrees=(1, 0)),
        ),
        Reading(
            "over the run or for all t >= 0",
            "Ω over T steps is Ω over T + 1 steps.",
            never_missed((_single(),), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)",
            never_missed((_ranged("about_best"),), degrees=(1, 0)),
            "a client may do better at W̄ᵗ than at W*, so that the sum is negative",
        ),
    ),
    depends_on=("EA-D1", "EA-D3"),
    verdict_words=(
        "All three are weighted means of non-negative excess losses, between 0 and the largest of them. Two "
        "choices are left to the reader, and matter elsewhere. W̄ᵗ is random, and the mean of the smallest value "
        "along a path is less than the smallest mean. And t ranges over «∀ t >= 0» in Theorem 1 but over nothing "
        "in particular elsewhere: Ω falls with the horizon, and over all t the minimum is in general an infimum, "
        "never attained (EA-T1b)."
    ),
)

CLAIMS: tuple[Claim, ...] = (D5,)
