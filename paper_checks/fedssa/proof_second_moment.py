"""SSA-E19 to SSA-E25: the second moment N₂ of the update, and the descent of one round."""

from __future__ import annotations

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.proof_noise import LEARNED
from paper_checks.fedssa.rounds import of_round
from validation import Claim, symbols
from validation.statement.gram import VectorInequality
from validation.statement.says import eq, identity, le
from validation.statement.vectors import square, vectors
from validation.world.stated import stated

__all__ = ["CLAIMS"]

Dv, N2, V, V3, fall = NOTATION.symbols("Dv N2 V V3 fall")

w1, w2, tau, eta, L = symbols("w1 w2 tau eta L")
d1, d2, h1, h2 = symbols("d1 d2 h1 h2")
g1, g2, f1, f2, g3, g4, f3, f4 = symbols("g1 g2 f1 f2 g3 g4 f3 f4")
G, Q, S, N3, sigma2 = symbols("G Q S N3 sigma2")
noise, mean = vectors("noise mean")
n, w, d, h, g, f, D, H = symbols("n w d h g f D H")  # sums or means so far, and what one more client or step adds
_FRESH = "one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed"

E19 = stated(
    r"""SSA-E19 (step; Eq. (19), E.2.2): N₂ split at h_k
    Print: N_2=\mathbb E[\|\sum_kw_k(\mathbf d_k-\mathbf h_k)+\sum_kw_k\mathbf h_k\|^2]
    Plainly: h_k is subtracted and added inside the norm.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: as printed | One coordinate, two clients. | part: as printed
    Reading: one summand more | One client more, D = Σw_kd_k and H = Σw_kh_k so far. | part: one summand more
    Mutant: h_k added without its weight | the sides differ unless both weights are one
    Rests on: SSA-E11, SSA-E12, SSA-E15
    Verdict: An identity, for any weights.""",
    identity((w1 * d1 + w2 * d2) ** 2, (w1 * (d1 - h1) + w2 * (d2 - h2) + w1 * h1 + w2 * h2) ** 2),
    readings={
        "one summand more": identity((D + w * d) ** 2, (D - H + w * (d - h) + H + w * h) ** 2),
    },
    mutants={
        "h_k added without its weight": identity(
            (w1 * d1 + w2 * d2) ** 2, (w1 * (d1 - h1) + w2 * (d2 - h2) + h1 + h2) ** 2
        ),
    },
)

E20 = stated(
    r"""SSA-E20 (step; Eq. (20), E.2.2): Noise and mean separated
    Print: \le2\mathbb E[\|\sum_kw_k(\mathbf d_k-\mathbf h_k)\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]
    Plainly: The squared sum of noise and mean is at most twice the sum of their squares.
    Assumes: any vectors; expectations of both sides follow
    Reading: for all vectors | Path by path.
    Mutant: without the factor 2 | equal noise and mean give 4 against 2 (and h_k depends on earlier noise, so the
      cross term need not vanish)
    Tight: equal noise and mean
    Rests on: SSA-E19
    Verdict: ‖a + b‖² <= 2‖a‖² + 2‖b‖².""",
    VectorInequality(square(noise + mean), 2 * square(noise) + 2 * square(mean)),
    mutants={
        "without the factor 2": VectorInequality(square(noise + mean), square(noise) + square(mean)),
    },
)

E21 = stated(
    r"""SSA-E21 (step; Eq. (21), E.2.2): The clients' noise adds up
    Print: =2\sum_kw_k^2\mathbb E[\|\mathbf d_k-\mathbf h_k\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]
    Plainly: The second moment of the clients' weighted noise is the sum of w_k² times each client's own.
    Assumes: one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed
    Reading: weights fixed before the round | Independent clients, as the proof says. | because: w_k² stands outside
      the expectation
    Reading: weights learned from the local models | Ours: w_k² inside the expectation; the weights carry the noise of
      all clients. | cut weights = see the round's samples | sees: after the step | ours: w_k² moved inside the
      expectation; (21) prints it outside, where weights that see the noise are excluded
    Mutant: one noise for all clients | the weighted noises of two clients that share it add up before they are
      squared
    Rests on: SSA-A3, SSA-E20
    Verdict: It holds for independent clients, as the proof says, and for the weights as printed: w_k² stands outside
      the expectation. With w_k² moved inside, which is ours, and weights learned from all the local models of the
      round, w_k(d_k − h_k) and w_n(d_n − h_n) are dependent, and the equality fails; the gap to Algorithm 1 is
      counted at SSA-E17. Independence itself stands only in the proof: Assumption 3 is about each client alone.""",
    of_round(eq(Dv, V), reach=8.0),
    readings={
        "weights learned from the local models": of_round(eq(Dv, V), sees=1, reach=8.0, large=False),
    },
    mutants={
        "one noise for all clients": of_round(eq(Dv, V), coins=1, reach=8.0),
    },
)

E22 = stated(
    r"""SSA-E22 (step; Eq. (22), E.2.2): Noise written as a sum over the steps
    Print: =\frac2{\tau^2}\sum_kw_k^2\mathbb E[\|\sum_{r=0}^{\tau-1}(g_k(\theta_k^{(t,r)})-\nabla F_k(
      \theta_k^{(t,r)}))\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]
    Plainly: d_k − h_k is 1/τ times the sum of the step noises; its square carries 1/τ².
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: as printed | One coordinate, two clients, two local steps. | part: as printed
    Reading: one summand more | One step more for one client, d and h the means of the n before; the clients' terms
      are the same on both sides. | part: one summand more
    Mutant: 1/τ in place of 1/τ² | the factor 1/τ stands inside the square
    Rests on: SSA-E11, SSA-E12, SSA-E21
    Verdict: An identity from (11) and (12).""",
    identity(
        2 * w1**2 * ((g1 + g2) / 2 - (f1 + f2) / 2) ** 2 + 2 * w2**2 * ((g3 + g4) / 2 - (f3 + f4) / 2) ** 2,
        (w1**2 * ((g1 - f1) + (g2 - f2)) ** 2 + w2**2 * ((g3 - f3) + (g4 - f4)) ** 2) * 2 / 4,
    ),
    readings={
        "one summand more": identity(
            2 * w**2 * ((n * d + g) / (n + 1) - (n * h + f) / (n + 1)) ** 2,
            2 / (n + 1) ** 2 * w**2 * (n * (d - h) + g - f) ** 2,
        ),
    },
    mutants={
        "1/τ in place of 1/τ²": identity(
            2 * w1**2 * ((g1 + g2) / 2 - (f1 + f2) / 2) ** 2, w1**2 * ((g1 - f1) + (g2 - f2)) ** 2
        ),
    },
)

E23 = stated(
    r"""SSA-E23 (step; Eq. (23), E.2.2): Lemma 1 along a client's steps
    Print: =\frac2{\tau^2}\sum_kw_k^2\sum_{r=0}^{\tau-1}\mathbb E[\|g_k(\theta_k^{(t,r)})-\nabla F_k(
      \theta_k^{(t,r)})\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]
    Plainly: A client's step noises are uncorrelated, so the square of their sum is the sum of their squares.
    Assumes: one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed
    Reading: weights fixed before the round | Fresh mini-batches: noise of conditional mean 0 given the path, its size
      a function of the model. | because: w_k² stands outside the expectation
    Reading: weights learned from the local models | Ours: w_k² inside the expectation; the weights look at a client's
      first and last step. | cut weights = see the round's samples | sees: after the step | ours: w_k² moved inside
      the expectation; (23) prints it outside, where weights that see the noise are excluded
    Mutant: one mini-batch for the whole round | the noise then repeats, and τ equal noises give τ² in place of τ
    Rests on: SSA-L1, SSA-A3, SSA-E22
    Verdict: It holds for the weights as printed, w_k² outside the expectation, also where the size of the noise
      depends on the model. With w_k² moved inside, which is ours, learned weights see the product of a client's
      noises of two steps, which then does not average out; the gap to Algorithm 1 is counted at SSA-E17. It needs a
      fresh mini-batch at each step; with one batch kept for the round, Assumption 3 fails at the second step.""",
    of_round(eq(V, V3), reach=8.0),
    readings={
        "weights learned from the local models": of_round(eq(V, V3), sees=2, reach=8.0, large=False),
    },
    mutants={
        "one mini-batch for the whole round": of_round(eq(V, V3), coins=2, reach=8.0),
    },
)


E24 = stated(
    r"""SSA-E24 (step; Eq. (24), E.2.2): Bound on N₂
    Print: \le\frac{2\sigma^2}\tau\sum_kw_k^2+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]
    Plainly: N₂ is at most 2σ²Σw_k²/τ plus twice the second moment of the weighted full gradients.
    Assumes: one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed
    Reading: the noise term | Σw_k²Σ_rE‖g_k − ∇F_k‖²/τ² <= σ²Σw_k²/τ, the step from (23). | part: the noise term
    Reading: N₂ as a whole | From (19) to (24). | part: N₂ as a whole
    Reading: the noise term, weights learned from the local models | Ours: the square inside the expectation on both
      sides; two clients, one step. | part: the noise term | cut weights = see the round's samples | sees: after the
      step | ours: w_k² moved inside the expectation on both sides; (22) to (24) print it outside, where weights that
      see the noise are excluded
    Mutant: 1/τ² in place of 1/τ | τ noises of full size add up to τσ², divided by τ²
    Mutant: the weighted full gradients dropped | without noise N₂ is the square of Σw_kh_k
    Tight: the step from (23): noise of variance σ² at every step and client
    Rests on: SSA-A3, SSA-E23
    Verdict: It holds for the weights as printed, w_k² outside the expectation; the step from (23) is attained by
      noise of full size. With w_k² moved inside on both sides, which is ours, learned weights may prefer the client
      whose noise is large this time, and Assumption 3 bounds its mean square only (SSA-S04); the gap to Algorithm 1
      is counted at SSA-E17. The bounded variance it uses is Assumption 3, not 2 as printed.""",
    of_round(le(V3, sigma2 * S / tau, again=lambda sigma2, S, tau: S * (sigma2 / tau)), reach=8.0),
    readings={
        "N₂ as a whole": of_round(
            le(N2, 2 * sigma2 / tau * S + 2 * Q, again=lambda sigma2, tau, S, Q: 2 * (Q + S * sigma2 / tau)), reach=8.0
        ),
        "the noise term, weights learned from the local models": LEARNED,
    },
    mutants={
        "1/τ² in place of 1/τ": of_round(le(V3, sigma2 * S / tau**2), reach=8.0),
        "the weighted full gradients dropped": of_round(le(N2, 2 * sigma2 / tau * S), reach=8.0),
    },
)

_BOUND = (
    -tau * eta / 2 * G
    - tau * eta / 2 * (1 - 2 * tau * eta * L) * Q
    + L * tau * eta**2 * sigma2 * S
    + tau * eta / 2 * N3
)


def descent_again(tau: float, eta: float, G: float, L: float, Q: float, sigma2: float, S: float, N3: float) -> float:
    """The right side of (25) once more."""
    return tau * eta * ((N3 - G - Q) / 2 + L * eta * (tau * Q + sigma2 * S))


E25 = stated(
    r"""SSA-E25 (step; Eq. (25), E.2.2): Descent of one round
    Print: \mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta}2\|\nabla F\|^2-\frac{\tau\eta}2(1-2
      \tau\eta L)\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]+L\tau\eta^2\sigma^2\sum_kw_k^2+\frac{\tau\eta}2N_3
    Plainly: A round lowers F by half the squared gradient, up to noise and the error N₃ of the direction.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: weights fixed before the round | Of sum one, as (13) needs, and any sign; any ηL up to 4/τ. | because:
      Σw_k² stands outside every expectation
    Reading: weights learned from the local models | Ours: Σw_k² at its largest over the noise. | cut weights = see
      the round's samples | sees: after the step | ours: the largest Σw_k² over the noise; (25) prints Σw_k² outside
      every expectation, where weights that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)
    Mutant: N₃ dropped | with the weight on a client that pulls against F, F rises
    Mutant: −2τηL dropped | one quadratic client without noise and a long step: only Lτ²η²‖h‖² pays for overshooting
    Mutant: one noise for all clients | at a stationary point of like clients the shared noise is not averaged: σ²/2
      against σ²Σw_k²
    Rests on: SSA-E15, SSA-E18, SSA-E24
    Verdict: It holds for weights fixed before the round, without any condition on the step, if the clients' noises
      are independent, as said below (24). Σw_k² is printed outside every expectation. With its largest value over the
      noise, which is ours, and weights learned from the round's own local models it fails, because the noise no
      longer drops out of N₁ (17); the gap to Algorithm 1 is counted at SSA-E17.""",
    of_round(le(fall, _BOUND, again=descent_again), weights="sum one", reach=8.0),
    readings={
        "weights learned from the local models": of_round(le(fall, _BOUND, again=descent_again), sees=1, large=False),
    },
    mutants={
        "N₃ dropped": of_round(le(fall, _BOUND - tau * eta / 2 * N3), weights="sum one", reach=8.0),
        "−2τηL dropped": of_round(le(fall, _BOUND.subs(Q, 0) - tau * eta / 2 * Q), weights="sum one", reach=8.0),
        "one noise for all clients": of_round(le(fall, _BOUND), coins=1),
    },
)

CLAIMS: tuple[Claim, ...] = (E19, E20, E21, E22, E23, E24, E25)
