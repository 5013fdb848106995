"""FA-E1, FA-E3 and FA-ALG1: the signs of eq. (1), the moving average (3), and where Algorithm 1 starts it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, flagged, hulls, nearest, never, shortest, squares
from theory.exact import dot
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Size,
    Space,
    Uniform,
    rotated_space,
    symbols,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _local(x: Instance) -> Mapping[str, Any]:
    """‖±(x^K − x⁰) − η_lΣ∇F‖², + for eq. (1) and − for line 8 of Algorithm 1; `late`: gradients after each step."""
    h, m, at = x["curvature"], x["optimum"], x["start"]
    eta = x["step"][:, None] / np.abs(h).max(axis=1)[:, None]
    total, here, way = np.zeros_like(at), at, np.abs(at) + np.abs(m)
    for k in range(int(x["local_steps"][0])):
        noise = x["noise"] * (-1.0) ** k
        slope = h * (here - m) + noise
        here = here - eta * slope
        total = total + (h * (here - m) + noise if "late" in x else slope)
        way = way + np.abs(eta * slope)
    sign = x["sign"][:, None]
    return {"lhs": squares(sign * (here - at) - eta * total), "magnitude": squares(way)}


def local_exact(x: Mapping[str, Any]) -> Checked:
    """K steps x <- x - eta_l grad F(x) on one quadratic client; the noise changes sign from step to step."""
    h, m, at = x["curvature"], x["optimum"], x["start"]
    eta = x["step"] / max(abs(c) for c in h)
    here, total = list(at), [Fraction(0) for _ in at]
    for k in range(int(x["local_steps"])):
        noise = [c * (-1) ** k for c in x["noise"]]
        slope = [a * (b - c) + e for a, b, c, e in zip(h, here, m, noise, strict=True)]
        here = [b - eta * s for b, s in zip(here, slope, strict=True)]
        if "late" in x:
            slope = [a * (b - c) + e for a, b, c, e in zip(h, here, m, noise, strict=True)]
        total = [a + b for a, b in zip(total, slope, strict=True)]
    missed = [x["sign"] * (b - a) - eta * s for a, b, s in zip(at, here, total, strict=True)]
    return {"eta_l > 0": eta > 0}, {"lhs": dot(missed, missed)}


def _locals(sign: float, *flags: str) -> Family:
    def at(d: float, K: float) -> Case:
        dim = int(d)
        space = Space(
            (
                Signed("curvature", 1e-2, 1e2, (dim,)),
                Signed("optimum", 1e-2, 1e2, (dim,)),
                Signed("start", 1e-2, 1e2, (dim,)),
                Signed("noise", 1e-2, 1e2, (dim,)),
                LogScale("step", 1e-3, 1.0),
                Choice("local_steps", (float(K),)),
                Choice("sign", (sign,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        name = f"a quadratic client, d = {dim}, K = {int(K)}"
        return Case(name, space, _local, ExactCheck(local_exact, (dot,)), cost=max(1.0, K / 25))

    return Family("local runs", (Size("d", 1, 8, 2), Size("K", 1, 100, 2)), at)


E1 = Claim(
    id="FA-E1",
    kind=Kind.PROPERTY,
    source="Eq. (1), §2; Algorithm 1, line 8",
    title="Sign of the local update",
    statement=(
        r"g_i^t=x_i^{t,K}-x_i^{t,0}=\eta_l\sum_{k=0}^{K-1}\nabla F_i(x_i^{t,k}),\qquad "
        r"x^{t+1}=x^t-\eta_g\sum_i\lambda_ig_i^t=x^t-\eta_gG^t"
    ),
    says="The uploaded difference of models is the step size times the sum of the local stochastic gradients.",
    assumes=("local steps x ← x − η_l∇F_i(x), as in line 6 of Algorithm 1", "any noise in the gradients"),
    readings=(
        Reading("eq. (1)", "g = x^K − x⁰, as in eq. (1).", Property((_locals(1.0),), degrees=(0, 2))),
        Reading("Algorithm 1", "g = x⁰ − x^K, as in line 8.", Property((_locals(-1.0),), degrees=(0, 2))),
    ),
    canaries=(
        Canary(
            "gradients at k = 1, …, K",
            Property((_locals(-1.0, "late"),), degrees=(0, 2)),
            "the first step uses the gradient at x⁰, which differs from that at x¹ unless the step or the curvature is 0",
        ),
    ),
    tight="always equal with the sign of line 8",
    verdict_words=(
        "A sign is misprinted in eq. (1): x^{t,K} − x^{t,0} should be x^{t,0} − x^{t,K}, as in line 8 of Algorithm "
        "1. Line 6 forces it: local descent gives x^{t,K} − x^{t,0} = −η_lΣ∇F, so the second equality of (1) fails "
        "whenever a client moves, and a server that subtracts that g would climb. A.2 repeats the display with the "
        "same sign. With the sign of line 8 everything fits, and all later formulas use it. A slip of the pen, but "
        "one to know before implementing eq. (1)."
    ),
)


def _remembered(x: Instance) -> Mapping[str, Any]:
    """‖m^T − unrolled‖², or with `bounded` ‖m^T‖² against the largest ‖m⁰‖², ‖gᵗ‖² seen.

    `fading`: absent clients forget as well; `swapped`: α on the old average.
    """
    g, here, a = x["g"], x["here"] > 0.5, x["alpha"][:, None]
    keep, new = (a, 1 - a) if "swapped" in x else (1 - a, a)
    m = x["m"][:, 0]
    for t in range(g.shape[1]):
        moved = keep * m + new * g[:, t]
        m = np.where(here[:, t : t + 1], moved, keep * m if "fading" in x else m)
    later: Any = np.cumsum(here[:, ::-1], axis=1)[:, ::-1] - here
    weights = np.where(here, a * (1 - a) ** later, 0.0)
    unrolled = (1 - a) ** here.sum(axis=1)[:, None] * x["m"][:, 0] + (weights[..., None] * g).sum(axis=1)
    largest = np.maximum(squares(x["m"][:, 0]), np.where(here, squares(g), 0.0).max(axis=1))
    if "bounded" in x:
        return {"lhs": squares(m), "largest": largest, "magnitude": largest}
    return {"lhs": squares(m - unrolled), "magnitude": np.maximum(largest, squares(g).max(axis=1))}


def remembered_exact(x: Mapping[str, Any]) -> Checked:
    """Eq. (3) round by round, against the weights alpha (1 - alpha)^(later rounds with the client) on its updates."""
    g, here, a, start = x["g"], [v > Fraction(1, 2) for v in x["here"]], x["alpha"], x["m"][0]
    keep, new = (a, 1 - a) if "swapped" in x else (1 - a, a)
    m = list(start)
    for t in range(len(g)):
        if here[t]:
            m = [keep * b + new * c for b, c in zip(m, g[t], strict=True)]
        elif "fading" in x:
            m = [keep * b for b in m]
    unrolled = [(1 - a) ** sum(here) * b for b in start]
    for t in range(len(g)):
        if here[t]:
            weight = a * (1 - a) ** sum(here[t + 1 :])
            unrolled = [b + weight * c for b, c in zip(unrolled, g[t], strict=True)]
    largest = max([dot(start, start), *(dot(v, v) for v, p in zip(g, here, strict=True) if p)])
    met = {"0 <= alpha <= 1": 0 <= a <= 1}
    if "bounded" in x:
        return met, {"lhs": dot(m, m), "largest": largest}
    return met, {"lhs": sum((b - c) ** 2 for b, c in zip(m, unrolled, strict=True))}


def _memories(*flags: str) -> Family:
    def at(T: float, d: float) -> Case:
        rounds, dim = int(T), int(d)
        space = Space(
            (
                Signed("g", 1e-2, 1e2, (rounds, dim)),
                Signed("m", 1e-2, 1e2, (1, dim)),
                Uniform("here", 0.0, 1.0, (rounds,)),
                Uniform("alpha", 0.0, 1.0, at=(0.0, 0.5, 1.0)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (units({"g": (0, 1), "m": (0, 1)}), rotated_space(("g", "m")))
        check = ExactCheck(remembered_exact, (dot,))
        return Case(f"{rounds} rounds, d = {dim}", space, _remembered, check, cost=max(1.0, T / 40), symmetries=same)

    return Family("a client's memory", (Size("T", 1, 150, 4), Size("d", 1, 8, 2)), at)


largest = symbols("largest")
_BOUNDED = Bound(largest, lambda largest: largest * 1, {"largest": (0, 2)})
E3 = Claim(
    id="FA-E3",
    kind=Kind.PROPERTY,
    source="Eq. (3), §3",
    title="Moving average of the updates",
    statement=(
        r"m_i^t=\begin{cases}(1-\alpha)m_i^{t-1}+\alpha g_i^t,&i\in S^t\\m_i^{t-1},&i\notin S^t\end{cases}"
        r"\;=\;(1-\alpha)^{n}m_i^0+\sum_{s\le t,\,i\in S^s}\alpha(1-\alpha)^{n_s}g_i^s"
    ),
    says="The memory of a client is a weighted mean of its start and of the updates it sent, the latest counting most.",
    assumes=(
        "0 <= α <= 1, whose range is not printed",
        "any participation",
        "n, n_s count the client's rounds, those after s",
    ),
    readings=(
        Reading("unrolled", "The recursion against its closed form.", Property((_memories(),), degrees=(0, 2))),
        Reading(
            "never longer than what it was made of",
            "‖mᵗ‖² is at most the largest of ‖m⁰‖² and the ‖gˢ‖² sent.",
            Inequality(_BOUNDED, (_memories("bounded"),), degrees=(0, 2)),
        ),
    ),
    canaries=(
        Canary(
            "absent clients fade as well",
            Property((_memories("fading"),), degrees=(0, 2)),
            "one round away takes α of m⁰, which the closed form keeps",
        ),
        Canary(
            "α on the old average",
            Property((_memories("swapped"),), degrees=(0, 2)),
            "for α = 1 it never learns anything",
        ),
    ),
    tight="all updates equal for the second",
    verdict_words=(
        "Eq. (3) is an exponential moving average over the rounds in which a client takes part, with weights that sum to 1. "
        "It holds for every α in [0, 1]; α = 1 keeps the last update only. An absent client's memory does not fade, however "
        "old it is."
    ),
)


def _first(x: Instance) -> Mapping[str, Any]:
    """‖d‖² with all clients' updates where the first direction of Algorithm 1 is 0, else 0."""
    g, start = x["m"], int(x["initial"][0])
    here = (x["here"] > 0.5) | (np.arange(g.shape[1]) == 0)
    missed = np.zeros(len(g))
    everyone = squares(nearest(g)[1])
    if start == 1:
        m = np.where(here[..., None], x["alpha"][:, None, None] * g, 0.0)
        first = squares(nearest(m)[1])
    elif start == 2:
        # A copy of a client's update never changes the hull: absent clients stand in for the first one present.
        first = squares(nearest(np.where(here[..., None], g, g[:, :1]))[1])
    else:
        first = everyone
    if "all" in x:
        first = np.zeros(len(g))
    return {"lhs": np.where(first == 0, everyone, missed), "magnitude": squares(g).max(axis=1)}


def first_exact(x: Mapping[str, Any]) -> Checked:
    """Round 1: m^0 = g (initial 0), m^0 = 0 (initial 1), or only clients seen so far (initial 2); client 1 is present."""
    g, a, start = x["m"], x["alpha"], int(x["initial"])
    here = [i == 0 or p > Fraction(1, 2) for i, p in enumerate(x["here"])]
    seen = [v for v, p in zip(g, here, strict=True) if p]
    m = g if start == 0 else seen
    if start == 1:
        m = [[a * c if p else Fraction(0) for c in v] for v, p in zip(g, here, strict=True)]
    everyone, first = shortest(g)[1], shortest(m)[1]
    stands = dot(first, first) == 0 or "all" in x
    met = {"0 < alpha <= 1": 0 < a <= 1, "somebody takes part": any(here)}
    return met, {"lhs": dot(everyone, everyone) if stands else Fraction(0)}


def _rounds(start: float, *, broken: bool = False) -> tuple[Family, ...]:
    def extra(n: int, _d: int) -> tuple[Coordinate, ...]:
        return (
            Uniform("here", 0.0, 1.0, (n,)),
            Uniform("alpha", 0.05, 1.0, at=(0.5, 1.0)),
            Choice("initial", (start,)),
        )

    return hulls(_first, first_exact, flagged("all", extra) if broken else extra, clients=("here",), symmetric=False)


ALG1 = Claim(
    id="FA-ALG1",
    kind=Kind.PROPERTY,
    source="Algorithm 1, §3, with «‖dᵗ‖ > 0 for all t»",
    title="FedAWARE moves in its first round",
    statement=(
        r"m^0\text{ given},\ S^1\ne\emptyset,\ 0\notin\mathrm{conv}\{g_i^1\}_{i\in[N]}\ \Rightarrow\ "
        r"d^1=\sum_i\lambda_i^1m_i^1\ne0"
    ),
    says="Where the clients' updates leave room for a common descent, Algorithm 1 takes a step.",
    assumes=(
        "m⁰ is an input whose value Algorithm 1 does not give",
        "any first cohort, 0 < α <= 1",
        "eq. (2) over all N clients",
    ),
    readings=(
        Reading("m⁰ = first updates of all", "As A.4 assumes: 𝔼‖m⁰ − g⁰‖² = 0.", never(_rounds(0.0))),
        Reading("m⁰ = 0", "The usual start of a momentum.", never(_rounds(1.0))),
        Reading("only clients seen so far", "Eq. (2) over those with a memory.", never(_rounds(2.0))),
    ),
    canaries=(
        Canary(
            "no step at all",
            never(_rounds(0.0, broken=True)),
            "an algorithm that stands still has d = 0 whatever the updates",
        ),
    ),
    tight=None,
    depends_on=("FA-E2", "FA-E3", "FA-MN4"),
    verdict_words=(
        "It hangs on m⁰. Started at 0, every client not yet seen keeps 0 in the hull, the shortest point is 0, and the "
        "model does not move until each of the N clients has taken part once (with 10 of 100 clients a round, some fifty "
        "rounds on average). Started from everyone's first update, which costs one round of full participation and is what "
        "the appendix assumes, or with eq. (2) restricted to clients seen, it moves at once."
    ),
)

CLAIMS: tuple[Claim, ...] = (E1, E3, ALG1)
