"""A.10, (12) to (22): the expansion of one step, the bounds on A₁, A₂, B₂ and B₁,₂, and how they are put together.

Each coordinate has one curvature below the minimiser and another above it: strongly convex and smooth, and no quadratics
unless the two agree. W* is the optimum of one more client of the same curvatures that has all of the data and no weight.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Abs, Rational

from paper_checks.exp_alpha.drawing import Coordinates, drawn, over, positive, quadratics, ranging, signed
from paper_checks.exp_alpha.lemma1 import ANY, BEFORE_SAMPLES, ENDS, PAST, SHORT, apart_step, one_step_sums
from paper_checks.exp_alpha.notation import NOTATION, Plain, Seen
from validation import Case, Choice, Instance, Instant, Integer, LogScale, Simplex, Switch, symbols
from validation.statement.says import all_of, identity, le, lt
from validation.statement.vectors import inner, square, vectors
from validation.world import Coordinate, Domain, Parameter, VectorInequality, Words, World, but, numbers

__all__ = ["CLAIMS"]

eta, mu, L, local, about, slopes2, slope2 = NOTATION.symbols("eta mu L local about slopes2 slope2")
towards, away, before, after, drift, Omega = NOTATION.symbols("towards away before after drift Omega")
Gamma, A2, lin, grad2, now, bend, step, kappa, t = NOTATION.symbols("Gamma A2 lin grad2 now bend length kappa t")
eta_n, p, q, r, r1, r2, P1, P2, M1, M2, S1, S2, V1, V2 = symbols("eta_n p q r r1 r2 P1 P2 M1 M2 S1 S2 V1 V2")
D1, D2 = symbols("D1 D2")
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
    size = (np.abs(W).max(axis=(1, 2)) + np.abs(m).max(axis=(1, 2)) + np.abs(best).max(axis=1)) ** 2
    found = {"L": L, "mu": mu, "eta": eta, "local": 0.5 * (b * (slope * (W - m)).sum(axis=2)).sum(axis=1)}
    found |= {"about": 0.5 * (b * (there * (target - m)).sum(axis=2)).sum(axis=1)}
    found |= {"before": ((bar - best) ** 2).sum(axis=1)}
    found |= {"drift": (b * ((bar[:, None] - W) ** 2).sum(axis=2)).sum(axis=1)}
    found |= {"slopes2": (b * (slope**2).sum(axis=2)).sum(axis=1), "slope2": (mean**2).sum(axis=1)}
    found |= {"towards": (b * ((target - W) * slope).sum(axis=2)).sum(axis=1)}
    found |= {"away": (b * ((target - W) ** 2).sum(axis=2)).sum(axis=1)}
    found |= {"after": ((bar - eta[:, None] * mean - best) ** 2).sum(axis=1)}
    found |= {
        "sizes": {
            **dict.fromkeys(("before", "drift", "away", "after"), size),
            **dict.fromkeys(("local", "about", "towards"), L * size),
            **dict.fromkeys(("slopes2", "slope2"), L**2 * size),
        }
    }
    return found


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

E13 = Words(r"""EA-E13 (step; A.10, proof of Lemma 1, (13)): A₁ expanded
    Print: A_1
      =\|\bar{\mathbf W}^t-\mathbf W^*\|^2-\underbrace{2\eta_t\langle\bar{\mathbf W}^t
      -\mathbf W^*,\bar{\mathbf g}_t\rangle}_{B_1}+\underbrace{\eta_t^2\|\bar{\mathbf g}_t\|^2}_{B_2}
      \qquad\text{and in (16) }B_1=-2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle
    Plainly: The square is expanded into three terms.
    Assumes: x stands for W̄ᵗ − W*
    Reading: as displayed | The brace holds 2η⟨·⟩, the minus stands before it. | part: (13) with the B₁ of its brace
    Reading b: with the B₁ of (16) behind the minus | B₁ = −2η⟨·⟩ put into ‖·‖² − B₁ + B₂; even as an upper bound. |
      part: (13) with the B₁ of (16) | because: (13) braces B₁ = 2η_t⟨W̄^t − W*, ḡ_t⟩ behind a minus, (16) prints B₁ =
      −2η_t⟨W̄^t − W*, ḡ_t⟩: one letter, two signs
    Reading c: plus B₁, with the B₁ of (16) | The minus belongs into the brace. | part: (13) with the B₁ of (16) | edit:
      +B₁ in place of −B₁: the minus belongs into the brace of (13) | token | forced by: (16) prints B₁ = −2η_t⟨W̄^t −
      W*, ḡ_t⟩, and the display after (18) adds it | carries: yes
    Mutant x: η in place of 2η | the cross term of a square counts twice, and ⟨x, ḡ⟩ may be negative
    Rests on: EA-E12
    Verdict: The display is exact. Its brace gives B₁ = 2η⟨W̄ᵗ − W*, ḡₜ⟩, subtracted; (16) takes B₁ = −2η⟨W̄ᵗ − W*, ḡₜ⟩
      and the proof then adds it. Together the two definitions would have the wrong sign; with the minus inside the
      brace they agree. Where the proof puts the pieces together it uses the right sign, so nothing follows.""").say(
    identity(_A1, square(x) - _B1 + _B2),
    b=VectorInequality(_A1, square(x) - (-_B1) + _B2, _STEP),
    c=identity(_A1, square(x) + (-_B1) + _B2),
    x=VectorInequality(_A1, square(x) - _B1 / 2 + _B2, _STEP),
)

_SPLIT = -2 * eta * inner(bar - best, p * g1 + q * g2)
_DRIFT = p * inner(w1 - bar, g1) + q * inner(w2 - bar, g2)
_DOWN = p * inner(best - w1, g1) + q * inner(best - w2, g2)
_PAIR = Domain((Parameter("eta"),), (("p", "q"),))

E16 = Words(r"""EA-E16 (step; A.10, proof of Lemma 1, (16)): B₁ split
    Print: -2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*,\bar{\mathbf g}_t\rangle=2\eta_t\sum_i\rho_i^{t
      +1}\underbrace{\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,1}}+2\eta_t
      \sum_i\rho_i^{t+1}\underbrace{\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle}_{B_{1,2}}
    Plainly: Each client's own model is subtracted and added in the inner product.
    Assumes: two clients stand for N, by linearity; weights p, q need not sum to 1
    Reading: as printed | For all vectors.
    Mutant x: W̄ᵗ − Wᵢᵗ in B₁,₁ | the sides differ by 4ηΣρ⟨Wᵢᵗ − W̄ᵗ, ∇Fᵢ⟩, which may be positive
    Mutant y: factor 2 of B₁,₂ dropped | the sides differ by ηΣρ⟨W* − Wᵢᵗ, ∇Fᵢ⟩, which may be positive
    Rests on: EA-E13
    Verdict: Linearity of the inner product. The middle form prints Wᵢᵗ − Wᵢᵗ outside the sum over i, where i has no
      value; as it is zero, that changes nothing.""").say(
    identity(_SPLIT, 2 * eta * _DRIFT + 2 * eta * _DOWN),
    x=VectorInequality(_SPLIT, 2 * eta * _DOWN - 2 * eta * _DRIFT, _PAIR),
    y=VectorInequality(_SPLIT, 2 * eta * _DRIFT + eta * _DOWN, _PAIR),
)

_YOUNG = Domain((Parameter("eta"), Parameter("eta_n")))
_OTHER_STEP = VectorInequality(inner(a, g), (square(a) / eta + eta_n * square(g)) / 2, _YOUNG)

E17 = Words(r"""EA-E17 (step; A.10, proof of Lemma 1, (17)): The bound on B₁,₁
    Print: B_{1,1}
      =\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\mathbf W_i^t)\rangle\le\frac12\Big(
      \frac1{\eta_t}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+\eta_n\|\nabla F_i(\mathbf W_i^t)\|^2\Big)
    Plainly: Cauchy–Schwarz and the inequality of the means.
    Assumes: a stands for Wᵢᵗ − W̄ᵗ, g for the gradient | ηₜ > 0
    Reading a: as printed | ηₙ a step size of its own, any.
    Reading: ηₙ = ηₜ | For all vectors of all dimensions and every step. | edit: η_t in place of η_n | token | forced
      by: the line before prints √((1/η_t)‖W̄^t − W_i^t‖²·η_t‖∇F_i(W_i^t)‖²), whose mean AM–GM takes; C, which goes on
      from (17), has 4Lη_t² in that place | carries: yes
    Mutant x: ηₙ another step than ηₜ | for a = ηₜg the sides are ηₜ‖g‖² and (ηₜ + ηₙ)‖g‖²/2
    Mutant y: 1/4 in place of 1/2 | for a = ηg the print has equality
    Tight: Wᵢᵗ − W̄ᵗ = ηₜ∇Fᵢ(Wᵢᵗ)
    Rests on: EA-E16
    Verdict: The subscript n is never defined, and any step smaller than ηₜ makes the line false. The root before it has
      ηₜ under both norms, and C goes on with ηₜ²: a slip for t. With ηₜ the line holds for all vectors, proved.""").say(
    VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 2, _STEP),
    a=_OTHER_STEP,
    x=_OTHER_STEP,
    y=VectorInequality(inner(a, g), (square(a) / eta + eta * square(g)) / 4, _STEP),
    supremum=1.0,
)

_WEIGHTS = Domain((), (("p", "q", "r"),))
_ONE, _MANY = bent(most=1), bent()

E14 = Words(r"""EA-E14 (step; A.10, proof of Lemma 1, (14)): A gradient below the excess loss
    Print: \|\nabla F_i(\mathbf W_i^t)\|^2\le2L(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))
    Plainly: The squared gradient of an L-smooth Fᵢ is at most 2L times its excess loss.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | Wᵢ* its minimiser
    Reading: as printed | Any point.
    Mutant x: 2μ in place of 2L | along a direction of curvature L the two sides of the print are equal
    Mutant y: L in place of 2L | with curvature L throughout the squared gradient is 2L times the excess
    Tight: curvature L along the way to the minimiser
    Rests on: EA-A2
    Verdict: True of every L-smooth function with a minimiser; the proof calls assumption 2 number 1.""").say(
    le(slopes2, 2 * L * local), _ONE, x=le(slopes2, 2 * mu * local), y=le(slopes2, L * local), supremum=1.0
)

_JENSEN = p * square(u) + q * square(v) + r * square(w)

E15 = Words(r"""EA-E15 (step; A.10, proof of Lemma 1, (15)): The bound on B₂
    Print: B_2=\eta_t^2\Big\|\sum_i\rho_i^{t+1}\nabla F_i(\mathbf W_i^t)\Big\|^2
      \le\eta_t^2\sum_i\rho_i^{t+1}\|\nabla F_i(\mathbf W_i^t)\|^2
      \le2L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))
    Plainly: The squared mean gradient is at most the mean of the squares, and that at most 2L times the mean excess.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | weights on the simplex
    Reading: first inequality | Jensen; three clients, any weights, any vectors. | part: first inequality
    Reading b: both | On clients. | part: both inequalities
    Mutant x: weights squared in the mean of squares | for two equal vectors ‖u‖² is not at most ‖u‖²/2
    Mutant y: L in place of 2L | one client of curvature L has equality in the print
    Tight: equal gradients, curvature L
    Rests on: EA-E14
    Verdict: Jensen's inequality for the square, proved for three clients, then (14) for each client; both together were
      searched on up to 100 clients.""").say(
    VectorInequality(square(p * u + q * v + r * w), _JENSEN, _WEIGHTS),
    b=but(le(eta**2 * slope2, 2 * L * eta**2 * local), world=_MANY),
    x=VectorInequality(square(p * u + q * v + r * w), p**2 * square(u) + q**2 * square(v) + r**2 * square(w), _WEIGHTS),
    y=but(le(eta**2 * slope2, L * eta**2 * local), world=_MANY),
    supremum=1.0,
)


E18 = Words(r"""EA-E18 (step; A.10, proof of Lemma 1, (18)): The bound on B₁,₂
    Print: B_{1,2}
      =\langle\mathbf W^*-\mathbf W_i^t,\nabla F_i(\mathbf W_i^t)\rangle\le F_i(\mathbf W^*)-F_i(\mathbf W_i^t)-
      \frac\mu2\|\mathbf W^*-\mathbf W_i^t\|^2
    Plainly: The step towards W* is bounded by strong convexity.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | checked with F_i(Wᵢᵗ) and the square on the left, the inner
      product on the right, both losses above the minimum
    Reading: as printed | Any two points.
    Mutant x: L/2 in place of μ/2 | along the smaller of two curvatures the loss grows slower than L/2 times the square
    Mutant y: half of F(W*) | for curvature μ throughout the print has equality
    Tight: curvature μ between the two points
    Rests on: EA-A1
    Verdict: The definition of strong convexity at Wᵢᵗ; the proof calls assumption 1 number 2.""").say(
    le(local + mu / 2 * away, about - towards, again=lambda about, towards: -(towards - about)),
    _ONE,
    x=le(local + L / 2 * away, about - towards),
    y=le(local + mu / 2 * away, about / 2 - towards),
    supremum=1.0,
)


def aside(x: Instance) -> Seen:
    """Two clients of one curvature: W̄ᵗ is the first's model, and all of ρᵗ⁺¹ is on the second, which stands at W* = 0."""
    h, e, zero = x["curvature"], x["distance"], 0 * x["distance"]
    m = x["tilt"] * e / x["step"]  # at tilt 1 the second client's step ηg is as long as the distance
    both, moved = np.stack([h, h], axis=1)[..., None], np.where(x["unmoved"] > 0, 1.0, 0.0)
    pair = {"low": both, "high": both, "optimum": np.stack([zero, m], axis=1)[..., None]}
    rows = np.stack([np.stack([1 - moved, moved], axis=1), np.stack([zero, zero + 1], axis=1)], axis=1)
    stand = {"local": np.stack([e, zero], axis=1)[..., None], "best": zero[:, None]}
    return bent_step({**pair, **stand, "weights": rows, "step": x["step"]}, kept=False)


def aside_exact(x: Seen) -> Plain:
    """The client that takes all the weight stands at W* = 0, and W_bar^t is at `distance`."""
    h, e, zero = x["curvature"], x["distance"], Fraction(0)
    rows = [[zero, zero + 1] if x["unmoved"] > 0 else [zero + 1, zero], [zero, zero + 1]]
    pair = {"low": [[h], [h]], "high": [[h], [h]], "optimum": [[zero], [x["tilt"] * e / x["step"]]]}
    rest = {"local": [[e], [zero]], "weights": rows, "best": [zero], "step": x["step"]}
    return bent_step_exact({**pair, **rest}, kept=False)


_OF = (positive("curvature"), positive("distance"), LogScale("tilt", 0.5, 2.0, at=(1.0,)), SHORT)
_NAME, _UNMOVED = "all the weight passes to a client at W*", Choice("unmoved", (0.0,))
_ASIDE = drawn(_NAME, (*_OF, _UNMOVED), aside, aside_exact, uses=(bent_step_exact,), cost=3.0)


def _unmoved(x: Instance) -> Instance:
    if "unmoved" in x:
        return {**x, "unmoved": np.ones_like(x["unmoved"])}
    return {**x, "weights": np.broadcast_to(x["weights"][:, 1:], x["weights"].shape)}


_SAME = (Switch("one weight vector a round", "ρᵗ is the same at every step of a round", _unmoved),)
_FREE, _KEPT = over(bent(kept=False), switches=_SAME), bent()

_A1_E18B = (1 - eta * mu) * before + drift + 4 * L * eta**2 * local + 2 * eta * (about - local)

E18B = Words(r"""EA-E18b (step; A.10, proof of Lemma 1, display after (18)): The bound on A₁
    Print: A_1
      \le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2+C,
      \quad C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t
      +1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))
    Plainly: The pieces put together, with the squared distances of the clients to W* replaced by that of their mean.
    Assumes: every Fᵢ μ-strongly convex and L-smooth | ηₜ <= 1/(4L), weights ρᵗ on the simplex at every t | W̄ᵗ = Σρᵢᵗ
      Wᵢᵗ; C as (19) repeats it (the display before has Fᵢ(Wᵢ*) where (19) has Fᵢ(Wᵢᵗ))
    Reading a: the last inequality alone, weights free at every step | Σρᵢᵗ⁺¹‖W* − Wᵢᵗ‖² >= ‖W̄ᵗ − W*‖². | cut weights =
      change inside a round | because: W̄^t is the mean under ρ^t (Eq. 2), the sums run under ρ^{t+1}; «generic,
      time-varying» weights are indexed by the step
    Reading b: the whole, weights free at every step | ρᵗ⁺¹ need not be ρᵗ. | cut weights = change inside a round
    Reading: the whole, one weight vector a round | W̄ᵗ is then the mean of the Wᵢᵗ under the weights of the step. |
      condition: ρ^t is the same at every step of a round | met by: FedAvg with proportional weights (Table 1)
    Mutant x: spread dropped | two opposed clients about W* = W̄ whose nearly linear losses rise away from it, ηg half
      their distance: A₁ = 0 and C is negative
    Mutant y: Lη² in place of 4Lη² | one client of one curvature: (1 − ημ)² of the square against 1 − 2ημ + (ημ)²/2
    Mutant z: (1 − 2ημ) | one client of one curvature, W* its optimum: (1 − ημ)² of the square against (1 − ημ)(1 − 2ημ)
    Tight: one curvature for all, Wᵢᵗ equal: no spread
    Rests on: EA-E13, EA-E15, EA-E16, EA-E17, EA-E18
    Verdict: The last inequality is Jensen's, and Jensen's needs W̄ᵗ to be the mean under the weights it is averaged
      with. W̄ᵗ is the mean under ρᵗ, the average is taken under ρᵗ⁺¹: if the weights change inside a round, a client
      that stands at W* and receives all the weight makes the average 0 while W̄ᵗ is elsewhere, and the bound on A₁
      fails with it. With one weight vector a round, or at the first step of a round, every piece is right and the whole
      holds. The line before the last prints Fᵢ(Wᵢ*) for Fᵢ(Wᵢᵗ) in one sum; (19) has it right again.""").say(
    le(after, _A1_E18B),
    _KEPT,
    a=but(le(before, away), world=_FREE),
    b=over(_FREE, _ASIDE, switches=_SAME),
    x=le(after, _A1_E18B - drift),
    y=le(after, _A1_E18B - 3 * L * eta**2 * local),
    z=le(after, _A1_E18B - eta * mu * before),
)

_A2 = 2 * eta * inner(x - eta * g_bar, g_bar - g)
_NOISE = eta**2 * square(g_bar - g)
_SEEN = (float(Instant.AFTER_STEP),)
_ALL = over(*(apart_step(n, ANY) for n in (1, 2, 3)), switches=(BEFORE_SAMPLES,))
_NO_MEAN = le(Abs(A2), 0)

E12 = Words(r"""EA-E12 (step; A.10, proof of Lemma 1, (12)): The step expanded
    Print: \|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2
      =\underbrace{\|\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf g}_t\|^2}_{A_1}
      +\underbrace{2\eta_t\langle\bar{\mathbf W}^t-\mathbf W^*-\eta_t\bar{\mathbf g}_t,\bar{\mathbf g}_t
      -\mathbf g_t\rangle}_{A_2}+\eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2,\quad\mathbb E[A_2]=0
    Plainly: The squared distance after a step splits into a part without noise, a cross term of mean 0 and the noise.
    Assumes: W̄ᵗ⁺¹ = W̄ᵗ − ηₜgₜ, ḡₜ = Σρᵢᵗ⁺¹∇Fᵢ(Wᵢᵗ) | samples independent with mean ∇Fᵢ | x stands for W̄ᵗ − W*
    Reading: the expansion | For all vectors of all dimensions. | part: the expansion
    Reading b: E[A₂] = 0, weights that may see the samples | Exp-α's weights are functions of the round's own local
      models. | part: E[A₂] = 0 | cut weights = see the round's samples | sees: after the step | used by: Exp-α's own
      weights (Algorithm 1) are computed from the round's local models | because: A.8 prints «ḡ_t = E[g_t] =
      Σρ_i^{t+1}∇F_i(W_i^t)» as a consequence, not as a hypothesis on the weights
    Reading c: E[A₂] = 0, weights fixed before the samples | Given the past; W̄ᵗ under other weights than ρᵗ⁺¹ included.
      | part: E[A₂] = 0 | condition: weights chosen before the round's samples | met by: FedAvg with proportional
      weights (Table 1)
    Mutant x: factor 2 of A₂ dropped | the cross term of a square counts twice, and it may be positive
    Mutant y: E[A₂] = 0 with weights that see the samples | all weight on positive noise: the noise then has a mean
    Rests on: EA-VS
    Repeats: EA-VS
    Verdict: The expansion is exact. The cross term has mean 0 if the weights do not see the samples of the step, as
      proportional weights do not: given the past, everything in it but gₜ is then fixed. With weights that depend on
      the samples, as Exp-α's do, both ḡₜ and the mean of the noise move with them and E[A₂] may have either sign.
      «Time-varying» weights are not restricted in this. Lemma 1 has no expectation (EA-E22).""").say(
    identity(square(x - eta * g), _A1 + _A2 + _NOISE),
    b=but(_NO_MEAN, world=_ALL),
    c=but(_NO_MEAN, world=over(*(apart_step(n, PAST) for n in (1, 2, 3)))),
    x=VectorInequality(square(x - eta * g), _A1 + _A2 / 2 + _NOISE, _STEP),
    y=but(_NO_MEAN, world=over(apart_step(2, _SEEN))),
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

E22 = Words(r"""EA-E22 (step; A.10, proof of Lemma 1, (22)): The pieces collected
    Print: \|\bar{\mathbf W}^{t+1}-\mathbf W^*\|^2
      \le(1-\eta_t\mu)\|\bar{\mathbf W}^t-\mathbf W^*\|^2+2\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2
      +6L\eta_t^2\Omega+2\eta_t(\Gamma-\Omega)+\eta_t^2\|\bar{\mathbf g}_t-\mathbf g_t\|^2
    Plainly: The bounds on A₁ and C are added, and the cross term A₂ is left out.
    Assumes: A₁ <= (1 − ημ)‖x‖² + Σρ‖W̄ − Wᵢ‖² + C | C <= 6η²LΩ + 2η(Γ − Ω) + Σρ‖W̄ − Wᵢ‖², the end of (21) | x stands
      for W̄ᵗ − W*
    Open (twice) expectation: (22) and Lemma 1 print no expectation; the proof leaves A₂ out because «E[A₂] = 0», and
      (7) uses the lemma for Δ_t = E‖W̄^t − W*‖²
    Reading: A₂ left out path by path | ‖x − ηg‖² <= A₁ + η²‖ḡ − g‖² for whatever samples. | option expectation = none,
      as (22)
    Reading b: A₂ left out on average, weights that may see the samples | E A₂ <= 0 over the samples; Exp-α's weights
      are functions of the round's own local models. | option expectation = E on both sides, as «E[A₂] = 0» | cut
      weights = see the round's samples | sees: after the step | used by: Exp-α's own weights (Algorithm 1) are computed
      from the round's local models
    Reading c: on average, weights fixed before the samples | The bounds on A₁ and C, each as large as it may be, and E
      A₂ against the right side of (22). | option expectation = E on both sides, as «E[A₂] = 0» | condition: weights
      chosen before the round's samples | met by: FedAvg with proportional weights (Table 1)
    Mutant x: divergence counted once | it comes from (17) and again from (20)
    Mutant y: 6Lηₜ²Ω dropped | it comes from the end of (21), and Ω may be positive
    Mutant z: the condition removed | the client whose noise points away from W* may be the one that gets the weight
    Rests on: EA-E12, EA-E18b, EA-E21e
    Repeats: EA-E12
    Verdict: The coefficients are right: the divergence comes once from (17) and once from (20). What (22) leaves out is
      A₂, which is zero only on average and only for weights that do not see the samples. Path by path, as (22) and
      Lemma 1 are printed, it can fail where the noise points away from W*. In expectation, as the proof's «E[A₂] = 0»
      suggests, it fails for weights that see the samples and is sound for weights fixed before them, as Lemma 1 is.
      Whether the bound on C holds is judged at EA-E19 to EA-E21e, the whole at EA-L1.""").say(
    VectorInequality(square(x - eta * g), _A1 + _NOISE, _STEP),
    b=but(le(A2, 0), world=_ALL),
    c=but(_COLLECTED, world=over(*(apart_step(n, PAST, given=True) for n in (1, 2, 3)))),
    x=identity(_FROM_A1 + _FROM_C, _TWENTYTWO - drift, sample=(2, 3)),
    y=but(
        le(_FROM_A1 + _FROM_C + A2, _TWENTYTWO - 6 * L * eta**2 * Omega), world=over(apart_step(2, PAST, given=True))
    ),
    z=but(_COLLECTED, world=over(apart_step(2, _SEEN, given=True))),
)

_GAMMA_T = 2 * eta * (1 - 2 * L * eta)


def _sum(first: Any, second: Any) -> Any:
    """Σρᵢ(·) over two clients of weights r1, r2."""
    return r1 * first + r2 * second


# Fᵢ(Wᵢ) is P, Fᵢ(Wᵢ*) M, Fᵢ(W*) S, Fᵢ(W̄) V and ‖Wᵢ − W̄‖² D.
_C = 4 * L * eta**2 * _sum(P1 - M1, P2 - M2) + 2 * eta * _sum(S1 - P1, S2 - P2)
_GAMMA_SUM = _sum(S1 - M1, S2 - M2)
_REARRANGED = -_GAMMA_T * _sum(P1 - S1, P2 - S2) + 4 * L * eta**2 * _GAMMA_SUM

E19 = Words(r"""EA-E19 (step; A.10, display (19)): C in terms of γₜ and Γₜ
    Print: C=4L\eta_t^2\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W_i^*))+2\eta_t\sum_i\rho_i^{t
      +1}(F_i(\mathbf W^*)-F_i(\mathbf W_i^t))
      =-\gamma_t\sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: The terms called C regroup into a multiple of the excess at the local models and one of Γₜ.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))
    Reading: first line to last | For all losses, weights and steps. | part: first line to last
    Reading b: line before the last | −γₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*)) + 2ηₜΣρᵢ(Fᵢ(W*) − Fᵢ(Wᵢ*)). | part: line before the last
    Mutant x: 2Lηₜ²Γₜ in place of 4Lηₜ²Γₜ | 2ηₜ − γₜ = 4Lηₜ², which is what Γₜ has to carry
    Mutant y: Fᵢ(Wᵢ*) in place of Fᵢ(Wᵢ) in the second sum of C | the source text of the display before has it so under
      the brace; it changes C by 2ηₜΣρᵢ(Fᵢ(Wᵢ) − Fᵢ(Wᵢ*))
    Rests on: EA-E18b
    Verdict: An identity for all values. It is one for C as (19) itself prints it, with Fᵢ(Wᵢᵗ) in the second sum; the
      display before (19) shows Fᵢ(Wᵢ*) there, which would make it false and does not follow either.""").say(
    identity(_C, _REARRANGED),
    b=identity(_C, -_GAMMA_T * _sum(P1 - M1, P2 - M2) + 2 * eta * _GAMMA_SUM),
    x=identity(_C, _REARRANGED - 2 * L * eta**2 * _GAMMA_SUM),
    y=identity(_C + 2 * eta * _sum(P1 - M1, P2 - M2), _REARRANGED),
)

_LINE1 = (
    _GAMMA_T * _sum(L * eta * (V1 - M1) + D1 / (2 * eta), L * eta * (V2 - M2) + D2 / (2 * eta))
    - _GAMMA_T * _sum(V1 - S1, V2 - S2)
    + 4 * L * eta**2 * _GAMMA_SUM
)
_LINE3 = (
    _GAMMA_T * (eta * L - 1) * _sum(V1 - M1, V2 - M2)
    + (4 * L * eta**2 + _GAMMA_T) * _GAMMA_SUM
    + _GAMMA_T / (2 * eta) * _sum(D1, D2)
)

E21B = Words(r"""EA-E21b (step; A.10, display (21), second and third line): Regrouping (21)
    Print: \gamma_t\sum_i\rho_i^{t+1}[\cdots]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
      +4L\eta_t^2\Gamma_t=\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+(4L\eta_t^2
      +\gamma_t)\Gamma_t+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: The bound on C regroups into a multiple of the excess at the mean model, one of Γₜ and one of the drift.
    Assumes: γₜ = 2ηₜ(1 − 2Lηₜ) | Γₜ = Σρᵢᵗ⁺¹(Fᵢ(W*) − Fᵢ(Wᵢ*))
    Reading: first line to third | Adding and taking off Fᵢ(Wᵢ*); the second line's brackets do not close.
    Mutant x: 4Lηₜ² − γₜ before Γₜ | −γₜ(Fᵢ(W̄) − Fᵢ(W*)) = −γₜ(Fᵢ(W̄) − Fᵢ*) + γₜ(Fᵢ(W*) − Fᵢ*), so γₜΓₜ is added
    Mutant y: ηₜL + 1 before the excess | the excess at W̄ is taken off once and added Lηₜ times
    Rests on: EA-E21a
    Verdict: An identity for all values. The brackets of the second line do not match in print, which changes nothing:
      what is added and taken off there is zero.""").say(
    identity(_LINE1, _LINE3),
    x=identity(_LINE1, _LINE3 - 2 * _GAMMA_T * _GAMMA_SUM),
    y=identity(_LINE1, _LINE3 + 2 * _GAMMA_T * _sum(V1 - M1, V2 - M2)),
)

_FREE_E20, _KEPT_E20 = one_step_sums(), one_step_sums(kept=True)


E20A = Words(r"""EA-E20a (step; A.10, display (20), first inequality): Convexity along the way from the mean to the local models
    Print: \sum_i\rho_i^{t+1}(F_i(\mathbf W_i^t)-F_i(\bar{\mathbf W}^t))
      \ge\sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle
    Plainly: Each client's loss at its local model lies above the tangent at the mean model.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sum under ρᵗ⁺¹; quadratic clients in up to 8
      dimensions, and bent ones; Σρᵢ(Fᵢ(W̄) − Fᵢ*) is added to both sides.
    Mutant x: half of the gain | near W̄ gain and tangent agree to first order, and half of a positive gain is less
    Mutant y: sign of the tangent changed | down the slope the gain is negative and minus the tangent's value positive
    Tight: Wᵢ = W̄ for all i
    Rests on: EA-A1
    Verdict: The definition of convexity at W̄, client by client, so it holds for every point W̄ and all weights. The
      text attributes it to «Assumption 2», which is smoothness; convexity is Assumption 1.""").say(
    le(now + lin, local), _FREE_E20, x=le(now + lin, (local + now) / 2), y=le(now - lin, local)
)

_SQUARES = (eta * grad2 + drift / eta) / 2

E20B = Words(r"""EA-E20b (step; A.10, display (20), second inequality): AM–GM on the inner product
    Print: \sum_i\rho_i^{t+1}\langle\mathbf W_i^t-\bar{\mathbf W}^t,\nabla F_i(\bar{\mathbf W}^t)\rangle\ge\tfrac12
      \sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\mathbf W_i^t
      -\bar{\mathbf W}^t\|^2\big]
    Plainly: The inner product is at least half the sum of the two squares.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading a: as printed | With W̄ the mean under the weights of the sum, one weight vector a round.
    Reading b: minus sign before the half | As AM–GM gives it and (21) uses it; weights free at every step. | edit: −½
      in place of ½ | token | forced by: (21) prints +γ_t Σρ_i[Lη_t(F_i(W̄^t) − F_i(W_i*)) + (1/(2η_t))‖W_i^t − W̄^t‖²],
      which is −γ_t times the bracket with the minus; the AM–GM inequality that the text names gives no other sign |
      carries: yes
    Mutant x: minus sign, half of the squares | for Wᵢ = W̄ − η∇Fᵢ(W̄) the corrected inequality is an equality
    Mutant y: minus sign, ‖Wᵢ − W̄‖²/η dropped | for Wᵢ = W̄ − 2η∇Fᵢ(W̄) the left side is 2η‖∇Fᵢ‖², four times the right
    Tight: with the minus sign: Wᵢ = W̄ − ηₜ∇Fᵢ(W̄)
    Rests on: EA-E20a
    Verdict: AM–GM bounds an inner product from above by half the sum of squares, and from below by minus it. Printed is
      the lower bound without the minus sign; it fails for a single client, at Wᵢ = W̄, wherever the gradient is not 0,
      and holds only with equality at Wᵢ = W̄ + ηₜ∇Fᵢ(W̄). With the minus sign it holds for all weights, and (21) goes
      on from that form, so this is a slip of the pen: Lemma 1 does not rest on the printed sign.""").say(
    le(_SQUARES, lin),
    _FREE_E20,
    a=_KEPT_E20,
    b=le(-lin, _SQUARES),
    x=le(-lin, _SQUARES / 2),
    y=le(-lin, eta * grad2 / 2),
)

_MINUS = "minus sign before the half, Fᵢ(Wᵢ*)"
_ABOVE = L * eta * (now - about)

E20C = Words(r"""EA-E20c (step; A.10, display (20), third inequality): Smoothness turns the gradient into an excess loss
    Print: \tfrac12\sum_i\rho_i^{t+1}\big[\eta_t\|\nabla F_i(\bar{\mathbf W}^t)\|^2+\tfrac1{\eta_t}\|\cdot\|^2\big]
      \ge\tfrac12\sum_i\rho_i^{t+1}\big[2L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W^*))
      +\tfrac1{\eta_t}\|\cdot\|^2\big]
    Plainly: The squared gradient is at least 2L times the loss above that of the global optimum.
    Assumes: A1, A2: every Fᵢ strongly convex and L-smooth | 0 < ηₜ <= 1/(4L) | weights on the simplex
    Reading: as printed | Fᵢ(W*) at the global optimum; one weight vector a round.
    Reading b: Fᵢ(Wᵢ*) in place of Fᵢ(W*) | As (21) has it, with the printed sign. | edit: F_i(W_i*) in place of F_i(W*)
    Reading c: minus sign before the half | So that the inequality turns round; Fᵢ(W*) as printed. The spread is on both
      sides and left out. | edit: −½ in place of ½
    Reading d: minus sign before the half, Fᵢ(Wᵢ*) | ½ηₜ‖∇Fᵢ(W̄)‖² <= Lηₜ(Fᵢ(W̄) − Fᵢ*), the form that (21) uses;
      weights free at every step. | edit: −½ in place of ½ | edit: F_i(W_i*) in place of F_i(W*) | forced by: (21)
      prints the bracket with F_i(W_i*) and the sign that the minus gives | carries: yes | because: two tokens, of which
      the minus is EA-E20b's; (21) goes on from the corrected form
    Mutant x: minus sign before the half, Fᵢ(Wᵢ*), half of it | curvature L makes the corrected sides equal
    Mutant y: minus sign before the half, global optimum | at W̄ = W* the right side is 0 and the gradients are not
    Tight: corrected: W̄ − Wᵢ* along an axis of curvature L
    Rests on: EA-E14, EA-E20b
    Verdict: Smoothness gives ‖∇Fᵢ‖² <= 2L(Fᵢ − Fᵢ*), an upper bound on the gradient; printed is a lower one. It can
      fail once a client is flatter than L, and with Fᵢ(Wᵢ*) too. Two slips meet here: the minus sign lost in the line
      before, and W* for Wᵢ*. Turning the sign alone is not enough, since at W̄ = W* the right side vanishes and the
      gradients do not. With both it is EA-E14 at W̄, holds for all weights, and is what (21) goes on with.""").say(
    le(_ABOVE + drift / (2 * eta), _SQUARES),
    _KEPT_E20,
    b=le(L * eta * now + drift / (2 * eta), _SQUARES),
    c=le(eta * grad2 / 2, _ABOVE, again=lambda eta, L, now, about: L * eta * now - L * eta * about),
    d=but(le(eta * grad2 / 2, L * eta * now), world=_FREE_E20),
    x=but(le(eta * grad2 / 2, L * eta * now / 2), world=_FREE_E20),
    y=but(le(eta * grad2 / 2, _ABOVE), world=_FREE_E20),
)

_FREE_E21 = one_step_sums().defining({bend: _GAMMA_T})
_LONG = one_step_sums(longest=1.0).defining({bend: _GAMMA_T})

_C_E21 = 4 * L * eta**2 * local + 2 * eta * (about - local)
_INSERTED = bend * (L * eta * now + drift / (2 * eta)) - bend * (now - about) + 4 * L * eta**2 * about

E21A = Words(r"""EA-E21a (step; A.10, display (21), first inequality): (20) inserted into (19)
    Print: C\le\gamma_t\sum_i\rho_i^{t+1}\Big[L\eta_t(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))
      +\tfrac1{2\eta_t}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2\Big]-\gamma_t\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)
      -F_i(\mathbf W^*))+4L\eta_t^2\Gamma_t
    Plainly: C is bounded by the excess at the mean model, the drift and Γₜ.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: weights free at every step | The mean under ρᵗ, the sums under ρᵗ⁺¹; quadratic and bent clients.
    Mutant x: the sign of (20) as printed | at Wᵢ = W̄ it has −γₜ(1 + Lηₜ)Σρᵢ(Fᵢ(W̄) − Fᵢ(W*)), and C 1 for 1 + Lηₜ
    Mutant y: drift dropped | flat losses, Wᵢ down the slope: C grows by γₜ‖Wᵢ − W̄‖‖∇Fᵢ‖, Lη(Fᵢ(W̄) − Fᵢ*) is small
    Mutant z: steps up to 1/L | beyond 1/(2L) γₜ is negative, and (20) multiplied by −γₜ turns round
    Tight: every Wᵢ at W̄ = Wᵢ*
    Rests on: EA-E19, EA-E20a, EA-E20b, EA-E20c, EA-S4
    Verdict: It does not follow from (20) as printed, whose last two lines have the wrong sign and W* for Wᵢ*, but it
      does from (20) with the sign of AM–GM and Wᵢ*, and (21) is written so. No violation was found, at any weights: W̄
      may be any point here. It needs γₜ >= 0, which ηₜ <= 1/(4L) gives.""").say(
    le(_C_E21, _INSERTED),
    _FREE_E21,
    x=le(_C_E21, -bend * (L * eta + 1) * (now - about) - bend * drift / (2 * eta) + 4 * L * eta**2 * about),
    y=le(_C_E21, _INSERTED - bend * drift / (2 * eta)),
    z=but(le(_C_E21, _INSERTED), world=_LONG),
)


_WITH_THE_LEAST = (4 * L * eta**2 + bend) * about + bend * (1 - eta * L) * Omega
_WITH_NOW = bend * (1 - eta * L) * now + 2 * eta * Gamma

E21C = Words(r"""EA-E21c (step; A.10, display (21), second inequality): Minimum and maximum over the steps
    Print: 4L\eta_t^2+\gamma_t=2\eta_t,
      \qquad\gamma_t(\eta_tL-1)\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))+2\eta_t\Gamma_t
      \le\gamma_t(\eta_tL-1)\Omega+2\eta_t\Gamma
    Plainly: The excess at step t may be replaced by its minimum, since its factor is negative, and Γₜ by its maximum.
    Assumes: A1, A2 | 0 < ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading a: 4Lηₜ² + γₜ = 2ηₜ | The coefficient of Γₜ. | part: 4Lη_t² + γ_t = 2η_t
    Reading: minimum and maximum | Over the first two steps of a round, weights free at every step; negative terms stand
      on the other side, and the drift, which both sides have, is left out. | part: minimum and maximum
    Mutant x: twice the minimum | Ω's factor is negative: at the minimum, twice that is too much to take off
    Mutant y: steps up to 1/L | for 1/(2L) < ηₜ < 1/L the factor γₜ(ηₜL − 1) is positive, and the minimum too small
    Tight: the excess at its minimum and Γₜ at its maximum at the same t
    Rests on: EA-E21b, EA-S4
    Verdict: The factor γₜ(ηₜL − 1) is negative for ηₜL < 1/2, so that a smaller excess gives a larger right side, and
      2ηₜ > 0. The identity 4Lηₜ² + γₜ = 2ηₜ is proved; the step holds under ηₜ <= 1/(4L) and fails between 1/(2L) and
      1/L, where the early steps of Theorem 1's schedule can lie.""").say(
    le(
        _WITH_THE_LEAST,
        _WITH_NOW,
        again=lambda bend, eta, L, now, Gamma: bend * now - bend * now * L * eta + Gamma * eta * 2,
    ),
    _FREE_E21,
    a=identity(4 * L * eta**2 + _GAMMA_T, 2 * eta),
    x=le(_WITH_THE_LEAST, _WITH_NOW - bend * (1 - eta * L) * Omega),
    y=but(le(_WITH_THE_LEAST, _WITH_NOW), world=_LONG),
)


def constants(x: Instance) -> Seen:
    """Any Ω, Γ and drift at ηL = `step`."""
    return {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def constants_exact(x: Seen) -> Plain:
    """Any Omega, Gamma and drift at eta L = `step`."""
    met = {"0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4), "drift >= 0": x["spread"] >= 0}
    return met, {**{k: x[k] for k in ("L", "Omega", "Gamma")}, "eta": x["step"] / x["L"], "drift": x["spread"]}


def _any(omega: Coordinate) -> World:
    of = (positive("L"), LogScale("step", 1e-4, 0.25, at=(0.25, 0.25)), omega, signed("Gamma", decades=3))
    spread = LogScale("spread", 1e-6, 1e3, at=(1.0,))
    return over(drawn("ηL up to 1/4, any Ω, Γ and drift", (*of, spread), constants, constants_exact))


_POSITIVE, _SIGNED = _any(positive("Omega", decades=3)), _any(signed("Omega", decades=3))
_BEFORE_DROPPING = (
    (6 * eta**2 * L - 2 * eta - 4 * eta**3 * L**2) * Omega + 2 * eta * Gamma + _GAMMA_T / (2 * eta) * drift
)
_LAST = 6 * L * eta**2 * Omega + 2 * eta * (Gamma - Omega) + drift

E21E = Words(r"""EA-E21e (step; A.10, display (21), last inequality): The cubic term dropped
    Print: (6\eta_t^2L-2\eta_t-4\eta_t^3L^2)\Omega+2\eta_t\Gamma+\frac{\gamma_t}{2\eta_t}\sum_i\rho_i^{t+1}\|\cdot\|^2
      \le6\eta_t^2L\Omega+2\eta_t(\Gamma-\Omega)+\sum_i\rho_i^{t+1}\|\mathbf W_i^t-\bar{\mathbf W}^t\|^2
    Plainly: Dropping −4ηₜ³L²Ω and replacing γₜ/(2ηₜ) by 1 can only raise the bound.
    Assumes: 0 < ηₜ <= 1/(4L) | Ω >= 0, as a weighted mean of excess losses | γₜ = 2ηₜ(1 − 2Lηₜ)
    Reading: as printed | Any Ω >= 0, Γ and drift.
    Mutant x: sign of the cubic term changed | 8η³L²Ω off in place of 4η³L²Ω is too much where the drift is small
    Mutant y: half of the drift | γₜ/(2ηₜ) = 1 − 2Lηₜ is more than a half for ηₜ < 1/(4L)
    Mutant z: Ω of any sign | for Ω < 0 the dropped term is positive, and larger than what the drift gains
    Tight: ηₜL → 0, or Ω = 0 and no drift
    Rests on: EA-E21c, EA-E21d, EA-S4
    Verdict: The two sides differ by 4ηₜ³L²Ω + 2Lηₜ Σρᵢ‖Wᵢ − W̄‖², and both terms are non-negative: Ω is a weighted mean
      of excess losses. It does not even need the bound on the step.""").say(
    le(_BEFORE_DROPPING, _LAST),
    _POSITIVE,
    x=le(_BEFORE_DROPPING, _LAST - 8 * eta**3 * L**2 * Omega),
    y=le(_BEFORE_DROPPING, _LAST - drift / 2),
    z=but(le(_BEFORE_DROPPING, _LAST), world=_SIGNED),
)

_BEND = 2 * step * (1 - 2 * step)  # γₜ in units of 1/L
_COEFFICIENTS = all_of(le(step - 1, -Rational(3, 4)), le(_BEND / (2 * step), 1), le(0, _BEND))
_SUMS = all_of(le(0, now), le(0, Gamma), le(0, 4 * step**3 * now))

_LENGTHS = numbers(
    NOTATION, "ηL up to 1/4", LogScale("length", 1e-6, 0.25, at=(0.25,)), where=(lt(0, step), le(4 * step, 1))
)


def _schedule(name: str, offset: Any) -> World:
    """ηₜL = 2κ/(γ + t) for every κ and t."""
    drawn = (LogScale("kappa", 1.0, 1e4, at=(1.0, 10.0, 1e4)), Integer("t", 0, 1000, at=(1,)))
    world = numbers(NOTATION, name, *drawn, where=(le(1, kappa), le(0, t)))
    return world.defining({step: 2 * kappa / (offset + t)})


def sums(x: Instance, *, about_best: bool) -> Seen:
    """Weighted excess at W̄ᵗ and at W*; `about_best`: at W̄ᵗ the excess over Fᵢ(W*)."""
    h, m, a, p, w = x["curvature"], x["optimum"], x["weights"], x["share"], x["point"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    there = 0.5 * h * (best[:, None] - m) ** 2
    floor = there if about_best else np.zeros_like(there)
    size = h.max(axis=1) * (np.abs(m).max(axis=1) + np.abs(w)) ** 2
    excess = (a * (0.5 * h * (w[:, None] - m) ** 2 - floor)).sum(axis=1)
    return {"now": excess, "Gamma": (a * there).sum(axis=1), "length": x["length"], "magnitude": size}


def sums_exact(x: Seen, *, about_best: bool) -> Plain:
    """sum rho_i (F_i(W_bar) - F_i*) and Gamma_t, quadratic clients; about_best: F_i(W*) in the place of F_i*."""
    h, m, a, p = x["curvature"], x["optimum"], x["weights"], x["share"]
    clients = range(len(h))
    best = sum(p[i] * h[i] * m[i] for i in clients) / sum(p[i] * h[i] for i in clients)
    there = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    floor = there if about_best else [Fraction(0) for i in clients]
    met = {
        "A1, A2": min(h) > 0,
        "weights and shares on the simplex": sum(a) == sum(p) == 1 and min([*a, *p]) >= 0,
        "0 < eta L <= 1/4": 0 < x["length"] <= Fraction(1, 4),
    }
    excess = sum(a[i] * (h[i] * (x["point"] - m[i]) ** 2 / 2 - floor[i]) for i in clients)
    return met, {"now": excess, "Gamma": sum(a[i] * there[i] for i in clients), "length": x["length"]}


def _clients(N: int, *, about_best: bool = False) -> Case:
    of = (*quadratics(N), Simplex("weights", N), Simplex("share", N), signed("point"))
    name, length, cost = f"{N} clients on the line", LogScale("length", 1e-4, 0.25, at=(0.25,)), max(1.0, N / 20)
    return drawn(name, (*of, length), sums, sums_exact, cost=cost, about_best=about_best)


_ON_THE_LINE = ranging("clients on the line", _clients, N=(1, 300, 3))

S4 = Words(r"""EA-S4 (step; A.10, after (21)): Signs used in the proof of Lemma 1
    Print: \eta_tL-1\le-\tfrac34,\quad\frac{\gamma_t}{2\eta_t}\le1,\quad\gamma_t\ge0,\quad4\eta_t^3L^2\Omega\ge0,
      \quad\sum_i\rho_i^{t+1}(F_i(\bar{\mathbf W}^t)-F_i(\mathbf W_i^*))\ge0,\quad\Gamma\ge0
    Plainly: Under Lemma 1's condition on the step the coefficients and sums of its proof have the signs it uses.
    Assumes: ηₜ <= 1/(4L), the hypothesis of Lemma 1 | γₜ = 2ηₜ(1 − 2Lηₜ) | weights on the simplex
    Reading: coefficients | ηₜL − 1, γₜ/(2ηₜ) and γₜ, for every ηₜL in (0, 1/4]. | part: coefficients
    Reading b: sums | Ω's summand, Γ's and 4ηₜ³L²Ω, for any weights and points. | part: sums
    Mutant x: the steps of Theorem 1 | with γ = L/μ the first step has ηL = 2, so ηL − 1 = 1
    Mutant y: the steps of A.9 at t = 0 | with γ = 8κ − 1 the first step has ηL = 2κ/(8κ − 1) > 1/4
    Mutant z: excess over Fᵢ(W*) in place of Fᵢ(Wᵢ*) | with the weight on one client W̄ᵗ may be better for it than W* is
    Tight: ηₜ = 1/(4L) for the first
    Verdict: Under ηₜ <= 1/(4L) every sign is as the proof says: γₜ/(2ηₜ) = 1 − 2Lηₜ lies between 1/2 and 1, and the
      sums are weighted means of non-negative excesses. Whether the steps of the theorem meet that hypothesis is another
      matter (EA-S3): with γ = L/μ the first sign fails for t < 7L/μ, with A.9's γ by a little at t = 0.""").say(
    _COEFFICIENTS,
    _LENGTHS,
    b=but(_SUMS, world=_ON_THE_LINE),
    x=_schedule("γ = L/μ", kappa),
    y=_schedule("γ of A.9", 8 * kappa - 1),
    z=but(_SUMS, world=over(_clients(2, about_best=True), _clients(3, about_best=True))),
)

CLAIMS = (E13, E16, E17, E14, E15, E18, E18B, E12, E22, E19, E21B, E20A, E20B, E20C, E21A, E21C, E21E, S4)
