"""E.2.4 to E.2.6, (32) to (49): how far a client drifts within a round."""

from __future__ import annotations

from typing import Any

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import ONE_ROUND, of_round
from validation import Claim, Integer, LogScale, World, numbers, symbols
from validation.statement.says import Le, all_of, eq, identity, le, lt
from validation.world import Domain, Parameter, VectorInequality, at, mutant, reading, square, step, vectors

__all__ = ["CLAIMS"]

D1, Sn, Snn = NOTATION.symbols("D1 Sn Snn")

eta, L, tau = symbols("eta L tau", positive=True)
r, sigma2, C = symbols("r sigma2 C", nonnegative=True)
G0, X, Xbar, LX, N5, N6 = symbols("G0 X Xbar LX N5 N6", nonnegative=True)
theta, f, f0, f1, f2, g0, g1 = symbols("theta f f0 f1 f2 g0 g1", positive=True)
a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")
_THIRD = sp.Rational(1, 3)
n, S, g = symbols("n S g", positive=True)  # the sum of the n terms so far
old, new = vectors("old new")

E32 = step(
    "SSA-E32",
    "Eq. (32), E.2.4",
    "Drift of the averaged gradient written out",
    printed=r"""\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]=\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\frac1
        \tau\sum_r\nabla F_k(\theta_k^{(t,r)})\|^2]""",
    plainly="""h_k is replaced by its definition: what is measured as the drift of h_k is the mean of the gradients' own
        drifts.""",
    assumes=["one coordinate; τ = 3, and by the step to one more any τ"],
    says=identity(3 * (f - (f0 + f1 + f2) / 3), (f - f0) + (f - f1) + (f - f2)),
    readings=[
        reading("as printed", "τ(∇F_k − h_k) against the sum over the steps.", part="as printed"),
        reading(
            "one summand more",
            "S the sum of the gradients of n steps.",
            identity((n + 1) * (f - (S + f0) / (n + 1)), (n * f - S) + (f - f0)),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "mean of τ − 1 gradients",
            identity(3 * (f - (f1 + f2) / 2), (f - f0) + (f - f1) + (f - f2)),
            "the first gradient is left out",
        )
    ],
    rests_on=["SSA-E12"],
    verdict="The definition (12) put in.",
)

E33 = step(
    "SSA-E33",
    "Eq. (33), E.2.4",
    "Drift as a mean of differences",
    printed=r"=\mathbb E[\|\frac1\tau\sum_r(\nabla F_k(\theta^{(t,0)})-\nabla F_k(\theta_k^{(t,r)}))\|^2]",
    plainly="The gradient at the start is moved into the mean over the steps.",
    assumes=["one coordinate; τ = 3, and by the step to one more any τ"],
    says=identity((f - (f0 + f1 + f2) / 3) ** 2, ((f - f0 + f - f1 + f - f2) / 3) ** 2),
    readings=[
        reading("as printed", "τ = 3, one coordinate.", part="as printed"),
        reading(
            "one summand more",
            "S the sum of the gradients of n steps.",
            identity((f - (S + f0) / (n + 1)) ** 2, ((n * f - S + f - f0) / (n + 1)) ** 2),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "gradient at the start counted once",
            identity((f - (f0 + f1 + f2) / 3) ** 2, ((f - f0 - f1 - f2) / 3) ** 2),
            "it has to be subtracted from at every step",
        )
    ],
    rests_on=["SSA-E32"],
    verdict="An identity.",
)

_ONE_MORE = reading(
    "one summand more",
    """From ‖Σ‖² <= n·(sum of squares) for n summands, of sum «old», to n + 1: ‖old + new‖² <= (n + 1)(‖old‖²/n
                + ‖new‖²).""",
    VectorInequality(
        square(old + new),
        (sp.Symbol("n") + 1) * (square(old) / sp.Symbol("n") + square(new)),
        Domain((Parameter("n", 1),)),
    ),
    part="one summand more",
)

E34 = step(
    "SSA-E34",
    "Eq. (34), E.2.4",
    "Jensen over the steps",
    printed=r"\le\frac1\tau\sum_r\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\nabla F_k(\theta_k^{(t,r)})\|^2]",
    plainly="The square of a mean over the steps is at most the mean of the squares.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(square(_THIRD * (a + b + c)), _THIRD * (square(a) + square(b) + square(c))),
    readings=[
        reading("for all vectors", "τ = 3.", part="for all vectors"),
        _ONE_MORE,
    ],
    mutants=[
        mutant(
            "1/τ² in place of 1/τ",
            VectorInequality(square(_THIRD * (a + b + c)), (square(a) + square(b) + square(c)) / 9),
            "equal vectors give ‖a‖² against ‖a‖²/3",
        )
    ],
    tight="equal vectors",
    rests_on=["SSA-E33"],
    verdict="Jensen's inequality, attained by equal vectors (but the first difference, at r = 0, is always 0).",
)


E35 = step(
    "SSA-E35",
    "Eq. (35), E.2.4",
    "Smoothness along the path",
    printed=r"\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]",
    plainly="The mean squared change of the gradient is at most L² times the mean squared move; X is that mean.",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(le(D1, L**2 * X, again=lambda L, X: X * L * L), reach=8.0),
    readings=[reading("as printed", "Clients of either curvature.")],
    mutants=[
        mutant(
            "1/τ² in place of 1/τ",
            of_round(le(D1, L**2 * X / tau), reach=8.0),
            "attained as printed by a quadratic client of curvature L",
        )
    ],
    tight="a quadratic client of curvature L",
    rests_on=["SSA-E34"],
    verdict="""The smoothness of Fₖ itself, Assumption A.1, at each step; attained by a quadratic client of curvature L. The heading after it, «Bounding
        N₅ in (41)», means (35).""",
)

_G0, _G1 = theta - eta * g0, theta - eta * g0 - eta * g1
E36 = step(
    "SSA-E36",
    "Eq. (36), E.2.5",
    "The local move as a sum of gradients",
    printed=r"""\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]=\eta^2\mathbb E[\|\sum_{s=0}^{r-1}g_k(\theta_k^{(t,
        s)})\|^2]""",
    plainly="After r steps the client has moved by η times the sum of its r mini-batch gradients.",
    assumes=["one coordinate; r = 2, and by the step to one more any r"],
    says=identity((theta - _G1) ** 2, eta**2 * (g0 + g1) ** 2),
    readings=[
        reading("as printed", "r = 2, one coordinate.", part="as printed"),
        reading(
            "one summand more",
            "S the sum of the gradients so far.",
            identity((theta - (theta - eta * S - eta * g)) ** 2, eta**2 * (S + g) ** 2),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "sum to r − 2",
            identity((theta - _G1) ** 2, eta**2 * g0**2),
            "the last of the r gradients has moved the client, too",
        )
    ],
    rests_on=["SSA-E11"],
    verdict="An identity; at r = 0 both sides are 0.",
)

E37 = step(
    "SSA-E37",
    "Eq. (37), E.2.5",
    "Noise and gradients of the move separated",
    printed=r"""\le2\eta^2\mathbb E[\|\sum_{s<r}(g_k-\nabla F_k)(\theta_k^{(t,s)})\|^2]+2\eta^2
        \mathbb E[\|\sum_{s<r}\nabla F_k(\theta_k^{(t,s)})\|^2]""",
    plainly="""The squared sum of mini-batch gradients is at most twice the squared noise plus twice the squared
        gradients.""",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(square(n0 + n1 + (m0 + m1)), 2 * square(n0 + n1) + 2 * square(m0 + m1)),
    readings=[reading("for all vectors", "Written for r = 2, a sum of more being one more vector; η² left out.")],
    mutants=[
        mutant(
            "without the factor 2",
            VectorInequality(square(n0 + n1 + (m0 + m1)), square(n0 + n1) + square(m0 + m1)),
            "equal noise and gradients attain the factor; later gradients depend on earlier noise",
        )
    ],
    rests_on=["SSA-E36"],
    verdict="‖a + b‖² <= 2‖a‖² + 2‖b‖².",
)

E38 = step(
    "SSA-E38",
    "Eq. (38), E.2.5",
    "Lemma 1 on the first r steps",
    printed=r"""=2\eta^2\sum_{s<r}\mathbb E[\|g_k(\theta_k^{(t,s)})-\nabla F_k(\theta_k^{(t,s)})\|^2]+2\eta^2
        \mathbb E[\|\sum_{s<r}\nabla F_k(\theta_k^{(t,s)})\|^2]""",
    plainly="The square of the sum of r step noises is the sum of their squares, in expectation.",
    assumes=["one client, one round, samples fresh at every step; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(eq(Sn, Snn), reach=8.0),
    readings=[reading("fresh mini-batches", "Every r < τ, r = 0 included.")],
    mutants=[
        mutant(
            "one mini-batch for the whole round",
            of_round(eq(Sn, Snn), coins=2, reach=8.0),
            "two equal noises add up: the square of the sum is twice the sum of the squares",
        )
    ],
    rests_on=["SSA-L1", "SSA-A3", "SSA-E37"],
    verdict="Holds, also for noise whose size depends on the model; fresh mini-batches are needed, as in (23).",
)


E39 = step(
    "SSA-E39",
    "Eq. (39), E.2.5",
    "Bounded variance on the first r steps",
    printed=r"\le2r\eta^2\sigma^2+2\eta^2\mathbb E[\|r\sum_{s<r}\frac1r\nabla F_k(\theta_k^{(t,s)})\|^2]",
    plainly="The noise of r steps adds up to at most rσ², and the gradients are written as r times their mean.",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(le(Snn, r * sigma2, again=lambda r, sigma2: sigma2 * r), reach=8.0),
    readings=[
        reading("the noise", "Σ_{s<r}E‖g − ∇F‖² <= rσ²; the common factor 2η² left out.", part="the noise"),
        reading(
            "the gradients",
            "S the sum of the gradients of n steps, coordinate by coordinate.",
            identity(S**2, (n * (S / n)) ** 2),
            part="the gradients",
        ),
    ],
    mutants=[
        mutant("σ² without r", of_round(le(Snn, sigma2), reach=8.0), "two steps with noise of full size give 2σ²")
    ],
    rests_on=["SSA-A3", "SSA-E38"],
    verdict="""Holds. At r = 0 the printed 1/r has no value; with the empty sum read as 0, as it must be, both sides are
        0.""",
)

E40 = step(
    "SSA-E40",
    "Eq. (40), E.2.5",
    "Jensen on the first r gradients",
    printed=r"\le2r\eta^2\sigma^2+2r\eta^2\sum_{s=0}^{r-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]",
    plainly="The square of the sum of r gradients is at most r times the sum of their squares.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(square(3 * (_THIRD * (a + b + c))), 3 * (square(a) + square(b) + square(c))),
    readings=[
        reading("for all vectors", "r = 3; 2η² left out.", part="for all vectors"),
        _ONE_MORE,
    ],
    mutants=[
        mutant(
            "3 in place of r",
            VectorInequality(
                square(old + new), 3 * (square(old) / sp.Symbol("n") + square(new)), Domain((Parameter("n", 1),))
            ),
            "r equal gradients attain the factor r",
        ),
        mutant(
            "r − 1 in place of r",
            VectorInequality(square(a + b + c), 2 * (square(a) + square(b) + square(c))),
            "r equal gradients attain the factor r",
        ),
    ],
    tight="equal gradients",
    rests_on=["SSA-E39"],
    verdict="Jensen's inequality; attained by equal gradients.",
)


E41 = step(
    "SSA-E41",
    "Eq. (41), E.2.5",
    "Bound on the local move N₅",
    printed=r"\le2r\eta^2\sigma^2+2r\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]",
    plainly="""The squared move after r steps is at most 2rη²(σ² + N₆), N₆ the sum of the squared gradients of the
        round.""",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(
        le(
            N5,
            2 * r * eta**2 * sigma2 + 2 * r * eta**2 * N6,
            again=lambda r, eta, sigma2, N6: 2 * r * eta * eta * (N6 + sigma2),
        ),
        reach=8.0,
    ),
    readings=[reading("the move after r steps", "From (36) to (41), every r < τ.")],
    mutants=[
        mutant(
            "r lost before the gradients",
            of_round(le(N5, 2 * r * eta**2 * sigma2 + 2 * eta**2 * N6), reach=8.0),
            "r nearly equal gradients move the client by r²η²‖∇F_k‖², more than 2τη²‖∇F_k‖² for long rounds",
        ),
        mutant(
            "noise dropped",
            of_round(le(N5, 2 * r * eta**2 * N6), reach=8.0),
            "started at a minimiser with a short step the client moves by noise alone",
        ),
    ],
    rests_on=["SSA-E40"],
    verdict="Holds: (40) with the sum extended by non-negative terms.",
)


D0, Gr = NOTATION.symbols("D0 Gr")

a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")


_SQUARED_STEPS = [
    mutant(
        "1/τ² in place of 1/τ",
        of_round(le(D0, L**2 * X / tau), reach=8.0),
        "in a long round the squared mean drift is about three quarters of the mean squared drift",
    )
]

E42 = step(
    "SSA-E42",
    "Eq. (42), E.2.5",
    "Drift through the local moves",
    printed=r"""\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,
        0)}-\theta_k^{(t,r)}\|^2]""",
    plainly="The drift of the averaged gradient is at most L² times the mean squared move.",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    readings=[reading("as printed", "Ends of (32) to (35).")],
    mutants=_SQUARED_STEPS,
    rests_on=["SSA-E35"],
    verdict="(32) to (35) in one line; holds.",
)


E43 = step(
    "SSA-E43",
    "Eq. (43), E.2.5",
    "Local moves through the gradients on the way",
    printed=r"""\le(\tau-1)L^2\eta^2\sigma^2+(\tau-1)L^2\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,
        s)})\|^2]""",
    plainly="L² times the mean squared move is at most (τ − 1)L²η²(σ² + N₆).",
    assumes=["one client, one round, samples fresh at every step; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(
        le(
            LX,
            (tau - 1) * L**2 * eta**2 * sigma2 + (tau - 1) * L**2 * eta**2 * N6,
            again=lambda tau, L, eta, sigma2, N6: (L * eta) ** 2 * (tau * (sigma2 + N6) - sigma2 - N6),
        ),
        reach=8.0,
    ),
    readings=[
        reading("as printed", "The left side of (46), the larger one of (42).", part="as printed"),
        reading(
            "the sum over r",
            "Σ_{r<τ}r = τ(τ − 1)/2, from τ = n to n + 1; at τ = 1 both are 0.",
            identity(n * (n - 1) / 2 + n, (n + 1) * n / 2),
            part="the sum over r",
        ),
    ],
    mutants=[
        mutant(
            "noise dropped",
            of_round(le(LX, (tau - 1) * L**2 * eta**2 * N6), reach=8.0),
            "started at a minimiser with a short step the client moves by noise alone",
        ),
        mutant(
            "N₆ dropped",
            of_round(le(LX, (tau - 1) * L**2 * eta**2 * sigma2), reach=8.0),
            "without noise the client still moves",
        ),
    ],
    rests_on=["SSA-E41", "SSA-E42"],
    verdict="Holds: (41) averaged over r.",
)

E44 = step(
    "SSA-E44",
    "Eq. (44), E.2.6",
    "Gradients on the way through the gradient at the start",
    printed=r"""\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]\le2\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})-\nabla
        F_k(\theta^{(t,0)})\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]""",
    plainly="A squared gradient is at most twice its squared change plus twice the squared gradient at the start.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(square(a), 2 * square(a - b) + 2 * square(b)),
    readings=[reading("for all vectors", "Path by path.")],
    mutants=[
        mutant(
            "without the factor 2",
            VectorInequality(square(a), square(a - b) + square(b)),
            "at b = a/2 the right side is ‖a‖²/2",
        )
    ],
    tight="the gradient at s twice that at the start",
    verdict="‖a + b‖² <= 2‖a‖² + 2‖b‖².",
)


E45 = step(
    "SSA-E45",
    "Eq. (45), E.2.6",
    "Gradients on the way through the move",
    printed=r"\le2L^2\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,s)}\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]",
    plainly="""The squared gradient after s steps is at most 2L² times the squared move plus twice the squared gradient
        at the start.""",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(le(Gr, 2 * L**2 * N5 + 2 * G0, again=lambda L, N5, G0: 2 * (G0 + L * L * N5)), reach=8.0),
    readings=[reading("as printed", "Every s < τ.")],
    mutants=[
        mutant("gradient at the start dropped", of_round(le(Gr, 2 * L**2 * N5), reach=8.0), "at s = 0 there is no move")
    ],
    rests_on=["SSA-E44"],
    verdict="Holds: (44) and the smoothness of Fₖ itself, Assumption A.1.",
)

_START = (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**2 * tau * G0


def virtual_again(tau: float, L: float, eta: float, sigma2: float, G0: float, Xbar: float) -> float:
    """The right side of (46) once more, its second sum over the mean model."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * Xbar + G0))


def own_again(tau: float, L: float, eta: float, sigma2: float, G0: float, X: float) -> float:
    """The right side of (46) once more, its second sum over the client's own models."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * X + G0))


E46 = step(
    "SSA-E46",
    "Eq. (46), E.2.6",
    "Inequality for the local moves",
    printed=r"""\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]\le(\tau-1)L^2\eta^2\sigma^2+
        2(\tau-1)\eta^2L^4\sum_s\mathbb E[\|\theta_k^{(t,0)}-\theta^{(t,s)}\|^2]+2(\tau-1)\eta^2L^2\sum_s
        \mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]""",
    plainly="The mean squared move is bounded by noise, itself times a small factor, and the gradient at the start.",
    assumes=ONE_ROUND,
    says=of_round(le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * Xbar, again=virtual_again)),
    readings=[
        reading(
            "θ^(t,s) the weighted mean of the local models",
            "As the superscripts stand; ηL <= 1/(2τ).",
            because="the superscripts as they stand, by analogy with θ^(t,0), (3)",
        ),
        reading(
            "θ_k^(t,s), the client's own model",
            "With the index k where (45) has it; any step.",
            of_round(le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * X, again=own_again), reach=8.0),
            edits=["θ^(t,0) − θ_k^(t,s) in place of θ_k^(t,0) − θ^(t,s)"],
            token=True,
            forced_by="(45), which is put into (43) here, has the index k at θ_k^(t,s); θ^(t,s) is defined nowhere",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "gradient at the start dropped",
            of_round(le(LX, (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**4 * tau * X)),
            "without noise the rest is C times the left side, and C < 1",
        )
    ],
    rests_on=["SSA-E43", "SSA-E45"],
    verdict="""The index k stands at the wrong model in the second sum: θ^(t,s) is defined nowhere. With the client's
        own model it is (45) put in (43), and holds for every step. Read as the mean of the local models it holds as
        well for ηL <= 1/(2τ), where the other terms are large enough alone.""",
)

E47 = step(
    "SSA-E47",
    "Eq. (47), E.2.6",
    "Drift through the local moves, repeated",
    printed=r"""\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,
        0)}-\theta_k^{(t,r)}\|^2]""",
    plainly="The drift of the averaged gradient is at most L² times the mean squared move.",
    assumes=["one client, one round; ηL up to 4/τ, which is more than the proof asks"],
    says=of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    readings=[reading("as printed", "Ends of (32) to (35).")],
    mutants=_SQUARED_STEPS,
    rests_on=["SSA-E42"],
    verdict="(42) again, and true as there.",
)


_DRIFT_C = 2 * tau * (tau - 1) * eta**2 * L**2
_BELOW = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C) + _DRIFT_C / (1 - _DRIFT_C) * G0


def rearranged_again(tau: float, eta: float, sigma2: float, L: float, G0: float) -> float:
    """The right side of (48) once more."""
    small = (eta * L) ** 2 * (tau - 1)
    return small * (sigma2 + 2 * tau * G0) / (1 - 2 * small * tau)


E48 = step(
    "SSA-E48",
    "Eq. (48), E.2.6",
    "Bound on N₄",
    printed=r"""\le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-2\tau(\tau-1)\eta^2L^2}+\frac{2\tau(\tau-1)\eta^2L^2}{1-2
        \tau(\tau-1)\eta^2L^2}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]""",
    plainly="Rearranged, the mean squared move is bounded by noise and the gradient at the start.",
    assumes=["one client, one round, samples fresh at every step; C < 1"],
    says=of_round(le(LX, _BELOW, again=rearranged_again), lt(C, 1), reach=1.4),
    readings=[reading("as printed, C < 1", "ηL up to 0.7/τ, where C < 1 for every τ; the larger left side, of (42).")],
    mutants=[
        mutant(
            "noise dropped",
            of_round(le(LX, _DRIFT_C / (1 - _DRIFT_C) * G0), lt(C, 1), reach=1.4),
            "started at the client's minimiser only noise moves it",
        ),
        mutant(
            "gradient at the start dropped",
            of_round(le(LX, (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C)), lt(C, 1), reach=1.4),
            "without noise the client still moves",
        ),
    ],
    rests_on=["SSA-E46", "SSA-E47"],
    verdict="""Holds where C = 2τ(τ − 1)η²L² < 1, the sign the division by 1 − C needs. ηL <= 1/(2τ) gives C <= (τ −
        1)/(2τ) < 1/2.""",
)

E49 = step(
    "SSA-E49",
    "Eq. (49), E.2.6",
    "Bound on N₄ through C",
    printed=r"""=\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2],\quad
        C=2\tau(\tau-1)\eta^2L^2<1""",
    plainly="The same with the constant C.",
    assumes=["C < 1"],
    says=identity(_BELOW, ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, _DRIFT_C)),
    readings=[reading("as printed", "C put in.")],
    mutants=[
        mutant(
            "C = 2τ²η²L²",
            identity(
                _BELOW,
                ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, 2 * tau**2 * eta**2 * L**2),
            ),
            "for τ = 1 that C is not 0",
        )
    ],
    rests_on=["SSA-E48", "SSA-D3"],
    verdict="The definition of C; the same as in Theorem A.5.",
)


local_steps, reach, noise, own2, part, A = NOTATION.symbols("local_steps reach noise own2 part A")
_C = 2 * local_steps * (local_steps - 1) * (reach / local_steps) ** 2
_NOISE = (local_steps - 1) * (reach / local_steps) ** 2 * noise  # (τ − 1)η²L²σ²
_ONE_DRIFT = part * (_NOISE + _C * own2)


def _steps(*more: Any, far: bool = False, where: tuple[Le, ...] = ()) -> World:
    """τ and `reach` = τηL, at most 1/2 as in the theorem, or up to 5."""
    most = 5.0 if far else 0.5
    step = Integer("local_steps", 1, 300, at=(2, 10)), LogScale("reach", 1e-3, most, at=(0.5,))
    return numbers(NOTATION, "step sizes", *step, *more, where=where)


def _drifts(*, far: bool = False) -> World:
    """Any drift X = part·(a + CG) with X <= a + CX + CG, a = (τ − 1)η²L²σ²."""
    squares = (LogScale(name, 1e-4, 1e4, at=(1.0,)) for name in ("noise", "own2"))
    where = le(_ONE_DRIFT, _NOISE + _C * (_ONE_DRIFT + own2)), lt(1, local_steps)
    return _steps(*squares, LogScale("part", 1e-1, 1e1, at=(1.0, 2.0)), far=far, where=where)


def solved_again(local_steps: Any, reach: Any, noise: Any, own2: Any) -> Any:
    """(48) over its denominator."""
    a = (reach / local_steps) ** 2 * (local_steps - 1)
    return (a * noise + 2 * local_steps * a * own2) / (1 - 2 * local_steps * a)


_LINE48 = _NOISE / (1 - _C) + _C / (1 - _C) * own2
_SOLVED = le(_ONE_DRIFT, _LINE48, again=solved_again)
S14 = step(
    "SSA-S14",
    "(46) to (48)",
    "Solving for the drift",
    printed=r"""X\le(\tau-1)L^2\eta^2\sigma^2+CX+CG_k\ \Rightarrow\ X\le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+
        \frac C{1-C}G_k""",
    plainly="The drift's bound in terms of itself is solved for the drift.",
    assumes=["C = 2τ(τ−1)η²L² < 1, which ηL <= 1/(2τ) gives (SSA-S20)"],
    says=_SOLVED,
    world=_drifts(),
    readings=[reading("as printed", "Any X that obeys (46); τ up to 300.")],
    mutants=[
        mutant(
            "C < 1 removed",
            None,
            "for C >= 1 every X obeys (46) and the right side is negative",
            at(local_steps=2, reach=2, noise=1, own2=1, part=1),
            world=_drifts(far=True),
        ),
        mutant(
            "without the division",
            le(_ONE_DRIFT, _LINE48 * (1 - _C)),
            "X = a/(1 − C) obeys X <= a + CX and exceeds a",
            at(local_steps=3, reach="1/2", noise=1, own2=1, part="3/2"),
        ),
    ],
    tight="in the limit of equality in (46)",
    rests_on=["SSA-S13", "SSA-S20"],
    verdict="True for C < 1. The condition is needed and follows from the theorem's step size.",
)


def half_again(local_steps: Any) -> Any:
    """(1 − 1/τ)/2."""
    return (1 - 1 / local_steps) / 2


_HALF = le(_C, (local_steps - 1) / (2 * local_steps), again=half_again)
_KEPT, _A = le(_C * (1 + 2 * A), 1), LogScale("A", 1e-2, 1e2, at=(1.0,))
S20 = step(
    "SSA-S20",
    "Theorem A.5, (48), (49), (55)",
    "What the step size condition gives",
    printed=r"\eta L\le\tfrac1{2\tau}\ \Rightarrow\ C\le\tfrac{\tau-1}{2\tau}<1",
    plainly="The theorem's step size makes C at most (τ − 1)/(2τ), so smaller than 1, as printed.",
    written="the bound (τ − 1)/(2τ)",
    assumes=["C = 2τ(τ−1)η²L²", "A > 0"],
    says=all_of(_HALF, _KEPT),
    world=_steps(_A),
    readings=[
        reading(
            "as needed",
            "Ours, the second half: C <= (τ − 1)/(2τ) and 1 − C − 2AC >= 0.",
            part="1 − C − 2AC > 0",
            ours="""the theorem prints C < 1 and never says that its denominator is positive; asked here is what its use
                needs""",
        ),
        reading(
            "2(1 + 2A)τ(τ−1)η²L² < 1",
            "The denominator's own condition on the step.",
            where=[lt(_C * (1 + 2 * A), 1)],
            part="1 − C − 2AC > 0",
            conditions=["2(1 + 2A)τ(τ − 1)η²L² < 1"],
        ),
        reading("C alone", "C <= (τ − 1)/(2τ).", _HALF, world=_steps(), part="C < 1"),
    ],
    mutants=[
        mutant(
            "ηL <= 1/τ",
            _HALF,
            "at ηL = 1/τ C is four times as large",
            at(local_steps=2, reach=1),
            world=_steps(far=True),
        ),
        mutant(
            "C at most a third",
            le(_C, sp.Rational(1, 3)),
            "C tends to a half with τ",
            at(local_steps=4, reach="1/2"),
            world=_steps(),
        ),
    ],
    tight="ηL = 1/(2τ)",
    verdict="""It holds: the theorem's step gives C <= (τ − 1)/(2τ) < 1/2, so that every division by 1 − C is sound.
        That 1 − C − 2AC > 0, too, is printed nowhere; it is what the use of the theorem at w = p needs, and it does not
        follow: at ηL = 1/(2τ) and A = 1, the least that A.4 allows with unbounded gradients, 1 − C − 2AC = (3 −
        τ)/(2τ), not positive for τ >= 3. In general τηL has to be below about 1/√(2 + 4A). With the experiments' τ, ten epochs of batches, the theorem says nothing at its own largest step. The sign is counted at SSA-TA5.""",
)

CLAIMS: tuple[Claim, ...] = (
    E32,
    E33,
    E34,
    E35,
    E36,
    E37,
    E38,
    E39,
    E40,
    E41,
    E42,
    E43,
    E44,
    E45,
    E46,
    E47,
    E48,
    E49,
    S14,
    S20,
)
