"""SSA-E32 to SSA-E41: how far a client drifts within a round, and what that does to its averaged gradient (N₄, N₅)."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import of_round
from validation import Claim, Reading, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import eq, identity, le
from validation.statement.vectors import square, vectors
from validation.world.stated import stated

__all__ = ["CLAIMS"]

D1, Sn, Snn = NOTATION.symbols("D1 Sn Snn")

eta, L, tau, r, sigma2, C = symbols("eta L tau r sigma2 C")
G0, X, Xbar, LX, N5, N6 = symbols("G0 X Xbar LX N5 N6")
theta, f, f0, f1, f2, g0, g1, x, y, z = symbols("theta f f0 f1 f2 g0 g1 x y z")
a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")
_THIRD = sp.Rational(1, 3)
_FREE = "one client, one round; ηL up to 4/τ, which is more than the proof asks"
_DRIFT = r"\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]"
_ONE = ("one coordinate; τ = 3, and by the step to one more any τ",)
n, S, g = symbols("n S g")  # the sum of the n terms so far
old, new = vectors("old new")
_ONE_MORE = Reading(
    "one summand more",
    "From ‖Σ‖² <= n·(sum of squares) for n summands, of sum «old», to n + 1: ‖old + new‖² <= (n + 1)(‖old‖²/n + ‖new‖²).",
    VectorInequality(
        square(old + new),
        (sp.Symbol("n") + 1) * (square(old) / sp.Symbol("n") + square(new)),
        Domain((Parameter("n", 1),)),
    ),
)

E32 = stated(
    r"""SSA-E32 (step; Eq. (32), E.2.4): Drift of the averaged gradient written out
    Print: \mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]=\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\frac1
      \tau\sum_r\nabla F_k(\theta_k^{(t,r)})\|^2]
    Plainly: h_k is replaced by its definition: what is measured as the drift of h_k is the mean of the gradients' own
      drifts.
    Assumes: one coordinate; τ = 3, and by the step to one more any τ
    Reading: as printed | τ(∇F_k − h_k) against the sum over the steps. | part: as printed
    Reading: one summand more | S the sum of the gradients of n steps. | part: one summand more
    Mutant: mean of τ − 1 gradients | the first gradient is left out
    Rests on: SSA-E12
    Verdict: The definition (12) put in.""",
    identity(3 * (f - (f0 + f1 + f2) / 3), (f - f0) + (f - f1) + (f - f2)),
    readings={
        "one summand more": identity((n + 1) * (f - (S + f0) / (n + 1)), (n * f - S) + (f - f0)),
    },
    mutants={
        "mean of τ − 1 gradients": identity(3 * (f - (f1 + f2) / 2), (f - f0) + (f - f1) + (f - f2)),
    },
)

E33 = stated(
    r"""SSA-E33 (step; Eq. (33), E.2.4): Drift as a mean of differences
    Print: =\mathbb E[\|\frac1\tau\sum_r(\nabla F_k(\theta^{(t,0)})-\nabla F_k(\theta_k^{(t,r)}))\|^2]
    Plainly: The gradient at the start is moved into the mean over the steps.
    Assumes: one coordinate; τ = 3, and by the step to one more any τ
    Reading: as printed | τ = 3, one coordinate. | part: as printed
    Reading: one summand more | S the sum of the gradients of n steps. | part: one summand more
    Mutant: gradient at the start counted once | it has to be subtracted from at every step
    Rests on: SSA-E32
    Verdict: An identity.""",
    identity((f - (f0 + f1 + f2) / 3) ** 2, ((f - f0 + f - f1 + f - f2) / 3) ** 2),
    readings={
        "one summand more": identity((f - (S + f0) / (n + 1)) ** 2, ((n * f - S + f - f0) / (n + 1)) ** 2),
    },
    mutants={
        "gradient at the start counted once": identity((f - (f0 + f1 + f2) / 3) ** 2, ((f - f0 - f1 - f2) / 3) ** 2),
    },
)

E34 = stated(
    r"""SSA-E34 (step; Eq. (34), E.2.4): Jensen over the steps
    Print: \le\frac1\tau\sum_r\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\nabla F_k(\theta_k^{(t,r)})\|^2]
    Plainly: The square of a mean over the steps is at most the mean of the squares.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | τ = 3. | part: for all vectors
    Reading: one summand more | From ‖Σ‖² <= n·(sum of squares) for n summands, of sum «old», to n + 1: ‖old + new‖²
      <= (n + 1)(‖old‖²/n + ‖new‖²). | part: one summand more
    Mutant: 1/τ² in place of 1/τ | equal vectors give ‖a‖² against ‖a‖²/3
    Tight: equal vectors
    Rests on: SSA-E33
    Verdict: Jensen's inequality, attained by equal vectors (but the first difference, at r = 0, is always 0).""",
    VectorInequality(square(_THIRD * (a + b + c)), _THIRD * (square(a) + square(b) + square(c))),
    readings={
        "one summand more": VectorInequality(
            square(old + new),
            (sp.Symbol("n") + 1) * (square(old) / sp.Symbol("n") + square(new)),
            Domain((Parameter("n", 1),)),
        ),
    },
    mutants={
        "1/τ² in place of 1/τ": VectorInequality(square(_THIRD * (a + b + c)), (square(a) + square(b) + square(c)) / 9),
    },
)


E35 = stated(
    r"""SSA-E35 (step; Eq. (35), E.2.4): Smoothness along the path
    Print: \le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]
    Plainly: The mean squared change of the gradient is at most L² times the mean squared move; X is that mean.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Clients of either curvature.
    Mutant: 1/τ² in place of 1/τ | attained as printed by a quadratic client of curvature L
    Tight: a quadratic client of curvature L
    Rests on: SSA-A1, SSA-E34
    Verdict: Smoothness at each step; attained by a quadratic client of curvature L. The heading after it, «Bounding
      N₅ in (41)», means (35).""",
    of_round(le(D1, L**2 * X, again=lambda L, X: X * L * L), reach=8.0),
    mutants={
        "1/τ² in place of 1/τ": of_round(le(D1, L**2 * X / tau), reach=8.0),
    },
)

_G0, _G1 = theta - eta * g0, theta - eta * g0 - eta * g1
E36 = stated(
    r"""SSA-E36 (step; Eq. (36), E.2.5): The local move as a sum of gradients
    Print: \mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]=\eta^2\mathbb E[\|\sum_{s=0}^{r-1}g_k(
      \theta_k^{(t,s)})\|^2]
    Plainly: After r steps the client has moved by η times the sum of its r mini-batch gradients.
    Assumes: one coordinate; r = 2, and by the step to one more any r
    Reading: as printed | r = 2, one coordinate. | part: as printed
    Reading: one summand more | S the sum of the gradients so far. | part: one summand more
    Mutant: sum to r − 2 | the last of the r gradients has moved the client, too
    Rests on: SSA-E11
    Verdict: An identity; at r = 0 both sides are 0.""",
    identity((theta - _G1) ** 2, eta**2 * (g0 + g1) ** 2),
    readings={
        "one summand more": identity((theta - (theta - eta * S - eta * g)) ** 2, eta**2 * (S + g) ** 2),
    },
    mutants={
        "sum to r − 2": identity((theta - _G1) ** 2, eta**2 * g0**2),
    },
)

E37 = stated(
    r"""SSA-E37 (step; Eq. (37), E.2.5): Noise and gradients of the move separated
    Print: \le2\eta^2\mathbb E[\|\sum_{s<r}(g_k-\nabla F_k)(\theta_k^{(t,s)})\|^2]+2\eta^2\mathbb E[\|\sum_{s<r}
      \nabla F_k(\theta_k^{(t,s)})\|^2]
    Plainly: The squared sum of mini-batch gradients is at most twice the squared noise plus twice the squared
      gradients.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | r = 2; η² left out.
    Mutant: without the factor 2 | equal noise and gradients give 4 against 2; later gradients depend on earlier noise
    Rests on: SSA-E36
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    VectorInequality(square(n0 + n1 + (m0 + m1)), 2 * square(n0 + n1) + 2 * square(m0 + m1)),
    mutants={
        "without the factor 2": VectorInequality(square(n0 + n1 + (m0 + m1)), square(n0 + n1) + square(m0 + m1)),
    },
)

E38 = stated(
    r"""SSA-E38 (step; Eq. (38), E.2.5): Lemma 1 on the first r steps
    Print: =2\eta^2\sum_{s<r}\mathbb E[\|g_k(\theta_k^{(t,s)})-\nabla F_k(\theta_k^{(t,s)})\|^2]+2\eta^2\mathbb E[\|
      \sum_{s<r}\nabla F_k(\theta_k^{(t,s)})\|^2]
    Plainly: The square of the sum of r step noises is the sum of their squares, in expectation.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: fresh mini-batches | Every r < τ, r = 0 included.
    Mutant: one mini-batch for the whole round | two equal noises give 4 against 2
    Rests on: SSA-L1, SSA-A3, SSA-E37
    Verdict: Holds, also for noise whose size depends on the model; fresh mini-batches are needed, as in (23).""",
    of_round(eq(Sn, Snn), reach=8.0),
    mutants={
        "one mini-batch for the whole round": of_round(eq(Sn, Snn), coins=2, reach=8.0),
    },
)


E39 = stated(
    r"""SSA-E39 (step; Eq. (39), E.2.5): Bounded variance on the first r steps
    Print: \le2r\eta^2\sigma^2+2\eta^2\mathbb E[\|r\sum_{s<r}\frac1r\nabla F_k(\theta_k^{(t,s)})\|^2]
    Plainly: The noise of r steps adds up to at most rσ², and the gradients are written as r times their mean.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: the noise | Σ_{s<r}E‖g − ∇F‖² <= rσ²; the common factor 2η² left out. | part: the noise
    Reading: the gradients | r = 3, one coordinate. | part: the gradients
    Mutant: σ² without r | two steps with noise of full size give 2σ²
    Rests on: SSA-A3, SSA-E38
    Verdict: Holds. At r = 0 the printed 1/r has no value; with the empty sum read as 0, as it must be, both sides are
      0.""",
    of_round(le(Snn, r * sigma2, again=lambda r, sigma2: sigma2 * r), reach=8.0),
    readings={
        "the gradients": identity((x + y + z) ** 2, (3 * (x / 3 + y / 3 + z / 3)) ** 2),
    },
    mutants={
        "σ² without r": of_round(le(Snn, sigma2), reach=8.0),
    },
)

E40 = stated(
    r"""SSA-E40 (step; Eq. (40), E.2.5): Jensen on the first r gradients
    Print: \le2r\eta^2\sigma^2+2r\eta^2\sum_{s=0}^{r-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]
    Plainly: The square of the sum of r gradients is at most r times the sum of their squares.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | r = 3; 2η² left out. | part: for all vectors
    Reading: one summand more | From ‖Σ‖² <= n·(sum of squares) for n summands, of sum «old», to n + 1: ‖old + new‖²
      <= (n + 1)(‖old‖²/n + ‖new‖²). | part: one summand more
    Mutant: 3 in place of r | four equal gradients give 16 against 12
    Mutant: r − 1 in place of r | equal gradients give 9 against 6
    Tight: equal gradients
    Rests on: SSA-E39
    Verdict: Jensen's inequality; attained by equal gradients.""",
    VectorInequality(square(3 * (_THIRD * (a + b + c))), 3 * (square(a) + square(b) + square(c))),
    readings={
        "one summand more": VectorInequality(
            square(old + new),
            (sp.Symbol("n") + 1) * (square(old) / sp.Symbol("n") + square(new)),
            Domain((Parameter("n", 1),)),
        ),
    },
    mutants={
        "3 in place of r": VectorInequality(
            square(old + new), 3 * (square(old) / sp.Symbol("n") + square(new)), Domain((Parameter("n", 1),))
        ),
        "r − 1 in place of r": VectorInequality(square(a + b + c), 2 * (square(a) + square(b) + square(c))),
    },
)


E41 = stated(
    r"""SSA-E41 (step; Eq. (41), E.2.5): Bound on the local move N₅
    Print: \le2r\eta^2\sigma^2+2r\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]
    Plainly: The squared move after r steps is at most 2rη²(σ² + N₆), N₆ the sum of the squared gradients of the
      round.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: the move after r steps | From (36) to (41), every r < τ.
    Mutant: r lost before the gradients | r nearly equal gradients move the client by r²η²‖∇F_k‖², more than
      2τη²‖∇F_k‖² for long rounds
    Mutant: noise dropped | started at a minimiser with a short step the client moves by noise alone
    Rests on: SSA-E40
    Verdict: Holds: (40) with the sum extended by non-negative terms.""",
    of_round(
        le(
            N5,
            2 * r * eta**2 * sigma2 + 2 * r * eta**2 * N6,
            again=lambda r, eta, sigma2, N6: 2 * r * eta * eta * (N6 + sigma2),
        ),
        reach=8.0,
    ),
    mutants={
        "r lost before the gradients": of_round(le(N5, 2 * r * eta**2 * sigma2 + 2 * eta**2 * N6), reach=8.0),
        "noise dropped": of_round(le(N5, 2 * r * eta**2 * N6), reach=8.0),
    },
)

CLAIMS: tuple[Claim, ...] = (E32, E33, E34, E35, E36, E37, E38, E39, E40, E41)
