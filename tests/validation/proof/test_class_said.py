"""What a statement over a class is taken to say: steps that minimise, spans, conditions, and whose vectors they are."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from theory.classes import Condition, Problem, Statement, families, least, sqrt, steps
from theory.classes.crowd import Crowd
from theory.classes.families import Family
from validation import decide_class
from validation.proof.classes import decide_range

NONCONVEX = [families.smooth(1), families.pl("1/2", 1), families.rsi(1, 2)]


@pytest.mark.parametrize("family", NONCONVEX, ids=lambda f: f.name)
@pytest.mark.parametrize(
    "step",
    [
        lambda x, F: steps.proximal(x, F, 2),
        lambda x, F: steps.inexact_proximal(x, F, 2),
        steps.linear_minimiser,
        steps.epsilon_subgradient,
        lambda x, F: steps.exact_line_search(x, F, [x]),
    ],
)
def test_steps_that_minimise_are_refused_where_a_function_need_not_be_convex(
    family: Family, step: Callable[..., Any]
) -> None:
    p = Problem()
    with pytest.raises(ValueError, match="need not be convex"):
        step(p.point("x"), p.function(family, "F"))


@pytest.mark.parametrize("length", [0, -1, "-1/2"])
def test_implicit_steps_are_positive(length: Any) -> None:
    p = Problem()
    with pytest.raises(ValueError, match="expected > 0"):
        steps.proximal(p.point("x"), p.function(families.convex(), "F"), length)


def test_a_class_without_values_has_none() -> None:
    for family in (families.rsi(1, 2), families.monotone()):
        p = Problem()
        F = p.function(family, "F")
        with pytest.raises(ValueError, match="nothing is known of values"):
            F(p.point("x"))
    q = Problem()
    assert q.function(families.indicator())(q.point("x")).is_constant


def _searched(bound: Any, *, scaled: Any = 1) -> Statement:
    """⟨x₊ − x, u⟩ is 0 where u is orthogonal to the only direction of the line search from x to x₊."""
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    best, x, d, u = F.minimiser(), p.point("x"), p.point("d"), p.point("u")
    after = steps.exact_line_search(x, F, [d])
    near = [(x - best) ** 2 <= 1, u**2 <= 1, d**2 <= 1, (d * u).equals(0)]
    return p.statement(scaled * ((after - x) * u), bound, given=near)


def test_a_line_search_moves_within_its_span() -> None:
    assert decide_class(_searched("1/2")).word != "refuted"
    assert decide_class(_searched("1/2", scaled=-1)).word != "refuted"


@pytest.mark.parametrize("n", [1, 2])
def test_line_searches_along_gradients_are_refuted_by_moves_along_them(n: int) -> None:
    p = Problem()
    F = p.function(families.smooth_convex(L=1, mu="1/10"), "F")
    best, start = F.minimiser(), p.point("x0")
    x = start
    for _ in range(n):
        x = steps.exact_line_search(x, F, [F.gradient(x)])
    rate = Fraction(9, 11) ** (2 * n)
    statement = p.statement(F(x) - F(best), rate * Fraction(99, 100), given=[F(start) - F(best) <= 1])
    decision = decide_class(statement)
    assert decision.word == "refuted"
    assert decision.witness is not None
    assert decision.witness.statement.spans


def test_a_minimiser_has_gradient_zero() -> None:
    p = Problem()
    F = p.function(families.convex(), "F")
    with pytest.raises(ValueError, match="another gradient than 0"):
        F.add(p.point("x"), p.point("g"), least=True)


def test_a_point_with_the_least_value_is_a_minimiser_of_functions_that_grow_quadratically() -> None:
    p = Problem()
    F = p.function(families.quadratic_growth(1), "F")
    best, x, y = F.minimiser(), p.point("x"), p.point("y")
    same = [(F(x) - F(best)).equals(0), (y - x) ** 2 <= 1, (x - best) ** 2 <= 100]
    assert decide_class(p.statement(F(y) - F(best), "1/2", given=same)).word != "refuted"


def test_two_comparisons_in_one_are_refused() -> None:
    p = Problem()
    x = p.point("x")
    with pytest.raises(ValueError, match="no truth value"):
        assert 1 <= x**2 <= 2
    with pytest.raises(ValueError, match="no truth value"):
        assert x**2 <= 1 or x**2 <= 4
    wrong: list[Any] = [False]  # what `==` of forms is
    with pytest.raises(TypeError, match="no condition"):
        p.statement(x**2, 1, given=wrong)
    assert isinstance(x**2 <= 1, Condition)
    with pytest.raises(ValueError, match="one form at least"):
        least()


def test_vectors_of_two_problems_do_not_meet() -> None:
    p, q = Problem(), Problem()
    x, y = p.point("x"), q.point("y")
    for mixed in (lambda: x - y, lambda: x * y, lambda: x**2 + y**2, lambda: p.statement(y**2, 0)):
        with pytest.raises(ValueError, match="Problem"):
            mixed()
    F = p.function(families.convex(), "F")
    with pytest.raises(ValueError, match="Problem"):
        F(y)


def test_a_crowd_makes_its_own_problem_and_keeps_its_kind() -> None:
    with pytest.raises(TypeError):
        Crowd(Problem())  # type: ignore[call-arg]

    def spread(N: Any) -> Statement:
        crowd = Crowd()
        F = crowd.client(families.smooth_convex(L=1))
        deviation = crowd.deviation(F.gradient(crowd.problem.point("w"))) ** 2
        return crowd.statement(deviation, 0, given=[deviation <= 1]).with_bound(N - 1)

    with pytest.raises(ValueError, match="two clients or more"):
        decide_range(spread, "[1, oo)", name="N", whole=True)
    with pytest.raises(ValueError, match="not known of clients alike"):
        Crowd().client(families.quadratic_growth(1))
    crowd = Crowd()
    with pytest.raises(ValueError, match="need not be convex"):
        crowd.minimiser(crowd.client(families.smooth(1)))


def test_a_sum_that_need_not_be_convex_has_a_stationary_point() -> None:
    p = Problem()
    F, G = p.function(families.smooth(1), "F"), p.function(families.convex(), "G")
    for made in (F + G, 1 * F, G - G):
        with pytest.raises(ValueError, match="take stationary_point"):
            made.minimiser()
    (F + G).stationary_point()


def test_classes_with_irrational_numbers_and_names_on_two_lines() -> None:
    families.rsi(sqrt(2), 2)
    families.strongly_monotone(sqrt(2))
    with pytest.raises(ValueError, match="mu <= L"):
        families.pl(sqrt(3), sqrt(2))
    one = 1 / (sqrt(2) + sqrt(3) + sqrt(5 + 2 * sqrt(6)))
    assert float(one) == pytest.approx(1 / (2 * (2**0.5 + 3**0.5)))
    p = Problem()
    for make in (lambda: p.point("a\nb"), lambda: p.function(families.convex(), "F\nprint()")):
        with pytest.raises(ValueError, match="printable"):
            make()
