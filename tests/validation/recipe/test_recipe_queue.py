"""Units are played, stopped and gone on with; queues keep to their budget and run nothing twice; their commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.validation.small_recipe import TEXT, made, shelf
from validation.cli import main
from validation.recipe.result import read_results
from validation.recipe.results.tables import printed_cells
from validation.recipe.runs.cost import Costs, hours_of
from validation.recipe.runs.pause import PAUSE
from validation.recipe.runs.queue import plan, work_off
from validation.recipe.runs.run_unit import play
from validation.recipe.shelf import shelves
from validation.recipe.unit import Unit, identity


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
    monkeypatch.setattr("validation.recipe.runs.pause.sleep", lambda _: (work / PAUSE).unlink())
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


def test_the_commands_list_plan_and_compare() -> None:
    run = CliRunner()
    listed = run.invoke(main, ["reproduce"])
    assert listed.exit_code == 0, listed.stderr
    assert "FA-P19" in listed.stdout
    names = [recipe.id for shelf in shelves() for recipe in shelf.recipes()]
    assert [name for name in names if f"{name} " not in listed.stdout] == []  # what is typed again is never cut short
    rows = json.loads(run.invoke(main, ["compare", "--published", "--json"]).stdout)
    told = {"ours", "interval", "n", "status", "estimand", "delta", "gap", "look", "options", "change"}
    wanted = {
        "cell": {"paper", "table", "row", "column", "published", "hours", "p", *told},
        "difference": {"paper", "table", "first", "second", "published", "p_direction", "p_size", *told},
        "sentence": {"claim", "recipe", "says", "status", "verdict", "differences", "options"},
    }
    assert {row["kind"] for row in rows} == set(wanted)
    assert all(wanted[row["kind"]] <= set(row) for row in rows)
    assert [row["kind"] for row in rows].count("cell") == sum(
        len(list(printed_cells(s.folder / "published"))) for s in shelves()
    )
    unknown = run.invoke(main, ["reproduce", "fedaware.tabel2", "--dry-run"])
    assert unknown.exit_code == 2
    assert "fedaware.table2" in unknown.stderr
    assert run.invoke(main, ["tune", "fedaware", "--dry-run"]).exit_code == 2
    assert "nothing to tune" in run.invoke(main, ["tune", "fedaware.figure7", "--dry-run"]).stderr
    assert run.invoke(main, ["queue", "--budget", "soon"]).exit_code == 2
    lost = run.invoke(main, ["queue", "fedaware.figure7", "--scheduler", "tcp://host:8786", "--dry-run"])
    assert (lost.exit_code, "is for --backend dask" in lost.stderr) == (2, True)


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


def test_a_recipe_has_its_own_seeds_and_what_sentences_speak_of_comes_first(tmp_path: Path) -> None:
    text = TEXT.replace("Worse = {", 'Other = { rule = "uniform" }\nWorse = {', 1)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    one, two = shelf(tmp_path / "one", "plan = [5, 10]\n" + text), shelf(tmp_path / "two", "seeds = 2\n" + text)
    (planned_one,), (planned_two,) = one.recipes(), two.recipes()
    told: list[str] = []
    found = plan([(one, planned_one), (two, planned_two)], Costs([], {}, None), tell=told.append)
    mine = [[p.unit for p in found if p.unit.recipe is recipe] for recipe in (planned_one, planned_two)]
    assert [{unit.seed for unit in units} for units in mine] == [{*range(5)}, {*range(2)}]
    for units in mine:
        others = [unit.arm == "Other" for unit in units]
        assert any(others)
        assert others == sorted(others)  # neither sentence speaks of it
        varied = [bool(unit.choice) for unit in units if unit.arm != "Other"]
        assert any(varied)
        assert varied == sorted(varied)  # defaults first
    assert [line.partition(" runs")[0] for line in told] == [f"x.t: {len(units)}" for units in mine]
    assert {p.unit.seed for p in plan([(one, planned_one)], Costs([], {}, None), [7])} == {7}


def test_the_first_line_comes_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: object) -> None:
        raise ValueError("nothing is read here")

    monkeypatch.setattr("validation.recipe.shelf.chosen", stop)
    found = CliRunner().invoke(main, ["queue", "fedaware.figure7", "--dry-run"])
    assert found.stderr.startswith("fedaware.figure7: counting what is missing\n")
    assert "nothing is read here" in found.stderr
