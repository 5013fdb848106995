"""What a class is asked to be: its numbers, its minimisers, and statements that are the same with a letter."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from theory.classes import Problem, Statement, families
from theory.classes.families import Family
from theory.classes.members import violated
from validation import decide_class
from validation.proof.classes import decide_range
from validation.study.existence import there_is


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: families.pl("1/2", 1, "9/10"), "alpha <= 2"),
        (lambda: families.pl("1/2", 1, "-1/10"), "alpha must be >= 0"),
        (lambda: families.pl(-1, 1), "mu must be > 0"),
        (lambda: families.pl(0, 1), "mu must be > 0"),
        (lambda: families.pl(2, 1), "mu <= L"),
        (lambda: families.rsi(2, 1), "mu <= L"),
        (lambda: families.rsi(1, -2), "L must be > 0"),
        (lambda: families.quadratic_growth(0), "L must be > 0"),
        (lambda: families.lipschitz_convex(-1), "M must be > 0"),
        (lambda: families.smooth_convex_lipschitz(0, 1), "L must be > 0"),
        (lambda: families.indicator(-1), "D must be > 0"),
        (lambda: families.support(-1), "M must be > 0"),
        (lambda: families.cocoercive(-1), "beta must be > 0"),
        (lambda: families.strongly_monotone(-1), "mu must be >= 0"),
        (lambda: families.lipschitz_operator(0), "L must be > 0"),
        (lambda: families.lipschitz_strongly_monotone(1, 2), "mu <= L"),
        (lambda: families.cocoercive_strongly_monotone(1, 2), "beta·mu <= 1"),
        (lambda: families.negatively_comonotone(-1), "rho must be >= 0"),
    ],
)
def test_numbers_that_no_class_has_are_refused(made: Callable[[], Family], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        made()


def test_the_combination_for_lojasiewicz_functions_holds_of_members_up_to_its_largest_number() -> None:
    """w² + 3 sin² w has L = 8 and μ = 1/32; w²/4 has μ = 1/2 among those with L = 1, and both are extreme."""
    members: list[tuple[Any, int, Fraction, Callable[[Any], Any], Callable[[Any], Any]]] = [
        (1e-9, 8, Fraction(1, 32), lambda x: x * x + 3 * np.sin(x) ** 2, lambda x: 2 * x + 3 * np.sin(2 * x)),
        (1e-9, 1, Fraction(1, 2), lambda x: x * x / 4, lambda x: x / 2),
    ]
    draws = np.random.default_rng(0)
    for tolerance, L, mu, F, slope in members:
        for share in (0, Fraction(1, 2), 1):
            family = families.pl(mu, L, share * 2 * mu / (2 * L + mu))
            for _ in range(50):
                xs = [0.0, *draws.uniform(-6, 6, 3)]
                points, slopes, values = [[x] for x in xs], [[slope(x)] for x in xs], [F(x) for x in xs]
                assert not violated(family, points, slopes, values, tolerance=tolerance, stationary=[0])


def test_a_minimiser_of_functions_that_need_not_be_convex_is_least_and_a_stationary_point_need_not_be() -> None:
    def above(least: bool) -> Statement:
        p = Problem()
        F = p.function(families.smooth(1), "F")
        best, x = F.minimiser() if least else F.stationary_point(), p.point("x")
        return p.statement(F(best) - F(x), 0, given=[(x - best) ** 2 <= 1])

    assert decide_class(above(True)).word == "proved"
    assert there_is(above(True)).word == "refuted"
    assert decide_class(above(False)).word == "refuted"

    def lemma(factor: Any) -> Statement:
        p = Problem()
        F = p.function(families.smooth(2), "F")
        best, x = F.minimiser(), p.point("x")
        return p.statement(F.gradient(x) ** 2 - factor * (F(x) - F(best)), 0)

    assert decide_class(lemma(4)).word == "proved"
    assert decide_class(lemma("39/10")).word == "refuted"


def _growth(bound: Any, L: Any = 1) -> Statement:
    p = Problem()
    F = p.function(families.quadratic_growth(L), "F")
    x, best = p.point("x"), p.point("w*")
    F.add(best, p.origin())
    return p.statement(F(x) - F(best), bound, given=[(x - best) ** 2 <= 1])


def test_growth_is_that_from_any_point_with_gradient_zero() -> None:
    assert decide_class(_growth("1/2")).word == "proved"
    assert decide_class(_growth("49/100")).word == "refuted"
    assert there_is(_growth("1/2")).word == "refuted"
    assert decide_range(lambda L: _growth(L / 2, L), "(0, 2]").word == "proved"
    assert decide_range(lambda L: _growth(L / 3, L), "(0, 2]").word == "refuted"


def test_growth_is_not_forgotten_where_nobody_asks_for_a_minimiser() -> None:
    """Opposite subgradients g at x and −g at y: |g| <= L|x − y|, from the growth at both."""
    p = Problem()
    F = p.function(families.quadratic_growth(1), "F")
    x, y = p.point("x"), p.point("y")
    g, h = F.gradient(x), F.gradient(y)
    statement = p.statement(g**2 - (x - y) ** 2, 0, given=[((g + h) ** 2).equals(0), g**2 <= 1])
    assert decide_class(statement).word != "refuted"
    q = Problem()
    G = q.function(families.quadratic_growth(1), "G")
    z = q.point("z")
    free = q.statement(G.gradient(z) ** 2, 1, given=[z**2 <= 1])
    assert decide_class(free).word == "refuted"  # its minimiser may be far away


def _step(k: Any, bound: Any = 1) -> Statement:
    p = Problem()
    F = p.function(families.smooth_convex(L=1), "F")
    best, x = F.minimiser(), p.point("x")
    return p.statement((x - k * F.gradient(x) - best) ** 2, bound, given=[(x - best) ** 2 <= 1])


def _swallowed(e: Any) -> Statement:
    try:
        small = e <= 1
    except ValueError:
        small = True
    return _step(e, 1 if small else Fraction(1, 2))


@pytest.mark.parametrize(
    ("stated", "within"),
    [
        (lambda e: _step(3 if e == Decimal(1) else 1), "[1/2, 3/2]"),
        (lambda e: _step(3 if e == 1 + 0j else 1), "[1/2, 3/2]"),
        (lambda e: _step(3 if e == np.float64(1) else 1), "[1/2, 3/2]"),
        (lambda e: _step(3 if str(e) == "1" else 1), "[1/2, 3/2]"),
        (lambda e: _step(3 if getattr(e, "denominator", 0) == 1 else 1), "[1/2, 3/2]"),
        (lambda e: _step(3 if e.limit_denominator() == 1 else 1), "[1/2, 3/2]"),
        (_swallowed, "[0, 2]"),
    ],
)
def test_a_statement_that_is_another_one_at_a_number_is_refused(
    stated: Callable[[Any], Statement], within: str
) -> None:
    assert decide_class(stated(Fraction(1 if within == "[1/2, 3/2]" else 2))).word == "refuted"
    with pytest.raises(ValueError, match=r"exact number|arithmetic|expected \+"):
        decide_range(stated, within)


def test_a_statement_that_answers_otherwise_when_asked_again_is_refused() -> None:
    asked: list[Any] = []

    def stated(e: Any) -> Statement:
        asked.append(e)
        return _step(e, 1 if len(asked) == 1 else Fraction(1, 2))

    with pytest.raises(ValueError, match="the same answer each time"):
        decide_range(stated, "[0, 2]")


def test_points_that_coincide_at_an_end_are_no_other_statement() -> None:
    assert decide_range(_step, "[0, 2]").word == "proved"
    assert decide_range(_step, "[0, 21/10]").word == "refuted"
