"""What a machine does to a check: signals, limits on files and memory, a closed stdout, a jumping clock, company."""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tests.processes import Command, no_larger_files
from tests.turns import one_run_in
from validation.ledger.ledger import Ledger

pytestmark = pytest.mark.slow
LONG = ["RA-L1", "--budget", "50000000"]  # its mutants fall at once, the rest takes minutes
SHORT = ["EA-S2", "EA-E21d", "--budget", "200"]


def begun(words: list[str], folder: Path, before: Callable[[], object] | None = None) -> Command:
    return Command("check", *words, "--ledger", str(folder), before=before)


def told(process: Command) -> tuple[int, str]:
    """Exit code and stderr."""
    code, _, words = process.told()
    return code, words


def first_part(process: Command, folder: Path) -> None:
    deadline = time.monotonic() + 120
    while not Ledger(folder).parts():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def intact(folder: Path) -> bool:
    """Whether every line of the ledger can be trusted, the last one included."""
    text = (folder / "ledger.jsonl").read_text(encoding="utf-8")
    return text.endswith("\n") and len(text.splitlines()) == len(list(Ledger(folder)._rows()))


def kin(session: int) -> list[str]:
    table = subprocess.run(["ps", "-A", "-o", "pid=,sess=,stat="], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in table.splitlines()]
    return [pid for pid, of, state in rows if int(of) == session and not state.startswith("Z")]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda n: n.name)
def test_a_signal_to_end_is_a_line_and_nothing_is_lost(number: signal.Signals, tmp_path: Path) -> None:
    process = begun(LONG, tmp_path, partial(signal.signal, number, signal.SIG_DFL))  # the tests may run under nohup
    first_part(process, tmp_path)
    process.send_signal(number)
    code, words = told(process)
    assert code == 128 + number
    kept = f"fedverdict: ended by {number.name}; what was finished is kept; to go on: fedverdict check "
    assert words.startswith(kept)
    assert "--resume" not in words  # it does so by itself
    assert intact(tmp_path)
    time.sleep(0.2)
    assert not kin(process.pid)


def test_nohup_is_heeded(tmp_path: Path) -> None:
    process = begun(SHORT, tmp_path, partial(signal.signal, signal.SIGHUP, signal.SIG_IGN))
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
    assert told(process)[0] == 0


def test_a_file_that_may_not_grow_is_named_and_what_was_there_is_whole(tmp_path: Path) -> None:
    assert told(begun(["EA-S2", "--budget", "200"], tmp_path))[0] == 0
    size = (tmp_path / "ledger.jsonl").stat().st_size
    held = len(Ledger(tmp_path).parts())
    code, words = told(begun(["EA-E21d", "--budget", "200"], tmp_path, partial(no_larger_files, size + 100)))
    assert code == 2
    assert words.splitlines()[-1] == f"fedverdict: {tmp_path}/ledger.jsonl: File too large"
    # The line that did not fit is cut short; the next check sets it aside and loses nothing.
    assert len(Ledger(tmp_path).parts()) == held
    code, words = told(begun([*SHORT, "--resume"], tmp_path))
    assert code == 0
    assert {e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())["entries"]} == {"EA-S2", "EA-E21d"}


@one_run_in(3)
def test_without_memory_there_is_a_line_and_what_is_there_stays(tmp_path: Path) -> None:
    limit = 60 << 20  # of address space: the loader refuses the first numerical library

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    first, words = told(begun(["EA-S2", "--budget", "200"], tmp_path))
    assert first == 0, words
    kept = (tmp_path / "ledger.json").read_bytes()
    line = [sys.executable, "-m", "validation.cli", "check", "EA-T1", "--budget", "200", "--ledger", str(tmp_path)]
    without = subprocess.run(line, capture_output=True, text=True, check=False, preexec_fn=bounded)
    words = without.stderr
    assert without.returncode == 2, words
    assert words.splitlines()[-1].startswith("fedverdict: out of memory; what was finished is kept"), words
    assert "Traceback" not in words
    assert (tmp_path / "ledger.json").read_bytes() == kept
    assert intact(tmp_path)
    code, words = told(begun(["EA-T1", "--budget", "200"], tmp_path))
    assert code == 0, words


def test_a_closed_stdout_is_no_fault(tmp_path: Path) -> None:
    process = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m validation.cli check EA-S2 --budget 200 --ledger {tmp_path} >&-"],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert "Traceback" not in process.stderr
    assert [e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())["entries"]] == ["EA-S2"]


def jumping(jump: float) -> None:
    """From now on every second look at the clock is off by so many seconds."""
    real, looks = time.time, count()
    time.time = lambda: real() + (next(looks) % 2) * jump


def test_a_clock_that_jumps_changes_no_verdict(tmp_path: Path) -> None:
    jumps: dict[str, Callable[[], object] | None] = {
        "steady": None,
        "back": partial(jumping, -1e9),
        "on": partial(jumping, 1e8),
    }
    verdicts = []
    for name, before in jumps.items():
        assert told(begun(SHORT, tmp_path / name, before))[0] == 0
        entries = json.loads((tmp_path / name / "ledger.json").read_text())["entries"]
        verdicts.append([(e["id"], e["verdict"], e["worst_ratio"], e["instances"]) for e in entries])
    assert len(verdicts[0]) == 2
    assert verdicts[1:] == [verdicts[0], verdicts[0]]


def test_two_checks_at_one_ledger_lose_nothing(tmp_path: Path) -> None:
    mine = [["EA-S2", "EA-E21d"], ["FA-CHIW", "K1"]]
    both = [begun([*names, "--budget", "200"], tmp_path) for names in mine]
    assert [told(process)[0] for process in both] == [0, 0]
    assert {e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())["entries"]} == {*mine[0], *mine[1]}
    assert intact(tmp_path)
    assert (tmp_path / "ledger.lock").exists()


FORKING = """
import os, signal
from validation.cost.child import Child
def tell(*_):
    raise SystemExit(7)
signal.signal(signal.SIGTERM, tell)
os.register_at_fork(before=lambda: os.kill(os.getpid(), signal.SIGTERM))
Child(lambda question: question)
"""


def test_a_signal_that_comes_while_a_copy_is_forked_is_not_lost() -> None:
    """Python prints and ignores what a handler raises in a hook of the fork: a check went on after SIGTERM."""
    done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, check=False)
    assert done.returncode == 7, done.stderr
    assert not done.stderr
