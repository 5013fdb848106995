"""First rounds that methods share are played once, and runs end when all that is asked of them is known."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from deep import run
from deep.base.lock import locked
from deep.storage.record import untimed
from tests.validation.small_recipe import CLOSED, shelf
from validation.recipe.recipe import Recipe
from validation.recipe.result import answered
from validation.recipe.runs.prefix import prefix_of
from validation.recipe.runs.run_unit import play, result_of
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity, settings_of

_ARMS = """Soft = { rule = "fed-soft-better(temperature=0.2)" }
SoftAvg = { rule = "fed-soft-better-avg(at_round=3)" }
SoftAvgSoft = { rule = "fed-soft-better-avg-soft-worse(at_round=3, then_at_round=5)" }
Late = { rule = "fed-soft-better-avg(at_round=9)" }
Other = { rule = "fed-soft-worse-avg(at_round=3)" }
"""
_TEXT = CLOSED.replace("n_rounds = 4", "n_rounds = 6\nlocal_lr = 0.1").replace("Worse = {", _ARMS + "Worse = {", 1)
_REACHED = _TEXT[: _TEXT.index("statements")] + _TEXT[_TEXT.index("series") :]
_REACHED = _REACHED.replace("n_local_steps = 2", "n_local_steps = 10").replace(
    "final(test_accuracy)", "reached(test_accuracy, 0.3)"
)


def of(tmp_path: Path, text: str = _TEXT) -> tuple[Shelf, Recipe]:
    one = shelf(tmp_path, text)
    return one, one.recipes()[0]


def test_what_is_shared_is_the_rule_before_it_changes(tmp_path: Path) -> None:
    _, recipe = of(tmp_path)
    found = {arm.name: prefix_of(Unit(recipe, arm.name, 0)) for arm in recipe.arms}
    rounds = {name: one and one[0].config.n_rounds for name, one in found.items()}
    assert rounds == {
        "FedAvg": None,
        "Worse": None,
        "Soft": 3,
        "SoftAvg": 3,
        "SoftAvgSoft": 3,
        "Late": 6,
        "Other": 3,
    }
    digests = {name: one[1] for name, one in found.items() if one is not None}
    assert digests["Soft"] == digests["SoftAvg"] == digests["SoftAvgSoft"] != digests["Other"]
    assert digests["Late"] == identity(Unit(recipe, "Soft", 0))  # all its rounds are those of a whole other run
    assert prefix_of(Unit(recipe, "SoftAvg", 1)) != found["SoftAvg"]


@pytest.mark.parametrize("stops_at", [None, 2, 4])
def test_shared_rounds_are_played_once_to_the_same_bits(tmp_path: Path, stops_at: int | None) -> None:
    one, recipe = of(tmp_path)
    work, played = tmp_path / "work", []

    def look(record: object) -> None:
        played.append(record)
        if len(played) == stops_at:
            raise KeyboardInterrupt

    if stops_at is not None:  # in the shared rounds, or after them
        with pytest.raises(KeyboardInterrupt):
            play(Unit(recipe, "SoftAvg", 0), one.results, work, on_round=look)
    played.clear()
    names = ("SoftAvg", "Soft", "SoftAvgSoft", "Late")
    for name in names:
        play(Unit(recipe, name, 0), one.results, work, on_round=played.append)
    if stops_at is None:
        assert len(played) == 6 + 3 + 3 + 0  # of 24
    for name in names:
        unit = Unit(recipe, name, 0)
        settings, kept = settings_of(unit), one.read()[identity(unit)]
        shared, alone = (
            run(settings.config, settings.rule, out=out) for out in (work / identity(unit), tmp_path / name)
        )
        assert torch.equal(shared.model, alone.model)
        for one_round, other in zip(shared.history, alone.history, strict=True):
            assert untimed(one_round.to_dict()) == untimed(other.to_dict())
        assert kept.measures["final(test_accuracy)"] == alone.history[-1].test_accuracy
        assert kept.n_rounds == 6


def test_a_unit_plays_all_by_itself_while_another_process_is_at_the_shared_rounds(tmp_path: Path) -> None:
    _, recipe = of(tmp_path)
    unit, work = Unit(recipe, "SoftAvg", 0), tmp_path / "work"
    shared = prefix_of(unit)
    assert shared is not None
    (work / shared[1]).mkdir(parents=True)
    with locked(work / shared[1]):
        alone, _ = result_of(unit, work)
    assert not (work / shared[1] / "run.json").exists()
    free, _ = result_of(unit, tmp_path / "other")
    assert (tmp_path / "other" / shared[1] / "run.json").exists()
    assert alone.measures == free.measures


def test_a_method_that_measures_no_losses_takes_over_rounds_in_which_they_are(tmp_path: Path) -> None:
    text = _TEXT.replace('{ rule = "proportional" }', '{ rule = "proportional", losses = "none" }')
    more = 'AvgSoft = { rule = "fed-avg-soft-worse(at_round=3)" }'
    _, recipe = of(tmp_path, text.replace("Other = {", f"{more}\nOther = {{"))
    played: list[object] = []
    for name in ("AvgSoft", "FedAvg"):
        result_of(Unit(recipe, name, 0), tmp_path / "work", on_round=played.append)
    assert len(played) == 6 + 3
    settings = settings_of(Unit(recipe, "FedAvg", 0))
    outs = tmp_path / "work" / identity(Unit(recipe, "FedAvg", 0)), tmp_path / "alone"
    shared, alone = (run(settings.config, settings.rule, out=out) for out in outs)
    assert torch.equal(shared.model, alone.model)
    for one, other in zip(shared.history, alone.history, strict=True):
        assert untimed(one.to_dict()) == untimed(other.to_dict())
    assert {*shared.history[0].loss_before} == {None}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.parametrize("stops_at", [2, 4, 8])
def test_killed_in_shared_rounds_or_after_them_it_goes_on_to_the_same_bits(tmp_path: Path, stops_at: int) -> None:
    one, recipe = of(tmp_path, _TEXT.replace("n_rounds = 6", "n_rounds = 6\ncheckpoint_every = 1"))
    names = ("SoftAvg", "Soft", "SoftAvgSoft")
    played: list[object] = []

    def kill(record: object) -> None:
        played.append(record)
        if len(played) == stops_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def all_of_them(on_round: Callable[[object], None]) -> None:
        for name in names:
            play(Unit(recipe, name, 0), one.results, tmp_path / "work", on_round=on_round)

    child = multiprocessing.get_context("fork").Process(target=all_of_them, args=(kill,))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    again: list[object] = []
    all_of_them(again.append)
    assert 12 - stops_at <= len(again) <= 12 - stops_at + 2  # the round it was killed in, and lines not yet written
    for name in names:
        settings = settings_of(Unit(recipe, name, 0))
        outs = tmp_path / "work" / identity(Unit(recipe, name, 0)), tmp_path / name
        shared, alone = (run(settings.config, settings.rule, out=out) for out in outs)
        assert torch.equal(shared.model, alone.model)
        assert [r.test_loss for r in shared.history] == [r.test_loss for r in alone.history]


def test_a_run_ends_when_what_is_asked_is_known_and_says_nothing_else(tmp_path: Path) -> None:
    one, recipe = of(tmp_path, _REACHED)
    unit = Unit(recipe, "Soft", 0)
    settings = settings_of(unit)
    whole = run(settings.config, settings.rule)
    wanted = next(r.round + 1 for r in whole.history if r.test_accuracy is not None and r.test_accuracy >= 0.3)
    assert 1 < wanted < 6
    played: list[object] = []
    play(unit, one.results, tmp_path / "work", on_round=played.append)
    assert len(played) == wanted
    result = one.read()[identity(unit)]
    assert result.measures == {"reached(test_accuracy, 0.3)": wanted}
    assert (result.n_rounds, result.status, result.provenance["ended_when_known"]) == (wanted, "completed", True)
    assert result.value("final(test_accuracy)") is None
    assert not result.answers("final(test_accuracy)")
    assert answered(unit, one.read())
    again, _ = result_of(unit, tmp_path / "work", on_round=played.append)
    assert len(played) == wanted  # nothing is played twice
    assert again.measures == result.measures
    other = Unit(
        of(tmp_path, _REACHED.replace("reached(test_accuracy, 0.3)", "final(test_accuracy)"))[1], "Soft", 0
    )  # asked for its last round the same run goes on
    more, _ = result_of(other, tmp_path / "work", on_round=played.append)
    assert len(played) == 6
    assert more.measures["final(test_accuracy)"] == whole.history[-1].test_accuracy
