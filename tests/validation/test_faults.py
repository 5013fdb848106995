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
from pathlib import Path

import pytest

from validation.job.ledger import Ledger

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "validation.cli", "check"]
LONG = ["EA-E21d", "FA-E12", "--budget", "1000000"]  # the first is done at once, the second takes minutes
SHORT = ["EA-S2", "EA-E21d", "--budget", "200"]


def begun(words: list[str], folder: Path, before: Callable[[], object] | None = None) -> subprocess.Popen[str]:
    line = [*COMMAND, *words, "--ledger", str(folder)]
    pipe = subprocess.PIPE
    return subprocess.Popen(line, stdout=pipe, stderr=pipe, text=True, start_new_session=True, preexec_fn=before)  # noqa: PLW1509


def told(process: subprocess.Popen[str], seconds: float = 120) -> tuple[int, str]:
    """Exit code and stderr."""
    _, words = process.communicate(timeout=seconds)
    return process.returncode, words


def first_part(process: subprocess.Popen[str], folder: Path) -> None:
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

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails with EFBIG
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, size + 100))

    code, words = told(begun(["EA-E21d", "--budget", "200"], tmp_path, limit))
    assert code == 2
    assert words.splitlines()[-1] == f"fedverdict: {tmp_path}/ledger.jsonl: File too large"
    # The line that did not fit is cut short; the next check sets it aside and loses nothing.
    assert len(Ledger(tmp_path).parts()) == held
    code, words = told(begun([*SHORT, "--resume"], tmp_path))
    assert code == 0
    assert {e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())} == {"EA-S2", "EA-E21d"}


def test_without_memory_there_is_a_line_and_what_is_there_stays(tmp_path: Path) -> None:
    limit = 60 << 20  # of address space: the loader refuses the first numerical library

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    first, words = told(begun(["EA-S2", "--budget", "200"], tmp_path))
    assert first == 0, words
    kept = (tmp_path / "ledger.json").read_bytes()
    code, words = told(begun(["EA-T1", "--budget", "200"], tmp_path, bounded))
    assert code == 2, words
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
    assert [e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())] == ["EA-S2"]


@pytest.mark.parametrize("jump", [-(10**9), 10**8])
def test_a_clock_that_jumps_changes_no_verdict(jump: int, tmp_path: Path) -> None:
    program = (
        "import sys, time; real, calls = time.time, [0]\n"
        f"def jumping(): calls[0] += 1; return real() + (calls[0] % 2) * {jump}\n"
        "time.time = jumping\n"
        "from validation.cli import main; main(sys.argv[1:])"
    )
    line = [sys.executable, "-c", program, "check", *SHORT, "--ledger", str(tmp_path / "jumping")]
    assert subprocess.run(line, capture_output=True, check=False).returncode == 0
    assert told(begun(SHORT, tmp_path / "steady"))[0] == 0
    both = [json.loads((tmp_path / name / "ledger.json").read_text()) for name in ("jumping", "steady")]
    verdicts = [[(e["id"], e["verdict"], e["worst_ratio"], e["instances"]) for e in entries] for entries in both]
    assert verdicts[0] == verdicts[1]


def test_two_checks_at_one_ledger_lose_nothing(tmp_path: Path) -> None:
    mine = [["EA-S2", "EA-E21d"], ["FA-CHIW", "K1"]]
    both = [begun([*names, "--budget", "200"], tmp_path) for names in mine]
    assert [told(process)[0] for process in both] == [0, 0]
    assert {e["id"] for e in json.loads((tmp_path / "ledger.json").read_text())} == {*mine[0], *mine[1]}
    assert intact(tmp_path)
    assert (tmp_path / "ledger.lock").exists()
