"""RA-A0–A4: what the framework supposes, and on which points it can hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import among, one, stated
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    Family,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

L, mu, G2, sigma2, A2, apart2, gap = symbols("L mu G2 sigma2 A2 apart2 gap")
Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]
_N = 4  # samples of a client in the mini-batch cases


def _held(bound: Any, again: Callable[..., Any] | None, *cases: Case | Family) -> Inequality:
    return Inequality(Bound(bound, again=again), cases)


def _slopes(x: Instance, w: Any) -> Any:
    return x["curvature"] * (w[:, None] - x["sample"])


def _batches(x: Instance) -> Mapping[str, Any]:
    size, fresh = int(x["batch"][0]), x["fresh"][0] > 0
    found, scale = (
        np.zeros(len(x["model"])),
        (x["curvature"] * (np.abs(x["sample"]) + np.abs(x["model"][:, None]))).max(axis=1),
    )
    firsts = list(combinations(range(_N), size))
    if fresh:
        times = size if x["fresh"][0] > 1 else 1
        means = [times * _slopes(x, x["model"])[:, list(b)].mean(axis=1) for b in firsts]
        return {"lhs": np.abs(np.mean(means, axis=0) - _slopes(x, x["model"]).mean(axis=1)), "magnitude": scale}
    for first in firsts:  # the second step of an epoch, given the first batch
        rest = [i for i in range(_N) if i not in first]
        w = x["model"] - x["step"] * _slopes(x, x["model"])[:, list(first)].mean(axis=1)
        slopes = _slopes(x, w)
        found = np.maximum(found, np.abs(slopes[:, rest].mean(axis=1) - slopes.mean(axis=1)))
    return {"lhs": found, "magnitude": scale}


def batches_exact(x: Mapping[str, Any]) -> Exact:
    """Largest |E[g(w) | the past] - grad F(w)| over what has been drawn; losses h (w - c)^2/2."""
    h, c, size = x["curvature"], x["sample"], int(x["batch"])
    every = range(len(h))

    def mean(chosen: Any, w: Any) -> Any:
        return sum(h[i] * (w - c[i]) for i in chosen) / len(chosen)

    drawn = [b for b in range(2 ** len(h)) if b.bit_count() == size]
    sets = [[i for i in every if b >> i & 1] for b in drawn]
    w = x["model"]
    if x["fresh"] > 0:
        times = size if x["fresh"] > 1 else 1
        average = sum(times * mean(b, w) for b in sets) / len(sets)
        return {"eta > 0": x["step"] > 0}, {"lhs": abs(average - mean(every, w))}
    off = []
    for first in sets:
        then = w - x["step"] * mean(first, w)
        off.append(abs(mean([i for i in every if i not in first], then) - mean(every, then)))
    return {"eta > 0": x["step"] > 0}, {"lhs": max(off)}


def _drawn(size: int, *, fresh: int) -> Case:
    coordinates = (
        LogScale("curvature", 1e-2, 1e2, (_N,), at=(1.0,)),
        Signed("sample", 1e-2, 1e2, (_N,)),
        Signed("model", 1e-2, 1e2),
        LogScale("step", 1e-4, 1.0),
        Choice("batch", (float(size),)),
        Choice("fresh", (float(fresh),)),
    )
    return one(f"batches of {size} of {_N} samples", coordinates, _batches, batches_exact)


_A0 = Claim(
    id="RA-A0",
    kind=Kind.PROPERTY,
    source="Sec. 2.1; A.2, bound for A₂",
    title="Framework: unbiased mini-batch gradients",
    statement=r"g_i(w_t^i)=\tfrac1b\sum_{\zeta\in\zeta_t^i}\nabla F_i(w_t^i,\zeta),\qquad\mathbb E[g_i(w)]=\nabla F_i(w)",
    says="Given the past, the mean of a mini-batch gradient is the gradient of the client's loss.",
    assumes=("Fᵢ is the mean loss of the client's samples", "E local steps, or epochs, with batches of b samples"),
    readings=(
        stated(
            "batches drawn afresh at every step",
            "All b-subsets equally likely, whatever was drawn before.",
            *(_drawn(b, fresh=1) for b in (1, 2, 3)),
        ),
        stated(
            "local epochs: batches of the samples not yet used",
            "The second batch of an epoch, given the first.",
            *(_drawn(b, fresh=0) for b in (1, 2, 3)),
        ),
    ),
    canaries=(
        Canary(
            "the factor 1/b dropped", Property((_drawn(2, fresh=2),)), "for b = 2 the mean is then twice the gradient"
        ),
    ),
    verdict_words=(
        "Unbiasedness is used once, for E A₂ = 0, and stands in no numbered assumption. It is true of batches drawn afresh. E is called "
        "«number of local epochs», and within an epoch the usual passes without replacement are biased given the past, so for them "
        "the proof's step fails; the paper does not say how batches are drawn."
    ),
)


def _bent(x: Instance) -> Any:
    return np.abs(x["spectrum"]) if x["convex"][0] > 0 else x["spectrum"]


def _smooth(x: Instance) -> Mapping[str, Any]:
    s, move = _bent(x), x["v"] - x["w"]
    return {"lhs": ((s * move) ** 2).sum(axis=1), "L": np.maximum(s.max(axis=1), 0.0), "apart2": (move**2).sum(axis=1)}


def smooth_exact(x: Mapping[str, Any]) -> Exact:
    """|grad F(v) - grad F(w)|^2 of a quadratic; L the least constant for which Assumption 1 holds as printed."""
    s = [abs(v) for v in x["spectrum"]] if x["convex"] > 0 else x["spectrum"]
    move = [a - b for a, b in zip(x["v"], x["w"], strict=True)]
    L = max(*s, Fraction(0))
    squares = [m**2 for m in move]
    above = [(L - h) * q for h, q in zip(s, squares, strict=True)]
    met = {
        "Assumption 1 along every eigenvector": min(above) >= 0,
        "Assumption 2 where asked": x["convex"] == 0 or min(s) > 0,
    }
    return met, {"lhs": sum(h**2 * q for h, q in zip(s, squares, strict=True)), "L": L, "apart2": sum(squares)}


def _quadratics(*, convex: bool) -> Family:
    def coordinates(_n: int, d: int) -> tuple[Any, ...]:
        return (
            Signed("spectrum", 1e-2, 1e2, (d,)),
            Signed("v", 1e-2, 1e2, (d,)),
            Signed("w", 1e-2, 1e2, (d,)),
            Choice("convex", (float(convex),)),
        )

    return among("quadratics", coordinates, _smooth, smooth_exact, clients=(1, 1, 1), dims=(1, 2, 8))


_LIPSCHITZ = L**2 * apart2
_A1 = Claim(
    id="RA-A1",
    kind=Kind.INEQUALITY,
    source="Assumption 1, Sec. 2.2",
    title="L-smoothness",
    statement=r"\forall v,w,\ F_i(v)\le F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac L2\|v-w\|_2^2\quad\Rightarrow\quad"
    r"\|\nabla F_i(v)-\nabla F_i(w)\|\le L\|v-w\|",
    says="The printed one-sided bound, with Assumption 2, is L-smoothness in the usual sense.",
    assumes=("Assumption 1 as printed, one-sided", "Assumption 2"),
    readings=(
        Reading(
            "with Assumption 2",
            "Quadratics in any dimension, L the least constant allowed.",
            _held(_LIPSCHITZ, lambda L, apart2: apart2 * L * L, _quadratics(convex=True)),
        ),
    ),
    canaries=(
        Canary(
            "Assumption 2 dropped",
            _held(_LIPSCHITZ, None, _quadratics(convex=False)),
            "F(w) = −w²/2 meets the printed line with L = 0",
        ),
    ),
    tight="v − w an eigenvector of the largest curvature",
    depends_on=("RA-A2",),
    verdict_words=(
        "Only the upper half of smoothness is printed. For convex functions, which Assumption 2 supplies, it is all that is needed; "
        "without it concave functions would pass. The pair is consistent exactly for μ <= L."
    ),
)


def _strong(x: Instance) -> Mapping[str, Any]:
    s, away = np.abs(x["spectrum"]) + 1e-2, x["v"]
    return {"lhs": s.min(axis=1) / 2 * (away**2).sum(axis=1), "gap": (s * away**2).sum(axis=1) / 2}


def strong_exact(x: Mapping[str, Any]) -> Exact:
    """mu/2 |w - w*|^2 and F(w) - F* of a quadratic, mu its least curvature."""
    s = [abs(v) + Fraction(1, 100) for v in x["spectrum"]]
    return {"mu > 0": min(s) > 0}, {
        "lhs": min(s) * sum(v**2 for v in x["v"]) / 2,
        "gap": sum(h * v**2 for h, v in zip(s, x["v"], strict=True)) / 2,
    }


def _bowls() -> Family:
    def coordinates(_n: int, d: int) -> tuple[Any, ...]:
        return (Signed("spectrum", 1e-2, 1e2, (d,)), Signed("v", 1e-2, 1e2, (d,)))

    return among(
        "quadratics around their minimiser", coordinates, _strong, strong_exact, clients=(1, 1, 1), dims=(1, 2, 8)
    )


_A2 = Claim(
    id="RA-A2",
    kind=Kind.INEQUALITY,
    source="Assumption 2, Sec. 2.2",
    title="μ-convexity",
    statement=r"\forall v,w,\ F_i(v)\ge F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac\mu2\|v-w\|_2^2\quad\Rightarrow\quad"
    r"\tfrac\mu2\|w-w_i^\star\|^2\le F_i(w)-F_i^\star",
    says="A μ-convex loss has one minimiser, and the excess grows at least as μ/2 times the squared distance from it.",
    assumes=("Assumption 2, μ > 0",),
    readings=(Reading("at the minimiser", "v = w, w = wᵢ* in the print.", _held(gap, lambda gap: 0 + gap, _bowls())),),
    canaries=(Canary("μ in place of μ/2", _held(gap / 2, None, _bowls()), "in one dimension the two sides are equal"),),
    tight="w − wᵢ* an eigenvector of the least curvature",
    verdict_words="What the definitions of w*, wᵢ* and Γ need: unique minimisers, which the paper does not claim separately.",
)


def _noisy(x: Instance) -> Mapping[str, Any]:
    """Two samples, batch of one; `what` 0 A3, 1 A4.

    `where` 0: a model chosen after the bound, 1: in a ball, 2: the same with the samples' offsets left out of the bound.
    """
    h, c, what, where = x["curvature"], x["sample"], x["what"], x["where"]
    bound = x["bound"]
    differ, offset = np.abs(h[:, 0] - h[:, 1]), np.abs(h[:, 0] * c[:, 0] - h[:, 1] * c[:, 1])
    lone, pull = h.min(axis=1), (h * np.abs(c)).max(axis=1)
    away = np.where(what == 0, (2 * bound + offset) / np.where(differ > 0, differ, np.nan), (bound + pull) / lone)
    w = np.where(where > 0, x["inside"] * bound, x["reach"] * away)
    slopes = h * (w[:, None] - c)
    value = np.where(what == 0, (slopes[:, 0] - slopes[:, 1]) ** 2 / 4, (slopes**2).mean(axis=1))
    within = np.where(what == 0, (differ * bound + offset) ** 2 / 4, (h.max(axis=1) * bound + pull) ** 2)
    within = np.where(where == 2, np.where(what == 0, differ**2 / 4, h.max(axis=1) ** 2) * bound**2, within)
    size = h.max(axis=1) ** 2 * (np.abs(w) + np.abs(c).max(axis=1)) ** 2
    return {"lhs": value - np.where(where > 0, within, bound**2), "magnitude": size}


def noisy_exact(x: Mapping[str, Any]) -> Exact:
    """Variance, or second moment, of a gradient of one sample of two, minus its supposed bound."""
    (h, k), (c, e), R = x["curvature"], x["sample"], x["bound"]
    offset, pull = abs(h * c - k * e), max(h * abs(c), k * abs(e))
    if x["where"] > 0:
        w = x["inside"] * R
    elif x["what"] == 0:
        w = x["reach"] * (2 * R + offset) / abs(h - k)
    else:
        w = x["reach"] * (R + pull) / min(h, k)
    first, second = h * (w - c), k * (w - e)
    mean = (first + second) / 2
    if x["what"] == 0:
        offset = offset if x["where"] == 1 else Fraction(0)
        value, within = ((first - mean) ** 2 + (second - mean) ** 2) / 2, (abs(h - k) * R + offset) ** 2 / 4
    else:
        pull = pull if x["where"] == 1 else Fraction(0)
        value, within = (first**2 + second**2) / 2, (max(h, k) * R + pull) ** 2
    met = {
        "strong convexity and smoothness": min(h, k) > 0,
        "bound positive": R > 0,
        "inside the ball": abs(x["inside"]) <= 1,
    }
    return met, {"lhs": value - (within if x["where"] > 0 else R**2)}


def _moment(what: int, where: int) -> Case:
    coordinates = (
        LogScale("curvature", 1e-2, 1e2, (2,), at=(1.0,)),
        Signed("sample", 1e-2, 1e2, (2,)),
        LogScale("bound", 1e-3, 1e6),
        LogScale("reach", 1e-3, 1e3, at=(1.0,)),
        Uniform("inside", -1.0, 1.0, at=(-1.0, 0.0, 1.0)),
        Choice("what", (float(what),)),
        Choice("where", (float(where),)),
    )
    return one("one sample of two", coordinates, _noisy, noisy_exact)


def _points(suffix: str, title: str, statement: str, says: str, what: int, words: str) -> Claim:
    return Claim(
        id=f"RA-{suffix}",
        kind=Kind.PROPERTY,
        source=f"Assumption {suffix[1:]}, Sec. 2.2",
        title=title,
        statement=statement,
        says=says,
        assumes=("Assumptions 1 and 2", "gᵢ a mini-batch gradient, samples of different curvature"),
        readings=(
            stated(
                "at every point of ℝᵈ",
                "The bound is named first, then the point: stronger than the print, which has wᵢ and no «for all w».",
                _moment(what, 0),
            ),
            stated(
                "at the points of a ball",
                "The ball, which holds all models of a run from a given start, is named first, then the bound.",
                _moment(what, 1),
            ),
        ),
        canaries=(
            Canary(
                "a ball around 0, the samples' offsets left out",
                Property((_moment(what, 2),)),
                "at w = 0 samples far from 0 have large gradients, far apart, and the bound counts nothing but the radius",
            ),
        ),
        depends_on=("RA-A1", "RA-A2"),
        verdict_words=words,
    )


_A3 = _points(
    "A3",
    "Bounded gradient estimator",
    r"\forall i\in I,\ \mathbb E\|g_i(w_i)-\nabla F_i(w_i)\|^2\le\sigma^2",
    "There is a σ that bounds the spread of the mini-batch gradients at the models wᵢ.",
    0,
    "At the models of a run, or on a ball that holds them, which is all that the theorems use, there is "
    "such a σ. wᵢ is nowhere introduced; Assumptions 1 and 2 say «for all v, w», this one does not. A "
    "run from a given start stays in a ball, and on a ball a σ exists. Every check of this paper takes "
    "the points of a run or of an invariant ball. Beside this, and stronger than the print: over all of "
    "ℝᵈ no σ serves for mini-batches of samples of different curvature (additive noise would do).",
)
_A4 = _points(
    "A4",
    "Uniformly bounded expected squared norm",
    r"\forall i\in I,\ \mathbb E\|g_i(w_i)\|^2\le G^2",
    "There is a G that bounds the mini-batch gradients at the models wᵢ.",
    1,
    "On all of ℝᵈ it would contradict Assumption 2, but the print asks for it at wᵢ, a model of client "
    "i: at the models of a run, or on a ball that holds them, there is such a G. On ℝᵈ the gradient of a "
    "strongly convex loss grows at least linearly, so that everything would follow from Assumptions 2 "
    "and 4 together; on a ball they agree. wᵢ is nowhere introduced, and nothing says «for all w». Every "
    "check takes the points of a run or of an invariant ball, where G depends on the start and on w*.",
)


CLAIMS: tuple[Claim, ...] = (
    _A0,
    _A1,
    _A2,
    _A3,
    _A4,
)
