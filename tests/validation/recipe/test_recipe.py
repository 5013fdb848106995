"""Recipes: every one of ours names real runs, real cells and every table; a mistake in one is named."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.validation.small_recipe import TEXT, shelf
from validation.recipe.recipe import Open, Recipe
from validation.recipe.results.statements import statement_rows
from validation.recipe.results.tables import Apart, apart, items_apart, items_shown, printed_cells
from validation.recipe.shelf import Shelf, chosen, shelves
from validation.recipe.unit import CALIBRATION_SEED, Unit, identity, seedless, settings_of, units

EVERY = chosen(())


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
}  # every numbered table and figure of the five papers, counted in their texts


@pytest.mark.parametrize("one", [s for s in shelves() if s.recipes()], ids=lambda s: s.paper)
def test_every_table_and_figure_has_a_recipe_or_one_reason(one: Shelf) -> None:
    reasons = [apart.item for apart in items_apart(one.folder / "recipes" / "tables.toml")]
    shown = {item for recipe in one.recipes() for item in items_shown(recipe.shows)}
    assert sorted({*shown, *reasons}) == sorted(ITEMS[one.paper])
    assert len(set(reasons)) == len(reasons)
    assert not shown & set(reasons)


def test_every_claim_that_waits_for_a_run_is_in_a_recipe_or_has_a_reason() -> None:
    entries = [entry for one in shelves() for entry in json.loads((one.folder / "ledger.json").read_text())["entries"]]
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


def test_what_an_arm_draws_follows_the_seed_of_the_unit_and_not_its_identity(tmp_path: Path) -> None:
    drawn, written = 'rule = "power-of-choice(d=2, m=1)" }', 'rule = "power-of-choice(d=2, m=1, seed=0)" }'
    for words, seeds in ((drawn, [0, 1, 2]), (written, [0, 0, 0])):
        (recipe,) = shelf(tmp_path, TEXT.replace('rule = "fed-worse" }', words, 1)).recipes()
        of = [Unit(recipe, "Worse", seed) for seed in range(3)]
        assert [(settings_of(u).rule.seed, settings_of(u).config.seed) for u in of] == [
            *zip(seeds, range(3), strict=True)
        ]  # type: ignore[union-attr]
        assert {seedless(u).rule.seed for u in of} == {0}  # type: ignore[union-attr]


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


def test_the_default_is_no_excluded_option() -> None:
    assert Open("rate", "not printed", {"1": {}, "2": {}}, excluded=("2",)).default == "1"
    with pytest.raises(ValueError, match="excluded names '1'; expected one of 2"):
        Open("rate", "not printed", {"1": {}, "2": {}}, excluded=("1",))


OF_ARMS = """
[open.cohort]
why = "C is not printed"
options = { few = {}, many = { n_sampled = 4 } }
[open.cohort.of_arms.many]
FedAvg = { rule = "uniform" }
"""


def test_an_option_may_carry_words_of_single_arms_in_place_of_their_own(tmp_path: Path) -> None:
    (one,) = shelf(tmp_path, f"{TEXT}{OF_ARMS}").recipes()
    others = [arm.name for arm in one.arms if arm.name != "FedAvg"]
    assert others
    many = {"cohort": "many"}
    assert one.words("FedAvg", many)["rule"] == "uniform"
    assert one.words("FedAvg", {}).get("rule") != "uniform"
    for name in others:
        assert one.words(name, many) == {**one.words(name, {}), "n_sampled": 4}


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("of_arms.many", "of_arms.most", "of_arms names 'most'; expected one of few, many"),
        ("\nFedAvg = { rule", "\nFedAgv = { rule", "has words of FedAgv; expected arms, such as"),
        ('"uniform"', "[1]", "of_arms many FedAvg rule"),
        ('{ rule = "uniform" }', "3", "expected a table of words"),
    ],
)
def test_words_of_single_arms_name_options_and_arms_that_are_there(
    tmp_path: Path, old: str, new: str, match: str
) -> None:
    assert old in OF_ARMS
    with pytest.raises(ValueError, match=match):
        shelf(tmp_path, f"{TEXT}{OF_ARMS.replace(old, new)}").recipes()


def test_a_recipe_with_rounded_products_is_refused_by_name(tmp_path: Path) -> None:
    text = TEXT.replace('losses = "present"', 'losses = "present"\nproducts = "bf16"')
    (recipe,) = shelf(tmp_path, text).recipes()
    with pytest.raises(ValueError, match=r"x\.t, arm 'FedAvg', default: products='bf16' rounds"):
        identity(Unit(recipe, "FedAvg", 0))
