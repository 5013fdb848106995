"""How long a person waits before anything happens: processor seconds and seconds by the clock of cold commands.

    python -m tests.benchmarks.startup [--repeats 5] [--json FILE]

Each command runs in a process of its own; the median counts. Targets are in processor seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from validation.ledger.provenance import provenance

COMMANDS = {
    "fedverdict --help": (["--help"], 0.3),
    "fedverdict check --list": (["check", "--list"], 1.0),
    "fedverdict check EA-E21d": (["check", "EA-E21d"], 2.0),
}


def once(arguments: list[str]) -> tuple[float, float]:
    """(processor seconds, seconds by the clock) of one command, its children included."""
    # What is installed has its modules compiled already; so has a checkout after the first command.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        before, started = os.times(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "validation.cli", *arguments],
            cwd=folder,
            env={**inherited, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            check=False,
        )
        seconds, after = time.perf_counter() - started, os.times()
    if done.returncode:
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr.decode()[-300:]}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return spent, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also write the rows there")
    options = parser.parse_args()
    rows = []
    for name, (arguments, target) in COMMANDS.items():
        once(arguments)  # files into the cache
        found = [once(arguments) for _ in range(options.repeats)]
        spent, seconds = (median(values) for values in zip(*found, strict=True))
        row = {"command": name, "processor": spent, "clock": seconds, "target": target, "met": spent <= target}
        rows.append(row)
        mark = "met" if row["met"] else "MISSED"
        print(f"{name:28} {spent:6.2f} s processor, {seconds:6.2f} s clock, target {target} s: {mark}", flush=True)
    report = {"repeats": options.repeats, "rows": rows, "provenance": provenance()}
    if options.json:
        options.json.write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
