"""Server steps: extrapolated ones, and adaptive ones that divide by roots of squares, or take signs.

Source: Jhunjhunwala, Wang and Joshi 2023 (FedExP); Duchi, Hazan and Singer 2011 and Ward, Wu and Bottou 2019 (AdaGrad);
Kingma and Ba 2015 and Reddi et al. 2021 (Adam, FedAdam); Bernstein et al. 2018 (signs).
"""

from __future__ import annotations

import sympy as sp

from paper_checks.literature.heterogeneity import SHORT
from paper_checks.literature.methods import SMALL
from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import free
from validation import LogScale, Signed, Uniform
from validation.world import at, le, lt, mutant

__all__ = ["CLAIMS"]

D, S, S_bar, lean, server, first, after = NOTATION.symbols("D S S_bar lean server first after")
grown, v, g, mom, beta, beta_2, adapt, p, xi = NOTATION.symbols("grown v g mom beta beta_2 adapt p xi")

UPDATES = (
    *(
        LogScale("D", 1e-1, 1e5, at=(1.0,)),
        LogScale("S", 1e-2, 1e1, at=(1.0,)),
        LogScale("S_bar", 1e-2, 1e1, at=(1.0,)),
    ),
    *(LogScale("lean", 1e-2, 1e2, at=(0.5,)), LogScale("server", 1e-2, 1e2, at=(1.0,))),
)
NEARER = (le(S_bar, S), le(S, 2 * lean), le(lean**2, D * S_bar))
LEADING = free("updates that lead nearer, and a rate", *UPDATES, where=(*NEARER, le(server * S_bar, S)))
SAFE = stated(
    "LIT-104",
    "Which server rates are safe where every update leads nearer",
    r"\|w-\eta_g\bar\Delta-w^*\|^2\le\|w-w^*\|^2\quad\text{for}\quad\eta_g\le\frac{\sum_ip_i\|\Delta_i\|^2}{\|\bar\Delta\|^2}",
    "If no client's update leads away from w*, no server rate up to S/‖Δ̄‖² does, so FedExP's max{1, S/(2‖Δ̄‖²)} does not.",
    le(D - 2 * server * lean + server**2 * S_bar, D),
    LEADING,
    mutant(
        "rates twice as large",
        None,
        "updates that lead to points as far on the other side",
        world=free("updates and a larger rate", *UPDATES, where=(*NEARER, le(server * S_bar, 2 * S))),
    ),
    mutant(
        "halfway there",
        le(D - 2 * server * lean + server**2 * S_bar, D - server * lean),
        "the largest of these rates",
    ),
    because="‖w − Δ_i − w*‖ <= ‖w − w*‖ says 2⟨Δ_i, w − w*⟩ >= ‖Δ_i‖², so the square changes by η_g(η_g‖Δ̄‖² − S) or less",
    tight=at(D=4, S=1, S_bar=1, lean="1/2", server=1),
)
COMMON = SMALL.but(
    server=server, same=("optimum",), R=(1, 3), far=3, draws=(*SHORT, LogScale("server", 1e-2, 2.0, at=(1.0, 2.0)))
)  # fmt: skip
TWO = stated(
    "LIT-105",
    "Server rates up to 2 for clients of one optimum",
    r"\|w_R-w^*\|^2\le\|w_0-w^*\|^2\quad\text{for}\quad\eta_g\le2",
    "With a common optimum and local steps up to 1/L no server rate up to 2 leads away, whatever the local steps are.",
    le(after, first),
    COMMON,
    mutant(
        "rates up to 3",
        None,
        "clients that reach their optimum are overshot by twice the distance",
        world=COMMON.but(draws=(*SHORT, LogScale("server", 1e-2, 3.0, at=(1.0, 3.0)))),
    ),
    mutant("unlike optima", None, "the run settles elsewhere", world=COMMON.but(same=())),
    because="on every axis a client goes a share from 0 to 1 of the way to w*, so the server goes from 0 to 2 of it",
    tight="clients that reach w* in their first step, and rate 2",
)
LOGARITHM = stated(
    "LIT-106",
    "Squares over their running sum add up to a logarithm",
    r"\frac{g^2}{v+g^2}\le\log\left(1+\frac{g^2}v\right)",
    "A gradient's square over the sum of all so far is at most what it adds to the logarithm of that sum.",
    le(grown / (1 + grown), sp.log(1 + grown)),
    free("a square over the sum before it", LogScale("grown", 1e-4, 1e4, at=(1.0,))),
    mutant("twice", le(2 * grown / (1 + grown), sp.log(1 + grown)), "a small gradient"),
    mutant("over the sum before it", le(grown, sp.log(1 + grown)), "a large gradient"),
    because="log(1 + y) is the integral of 1/(1 + s) over s up to y, which is at least 1/(1 + y)",
)
ROOTS = sp.sqrt(v + g**2) - sp.sqrt(v)
ADAGRAD = stated(
    "LIT-107",
    "Squares over roots of their running sum add up to a root",
    r"\frac{g^2}{\sqrt{v+g^2}}\le2\sqrt{v+g^2}-2\sqrt v",
    "A gradient's square over AdaGrad's denominator is at most twice what it adds to that denominator.",
    le(g**2 / sp.sqrt(v + g**2), 2 * ROOTS),
    free("a sum of squares and a gradient", LogScale("v", 1e-4, 1e2, at=(1.0,)), Signed("g", 1e-2, 1e2)),
    mutant("once", le(g**2 / sp.sqrt(v + g**2), ROOTS), "a small gradient"),
    mutant("the denominator before", le(g**2 / sp.sqrt(v), 2 * ROOTS), "a large gradient"),
    because="the left side is (b² − a²)/b = (b − a)(1 + a/b), with a <= b the roots of both sums",
)
MOST = (1 - beta) ** 2 / ((1 - beta_2) * (1 - beta**2 / beta_2))
ADAM_NEXT = (beta * mom + (1 - beta) * g) ** 2
SQUARES = beta_2 * v + (1 - beta_2) * g**2
MEANS = free(
    "running means and a gradient",
    *(Uniform("beta", 0.0, 0.95, at=(0.0, 0.5)), Uniform("beta_2", 0.1, 0.999, at=(0.5,))),
    *(LogScale("v", 1e-2, 1e2, at=(1.0,)), Signed("mom", 1e-2, 1e2), Signed("g", 1e-2, 1e2)),
    where=(lt(beta**2, beta_2), le(mom**2, MOST * v)),
)
ADAM = stated(
    "LIT-108",
    "How long a step of Adam can be",
    r"(\beta m+(1-\beta)g)^2\le C^2\left(\beta_2v+(1-\beta_2)g^2\right),\quad C^2=\frac{(1-\beta)^2}{(1-\beta_2)(1-\beta^2/\beta_2)}",
    "For β² < β₂ the ratio |m|/√v of Adam, once at most C, stays at most C, whatever gradients follow.",
    le(ADAM_NEXT, MOST * SQUARES),
    MEANS,
    mutant(
        "no memory of m",
        le(ADAM_NEXT, MOST * (1 - beta**2 / beta_2) * SQUARES),
        "means of many gradients, then none",
    ),
    mutant("1 − β once more", le(ADAM_NEXT, (1 - beta) * MOST * SQUARES), "gradients that keep m at C√v"),
    because="""(a + b)² <= (β²/β₂ + 1 − β²/β₂) times C²(β₂v + (1 − β₂)g²) by Cauchy–Schwarz, for a = β|m| and
        b = (1 − β)|g|""",
    tight=at(beta="1/2", beta_2="1/2", v=1, mom=1, g=1),
)
NOISE = xi**2 * p / (1 - p)
SIGN = stated(
    "LIT-109",
    "How often noise turns the sign of a gradient",
    r"P(\mathrm{sign}(g+\xi)\ne\mathrm{sign}\,g)\le\frac{\sigma^2}{\sigma^2+g^2}",
    "Noise of mean 0 and two outcomes turns the sign of g with chance at most σ²/(σ² + g²).",
    le(p, NOISE / (NOISE + g**2)),
    free(
        "a gradient and the noise that turns it",
        *(Uniform("p", 0.01, 0.99, at=(0.5,)), LogScale("xi", 1e-2, 1e2, at=(1.0,)), Signed("g", 1e-2, 1e2)),
        where=(le(sp.Abs(g), xi), lt(0, sp.Abs(g))),
    ),
    mutant("half of it", le(p, NOISE / (NOISE + g**2) / 2), "noise just as large as the gradient"),
    mutant(
        "a quarter of the variance", le(p, NOISE / (4 * g**2)), "noise just as large as the gradient, of equal chances"
    ),
    because="noise that turns it is −ξ with |ξ| >= |g| and some chance p, and its variance is ξ²p/(1 − p)",
    tight=at(p="1/2", xi=1, g=1),
)
ROOT = sp.sqrt(v)
PLAIN = stated(
    "LIT-110",
    "FedAdam with a large τ is a plain server step",
    r"\frac1\tau-\frac1{\sqrt v+\tau}\le\frac{\sqrt v}{\tau^2}",
    "What √v takes from a step of length 1/τ is at most √v/τ².",
    le(1 / adapt - 1 / (ROOT + adapt), ROOT / adapt**2),
    free(
        "a running mean of squares and τ",
        LogScale("v", 1e-6, 1e2, at=(1.0,)),
        LogScale("adapt", 1e-2, 1e2, at=(1.0,)),
    ),
    mutant("half of it", le(1 / adapt - 1 / (ROOT + adapt), ROOT / (2 * adapt**2)), "a large τ"),
    mutant("v for √v", le(1 / adapt - 1 / (ROOT + adapt), v / adapt**3), "a large τ: v is much smaller than τ√v"),
    because="the left side is √v/(τ(√v + τ))",
)

CLAIMS = (SAFE, TWO, LOGARITHM, ADAGRAD, ADAM, SIGN, PLAIN)
