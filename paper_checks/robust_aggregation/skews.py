"""RA-D4, D5, D6, D9, R2, R6: the weighting skew, where it is defined, and what it lies between."""

from __future__ import annotations

import sympy as sp

from paper_checks.robust_aggregation.clients import stated
from paper_checks.robust_aggregation.diagonal import federations
from paper_checks.robust_aggregation.stating import bounded, claimed
from validation import (
    Canary,
    Claim,
    Property,
    Reading,
    symbols,
)

__all__ = ["CLAIMS"]

rho, Pi, pi, N, mu, L, Gamma, below, least_share = symbols("rho Pi pi N mu L Gamma below least_share")

_D5 = claimed(
    "D5",
    "Eq. (6), Sec. 2.3",
    "Weighting skew",
    r"\rho(t,w):=\frac{\sum_{i\in I}\alpha_t^i(F_i(w)-F_i^\star)}{F(w)-\sum_{i\in I}p_iF_i^\star},\qquad"
    r"\min_i\frac{\alpha_t^i}{p_i}\le\rho(t,w)\le\max_i\frac{\alpha_t^i}{p_i}",
    "Where it is defined, the skew is a mean of the ratios αᵢ/pᵢ.",
    (
        Reading("at most the largest ratio", "ρ <= maxᵢ αᵢ/pᵢ.", bounded(Pi, lambda Pi: 0 + Pi, federations("rho"))),
        Reading(
            "at least the least ratio", "minᵢ αᵢ/pᵢ <= ρ.", bounded(rho, lambda rho: 0 + rho, federations("below"))
        ),
    ),
    (
        Canary(
            "at most 1",
            bounded(sp.Integer(1), lambda: 1, federations("rho")),
            "all weight on the client with the largest excess makes ρ larger than 1",
        ),
    ),
    "The denominator is Σpᵢ(Fᵢ(w) − Fᵢ*) by the definition of F, so ρ is a mean of αᵢ/pᵢ with weights pᵢ(Fᵢ(w) − Fᵢ*); it has no unit "
    "and is 1 for αᵢ = pᵢ. Both ends are attained.",
    ("RA-D3",),
    tight="all excess loss with one client",
)
_D9 = claimed(
    "D9",
    "Sec. 2.5.2",
    "Ratios of weights to shares",
    r"\alpha_t^i=\kappa_t^ip_i,\quad\pi_t=\min_i\kappa_t^i,\ \Pi_t=\max_i\kappa_t^i,\ \pi=\min_t\pi_t,\ \Pi=\max_t\Pi^t;"
    r"\qquad\pi\le1\le\Pi",
    "The ratios exist for positive shares, and their extremes enclose 1.",
    (
        stated(
            "three rounds",
            "Weights and shares on the simplex; Πᵗ is read as Π_t.",
            federations("kappa_range", rounds=3),
        ),
    ),
    (
        Canary(
            "π < 1 − 1/1000 for all weights",
            bounded(sp.Rational(999, 1000), lambda: 0.999, federations("below")),
            "αᵢ = pᵢ has π = 1",
        ),
    ),
    "Σκᵢpᵢ = Σpᵢ = 1, so the least ratio is at most 1 and the largest at least 1. The notation needs pᵢ > 0 wherever αᵢ > 0, and Πᵗ "
    "is a misprint of Π_t.",
    (),
)
_R2 = claimed(
    "R2",
    "Remark 2, Sec. 2.3",
    "Where the skew is not defined",
    r"\rho(t,w)\text{ «is not defined when }F(w)=\sum_ip_iF_i^\star\text{. From now on, it will be implici"
    r"t that we are not in this case»}",
    "The skew is not defined where its denominator is 0, a case that is excluded.",
    (
        Reading(
            "denominator bounded below",
            "What is excluded, worked out by us: Γ + μ/2 ‖w − w*‖² <= F(w) − Σpᵢ Fᵢ*.",
            bounded(below, lambda below: below + 0, federations("floor"), (1, 0)),
        ),
    ),
    (
        Canary(
            "3/2 Γ in place of Γ",
            bounded(below - Gamma / 2, lambda below, Gamma: below - 0.5 * Gamma, federations("floor"), (1, 0)),
            "at w = w* both sides are Γ",
        ),
    ),
    "The denominator is 0 only for Γ = 0 and at w = w*, so the remark excludes just this. The print does "
    "not say where that is; that F(w) − ΣpᵢFᵢ* is at least Γ + μ/2 ‖w − w*‖² is ours, from strong "
    "convexity of F, with equality for equal curvatures. For Γ > 0 nothing is excluded. For Γ = 0, the "
    "error-free case of Section 2.5.1, ρ(t, w*) is never defined, hence ρ̃ is not (RA-D6).",
    ("RA-D5", "RA-D4"),
    tight="all curvatures equal to μ",
)
_D6 = claimed(
    "D6",
    "Eq. (7), Sec. 2.3",
    "The extreme skews of a run",
    r"\overline\rho:=\min_{t=0\bmod E}\rho(t,w_t)\quad\text{and}\quad\tilde\rho:=\max_{t=0\bmod E}\rho(t,w^\star)",
    "Both extremes are defined, in all cases but those that Remark 2 excludes.",
    (
        stated(
            "heterogeneous clients",
            "Whenever two minimisers differ, both denominators are positive, at every model.",
            federations("undefined", stated=2, sizes=((2, 2, 300), (1, 1, 8))),
            federations("undefined_best", stated=2, sizes=((2, 2, 300), (1, 1, 8))),
        ),
        stated(
            "the error-free case of Section 2.5.1 included",
            "ρ̃ defined when all clients share their minimiser: a case that Remark 2 excludes.",
            federations("undefined_best", common=True),
        ),
    ),
    (
        Canary(
            "ρ(t, wₜ) defined at every model for Γ = 0",
            Property((federations("undefined", common=True),)),
            "at w = w* = 0 all losses are at their minimum, and the denominator is 0",
        ),
    ),
    "For heterogeneous clients, Γ > 0, both numbers exist; Remark 2, right after (7), excludes the rest. "
    "For Γ = 0 the denominator of every ρ(t, w*) is 0 and there is no ρ̃. Section 2.5.1, where Γ = 0, "
    "uses ρ̄ alone (Remark 6); Theorem 1 at Γ = 0, on which (11) rests, has to be read with Γ(ρ̃ − ρ̄) "
    "as 0 (RA-E11). Two things are left open: over which rounds the extremes are taken, on which their "
    "values and the sign of E depend (RA-C1, RA-D7, RA-E19, RA-Q6), and that in a noisy run they are "
    "random.",
    ("RA-D5", "RA-R2"),
)
_R6 = claimed(
    "R6",
    "Remark 6, Sec. 2.5.1",
    "ρ̄ is well defined away from w*",
    r"\overline\rho\ \text{is well defined as long as}\ F(w_t)\ne F(w^\star)\ \text{for all }t",
    "As long as no round starts exactly at w*, every ρ(t, wₜ) is defined.",
    (
        stated("common minimiser", "Γ = 0, where the remark stands.", federations("undefined", common=True, stated=1)),
        stated("any clients", "Any Γ.", federations("undefined", stated=1)),
    ),
    (
        Canary(
            "the condition removed",
            Property((federations("undefined", common=True),)),
            "for Γ = 0 and w = w* the denominator is 0",
        ),
    ),
    "True, since F(w) − ΣpᵢFᵢ* is at least F(w) − F*. For Γ > 0 the condition is not needed. The remark says nothing of ρ̃, which for "
    "Γ = 0 is never defined (RA-D6).",
    ("RA-D6", "RA-R2"),
)


_D4 = claimed(
    "D4",
    "Eq. (3), Sec. 2.3",
    "Heterogeneity",
    r"\Gamma:=F^\star-\sum_{i\in I}p_iF_i^\star\ \ge0",
    "Γ is never negative, and bounds the excess from below.",
    (
        Reading(
            "Fᵢ* = Fᵢ(wᵢ*)",
            "0 <= Γ, with room: Γ + μ/2 ‖w − w*‖² <= F(w) − ΣpᵢFᵢ* for every w.",
            bounded(below, lambda below: below + 0, federations("floor"), (1, 0)),
        ),
        stated(
            "positive for different minimisers",
            "Γ > 0 unless all clients share their minimiser.",
            federations("undefined_best", stated=2, sizes=((2, 2, 300), (1, 1, 8))),
        ),
    ),
    (
        Canary(
            "positive for all clients",
            Property((federations("undefined_best", common=True),)),
            "clients with one minimiser have Γ = 0",
        ),
    ),
    "With Fᵢ* = Fᵢ(wᵢ*) it is Σpᵢ(Fᵢ(w*) − Fᵢ*), a sum of non-negative terms, and 0 exactly when w* minimises every client's loss. "
    "(With Fᵢ* = F(wᵢ*), as the line before is printed, it is never positive: RA-D3.)",
    ("RA-D3",),
)


CLAIMS: tuple[Claim, ...] = (
    _D4,
    _D5,
    _D6,
    _D9,
    _R2,
    _R6,
)
