"""The second round of FedAWARE with moving averages, everybody present: over all outcomes of two-valued noise.

Clients hᵢ/2·(x − oᵢ)² on the line, one local step, m⁰ = g⁰ without noise. Client i's noise is σᵢr with chance 1/(1 + r²),
else −σᵢ/r, independently; λ̃ are the weights of least norm over the averages of each outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, Checked
from paper_checks.fedaware.rounds import least_norm, outcomes, smallest_norm
from validation import Case, Instance, LogScale, Signed, Simplex, Space, Uniform, World, case, units

__all__ = ["second_round"]


def second(x: Instance, *, one_sign: bool = False) -> Mapping[str, Any]:
    """𝔼(Σλ̃(g − m))² in `S`, 𝔼Σλ̃²/λ in `W`, Σλ𝔼(g − m)² in `M`, 𝔼[Σλ̃²/λ·Σλ(g − m)²] in `together`.

    A draw counts while no two averages are equal in any outcome: with two clients no other weights serve. `one_sign`: and
    while all have one sign, so that none of the directions vanishes.
    """
    h, best, lam, a = x["curvature"], x["optimum"], x["share"], x["alpha"][:, None, None]
    N, r = h.shape[1], x["rare"][:, None]
    signs = np.array(list(product((True, False), repeat=N)))
    chance = np.where(signs[None], 1 / (1 + r[..., None] ** 2), r[..., None] ** 2 / (1 + r[..., None] ** 2)).prod(
        axis=2
    )
    eta_l = (x["first"] / h.max(axis=1))[:, None]
    old = eta_l * h * (x["start"][:, None] - best)
    at = x["start"] - x["server"] * (least_norm(old) * old).sum(axis=1)
    noise = np.where(signs[None], r[..., None], -1 / r[..., None]) * x["sigma"][:, None]
    g = (eta_l * h * (at[:, None] - best))[:, None] + eta_l[..., None] * noise
    m = (1 - a) * old[:, None] + a * g
    tilde, off = least_norm(m), g - m
    W = (tilde**2 / lam[:, None]).sum(axis=2)
    errors = (lam[:, None] * off**2).sum(axis=2)

    def mean(values: Any) -> Any:
        return (chance * values).sum(axis=1)

    found = {"S": mean((tilde * off).sum(axis=2) ** 2), "W": mean(W), "M": mean(errors), "together": mean(W * errors)}
    largest = np.abs(m).max(axis=(1, 2))
    apart = np.min([np.abs(m[..., i] - m[..., j]).min(axis=1) for i in range(N) for j in range(i)], axis=0)
    size = np.maximum((g**2).max(axis=(1, 2)), largest**2)
    met = (apart > 0) & ((np.ptp(np.sign(m), axis=(1, 2)) == 0) | (not one_sign))
    sizes = {"S": size, "M": size, "together": size * W.max(axis=1)}
    return {**found, "sizes": sizes, "admissible": met, "resolved": apart > 1e-12 * largest}


def second_exact(x: Mapping[str, Any], *, one_sign: bool = False) -> Checked:
    """Round 0 without noise, m^0 = g^0, one server step; then every outcome of the noise of round 1."""
    h, best, lam, a, clients = x["curvature"], x["optimum"], x["share"], x["alpha"], range(len(x["share"]))
    eta_l = x["first"] / max(h)
    old = [eta_l * h[i] * (x["start"] - best[i]) for i in clients]
    at = x["start"] - x["server"] * sum(w * v for w, v in zip(smallest_norm(old), old, strict=True))
    total = dict.fromkeys(("one", "S", "W", "M", "together"), Fraction(0))
    clear, met_zero = True, False
    for chance, noise in outcomes(len(lam), x["rare"]):
        g = [eta_l * (h[i] * (at - best[i]) + x["sigma"][i] * noise[i]) for i in clients]
        m = [(1 - a) * old[i] + a * g[i] for i in clients]
        tilde, off = smallest_norm(m), [g[i] - m[i] for i in clients]
        clear, met_zero = clear and len(set(m)) == len(m), met_zero or min(m) <= 0 <= max(m)
        weights, errors = sum(tilde[i] ** 2 / lam[i] for i in clients), sum(lam[i] * off[i] ** 2 for i in clients)
        total["one"] += chance
        total["S"] += chance * sum(tilde[i] * off[i] for i in clients) ** 2
        total["W"] += chance * weights
        total["M"] += chance * errors
        total["together"] += chance * weights * errors
    met = {
        "noise has mean 0 and variance sigma_i^2, chances sum to 1": total["one"] == 1,
        "convex clients; weights on the simplex, lambda positive": min(h) > 0 and sum(lam) == 1 and min(lam) > 0,
        "0 < alpha <= 1, eta_l <= 1/(8 L K)": 0 < a <= 1 and 0 < x["first"] <= Fraction(1, 8),
        "no two averages are equal in any outcome": clear,
        "no direction vanishes, where that is asked": not (one_sign and met_zero),
    }
    return met, {name: total[name] for name in ("S", "W", "M", "together")}


def _second(n: int, one_sign: bool) -> Case:
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Simplex("share", n, interior=True),
            Signed("start", 1e-2, 1e2),
            LogScale("first", 1e-2, 0.125, at=(0.125,)),
            LogScale("server", 1e-2, 1e1, at=(1.0,)),
            Uniform("alpha", 0.05, 1.0, at=(0.5, 1.0)),
            LogScale("sigma", 1e-2, 1e2, (n,)),
            LogScale("rare", 1e-1, 1e1, at=(1.0, 10.0)),
        )
    )
    same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}),)
    uses = (outcomes, smallest_norm)
    told: dict[str, Any] = {"uses": uses, "symmetries": same, "cost": 1.5, "one_sign": one_sign}
    return case(f"{n} clients, second round", space, second, second_exact, **told)


def second_round(*sizes: int, one_sign: bool = False) -> World:
    """The second round of so many clients each; see `second`."""
    return World(NOTATION, tuple(_second(n, one_sign) for n in sizes))
