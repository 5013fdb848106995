"""Statements that are often used without a hypothesis that they need: false as stated, true with it.

Source: Li et al. 2020b (inexact local work); Reddi, Kale and Kumar 2018 (Adam's step sizes); Woodworth et al. 2020 (mean
excess loss of local steps); Khaled, Mishchenko and Richtárik 2020 (how long local steps may be); Deng, Kamani and
Mahdavi 2020 (mixed models). The statements without a hypothesis are ours; nobody is said to have made them.
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.world import at, le, mutant, reading

__all__ = ["CLAIMS"]

mu, L, R, t, eta, prox, step, n = NOTATION.symbols("mu L R t eta prox step n_steps")
inexact, g_steep, g_flat, left_steep, left_flat = NOTATION.symbols("inexact g_steep g_flat left_steep left_flat")
v, g, beta_2, p, h_1, h_2 = NOTATION.symbols("v g beta_2 p h_1 h_2")
V_own, bias2 = NOTATION.symbols("V_own bias2")

BEFORE = g_steep**2 / (L + prox) + g_flat**2 / (mu + prox)
LEFT = left_steep**2 / (L + prox) + left_flat**2 / (mu + prox)
LOWERED = stated(
    "LIT-116",
    "Local work that leaves less gradient leaves less loss",
    r"\frac{g_1'^2}{L+\lambda}+\frac{g_2'^2}{\mu+\lambda}\le\frac{g_1^2}{L+\lambda}+\frac{g_2^2}{\mu+\lambda}\quad\text{for}\quad\|g'\|\le\gamma\|g\|,\ \gamma\le1",
    "A client of FedProx that stops at a gradient of at most γ <= 1 times the first one has lowered its loss with the proximal term.",
    le(LEFT, BEFORE),
    free(
        "gradients along two axes, before and after",
        *(LogScale("mu", 1e-2, 1e2, at=(1.0,)), LogScale("L", 1e-2, 1e2, at=(1.0, 10.0))),
        *(LogScale("prox", 1e-2, 1e2, at=(1.0,)), Uniform("inexact", 0.0, 1.0, at=(0.5,))),
        *(Signed(name, 1e-2, 1e1) for name in ("g_steep", "g_flat", "left_steep", "left_flat")),
        where=(le(mu, L), le(left_steep**2 + left_flat**2, inexact**2 * (g_steep**2 + g_flat**2))),
    ),
    mutant(
        "a tenth, under the hypothesis",
        le(LEFT, BEFORE / 10),
        at(mu=1, L=1, prox=1, inexact=1, g_steep=1, g_flat=0, left_steep=1, left_flat=0),
        where=[le(inexact**2 * (L + prox), mu + prox)],
    ),
    only=reading(
        "γ²(L + λ) <= μ + λ",
        "As inexact as the condition number of the local problem allows.",
        where=[le(inexact**2 * (L + prox), mu + prox)],
    ),
    because="a gradient of the same length has more loss along the flat axis, by the factor (L + λ)/(μ + λ)",
)
GROWS = stated(
    "LIT-117",
    "Steps of Adam in proportion to 1/√t do not grow",
    r"t\,v\le(t+1)\left(\beta_2v+(1-\beta_2)g^2\right)",
    "The step η/√(tv) of Adam does not grow from one gradient to the next.",
    le(t * v, (t + 1) * (beta_2 * v + (1 - beta_2) * g**2)),
    free(
        "a running mean of squares and the next gradient",
        *(LogScale("v", 1e-2, 1e2, at=(1.0,)), Signed("g", 1e-2, 1e2), Uniform("beta_2", 0.01, 0.9999, at=(0.5, 0.9))),
        Integer("t", 1, 1000),
    ),
    mutant(
        "steps in proportion to 1",
        le(v, beta_2 * v + (1 - beta_2) * g**2),
        "a small gradient",
        where=[le(t, (t + 1) * beta_2)],
    ),
    only=reading(
        "β₂ >= t/(t + 1)",
        "The old squares keep at least the weight that they have in a plain mean.",
        where=[le(t, (t + 1) * beta_2)],
    ),
    because="a gradient of 0 leaves β₂v, and (t + 1)β₂ >= t is what the growth of t then has to pay",
)
KEPT = (1 - step) ** (2 * n)
AT_ROUNDS = stated(
    "LIT-118",
    "Local steps count in full for the mean excess loss",
    r"\frac1R\sum_{r<R}(1-\eta h)^{2nr}\le\frac1{\eta h\,nR}",
    "On an axis of curvature h the mean loss of the models sent out in R rounds of n local steps falls like that of nR steps.",
    le((1 - KEPT**R) / (R * (1 - KEPT)), 1 / (step * n * R)),
    free(
        "step, local steps and rounds",
        LogScale("step", 1e-3, 1.0, at=(0.5, 1.0)),
        *(Integer("n_steps", 1, 20), Integer("R", 1, 20)),
    ),
    mutant(
        "half of it, under the hypothesis",
        le((1 - KEPT**R) / (R * (1 - KEPT)), 1 / (2 * step * n * R)),
        "one step of length 1/h",
        where=[le(n, 1)],
    ),
    only=reading("n = 1", "One local step a round.", where=[le(n, 1)]),
    because="""the models within a round come nearer, too, but only those sent out count, and the first of them has not
        done any step; for n = 1 the sum is below 1/(ηh) as a geometric series of ratio 1 − ηh or less""",
)
AFTER = p * (1 - eta * h_1) ** 2 + (1 - p) * (1 - eta * h_2) ** 2
STABLE = stated(
    "LIT-119",
    "Local steps may be as long as the mean curvature allows",
    r"p(1-\eta h_1)^2+(1-p)(1-\eta h_2)^2\le1\quad\text{for}\quad\eta(ph_1+(1-p)h_2)\le2",
    "Two local steps of two clients with one optimum do not lead away from it while η is at most 2 over the mean curvature.",
    le(AFTER, 1),
    free(
        "two curvatures, a share and a step",
        *(LogScale("h_1", 1e-2, 1e2, at=(1.0,)), LogScale("h_2", 1e-2, 1e2, at=(1.0,))),
        *(Uniform("p", 0.0, 1.0, at=(0.5,)), LogScale("eta", 1e-3, 1e3, at=(1.0,))),
        where=(le(eta * (p * h_1 + (1 - p) * h_2), 2),),
    ),
    mutant(
        "they lead halfway, under the hypothesis",
        le(AFTER, sp.Rational(1, 2)),
        at(h_1=1, h_2=1, p="1/2", eta=2),
        where=[le(eta * h_1, 2), le(eta * h_2, 2)],
    ),
    only=reading(
        "η <= 2/h for every client",
        "As long as the largest curvature allows.",
        where=[le(eta * h_1, 2), le(eta * h_2, 2)],
    ),
    because="a steep client of small share leads its own model away by (1 − ηh)², which the mean curvature does not show",
)
HALF = (V_own + bias2) / 4
HALVED = stated(
    "LIT-120",
    "Half own, half global is no worse than either",
    r"\tfrac14\left(V+b^2\right)\le\min\{V,b^2\}",
    "The plain mean of a client's own model, of variance V, and a global one that is b off errs no more than either.",
    le(HALF, sp.Min(V_own, bias2)),
    free("variance and bias", LogScale("V_own", 1e-2, 1e2, at=(1.0,)), LogScale("bias2", 1e-2, 1e2, at=(1.0,))),
    mutant(
        "half of it, under the hypothesis",
        le(HALF, sp.Min(V_own, bias2) / 2),
        "one errs twice as much as the other",
        where=[le(V_own, 3 * bias2), le(bias2, 3 * V_own)],
    ),
    only=reading(
        "within a factor 3",
        "Neither model errs more than three times as much as the other.",
        where=[le(V_own, 3 * bias2), le(bias2, 3 * V_own)],
    ),
    because="(V + b²)/4 <= V says b² <= 3V, and the same the other way round",
)

CLAIMS = (LOWERED, GROWS, AT_ROUNDS, STABLE, HALVED)
