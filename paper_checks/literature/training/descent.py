"""Gradient descent, as proofs on federated learning use it: descent, co-coercivity, Polyak's step, momentum, averages.

Source: Nesterov 2018 (descent lemma, co-coercivity, best constant step); Ghadimi and Lan 2013 (least gradient of a
run); Karimi, Nutini and Schmidt 2016 (PL inequality); Polyak 1987 and Hazan and Kakade 2019 (Polyak's step); Polyak
1964 (heavy ball); Polyak and Juditsky 1992 (averaged iterates); Chen and Teboulle 1993 (three points).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.methods import AT_ONCE
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.training.local_steps import ONE_STEP
from paper_checks.literature.worlds import free
from validation import Integer, LogScale, Uniform
from validation.world import at, identity, largest, le, mutant

__all__ = ["CLAIMS"]

mu, L, T, eta, prox, beta = NOTATION.symbols("mu L T eta prox beta")
drop, excess, low, noise_p, sg2, Gamma_p = NOTATION.symbols("drop excess low noise_p sg2 Gamma_p")
h, D, step, n, w, x, g = NOTATION.symbols("h D step n_steps w x g")
gap2, along, excess_w, short = NOTATION.symbols("gap2 along excess_w short")

LONG = ONE_STEP.but(draws=(LogScale("length", 1e-3, 4.0, at=(1.0,)),), R=(1, 1), far=1)
DESCENT = stated(
    "LIT-88",
    "The loss after one noisy step",
    r"\mathbb EF(w_1)\le F(w_0)-\eta\left(1-\tfrac{\eta L}2\right)\|\nabla F(w_0)\|^2+\tfrac{\eta^2L}2\sum_kp_k^2\sigma_k^2",
    "One step of any length takes off η(1 − ηL/2) of the squared gradient, and adds half of η²L times the noise.",
    le(excess, drop - eta * (1 - eta * L / 2) * low + eta**2 * L / 2 * noise_p),
    LONG,
    mutant("no curvature", le(excess, drop - eta * low + eta**2 * L / 2 * noise_p), "the loss bends upwards"),
    mutant("no noise", le(excess, drop - eta * (1 - eta * L / 2) * low), "from w*"),
    because="on an axis of curvature h both sides agree but for h in place of L",
    tight="one curvature",
)
LEAST = stated(
    "LIT-89",
    "The least gradient of a run",
    r"\min_{t<T}\mathbb E\|\nabla F(w_t)\|^2\le\frac{2(F(w_0)-F^*)}{\eta T}+\eta L\sum_kp_k^2\sigma_k^2",
    "With one local step and ηL <= 1 the least squared gradient falls like 1/T, down to ηL times the noise.",
    le(low, 2 * drop / (eta * T) + eta * L * noise_p),
    ONE_STEP,
    mutant("without the 2", le(low, drop / (eta * T) + eta * L * noise_p), "one step of length 1/L"),
    mutant("like 1/T²", le(low, 2 * drop / (eta * T**2) + eta * L * noise_p), "many steps along a flat axis"),
    because="a step takes off at least half of η times the squared gradient, and all of them no more than F(w_0) − F*",
    tight="one step of one curvature, of length 1/L, without noise",
)
FLOOR = stated(
    "LIT-90",
    "The floor of the loss does not depend on the condition number",
    r"\mathbb EF(w_T)-F^*\le\frac{F(w_0)-F^*}{(1+\eta\mu T)^2}+\frac{\eta\sum_kp_k^2\sigma_k^2}{2(2-\eta L)}",
    "On quadratics with one local step and ηL <= 1 noise costs at most half of η times its variance, whatever μ is.",
    le(excess, drop / (1 + eta * mu * T) ** 2 + eta * noise_p / (2 * (2 - eta * L))),
    ONE_STEP,
    mutant(
        "half the noise",
        le(excess, drop / (1 + eta * mu * T) ** 2 + eta * noise_p / (4 * (2 - eta * L))),
        "from w*, steps of length 1/L",
    ),
    mutant("start squared again", le(excess, drop / (1 + eta * mu * T) ** 4 + eta * noise_p), "short steps"),
    because="an axis of curvature h has variance at most ησ²/(h(2 − ηh)), of which the loss is h/2 times",
    tight="one curvature and steps of length 1/L, from w*",
)
PL = stated(
    "LIT-91",
    "The PL inequality of all clients together",
    r"2\mu\left(F(w)-F^*+\Gamma\right)\le\|\nabla F(w)\|^2+\sum_kp_k\|\nabla F_k(w)-\nabla F(w)\|^2",
    "Squared gradient plus dissimilarity is at least 2μ times the excess loss plus Γ, everywhere.",
    le(2 * mu * (drop + Gamma_p), low + sg2),
    AT_ONCE,
    mutant("L for μ", le(2 * L * (drop + Gamma_p), low + sg2), "clients of unlike curvatures"),
    mutant("no dissimilarity", le(2 * mu * (drop + Gamma_p), low), "at w*, with unlike optima"),
    because="the right side is Σp‖∇F_k‖², and ‖∇F_k‖² >= 2μ(F_k − F_k*) for every client",
    tight="clients of one curvature",
)
BETWEEN = free(
    "a curvature between μ and L",
    *(LogScale("mu", 1e-2, 1e2, at=(1.0,)), LogScale("L", 1e-2, 1e2, at=(1.0,)), LogScale("h", 1e-2, 1e2, at=(1.0,))),
    where=(le(mu, h), le(h, L)),
)
COCOERCIVE = stated(
    "LIT-92",
    "Co-coercivity with both constants",
    r"\frac{\mu L}{\mu+L}+\frac{h^2}{\mu+L}\le h",
    "For curvatures from μ to L, ⟨∇F(x) − ∇F(y), x − y⟩ has a share of both squares, axis by axis.",
    le(mu * L / (mu + L) + h**2 / (mu + L), h),
    BETWEEN,
    mutant("twice μL", le(2 * mu * L / (mu + L) + h**2 / (mu + L), h), "h = L"),
    mutant("h²/L", le(mu * L / (mu + L) + h**2 / L, h), "h = L"),
    because="(h − μ)(L − h) >= 0",
    tight=at(mu=1, h=1, L=2),
)
ENDS = free(
    "least and largest curvature and a step",
    *(LogScale("mu", 1e-2, 1e2, at=(1.0,)), LogScale("L", 1e-2, 1e2, at=(1.0, 3.0))),
    LogScale("eta", 1e-3, 1e3, at=(0.5,)),
    where=(le(mu, L),),
)
WORSE = largest(sp.Abs(1 - eta * mu), sp.Abs(1 - eta * L))
BEST_STEP = stated(
    "LIT-93",
    "No constant step contracts better than (κ − 1)/(κ + 1)",
    r"\frac{L-\mu}{L+\mu}\le\max\{|1-\eta\mu|,|1-\eta L|\}",
    "Whatever the step, along the flattest or the steepest axis the share (L − μ)/(L + μ) of the distance stays.",
    le((L - mu) / (L + mu), WORSE),
    ENDS,
    mutant("1 − μ/(L + μ)", le(L / (L + mu), WORSE), at(mu=1, L=3, eta="1/2")),
    mutant("1 − μ/L", le((L - mu) / L, WORSE), "the best step, 2/(L + μ)"),
    because="|1 − ημ| falls and |1 − ηL| rises where they meet, at η = 2/(L + μ)",
    tight=at(mu=1, L=3, eta="1/2"),
)
LENGTH = (excess_w + short) / gap2
NEARER = D - 2 * LENGTH * along + LENGTH**2 * gap2
BELOW = free(
    "a gradient and a lower bound",
    *(LogScale("D", 1e-1, 1e4, at=(1.0,)), LogScale("gap2", 1e-2, 1e2, at=(1.0,))),
    *(LogScale("excess_w", 1e-2, 1e2, at=(1.0,)), LogScale("along", 1e-2, 1e2, at=(1.0,))),
    LogScale("short", 1e-4, 1e1, at=(1.0,)),
    where=(le(excess_w, along), le(along**2, D * gap2)),
)
POLYAK = stated(
    "LIT-94",
    "Polyak's step with a lower bound of the least loss",
    r"\|w^+-w^*\|^2\le\|w-w^*\|^2-\frac{(F(w)-F^*)^2-(F^*-\ell)^2}{\|\nabla F(w)\|^2},\quad w^+=w-\frac{F(w)-\ell}{\|\nabla F(w)\|^2}\nabla F(w)",
    "The step (F(w) − ℓ)/‖∇F(w)‖² comes nearer to w* of a convex loss while the excess loss exceeds what ℓ misses.",
    le(NEARER, D - (excess_w**2 - short**2) / gap2),
    BELOW,
    mutant("exact ℓ", le(NEARER, D - excess_w**2 / gap2), "a lower bound that misses makes the step too long"),
    mutant(
        "twice as near",
        le(NEARER, D - 2 * (excess_w**2 - short**2) / gap2),
        "the loss is linear towards w*",
    ),
    because="⟨∇F, w − w*⟩ >= F(w) − F* by convexity, and 2(a + b)a − (a + b)² = a² − b²",
    tight=at(D=4, gap2=1, excess_w=1, along=1, short=0),
)
RANGE = (le((1 - sp.sqrt(beta)) ** 2, step), le(step, (1 + sp.sqrt(beta)) ** 2))
MOMENTUM = (Uniform("beta", 0.0, 1.0, at=(0.25,)), Uniform("step", 0.0, 4.0, at=(0.25, 2.25)))
HEAVY = stated(
    "LIT-95",
    "Where heavy ball has the rate √β",
    r"(1+\beta-\eta h)^2\le4\beta\quad\text{for}\quad(1-\sqrt\beta)^2\le\eta h\le(1+\sqrt\beta)^2",
    "With momentum β both factors of a step are of size √β where ηh is between (1 − √β)² and (1 + √β)².",
    le((1 + beta - step) ** 2, 4 * beta),
    free("momentum and step", *MOMENTUM, where=RANGE),
    mutant(
        "up to the end of stability",
        None,
        "longer steps have a real factor above √β",
        world=free("momentum and a longer step", *MOMENTUM, where=(RANGE[0], le(step, 2 * (1 + beta)))),
    ),
    mutant("β for 4β", le((1 + beta - step) ** 2, beta), "the longest of these steps"),
    because="|1 + β − ηh| <= 2√β is that range, and factors that are not real have product β",
    tight=at(beta="1/4", step="1/4"),
)
SUM = 1 - (1 - step) ** n
AVERAGE = stated(
    "LIT-96",
    "An average forgets the start more slowly",
    r"(1-\eta h)^{n-1}\le\left(\frac{1-(1-\eta h)^n}{n\,\eta h}\right)^2",
    "The mean of n models of a run with steps up to 1/h is no nearer to w* than the model in the middle.",
    le((1 - step) ** (n - 1) * (n * step) ** 2, SUM**2),
    free("step and number of models", LogScale("step", 1e-3, 1.0, at=(0.5, 1.0)), Integer("n_steps", 1, 100)),
    mutant("no power", le((1 - step) * (n * step) ** 2, SUM**2), "many models: the average does forget"),
    mutant("half of it", le((1 - step) ** (n - 1) * (n * step) ** 2, SUM**2 / 2), "a single model"),
    because="the arithmetic mean of 1, 1 − y, …, (1 − y)^(n − 1) is at least their geometric mean",
    tight="one model",
)
AFTER = w - g / prox
THREE = stated(
    "LIT-97",
    "Three points",
    r"\langle g,w^+-x\rangle=\tfrac\lambda2\left(\|x-w\|^2-\|x-w^+\|^2-\|w^+-w\|^2\right),\quad w^+=w-\tfrac1\lambda g",
    "What a step w⁺ of length 1/λ loses against any x is a difference of three squared distances; entry by entry, so for vectors, too.",
    identity(g * (AFTER - x), prox / 2 * ((x - w) ** 2 - (x - AFTER) ** 2 - (AFTER - w) ** 2)),
    None,
    mutant("no last term", identity(g * (AFTER - x), prox / 2 * ((x - w) ** 2 - (x - AFTER) ** 2)), "w⁺ is not w"),
    mutant(
        "w for w⁺", identity(g * (w - x), prox / 2 * ((x - w) ** 2 - (x - AFTER) ** 2 - (AFTER - w) ** 2)), "g is not 0"
    ),
    because="g = λ(w − w⁺), and the products multiply out",
)

CLAIMS = (DESCENT, LEAST, FLOOR, PL, COCOERCIVE, BEST_STEP, POLYAK, HEAVY, AVERAGE, THREE)
