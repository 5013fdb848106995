"""Sec. 2.3, Lemma 1 and its proof (A.1): the squared gradient of an L-smooth function with a unique global minimum."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import Max, Min

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import curvature, curved, world
from theory.exact import dot, is_positive_semidefinite, matvec, quadratic_gradient, quadratic_loss, rotated
from theory.federations.families import plane_rotation
from theory.worst_case import WorstCase, gradient_over_gap
from validation import Case, Claim, ClassWorstCase, Family, Instance, LogScale, Signed, Size, Space, Uniform, units
from validation.world import at, case, le, lemma, mutant, reading, step

__all__ = ["CLAIMS"]

L, excess, slope_squared = NOTATION.symbols("L excess slope_squared")
tangent_gap, change_part, slope_part = NOTATION.symbols("tangent_gap change_part slope_part")


def planar(x: Instance) -> Mapping[str, Any]:
    """‖∇f‖² (`slope_squared`) and f − f* of a quadratic in the plane, away from its minimum."""
    along, across = np.einsum("nij,ni->jn", plane_rotation(x["tilt"]), x["offset"])
    a, b = x["spectrum"][:, 0], x["spectrum"][:, 1]
    found = {"slope_squared": (a * along) ** 2 + (b * across) ** 2, "L": np.maximum(a, b)}
    return {**found, "excess": 0.5 * (a * along**2 + b * across**2)}


def planar_exact(x: Mapping[str, Any]) -> Pair:
    """A quadratic in the plane, its minimum at the origin."""
    A, origin, L = rotated(x["spectrum"], x["tilt"]), [Fraction(0), Fraction(0)], max(x["spectrum"])
    gradient = quadratic_gradient(A, origin, x["offset"])
    above = [[(L if r == c else 0) - A[r][c] for c in (0, 1)] for r in (0, 1)]
    met = {
        "L-smoothness, by exact LDL^T": is_positive_semidefinite(above),
        "unique global minimum: A positive definite": min(x["spectrum"]) > 0,
    }
    found = {"slope_squared": dot(gradient, gradient), "L": L}
    return met, {**found, "excess": quadratic_loss(A, origin, Fraction(0), x["offset"])}


_PLANE = case(
    "quadratic in the plane",
    Space(
        (
            LogScale("spectrum", 1e-3, 1e3, (2,), at=(1e-3, 1.0, 1e3)),
            Signed("tilt", 1e-2, 1.0),
            Signed("offset", 1e-6, 1e3, (2,)),
        )
    ),
    planar,
    planar_exact,
    uses=(dot, matvec, is_positive_semidefinite, rotated, quadratic_loss, quadratic_gradient),
    symmetries=(units({"spectrum": (1, -2), "offset": (0, 1)}),),
)


def shapes(x: Instance, *, moved: bool) -> Mapping[str, Any]:
    """f on the line of five curvatures L·`slopes`, the first one left of 0, the last one for ever; compared at 0 or elsewhere."""
    L, slopes, lengths = x["L"], x["slopes"], x["lengths"]

    def value(w: Any) -> tuple[Any, Any]:
        left, f, g, reach = w < 0, np.zeros_like(w), np.zeros_like(w), np.abs(w)
        for j in range(5):
            part, curve = (
                np.minimum(reach, lengths[:, j]) if j < 4 else reach,
                L * np.where(left, slopes[:, 0], slopes[:, j]),
            )
            f, g, reach = f + g * part + curve * part**2 / 2, g + curve * part, reach - part
        return f, np.where(left, -g, g)

    f, g, lowest = np.zeros_like(L), np.zeros_like(L), np.full(len(L), np.inf)
    for j in range(5):
        curve, last = L * slopes[:, j], j == 4
        down, length = (curve > 0) & (g < 0), np.inf if last else lengths[:, min(j, 3)]
        turn = np.where(down, -g / np.where(down, curve, 1.0), np.inf)
        bottom = f - g**2 / np.where(down, 2 * curve, 1.0)
        lowest = np.where(down & (last | (turn <= length)), np.minimum(lowest, bottom), lowest)
        if not last:
            f, g = f + g * length + curve * length**2 / 2, g + curve * length
            lowest = np.minimum(lowest, f)
    base = x["other"] if moved else np.zeros_like(L)
    (at, slope), (at_base, slope_base) = value(x["point"]), value(base)
    found = {"change_part": (slope - slope_base) ** 2 / (2 * L), "slope_part": slope**2 / (2 * L)}
    scale = L * (x["point"] ** 2 + base**2)
    return {
        **found,
        "slope_squared": slope**2,
        "L": L,
        "excess": at,
        "tangent_gap": at - at_base - slope_base * (x["point"] - base),
        "admissible": (lowest > 0) & (slopes[:, 0] > 0) & (slopes[:, -1] > 0),
        "resolved": lowest > 1e-9 * L,
        "sizes": dict.fromkeys(("change_part", "tangent_gap", "excess"), scale),
    }


def shapes_exact(x: Mapping[str, Any], *, moved: bool) -> Pair:
    """f on the line, piece by piece; its only global minimum is at 0."""
    L, ends = x["L"], [*x["lengths"], None]
    curves = [L * s for s in x["slopes"]]

    def value(w: Any) -> tuple[Any, Any]:
        if w < 0:
            return curves[0] * w * w / 2, curves[0] * w
        f, g = Fraction(0), Fraction(0)
        for curve, length in zip(curves, ends, strict=True):
            part = w if length is None else min(w, length)
            f, g, w = f + g * part + curve * part * part / 2, g + curve * part, w - part
        return f, g

    start, lows = Fraction(0), []
    for curve, length in zip(curves, ends, strict=True):
        f, g = value(start)
        if curve > 0 and g < 0 and (length is None or -g / curve <= length):
            lows.append(f - g * g / (2 * curve))
        if length is not None:
            start = start + length
            lows.append(value(start)[0])
    base = x["other"] if moved else Fraction(0)
    (at, slope), (at_base, slope_base) = value(x["point"]), value(base)
    least = curves[0] > 0 and curves[-1] > 0 and min(lows) > 0
    met = {"L-smooth": max(abs(c) for c in curves) <= L, "unique global minimum at 0": least}
    found = {"change_part": (slope - slope_base) ** 2 / (2 * L), "slope_part": slope**2 / (2 * L)}
    found |= {"slope_squared": slope**2, "L": L, "excess": at}
    return met, {**found, "tangent_gap": at - at_base - slope_base * (x["point"] - base)}


def _shapes(*, moved: bool = False) -> Case:
    space = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            Uniform("slopes", -1.0, 1.0, (5,), at=(-1.0, 1.0)),
            LogScale("lengths", 1e-2, 10.0, (4,), at=(1.0,)),
            Signed("point", 1e-2, 1e2),
            *((Signed("other", 1e-2, 1e2),) if moved else ()),
        )
    )
    scales = {"L": (1, -2), "lengths": (0, 1), "point": (0, 1), **({"other": (0, 1)} if moved else {})}
    name = "five curvatures on the line, not convex"
    return case(name, space, shapes, shapes_exact, symmetries=(units(scales),), moved=moved)


def bowls(x: Instance, *, moved: bool) -> Mapping[str, Any]:
    """A quadratic of any eigenvectors, compared at its minimum or, `moved`, at another point."""
    given = {k: v[:, None] if k in {"spectrum", "mirror"} else v for k, v in x.items()}
    off, L = x["point"] - x["optimum"], x["spectrum"].max(axis=1)
    base = x["other"] - x["optimum"] if moved else 0 * off
    slope, at_base = (curved(given, v[:, None, None])[:, 0, 0] for v in (off, base))
    gap = 0.5 * ((off * slope).sum(axis=-1) - (base * at_base).sum(axis=-1)) - (at_base * (off - base)).sum(axis=-1)
    found = {"change_part": ((slope - at_base) ** 2).sum(axis=-1) / (2 * L), "tangent_gap": gap}
    found["slope_part"] = (slope**2).sum(axis=-1) / (2 * L)
    scale = L * ((x["optimum"] ** 2).sum(axis=-1) + (x["point"] ** 2).sum(axis=-1))
    return {**found, "sizes": dict.fromkeys(found, scale)}


def bowls_exact(x: Mapping[str, Any], *, moved: bool) -> Pair:
    """A quadratic of any eigenvectors."""
    A, m, w, L, zero = curvature(x["spectrum"], x["mirror"]), x["optimum"], x["point"], max(x["spectrum"]), Fraction(0)
    base = x["other"] if moved else m
    slope, at_base = quadratic_gradient(A, m, w), quadratic_gradient(A, m, base)
    gap = quadratic_loss(A, m, zero, w) - quadratic_loss(A, m, zero, base)
    gap = gap - dot(at_base, [a - b for a, b in zip(w, base, strict=True)])
    change = [a - b for a, b in zip(slope, at_base, strict=True)]
    met = {"convex, with a unique minimum (eigenvalues given)": min(x["spectrum"]) > 0}
    found = {"change_part": dot(change, change) / (2 * L), "slope_part": dot(slope, slope) / (2 * L)}
    return met, {**found, "tangent_gap": gap}


def _bowls(*, moved: bool = False) -> Family:
    def at(d: float) -> Case:
        names = ("mirror", "optimum", "point", *(("other",) if moved else ()))
        vectors = tuple(Signed(name, 1e-3, 1e2, (int(d),)) for name in names)
        space = Space((LogScale("spectrum", 1e-3, 1e3, (int(d),), at=(1e-3, 1.0, 1e3)), *vectors))
        same = (units({"spectrum": (1, -2), **{name: (0, 1) for name in names if name != "mirror"}}),)
        uses, title = (dot, matvec, curvature, quadratic_loss, quadratic_gradient), f"quadratics, d = {int(d)}"
        return case(title, space, bowls, bowls_exact, uses=uses, symmetries=same, moved=moved)

    return Family("quadratics", (Size("d", 1, 8, 2),), at)


def _program() -> WorstCase:
    """Largest ‖∇f‖²/(f − f*) over all convex f of smoothness 3: 2L."""
    return gradient_over_gap(mu=0.0, L=3.0)


L1 = lemma(
    "RA-L1",
    "Lemma 1, eq. (4), Sec. 2.3",
    "Gradient against excess loss",
    printed=r"\forall w,\qquad\|\nabla f(w)\|^2\le2L\,(f(w)-f(w^\star))",
    plainly="The squared gradient of an L-smooth f is at most 2L times its excess loss.",
    assumes=["f is L-smooth", "f has a unique global minimum at w*"],
    says=le(slope_squared, 2 * L * excess),
    world=world(_PLANE, _shapes()),
    readings=[reading("as printed", "Convex and non-convex f with exact L.")],
    mutants=[
        mutant(
            "factor 2 dropped",
            le(slope_squared, L * excess),
            "the bound is attained along an eigenvector of the largest curvature, so half of it is not enough",
            at(spectrum=[1, 1], tilt=0, offset=[0, 1]),
        ),
        mutant(
            "global minimum replaced by zero",
            le(slope_squared, 2 * L * (excess - 1)),
            "at the minimiser the right side is then −2L < 0",
            at(spectrum=[1, 1], tilt=0, offset=[0, 0]),
        ),
    ],
    tight="w − w* an eigenvector of the largest curvature",
    worst_cases=(ClassWorstCase("every convex f of smoothness L = 3, any dimension", _program, 6.0),),
    verdict="""No violation was found, and the bound is attained by quadratics. It needs no convexity: a gradient
        step of length 1/L from w stays above the global minimum, and smoothness bounds what that step gains.""",
)

P1 = step(
    "RA-P-L1.1",
    "Proof of Lemma 1 (A.1), inequality",
    "Gradient differences against the gap",
    printed=r"""f(w)-f(w^\star)-\langle\nabla f(w^\star),w-w^\star\rangle\ge\frac1{2L}\|\nabla f(w)-\nabla
        f(w^\star)\|^2""",
    plainly="Above its tangent at w*, f rises by at least the squared change of its gradient over 2L.",
    assumes=["f is L-smooth", "w* is its unique global minimum"],
    says=le(change_part, tangent_gap),
    world=world(_bowls(), _shapes()),
    readings=[reading("as printed, w* the global minimum", "Quadratics, and functions that are not convex.")],
    mutants=[
        mutant(
            "1/L in place of 1/(2L)",
            le(change_part, tangent_gap / 2),
            "the sides are equal along an eigenvector of the largest curvature",
            at(spectrum=[1, 1], mirror=[0, 0], optimum=[0, 0], point=[0, 1]),
            world=world(_bowls()),
        ),
        mutant(
            "any point in place of w*, f not convex",
            None,
            "where f bends down it lies below its tangent, and the right side is a square",
            world=world(_shapes(moved=True)),
        ),
    ],
    tight="w − w* an eigenvector of the largest curvature",
    supremum=1.0,
    verdict="""It holds at the global minimum, with smoothness alone. The proof cites smoothness for it; for any other
        point in place of w* the inequality needs convexity, and without it is false.""",
)

P2 = step(
    "RA-P-L1.2",
    "Proof of Lemma 1 (A.1), equality",
    "The gradient at the minimum vanishes",
    printed=r"\frac1{2L}\|\nabla f(w)-\nabla f(w^\star)\|^2=\frac1{2L}\|\nabla f(w)\|^2",
    plainly="The gradient of f at w* is zero.",
    assumes=["f is differentiable with minimum w*", "checked as: the larger of the two sides is at most the smaller"],
    says=le(Max(change_part, slope_part), Min(change_part, slope_part)),
    world=world(_bowls()),
    readings=[reading("as printed", "Quadratics with any minimiser.")],
    mutants=[
        mutant(
            "any point in place of w*",
            None,
            "at w = w* the one side is 0, the other the squared gradient at that point",
            world=world(_bowls(moved=True)),
        )
    ],
    tight="always equal",
    rests_on=["RA-P-L1.1"],
    supremum=1.0,
    verdict="The first-order condition at a minimum.",
)

CLAIMS: tuple[Claim, ...] = (L1, P1, P2)
