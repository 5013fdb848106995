"""Fair weights: tilted losses, the curvature of q-FFL, the largest loss, superquantiles, power of choice.

Source: Li, Beirami, Sanjabi and Smith 2021 (tilted losses); Donsker and Varadhan 1975 (their variational form); Li,
Sanjabi, Beirami and Smith 2020 (curvature of q-FFL); Mohri, Sivek and Suresh 2019 (the largest loss of quadratic
clients); Laguel, Pillutla, Malick and Harchaoui 2021 (superquantiles); Cho, Wang and Joshi 2020 (power of choice).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.statement.instances.draw import Coordinate
from validation.world import at, eq, le, mutant

__all__ = ["CLAIMS"]

a_1, p_1, gap, power, L, F_1, F_2 = LETTERS.symbols("a_1 p_1 gap power L F_1 F_2")
least_1, least_2, gg, theta, x, y, w, m = LETTERS.symbols("least_1 least_2 gg theta x y w m")

SHARE = Uniform("p_1", 0.01, 0.99, at=(0.5,))
WEIGHT = Uniform("a_1", 0.01, 0.99, at=(0.5,))
TILT = free("two clients and a tilt", SHARE, Uniform("gap", -8.0, 8.0, at=(0.0,)), notation=LETTERS)
# The tilted loss, times the tilt, above the loss of the second client.
TILTED = sp.log(1 - p_1 + p_1 * sp.exp(gap))
KL = a_1 * sp.log(a_1 / p_1) + (1 - a_1) * sp.log((1 - a_1) / (1 - p_1))
BACK = p_1 * sp.log(p_1 / a_1) + (1 - p_1) * sp.log((1 - p_1) / (1 - a_1))

JENSEN = stated(
    "LIT-121",
    "A tilt raises the loss",
    r"\sum_ip_iF_i\le\frac1t\log\sum_ip_ie^{tF_i}",
    "The tilted loss of two clients is at least their mean loss.",
    le(p_1 * gap, TILTED),
    TILT,
    mutant("the largest loss", le(sp.Max(gap, 0), TILTED), "any finite tilt leaves weight on the other client"),
    because="the logarithm is concave",
    tight=at(p_1="1/2", gap=0),
)
HOEFFDING = stated(
    "LIT-122",
    "How much a tilt raises the loss",
    r"\log\sum_ip_ie^{tF_i}\le t\sum_ip_iF_i+\frac18t^2(F_1-F_2)^2",
    "The tilted loss of two clients exceeds their mean loss by at most an eighth of the tilt times the squared range.",
    le(TILTED, p_1 * gap + gap**2 / 8),
    TILT,
    mutant("a ninth", le(TILTED, p_1 * gap + gap**2 / 9), "two clients of equal shares and a small tilt"),
    because="the second derivative in t is the variance under the tilted weights, a quarter of the squared range at most",
    tight=at(p_1="1/2", gap=0),
)
GIBBS = stated(
    "LIT-123",
    "Tilting is the best weighting under an entropy penalty",
    r"\sum_ia_iF_i-\frac1t\mathrm{KL}(a\|p)\le\frac1t\log\sum_ip_ie^{tF_i}",
    "No weights of two clients have a larger mean loss, less their relative entropy over t, than the tilted loss.",
    le(a_1 * gap, TILTED + KL),
    free("two clients, weights and a tilt", SHARE, WEIGHT, Uniform("gap", -8.0, 8.0, at=(0.0,)), notation=LETTERS),
    mutant("half the penalty", le(a_1 * gap, TILTED + KL / 2), "the tilted weights themselves"),
    mutant("the entropy of p from a", le(a_1 * gap, TILTED + BACK), "much weight on a client of small share"),
    because="the difference is the relative entropy of a from the tilted weights",
    tight=at(a_1="1/2", p_1="1/2", gap=0),
)
CURVED = stated(
    "LIT-124",
    "Curvature of the power of a loss",
    r"L+\frac{q\|\nabla F\|^2}F\le(2q+1)L",
    "In units of F^q, the curvature of F^(q + 1)/(q + 1), L + q‖∇F‖²/F, is at most 2q + 1 times that of F >= 0.",
    le(L + power * gg / F_1, (2 * power + 1) * L),
    free(
        "a loss, its gradient and curvature",
        *(LogScale("L", 1e-2, 1e2, at=(1.0,)), LogScale("F_1", 1e-2, 1e2, at=(1.0,))),
        *(LogScale("gg", 1e-2, 1e2, at=(2.0,)), Uniform("power", 0.0, 10.0, at=(0.0, 1.0))),
        where=(le(gg, 2 * L * F_1),),
        notation=LETTERS,
    ),
    mutant("q + 1", le(L + power * gg / F_1, (power + 1) * L), "a parabola whose least value is 0"),
    because="‖∇F‖² <= 2LF for a loss that is nowhere below 0",
    tight=at(L=1, F_1=1, gg=2, power=1),
)
MINIMAX = stated(
    "LIT-125",
    "The least largest loss of two clients",
    r"\frac h8(m_1-m_2)^2\le\max_k\frac h2(w-m_k)^2",
    "No model has a smaller largest loss on two parabolas of one curvature than the point half way between their optima.",
    le(L * (x - y) ** 2 / 8, L / 2 * sp.Max((w - x) ** 2, (w - y) ** 2)),
    free(
        "a model and two optima",
        *(Signed(name, 1e-2, 1e1) for name in ("x", "y", "w")),
        LogScale("L", 1e-1, 1e1, at=(1.0,)),
        notation=LETTERS,
    ),
    mutant("a seventh", le(L * (x - y) ** 2 / 7, L / 2 * sp.Max((w - x) ** 2, (w - y) ** 2)), "half way"),
    because="one of both optima is at least half their distance away",
    tight=at(L=1, x=0, y=2, w=1),
)
a = LETTERS.symbols("a_1", nonnegative=True)
CHI2 = (a - p_1) ** 2 / p_1 + (a - p_1) ** 2 / (1 - p_1)
WORST_SHARE = stated(
    "LIT-126",
    "How far the weights of a superquantile are from the shares",
    r"\chi^2_{a\|p}\le\frac1\theta-1\quad(a_i\le p_i/\theta)",
    "Weights that count the worst share θ alone, a_i <= p_i/θ, have χ² of at most 1/θ − 1.",
    le(CHI2, 1 / theta - 1),
    free(
        "weights of a superquantile",
        *(Uniform("a_1", 0.0, 1.0, at=(0.0, 1.0)), SHARE, Uniform("theta", 0.01, 1.0, at=(0.5, 1.0))),
        where=(le(theta * a, p_1), le(theta * (1 - a), 1 - p_1)),
        notation=LETTERS,
    ),
    mutant("half of it", le(CHI2, (1 / theta - 1) / 2), "all weight on a client of share θ"),
    because="1 + χ² = Σ a²/p <= Σ a/θ",
    tight=at(a_1=1, p_1="1/2", theta="1/2"),
)
# Of m candidates drawn by shares the one of the larger loss is kept: the second client unless all are the first.
KEPT = p_1**m * (F_1 - least_1) + (1 - p_1**m) * (F_2 - least_2)
MEAN = p_1 * (F_1 - least_1) + (1 - p_1) * (F_2 - least_2)
SAME = eq(least_1, least_2)
LOSSES: tuple[Coordinate, ...] = (
    *(Signed(name, 1e-2, 1e2) for name in ("F_1", "F_2", "least_1", "least_2")),
    SHARE,
    Integer("m", 1, 10),
)
RANKED = (le(F_1, F_2), le(least_1, F_1), le(least_2, F_2))
CHOICE = stated(
    "LIT-127",
    "Of clients with one least loss the larger loss is the larger excess loss",
    r"\sum_kp_k(F_k-F_k^*)\le\mathbb E(F_s-F_s^*),\quad s=\arg\max_{k\in C}F_k,\ F_k^*=F_1^*",
    "Of m candidates drawn by their shares, the client of the largest loss has at least the mean excess loss: ρ >= 1.",
    le(MEAN, KEPT),
    free("losses and least losses of two clients", *LOSSES, where=(*RANKED, SAME), notation=LETTERS),
    mutant("m times the mean", le(m * MEAN, KEPT), "clients of one loss"),
    mutant(
        "any least losses",
        None,
        at(F_1=0, F_2=0, least_1=-1, least_2=0, p_1="1/2", m=2),
        world=free("losses and least losses of two clients", *LOSSES, where=RANKED, notation=LETTERS),
    ),
    because="p^m <= p, and with one least loss the client of the larger loss has the larger excess",
)
SKEW = stated(
    "LIT-128",
    "How much power of choice can select",
    r"\mathbb E\max_{k\in C}F_k\le m\sum_kp_kF_k",
    "The larger excess loss of m candidates drawn by their shares is at most m times the mean: ρ <= m.",
    le(p_1**m * F_1 + (1 - p_1**m) * F_2, m * (p_1 * F_1 + (1 - p_1) * F_2)),
    free(
        "excess losses of two clients",
        *(LogScale("F_1", 1e-2, 1e2, at=(1.0,)), LogScale("F_2", 1e-2, 1e2, at=(1.0,)), SHARE, Integer("m", 1, 10)),
        where=(le(F_1, F_2),),
        notation=LETTERS,
    ),
    mutant(
        "m − 1",
        le(p_1**m * F_1 + (1 - p_1**m) * F_2, (m - 1) * (p_1 * F_1 + (1 - p_1) * F_2)),
        "two candidates, and one client that has nearly all the loss",
    ),
    because="the largest is at most the sum of the candidates' losses, and each has the mean loss on average",
    tight=at(F_1=1, F_2=2, p_1="1/2", m=1),
)

CLAIMS = (JENSEN, HOEFFDING, GIBBS, CURVED, MINIMAX, WORST_SHARE, CHOICE, SKEW)
