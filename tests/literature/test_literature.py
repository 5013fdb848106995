"""Every statement of the literature gets the word that it deserves: true ones hold, false ones are refuted."""

from __future__ import annotations

import pytest

from tests.literature.statement import Statement, fails, word
from tests.literature.suite import STATEMENTS
from tests.turns import share

QUICK = 4_000
FULL = 40_000


NOW = share((s.name for s in STATEMENTS if not s.slow), of=6)


def marked(statement: Statement) -> object:
    marks = [] if statement.name in NOW else [pytest.mark.nightly]
    if statement.fault:
        marks.append(pytest.mark.xfail(strict=True, reason=statement.fault))
    return pytest.param(statement, id=statement.name, marks=marks)


@pytest.mark.parametrize("statement", [marked(s) for s in STATEMENTS])
def test_a_statement_of_the_literature_gets_its_word(statement: Statement) -> None:
    budget = FULL if statement.slow else QUICK
    assert word(statement, budget=budget, seed=0) == statement.expected


def test_the_suite_has_sixty_true_and_sixty_false_statements_of_different_names() -> None:
    assert [sum(s.true is true for s in STATEMENTS) for true in (True, False)] == [60, 60]
    assert len({s.name for s in STATEMENTS}) == len(STATEMENTS)


def test_a_true_statement_that_is_called_false_gets_another_word() -> None:
    true = next(s for s in STATEMENTS if s.name == "Kantorovich")
    wrong = fails("Kantorovich, called false", "a planted error of the suite", true.says)
    assert word(wrong, budget=QUICK, seed=0) != wrong.expected
