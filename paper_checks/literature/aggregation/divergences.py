"""Divergences of weights from shares: Hellinger, relative entropy, χ², Wasserstein; weights of softmax.

Source: Le Cam 1986 (Hellinger and total variation); Tsybakov 2009 (Hellinger, relative entropy and χ²); Bretagnolle and
Huber 1979 (total variation and relative entropy); Sason and Verdú 2016 (relative entropy from above); Lin 1991 (the
Jensen–Shannon divergence); Gao and Pavel 2017 (the Lipschitz constant of softmax); Gibbs and Su 2002 (Wasserstein).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.fairness import KL, SHARE, TILT, TILTED, WEIGHT
from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.weights import CHI2, PAIRS, W1, chi2, spread, spread_a
from paper_checks.literature.worlds import free
from validation import Uniform
from validation.world import at, largest, le, mutant

__all__ = ["CLAIMS"]

a_1, p_1, gap, theta = LETTERS.symbols("a_1 p_1 gap theta")
score_1, score_2, other_1, other_2 = LETTERS.symbols("score_1 score_2 other_1 other_2")

TWO = free("weights and shares of two clients", WEIGHT, SHARE, notation=LETTERS)
TV = sp.Abs(a_1 - p_1)
H2 = (sp.sqrt(a_1) - sp.sqrt(p_1)) ** 2 + (sp.sqrt(1 - a_1) - sp.sqrt(1 - p_1)) ** 2
LIKE = at(a_1="1/2", p_1="1/2")

BELOW = stated(
    "LIT-135",
    "Hellinger distance and total variation, from above",
    r"H^2(a,p)\le2\,\mathrm{TV}(a,p)",
    "The squared Hellinger distance of two clients' weights, Σ(√a − √p)², is at most twice the total variation.",
    le(H2, 2 * TV),
    TWO,
    mutant("once", le(H2, TV), "nearly all weight on one client, nearly all share of the other"),
    because="(√a − √p)² <= |√a − √p|(√a + √p)",
    tight=LIKE,
)
ABOVE = stated(
    "LIT-136",
    "Hellinger distance and total variation, from below",
    r"\mathrm{TV}(a,p)^2\le H^2(a,p)\left(1-\tfrac14H^2(a,p)\right)",
    "The squared total variation of two clients' weights is at most H²(1 − H²/4).",
    le(TV**2, H2 * (1 - H2 / 4)),
    TWO,
    mutant("1 − H²/2", le(TV**2, H2 * (1 - H2 / 2)), "weights that are the shares of the other client"),
    mutant("half of H²", le(TV**2, H2 / 2), "weights near equal shares"),
    because="Cauchy–Schwarz for √a − √p and √a + √p, whose squares sum to H² and 4 − H²",
    tight=at(a_1="4/5", p_1="1/5"),
)
HELLINGER = stated(
    "LIT-137",
    "Hellinger distance and relative entropy",
    r"H^2(a,p)\le\mathrm{KL}(a\|p)",
    "The squared Hellinger distance of two clients' weights is at most their relative entropy.",
    le(H2, KL),
    TWO,
    mutant("twice", le(2 * H2, KL), "hardly any weight on one of two clients of equal shares"),
    because="−log(p/a) >= 2(1 − √(p/a)) in the mean under a",
    tight=LIKE,
)
LOGARITHM = stated(
    "LIT-138",
    "Relative entropy and the logarithm of χ²",
    r"\mathrm{KL}(a\|p)\le\log(1+\chi^2_{a\|p})",
    "The relative entropy of two clients' weights is at most log(1 + χ²).",
    le(KL, sp.log(1 + CHI2)),
    TWO,
    mutant("half of χ²", le(KL, sp.log(1 + CHI2 / 2)), "hardly any weight on one of two clients of equal shares"),
    because="the logarithm is concave, and 1 + χ² is the mean of a/p under a",
    tight=LIKE,
)
HUBER = stated(
    "LIT-139",
    "Total variation stays below 1 while the relative entropy is finite",
    r"-\log\left(1-\mathrm{TV}(a,p)^2\right)\le\mathrm{KL}(a\|p)",
    "The squared total variation of two clients' weights is at most 1 − exp(−KL).",
    le(-sp.log(1 - TV**2), KL),
    TWO,
    mutant("half of KL", le(-2 * sp.log(1 - TV**2), KL), "nearly all weight on a client of small share"),
    because="exp(−KL/2) <= Σ√(ap) by Jensen, and the square of that is at most 1 − TV²",
    tight=LIKE,
)
REVERSE = stated(
    "LIT-140",
    "Relative entropy from above",
    r"\mathrm{KL}(a\|p)\le\frac{2\,\mathrm{TV}(a,p)^2}{\min_ip_i}",
    "The relative entropy of two clients' weights is at most twice their squared total variation over the least share.",
    le(KL, 2 * TV**2 / sp.Min(p_1, 1 - p_1)),
    TWO,
    mutant("once", le(KL, TV**2 / sp.Min(p_1, 1 - p_1)), "hardly any weight on one of two clients of equal shares"),
    because="KL <= χ² = Σ(a − p)²/p, and Σ(a − p)² is 2TV² for two clients",
    tight=LIKE,
)
MIXED = theta * a_1 + (1 - theta) * p_1
NEARER = MIXED * sp.log(MIXED / p_1) + (1 - MIXED) * sp.log((1 - MIXED) / (1 - p_1))
MIXTURE = stated(
    "LIT-141",
    "Mixing weights with the shares",
    r"\mathrm{KL}(\theta a+(1-\theta)p\|p)\le\theta\,\mathrm{KL}(a\|p)",
    "Weights that are mixed with the shares keep at most the share θ of their relative entropy, two clients given.",
    le(NEARER, theta * KL),
    free("weights mixed with shares", WEIGHT, SHARE, Uniform("theta", 0.01, 1.0, at=(0.5,)), notation=LETTERS),
    mutant("θ², as of χ²", le(NEARER, theta**2 * KL), "much weight on a client of small share"),
    because="the relative entropy is convex in a, and 0 at a = p",
    tight=at(a_1="1/2", p_1="1/2", theta="1/2"),
)
TRANSPORT = stated(
    "LIT-142",
    "Wasserstein distance of losses and χ²",
    r"W_1^2\le\chi^2_{a\|p}\,\mathrm{Var}_pF",
    "The Wasserstein distance of the losses under both weights is at most χ times their deviation under the shares.",
    le(W1**2, chi2 * spread),
    PAIRS,
    mutant("variance under the weights", le(W1**2, chi2 * spread_a), "all weight on one client has no variance"),
    mutant("half of it", le(W1**2, chi2 * spread / 2), "two clients"),
    because="of every function of the losses with slopes up to 1 the mean moves by at most χ times its deviation under "
    "the shares, which is at most that of the losses",
    tight="two clients",
)
MIDDLE = (a_1 + p_1) / 2
SHANNON = (
    sum(one * sp.log(one / MIDDLE) + (1 - one) * sp.log((1 - one) / (1 - MIDDLE)) for one in (a_1, p_1)) / 2
)  # fmt: skip
JENSEN_SHANNON = stated(
    "LIT-143",
    "Jensen–Shannon divergence and total variation",
    r"\mathrm{JS}(a,p)\le\log2\cdot\mathrm{TV}(a,p)",
    "The mean relative entropy of both weights of two clients from their middle is at most log 2 times the total variation.",
    le(SHANNON, sp.log(2) * TV),
    TWO,
    mutant("half of it", le(SHANNON, sp.log(2) * TV / 2), "the shares of the other client", at(a_1="9/10", p_1="1/10")),
    because="as a function of a/p it is convex, and log 2 times |a/p − 1|/2 agrees with it at 0, at 1 and at infinity",
    tight=LIKE,
)


def softmax(*scores: sp.Expr) -> tuple[sp.Expr, ...]:
    """The weights exp(u)/Σexp(u)."""
    grown = [sp.exp(score) for score in scores]
    return tuple(one / sum(grown) for one in grown)


MOVES = (other_1 - score_1, other_2 - score_2, sp.Integer(0))
APART = [sp.Abs(new - old) for new, old in zip(softmax(other_1, other_2, 0), softmax(score_1, score_2, 0), strict=True)]
SOFTMAX = stated(
    "LIT-144",
    "How fast weights of a softmax change",
    r"\mathrm{TV}(\mathrm{softmax}\,u,\mathrm{softmax}\,v)\le\tfrac14\left(\max_i(v_i-u_i)-\min_i(v_i-u_i)\right)",
    "The softmax weights of three clients move by at most a quarter of the range of the changes of their scores.",
    le(2 * sum(APART), largest(*MOVES) - sp.Min(*MOVES)),
    free(
        "two scores of three clients",
        *(Uniform(name, -6.0, 6.0, at=(0.0,)) for name in ("score_1", "score_2", "other_1", "other_2")),
        notation=LETTERS,
    ),
    mutant(
        "a fifth", le(sp.Rational(5, 2) * sum(APART), largest(*MOVES) - sp.Min(*MOVES)), "two clients of equal weight"
    ),
    because="the weights move at half the mean size of a deviation of the changes, and that is at most half their range",
    tight=at(score_1=0, score_2=0, other_1=0, other_2=0),
)
TILTED_WEIGHT = p_1 * sp.exp(gap) / (1 - p_1 + p_1 * sp.exp(gap))
TILTS = stated(
    "LIT-145",
    "How far a tilt moves the weights",
    r"\mathrm{KL}(a\|p)\le\frac18t^2(F_1-F_2)^2,\quad a_i\propto p_ie^{tF_i}",
    "The relative entropy of two clients' tilted weights is at most an eighth of the squared tilt times squared range.",
    le(TILTED_WEIGHT * gap - TILTED, gap**2 / 8),
    TILT,
    mutant("a ninth", le(TILTED_WEIGHT * gap - TILTED, gap**2 / 9), "two clients of equal shares and a small tilt"),
    because="it is the integral of t times the variance under tilted weights, at most a quarter of the squared range",
    tight=at(p_1="1/2", gap=0),
)

CLAIMS = (
    *(BELOW, ABOVE, HELLINGER, LOGARITHM, HUBER, REVERSE),
    *(MIXTURE, TRANSPORT, JENSEN_SHANNON, SOFTMAX, TILTS),
)
