"""Arms that are one run, judged on several targets: trained once, asked by each, and never a method that looks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.validation.small_recipe import shelf
from validation.recipe.measure import check_measure, on_target
from validation.recipe.recipe import Recipe
from validation.recipe.result import answered, read_results
from validation.recipe.results.by_seed import seeds_without, values_by_seed
from validation.recipe.results.comparison import cell_rows
from validation.recipe.results.statements import statement_rows
from validation.recipe.runs.cost import Costs, hours_of
from validation.recipe.runs.queue import plan, work_off
from validation.recipe.runs.run_unit import play, result_of
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity, settings_of, units

TEXT = """
shows = "a table"
statements = [{ claim = "X-1", measure = "final(test_accuracy)", arm = "Skew", above = ["Uniform"] }]

[run]
dataset = "digits"
partition = "classes(m=2)"
n_clients = 5
n_sampled = 5
n_rounds = 4
n_local_steps = 2
losses = "none"
floor = "zero"
target = "skew(client=0); exponential(rho=50); uniform"
n_target_samples = 50

[arms]
Skew = { rule = "proportional" }
Imb = { rule = "proportional", judged_on = "exponential(rho=50)" }
Looks = { rule = "confidence", target = "uniform" }
Uniform = { rule = "proportional", judged_on = "uniform" }

[[cells]]
table = "t"
measure = "final(test_accuracy)"
times = 100
"""
TABLE = "table,method,metric,value,unit\n" + "".join(f"t,{a},accuracy,50,percent\n" for a in ("Skew", "Imb", "Uniform"))
FIRST, SECOND, THIRD = "skew(client=0)", "exponential(rho=50)", "uniform"


@pytest.fixture
def one(tmp_path: Path) -> Shelf:
    return shelf(tmp_path, TEXT, TABLE)


def test_arms_of_the_same_words_are_one_unit_and_one_run(one: Shelf) -> None:
    (recipe,) = one.recipes()
    assert [u.arm for u in units(recipe, [0, 1])] == ["Skew", "Looks"] * 2
    assert [u.arm for u in units(recipe, [0], arms=["Uniform", "Looks", "Imb"])] == ["Uniform", "Looks"]
    assert len({identity(Unit(recipe, arm, 0)) for arm in ("Skew", "Imb", "Uniform")}) == 1
    assert recipe.of_one_run("Imb") == ("Skew", "Imb", "Uniform")
    assert recipe.measures_of("Looks") == ("final(test_accuracy)",)
    assert recipe.measures_of("Skew") == (
        "final(test_accuracy)",
        f"final(test_accuracy['{SECOND}'])",
        "final(test_accuracy['uniform'])",
    )


def test_one_run_says_on_each_target_what_a_run_of_its_own_would(one: Shelf, tmp_path: Path) -> None:
    (recipe,) = one.recipes()
    own: dict[str, float] = {}
    for arm, target in (("Skew", FIRST), ("Imb", SECOND), ("Uniform", THIRD)):
        alone = replace(recipe, run={**recipe.run, "target": target}, arms=recipe.arms[:1], statements=())
        found = result_of(Unit(alone, "Skew", 0), tmp_path / target)[0].measures["final(test_accuracy)"]
        assert found is not None
        own[arm] = found
    costs = Costs(one.recipes(), {}, None)
    pair = [(one, recipe)]
    done = list(work_off(pair, costs, [0], tmp_path / "work", budget=600.0))
    assert [path.name for path in done] == ["Skew--default--seed-0.json", "Looks--default--seed-0.json"]
    assert plan(pair, costs, [0]) == []
    results = one.read()
    assert all(answered(Unit(recipe, arm, 0), results) for arm in ("Skew", "Imb", "Uniform", "Looks"))
    assert {a: values_by_seed(recipe, a, {}, "final(test_accuracy)", results)[0] for a in own} == pytest.approx(own)
    assert len(set(own.values())) == 3
    cells = {cell.row.partition(",")[0]: cell for cell in cell_rows(one)}
    assert {a: cell.ours for a, cell in cells.items()} == pytest.approx({a: 100 * v for a, v in own.items()})
    (said,) = statement_rows(one)
    (difference,) = said.differences
    assert difference.mean is not None
    assert difference.mean.value == pytest.approx(own["Skew"] - own["Uniform"])
    assert hours_of(recipe, costs, results) is not None


def test_a_demonstration_of_one_arm_is_one_of_all_that_share_its_run(one: Shelf, tmp_path: Path) -> None:
    (recipe,) = one.recipes()
    play(Unit(recipe, "Imb", 0, scale=0.5), one.results, tmp_path / "work")
    cells = cell_rows(one)
    assert [cell.status for cell in cells] == ["demonstration"] * 3
    assert {cell.note.partition("; ")[0] for cell in cells} == {"2 of 4 rounds"}
    assert len({cell.ours for cell in cells}) == 3
    assert [row.status for row in statement_rows(one)] == ["demonstration"]


def test_a_demonstration_of_another_configuration_is_none_of_todays(one: Shelf, tmp_path: Path) -> None:
    (recipe,) = one.recipes()
    play(Unit(recipe, "Skew", 0, scale=0.5), one.results, tmp_path / "work")
    later = shelf(tmp_path, TEXT.replace("n_local_steps = 2", "n_local_steps = 3"), TABLE)
    assert [cell.status for cell in cell_rows(later)] == ["not run"] * 3
    assert [row.status for row in statement_rows(later)] == ["not run"]


def test_every_target_of_a_run_is_kept_whoever_asks(one: Shelf, tmp_path: Path) -> None:
    """So that another recipe with the same run need not play it again."""
    (recipe,) = one.recipes()
    play(Unit(replace(recipe, arms=recipe.arms[:1], statements=()), "Skew", 0), one.results, tmp_path / "work")
    (result,) = read_results(one.results)
    assert {on_target("final(test_accuracy)", t) for t in (FIRST, SECOND, THIRD)} <= set(result.measures)
    assert result.measures[on_target("final(test_accuracy)", FIRST)] == result.measures["final(test_accuracy)"]


def test_a_run_that_ended_without_the_number_is_told_of_each_arm(one: Shelf, tmp_path: Path) -> None:
    (recipe,) = one.recipes()
    never = replace(recipe, statements=(replace(recipe.statements[0], measure="reached(test_accuracy, 1.1)"),))
    play(Unit(never, "Skew", 0), one.results, tmp_path / "work")
    assert seeds_without(never, "Uniform", {}, "reached(test_accuracy, 1.1)", one.read()) == {0}
    assert seeds_without(never, "Uniform", {}, "final(test_accuracy)", one.read()) == frozenset()


def test_measures_on_a_target() -> None:
    assert on_target("late_mean(test_accuracy, 0.25)", "uniform") == "late_mean(test_accuracy['uniform'], 0.25)"
    assert on_target("final(test_loss)", "skew(client=0)") == "final(test_loss['skew(client=0)'])"
    for text in ("weight('ratio=1')", "trend(update_diversity)", "final(validation_accuracy)"):
        assert on_target(text, "uniform") == text
    with pytest.raises(ValueError, match="unknown series"):  # a recipe says it of an arm
        check_measure("final(test_accuracy['uniform'])")
    with pytest.raises(ValueError, match="expected the name of a series"):
        check_measure("final(test_accuracy[0])")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('judged_on = "uniform"', 'judged_on = "uniformly"', "judged on 'uniformly'; expected one of its targets"),
        ('judged_on = "uniform"', "judged_on = 3", "judged_on = 3"),
        ('"confidence", target = "uniform"', '"confidence", judged_on = "uniform"', "reads samples of 'skew"),
        (
            '"confidence", target = "uniform" }',
            '"confidence" }\nToo = { rule = "confidence", judged_on = "uniform" }',
            "reads samples",
        ),
        (
            '"confidence", target = "uniform"',
            '"proportional", server = "fed-df", judged_on = "uniform"',
            "reads samples",
        ),
    ],
)
def test_a_target_that_the_run_does_not_have_or_the_method_looks_at(
    tmp_path: Path, old: str, new: str, told: str
) -> None:
    text = TEXT.replace(old, new)
    assert text != TEXT
    with pytest.raises(ValueError, match=told):
        [settings_of(unit) for unit in units(shelf(tmp_path, text, TABLE).recipes()[0], [0])]


def test_options_of_one_arm_make_its_run_another(one: Shelf, tmp_path: Path) -> None:
    text = TEXT + '[open.rate]\nwhy = "not printed"\narms = ["Imb"]\noptions = { a = {}, b = { local_lr = 0.5 } }\n'
    (recipe,) = shelf(tmp_path, text, TABLE).recipes()
    assert isinstance(recipe, Recipe)
    assert recipe.of_one_run("Skew") == ("Skew", "Uniform")
    assert recipe.of_one_run("Imb") == ("Imb",)
