"""The world of a few updates: vectors in space, or many on a line, and what a claim needs beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from paper_checks.fedaware.notation import NOTATION
from theory.worlds.hull import (
    SHORTEST,
    changed,
    changed_exact,
    hull,
    hull_exact,
    reflected,
    reordered,
    reordered_exact,
)
from validation import (
    Case,
    Family,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    rotated_space,
    units,
)
from validation.statement.instances.draw import Coordinate
from validation.world.world import World, case

# Vectors in space: more than five are solved by another method than few, fast and exactly.
MANY = 8
__all__ = ["MANY", "any_order", "any_vectors", "in_order", "one_more", "vectors"]


def _more(n: int, d: int) -> Mapping[str, tuple[Coordinate, bool, bool]]:
    """Further coordinates of n vectors of dimension d: how one is drawn, whether clients come first, whether in units of m."""
    return {
        "mu": (Simplex("mu", n), True, False),
        "weights": (Simplex("weights", n), True, False),
        "ratio": (LogScale("ratio", 1e-2, 1e2, (n,), at=(1.0,)), True, False),
        "any ratio": (Signed("ratio", 1e-2, 1e2, (n,)), True, False),
        "here": (Uniform("here", 0.0, 1.0, (n,)), True, False),
        "alpha": (Uniform("alpha", 0.05, 1.0, at=(0.5, 1.0)), False, False),
        "u": (Signed("u", 1e-2, 1e2, (d,)), False, True),
        "other": (Signed("other", 1e-2, 1e2, (d,)), False, True),
        "model": (Signed("model", 1e-2, 1e2, (d,)), False, True),
        "first": (Signed("first", 1e-2, 1e2, (d,)), False, True),
        "joining": (Signed("joining", 1e-2, 1e2, (d,)), False, True),
        "mirror": (Signed("mirror", 1e-2, 1.0, (d,)), False, True),
        "slack": (LogScale("slack", 1e-3, 10.0), False, False),
        "scale": (Signed("scale", 1e-2, 1e2), False, False),
        "scales": (Signed("scale", 1e-2, 1e2, (n,)), True, False),
        "shake": (Signed("shake", 1e-4, 1e2, (n, d)), True, True),
    }


def vectors(
    observe: Callable[..., Mapping[str, Any]],
    plain: Callable[..., tuple[Mapping[str, bool], Mapping[str, Any]]],
    *more: str,
    uses: tuple[Callable[..., Any], ...] = (),
    symmetric: bool = True,
    line: bool = True,
    least: int = 1,
    most: int = 4,
    dim: int = 2,
    least_dim: int = 1,
    **chosen: Any,
) -> World:
    """Any `least` to `most` vectors m of `least_dim` to 8 dimensions, usually `dim`; with `line` up to 300 on a line.

    The search varies one size of a family at a time: many vectors in many dimensions are cases of their own.

    `more`: further coordinates by name; `chosen`: what both observers take. `symmetric`: blind to the order of the
    vectors, and to a turn of the space.
    """

    def at(N: float, d: float = 1) -> Case:
        n, size = int(N), int(d)
        extra = [_more(n, size)[name] for name in more]
        space = Space((Signed("m", 1e-2, 1e2, (n, size)), *(c for c, _, _ in extra)))
        axes = {"m": 0, **{c.name: 0 for c, clients, _ in extra if clients}}
        turned = ("m", *(c.name for c, _, lengths in extra if lengths))
        same = (units(dict.fromkeys(turned, (0, 1))), permuted_clients(axes), rotated_space(turned))
        return case(
            f"{n} vectors, d = {size}",
            space,
            observe,
            plain,
            uses=(*SHORTEST, *uses),
            cost=max(1.0, n / 75),
            symmetries=(same if size > 1 else same[:2]) if symmetric else (),
            **chosen,
        )

    few = Family("vectors in space", (Size("N", least, most, min(3, most)), Size("d", least_dim, 8, dim)), at)
    many = Family("vectors on a line", (Size("N", least, 300, 3),), at)
    crowded = (at(most, 5), at(6, 8)) if most > 4 else ()
    return World(NOTATION, (few, many, *crowded) if line else (few, *crowded))


def any_vectors(*more: str, asked: str = "", symmetric: bool = True) -> World:
    """What leans on the shortest point of any vectors; see `theory.worlds.hull.hull`."""
    return vectors(hull, hull_exact, *more, symmetric=symmetric, most=MANY, asked=asked)


def one_more(by: str, *more: str, symmetric: bool = True, least: int = 1) -> World:
    """The shortest point before and after a change; see `theory.worlds.hull.changed`."""
    return vectors(changed, changed_exact, *more, uses=(reflected,), symmetric=symmetric, least=least, most=MANY, by=by)


def any_order(*, turn: bool = False, symmetric: bool = True) -> World:
    """Two solutions, the vectors in two orders; see `theory.worlds.hull.reordered`."""
    return vectors(reordered, reordered_exact, symmetric=symmetric, most=MANY, turn=turn)


def in_order(asked: str = "") -> World:
    """The same of a few vectors in space, affinely independent where that is asked; many where only the active ones are."""
    most = MANY if asked == "active" else 4  # eight in five dimensions depend on each other
    return vectors(reordered, reordered_exact, symmetric=False, line=False, most=most, asked=asked)
