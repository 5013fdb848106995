"""Sec. 2.2: Assumptions 1 to 4, whether quadratic clients meet them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import world
from validation import Case, Claim, Family, Instance, LogScale, Notation, Signed, Size, Space, Uniform
from validation.world import World, at, case, definition, le, mutant, reading

__all__ = ["CLAIMS"]

# Of concave functions, which the mutant of Assumption 1 admits, the least constant of the printed line is 0.
_OF_A1 = Notation(
    tuple(replace(q, positive=False, nonnegative=True) if q.name == "L" else q for q in NOTATION.quantities)
)
slope_change2, L, between2 = _OF_A1.symbols("slope_change2 L between2")
mu, gap, gap2 = NOTATION.symbols("mu gap gap2")
variance, second, bound2, in_ball, centred = NOTATION.symbols("variance second bound2 in_ball centred")


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


def _smooth(*, convex: bool) -> World:
    made = _quadratics("quadratics", smooth, smooth_exact, "v", "w", convex=convex)
    return replace(made, notation=_OF_A1)


_LIPSCHITZ = le(slope_change2, L**2 * between2)

A1 = definition(
    "RA-A1",
    "Assumption 1, Sec. 2.2",
    "L-smoothness",
    printed=r"""\forall v,w,\ F_i(v)\le F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac L2\|v-w\|_2^2
        \quad\Rightarrow\quad\|\nabla F_i(v)-\nabla F_i(w)\|\le L\|v-w\|""",
    plainly="The printed one-sided bound, with Assumption 2, is L-smoothness in the usual sense.",
    assumes=["Assumption 1 as printed, one-sided", "Assumption 2"],
    says=_LIPSCHITZ,
    world=_smooth(convex=True),
    readings=[reading("with Assumption 2", "Quadratics in any dimension, L the least constant allowed.")],
    mutants=[
        mutant(
            "Assumption 2 dropped",
            None,
            "F(w) = −w²/2 meets the printed line with L = 0",
            at(spectrum=[0, -1], v=[0, 0], w=[0, -1]),
            world=_smooth(convex=False),
        )
    ],
    tight="v − w an eigenvector of the largest curvature",
    rests_on=["RA-A2"],
    written="what follows «⇒»",
    verdict="""Only the upper half of smoothness is printed. For convex functions, which Assumption 2 supplies, it is
        all that is needed; without it concave functions would pass. The pair is consistent exactly for μ <= L.""",
)

A2 = definition(
    "RA-A2",
    "Assumption 2, Sec. 2.2",
    "μ-convexity",
    printed=r"""\forall v,w,\ F_i(v)\ge F_i(w)+\langle v-w,\nabla F_i(w)\rangle+\tfrac\mu2\|v-w\|_2^2
        \quad\Rightarrow\quad\tfrac\mu2\|w-w_i^\star\|^2\le F_i(w)-F_i^\star""",
    plainly="""A μ-convex loss has one minimiser, and the excess grows at least as μ/2 times the squared distance from
        it.""",
    assumes=["Assumption 2, μ > 0"],
    says=le(mu / 2 * gap2, gap),
    world=_quadratics("quadratics around their minimiser", bowl, bowl_exact, "v"),
    readings=[reading("at the minimiser", "v = w, w = wᵢ* in the print.")],
    mutants=[
        mutant(
            "μ in place of μ/2",
            le(mu / 2 * gap2, gap / 2),
            "in one dimension the two sides are equal",
            at(spectrum=[0, 0], v=[0, -1]),
        )
    ],
    tight="w − wᵢ* an eigenvector of the least curvature",
    written="what follows «⇒»",
    verdict="What the definitions of w*, wᵢ* and Γ need: unique minimisers, which the paper does not claim separately.",
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

A3 = definition(
    "RA-A3",
    "Assumption 3, Sec. 2.2",
    "Bounded gradient estimator",
    printed=r"\forall i\in I,\ \mathbb E\|g_i(w_i)-\nabla F_i(w_i)\|^2\le\sigma^2",
    plainly="There is a σ that bounds the spread of the mini-batch gradients at the models wᵢ.",
    assumes=["Assumptions 1 and 2", "gᵢ a mini-batch gradient, samples of different curvature"],
    says=le(variance, bound2),
    world=_FAR,
    readings=[
        reading(
            "at every point of ℝᵈ",
            "The bound is named first, then the point: stronger than the print, which has wᵢ and no «for all w».",
            ours="""the assumption is printed at wᵢ, a model of client i, not «for all w» as Assumptions 1 and 2 are;
                one σ for all of ℝᵈ is asked for nowhere""",
        ),
        reading(
            "at the points of a ball",
            "The ball, which holds all models of a run from a given start, is named first, then the bound.",
            le(variance, in_ball),
            world=_NEAR,
            because="holds all models of a run from a given start",
        ),
    ],
    mutants=[
        mutant(
            "a ball around 0, the samples' offsets left out",
            le(variance, centred),
            "at w = 0 samples far from 0 have large gradients, far apart, and the bound counts nothing but the radius",
            at(curvature=[1, 1], sample=[0, 1], bound=1, reach=1, inside=0),
            world=_NEAR,
        )
    ],
    rests_on=["RA-A1", "RA-A2"],
    verdict="""At the models of a run, or on a ball that holds them, which is all that the theorems use, there is such a
        σ. wᵢ is nowhere introduced; Assumptions 1 and 2 say «for all v, w», this one does not. A run from a given start
        stays in a ball, and on a ball a σ exists. Every check of this paper takes the points of a run or of an
        invariant ball. Beside this, and stronger than the print: over all of ℝᵈ no σ serves for mini-batches of samples
        of different curvature (additive noise would do).""",
)

A4 = definition(
    "RA-A4",
    "Assumption 4, Sec. 2.2",
    "Uniformly bounded expected squared norm",
    printed=r"\forall i\in I,\ \mathbb E\|g_i(w_i)\|^2\le G^2",
    plainly="There is a G that bounds the mini-batch gradients at the models wᵢ.",
    assumes=["Assumptions 1 and 2", "gᵢ a mini-batch gradient, samples of different curvature"],
    says=le(second, bound2),
    world=_FAR2,
    readings=[
        reading(
            "at every point of ℝᵈ",
            "The bound is named first, then the point: stronger than the print, which has wᵢ and no «for all w».",
            ours="""the assumption is printed at wᵢ, a model of client i, not «for all w» as Assumptions 1 and 2 are; on
                all of ℝᵈ it would contradict Assumption 2""",
        ),
        reading(
            "at the points of a ball",
            "The ball, which holds all models of a run from a given start, is named first, then the bound.",
            le(second, in_ball),
            world=_NEAR2,
            because="holds all models of a run from a given start",
        ),
    ],
    mutants=[
        mutant(
            "a ball around 0, the samples' offsets left out",
            le(second, centred),
            "at w = 0 samples far from 0 have large gradients, far apart, and the bound counts nothing but the radius",
            at(curvature=[1, 1], sample=[0, -1], bound=1, reach=1, inside=1),
            world=_NEAR2,
        )
    ],
    rests_on=["RA-A1", "RA-A2"],
    verdict="""On all of ℝᵈ it would contradict Assumption 2, but the print asks for it at wᵢ, a model of client i: at
        the models of a run, or on a ball that holds them, there is such a G. On ℝᵈ the gradient of a strongly convex
        loss grows at least linearly, so that everything would follow from Assumptions 2 and 4 together; on a ball they
        agree. wᵢ is nowhere introduced, and nothing says «for all w». Every check takes the points of a run or of an
        invariant ball, where G depends on the start and on w*.""",
)

CLAIMS: tuple[Claim, ...] = (A1, A2, A3, A4)
