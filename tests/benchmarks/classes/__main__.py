"""PEPit's example theorems decided exactly: value, word and seconds beside PEPit's own value and seconds.

    python -m tests.benchmarks.classes                 # every example, with PEPit's
    python -m tests.benchmarks.classes --only descent  # those whose path contains the word (or one of several: a,b)
    python -m tests.benchmarks.classes --no-pepit
    python -m tests.benchmarks.classes --json FILE     # also write the table there; that of a full run is kept

Per example: is the value PEPit's within 1e-6; with the stated rate × (1 + 1e-6): certified exactly; at the rate;
1 % less: refuted exactly. Where no rate is stated, the float value rounded up stands for it and counts for nothing.
A decision, and a run of PEPit, may take 60 processor seconds (`--seconds`); what takes longer is said to. All on one
thread, in processor seconds; together ours, one float solve and three exact decisions, should take at most three times
PEPit's float solves. Answers of the solver that do not depend on the bound are kept, so the three decisions share them,
as decisions at several bounds of one program do.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from math import isnan
from pathlib import Path
from typing import Any

from tests.benchmarks.classes import composite, operators, others, unconstrained
from tests.benchmarks.classes.example import EXAMPLES, Example, Posed
from tests.benchmarks.clocks import busy, limited, said
from tests.benchmarks.table import as_table
from theory.classes import assemble, number, solve
from theory.classes.numbers import value
from validation.proof.classes import check, decide_class, violates

__all__ = ["main", "measure"]

_SECONDS = ("seconds", "room_s", "rate_word_s", "less_s")
ROOMS = (unconstrained, composite, operators, others)
Row = dict[str, Any]


class _TooLongError(Exception):
    """More processor seconds than were given."""


def _timed(seconds: float, run: Callable[[], Any]) -> tuple[Any, float]:
    """(what `run` returns, processor seconds); None in place of an answer that takes more than `seconds`."""
    start = time.process_time()
    try:
        with _at_most(seconds):
            found = run()
    except _TooLongError:
        found = None
    return found, round(time.process_time() - start, 2)


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise _TooLongError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _decided(posed: Posed, bound: Any, key: str, row: Row, seconds: float) -> None:
    decision, row[f"{key}_s"] = _timed(seconds, lambda: decide_class(posed.statement(bound)))
    if decision is None:
        row |= {key: "too long", f"{key}_why": f"no answer within {seconds:g} processor seconds"}
        return
    if decision.proof is not None and not check(decision.proof):
        raise AssertionError(f"{row['path']}: a proof that does not check")
    if decision.witness is not None and not violates(decision.witness):
        raise AssertionError(f"{row['path']}: a counterexample that does not violate")
    row |= {key: decision.word, f"{key}_why": decision.why}


def measure(example: Example, *, pepit: bool = True, seconds: float = 60.0) -> Row:
    """One line of the table."""
    row: Row = {"path": example.path}
    posed = example.posed()
    solution, row["seconds"] = _timed(seconds, lambda: solve(assemble(posed.statement(0))))
    row |= {"value": solution.value, "upper": solution.upper, "status": solution.status}
    if pepit:
        from cvxpy.error import SolverError

        function, arguments = example.theirs()

        def theirs() -> tuple[float, float | None]:
            try:
                found, stated = function(**arguments, wrapper="cvxpy", solver="CLARABEL", verbose=-1)
            except SolverError as error:
                row["pepit_error"] = str(error)
                return float("nan"), None
            return float(found), stated

        answer, row["pepit_s"] = _timed(seconds, theirs)
        found, stated = answer or (float("nan"), None)
        row |= {"pepit": found, "pepit_stated": stated}
        row["agrees"] = None if isnan(found) else abs(row["value"] - found) <= 1e-6 * max(1.0, abs(found))
    rate = posed.rate
    row["stated"] = rate is not None
    if rate is None:
        rate = number(f"{solution.upper + 1e-7 * abs(solution.upper):.9g}")
    exact = number(rate)
    row |= {"rate": value(exact), "tight": posed.tight and row["stated"]}
    # A bound of 0 has no percentage: what is added or taken is then an absolute number.
    unit = abs(exact) if value(exact) != 0 else number(1)
    _decided(posed, exact + unit / 10**6, "room", row, seconds)
    _decided(posed, exact, "rate_word", row, seconds)
    _decided(posed, exact - unit / 100, "less", row, seconds)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-pepit", action="store_true")
    parser.add_argument("--skip", default=None)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor seconds a decision may take")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--again", type=Path, help="an earlier table, of which the rows that are not measured are kept")
    arguments = parser.parse_args()
    chosen = [
        e
        for e in EXAMPLES
        if any(w in e.path for w in arguments.only.split(",")) and not (arguments.skip and arguments.skip in e.path)
    ]
    rows = []
    print(f"{'example':78s} {'value':>12s} {'PEPit':>12s} agr {'rate':>12s} ×(1+1e-6)    at rate      1% less      s")
    for example in chosen:
        try:
            with limited(1):
                row = measure(example, pepit=not arguments.no_pepit, seconds=arguments.seconds) | busy()
        except Exception as error:
            row = {"path": example.path, "error": f"{type(error).__name__}: {error}"}
            print(f"{example.path:78s} {row['error'][:120]}", flush=True)
            rows.append(row)
            continue
        rows.append(row)
        theirs = f"{row.get('pepit', float('nan')):12.8g}"
        flag = "" if row["stated"] else " (no rate stated)"
        agrees = {True: "yes", False: "NO", None: "-"}[row.get("agrees")]
        print(
            f"{row['path']:78s} {row['value']:12.8g} {theirs} {agrees:3s} {row['rate']:12.8g} {row['room']:12s} "
            f"{row['rate_word']:12s} {row['less']:12s} {row['seconds']}+{row['room_s']}+{row['rate_word_s']}+"
            f"{row['less_s']} / {row.get('pepit_s', '-')}{flag}   ({said(row)})",
            flush=True,
        )
    if arguments.again:
        measured = {row["path"]: row for row in rows}
        earlier = json.loads(arguments.again.read_text(encoding="utf-8"))["examples"]
        rows = [measured.get(row["path"], row) for row in earlier]
    pooled = _pooled(rows)
    print()
    for line, count in pooled.items():
        print(f"{line}: {count}")
    if arguments.json:
        made = {
            "seconds_per_decision": arguments.seconds,
            "versions": {name: version(name) for name in ("clarabel", "PEPit", "cvxpy", "python-flint", "numpy")},
            "pooled": pooled,
            "examples": rows,
        }
        arguments.json.write_text(as_table(made) + "\n", encoding="utf-8")


def _pooled(rows: list[Row]) -> dict[str, Any]:
    """What the table comes to; only examples with a stated rate count for the words."""
    done = [r for r in rows if "error" not in r]
    stated = [r for r in done if r["stated"]]
    wrong = [r["path"] for r in stated if r["room"] == "refuted" or (r["tight"] and r["less"] == "proved")]
    slowest = max(done, key=lambda r: max(r["room_s"], r["rate_word_s"], r["less_s"]), default=None)
    return {
        "files of PEPit's 97 posed": len(rows),
        "failed": len(rows) - len(done),
        "with a stated rate": len(stated),
        "value within 1e-6 of PEPit's (wanted >= 45)": sum(bool(r.get("agrees")) for r in done),
        "rate × (1 + 1e-6) certified exactly (wanted >= 35)": sum(r["room"] == "proved" for r in stated),
        "certified exactly at the rate (wanted >= 12)": sum(r["rate_word"] == "proved" for r in stated),
        "1 % less refuted exactly (wanted >= 30)": sum(r["less"] == "refuted" for r in stated),
        "words that contradict the stated theorem": wrong,
        "decisions that took too long": sum(r[k] == "too long" for r in done for k in ("room", "rate_word", "less")),
        "processor seconds, ours": round(sum(r[k] for r in done for k in _SECONDS), 1),
        "processor seconds, PEPit's": round(sum(r.get("pepit_s", 0.0) for r in done), 1),
        "ours by PEPit's (wanted <= 3)": _over_pepit(done),
        "slowest": slowest and slowest["path"],
    }


def _over_pepit(done: list[Row]) -> float | None:
    theirs = sum(r.get("pepit_s", 0.0) for r in done)
    return round(sum(r[k] for r in done for k in _SECONDS) / theirs, 2) if theirs else None


if __name__ == "__main__":
    main()
