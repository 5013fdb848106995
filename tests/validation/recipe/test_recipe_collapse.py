"""A run that collapses is seen at once, with who had the weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path

import pytest

from tests.validation.small_recipe import CLOSED, made, shelf
from validation.recipe.results.comparison import cell_rows
from validation.recipe.runs.collapse import Watch, collapse_of
from validation.recipe.shelf import shelves
from validation.recipe.unit import Unit


@dataclass
class Record:
    """The fields of a round's record that are looked at."""

    round: int
    weights: list[float]
    clients: list[int] = field(default_factory=lambda: [4, 7])
    present: list[bool] = field(default_factory=lambda: [True, True])
    test_accuracy: float | None = 0.3
    train_loss: float | None = None
    test_loss: float | None = 1.0
    update_norm: float = 1.0
    loss_before: list[float | None] = field(default_factory=lambda: [1.0, None])


def told(*records: Record) -> list[str]:
    words: list[str] = []
    watch = Watch("x", words.append)
    for record in records:
        watch(record)  # type: ignore[arg-type]
    return words


def test_nothing_is_said_of_a_run_that_learns() -> None:
    assert told(*(Record(t, [0.5, 0.5]) for t in range(5))) == []
    # One client at a time has all the weight, as with the worst of each cohort, and one client alone has it always.
    assert told(*(Record(t, [1.0, 0.0] if t % 2 else [0.0, 1.0]) for t in range(9))) == []
    assert told(*(Record(t, [1.0, 0.0], present=[True, False]) for t in range(9))) == []


def test_one_client_with_all_the_weight_is_told_once_after_three_rounds() -> None:
    assert told(*(Record(t, [0.001, 0.999]) for t in range(9))) == [
        "x: collapses in round 3: client 7 has had all the weight for 3 rounds"
    ]


@pytest.mark.parametrize("value", [nan, inf])
def test_a_number_that_is_none_is_told_in_its_round(value: float) -> None:
    (words,) = told(Record(0, [0.2, 0.8]), Record(1, [0.2, 0.8], test_loss=value))
    assert words == "x: collapses in round 2: a number is not finite; client 7 has 0.80 of the weight"


def test_no_right_sample_is_told_with_the_heaviest_client() -> None:
    assert told(Record(0, [0.3, 0.7], test_accuracy=0.0)) == [
        "x: collapses in round 1: no test sample is right; client 7 has 0.70 of the weight"
    ]


def test_a_collapse_stands_beside_the_printed_number(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLOSED)
    (recipe,) = one.recipes()
    for seed in range(2):
        made(Unit(recipe, "FedAvg", seed, scale=0.5), one.results, {"final(test_accuracy)": 0.1 * seed})
    cell = cell_rows(one)[0]
    assert cell.status == "demonstration"
    assert "1 of 2 runs collapsed: no test sample is right at the end" in cell.note
    made(Unit(recipe, "Worse", 0), one.results, {"final(test_accuracy)": 0.2}, status="diverged")
    (found,) = (result for result in one.read().values() if result.arm == "Worse")
    assert collapse_of(found) == "diverged in round 2"


def test_the_committed_demonstrations_of_fedssa_collapse_with_another_clients_weight() -> None:
    (shelf,) = shelves(["fedssa"])
    found = {result.seed: collapse_of(result) for result in shelf.read().values() if result.arm == "FedSSA Skew"}
    assert len(found) == 3
    assert all(why.startswith("no test sample is right at the end") for why in found.values())
    assert "mean weight of client 1 0.51" in found[0]  # the target is client 0's
