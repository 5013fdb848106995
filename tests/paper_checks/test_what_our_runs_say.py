"""The page of what runs say of the five papers has the counts of today's comparison, and claims no word too many."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean

import pytest

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
