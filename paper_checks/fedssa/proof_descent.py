"""SSA-E11 to SSA-E18: local averages, the update of a round, the descent lemma and the inner product N₁."""

from __future__ import annotations

import sympy as sp

from paper_checks.fedssa.equation import ROUND, asked, equation, grown, proved, same
from paper_checks.fedssa.round_cases import equal, measured, round_cases
from validation import Canary, Claim, Identity, symbols

__all__ = ["CLAIMS"]

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

E11 = equation(
    11,
    "Eq. (11), E.1",
    "Averaged mini-batch gradient",
    r"\mathbf d_k=\frac1\tau\sum_{r=0}^{\tau-1}g_k(\theta_k^{(t,r)})",
    "d_k is the mean of the τ mini-batch gradients, so that τηd_k is how far the client moves in the round.",
    (
        *same(
            theta - (theta - eta * g1 - eta * g2), 2 * eta * _D1, "θ^(t,0) − θ_k^(t,τ) after two steps against τηd_k."
        ),
        grown(
            theta - (theta - n * eta * d - eta * g),
            (n + 1) * eta * (n * d + g) / (n + 1),
            "After n steps with mean d a step with g: the new mean is (nd + g)/(n + 1).",
        ),
    ),
    (
        proved(
            "divided by τ − 1",
            "two steps move by both gradients, which divided by τ − 1 = 1 count twice",
            2 * eta * _D1,
            2 * eta * (g1 + g2),
        ),
    ),
    "Well defined for every τ >= 1, and consistent with local SGD: θ^(t,0) − θ_k^(t,τ) = τηd_k.",
    ("ALG",),
    _TWO,
)

E12 = equation(
    12,
    "Eq. (12), E.1",
    "Averaged full-batch gradient",
    r"\mathbf h_k=\frac1\tau\sum_{r=0}^{\tau-1}\nabla F_k(\theta_k^{(t,r)})",
    "h_k is the mean of the full gradients along the client's own path, and d_k has the same expectation.",
    (
        asked(
            "E[d_k] = E[h_k]",
            "‖E[d_k − h_k]‖² = 0, noise that may depend on the model.",
            equal(round_cases("bias", reach=8.0)),
        ),
    ),
    (
        Canary(
            "h_k is not random",
            equal(round_cases("wander", reach=8.0)),
            "from the second local step on, the path and so h_k depend on the noise of the steps before",
        ),
    ),
    "Well defined. The two averages agree in expectation, but h_k itself is random through θ_k^(t,r), r >= 1, so the "
    "proof's E[d_k − h_k] = h_k − h_k = 0 is right only as a statement about expectations.",
    ("A3", "E11"),
)

E13 = equation(
    13,
    "Eq. (13), E.1",
    "Update of the global model",
    r"\theta^{(t+1,0)}-\theta^{(t,0)}=-\tau\eta\sum_{k=1}^Kw_k\mathbf d_k",
    "The global model moves by −τη times the weighted mean of the averaged gradients.",
    (
        asked(
            "weights of any sum",
            "θ^(t+1,0) = Σ w_kθ_k^t as in (3); nothing is said of Σ w_k.",
            Identity(_NEW - theta, _MOVE),
        ),
        asked(
            "weights that sum to one",
            "The same with w₂ = 1 − w₁.",
            Identity((_NEW - theta).subs(w2, 1 - w1), _MOVE.subs(w2, 1 - w1)),
            "condition",
        ),
    ),
    (
        proved(
            "factor τ dropped",
            "two local steps move twice as far as the mean gradient",
            (_NEW - theta).subs(w2, 1 - w1),
            (_MOVE / 2).subs(w2, 1 - w1),
        ),
    ),
    "(3) gives θ^(t+1,0) − θ^(t,0) = (Σw_k − 1)θ^(t,0) − τηΣw_kd_k, so (13) needs Σw_k = 1. The paper never says so, "
    "though FedAvg's weights have it and everyone would assume it; with it (13) is an identity. The first sum over p_k "
    "in E.1 runs to N where K is meant.",
    ("E03", "E11"),
    _TWO,
)

fall, step, square = symbols("fall step square")
_INNER = -tau * eta * N1
_QUADRATIC = L * tau**2 * eta**2 / 2 * N2
_FALL = round_cases("fall", reach=8.0)
E14 = equation(
    14,
    "Eq. (14), E.2",
    "Descent lemma",
    r"\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le\mathbb E[\langle\nabla F(\theta^{(t,0)}),\theta^{(t+1,0)}"
    r"-\theta^{(t,0)}\rangle]-\frac L2\mathbb E[\|\theta^{(t+1,0)}-\theta^{(t,0)}\|^2]",
    "A step changes a smooth F by at most its linear part minus L/2 times the squared step, as printed.",
    (
        asked(
            "as printed, with a minus",
            "The step written as −τηΣw_kd_k.",
            measured(
                _INNER - _QUADRATIC,
                lambda tau, eta, N1, L, N2: -tau * eta * (N1 + L * tau * eta * N2 / 2),
                _FALL,
                (1, 0),
            ),
        ),
        asked(
            "with a plus",
            "The sign that smoothness gives and that (15) carries on with.",
            measured(
                _INNER + _QUADRATIC,
                lambda tau, eta, N1, L, N2: tau * eta * (L * tau * eta * N2 / 2 - N1),
                _FALL,
                (1, 0),
            ),
            "edit",
        ),
    ),
    (
        Canary(
            "L/4 in place of L/2",
            measured(_INNER + _QUADRATIC / 2, None, _FALL, (1, 0)),
            "for one quadratic client of curvature L the change is the linear part plus L/2 of the squared step",
        ),
    ),
    "A misprint of the last sign: with +L/2 in place of −L/2 it is the descent lemma and holds. The next line, "
    "(15), prints +Lτ²η²/2, and so does the inequality of smooth functions that (14) cites; the proof carries on "
    "with the plus. −L/2 would be strong concavity: every step of a client with curvature above −L refutes it.",
    ("A1",),
    tight="with a plus: one quadratic client of curvature L",
)

_LINE = -2 * eta * G * (w1 * _D1 + w2 * _D2)
_SQUARED = L * 4 * eta**2 / 2 * (w1 * _D1 + w2 * _D2) ** 2
E15 = equation(
    15,
    "Eq. (15), E.2",
    "Change of the loss through N₁ and N₂",
    r"=-\tau\eta\,\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf d_k\rangle]+\frac{L\tau^2\eta^2}2"
    r"\mathbb E[\|\sum_kw_k\mathbf d_k\|^2]",
    "With (13) the right side of (14) is −τηN₁ + Lτ²η²N₂/2.",
    (
        asked(
            "equal to (14) as printed",
            "(13) put in (14), which has −L/2.",
            Identity(G * _MOVE - L / 2 * _MOVE**2, _LINE + _SQUARED),
        ),
        asked(
            "as a bound on the change of F",
            "Ours, the two ends of the chain: E F(θ^(t+1,0)) − F(θ^(t,0)) on the left.",
            measured(
                _INNER + _QUADRATIC,
                lambda tau, eta, N1, L, N2: (tau * eta) ** 2 * L * N2 / 2 - tau * eta * N1,
                _FALL,
                (1, 0),
            ),
        ),
        asked(
            "equal to (14) with a plus",
            "(13) put in (14) with +L/2.",
            Identity(G * _MOVE + L / 2 * _MOVE**2, _LINE + _SQUARED),
            "edit",
        ),
    ),
    (
        proved(
            "τ in place of τ²",
            "the squared step carries τ²",
            G * _MOVE + L / 2 * _MOVE**2,
            _LINE + _SQUARED / 2,
        ),
    ),
    "A misprint, in (14) and not here: with +L/2 in (14), the sign that (15) itself prints, the two are equal. "
    "(15) is not equal to (14) as printed, whose last sign is wrong; it has no slip of its own. As the bound on "
    "the change of F that the proof goes on with, it holds. The slip is counted once, at SSA-E14.",
    ("E13", "E14"),
)

E16 = equation(
    16,
    "Eq. (16), E.2.1",
    "N₁ split at h_k",
    r"N_1=\mathbb E[\langle\nabla F,\sum_kw_k(\mathbf d_k-\mathbf h_k)\rangle]+\mathbb E[\langle\nabla F,\sum_kw_k\mathbf h_k\rangle]",
    "h_k is subtracted and added inside the inner product.",
    (
        *same(G * (w1 * _D1 + w2 * _D2), G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * (w1 * h1 + w2 * h2)),
        grown(
            G * (D + w * d),
            G * (D - H + w * (d - h)) + G * (H + w * h),
            "One client more, D = Σw_kd_k and H = Σw_kh_k so far; inner products coordinate by coordinate.",
        ),
    ),
    (
        proved(
            "h_k not added back",
            "the sides differ by ⟨∇F, Σw_kh_k⟩",
            G * (w1 * _D1 + w2 * _D2),
            G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * w1 * h1,
        ),
    ),
    "An identity, for any weights.",
    ("E11", "E12", "E15"),
    _TWO,
)

E17 = equation(
    17,
    "Eq. (17), E.2.1",
    "The noise drops out of N₁",
    r"N_1=\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf h_k\rangle]",
    "In expectation the weighted mini-batch gradients may be replaced by full gradients.",
    (
        asked(
            "weights fixed before the round",
            "As the theorem writes them, w_k without t.",
            equal(round_cases("N1", "N1h", reach=8.0)),
        ),
        asked(
            "weights learned from the local models",
            "As Algorithm 1 computes them: w_k^t is a function of the θ_k^t, which carry the noise of the round.",
            equal(round_cases("N1", "N1h", sees=True, reach=8.0, large=False)),
        ),
    ),
    (
        Canary(
            "path by path",
            equal(round_cases("N1h", "G", reach=8.0)),
            "even without noise h_k leaves ∇F_k after the first step, so the inner product is not ‖∇F‖²",
        ),
    ),
    "It needs a condition that is not printed: weights that do not see the round's samples; FedAvg's w_k := n_k "
    "meet it, FedSSA's own weights do not. With weights fixed before the round the noise has conditional mean 0 "
    "at each step and drops out, for every τ. Algorithm 1 learns its w_k^t after local training from the very "
    "models that carry this noise; then E[w_k(d_k − h_k)] need not vanish, and the equality fails. The theorem "
    "writes w_k without t. This gap between the theorem and Algorithm 1 is counted here, once: in the later "
    "lines, (21) to (55), the weights stand outside the expectations and are constants.",
    ("A3", "E12", "E16"),
)

x, y = symbols("x y")
E18 = equation(
    18,
    "Eq. (18), E.2.1",
    "Inner product through squares",
    r"=\tfrac12\|\nabla F\|^2+\tfrac12\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]-\tfrac12\mathbb E[\|\nabla F-\sum_kw_k\mathbf h_k\|^2]",
    "An inner product is half the two squares minus half the square of the difference.",
    same(
        G * (w1 * h1 + w2 * h2),
        (G**2 + (w1 * h1 + w2 * h2) ** 2 - (G - w1 * h1 - w2 * h2) ** 2) / 2,
        "One coordinate, two clients.",
    ),
    (
        proved(
            "a plus before the last square",
            "the squares then add up to G² + (Σwh)² − GΣwh",
            G * (w1 * h1 + w2 * h2),
            (G**2 + (w1 * h1 + w2 * h2) ** 2 + (G - w1 * h1 - w2 * h2) ** 2) / 2,
        ),
    ),
    "2⟨a, b⟩ = ‖a‖² + ‖b‖² − ‖a − b‖², whatever a and b.",
    ("E17",),
    (ROUND,),
)

CLAIMS: tuple[Claim, ...] = (E11, E12, E13, E14, E15, E16, E17, E18)
