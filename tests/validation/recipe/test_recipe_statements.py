"""Statements of a recipe are judged by paired differences of runs, over all that is left open."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.validation.small_recipe import TEXT, made, shelf
from validation.published.runs import played
from validation.recipe.measure import Curves
from validation.recipe.recipe import Arm, Recipe, Statement
from validation.recipe.result import Result, write_result
from validation.recipe.results.decided import write_decided
from validation.recipe.results.statements import statement_rows, statements_of
from validation.recipe.unit import Unit, identity


@pytest.mark.parametrize(
    ("differences", "status"),
    [
        ((0.1, 0.11, 0.12), "agrees"),
        ((-0.1, -0.11, -0.12), "differs"),
        ((0.1, -0.1, 0.05), "undecided"),
        ((0.0, 0.0, 0.0), "undecided"),
        ((-0.01, -0.01), "undecided"),
        ((0.1,), "undecided"),
    ],
)
def test_a_statement_is_judged_by_paired_differences(
    tmp_path: Path, differences: tuple[float, ...], status: str
) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    for seed, difference in enumerate(differences):
        noise = 0.3 + seed / 10  # common to both: pairing takes it off
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": noise + difference})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": noise})
    first, second = statement_rows(one)
    assert (first.claim, first.status, first.differences[0].n) == ("X-1", status, len(differences))
    assert second.status == "not run"


@pytest.mark.parametrize("value", [0.6, 0.2])
def test_runs_at_choices_that_are_known_not_to_be_the_papers_decide_nothing(tmp_path: Path, value: float) -> None:
    one = shelf(tmp_path, 'unsettled = "the anchor is missed"\n' + TEXT)
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    said, not_run = statement_rows(one)
    assert (said.status, said.spread[-1], said.differences[0].n) == ("undecided", "the anchor is missed", 3)
    assert said.differences[0].p is not None
    assert said.differences[0].p < 0.01
    assert not_run.status == "not run"


def test_the_spread_of_a_statement_is_over_what_its_runs_leave_open(tmp_path: Path) -> None:
    one = shelf(tmp_path, TEXT.replace('measure = "trend(update_diversity)"', 'measure = "mean(test_accuracy)"'))
    (recipe,) = one.recipes()
    values: dict[str, float | None] = {"final(test_accuracy)": 0.5, "mean(test_accuracy)": 0.5}
    for choice in recipe.choices():
        made(Unit(recipe, "FedAvg", 0, choice), one.results, values)
        made(Unit(recipe, "Worse", 0, choice), one.results, {"final(test_accuracy)": 0.4})
    against_worse, alone = statement_rows(one)
    assert against_worse.spread == ("rate = 0.01: 1 of 1 as said", "of Worse = two: 1 of 1 as said")
    assert alone.spread == ("rate = 0.01: 1 of 1 as said",)


@pytest.mark.parametrize(
    ("option", "value", "other", "excluded", "status"),
    [
        ({"of Worse": "two"}, 0.6, 0.7, [], "undecided"),  # above at the default, below where k = 2
        ({"of Worse": "two"}, 0.6, 0.7, ["two"], "agrees"),  # a printed number excludes it
        ({"of Worse": "two"}, 0.6, 0.5, [], "agrees"),
        ({"of Worse": "two"}, 0.2, 0.1, [], "undecided"),  # below at the default, above where k = 2
        ({"of Worse": "two"}, 0.2, 0.1, ["two"], "differs"),
        ({"of Worse": "two"}, 0.2, 0.3, [], "differs"),
        ({"rate": "0.01"}, 0.6, 0.7, [], "agrees"),  # a printed grid is searched, not left open
    ],
)
def test_what_hangs_on_a_choice_that_is_not_printed_is_undecided(
    tmp_path: Path, option: dict[str, str], value: float, other: float, excluded: list[str], status: str
) -> None:
    one = shelf(tmp_path, TEXT.replace('why = "k is not printed"', f'why = "k is not printed"\nexcluded = {excluded}'))
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    made(Unit(recipe, "Worse", 0, option), one.results, {"final(test_accuracy)": other})
    if "rate" in option:
        made(Unit(recipe, "FedAvg", 0, option), one.results, {"final(test_accuracy)": value})
    said = statement_rows(one)[0]
    assert len(said.spread) == 1
    assert said.status == status


@pytest.mark.parametrize(("status", "decided"), [("data not owned", False), ("not run", True)])
def test_a_sentence_that_speaks_of_data_that_are_not_at_hand_too_is_not_decided_by_the_rest(
    tmp_path: Path, status: str, decided: bool
) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.6 + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    write_decided(one)
    assert played(tmp_path, "X-1", "nobody ran it").needs_run is None
    tables = f'[[claims]]\nclaim = "X-1"\nstatus = "{status}"\nwhy = "also of other data"\n'
    (tmp_path / "recipes" / "tables.toml").write_text(tables, encoding="utf-8")
    write_decided(one)
    assert (played(tmp_path, "X-1", "nobody ran it").needs_run is None) == decided


THREE = TEXT.replace('above = ["Worse"]', 'most = true, above = ["Worse", "Uniform", "Better"]').replace(
    'Worse = { rule = "fed-worse" }',
    'Worse = { rule = "fed-worse" }\nUniform = { rule = "uniform" }\nBetter = { rule = "fed-better" }',
)


@pytest.mark.parametrize(
    ("others", "status", "holds"),
    [
        ((0.1, 0.1, 0.9), "agrees", True),  # above two of three
        ((0.1, 0.9, 0.9), "differs", False),
        ((0.1, None, 0.9), "undecided", None),  # one of three is within chance
        ((0.1, 0.1, None), "agrees", True),
    ],
)
def test_what_is_said_of_most_asks_for_more_than_half(
    tmp_path: Path, others: tuple[float | None, ...], status: str, holds: bool | None
) -> None:
    one = shelf(tmp_path, THREE)
    (recipe,) = one.recipes()
    for seed in range(4):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + seed / 1000})
        for arm, value in zip(("Worse", "Uniform", "Better"), others, strict=True):
            close = 0.5 + (-1) ** seed / 10 if value is None else value
            made(Unit(recipe, arm, seed), one.results, {"final(test_accuracy)": close})
    said = statement_rows(one)[0]
    assert (said.status, len(said.differences)) == (status, 3)
    assert "above most of Worse, Uniform, Better" in said.says
    write_decided(one)
    relation = played(tmp_path, "X-1", "nobody ran it")
    if holds is None:
        assert relation.needs_run is not None
        return
    (compared,) = relation.comparisons()
    assert compared.cells["others"].value == "3"
    assert (2 * int(compared.cells["as_said"].value) > 3) == holds
    assert (compared.left, compared.relation, compared.right) == ("others", "<", "2 * as_said")


def test_what_was_not_asked_when_it_ran_is_read_off_the_kept_curve(tmp_path: Path) -> None:
    text = TEXT.replace('measure = "trend(update_diversity)", arm = "FedAvg", above = 0', "MEASURE")
    asked = 'measure = "mean_square(update_diversity)", arm = "FedAvg", above = 1'
    one = shelf(tmp_path, text.replace("MEASURE", asked))
    (recipe,) = one.recipes()
    for seed in range(2):
        found = made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5})
        kept = {t: 2.0 + seed + t for t in range(5)}
        write_result(one.results, Unit(recipe, "FedAvg", seed), found, Curves({"update_diversity": kept}, 4))
    assert [d.n for d in statement_rows(one)[1].differences] == [2]
    mean = statement_rows(one)[1].differences[0].mean
    assert mean is not None
    assert mean.value == pytest.approx(np.mean([(2 + t) ** 2 for t in range(5)] + [(3 + t) ** 2 for t in range(5)]) - 1)
    result = next(iter(one.read().values()))
    assert result.answers("trend(update_diversity)")
    assert result.value("at(update_diversity, 3)") == 5 + result.seed
    for single in ("best(update_diversity)", "at(update_diversity, 9)", "mean(test_loss)"):  # of which no round is kept
        assert not result.answers(single)


def test_similar_means_within_the_margin_both_ways(tmp_path: Path) -> None:
    said = '{ claim = "X-1", measure = "final(test_accuracy)", arm = "FedAvg", SIDE = ["Worse"], margin = 0.01 }'
    both = ", ".join(said.replace("SIDE", side) for side in ("above", "below"))
    one = shelf(tmp_path, re.sub(r"statements = \[.*?\n\]", f"statements = [{both}]", TEXT, flags=re.DOTALL))
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + 0.001 * seed})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.501})
    assert [row.status for row in statement_rows(one)] == ["agrees", "agrees"]
    for seed in range(3):
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.45 + 0.002 * seed})
    assert [row.status for row in statement_rows(one)] == ["agrees", "differs"]


def test_gains_and_other_measures_are_compared() -> None:
    recipe = Recipe(
        "x.t",
        "a figure",
        {"dataset": "digits"},
        tuple(Arm(name, {"n_rounds": 2 + i}) for i, name in enumerate("abcd")),
        statements=(
            Statement("X-3", "final(test_accuracy)", "a", "above", than=("c",), gain_over={"a": "b", "c": "d"}),
            Statement("X-4", "weight('ratio=1')", "a", "above", against="weight('ratio=0.1')"),
        ),
    )
    found = []
    for seed in range(3):
        for arm, value in zip("abcd", (0.5, 0.2, 0.6, 0.5), strict=True):
            weights = {"weight('ratio=1')": 0.3 + seed / 1e4, "weight('ratio=0.1')": 0.1}
            values = {"final(test_accuracy)": value + seed / 1e4 * (arm == "a"), **weights}
            config = identity(Unit(recipe, arm, seed))
            found.append(Result("x.t", arm, {}, seed, 1.0, config, "completed", 2, values, {}, {}, 1.0, ""))
    rows = statements_of(recipe, {result.config: result for result in found})
    assert [row.status for row in rows] == ["agrees", "agrees"]
    assert [round(mean.value, 3) for row in rows if (mean := row.differences[0].mean)] == [0.2, 0.2]
