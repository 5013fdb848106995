"""Results that runs leave, and printed cells beside them: agrees, differs, undecided, or no evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.validation.small_recipe import TABLE, TEXT, made, shelf
from validation.recipe.measure import Curves
from validation.recipe.result import LARGEST, Result, read_results, result_path, write_result
from validation.recipe.results.comparison import cell_rows, ranked
from validation.recipe.results.statements import statement_rows, statement_status
from validation.recipe.shelf import shelves
from validation.recipe.unit import CALIBRATION_SEED, Unit, _spelled, identity


def test_a_result_stays_small_and_its_curves_keep_their_ends(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path).recipes()
    unit = Unit(recipe, "FedAvg", 0)
    full = Curves({f"s{i}": {t: 1 / t for t in range(1, 5001)} for i in range(25)}, 5000)
    kept = Result(recipe.id, "FedAvg", {}, 0, 1.0, identity(unit), "completed", 5000, {}, {}, {}, 1.0, "")
    path = write_result(tmp_path / "results", unit, kept, full)
    assert path == result_path(tmp_path / "results", unit)
    assert path.stat().st_size <= LARGEST
    (back,) = read_results(tmp_path / "results")
    assert all(curve[0][0] == 1 and curve[-1][0] == 5000 for curve in back.curves.values())


def test_a_unit_is_named_in_ascii_and_letters_that_differ_stay_different(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path, TEXT.replace('"Worse"', '"EFL λ=0"').replace("Worse =", '"EFL λ=0" =')).recipes()
    assert Unit(recipe, "EFL λ=0", 3).name == "EFL_lambda=0--default--seed-3"
    spelled = {one: _spelled(one) for one in ("λ", "Λ", "lambda=ς", "é", "方", "法", "x²", "±", "EFL--λ_and_q=0.1")}
    assert spelled["λ"] == "lambda"
    assert spelled["Λ"] == "Lambda"
    assert spelled["é"] == "u00e9"
    assert spelled["±"] == "±"  # no letter: a name has an underscore in its place
    assert len(set(spelled.values())) == len(spelled)


def test_committed_results_have_the_names_of_their_units() -> None:
    found = 0
    for one in shelves():
        recipes = {recipe.id: recipe for recipe in one.recipes()}
        for path in sorted(one.results.glob("*/*.json")):
            result = Result(**json.loads(path.read_text(encoding="utf-8")))
            unit = Unit(recipes[result.recipe], result.arm, result.seed, result.choice, result.scale)
            assert path == result_path(one.results, unit)
            found += 1
    assert found > 400


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"recipe": 1}', "\x00", "[" * 9999])
def test_a_damaged_result_is_refused_by_name(tmp_path: Path, content: str) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "a.json").write_text(content)
    with pytest.raises(ValueError, match=r"a\.json: no result"):
        list(read_results(tmp_path))


def test_a_cell_agrees_or_differs_by_its_interval_and_one_seed_is_undecided(tmp_path: Path) -> None:
    one = shelf(tmp_path, table=TABLE.format("50.0", "1.0", "60.0"))
    (recipe,) = one.recipes()
    measure = "final(test_accuracy)"
    made(Unit(recipe, "FedAvg", 0), one.results, {measure: 0.50})
    assert [c.status for c in cell_rows(one)] == ["undecided", "not run", "not run"]
    for seed, value in ((1, 0.52), (2, 0.54)):
        made(Unit(recipe, "FedAvg", seed), one.results, {measure: value})
    for seed, value in ((0, 0.40), (1, 0.41), (2, 0.42)):
        made(Unit(recipe, "Worse", seed), one.results, {measure: value})
    first, second, third = cell_rows(one, {"x.t": 3.0})
    assert (first.status, second.status, third.status) == ("agrees", "differs", "not run")
    assert (first.n, first.ours, first.published_interval) == (3, pytest.approx(52), (49, 51))
    assert (third.recipe, third.hours, first.hours) == (None, None, None)
    made(Unit(recipe, "FedAvg", 0, {"rate": "0.01"}), one.results, {measure: 0.2})
    assert cell_rows(one)[0].spread == pytest.approx((20, 52))


def test_nothing_below_the_published_scale_is_more_than_a_demonstration(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    measure = "final(test_accuracy)"
    for arm in ("FedAvg", "Worse"):
        for seed in range(3):
            made(Unit(recipe, arm, seed, scale=0.5), one.results, {measure: 0.5 + seed / 1000})
    assert [c.status for c in cell_rows(one)][:2] == ["demonstration", "demonstration"]
    assert statement_status(statement_rows(one))["X-1"] == "demonstration"
    # A file that claims the whole scale, but is of another configuration, is not believed either.
    for path in one.results.glob("*/*.json"):
        path.write_text(path.read_text().replace('"scale": 0.5', '"scale": 1.0'))
    assert {c.status for c in cell_rows(one)} == {"not run"}
    assert statement_status(statement_rows(one))["X-1"] == "not run"


def test_calibration_seeds_and_unfinished_runs_are_no_evidence(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    measure, tuned = "final(test_accuracy)", "late_mean(validation_accuracy)"
    for seed in range(2):
        made(Unit(recipe, "FedAvg", CALIBRATION_SEED + seed), one.results, {measure: 0.5, tuned: 0.3})
        choice = {"rate": "0.01"}
        made(Unit(recipe, "FedAvg", CALIBRATION_SEED + seed, choice), one.results, {measure: 0.5, tuned: 0.4})
        made(Unit(recipe, "Worse", seed), one.results, {measure: 0.5}, status="diverged")
    assert {c.status for c in cell_rows(one)} == {"not run"}
    rows = ranked(recipe, one.read(), ["rate"])
    assert [(row.choice, row.mean, row.n) for row in rows] == [("rate=0.01", 0.4, 2), ("default", 0.3, 2)]


@pytest.mark.parametrize(
    ("other", "excluded", "status"), [(0.4, "", "undecided"), (0.55, "", "differs"), (0.4, "0.01", "differs")]
)
def test_a_number_that_an_open_choice_reaches_is_undecided(
    tmp_path: Path, other: float, excluded: str, status: str
) -> None:
    """Printed 50, ours 60 by default; another option has 40 or 55: what the print leaves open may be all there is."""
    text = TEXT.replace("grid = true\n", f'excluded = ["{excluded}"]\n' if excluded else "", 1)
    one = shelf(tmp_path, text)
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.6 + seed / 1000})
        made(Unit(recipe, "FedAvg", seed, {"rate": "0.01"}), one.results, {"final(test_accuracy)": other})
    cell = cell_rows(one)[0]
    assert (cell.status, "leaves open" in cell.note) == (status, status == "undecided")
    assert (cell.spread is None) is bool(excluded)
