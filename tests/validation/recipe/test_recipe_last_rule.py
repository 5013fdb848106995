"""A rule for the last round alone: weights learned once, or one client's model, after rounds under another rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from deep.runs.ssa import accuracy_of, trained, weights_after
from tests.validation.small_recipe import shelf
from theory.rules import Proportional, Switch, make_rule
from validation.recipe.recipe import Recipe
from validation.recipe.runs.prefix import prefix_of
from validation.recipe.runs.run_unit import play
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity, settings_of

TEXT = """
shows = "a table"

[run]
dataset = "digits"
partition = "classes(m=2)"
n_clients = 5
n_sampled = 5
n_rounds = 4
n_local_steps = 2
losses = "none"
floor = "zero"
target = "skew(client=0)"
n_target_samples = 30
evaluate_every = 3

[arms]
Plain = { rule = "proportional" }
Once = { rule = "proportional", last_rule = "fed-ssa-sgd" }
Second = { rule = "proportional", last_rule = "paper_checks.fedssa.own_rules:OnlyClient(client=1)" }
"""
TABLE = "table,method,metric,value,unit\n"


@pytest.fixture
def one(tmp_path: Path) -> Shelf:
    return shelf(tmp_path, TEXT, TABLE)


def of(one: Shelf) -> Recipe:
    (recipe,) = one.recipes()
    return recipe


@pytest.mark.parametrize(("scale", "last"), [(1.0, 3), (0.5, 1)])
def test_the_rule_changes_in_the_last_round_however_many_there_are(one: Shelf, scale: float, last: int) -> None:
    settings = settings_of(Unit(of(one), "Once", 2, {}, scale))
    assert settings.config.n_rounds == last + 1
    rule = settings.rule
    assert isinstance(rule, Switch)
    assert (rule.first, rule.at_round) == (Proportional(), last)
    assert rule.then == make_rule("fed-ssa-sgd(seed=2)")  # what it draws follows the run's seed
    assert identity(Unit(of(one), "Once", 2)) != identity(Unit(of(one), "Plain", 2))


def test_what_comes_before_is_shared_and_the_result_is_that_of_weights_learned_afterwards(
    one: Shelf, tmp_path: Path
) -> None:
    recipe, played = of(one), list[object]()
    shared = {arm: prefix_of(Unit(recipe, arm, 0)) for arm in ("Plain", "Once", "Second")}
    assert len({found[1] for found in shared.values() if found is not None}) == 1
    for arm in shared:
        play(Unit(recipe, arm, 0), one.results, tmp_path / "work", on_round=played.append)
    assert len(played) == 4 + 1 + 1  # of twelve
    after = trained(settings_of(Unit(recipe, "Plain", 0)).config, Proportional())
    done = one.read()

    def accuracy(arm: str) -> float | None:
        return done[identity(Unit(recipe, arm, 0))].value("final(test_accuracy)")

    assert accuracy("Plain") == accuracy_of(after.task, after.model, after.buffers)
    own = after.models.vectors[1]
    assert accuracy("Second") == accuracy_of(after.task, own, after.buffers)
    weights = weights_after(after, make_rule("fed-ssa-sgd(seed=0)"))
    mixed = (weights @ after.models.vectors.double()).to(own.dtype)
    assert accuracy("Once") == pytest.approx(accuracy_of(after.task, mixed, after.buffers), abs=1e-12)


def test_a_client_that_does_not_exist_is_named(one: Shelf, tmp_path: Path) -> None:
    recipe = of(shelf(tmp_path, TEXT.replace("client=1", "client=7"), TABLE))
    with pytest.raises(ValueError, match=r"OnlyClient\(client=7\): is not among the 5 clients"):
        play(Unit(recipe, "Second", 0), one.results, tmp_path / "work")
