"""Recipes by several workers: the results of one process, a killed worker, a failed unit played once more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import validation.recipe.runs.queue
from tests.turns import one_run_in
from tests.validation.small_recipe import TEXT, shelf
from validation.job.cluster import cluster
from validation.recipe.runs.cost import Costs
from validation.recipe.runs.pause import PAUSE
from validation.recipe.runs.queue import work_off
from validation.recipe.runs.sweep import Place, played, sweep
from validation.recipe.runs.workers import Workers, of_cluster, processes
from validation.recipe.shelf import Shelf
from validation.recipe.unit import Unit, identity, units

SEEDS = (0, 1)


def results(one: Shelf, work: Path, workers: Workers | None = None, kill: bool = False) -> dict[str, Any]:
    """By name, the results of all units, without what no two runs share."""
    (recipe,) = one.recipes()
    pids = [workers.submit(os.getpid).result()] if workers and kill else []
    for path in work_off([(one, recipe)], Costs([recipe], {}, None), SEEDS, work, budget=1e6, workers=workers):
        assert path.exists()
        if pids:
            with suppress(ProcessLookupError):
                os.kill(pids.pop(), signal.SIGKILL)
    found = {path.name: json.loads(path.read_text()) for path in sorted(one.results.glob("*/*.json"))}
    return {name: {k: v for k, v in r.items() if k not in {"seconds", "provenance"}} for name, r in found.items()}


@pytest.fixture(scope="module")
def workers(request: pytest.FixtureRequest) -> Iterator[Workers]:
    """Two workers of the kind that a test names."""
    if request.param == "processes":
        with processes(2) as two:
            yield two
        return
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with cluster(None, 2) as client:
        yield of_cluster(client)


def at(folder: Path, text: str = TEXT) -> Shelf:
    folder.mkdir()
    return shelf(folder, text)


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The results of one process."""
    folder = tmp_path_factory.mktemp("alone")
    found = results(at(folder / "shelf"), folder / "work")
    assert len(found) == 10  # two arms, two rates, and another option of one arm; two seeds
    return found


# A Dask cluster that loses a worker: `test_a_worker_killed_in_the_middle_costs_nothing_but_its_unit` of checks has it.
@pytest.mark.slow
@pytest.mark.parametrize("workers", ["processes", pytest.param("dask", marks=pytest.mark.nightly)], indirect=True)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")  # of Dask's own closing
def test_two_workers_give_the_results_of_one_process_also_when_one_is_killed(
    workers: Workers, alone: dict[str, Any], tmp_path: Path
) -> None:
    assert results(at(tmp_path / "two"), tmp_path / "work-two", workers) == alone
    assert results(at(tmp_path / "killed"), tmp_path / "work-killed", workers, kill=True) == alone


@one_run_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("workers", ["processes", "dask"], indirect=True)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")
def test_a_unit_that_fails_is_played_once_more_and_told_with_its_context_and_the_others_go_on(
    workers: Workers, tmp_path: Path
) -> None:
    (good,) = at(tmp_path / "good").recipes()
    (bad,) = at(tmp_path / "bad", TEXT.replace('dataset = "digits"', 'dataset = "fashion-mnist"')).recipes()
    todo = [next(iter(units(recipe, [0]))) for recipe in (bad, good)]
    done: list[Unit] = []
    told: list[str] = []
    place = Place(tmp_path / "work", tmp_path, "cpu", 1)

    def all_of_them() -> None:
        done.extend(unit for unit, _, _ in sweep(workers, lambda: todo.pop(0) if todo else None, place, told.append))

    with pytest.raises(
        ValueError, match=r"^1 units failed twice: x\.t, FedAvg--default--seed-0: ValueError: .*rounds in"
    ):
        all_of_them()
    assert [unit.recipe for unit in done] == [good]
    assert [words.rpartition("; ")[2] for words in told] == ["running it again", "given up"]


def test_a_worker_begins_no_round_while_a_quiet_machine_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (recipe,) = at(tmp_path / "one").recipes()
    unit, work = next(iter(units(recipe, [0]))), tmp_path / "work"
    work.mkdir()
    (work / PAUSE).touch()
    waited: list[float] = []

    def a_moment(seconds: float) -> None:
        waited.append(seconds)
        (work / PAUSE).unlink()

    monkeypatch.setattr("validation.recipe.runs.pause.sleep", a_moment)
    played(unit, identity(unit), Place(work, None, "cpu", 1))
    assert len(waited) == 1


def test_processes_take_as_many_calls_as_there_is_room_for_and_end_with_the_one_who_started_them() -> None:
    with processes(2) as two:
        pids = {future.result() for future in [two.submit(os.getpid) for _ in range(two.room())]}
        asleep = two.submit(time.sleep, 600)
    assert len(pids) == 2
    assert asleep.cancelled() or isinstance(asleep.exception(), BrokenProcessPool)
    assert not any(alive(pid) for pid in pids)
    with pytest.raises(ValueError, match=r"processes\(jobs=0\): expected at least 1"), processes(0):
        pass


def test_no_process_outlives_one_who_is_killed() -> None:
    code = (
        "import os, time\n"
        "from validation.recipe.runs.workers import processes\n"
        "if __name__ == '__main__':\n"
        "    with processes(1) as one:\n"
        "        print(one.submit(os.getpid).result(), flush=True)\n"
        "        one.submit(time.sleep, 600).result()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    until = time.monotonic() + 30
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(pid)


def test_a_process_that_dies_between_two_calls_is_replaced() -> None:
    with processes(1) as one:
        pid = one.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 30
        while Path(f"/proc/{pid}").exists() and time.monotonic() < until:  # gone once its end was noticed
            time.sleep(0.05)
        assert one.submit(os.getpid).result() != pid


def test_an_interrupt_is_answered_by_one_process_alone() -> None:
    code = (
        "import os, time\n"
        "from validation.recipe.runs.workers import processes\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        with processes(2) as two:\n"
        "            [one.result() for one in [two.submit(os.getpid), two.submit(os.getpid)]]\n"
        "            print('up', flush=True)\n"
        "            two.submit(time.sleep, 600).result()\n"
        "    except KeyboardInterrupt:\n"
        "        print('ended', flush=True)\n"
    )
    said: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True, **said) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "up\n"
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does
        assert parent.communicate(timeout=60) == ("ended\n", "")


def alive(pid: int) -> bool:
    """Whether a process goes on; one that has ended and was not asked for is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_here_too_a_unit_that_fails_is_played_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, real, failures = at(tmp_path / "one"), validation.recipe.runs.queue.play, [RuntimeError("a passing one")]

    def play(*words: Any, **more: Any) -> Path:
        if failures:
            raise failures.pop()
        return real(*words, **more)

    monkeypatch.setattr(validation.recipe.runs.queue, "play", play)
    (recipe,) = one.recipes()
    told: list[str] = []
    pair = [(one, recipe)]
    places = list(
        work_off(pair, Costs(one.recipes(), {}, None), [0], tmp_path / "work", budget=1e6, vary=(), tell=told.append)
    )
    assert len(places) == 2
    (words,) = [words for words in told if "running it again" in words]
    assert words.startswith("x.t, FedAvg--default--seed-0: RuntimeError: a passing one (rounds in")
