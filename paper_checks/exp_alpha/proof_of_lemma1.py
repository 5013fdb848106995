"""A.10, (12) to (18) and (22): one step expanded, the bounds on A₁, A₂, B₂ and B₁,₂, and how they are put together.

Each coordinate has one curvature below the minimiser and another above it: strongly convex and smooth, and no quadratics
unless the two agree. W* is the optimum of one more client of the same curvatures that has all of the data and no weight.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sympy import Abs

from paper_checks.exp_alpha.drawing import drawn, over, positive, ranging, signed
from paper_checks.exp_alpha.noisy_steps import ANY, BEFORE_SAMPLES, PAST, apart_step
from paper_checks.exp_alpha.notation import NOTATION, Coordinates, Plain, Seen
from paper_checks.exp_alpha.one_step import ENDS, SHORT
from paper_checks.exp_alpha.settings import PROPORTIONAL
from validation import Case, Choice, Instance, Instant, LogScale, Simplex, Switch, symbols
from validation.statement.forms.vectors import inner, square, vectors
from validation.world import Domain, Parameter, VectorInequality, World, identity, le, mutant, reading, step, twice
from validation.world.placed import Placed

__all__ = ["CLAIMS"]

eta, mu, L, local, about, slopes2, slope2, towards = NOTATION.symbols("eta mu L local about slopes2 slope2 towards")
away, before, after, drift, Omega, Gamma, A2 = NOTATION.symbols("away before after drift Omega Gamma A2")
eta_n, p, q, r = symbols("eta_n p q r", positive=True)
x, bar, best, g, g_bar, a, w1, w2, g1, g2, u, v, w = vectors("x bar best g g_bar a w1 w2 g1 g2 u v w")


def bent_step(x: Instance, *, kept: bool) -> Seen:
    """Gradients, losses above the minimum and distances at the local models; W̄ᵗ by ρᵗ, the sums by ρᵗ⁺¹, W* any point."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][:, -1]
    a = b if kept else x["weights"][:, 0]
    slope, target = np.where(m <= W, high, low) * (W - m), best[:, None, :]
    there = np.where(m <= target, high, low) * (target - m)
    mu, L = np.minimum(low, high).min(axis=(1, 2)), np.maximum(low, high).max(axis=(1, 2))
    bar, mean = (a[..., None] * W).sum(axis=1), (b[..., None] * slope).sum(axis=1)
    eta = x["step"] / L
    found = {"L": L, "mu": mu, "eta": eta, "local": 0.5 * (b * (slope * (W - m)).sum(axis=2)).sum(axis=1)}
    found |= {"about": 0.5 * (b * (there * (target - m)).sum(axis=2)).sum(axis=1)}
    found |= {"before": ((bar - best) ** 2).sum(axis=1)}
    found |= {"drift": (b * ((bar[:, None] - W) ** 2).sum(axis=2)).sum(axis=1)}
    found |= {"slopes2": (b * (slope**2).sum(axis=2)).sum(axis=1), "slope2": (mean**2).sum(axis=1)}
    found |= {"towards": (b * ((target - W) * slope).sum(axis=2)).sum(axis=1)}
    found |= {"away": (b * ((target - W) ** 2).sum(axis=2)).sum(axis=1)}
    return {**found, "after": ((bar - eta[:, None] * mean - best) ** 2).sum(axis=1)}


def bent_step_exact(x: Seen, *, kept: bool) -> Plain:
    """The same, coordinate by coordinate."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][-1]
    a = b if kept else x["weights"][0]
    clients, dims = range(len(W)), range(len(best))

    def slope(i: int, j: int, w: Any) -> Any:
        return (high[i][j] if w >= m[i][j] else low[i][j]) * (w - m[i][j])

    def excess(i: int, w: Any) -> Any:
        return sum(slope(i, j, w[j]) * (w[j] - m[i][j]) for j in dims) / 2

    mu, L = min(min(r) for r in [*low, *high]), max(max(r) for r in [*low, *high])
    eta = x["step"] / L
    g = [[slope(i, j, W[i][j]) for j in dims] for i in clients]
    bar = [sum(a[i] * W[i][j] for i in clients) for j in dims]
    mean = [sum(b[i] * g[i][j] for i in clients) for j in dims]
    met = {
        "A1, A2: mu > 0; W* the optimum of one more such client, with all of the data and no weight": mu > 0,
        "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    found = {
        "L": L,
        "mu": mu,
        "eta": eta,
        "local": sum(b[i] * excess(i, W[i]) for i in clients),
        "about": sum(b[i] * excess(i, best) for i in clients),
        "before": sum((bar[j] - best[j]) ** 2 for j in dims),
        "drift": sum(b[i] * (bar[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "slopes2": sum(b[i] * g[i][j] ** 2 for i in clients for j in dims),
        "slope2": sum(mean[j] ** 2 for j in dims),
        "towards": sum(b[i] * (best[j] - W[i][j]) * g[i][j] for i in clients for j in dims),
        "away": sum(b[i] * (best[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "after": sum((bar[j] - eta * mean[j] - best[j]) ** 2 for j in dims),
    }
    return met, found


def bent(*, most: int = 100, kept: bool = True) -> World:
    """Up to `most` bent clients in up to 8 dimensions; W* is the optimum of one more that has the data and no weight."""

    def at(N: int, d: int) -> Case:
        of: Coordinates = (positive("low", N, d, at=ENDS), positive("high", N, d, at=ENDS), signed("optimum", N, d))
        of += (signed("local", N, d), Simplex("weights", N, (1 if kept else 2,)), signed("best", d), SHORT)
        cost = max(2.0, N * d / 16)
        return drawn(f"{N} bent clients, d = {d}", of, bent_step, bent_step_exact, cost=cost, kept=kept)

    return ranging("bent clients", at, N=(1, most, min(2, most)), d=(1, 8, 1))


_STEP = Domain((Parameter("eta"),))
_A1 = square(x - eta * g_bar)
_B1 = 2 * eta * inner(x, g_bar)
_B2 = eta**2 * square(g_bar)

E13 = step(
    "EA-E13",
    "A.10, proof of Lemma 1, (13)",
    "A₁ expanded",
    printed=r"""A_1=\|\bar{\mathbf W}^t-\mathbf W^*\|^2-\underbrace{2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,
        \bar{\mathbf g}_t\rangle}_{B_1}+\underbrace{\eta_t^2\|\bar{\mathbf g}_t\|^2}_{B_2}\qquad\text{and in (16) }B_1=
        -2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle""",
    plainly="The square is expanded into three terms.",
    assumes=["x stands for W̄ᵗ − W*"],
    says=identity(_A1, square(x) - _B1 + _B2),
    readings=[
        reading(
            "as displayed", "The brace holds 2η⟨·⟩, the minus stands before it.", part="(13) with the B₁ of its brace"
        ),
        reading(
            "with the B₁ of (16) behind the minus",
            "B₁ = −2η⟨·⟩ put into ‖·‖² − B₁ + B₂; even as an upper bound.",
            VectorInequality(_A1, square(x) - (-_B1) + _B2, _STEP),
            part="(13) with the B₁ of (16)",
            because="""(13) braces B₁ = 2η_t⟨W̄^t − W*, ḡ_t⟩ behind a minus, (16) prints B₁ = −2η_t⟨W̄^t − W*, ḡ_t⟩: one
                letter, two signs""",
        ),
        reading(
            "plus B₁, with the B₁ of (16)",
            "The minus belongs into the brace.",
            identity(_A1, square(x) + (-_B1) + _B2),
            part="(13) with the B₁ of (16)",
            edits=["+B₁ in place of −B₁: the minus belongs into the brace of (13)"],
            token=True,
            forced_by="(16) prints B₁ = −2η_t⟨W̄^t − W*, ḡ_t⟩, and the display after (18) adds it",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "η in place of 2η",
            VectorInequality(_A1, square(x) - _B1 / 2 + _B2, _STEP),
            "the cross term of a square counts twice, and ⟨x, ḡ⟩ may be negative",
        )
    ],
    rests_on=["EA-E12"],
    verdict="""The display is exact. Its brace gives B₁ = 2η⟨W̄ᵗ − W*, ḡₜ⟩, subtracted; (16) takes B₁ = −2η⟨W̄ᵗ − W*,
        ḡₜ⟩ and the proof then adds it. Together the two definitions would have the wrong sign; with the minus inside
        the brace they agree. Where the proof puts the pieces together it uses the right sign, so nothing follows.""",
)

_SPLIT = -2 * eta * inner(bar - best, p * g1 + q * g2)
_DRIFT = p * inner(w1 - bar, g1) + q * inner(w2 - bar, g2)
_DOWN = p * inner(best - w1, g1) + q * inner(best - w2, g2)
_PAIR = Domain((Parameter("eta"),), (("p", "q"),))

E16 = step(
    "EA-E16",
    "A.10, proof of Lemma 1, (16)",
    "B₁ split",
    printed=r"""-2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle=2\eta_t\sum_i\rho_i^{t+1}
        \underbrace{\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,1}}+2\eta_t\sum_i
        \rho_i^{t+1}\underbrace{\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,2}}""",
    plainly="Each client's own model is subtracted and added in the inner product.",
    assumes=["two clients stand for N, by linearity; weights p, q need not sum to 1"],
    says=identity(_SPLIT, 2 * eta * _DRIFT + 2 * eta * _DOWN),
    readings=[reading("as printed", "For all vectors.")],
    mutants=[
        mutant(
            "W̄ᵗ − Wᵢᵗ in B₁,₁",
            VectorInequality(_SPLIT, 2 * eta * _DOWN - 2 * eta * _DRIFT, _PAIR),
            "the sides differ by 4ηΣρ⟨Wᵢᵗ − W̄ᵗ, ∇Fᵢ⟩, which may be positive",
        ),
        mutant(
            "factor 2 of B₁,₂ dropped",
            VectorInequality(_SPLIT, 2 * eta * _DRIFT + eta * _DOWN, _PAIR),
            "the sides differ by ηΣρ⟨W* − Wᵢᵗ, ∇Fᵢ⟩, which may be positive",
        ),
    ],
    rests_on=["EA-E13"],
    verdict="""Linearity of the inner product. The middle form prints Wᵢᵗ − Wᵢᵗ outside the sum over i, where i has no
        value; as it is zero, that changes nothing.""",
)

_YOUNG = Domain((Parameter("eta"), Parameter("eta_n")))
_OTHER_STEP = VectorInequality(inner(a, g), (square(a) / eta + eta_n * square(g)) / 2, _YOUNG)

E17 = step(
    "EA-E17",
    "A.10, proof of Lemma 1, (17)",
    "The bound on B₁,₁",
    printed=r"""B_{1,1}=\langle\mathbf W_i^t-\bar{\mathbf W}_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le\frac12
        \Big(\frac1{\eta_t}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+\eta_n\|\nabla F_i(\mathbf W_i^t)\|^2\Big)""",
    plainly="Cauchy–Schwarz and the inequality of the means.",
    assumes=[
        "a stands for Wᵢᵗ − W̄ᵗ, g for the gradient",
        "W̄ᵢᵗ of the inner product is W̄ᵗ, as in (16) and under the norms of (17); there is no other mean model",
        "ηₜ > 0",
    ],
    says=VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 2, _STEP),
    readings=[
        reading("as printed", "ηₙ a step size of its own, any.", _OTHER_STEP),
        reading(
            "ηₙ = ηₜ",
            "For all vectors of all dimensions and every step.",
            edits=["η_t in place of η_n"],
            token=True,
            forced_by="""the line before prints √((1/η_t)‖W̄^t − W_i^t‖²·η_t‖∇F_i(W_i^t)‖²), whose mean AM–GM takes; C,
                which goes on from (17), has 4Lη_t² in that place""",
            carries=True,
        ),
    ],
    mutants=[
        mutant("ηₙ another step than ηₜ", _OTHER_STEP, "for a = ηₜg the sides are ηₜ‖g‖² and (ηₜ + ηₙ)‖g‖²/2"),
        mutant(
            "1/4 in place of 1/2",
            VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 4, _STEP),
            "for a = ηg the print has equality",
        ),
    ],
    tight="Wᵢᵗ − W̄ᵗ = ηₜ∇Fᵢ(Wᵢᵗ)",
    rests_on=["EA-E16"],
    supremum=1.0,
    verdict="""The subscript n is never defined, and any step smaller than ηₜ makes the line false. The root before it
        has ηₜ under both norms. ηₙ is printed once more where (17) is put into A₁; the next line of that display has
        ηₜ², and C goes on with it: a slip for t. With ηₜ the line holds for all vectors, proved.""",
)

_WEIGHTS = Domain((), (("p", "q", "r"),))
_ONE, _MANY = bent(most=1), bent()

E14 = step(
    "EA-E14",
    "A.10, proof of Lemma 1, (14)",
    "A gradient below the excess loss",
    printed=r"\|\nabla F_i(\mathbf W_i^t)\|^2\le2L(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))",
    plainly="The squared gradient of an L-smooth Fᵢ is at most 2L times its excess loss.",
    assumes=["every Fᵢ μ-strongly convex and L-smooth", "Wᵢ* its minimiser"],
    says=le(slopes2, 2 * L * local),
    world=_ONE,
    readings=[reading("as printed", "Any point.")],
    mutants=[
        mutant(
            "2μ in place of 2L",
            le(slopes2, 2 * mu * local),
            "along a direction of curvature L the two sides of the print are equal",
        ),
        mutant(
            "L in place of 2L",
            le(slopes2, L * local),
            "with curvature L throughout the squared gradient is 2L times the excess",
        ),
    ],
    tight="curvature L along the way to the minimiser",
    rests_on=["EA-A2"],
    supremum=1.0,
    verdict="True of every L-smooth function with a minimiser; the proof calls assumption 2 number 1.",
)

_JENSEN = p * square(u) + q * square(v) + r * square(w)

E15 = step(
    "EA-E15",
    "A.10, proof of Lemma 1, (15)",
    "The bound on B₂",
    printed=r"""B_2=\eta_t^2\Big\|\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)\Big\|^2\le\eta_t^2\sum_i\rho_i^{t+
        1}\|\nabla F_i(\mathbf W_i^t)\|^2\le2L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))""",
    plainly="The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean excess.",
    assumes=["every Fᵢ μ-strongly convex and L-smooth", "weights on the simplex"],
    says=VectorInequality(square(p * u + q * v + r * w), _JENSEN, _WEIGHTS),
    readings=[
        reading("first inequality", "Jensen; three clients, any weights, any vectors.", part="first inequality"),
        reading(
            "both", "On clients.", le(eta**2 * slope2, 2 * L * eta**2 * local), world=_MANY, part="both inequalities"
        ),
    ],
    mutants=[
        mutant(
            "weights squared in the mean of squares",
            VectorInequality(
                square(p * u + q * v + r * w), p**2 * square(u) + q**2 * square(v) + r**2 * square(w), _WEIGHTS
            ),
            "for two equal vectors ‖u‖² is not at most ‖u‖²/2",
        ),
        mutant(
            "L in place of 2L",
            le(eta**2 * slope2, L * eta**2 * local),
            "one client of curvature L has equality in the print",
            world=_MANY,
        ),
    ],
    tight="equal gradients, curvature L",
    rests_on=["EA-E14"],
    supremum=1.0,
    verdict="""Jensen's inequality for the square, proved for three clients, then (14) for each client; both together
        were searched on up to 100 clients.""",
)


E18 = step(
    "EA-E18",
    "A.10, proof of Lemma 1, (18)",
    "The bound on B₁,₂",
    printed=r"""B_{1,2}=\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le F_i(\mathbf W^*)
        -F_i(\mathbf W_i^t)-\frac\mu2\|\mathbf W^*-\mathbf W_i^t\|^2""",
    plainly="The step towards W* is bounded by strong convexity.",
    assumes=[
        "every Fᵢ μ-strongly convex and L-smooth",
        """checked with F_i(Wᵢᵗ) and the square on the left, the inner product on the right, both losses above the
            minimum""",
    ],
    says=le(local + mu / 2 * away, about - towards, again=lambda about, towards: -(towards - about)),
    world=_ONE,
    readings=[reading("as printed", "Any two points.")],
    mutants=[
        mutant(
            "L/2 in place of μ/2",
            le(local + L / 2 * away, about - towards),
            "along the smaller of two curvatures the loss grows slower than L/2 times the square",
        ),
        mutant(
            "half of F(W*)",
            le(local + mu / 2 * away, about / 2 - towards),
            "for curvature μ throughout the print has equality",
        ),
    ],
    tight="curvature μ between the two points",
    rests_on=["EA-A1"],
    supremum=1.0,
    verdict="The definition of strong convexity at Wᵢᵗ; the proof calls assumption 1 number 2.",
)


def aside(x: Seen) -> Seen:
    """Two clients of one curvature: W_bar^t is the first's model; all of rho^(t+1) is on the second, which is at W* = 0."""
    h, e, zero, unmoved = x["curvature"], x["distance"], 0 * x["distance"], x["unmoved"]
    rows = [[1 - unmoved, unmoved], [zero, zero + 1]]
    # At tilt 1 the second client's step is as long as the distance.
    pair = {"low": [[h], [h]], "high": [[h], [h]], "optimum": [[zero], [x["tilt"] * e / x["step"]]]}
    return {**pair, "local": [[e], [zero]], "weights": rows, "best": [zero], "step": x["step"]}


def aside_exact(x: Seen) -> Plain:
    """The client that takes all the weight stands at W*, and W_bar^t is at `distance`."""
    return bent_step_exact(aside(x), kept=False)


_OF = (positive("curvature"), positive("distance"), LogScale("tilt", 0.5, 2.0, at=(1.0,)), SHORT)
_NAME, _UNMOVED = "all the weight passes to a client at W*", Choice("unmoved", (0.0,))
_ASIDE = drawn(_NAME, (*_OF, _UNMOVED), Placed(aside, partial(bent_step, kept=False)), aside_exact, cost=3.0)


def _unmoved(x: Instance) -> Instance:
    if "unmoved" in x:
        return {**x, "unmoved": np.ones_like(x["unmoved"])}
    return {**x, "weights": np.broadcast_to(x["weights"][:, 1:], x["weights"].shape)}


_SAME = (Switch("one weight vector a round", "ρᵗ is the same at every step of a round", _unmoved),)
_FREE, _KEPT = over(bent(kept=False), switches=_SAME), bent()

_A1_E18B = (1 - eta * mu) * before + drift + 4 * L * eta**2 * local + 2 * eta * (about - local)

E18B = step(
    "EA-E18b",
    "A.10, proof of Lemma 1, display after (18)",
    "The bound on A₁",
    printed=r"""A_1\le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf
        W_i^t\|^2+C,\quad C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t+
        1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))""",
    plainly="The pieces put together, with the squared distances of the clients to W* replaced by that of their mean.",
    assumes=[
        "every Fᵢ μ-strongly convex and L-smooth",
        "ηₜ <= 1/(4L), weights ρᵗ on the simplex at every t",
        "W̄ᵗ = Σρᵢᵗ Wᵢᵗ; C as (19) repeats it (the display before has Fᵢ(Wᵢ*) where (19) has Fᵢ(Wᵢᵗ))",
    ],
    says=le(after, _A1_E18B),
    world=_KEPT,
    readings=[
        reading(
            "the last inequality alone, weights free at every step",
            "Σρᵢᵗ⁺¹‖W* − Wᵢᵗ‖² >= ‖W̄ᵗ − W*‖².",
            le(before, away),
            world=_FREE,
            cuts={"weights": "change inside a round"},
            because="""W̄^t is the mean under ρ^t (Eq. 2), the sums run under ρ^{t+1}; «generic, time-varying» weights
                are indexed by the step""",
        ),
        reading(
            "the whole, weights free at every step",
            "ρᵗ⁺¹ need not be ρᵗ.",
            world=over(_FREE, _ASIDE, switches=_SAME),
            cuts={"weights": "change inside a round"},
        ),
        reading(
            "the whole, one weight vector a round",
            "W̄ᵗ is then the mean of the Wᵢᵗ under the weights of the step.",
            conditions=["ρ^t is the same at every step of a round"],
            met_by=PROPORTIONAL,
        ),
    ],
    mutants=[
        mutant(
            "spread dropped",
            le(after, _A1_E18B - drift),
            """two opposed clients about W* = W̄ whose nearly linear losses rise away from it, ηg half their distance:
                A₁ = 0 and C is negative""",
        ),
        mutant(
            "Lη² in place of 4Lη²",
            le(after, _A1_E18B - 3 * L * eta**2 * local),
            "one client of one curvature: (1 − ημ)² of the square against 1 − 2ημ + (ημ)²/2",
        ),
        mutant(
            "(1 − 2ημ)",
            le(after, _A1_E18B - eta * mu * before),
            "one client of one curvature, W* its optimum: (1 − ημ)² of the square against (1 − ημ)(1 − 2ημ)",
        ),
    ],
    tight="one curvature for all, Wᵢᵗ equal: no spread",
    rests_on=["EA-E13", "EA-E15", "EA-E16", "EA-E17", "EA-E18"],
    verdict="""The last inequality is Jensen's, and Jensen's needs W̄ᵗ to be the mean under the weights it is averaged
        with. W̄ᵗ is the mean under ρᵗ, the average is taken under ρᵗ⁺¹: if the weights change inside a round, a client
        that stands at W* and receives all the weight makes the average 0 while W̄ᵗ is elsewhere, and the bound on A₁
        fails with it. With one weight vector a round, or at the first step of a round, every piece is right and the
        whole holds. The line before the last prints Fᵢ(Wᵢ*) for Fᵢ(Wᵢᵗ) in one sum; (19) has it right again.""",
)

_A2 = 2 * eta * inner(x - eta * g_bar, g_bar - g)
_NOISE = eta**2 * square(g_bar - g)
_SEEN = (float(Instant.AFTER_STEP),)
_ALL = over(*(apart_step(n, ANY) for n in (1, 2, 3)), switches=(BEFORE_SAMPLES,))
_NO_MEAN = le(Abs(A2), 0)

E12 = step(
    "EA-E12",
    "A.10, proof of Lemma 1, (12)",
    "The step expanded",
    printed=r"""\|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2=\underbrace{\|\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf
        g}_t\|^2}_{A_1}+\underbrace{2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf g}_t,\bar{\mathbf
        g}_t-\mathbf g_t\rangle}_{A_2}+\eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2,\quad\mathbb E[A_2]=0""",
    plainly="The squared distance after a step splits into a part without noise, a cross term of mean 0 and the noise.",
    assumes=["W̄ᵗ⁺¹ = W̄ᵗ − ηₜgₜ, ḡₜ = Σρᵢᵗ⁺¹∇Fᵢ(Wᵢᵗ)", "samples independent with mean ∇Fᵢ", "x stands for W̄ᵗ − W*"],
    says=identity(square(x - eta * g), _A1 + _A2 + _NOISE),
    readings=[
        reading("the expansion", "For all vectors of all dimensions.", part="the expansion"),
        reading(
            "E[A₂] = 0, weights that may see the samples",
            "Exp-α's weights are functions of the round's own local models.",
            _NO_MEAN,
            world=_ALL,
            part="E[A₂] = 0",
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by="Exp-α's own weights (Algorithm 1) are computed from the round's local models",
            because="""A.8 prints «ḡ_t = E[g_t] = Σρ_i^{t+1}∇F_i(W_i^t)», of which the second equality needs weights
                that the samples do not move (EA-VS)""",
        ),
        reading(
            "E[A₂] = 0, weights fixed before the samples",
            "Given the past; W̄ᵗ under other weights than ρᵗ⁺¹ included.",
            _NO_MEAN,
            world=over(*(apart_step(n, PAST) for n in (1, 2, 3))),
            part="E[A₂] = 0",
            conditions=["weights chosen before the round's samples"],
            met_by=PROPORTIONAL,
        ),
    ],
    mutants=[
        mutant(
            "factor 2 of A₂ dropped",
            VectorInequality(square(x - eta * g), _A1 + _A2 / 2 + _NOISE, _STEP),
            "the cross term of a square counts twice, and it may be positive",
        ),
        mutant(
            "E[A₂] = 0 with weights that see the samples",
            _NO_MEAN,
            "all weight on positive noise: the noise then has a mean",
            world=over(apart_step(2, _SEEN)),
        ),
    ],
    rests_on=["EA-VS"],
    repeats="EA-VS",
    verdict="""The expansion is exact. The cross term has mean 0 if the weights do not see the samples of the step, as
        proportional weights do not: given the past, everything in it but gₜ is then fixed. With weights that depend on
        the samples, as Exp-α's do, both ḡₜ and the mean of the noise move with them and E[A₂] may have either sign.
        «Time-varying» weights are not restricted in this. Lemma 1 has no expectation (EA-E22).""",
)


_FROM_A1 = (1 - eta * mu) * before + drift
_FROM_C = 6 * eta**2 * L * Omega + 2 * eta * (Gamma - Omega) + drift
_TWENTYTWO = (1 - eta * mu) * before + 2 * drift + 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega)
_COLLECTED = le(
    _FROM_A1 + _FROM_C + A2,
    _TWENTYTWO,
    again=lambda eta, mu, L, before, drift, Omega, Gamma: (
        before + 2 * (drift + eta * (Gamma - Omega)) + eta * (6 * L * eta * Omega - mu * before)
    ),
)

E22 = step(
    "EA-E22",
    "A.10, proof of Lemma 1, (22)",
    "The pieces collected",
    printed=r"""\|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2\le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+2\sum_i
        \rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+6L\eta_t^2\Omega+2\eta_t(\Gamma-\Omega)+
        \eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2""",
    plainly="The bounds on A₁ and C are added, and the cross term A₂ is left out.",
    assumes=[
        "A₁ <= (1 − ημ)‖x‖² + Σρ‖W̄ − Wᵢ‖² + C",
        "C <= 6η²LΩ + 2η(Γ − Ω) + Σρ‖W̄ − Wᵢ‖², the end of (21)",
        "x stands for W̄ᵗ − W*",
    ],
    says=VectorInequality(square(x - eta * g), _A1 + _NOISE, _STEP),
    open={
        "expectation": twice("""(22) and Lemma 1 print no expectation; the proof leaves A₂ out because «E[A₂] = 0», and
            (7) uses the lemma for Δ_t = E‖W̄^t − W*‖²""")
    },
    readings=[
        reading(
            "A₂ left out path by path",
            "‖x − ηg‖² <= A₁ + η²‖ḡ − g‖² for whatever samples.",
            options={"expectation": "none, as (22)"},
        ),
        reading(
            "E[A₂] = 0, weights that may see the samples",
            """E A₂ <= 0 over the samples, which is what leaving A₂ out needs; Exp-α's weights are functions of the
                round's own local models.""",
            le(A2, 0),
            world=_ALL,
            options={"expectation": "E on both sides, as «E[A₂] = 0»"},
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            used_by="Exp-α's own weights (Algorithm 1) are computed from the round's local models",
        ),
        reading(
            "on average, weights fixed before the samples",
            "The bounds on A₁ and C, each as large as it may be, and E A₂ against the right side of (22).",
            _COLLECTED,
            world=over(*(apart_step(n, PAST, given=True) for n in (1, 2, 3))),
            options={"expectation": "E on both sides, as «E[A₂] = 0»"},
            conditions=["weights chosen before the round's samples"],
            met_by=PROPORTIONAL,
        ),
    ],
    mutants=[
        mutant(
            "divergence counted once",
            le(_FROM_A1 + _FROM_C + A2, _TWENTYTWO - drift),
            "it comes from (17) and again from (20)",
            world=over(apart_step(2, PAST, given=True)),
        ),
        mutant(
            "6Lηₜ²Ω dropped",
            le(_FROM_A1 + _FROM_C + A2, _TWENTYTWO - 6 * L * eta**2 * Omega),
            "it comes from the end of (21), and Ω may be positive",
            world=over(apart_step(2, PAST, given=True)),
        ),
        mutant(
            "the condition removed",
            _COLLECTED,
            "the client whose noise points away from W* may be the one that gets the weight",
            world=over(apart_step(2, _SEEN, given=True)),
        ),
    ],
    rests_on=["EA-E12", "EA-E18b", "EA-E21e"],
    repeats="EA-E12",
    verdict="""The coefficients are right: the divergence comes once from (17) and once from (20). What (22) leaves out
        is A₂, which is zero only on average and only for weights that do not see the samples. Path by path, as (22) and
        Lemma 1 are printed, it can fail where the noise points away from W*. In expectation the step rests on the
        proof's «E[A₂] = 0». For weights that see the samples this fails, and what is shown is E[A₂] > 0, not the two
        sides of (22): with A₁ and C as large as the bounds before it let them be, (22) is missed by just E[A₂]; where
        these bounds have room, (22) itself may still be true. For weights fixed before the samples it is sound, as
        Lemma 1 is. Whether the bound on C holds is judged at EA-E19 to EA-E21e, the whole at EA-L1.""",
)

CLAIMS = (E13, E16, E17, E14, E15, E18, E18B, E12, E22)
