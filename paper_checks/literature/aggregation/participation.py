"""Who takes part, and when: renormalised cohorts, fixed cohorts and chance, delays, laws and weights of least variance.

Source: Hájek 1971 (means over those present); Horvitz and Thompson 1952 (values over chances); Nguyen et al. 2022
(delayed updates); Owen and Zhou 2000 (laws mixed with a uniform one); Cochran 1977 (whole groups); Aitken 1936 (weights
of least variance).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.aggregation.letters import LETTERS
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.world import at, eq, identity, le, mutant, reading

__all__ = ["CLAIMS"]

p_1, a_1, x, y, z, w, q, p, K, N, V, m = LETTERS.symbols("p_1 a_1 x y z w q p K N V m")
mean2, step, x_norm, y_norm, theta, noise_1, noise_2 = LETTERS.symbols("mean2 step x_norm y_norm theta noise_1 noise_2")

VALUES = (Signed("x", 1e-2, 1e1), Signed("y", 1e-2, 1e1))
MEAN = p_1 * x + (1 - p_1) * y
ALONE = q * (1 - q) * (x + y) + q**2 * MEAN
SOMEBODY = 1 - (1 - q) ** 2
EQUAL = eq(p_1, sp.Rational(1, 2))
PRESENT = stated(
    "LIT-146",
    "Renormalised weights of those present are unbiased",
    r"\mathbb E\left[\frac{\sum_{i\in S}p_ix_i}{\sum_{i\in S}p_i}\,\Big|\,S\ne\emptyset\right]=\sum_ip_ix_i",
    "Of two clients, each present with chance q, the mean by shares over those present is the mean of both on average.",
    eq(ALONE, SOMEBODY * MEAN),
    free(
        "two clients present by chance",
        *(*VALUES, Uniform("p_1", 0.01, 0.99, at=(0.5,)), Uniform("q", 0.05, 1.0, at=(0.5,))),
        notation=LETTERS,
    ),
    mutant("nobody counts as 0", eq(ALONE, MEAN), "then the mean shrinks by the chance of nobody", where=[EQUAL]),
    because="both clients are alone with one chance, and count alike together",
    only=reading("equal shares", "Both clients have one share.", where=[EQUAL]),
)
FIXED, CHANCE = (N - K) / (K * (N - 1)) * V, (N - K) / (K * N) * (V + mean2)
CLOSE = le(V, (N - 1) * mean2)
COHORT = stated(
    "LIT-147",
    "A cohort of fixed size is at least as good as presence by chance",
    r"\frac{N-K}{K(N-1)}V\le\frac{N-K}{KN}\left(V+\bar x^2\right)",
    "A uniform cohort of K clients has at most the variance of N clients present with chance K/N, values over their chance.",
    le(FIXED, CHANCE),
    free(
        "a cohort and clients present by chance",
        *(Integer("N", 2, 100), Integer("K", 1, 100)),
        *(LogScale("V", 1e-2, 1e2, at=(1.0,)), LogScale("mean2", 1e-3, 1e2, at=(1.0,))),
        where=(le(K, N),),
        notation=LETTERS,
    ),
    mutant("half of it", le(FIXED, CHANCE / 2), "the variance is as large as the hypothesis allows", where=[CLOSE]),
    because="multiplied out, what is left to show is the hypothesis: values that cancel need no fixed number of them",
    only=reading(
        "V <= (N − 1)·mean²", "The clients' variance is at most N − 1 times their squared mean.", where=[CLOSE]
    ),
)
# The models w and v of two rounds, and the form after one more step, w − ηh·v.
NEXT = x - step * y
FORM, AFTER = x**2 - x * y + step * y**2, NEXT**2 - NEXT * x + step * x**2
SHORT = le(step, 1)
DELAYED = stated(
    "LIT-148",
    "Steps with gradients that are one round old",
    r"\left|w_{t+1}^2-w_{t+1}w_t+\eta hw_t^2\right|\le\left|w_t^2-w_tw_{t-1}+\eta hw_{t-1}^2\right|,\quad w_{t+1}=w_t-\eta hw_{t-1}",
    "With gradients of the round before, a form of the models of two rounds does not grow under steps of up to 2/h.",
    le(sp.Abs(AFTER), sp.Abs(FORM)),
    free("two models and a step", *VALUES, Uniform("step", 0.0, 2.0, at=(0.25, 1.0)), notation=LETTERS),
    mutant("contracts as without delay", le(sp.Abs(AFTER), (1 - step) ** 2 * sp.Abs(FORM)), "ηh = 1", where=[SHORT]),
    because="a step multiplies the form by ηh",
    only=reading("ηh <= 1", "Steps of at most half the length that is allowed without delay.", where=[SHORT]),
)
INCLUDED = 1 - (1 - p) ** m
BONFERRONI = stated(
    "LIT-149",
    "How likely a client is among m draws",
    r"mp\left(1-\frac{m-1}2p\right)\le1-(1-p)^m",
    "A client of share p is among m draws with replacement with a chance of at least mp(1 − (m − 1)p/2).",
    le(m * p * (1 - (m - 1) * p / 2), INCLUDED),
    free("share and draws", Uniform("p", 0.001, 1.0, at=(0.5,)), Integer("m", 1, 100), notation=LETTERS),
    mutant("m times the share", le(m * p, INCLUDED), "two draws may be of one client"),
    because="Bonferroni: the sum of the chances of the draws, less that of pairs of them",
    tight=at(p="1/2", m=1),
)
LAW = theta / 2 + (1 - theta) * x_norm / (x_norm + y_norm)
DEFENSIVE = stated(
    "LIT-150",
    "A law that is kept away from 0",
    r"\sum_i\frac{x_i^2}{q_i}\le\frac{\left(\sum_i|x_i|\right)^2}{1-\theta},\quad q_i=\frac\theta2+(1-\theta)\frac{|x_i|}{\sum_j|x_j|}",
    "Drawing one of two clients uniformly with chance θ, else by size, has at most 1/(1 − θ) of the least second moment.",
    le(x_norm**2 / LAW + y_norm**2 / (1 - LAW), (x_norm + y_norm) ** 2 / (1 - theta)),
    free(
        "two updates and a mixed law",
        *(LogScale("x_norm", 1e-3, 1e2, at=(1.0,)), LogScale("y_norm", 1e-3, 1e2, at=(1.0,))),
        Uniform("theta", 0.01, 0.99, at=(0.5,)),
        notation=LETTERS,
    ),
    mutant(
        "as good as the best", le(x_norm**2 / LAW + y_norm**2 / (1 - LAW), (x_norm + y_norm) ** 2), "unlike updates"
    ),
    because="every chance is at least 1 − θ times the best one",
)
BETWEEN = (((x + y) / 2 - (x + y + z + w) / 4) ** 2 + ((z + w) / 2 - (x + y + z + w) / 4) ** 2) / 2
OFF_X, OFF_Y, OFF_Z, OFF_W = (one - (x + y + z + w) / 4 for one in (x, y, z, w))
CLUSTERS = stated(
    "LIT-151",
    "Clients drawn by whole groups",
    r"\mathrm{Var}=\frac12V+\frac12C",
    "The mean of one of two groups of two clients has half of a client's variance V, and half of the covariance C within groups.",
    identity(BETWEEN, (OFF_X**2 + OFF_Y**2 + OFF_Z**2 + OFF_W**2) / 8 + (OFF_X * OFF_Y + OFF_Z * OFF_W) / 4),
    None,
    mutant(
        "as if independent",
        identity(BETWEEN, (OFF_X**2 + OFF_Y**2 + OFF_Z**2 + OFF_W**2) / 8),
        "clients of one group have something in common",
    ),
    because="multiply out the square of a group's mean deviation",
)
NOISE = a_1**2 * noise_1**2 + (1 - a_1) ** 2 * noise_2**2
INVERSE = stated(
    "LIT-152",
    "The least noise of a mean of two updates",
    r"\frac{\sigma_1^2\sigma_2^2}{\sigma_1^2+\sigma_2^2}\le a^2\sigma_1^2+(1-a)^2\sigma_2^2",
    "No weights of two independent updates have less noise than those in proportion to the inverse variances.",
    le(noise_1**2 * noise_2**2 / (noise_1**2 + noise_2**2), NOISE),
    free(
        "two noisy updates",
        *(Uniform("a_1", 0.01, 0.99, at=(0.5,)), LogScale("noise_1", 1e-2, 1e2, at=(1.0,))),
        LogScale("noise_2", 1e-2, 1e2, at=(1.0,)),
        notation=LETTERS,
    ),
    mutant("equal weights are best", le((noise_1**2 + noise_2**2) / 4, NOISE), "unlike noise"),
    mutant("the smaller noise", le(sp.Min(noise_1, noise_2) ** 2, NOISE), "equal noise averages"),
    because="Cauchy–Schwarz for aσ and 1/σ, whose products sum to 1",
    tight=at(a_1="1/2", noise_1=1, noise_2=1),
)

CLAIMS = (PRESENT, COHORT, DELAYED, BONFERRONI, DEFENSIVE, CLUSTERS, INVERSE)
