"""Options of open choices beside the cells they are settled by: calibration seeds alone, an interval or no word."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.validation.small_recipe import TABLE, TEXT, made, shelf
from validation.cli import main
from validation.commands.runs.beside_printed import print_settings
from validation.recipe.results.calibration import CALIBRATED, anchored, settings_tried, write_settings
from validation.recipe.results.comparison import cell_rows
from validation.recipe.shelf import Shelf, chosen, shelves
from validation.recipe.unit import CALIBRATION_SEED, Unit

BEST = "final(test_accuracy)"
ANCHORED = TEXT.replace("times = 100\n", "times = 100\ncalibration = true\nrows = { FedAvg = { method = 'FedAvg' } }\n")


@pytest.mark.parametrize("one", shelves(), ids=lambda s: s.paper)
def test_what_is_kept_is_what_the_committed_results_say_today(one: Shelf) -> None:
    path = one.folder / CALIBRATED
    assert path.exists() == bool(settings_tried(one))
    if path.exists():
        kept = path.read_text(encoding="utf-8")
        write_settings(one)
        assert path.read_text(encoding="utf-8") == kept


@pytest.mark.parametrize(
    ("values", "ci95", "covers"),
    [
        ([0.49, 0.51], "", True),
        ([0.44, 0.45], "", True),  # Student's interval of two seeds is 12.7 standard errors wide
        ([0.44, 0.441, 0.442], "", False),
        ([0.44, 0.441, 0.442], "7", True),
        ([0.5], "", None),
        ([0.44, 0.44, 0.44], "", None),
    ],
)
def test_a_setting_covers_a_printed_number_where_the_intervals_meet(
    tmp_path: Path, values: list[float], ci95: str, covers: bool | None
) -> None:
    one = shelf(tmp_path, ANCHORED, TABLE.format("50.0", ci95, "50.0"))
    for seed, value in enumerate(values, CALIBRATION_SEED):
        made(Unit(one.recipes()[0], "FedAvg", seed, {"rate": "0.01"}), one.results, {BEST: value})
    (row,) = settings_tried(one)
    assert row.ours is not None
    assert (row.choice, row.covers, row.ours.n, row.published) == ("rate=0.01", covers, len(values), 50.0)
    assert write_settings(one) == one.folder / CALIBRATED
    (kept,) = json.loads((one.folder / CALIBRATED).read_text(encoding="utf-8"))
    assert kept["covers"] is covers


def test_seeds_that_are_reported_settle_nothing_and_the_other_way_round(tmp_path: Path) -> None:
    one = shelf(tmp_path, ANCHORED)
    recipe = one.recipes()[0]
    made(Unit(recipe, "FedAvg", 0), one.results, {BEST: 0.5})
    assert settings_tried(one) == []
    assert write_settings(one) is None
    made(Unit(recipe, "FedAvg", CALIBRATION_SEED), one.results, {BEST: 0.1})
    (row,) = settings_tried(one)
    assert row.ours is not None
    assert row.ours.value == pytest.approx(10.0)
    (cell,) = (c for c in cell_rows(one) if c.calibration)
    assert cell.ours == pytest.approx(50.0)


def test_runs_that_never_reach_an_accuracy_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reached = "reached(test_accuracy, 0.6)"
    one = shelf(tmp_path, ANCHORED.replace(BEST, reached), TABLE.format("50.0", "", "50.0"))
    recipe = one.recipes()[0]
    made(Unit(recipe, "FedAvg", CALIBRATION_SEED), one.results, {reached: None})
    (row,) = settings_tried(one)
    assert (row.ours, row.covers, row.without) == (None, None, 1)
    for seed in (1, 2):
        made(Unit(recipe, "FedAvg", CALIBRATION_SEED + seed), one.results, {reached: 0.5})
    (row,) = settings_tried(one)
    assert row.ours is not None
    assert (row.ours.n, row.covers, row.without) == (2, None, 1)
    print_settings([row])
    assert "not reached by 1 of 3" in " ".join(capsys.readouterr().out.split())
    assert write_settings(one) is not None


def test_where_no_grid_is_printed_the_cells_that_settle_open_choices_are_tuned_by(tmp_path: Path) -> None:
    assert anchored(shelf(tmp_path, ANCHORED).recipes()[0]) == ("FedAvg",)
    ((_, recipe),) = chosen(["robust_aggregation.r60"])
    pure = ("FedAvg", "FedSoftWorse", "FedSoftBetter")
    assert anchored(recipe) == pure
    (one,) = (s for s in shelves() if s.paper == "robust_aggregation")
    run = CliRunner().invoke(main, ["tune", "robust_aggregation.r60", "--seeds", "99", "--dry-run"])
    assert run.exit_code == 0, run.output
    wanted = 99 * len(pure) * (1 + sum(len(choice.options) - 1 for choice in recipe.open))
    there = sum(r.recipe == recipe.id and r.seed >= CALIBRATION_SEED and r.arm in pure for r in one.read().values())
    (line,) = [words for words in run.stderr.splitlines() if words.startswith("robust_aggregation.r60 ")]
    assert int(line.split()[1]) == wanted - there
    assert "covers it" in run.stdout
    assert not any(name in run.stdout for name in ("FedAvgSoftWorse", "mnist_iid"))
    other = CliRunner().invoke(main, ["tune", "robust_aggregation.r60", "--arm", "FedAvgSoftWorse", "--dry-run"])
    assert other.exit_code == 2
    assert f"--arm FedAvgSoftWorse: no printed cell settles its choices; expected {' or '.join(pure)}" in other.stderr
