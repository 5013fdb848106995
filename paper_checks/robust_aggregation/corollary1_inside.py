"""RA-C1 inside a round: a run that is at w* whenever (7) looks, and elsewhere in between.

Three clients h/2·(w − c)², h = (1, 2, 1)·a and c = (1, −1, 0)·b, shares (ε, ε/2, 1 − 3ε/2): w* = 0. From w₀ = 0 the first
client's local model goes up, the second one's down, so each round has weights (v, 1 − v, 0) that end it at 0 again, for
ever. In every round ρ(kE, 0) = (2 − v)/(2ε), so that 1/(2ε) <= ρ̄ <= ρ̃ <= 1/ε for the whole endless run; these ends
make the right side of (9) larger than ρ̄ and ρ̃ themselves. Aggregation and virtual model with the round's weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Case, ExactCheck, Instance, Integer, LogScale, Space, units

__all__ = ["inside_a_round"]


def _inside(x: Instance) -> Mapping[str, Any]:
    a, b, eps, E = x["curvature"], x["distance"], x["share"], x["local_steps"]
    up, down = np.zeros_like(a), np.zeros_like(a)
    at: tuple[Any, ...] = (up, down)
    for k in range(int(E.max())):
        eta = 1 / (k + 8.0)
        up, down = (
            np.where(k < E, new, old) for new, old in ((up + eta * (1 - up), up), (down - 2 * eta * (1 + down), down))
        )
        at = tuple(np.where(k < x["inside"], new, old) for new, old in zip((up, down), at, strict=True))
    v = -down / (up - down)
    end = v * at[0] + (1 - v) * at[1]
    zero = np.zeros_like(a)
    return {
        "lhs": (gap := a * b**2 * (1 + eps / 2) * end**2 / 2),
        "gap": gap,
        "L": 2 * a,
        "mu": a,
        "G2": 16 * (a * b) ** 2,
        "sigma2": zero,
        "Gamma": eps * a * b**2,
        "tau": E,
        "T": x["inside"],
        "D0": zero,
        "rho": 0.5 / eps,
        "rho_best": 1 / eps,
        "magnitude": a * b**2 * (v * np.abs(at[0]) + (1 - v) * np.abs(at[1])) ** 2,
        "admissible": x["inside"] < E,
    }


def inside_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w_T) - F* for T inside the first round; rho bounded from below and rho_best from above for the run without end.

    Every later round begins at 0, too, and ends there: its models are v w_1 + (1 - v) w_2 with w_1 > 0 > w_2 for some v in (0, 1).
    """
    a, b, eps, E, T = x["curvature"], x["distance"], x["share"], int(x["local_steps"]), int(x["inside"])
    h, c, p = (a, 2 * a, a), (b, -b, 0 * b), (eps, eps / 2, 1 - 3 * eps / 2)
    local = [Fraction(0)] * 3
    paths = [list(local)]
    for t in range(E):
        eta = 1 / (a * t + 4 * 2 * a)  # 1/(mu (t + gamma)), gamma = 4 L/mu
        local = [w - eta * h[i] * (w - c[i]) for i, w in enumerate(local)]
        paths.append(list(local))
    v = -local[1] / (local[0] - local[1])
    weights = (v, 1 - v, Fraction(0))

    def virtual(t: int) -> Any:
        return sum(q * w for q, w in zip(weights, paths[min(t, E)], strict=True))

    own = [h[i] * c[i] ** 2 / 2 for i in range(3)]  # F_i(0) - F_i*
    skew = sum(q * f for q, f in zip(weights, own, strict=True)) / sum(q * f for q, f in zip(p, own, strict=True))
    met = {
        "mu = a, L = 2 a, shares positive": a > 0 and b > 0 and min(p) > 0,
        "w* = 0": sum(q * s * m for q, s, m in zip(p, h, c, strict=True)) == 0,
        "weights on the simplex": 0 < v < 1,
        "the round ends where it began": virtual(E) == 0,
        "1/(2 eps) <= rho(kE, 0) <= 1/eps": 1 / (2 * eps) <= skew <= 1 / eps,
        "models between -b and b, where |F_i'| <= 4 a b": max(abs(w) for path in paths for w in path) <= b,
        "0 < T < E": 0 < T < E,
    }
    gamma = sum(q * f for q, f in zip(p, own, strict=True))
    loss = sum(q * s for q, s in zip(p, h, strict=True)) * virtual(T) ** 2 / 2
    constants = {"L": 2 * a, "mu": a, "G2": (4 * a * b) ** 2, "sigma2": Fraction(0), "Gamma": gamma, "tau": Fraction(E)}
    constants |= {"T": Fraction(T), "D0": Fraction(0), "rho": 1 / (2 * eps), "rho_best": 1 / eps}
    return met, {**constants, "lhs": loss, "gap": loss}


def inside_a_round() -> Case:
    """Two to six local steps, T within the first round, ε down to 1e−12; G on the interval of all models and optima."""
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("distance", 1e-2, 1e2, at=(1.0,)),
            LogScale("share", 1e-12, 0.5, at=(1e-12, 1e-9)),
            Integer("local_steps", 2, 6, at=(2,)),
            Integer("inside", 1, 5, at=(1,)),
        )
    )
    same = (units({"curvature": (1, -2), "distance": (0, 1)}),)
    return Case("at w* whenever (7) looks", space, _inside, ExactCheck(inside_exact), symmetries=same)
