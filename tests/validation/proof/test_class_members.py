"""Explicit members of classes: in the class by its own inequalities, exact, fast, drawn through exact points."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.classes import Problem, families
from theory.classes.members import MatrixOperator, PiecewiseQuadratic, Separable, bent, huber, through, violated
from validation import decide_class
from validation.proof.classes.shown import functions_of
from validation.report.pictures.class_functions import drawings

rationals = st.fractions(-3, 3, max_denominator=12)


@st.composite
def piecewise(draw: Any, low: Fraction = Fraction(1, 5), high: Fraction = Fraction(2)) -> PiecewiseQuadratic:
    knots = sorted(draw(st.sets(rationals, min_size=1, max_size=4)))
    between = st.fractions(low, high, max_denominator=12)
    curvatures = draw(st.lists(between, min_size=len(knots) + 1, max_size=len(knots) + 1))
    return PiecewiseQuadratic(tuple(knots), tuple(curvatures), draw(rationals), draw(rationals))


@given(piecewise(), st.lists(rationals, min_size=2, max_size=6, unique=True))
def test_what_lies_between_the_curvatures_is_in_the_class_and_no_smaller_one(f: PiecewiseQuadratic, xs: Any) -> None:
    rows = [[x] for x in xs], [[f.gradient(x)] for x in xs], [f(x) for x in xs]
    assert violated(families.smooth_convex(2, "1/5"), *rows) == []
    far = [f.knots[-1] + 1, f.knots[-1] + 2]
    sharper = families.smooth_convex(f.curvatures[-1] - Fraction(1, 100), 0)
    assert violated(sharper, [[x] for x in far], [[f.gradient(x)] for x in far], [f(x) for x in far])


@given(piecewise(low=Fraction(-2)), st.lists(rationals, min_size=1, max_size=5, unique=True))
def test_through_its_own_points_goes_a_function_of_the_class(f: PiecewiseQuadratic, xs: Any) -> None:
    made = through([(x, f.gradient(x), f(x)) for x in xs], 2, -2)
    assert all(-2 <= c <= 2 for c in made.curvatures)
    assert all(made(x) == f(x) and made.gradient(x) == f.gradient(x) for x in xs)


@given(piecewise(), st.lists(rationals, min_size=1, max_size=5))
def test_arrays_and_rationals_agree(f: PiecewiseQuadratic, xs: Any) -> None:
    at = np.array([float(x) for x in xs])
    assert np.allclose(f(at), [float(f(x)) for x in xs], atol=1e-12)
    assert np.allclose(f.gradient(at), [float(f.gradient(x)) for x in xs], atol=1e-12)


def test_huber_bent_and_a_sum_over_coordinates() -> None:
    h, b = huber(2, Fraction(1, 2), at=1), bent(1, 3)
    assert (h(1), h(Fraction(3, 2)), h(3), h.gradient(3), h.gradient(-5)) == (0, Fraction(1, 4), Fraction(7, 4), 1, -1)
    assert (b(-2), b(2), b.gradient(-2), b.gradient(2)) == (2, 6, -2, 6)
    f = Separable((h, b))
    xs = [[Fraction(3), Fraction(2)], [Fraction(0), Fraction(-1)], [Fraction(5, 4), Fraction(1)]]
    assert f(xs[0]) == Fraction(31, 4)
    assert violated(families.smooth_convex(3), xs, [f.gradient(x) for x in xs], [f(x) for x in xs]) == []
    assert violated(families.smooth_convex(2), xs, [f.gradient(x) for x in xs], [f(x) for x in xs])
    floats = np.array([[float(c) for c in x] for x in xs])
    assert np.allclose(f(floats), [float(f(x)) for x in xs])
    assert np.allclose(f.gradient(floats)[0], [1, 6])


def test_operators_have_the_monotonicity_they_are_made_with_and_no_more() -> None:
    A = MatrixOperator(((Fraction(1, 2), 1), (1, 2)))
    xs = [[1, 2, 0, 0], [0, 0, 1, 3], [2, 0, 1, 1]]
    images = [A(x) for x in xs]
    eigenvalues = np.linalg.eigvals(np.array([A(row) for row in np.eye(4)]))
    assert sorted(eigenvalues.imag) == pytest.approx([-2, -1, 1, 2])
    assert (A.strong_monotonicity, A.squared_lipschitz, A.cocoercivity) == (Fraction(1, 2), 5, Fraction(1, 5))
    for family in (families.strongly_monotone("1/2"), families.cocoercive("1/5"), families.monotone()):
        assert violated(family, xs, images) == []
    first = [[0, 0, 0, 0], [1, 2, 0, 0]]
    second = [[0, 0, 0, 0], [0, 0, 1, 3]]
    assert violated(families.strongly_monotone("51/100"), first, [A(x) for x in first])
    assert violated(families.cocoercive("21/100"), second, [A(x) for x in second])
    assert violated(families.lipschitz_operator("223/100"), second, [A(x) for x in second])


@pytest.mark.parametrize(
    "points", [[(0, 0, 0), (1, 3, 1)], [(0, 0, 0), (1, -1, 0)], [(0, 0, 0), (1, 1, 0)], [(0, 0, 0), (0, 1, 0)]]
)
def test_points_of_no_function_of_the_class_are_refused(points: Any) -> None:
    with pytest.raises(ValueError, match="through: "):
        through(points, 2)


def test_a_counterexample_on_the_line_is_a_function_that_replays_it_and_a_drawing() -> None:
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    optimum, start = F.minimiser(), p.point("x0")
    x = start - F.gradient(start)
    statement = p.statement(F(x) - F(optimum), "4/25", given=[(start - optimum) ** 2 <= 1])
    witness = decide_class(statement).witness
    assert witness is not None
    assert witness.dimension == 1
    shown = functions_of(witness)["F"]
    f, (at, first) = shown.function, (shown.asked[0][0], shown.asked[1][0])
    assert all(0 <= c <= 1 for c in f.curvatures)
    z = first - f.gradient(first)
    assert (first - at) ** 2 <= 1
    assert f.gradient(at) == 0
    assert f(z) - f(at) > Fraction(4, 25)
    svg = ElementTree.fromstring(drawings({"F": shown})["F"])
    assert sum(node.tag == "circle" for node in svg.iter()) == len(shown.asked)
