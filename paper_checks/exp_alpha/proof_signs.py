"""EA-S4: the signs that the proof of Lemma 1 uses."""

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

__all__ = ["CLAIMS"]


def _algebra(x: Instance) -> Mapping[str, Any]:
    """By how much ηL − 1 <= −3/4, γₜ/(2ηₜ) <= 1 or γₜ >= 0 is missed; γₜ = 2ηₜ(1 − 2Lηₜ), `length` = ηₜL."""
    s = x["length"]
    if "kappa" in x:
        s = 2 * x["kappa"] / (x["kappa"] * (8 if "eighth" in x else 1) - ("eighth" in x) + x["t"])
    bend = 2 * s * (1 - 2 * s)
    missed = np.maximum(np.maximum((s - 1) + 0.75, bend / (2 * s) - 1), -bend)
    return {"lhs": missed, "nothing": np.zeros_like(s), "magnitude": np.ones_like(s)}


def algebra_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """eta L - 1 <= -3/4, gamma_t/(2 eta_t) <= 1, gamma_t >= 0, in units of 1/L."""
    s = x["length"]
    bend = 2 * s - 4 * s * s
    met = {"0 < eta_t <= 1/(4 L)": 0 < s <= Fraction(1, 4)}
    return met, {"lhs": max(s - Fraction(1, 4), bend / (2 * s) - 1, -bend), "nothing": Fraction(0)}


def printed_algebra_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same at the steps of the theorem, gamma = L/mu, or of A.9, gamma = 8 L/mu - 1."""
    s = 2 * x["kappa"] / ((8 * x["kappa"] - 1 if "eighth" in x else x["kappa"]) + x["t"])
    _, found = algebra_exact({"length": s})
    return {"kappa >= 1, t >= 0": x["kappa"] >= 1 and x["t"] >= 0}, found


def _printed_algebra(*, eighth: bool) -> Case:
    flag = (Choice("eighth", (1.0,)),) if eighth else ()
    drawn = Space(
        (
            LogScale("length", 1e-4, 0.25),
            LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)),
            Integer("t", 0, 1000, at=(1,)),
            *flag,
        )
    )
    name = "γ of A.9" if eighth else "γ = L/μ"
    return Case(name, drawn, _algebra, ExactCheck(printed_algebra_exact, (algebra_exact,)))


_LENGTH = Case(
    "ηL up to 1/4", Space((LogScale("length", 1e-6, 0.25, at=(0.25,)),)), _algebra, ExactCheck(algebra_exact)
)


def _sums(x: Instance) -> Mapping[str, Any]:
    """By how much the weighted excess at W̄ᵗ, at W*, or 4ηₜ³L²Ω is below 0; `about_best`: excess over Fᵢ(W*)."""
    h, m, a, p, w = x["curvature"], x["optimum"], x["weights"], x["share"], x["point"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    floor = there if "about_best" in x else np.zeros_like(there)
    now = (a * (0.5 * h * (w[:, None] - m) ** 2 - floor)).sum(axis=1)
    gamma = (a * there).sum(axis=1)
    L = h.max(axis=1)
    third = 4 * (x["length"] ** 3) / L * now * L
    size = L * (np.abs(m).max(axis=1) + np.abs(w)) ** 2
    return {"lhs": -np.minimum(np.minimum(now, gamma), third), "nothing": np.zeros_like(w), "magnitude": size}


def sums_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i (F_i(W_bar) - F_i*) >= 0, Gamma_t >= 0 and 4 eta^3 L^2 Omega >= 0 (times L), quadratic clients."""
    h, m, a, p = x["curvature"], x["optimum"], x["weights"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    floor = there if "about_best" in x else [Fraction(0) for i in clients]
    now = sum(a[i] * (h[i] * (x["point"] - m[i]) ** 2 / 2 - floor[i]) for i in clients)
    gamma = sum(a[i] * there[i] for i in clients)
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": sum(a) == sum(p) == 1 and min([*a, *p]) >= 0,
        "0 < eta L <= 1/4": 0 < x["length"] <= Fraction(1, 4),
    }
    return met, {"lhs": -min(now, gamma, 4 * x["length"] ** 3 * now), "nothing": Fraction(0)}


def _sum_case(N: float, *, about_best: bool = False) -> Case:
    n = int(N)
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Simplex("weights", n),
            Simplex("share", n),
            Signed("point", 1e-2, 1e2),
            LogScale("length", 1e-4, 0.25, at=(0.25,)),
            *((Choice("about_best", (1.0,)),) if about_best else ()),
        )
    )
    same = (
        units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
        permuted_clients({"curvature": 0, "optimum": 0, "weights": 0, "share": 0}),
    )
    cost = max(1.0, n / 20)
    return Case(f"{n} clients on the line", drawn, _sums, ExactCheck(sums_exact), cost=cost, symmetries=same)


_SUMS = Family("clients on the line", (Size("N", 1, 300, 3),), _sum_case)

S4 = Claim(
    id="EA-S4",
    kind=Kind.PROPERTY,
    source="A.10, after (21)",
    title="Signs used in the proof of Lemma 1",
    statement=(
        r"\eta_tL-1\le-\tfrac34,\quad\frac{\gamma_t}{2\eta_t}\le1,\quad\gamma_t\ge0,\quad4\eta_t^3L^2\Omega\ge0,\quad"
        r"\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ge0,\quad\Gamma\ge0"
    ),
    says="Under Lemma 1's condition on the step the coefficients and sums of its proof have the signs it uses.",
    assumes=("ηₜ <= 1/(4L), the hypothesis of Lemma 1", "γₜ = 2ηₜ(1 − 2Lηₜ)", "weights on the simplex"),
    readings=(
        Reading("coefficients", "ηₜL − 1, γₜ/(2ηₜ) and γₜ, for every ηₜL in (0, 1/4].", never_missed((_LENGTH,))),
        Reading(
            "sums", "Ω's summand, Γ's and 4ηₜ³L²Ω, for any weights and points.", never_missed((_SUMS,), degrees=(1, 0))
        ),
    ),
    canaries=(
        Canary(
            "the steps of Theorem 1",
            never_missed((_printed_algebra(eighth=False),)),
            "with γ = L/μ the first step has ηL = 2, so ηL − 1 = 1",
        ),
        Canary(
            "the steps of A.9 at t = 0",
            never_missed((_printed_algebra(eighth=True),)),
            "with γ = 8κ − 1 the first step has ηL = 2κ/(8κ − 1) > 1/4",
        ),
        Canary(
            "excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)",
            never_missed((_sum_case(2, about_best=True), _sum_case(3, about_best=True))),
            "with the weight on one client W̄ᵗ may be better for it than W* is",
        ),
    ),
    tight="ηₜ = 1/(4L) for the first",
    verdict_words=(
        "Under ηₜ <= 1/(4L) every sign is as the proof says: γₜ/(2ηₜ) = 1 − 2Lηₜ lies between 1/2 and 1, and the sums are "
        "weighted means of non-negative excesses. Whether the steps of the theorem meet that hypothesis is another "
        "matter (EA-S3): with γ = L/μ the first sign fails for t < 7L/μ, with A.9's γ by a little at t = 0."
    ),
)

CLAIMS: tuple[Claim, ...] = (S4,)
