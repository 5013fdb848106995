"""SSA-E26 to SSA-E31: the error N₃ of the direction, split into weight mismatch and local drift."""

from __future__ import annotations

from paper_checks.fedssa.free_vectors import drawn_step
from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import of_round
from validation import Claim, symbols
from validation.statement.domain import Domain, Parameter
from validation.statement.gram import VectorInequality
from validation.statement.says import identity, le
from validation.statement.vectors import square, vectors
from validation.world.stated import stated

__all__ = ["CLAIMS"]

N3, fall = NOTATION.symbols("N3 fall")

p1, p2, w1, w2, f1, f2, h1, h2 = symbols("p1 p2 w1 w2 f1 f2 h1 h2")
q1, q2, q3, w3, c = symbols("q1 q2 q3 w3 c")
misfit, drift = symbols("misfit drift")
tau, eta, L = symbols("tau eta L")
A, B, B_mean, G, K, gap2, M, R, Rmin, S, sigma2, W_D, N4 = symbols("A B B_mean G K gap2 M R Rmin S sigma2 W_D N4")
a1, a2, a3 = vectors("a1 a2 a3")
_TOTAL = ((p1 - w1) * f1 + (p2 - w2) * f2 + w1 * (f1 - h1) + w2 * (f2 - h2)) ** 2

E26 = stated(
    r"""SSA-E26 (step; Eq. (26), E.2.3): Mismatch and drift
    Print: N_3=\mathbb E[\|\sum_k(p_k-w_k)\nabla F_k(\theta^{(t,0)})+\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
      h_k)\|^2]
    Plainly: The error of the direction is the mismatch of the weights plus the weighted local drift.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: as printed | One coordinate, two clients, any p and w. | part: as printed
    Reading: one summand more | One client more: mismatch and drift so far, whose sum is Σp_k∇F_k − Σw_kh_k. | part:
      one summand more
    Mutant: p_k in place of w_k before the drift | the sides differ by Σ(p_k − w_k)(∇F_k − h_k)
    Rests on: SSA-E12, SSA-E25
    Verdict: An identity, by ∇F = Σp_k∇F_k; nothing is asked of p and w.""",
    identity((p1 * f1 + p2 * f2 - w1 * h1 - w2 * h2) ** 2, _TOTAL),
    readings={
        "one summand more": identity(
            (misfit + drift + p1 * f1 - w1 * h1) ** 2, (misfit + (p1 - w1) * f1 + drift + w1 * (f1 - h1)) ** 2
        ),
    },
    mutants={
        "p_k in place of w_k before the drift": identity(
            (p1 * f1 + p2 * f2 - w1 * h1 - w2 * h2) ** 2,
            ((p1 - w1) * f1 + (p2 - w2) * f2 + p1 * (f1 - h1) + p2 * (f2 - h2)) ** 2,
        ),
    },
)


E27 = stated(
    r"""SSA-E27 (step; Eq. (27), E.2.3): Mismatch and drift separated
    Print: \le2\|\sum_k(p_k-w_k)\nabla F_k(\theta^{(t,0)})\|^2+2\|\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
      h_k)\|^2
    Plainly: The expected squared error is at most twice the squared mismatch plus twice the squared drift.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: for whatever noise occurs | The last norm is random and printed without expectation: the smallest it can
      be. | because: the right side is random as printed
    Reading: in expectation | The last norm inside E, as the line before (31) prints it. | edit: E before the second
      norm | token | forced by: (26), the line before, has the whole inside E; the first line of the block (31) prints
      τη E[‖Σw_k(∇F_k − h_k)‖²] | carries: yes
    Mutant: without the factor 2 on the drift | where drift and mismatch point the same way and the drift is twice the
      mismatch: 9 against 2 + 4
    Rests on: SSA-E26
    Verdict: A misprint: the sign E is missing before the second norm; with it the line holds. (26), the line before,
      has the whole inside E, and the first line of the block (31) prints it again, so the proof carries on with the
      expectation. The last norm is random from the second local step on. As printed, in (27) to (29), an expectation
      would have to lie below something that can be far smaller than its mean. The slip is counted here only.""",
    of_round(le(N3, 2 * M + 2 * Rmin, again=lambda M, Rmin: 2 * (M + Rmin)), weights="sum one", reach=8.0),
    readings={
        "in expectation": of_round(le(N3, 2 * M + 2 * R, again=lambda M, R: 2 * (M + R)), weights="sum one", reach=8.0),
    },
    mutants={
        "without the factor 2 on the drift": of_round(le(N3, 2 * M + R), weights="sum one", reach=8.0),
    },
)

_DIFFERENCES = Domain((Parameter("q1", -3, 3), Parameter("q2", -3, 3), Parameter("q3", -3, 3)))
_MIX = square(q1 * a1 + q2 * a2 + q3 * a3)
_SUM = square(a1) + square(a2) + square(a3)
_PAIR = Domain((Parameter("q1", -3, 3), Parameter("q2", -3, 3)))

squares_sum = symbols("squares_sum")
E28 = stated(
    r"""SSA-E28 (step; Eq. (28), E.2.3): Cauchy–Schwarz over the clients
    Print: \le2\big[\sum_k(p_k-w_k)^2\big]\big[\sum_k\|\nabla F_k(\theta^{(t,0)})\|^2\big]+2\|\sum_kw_k(\nabla F_k-
      \mathbf h_k)\|^2
    Plainly: The squared mismatch is at most the squared weight differences times the sum of the squared gradients.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: any clients and weights | The step from (27); the last norm is the same on both sides. | part: any
      clients and weights
    Reading: three free vectors | q_k = p_k − w_k in [−3, 3]. | part: three free vectors
    Mutant: the largest gradient alone | with a₁ = 0 the right side is 0
    Mutant: half the sum of the squared gradients | attained as printed: gradients proportional to p_k − w_k
    Tight: ∇F_k proportional to p_k − w_k
    Rests on: SSA-E27
    Verdict: Cauchy–Schwarz, attained by gradients proportional to p_k − w_k. The missing expectation of (27) plays no
      part: the last term is the same on both sides.""",
    of_round(le(M, gap2 * squares_sum, again=lambda gap2, squares_sum: squares_sum * gap2), weights="any", reach=8.0),
    readings={
        "three free vectors": VectorInequality(_MIX, (q1**2 + q2**2 + q3**2) * _SUM, _DIFFERENCES),
    },
    mutants={
        "the largest gradient alone": VectorInequality(square(q1 * a1 + q2 * a2), (q1**2 + q2**2) * square(a1), _PAIR),
        "half the sum of the squared gradients": of_round(le(M, gap2 * squares_sum / 2), weights="any", reach=8.0),
    },
)


E29 = stated(
    r"""SSA-E29 (step; Eq. (29), E.2.3): Bounded dissimilarity in the mismatch
    Print: \le2K\big[\sum_k(p_k-w_k)^2\big]\big[A\|\nabla F(\theta^{(t,0)})\|^2+B\big]+2\|\sum_kw_k(\nabla F_k-
      \mathbf h_k)\|^2
    Plainly: By Assumption 4 the sum of the squared gradients is at most K(A‖∇F‖² + B).
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: A.4 for every k | Also for clients with p_k = 0; the common factor 2Σ(p_k − w_k)² left out.
    Mutant: K dropped | two clients of equal squared gradient, which A‖∇F‖² + B just covers
    Mutant: the conventional dissimilarity Σp_k‖∇F_k‖² <= A‖∇F‖² + B | a client with a small p_k may have a gradient
      as large as it likes
    Tight: all clients meet A.4 with equality
    Rests on: SSA-A4, SSA-E28
    Verdict: Holds, and it needs the paper's own form of Assumption 4: for each client, those with p_k = 0 included.""",
    of_round(le(squares_sum, K * (A * G + B), again=lambda K, A, G, B: K * A * G + K * B), reach=8.0),
    mutants={
        "K dropped": of_round(le(squares_sum, A * G + B), reach=8.0),
        "the conventional dissimilarity Σp_k‖∇F_k‖² <= A‖∇F‖² + B": of_round(
            le(squares_sum, K * (A * G + B_mean)), reach=8.0
        ),
    },
)

_HEAD = -tau * eta * (1 - A * W_D) / 2 * G + L * tau * eta**2 * sigma2 * S + tau * eta * B * W_D / 2


def before_again(
    tau: float, eta: float, A: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, R: float
) -> float:
    """The line before (31) once more."""
    return tau * eta * ((W_D * (A * G + B) - G) / 2 + L * eta * sigma2 * S + R)


def jensen_again(
    tau: float, eta: float, A: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, N4: float
) -> float:
    """The right side of (31) once more."""
    return tau * eta * (N4 + (B * W_D + (A * W_D - 1) * G) / 2) + L * tau * eta**2 * S * sigma2


E30 = stated(
    r"""SSA-E30 (step; first line of the block tagged (31), E.2.3): Descent with the weight discrepancy
    Print: \mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta(1-AW_D)}2\|\nabla F\|^2+L\tau\eta^2
      \sigma^2\sum_kw_k^2+\frac{\tau\eta BW_D}2+\tau\eta\mathbb E[\|\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
      h_k)\|^2]
    Plainly: If 2τηL <= 1, a round lowers F up to noise, the weight discrepancy and the squared drift.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said | ‖∇F_k‖² <= A‖∇F‖² + B at θ^(t,0) for every k, A, B > 0
    Reading: weights fixed before the round | Of sum one, as (13) needs, and any sign. | because: Σw_k² and W_D stand
      outside every expectation
    Reading: weights learned from the local models | Ours: on the simplex, W_D and Σw_k² at their largest over the
      noise. | cut weights = see the round's samples | sees: after the step | ours: the largest W_D and Σw_k² over the
      noise; both are printed outside every expectation, where weights that see the noise are excluded (the gap to
      Algorithm 1 is counted at SSA-E17)
    Mutant: A‖∇F‖² forgotten | with A large B may be tiny; weight on a client that pulls against F then raises it
    Mutant: BW_D dropped | at a stationary point of F any other weights move the model and raise a convex F
    Mutant: one noise for all clients | at a stationary point of like clients the shared noise is not averaged: σ² in
      place of σ²Σw_k²
    Rests on: SSA-E25, SSA-E29
    Verdict: It holds for weights fixed before the round under 2τηL <= 1, which lets the term with Σw_kh_k be dropped.
      Here the factor is 1 − A·W_D, with the A of Assumption 4. W_D and Σw_k² are printed outside every expectation.
      With their largest values over the noise, which is ours, and weights learned from the round's own models it
      fails, as (25) does; the gap to Algorithm 1 is counted at SSA-E17.""",
    of_round(le(fall, _HEAD + tau * eta * R, again=before_again), weights="sum one"),
    readings={
        "weights learned from the local models": of_round(
            le(fall, _HEAD + tau * eta * R, again=before_again), sees=1, large=False
        ),
    },
    mutants={
        "A‖∇F‖² forgotten": of_round(le(fall, (_HEAD + tau * eta * R).subs(A, 0))),
        "BW_D dropped": of_round(le(fall, (_HEAD + tau * eta * R).subs(B, 0))),
        "one noise for all clients": of_round(le(fall, _HEAD + tau * eta * R), coins=1),
    },
)

mean2 = symbols("mean2")


def mean_again(mean2: float) -> float:
    """The weighted mean of the squares."""
    return mean2 * 1


_SIGNED = Domain((Parameter("c", -2, 3),))
_SIMPLEX = Domain((), (("w1", "w2", "w3"),))
E31 = stated(
    r"""SSA-E31 (step; Eq. (31), E.2.3): Jensen over the clients
    Print: \dots+\tau\eta\sum_kw_k\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]
    Plainly: The square of the weighted drift is at most the weighted mean of the squared drifts.
    Assumes: any vectors; expectations of both sides follow
    Reading: weights of sum one, any sign | ‖Σw_kx_k‖² <= Σw_k‖x_k‖², w = (c, 1 − c); no sign is stated. | part:
      Jensen over the clients | cut weights = any sign, sum one | because: w_k >= 0 is printed nowhere
    Reading: weights on the simplex | The same step for three clients. | part: Jensen over the clients | condition:
      w_k >= 0 | met by: FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Reading: the whole of (31), weights on the simplex, learned from the local models | The change of F on the left;
      W_D and Σw_k² at their largest over the noise. | part: the whole of (31) | cut weights = see the round's samples
      | sees: after the step | ours: the largest W_D and Σw_k² over the noise; w_k, Σw_k² and W_D are printed outside
      every expectation, where weights that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)
    Reading: up to 300 clients, weights on the simplex | The step, on drawn vectors. | part: Jensen over the clients |
      condition: w_k >= 0 | met by: FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Reading: the whole of (31), weights on the simplex, fixed before the round | The change of F on the left. | part:
      the whole of (31) | condition: w_k >= 0 | met by: FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Mutant: weights squared | equal vectors give ‖x‖² against ‖x‖²Σw_k²
    Tight: equal drifts
    Rests on: SSA-E30
    Verdict: Jensen needs w_k >= 0 with Σw_k <= 1. Nowhere are the aggregation weights said to be non-negative (only
      the entropy loss, undefined for negative ones, suggests it); with weights (2, −1) the step fails. On the
      simplex, as everyone would assume, it holds for any number of clients: Σw_k‖x_k‖² − ‖Σw_kx_k‖² =
      Σ_{j<k}w_jw_k‖x_j − x_k‖². The line as a whole needs, like (30), weights that do not see the round.""",
    VectorInequality(square(c * a1 + (1 - c) * a2), c * square(a1) + (1 - c) * square(a2), _SIGNED),
    readings={
        "weights on the simplex": VectorInequality(
            square(w1 * a1 + w2 * a2 + w3 * a3), w1 * square(a1) + w2 * square(a2) + w3 * square(a3), _SIMPLEX
        ),
        "the whole of (31), weights on the simplex, learned from the local models": of_round(
            le(fall, _HEAD + tau * eta * N4, again=jensen_again), sees=1, large=False
        ),
        "up to 300 clients, weights on the simplex": drawn_step(mean2, mean_again, "mixed", "simplex"),
        "the whole of (31), weights on the simplex, fixed before the round": of_round(
            le(fall, _HEAD + tau * eta * N4, again=jensen_again)
        ),
    },
    mutants={
        "weights squared": VectorInequality(
            square(w1 * a1 + w2 * a2 + w3 * a3),
            w1**2 * square(a1) + w2**2 * square(a2) + w3**2 * square(a3),
            _SIMPLEX,
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E26, E27, E28, E29, E30, E31)
