"""What a sentence still needs: each method on five seeds under the defaults and each option, a printed grid once."""

from __future__ import annotations

from pathlib import Path

from tests.validation.small_recipe import made, shelf
from validation.recipe.results.deciding import missing_runs, needed
from validation.recipe.runs.cost import Costs, Played
from validation.recipe.unit import Unit


def test_a_word_needs_five_seeds_of_each_method_under_each_option(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    first, second = recipe.statements
    found = list(missing_runs(recipe, first, {}))
    # five seeds of both, five of «of Worse = two», which is no choice of FedAvg's, and the grid's 0.01 once of each
    assert len(found) == 10 + 5 + 2
    assert {(u.arm, tuple(u.choice)) for u in found} == {
        ("FedAvg", ()),
        ("Worse", ()),
        ("Worse", ("of Worse",)),
        ("FedAvg", ("rate",)),
        ("Worse", ("rate",)),
    }
    assert len(list(missing_runs(recipe, second, {}))) == 5 + 1


def test_what_was_run_is_not_needed_and_the_rest_is_priced(tmp_path: Path) -> None:
    one = shelf(tmp_path)
    (recipe,) = one.recipes()
    for seed in range(3):
        made(Unit(recipe, "FedAvg", seed), one.results, {"final(test_accuracy)": 0.5, "trend(update_diversity)": 0.1})
    played = [Played("x.t", arm, seconds, 4) for arm, seconds in (("FedAvg", 2.0), ("Worse", 3.0))]
    rows = {row.claim: row for row in needed([recipe], one.read(), Costs([recipe], {}, None, played=played))}
    assert (rows["X-1"].runs, rows["X-2"].runs) == (14, 3)
    assert rows["X-2"].seconds == 3 * 4 * 2.0
    assert rows["X-1"].seconds == (2 + 1) * 4 * 2.0 + (5 + 5 + 1) * 4 * 3.0


def test_what_costs_an_unknown_time_has_none(tmp_path: Path) -> None:
    one = shelf(tmp_path, (shelf(tmp_path).folder / "recipes" / "t.toml").read_text().replace('"digits"', '"mnist"'))
    (recipe,) = one.recipes()
    assert {row.seconds for row in needed([recipe], {}, Costs([recipe], {}, None))} == {None}
