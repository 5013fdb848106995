"""Sec. 1 to 2.3: Algorithm 1 and the recursions (1) and (2), the assumptions with Remarks 1 and 4, the optimal values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from sympy import Max

from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.runs import world
from validation import Instance
from validation.statement.claim import Claim
from validation.statement.draw import Coordinate, Integer, LogScale, Signed, Simplex, Space, Uniform
from validation.statement.kinds import Case, Family, Size
from validation.statement.says import all_of, le
from validation.statement.symmetry import permuted_clients
from validation.world.stated import but, stated
from validation.world.world import World, case

__all__ = ["CLAIMS"]

m, N, m_off, apart_box, apart_p, apart_a = NOTATION.symbols("m N m_off apart_box apart_p apart_a")
bias_fresh, bias_epoch, bias_sum = NOTATION.symbols("bias_fresh bias_epoch bias_sum")
slope_change2, L, between2, mu, gap, gap2 = NOTATION.symbols("slope_change2 L between2 mu gap gap2")
variance, second, bound2, in_ball, centred = NOTATION.symbols("variance second bound2 in_ball centred")
slope2, G2, room, factor, tau, rho = NOTATION.symbols("slope2 G2 room factor tau rho")
excess_printed, excess_at_best, excess_own = NOTATION.symbols("excess_printed excess_at_best excess_own")
Gamma, Gamma_same, Gamma_coins, losses_apart = NOTATION.symbols("Gamma Gamma_same Gamma_coins losses_apart")
Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def _line(
    name: str, drawn: Callable[[int], tuple[Coordinate, ...]], observe: Any, plain: Any, most: int, **chosen: Any
) -> World:
    """Clients on a line, 1 to `most`; what has a value for each client has it on the first axis, weights on the second."""

    def at(N: float) -> Case:
        space = Space(drawn(int(N)))
        axes = {"share": 0, "curvature": 0, "optimum": 0, "sample": 0, "weights": 1}
        same = (permuted_clients({c.name: axes[c.name] for c in space.coordinates if c.name in axes}),)
        return case(f"{name}, N = {int(N)}", space, observe, plain, symmetries=same, **chosen)

    return world(Family(name, (Size("N", 1, most, 2),), at))


def counted(x: Instance, *, rounded: str) -> Mapping[str, Any]:
    """m = max(CN, 1) clients a round, rounded down, up or not; «bare»: rounded down without the maximum."""
    m = x["ratio"] * x["clients"]
    m = m if rounded == "bare" else np.maximum(m, 1.0)
    m = np.floor(m) if rounded in ("down", "bare") else np.ceil(m) if rounded == "up" else m
    return {"m": m, "N": x["clients"], "m_off": (m != np.round(m)).astype(float)}


def counted_exact(x: Mapping[str, Any], *, rounded: str) -> Pair:
    """The number of clients of a round."""
    C, N = x["ratio"], x["clients"]
    m = C * N if rounded == "bare" else max(C * N, Fraction(1))
    if rounded in ("down", "bare"):
        m = Fraction(m.numerator // m.denominator)
    elif rounded == "up":
        m = Fraction(-(-m.numerator // m.denominator))
    return {"0 < C <= 1, N >= 1": 0 < C <= 1 and N >= 1}, {"m": m, "N": N, "m_off": Fraction(int(m.denominator != 1))}


def _counts(rounded: str) -> World:
    space = Space((Uniform("ratio", 0.001, 1.0, at=(0.1, 0.25, 0.5, 1.0)), Integer("clients", 1, 1000, at=(10, 100))))
    return world(case("C and N", space, counted, counted_exact, rounded=rounded))


ALG1 = stated(
    r"""RA-ALG1 (definition; Algorithm 1, line 3): Number of clients drawn
    Print: m\leftarrow\max(C\cdot N,1),\qquad I_t\leftarrow(\text{random set of }m\text{ clients})
    Plainly: m, rounded, is a number of clients: at least 1 and at most N.
    Assumes: 0 < C <= 1, N >= 1
    Open (nowhere) rounding: how max(C·N, 1) becomes a number of clients is not said
    Reading: as printed | Not rounded, m = max(CN, 1), and asked to be whole: a demand of ours. | ours: that m clients
      be drawn with m no whole number: nobody would read the line so
    Reading: rounded down | m = max(⌊CN⌋, 1). | option rounding = down
    Reading: rounded up | m = max(⌈CN⌉, 1). | option rounding = up
    Mutant: the maximum with 1 dropped | CN < 1 rounds down to no client at all
    Verdict: Rounded down or up, m is a number of clients, at least 1 and at most N. C·N need not be whole, and no
      rounding is given: a choice for the implementation to record, not an error. The line is that of McMahan et al.
      [2017]; that m be whole without rounding is asked by us, not by the print. The same box aggregates «w¹, …, wᴺ»
      although only the clients of I_t computed a model (RA-ALG2), and none of it matters under the full participation
      of Section 2.1.""",
    says=all_of(le(1, m), le(m, N), le(m_off, 0)),
    world=_counts("not"),
    readings={"rounded down": _counts("down"), "rounded up": _counts("up")},
    mutants={"the maximum with 1 dropped": _counts("bare")},
)


def recursed(x: Instance, *, E: int, when: str) -> Mapping[str, Any]:
    """Two rounds on the line: the recursion against Algorithm 1 at the end, and wₜ against averages of the local models."""
    h, m, p, w = x["curvature"], x["optimum"], x["share"], x["start"]
    eta, reach = (x["step"] / h.max(axis=1))[:, None], (m**2).max(axis=1) + w**2
    box, local, virtual, off_p, off_a = w, np.broadcast_to(w[:, None], m.shape), w, np.zeros(len(m)), np.zeros(len(m))
    for r in range(2):
        a = x["weights"][:, r]
        box = (a * (m + (1 - eta * h) ** E * (box[:, None] - m))).sum(axis=1)
        for t in range(r * E, (r + 1) * E):
            ends = local - eta * h * (local - m)
            last = when == "every step" or (t if when == "as (1)" else t + 1) % E == 0
            virtual = (a * ends).sum(axis=1) if last else virtual - (p * eta * h * (local - m)).sum(axis=1)
            local = np.broadcast_to(virtual[:, None], m.shape) if last else ends
            off_p = np.maximum(off_p, (virtual - (local * p).sum(axis=1)) ** 2)
            off_a = np.maximum(off_a, (virtual - (local * a).sum(axis=1)) ** 2)
    found = {"apart_box": (virtual - box) ** 2, "apart_p": off_p, "apart_a": off_a}
    return {**found, "sizes": dict.fromkeys(found, reach)}


def recursed_exact(x: Mapping[str, Any], *, E: int, when: str) -> Pair:
    """Step by step; `when` the recursion aggregates."""
    h, m, p, clients, eta = (
        x["curvature"],
        x["optimum"],
        x["share"],
        range(len(x["share"])),
        x["step"] / max(x["curvature"]),
    )
    box, w, local, off_p, off_a = x["start"], x["start"], [x["start"] for i in clients], [Fraction(0)], [Fraction(0)]
    for r, a in enumerate(x["weights"]):
        models = [box for i in clients]
        for _ in range(E):
            models = [v - eta * h[i] * (v - m[i]) for i, v in enumerate(models)]
        box = sum(u * v for u, v in zip(a, models, strict=True))
        for t in range(r * E, (r + 1) * E):
            g = [h[i] * (local[i] - m[i]) for i in clients]
            ends = [local[i] - eta * g[i] for i in clients]
            if when == "every step" or (t if when == "as (1)" else t + 1) % E == 0:
                w = sum(a[i] * ends[i] for i in clients)
                local = [w for i in clients]
            else:
                w, local = w - eta * sum(p[i] * g[i] for i in clients), ends
            off_p.append((w - sum(p[i] * local[i] for i in clients)) ** 2)
            off_a.append((w - sum(a[i] * local[i] for i in clients)) ** 2)
    met = {"shares and weights on the simplex": all(sum(v) == 1 and min(v) >= 0 for v in [p, *x["weights"]])}
    return met, {"apart_box": (w - box) ** 2, "apart_p": max(off_p), "apart_a": max(off_a)}


def _recursions(when: str, *local_steps: int) -> World:
    def drawn(n: int) -> tuple[Coordinate, ...]:
        start, step = Signed("start", 1e-3, 1e2), LogScale("step", 1e-3, 1.0, at=(0.25, 1.0))
        clients = (LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)), Signed("optimum", 1e-3, 1e2, (n,)))
        return (Simplex("share", n), Simplex("weights", n, (2,)), *clients, start, step)

    def of(E: int) -> World:
        return _line(f"two rounds of {E} full-batch steps", drawn, recursed, recursed_exact, 20, E=E, when=when)

    return world(*(item for E in local_steps for item in of(E).cases))


D1 = stated(
    r"""RA-D1 (definition; Eq. (1), Sec. 2.1, against Algorithm 1): The recursion is the algorithm
    Print: w_{t+1}^{i}:=\begin{cases}w_t^i-\eta_tg_i(w_t^i)&t\ne0\bmod E\\ \sum_{j\in I}\alpha_t^j\left(w_t^j-\eta_tg_j(
      w_t^j)\right):=w_{t+1}&t=0\bmod E\end{cases}
    Plainly: The recursion (1), with (2) between aggregations, returns the w_TE of Algorithm 1.
    Assumes: full participation, full-batch gradients, one step size, αₜ fixed in a round
    Reading: as printed, E >= 2 | Aggregation in the update t → t + 1 with t = 0 mod E. | because: (1) aggregates the
      first of the E steps, Algorithm 1 the last
    Reading: one local step a round | The same with E = 1. | condition: E = 1 | because: no setting of the paper states
      its E
    Reading: aggregation when t + 1 = 0 mod E | After E local steps, as Algorithm 1 writes w_{t+E}. | edit: t + 1 = 0
      mod E in place of t = 0 mod E, with its negation in the first case of (1) | token | forced by: Algorithm 1, line
      8, «w_{t+E} ← AGGREGATION(w_{t+E}¹, …)» for t ∈ {0, E, …}, and A.1, where t₀ = ⌊t/E⌋E is the last common model |
      carries: yes
    Mutant: aggregation at every step | the clients then never drift apart, and drift shows in w_TE
    Rests on: RA-ALG1
    Verdict: An index slip: «t = 0 mod E» in (1) has to be «t + 1 = 0 mod E», with its negation in the first case, and
      then (1) returns the w_TE of Algorithm 1 for every E. Line 8 of Algorithm 1 forces it: the model at t + E is
      aggregated from the local models at t + E, for t = 0, E, …. So do the proofs, which use t₀ = ⌊t/E⌋E as the last
      common model. As printed the first of the E steps is the aggregated one: the very first update is averaged, the
      last E − 1 steps of the run never are, and w_TE is another model. With E = 1 there is no difference.""",
    says=le(apart_box, 0),
    world=_recursions("as (1)", 2, 5, 30),
    readings={
        "one local step a round": _recursions("as (1)", 1),
        "aggregation when t + 1 = 0 mod E": _recursions("end", 1, 2, 5, 30),
    },
    mutants={"aggregation at every step": _recursions("every step", 2)},
)

D2 = stated(
    r"""RA-D2 (definition; Eq. (2), Sec. 2.3): Virtual model between aggregations
    Print: w_{t+1}:=w_t-\eta_t\sum_{i\in I}\alpha_t^ig_i(w_t^i),\ \alpha_t^i=p_i\ (t\ne0\bmod E)\quad\Rightarrow\quad w_
      t=\sum_ip_iw_t^i
    Plainly: Inside a round the virtual model is the average of the local models, weighted by p.
    Assumes: the round starts from one model | full-batch gradients; aggregation after E steps
    Reading: averaged with p | wₜ = Σpᵢwₜⁱ at every t.
    Mutant: averaged with the round's weights αₜ | inside the round the p-average differs from the α-average as soon as
      two local models differ
    Rests on: RA-D1
    Verdict: Consistent as a definition: both sides start the round equal and take the same steps. But the proof of
      Lemma 2 begins with wₜ = Σαₜʲwₜʲ «by the definition of wₜ», and Theorem 1 with wₜ₊₁ = wₜ − ηₜΣαₜgₜ at every t.
      With αₜ other than p inside a round or at its end these are not this definition (RA-P-L2.1, RA-P-T1.0); the mutant
      shows it.""",
    says=le(apart_p, 0),
    world=_recursions("end", 1, 2, 5, 30),
    mutants={"averaged with the round's weights αₜ": but(le(apart_a, 0), world=_recursions("end", 2))},
)


def batches(x: Instance, *, size: int) -> Mapping[str, Any]:
    """|E g − ∇F| of batches of four samples: drawn afresh, the sum in place of the mean, the second batch of an epoch."""
    h, c, w, firsts = x["curvature"], x["sample"], x["model"], list(combinations(range(4), size))

    def slopes(at: Any) -> Any:
        return h * (at[:, None] - c)

    whole, off = slopes(w).mean(axis=1), np.zeros(len(w))
    mean = np.mean([slopes(w)[:, list(b)].mean(axis=1) for b in firsts], axis=0)
    for first in firsts:
        rest = [i for i in range(4) if i not in first]
        then = slopes(w - x["step"] * slopes(w)[:, list(first)].mean(axis=1))
        off = np.maximum(off, np.abs(then[:, rest].mean(axis=1) - then.mean(axis=1)))
    found = {"bias_fresh": np.abs(mean - whole), "bias_epoch": off, "bias_sum": np.abs(size * mean - whole)}
    return {**found, "sizes": dict.fromkeys(found, (h * (np.abs(c) + np.abs(w[:, None]))).max(axis=1))}


def batches_exact(x: Mapping[str, Any], *, size: int) -> Pair:
    """Largest |E[g(w) | the past] - grad F(w)| over what has been drawn; losses h (w - c)^2/2."""
    h, c, w, every = x["curvature"], x["sample"], x["model"], range(len(x["sample"]))

    def mean(chosen: Any, at: Any) -> Any:
        return sum(h[i] * (at - c[i]) for i in chosen) / len(chosen)

    sets = [[i for i in every if b >> i & 1] for b in range(2 ** len(h)) if b.bit_count() == size]
    average, off = sum(mean(b, w) for b in sets) / len(sets), []
    for first in sets:
        then = w - x["step"] * mean(first, w)
        off.append(abs(mean([i for i in every if i not in first], then) - mean(every, then)))
    found = {"bias_fresh": abs(average - mean(every, w)), "bias_epoch": max(off)}
    return {"eta > 0": x["step"] > 0}, {**found, "bias_sum": abs(size * average - mean(every, w))}


def _batches(*sizes: int) -> World:
    given = (LogScale("curvature", 1e-2, 1e2, (4,), at=(1.0,)), Signed("sample", 1e-2, 1e2, (4,)))
    space = Space((*given, Signed("model", 1e-2, 1e2), LogScale("step", 1e-4, 1.0)))
    return world(*(case(f"batches of {b} of 4 samples", space, batches, batches_exact, size=b) for b in sizes))


A0 = stated(
    r"""RA-A0 (definition; Sec. 2.1; A.2, bound for A₂): Framework: unbiased mini-batch gradients
    Print: g_i(w_t^i)=\tfrac1b\sum_{\zeta\in\zeta_t^i}\nabla F_i(w_t^i,\zeta),\qquad\mathbb E[g_i(w)]=\nabla F_i(w)
    Plainly: Given the past, the mean of a mini-batch gradient is the gradient of the client's loss.
    Assumes: Fᵢ is the mean loss of the client's samples | E local steps, or epochs, with batches of b samples
    Open (nowhere) sampling: how the mini-batch ζₜⁱ is drawn is not said; E is «a number of local epochs» (Sec. 1,
      passes over the data) and counts single mini-batch steps in (1); A.2 names «the unbiasedness of the gradient
      estimator» without saying of what
    Reading: batches drawn afresh at every step | All b-subsets equally likely, whatever was drawn before. | option
      sampling = afresh at every step
    Reading: local epochs: batches of the samples not yet used | The second batch of an epoch, given the first. | option
      sampling = passes without replacement
    Mutant: the factor 1/b dropped | for b = 2 the mean is then twice the gradient
    Verdict: Unbiasedness is used once, for E A₂ = 0, and stands in no numbered assumption. It is true of batches drawn
      afresh. E is called «number of local epochs», and within an epoch the usual passes without replacement are biased
      given the past, so for them the proof's step fails; the paper does not say how batches are drawn.""",
    says=le(bias_fresh, 0),
    world=_batches(1, 2, 3),
    readings={"local epochs: batches of the samples not yet used": le(bias_epoch, 0)},
    mutants={"the factor 1/b dropped": but(le(bias_sum, 0), world=_batches(2))},
)


def smooth(x: Instance, *, convex: bool) -> Mapping[str, Any]:
    """‖∇F(v) − ∇F(w)‖² of a quadratic, L the least constant of Assumption 1 as printed."""
    s, move = np.abs(x["spectrum"]) if convex else x["spectrum"], x["v"] - x["w"]
    found = {"slope_change2": ((s * move) ** 2).sum(axis=1), "between2": (move**2).sum(axis=1)}
    return {**found, "L": np.maximum(s.max(axis=1), 0.0)}


def smooth_exact(x: Mapping[str, Any], *, convex: bool) -> Pair:
    """|grad F(v) - grad F(w)|^2 of a quadratic; L the least constant for which Assumption 1 holds as printed."""
    s = [abs(v) for v in x["spectrum"]] if convex else x["spectrum"]
    squares, L = [(a - b) ** 2 for a, b in zip(x["v"], x["w"], strict=True)], max(*s, Fraction(0))
    met = {
        "Assumption 1 along every eigenvector": min((L - h) * q for h, q in zip(s, squares, strict=True)) >= 0,
        "Assumption 2 where asked": not convex or min(s) > 0,
    }
    change = sum(h**2 * q for h, q in zip(s, squares, strict=True))
    return met, {"slope_change2": change, "L": L, "between2": sum(squares)}


def bowl(x: Instance) -> Mapping[str, Any]:
    """A quadratic around its minimiser."""
    s = np.abs(x["spectrum"]) + 0.01
    return {"mu": s.min(axis=1), "gap2": (x["v"] ** 2).sum(axis=1), "gap": (s * x["v"] ** 2).sum(axis=1) / 2}


def bowl_exact(x: Mapping[str, Any]) -> Pair:
    """A quadratic around its minimiser, curvatures 1/100 and more."""
    s = [abs(v) + Fraction(1, 100) for v in x["spectrum"]]
    found = {"mu": min(s), "gap2": sum(v**2 for v in x["v"])}
    return {"mu > 0": min(s) > 0}, {**found, "gap": sum(h * v**2 for h, v in zip(s, x["v"], strict=True)) / 2}


def _quadratics(name: str, observe: Any, plain: Any, *vectors: str, **chosen: Any) -> World:
    def at(d: float) -> Case:
        space = Space(tuple(Signed(v, 1e-2, 1e2, (int(d),)) for v in ("spectrum", *vectors)))
        return case(f"{name}, d = {int(d)}", space, observe, plain, **chosen)

    return world(Family(name, (Size("d", 1, 8, 2),), at))


_LIPSCHITZ = le(slope_change2, L**2 * between2)

A1 = stated(
    r"""RA-A1 (definition; Assumption 1, Sec. 2.2): L-smoothness
    Print: \forall v,w,\ F_i(v)\le F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac L2\|v-w\|_2^2\quad\Rightarrow\quad\|
      \nabla F_i(v)-\nabla F_i(w)\|\le L\|v-w\|
    Plainly: The printed one-sided bound, with Assumption 2, is L-smoothness in the usual sense.
    Assumes: Assumption 1 as printed, one-sided | Assumption 2
    Reading: with Assumption 2 | Quadratics in any dimension, L the least constant allowed.
    Mutant: Assumption 2 dropped | F(w) = −w²/2 meets the printed line with L = 0
    Tight: v − w an eigenvector of the largest curvature
    Rests on: RA-A2
    Verdict: Only the upper half of smoothness is printed. For convex functions, which Assumption 2 supplies, it is all
      that is needed; without it concave functions would pass. The pair is consistent exactly for μ <= L.""",
    says=_LIPSCHITZ,
    world=_quadratics("quadratics", smooth, smooth_exact, "v", "w", convex=True),
    mutants={"Assumption 2 dropped": _quadratics("quadratics", smooth, smooth_exact, "v", "w", convex=False)},
)

A2 = stated(
    r"""RA-A2 (definition; Assumption 2, Sec. 2.2): μ-convexity
    Print: \forall v,w,\ F_i(v)\ge F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac\mu2\|v-w\|_2^2\quad\Rightarrow\quad\tfrac\mu2
      \|w-w_i^\star\|^2\le F_i(w)-F_i^\star
    Plainly: A μ-convex loss has one minimiser, and the excess grows at least as μ/2 times the squared distance from it.
    Assumes: Assumption 2, μ > 0
    Reading: at the minimiser | v = w, w = wᵢ* in the print.
    Mutant: μ in place of μ/2 | in one dimension the two sides are equal
    Tight: w − wᵢ* an eigenvector of the least curvature
    Verdict: What the definitions of w*, wᵢ* and Γ need: unique minimisers, which the paper does not claim separately.""",
    says=le(mu / 2 * gap2, gap),
    world=_quadratics("quadratics around their minimiser", bowl, bowl_exact, "v"),
    mutants={"μ in place of μ/2": le(mu / 2 * gap2, gap / 2)},
)


def spreads(x: Instance, *, inside: bool) -> Mapping[str, Any]:
    """Spread of one of two samples' gradients, far out or within R of 0; `in_ball` bounds it there, `centred` for offsets 0."""
    h, c, R = x["curvature"], x["sample"], x["bound"]
    differ, offset = np.abs(h[:, 0] - h[:, 1]), np.abs(h[:, 0] * c[:, 0] - h[:, 1] * c[:, 1])
    w = x["inside"] * R if inside else x["reach"] * (2 * R + offset) / np.where(differ > 0, differ, np.nan)
    slopes = h * (w[:, None] - c)
    found = {"variance": (slopes[:, 0] - slopes[:, 1]) ** 2 / 4, "bound2": R**2}
    size = h.max(axis=1) ** 2 * (np.abs(w) + np.abs(c).max(axis=1)) ** 2
    balls = {"in_ball": (differ * R + offset) ** 2 / 4, "centred": differ**2 / 4 * R**2}
    return {**found, **balls, "sizes": {"variance": size}}


def spreads_exact(x: Mapping[str, Any], *, inside: bool) -> Pair:
    """Variance of the gradient of one of two samples, each with chance 1/2."""
    (h, k), (c, e), R = x["curvature"], x["sample"], x["bound"]
    offset = abs(h * c - k * e)
    w = x["inside"] * R if inside else x["reach"] * (2 * R + offset) / abs(h - k)
    first, second = h * (w - c), k * (w - e)
    mean = (first + second) / 2
    met = {
        "strong convexity and smoothness": min(h, k) > 0,
        "bound positive": R > 0,
        "inside the ball": abs(x["inside"]) <= 1,
    }
    found = {"variance": ((first - mean) ** 2 + (second - mean) ** 2) / 2, "bound2": R**2}
    return met, {**found, "in_ball": (abs(h - k) * R + offset) ** 2 / 4, "centred": (h - k) ** 2 * R**2 / 4}


def moments(x: Instance, *, inside: bool) -> Mapping[str, Any]:
    """Second moment of one of two samples' gradients; the rest as `spreads`."""
    h, c, R = x["curvature"], x["sample"], x["bound"]
    pull = (h * np.abs(c)).max(axis=1)
    w = x["inside"] * R if inside else x["reach"] * (R + pull) / h.min(axis=1)
    found = {"second": ((h * (w[:, None] - c)) ** 2).mean(axis=1), "bound2": R**2}
    size = h.max(axis=1) ** 2 * (np.abs(w) + np.abs(c).max(axis=1)) ** 2
    balls = {"in_ball": (h.max(axis=1) * R + pull) ** 2, "centred": (h.max(axis=1) * R) ** 2}
    return {**found, **balls, "sizes": {"second": size}}


def moments_exact(x: Mapping[str, Any], *, inside: bool) -> Pair:
    """Second moment of the gradient of one of two samples, each with chance 1/2."""
    (h, k), (c, e), R = x["curvature"], x["sample"], x["bound"]
    pull = max(h * abs(c), k * abs(e))
    w = x["inside"] * R if inside else x["reach"] * (R + pull) / min(h, k)
    met = {
        "strong convexity and smoothness": min(h, k) > 0,
        "bound positive": R > 0,
        "inside the ball": abs(x["inside"]) <= 1,
    }
    found = {"second": ((h * (w - c)) ** 2 + (k * (w - e)) ** 2) / 2, "bound2": R**2}
    return met, {**found, "in_ball": (max(h, k) * R + pull) ** 2, "centred": (max(h, k) * R) ** 2}


_SAMPLES = Space(
    (
        LogScale("curvature", 1e-2, 1e2, (2,), at=(1.0,)),
        Signed("sample", 1e-2, 1e2, (2,)),
        LogScale("bound", 1e-3, 1e6),
        LogScale("reach", 1e-3, 1e3, at=(1.0,)),
        Uniform("inside", -1.0, 1.0, at=(-1.0, 0.0, 1.0)),
    )
)


def _samples(observe: Any, plain: Any, *, inside: bool) -> World:
    return world(case("one sample of two", _SAMPLES, observe, plain, inside=inside))


_FAR, _NEAR = _samples(spreads, spreads_exact, inside=False), _samples(spreads, spreads_exact, inside=True)
_FAR2, _NEAR2 = _samples(moments, moments_exact, inside=False), _samples(moments, moments_exact, inside=True)

A3 = stated(
    r"""RA-A3 (definition; Assumption 3, Sec. 2.2): Bounded gradient estimator
    Print: \forall i\in I,\ \mathbb E\|g_i(w_i)-\nabla F_i(w_i)\|^2\le\sigma^2
    Plainly: There is a σ that bounds the spread of the mini-batch gradients at the models wᵢ.
    Assumes: Assumptions 1 and 2 | gᵢ a mini-batch gradient, samples of different curvature
    Reading: at every point of ℝᵈ | The bound is named first, then the point: stronger than the print, which has wᵢ and
      no «for all w». | ours: the assumption is printed at wᵢ, a model of client i, not «for all w» as Assumptions 1 and
      2 are; one σ for all of ℝᵈ is asked for nowhere
    Reading: at the points of a ball | The ball, which holds all models of a run from a given start, is named first,
      then the bound. | because: holds all models of a run from a given start
    Mutant: a ball around 0, the samples' offsets left out | at w = 0 samples far from 0 have large gradients, far
      apart, and the bound counts nothing but the radius
    Rests on: RA-A1, RA-A2
    Verdict: At the models of a run, or on a ball that holds them, which is all that the theorems use, there is such a
      σ. wᵢ is nowhere introduced; Assumptions 1 and 2 say «for all v, w», this one does not. A run from a given start
      stays in a ball, and on a ball a σ exists. Every check of this paper takes the points of a run or of an invariant
      ball. Beside this, and stronger than the print: over all of ℝᵈ no σ serves for mini-batches of samples of
      different curvature (additive noise would do).""",
    says=le(variance, bound2),
    world=_FAR,
    readings={"at the points of a ball": but(le(variance, in_ball), world=_NEAR)},
    mutants={"a ball around 0, the samples' offsets left out": but(le(variance, centred), world=_NEAR)},
)

A4 = stated(
    r"""RA-A4 (definition; Assumption 4, Sec. 2.2): Uniformly bounded expected squared norm
    Print: \forall i\in I,\ \mathbb E\|g_i(w_i)\|^2\le G^2
    Plainly: There is a G that bounds the mini-batch gradients at the models wᵢ.
    Assumes: Assumptions 1 and 2 | gᵢ a mini-batch gradient, samples of different curvature
    Reading: at every point of ℝᵈ | The bound is named first, then the point: stronger than the print, which has wᵢ and
      no «for all w». | ours: the assumption is printed at wᵢ, a model of client i, not «for all w» as Assumptions 1 and
      2 are; on all of ℝᵈ it would contradict Assumption 2
    Reading: at the points of a ball | The ball, which holds all models of a run from a given start, is named first,
      then the bound. | because: holds all models of a run from a given start
    Mutant: a ball around 0, the samples' offsets left out | at w = 0 samples far from 0 have large gradients, far
      apart, and the bound counts nothing but the radius
    Rests on: RA-A1, RA-A2
    Verdict: On all of ℝᵈ it would contradict Assumption 2, but the print asks for it at wᵢ, a model of client i: at the
      models of a run, or on a ball that holds them, there is such a G. On ℝᵈ the gradient of a strongly convex loss
      grows at least linearly, so that everything would follow from Assumptions 2 and 4 together; on a ball they agree.
      wᵢ is nowhere introduced, and nothing says «for all w». Every check takes the points of a run or of an invariant
      ball, where G depends on the start and on w*.""",
    says=le(second, bound2),
    world=_FAR2,
    readings={"at the points of a ball": but(le(second, in_ball), world=_NEAR2)},
    mutants={"a ball around 0, the samples' offsets left out": but(le(second, centred), world=_NEAR2)},
)


def _moments(x: Instance) -> dict[str, Any]:
    u2, s2 = x["slope"] ** 2, x["noise"] ** 2
    return {"slope2": u2, "variance": s2, "G2": u2 + s2}


def _moments_exact(x: Mapping[str, Any]) -> Pair:
    """Two values, each with chance 1/2."""
    values = [x["slope"] + x["noise"], x["slope"] - x["noise"]]
    found = {"variance": sum((v - x["slope"]) ** 2 for v in values) / 2, "G2": sum(v**2 for v in values) / 2}
    return {"unbiased": sum(values) == 2 * x["slope"]}, {**found, "slope2": x["slope"] ** 2}


def estimators(x: Instance) -> Mapping[str, Any]:
    """A gradient estimator slope ± noise: its variance and second moment, the squared slope, and more than it."""
    return {**_moments(x), "room": x["room"], "factor": x["factor"]}


def estimators_exact(x: Mapping[str, Any]) -> Pair:
    """Two values, each with chance 1/2."""
    met, found = _moments_exact(x)
    return met, {**found, "room": x["room"], "factor": x["factor"]}


_ESTIMATORS = Space(
    (
        Signed("slope", 1e-3, 1e3),
        Signed("noise", 1e-3, 1e6),
        LogScale("room", 1e-6, 1e3),
        LogScale("factor", 1.0, 1e6, at=(1.0,)),
    )
)
_MERGED = slope2 + room

R1 = stated(
    r"""RA-R1 (remark; Remark 1, Sec. 2.2): Assumptions 3 and 4 merged
    Print: \text{Assumptions 3 and 4 «can be merged into a unique assumption of the form »}\mathbb E\|\nabla F_i(w_i)\|^
      2<A^2
    Plainly: One bound on the expected squared gradient can take the place of Assumptions 3 and 4.
    Assumes: gᵢ unbiased | σ² and G² may be any multiple of A²
    Reading: the merged bound gives Assumption 3 | As printed, ∇Fᵢ the true gradient: E‖gᵢ − ∇Fᵢ‖² <= c·A², whatever
      multiple c is allowed. | part: the merged bound gives the assumptions | because: ∇Fᵢ is the true gradient:
      Assumption 3 subtracts it from gᵢ
    Reading: Assumption 4 gives the merged bound | ‖∇Fᵢ‖² <= G². | part: the assumptions give the merged bound
    Reading: ∇Fᵢ stands for the mini-batch gradient | An edit, which the expectation suggests: E‖gᵢ‖² < A² gives both
      assumptions with σ² = G² = A². | part: the merged bound gives the assumptions | edit: gᵢ(wᵢ), the mini-batch
      gradient, for ∇Fᵢ(wᵢ) | token | forced by: Assumption 4, two lines above, prints E‖gᵢ(wᵢ)‖²; both assumptions that
      are merged bound gᵢ over the mini-batches, and from a line without gᵢ neither can follow
    Mutant: Assumption 3 from the true gradient, c = 1 | the noise of gᵢ does not show in ∇Fᵢ
    Rests on: RA-A3, RA-A4
    Verdict: ∇Fᵢ has to be the mini-batch gradient gᵢ; with it the merged line gives both assumptions. Assumption 4, two
      lines above, prints E‖gᵢ(wᵢ)‖², and both assumptions that are merged bound gᵢ over the mini-batches, so from a
      line without gᵢ neither can follow. With the true gradient, as printed, it follows from Assumption 4 by Jensen but
      gives neither assumption back: it says nothing of the noise of gᵢ. With gᵢ it gives both, since the variance is at
      most the second moment; it then is Assumption 4 itself, and the remark says that Assumption 3 is superfluous.""",
    says=le(variance, factor * _MERGED, again=lambda factor, slope2, room: slope2 * factor + room * factor),
    world=world(case("estimators slope ± noise", _ESTIMATORS, estimators, estimators_exact)),
    readings={
        "Assumption 4 gives the merged bound": le(slope2, G2),
        "∇Fᵢ stands for the mini-batch gradient": le(Max(variance, G2), G2),
    },
    mutants={"Assumption 3 from the true gradient, c = 1": le(variance, _MERGED)},
)


def without_noise(x: Instance) -> Mapping[str, Any]:
    """An estimator as above in the bound of Corollary 1, at curvature μ, smoothness L, τ local steps and skew ρ̄."""
    L = x["loose"] * x["mu"]
    return {**_moments(x), "L": L, "mu": x["mu"], "tau": x["local_steps"], "rho": x["skew"]}


def without_noise_exact(x: Mapping[str, Any]) -> Pair:
    """The same, moments from the estimator's two values."""
    met, found = _moments_exact(x)
    met = {**met, "0 < mu <= L": 0 < x["mu"] <= x["loose"] * x["mu"]}
    return met, {**found, "L": x["loose"] * x["mu"], "mu": x["mu"], "tau": x["local_steps"], "rho": x["skew"]}


_IN_THE_BOUND = Space(
    (
        LogScale("slope", 1e-3, 1e3, at=(1.0,)),
        LogScale("noise", 1e-3, 1e3, at=(1.0,)),
        LogScale("mu", 1e-2, 1e2, at=(1.0,)),
        LogScale("loose", 1.0, 1e2, at=(1.0,)),
        Integer("local_steps", 1, 100, at=(1,)),
        LogScale("skew", 1e-2, 1e2, at=(1.0,)),
    )
)


def _speed(second_moment: Any, noise: Any) -> Any:
    """What V(ρ̄, ρ̃) of (9) has of the estimator: the first of its three terms."""
    return 4 * L * (32 * tau**2 * second_moment + noise) / (3 * mu**2 * rho)


R4 = stated(
    r"""RA-R4 (remark; Remark 4, Sec. 2.4): Better bounds with an optimised gradient method
    Print: \text{«we could have used an optimized version of GD to gain better bounds as in Zhao et al. [2021]»}:\quad
      \frac{4L\,32\tau^2\|\nabla F_i\|^2}{3\mu^2\overline\rho}\le\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2\overline\rho}
    Plainly: Another local method in place of SGD would give better bounds.
    Assumes: bound (9) at equal L, μ, τ, start and skews ρ̄, ρ̃, of GD without noise | gᵢ unbiased, of variance σ², one of
      two samples
    Open (nowhere) better: at what price a bound is better, per round or per sampled gradient, is not said; nor are the
      method and its bound, for which GD without noise and (9) stand here
    Reading: at equal rounds | The first term of V. | option better = per round
    Reading: at equal sampled gradients | A client of two samples, T → ∞: half as many steps double the first term. |
      option better = per sampled gradient
    Mutant: a method without noise has the same bound | σ² and part of G² are then missing
    Mutant: G² is all that changes | σ² stands in the bound by itself, too, with its own factor
    Rests on: RA-C1
    Verdict: At equal rounds it holds, at equal numbers of sampled gradients it need not; which of the two makes a bound
      better is not said. The bound (9) has the gradient estimator in one of its terms, 4L(32τ²G² + σ²)/(3μ²ρ̄), and for
      an exact gradient σ² is 0 and G² falls by the variance. An exact gradient costs as many sampled ones as the client
      has samples, so that at equal cost the rounds are fewer and little noise is the cheaper. The error term does not
      change. The method that the remark has in mind, and its bound, are in Zhao et al. and not here.""",
    says=le(_speed(slope2, 0), _speed(G2, variance)),
    world=world(case("estimators slope ± noise in the bound (9)", _IN_THE_BOUND, without_noise, without_noise_exact)),
    readings={"at equal sampled gradients": le(2 * _speed(slope2, 0), _speed(G2, variance))},
    mutants={
        "a method without noise has the same bound": le(_speed(G2, variance), _speed(slope2, 0)),
        "G² is all that changes": le(_speed(G2, variance), _speed(slope2 + variance, 0)),
    },
)


def floors(x: Instance) -> Mapping[str, Any]:
    """Least excess loss over the clients, Fᵢ* = F(wᵢ*) as printed, Fᵢ(w*) or Fᵢ(wᵢ*)."""
    p, h, m, w = x["share"], x["curvature"], x["optimum"], x["model"]
    best, loss = ((p * h * m).sum(axis=1) / (p * h).sum(axis=1))[:, None], 0.5 * h * (w[:, None] - m) ** 2
    total = (p[:, None] * 0.5 * h[:, None] * (m[..., None] - m[:, None]) ** 2).sum(axis=-1)
    each = {"excess_printed": loss - total, "excess_at_best": loss - 0.5 * h * (best - m) ** 2, "excess_own": loss}
    found = {name: v.min(axis=1) for name, v in each.items()}
    return {**found, "sizes": {name: np.abs(v).max(axis=1) for name, v in each.items()}}


def floors_exact(x: Mapping[str, Any]) -> Pair:
    """min_i (F_i(w) - F_i*), F_i* = F(w_i*), F_i(w*) or F_i(w_i*) = 0."""
    p, w, terms = x["share"], x["model"], list(zip(x["share"], x["curvature"], x["optimum"], strict=True))
    best = sum(q * k * c for q, k, c in terms) / sum(q * k for q, k, _ in terms)
    printed = [sum(q * k * (at - c) ** 2 / 2 for q, k, c in terms) for at in x["optimum"]]
    loss, at_best = [k * (w - c) ** 2 / 2 for _, k, c in terms], [k * (best - c) ** 2 / 2 for _, k, c in terms]
    found = {"excess_printed": min(u - f for u, f in zip(loss, printed, strict=True)), "excess_own": min(loss)}
    found["excess_at_best"] = min(u - f for u, f in zip(loss, at_best, strict=True))
    return {"shares on the simplex": sum(p) == 1}, found


def _on_a_line(n: int) -> tuple[Coordinate, ...]:
    curved = LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,))
    return (Simplex("share", n, interior=True), curved, Signed("optimum", 1e-2, 1e2, (n,)), Signed("model", 1e-2, 1e2))


D3 = stated(
    r"""RA-D3 (definition; Sec. 2.3, before (3)): Optimal values of the clients
    Print: F^\star:=F(w^\star),\qquad\text{«}F_i^\star\text{ as }F(w_i^\star)\text{»};\qquad\text{used in A.2: }F_i(w)-F
      _i^\star\ge0
    Plainly: Fᵢ* is the value at the optimum of client i, below which its loss does not fall.
    Assumes: Fᵢ μ-strongly convex and L-smooth, wᵢ* its minimiser
    Reading: as printed, Fᵢ* = F(wᵢ*) | The average loss at the client's own minimiser.
    Reading: Fᵢ* = Fᵢ(wᵢ*) | An index lost in print or in transcription. | edit: Fᵢ(wᵢ*) in place of F(wᵢ*) | token |
      forced by: the same sentence, «wᵢ* the global optimum of Fᵢ»; and A.2, bounds for A₁ and A₃, which apply Lemma 1
      to Fᵢ: ‖∇Fᵢ(wₜⁱ)‖² <= 2L(Fᵢ(wₜⁱ) − Fᵢ*), «from the fact that ∇Fᵢ(wᵢ*) = 0» | carries: yes
    Mutant: Fᵢ* = Fᵢ(w*), the client's loss at the global optimum | at w = wᵢ* the excess of client i is then Fᵢ(wᵢ*) −
      Fᵢ(w*) < 0 for unlike clients
    Verdict: An index is missing: F(wᵢ*) has to be Fᵢ(wᵢ*), and then no client has a negative excess. The same sentence
      forces it, «wᵢ* the global optimum of Fᵢ», and so does A.2, which applies Lemma 1 to Fᵢ «from the fact that
      ∇Fᵢ(wᵢ*) = 0». With F(wᵢ*) the excess of a client is negative at its own minimiser, and Γ = F* − ΣpᵢF(wᵢ*) is
      never positive. The index may have been lost in the copy used here; a typeset copy would tell. All other checks
      take Fᵢ(wᵢ*).""",
    says=le(-excess_printed, 0),
    world=_line("clients on a line", _on_a_line, floors, floors_exact, 100),
    readings={"Fᵢ* = Fᵢ(wᵢ*)": le(-excess_own, 0)},
    mutants={"Fᵢ* = Fᵢ(w*), the client's loss at the global optimum": le(-excess_at_best, 0)},
)


def data(x: Instance) -> Mapping[str, Any]:
    """Γ of equal clients, of clients with four flips of one fair coin, of any samples; the range of losses where Γ = 0."""
    p, h, w, coins = x["share"], x["curvature"], x["model"], np.where(x["sample"] >= 0, 1.0, -1.0)

    def gamma(m: Any, h: Any) -> Any:
        best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
        return (p * 0.5 * h * (best[:, None] - m) ** 2).sum(axis=1)

    found = {
        "Gamma_same": gamma(0 * p + w[:, None], h[:, :1] + 0 * p),
        "Gamma_coins": gamma(coins.mean(axis=2), 0 * p + 1),
    }
    found |= {
        "Gamma": gamma(x["sample"].mean(axis=2), 0 * p + 1),
        "losses_apart": np.ptp(0.5 * h * w[:, None] ** 2, axis=1),
    }
    return {**found, "sizes": {"Gamma_same": h[:, 0] * w**2, "Gamma_coins": np.ones(len(p)), "Gamma": np.ones(len(p))}}


def data_exact(x: Mapping[str, Any]) -> Pair:
    """Gamma from the losses of the samples; w^2 h_i/2 have one minimiser, so Gamma = 0 there."""
    p, w, h, one = x["share"], x["model"], x["curvature"], Fraction(1)
    coins = [[Fraction(1 if v >= 0 else -1) for v in row] for row in x["sample"]]

    def gamma(samples: Any, k: Any) -> Any:
        best = sum(q * sum(row) / len(row) for q, row in zip(p, samples, strict=True))
        means = [(q, row, sum(row) / len(row)) for q, row in zip(p, samples, strict=True)]
        return sum(q * k * sum((best - v) ** 2 - (at - v) ** 2 for v in row) / (2 * len(row)) for q, row, at in means)

    losses = [k * w**2 / 2 for k in h]
    found = {
        "Gamma_same": gamma([[w] for q in p], h[0]),
        "Gamma_coins": gamma(coins, one),
        "Gamma": gamma(x["sample"], one),
    }
    return {"shares on the simplex": sum(p) == 1}, {**found, "losses_apart": max(losses) - min(losses)}


def _samples_of(n: int) -> tuple[Coordinate, ...]:
    curved = LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,))
    sample = Uniform("sample", -1.0, 1.0, (n, 4), at=(-1.0, 1.0))
    return (Simplex("share", n, interior=True), curved, Signed("model", 1e-2, 1e2), sample)


Q2 = stated(
    r"""RA-Q2 (remark; Sec. 2.5.1): Γ = 0 and IID data
    Print: \Gamma=0\quad\text{«corresponds to an IID-dataset»}
    Plainly: IID data make Γ zero.
    Assumes: Γ as in (3) with Fᵢ* = Fᵢ(wᵢ*)
    Open (nowhere) loss: «the loss function of the i-th client»: of the law of its data or of its finite data set;
      «IID-dataset» is only in Sec. 4.1 «an identical label distribution over the clients»
    Reading: equal losses give Γ = 0 | The infinite-sample sense of IID. | option loss = of the law
    Reading: finite samples of one law give Γ = 0 | Four samples a client of a fair ±1 coin, squared loss. | option loss
      = of the finite data set
    Reading: Γ = 0 gives equal losses | Clients with one minimiser: the converse, which is ours. | ours: makes an
      equivalence of «corresponds to»; the paper uses only that IID data have Γ = 0
    Mutant: any clients of one curvature have Γ = 0 | unlike means give Γ > 0
    Rests on: RA-D4
    Verdict: It holds if Fᵢ is the loss over the law of the client's data, and fails if it is the loss over its finite
      data set; which of the two is not said. Section 2.1 has «the loss function of the i-th client», which fits both,
      and what IID means stands in Section 4.1 only, «an identical label distribution over the clients». One law gives
      equal loss functions and Γ = 0; finite data sets drawn from it have different minimisers and Γ > 0, of the order
      of the variance over the number of samples. The converse is ours, not the paper's, and false: Γ = 0 holds whenever
      the clients share a minimiser, as in over-parametrised training, however different their losses are otherwise.""",
    says=le(Gamma_same, 0),
    world=_line("clients on a line", _samples_of, data, data_exact, 50),
    readings={
        "finite samples of one law give Γ = 0": le(Gamma_coins, 0),
        "Γ = 0 gives equal losses": le(losses_apart, 0),
    },
    mutants={"any clients of one curvature have Γ = 0": le(Gamma, 0)},
)

CLAIMS: tuple[Claim, ...] = (ALG1, D1, D2, A0, A1, A2, A3, A4, R1, R4, D3, Q2)
