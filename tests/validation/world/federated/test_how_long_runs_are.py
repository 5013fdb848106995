"""Runs are as long as R says, corners too; only where nothing is said of rounds do corners go far."""

from __future__ import annotations

from typing import Any

import pytest

import fedverdict as fv
from validation.statement.claim import Family

R, L, variance, noise = fv.run_letters("R L variance noise_p")
ONE = fv.Federated(1 / L, N=(1, 2), E=(1, 1), R=(1, 1))


def longest(runs: fv.Federated) -> int:
    """The most rounds of any case that is tried."""
    found = 0
    for item in runs.test(fv.le(R, 1)).cases:  # type: ignore[union-attr]
        if isinstance(item, Family):
            sizes = [s for s in item.sizes if s.name == "R"]
            found = max([found, *(int(s.high) for s in sizes)])
    return found


@pytest.mark.parametrize(
    ("runs", "rounds"),
    [
        (ONE, 1),
        (ONE.but(R=(2, 7)), 7),
        (ONE.but(R=(1, 60)), 60),
        (ONE.but(far=20), 20),
        (fv.Federated(1 / L), 1000),
        (fv.Federated(1 / L, far=90), 90),
        (ONE.but(R=(1, 2), corners=()), 2),
    ],
)
def test_no_run_is_longer_than_what_is_said(runs: fv.Federated, rounds: int) -> None:
    assert longest(runs) == rounds


@pytest.mark.parametrize("says", [fv.le(R, 1), fv.le(variance, noise / L**2)], ids=["rounds", "noise of one step"])
def test_what_is_true_of_one_round_holds_of_runs_of_one_round(says: Any) -> None:
    assert str(fv.assert_holds(ONE.test(says), budget=150).verdict) == "holds"
