"""EA-S4: the signs that the proof of Lemma 1 uses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Rational

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
from validation.statement.says import all_of, le, lt
from validation.world.stated import but, stated
from validation.world.world import World, case, numbers

__all__ = ["CLAIMS"]

step, kappa, t, now, Gamma = NOTATION.symbols("length kappa t now Gamma")
_BEND = 2 * step * (1 - 2 * step)  # γₜ in units of 1/L
_COEFFICIENTS = all_of(le(step - 1, -Rational(3, 4)), le(_BEND / (2 * step), 1), le(0, _BEND))
_SUMS = all_of(le(0, now), le(0, Gamma), le(0, 4 * step**3 * now))

_LENGTHS = numbers(
    NOTATION, "ηL up to 1/4", LogScale("length", 1e-6, 0.25, at=(0.25,)), where=(lt(0, step), le(4 * step, 1))
)


def _schedule(name: str, offset: Any) -> World:
    """ηₜL = 2κ/(γ + t) for every κ and t."""
    drawn = (LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)), Integer("t", 0, 1000, at=(1,)))
    world = numbers(NOTATION, name, *drawn, where=(le(1, kappa), le(0, t)))
    return world.defining({step: 2 * kappa / (offset + t)})


def sums(x: Instance, *, about_best: bool) -> Mapping[str, Any]:
    """Weighted excess at W̄ᵗ and at W*; `about_best`: at W̄ᵗ the excess over Fᵢ(W*)."""
    h, m, a, p, w = x["curvature"], x["optimum"], x["weights"], x["share"], x["point"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    floor = there if about_best else np.zeros_like(there)
    size = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(w)) ** 2
    excess = (a * (0.5 * h * (w[:, None] - m) ** 2 - floor)).sum(axis=1)
    return {"now": excess, "Gamma": (a * there).sum(axis=1), "length": x["length"], "magnitude": size}


def sums_exact(x: Mapping[str, Any], *, about_best: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i (F_i(W_bar) - F_i*) and Gamma_t, quadratic clients; about_best: F_i(W*) in the place of F_i*."""
    h, m, a, p = x["curvature"], x["optimum"], x["weights"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    floor = there if about_best else [Fraction(0) for i in clients]
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": sum(a) == sum(p) == 1 and min([*a, *p]) >= 0,
        "0 < eta L <= 1/4": 0 < x["length"] <= Fraction(1, 4),
    }
    excess = sum(a[i] * (h[i] * (x["point"] - m[i]) ** 2 / 2 - floor[i]) for i in clients)
    return met, {"now": excess, "Gamma": sum(a[i] * there[i] for i in clients), "length": x["length"]}


def _clients(N: float, *, about_best: bool = False) -> Case:
    n = int(N)
    drawn = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e2, (n,)),
            Simplex("weights", n),
            Simplex("share", n),
            Signed("point", 1e-2, 1e2),
            LogScale("length", 1e-4, 0.25, at=(0.25,)),
        )
    )
    same = (
        units({"curvature": (1, -2), "optimum": (0, 1), "point": (0, 1)}),
        permuted_clients({"curvature": 0, "optimum": 0, "weights": 0, "share": 0}),
    )
    name, cost = f"{n} clients on the line", max(1.0, n / 20)
    return case(name, drawn, sums, sums_exact, cost=cost, symmetries=same, about_best=about_best)


_ON_THE_LINE = World(NOTATION, (Family("clients on the line", (Size("N", 1, 300, 3),), _clients),))

S4 = stated(
    r"""EA-S4 (step; A.10, after (21)): Signs used in the proof of Lemma 1
    Print: \eta_tL-1\le-\tfrac34,\quad\frac{\gamma_t}{2\eta_t}\le1,\quad\gamma_t\ge0,\quad4\eta_t^3L^2\Omega\ge0,
        \quad\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ge0,\quad\Gamma\ge0
    Plainly: Under Lemma 1's condition on the step the coefficients and sums of its proof have the signs it uses.
    Assumes: ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: coefficients | ηₜL − 1, γₜ/(2ηₜ) and γₜ, for every ηₜL in (0, 1/4]. | part: coefficients
    Reading: sums | Ω's summand, Γ's and 4ηₜ³L²Ω, for any weights and points. | part: sums
    Mutant: the steps of Theorem 1 | with γ = L/μ the first step has ηL = 2, so ηL − 1 = 1
    Mutant: the steps of A.9 at t = 0 | with γ = 8κ − 1 the first step has ηL = 2κ/(8κ − 1) > 1/4
    Mutant: excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*) | with the weight on one client W̄ᵗ may be better for it than W*
        is
    Tight: ηₜ = 1/(4L) for the first
    Verdict: Under ηₜ <= 1/(4L) every sign is as the proof says: γₜ/(2ηₜ) = 1 − 2Lηₜ lies between 1/2 and 1, and the
        sums are weighted means of non-negative excesses. Whether the steps of the theorem meet that hypothesis is
        another matter (EA-S3): with γ = L/μ the first sign fails for t < 7L/μ, with A.9's γ by a little at t = 0.""",
    says=_COEFFICIENTS,
    world=_LENGTHS,
    readings={"sums": but(_SUMS, world=_ON_THE_LINE)},
    mutants={
        "the steps of Theorem 1": _schedule("γ = L/μ", kappa),
        "the steps of A.9 at t = 0": _schedule("γ of A.9", 8 * kappa - 1),
        "excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*)": but(
            _SUMS, world=World(NOTATION, (_clients(2, about_best=True), _clients(3, about_best=True)))
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (S4,)
