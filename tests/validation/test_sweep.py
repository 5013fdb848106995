"""Recipes on a Dask cluster: the results of one process, a killed worker, a failed unit played once more."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import validation.recipe.queue
from tests.validation.test_recipe import TEXT, shelf
from validation.job.cluster import cluster
from validation.recipe.cost import Costs
from validation.recipe.queue import work_off
from validation.recipe.shelf import Shelf
from validation.recipe.sweep import Place, sweep
from validation.recipe.unit import Unit, units

SEEDS = (0, 1)


def played(one: Shelf, work: Path, client: Any = None, kill: bool = False) -> dict[str, Any]:
    """By name, the results of all units, without what no two runs share."""
    (recipe,) = one.recipes()
    pids = list(client.run(os.getpid).values()) if kill else []
    for path in work_off([(one, recipe)], Costs([recipe], {}, None), SEEDS, work, budget=1e6, client=client):
        assert path.exists()
        if pids:
            with suppress(ProcessLookupError):
                os.kill(pids.pop(), signal.SIGKILL)
    found = {path.name: json.loads(path.read_text()) for path in sorted(one.results.glob("*/*.json"))}
    return {name: {k: v for k, v in r.items() if k not in {"seconds", "provenance"}} for name, r in found.items()}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with cluster(None, 2) as workers:
        yield workers


def at(folder: Path, text: str = TEXT) -> Shelf:
    folder.mkdir()
    return shelf(folder, text)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")  # of Dask's own closing
def test_two_workers_give_the_results_of_one_process_also_when_one_is_killed(client: Any, tmp_path: Path) -> None:
    alone = played(at(tmp_path / "alone"), tmp_path / "work-alone")
    assert len(alone) == 10  # two arms, two rates, and another option of one arm; two seeds
    assert played(at(tmp_path / "two"), tmp_path / "work-two", client) == alone
    assert played(at(tmp_path / "killed"), tmp_path / "work-killed", client, kill=True) == alone


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_unit_that_fails_is_played_once_more_and_told_with_its_context_and_the_others_go_on(
    client: Any, tmp_path: Path
) -> None:
    (good,) = at(tmp_path / "good").recipes()
    (bad,) = at(tmp_path / "bad", TEXT.replace('dataset = "digits"', 'dataset = "fashion-mnist"')).recipes()
    todo = [next(iter(units(recipe, [0]))) for recipe in (bad, good)]
    done: list[Unit] = []
    told: list[str] = []
    place = Place(tmp_path / "work", tmp_path, "cpu", 1)

    def all_of_them() -> None:
        done.extend(unit for unit, _, _ in sweep(client, lambda: todo.pop(0) if todo else None, place, told.append))

    with pytest.raises(
        ValueError, match=r"^1 units failed twice: x\.t, FedAvg--default--seed-0: ValueError: .*rounds in"
    ):
        all_of_them()
    assert [unit.recipe for unit in done] == [good]
    assert [words.rpartition("; ")[2] for words in told] == ["played once more", "given up"]


def test_here_too_a_unit_that_fails_is_played_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, real, failures = at(tmp_path / "one"), validation.recipe.queue.play, [RuntimeError("a passing one")]

    def play(*words: Any, **more: Any) -> Path:
        if failures:
            raise failures.pop()
        return real(*words, **more)

    monkeypatch.setattr(validation.recipe.queue, "play", play)
    (recipe,) = one.recipes()
    told: list[str] = []
    pair = [(one, recipe)]
    places = list(
        work_off(pair, Costs(one.recipes(), {}, None), [0], tmp_path / "work", budget=1e6, vary=(), tell=told.append)
    )
    assert len(places) == 2
    (words,) = [words for words in told if "once more" in words]
    assert words.startswith("x.t, FedAvg--default--seed-0: RuntimeError: a passing one (rounds in")
