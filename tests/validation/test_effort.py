"""Checks of stated effort: what counts as a result, budgets that grow, continuing where one stopped."""

from __future__ import annotations

from pathlib import Path

from validation.effort import RESULT_SECONDS, STEP_SECONDS, check_thoroughly, wanted_seconds
from validation.engine import DEFAULT_BUDGET
from validation.ledger import Ledger
from validation.papers import is_result, select


def test_theorems_get_minutes_steps_seconds_and_algebra_none() -> None:
    named = {c.id: c for _, c in select(())}
    assert is_result(named["EA-T1"])
    assert is_result(named["RA-L2"])
    assert not is_result(named["RA-P-L2.1"])
    assert wanted_seconds(named["EA-T1"]) == RESULT_SECONDS
    assert wanted_seconds(named["RA-P-L2.2"]) == STEP_SECONDS
    assert wanted_seconds(named["EA-E21d"]) == 0.0


def test_budgets_grow_until_the_time_was_spent_and_nothing_is_made_twice(tmp_path: Path) -> None:
    pairs, ledger = select(["FA-E12", "EA-E21d"]), Ledger(tmp_path)
    first = {
        entry["id"]: (entry, made)
        for entry, made in check_thoroughly(
            pairs, seed=0, jobs=2, ledger=ledger, wanted=lambda c: 4.0 * (c.id == "FA-E12")
        )
    }
    grown, made = first["FA-E12"]
    assert made
    assert isinstance(grown["budget"], int)
    assert grown["budget"] > DEFAULT_BUDGET
    assert grown["seconds"] >= 4.0
    assert grown["verdict"] == "holds"
    assert first["EA-E21d"][0]["budget"] == DEFAULT_BUDGET
    again = list(check_thoroughly(pairs, seed=0, jobs=2, ledger=ledger, wanted=lambda c: 4.0 * (c.id == "FA-E12")))
    assert [made for _, made in again] == [False, False]
    more = list(check_thoroughly(pairs[:1], seed=1, jobs=1, ledger=ledger, wanted=lambda c: 0.0))
    assert more[0][1]
