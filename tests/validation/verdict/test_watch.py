"""What a person sees move while a claim is checked: a line on a terminal, elsewhere nothing, never another result."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from validation.papers.papers import select
from validation.verdict.engine import units
from validation.verdict.gate import attempted
from validation.verdict.watch import told, watching

COMMAND = [sys.executable, "-m", "validation.cli", "check"]
LONG = [*COMMAND, "EA-L1", "--jobs", "2", "--budget", "4000000"]  # not over before it is stopped
QUICK = [*COMMAND, "EA-E21d", "--budget", "500"]
MOVED = rb"EA-L1 reading \d of \d+ \xc2\xb7 \w+ \xc2\xb7 ([\d,]+) of \d+,000"


def on_terminal(words: list[str], stop: bool = False) -> tuple[str, int]:
    """What a terminal is sent and the exit code; `stop`: Ctrl-C once a search was seen at two places."""
    pty = pytest.importorskip("pty", reason="a terminal of its own is for Unix")
    main, side = pty.openpty()
    environment = {**os.environ, "COLUMNS": "120", "TERM": "xterm"}
    done = subprocess.Popen(words, stdin=side, stdout=side, stderr=side, env=environment, start_new_session=True)
    os.close(side)
    sent = b""
    while True:
        try:
            got = os.read(main, 1 << 16)
        except OSError:  # Linux says so when the other side is closed
            got = b""
        if not got:
            break
        sent += got
        if stop and len(set(re.findall(MOVED, sent))) >= 2:
            stop = False
            os.kill(done.pid, signal.SIGINT)
    os.close(main)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "\n", sent.decode("utf-8", "replace")), done.wait()


def test_a_terminal_sees_the_search_of_a_claim_move_and_ctrl_c_within_it_ends_it_in_words(tmp_path: Path) -> None:
    shown, code = on_terminal([*LONG, "--ledger", str(tmp_path)], stop=True)
    assert code == 130, shown
    moved = set(re.findall(r"EA-L1 reading (\d) of \d+ · (\w+) · ([\d,]+) of \d+,000", shown))
    assert len(moved) >= 2, shown  # how many there are is the machine's speed
    assert "largest left ÷ right" in shown
    assert shown.rstrip().splitlines()[-1].startswith("fedverdict: interrupted; what was finished is kept")
    assert "Traceback" not in shown


def test_a_check_that_is_watched_to_its_end_ends_well(tmp_path: Path) -> None:
    shown, code = on_terminal([*QUICK, "--ledger", str(tmp_path)])
    assert code == 0, shown
    assert "EA-E21d" in shown


def test_nothing_is_said_where_stderr_is_no_terminal(tmp_path: Path) -> None:
    words = [*QUICK, "--json", "--ledger", str(tmp_path)]
    assert subprocess.run(words, capture_output=True, check=True).stderr == b""


def test_a_watched_unit_gives_the_same_part() -> None:
    ((_, claim),) = select(("EA-L1",))
    unit = units(claim)[0]

    def part(wanted: bool) -> dict[str, Any]:
        with watching(wanted) as now:
            found, _ = attempted(claim, unit, budget=200, seed=0)
            assert now() == ""  # a finished unit says nothing any more
        return {key: value for key, value in found.items() if key != "seconds"}

    assert part(True) == part(False)


def test_the_longest_at_work_is_told_and_its_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    ((_, claim),) = select(("EA-L1",))
    first, second = units(claim)[:2]
    clock, here = [100.0], os.getpid()
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with watching(True) as now, told(claim, first):
        assert now() == f"EA-L1 reading 1 of {len(claim.readings)}"
        monkeypatch.setattr(os, "getpid", lambda: here + 1)
        clock[0] = 101.0
        with told(claim, second):
            assert now().startswith("EA-L1 reading 1 of")
            clock[0] = 103.5
            assert now().endswith("no draw for 4 s")
