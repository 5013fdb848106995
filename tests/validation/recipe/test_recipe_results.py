"""Results that runs leave, and printed cells beside them: reproduced, contradicted, unresolved, or no evidence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.validation.small_recipe import CLAIMED, CLAIMED_RATE, TABLE, TEXT, made, shelf
from validation.recipe.measure import Curves
from validation.recipe.result import LARGEST, Result, read_results, result_path, write_result
from validation.recipe.results.comparison import CellRow, cell_rows, ranked
from validation.recipe.results.contrasts import ContrastRow, contrast_rows
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


def test_a_cell_is_reproduced_within_half_the_claimed_gap_and_contradicted_beyond(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLAIMED, table=TABLE.format("50.0", "1.0", "60.0"))
    (recipe,) = one.recipes()
    measure = "final(test_accuracy)"
    for seed, value in enumerate((0.50, 0.51, 0.52, 0.505, 0.515)):
        assert [c.status for c in cell_rows(one)] == ["unresolved" if seed else "not run", "not run", "not run"]
        made(Unit(recipe, "FedAvg", seed), one.results, {measure: value})
    for seed in range(5):
        made(Unit(recipe, "Worse", seed), one.results, {measure: 0.40 + seed * seed / 1000})
    first, second, third = cell_rows(one, {"x.t": 3.0})
    assert (first.status, second.status, third.status) == ("reproduced", "contradicted", "not run")
    assert (first.n, first.ours, first.published_interval) == (5, pytest.approx(51), (49, 51))
    assert (first.delta, first.printed_is, second.printed_is) == (5, "95 % interval", "")
    assert (third.recipe, third.hours, first.hours) == (None, None, None)
    (difference,) = contrast_rows(one)
    assert (difference.published, difference.delta, difference.n) == (-10, 5, 5)
    assert (difference.direction, difference.status) == ("opposite", "opposite")  # ours is +10
    assert difference.sentence == "FedAvg is better"


def test_what_two_tables_print_is_one_number(tmp_path: Path) -> None:
    """It counts once for Holm, its error is known from either table, and δ is the least of the two."""

    def found(text: str, where: Path, other: str = "1") -> tuple[list[CellRow], list[ContrastRow]]:
        where.mkdir()
        one = shelf(where, text, table=TABLE.format("50.0", "1.0", "60.0"))
        (where / "published" / "u.csv").write_text(
            TABLE.format("50.0", "", "60.0").replace("t,", "u,").replace("accuracy,1,", f"accuracy,{other},")
        )
        (recipe,) = one.recipes()
        for seed, value in enumerate((0.50, 0.51, 0.52, 0.505, 0.515)):
            made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value})
            made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": value - 0.02 - seed**2 / 500})
        return [row for row in cell_rows(one) if row.ours is not None], contrast_rows(one)

    again = CLAIMED[CLAIMED.index("[[cells]]") :].replace('table = "t"', 'table = "u"')
    alone, (once,) = found(CLAIMED, tmp_path / "one")
    both, (first, second) = found(CLAIMED + again, tmp_path / "two")
    assert [(row.p, row.gap) for row in both] == [(row.p, row.gap) for row in alone] * 2
    assert first == once
    assert second == replace(first, table="u")

    three = (CLAIMED + again).replace("[open", 'Other = { rule = "uniform" }\n[open', 1)
    near = three.replace('[["FedAvg", "Worse"]]', '[["FedAvg", "Worse"], ["FedAvg", "Other"]]')
    of_both, _ = found(
        near.replace('claimed = [["FedAvg", "Worse"], ["FedAvg", "Other"]]', 'claimed = [["FedAvg", "Worse"]]', 1),
        tmp_path / "three",
        "52",
    )
    assert {row.delta for row in alone} == {5.0}
    assert {row.delta for row in of_both} == {1.0}  # the second table tells 50 and 52 apart


def test_an_interval_that_is_as_wide_as_the_scale_reproduces_nothing(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLAIMED, table=TABLE.format("50.0", "1.0", "60.0"))
    (recipe,) = one.recipes()
    for seed, value in enumerate((0.05, 0.95, 0.1, 0.8, 0.6)):  # around 50, and nothing is known
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": value})
    cell = cell_rows(one)[0]
    assert cell.interval is not None
    assert cell.interval[0] < 50 < cell.interval[1]
    assert cell.status == "unresolved"


def test_without_a_claimed_gap_nothing_says_how_near_is_near(tmp_path: Path) -> None:
    text = CLAIMED.replace('claimed = [["FedAvg", "Worse"]]', "")
    one = shelf(tmp_path, text, table=TABLE.format("50.0", "1.0", "60.0"))
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + seed / 1000})
    cell = cell_rows(one)[0]
    assert (cell.status, cell.delta) == ("unresolved", None)
    assert "claims no gap" in cell.note
    assert contrast_rows(one) == []


def test_a_difference_that_settled_a_choice_is_marked(tmp_path: Path) -> None:
    one = shelf(tmp_path, CLAIMED + '\n[[cells]]\ntable = "t"\nmeasure = "mean(test_accuracy)"\ncalibration = true\n')
    (recipe,) = one.recipes()
    for seed in range(5):
        for arm, value in (("FedAvg", 0.6), ("Worse", 0.4)):
            made(Unit(recipe, arm, seed), one.results, {"final(test_accuracy)": value + seed * seed / 1000})
    assert [row.calibration for row in contrast_rows(one)] == [True]


def test_nothing_below_the_published_scale_is_more_than_a_demonstration(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    measure = "final(test_accuracy)"
    for arm in ("FedAvg", "Worse"):
        for seed in range(3):
            made(Unit(recipe, arm, seed, scale=0.5), one.results, {measure: 0.5 + seed / 1000})
    assert [c.status for c in cell_rows(one)][:2] == ["demonstration", "demonstration"]
    assert statement_status(statement_rows(one))["X-1"] == ("demonstration", "needs-run")
    # A file that claims the whole scale, but is of another configuration, is not believed either.
    for path in one.results.glob("*/*.json"):
        path.write_text(path.read_text().replace('"scale": 0.5', '"scale": 1.0'))
    assert {c.status for c in cell_rows(one)} == {"not run"}
    assert statement_status(statement_rows(one))["X-1"] == ("not run", "needs-run")


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
    ("other", "excluded", "status"),
    [
        (0.5, "", "depends"),
        (0.4, "", "contradicted"),
        (0.5, "0.01", "contradicted"),
        (None, "", "unresolved"),
    ],
)
def test_a_number_that_an_open_choice_reaches_depends_on_it(
    tmp_path: Path, other: float | None, excluded: str, status: str
) -> None:
    """Printed 50, ours 60 by default; another option has 50, or is as far away on the other side."""
    text = CLAIMED_RATE.replace("grid = true\n", f'excluded = ["{excluded}"]\n' if excluded else "", 1)
    one = shelf(tmp_path, text, TABLE.format("50.0", "", "56.0"))
    (recipe,) = one.recipes()
    for seed in range(5):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.6 + seed / 1000})
        if other is not None:
            unit = Unit(recipe, "FedAvg", seed, {"rate": "0.01"})
            made(unit, one.results, {"final(test_accuracy)": other + seed * seed / 10_000})
    cell = cell_rows(one)[0]
    assert cell.status == status
    assert ("rate = 0.01" in cell.why) is (status in {"depends", "unresolved"})


def test_an_option_without_effect_is_screened(tmp_path: Path) -> None:
    """The default is within δ of the print; an option too noisy for a word of its own moves it by less than δ."""
    text = CLAIMED_RATE.replace("grid = true\n", "", 1)
    one = shelf(tmp_path, text, TABLE.format("50.0", "0.1", "56.0"))
    (recipe,) = one.recipes()
    noise = (0.0, 0.018, -0.018, 0.009, -0.009)
    for seed, shift in enumerate(noise):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5 + shift})
        moved = 0.5 + shift + 0.012 + seed / 10_000
        made(Unit(recipe, "FedAvg", seed, {"rate": "0.01"}), one.results, {"final(test_accuracy)": moved})
    cell = cell_rows(one)[0]
    assert cell.options == {"rate = 0.01": "screened"}
    assert cell.status == "reproduced"
