"""Lemma 1 in expectation over every outcome of the step's samples, with weights that may depend on the outcome."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from validation import Case, ExactCheck, Information, Instance, LogScale, Signed, Simplex, Space, units

__all__ = ["seeing_case"]


def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """First step of a round, clients h_i/2 (w - m_i)^2, noise +-L sigma_i; a row of weights for each outcome."""
    h, m, w, n = x["curvature"], x["optimum"], x["start"], len(x["curvature"])
    L, mu = max(h), min(h)
    eta = x["step"] / L
    best = sum(x["share"][i] * h[i] * m[i] for i in range(n)) / sum(x["share"][i] * h[i] for i in range(n))
    left, deviation, Omegas, Gammas = Fraction(0), Fraction(0), [], []
    for row in range(2**n):
        a = x["table"][row if x["sees"] > 2 else 0]
        noise = [(L if (row >> (n - 1 - i)) & 1 else -L) * x["sigma"][i] for i in range(n)]
        g_bar = sum(a[i] * h[i] * (w - m[i]) for i in range(n))
        g = g_bar + sum(a[i] * noise[i] for i in range(n))
        left += (w - eta * g - best) ** 2 / 2**n
        deviation += (g - g_bar) ** 2 / 2**n
        Omegas.append(sum(a[i] * h[i] * (w - m[i]) ** 2 for i in range(n)) / 2)
        Gammas.append(sum(a[i] * h[i] * (best - m[i]) ** 2 for i in range(n)) / 2)
    hypotheses = {
        "A1, A2: mu > 0": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "data shares on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    constants = {
        "lhs": left,
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": (w - best) ** 2,
        "spread": Fraction(0),
        "Omega": min(Omegas),
        "Gamma": max(Gammas),
        "deviation": deviation,
    }
    return hypotheses, constants


def _seeing(x: Instance) -> Mapping[str, Any]:
    h, m, w = x["curvature"], x["optimum"], x["start"]
    L, mu = h.max(axis=1), h.min(axis=1)
    eta = x["step"] / L
    signs = np.asarray(list(product((-1.0, 1.0), repeat=h.shape[1])))
    a = np.where((x["sees"] > 2)[:, None, None], x["table"], x["table"][:, :1])
    best = (x["share"] * h * m).sum(axis=1) / (x["share"] * h).sum(axis=1)
    noise = (a * signs * (L[:, None] * x["sigma"])[:, None, :]).sum(axis=2)
    drift = (a * (h * (w[:, None] - m))[:, None, :]).sum(axis=2)
    after = (w - best)[:, None] - eta[:, None] * (drift + noise)
    return {
        "lhs": (after**2).mean(axis=1),
        "eta": eta,
        "mu": mu,
        "L": L,
        "before": (w - best) ** 2,
        "spread": np.zeros_like(w),
        "Omega": 0.5 * (a * (h * (w[:, None] - m) ** 2)[:, None, :]).sum(axis=2).min(axis=1),
        "Gamma": 0.5 * (a * (h * (best[:, None] - m) ** 2)[:, None, :]).sum(axis=2).max(axis=1),
        "deviation": (noise**2).mean(axis=1),
        "common": (w - best) ** 2,
        "magnitude": (np.abs(m).max(axis=1) + np.abs(w) + x["sigma"].max(axis=1)) ** 2,
    }


def seeing_case(n_clients: int) -> Case:
    """`n_clients` noisy clients on the line at the first step of a round."""
    drawn = Space(
        (
            LogScale("curvature", 1e-1, 1e1, (n_clients,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n_clients,)),
            Simplex("share", n_clients),
            Simplex("table", n_clients, (2**n_clients,)),
            Signed("start", 1e-2, 1e2),
            LogScale("sigma", 1e-2, 1e2, (n_clients,), at=(1.0,)),
            LogScale("step", 1e-3, 0.25, at=(0.25, 0.1)),
            Information("sees"),
        )
    )
    same = (units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (0, 1)}),)
    name = f"{n_clients} noisy clients on the line, first step of a round"
    return Case(name, drawn, _seeing, ExactCheck(seeing_exact), cost=2.5, symmetries=same)
