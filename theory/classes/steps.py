"""Steps of methods that are more than a gradient step: implicit, line-searched, inexact, in a Bregman geometry."""

from __future__ import annotations

from collections.abc import Iterable

from theory.classes.numbers import Number, number, sign
from theory.classes.problem import Function, Sum
from theory.classes.vectors import Form, Vector

__all__ = [
    "epsilon_subgradient",
    "exact_line_search",
    "inexact_gradient",
    "inexact_proximal",
    "linear_minimiser",
    "mirror_step",
    "proximal",
]


def proximal(x: Vector, F: Function, step: Number) -> tuple[Vector, Vector]:
    """(x₊, g) with x₊ = argmin F + ‖· − x‖²/(2·step), that is x₊ = x − step·g and g ∈ ∂F(x₊); a resolvent too.

    Raises `ValueError` for a step that is not > 0, and, as all steps that minimise, where F need not be convex.
    """
    _minimises("proximal", F, step)
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    after = x - number(step) * g
    F.add(after, g)
    return after, g


def linear_minimiser(direction: Vector, F: Function) -> Vector:
    """argmin ⟨direction, ·⟩ + F, that is y with −direction ∈ ∂F(y), F convex."""
    _minimises("linear_minimiser", F)
    y = F.problem.point(f"y{len(F.samples)}({F.name})")
    F.add(y, -direction)
    return y


def exact_line_search(x: Vector, F: Function, directions: Iterable[Vector]) -> Vector:
    """The minimiser over x + span(directions) of a convex F: its gradient is orthogonal to them and to the move.

    That the move lies in the span is not among the conditions of a proof; an instance is checked for it.
    """
    _minimises("exact_line_search", F)
    directions = tuple(directions)
    after = F.problem.point(f"x{len(F.samples)}({F.name})")
    g = F.gradient(after)
    for direction in (after - x, *directions):
        F.problem.require((g * direction).equals(0), "line search")
    F.problem.spans.append((after - x, directions))
    return after


def inexact_gradient(x: Vector, F: Function, relative: Number) -> Vector:
    """A vector d with ‖d − ∇F(x)‖ <= relative·‖∇F(x)‖."""
    g, size = F.gradient(x), number(relative)
    d = F.problem.point("d")
    F.problem.require((g - d) ** 2 <= size * size * g**2, "inexact gradient")
    return d


def inexact_proximal(x: Vector, F: Function, step: Number) -> tuple[Vector, Vector, Form]:
    """(x₊, g, ‖e‖²/2) of a proximal step with an error e in its equation: x₊ = x − step·g + e, g ∈ ∂F(x₊)."""
    _minimises("inexact_proximal", F, step)
    e = F.problem.point("e")
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    after = x - number(step) * g + e
    F.add(after, g)
    return after, g, e**2 / 2


def epsilon_subgradient(x: Vector, F: Function) -> tuple[Vector, Form]:
    """(g, ε) with F(z) >= F(x) + ⟨g, z − x⟩ − ε for all z: g is a subgradient somewhere, with that conjugate value.

    Raises `ValueError` where F need not be convex.
    """
    _minimises("epsilon_subgradient", F)
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    y = F.problem.point(f"y{len(F.samples)}({F.name})")
    sample = F.add(y, g)
    return g, F(x) + g * y - sample.f - g * x


def _minimises(step: str, F: Function, length: Number = 1) -> None:
    """Refuses what is a minimiser for convex functions and positive steps alone."""
    if not F.family.convex:
        raise ValueError(f"{step}: {F.name} need not be convex, and a point with that gradient need not be a minimiser")
    if sign(number(length)) <= 0:
        raise ValueError(f"{step}: a step of {length}; expected > 0")


def mirror_step(slope: Vector, mirror: Function | Sum) -> Vector:
    """x with `slope` ∈ ∂(mirror)(x)."""
    terms = mirror.terms if isinstance(mirror, Sum) else ((number(1), mirror),)
    x = terms[0][1].problem.point("x")
    Sum(terms).set_gradient(x, slope)
    return x
