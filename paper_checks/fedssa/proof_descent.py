"""E.1 to E.2.2, (11) to (25): the update of a round, N₁ and N₂, and the descent of one round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import ONE_ROUND, of_round
from paper_checks.fedssa.settings import FEDAVG
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    LogScale,
    Mechanism,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    symbols,
    units,
)
from validation.statement.says import eq, identity, le
from validation.world import VectorInequality, World, case, definition, mutant, reading, square, step, vectors
from validation.world.mechanisms import always

__all__ = ["CLAIMS"]

N1h, bias, wander = NOTATION.symbols("N1h bias wander")

theta, eta, w1, w2, L = symbols("theta eta w1 w2 L", positive=True)
g1, g2, g3, g4 = symbols(
    "g1 g2 g3 g4", positive=True
)  # mini-batch gradients: client 1 at steps 0 and 1, client 2 at steps 0 and 1
h1, h2, tau = symbols("h1 h2 tau", positive=True)
N1 = symbols("N1", signed=True)
N2, N3, G, Q = symbols("N2 N3 G Q", nonnegative=True)
_D1, _D2 = (g1 + g2) / 2, (g3 + g4) / 2
_MOVE = -2 * eta * (w1 * _D1 + w2 * _D2)
_NEW = w1 * (theta - eta * (g1 + g2)) + w2 * (theta - eta * (g3 + g4))
n, d, h, w, g = symbols(
    "n d h w g", positive=True
)  # so far: n steps of mean d, or sums D = Σw_kd_k and H = Σw_kh_k; then one more
D, H = symbols("D H", positive=True)

E11 = definition(
    "SSA-E11",
    "Eq. (11), E.1",
    "Averaged mini-batch gradient",
    printed=r"\mathbf d_k=\frac1\tau\sum_{r=0}^{\tau-1}g_k(\theta_k^{(t,r)})",
    plainly="d_k is the mean of the τ mini-batch gradients, so that τηd_k is how far the client moves in the round.",
    assumes=["two clients, τ = 2, one coordinate; by the step to one more for any number of them"],
    says=identity(theta - (theta - eta * g1 - eta * g2), 2 * eta * _D1),
    readings=[
        reading("as printed", "θ^(t,0) − θ_k^(t,τ) after two steps against τηd_k.", part="as printed"),
        reading(
            "one summand more",
            "After n steps with mean d a step with g: the new mean is (nd + g)/(n + 1).",
            identity(theta - (theta - n * eta * d - eta * g), (n + 1) * eta * (n * d + g) / (n + 1)),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "divided by τ − 1",
            identity(2 * eta * _D1, 2 * eta * (g1 + g2)),
            "two steps move by both gradients, which divided by τ − 1 = 1 count twice",
        )
    ],
    rests_on=["SSA-ALG"],
    verdict="Well defined for every τ >= 1, and consistent with local SGD: θ^(t,0) − θ_k^(t,τ) = τηd_k.",
)

E12 = definition(
    "SSA-E12",
    "Eq. (12), E.1",
    "Averaged full-batch gradient",
    printed=r"\mathbf h_k=\frac1\tau\sum_{r=0}^{\tau-1}\nabla F_k(\theta_k^{(t,r)})",
    plainly="h_k is the mean of the full gradients along the client's own path, and d_k has the same expectation.",
    assumes=ONE_ROUND,
    says=of_round(eq(bias, 0), reach=8.0),
    readings=[reading("E[d_k] = E[h_k]", "‖E[d_k − h_k]‖² = 0, noise that may depend on the model.")],
    mutants=[
        mutant(
            "h_k is not random",
            of_round(eq(wander, 0), reach=8.0),
            "from the second local step on, the path and so h_k depend on the noise of the steps before",
        )
    ],
    rests_on=["SSA-A3", "SSA-E11"],
    verdict="""Well defined. The two averages agree in expectation, but h_k itself is random through θ_k^(t,r), r >= 1,
        so the proof's E[d_k − h_k] = h_k − h_k = 0 is right only as a statement about expectations.""",
)

E13 = step(
    "SSA-E13",
    "Eq. (13), E.1",
    "Update of the global model",
    printed=r"\theta^{(t+1,0)}-\theta^{(t,0)}=-\tau\eta\sum_{k=1}^Kw_k\mathbf d_k",
    plainly="The global model moves by −τη times the weighted mean of the averaged gradients.",
    assumes=["two clients, τ = 2, one coordinate; by the step to one more for any number of them"],
    says=identity(_NEW - theta, _MOVE),
    readings=[
        reading(
            "weights of any sum",
            "θ^(t+1,0) = Σ w_kθ_k^t as in (3); nothing is said of Σ w_k.",
            cuts={"weights": "any sum"},
            because="Σw_k = 1 is printed nowhere",
        ),
        reading(
            "weights that sum to one",
            "The same with w₂ = 1 − w₁.",
            identity((_NEW - theta).subs(w2, 1 - w1), _MOVE.subs(w2, 1 - w1)),
            conditions=["Σw_k = 1"],
            met_by=FEDAVG,
        ),
    ],
    mutants=[
        mutant(
            "factor τ dropped",
            identity((_NEW - theta).subs(w2, 1 - w1), (_MOVE / 2).subs(w2, 1 - w1)),
            "two local steps move twice as far as the mean gradient",
        )
    ],
    rests_on=["SSA-E03", "SSA-E11"],
    verdict="""(3) gives θ^(t+1,0) − θ^(t,0) = (Σw_k − 1)θ^(t,0) − τηΣw_kd_k, so (13) needs Σw_k = 1. The paper never
        says so, though FedAvg's weights have it and everyone would assume it; with it (13) is an identity. The first
        sum over p_k in E.1 runs to N where K is meant.""",
)

fall = NOTATION.symbols("fall")
_INNER = -tau * eta * N1
_QUADRATIC = L * tau**2 * eta**2 / 2 * N2

E14 = step(
    "SSA-E14",
    "Eq. (14), E.2",
    "Descent lemma",
    printed=r"""\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le\mathbb E[\langle\nabla F(\theta^{(t,0)}),\theta^{(t
        +1,0)}-\theta^{(t,0)}\rangle]-\frac L2\mathbb E[\|\theta^{(t+1,0)}-\theta^{(t,0)}\|^2]""",
    plainly="A step changes a smooth F by at most its linear part minus L/2 times the squared step, as printed.",
    assumes=ONE_ROUND,
    says=of_round(
        le(fall, _INNER - _QUADRATIC, again=lambda tau, eta, N1, L, N2: -tau * eta * (N1 + L * tau * eta * N2 / 2)),
        reach=8.0,
    ),
    readings=[
        reading("as printed, with a minus", "The step written as −τηΣw_kd_k."),
        reading(
            "with a plus",
            "The sign that smoothness gives and that (15) carries on with.",
            of_round(
                le(
                    fall,
                    _INNER + _QUADRATIC,
                    again=lambda tau, eta, N1, L, N2: tau * eta * (L * tau * eta * N2 / 2 - N1),
                ),
                reach=8.0,
            ),
            edits=["+L/2 in place of −L/2"],
            token=True,
            forced_by="""(15), the next line, prints +Lτ²η²/2; so does the descent inequality of smooth functions that
                (14) cites""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "L/4 in place of L/2",
            of_round(le(fall, _INNER + _QUADRATIC / 2), reach=8.0),
            "for one quadratic client of curvature L the change is the linear part plus L/2 of the squared step",
        )
    ],
    tight="with a plus: one quadratic client of curvature L",
    rests_on=["SSA-A1"],
    verdict="""A misprint of the last sign: with +L/2 in place of −L/2 it is the descent lemma and holds. The next line,
        (15), prints +Lτ²η²/2, and so does the inequality of smooth functions that (14) cites; the proof carries on with
        the plus. −L/2 would be strong concavity: every step of a client with curvature above −L refutes it.""",
)

_LINE = -2 * eta * G * (w1 * _D1 + w2 * _D2)
_SQUARED = L * 4 * eta**2 / 2 * (w1 * _D1 + w2 * _D2) ** 2
E15 = step(
    "SSA-E15",
    "Eq. (15), E.2",
    "Change of the loss through N₁ and N₂",
    printed=r"""=-\tau\eta\,\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf d_k\rangle]+
        \frac{L\tau^2\eta^2}2\mathbb E[\|\sum_kw_k\mathbf d_k\|^2]""",
    plainly="With (13) the right side of (14) is −τηN₁ + Lτ²η²N₂/2.",
    assumes=ONE_ROUND,
    says=identity(G * _MOVE - L / 2 * _MOVE**2, _LINE + _SQUARED),
    readings=[
        reading("equal to (14) as printed", "(13) put in (14), which has −L/2."),
        reading(
            "as a bound on the change of F",
            "Ours, the two ends of the chain: E F(θ^(t+1,0)) − F(θ^(t,0)) on the left.",
            of_round(
                le(
                    fall,
                    _INNER + _QUADRATIC,
                    again=lambda tau, eta, N1, L, N2: (tau * eta) ** 2 * L * N2 / 2 - tau * eta * N1,
                ),
                reach=8.0,
            ),
            ours="the two ends of the chain; (15) is printed as an equality with (14)",
        ),
        reading(
            "equal to (14) with a plus",
            "(13) put in (14) with +L/2.",
            identity(G * _MOVE + L / 2 * _MOVE**2, _LINE + _SQUARED),
            edits=["+L/2 in place of −L/2 in (14)"],
            token=True,
            forced_by="(15) itself prints +Lτ²η²/2; so does the descent inequality of smooth functions that (14) cites",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "τ in place of τ²",
            identity(G * _MOVE + L / 2 * _MOVE**2, _LINE + _SQUARED / 2),
            "the squared step carries τ²",
        )
    ],
    rests_on=["SSA-E13", "SSA-E14"],
    repeats="SSA-E14",
    verdict="""A misprint, in (14) and not here: with +L/2 in (14), the sign that (15) itself prints, the two are equal.
        (15) is not equal to (14) as printed, whose last sign is wrong; it has no slip of its own. As the bound on the
        change of F that the proof goes on with, it holds. The slip is counted once, at SSA-E14.""",
)

E16 = step(
    "SSA-E16",
    "Eq. (16), E.2.1",
    "N₁ split at h_k",
    printed=r"""N_1=\mathbb E[\langle\nabla F,\sum_kw_k(\mathbf d_k-\mathbf h_k)\rangle]+\mathbb E[\langle\nabla F,
        \sum_kw_k\mathbf h_k\rangle]""",
    plainly="h_k is subtracted and added inside the inner product.",
    assumes=["two clients, τ = 2, one coordinate; by the step to one more for any number of them"],
    says=identity(G * (w1 * _D1 + w2 * _D2), G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * (w1 * h1 + w2 * h2)),
    readings=[
        reading("as printed", "One coordinate, two clients, two local steps.", part="as printed"),
        reading(
            "one summand more",
            "One client more, D = Σw_kd_k and H = Σw_kh_k so far; inner products coordinate by coordinate.",
            identity(G * (D + w * d), G * (D - H + w * (d - h)) + G * (H + w * h)),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "h_k not added back",
            identity(G * (w1 * _D1 + w2 * _D2), G * (w1 * (_D1 - h1) + w2 * (_D2 - h2)) + G * w1 * h1),
            "the sides differ by ⟨∇F, Σw_kh_k⟩",
        )
    ],
    rests_on=["SSA-E11", "SSA-E12", "SSA-E15"],
    verdict="An identity, for any weights.",
)

E17 = step(
    "SSA-E17",
    "Eq. (17), E.2.1",
    "The noise drops out of N₁",
    printed=r"N_1=\mathbb E[\langle\nabla F(\theta^{(t,0)}),\sum_kw_k\mathbf h_k\rangle]",
    plainly="In expectation the weighted mini-batch gradients may be replaced by full gradients.",
    assumes=ONE_ROUND,
    says=of_round(eq(N1, N1h), reach=8.0),
    readings=[
        reading(
            "weights fixed before the round",
            "As the theorem writes them, w_k without t.",
            conditions=["weights fixed before the round"],
            met_by=FEDAVG,
        ),
        reading(
            "weights learned from the local models",
            "As Algorithm 1 computes them: w_k^t is a function of the θ_k^t, which carry the noise of the round.",
            of_round(eq(N1, N1h), sees=1, reach=8.0, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by="FedSSA (Algorithm 1): {w_k^t} := arg min L_SSA({θ_k^t}, …), learned from the round's local models",
        ),
    ],
    mutants=[
        mutant(
            "path by path",
            of_round(eq(N1h, G), reach=8.0),
            "even without noise h_k leaves ∇F_k after the first step, so the inner product is not ‖∇F‖²",
        )
    ],
    rests_on=["SSA-A3", "SSA-E12", "SSA-E16"],
    verdict="""It needs a condition that is not printed: weights that do not see the round's samples; FedAvg's w_k :=
        n_k meet it, FedSSA's own weights do not. With weights fixed before the round the noise has conditional mean 0
        at each step and drops out, for every τ. Algorithm 1 learns its w_k^t after local training from the very models
        that carry this noise; then E[w_k(d_k − h_k)] need not vanish, and the equality fails. The theorem writes w_k
        without t. This gap between the theorem and Algorithm 1 is counted here, once: in the later lines, (21) to (55),
        the weights stand outside the expectations and are constants.""",
)

x, y, mix = symbols("x y mix", positive=True)
E18 = step(
    "SSA-E18",
    "Eq. (18), E.2.1",
    "Inner product through squares",
    printed=r"""=\tfrac12\|\nabla F\|^2+\tfrac12\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]-\tfrac12\mathbb E[\|\nabla F-
        \sum_kw_k\mathbf h_k\|^2]""",
    plainly="An inner product is half the two squares minus half the square of the difference.",
    assumes=ONE_ROUND,
    says=identity(G * mix, (G**2 + mix**2 - (G - mix) ** 2) / 2),
    readings=[reading("as printed", "Coordinate by coordinate; mix for Σw_kh_k, of any number of clients.")],
    mutants=[
        mutant(
            "a plus before the last square",
            identity(G * mix, (G**2 + mix**2 + (G - mix) ** 2) / 2),
            "the squares then add up to G² + mix² − G·mix",
        )
    ],
    rests_on=["SSA-E17"],
    verdict="2⟨a, b⟩ = ‖a‖² + ‖b‖² − ‖a − b‖², whatever a and b.",
)


Dv, N2, V, V3, fall = NOTATION.symbols("Dv N2 V V3 fall")

noise, square_weights, swept = NOTATION.symbols("noise square_weights swept")
tau = NOTATION.symbols("tau")


def _noises(x: Instance, *, steps: int, lasting: bool) -> Mapping[str, Any]:
    """Σwₖ²E‖Σᵣ noise‖² over every client's tree: at each node (1 − q)s with chance q, else −qs.

    `lasting`: the first step's noise at all steps, whose variance is all there is then.
    """
    s, q, w = x["sizes"], x["chance"], x["weights"]
    n, K, _ = s.shape
    total, chance, start = np.zeros((n, K, 1)), np.ones((n, K, 1)), 0
    for t in range(steps):
        at, up = s[:, :, start : start + 2**t], q[:, :, start : start + 2**t]
        start += 2**t
        now = np.stack([(1 - up) * at, -up * at], axis=3).reshape(n, K, -1)
        if lasting and t > 0:
            now = np.repeat(np.stack([(1 - q[..., 0]) * s[..., 0], -q[..., 0] * s[..., 0]], axis=2), 2**t, axis=2)
        total = np.repeat(total, 2, axis=2) + now
        chance = (chance[..., None] * np.stack([up, 1 - up], axis=3)).reshape(n, K, -1)
    power, variances = (w**2).sum(axis=1), q * (1 - q) * s**2
    return {
        "swept": (w**2 * (chance * total**2).sum(axis=2)).sum(axis=1),
        "noise": (variances[..., :1] if lasting else variances).max(axis=(1, 2)),
        "tau": np.full(n, float(steps)),
        "square_weights": power,
        "magnitude": power * (s**2).max(axis=(1, 2)),
    }


def noises_exact(x: Mapping[str, Any], *, steps: int, lasting: bool) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Every path of every client's noise, step by step; what comes next may depend on the path so far."""
    w, swept, sigma2 = x["weights"], Fraction(0), Fraction(0)
    for k in range(len(w)):
        s, q = x["sizes"][k], x["chance"][k]
        sigma2 = max(sigma2, *(q[i] * (1 - q[i]) * s[i] ** 2 for i in range(1 if lasting else len(s))))
        for path in range(2**steps):
            node, chance, total, first = 0, Fraction(1), Fraction(0), None
            for t in range(steps):
                down, at = (path >> (steps - 1 - t)) & 1, 2**t - 1 + node
                now = -q[at] * s[at] if down else (1 - q[at]) * s[at]
                first = now if first is None else first
                total += first if lasting else now
                chance *= (1 - q[at]) if down else q[at]
                node = 2 * node + down
            swept += w[k] ** 2 * chance * total**2
    met = {"chances in (0, 1)": all(0 < q < 1 for row in x["chance"] for q in row)}
    power = sum((v * v for v in w), Fraction(0))
    return met, {"swept": swept, "noise": sigma2, "tau": Fraction(steps), "square_weights": power}


def _trees(*, lasting: bool = False) -> World:
    def at(K: float, steps: float) -> Case:
        n, tau, nodes = int(K), int(steps), 2 ** int(steps) - 1
        space = Space(
            (
                LogScale("sizes", 1e-2, 1e2, (n, nodes), at=(1.0,)),
                Uniform("chance", 0.02, 0.98, (n, nodes), at=(0.02, 0.5, 0.98)),
                Signed("weights", 1e-2, 1e1, (n,)),
            )
        )
        same = (units({"sizes": (1, -1)}), permuted_clients(dict.fromkeys(("sizes", "chance", "weights"), 0)))
        told: dict[str, Any] = {"cost": min(4.0, max(1.0, n * nodes / 60)), "symmetries": same}
        told["mechanisms"] = (Mechanism("several local steps", (), always),) if tau > 1 else ()
        return case(f"{n} clients, τ = {tau}", space, _noises, noises_exact, steps=tau, lasting=lasting, **told)

    return World(NOTATION, (Family("trees of noise", (Size("K", 1, 100, 2), Size("steps", 1, 6, 2)), at),))


def _learned(x: Instance) -> Mapping[str, Any]:
    """E[Σwₖ²‖noiseₖ‖²] for two clients, τ = 1, two outcomes each, and weights of each of the four joint outcomes."""
    s, q, w = x["sizes"], x["chance"], x["weights"].reshape(-1, 2, 2, 2)
    values, odds = np.stack([(1 - q) * s, -q * s], axis=2), np.stack([q, 1 - q], axis=2)
    joint = odds[:, 0, :, None] * odds[:, 1, None, :]
    of = (values[:, 0, :, None], values[:, 1, None, :])
    pairs = np.stack([np.broadcast_to(v, joint.shape) for v in of], axis=3)
    return {
        "swept": (joint[..., None] * w**2 * pairs**2).sum(axis=(1, 2, 3)),
        "noise": (q * (1 - q) * s**2).max(axis=1),
        "tau": np.ones(len(w)),
        "square_weights": (joint[..., None] * w**2).sum(axis=(1, 2, 3)),
        "magnitude": (s**2).max(axis=1),
    }


def learned_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Two clients, one local step, independent noise of two values each; weights a function of the local models."""
    s, q, swept, power = x["sizes"], x["chance"], Fraction(0), Fraction(0)
    for i in range(2):
        for j in range(2):
            w = x["weights"][2 * i + j]
            chance = (q[0] if i == 0 else 1 - q[0]) * (q[1] if j == 0 else 1 - q[1])
            drawn = [(1 - q[0]) * s[0] if i == 0 else -q[0] * s[0], (1 - q[1]) * s[1] if j == 0 else -q[1] * s[1]]
            swept += chance * sum(w[k] ** 2 * drawn[k] ** 2 for k in range(2))
            power += chance * sum(v * v for v in w)
    met = {
        "chances in (0, 1), so that four different pairs of local models occur": all(0 < v < 1 for v in q)
        and min(s) > 0,
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in x["weights"]),
    }
    sigma2 = max(q[k] * (1 - q[k]) * s[k] ** 2 for k in range(2))
    return met, {"swept": swept, "noise": sigma2, "tau": Fraction(1), "square_weights": power}


_TWO_CLIENTS = Space(
    (
        LogScale("sizes", 1e-1, 1e1, (2,), at=(1.0,)),
        Uniform("chance", 0.02, 0.98, (2,), at=(0.02, 0.1, 0.5)),
        Simplex("weights", 2, (4,)),
    )
)
_LEARNED = case(
    "two clients, weights from local models",
    _TWO_CLIENTS,
    _learned,
    learned_exact,
    symmetries=(units({"sizes": (1, -1)}),),
)
_NOISE = le(
    2 * swept / tau**2,
    2 * noise / tau * square_weights,
    again=lambda noise, tau, square_weights: square_weights * 2 / tau * noise,
)
LEARNED = World(NOTATION, (_LEARNED,))

S04 = step(
    "SSA-S04",
    "(22), (23) and A.3 to (24)",
    "The noise of a round",
    printed=r"""\frac2{\tau^2}\sum_kw_k^2\,\mathbb E\Big\|\sum_{r=0}^{\tau-1}(g_k-\nabla F_k)(\theta_k^{(t,r)})\Big\|^2
        \le\frac{2\sigma^2}\tau\sum_kw_k^2""",
    plainly="The noise of τ local steps averages out: its part in the round is at most 2σ²Σw²/τ.",
    assumes=[
        "A.3; samples fresh at every step; the noise of a step may depend on the path so far",
        "w: fixed, as in A.5, or learned, as in Algorithm 1",
    ],
    says=_NOISE,
    world=_trees(),
    readings=[
        reading(
            "weights fixed before the round",
            "wₖ as the theorem writes it, any real numbers.",
            because="(22) to (24) print w_k² outside the expectation",
        ),
        reading(
            "weights learned from the local models of the round",
            "Ours: wₖᵗ as in Algorithm 1, with its square inside the expectation on both sides; independent clients.",
            world=LEARNED,
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""w_k² moved inside the expectation on both sides; (22) to (24) print it outside, where weights that
                see the noise are excluded""",
        ),
    ],
    mutants=[
        mutant(
            "noise of one sample for all steps",
            None,
            "the same noise τ times has τ² times the variance: conditional means are then not zero",
            world=_trees(lasting=True),
        ),
        mutant(
            "σ²/τ in place of 2σ²/τ",
            le(2 * swept / tau**2, noise / tau * square_weights),
            "all variances equal to σ² attain the printed bound",
        ),
    ],
    tight="every variance σ²",
    rests_on=["SSA-L1", "SSA-A3"],
    verdict="""It holds for weights as printed, wₖ² outside the expectation, by Lemma 1 and A.3, and is attained. With
        wₖ² moved inside on both sides, which is ours, weights learned from the local models of the round can prefer the
        client with the larger error and make the left side larger than the bound. Algorithm 1 learns such weights,
        after the noise of the round has acted; the theorem writes wₖ without a round. This gap is counted at
        SSA-E17.""",
)

d1, d2, h1, h2 = symbols("d1 d2 h1 h2", positive=True)
g1, g2, f1, f2, g3, g4, f3, f4 = symbols("g1 g2 f1 f2 g3 g4 f3 f4", positive=True)
G, Q, S, N3, sigma2 = symbols("G Q S N3 sigma2", nonnegative=True)
jolt, mean = vectors("noise mean")
n, w, d, h, g, f, D, H = symbols(
    "n w d h g f D H", positive=True
)  # sums or means so far, and what one more client or step adds

E19 = step(
    "SSA-E19",
    "Eq. (19), E.2.2",
    "N₂ split at h_k",
    printed=r"N_2=\mathbb E[\|\sum_kw_k(\mathbf d_k-\mathbf h_k)+\sum_kw_k\mathbf h_k\|^2]",
    plainly="h_k is subtracted and added inside the norm.",
    assumes=ONE_ROUND,
    says=identity((w1 * d1 + w2 * d2) ** 2, (w1 * (d1 - h1) + w2 * (d2 - h2) + w1 * h1 + w2 * h2) ** 2),
    readings=[
        reading("as printed", "One coordinate, two clients.", part="as printed"),
        reading(
            "one summand more",
            "One client more, D = Σw_kd_k and H = Σw_kh_k so far.",
            identity((D + w * d) ** 2, (D - H + w * (d - h) + H + w * h) ** 2),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "h_k added without its weight",
            identity((w1 * d1 + w2 * d2) ** 2, (w1 * (d1 - h1) + w2 * (d2 - h2) + h1 + h2) ** 2),
            "the sides differ unless both weights are one",
        )
    ],
    rests_on=["SSA-E11", "SSA-E12", "SSA-E15"],
    verdict="An identity, for any weights.",
)

E20 = step(
    "SSA-E20",
    "Eq. (20), E.2.2",
    "Noise and mean separated",
    printed=r"\le2\mathbb E[\|\sum_kw_k(\mathbf d_k-\mathbf h_k)\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]",
    plainly="The squared sum of noise and mean is at most twice the sum of their squares.",
    assumes=["any vectors; expectations of both sides follow"],
    says=VectorInequality(square(jolt + mean), 2 * square(jolt) + 2 * square(mean)),
    readings=[reading("for all vectors", "Path by path.")],
    mutants=[
        mutant(
            "without the factor 2",
            VectorInequality(square(jolt + mean), square(jolt) + square(mean)),
            """equal noise and mean attain the factor (and h_k depends on earlier noise, so the cross term need not
                vanish)""",
        )
    ],
    tight="equal noise and mean",
    rests_on=["SSA-E19"],
    verdict="‖a + b‖² <= 2‖a‖² + 2‖b‖².",
)

E21 = step(
    "SSA-E21",
    "Eq. (21), E.2.2",
    "The clients' noise adds up",
    printed=r"=2\sum_kw_k^2\mathbb E[\|\mathbf d_k-\mathbf h_k\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]",
    plainly="The second moment of the clients' weighted noise is the sum of w_k² times each client's own.",
    assumes=["one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed"],
    says=of_round(eq(Dv, V), reach=8.0),
    readings=[
        reading(
            "weights fixed before the round",
            "Independent clients, as the proof says.",
            because="w_k² stands outside the expectation",
        ),
        reading(
            "weights learned from the local models",
            "Ours: w_k² inside the expectation; the weights carry the noise of all clients.",
            of_round(eq(Dv, V), sees=1, reach=8.0, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""w_k² moved inside the expectation; (21) prints it outside, where weights that see the noise are
                excluded""",
        ),
    ],
    mutants=[
        mutant(
            "one noise for all clients",
            of_round(eq(Dv, V), coins=1, reach=8.0),
            "the weighted noises of two clients that share it add up before they are squared",
        )
    ],
    rests_on=["SSA-A3", "SSA-E20"],
    verdict="""It holds for independent clients, as the proof says, and for the weights as printed: w_k² stands outside
        the expectation. With w_k² moved inside, which is ours, and weights learned from all the local models of the
        round, w_k(d_k − h_k) and w_n(d_n − h_n) are dependent, and the equality fails; the gap to Algorithm 1 is
        counted at SSA-E17. Independence itself stands only in the proof: Assumption 3 is about each client alone.""",
)

E22 = step(
    "SSA-E22",
    "Eq. (22), E.2.2",
    "Noise written as a sum over the steps",
    printed=r"""=\frac2{\tau^2}\sum_kw_k^2\mathbb E[\|\sum_{r=0}^{\tau-1}(g_k(\theta_k^{(t,r)})-\nabla
        F_k(\theta_k^{(t,r)}))\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]""",
    plainly="d_k − h_k is 1/τ times the sum of the step noises; its square carries 1/τ².",
    assumes=ONE_ROUND,
    says=identity(
        2 * w1**2 * ((g1 + g2) / 2 - (f1 + f2) / 2) ** 2 + 2 * w2**2 * ((g3 + g4) / 2 - (f3 + f4) / 2) ** 2,
        (w1**2 * ((g1 - f1) + (g2 - f2)) ** 2 + w2**2 * ((g3 - f3) + (g4 - f4)) ** 2) * 2 / 4,
    ),
    readings=[
        reading("as printed", "One coordinate, two clients, two local steps.", part="as printed"),
        reading(
            "one summand more",
            """One step more for one client, d and h the means of the n before; the clients' terms are the same on both
                sides.""",
            identity(
                2 * w**2 * ((n * d + g) / (n + 1) - (n * h + f) / (n + 1)) ** 2,
                2 / (n + 1) ** 2 * w**2 * (n * (d - h) + g - f) ** 2,
            ),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "1/τ in place of 1/τ²",
            identity(2 * w1**2 * ((g1 + g2) / 2 - (f1 + f2) / 2) ** 2, w1**2 * ((g1 - f1) + (g2 - f2)) ** 2),
            "the factor 1/τ stands inside the square",
        )
    ],
    rests_on=["SSA-E11", "SSA-E12", "SSA-E21"],
    verdict="An identity from (11) and (12).",
)

E23 = step(
    "SSA-E23",
    "Eq. (23), E.2.2",
    "Lemma 1 along a client's steps",
    printed=r"""=\frac2{\tau^2}\sum_kw_k^2\sum_{r=0}^{\tau-1}\mathbb E[\|g_k(\theta_k^{(t,r)})-\nabla F_k(\theta_k^{(t,
        r)})\|^2]+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]""",
    plainly="A client's step noises are uncorrelated, so the square of their sum is the sum of their squares.",
    assumes=["one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed"],
    says=of_round(eq(V, V3), reach=8.0),
    readings=[
        reading(
            "weights fixed before the round",
            "Fresh mini-batches: noise of conditional mean 0 given the path, its size a function of the model.",
            because="w_k² stands outside the expectation",
        ),
        reading(
            "weights learned from the local models",
            "Ours: w_k² inside the expectation; the weights look at a client's first and last step.",
            of_round(eq(V, V3), sees=2, reach=8.0, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""w_k² moved inside the expectation; (23) prints it outside, where weights that see the noise are
                excluded""",
        ),
    ],
    mutants=[
        mutant(
            "one mini-batch for the whole round",
            of_round(eq(V, V3), coins=2, reach=8.0),
            "the noise then repeats, and τ equal noises give τ² in place of τ",
        )
    ],
    rests_on=["SSA-L1", "SSA-A3", "SSA-E22"],
    verdict="""It holds for the weights as printed, w_k² outside the expectation, also where the size of the noise
        depends on the model. With w_k² moved inside, which is ours, learned weights see the product of a client's
        noises of two steps, which then does not average out; the gap to Algorithm 1 is counted at SSA-E17. It needs a
        fresh mini-batch at each step; with one batch kept for the round, Assumption 3 fails at the second step.""",
)


E24 = step(
    "SSA-E24",
    "Eq. (24), E.2.2",
    "Bound on N₂",
    printed=r"\le\frac{2\sigma^2}\tau\sum_kw_k^2+2\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]",
    plainly="N₂ is at most 2σ²Σw_k²/τ plus twice the second moment of the weighted full gradients.",
    assumes=["one round; A.3; noise independent over clients and steps, its size may depend on the model; w fixed"],
    says=of_round(le(V3, sigma2 * S / tau, again=lambda sigma2, S, tau: S * (sigma2 / tau)), reach=8.0),
    readings=[
        reading("the noise term", "Σw_k²Σ_rE‖g_k − ∇F_k‖²/τ² <= σ²Σw_k²/τ, the step from (23).", part="the noise term"),
        reading(
            "N₂ as a whole",
            "From (19) to (24).",
            of_round(
                le(N2, 2 * sigma2 / tau * S + 2 * Q, again=lambda sigma2, tau, S, Q: 2 * (Q + S * sigma2 / tau)),
                reach=8.0,
            ),
            part="N₂ as a whole",
        ),
        reading(
            "the noise term, weights learned from the local models",
            "Ours: the square inside the expectation on both sides; two clients, one step.",
            _NOISE,
            world=LEARNED,
            part="the noise term",
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""w_k² moved inside the expectation on both sides; (22) to (24) print it outside, where weights that
                see the noise are excluded""",
        ),
    ],
    mutants=[
        mutant(
            "1/τ² in place of 1/τ",
            of_round(le(V3, sigma2 * S / tau**2), reach=8.0),
            "τ noises of full size add up to τσ², divided by τ²",
        ),
        mutant(
            "the weighted full gradients dropped",
            of_round(le(N2, 2 * sigma2 / tau * S), reach=8.0),
            "without noise N₂ is the square of Σw_kh_k",
        ),
    ],
    tight="the step from (23): noise of variance σ² at every step and client",
    rests_on=["SSA-A3", "SSA-E23"],
    verdict="""It holds for the weights as printed, w_k² outside the expectation; the step from (23) is attained by
        noise of full size. With w_k² moved inside on both sides, which is ours, learned weights may prefer the client
        whose noise is large this time, and Assumption 3 bounds its mean square only (SSA-S04); the gap to Algorithm 1
        is counted at SSA-E17. The bounded variance it uses is Assumption 3, not 2 as printed.""",
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


E25 = step(
    "SSA-E25",
    "Eq. (25), E.2.2",
    "Descent of one round",
    printed=r"""\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta}2\|\nabla F\|^2-
        \frac{\tau\eta}2(1-2\tau\eta L)\mathbb E[\|\sum_kw_k\mathbf h_k\|^2]+L\tau\eta^2\sigma^2\sum_kw_k^2+
        \frac{\tau\eta}2N_3""",
    plainly="A round lowers F by half the squared gradient, up to noise and the error N₃ of the direction.",
    assumes=ONE_ROUND,
    says=of_round(le(fall, _BOUND, again=descent_again), weights="sum one", reach=8.0),
    readings=[
        reading(
            "weights fixed before the round",
            "Of sum one, as (13) needs, and any sign; any ηL up to 4/τ.",
            because="Σw_k² stands outside every expectation",
        ),
        reading(
            "weights learned from the local models",
            "Ours: Σw_k² at its largest over the noise.",
            of_round(le(fall, _BOUND, again=descent_again), sees=1, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""the largest Σw_k² over the noise; (25) prints Σw_k² outside every expectation, where weights that
                see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)""",
        ),
    ],
    mutants=[
        mutant(
            "N₃ dropped",
            of_round(le(fall, _BOUND - tau * eta / 2 * N3), weights="sum one", reach=8.0),
            "with the weight on a client that pulls against F, F rises",
        ),
        mutant(
            "−2τηL dropped",
            of_round(le(fall, _BOUND.subs(Q, 0) - tau * eta / 2 * Q), weights="sum one", reach=8.0),
            "one quadratic client without noise and a long step: only Lτ²η²‖h‖² pays for overshooting",
        ),
        mutant(
            "one noise for all clients",
            of_round(le(fall, _BOUND), coins=1),
            "at a stationary point of like clients the shared noise is not averaged: σ²/2 against σ²Σw_k²",
        ),
    ],
    rests_on=["SSA-E15", "SSA-E18", "SSA-E24"],
    verdict="""It holds for weights fixed before the round, without any condition on the step, if the clients' noises
        are independent, as said below (24). Σw_k² is printed outside every expectation. With its largest value over the
        noise, which is ours, and weights learned from the round's own local models it fails, because the noise no
        longer drops out of N₁ (17); the gap to Algorithm 1 is counted at SSA-E17.""",
)


CLAIMS: tuple[Claim, ...] = (
    E11,
    E12,
    E13,
    E14,
    E15,
    E16,
    E17,
    E18,
    E19,
    E20,
    E21,
    E22,
    E23,
    E24,
    E25,
    S04,
)
