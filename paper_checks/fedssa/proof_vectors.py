"""Steps of the proof E.2 over drawn vectors: Cauchy–Schwarz, bounded dissimilarity, Jensen."""

from __future__ import annotations

from typing import Any

from paper_checks.fedssa.free_vectors import drawn_step
from validation import Claim, symbols
from validation.world.stated import stated

__all__ = ["CLAIMS"]

gaps2, all2, mean2, tau, K, W_D, A, B, grad2 = symbols("gaps2 all2 mean2 tau K W_D A B grad2")


def cauchy_again(gaps2: Any, all2: Any) -> Any:
    """Both sums and a 2."""
    return all2 * gaps2 * 2


S07 = stated(
    r"""SSA-S07 (step; (27) to (28)): Cauchy–Schwarz for vectors
    Print: 2\Big\|\sum_k(p_k-w_k)\nabla F_k\Big\|^2\le2\Big[\sum_k(p_k-w_k)^2\Big]\Big[\sum_k\|\nabla F_k\|^2\Big]
    Plainly: The squared mismatch of the direction is at most the squared weight gaps times all squared gradients.
    Assumes: any gradients, any real w; path by path
    Reading: as printed | Up to 300 clients.
    Mutant: half of the right side | gradients proportional to pₖ − wₖ attain the printed bound
    Tight: ∇Fₖ proportional to pₖ − wₖ
    Rests on: SSA-S06
    Verdict: True and attained, for any weights, also those that depend on the round.""",
    drawn_step(2 * gaps2 * all2, cauchy_again, "apart"),
    mutants={
        "half of the right side": drawn_step(gaps2 * all2, None, "apart"),
    },
)


def bounded_again(W_D: Any, A: Any, B: Any, grad2: Any) -> Any:
    """W_D times A.4's right side."""
    return W_D * A * grad2 + B * W_D


_S08 = W_D * (A * grad2 + B)
S08 = stated(
    r"""SSA-S08 (step; (28) to (29)): Bounded dissimilarity put in
    Print: 2\Big[\sum_k(p_k-w_k)^2\Big]\Big[\sum_k\|\nabla F_k\|^2\Big]\le2K\Big[\sum_k(p_k-w_k)^2\Big]\big[A\|\nabla
      F\|^2+B\big]
    Plainly: The sum of the clients' squared gradients is at most K times A‖∇F‖² + B.
    Assumes: A.4 at the model of this round, for every client | any real w
    Reading: as printed | Up to 300 clients; any pair A, B that fits.
    Mutant: without K | K identical clients have K equal squared gradients
    Mutant: A.4 for the p-weighted mean of squares only | a client with pₖ = 0 may then have any gradient, and the sum
      counts it
    Tight: identical clients with A = 1, B → 0
    Rests on: SSA-S07, SSA-A4
    Verdict: True, for each client is bounded on its own; this is why A.4 is stated per client. The conventional
      p-weighted form would not do. The factor K stays in W_D = 2KΣ(pₖ − wₖ)².""",
    drawn_step(_S08, bounded_again, "bounded"),
    mutants={
        "without K": drawn_step(_S08 / K, None, "bounded"),
        "A.4 for the p-weighted mean of squares only": drawn_step(_S08, None, "bounded", "average"),
    },
)


def jensen_again(mean2: Any) -> Any:
    """The weighted mean of squares."""
    return 0 + mean2


S10 = stated(
    r"""SSA-S10 (step; (30) to (31)): Jensen's inequality with the aggregation weights
    Print: \Big\|\sum_{k=1}^Kw_kx_k\Big\|^2\le\sum_{k=1}^Kw_k\|x_k\|^2
    Plainly: The square of the weighted sum of gradient differences is at most the weighted sum of their squares.
    Assumes: nothing is stated of w in A.1 to A.5: not its sign, not its sum
    Reading: any real weights | Nothing is said of w. | cut weights = any sign, any sum
    Reading: weights that sum to one | What the update (13) needs, of any sign. | cut weights = any sign, sum one
    Reading: weights on the simplex | What the cited inequality is about. | condition: w_k >= 0, Σw_k = 1 | met by:
      FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Mutant: half of the right side | equal vectors attain the printed bound
    Tight: equal vectors
    Rests on: SSA-S09
    Repeats: SSA-E31
    Verdict: True for weights on the simplex (and for non-negative ones with a sum below 1). For others it is not:
      with w = (2, −1), x = (0, 1) the left side is 1 and the right side −1. The theory section puts no condition on
      w; the entropy loss needs wₖ >= 0, and how w is kept on the simplex is left open.""",
    drawn_step(mean2, jensen_again, "mixed"),
    readings={
        "weights that sum to one": drawn_step(mean2, jensen_again, "mixed", "one"),
        "weights on the simplex": drawn_step(mean2, jensen_again, "mixed", "simplex"),
    },
    mutants={
        "half of the right side": drawn_step(mean2 / 2, None, "mixed", "simplex"),
    },
)


def uniform_again(all2: Any, tau: Any) -> Any:
    """The sum over the number."""
    return all2 * (1 / tau)


def total_again(all2: Any, tau: Any) -> Any:
    """The sum times the number."""
    return tau * all2


S11 = stated(
    r"""SSA-S11 (step; (33) to (34), (39) to (40)): Jensen's inequality over local steps
    Print: \Big\|\frac1\tau\sum_{r<\tau}x_r\Big\|^2\le\frac1\tau\sum_{r<\tau}\|x_r\|^2,\qquad\Big\|r\sum_{s<r}
      \frac1rx_s\Big\|^2\le r\sum_{s<r}\|x_s\|^2
    Plainly: The square of a mean over local steps is at most the mean of squares, and of a sum r times the sum.
    Assumes: any vectors | r >= 1 in the second; at r = 0 both sides are empty
    Reading: the mean, (34) | Up to 300 steps. | part: the mean, (34)
    Reading: the sum, (40) | Up to 300 steps. | part: the sum, (40)
    Mutant: the sum without r | r equal vectors: r² against r
    Mutant: the mean over τ² | equal vectors: 1 against 1/τ
    Tight: equal vectors
    Rests on: SSA-E33, SSA-E39
    Verdict: True and attained by equal vectors. (39) divides by r, which is 0 in its first case; there both sides are
      0.""",
    drawn_step(all2 / tau, uniform_again, "mixed", "equal"),
    readings={
        "the sum, (40)": drawn_step(tau * all2, total_again, "total"),
    },
    mutants={
        "the sum without r": drawn_step(all2, None, "total"),
        "the mean over τ²": drawn_step(all2 / tau**2, None, "mixed", "equal"),
    },
)

CLAIMS: tuple[Claim, ...] = (S07, S08, S10, S11)
