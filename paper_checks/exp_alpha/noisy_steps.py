"""One SGD step in expectation: noisy clients hᵢ/2(w − mᵢ)² on the line, noise ±Lσᵢ with fair signs, independent.

A table has a row of weights for each outcome of the samples; where these are not seen its first row serves for all.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.exp_alpha.drawing import drawn, positive, signed
from paper_checks.exp_alpha.notation import Coordinates, Plain, Seen
from paper_checks.exp_alpha.one_step import SHORT
from validation import Case, Information, Instance, Instant, Simplex, Switch

__all__ = ["ANY", "BEFORE_SAMPLES", "PAST", "apart_step", "first_step", "mean_gradient"]


ANY, PAST = Instant.upto(Instant.AFTER_STEP), Instant.upto(Instant.BEFORE_STEP)
BEFORE_SAMPLES = Switch(
    "weights fixed before the samples",
    "ρᵗ⁺¹ does not depend on the samples of step t",
    lambda x: {**x, "sees": np.minimum(x["sees"], Instant.BEFORE_STEP)} if "sees" in x else x,
)


def _rows(x: Instance) -> tuple[Any, Any]:
    """Weights of every outcome, and its signs."""
    seen, table = (x["sees"] > Instant.BEFORE_STEP)[:, None, None], x["table"]
    return np.where(seen, table, table[:, :1]), np.asarray(list(product((-1.0, 1.0), repeat=table.shape[2])))


def first(x: Instance) -> Seen:
    """The first step of a round, all at `start`; Γ over all outcomes the largest, Ω the smallest."""
    h, m, w = x["curvature"], x["optimum"], x["start"]
    L, mu = h.max(axis=1), h.min(axis=1)
    a, signs = _rows(x)
    eta, best = x["step"] / L, (x["share"] * h * m).sum(axis=1) / (x["share"] * h).sum(axis=1)
    noise = (a * signs * (L[:, None] * x["sigma"])[:, None, :]).sum(axis=2)
    drift = (a * (h * (w[:, None] - m))[:, None, :]).sum(axis=2)
    after = (w - best)[:, None] - eta[:, None] * (drift + noise)
    found = {"after": (after**2).mean(axis=1), "eta": eta, "mu": mu, "L": L, "before": (w - best) ** 2}
    found |= {"drift": np.zeros_like(w)}
    found |= {"Omega": 0.5 * (a * (h * (w[:, None] - m) ** 2)[:, None, :]).sum(axis=2).min(axis=1)}
    found |= {"Gamma": 0.5 * (a * (h * (best[:, None] - m) ** 2)[:, None, :]).sum(axis=2).max(axis=1)}
    return {**found, "deviation": (noise**2).mean(axis=1)}


def first_exact(x: Seen) -> Plain:
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
    met = {
        "A1, A2: mu > 0": mu > 0,
        "eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "data shares on the simplex": sum(x["share"]) == 1 and min(x["share"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    found = {"after": left, "before": (w - best) ** 2, "drift": Fraction(0), "deviation": deviation}
    return met, {**found, "eta": eta, "mu": mu, "L": L, "Omega": min(Omegas), "Gamma": max(Gammas)}


def first_step(n: int) -> Case:
    """`n` noisy clients at the first step of a round."""
    of: Coordinates = (positive("curvature", n, decades=1), signed("optimum", n), Simplex("share", n))
    of += (Simplex("table", n, (2**n,)), signed("start"), positive("sigma", n), SHORT, Information("sees"))
    told: dict[str, Any] = {"scaled": {"sigma": (0, 1)}, "permuted": False, "cost": 2.5}
    return drawn(f"{n} noisy clients, first step of a round", of, first, first_exact, **told)


def cross(x: Instance) -> Seen:
    """The mean of A₂ = 2η⟨W̄ − W* − ηḡ, ḡ − g⟩; clients at their own models, W̄ by past weights, W* any point."""
    h, m, W = x["curvature"], x["optimum"], x["local"]
    L, mu = h.max(axis=1), h.min(axis=1)
    b, signs = _rows(x)
    eta = x["step"] / L
    g_mean = (b * (h * (W - m))[:, None, :]).sum(axis=2)
    noise = (b * signs * (L[:, None] * x["sigma"])[:, None, :]).sum(axis=2)
    apart = ((x["past"] * W).sum(axis=1) - x["best"])[:, None] - eta[:, None] * g_mean
    given = {"drift": x["spread"], "Omega": x["Omega"], "Gamma": x["Gamma"]} if "spread" in x else {}
    if given:  # 4ηΩ more before keeps the right side positive
        given["before"] = x["before"] + 4 * eta * x["Omega"]
    return {"A2": (2 * eta[:, None] * apart * -noise).mean(axis=1), "eta": eta, "mu": mu, "L": L, **given}


def cross_exact(x: Seen) -> Plain:
    """E A_2, A_2 = 2 eta (W_bar - W* - eta g_bar)(g_bar - g); client i's noise is +-L sigma_i, independently."""
    h, m, W, n = x["curvature"], x["optimum"], x["local"], len(x["curvature"])
    L, total = max(h), Fraction(0)
    eta, bar = x["step"] / L, sum(x["past"][i] * W[i] for i in range(n))
    for row in range(2**n):
        b = x["table"][row if x["sees"] > 2 else 0]
        drawn = [h[i] * (W[i] - m[i]) + (L if (row >> (n - 1 - i)) & 1 else -L) * x["sigma"][i] for i in range(n)]
        g_bar = sum(b[i] * h[i] * (W[i] - m[i]) for i in range(n))
        g = sum(b[i] * drawn[i] for i in range(n))
        total += 2 * eta * (bar - x["best"] - eta * g_bar) * (g_bar - g) / 2**n
    met = {"A1, A2: mu > 0": min(h) > 0, "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1}
    met |= {
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in [*x["table"], x["past"]])
    }
    given = {"drift": x["spread"], "Omega": x["Omega"], "Gamma": x["Gamma"]} if "spread" in x else {}
    if given:
        given["before"] = x["before"] + 4 * eta * x["Omega"]
    return met, {"A2": total, "eta": eta, "mu": min(h), "L": L, **given}


def apart_step(n: int, sees: tuple[float, ...], *, given: bool = False) -> Case:
    """`n` noisy clients at their own models; `given`: any distance before the step, drift, Ω and Γ beside."""
    of: Coordinates = (positive("curvature", n, decades=1), signed("optimum", n), signed("local", n))
    of += (Simplex("past", n),)
    of += (Simplex("table", n, (2**n,)), signed("best"), positive("sigma", n), SHORT, Information("sees", sees))
    of += tuple(positive(k, decades=3) for k in (("before", "spread", "Omega", "Gamma") if given else ()))
    words = "weights that may see the samples" if max(sees) > Instant.BEFORE_STEP else "weights fixed before"
    told: dict[str, Any] = {"scaled": {"sigma": (0, 1)}, "permuted": False, "cost": 3.0}
    return drawn(f"{n} noisy clients, {words}", of, cross, cross_exact, **told)


def means(x: Instance) -> Seen:
    """(E gₜ − E Σρᵢᵗ⁺¹∇Fᵢ)², over all signs of the noise hσᵢ of clients h/2(w − mᵢ)²."""
    h, exact = x["curvature"], x["curvature"][:, None] * (x["point"] - x["optimum"])
    weights, signs = _rows(x)
    noisy = exact[:, None, :] + h[:, None, None] * signs * x["sigma"][:, None, :]
    gap = (weights * noisy).sum(axis=2).mean(axis=1) - (weights * exact[:, None, :]).sum(axis=2).mean(axis=1)
    return {"bias2": gap**2}


def means_exact(x: Seen) -> Plain:
    """(E g_t - E sum rho_i grad F_i)^2, client i's noise h sigma_i or -h sigma_i with chance 1/2, independently."""
    h, n, gap = x["curvature"], len(x["optimum"]), Fraction(0)
    for row in range(2**n):
        signs = [1 if (row >> (n - 1 - i)) & 1 else -1 for i in range(n)]
        weights = x["table"][row if x["sees"] > 2 else 0]
        drawn = [h * (x["point"][i] - x["optimum"][i]) + h * signs[i] * x["sigma"][i] for i in range(n)]
        mean = [h * (x["point"][i] - x["optimum"][i]) for i in range(n)]
        gap += sum(weights[i] * (drawn[i] - mean[i]) for i in range(n)) / 2**n
    met = {
        "strongly convex, smooth: h > 0": h > 0,
        "noise of mean 0, independent over clients": min(x["sigma"]) >= 0,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in x["table"]),
    }
    return met, {"bias2": gap * gap}


def mean_gradient(n: int, sees: tuple[float, ...]) -> Case:
    """`n` noisy clients of one curvature at their own models."""
    of: Coordinates = (positive("curvature"), signed("optimum", n), signed("point", n), positive("sigma", n))
    of += (Simplex("table", n, (2**n,)), Information("sees", sees))
    told: dict[str, Any] = {"scaled": {"sigma": (0, 1)}, "permuted": False}
    return drawn(f"{n} noisy clients, {len(sees)} kinds of weights", of, means, means_exact, **told)
