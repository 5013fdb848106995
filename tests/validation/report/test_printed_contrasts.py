"""Differences that a paper claims are shown above its table: printed, ours, δ, the word, and what would change it."""

from __future__ import annotations

from pathlib import Path

from scipy.stats import rankdata

from tests.validation.small_recipe import CLAIMED_RATE, TABLE, made, shelf
from validation.recipe.shelf import shelves
from validation.recipe.unit import Unit
from validation.report.printed_tables import read_tables


def test_a_claimed_difference_stands_above_its_table_once_it_was_run(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLAIMED_RATE, table=TABLE.format("60.0", "", "50.0"))
    (table,) = read_tables(one)
    assert table.contrasts == ()
    (recipe,) = one.recipes()
    for seed in range(5):
        for arm, level in (("FedAvg", 0.6 + seed * seed / 1000), ("Worse", 0.5)):
            made(Unit(recipe, arm, seed), one.results, {"final(test_accuracy)": level})
    (contrast,) = read_tables(one)[0].contrasts
    assert (contrast.methods, contrast.sentence) == ("FedAvg − Worse", "FedAvg is better")
    assert (contrast.value, contrast.delta, contrast.word) == ("+10", "5", "unresolved")
    assert contrast.ours.startswith("+10.60 [")
    assert contrast.ours.endswith(", 5 seeds")
    assert contrast.why == "not exercised: rate = 0.01"
    assert contrast.change == "runs under the options not exercised"
    cell = next(cell for _, cells in read_tables(one)[0].rows for cell in cells if cell and cell.value == "60.0")
    assert "not exercised: rate = 0.01" in cell.note


def test_printed_numbers_have_their_place_in_the_column() -> None:
    (one,) = (shelf for shelf in shelves() if shelf.paper == "exp_alpha")
    columns = [column for table in read_tables(one) for column in zip(*(cells for _, cells in table.rows), strict=True)]
    held = [[cell for cell in column if cell is not None and cell.rank is not None] for column in columns]
    for cells in held:
        values, places = [float(cell.value) for cell in cells], [cell.rank for cell in cells]
        assert places in (rankdata(values, "min").tolist(), rankdata([-v for v in values], "min").tolist())
        assert all(cell.best == (cell.rank == 1) for cell in cells)
    assert any(held)
