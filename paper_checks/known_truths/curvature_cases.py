"""The instances of K1 to K6: functions of known L and μ in any basis, at one or two points, in floats and exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.known_truths.exact import CURVED, smooth_function
from theory.exact import dot
from validation import Case, Choice, ExactCheck, Family, Instance, LogScale, Signed, Size, Space
from validation.statement.draw import Coordinate

__all__ = ["families"]

Check = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]


def _turn(reflectors: Any, u: Any) -> Any:
    """Q u, reflector by reflector from the last; a zero reflector leaves u as it is."""
    for r in np.moveaxis(reflectors, 1, 0)[::-1]:
        size = (r * r).sum(axis=-1, keepdims=True)
        u = u - 2 * r * (r * u).sum(axis=-1, keepdims=True) / np.where(size > 0, size, 1.0)
    return u


def _function(x: Instance) -> tuple[Any, Any, Callable[[Any], Any], Callable[[Any], Any]]:
    """(L, μ, F, ∇F), worked in the turned basis z = Qᵀw, in which F is a sum over the axes."""
    turns = x.get("reflectors", np.zeros((1, 0, 1)))
    if "kink" not in x:
        s = x["spectrum"]
        return (
            np.abs(s).max(axis=-1),
            s.min(axis=-1),
            lambda w: 0.5 * (s * _turn(turns[:, ::-1], w) ** 2).sum(axis=-1),
            lambda w: _turn(turns, s * _turn(turns[:, ::-1], w)),
        )
    flat, extra, kink = x["flat"], x["extra"], x["kink"]

    def value(w: Any) -> Any:
        z = _turn(turns[:, ::-1], w)
        near = np.minimum(np.abs(z), kink)
        return (0.5 * flat * z**2 + extra * near * (np.abs(z) - 0.5 * near)).sum(axis=-1)

    def slope(w: Any) -> Any:
        z = _turn(turns[:, ::-1], w)
        return _turn(turns, flat * z + extra * np.clip(z, -kink, kink))

    return (flat + extra).max(axis=-1), flat.min(axis=-1), value, slope


def _two_points(x: Instance, left: str) -> Mapping[str, Any]:
    """Everything K1, K2 and K5 speak of at x and y = x + step; `left` names the side called lhs."""
    L, mu, F, gradient = _function(x)
    at, step = x["point"], x["step"]
    here, there = gradient(at), gradient(at + step)
    change = there - here
    F_x, F_y, slope, step2 = F(at), F(at + step), (here * step).sum(axis=-1), (step**2).sum(axis=-1)
    terms = np.abs(F_x) + np.abs(F_y) + np.abs(slope)
    sides = {"bregman": F_y - F_x - slope, "parabola": mu * step2 / 2, "change": (change**2).sum(axis=-1) / L}
    # Where the step is lost in the rounding of the values it is computed from, floats say nothing.
    visible = {
        "bregman": L * step2 > 1e-5 * terms,
        "parabola": mu * step2 > 1e-5 * terms,
        "change": (change**2).sum(axis=-1) > 1e-11 * L**2 * (at**2 + step**2).sum(axis=-1),
    }
    return {
        "lhs": sides[left],
        "L": L,
        "mu": mu,
        "F_x": F_x,
        "F_y": F_y,
        "linear": slope,
        "step2": step2,
        "inner": (change * step).sum(axis=-1),
        "magnitude": terms,
        "admissible": visible[left] | (step2 == 0),
    }


def _one_point(x: Instance, left: str) -> Mapping[str, Any]:
    """Everything K3, K4 and K6 speak of at w; `left` names the side called lhs."""
    L, mu, F, gradient = _function(x)
    squares = gradient(x["point"]) ** 2
    found = {"excess": F(x["point"]), "grad2": squares.sum(axis=-1), "dist2": (x["point"] ** 2).sum(axis=-1)}
    sides = {"gradient": found["grad2"], "excess": 2 * mu * found["excess"], "distance": mu**2 * found["dist2"]}
    return {"lhs": sides[left], "L": L, "mu": mu, "top2": squares.max(axis=-1), **found}


def k1_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(y) − F(x) − <grad F(x), y − x> with y = x + step."""
    hypotheses, L, mu, F, gradient = smooth_function(x)
    point, step = x["point"], x["step"]
    slope = dot(gradient(point), step)
    gap = F([a + b for a, b in zip(point, step, strict=True)]) - F(point) - slope
    return hypotheses, {"lhs": gap, "L": L, "mu": mu, "step2": dot(step, step), "linear": slope}


def k2_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(mu/2)|y − x|^2 with y = x + step."""
    hypotheses, L, mu, F, gradient = smooth_function(x)
    point, step = x["point"], x["step"]
    y = [a + b for a, b in zip(point, step, strict=True)]
    values = {"F_x": F(point), "F_y": F(y), "linear": dot(gradient(point), step)}
    return hypotheses, {"lhs": mu * dot(step, step) / 2, "L": L, "mu": mu, **values}


def k5_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|grad F(x) − grad F(y)|^2/L with y = x + step."""
    hypotheses, L, mu, _, gradient = smooth_function(x)
    point, step = x["point"], x["step"]
    y = [a + b for a, b in zip(point, step, strict=True)]
    change = [b - a for a, b in zip(gradient(point), gradient(y), strict=True)]
    constants = {"L": L, "mu": mu, "inner": dot(change, step), "step2": dot(step, step)}
    return hypotheses, {"lhs": dot(change, change) / L, **constants}


def k3_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|grad F(w)|^2 against the excess F(w) − F*, F* = 0."""
    hypotheses, L, mu, F, gradient = smooth_function(x)
    slope = gradient(x["point"])
    return hypotheses, {"lhs": dot(slope, slope), "L": L, "mu": mu, "excess": F(x["point"])}


def k4_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """2 mu (F(w) − F*) against the squared gradient, F* = 0."""
    hypotheses, L, mu, F, gradient = smooth_function(x)
    slope = gradient(x["point"])
    constants = {"L": L, "mu": mu, "grad2": dot(slope, slope), "top2": max(g * g for g in slope)}
    return hypotheses, {"lhs": 2 * mu * F(x["point"]), **constants}


def k6_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """mu^2 |w − w*|^2 against the squared gradient, w* = 0."""
    hypotheses, L, mu, _, gradient = smooth_function(x)
    slope, point = gradient(x["point"]), x["point"]
    constants = {"L": L, "mu": mu, "grad2": dot(slope, slope), "top2": max(g * g for g in slope)}
    return hypotheses, {"lhs": mu**2 * dot(point, point), **constants}


_CHECKS: Mapping[str, Check] = {
    "bregman": k1_exact,
    "parabola": k2_exact,
    "gradient": k3_exact,
    "excess": k4_exact,
    "change": k5_exact,
    "distance": k6_exact,
}


def _case(kind: str, left: str, *, d: float) -> Case:
    dim = int(d)
    turns: tuple[Coordinate, ...] = (Signed("reflectors", 1e-2, 1.0, (min(2, dim - 1), dim)),) if dim > 1 else ()
    curvature = partial(LogScale, low=1e-3, high=1e3, shape=(dim,), at=(1e-3, 1.0, 1e3))
    shapes: dict[str, tuple[Coordinate, ...]] = {
        "quadratic": (curvature("spectrum"),),
        "bent quadratic": (curvature("flat"), curvature("extra"), LogScale("kink", 1e-3, 1e3, (dim,))),
        "indefinite quadratic": (Signed("spectrum", 1e-3, 1e3, (dim,)), Choice("nonconvex", (1.0,))),
    }
    points: tuple[Coordinate, ...] = (Signed("point", 1e-6, 1e3, (dim,)),)
    pair = left in {"bregman", "parabola", "change"}
    if pair:
        points = (*points, Signed("step", 1e-6, 1e3, (dim,)))
    measure = partial(_two_points if pair else _one_point, left=left)
    return Case(
        f"{kind}, d = {dim}", Space((*shapes[kind], *turns, *points)), measure, ExactCheck(_CHECKS[left], CURVED)
    )


def families(left: str, *kinds: str) -> tuple[Family, ...]:
    """One family a kind, over the dimension d.

    `left` names the left side: "bregman" F(y) − F(x) − ⟨∇F(x), y−x⟩, "parabola" (μ/2)‖y−x‖², "change"
    ‖∇F(x) − ∇F(y)‖²/L, "gradient" ‖∇F(w)‖², "excess" 2μ(F(w) − F*), "distance" μ²‖w − w*‖².
    `kinds`: "quadratic" in any basis; "bent quadratic", of one curvature near w* and a smaller one farther out along
    each axis; "indefinite quadratic", L-smooth but not convex.
    """
    return tuple(Family(kind, (Size("d", 1, 8, 2),), partial(_case, kind, left)) for kind in kinds)
