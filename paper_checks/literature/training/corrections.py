"""Corrections of local work: control variates, duals, proximal terms solved inexactly, updates divided by their steps.

Source: Karimireddy et al. 2020 (SCAFFOLD); Acar et al. 2021 (FedDyn); Li et al. 2020b (FedProx with inexact local
work); Wang et al. 2020 (FedNova: other weights, local momentum).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.methods import SMALL
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Signed, Uniform
from validation.world import all_of, at, identity, le, mutant

__all__ = ["CLAIMS"]

mu, L, T, eta, prox, first, after = NOTATION.symbols("mu L T eta prox first after")
h, g, g_1, g_2, g_3, w, c_own, c_all, off = NOTATION.symbols("h g g_1 g_2 g_3 w c_own c_all off")
rest, inexact, rho, n = NOTATION.symbols("rest inexact rho_own n_steps")
p, tau_1, tau_2 = NOTATION.symbols("p tau_1 tau_2")

FROM_ZERO = SMALL.but(control="from 0", E=(1, 1), R=(1, 10), far=10)
ONE_LOCAL = stated(
    "LIT-98",
    "SCAFFOLD with one local step",
    r"\|w_R-w^*\|^2\le\frac{\|w_0-w^*\|^2}{(1+\eta\mu T)^2}",
    "With one local step and ηL <= 1 SCAFFOLD is gradient descent, though its control variates begin at 0.",
    le(after, first / (1 + eta * mu * T) ** 2),
    FROM_ZERO,
    mutant("two local steps", None, "the first round then is one of FedAvg", world=FROM_ZERO.but(E=(2, 2))),
    mutant("half of it", le(after, first / (2 + 2 * eta * mu * T) ** 2), "one short step"),
    because="the mean of the corrections c − c_k is 0, and (1 − y)^T(1 + yT) <= 1",
)
PUSHED = (g_1 + g_2 + g_3) - 3 * c_own + 3 * c_all
VARIATE = stated(
    "LIT-99",
    "A control variate is the mean of the local gradients",
    r"c_k-c+\frac{w-w_k}{3\eta}=\frac{g_1+g_2+g_3}3,\quad w_k=w-\eta\sum_{i\le3}(g_i-c_k+c)",
    "What a client of SCAFFOLD keeps after three corrected steps is the mean of their gradients, whatever it kept before.",
    identity(c_own - c_all + (w - (w - eta * PUSHED)) / (3 * eta), (g_1 + g_2 + g_3) / 3),
    None,
    mutant(
        "old variate kept",
        identity(c_own + (w - (w - eta * PUSHED)) / (3 * eta), (g_1 + g_2 + g_3) / 3),
        "the server's variate is in every step",
    ),
    mutant(
        "not over the steps",
        identity(c_own - c_all + (w - (w - eta * PUSHED)) / eta, (g_1 + g_2 + g_3) / 3),
        "three steps go three times as far",
    ),
    because="the corrections cancel against c_k − c",
)
DUAL, SENT = h * off, (1 - h / prox) * off
FEDDYN = stated(
    "LIT-100",
    "FedDyn is the proximal point method for clients of one curvature",
    r"\frac{\bar g+\lambda(w-w^*)}{h+\lambda}=\frac\lambda{\lambda+h}e,\quad\bar g=he,\ w-w^*=\left(1-\tfrac h\lambda\right)e",
    "From the second round on the mean of the clients' models comes nearer to w* by λ/(λ + h), whatever their optima are.",
    identity((DUAL + prox * SENT) / (h + prox), prox / (prox + h) * off),
    None,
    mutant(
        "the mean model sent",
        identity((DUAL + prox * off) / (h + prox), prox / (prox + h) * off),
        "duals alone: the clients stay where they are",
    ),
    mutant(
        "no duals", identity(prox * SENT / (h + prox), prox / (prox + h) * off), "the correction of the server alone"
    ),
    because="client k stops where h(w_k − m_k) − g_k + λ(w_k − w) = 0; the mean of it, with mean dual he from before",
)
LEFT = sp.Abs((rest - 1) * g / (h + prox))
GRADIENT = free(
    "a gradient, curvatures, and what is left of the gradient",
    *(Signed("g", 1e-2, 1e2), LogScale("mu", 1e-2, 1e2, at=(1.0,)), LogScale("h", 1e-2, 1e2, at=(1.0,))),
    *(LogScale("prox", 1e-2, 1e2, at=(1.0,)), Uniform("inexact", 0.0, 1.0, at=(0.0, 1.0))),
    Uniform("rest", -1.0, 1.0, at=(-1.0, 0.0)),
    where=(le(mu, h), le(sp.Abs(rest), inexact)),
)
INEXACT = stated(
    "LIT-101",
    "How far an inexact client of FedProx goes",
    r"\|w_k-w\|\le\frac{1+\gamma}{\mu+\lambda}\|\nabla F_k(w)\|",
    "A client that stops at a gradient of at most γ times the first one moves by at most (1 + γ)/(μ + λ) times that.",
    le(LEFT, (1 + inexact) * sp.Abs(g) / (mu + prox)),
    GRADIENT,
    mutant("exact", le(LEFT, sp.Abs(g) / (mu + prox)), "a client may go too far, to a gradient of the other sign"),
    mutant("2μ below", le(LEFT, (1 + inexact) * sp.Abs(g) / (2 * mu + prox)), "h = μ, solved exactly"),
    because="on every axis it moves by the change of the gradient over h + λ",
    tight=at(g=1, mu=1, h=1, prox=1, inexact=1, rest=-1),
)
MEAN_TAU = p * tau_1 + (1 - p) * tau_2
MOVED = p * (1 - p) * (tau_1 - tau_2) ** 2 / MEAN_TAU**2
PARTS = p * (tau_1 / MEAN_TAU - 1) ** 2 + (1 - p) * (tau_2 / MEAN_TAU - 1) ** 2
UNEQUAL = stated(
    "LIT-102",
    "How far unequal numbers of steps move the objective",
    r"\chi^2_{a\|p}=\frac{p(1-p)(\tau_1-\tau_2)^2}{\bar\tau^2},\quad a_i=\frac{p_i\tau_i}{\bar\tau},\ \bar\tau=p\tau_1+(1-p)\tau_2",
    "Two clients that do τ₁ and τ₂ steps count by p·τ: χ² of these weights is the relative variance of the steps.",
    identity(PARTS, MOVED),
    None,
    mutant(
        "mean of both",
        identity(PARTS, p * (1 - p) * (tau_1 - tau_2) ** 2 / (tau_1 + tau_2) ** 2),
        "unlike shares",
        at(p="1/4", tau_1=1, tau_2=3),
    ),
    mutant(
        "not by shares",
        identity(PARTS, (tau_1 - tau_2) ** 2 / (4 * MEAN_TAU**2)),
        "unlike shares",
        at(p="1/4", tau_1=1, tau_2=3),
    ),
    because="χ² is Σp(τ/τ̄ − 1)²",
)
COUNTED = (n - rho * (1 - rho**n) / (1 - rho)) / (1 - rho)
NORMALISER = stated(
    "LIT-103",
    "What local momentum makes a client count",
    r"n\le\frac1{1-\rho}\left(n-\frac{\rho(1-\rho^n)}{1-\rho}\right)\le\frac n{1-\rho}",
    "With local momentum ρ the gradients of n steps count between n and n/(1 − ρ) times: FedNova divides by that.",
    all_of(le(n, COUNTED), le(COUNTED, n / (1 - rho))),
    free("momentum and local steps", Uniform("rho_own", 0.0, 0.99, at=(0.5,)), Integer("n_steps", 1, 100)),
    mutant("all steps in full", le(n / (1 - rho), COUNTED), "the last gradient counts once"),
    mutant("never more than n", le(COUNTED, n), "the first of two gradients counts 1 + ρ times"),
    because="the gradient of step i counts 1 + ρ + … + ρ^(n − i) times, at least 1 and less than 1/(1 − ρ)",
    tight="one step, or no momentum",
)

CLAIMS = (ONE_LOCAL, VARIATE, FEDDYN, INEXACT, UNEQUAL, NORMALISER)
