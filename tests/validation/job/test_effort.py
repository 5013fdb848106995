"""Checks of stated effort: what counts as a result, budgets that grow, continuing where one stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.turns import one_run_in
from validation.cost.allowed import DEFAULT_BUDGET
from validation.job.effort import (
    RESULT_SECONDS,
    STEP_SECONDS,
    check_thoroughly,
    first_budget,
    next_budget,
    wanted_seconds,
)
from validation.ledger.ledger import Ledger
from validation.papers.papers import is_result, select
from validation.statement.claim import Claim


def test_theorems_get_minutes_steps_seconds_and_algebra_none() -> None:
    named = {c.id: c for _, c in select(())}
    assert is_result(named["EA-T1"])
    assert is_result(named["RA-L2"])
    assert not is_result(named["RA-P-L2.1"])
    assert wanted_seconds(named["EA-T1"]) == RESULT_SECONDS
    assert wanted_seconds(named["RA-P-L2.2"]) == STEP_SECONDS
    assert wanted_seconds(named["EA-E21d"]) == 0.0


@one_run_in(3)
def test_budgets_grow_until_the_time_was_spent_and_nothing_is_made_twice(tmp_path: Path) -> None:
    pairs, ledger = select(["FA-E12", "EA-E21d"]), Ledger(tmp_path)
    for _ in check_thoroughly(pairs, seed=0, jobs=2, ledger=ledger, wanted=lambda c: 0.0):
        pass
    start = ledger.entries()["FA-E12"]
    assert start.budget == DEFAULT_BUDGET
    assert isinstance(start.seconds, float)
    spend = 2 * start.seconds  # what this machine, as busy as it is, does not spend at the default budget

    def wanted(claim: Claim) -> float:
        return spend * (claim.id == "FA-E12")

    first = {e.id: (e, made) for e, made in check_thoroughly(pairs, seed=0, jobs=2, ledger=ledger, wanted=wanted)}
    grown, made = first["FA-E12"]
    assert made
    assert isinstance(grown.budget, int)
    assert grown.budget > DEFAULT_BUDGET
    assert grown.seconds >= spend
    assert grown.verdict == start.verdict
    assert not first["EA-E21d"][1]
    assert first["EA-E21d"][0].budget == DEFAULT_BUDGET
    again = list(check_thoroughly(pairs, seed=0, jobs=2, ledger=ledger, wanted=wanted))
    assert [made for _, made in again] == [False, False]
    more = list(check_thoroughly(pairs[:1], seed=1, jobs=1, ledger=ledger, wanted=lambda c: 0.0))
    assert more[0][1]


def test_an_earlier_check_says_which_budget_to_begin_with() -> None:
    assert first_budget(None, 5.0) == DEFAULT_BUDGET
    assert first_budget((300_000, 1.0), 0.0) == DEFAULT_BUDGET  # algebra is not searched
    assert first_budget((300_000, 6.0), 5.0) == 75_000
    assert first_budget((40_000, 0.5), 5.0) == next_budget([(40_000, 0.5)], 5.0) // 4 == 80_000
    assert first_budget((40_000, 6.0), 5.0) == DEFAULT_BUDGET


@pytest.mark.parametrize(("start_up", "each"), [(0.0, 1e-4), (1.0, 1e-4), (0.2, 1e-5), (9.0, 1e-3)])
def test_what_evaluations_cost_is_learnt_from_two_budgets(start_up: float, each: float) -> None:
    def seconds(budget: int) -> float:
        return start_up + each * budget

    measured = [(40_000, seconds(40_000))]
    while measured[-1][1] < 300:
        budget = next_budget(measured, 300.0)
        measured.append((budget, seconds(budget)))
    assert len(measured) <= 3
    assert 300 <= measured[-1][1] <= 332
    assert next_budget([(40_000, 2.0)], 5.0) == 250_000
    assert next_budget([(40_000, 100.0)], 300.0) == 156_000  # after 100 s little of it was starting up
    assert next_budget([(40_000, 2.0), (80_000, 2.0)], 5.0) == 440_000  # evaluations that seem to cost nothing
