"""A unit of work leaves nothing behind: no changed module, no setting, no process, however it ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from validation.cost.child import FORKS
from validation.cost.limits import Limits, NoAnswerError, announce, contained, limited, rechecking, within
from validation.job.pool import spread

pytestmark = pytest.mark.skipif(not FORKS, reason="units are forked where the system can fork")

HELD = {"factor": 1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_one_unit_changes_no_other_sees(jobs: int) -> None:
    limit = sys.getrecursionlimit()

    def work(task: int) -> tuple[int, int]:
        seen = HELD["factor"], sys.getrecursionlimit()
        HELD["factor"] += task
        sys.setrecursionlimit(limit - task)
        return seen

    found = list(spread(range(1, 7), work, jobs=jobs, limits=Limits()))
    assert sorted(found) == [(task, (1, limit)) for task in range(1, 7)]
    assert HELD["factor"] == 1


def test_rechecks_inside_rechecks_share_a_child_and_keep_their_own_limits() -> None:
    def where(seen: dict[str, int], question: int) -> tuple[int, int]:
        return os.getpid(), question + seen["more"]

    def long(_seen: dict[str, int], question: int) -> int:
        total = Fraction(0)
        for k in range(1, question):
            total += Fraction(1, k)
        return int(total)

    about = {"more": 1}
    with rechecking(ValueError):
        announce(where, (about,))
        announce(long, (about,))
        first = limited(where, (about,), 1)
        with within(replace(Limits(), recheck_seconds=1e-4)), rechecking(anew=True):
            assert limited(where, (about,), 1) == first
            with pytest.raises(NoAnswerError, match=r"beyond 0\.0001 seconds"):
                limited(long, (about,), 400)
        assert limited(long, (about,), 400) == 6
        assert limited(where, (about,), 1) == first
    assert first[0] != os.getpid()
    assert not lives_still(first[0])


def lives_still(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def started(folder: Path, name: str) -> None:
    """Starts a process in a session of its own, which a process of no session of ours starts in turn."""
    code = (
        "import os, subprocess, sys, time\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid()\n"
        "with open(sys.argv[1] + '.draft', 'w') as file: file.write(str(os.getpid()))\n"
        "os.rename(sys.argv[1] + '.draft', sys.argv[1])\n"
        "time.sleep(300)\n"
    )
    quiet: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run([sys.executable, "-c", code, str(folder / name)], start_new_session=True, check=True, **quiet)
    while not (folder / name).exists():
        time.sleep(0.01)


def lives(folder: Path, name: str) -> bool:
    """Whether it still runs: one that has ended may wait to be reaped."""
    try:
        told = Path(f"/proc/{(folder / name).read_text()}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return told.rpartition(")")[2].split()[0] not in {"Z", "X"}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process in a session of its own goes on: documented")
@pytest.mark.parametrize("ends", ["answers", "loops", "raises in a recheck"])
def test_a_process_in_a_session_of_its_own_does_not_outlive_its_unit(ends: str, tmp_path: Path) -> None:
    def work(task: str) -> str:
        if ends == "raises in a recheck":
            with contained(recheck) as check, suppress(NoAnswerError):
                check(task)
            return "done"
        started(tmp_path, task)
        while ends == "loops":
            time.sleep(0.05)
        return "done"

    def recheck(task: str) -> str:
        started(tmp_path, task)
        raise SystemExit(3)

    limits = Limits(seconds=6 if ends == "loops" else 60)
    try:
        found = dict(spread(["a", "b"], work, jobs=2, limits=limits))
        assert all(isinstance(answer, NoAnswerError) == (ends == "loops") for answer in found.values())
        assert (lives(tmp_path, "a"), lives(tmp_path, "b")) == (False, False)
    finally:
        for name in ("a", "b"):
            if (tmp_path / name).exists() and lives(tmp_path, name):
                os.kill(int((tmp_path / name).read_text()), 9)


@pytest.mark.skipif(sys.platform != "linux", reason="what lives is read from /proc")
def test_a_process_does_not_outlive_a_unit_that_ends_its_own_process(tmp_path: Path) -> None:
    def work(task: str) -> str:
        child = os.fork()
        if child == 0:
            time.sleep(300)
        (tmp_path / task).write_text(str(child))
        os._exit(3)

    ((_, found),) = spread(["a"], work, jobs=1, limits=Limits(seconds=60))
    assert str(found) == "the check ended its process with exit code 3"
    for _ in range(500):
        if not lives(tmp_path, "a"):
            break
        time.sleep(0.01)
    assert not lives(tmp_path, "a")
