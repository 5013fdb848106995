"""SSA-E11 to SSA-E18: local averages, the update of a round, the descent lemma and the inner product N₁."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import of_round
from validation import Claim, symbols
from validation.statement.says import eq, identity, le
from validation.world.stated import stated

__all__ = ["CLAIMS"]

N1h, bias, wander = NOTATION.symbols("N1h bias wander")

theta, eta, w1, w2, L = symbols("theta eta w1 w2 L")
g1, g2, g3, g4 = symbols("g1 g2 g3 g4")  # mini-batch gradients: client 1 at steps 0 and 1, client 2 at steps 0 and 1
h1, h2, G = symbols("h1 h2 G")
N1, N2, Q, N3, tau = symbols("N1 N2 Q N3 tau")
_HALF = sp.Rational(1, 2)
_D1, _D2 = (g1 + g2) / 2, (g3 + g4) / 2
_MOVE = -2 * eta * (w1 * _D1 + w2 * _D2)
_NEW = w1 * (theta - eta * (g1 + g2)) + w2 * (theta - eta * (g3 + g4))
_TWO = ("two clients, τ = 2, one coordinate; by the step to one more for any number of them",)
n, d, h, w, g = symbols("n d h w g")  # so far: n steps of mean d, or sums D = Σw_kd_k and H = Σw_kh_k; then one more
D, H = symbols("D H")

E11 = stated(
    r"""SSA-E11 (definition; Eq. (11), E.1): Averaged mini-batch gradient
    Print: \mathbf d_k=\frac1\tau\sum_{r=0}^{\tau-1}g_k(\theta_k^{(t,r)})
    Plainly: d_k is the mean of the τ mini-batch gradients, so that τηd_k is how far the client moves in the round.
    Assumes: two clients, τ = 2, one coordinate; by the step to one more for any number of them
    Reading: as printed | θ^(t,0) − θ_k^(t,τ) after two steps against τηd_k. | part: as printed
    Reading: one summand more | After n steps with mean d a step with g: the new mean is (nd + g)/(n + 1). | part: one
      summand more
    Mutant: divided by τ − 1 | two steps move by both gradients, which divided by τ − 1 = 1 count twice
    Rests on: SSA-ALG
    Verdict: Well defined for every τ >= 1, and consistent with local SGD: θ^(t,0) − θ_k^(t,τ) = τηd_k.""",
    identity(theta - (theta - eta * g1 - eta * g2), 2 * eta * _D1),
    readings={
        "one summand more": identity(theta - (theta - n * eta * d - eta * g), (n + 1) * eta * (n * d + g) / (n + 1)),
    },
    mutants={
        "divided by τ − 1": identity(2 * eta * _D1, 2 * eta * (g1 + g2)),
    },
)

E12 = stated(
    r"""SSA-E12 (definition; Eq. (12), E.1): Averaged full-batch gradient
    Print: \mathbf h_k=\frac1\tau\sum_{r=0}^{\tau-1}\nabla F_k(\theta_k^{(t,r)})
    Plainly: h_k is the mean of the full gradients along the client's own path, and d_k has the same expectation.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: E[d_k] = E[h_k] | ‖E[d_k − h_k]‖² = 0, noise that may depend on the model.
    Mutant: h_k is not random | from the second local step on, the path and so h_k depend on the noise of the steps
      before
    Rests on: SSA-A3, SSA-E11
    Verdict: Well defined. The two averages agree in expectation, but h_k itself is random through θ_k^(t,r), r >= 1,
      so the proof's E[d_k − h_k] = h_k − h_k = 0 is right only as a statement about expectations.""",
    of_round(eq(bias, 0), reach=8.0),
    mutants={
        "h_k is not random": of_round(eq(wander, 0), reach=8.0),
    },
)

E13 = stated(
    r"""SSA-E13 (step; Eq. (13), E.1): Update of the global model
    Print: \theta^{(t+1,0)}-\theta^{(t,0)}=-\tau\eta\sum_{k=1}^Kw_k\mathbf d_k
    Plainly: The global model moves by −τη times the weighted mean of the averaged gradients.
    Assumes: two clients, τ = 2, one coordinate; by the step to one more for any number of them
    Reading: weights of any sum | θ^(t+1,0) = Σ w_kθ_k^t as in (3); nothing is said of Σ w_k. | cut weights = any sum
      | because: Σw_k = 1 is printed nowhere
    Reading: weights that sum to one | The same with w₂ = 1 − w₁. | condition: Σw_k = 1 | met by: FedAvg, w_k := n_k =
      N_k/ΣN_i (Appendix A)
    Mutant: factor τ dropped | two local steps move twice as far as the mean gradient
    Rests on: SSA-E03, SSA-E11
    Verdict: (3) gives θ^(t+1,0) − θ^(t,0) = (Σw_k − 1)θ^(t,0) − τηΣw_kd_k, so (13) needs Σw_k = 1. The paper never
      says so, though FedAvg's weights have it and everyone would assume it; with it (13) is an identity. The first
      sum over p_k in E.1 runs to N where K is meant.""",
    identity(_NEW - theta, _MOVE),
    readings={
        "weights that sum to one": identity((_NEW - theta).subs(w2, 1 - w1), _MOVE.subs(w2, 1 - w1)),
    },
    mutants={
        "factor τ dropped": identity((_NEW - theta).subs(w2, 1 - w1), (_MOVE / 2).subs(w2, 1 - w1)),
    },
)

fall, step, square = symbols("fall step square")
_INNER = -tau * eta * N1
_QUADRATIC = L * tau**2 * eta**2 / 2 * N2

E14 = stated(
    r"""SSA-E14 (step; Eq. (14), E.2): Descent lemma
    Print: \mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le\mathbb E[\langle\nabla F(\theta^{(t,0)}),\theta^{(t
      +1,0)}-\theta^{(t,0)}\rangle]-\frac L2\mathbb E[\|\theta^{(t+1,0)}-\theta^{(t,0)}\|^2]
    Plainly: A step changes a smooth F by at most its linear part minus L/2 times the squared step, as printed.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: as printed, with a minus | The step written as −τηΣw_kd_k.
    Reading: with a plus | The sign that smoothness gives and that (15) carries on with. | edit: +L/2 in place of −L/2
      | token | forced by: (15), the next line, prints +Lτ²η²/2; so does the descent inequality of smooth functions
      that (14) cites | carries: yes
    Mutant: L/4 in place of L/2 | for one quadratic client of curvature L the change is the linear part plus L/2 of
      the squared step
    Tight: with a plus: one quadratic client of curvature L
    Rests on: SSA-A1
    Verdict: A misprint of the last sign: with +L/2 in place of −L/2 it is the descent lemma and holds. The next line,
      (15), prints +Lτ²η²/2, and so does the inequality of smooth functions that (14) cites; the proof carries on with
      the plus. −L/2 would be strong concavity: every step of a client with curvature above −L refutes it.""",
    of_round(
        le(fall, _INNER - _QUADRATIC, again=lambda tau, eta, N1, L, N2: -tau * eta * (N1 + L * tau * eta * N2 / 2)),
        reach=8.0,
    ),
    readings={
        "with a plus": of_round(
            le(fall, _INNER + _QUADRATIC, again=lambda tau, eta, N1, L, N2: tau * eta * (L * tau * eta * N2 / 2 - N1)),
            reach=8.0,
        ),
    },
    mutants={
        "L/4 in place of L/2": of_round(le(fall, _INNER + _QUADRATIC / 2), reach=8.0),
    },
)

_LINE = -2 * eta * G * (w1 * _D1 + w2 * _D2)
_SQUARED = L * 4 * eta**2 / 2 * (w1 * _D1 + w2 * _D2) ** 2
E15 = stated(
    r"""SSA-E15 (step; Eq. (15), E.2): Change of the loss through N₁ and N₂
    Print: =-\tau\eta\,\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf d_k\rangle]+\frac{L\tau^2\eta^2}2
      \mathbb E[\|\sum_kw_k\mathbf d_k\|^2]
    Plainly: With (13) the right side of (14) is −τηN₁ + Lτ²η²N₂/2.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: equal to (14) as printed | (13) put in (14), which has −L/2.
    Reading: as a bound on the change of F | Ours, the two ends of the chain: E F(θ^(t+1,0)) − F(θ^(t,0)) on the left.
      | ours: the two ends of the chain; (15) is printed as an equality with (14)
    Reading: equal to (14) with a plus | (13) put in (14) with +L/2. | edit: +L/2 in place of −L/2 in (14) | token |
      forced by: (15) itself prints +Lτ²η²/2; so does the descent inequality of smooth functions that (14) cites |
      carries: yes
    Mutant: τ in place of τ² | the squared step carries τ²
    Rests on: SSA-E13, SSA-E14
    Repeats: SSA-E14
    Verdict: A misprint, in (14) and not here: with +L/2 in (14), the sign that (15) itself prints, the two are equal.
      (15) is not equal to (14) as printed, whose last sign is wrong; it has no slip of its own. As the bound on the
      change of F that the proof goes on with, it holds. The slip is counted once, at SSA-E14.""",
    identity(G * _MOVE - L / 2 * _MOVE**2, _LINE + _SQUARED),
    readings={
        "as a bound on the change of F": of_round(
            le(
                fall,
                _INNER + _QUADRATIC,
                again=lambda tau, eta, N1, L, N2: (tau * eta) ** 2 * L * N2 / 2 - tau * eta * N1,
            ),
            reach=8.0,
        ),
        "equal to (14) with a plus": identity(G * _MOVE + L / 2 * _MOVE**2, _LINE + _SQUARED),
    },
    mutants={
        "τ in place of τ²": identity(G * _MOVE + L / 2 * _MOVE**2, _LINE + _SQUARED / 2),
    },
)

E16 = stated(
    r"""SSA-E16 (step; Eq. (16), E.2.1): N₁ split at h_k
    Print: N_1=\mathbb E[\langle\nabla F,\sum_kw_k(\mathbf d_k-\mathbf h_k)\rangle]+\mathbb E[\langle\nabla F,
      \sum_kw_k\mathbf h_k\rangle]
    Plainly: h_k is subtracted and added inside the inner product.
    Assumes: two clients, τ = 2, one coordinate; by the step to one more for any number of them
    Reading: as printed | One coordinate, two clients, two local steps. | part: as printed
    Reading: one summand more | One client more, D = Σw_kd_k and H = Σw_kh_k so far; inner products coordinate by
      coordinate. | part: one summand more
    Mutant: h_k not added back | the sides differ by ⟨∇F, Σw_kh_k⟩
    Rests on: SSA-E11, SSA-E12, SSA-E15
    Verdict: An identity, for any weights.""",
    identity(G * (w1 * _D1 + w2 * _D2), G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * (w1 * h1 + w2 * h2)),
    readings={
        "one summand more": identity(G * (D + w * d), G * (D - H + w * (d - h)) + G * (H + w * h)),
    },
    mutants={
        "h_k not added back": identity(
            G * (w1 * _D1 + w2 * _D2), G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * w1 * h1
        ),
    },
)

E17 = stated(
    r"""SSA-E17 (step; Eq. (17), E.2.1): The noise drops out of N₁
    Print: N_1=\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf h_k\rangle]
    Plainly: In expectation the weighted mini-batch gradients may be replaced by full gradients.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: weights fixed before the round | As the theorem writes them, w_k without t.
    Reading: weights learned from the local models | As Algorithm 1 computes them: w_k^t is a function of the θ_k^t,
      which carry the noise of the round. | cut weights = see the round's samples | sees: after the step | used by:
      FedSSA (Algorithm 1): {w_k^t} := arg min L_SSA({θ_k^t}, …), learned from the round's local models | met by:
      FedAvg, w_k := n_k = N_k/ΣN_i (Appendix A)
    Mutant: path by path | even without noise h_k leaves ∇F_k after the first step, so the inner product is not ‖∇F‖²
    Rests on: SSA-A3, SSA-E12, SSA-E16
    Verdict: It needs a condition that is not printed: weights that do not see the round's samples; FedAvg's w_k :=
      n_k meet it, FedSSA's own weights do not. With weights fixed before the round the noise has conditional mean 0
      at each step and drops out, for every τ. Algorithm 1 learns its w_k^t after local training from the very models
      that carry this noise; then E[w_k(d_k − h_k)] need not vanish, and the equality fails. The theorem writes w_k
      without t. This gap between the theorem and Algorithm 1 is counted here, once: in the later lines, (21) to (55),
      the weights stand outside the expectations and are constants.""",
    of_round(eq(N1, N1h), reach=8.0),
    readings={
        "weights learned from the local models": of_round(eq(N1, N1h), sees=1, reach=8.0, large=False),
    },
    mutants={
        "path by path": of_round(eq(N1h, G), reach=8.0),
    },
)

x, y = symbols("x y")
E18 = stated(
    r"""SSA-E18 (step; Eq. (18), E.2.1): Inner product through squares
    Print: =\tfrac12\|\nabla F\|^2+\tfrac12\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]-\tfrac12\mathbb E[\|\nabla F-
      \sum_kw_k\mathbf h_k\|^2]
    Plainly: An inner product is half the two squares minus half the square of the difference.
    Assumes: one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises
      independent between the clients, as said below (24); w on the simplex (never stated), fixed before the round
      unless said
    Reading: as printed | One coordinate, two clients.
    Mutant: a plus before the last square | the squares then add up to G² + (Σwh)² − GΣwh
    Rests on: SSA-E17
    Verdict: 2⟨a, b⟩ = ‖a‖² + ‖b‖² − ‖a − b‖², whatever a and b.""",
    identity(G * (w1 * h1 + w2 * h2), (G**2 + (w1 * h1 + w2 * h2) ** 2 - (G - w1 * h1 - w2 * h2) ** 2) / 2),
    mutants={
        "a plus before the last square": identity(
            G * (w1 * h1 + w2 * h2), (G**2 + (w1 * h1 + w2 * h2) ** 2 + (G - w1 * h1 - w2 * h2) ** 2) / 2
        ),
    },
)

CLAIMS: tuple[Claim, ...] = (E11, E12, E13, E14, E15, E16, E17, E18)
