"""What draws functions draws members of the class that its constants declare, by the class's own inequalities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from paper_checks.known_truths import pieces
from theory.classes import Family, families
from theory.classes.members import violated
from theory.federations.empirical import logistic_federation
from theory.federations.families import quadratic_family
from theory.federations.nonconvex import RippledFederation

POINTS = 6
ROOM = 1e-9  # of each inequality's own terms: they are sums of a few products


def declared(federation: Any, factor: float = 1.0) -> Family:
    """The class of a federation's constants; L and μ are floats, so a billionth is left to them."""
    constants = federation.constants()
    L = Fraction(factor * float(np.max(constants.L)) * (1 + 1e-9))
    mu = Fraction(float(np.min(constants.mu)) * (1 - 1e-9))
    return families.smooth_convex(L, mu) if 0 < mu < L else families.smooth(L)


def broken(federation: Any, family: Family, reach: float = 2.0) -> list[str]:
    """The inequalities that the clients break at random points."""
    generator = np.random.default_rng(5)
    shape = (POINTS, federation.n_clients, federation.dim)
    models = reach * generator.standard_normal(shape)
    losses = np.stack([np.asarray(federation.losses(m)) for m in models])
    slopes = np.stack([np.asarray(federation.gradients(m)) for m in models])
    return [
        f"client {k}: {label}"
        for k in range(federation.n_clients)
        for label in violated(
            family,
            models[:, k].tolist(),
            slopes[:, k].tolist(),
            losses[:, k].tolist(),
            tolerance=ROOM,
        )
    ]


def logistic() -> Any:
    generator = np.random.default_rng(2)
    X, y = generator.standard_normal((40, 3)), generator.integers(0, 3, 40)
    return logistic_federation(X, y, np.arange(40) % 4, l2=0.1)


def rippled() -> Any:
    generator = np.random.default_rng(3)
    third = np.full(3, 1 / 3)
    return RippledFederation(
        generator.standard_normal((3, 2)), np.array([1.0, 2, 0.5]), np.array([0.5, 3, 0]), np.zeros(3), third
    )


FEDERATIONS = {
    "quadratic": lambda: quadratic_family(n_clients=3, dim=2, seed=1),
    "logistic": logistic,
    "rippled": rippled,
}


@pytest.mark.parametrize("name", FEDERATIONS)
def test_a_federation_is_in_the_class_of_its_constants(name: str) -> None:
    federation = FEDERATIONS[name]()
    assert broken(federation, declared(federation)) == []


@pytest.mark.parametrize("name", ["quadratic", "rippled"])
def test_and_not_in_one_that_is_half_as_smooth(name: str) -> None:
    federation = FEDERATIONS[name]()
    assert broken(federation, declared(federation, 0.5))


def test_piecewise_quadratic_clients_of_the_known_truths_are_in_theirs() -> None:
    generator = np.random.default_rng(4)
    for _ in range(20):
        slopes = [Fraction(int(s), 10) for s in generator.integers(1, 11, 4)]
        knots = [Fraction(int(k), 10) for k in generator.integers(1, 20, 2)]
        pull = Fraction(int(generator.integers(-10, 11)), 10)
        xs = [Fraction(int(x), 10) for x in generator.integers(-30, 31, POINTS)]
        xs = sorted(set(xs))
        rows = (
            [[x] for x in xs],
            [[pieces.slope_at(slopes, knots, pull, x)] for x in xs],
            [pieces.value_at(slopes, knots, pull, x) for x in xs],
        )
        assert violated(families.smooth_convex(1, "1/11"), *rows) == []
        far = [Fraction(10), Fraction(11)]
        values = (
            [[x] for x in far],
            [[pieces.slope_at(slopes, knots, pull, x)] for x in far],
            [pieces.value_at(slopes, knots, pull, x) for x in far],
        )
        assert violated(families.smooth_convex(slopes[3] * Fraction(9, 10)), *values)
