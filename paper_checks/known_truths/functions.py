"""K1 to K6: what L-smoothness and μ-strong convexity say of one or two points."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.known_truths.drawing import mirrored, over, ranging, sized
from paper_checks.known_truths.notation import NOTATION, Coordinates, Plain, Seen
from theory.exact import dot, is_positive_semidefinite, matvec, quadratic_gradient, quadratic_loss
from theory.worlds.hull import reflected, turned
from validation import Case, Instance, LogScale, Signed, Space
from validation.world import World, at, case, le, mutant, reading, remark

__all__ = ["CLAIMS", "TURNED", "is_within"]

L, mu, F_x, F_y, linear, step2 = NOTATION.symbols("L mu F_x F_y linear step2")
excess, grad2, top2, dist2, change2, inner = NOTATION.symbols("excess grad2 top2 dist2 change2 inner")


def turn(reflectors: Any, u: Any) -> Any:
    """Q u, reflector by reflector from the last; a zero reflector leaves u as it is."""
    for r in np.moveaxis(reflectors, 1, 0)[::-1]:
        u = mirrored(r, u)
    return u


def function(x: Instance) -> tuple[Any, Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """(L, μ, F, ∇F), worked in the turned basis z = Qᵀw, in which F is a sum over the axes."""
    turns = x.get("reflectors", np.zeros((1, 0, 1)))
    if "kink" not in x:
        s = x["spectrum"]
        return (
            np.abs(s).max(axis=-1),
            s.min(axis=-1),
            lambda w: 0.5 * (s * turn(turns[:, ::-1], w) ** 2).sum(axis=-1),
            lambda w: turn(turns, s * turn(turns[:, ::-1], w)),
        )
    flat, extra, kink = x["flat"], x["extra"], x["kink"]

    def value(w: Any) -> Any:
        z = turn(turns[:, ::-1], w)
        near = np.minimum(np.abs(z), kink)
        return (0.5 * flat * z**2 + extra * near * (np.abs(z) - 0.5 * near)).sum(axis=-1)

    def slope(w: Any) -> Any:
        z = turn(turns[:, ::-1], w)
        return turn(turns, flat * z + extra * np.clip(z, -kink, kink))

    return (flat + extra).max(axis=-1), flat.min(axis=-1), value, slope


def points(x: Instance, *, resolved: str) -> Seen:
    """F and its gradient at x, and where there is a step at y = x + step; w* = 0 and F* = 0.

    `resolved`: the side that floats must resolve: «above» and «below» the values it is a difference of, or the «change».
    """
    L, mu, F, gradient = function(x)
    point, here = x["point"], gradient(x["point"])
    found = {"L": L, "mu": mu, "excess": F(point), "dist2": (point**2).sum(axis=-1)}
    found |= {"grad2": (here**2).sum(axis=-1), "top2": (here**2).max(axis=-1)}
    if "step" not in x:
        return found
    step = x["step"]
    change, values, slope = gradient(point + step) - here, F(point + step), (here * step).sum(axis=-1)
    change2, step2 = (change**2).sum(axis=-1), (step**2).sum(axis=-1)
    terms = np.abs(found["excess"]) + np.abs(values) + np.abs(slope)
    visible = {
        "above": L * step2 > 1e-5 * terms,
        "below": mu * step2 > 1e-5 * terms,
        "change": change2 > 1e-11 * L**2 * (point**2 + step**2).sum(axis=-1),
    }
    found |= {"F_x": found["excess"], "F_y": values, "linear": slope, "step2": step2, "change2": change2}
    found |= {"inner": (change * step).sum(axis=-1), "magnitude": terms}
    return {**found, "admissible": visible[resolved] | (step2 == 0)}


def is_within(matrix: list[list[Any]], low: Any, high: Any) -> bool:
    """Every eigenvalue of a symmetric matrix in [low, high], by two exact LDL^T."""
    n = range(len(matrix))
    above = [[matrix[i][j] - (low if i == j else 0) for j in n] for i in n]
    below = [[(high if i == j else 0) - matrix[i][j] for j in n] for i in n]
    return is_positive_semidefinite(above) and is_positive_semidefinite(below)


def smooth_function(
    x: Mapping[str, Any], convex: bool
) -> tuple[Mapping[str, bool], Any, Any, Callable[[list[Any]], Any], Callable[[list[Any]], list[Any]]]:
    """(hypotheses, L, mu, F, gradient of F); F has its minimum 0 at the origin.

    F(w) = w^T A w/2 for `spectrum` and `reflectors`; with `kink`, instead a sum over the turned axes z of functions of
    curvature flat + extra for |z| < kink and flat beyond. Not `convex`: strong convexity is no hypothesis.
    """
    reflectors = x.get("reflectors", [])
    if "kink" in x:
        shape = list(zip(x["flat"], x["extra"], x["kink"], strict=True))
        L, mu = max(a + b for a, b, _ in shape), min(x["flat"])
        bent = {"mu > 0, and every curvature in [mu, L]": mu > 0 and min(min(b, k) for _, b, k in shape) >= 0}

        def value(w: list[Any]) -> Any:
            total = Fraction(0)
            for z, (a, b, k) in zip(reflected(reflectors[::-1], w), shape, strict=True):
                total += a * z * z / 2 + b * (z * z / 2 if abs(z) <= k else k * abs(z) - k * k / 2)
            return total

        def slope(w: list[Any]) -> list[Any]:
            inside = zip(reflected(reflectors[::-1], w), shape, strict=True)
            return reflected(reflectors, [a * z + b * max(-k, min(k, z)) for z, (a, b, k) in inside])

        return bent, L, mu, value, slope
    A, origin = turned(x["spectrum"], reflectors), [Fraction(0)] * len(x["spectrum"])
    L, mu = max(abs(s) for s in x["spectrum"]), min(x["spectrum"])
    hypotheses = {"L-smoothness, by exact LDL^T": is_within(A, -L, L)}
    if convex:
        hypotheses["mu-strong convexity, by exact LDL^T"] = mu > 0 and is_within(A, mu, L)
    return (
        hypotheses,
        L,
        mu,
        lambda w: quadratic_loss(A, origin, Fraction(0), w),
        lambda w: quadratic_gradient(A, origin, w),
    )


def points_exact(x: Mapping[str, Any], *, convex: bool) -> Plain:
    """F and its gradient at x, and where there is a step at y = x + step."""
    met, L, mu, F, gradient = smooth_function(x, convex)
    point = x["point"]
    value, here = F(point), gradient(point)
    found = {"L": L, "mu": mu, "excess": value, "dist2": dot(point, point)}
    found |= {"grad2": dot(here, here), "top2": max(g * g for g in here)}
    if "step" in x:
        y, step = [a + b for a, b in zip(point, x["step"], strict=True)], x["step"]
        change = [b - a for a, b in zip(here, gradient(y), strict=True)]
        found |= {"F_x": value, "F_y": F(y), "linear": dot(here, step), "step2": dot(step, step)}
        found |= {"change2": dot(change, change), "inner": dot(change, step)}
    return met, found


TURNED = (dot, matvec, is_positive_semidefinite, reflected, turned, is_within)  # a quadratic in any rational basis
_USES = (*TURNED, quadratic_loss, quadratic_gradient, smooth_function)


def of_kind(kind: str, resolved: str = "") -> World:
    """Functions of one kind over the dimension, at one point, or where something is to be resolved at two.

    «quadratic» in any basis; «bent quadratic», of one curvature near w* and a smaller one farther out along each axis;
    «indefinite quadratic», L-smooth but not convex.
    """

    def at(d: int) -> Case:
        curvature = partial(LogScale, low=1e-3, high=1e3, shape=(d,), at=(1e-3, 1.0, 1e3))
        shapes: dict[str, Coordinates] = {
            "quadratic": (curvature("spectrum"),),
            "bent quadratic": (curvature("flat"), curvature("extra"), LogScale("kink", 1e-3, 1e3, (d,))),
            "indefinite quadratic": (Signed("spectrum", 1e-3, 1e3, (d,)),),
        }
        of = (*shapes[kind], *((Signed("reflectors", 1e-2, 1.0, (min(2, d - 1), d)),) if d > 1 else ()))
        of += (Signed("point", 1e-6, 1e3, (d,)), *((Signed("step", 1e-6, 1e3, (d,)),) if resolved else ()))
        seen, plain = partial(points, resolved=resolved), partial(points_exact, convex=not kind.startswith("in"))
        return case(sized(kind, d=d), Space(of), seen, plain, uses=_USES)

    return ranging(kind, at, d=(1, 8, 2))


def both(resolved: str = "") -> World:
    """Quadratics, and bent ones."""
    return over(of_kind("quadratic", resolved), of_kind("bent quadratic", resolved))


_ABOVE, _BELOW, _CHANGE, _ONE = both("above"), both("below"), both("change"), both()
_RISE = F_y - F_x - linear
_SETTING = ["F is μ-strongly convex and L-smooth, with minimiser w* and F* = F(w*)"]
_AS_STATED = [
    reading(
        "as stated",
        """Quadratics in any basis, and functions with one curvature near w* and a smaller one farther out along each
            axis; w* = 0 and F* = 0 by translation.""",
    )
]

K1 = remark(
    "K1",
    "known truth",
    "Parabola above an L-smooth function",
    printed=r"F(y)-F(x)-\langle\nabla F(x),y-x\rangle\le\frac L2\|y-x\|^2",
    plainly="An L-smooth F exceeds its tangent by at most (L/2)‖y − x‖².",
    assumes=_SETTING,
    says=le(_RISE, L * step2 / 2),
    world=_ABOVE,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "μ in place of L",
            le(_RISE, mu * step2 / 2),
            "a step along the axis of the largest curvature gains (L/2)‖y − x‖², which is more for μ < L",
            at(spectrum=[1, 2], reflectors=[[1, 1]], point=[0, 0], step=[-1, 0]),
        ),
        mutant(
            "inner product dropped on the left",
            le(_RISE, L * step2 / 2 - linear),
            "away from its minimiser F(w) = w²/2 rises by more than (L/2)‖y − x‖²",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[0, 1], step=[0, 1]),
        ),
        mutant(
            "‖y − x‖ to the fourth power",
            le(_RISE, L * step2**2 / 2),
            "attained above along the largest curvature, and ‖y − x‖⁴ < ‖y − x‖² for steps shorter than 1",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[0, 0], step=[0, "1/2"]),
        ),
    ],
    tight=[
        "y − x along the axis of the largest curvature",
        at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 0], step=[0, 1]),
    ],
    supremum=1.0,
    verdict="""The gradient changes along the segment by at most L times the distance gone; integrating that from x to y
        gives (L/2)‖y − x‖². A quadratic of curvature L attains it.""",
)

K2 = remark(
    "K2",
    "known truth",
    "Parabola below a strongly convex function",
    printed=r"\frac\mu2\|y-x\|^2\le F(y)-F(x)-\langle\nabla F(x),y-x\rangle",
    plainly="A μ-strongly convex F exceeds its tangent by at least (μ/2)‖y − x‖².",
    assumes=_SETTING,
    says=le(mu * step2 / 2, _RISE),
    world=_BELOW,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "L in place of μ",
            le(mu * step2 / 2, _RISE * mu / L),
            "a step along the axis of the smallest curvature gains only (μ/2)‖y − x‖², which is less for μ < L",
            at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 0], step=[1, 0]),
        ),
        mutant(
            "sign of the inner product",
            le(mu * step2 / 2, F_y - F_x + linear),
            "towards the minimiser of F(w) = w²/2 the turned inner product makes the right side negative",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[0, 1], step=[0, -1]),
        ),
        mutant(
            "inner product dropped",
            le(mu * step2 / 2, F_y - F_x),
            "towards the minimiser F falls, so the right side is negative",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[-1, 0], step=[1, 0]),
        ),
    ],
    tight=[
        "y − x along the axis of the smallest curvature",
        at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 0], step=[1, 0]),
    ],
    supremum=1.0,
    verdict="""The gradient changes along the segment by at least μ times the distance gone, measured along it;
        integrating that gives (μ/2)‖y − x‖². A quadratic of curvature μ attains it.""",
)

K3 = remark(
    "K3",
    "known truth",
    "Gradient against excess loss, from above",
    printed=r"\|\nabla F(w)\|^2\le2L\,(F(w)-F^\star)",
    plainly="The squared gradient of an L-smooth F is at most 2L times its excess loss.",
    assumes=_SETTING,
    says=le(grad2, 2 * L * excess),
    world=_ONE,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "factor 2 lost",
            le(grad2, L * excess),
            "F(w) = (L/2)w² has F'(w)² = L²w² = 2L(F(w) − F*), twice the right side",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[0, 1]),
        ),
        mutant(
            "μ in place of L",
            le(grad2, 2 * mu * excess),
            "along the axis of the largest curvature both printed sides are equal, and μ < L",
            at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 1]),
        ),
        mutant(
            "excess loss squared",
            le(grad2, 2 * L * excess**2),
            "for F(w) = (L/2)w² both printed sides are equal, and the excess is below 1 near w*",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[-1, 0]),
        ),
    ],
    tight=["w − w* along the axis of the largest curvature", at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 1])],
    supremum=1.0,
    verdict="""A gradient step of length 1/L lowers an L-smooth F by at least ‖∇F‖²/(2L), and cannot get below F*. A
        quadratic of curvature L attains it.""",
)

K4 = remark(
    "K4",
    "known truth",
    "Gradient against excess loss, from below",
    printed=r"2\mu\,(F(w)-F^\star)\le\|\nabla F(w)\|^2",
    plainly="The squared gradient of a μ-strongly convex F is at least 2μ times its excess loss.",
    assumes=_SETTING,
    says=le(2 * mu * excess, grad2),
    world=_ONE,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "L in place of μ",
            le(2 * mu * excess, grad2 * mu / L),
            "along the axis of the smallest curvature the squared gradient is 2μ(F − F*), less than 2L(F − F*)",
            at(spectrum=[1, 2], reflectors=[[0, 0]], point=[-1, 0]),
        ),
        mutant(
            "largest entry in place of the norm",
            le(2 * mu * excess, top2),
            "for F(w) = ‖w‖²/2 in the plane, at equal entries, the largest squared entry is half of the squared norm",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=[1, 1]),
        ),
        mutant(
            "‖∇F‖ to the fourth power",
            le(2 * mu * excess, grad2**2),
            "for F(w) = w²/2 both printed sides are w², and w⁴ < w² near w* = 0",
            at(spectrum=[1, 1], reflectors=[[0, 0]], point=["1/2", 0]),
        ),
    ],
    tight=["w − w* along the axis of the smallest curvature", at(spectrum=[1, 2], reflectors=[[0, 0]], point=[1, 0])],
    supremum=1.0,
    verdict="""Minimising both sides of the parabola below F over y gives F* >= F(w) − ‖∇F(w)‖²/(2μ). A quadratic of
        curvature μ attains it.""",
)

K5 = remark(
    "K5",
    "known truth",
    "Gradients are co-coercive",
    printed=r"\frac1L\|\nabla F(x)-\nabla F(y)\|^2\le\langle\nabla F(x)-\nabla F(y),x-y\rangle",
    plainly="For convex L-smooth F, ‖∇F(x) − ∇F(y)‖²/L is at most the inner product of the changes.",
    assumes=_SETTING,
    says=le(change2 / L, inner),
    world=_CHANGE,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "μ in place of L",
            le(change2 / L, inner * mu / L),
            "along the axis of the largest curvature both printed sides are L‖x − y‖², and 1/μ > 1/L",
            at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 0], step=[0, 1]),
        ),
        mutant(
            "convexity removed",
            None,
            "F(w) = −(L/2)w²: the left side is L‖x − y‖² > 0, the right side −L‖x − y‖²",
            at(spectrum=[-1, 0], reflectors=[[0, 0]], point=[0, 0], step=[-1, 0]),
            world=of_kind("indefinite quadratic", "change"),
        ),
        mutant(
            "inner product replaced by μ‖x − y‖²",
            le(change2 / L, mu * step2),
            "along the axis of the largest curvature the left side is L‖x − y‖² > μ‖x − y‖²",
            at(spectrum=[1, 2], reflectors=[[1, 1]], point=[0, 0], step=[-1, 0]),
        ),
    ],
    tight=[
        "x − y along the axis of the largest curvature",
        at(spectrum=[1, 2], reflectors=[[0, 0]], point=[0, 0], step=[0, 1]),
    ],
    supremum=1.0,
    verdict="""F minus its tangent at x is convex, L-smooth and minimal at x, so its excess at y is at least ‖∇F(x) −
        ∇F(y)‖²/(2L); adding the same with x and y exchanged gives the statement.""",
)

K6 = remark(
    "K6",
    "known truth",
    "Distance to the minimiser from the gradient",
    printed=r"\mu\|w-w^\star\|\le\|\nabla F(w)\|",
    plainly="The gradient is at least μ times the distance to the minimiser; both sides are squared here.",
    assumes=_SETTING,
    says=le(mu**2 * dist2, grad2),
    world=_ONE,
    readings=_AS_STATED,
    mutants=[
        mutant(
            "L in place of μ",
            le(mu**2 * dist2, grad2 * mu**2 / L**2),
            "along the axis of the smallest curvature the gradient is μ‖w − w*‖ < L‖w − w*‖",
            at(spectrum=[1, 2], reflectors=[[1, 1]], point=[0, 1]),
        ),
        mutant(
            "μ² lowered to μ",
            le(mu**2 * dist2, grad2 * mu),
            "it says μ‖w − w*‖² <= ‖∇F(w)‖²; for F(w) = μw²/2 that is μ <= μ², false for μ < 1",
            at(spectrum=["1/2", 1], reflectors=[[0, 0]], point=[-1, 0]),
        ),
        mutant(
            "largest entry in place of the norm",
            le(mu**2 * dist2, top2),
            "for F(w) = ‖w‖²/2 in the plane, at equal entries, the largest squared entry is half of the squared norm",
            at(spectrum=[1000, 1000], reflectors=[[0, 0]], point=[1, 1]),
        ),
    ],
    tight=["w − w* along the axis of the smallest curvature", at(spectrum=[1, 2], reflectors=[[0, 0]], point=[1, 0])],
    supremum=1.0,
    verdict="""Strong convexity gives ⟨∇F(w), w − w*⟩ >= μ‖w − w*‖², and the inner product is at most the product of the
        norms. A quadratic of curvature μ attains it.""",
)

CLAIMS = (K1, K2, K3, K4, K5, K6)
