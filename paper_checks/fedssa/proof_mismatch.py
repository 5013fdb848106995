"""E.2.3, (26) to (31): the mismatch of weights and objective."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.rounds import ONE_ROUND, of_round
from theory.quantities import weight_discrepancy
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    symbols,
)
from validation.world import Domain, Parameter, VectorInequality, identity, le, mutant, reading, square, step, vectors
from validation.world.world import World, case

__all__ = ["CLAIMS"]


def free_vectors(x: Instance, *, weights: str, average: bool) -> Mapping[str, Any]:
    """Squares of sums of vectors v, and sums of squares; `average`: B fits A.4 for the mean of the squares only."""
    w, p, v = x["weights"], x["share"], x["vectors"]
    if weights == "sum one":
        w = np.concatenate([w[:, :-1], 1 - w[:, :-1].sum(axis=1, keepdims=True)], axis=1)
    if weights == "equal":
        w = np.full_like(w, 1 / w.shape[1])
    own, n = (v**2).sum(axis=-1), np.full(len(w), float(w.shape[1]))

    def norm2(factors: Any) -> Any:
        return ((factors[..., None] * v).sum(axis=1) ** 2).sum(axis=-1)

    met, all2 = (p * own).sum(axis=1) if average else own.max(axis=1), own.sum(axis=1)
    scale = (1 + np.abs(w).sum(axis=1) + np.abs(p).sum(axis=1)) ** 2 * all2 * (1 + x["A"])
    return {
        "mixed2": norm2(w),
        "total2": norm2(np.ones_like(w)),
        "apart2": norm2(p - w),
        "gaps2": ((p - w) ** 2).sum(axis=1),
        "all2": all2,
        "mean2": (w * own).sum(axis=1),
        "tau": n,
        "K": n,
        "W_D": weight_discrepancy(w, p),
        "A": x["A"],
        "grad2": norm2(p),
        "B": np.maximum(met - x["A"] * norm2(p), 0.0) + x["room"] * all2,
        "magnitude": scale,
    }


def free_vectors_exact(
    x: Mapping[str, Any], *, weights: str, average: bool
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Free vectors v_k (gradients, or gradient differences), weights w and coefficients p, at one point."""
    v, p, n, axes = x["vectors"], x["share"], len(x["share"]), range(len(x["vectors"][0]))
    w = list(x["weights"])
    if weights == "sum one":
        w = [*w[:-1], 1 - sum(w[:-1])]
    if weights == "equal":
        w = [Fraction(1, n)] * n

    def norm2(factors: list[Fraction]) -> Fraction:
        return sum((sum(factors[k] * v[k][j] for k in range(n)) ** 2 for j in axes), Fraction(0))

    own = [sum(c * c for c in row) for row in v]
    gaps2 = sum(((p[k] - w[k]) ** 2 for k in range(n)), Fraction(0))
    met = sum(p[k] * own[k] for k in range(n)) if average else max(own)
    B = max(met - x["A"] * norm2(p), Fraction(0)) + x["room"] * sum(own)
    hypotheses = {
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w on the simplex where that is asked": weights != "simplex" or (sum(w) == 1 and min(w) >= 0),
        "A.4 at this point where that is asked": average or all(o <= x["A"] * norm2(p) + B for o in own),
    }
    return hypotheses, {
        "mixed2": norm2(w),
        "total2": norm2([Fraction(1)] * n),
        "apart2": norm2([a - b for a, b in zip(p, w, strict=True)]),
        "gaps2": gaps2,
        "all2": sum(own, Fraction(0)),
        "mean2": sum((w[k] * own[k] for k in range(n)), Fraction(0)),
        "tau": Fraction(n),
        "K": Fraction(n),
        "W_D": 2 * n * gaps2,
        "A": x["A"],
        "grad2": norm2(p),
        "B": B,
    }


def _vectors(weights: str = "any", *, average: bool = False) -> World:
    """Up to 300 vectors of up to 8 dimensions; weights: any, equal, of sum one, on the simplex."""

    def at(n: float, d: float) -> Case:
        size, dim = int(n), int(d)
        space = Space(
            (
                Signed("vectors", 1e-2, 1e2, (size, dim)),
                Simplex("weights", size) if weights == "simplex" else Signed("weights", 1e-2, 1e1, (size,)),
                Simplex("share", size),
                LogScale("A", 1e-2, 1e2, at=(1.0,)),
                LogScale("room", 1e-6, 1.0),
            )
        )
        every = permuted_clients({"vectors": 0, "weights": 0, "share": 0})
        return case(
            f"{size} vectors, d = {dim}",
            space,
            free_vectors,
            free_vectors_exact,
            cost=max(1.0, size * dim / 100),
            symmetries=(rotated_space(("vectors",)), *(() if weights == "sum one" else (every,))),
            weights=weights,
            average=average,
        )

    return World(NOTATION, (Family("free vectors", (Size("n", 1, 300, 3), Size("d", 1, 8, 2)), at),))


_ANY, _SUM_ONE, _ON_SIMPLEX, _EQUAL = (_vectors(weights) for weights in ("any", "sum one", "simplex", "equal"))
mixed2, total2, apart2 = NOTATION.symbols("mixed2 total2 apart2")

a, b = vectors("a b")
S03 = step(
    "SSA-S03",
    "(20), (27), (37), (44)",
    "Square of a sum",
    printed=r"\|a+b\|^2\le2\|a\|^2+2\|b\|^2",
    plainly="The square of a sum is at most twice the sum of the squares.",
    assumes=["any vectors"],
    says=VectorInequality(square(a + b), 2 * square(a) + 2 * square(b)),
    readings=[reading("for all vectors", "Hence in expectation.")],
    mutants=[
        mutant("without the 2", VectorInequality(square(a + b), square(a) + square(b)), "a = b attains the factor")
    ],
    tight="a = b",
    verdict="""True. In (20) and (37) the mixed term has mean zero only for τ = 1 or gradients that do not react to
        earlier noise, so the factor 2 is the price of dropping it.""",
)

g, h, s, r, bias = vectors("g h s r bias")
t_, e_, x_, A_, W_ = sp.symbols("tau eta x A W", real=True)  # x is 2τηL
_PARTS = tuple(Parameter(name, low) for name, low in (("tau", 1), ("eta", 0), ("A", 0), ("W", 0)))
_HALF = t_ * e_ / 2
_NOISE = x_ * e_ / 2 * square(s)  # Lτη²σ²Σw²
_LINE25 = (
    -_HALF * square(g)
    - _HALF * (1 - x_) * square(h)
    + _NOISE
    + _HALF * (W_ * (A_ * square(g) + square(bias)) + 2 * square(r))
)
_LINE30 = -_HALF * (1 - A_ * W_) * square(g) + _NOISE + _HALF * W_ * square(bias) + t_ * e_ * square(r)
_SMALL = Domain((*_PARTS, Parameter("x", 0, 1)))
S09 = step(
    "SSA-S09",
    "(25) and (29) to (30)",
    "Dropping the averaged gradient",
    printed=r"""1-2\tau\eta L\ge0\ \Rightarrow\ (25)\text{ with }N_3\le W_D(A\|\nabla F\|^2+B)+2R\ \text{is at most}\ -
        \tfrac{\tau\eta(1-AW_D)}2\|\nabla F\|^2+L\tau\eta^2\sigma^2\sum_kw_k^2+\tfrac{\tau\eta BW_D}2+\tau\eta R""",
    plainly="With 2τηL <= 1 the term of the averaged gradients is not positive and may be dropped.",
    assumes=["ηL <= 1/(2τ), the theorem's condition, is 1 − 2τηL >= 0", "σ²Σw², B, R written as squares"],
    says=VectorInequality(_LINE25, _LINE30, _SMALL),
    readings=[reading("as printed", "All parameters with 2τηL <= 1.")],
    mutants=[
        mutant(
            "without the condition on the step",
            VectorInequality(_LINE25, _LINE30, Domain((*_PARTS, Parameter("x", 0)))),
            "with 2τηL > 1 the dropped term is positive",
        ),
        mutant(
            "A lost here already",
            VectorInequality(_LINE25, _LINE30 - _HALF * (A_ * W_ - W_) * square(g), _SMALL),
            "for A > 1 the right side is smaller by τηW_D(A − 1)‖∇F‖²/2",
        ),
    ],
    tight="Σwₖhₖ = 0 or 2τηL = 1",
    rests_on=["SSA-S05", "SSA-S08"],
    verdict="True with A·W_D as (30) prints it; the step size condition of the theorem is exactly what is needed.",
)

_MORE = t_ * e_ * square(r)
_FIRST = -_HALF * (1 - A_ * W_) * square(g) + _MORE
_SECOND = -_HALF * (1 - W_) * square(g) + _MORE
_ROUND = (Parameter("tau", 1), Parameter("eta", 0), Parameter("W", 0))
_WIDE, _LOW = Domain((*_ROUND, Parameter("A", 0))), Domain((*_ROUND, Parameter("A", 0, 1)))
S16 = step(
    "SSA-S16",
    "(52), first to second line",
    "From A·W_D to W_D",
    printed=r"-\tfrac{\tau\eta(1-AW_D)}2\|\nabla F\|^2+\dots\le-\tfrac{\tau\eta(1-W_D)}2\|\nabla F\|^2+\dots",
    plainly="The coefficient −τη(1 − A·W_D)/2 of the squared gradient is replaced by −τη(1 − W_D)/2.",
    assumes=["the other terms, by (51), the same on both lines", "A > 0, as A.4 says"],
    says=VectorInequality(_FIRST, _SECOND, _WIDE),
    readings=[
        reading("as printed", "All A > 0, W_D >= 0."),
        reading(
            "A <= 1",
            "The condition under which it is true.",
            VectorInequality(_FIRST, _SECOND, _LOW),
            conditions=["A <= 1"],
            because="""no named setting: A.4 forces A >= 1 where ∇F is unbounded, and A > 1 where ⟨∇F, ∇Fₖ − ∇F⟩ is, too""",
        ),
        reading(
            "A·W_D on the second line",
            "The factor of (29) kept; nothing changes.",
            VectorInequality(_FIRST, -_HALF * (1 - A_ * W_) * square(g) + _MORE, _WIDE),
            edits=["1 − A·W_D in place of 1 − W_D on the second line of (52)"],
            token=True,
            forced_by="the first line of (52), and (30) and (31), print 1 − A·W_D",
            wrong_form_in=["SSA-TA5"],
            carries=False,
        ),
    ],
    mutants=[
        mutant(
            "A <= 1, without W_D",
            VectorInequality(_FIRST, -_HALF * square(g) + _MORE, _LOW),
            "the right side is smaller by τηA·W_D‖∇F‖²/2",
        )
    ],
    tight="A = 1 or W_D = 0",
    rests_on=["SSA-S10", "SSA-S15", "SSA-A4"],
    repeats="SSA-E52",
    verdict="""Refuted as printed: the second line is larger only if A <= 1, which is not assumed; with A·W_D kept on
        it, as (30), (31) and the first line of (52) print, nothing changes. The lines differ by τηW_D(1 − A)‖∇F‖²/2,
        and A.4 itself forces A >= 1 wherever ‖∇F‖ is unbounded (SSA-A4), with A > 1 as soon as quadratic clients with
        pₖ > 0 differ where F has an invertible Hessian. A = 1 is left for clients that differ only where F is flat or
        have pₖ = 0, and A < 1 for bounded gradients, at the cost of B. This line is where the theorem loses its factor
        A (counted at SSA-TA5). At W_D = 0 the lines are equal: Corollary A.8 is not touched.""",
)


gaps2, all2, mean2, tau, K, W_D, A, B, grad2 = NOTATION.symbols("gaps2 all2 mean2 tau K W_D A B grad2")


def cauchy_again(gaps2: Any, all2: Any) -> Any:
    """Both sums and a 2."""
    return all2 * gaps2 * 2


S07 = step(
    "SSA-S07",
    "(27) to (28)",
    "Cauchy–Schwarz for vectors",
    printed=r"2\Big\|\sum_k(p_k-w_k)\nabla F_k\Big\|^2\le2\Big[\sum_k(p_k-w_k)^2\Big]\Big[\sum_k\|\nabla F_k\|^2\Big]",
    plainly="The squared mismatch of the direction is at most the squared weight gaps times all squared gradients.",
    assumes=["any gradients, any real w; path by path"],
    says=le(2 * apart2, 2 * gaps2 * all2, again=cauchy_again),
    world=_ANY,
    readings=[reading("as printed", "Up to 300 clients.")],
    mutants=[
        mutant(
            "half of the right side",
            le(2 * apart2, gaps2 * all2),
            "gradients proportional to pₖ − wₖ attain the printed bound",
        )
    ],
    tight="∇Fₖ proportional to pₖ − wₖ",
    rests_on=["SSA-S06"],
    verdict="True and attained, for any weights, also those that depend on the round.",
)


def bounded_again(W_D: Any, A: Any, B: Any, grad2: Any) -> Any:
    """W_D times A.4's right side."""
    return W_D * A * grad2 + B * W_D


_S08 = W_D * (A * grad2 + B)
S08 = step(
    "SSA-S08",
    "(28) to (29)",
    "Bounded dissimilarity put in",
    printed=r"""2\Big[\sum_k(p_k-w_k)^2\Big]\Big[\sum_k\|\nabla F_k\|^2\Big]\le2K\Big[\sum_k(p_k-w_k)^2
        \Big]\big[A\|\nabla F\|^2+B\big]""",
    plainly="The sum of the clients' squared gradients is at most K times A‖∇F‖² + B.",
    assumes=["A.4 at the model of this round, for every client", "any real w"],
    says=le(2 * gaps2 * all2, _S08, again=bounded_again),
    world=_ANY,
    readings=[reading("as printed", "Up to 300 clients; any pair A, B that fits.")],
    mutants=[
        mutant("without K", le(2 * gaps2 * all2, _S08 / K), "K identical clients have K equal squared gradients"),
        mutant(
            "A.4 for the p-weighted mean of squares only",
            None,
            "a client with pₖ = 0 may then have any gradient, and the sum counts it",
            world=_vectors(average=True),
        ),
    ],
    tight="identical clients with A = 1, B → 0",
    rests_on=["SSA-S07", "SSA-A4"],
    verdict="""True, for each client is bounded on its own; this is why A.4 is stated per client. The conventional
        p-weighted form would not do. The factor K stays in W_D = 2KΣ(pₖ − wₖ)².""",
)


def jensen_again(mean2: Any) -> Any:
    """The weighted mean of squares."""
    return 0 + mean2


S10 = step(
    "SSA-S10",
    "(30) to (31)",
    "Jensen's inequality with the aggregation weights",
    printed=r"\Big\|\sum_{k=1}^Kw_kx_k\Big\|^2\le\sum_{k=1}^Kw_k\|x_k\|^2",
    plainly="The square of the weighted sum of gradient differences is at most the weighted sum of their squares.",
    assumes=["w on the simplex, as Jensen's inequality supposes, which (31) names; A.1 to A.5 state nothing of w"],
    says=le(mixed2, mean2, again=jensen_again),
    world=_ON_SIMPLEX,
    readings=[
        reading("weights on the simplex", "What the cited inequality is about."),
        reading(
            "any real weights",
            "Neither the sign of w nor its sum is used.",
            world=_ANY,
            cuts={"weights": "any sign, any sum"},
            ours="Jensen's inequality, which (31) names, is about weights that are not negative and sum to one",
        ),
        reading(
            "weights that sum to one",
            "What the update (13) needs, of any sign.",
            world=_SUM_ONE,
            cuts={"weights": "any sign, sum one"},
            ours="Jensen's inequality, which (31) names, is about weights that are not negative",
        ),
    ],
    mutants=[
        mutant(
            "half of the right side", le(mixed2, mean2 / 2), "equal vectors attain the printed bound", world=_ON_SIMPLEX
        )
    ],
    tight="equal vectors",
    rests_on=["SSA-S09"],
    verdict="""True for weights on the simplex (and for non-negative ones with a sum below 1). The theory section puts no
        condition on w, but (31) names Jensen's inequality, and the entropy loss needs wₖ >= 0; how w is kept on the
        simplex is left open. For weights of either sign, readings of ours, it is not true: with w = (2, −1), x = (0, 1)
        the left side is 1 and the right side −1.""",
)


def uniform_again(all2: Any, tau: Any) -> Any:
    """The sum over the number."""
    return all2 * (1 / tau)


def total_again(all2: Any, tau: Any) -> Any:
    """The sum times the number."""
    return tau * all2


S11 = step(
    "SSA-S11",
    "(33) to (34), (39) to (40)",
    "Jensen's inequality over local steps",
    printed=r"""\Big\|\frac1\tau\sum_{r<\tau}x_r\Big\|^2\le\frac1\tau\sum_{r<\tau}\|x_r\|^2,\qquad\Big\|r\sum_{s<r}
        \frac1rx_s\Big\|^2\le r\sum_{s<r}\|x_s\|^2""",
    plainly="The square of a mean over local steps is at most the mean of squares, and of a sum r times the sum.",
    assumes=["any vectors", "r >= 1 in the second; at r = 0 both sides are empty"],
    says=le(mixed2, all2 / tau, again=uniform_again),
    world=_EQUAL,
    readings=[
        reading("the mean, (34)", "Up to 300 steps.", part="the mean, (34)"),
        reading(
            "the sum, (40)",
            "Up to 300 steps.",
            le(total2, tau * all2, again=total_again),
            world=_ANY,
            part="the sum, (40)",
        ),
    ],
    mutants=[
        mutant("the sum without r", le(total2, all2), "r equal vectors: r² against r", world=_ANY),
        mutant("the mean over τ²", le(mixed2, all2 / tau**2), "equal vectors: 1 against 1/τ"),
    ],
    tight="equal vectors",
    rests_on=["SSA-E33", "SSA-E39"],
    verdict="""True and attained by equal vectors. (39) divides by r, which is 0 in its first case; there both sides are
        0.""",
)


N3, fall = NOTATION.symbols("N3 fall")

p1, p2, w1, w2, f1, f2, h1, h2 = symbols("p1 p2 w1 w2 f1 f2 h1 h2", positive=True)
q1, q2, q3, c = symbols("q1 q2 q3 c", signed=True)
w3 = symbols("w3", positive=True)
misfit, drift = symbols("misfit drift", positive=True)
tau, eta, L, A, K = symbols("tau eta L A K", positive=True)
B, B_mean, G, gap2, M, R, Rmin, S, sigma2, W_D, N4 = symbols(
    "B B_mean G gap2 M R Rmin S sigma2 W_D N4", nonnegative=True
)
a1, a2, a3 = vectors("a1 a2 a3")
_TOTAL = ((p1 - w1) * f1 + (p2 - w2) * f2 + w1 * (f1 - h1) + w2 * (f2 - h2)) ** 2

E26 = step(
    "SSA-E26",
    "Eq. (26), E.2.3",
    "Mismatch and drift",
    printed=r"""N_3=\mathbb E[\|\sum_k(p_k-w_k)\nabla F_k(\theta^{(t,0)})+\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
        h_k)\|^2]""",
    plainly="The error of the direction is the mismatch of the weights plus the weighted local drift.",
    assumes=ONE_ROUND,
    says=identity((p1 * f1 + p2 * f2 - w1 * h1 - w2 * h2) ** 2, _TOTAL),
    readings=[
        reading("as printed", "One coordinate, two clients, any p and w.", part="as printed"),
        reading(
            "one summand more",
            "One client more: mismatch and drift so far, whose sum is Σp_k∇F_k − Σw_kh_k.",
            identity(
                (misfit + drift + p1 * f1 - w1 * h1) ** 2, (misfit + (p1 - w1) * f1 + drift + w1 * (f1 - h1)) ** 2
            ),
            part="one summand more",
        ),
    ],
    mutants=[
        mutant(
            "p_k in place of w_k before the drift",
            identity(
                (p1 * f1 + p2 * f2 - w1 * h1 - w2 * h2) ** 2,
                ((p1 - w1) * f1 + (p2 - w2) * f2 + p1 * (f1 - h1) + p2 * (f2 - h2)) ** 2,
            ),
            "the sides differ by Σ(p_k − w_k)(∇F_k − h_k)",
        )
    ],
    rests_on=["SSA-E12", "SSA-E25"],
    verdict="An identity, by ∇F = Σp_k∇F_k; nothing is asked of p and w.",
)


E27 = step(
    "SSA-E27",
    "Eq. (27), E.2.3",
    "Mismatch and drift separated",
    printed=r"""\le2\|\sum_k(p_k-w_k)\nabla F_k(\theta^{(t,0)})\|^2+2\|\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
        h_k)\|^2""",
    plainly="The expected squared error is at most twice the squared mismatch plus twice the squared drift.",
    assumes=ONE_ROUND,
    says=of_round(le(N3, 2 * M + 2 * Rmin, again=lambda M, Rmin: 2 * (M + Rmin)), weights="sum one", reach=8.0),
    readings=[
        reading(
            "for whatever noise occurs",
            "The last norm is random and printed without expectation: the smallest it can be.",
            because="the right side is random as printed",
        ),
        reading(
            "in expectation",
            "The last norm inside E, as the line before (31) prints it.",
            of_round(le(N3, 2 * M + 2 * R, again=lambda M, R: 2 * (M + R)), weights="sum one", reach=8.0),
            edits=["E before the second norm"],
            token=True,
            forced_by="""(26), the line before, has the whole inside E; the first line of the block (31) prints τη
                E[‖Σw_k(∇F_k − h_k)‖²]""",
            carries=True,
        ),
    ],
    mutants=[
        mutant(
            "without the factor 2 on the drift",
            of_round(le(N3, 2 * M + R), weights="sum one", reach=8.0),
            "drift and mismatch that point the same way add up, and the square of their sum has a cross term",
        )
    ],
    rests_on=["SSA-E26"],
    verdict="""A misprint: the sign E is missing before the second norm; with it the line holds. (26), the line before,
        has the whole inside E, and the first line of the block (31) prints it again, so the proof carries on with the
        expectation. The last norm is random from the second local step on. As printed, in (27) to (29), an expectation
        would have to lie below something that can be far smaller than its mean. The slip is counted here only.""",
)

_DIFFERENCES = Domain((Parameter("q1", -3, 3), Parameter("q2", -3, 3), Parameter("q3", -3, 3)))
_MIX = square(q1 * a1 + q2 * a2 + q3 * a3)
_SUM = square(a1) + square(a2) + square(a3)
_PAIR = Domain((Parameter("q1", -3, 3), Parameter("q2", -3, 3)))

squares_sum = symbols("squares_sum", nonnegative=True)
E28 = step(
    "SSA-E28",
    "Eq. (28), E.2.3",
    "Cauchy–Schwarz over the clients",
    printed=r"""\le2\big[\sum_k(p_k-w_k)^2\big]\big[\sum_k\|\nabla F_k(\theta^{(t,0)})\|^2\big]+2\|\sum_kw_k(\nabla F_k
        -\mathbf h_k)\|^2""",
    plainly="The squared mismatch is at most the squared weight differences times the sum of the squared gradients.",
    assumes=ONE_ROUND,
    says=of_round(
        le(M, gap2 * squares_sum, again=lambda gap2, squares_sum: squares_sum * gap2), weights="any", reach=8.0
    ),
    readings=[
        reading(
            "any clients and weights",
            "The step from (27); the last norm is the same on both sides.",
            part="any clients and weights",
        ),
        reading(
            "three free vectors",
            "q_k = p_k − w_k in [−3, 3].",
            VectorInequality(_MIX, (q1**2 + q2**2 + q3**2) * _SUM, _DIFFERENCES),
            part="three free vectors",
        ),
    ],
    mutants=[
        mutant(
            "the largest gradient alone",
            VectorInequality(square(q1 * a1 + q2 * a2), (q1**2 + q2**2) * square(a1), _PAIR),
            "with a₁ = 0 the right side is 0",
        ),
        mutant(
            "half the sum of the squared gradients",
            of_round(le(M, gap2 * squares_sum / 2), weights="any", reach=8.0),
            "attained as printed: gradients proportional to p_k − w_k",
        ),
    ],
    tight="∇F_k proportional to p_k − w_k",
    rests_on=["SSA-E27"],
    verdict="""Cauchy–Schwarz, attained by gradients proportional to p_k − w_k. The missing expectation of (27) plays no
        part: the last term is the same on both sides.""",
)


E29 = step(
    "SSA-E29",
    "Eq. (29), E.2.3",
    "Bounded dissimilarity in the mismatch",
    printed=r"""\le2K\big[\sum_k(p_k-w_k)^2\big]\big[A\|\nabla F(\theta^{(t,0)})\|^2+B\big]+2\|\sum_kw_k(\nabla F_k-
        \mathbf h_k)\|^2""",
    plainly="By Assumption 4 the sum of the squared gradients is at most K(A‖∇F‖² + B).",
    assumes=ONE_ROUND,
    says=of_round(le(squares_sum, K * (A * G + B), again=lambda K, A, G, B: K * A * G + K * B), reach=8.0),
    readings=[reading("A.4 for every k", "Also for clients with p_k = 0; the common factor 2Σ(p_k − w_k)² left out.")],
    mutants=[
        mutant(
            "K dropped",
            of_round(le(squares_sum, A * G + B), reach=8.0),
            "two clients of equal squared gradient, which A‖∇F‖² + B just covers",
        ),
        mutant(
            "the conventional dissimilarity Σp_k‖∇F_k‖² <= A‖∇F‖² + B",
            of_round(le(squares_sum, K * (A * G + B_mean)), reach=8.0),
            "a client with a small p_k may have a gradient as large as it likes",
        ),
    ],
    tight="in the limit in which all clients meet A.4 with equality",
    rests_on=["SSA-A4", "SSA-E28"],
    verdict="Holds, and it needs the paper's own form of Assumption 4: for each client, those with p_k = 0 included.",
)

_HEAD = -tau * eta * (1 - A * W_D) / 2 * G + L * tau * eta**2 * sigma2 * S + tau * eta * B * W_D / 2


def before_again(
    tau: float, eta: float, A: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, R: float
) -> float:
    """The line before (31) once more."""
    return tau * eta * ((W_D * (A * G + B) - G) / 2 + L * eta * sigma2 * S + R)


def jensen_again_mismatch(
    tau: float, eta: float, A: float, W_D: float, G: float, L: float, sigma2: float, S: float, B: float, N4: float
) -> float:
    """The right side of (31) once more."""
    return tau * eta * (N4 + (B * W_D + (A * W_D - 1) * G) / 2) + L * tau * eta**2 * S * sigma2


E30 = step(
    "SSA-E30",
    "first line of the block tagged (31), E.2.3",
    "Descent with the weight discrepancy",
    printed=r"""\mathbb E[F(\theta^{(t+1,0)})]-F(\theta^{(t,0)})\le-\frac{\tau\eta(1-AW_D)}2\|\nabla F\|^2+L\tau\eta^2
        \sigma^2\sum_kw_k^2+\frac{\tau\eta BW_D}2+\tau\eta\mathbb E[\|\sum_kw_k(\nabla F_k(\theta^{(t,0)})-\mathbf
        h_k)\|^2]""",
    plainly="If 2τηL <= 1, a round lowers F up to noise, the weight discrepancy and the squared drift.",
    assumes=[
        """one round from a fixed θ^(t,0); F_k L-smooth of any curvature; ηL <= 1/(2τ) unless said; noises independent
            between the clients, as said below (24); w on the simplex (never stated), fixed before the round unless
            said; p_k >= 0 (counted at SSA-A1); samples fresh at every step""",
        "‖∇F_k‖² <= A‖∇F‖² + B at θ^(t,0) for every k, A, B > 0",
    ],
    says=of_round(le(fall, _HEAD + tau * eta * R, again=before_again), weights="sum one"),
    readings=[
        reading(
            "weights fixed before the round",
            "Of sum one, as (13) needs, and any sign.",
            because="Σw_k² and W_D stand outside every expectation",
        ),
        reading(
            "weights learned from the local models",
            "Ours: on the simplex, W_D and Σw_k² at their largest over the noise.",
            of_round(le(fall, _HEAD + tau * eta * R, again=before_again), sees=1, large=False),
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""the largest W_D and Σw_k² over the noise; both are printed outside every expectation, where weights
                that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)""",
        ),
    ],
    mutants=[
        mutant(
            "A‖∇F‖² forgotten",
            of_round(le(fall, (_HEAD + tau * eta * R).subs(A, 0))),
            "with A large B may be tiny; weight on a client that pulls against F then raises it",
        ),
        mutant(
            "BW_D dropped",
            of_round(le(fall, (_HEAD + tau * eta * R).subs(B, 0))),
            "at a stationary point of F any other weights move the model and raise a convex F",
        ),
        mutant(
            "one noise for all clients",
            of_round(le(fall, _HEAD + tau * eta * R), coins=1),
            "at a stationary point of like clients the shared noise is not averaged: σ² in place of σ²Σw_k²",
        ),
    ],
    rests_on=["SSA-E25", "SSA-E29"],
    verdict="""It holds for weights fixed before the round under 2τηL <= 1, which lets the term with Σw_kh_k be dropped.
        Here the factor is 1 − A·W_D, with the A of Assumption 4. W_D and Σw_k² are printed outside every expectation.
        With their largest values over the noise, which is ours, and weights learned from the round's own models it
        fails, as (25) does; the gap to Algorithm 1 is counted at SSA-E17.""",
)


def mean_again(mean2: float) -> float:
    """The weighted mean of the squares."""
    return mean2 * 1


_SIGNED = Domain((Parameter("c", -2, 3),))
_SIMPLEX = Domain((), (("w1", "w2", "w3"),))
E31 = step(
    "SSA-E31",
    "Eq. (31), E.2.3",
    "Jensen over the clients",
    printed=r"\dots+\tau\eta\sum_kw_k\mathbb E[\|\nabla F_k(\theta^{(t,0)})-\mathbf h_k\|^2]",
    plainly="The square of the weighted drift is at most the weighted mean of the squared drifts.",
    assumes=[
        "any vectors; expectations of both sides follow",
        "w on the simplex, which (31) supposes where it names Jensen's inequality, and (7) where it takes w_k log w_k",
    ],
    says=VectorInequality(
        square(w1 * a1 + w2 * a2 + w3 * a3), w1 * square(a1) + w2 * square(a2) + w3 * square(a3), _SIMPLEX
    ),
    readings=[
        reading("weights on the simplex", "The step for three clients.", part="Jensen over three clients"),
        reading(
            "weights of sum one, any sign",
            "‖Σw_kx_k‖² <= Σw_k‖x_k‖², w = (c, 1 − c).",
            VectorInequality(square(c * a1 + (1 - c) * a2), c * square(a1) + (1 - c) * square(a2), _SIGNED),
            part="Jensen over three clients",
            cuts={"weights": "any sign, sum one"},
            ours="""the weights of Jensen's inequality, which (31) names, are not negative, and (7) takes w_k log w_k; no line
                says so of w""",
        ),
        reading(
            "the whole of (31), weights on the simplex, learned from the local models",
            "The change of F on the left; W_D and Σw_k² at their largest over the noise.",
            of_round(le(fall, _HEAD + tau * eta * N4, again=jensen_again_mismatch), sees=1, large=False),
            part="the whole of (31)",
            cuts={"weights": "see the round's samples"},
            sees="after the step",
            ours="""the largest W_D and Σw_k² over the noise; w_k, Σw_k² and W_D are printed outside every expectation,
                where weights that see the noise are excluded (the gap to Algorithm 1 is counted at SSA-E17)""",
        ),
        reading(
            "up to 300 clients, weights on the simplex",
            "The step, on drawn vectors.",
            le(mixed2, mean2, again=mean_again),
            world=_ON_SIMPLEX,
            part="Jensen over up to 300 clients",
        ),
        reading(
            "the whole of (31), weights on the simplex, fixed before the round",
            "The change of F on the left.",
            of_round(le(fall, _HEAD + tau * eta * N4, again=jensen_again_mismatch)),
            part="the whole of (31)",
        ),
    ],
    mutants=[
        mutant(
            "weights squared",
            VectorInequality(
                square(w1 * a1 + w2 * a2 + w3 * a3),
                w1**2 * square(a1) + w2**2 * square(a2) + w3**2 * square(a3),
                _SIMPLEX,
            ),
            "equal vectors give ‖x‖² against ‖x‖²Σw_k²",
        )
    ],
    tight="equal drifts",
    rests_on=["SSA-E30"],
    verdict="""It holds for weights on the simplex, for any number of clients: Σw_k‖x_k‖² − ‖Σw_kx_k‖² =
        Σ_{j<k}w_jw_k‖x_j − x_k‖². No line says that the aggregation weights are not negative, but nothing else can be
        meant: (31) names Jensen's inequality, and the entropy loss (7) takes w_k log w_k. With negative weights, a reading
        of ours, the step fails. The line as a whole needs, like (30), weights that do not see the round.""",
)

CLAIMS: tuple[Claim, ...] = (
    S03,
    S09,
    S16,
    S07,
    S08,
    S10,
    S11,
    E26,
    E27,
    E28,
    E29,
    E30,
    E31,
)
