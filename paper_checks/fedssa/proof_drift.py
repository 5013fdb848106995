"""E.2.4 to E.2.6, (32) to (49): how far a client drifts within a round."""

from __future__ import annotations

from typing import Any

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import ONE_ROUND, of_round
from validation import Claim, Integer, LogScale, symbols
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import square, vectors
from validation.statement.instances.domain import Domain, Parameter
from validation.statement.says import Le, all_of, eq, identity, le, lt
from validation.world.stated import but, stated
from validation.world.world import World, numbers

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
    Reading: for all vectors | Written for r = 2, a sum of more being one more vector; η² left out.
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
    Assumes: one client, one round, samples fresh at every step; ηL up to 4/τ, which is more than the proof asks
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
    Reading: the gradients | S the sum of the gradients of n steps, coordinate by coordinate. | part: the gradients
    Mutant: σ² without r | two steps with noise of full size give 2σ²
    Rests on: SSA-A3, SSA-E38
    Verdict: Holds. At r = 0 the printed 1/r has no value; with the empty sum read as 0, as it must be, both sides are
      0.""",
    of_round(le(Snn, r * sigma2, again=lambda r, sigma2: sigma2 * r), reach=8.0),
    readings={
        "the gradients": identity(S**2, (n * (S / n)) ** 2),
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


D0, Gr = NOTATION.symbols("D0 Gr")

a, b, c = vectors("a b c")
n0, n1, m0, m1 = vectors("n0 n1 m0 m1")


E42 = stated(
    r"""SSA-E42 (step; Eq. (42), E.2.5): Drift through the local moves
    Print: \mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-
      \theta_k^{(t,r)}\|^2]
    Plainly: The drift of the averaged gradient is at most L² times the mean squared move.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Ends of (32) to (35).
    Mutant: 1/τ² in place of 1/τ | in a long round the squared mean drift is about three quarters of the mean squared
      drift
    Rests on: SSA-E35
    Verdict: (32) to (35) in one line; holds.""",
    of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    mutants={
        "1/τ² in place of 1/τ": of_round(le(D0, L**2 * X / tau), reach=8.0),
    },
)


E43 = stated(
    r"""SSA-E43 (step; Eq. (43), E.2.5): Local moves through the gradients on the way
    Print: \le(\tau-1)L^2\eta^2\sigma^2+(\tau-1)L^2\eta^2\sum_{s=0}^{\tau-1}\mathbb E[\|\nabla F_k(
      \theta_k^{(t,s)})\|^2]
    Plainly: L² times the mean squared move is at most (τ − 1)L²η²(σ² + N₆).
    Assumes: one client, one round, samples fresh at every step; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | The left side of (46), the larger one of (42). | part: as printed
    Reading: the sum over r | Σ_{r<τ}r = τ(τ − 1)/2, from τ = n to n + 1; at τ = 1 both are 0. | part: the sum over r
    Mutant: noise dropped | started at a minimiser with a short step the client moves by noise alone
    Mutant: N₆ dropped | without noise the client still moves
    Rests on: SSA-E41, SSA-E42
    Verdict: Holds: (41) averaged over r.""",
    of_round(
        le(
            LX,
            (tau - 1) * L**2 * eta**2 * sigma2 + (tau - 1) * L**2 * eta**2 * N6,
            again=lambda tau, L, eta, sigma2, N6: (L * eta) ** 2 * (tau * (sigma2 + N6) - sigma2 - N6),
        ),
        reach=8.0,
    ),
    readings={
        "the sum over r": identity(n * (n - 1) / 2 + n, (n + 1) * n / 2),
    },
    mutants={
        "noise dropped": of_round(le(LX, (tau - 1) * L**2 * eta**2 * N6), reach=8.0),
        "N₆ dropped": of_round(le(LX, (tau - 1) * L**2 * eta**2 * sigma2), reach=8.0),
    },
)

E44 = stated(
    r"""SSA-E44 (step; Eq. (44), E.2.6): Gradients on the way through the gradient at the start
    Print: \mathbb E[\|\nabla F_k(\theta_k^{(t,s)})\|^2]\le2\mathbb E[\|\nabla F_k(\theta_k^{(t,s)})-\nabla F_k(
      \theta^{(t,0)})\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: A squared gradient is at most twice its squared change plus twice the squared gradient at the start.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path.
    Mutant: without the factor 2 | at b = a/2 the right side is ‖a‖²/2
    Tight: the gradient at s twice that at the start
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    VectorInequality(square(a), 2 * square(a - b) + 2 * square(b)),
    mutants={
        "without the factor 2": VectorInequality(square(a), square(a - b) + square(b)),
    },
)


E45 = stated(
    r"""SSA-E45 (step; Eq. (45), E.2.6): Gradients on the way through the move
    Print: \le2L^2\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,s)}\|^2]+2\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: The squared gradient after s steps is at most 2L² times the squared move plus twice the squared gradient
      at the start.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Every s < τ.
    Mutant: gradient at the start dropped | at s = 0 there is no move
    Rests on: SSA-A1, SSA-E44
    Verdict: Holds: (44) and smoothness.""",
    of_round(le(Gr, 2 * L**2 * N5 + 2 * G0, again=lambda L, N5, G0: 2 * (G0 + L * L * N5)), reach=8.0),
    mutants={
        "gradient at the start dropped": of_round(le(Gr, 2 * L**2 * N5), reach=8.0),
    },
)

_START = (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**2 * tau * G0


def virtual_again(tau: float, L: float, eta: float, sigma2: float, G0: float, Xbar: float) -> float:
    """The right side of (46) once more, its second sum over the mean model."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * Xbar + G0))


def own_again(tau: float, L: float, eta: float, sigma2: float, G0: float, X: float) -> float:
    """The right side of (46) once more, its second sum over the client's own models."""
    return (tau - 1) * (eta * L) ** 2 * (sigma2 + 2 * tau * (L**2 * X + G0))


E46 = stated(
    r"""SSA-E46 (step; Eq. (46), E.2.6): Inequality for the local moves
    Print: \frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-\theta_k^{(t,r)}\|^2]\le(\tau-1)L^2\eta^2\sigma^2+2(\tau-1)
      \eta^2L^4\sum_s\mathbb E[\|\theta_k^{(t,0)}-\theta^{(t,s)}\|^2]+2(\tau-1)\eta^2L^2\sum_s\mathbb E[\|\nabla F_k(
      \theta^{(t,0)})\|^2]
    Plainly: The mean squared move is bounded by noise, itself times a small factor, and the gradient at the start.
    Reading: θ^(t,s) the weighted mean of the local models | As the superscripts stand; ηL <= 1/(2τ). | because: the
      superscripts as they stand, by analogy with θ^(t,0), (3)
    Reading: θ_k^(t,s), the client's own model | With the index k where (45) has it; any step. | edit: θ^(t,0) −
      θ_k^(t,s) in place of θ_k^(t,0) − θ^(t,s) | token | forced by: (45), which is put into (43) here, has the index
      k at θ_k^(t,s); θ^(t,s) is defined nowhere | carries: yes
    Mutant: gradient at the start dropped | without noise the rest is C times the left side, and C < 1
    Rests on: SSA-E43, SSA-E45
    Verdict: The index k stands at the wrong model in the second sum: θ^(t,s) is defined nowhere. With the client's
      own model it is (45) put in (43), and holds for every step. Read as the mean of the local models it holds as
      well for ηL <= 1/(2τ), where the other terms are large enough alone."""
    + ONE_ROUND,
    of_round(le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * Xbar, again=virtual_again)),
    readings={
        "θ_k^(t,s), the client's own model": of_round(
            le(LX, _START + 2 * (tau - 1) * eta**2 * L**4 * tau * X, again=own_again), reach=8.0
        ),
    },
    mutants={
        "gradient at the start dropped": of_round(
            le(LX, (tau - 1) * L**2 * eta**2 * sigma2 + 2 * (tau - 1) * eta**2 * L**4 * tau * X)
        ),
    },
)

E47 = stated(
    r"""SSA-E47 (step; Eq. (47), E.2.6): Drift through the local moves, repeated
    Print: \mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]\le\frac{L^2}\tau\sum_r\mathbb E[\|\theta^{(t,0)}-
      \theta_k^{(t,r)}\|^2]
    Plainly: The drift of the averaged gradient is at most L² times the mean squared move.
    Assumes: one client, one round; ηL up to 4/τ, which is more than the proof asks
    Reading: as printed | Ends of (32) to (35).
    Mutant: 1/τ² in place of 1/τ | in a long round the squared mean drift is about three quarters of the mean squared
      drift
    Rests on: SSA-E42
    Verdict: (42) again, and true as there.""",
    of_round(le(D0, L**2 * X, again=lambda L, X: L * X * L), reach=8.0),
    mutants={
        "1/τ² in place of 1/τ": of_round(le(D0, L**2 * X / tau), reach=8.0),
    },
)


_DRIFT_C = 2 * tau * (tau - 1) * eta**2 * L**2
_BELOW = (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C) + _DRIFT_C / (1 - _DRIFT_C) * G0


def rearranged_again(tau: float, eta: float, sigma2: float, L: float, G0: float) -> float:
    """The right side of (48) once more."""
    small = (eta * L) ** 2 * (tau - 1)
    return small * (sigma2 + 2 * tau * G0) / (1 - 2 * small * tau)


E48 = stated(
    r"""SSA-E48 (step; Eq. (48), E.2.6): Bound on N₄
    Print: \le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-2\tau(\tau-1)\eta^2L^2}+\frac{2\tau(\tau-1)\eta^2L^2}{1-2\tau(
      \tau-1)\eta^2L^2}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2]
    Plainly: Rearranged, the mean squared move is bounded by noise and the gradient at the start.
    Assumes: one client, one round, samples fresh at every step; C < 1
    Reading: as printed, C < 1 | ηL up to 0.7/τ, where C < 1 for every τ; the larger left side, of (42).
    Mutant: noise dropped | started at the client's minimiser only noise moves it
    Mutant: gradient at the start dropped | without noise the client still moves
    Rests on: SSA-E46, SSA-E47
    Verdict: Holds where C = 2τ(τ − 1)η²L² < 1, the sign the division by 1 − C needs. ηL <= 1/(2τ) gives C <= (τ −
      1)/(2τ) < 1/2.""",
    of_round(le(LX, _BELOW, again=rearranged_again), lt(C, 1), reach=1.4),
    mutants={
        "noise dropped": of_round(le(LX, _DRIFT_C / (1 - _DRIFT_C) * G0), lt(C, 1), reach=1.4),
        "gradient at the start dropped": of_round(
            le(LX, (tau - 1) * eta**2 * sigma2 * L**2 / (1 - _DRIFT_C)), lt(C, 1), reach=1.4
        ),
    },
)

E49 = stated(
    r"""SSA-E49 (step; Eq. (49), E.2.6): Bound on N₄ through C
    Print: =\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1-C}\mathbb E[\|\nabla F_k(\theta^{(t,0)})\|^2],\quad C=2
      \tau(\tau-1)\eta^2L^2<1
    Plainly: The same with the constant C.
    Assumes: C < 1
    Reading: as printed | C put in.
    Mutant: C = 2τ²η²L² | for τ = 1 that C is not 0
    Rests on: SSA-E48, SSA-D3
    Verdict: The definition of C; the same as in Theorem A.5.""",
    identity(_BELOW, ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, _DRIFT_C)),
    mutants={
        "C = 2τ²η²L²": identity(
            _BELOW,
            ((tau - 1) * eta**2 * sigma2 * L**2 / (1 - C) + C / (1 - C) * G0).subs(C, 2 * tau**2 * eta**2 * L**2),
        ),
    },
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
S14 = stated(
    r"""SSA-S14 (step; (46) to (48)): Solving for the drift
    Print: X\le(\tau-1)L^2\eta^2\sigma^2+CX+CG_k\ \Rightarrow\ X\le\frac{(\tau-1)\eta^2\sigma^2L^2}{1-C}+\frac C{1
      -C}G_k
    Plainly: The drift's bound in terms of itself is solved for the drift.
    Assumes: C = 2τ(τ−1)η²L² < 1, which ηL <= 1/(2τ) gives (SSA-S20)
    Reading: as printed | Any X that obeys (46); τ up to 300.
    Mutant: C < 1 removed | for C >= 1 every X obeys (46) and the right side is negative
    Mutant: without the division | X = a/(1 − C) obeys X <= a + CX and exceeds a
    Tight: equality in (46)
    Rests on: SSA-S13, SSA-S20
    Verdict: True for C < 1. The condition is needed and follows from the theorem's step size.""",
    _SOLVED,
    _drifts(),
    mutants={
        "C < 1 removed": _drifts(far=True),
        "without the division": le(_ONE_DRIFT, _LINE48 * (1 - _C)),
    },
)


def half_again(local_steps: Any) -> Any:
    """(1 − 1/τ)/2."""
    return (1 - 1 / local_steps) / 2


_HALF = le(_C, (local_steps - 1) / (2 * local_steps), again=half_again)
_KEPT, _A = le(_C * (1 + 2 * A), 1), LogScale("A", 1e-2, 1e2, at=(1.0,))
S20 = stated(
    r"""SSA-S20 (step; Theorem A.5, (48), (49), (55)): What the step size condition gives
    Print: \eta L\le\tfrac1{2\tau}\ \Rightarrow\ C\le\tfrac{\tau-1}{2\tau}<1
    Plainly: The theorem's step size makes C at most (τ − 1)/(2τ), so smaller than 1, as printed.
    Assumes: C = 2τ(τ−1)η²L² | A > 0
    Reading: as needed | Ours, the second half: C <= (τ − 1)/(2τ) and 1 − C − 2AC >= 0. | part: 1 − C − 2AC > 0 |
      ours: the theorem prints C < 1 and never says that its denominator is positive; asked here is what its use needs
    Reading: 2(1 + 2A)τ(τ−1)η²L² < 1 | The denominator's own condition on the step. | part: 1 − C − 2AC > 0 |
      condition: 2(1 + 2A)τ(τ − 1)η²L² < 1
    Reading: C alone | C <= (τ − 1)/(2τ). | part: C < 1
    Mutant: ηL <= 1/τ | at ηL = 1/τ C is four times as large
    Mutant: C at most a third | C tends to 1/2 with τ
    Tight: ηL = 1/(2τ)
    Rests on: SSA-A1
    Verdict: It holds: the theorem's step gives C <= (τ − 1)/(2τ) < 1/2, so that every division by 1 − C is sound.
      That 1 − C − 2AC > 0, too, is printed nowhere; it is what the use of the theorem at w = p needs, and it does not
      follow: at ηL = 1/(2τ) and A = 1, the least that A.4 allows with unbounded gradients, 1 − C − 2AC = (3 −
      τ)/(2τ), not positive from τ = 3 on. In general τηL has to be below about 1/√(2 + 4A). With the experiments' τ
      in the thousands the theorem says nothing at its own largest step. The sign is counted at SSA-TA5.""",
    all_of(_HALF, _KEPT),
    _steps(_A),
    readings={
        "2(1 + 2A)τ(τ−1)η²L² < 1": but(None, lt(_C * (1 + 2 * A), 1)),
        "C alone": but(_HALF, world=_steps()),
    },
    mutants={
        "ηL <= 1/τ": but(_HALF, world=_steps(far=True)),
        "C at most a third": but(le(_C, sp.Rational(1, 3)), world=_steps()),
    },
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
