"""EA-D5: Γ, Ω and Ω_pr, and what their definition leaves open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    units,
)
from validation.statement.says import all_of, le
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

Gamma, Omega, Omega_pr, most_there, most_now = NOTATION.symbols("Gamma Omega Omega_pr most_there most_now")
Omega_less, least_of_means, mean_of_least = NOTATION.symbols("Omega_less least_of_means mean_of_least")


def models(x: Instance, *, above_best: bool) -> Mapping[str, Any]:
    """Γ, Ω and Ω_pr over the models given, and their largest summands; `above_best`: excess over Fᵢ(W*)."""
    h, m, p, a, points = x["curvature"], x["optimum"], x["share"], x["rows"], x["models"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    now = 0.5 * h[:, None] * (points[:, :, None] - m[:, None]) ** 2 - (there[:, None] if above_best else 0.0)
    found = {
        "Gamma": (a * there[:, None]).sum(axis=2).max(axis=1),
        "Omega": (a * now).sum(axis=2).min(axis=1),
        "Omega_pr": (p[:, None] * now).sum(axis=2).min(axis=1),
        "most_there": there.max(axis=1),
        "most_now": now.max(axis=2).min(axis=1),
    }
    size = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(points).max(axis=1)) ** 2
    return {**found, "sizes": dict.fromkeys(found, size)}


def models_exact(x: Mapping[str, Any], *, above_best: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma, Omega and Omega_pr over a few models with their weights, and the largest summands."""
    h, m, p, n = x["curvature"], x["optimum"], x["share"], range(len(x["optimum"]))
    best = sum(p[i] * h[i] * m[i] for i in n) / sum(p[i] * h[i] for i in n)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in n]
    rows = [[h[i] * (w - m[i]) ** 2 / 2 - (there[i] if above_best else 0) for i in n] for w in x["models"]]
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, *x["rows"])),
    }
    return met, {
        "Gamma": max(sum(a[i] * there[i] for i in n) for a in x["rows"]),
        "Omega": min(sum(a[i] * row[i] for i in n) for a, row in zip(x["rows"], rows, strict=True)),
        "Omega_pr": min(sum(p[i] * row[i] for i in n) for row in rows),
        "most_there": max(there),
        "most_now": min(max(row) for row in rows),
    }


def _models(*, above_best: bool = False) -> World:
    def at(N: float, P: float) -> Case:
        n, p = int(N), int(P)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("share", n),
                Simplex("rows", n, (p,)),
                Signed("models", 1e-2, 1e2, (p,)),
            )
        )
        same = (
            units({"curvature": (1, -2), "optimum": (0, 1), "models": (0, 1)}),
            permuted_clients({"curvature": 0, "optimum": 0, "share": 0, "rows": 1}),
        )
        name, cost = f"{n} clients, {p} models", max(1.0, n * p / 40)
        return case(name, space, models, models_exact, cost=cost, symmetries=same, above_best=above_best)

    return World(NOTATION, (Family("any models", (Size("N", 1, 60, 3), Size("P", 1, 30, 3)), at),))


def one_client(x: Instance) -> Mapping[str, Any]:
    """One client, E = 1: Ω over T steps and T + 1; and over t = 0, 1 with noise ±n the two orders of E and min_t."""
    h, w, eta = x["curvature"], x["point"], x["length"] / x["curvature"]
    start, factor = 0.5 * h * w**2, (1 - x["length"]) ** (2 * x["T"])
    ends = [0.5 * h * ((1 - x["length"]) * w + s * eta * x["noise"]) ** 2 for s in (1.0, -1.0)]
    found = {
        "least_of_means": np.minimum(start, sum(ends) / 2),
        "mean_of_least": sum(np.minimum(start, e) for e in ends) / 2,
        "Omega_less": start * factor / (1 - x["length"]) ** 2,
        "Omega": start * factor,
    }
    return {**found, "sizes": dict.fromkeys(found, h * (np.abs(w) + eta * x["noise"]) ** 2)}


def one_client_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One client h/2 w^2, steps of size length/h: two ways to take Omega over the noise +-n, and over T and T + 1 steps."""
    h, w, s, T = x["curvature"], x["point"], x["length"], int(x["T"])
    start = h * w * w / 2
    ends = [h * ((1 - s) * w + sign * s / h * x["noise"]) ** 2 / 2 for sign in (1, -1)]
    over = [min(h * ((1 - s) ** t * w) ** 2 / 2 for t in range(last)) for last in (T, T + 1)]
    return {"A1, A2": h > 0, "0 < eta L < 1": 0 < s < 1}, {
        "least_of_means": min(start, sum(ends) / 2),
        "mean_of_least": sum(min(start, e) for e in ends) / 2,
        "Omega_less": over[0],
        "Omega": over[1],
    }


_ONE = World(
    NOTATION,
    (
        case(
            "one client",
            Space(
                (
                    LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
                    Signed("point", 1e-2, 1e2),
                    LogScale("noise", 1e-2, 1e2),
                    LogScale("length", 1e-2, 0.9, at=(0.25, 0.5)),
                    Integer("T", 1, 100),
                )
            ),
            one_client,
            one_client_exact,
            symmetries=(units({"curvature": (1, -2), "point": (0, 1), "noise": (1, -1)}),),
        ),
    ),
)
_WITHIN = all_of(
    *(le(0, quantity) for quantity in (Gamma, Omega, Omega_pr)),
    le(Gamma, most_there),
    le(Omega, most_now),
    le(Omega_pr, most_now),
)

D5 = stated(
    r"""EA-D5 (definition; Theorem 1 (Sec. 3.2), Sec. 3.3): Γ, Ω and Ω_pr
    Print: \Gamma=\max_t\sum_i\rho_i^{t+1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^*)),
        \quad\Omega=\min_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ \forall t\ge0,
        \quad\Omega_{pr}=\min_t\sum_i\rho_i(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
    Plainly: Γ, Ω and Ω_pr are non-negative, finite and well defined.
    Assumes: A1, A2 | weights and shares on the simplex
    Reading: non-negative and finite | For any models and weights: at least 0, and at most the largest summand.
    Reading: path by path or in expectation | Where W̄ᵗ is random, the mean of the minimum over t is the minimum of
        the means. | ours: that the two interpretations of a random W̄^t give one number is printed nowhere; what
        hangs on it is judged where Ω is used
    Reading: over the run or for all t >= 0 | Ω over T steps is Ω over T + 1 steps. | ours: that Ω does not change
        with the horizon is printed nowhere; what hangs on the range of t is judged where Ω is used (EA-T1b, EA-A13,
        EA-E10)
    Mutant: excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*) | a client may do better at W̄ᵗ than at W*, so that the sum is
        negative
    Rests on: EA-D1, EA-D3
    Verdict: All three are weighted means of non-negative excess losses, between 0 and the largest of them. Two
        choices are left to the reader, and matter elsewhere. W̄ᵗ is random, and the mean of the smallest value
        along a path is less than the smallest mean. And t ranges over «∀ t >= 0» in Theorem 1 but over nothing in
        particular elsewhere: Ω falls with the horizon, and over all t the minimum is in general an infimum, never
        attained (EA-T1b).""",
    says=_WITHIN,
    world=_models(),
    readings={
        "path by path or in expectation": but(le(least_of_means, mean_of_least), world=_ONE),
        "over the run or for all t >= 0": but(le(Omega_less, Omega), world=_ONE),
    },
    mutants={"excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)": _models(above_best=True)},
)

CLAIMS: tuple[Claim, ...] = (D5,)
