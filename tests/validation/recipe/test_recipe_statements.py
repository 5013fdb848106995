"""Statements of a recipe are judged by paired differences of runs, over all that is left open."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.validation.small_recipe import CLOSED, RATE, TEXT, made, shelf
from validation.judge.relations import judge_relation
from validation.published.runs import played
from validation.recipe.measure import Curves
from validation.recipe.recipe import Arm, Recipe, Statement
from validation.recipe.result import Result, write_result
from validation.recipe.results.decided import write_decided
from validation.recipe.results.statements import statement_rows, statements_of
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity


@pytest.mark.parametrize(
    ("differences", "status", "verdict"),
    [
        ((0.1, 0.11, 0.12, 0.105, 0.115), "reproduced", "holds"),
        ((-0.1, -0.11, -0.12, -0.105, -0.115), "opposite", "refuted"),
        ((0.1, 0.11, 0.12, 0.105), "unresolved", "needs-run"),  # four seeds
        ((0.1, -0.1, 0.05, -0.02, 0.03), "unresolved", "needs-run"),
        (tuple(0.1 * (-1) ** seed + 0.001 * seed for seed in range(20)), "unresolved", "inconclusive"),
        ((0.0,) * 5, "unresolved", "needs-run"),
        ((-0.01, -0.01), "unresolved", "needs-run"),
        ((0.1,), "unresolved", "needs-run"),
    ],
)
def test_a_statement_is_judged_by_paired_differences(
    tmp_path: Path, differences: tuple[float, ...], status: str, verdict: str
) -> None:
    one = shelf(tmp_path, CLOSED)
    (recipe,) = one.recipes()
    for seed, difference in enumerate(differences):
        noise = 0.3 + seed / 10  # common to both: pairing takes it off
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": noise + difference})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": noise})
    first, second = statement_rows(one)
    assert (first.claim, first.status, first.differences[0].n) == ("X-1", status, len(differences))
    assert first.verdict == verdict
    assert (second.status, second.verdict) == ("not run", "needs-run")


@pytest.mark.parametrize("value", [0.6, 0.2])
def test_runs_at_choices_that_are_known_not_to_be_the_papers_decide_nothing(tmp_path: Path, value: float) -> None:
    one = shelf(tmp_path, 'unsettled = "the anchor is missed"\n' + CLOSED)
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    said, not_run = statement_rows(one)
    assert (said.status, said.spread[-1], said.differences[0].n) == ("unresolved", "the anchor is missed", 5)
    assert said.verdict == "needs-run"
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
    assert against_worse.spread == ("unresolved under of Worse = two", "of Worse = two: unresolved")
    assert against_worse.options == {"of Worse = two": "unresolved"}
    assert alone.spread == ()  # a printed grid is searched, not left open


@pytest.mark.parametrize(
    ("value", "other", "seeds", "excluded", "status", "verdict"),
    [
        (0.6, 0.7, 5, [], "depends", "inconclusive"),  # above at the default, below where k = 2
        (0.6, 0.7, 5, ["two"], "reproduced", "holds"),  # the print itself excludes it
        (0.6, 0.5, 5, [], "reproduced", "holds"),
        (0.6, 0.5, 1, [], "unresolved", "needs-run"),  # a single seed exercises an option and decides nothing
        (0.6, 0.7, 1, [], "unresolved", "needs-run"),
        (0.6, None, 0, [], "unresolved", "needs-run"),  # not exercised: named, and never «holds»
        (0.2, None, 0, [], "unresolved", "needs-run"),
        (0.2, 0.1, 5, [], "depends", "inconclusive"),  # below at the default, above where k = 2
        (0.2, 0.1, 5, ["two"], "opposite", "refuted"),
        (0.2, 0.3, 5, [], "opposite", "refuted"),
    ],
)
def test_a_word_needs_every_option_that_is_not_printed(
    tmp_path: Path, value: float, other: float | None, seeds: int, excluded: list[str], status: str, verdict: str
) -> None:
    text = TEXT.replace('why = "k is not printed"', f'why = "k is not printed"\nexcluded = {excluded}')
    one = shelf(tmp_path, text.replace(', "0.01" = { local_lr = 0.01 }', ""))
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    for seed in range(seeds):
        made(Unit(recipe, "Worse", seed, {"of Worse": "two"}), one.results, {"final(test_accuracy)": other})
    said = statement_rows(one)[0]
    assert (said.status, said.verdict) == (status, verdict)
    assert any("of Worse = two" in words for words in said.spread)


def test_a_printed_grid_that_nobody_searched_leaves_the_default_open(tmp_path: Path) -> None:
    one = shelf(tmp_path, RATE)
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.6 + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    found = statement_rows(one)[0]
    assert (found.status, found.options) == ("unresolved", {"rate = 0.01": "not exercised"})
    for arm in ("FedAvg", "Worse"):
        unit = Unit(recipe, arm, CALIBRATION_SEED, {"rate": "0.01"})
        made(unit, one.results, {"final(test_accuracy)": 0.1})
    found = statement_rows(one)[0]
    assert (found.status, found.options) == ("reproduced", {})


def test_choices_that_matter_are_asked_together_at_their_extremes(tmp_path: Path) -> None:
    text = RATE.replace("options = { one = {} }", 'options = { one = {}, two = { rule = "fed-worse(k=2)" } }')
    text = text.replace("grid = true\n", "")
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()

    def run(choice: dict[str, str], gain: float) -> None:
        for seed in range(5):
            made(Unit(recipe, "FedAvg", seed, choice), one.results, {"final(test_accuracy)": 0.6 + seed / 1000 + gain})
            made(Unit(recipe, "Worse", seed, choice), one.results, {"final(test_accuracy)": 0.4})

    run({}, 0.0)
    run({"rate": "0.01"}, -0.1)
    for seed in range(5):
        worse = Unit(recipe, "Worse", seed, {"of Worse": "two"})
        made(worse, one.results, {"final(test_accuracy)": 0.55})
    said = statement_rows(one)[0]
    assert (said.status, said.options["of Worse = two with rate = 0.01"]) == ("unresolved", "not exercised")
    for seed in range(5):
        both = Unit(recipe, "Worse", seed, {"of Worse": "two", "rate": "0.01"})
        made(both, one.results, {"final(test_accuracy)": 0.55})
    assert statement_rows(one)[0].status == "depends"  # each alone leaves it above, both together do not
    (one.folder / "recipes" / "t.toml").write_text(
        text.replace("[run]", '[[combined]]\nrate = "0.01"\n"of Worse" = "two"\n\n[run]', 1), encoding="utf-8"
    )
    (recipe,) = one.recipes()
    assert list(recipe.choices())[-1] == {"rate": "0.01", "of Worse": "two"}
    assert statement_rows(one)[0].status == "depends"


@pytest.mark.parametrize(
    ("value", "status", "verdict"),
    [
        (0.6, "data not owned", "needs-run"),
        (0.6, "not run", "holds"),
        (0.2, "data not owned", "refuted"),  # false and anything is false
    ],
)
def test_a_sentence_that_speaks_of_data_that_are_not_at_hand_too_does_not_hold_by_the_rest_and_falls_by_it(
    tmp_path: Path, value: float, status: str, verdict: str
) -> None:
    one = shelf(tmp_path, CLOSED)
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
    tables = f'[[claims]]\nclaim = "X-1"\nstatus = "{status}"\nwhy = "also of other data"\n'
    (tmp_path / "recipes" / "tables.toml").write_text(tables, encoding="utf-8")
    write_decided(one)
    assert judge_relation(played(tmp_path, "X-1", "nobody ran it"), "X-1", "as printed").verdict == verdict


def test_parts_elsewhere_are_chances_to_refute_a_claim(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLOSED)
    (recipe,) = one.recipes()
    for seed, gain in enumerate((-0.02, -0.11, -0.09, -0.14, -0.05)):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + gain})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.5})
    alone = statement_rows(one)[0].differences[0].p
    tables = '[[claims]]\nclaim = "X-1"\nstatus = "data not owned"\nwhy = "other data"\n'
    (tmp_path / "recipes" / "tables.toml").write_text(tables, encoding="utf-8")
    beside = statement_rows(one)[0].differences[0].p
    assert alone is not None
    assert beside == pytest.approx(2 * alone)


def test_a_planned_recipe_is_read_at_its_looks(tmp_path: Path) -> None:
    one = shelf(tmp_path, "plan = [5, 10, 20]\n" + CLOSED)
    (recipe,) = one.recipes()
    for seed in range(8):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.6 + seed / 1000})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.4})
        found = statement_rows(one)[0]
        assert found.differences[0].n == min(seed + 1, 5)  # seeds 5 to 7 wait for the look at ten
        assert found.status == ("reproduced" if seed >= 4 else "unresolved")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("plan = [3, 5]", "from 5 on"),
        ("plan = [10, 5]", "growing"),
        ("plan = [5, 10, 20, 40]", "up to 3"),
        ("plan = [5]\nlooks = 2", "expected one of them"),
        ("plan = 5", "list of numbers"),
    ],
)
def test_a_plan_is_checked(tmp_path: Path, words: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        shelf(tmp_path, f"{words}\n{TEXT}").recipes()


THREE = CLOSED.replace('above = ["Worse"]', 'most = true, above = ["Worse", "Uniform", "Better"]').replace(
    'Worse = { rule = "fed-worse" }',
    'Worse = { rule = "fed-worse" }\nUniform = { rule = "uniform" }\nBetter = { rule = "fed-better" }',
)


@pytest.mark.parametrize(
    ("others", "status", "holds"),
    [
        ((0.1, 0.1, 0.9), "reproduced", True),  # above two of three
        ((0.1, 0.9, 0.9), "opposite", False),
        ((0.1, None, 0.9), "unresolved", None),  # one of three is within chance
        ((0.1, 0.1, None), "reproduced", True),
    ],
)
def test_what_is_said_of_most_asks_for_more_than_half(
    tmp_path: Path, others: tuple[float | None, ...], status: str, holds: bool | None
) -> None:
    one = shelf(tmp_path, THREE)
    (recipe,) = one.recipes()
    for seed in range(6):
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
    one = shelf(tmp_path, re.sub(r"statements = \[.*?\n\]", f"statements = [{both}]", CLOSED, flags=re.DOTALL))
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + 0.001 * seed})
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.501})
    assert [row.status for row in statement_rows(one)] == ["reproduced", "reproduced"]
    for seed in range(5):
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.45 + 0.002 * seed})
    assert [row.status for row in statement_rows(one)] == ["reproduced", "opposite"]


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
    for seed in range(5):
        for arm, value in zip("abcd", (0.5, 0.2, 0.6, 0.5), strict=True):
            weights = {"weight('ratio=1')": 0.3 + seed / 1e4, "weight('ratio=0.1')": 0.1}
            values = {"final(test_accuracy)": value + seed / 1e4 * (arm == "a"), **weights}
            config = identity(Unit(recipe, arm, seed))
            found.append(Result("x.t", arm, {}, seed, 1.0, config, "completed", 2, values, {}, {}, 1.0, ""))
    rows = statements_of(recipe, {result.config: result for result in found})
    assert [row.status for row in rows] == ["reproduced", "reproduced"]
    assert [round(mean.value, 3) for row in rows if (mean := row.differences[0].mean)] == [0.2, 0.2]
