"""A run that collapses is seen at once, with who had the weight."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from tests.validation.small_recipe import CLOSED, made, shelf
from validation.recipe.results.comparison import cell_rows
from validation.recipe.runs.collapse import CollapsedError, Watch, collapse_of, weights_in_words
from validation.recipe.runs.cost import Costs
from validation.recipe.runs.diagnosis import DIAGNOSES, diagnose, read_diagnoses, write_diagnoses
from validation.recipe.runs.queue import work_off
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


def test_three_evaluations_below_chance_are_a_collapse() -> None:
    words: list[str] = []
    watch = Watch("x", words.append, 0.1)
    for t, accuracy in enumerate((0.04, 0.04, 0.09, 0.04, None, 0.04, 0.04, 0.04)):
        watch(Record(t, [0.3, 0.7], test_accuracy=accuracy))  # type: ignore[arg-type]
    assert words == [
        "x: collapses in round 7: accuracy 0.040, where guessing has 0.100; client 7 has 0.70 of the weight"
    ]


def test_a_watch_stops_a_run_where_it_is_asked_to() -> None:
    with pytest.raises(CollapsedError, match="collapses in round 1: no test sample is right"):
        Watch("x", pytest.fail, stops=True)(Record(0, [0.3, 0.7], test_accuracy=0.0))  # type: ignore[arg-type]


def test_the_cause_names_who_has_the_weight_and_who_has_the_classes() -> None:
    record: Any = Record(0, [0.3, 0.7])
    assert weights_in_words(record, {4: 1.0, 7: 0.0}) == (
        "client 7 has 0.70 of the weight and 0.00 of the classes that are judged;"
        " client 4, which has 1.00 of them, 0.30"
    )
    assert weights_in_words(record, {4: 0.2, 7: 0.5}) == (
        "client 7 has 0.70 of the weight and 0.50 of the classes that are judged"
    )


# Five clients of two classes each, judged on those of the first one; «Worse» gives all the weight to one of the others.
_WRONG = (
    CLOSED.replace("n_clients = 4\nn_sampled = 2", 'n_clients = 5\nn_sampled = 5\npartition = "classes(m=2)"')
    .replace('losses = "present"', 'losses = "present"\ntarget = "skew(client=0)"\nlocal_lr = 0.1')
    .replace("n_local_steps = 2", "n_local_steps = 40")
)


def test_a_round_says_whether_a_default_learns_and_why_not(tmp_path: Path) -> None:
    one = shelf(tmp_path, _WRONG)
    (recipe,) = one.recipes()
    wrong, right = (diagnose(Unit(recipe, arm, 0)) for arm in ("Worse", "FedAvg"))
    assert (wrong.accuracy, wrong.chance, wrong.collapses, wrong.n_rounds) == (0.0, 0.1, True, 1)
    assert wrong.words == (
        "collapses: test accuracy 0.000 after 1 round (guessing has 0.10); client 4 has 1.00 of the weight and 0.00 of"
        " the classes that are judged; client 0, which has 1.00 of them, 0.00"
    )
    assert not right.collapses
    assert right.words.startswith("learns: ")
    file = write_diagnoses(one, [wrong, right, wrong])
    assert file == tmp_path / DIAGNOSES
    assert read_diagnoses(one) == (right, wrong)  # FedAvg before Worse
    file.write_text("[{}]")
    with pytest.raises(ValueError, match=r"diagnosis\.json: no diagnoses"):
        read_diagnoses(one)


@pytest.mark.parametrize("hold", [True, False])
def test_a_queue_stops_what_collapses_and_goes_on_with_the_others(tmp_path: Path, hold: bool) -> None:
    one = shelf(tmp_path, _WRONG)
    (recipe,) = one.recipes()
    costs, told = Costs([recipe], {}, None), list[str]()
    done = [
        path.name
        for path in work_off(
            [(one, recipe)], costs, [0], tmp_path / "w", budget=600.0, tell=told.append, hold_collapsed=hold
        )
    ]
    assert done == ["FedAvg--default--seed-0.json"] + ["Worse--default--seed-0.json"] * (not hold)
    (line,) = (words for words in told if "collapse" in words)
    assert ("is held back, it collapses in round 1: no test sample is right; client 4 has 1.00" in line) is hold
    assert ('reproduce x.t --arm "Worse" runs it all the same' in line) is hold


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


def test_the_committed_demonstration_of_fedssa_collapses_with_another_clients_weight() -> None:
    (shelf,) = shelves(["fedssa"])
    found = {result.seed: collapse_of(result) for result in shelf.read().values() if result.arm == "FedSSA Skew"}
    assert list(found) == [0]
    assert all(why.startswith("no test sample is right at the end") for why in found.values())
    assert "mean weight of client 1 0.51" in found[0]  # the target is client 0's
