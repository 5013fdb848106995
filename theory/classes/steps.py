"""Steps of methods that are more than a gradient step: implicit, line-searched, inexact, in a Bregman geometry."""

from __future__ import annotations

from collections.abc import Iterable

from theory.classes.numbers import Number, number
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
    """(x₊, g) with x₊ = argmin F + ‖· − x‖²/(2·step), that is x₊ = x − step·g and g ∈ ∂F(x₊); a resolvent too."""
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    after = x - number(step) * g
    F.add(after, g)
    return after, g


def linear_minimiser(direction: Vector, F: Function) -> Vector:
    """argmin ⟨direction, ·⟩ + F, that is y with −direction ∈ ∂F(y)."""
    y = F.problem.point(f"y{len(F.samples)}({F.name})")
    F.add(y, -direction)
    return y


def exact_line_search(x: Vector, F: Function, directions: Iterable[Vector]) -> Vector:
    """The minimiser over x + span(directions): its gradient is orthogonal to them and to the move."""
    after = F.problem.point(f"x{len(F.samples)}({F.name})")
    g = F.gradient(after)
    for direction in (after - x, *directions):
        F.problem.require((g * direction).equals(0), "line search")
    return after


def inexact_gradient(x: Vector, F: Function, relative: Number) -> Vector:
    """A vector d with ‖d − ∇F(x)‖ <= relative·‖∇F(x)‖."""
    g, size = F.gradient(x), number(relative)
    d = F.problem.point("d")
    F.problem.require((g - d) ** 2 <= size * size * g**2, "inexact gradient")
    return d


def inexact_proximal(x: Vector, F: Function, step: Number) -> tuple[Vector, Vector, Form]:
    """(x₊, g, ‖e‖²/2) of a proximal step with an error e in its equation: x₊ = x − step·g + e, g ∈ ∂F(x₊)."""
    e = F.problem.point("e")
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    after = x - number(step) * g + e
    F.add(after, g)
    return after, g, e**2 / 2


def epsilon_subgradient(x: Vector, F: Function) -> tuple[Vector, Form]:
    """(g, ε) with F(z) >= F(x) + ⟨g, z − x⟩ − ε for all z: g is a subgradient somewhere, with that conjugate value."""
    g = F.problem.point(f"g{len(F.samples)}({F.name})")
    y = F.problem.point(f"y{len(F.samples)}({F.name})")
    sample = F.add(y, g)
    return g, F(x) + g * y - sample.f - g * x


def mirror_step(slope: Vector, mirror: Function | Sum) -> Vector:
    """x with `slope` ∈ ∂(mirror)(x)."""
    terms = mirror.terms if isinstance(mirror, Sum) else ((number(1), mirror),)
    x = terms[0][1].problem.point("x")
    Sum(terms).set_gradient(x, slope)
    return x
