"""Local steps and step sizes: weighted averages, tuned steps, what noise leaves, drift within a round.

Source: Stich 2019 (decaying steps, weights of an average, drift within a round); Koloskova et al. 2020 (tuned steps);
Woodworth et al. 2020 (quadratics); Khaled, Mishchenko and Richtárik 2020 (drift of like clients); Pathak and
Wainwright 2020 (fixed points of local steps). The lower bounds are ours.
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.heterogeneity import SHORT
from paper_checks.literature.methods import NOISY
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale
from validation.world import at, le, mutant
from validation.world.federated import Federated

__all__ = ["CLAIMS"]

mu, L, E, T, N, t, gamma, eta, length = NOTATION.symbols("mu L E T N t gamma eta length")
D, sigma2, drift, G2, h_1, h_2 = NOTATION.symbols("D sigma2 drift G2 h_1 h_2")
first, after, mean_excess, noise_p, variance = NOTATION.symbols("first after mean_excess noise_p variance")

OFFSET = LogScale("gamma", 1.0, 1e3, at=(1.0,))
SQUARES = gamma**2 * T + gamma * T * (T - 1) + T * (T - 1) * (2 * T - 1) / 6
WEIGHTS = stated(
    "LIT-71",
    "Weights that grow like squares sum to a cube",
    r"\tfrac13T^3\le\sum_{t<T}(\gamma+t)^2",
    "Weights (γ + t)² of the models, γ >= 1, sum to at least a third of T³, so that a start of weight γ³ counts like 1/T³.",
    le(T**3 / 3, SQUARES),
    free("offset and steps", OFFSET, Integer("T", 1, 1000)),
    mutant("half of T³", le(T**3 / 2, SQUARES), "many steps"),
    mutant(
        "an offset below 1",
        None,
        "a single step of small weight",
        world=free("small offset and steps", LogScale("gamma", 1e-2, 1.0), Integer("T", 1, 1000)),
    ),
    because="for γ = 1 the sum is T³/3 + T²/2 + T/6, and it grows with γ",
)
FACTOR_TWO = stated(
    "LIT-72",
    "Steps fall by at most one half within a round",
    r"\frac1{\gamma+t}\le\frac2{\gamma+t+E},\quad E\le\gamma",
    "Steps in proportion to 1/(γ + t) with γ >= E are at most twice as long as those E steps later.",
    le(1 / (gamma + t), 2 / (gamma + t + E)),
    free("offset and steps of a round", OFFSET, Integer("t", 0, 1000), Integer("E", 1, 1000), where=(le(E, gamma),)),
    mutant("3/2", le(1 / (gamma + t), sp.Rational(3, 2) / (gamma + t + E)), "the first round"),
    mutant(
        "γ half as large",
        None,
        at(gamma=1, t=0, E=2),
        world=free("half the offset", OFFSET, Integer("t", 0, 1000), Integer("E", 1, 1000), where=(le(E, 2 * gamma),)),
    ),
    because="γ + t + E <= 2(γ + t)",
    tight=at(gamma=1, t=0, E=1),
)
TAU = gamma + t
TELESCOPE = stated(
    "LIT-73",
    "Weights (γ + t)² suit steps of 3/(μ(γ + t)) and longer",
    r"\left(1-\frac3{\gamma+t}\right)(\gamma+t)^3\le(\gamma+t-1)^3",
    "With weights (γ + t)², γ >= 1, and steps 3/(μ(γ + t)) the distances of successive models telescope.",
    le((1 - 3 / TAU) * TAU**3, (TAU - 1) ** 3),
    free("offset and step", OFFSET, Integer("t", 0, 10_000)),
    mutant("steps of 2/(μ(γ + t))", le((1 - 2 / TAU) * TAU**3, (TAU - 1) ** 3), "late steps are too short"),
    because="the right side exceeds the left one by 3(γ + t) − 1",
)
START = free(
    "distance, curvature, noise and steps",
    *(LogScale("D", 1e-2, 1e2, at=(1.0,)), LogScale("L", 1e-2, 1e2, at=(1.0,))),
    *(LogScale("sigma2", 1e-4, 1e2, at=(1.0,)), Integer("T", 1, 1000)),
)
TUNED = sp.Min(1 / L, sp.sqrt(D / (sigma2 * T)))
ROOT = sp.sqrt(sigma2 * D / T)
TUNING = stated(
    "LIT-74",
    "A tuned constant step",
    r"\frac D{\eta T}+\eta\sigma^2\le\frac{LD}T+2\sqrt{\frac{\sigma^2D}T},\quad\eta=\min\left\{\tfrac1L,\sqrt{\tfrac D{\sigma^2T}}\right\}",
    "With a step tuned to T a start that is forgotten like 1/(ηT) and noise in proportion to η balance.",
    le(D / (TUNED * T) + TUNED * sigma2, L * D / T + 2 * ROOT),
    START,
    mutant("one root", le(D / (TUNED * T) + TUNED * sigma2, L * D / T + ROOT), "much noise: both terms are the root"),
    mutant("no term of L", le(D / (TUNED * T) + TUNED * sigma2, 2 * ROOT), "little noise: the step is 1/L"),
    because="1/η <= L + √(σ²T/D), and ησ² <= √(σ²D/T)",
)
HIGHER = sp.Min(TUNED, sp.cbrt(D / (L * G2 * T)))
CUBE = sp.cbrt(L * G2) * sp.cbrt(D / T) ** 2
SUM_OF_THREE = D / (HIGHER * T) + HIGHER * sigma2 + HIGHER**2 * L * G2
TUNING_TWICE = stated(
    "LIT-75",
    "A tuned constant step with a term of drift",
    r"\frac D{\eta T}+\eta\sigma^2+\eta^2LG^2\le\frac{LD}T+2\sqrt{\frac{\sigma^2D}T}+2(LG^2)^{1/3}\left(\frac DT\right)^{2/3}",
    "With η = min{1/L, √(D/(σ²T)), ∛(D/(LG²T))} a term of drift η²LG² costs T^(−2/3).",
    le(SUM_OF_THREE, L * D / T + 2 * ROOT + 2 * CUBE),
    free(
        "distance, curvature, noise, drift and steps",
        *(LogScale("D", 1e-2, 1e2, at=(1.0,)), LogScale("L", 1e-2, 1e2, at=(1.0,))),
        *(LogScale("sigma2", 1e-4, 1e2, at=(1.0,)), LogScale("G2", 1e-4, 1e2, at=(1.0,)), Integer("T", 1, 1000)),
    ),
    mutant("one cube root", le(SUM_OF_THREE, L * D / T + 2 * ROOT + CUBE), "much drift, little noise"),
    because="D/(ηT) is the largest of three terms, at most their sum; noise and drift cost at most their roots again",
)
ONE_STEP = Federated(length / L, draws=SHORT, N=(1, 20), E=(1, 1), R=(1, 20), d=(1, 4), far=20)
MEAN_EXCESS = stated(
    "LIT-76",
    "Mean excess loss of minibatch SGD",
    r"\frac1T\sum_{t<T}\mathbb E(F(w_t)-F^*)\le\frac{\|w_0-w^*\|^2}{2\eta T}+\frac\eta2\sum_kp_k^2\sigma_k^2",
    "With one local step and ηL <= 1 the models' mean excess loss falls like 1/T down to half the step times the noise.",
    le(mean_excess, first / (2 * eta * T) + eta * noise_p / 2),
    ONE_STEP,
    mutant("half the distance", le(mean_excess, first / (4 * eta * T) + eta * noise_p / 2), "one step of 1/L"),
    mutant("no noise", le(mean_excess, first / (2 * eta * T)), "from w*, the second model"),
    because="the squared distance falls by 2η times the excess loss or more, but for the noise η²Σp²σ²",
    tight="one step of length 1/L, without noise",
)
LEFT = stated(
    "LIT-77",
    "A constant step leaves its last noise",
    r"\eta^2\sum_kp_k^2\sigma_k^2\le\mathrm{Var}\,w_R",
    "However long a run with steps of constant length is, its variance is at least that of one averaged step.",
    le(eta**2 * noise_p, variance),
    NOISY,
    mutant("of a whole round", le(E * eta**2 * noise_p, variance), "steps of length 1/L forget all earlier noise"),
    mutant("twice", le(2 * eta**2 * noise_p, variance), "a single step"),
    because="the noise of the last local step is independent of everything before it",
    tight="a single step, or steps of length 1/L",
)
LIKE = Federated(
    length / L, draws=SHORT, same=("curvature", "optimum"), N=(1, 20), E=(1, 20), R=(1, 3), d=(1, 4), far=3
)
REMAINS = sp.Max(1 - eta * L * T, 0) ** 2
START_STAYS = stated(
    "LIT-78",
    "How fast local steps can forget the start",
    r"\max\{1-\eta LT,0\}^2\|w_0-w^*\|^2\le\mathbb E\|w_R-w^*\|^2",
    "On one quadratic T local steps of length up to 1/L take at most the share ηLT of the distance.",
    le(REMAINS * first, after),
    LIKE,
    mutant("μ for L", le(sp.Max(1 - eta * mu * T, 0) ** 2 * first, after), "the steepest axis"),
    mutant("share of one step", le(sp.Max(1 - eta * L, 0) ** 2 * first, after), "two steps"),
    because="every axis shrinks by (1 − ηh)^T >= 1 − ηhT with h <= L, and noise only adds",
    tight="one step, one curvature, without noise",
)
LIKE_DRIFT = stated(
    "LIT-79",
    "Like clients drift like the root of their steps",
    r"\mathbb E\sum_kp_k\|w_k-\bar w\|^2\le\left(1-\tfrac1N\right)E\eta^2\sigma^2",
    "Clients of one quadratic are apart by noise alone: its variance adds up over E steps, where gradients would add E².",
    le(drift, (1 - 1 / N) * E * eta**2 * sigma2),
    LIKE,
    mutant("without E", le(drift, (1 - 1 / N) * eta**2 * sigma2), "two short steps"),
    mutant("unlike optima", None, "clients walk to their own optima", world=LIKE.but(same=("curvature",))),
    because="client k has variance up to Eη²σ², the mean model takes off its share p_k, and Σp(1 − p) <= 1 − 1/N",
    tight="one step of clients of equal shares and noise",
)
FALLING = Federated(
    length / (L * (gamma + t)), {gamma: E}, draws=SHORT, N=(1, 20), E=(1, 20), R=(1, 1), d=(1, 4), far=1
)
DECAYING_DRIFT = stated(
    "LIT-80",
    "Drift of a round of decaying steps",
    r"\mathbb E\sum_kp_k\|w_k-\bar w\|^2\le4\eta^2E^2G^2",
    "With steps in proportion to 1/(E + t) clients drift in a round by at most twice its last step times E times G.",
    le(drift, 4 * eta**2 * E**2 * G2),
    FALLING,
    mutant("without the 4", le(drift, eta**2 * E**2 * G2), "clients of far optima, on either side"),
    because="‖Σ of E steps‖² <= E·Ση²G² in the mean, and no step of the round is longer than twice the last",
)
PAIR = free(
    "two clients of equal shares and two local steps",
    *(LogScale("h_1", 1e-2, 1e2, at=(1.0,)), LogScale("h_2", 1e-2, 1e2, at=(2.0,))),
    LogScale("eta", 1e-5, 1e2, at=(0.5,)),
    where=(le(eta * h_1, 1), le(eta * h_2, 1)),
)
GONE_1, GONE_2 = (1 - (1 - eta * h) ** 2 for h in (h_1, h_2))
AWAY = eta * h_1 * h_2 * sp.Abs(h_1 - h_2) / (2 * (h_1 + h_2) ** 2)
SETTLED = sp.Abs(GONE_2 / (GONE_1 + GONE_2) - h_2 / (h_1 + h_2))
NECESSARY = stated(
    "LIT-81",
    "Two local steps of a constant length never reach w*",
    r"\frac{\eta h_1h_2|h_1-h_2|}{2(h_1+h_2)^2}\le\frac{|w_\infty-w^*|}{|m_1-m_2|}",
    "Two clients of equal shares that do two local steps settle away from w* by a constant times the step size.",
    le(AWAY, SETTLED),
    PAIR,
    mutant("twice", le(2 * AWAY, SETTLED), "short steps"),
    mutant("one local step", le(AWAY, sp.Integer(0)), "then the run settles at w*"),
    because="w_∞ weights m_i by h_i(2 − ηh_i), w* by h_i: they differ by ηh₁h₂|h₁ − h₂| over (h₁ + h₂)(2h₁ + 2h₂ − ηh₁² − ηh₂²)",
)

CLAIMS = (
    *(WEIGHTS, FACTOR_TWO, TELESCOPE, TUNING, TUNING_TWICE, MEAN_EXCESS),
    *(LEFT, START_STAYS, LIKE_DRIFT, DECAYING_DRIFT, NECESSARY),
)
