"""A check that is killed or interrupted, again and again, ends with the very ledger of one that was left alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.turns import one_run_in
from theory import stream
from validation.cli import main
from validation.cost.child import Child
from validation.fingerprint.fingerprints import fingerprint
from validation.job.job import check_claims
from validation.ledger.ledger import Ledger
from validation.papers.papers import select
from validation.verdict.engine import units

CLAIMS = ("EA-S2", "FA-CHIW", "RA-L1")
BUDGET = 1_000
LONG = {  # by the number of processes: the first part is there at once, the rest takes minutes with LONG_BUDGET
    1: ("EA-E21d", "FA-E12"),
    2: ("RA-L1",),
}
LONG_BUDGET = 50_000_000
N_UNITS = sum(len(units(claim)) for _, claim in select(CLAIMS))
# How long it took; and, of the provenance, the day (this may run at midnight) and the commit (or while one is made).
TIMES = {"seconds", "date", "commit"}


def without_times(entry: Any) -> Any:
    """An entry without the times at which, and for which, it was made."""
    if isinstance(entry, dict):
        return {k: without_times(v) for k, v in entry.items() if k not in TIMES}
    return [without_times(v) for v in entry] if isinstance(entry, list) else entry


def ledger_of(folder: Path) -> Any:
    return without_times(
        json.loads((folder / "ledger.json").read_text(encoding="utf-8"))["entries"]
    )  # its digest covers times


def scripts_of(folder: Path) -> dict[str, str]:
    return {p.name: p.read_text(encoding="utf-8") for p in (folder / "counterexamples").iterdir()}


def n_parts(folder: Path) -> int:
    return len(Ledger(folder).parts())


@contextmanager
def started(folder: Path, jobs: int) -> Iterator[subprocess.Popen[bytes]]:
    """A long `fedverdict check` in a process group of its own; nothing of it outlives the block."""
    command = [sys.executable, "-m", "validation.cli", "check", *LONG[jobs], "--resume"]
    command += ["--budget", str(LONG_BUDGET), "--jobs", str(jobs), "--ledger", str(folder)]
    quiet = subprocess.DEVNULL
    # A shell that runs the tests in the background has them, and all they start, ignore Ctrl-C.
    listen = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True, preexec_fn=listen) as process:  # noqa: PLW1509
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def command(folder: Path, jobs: int) -> None:
    """`fedverdict check`, in this process."""
    with suppress(SystemExit):
        arguments = ["check", *CLAIMS, "--resume", "--budget", str(BUDGET), "--jobs", str(jobs)]
        main([*arguments, "--ledger", str(folder)])


@contextmanager
def forked(folder: Path, jobs: int) -> Iterator[Child[int, None]]:
    """`command` in a copy of this process, which has loaded everything: a start costs nothing."""
    child: Child[int, None] = Child(lambda jobs: command(folder, jobs), leads_group=True)
    try:
        child.ask(jobs)
        yield child
    finally:
        child.end()


def left_alone(folder: Path, jobs: int = 1) -> None:
    """One undisturbed check."""
    with forked(folder, jobs) as child:
        assert child.waits(300)
        child.answer()


def wait_for_parts(folder: Path, n: int, ended: Callable[[], bool]) -> None:
    """Until the ledger holds n finished units, or the process has ended."""
    deadline = time.monotonic() + 120
    while n_parts(folder) < n:
        assert time.monotonic() < deadline
        if ended():
            return
        time.sleep(0.02)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float, float]:
    """A ledger made without interruption, and the seconds to its first finished unit and to the end."""
    folder = tmp_path_factory.mktemp("undisturbed")
    for paper, claim in select(CLAIMS):
        fingerprint(paper, claim)  # kept for all the copies
    begun = time.perf_counter()
    with forked(folder, 1) as child:
        wait_for_parts(folder, 1, lambda: child.waits(0))
        first = time.perf_counter() - begun
        assert child.waits(300)
    return folder, first, time.perf_counter() - begun


@one_run_in(2)
@pytest.mark.slow
@pytest.mark.parametrize("kills", [4, pytest.param(10, marks=pytest.mark.nightly)])
@pytest.mark.filterwarnings("ignore::validation.ledger.ledger.LedgerWarning")  # of lines that a kill has cut short
def test_kills_at_random_moments_change_nothing(
    undisturbed: tuple[Path, float, float], kills: int, tmp_path: Path
) -> None:
    """So many of one process, and as many of a process with two workers."""
    whole, first, last = undisturbed
    rng = stream(0, "kills")
    killed = partial = 0
    for attempt in range(2):
        folder = tmp_path / str(attempt)
        for _ in range(kills):
            with forked(folder, jobs=1 + attempt) as child:
                if rng.random() < 0.5:  # at any moment before the first unit is done
                    time.sleep(float(rng.uniform(0.2, 1.0)) * first)
                else:  # soon after one more is
                    more = min(n_parts(folder) + 1, N_UNITS)
                    wait_for_parts(folder, more, lambda child=child: child.waits(0))  # type: ignore[misc]
                    time.sleep(float(rng.uniform(0.0, 0.5)) * (last - first))
                killed += not child.waits(0)
                os.kill(child.pid, signal.SIGKILL)  # it alone: its workers have to notice
            partial += 0 < n_parts(folder) < N_UNITS
        left_alone(folder)
        assert ledger_of(folder) == ledger_of(whole)
        assert scripts_of(folder) == scripts_of(whole)
    assert killed >= kills // 2  # else nearly all had ended before their kill, and this shows little
    assert partial > 0


# The line cut short is named, as it should be.
@pytest.mark.filterwarnings("ignore::validation.ledger.ledger.LedgerWarning")
@pytest.mark.parametrize("places", [3, pytest.param(8, marks=pytest.mark.nightly)])
def test_a_ledger_cut_off_at_any_byte_resumes_to_the_same(places: int, tmp_path: Path) -> None:
    """What a kill in the middle of writing leaves."""
    pairs, budget = select(("EA-S2", "RA-L1")), 100
    n_units = sum(len(units(claim)) for _, claim in pairs)

    def resumed(folder: Path) -> Any:
        ledger = Ledger(folder)
        list(check_claims(pairs, budget=budget, seed=0, ledger=ledger, resume=True))
        ledger.derive(CLAIMS)
        return ledger_of(folder)

    whole = resumed(tmp_path / "whole")
    lines = (tmp_path / "whole" / "ledger.jsonl").read_bytes()
    for cut in stream(0, "cuts").integers(0, len(lines), places):
        folder = tmp_path / str(cut)
        folder.mkdir()
        (folder / "ledger.jsonl").write_bytes(lines[:cut])
        held = n_parts(folder)
        assert resumed(folder) == whole
        rows = (folder / "ledger.jsonl").read_bytes()[cut:].splitlines()
        added = {json.loads(r)["inputs"] for r in rows if b'"inputs"' in r}
        assert len(added) == n_units - held  # nothing that was held is done again


@pytest.mark.slow
def test_what_is_finished_is_not_done_again(undisturbed: tuple[Path, float, float]) -> None:
    whole, _, _ = undisturbed
    lines = (whole / "ledger.jsonl").read_bytes()
    before = (whole / "ledger.json").read_text(encoding="utf-8")
    left_alone(whole)
    added = (whole / "ledger.jsonl").read_bytes()[len(lines) :]
    assert b'"inputs"' not in added
    assert without_times(json.loads(before)["entries"]) == ledger_of(whole)
    now = (whole / "ledger.json").read_text(encoding="utf-8")
    first, second = ([e["seconds"] for e in json.loads(text)["entries"]] for text in (before, now))
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jobs", "whole_group"), [(2, True), (1, False)], ids=["as Ctrl-C does", "the first process alone"]
)
def test_an_interrupt_ends_it_soon_and_keeps_what_is_finished(tmp_path: Path, jobs: int, whole_group: bool) -> None:
    with started(tmp_path, jobs) as process:
        wait_for_parts(tmp_path, 1, lambda: process.poll() is not None)
        begun = time.perf_counter()
        if whole_group:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        code = process.wait(timeout=60)
        seconds = time.perf_counter() - begun
        time.sleep(0.2)
        assert not members(process.pid)
    assert code == 130
    assert n_parts(tmp_path) >= 1
    assert seconds < 30  # 2 s where nothing else runs


@pytest.mark.slow
def test_no_worker_outlives_a_killed_check(tmp_path: Path) -> None:
    with started(tmp_path, 2) as process:
        wait_for_parts(tmp_path, 1, lambda: process.poll() is not None)
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and members(process.pid):
            time.sleep(0.1)
        assert not members(process.pid)


def members(session: int) -> list[int]:
    """The living processes of a session: workers lead groups of their own."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,sess=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return [int(pid) for pid, of, state in rows if int(of) == session and not state.startswith("Z")]
