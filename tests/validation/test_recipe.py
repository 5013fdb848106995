"""Recipes: every one of ours names real runs and real cells; units, measures, results, queue and comparison."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from validation.cli import main
from validation.recipe.comparison import cell_rows, ranked, statement_rows, statement_status, statements_of
from validation.recipe.cost import Costs, hours_of
from validation.recipe.intervals import holm, mean_of, p_value
from validation.recipe.measure import MEASURES, Curves, check_measure, measured
from validation.recipe.pause import PAUSE
from validation.recipe.play import play
from validation.recipe.queue import plan, work_off
from validation.recipe.recipe import Arm, Open, Recipe, Statement
from validation.recipe.result import LARGEST, Result, read_results, result_path, write_result
from validation.recipe.shelf import Shelf, chosen, shelves
from validation.recipe.tables import Apart, apart, items_apart, items_shown, printed_cells
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity, settings_of, units

EVERY = chosen(())
TEXT = """
shows = "a table"
statements = [
  { claim = "X-1", measure = "final(test_accuracy)", arm = "FedAvg", above = ["Worse"] },
  { claim = "X-2", measure = "trend(update_diversity)", arm = "FedAvg", above = 0 },
]
series = ["test_accuracy", "update_diversity"]

[run]
dataset = "digits"
n_clients = 4
n_sampled = 2
n_rounds = 4
n_local_steps = 2
losses = "present"
floor = "zero"

[arms]
FedAvg = { rule = "proportional" }
Worse = { rule = "fed-worse" }

[open.rate]
why = "not printed"
grid = true
options = { "0.1" = { local_lr = 0.1 }, "0.01" = { local_lr = 0.01 } }

[open."of Worse"]
why = "k is not printed"
arms = ["Worse"]
options = { one = {}, two = { rule = "fed-worse(k=2)" } }

[[cells]]
table = "t"
measure = "final(test_accuracy)"
times = 100
"""
TABLE = (
    "table,method,metric,value,ci95,unit\nt,FedAvg,accuracy,{0},{1},percent\n"
    "t,Worse,accuracy,{2},,percent\nt,Other,accuracy,1,,percent\n"
)


def shelf(tmp_path: Path, text: str = TEXT, table: str = TABLE.format("50.0", "", "50.0")) -> Shelf:
    (tmp_path / "recipes").mkdir(exist_ok=True)
    (tmp_path / "published").mkdir(exist_ok=True)
    (tmp_path / "recipes" / "t.toml").write_text(text, encoding="utf-8")
    (tmp_path / "published" / "t.csv").write_text(table, encoding="utf-8")
    return Shelf("x", tmp_path)


def made(unit: Unit, results: Path, values: dict[str, float | None], *, status: str = "completed") -> Result:
    """A result as a run would leave it, with these measures."""
    full = Curves({"test_accuracy": {1: 0.1, 2: 0.2}}, 2)
    result = Result(
        unit.recipe.id,
        unit.arm,
        dict(unit.choice),
        unit.seed,
        unit.scale,
        identity(unit),
        status,
        2,
        values,
        {},
        {},
        8.0,
        "",
    )
    write_result(results, unit, result, full)
    return result


@pytest.mark.parametrize("recipe", [r for _, r in EVERY], ids=lambda r: r.id)
def test_every_unit_of_every_recipe_is_a_run_that_can_be_made(recipe: Recipe) -> None:
    every = [u for seed in (0, CALIBRATION_SEED) for u in units(recipe, [seed])]
    found = [identity(unit) for unit in every]
    assert len(set(found)) == len(found), "two units of one recipe are the same run"


@pytest.mark.parametrize("one", shelves(), ids=lambda s: s.paper)
def test_every_cell_of_a_recipe_stands_once_in_its_table(one: Shelf) -> None:
    printed = list(printed_cells(one.folder / "published"))
    for recipe in one.recipes():
        for cells in recipe.cells:
            rows = {a.name: row for a in recipe.arms if (row := cells.of(a.name)) is not None}
            hits = {a: sum(p.table == cells.table and p.matches(row) for p in printed) for a, row in rows.items()}
            assert max(hits.values()) == 1, (recipe.id, cells.table, hits)
            assert all(hits[a] == 1 for a in cells.rows), (recipe.id, cells.table, hits)
    apart(one.folder / "recipes" / "tables.toml")


ITEMS = {
    "exp_alpha": [*(f"Table {i}" for i in range(1, 14)), "Figure 1", "Figure 2a", "Figure 2b", "Figure 3", "Figure 4"],
    "fedaware": ["Table 1", "Table 2", *(f"Figure {i}" for i in range(1, 9))],
    "efl": [*(f"Table {i}" for i in range(1, 7)), "Figure 1", "Figure 2", "Figure 3"],
    "fedssa": [
        *(f"Table {i}" for i in range(1, 10)),
        *(f"Figure {i}" for i in ("1", "2", "3", "4a", "4b", "4c", "4d", "5")),
    ],
    "robust_aggregation": ["Figure 1", "Figure 2", "Figure 3"],
}
"""Every numbered table and figure of the five papers, counted in their texts."""


@pytest.mark.parametrize("one", [s for s in shelves() if s.recipes()], ids=lambda s: s.paper)
def test_every_table_and_figure_has_a_recipe_or_one_reason(one: Shelf) -> None:
    reasons = [apart.item for apart in items_apart(one.folder / "recipes" / "tables.toml")]
    shown = {item for recipe in one.recipes() for item in items_shown(recipe.shows)}
    assert sorted({*shown, *reasons}) == sorted(ITEMS[one.paper])
    assert len(set(reasons)) == len(reasons)
    assert not shown & set(reasons)


def test_every_claim_that_waits_for_a_run_is_in_a_recipe_or_has_a_reason() -> None:
    entries = [entry for one in shelves() for entry in json.loads((one.folder / "ledger.json").read_text())]
    said = {row.claim for one in shelves() for row in statement_rows(one)}
    assert said <= {entry["id"] for entry in entries}
    assert {entry["id"] for entry in entries if entry["verdict"] == "needs-run"} <= said


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("n_rounds = 4", "n_round = 4", "n_round"),
        ('rule = "fed-worse" }', 'rule = "fed-wors" }', "fed-wors"),
        ("final(test_accuracy)", "finale(test_accuracy)", "finale"),
        ("final(test_accuracy)", "final(test_acuracy)", "test_acuracy"),
        ('above = ["Worse"]', 'above = ["Worst"]', "Worst"),
        ('why = "not printed"', 'why = ""', "no why"),
        ('shows = "a table"', 'show = "a table"', "unknown key 'show'"),
        ("times = 100", "factor = 100", "factor"),
        ("n_clients = 4", "n_clients = [4]", "expected text, a number"),
        ("[run]", "[run", "cannot be read as TOML"),
    ],
)
def test_a_mistake_in_a_recipe_names_file_and_word(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    with pytest.raises(ValueError, match=told) as error:
        [settings_of(unit) for unit in units(shelf(tmp_path, text).recipes()[0], [0])]
    assert "t.toml" in str(error.value) or "x.t" in str(error.value)


def test_words_of_an_arm_win_over_shared_options_and_its_own_options_over_both(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path).recipes()
    assert recipe.words("Worse", {"of Worse": "two"})["rule"] == "fed-worse(k=2)"
    assert recipe.words("FedAvg", {"rate": "0.01"})["local_lr"] == 0.01
    named = [(u.arm, dict(u.choice)) for u in units(recipe, [0])]
    assert ("FedAvg", {"of Worse": "two"}) not in named
    assert ("Worse", {"of Worse": "two"}) in named
    assert len(named) == 5


def test_identity_is_of_what_decides_numbers() -> None:
    (recipe,) = (r for _, r in EVERY if r.id == "fedaware.figure7")
    unit = Unit(recipe, "FedAvg", 0)
    faster = replace(recipe, run={**recipe.run, "trainer": "in-turn", "checkpoint_every": 50})
    other = replace(recipe, run={**recipe.run, "local_lr": 0.02})
    assert identity(unit) == identity(Unit(faster, "FedAvg", 0))
    assert (
        len(
            {
                identity(u)
                for u in (
                    unit,
                    Unit(other, "FedAvg", 0),
                    Unit(recipe, "FedAvg", 1),
                    Unit(recipe, "FedAvg", 0, scale=0.5),
                )
            }
        )
        == 4
    )


def test_measures_by_hand() -> None:
    of = Curves({"test_accuracy": {2: 0.1, 4: 0.5, 6: 0.4, 8: 0.7, 10: 0.9}}, 10, {"ratio=1": 0.25, "ratio=0.1": 0.75})
    wanted = {
        "final(test_accuracy)": 0.9,
        "at(test_accuracy, 4)": 0.5,
        "half(test_accuracy)": 0.5,
        "best(test_accuracy)": 0.9,
        "late_mean(test_accuracy)": 0.9,
        "late_mean(test_accuracy, 0.4)": 0.8,
        "late_variance(test_accuracy, 0.4)": 0.02,
        "mean(test_accuracy)": 0.52,
        "mean_square(test_accuracy)": 0.344,
        "least(test_accuracy)": 0.1,
        "reached(test_accuracy, 0.6)": 8.0,
        "crossed(test_accuracy, 0.6)": 6 + 2 * 2 / 3,
        "early_mean(test_accuracy, 0.5)": 0.3,
        "trend(test_accuracy)": 0.9,
        "roughness(test_accuracy)": 0.25,
        "weight('ratio=0.1')": 0.75,
        "weight('ratio')": 0.5,
    }
    assert {m.partition("(")[0] for m in wanted} == {*MEASURES, "weight"}
    for text, value in wanted.items():
        check_measure(text)
        assert measured(text, of) == pytest.approx(value), text
    assert measured("reached(test_accuracy, 0.95)", of) is None
    assert measured("final(test_accuracy)", replace(of, n_rounds=12)) is None
    assert measured("late_mean(test_accuracy)", replace(of, n_rounds=12)) is None


@pytest.mark.parametrize(
    "text",
    [
        "final",
        "final()",
        "final(test_accuracy, 1)",
        "reached(test_accuracy)",
        "weight(ratio)",
        "reached(test_accuracy, 1e999)",
        "final(x=1)",
        "__import__('os')",
        "final(" * 99,
    ],
)
def test_no_other_text_is_a_measure(text: str) -> None:
    with pytest.raises(ValueError, match="measure"):
        check_measure(text)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_bonferroni_for_the_least_and_never_below_p(p: list[float]) -> None:
    adjusted = holm(p)
    assert all(a >= b for a, b in zip(adjusted, p, strict=True))
    assert min(adjusted) == pytest.approx(min(1.0, len(p) * min(p)))
    order = np.argsort(p)
    assert (np.diff(np.asarray(adjusted)[order]) >= 0).all()


def test_holm_and_student_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found = mean_of([1.0, 2.0, 3.0])
    assert (found.low, found.high) == pytest.approx((2 - 4.302652729749464 / 3**0.5, 2 + 4.302652729749464 / 3**0.5))
    assert p_value([1.0, 2.0, 3.0]) == pytest.approx(0.07417990022744862)
    assert (mean_of([1.0]).low, p_value([1.0])) == (None, None)
    assert (p_value([0.0, 0.0]), p_value([1.0, 1.0])) == (1.0, 0.0)


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
    ("differences", "status"),
    [
        ((0.1, 0.11, 0.12), "agrees"),
        ((-0.1, -0.11, -0.12), "differs"),
        ((0.1, -0.1, 0.05), "undecided"),
        ((0.0, 0.0, 0.0), "differs"),
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
    for single in ("best(update_diversity)", "mean(test_loss)"):  # one round of all, and no curve
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
        made(Unit(recipe, "Worse", seed), one.results, {"final(test_accuracy)": 0.45 + 0.001 * seed})
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
            weights = {"weight('ratio=1')": 0.3, "weight('ratio=0.1')": 0.1}
            values = {"final(test_accuracy)": value + seed / 1e4 * (arm == "a"), **weights}
            config = identity(Unit(recipe, arm, seed))
            found.append(Result("x.t", arm, {}, seed, 1.0, config, "completed", 2, values, {}, {}, 1.0, ""))
    rows = statements_of(recipe, {result.config: result for result in found})
    assert [row.status for row in rows] == ["agrees", "agrees"]
    assert [round(mean.value, 3) for row in rows if (mean := row.differences[0].mean)] == [0.2, 0.2]


def test_a_unit_is_played_stopped_and_gone_on_with(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    unit, seen = Unit(recipe, "FedAvg", 0), []

    def stop(record: object) -> None:
        seen.append(record)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(unit, one.results, tmp_path / "work", on_round=stop)
    assert not list(one.results.glob("*/*.json"))
    play(unit, one.results, tmp_path / "work")
    (result,) = read_results(one.results)
    again = play(unit, tmp_path / "other", tmp_path / "work2")
    told = json.loads(again.read_text())
    assert result.config == identity(unit)
    assert result.measures == told["measures"]
    assert result.curves == told["curves"]
    assert result.curves["test_accuracy"][-1][0] == result.n_rounds == 4


def test_the_queue_keeps_to_its_budget_goes_on_and_runs_nothing_twice(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    costs = Costs(one.recipes(), {}, None)
    assert list(work_off(pair, costs, [0], tmp_path / "work", budget=0.0)) == []
    first = next(iter(work_off(pair, costs, [0], tmp_path / "work", budget=600.0)))  # stopped after one unit
    assert first.name == "FedAvg--default--seed-0.json"
    rest = list(work_off(pair, costs, [0], tmp_path / "work", budget=600.0))
    assert len(rest) == 4
    assert first not in rest
    assert plan(pair, costs, [0]) == []
    cost = costs.of(Unit(pair[0][1], "FedAvg", 5))
    assert cost is not None
    assert cost.known == "measured"  # however short the run
    assert hours_of(pair[0][1], costs, one.read()) is not None
    told: list[str] = []
    assert list(work_off(pair, costs, [0], tmp_path / "work", budget=1.0, tell=told.append)) == []
    assert told == ["nothing is left to run"]


def test_the_queue_waits_while_a_quiet_machine_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = shelf(tmp_path)
    work, told = tmp_path / "work", []
    work.mkdir()
    (work / PAUSE).touch()
    monkeypatch.setattr("validation.recipe.pause.sleep", lambda _: (work / PAUSE).unlink())
    pair = [(one, one.recipes()[0])]
    list(
        work_off(
            pair, Costs(one.recipes(), {}, None), [0], work, budget=600.0, arms=["FedAvg"], vary=(), tell=told.append
        )
    )
    assert sum("paused" in line for line in told) == 1


def test_two_queues_do_not_work_in_one_folder(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    pair = [(one, one.recipes()[0])]
    running = work_off(pair, Costs(one.recipes(), {}, None), [0], tmp_path / "work", budget=600.0)
    next(running)
    with pytest.raises(ValueError, match="another queue works there"):
        next(work_off(pair, Costs(one.recipes(), {}, None), [0], tmp_path / "work", budget=600.0))
    running.close()


def test_rows_apart_need_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "tables.toml"
    file.write_text('[[rows]]\ntable = "t"\nstatus = "static"\nwhy = "counts"\n')
    assert apart(file) == (Apart("t", "static", "counts"),)
    for bad in ('status = "agrees"\nwhy = "so"', 'status = "static"\nwhy = " "', 'status = "static"'):
        file.write_text(f'[[rows]]\ntable = "t"\n{bad}\n')
        with pytest.raises(ValueError, match=r"tables\.toml"):
            apart(file)


def test_an_open_choice_without_options_is_none() -> None:
    with pytest.raises(ValueError, match="no options"):
        Open("rate", "not printed", {})


def test_the_commands_list_plan_and_compare() -> None:
    run = CliRunner()
    listed = run.invoke(main, ["reproduce"])
    assert listed.exit_code == 0, listed.stderr
    assert "FA-P19" in listed.stdout
    names = [recipe.id for shelf in shelves() for recipe in shelf.recipes()]
    assert [name for name in names if f"{name} " not in listed.stdout] == []  # what is typed again is never cut short
    cells = json.loads(run.invoke(main, ["compare", "--published", "--json"]).stdout)
    wanted = {"paper", "table", "row", "column", "published", "ours", "interval", "n", "status", "hours"}
    assert all(wanted <= set(cell) for cell in cells)
    assert len(cells) == sum(len(list(printed_cells(s.folder / "published"))) for s in shelves())
    unknown = run.invoke(main, ["reproduce", "fedaware.tabel2", "--dry-run"])
    assert unknown.exit_code == 2
    assert "fedaware.table2" in unknown.stderr
    assert run.invoke(main, ["tune", "fedaware", "--dry-run"]).exit_code == 2
    assert "nothing to tune" in run.invoke(main, ["tune", "fedaware.figure7", "--dry-run"]).stderr
    assert run.invoke(main, ["queue", "--budget", "soon"]).exit_code == 2
    lost = run.invoke(main, ["queue", "fedaware.figure7", "--scheduler", "tcp://host:8786", "--budget", "0s"])
    assert (lost.exit_code, "expected --backend dask" in lost.stderr) == (2, True)


def test_a_run_that_two_recipes_share_answers_both_only_with_what_both_ask(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    other = TEXT.replace("final(test_accuracy)", "best(test_accuracy)")
    (tmp_path / "recipes" / "u.toml").write_text(other, encoding="utf-8")
    t, u = one.recipes()
    pair = [(one, t), (one, u)]
    costs = Costs(one.recipes(), {}, None)
    few = {"seeds": [0], "vary": (), "arms": ["FedAvg"]}
    made(Unit(t, "FedAvg", 0), one.results, dict.fromkeys(t.measures, 0.5))
    assert [p.unit.recipe.id for p in plan(pair, costs, **few)] == ["x.u"]
    made(Unit(u, "FedAvg", 0), one.results, dict.fromkeys(u.measures, 0.75))
    assert plan(pair, costs, **few) == []
    (merged,) = one.read().values()
    assert set(merged.measures) == {*t.measures, *u.measures}
    assert merged.measures["final(test_accuracy)"] == 0.5
    assert merged.measures["best(test_accuracy)"] == 0.75
    made(Unit(u, "FedAvg", 0), one.results, {}, status="stopped")
    assert merged.status == next(iter(one.read().values())).status == "completed"
