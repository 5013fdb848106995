"""Broken declarations that a search met: clear ones first, several are asked, and rounding alone breaks none."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from validation import Bound, Case, Inequality, Space, Uniform, symbols
from validation.judge.exact.declared import undeclared
from validation.judge.run import run_test
from validation.search.scores import Broken
from validation.search.seen import Search
from validation.statement.claim import ExactCheck
from validation.statement.letters import Letter
from validation.statement.verdict import Verdict

NAMES = "abcdefg"
BOUND = Bound(sum(symbols(" ".join(NAMES), positive=True)))


def case(*, told: bool, size: int = 1) -> Case:
    """One of which exact arithmetic says, where `told`, that every letter is −1; else nothing."""
    exact = ExactCheck(lambda x: ({}, {"lhs": Fraction(0), **dict.fromkeys(NAMES, Fraction(-1))}))
    drawn: Any = Space((Uniform("v", 0.0, 1.0, (size,)),))
    return Case("v", drawn, lambda x: {}, exact if told else None)


def broken(name: str, of: Case, depth: float) -> tuple[Letter, list[tuple[Case, Any, Broken]]]:
    return Letter(name, "positive"), [(of, np.full(of.space.n_cube, 0.5), Broken(0, -depth, depth))]


def test_a_clear_one_is_asked_before_those_within_rounding_however_many() -> None:
    rows = [*(broken(name, case(told=False), 1e-12) for name in NAMES[:6]), broken("g", case(told=False), 0.5)]
    assert undeclared(BOUND, Search(broken=dict(rows))).startswith("g is declared positive, but -0.5")


def test_what_may_be_rounding_breaks_nothing_where_exact_arithmetic_says_nothing() -> None:
    assert undeclared(BOUND, Search(broken=dict([broken("a", case(told=False), 1e-12)]))) == ""


def test_a_second_draw_is_asked_where_the_first_says_nothing() -> None:
    rows = [broken("a", case(told=False), 1e-12), broken("b", case(told=True, size=2), 1e-12)]
    assert undeclared(BOUND, Search(broken=dict(rows))).startswith("a is declared positive, but -1 ")


def test_a_search_that_saw_a_declaration_broken_decides_nothing() -> None:
    """Also where no candidate and no exact look would meet the letter again."""
    letter = symbols("a", positive=True)
    case = Case("v", Space((Uniform("v", 1.0, 2.0),)), lambda x: {"lhs": -1 - x["v"], "a": -x["v"]}, None)
    outcome = run_test(Inequality(Bound(1 * letter), (case,)), claim_id="X-1", name="as stated", budget=200, seed=0)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why.startswith("a is declared positive, but -")
