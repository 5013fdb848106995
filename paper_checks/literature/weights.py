"""Weights against shares, and directions that suit several clients.

Source: Wang et al. 2020 and Cho, Wang and Joshi 2020 (χ² of weights); Mohri, Sivek and Suresh 2019 (the largest loss);
Li, Sanjabi, Beirami and Smith 2020 (q-FFL); Kish 1965 (effective sample size); Désidéri 2012 (the shortest mean of
gradients); Yu et al. 2020 (conflicting gradients).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import Coordinates, Plain, Seen, free, of_sizes
from theory.exact import dot
from validation import Choice, Instance, LogScale, Signed, Simplex, Uniform
from validation.world import at, eq, identity, le, mutant

__all__ = ["CLAIMS"]

N, chi2, tv, moved, moved2, spread, spread_a = NOTATION.symbols("N chi2 tv moved moved2 spread spread_a")
span, W1, top_off2, p_top, a2, a_top, off_equal2 = NOTATION.symbols("span W1 top_off2 p_top a2 a_top off_equal2")
tilted, tilted_on, a_1, p_1, p_2 = NOTATION.symbols("tilted tilted_on a_1 p_1 p_2")
g_1, g_2, g_3, gg, hh, gh = NOTATION.symbols("g_1 g_2 g_3 gg hh gh")


def losses(x: Instance, *, N: int) -> Seen:
    """Losses under shares p > 0 and under weights a."""
    a, p, loss = x["a"], x["p"], x["loss"]
    order = np.argsort(loss, axis=1, kind="stable")
    ordered, gap = (np.take_along_axis(one, order, axis=1) for one in (loss, a - p))
    mean, mean_a = (p * loss).sum(axis=1), (a * loss).sum(axis=1)
    size = np.abs(loss).max(axis=1)
    return {
        "N": np.full(len(a), float(N)),
        "chi2": ((a - p) ** 2 / p).sum(axis=1),
        "tv": np.abs(a - p).sum(axis=1) / 2,
        "moved": np.abs(mean_a - mean),
        "moved2": (mean_a - mean) ** 2,
        "spread": (p * (loss - mean[:, None]) ** 2).sum(axis=1),
        "spread_a": (a * (loss - mean_a[:, None]) ** 2).sum(axis=1),
        "span": ordered[:, -1] - ordered[:, 0],
        "W1": (np.abs(np.cumsum(gap, axis=1))[:, :-1] * np.diff(ordered, axis=1)).sum(axis=1),
        "top_off2": (ordered[:, -1] - mean) ** 2,
        "p_top": np.take_along_axis(p, order, axis=1)[:, -1],
        "a2": (a**2).sum(axis=1),
        "a_top": a.max(axis=1),
        "off_equal2": ((a - 1 / N) ** 2).sum(axis=1),
        "sizes": {"moved": size, "W1": size, **dict.fromkeys(("moved2", "spread", "spread_a", "top_off2"), size**2)},
    }


def losses_plain(x: Seen, *, N: int) -> Plain:
    """The same of one instance, client by client."""
    a, p, loss = x["a"], x["p"], x["loss"]
    mean, mean_a = dot(p, loss), dot(a, loss)
    order = sorted(range(N), key=lambda i: loss[i])
    transport = sum(
        abs(sum(a[j] - p[j] for j in order[: i + 1])) * (loss[order[i + 1]] - loss[order[i]]) for i in range(N - 1)
    )
    met = {"a and p on the simplex, p > 0": sum(a) == sum(p) == 1 and min(a) >= 0 and min(p) > 0}
    return met, {
        "N": N,
        "chi2": sum(u * u / v for u, v in zip(a, p, strict=True)) - 1,
        "tv": sum(max(u - v, 0) for u, v in zip(a, p, strict=True)),
        "moved": abs(mean_a - mean),
        "moved2": (mean_a - mean) ** 2,
        "spread": sum(v * c * c for v, c in zip(p, loss, strict=True)) - mean**2,
        "spread_a": sum(u * c * c for u, c in zip(a, loss, strict=True)) - mean_a**2,
        "span": max(loss) - min(loss),
        "W1": transport,
        "top_off2": (max(loss) - mean) ** 2,
        "p_top": p[order[-1]],
        "a2": dot(a, a),
        "a_top": max(a),
        "off_equal2": sum((u - Fraction(1, N)) ** 2 for u in a),
    }


def two_weights(*, N: int) -> Coordinates:
    """Shares p > 0, weights a on the simplex, and losses of any sign."""
    return (Simplex("a", N), Simplex("p", N, interior=True), Signed("loss", 1e-2, 1e2, (N,)))


def powers(x: Instance) -> Seen:
    """Losses under weights in proportion to p·F^q, and to p·F^(q + 1)."""
    p, loss, q = x["p"], x["loss"], x["power"][:, None]
    low, mid, high = ((p * loss ** (q + one)).sum(axis=1) for one in range(3))
    return {"tilted": mid / low, "tilted_on": high / mid}


def powers_plain(x: Seen) -> Plain:
    """The same of one instance."""
    q, parts = int(x["power"]), list(zip(x["p"], x["loss"], strict=True))
    low, mid, high = (sum(v * c ** (q + one) for v, c in parts) for one in range(3))
    met = {"p on the simplex, F > 0": sum(x["p"]) == 1 and min(x["p"]) >= 0 and min(x["loss"]) > 0}
    return met, {"tilted": mid / low, "tilted_on": high / mid}


def positive_losses(*, N: int) -> Coordinates:
    """Shares, losses above 0, and the power q."""
    power = Choice("power", (0.0, 1.0, 2.0, 5.0))
    return (Simplex("p", N, interior=True), LogScale("loss", 1e-2, 1e2, (N,)), power)


PAIRS = of_sizes("losses under shares and weights", two_weights, losses, losses_plain, N=(2, 100, 3))
FAIR = of_sizes("losses under fair weights", positive_losses, powers, powers_plain, told=False, N=(2, 50, 3))
CHANCES = (Uniform("a_1", 0.01, 0.99, at=(0.5,)), Uniform("p_1", 0.01, 0.99, at=(0.5,)))
TWO = free("two clients", *CHANCES)
KL = a_1 * sp.log(a_1 / p_1) + (1 - a_1) * sp.log((1 - a_1) / (1 - p_1))
CHI2 = (a_1 - p_1) ** 2 / p_1 + (a_1 - p_1) ** 2 / (1 - p_1)

TOTAL = stated(
    "LIT-21",
    "Total variation of weights and χ²",
    r"4\,\mathrm{TV}(a,p)^2\le\chi^2_{a\|p}",
    "Twice the total variation of the weights from the shares is at most the root of χ².",
    le(4 * tv**2, chi2),
    PAIRS,
    mutant("half of it", le(4 * tv**2, chi2 / 2), "two clients of equal shares"),
    because="Cauchy–Schwarz for |a − p|/√p and √p",
    tight="two clients of equal shares",
)
MOVED = stated(
    "LIT-22",
    "What other weights do to the mean loss",
    r"\left(\sum_i(a_i-p_i)F_i\right)^2\le\chi^2_{a\|p}\,\mathrm{Var}_pF",
    "Other weights move the mean loss by at most χ times the standard deviation of the losses under the shares.",
    le(moved2, chi2 * spread),
    PAIRS,
    mutant("variance under the weights", le(moved2, chi2 * spread_a), "all weight on one client has no variance"),
    mutant("half of it", le(moved2, chi2 * spread / 2), "losses in proportion to a/p"),
    because="Cauchy–Schwarz for (a − p)/√p and √p(F − mean), as Σ(a − p) = 0",
    tight="losses in proportion to a/p, or two clients",
)
TRANSPORT = stated(
    "LIT-23",
    "Mean losses and their Wasserstein distance",
    r"\left|\sum_i(a_i-p_i)F_i\right|\le W_1",
    "The mean loss moves by at most the Wasserstein distance of the losses under both weights.",
    le(moved, W1),
    PAIRS,
    mutant("the other way round", le(W1, moved), "weight that moves up and weight that moves down cancel in the mean"),
    because="the mean moves by the integral of the difference of the distribution functions, W₁ by that of its size",
    tight="weight that moves one way only",
)
APART = stated(
    "LIT-24",
    "Wasserstein distance and total variation",
    r"W_1\le\mathrm{TV}(a,p)\,(\max F-\min F)",
    "The losses under both weights are apart by at most the total variation times their range.",
    le(W1, tv * span),
    PAIRS,
    mutant("half of it", le(W1, tv * span / 2), "weight from the least to the largest loss"),
    because="weight TV has to move, and no farther than the range",
    tight="two clients",
)
ENTROPY = stated(
    "LIT-25",
    "Relative entropy of weights and χ²",
    r"0\le\chi^2_{a\|p}-\mathrm{KL}(a\|p)",
    "The relative entropy of two clients' weights is at most χ².",
    le(0, CHI2 - KL),
    TWO,
    mutant("half of χ²", le(0, CHI2 / 2 - KL), "hardly any weight on one of two clients of equal shares"),
    because="log(a/p) <= a/p − 1 in Σ a·log(a/p)",
    tight=at(a_1="1/2", p_1="1/2"),
)
PINSKER = stated(
    "LIT-26",
    "Total variation and relative entropy",
    r"2\,\mathrm{TV}(a,p)^2\le\mathrm{KL}(a\|p)",
    "Twice the squared total variation of two clients' weights is at most their relative entropy.",
    le(2 * (a_1 - p_1) ** 2, KL),
    TWO,
    mutant("with 3", le(3 * (a_1 - p_1) ** 2, KL), "weights near equal shares"),
    because="Pinsker's inequality: both sides and their first derivatives agree at a = p, and 1/(a(1 − a)) >= 4",
    tight=at(a_1="1/2", p_1="1/2"),
)
EFFECTIVE = stated(
    "LIT-27",
    "Effective number of clients",
    r"N\sum_ia_i^2=1+N\sum_i\left(a_i-\tfrac1N\right)^2",
    "N over the effective number of clients, 1/Σa², exceeds 1 by N times the squared distance from equal weights.",
    eq(N * a2, 1 + N * off_equal2),
    PAIRS,
    mutant("without N", eq(N * a2, 1 + off_equal2), "all weight on one of two clients"),
    because="the weights sum to 1",
    tight="always: an identity",
)
LARGEST = stated(
    "LIT-28",
    "Effective number and the largest weight",
    r"\sum_ia_i^2\le\max_ia_i",
    "The effective number of clients is at least one over the largest weight.",
    le(a2, a_top),
    PAIRS,
    mutant("squared", le(a2, a_top**2), "two clients of equal weights"),
    mutant("0.9 of it", le(a2, sp.Rational(9, 10) * a_top), "all weight on one client"),
    because="Σ a·a <= max a·Σ a",
    tight="equal weights of some clients, none of the others",
)
WORST = stated(
    "LIT-29",
    "The largest loss against the mean",
    r"\left(\max F-\sum_ip_iF_i\right)^2\le\left(\frac1{p_k}-1\right)\mathrm{Var}_pF",
    "The largest loss, of client k, exceeds the mean by at most √(1/p_k − 1) standard deviations: what a minimax can gain.",
    le(top_off2, (1 / p_top - 1) * spread),
    PAIRS,
    mutant("half of it", le(top_off2, (1 / p_top - 1) * spread / 2), "all other clients have one loss"),
    mutant("the range", le(top_off2, span**2 / 4), "one client of small share is far above all others"),
    because="all weight on client k has χ² = 1/p_k − 1",
    tight="all other clients have one loss, as of two clients",
)
POWER = stated(
    "LIT-30",
    "A larger q counts larger losses more",
    r"\frac{\sum_ip_iF_i^{q+1}}{\sum_ip_iF_i^q}\le\frac{\sum_ip_iF_i^{q+2}}{\sum_ip_iF_i^{q+1}}",
    "Under the weights p·F^q of q-FFL the mean loss does not fall when q grows by 1.",
    le(tilted, tilted_on),
    FAIR,
    mutant("strictly", le(tilted, sp.Rational(9, 10) * tilted_on), "all losses are equal"),
    mutant("the other way round", le(tilted_on, tilted), "two clients of different losses"),
    because="(Σ pF^{q+1})² <= Σ pF^q·Σ pF^{q+2} by Cauchy–Schwarz",
    tight="all losses are equal",
)
p_3 = 1 - p_1 - p_2
MEAN_G = p_1 * g_1 + p_2 * g_2 + p_3 * g_3
ZETA2 = p_1 * (g_1 - MEAN_G) ** 2 + p_2 * (g_2 - MEAN_G) ** 2 + p_3 * (g_3 - MEAN_G) ** 2
BY_PAIRS = p_1 * p_2 * (g_1 - g_2) ** 2 + p_1 * p_3 * (g_1 - g_3) ** 2 + p_2 * p_3 * (g_2 - g_3) ** 2
DISSIMILAR = stated(
    "LIT-31",
    "Dissimilarity by pairs of clients",
    r"\sum_ip_i(g_i-\bar g)^2=\sum_{i<j}p_ip_j(g_i-g_j)^2",
    "The dissimilarity of three clients' gradients is the sum over pairs; entry by entry, so for vectors, too.",
    identity(ZETA2, BY_PAIRS),
    None,
    mutant("both orders of a pair", identity(ZETA2, 2 * BY_PAIRS), "then a half belongs before the sum"),
    because="multiply out, with shares that sum to 1",
)
SHORTEST = (hh - gh) / (gg + hh - 2 * gh)
MGDA = stated(
    "LIT-32",
    "Along the shortest mean gradient both losses fall alike",
    r"\langle d,g\rangle=\langle d,h\rangle,\quad d=tg+(1-t)h,\ t=\frac{\|h\|^2-\langle g,h\rangle}{\|g-h\|^2}",
    "Where the shortest mean of two gradients is neither of them, it has the same inner product with both.",
    identity(SHORTEST * gg + (1 - SHORTEST) * gh, SHORTEST * gh + (1 - SHORTEST) * hh),
    None,
    mutant("the plain mean", identity((gg + gh) / 2, (gh + hh) / 2), "the longer gradient has the larger product"),
    because="d is orthogonal to g − h",
)
COMMON = stated(
    "LIT-33",
    "The shortest mean gradient is a common descent direction",
    r"\frac{\|g\|^2\|h\|^2-\langle g,h\rangle^2}{\|g-h\|^2}\le\min\{\|g\|^2,\|h\|^2\}",
    "The square of the shortest mean of two gradients, its inner product with both, is at most that of either.",
    le(gg * hh - gh**2, sp.Min(gg, hh) * (gg + hh - 2 * gh)),
    free(
        "two gradients",
        *(LogScale("gg", 1e-2, 1e2, at=(1.0,)), LogScale("hh", 1e-2, 1e2, at=(1.0,)), Signed("gh", 1e-2, 1e2)),
        where=(le(gh**2, gg * hh),),
    ),
    mutant(
        "half of it",
        le(gg * hh - gh**2, sp.Min(gg, hh) * (gg + hh - 2 * gh) / 2),
        "⟨g, h⟩ is the square of the shorter",
    ),
    because="‖g‖²‖g − h‖² − ‖g‖²‖h‖² + ⟨g, h⟩² = (‖g‖² − ⟨g, h⟩)²",
    tight=at(gg=1, hh=2, gh=1),
)
COS2 = gh**2 / (gg * hh)
SURGERY = stated(
    "LIT-34",
    "Steps along projected gradients may be as long as 1/L",
    r"\|d\|^2\le2\langle d,g+h\rangle,\quad d=g-\frac{\langle g,h\rangle}{\|h\|^2}h+h-\frac{\langle g,h\rangle}{\|g\|^2}g",
    "For two conflicting gradients the sum of both projections d has half its square below its product with g + h.",
    le((1 - COS2) * (gg + hh - 2 * gh), 2 * (1 - COS2) * (gg + hh)),
    free(
        "two conflicting gradients",
        *(LogScale("gg", 1e-2, 1e2, at=(1.0,)), LogScale("hh", 1e-2, 1e2, at=(1.0,)), Signed("gh", 1e-2, 1e2)),
        where=(le(gh**2, gg * hh), le(gh, 0)),
    ),
    mutant("without the 2", le((1 - COS2) * (gg + hh - 2 * gh), (1 - COS2) * (gg + hh)), "a conflict makes d longer"),
    because="‖d‖² = (1 − cos²)‖g − h‖², ⟨d, g + h⟩ = (1 − cos²)(‖g‖² + ‖h‖²), and ‖g − h‖² <= 2‖g‖² + 2‖h‖²",
)

CLAIMS = (
    *(TOTAL, MOVED, TRANSPORT, APART, ENTROPY, PINSKER, EFFECTIVE, LARGEST, WORST, POWER),
    *(DISSIMILAR, MGDA, COMMON, SURGERY),
)
