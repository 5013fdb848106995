"""The page of what runs say of the five papers has the counts of today's comparison, and claims no word too many."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

from validation.recipe.effects import effects_of, hours_taken, read_plan
from validation.recipe.results.comparison import cell_rows
from validation.recipe.results.contrasts import contrast_rows
from validation.recipe.results.statements import statement_rows
from validation.recipe.shelf import shelves

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "what_our_runs_say.md").read_text(encoding="utf-8")
NAMES = {"Exp-α": "exp_alpha", "FedAWARE": "fedaware", "EFL": "efl", "FedSSA": "fedssa"}
NAMES["robust aggregation"] = "robust_aggregation"
NUMBERS = ("static", "data not owned", "not run", "demonstration", "unresolved")


@pytest.mark.nightly
def test_the_page_counts_what_the_comparison_finds() -> None:
    lines = re.findall(r"^\| ([^|]+) \|((?: \d+ \|){9})$", PAGE, flags=re.MULTILINE)
    assert [name for name, _ in lines] == list(NAMES)
    decided, numbers, differences, parts, without = Counter[str](), 0, 0, 0, 0
    for name, row in lines:
        (shelf,) = shelves((NAMES[name],))
        cells = Counter(one.status for one in cell_rows(shelf, {}))
        contrasts = Counter(one.status for one in contrast_rows(shelf))
        said = Counter(one.status for one in statement_rows(shelf))
        expected = [cells.total(), *(cells[status] for status in NUMBERS)]
        expected += [said.total(), said["unresolved"], said["depends"]]
        assert [int(n) for n in re.findall(r"\d+", row)] == expected, name
        decided += cells + contrasts + said
        numbers, differences, parts = numbers + cells.total(), differences + contrasts.total(), parts + said.total()
        without += cells["data not owned"]
    assert (
        f"Of {numbers:,} printed numbers, {differences} claimed differences and {parts} parts of sentences none" in PAGE
    )
    assert not decided["reproduced"] + decided["contradicted"] + decided["opposite"]
    assert f"{without} of the numbers are of data sets that are not at hand" in PAGE
    assert decided["depends"] == 4


def mean_of(pattern: str, measure: str) -> tuple[float, int]:
    """Of seeds that are reported, in percent, and how many they are."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "paper_checks").glob(pattern))]
    values = [100 * one["measures"][measure] for one in found if one["seed"] < 1000]
    return fmean(values), len(values)


@pytest.mark.parametrize(
    ("pattern", "measure", "words", "seeds"),
    [
        ("fedaware/results/table2/FedAWARE--default*", "late_mean(test_accuracy)", "FedAWARE ends at {} % (six", 6),
        ("fedaware/results/figure1/Dir_0.1_--default*", "late_mean(test_accuracy)", "FedAvg at {} % (eight)", 8),
        ("fedaware/results/table2/FedAWARE--published*", "late_mean(test_accuracy)", "printed one, {} against", 1),
        ("fedaware/results/table2/FedAvg--published*", "late_mean(test_accuracy)", "against {} % (one seed)", 1),
        ("efl/results/mnist/EFL--default*", "best(client_test_accuracy)", "ends at {} % under EFL", 10),
    ],
)
def test_numbers_of_the_page_are_those_of_the_runs(pattern: str, measure: str, words: str, seeds: int) -> None:
    value, n = mean_of(pattern, measure)
    assert n == seeds
    assert words.format(f"{value:.1f}") in PAGE.replace("\n  ", " ")


def _signed(value: float) -> str:
    text = f"{100 * value:+.1f}"
    return (text[1:] if float(text) == 0 else text).replace("-", "−")


def test_the_page_has_every_effect_of_every_plan_and_the_hours() -> None:
    """Percent and points, as `validation.recipe.runs.effects` prints them; what a plan did not come to is in no row."""
    rows, said, taken = 0, 0.0, 0.0
    for shelf in shelves():
        recipes, results = {recipe.id: recipe for recipe in shelf.recipes()}, None
        for path in sorted((shelf.folder / "effects").glob("*.toml")):
            if path.stem == "collapse":  # of FedSSA, whose study is its own
                continue
            plan, results = read_plan(path), results or shelf.read()
            recipe = recipes[plan.recipe]
            found = effects_of(plan, recipe, results)
            for one in found:
                low, high = (0.0 if end is None else end for end in (one.effect.low, one.effect.high))
                between = "" if one.effect.low is None else f" ({_signed(low)} to {_signed(high)})"
                sides = f"{one.effect.n} | {100 * one.default:.1f} | {100 * one.under:.1f}".replace("-", "−")
                row = f"| {one.of} | {one.measure} | {one.option.replace('=', ' = ')} | {sides} |"
                assert f"{row} {_signed(one.effect.value)}{between} | {one.p:.2g} |" in PAGE
            rows += len(found)
            if found:
                said, taken = said + plan.hours_said, taken + hours_taken(plan, recipe, results)
    assert PAGE.count(" | at(") + PAGE.count(" | best(") == rows
    assert f"{said:.2f} hours were said, {taken:.2f} taken" in PAGE
