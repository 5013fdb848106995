"""Effects of an option by a plan: paired by seed, at the same rounds, Holm over options; what is run are units."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.validation.small_recipe import TEXT, made, shelf
from validation.recipe.effects import Plan, effects_of, hours_taken, read_plan, units_of
from validation.recipe.recipe import Recipe
from validation.recipe.runs.effects import main, told
from validation.recipe.shelf import Shelf, shelves
from validation.recipe.statistics.intervals import mean_of
from validation.recipe.unit import Unit

PLAN = """
shows = "t"
recipe = "x.t"
seeds = [0, 1, 2, 3, 4]
scale = 0.5
arms = ["FedAvg", "Worse"]
options = [{ rate = "0.01" }, { "of Worse" = "two" }]
of = [["FedAvg"], ["FedAvg", "Worse"]]
measures = ["final(test_accuracy)"]
hours_said = 1.0
says = "little"
"""
BASE = {"FedAvg": (0.5, 0.6, 0.7, 0.8, 0.9), "Worse": (0.4, 0.4, 0.5, 0.5, 0.5)}
SLOW = {"FedAvg": (0.3, 0.5, 0.4, 0.6, 0.6), "Worse": (0.3, 0.3, 0.3, 0.3, 0.3)}
TWO = (0.1, 0.2, 0.3, 0.4, 0.5)


def plan_of(tmp_path: Path, text: str = PLAN) -> Plan:
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    return read_plan(tmp_path / "p.toml")


def filled(tmp_path: Path) -> tuple[Plan, Recipe, Shelf]:
    """The default at full scale, options at half of it; of Worse = two of Worse alone."""
    one = shelf(tmp_path, TEXT)
    (recipe,) = one.recipes()
    for seed in range(5):
        for arm in BASE:
            made(Unit(recipe, arm, seed), one.results, {"final(test_accuracy)": BASE[arm][seed]})
            slow = Unit(recipe, arm, seed, {"rate": "0.01"}, 0.5)
            made(slow, one.results, {"final(test_accuracy)": SLOW[arm][seed]})
        two = Unit(recipe, "Worse", seed, {"of Worse": "two"}, 0.5)
        made(two, one.results, {"final(test_accuracy)": TWO[seed]})
    return plan_of(tmp_path), recipe, one


def test_an_effect_is_paired_by_seed_and_an_arm_that_an_option_leaves_alone_keeps_its_default(tmp_path: Path) -> None:
    plan, recipe, one = filled(tmp_path)
    found = {(e.of, e.option): e for e in effects_of(plan, recipe, one.read())}
    assert set(found) == {(of, o) for of in ("FedAvg", "FedAvg − Worse") for o in ("rate=0.01", "of Worse=two")}
    slow = [a - b for a, b in zip(SLOW["FedAvg"], BASE["FedAvg"], strict=True)]
    assert found["FedAvg", "rate=0.01"].effect == mean_of(slow)
    assert found["FedAvg", "rate=0.01"].default == pytest.approx(0.7)
    assert found["FedAvg", "rate=0.01"].under == pytest.approx(0.48)
    gaps = [(SLOW["FedAvg"][k] - SLOW["Worse"][k]) - (BASE["FedAvg"][k] - BASE["Worse"][k]) for k in range(5)]
    assert found["FedAvg − Worse", "rate=0.01"].effect.value == pytest.approx(sum(gaps) / 5)
    worse = [BASE["Worse"][k] - TWO[k] for k in range(5)]  # FedAvg is the same under both
    assert found["FedAvg − Worse", "of Worse=two"].effect.value == pytest.approx(sum(worse) / 5)
    assert found["FedAvg", "of Worse=two"].effect.value == 0


def test_p_is_holm_s_over_the_options_of_a_measure(tmp_path: Path) -> None:
    from validation.recipe.statistics.intervals import holm, p_value

    plan, recipe, one = filled(tmp_path)
    found = [e for e in effects_of(plan, recipe, one.read()) if e.of == "FedAvg − Worse"]
    alone = [p_value([0.0 - (BASE["Worse"][k] - TWO[k]) for k in range(5)]), None]
    slow = [(SLOW["FedAvg"][k] - SLOW["Worse"][k]) - (BASE["FedAvg"][k] - BASE["Worse"][k]) for k in range(5)]
    alone[1], alone[0] = alone[0], p_value(slow)
    assert [e.p for e in found] == pytest.approx(holm([p for p in alone if p is not None]))


def test_what_is_run_are_units_and_the_default_only_where_all_rounds_are_played(tmp_path: Path) -> None:
    (recipe,) = shelf(tmp_path, TEXT).recipes()
    short = list(units_of(plan_of(tmp_path), recipe))
    assert len(short) == 20
    assert all(unit.choice and unit.scale == 0.5 for unit in short)
    whole = list(units_of(plan_of(tmp_path, PLAN.replace("0.5", "1.0")), recipe))
    assert len(whole) == 30
    assert [unit.choice for unit in whole[:10]] == [{}] * 10


def test_a_seed_of_one_side_is_left_out_and_hours_are_of_the_plan_s_runs(tmp_path: Path) -> None:
    plan, recipe, one = filled(tmp_path)
    assert hours_taken(plan, recipe, one.read()) == pytest.approx(15 * 8 / 3600)
    (one.results / "t" / "FedAvg--rate=0.01--seed-2--scale-0.5.json").unlink()
    found = next(e for e in effects_of(plan, recipe, one.read()) if (e.of, e.option) == ("FedAvg", "rate=0.01"))
    assert found.effect.n == 4
    assert "FedAvg, final(test_accuracy), rate=0.01: 0.7" in told(plan, [found], 0.25)
    assert "1.00 h said, 0.25 h taken" in told(plan, [found], 0.25)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [("says", "tells", "tells"), ("final(test", "finale(test", "finale"), ("seeds = [0, 1, 2, 3, 4]", "", "seeds")],
)
def test_a_plan_that_is_none_is_refused_by_name(tmp_path: Path, old: str, new: str, why: str) -> None:
    with pytest.raises(ValueError, match=rf"p\.toml: no plan of effects: .*{why}"):
        plan_of(tmp_path, PLAN.replace(old, new))


def test_committed_plans_name_what_their_recipes_have(capsys: pytest.CaptureFixture[str]) -> None:
    plans = [path for one in shelves() for path in sorted((one.folder / "effects").glob("*.toml"))]
    plans = [path for path in plans if path.name != "collapse.toml"]  # of FedSSA, whose study is its own
    assert len(plans) >= 5
    for path in plans:
        plan = read_plan(path)
        (recipe,) = (r for one in shelves() for r in one.recipes() if r.id == plan.recipe)
        assert all(unit.words for unit in units_of(plan, recipe))
    main([str(plans[0])])
    assert "h said" in capsys.readouterr().out
