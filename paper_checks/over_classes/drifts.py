"""Drift inside a round, noise and sampling, over every vectors that meet the hypotheses.

A random vector is a vector, with E⟨·, ·⟩ for the inner product: E‖g‖² <= G² is a hypothesis on its length, and samples
that are independent with mean 0 are orthogonal. So these need no expectation of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from paper_checks.over_classes.instances import OverClass
from theory.classes import Condition, Form, Function, Number, Problem, Statement, Vector, families, number

__all__ = ["DRIFTS"]


def _local(p: Problem, steps: Sequence[Number], n_clients: int) -> tuple[list[Vector], list[Condition]]:
    """Σₛ ηₛgᵢˢ of every client, any vectors with ‖gᵢˢ‖ <= 1."""
    moves, given = [], []
    for i in range(n_clients):
        gradients = [p.point(f"g{i + 1}.{s}") for s in range(len(steps))]
        given += [g**2 <= 1 for g in gradients]
        moves.append(_total([g * step for g, step in zip(gradients, steps, strict=True)]))
    return moves, given


def _total(vectors: Sequence[Vector]) -> Vector:
    return sum(vectors[1:], vectors[0])


def _drift(weights: Sequence[Number], steps: Sequence[Number], bound: Number) -> Statement:
    """Σρ‖W̄ − Wᵢ‖² <= bound after these steps from a common model, in units of ηₜ² and G²."""
    p = Problem()
    moves, given = _local(p, steps, len(weights))
    mean = _total([m * a for m, a in zip(moves, weights, strict=True)])
    apart = sum(((mean - m) ** 2 * number(a) for m, a in zip(moves, weights, strict=True)), Form())
    return p.statement(apart, bound, given=given)


def _noise(weights: Sequence[str], *, independent: bool) -> Statement:
    """‖Σρᵢnᵢ‖² <= Σρᵢ²σᵢ²."""
    p = Problem()
    noise = [p.point(f"n{i + 1}") for i in range(len(weights))]
    given = [(a * b).equals(0) for i, a in enumerate(noise) for b in noise[:i]] if independent else []
    right = sum((number(a) ** 2 * n**2 for a, n in zip(weights, noise, strict=True)), Form())
    return p.statement(
        _total([n * number(a) for a, n in zip(weights, noise, strict=True)]) ** 2 - right, 0, given=given
    )


def _client_drift(share: str, *, every: bool) -> Statement:
    """‖x₁ − x‖² after two local steps, of one client of this share or of the mean client, noise 0, K = 2, η = 1/16.

    `every`: the clients differ by linear terms, so that A4.1 holds at every x as at the broadcast model; else they are
    any two functions, and of A4.1 the broadcast model alone is used.
    """
    p = Problem()
    a, step = number(share), number("1/16")
    shares = (a, 1 - a)
    x = p.point("x")
    if every:
        common = p.function(families.smooth(1), "common")
        slopes = [p.point(name) for name in ("slope1", "slope of the rest")]
        gradients: list[Callable[[Vector], Vector]] = [partial(_tilted, common, slope) for slope in slopes]
    else:
        gradients = [p.function(families.smooth(1), name).gradient for name in ("f1", "rest")]
    ends = []
    for gradient in gradients:
        first = x - step * gradient(x)
        ends.append(first - step * gradient(first))
    here = [gradient(x) for gradient in gradients]
    whole = _total([g * b for g, b in zip(here, shares, strict=True)])
    spread = sum((b * (g - whole) ** 2 for b, g in zip(shares, here, strict=True)), Form())
    mean = sum((b * (end - x) ** 2 for b, end in zip(shares, ends, strict=True)), Form())
    left = (ends[0] - x) ** 2 if every else mean
    return p.statement(left - 5 * 2 * step**2 * 6 * 2 * (spread + whole**2), 0)


def _tilted(common: Function, slope: Vector, at: Vector) -> Vector:
    """∇(f + ⟨slope, ·⟩)."""
    return common.gradient(at) + slope


_VECTORS = "every random vectors with E‖g‖² <= G² at the points visited"
_HALVED = "steps 2η, …, 2η of a round, η at its end"

DRIFTS: Sequence[OverClass] = (
    OverClass(
        "EA-L2",
        "‖Σρᵢnᵢ‖² <= Σρᵢ²‖nᵢ‖² of independent samples",
        "N = 3, weights 1/6, 1/3 and 1/2",
        partial(_noise, ("1/6", "1/3", "1/2"), independent=True),
        "proved",
        "corrected",
    ),
    OverClass(
        "EA-L2",
        "the same without independence, which the print does not assume",
        "N = 2, weights 1/3 and 2/3",
        partial(_noise, ("1/3", "2/3"), independent=False),
        "refuted",
    ),
    OverClass(
        "EFL-L2",
        "‖Σpᵢnᵢ‖² <= Σpᵢ²‖nᵢ‖² of independent samples",
        "N = 3, p = 1/6, 1/3 and 1",
        partial(_noise, ("1/6", "1/3", "1"), independent=True),
        "proved",
    ),
    OverClass(
        "EA-L3",
        "Σρ‖W̄ − Wᵢ‖² <= 4ηₜ²(E − 1)G²",
        f"N = 2, E = 3, weights 1/2, {_HALVED}; {_VECTORS}",
        partial(_drift, ("1/2", "1/2"), (2, 2), 8),
        "refuted",
    ),
    OverClass(
        "EA-L3",
        "the same with (E − 1)²",
        f"N = 2, E = 3, weights 1/3 and 2/3, {_HALVED}; {_VECTORS}",
        partial(_drift, ("1/3", "2/3"), (2, 2), 16),
        "proved",
        "corrected",
    ),
    OverClass(
        "RA-L2",
        "Σα‖w − wᵢ‖² <= 16ηₜ²E²G²",
        f"N = 2, E = 3, weights 1/3 and 2/3, {_HALVED}; {_VECTORS}",
        partial(_drift, ("1/3", "2/3"), (2, 2), 144),
        "proved",
        "corrected",
    ),
    OverClass(
        "EA-L5",
        "E‖W̃ − W̄‖² <= 4ηₜ²EG²/K of K clients drawn",
        f"N = 2, K = 1, E = 2, weights 1/2, steps 2η and η; {_VECTORS}",
        partial(_drift, ("1/2", "1/2"), (2, 1), 8),
        "refuted",
    ),
    OverClass(
        "EA-L5",
        "the same with E²",
        f"N = 2, K = 1, E = 2, weights 1/3 and 2/3, steps 2η and η; {_VECTORS}",
        partial(_drift, ("1/3", "2/3"), (2, 1), 16),
        "proved",
        "corrected",
    ),
    OverClass(
        "FA-LA1",
        "‖xᵢ − x‖² of every client, as printed",
        "N = 40, 39 of them alike, K = 2, η = 1/(8LK), L = 1, no noise; every smooth function, the same of all clients "
        "but for linear terms, so that A4.1 is met at every x",
        partial(_client_drift, "1/40", every=True),
        "refuted",
    ),
    OverClass(
        "FA-LA1",
        "the mean of ‖xᵢ − x‖² over the clients",
        "N = 2, K = 2, η = 1/(8LK), L = 1, no noise; every smooth functions",
        partial(_client_drift, "1/2", every=False),
        "proved",
        "corrected",
    ),
)
