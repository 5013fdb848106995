"""Proof steps of Lemma 1: what smoothness alone gives at a global minimum, for convex and for other functions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.runs import curvature, curved
from theory.exact import dot, matvec, quadratic_gradient, quadratic_loss
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
    Reading,
    Signed,
    Size,
    Space,
    Uniform,
    symbols,
    units,
)

__all__ = ["CLAIMS"]

excess, smaller = symbols("excess smaller")
_DEGREES = {"excess": (1, 0), "smaller": (1, 0)}


def _quadratic(x: Instance) -> Mapping[str, Any]:
    """f(w) = (w − m)ᵀA(w − m)/2 about its minimiser, or about any point where `moved` is 1."""
    given = {k: v[:, None] if k in {"spectrum", "mirror"} else v for k, v in x.items()}
    off = x["point"] - x["optimum"]
    base = np.where((x["moved"] > 0)[:, None], x["other"] - x["optimum"], 0.0)
    slope, at_base = (curved(given, v[:, None, None])[:, 0, 0] for v in (off, base))
    L = x["spectrum"].max(axis=1)
    gap = 0.5 * ((off * slope).sum(axis=-1) - (base * at_base).sum(axis=-1)) - (at_base * (off - base)).sum(axis=-1)
    both = [((slope - at_base) ** 2).sum(axis=-1) / (2 * L), (slope**2).sum(axis=-1) / (2 * L)]
    equality = x["step"] == 2
    return {
        "lhs": np.where(equality, np.maximum(*both), both[0]),
        "excess": gap,
        "smaller": np.minimum(*both),
        "magnitude": L * ((x["optimum"] ** 2).sum(axis=-1) + (x["point"] ** 2).sum(axis=-1)),
    }


def quadratic_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A quadratic with eigenvalues `spectrum` and minimiser m; base point m, or any other where `moved` is 1."""
    A, m, w = curvature(x["spectrum"], x["mirror"]), x["optimum"], x["point"]
    base, L = x["other"] if x["moved"] > 0 else m, max(x["spectrum"])
    slope, at_base = quadratic_gradient(A, m, w), quadratic_gradient(A, m, base)
    zero = Fraction(0)
    gap = quadratic_loss(A, m, zero, w) - quadratic_loss(A, m, zero, base)
    gap = gap - dot(at_base, [a - b for a, b in zip(w, base, strict=True)])
    change = [a - b for a, b in zip(slope, at_base, strict=True)]
    both = dot(change, change) / (2 * L), dot(slope, slope) / (2 * L)
    lhs = max(both) if x["step"] == 2 else both[0]
    met = {"L-smooth, unique minimiser (eigenvalues given)": min(x["spectrum"]) > 0}
    return met, {"lhs": lhs, "excess": gap, "smaller": min(both)}


def _bent(x: Instance) -> Mapping[str, Any]:
    """f on the line, f″ piecewise constant with values in [−L, L]; minimum 0 at 0 if admissible."""
    L, slopes, lengths = x["L"], x["slopes"], x["lengths"]

    def value(w: Any) -> tuple[Any, Any]:
        left = w < 0
        f, g, reach = np.zeros_like(w), np.zeros_like(w), np.abs(w)
        for j in range(slopes.shape[1]):
            part = np.minimum(reach, lengths[:, j]) if j < lengths.shape[1] else reach
            curve = L * np.where(left, slopes[:, 0], slopes[:, j])
            f, g, reach = f + g * part + curve * part**2 / 2, g + curve * part, reach - part
        return f, np.where(left, -g, g)

    f, g, lowest = np.zeros_like(L), np.zeros_like(L), np.full(len(L), np.inf)
    for j in range(slopes.shape[1]):
        curve = L * slopes[:, j]
        inside = (curve > 0) & (g < 0)
        turn = np.where(inside, -g / np.where(inside, curve, 1.0), np.inf)
        last = j == lengths.shape[1]
        reached = inside & (last | (turn <= (np.inf if last else lengths[:, min(j, lengths.shape[1] - 1)])))
        lowest = np.where(reached, np.minimum(lowest, f - g**2 / np.where(inside, 2 * curve, 1.0)), lowest)
        if not last:
            f, g = f + g * lengths[:, j] + curve * lengths[:, j] ** 2 / 2, g + curve * lengths[:, j]
            lowest = np.minimum(lowest, f)
    at, slope = value(x["point"])
    base = np.where(x["moved"] > 0, x["other"], 0.0)
    at_base, slope_base = value(base)
    return {
        "lhs": (slope - slope_base) ** 2 / (2 * L),
        "excess": at - at_base - slope_base * (x["point"] - base),
        "smaller": slope**2 / (2 * L),
        "admissible": (lowest > 0) & (slopes[:, 0] > 0) & (slopes[:, -1] > 0),
        "resolved": lowest > 1e-9 * L,
        "magnitude": L * (x["point"] ** 2 + base**2),
    }


def bent_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """f on the line with f'' = L s_j on segments of the given lengths, s_j in [-1, 1], and s_0 to the left of 0."""
    L, lengths = x["L"], x["lengths"]
    curves = [L * s for s in x["slopes"]]

    def value(w: Any) -> tuple[Any, Any]:
        if w < 0:
            return curves[0] * w * w / 2, curves[0] * w
        f, g = Fraction(0), Fraction(0)
        for curve, length in zip(curves, [*lengths, None], strict=True):
            part = w if length is None else min(w, length)
            f, g, w = f + g * part + curve * part * part / 2, g + curve * part, w - part
        return f, g

    start, lows = Fraction(0), []
    for curve, length in zip(curves, [*lengths, None], strict=True):
        f, g = value(start)
        if curve > 0 and g < 0 and (length is None or -g / curve <= length):
            lows.append(f - g * g / (2 * curve))
        if length is not None:
            start = start + length
            lows.append(value(start)[0])
    base = x["other"] if x["moved"] > 0 else Fraction(0)
    (at, slope), (at_base, slope_base) = value(x["point"]), value(base)
    met = {
        "L-smooth": max(abs(c) for c in curves) <= L,
        "unique global minimum at 0": curves[0] > 0 and curves[-1] > 0 and min(lows) > 0,
    }
    gap = at - at_base - slope_base * (x["point"] - base)
    return met, {"lhs": (slope - slope_base) ** 2 / (2 * L), "excess": gap, "smaller": slope**2 / (2 * L)}


def _quadratics(step: int, *, moved: bool = False) -> Family:
    def at(d: float) -> Case:
        dim = int(d)
        vectors = tuple(Signed(name, 1e-3, 1e2, (dim,)) for name in ("mirror", "optimum", "point", "other"))
        flags = Choice("moved", (float(moved),)), Choice("step", (float(step),))
        space = Space((LogScale("spectrum", 1e-3, 1e3, (dim,), at=(1e-3, 1.0, 1e3)), *vectors, *flags))
        check = ExactCheck(quadratic_exact, (dot, matvec, curvature, quadratic_loss, quadratic_gradient))
        same = (units({"spectrum": (1, -2), "optimum": (0, 1), "point": (0, 1), "other": (0, 1)}),)
        return Case(f"quadratics, d = {dim}", space, _quadratic, check, symmetries=same)

    return Family("quadratics", (Size("d", 1, 8, 2),), at)


def _any_shape(*, moved: bool = False) -> Case:
    space = Space(
        (
            LogScale("L", 1e-2, 1e2, at=(1.0,)),
            Uniform("slopes", -1.0, 1.0, (5,), at=(-1.0, 1.0)),
            LogScale("lengths", 1e-2, 1e1, (4,), at=(1.0,)),
            Signed("point", 1e-2, 1e2),
            Signed("other", 1e-2, 1e2),
            Choice("moved", (float(moved),)),
        )
    )
    same = (units({"L": (1, -2), "lengths": (0, 1), "point": (0, 1), "other": (0, 1)}),)
    return Case("f″ piecewise constant in [−L, L], not convex", space, _bent, ExactCheck(bent_exact), symmetries=same)


_GAP = Bound(excess, again=lambda excess: 2 * excess - excess, degrees=_DEGREES)

_L11 = Claim(
    id="RA-P-L1.1",
    kind=Kind.INEQUALITY,
    source="Proof of Lemma 1 (A.1), inequality",
    title="Gradient differences against the gap",
    statement=(
        r"f(w)-f(w^\star)-\langle\nabla f(w^\star),w-w^\star\rangle\ge\frac1{2L}\|\nabla f(w)-\nabla f(w^\star)\|^2"
    ),
    says="Above its tangent at w*, f rises by at least the squared change of its gradient over 2L.",
    assumes=("f is L-smooth", "w* is its unique global minimum"),
    readings=(
        Reading(
            "as printed, w* the global minimum",
            "Quadratics, and functions that are not convex.",
            Inequality(_GAP, (_quadratics(1), _any_shape()), degrees=(1, 0)),
        ),
    ),
    canaries=(
        Canary(
            "1/L in place of 1/(2L)",
            Inequality(Bound(excess / 2, degrees=_DEGREES), (_quadratics(1),), degrees=(1, 0)),
            "the sides are equal along an eigenvector of the largest curvature",
        ),
        Canary(
            "any point in place of w*, f not convex",
            Inequality(_GAP, (_any_shape(moved=True),), degrees=(1, 0)),
            "where f bends down it lies below its tangent, and the right side is a square",
        ),
    ),
    tight="w − w* an eigenvector of the largest curvature",
    verdict_words=(
        "It holds at the global minimum, with smoothness alone. The proof cites smoothness for it; for any other point in place of "
        "w* the inequality needs convexity, and without it is false."
    ),
    supremum=1.0,
)

_L12 = Claim(
    id="RA-P-L1.2",
    kind=Kind.INEQUALITY,
    source="Proof of Lemma 1 (A.1), equality",
    title="The gradient at the minimum vanishes",
    statement=r"\frac1{2L}\|\nabla f(w)-\nabla f(w^\star)\|^2=\frac1{2L}\|\nabla f(w)\|^2",
    says="The gradient of f at w* is zero.",
    assumes=("f is differentiable with minimum w*", "checked as: the larger of the two sides is at most the smaller"),
    readings=(
        Reading(
            "as printed",
            "Quadratics with any minimiser.",
            Inequality(
                Bound(smaller, again=lambda smaller: smaller * 3 - 2 * smaller, degrees=_DEGREES),
                (_quadratics(2),),
                degrees=(1, 0),
            ),
        ),
    ),
    canaries=(
        Canary(
            "any point in place of w*",
            Inequality(Bound(smaller, degrees=_DEGREES), (_quadratics(2, moved=True),), degrees=(1, 0)),
            "at w = w* the one side is 0, the other the squared gradient at that point",
        ),
    ),
    tight="always equal",
    depends_on=("RA-P-L1.1",),
    verdict_words="The first-order condition at a minimum.",
    supremum=1.0,
)

CLAIMS: tuple[Claim, ...] = (_L11, _L12)
