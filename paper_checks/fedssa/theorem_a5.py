"""SSA-TA5, the optimisation error of FedSSA with aggregation weights w that differ from the objective's p."""

from __future__ import annotations

from typing import Any

from paper_checks.fedssa.theorem_line import line_runs
from paper_checks.fedssa.theorem_runs import theorem_runs
from validation import Bound, Inequality, symbols
from validation.world.stated import stated

__all__ = ["SSA_TA5"]

tau, eta, T, L, C, A, B, W_D, drop, noise, square_weights = symbols("tau eta T L C A B W_D drop noise square_weights")
# The smallest squared gradient is at most the first, and that at most 2L times the first gap.
_FIRST = Bound(2 * L * drop)
_MEAN = "the mean squared gradient of a run that diverges is as large as one likes, whatever its first gap"
_T1 = 2 * (1 - C) * drop / (tau * eta * T)
_T2 = (1 - C) * B * W_D
_T3 = 2 * (1 - C) * L * eta * noise * square_weights
_T4 = 2 * (tau - 1) * noise * L**2 * eta**2
_T5 = 2 * B * C
_SUM = _T1 + _T2 + _T3 + _T4 + _T5


def bound_again(
    tau: Any, eta: Any, T: Any, L: Any, C: Any, A: Any, B: Any, W_D: Any, drop: Any, noise: Any, square_weights: Any
) -> Any:
    """The right side of Theorem A.5 once more, everything over (1 − C)."""
    inner = 2 * drop / (tau * eta * T) + B * W_D + 2 * L * eta * noise * square_weights
    inner = inner + (2 * (tau - 1) * noise * (L * eta) ** 2 + 2 * B * C) / (1 - C)
    return inner / (1 - 2 * A * C / (1 - C) - W_D)


PRINTED = Bound(_SUM / (1 - C - 2 * A * C - W_D * (1 - C)), again=bound_again)
REPAIRED = Bound(_SUM / (1 - C - 2 * A * C - A * W_D * (1 - C)))


def _without(term: Any) -> Inequality:
    """The repaired bound less one of its terms."""
    return Inequality(Bound((_SUM - term) / (1 - C - 2 * A * C - A * W_D * (1 - C))), theorem_runs())


SSA_TA5 = stated(
    r"""SSA-TA5 (theorem; Theorem A.5, Appendix A; proof E.2): Optimisation error under weight discrepancy
    Print: \min_t\mathbb E\|\nabla F(\theta^{(t,0)})\|^2\le\frac1T\sum_{t=0}^{T-1}\mathbb E\|\nabla F(
      \theta^{(t,0)})\|^2\le\frac{T_1+T_2+T_3+T_4+T_5}{1-C-2AC-W_D(1-C)}
    Plainly: The smallest and the mean squared gradient over T rounds are below (T₁+…+T₅)/(1 − C − 2AC − W_D(1 − C)).
    Assumes: every F_k is L-smooth, F bounded below, gradients unbiased with variance at most σ² at each client |
      ‖∇F_k‖² <= A‖∇F‖² + B for every k everywhere, A, B > 0 | ηL <= 1/(2τ); Σp_k = 1 | in every reading p and w on
      the simplex; in all but two w fixed and the clients' noises independent
    Reading: denominator of any sign | Nothing is said of the denominator; where it is negative the right side is too.
      | cut denominator = negative | because: ηL <= 1/(2τ) and C < 1, all that is printed, leave the denominator's
      sign open
    Reading: denominator positive | Only instances with a positive denominator; the smallest of the squared gradients.
      | because: the A of (29) to (31) is lost in (52); A.4 forces A >= 1 wherever ∇F is unbounded
    Reading: weights learned from the local models | Ours, as Algorithm 1 learns them: W_D and Σw² at their largest
      over the noise; A <= 1 and a positive denominator, so that nothing else is in the way. | cut weights = see the
      round's samples | sees: after the step | used by: FedSSA (Algorithm 1): {w_k^t} := arg min L_SSA({θ_k^t}, …) |
      ours: the theorem prints w_k without t, and Σw_k² and W_D outside every expectation: constants of the run; the
      largest over the noise is ours
    Reading: noise shared between the clients | Ours: A.3 is about each client by itself, though the proof says
      «independent» below (24). One coin a step moves them all; A <= 1, a positive denominator, w fixed. | ours: the
      proof states independence below (24): «clients are independent to each other»
    Reading: A <= 1, denominator positive, w fixed, noises independent | Clients with different gradients and A = 1;
      the mean squared gradient. | condition: A <= 1 | condition: 1 − C − 2AC − W_D(1 − C) > 0 | because: no named
      setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 for clients that really differ
    Reading: denominator positive, A·W_D in place of W_D | The factor A of (29), lost between (31) and (52), restored;
      w fixed, noises independent; the mean squared gradient. | condition: 1 − C − 2AC − A·W_D(1 − C) > 0 | edit:
      A·W_D in place of W_D in the denominator | token | forced by: (30), (31) and the first line of (52) print 1 −
      A·W_D
    Mutant: initial gap T₁ dropped from the repaired bound | with T = 1, no noise, w = p and τ = 1 the rest is 0 while
      the start has a gradient
    Mutant: weight discrepancy T₂ dropped from the repaired bound | without noise, τ = 1, started where w settles T₁
      falls with T and the gradient of F stays
    Mutant: noise term T₃ dropped from the repaired bound | one client started at its optimum with τ = 1 leaves only
      noise, and T₁ = T₂ = T₄ = T₅ = 0
    Mutant: drift term T₅ dropped from the repaired bound | w = p and no noise, started where two local steps settle:
      T₁ falls with T and the gradient of F stays
    Rests on: SSA-E28, SSA-E31, SSA-E52
    Verdict: Refuted as printed: even with a positive denominator the gradients can exceed the bound; with A·W_D in
      place of W_D in the denominator it holds for any A, where that is positive. (30), (31) and the first line of
      (52) print 1 − A·W_D; the second line of (52) has 1 − W_D, an upper bound only if A <= 1, while A.4 forces A >=
      1 wherever ∇F is unbounded. Two convex clients are enough: with all weight on the flatter one the model settles
      at its optimum, where the gradient of F is large, while the bound pays B·W_D for it as if A were 1. At W_D = 0
      (Corollary A.8) the lost A plays no part. The denominator's sign is never asked for; negative, it bounds
      nothing. Fixed weights and independent clients are taken as printed; FedSSA's learned weights are counted at
      SSA-E17.""",
    Inequality(PRINTED, line_runs(any_denominator=True), trivial=_FIRST),
    readings={
        "denominator positive": Inequality(PRINTED, line_runs(any_denominator=False), trivial=_FIRST),
        "weights learned from the local models": Inequality(
            PRINTED, theorem_runs(small=True, learned=True, average=False), trivial=_FIRST
        ),
        "noise shared between the clients": Inequality(
            PRINTED, theorem_runs(small=True, shared=True, average=False), trivial=_FIRST
        ),
        "A <= 1, denominator positive, w fixed, noises independent": Inequality(
            PRINTED, theorem_runs(small=True), trivial=_MEAN
        ),
        "denominator positive, A·W_D in place of W_D": Inequality(REPAIRED, theorem_runs(), trivial=_MEAN),
    },
    mutants={
        "initial gap T₁ dropped from the repaired bound": _without(_T1),
        "weight discrepancy T₂ dropped from the repaired bound": _without(_T2),
        "noise term T₃ dropped from the repaired bound": _without(_T3),
        "drift term T₅ dropped from the repaired bound": _without(_T5),
    },
)
