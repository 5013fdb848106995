"""PEPit's example theorems decided exactly: value, word and seconds beside PEPit's own value and seconds.

    python -m tests.benchmarks.classes                 # every example, with PEPit's
    python -m tests.benchmarks.classes --only descent  # those whose path contains the word
    python -m tests.benchmarks.classes --no-pepit

Per example: is the value PEPit's within 1e-6; with the stated rate × (1 + 1e-6): certified exactly; at the rate;
1 % less: refuted exactly. Where no rate is stated, the float value rounded up stands for it and counts for nothing.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from pathlib import Path
from typing import Any

from tests.benchmarks.classes import composite, operators, others, unconstrained
from tests.benchmarks.classes.example import EXAMPLES, Example, Posed
from theory.classes import assemble, number, solve
from theory.classes.numbers import value
from validation.proof.classes import check, decide_class, violates

__all__ = ["main", "measure"]

ROOMS = (unconstrained, composite, operators, others)
Row = dict[str, Any]


def _seconds_of(posed: Posed, bound: Any, key: str, row: Row) -> str:
    start = time.process_time()
    decision = decide_class(posed.statement(bound))
    row[f"{key}_s"] = round(time.process_time() - start, 2)
    if decision.proof is not None and not check(decision.proof):
        raise AssertionError(f"{row['path']}: a proof that does not check")
    if decision.witness is not None and not violates(decision.witness):
        raise AssertionError(f"{row['path']}: a counterexample that does not violate")
    row[key], row[f"{key}_why"] = decision.word, decision.why
    return decision.word


def measure(example: Example, *, pepit: bool = True) -> Row:
    """One line of the table."""
    row: Row = {"path": example.path}
    start = time.process_time()
    posed = example.posed()
    solution = solve(assemble(posed.statement(0)))
    row |= {"value": solution.value, "upper": solution.upper, "status": solution.status}
    row["seconds"] = round(time.process_time() - start, 2)
    if pepit:
        function, arguments = example.theirs()
        start = time.process_time()
        found, stated = function(**arguments, wrapper="cvxpy", solver="CLARABEL", verbose=-1)
        row |= {"pepit": float(found), "pepit_stated": stated, "pepit_s": round(time.process_time() - start, 2)}
        row["agrees"] = abs(row["value"] - row["pepit"]) <= 1e-6 * max(1.0, abs(row["pepit"]))
    rate = posed.rate
    row["stated"] = rate is not None
    if rate is None:
        rate = number(f"{solution.upper + 1e-7 * abs(solution.upper):.9g}")
    exact = number(rate)
    row |= {"rate": value(exact), "tight": posed.tight and row["stated"]}
    # A bound of 0 has no percentage: what is added or taken is then an absolute number.
    unit = abs(exact) if value(exact) != 0 else number(1)
    _seconds_of(posed, exact + unit / 10**6, "room", row)
    _seconds_of(posed, exact, "rate_word", row)
    _seconds_of(posed, exact - unit / 100, "less", row)
    return row


def _too_long(*_: object) -> None:
    raise TimeoutError("more processor seconds than --seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-pepit", action="store_true")
    parser.add_argument("--skip", default=None)
    parser.add_argument("--seconds", type=float, default=600.0, help="processor seconds an example may take")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    chosen = [e for e in EXAMPLES if arguments.only in e.path and not (arguments.skip and arguments.skip in e.path)]
    signal.signal(signal.SIGPROF, _too_long)
    rows = []
    print(f"{'example':78s} {'value':>12s} {'PEPit':>12s} agr {'rate':>12s} ×(1+1e-6)    at rate      1% less      s")
    for example in chosen:
        signal.setitimer(signal.ITIMER_PROF, arguments.seconds)
        try:
            row = measure(example, pepit=not arguments.no_pepit)
        except Exception as error:
            row = {"path": example.path, "error": f"{type(error).__name__}: {error}"}
            print(f"{example.path:78s} {row['error'][:120]}", flush=True)
            rows.append(row)
            continue
        rows.append(row)
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1, default=str))
        theirs = f"{row.get('pepit', float('nan')):12.8g}"
        flag = "" if row["stated"] else " (no rate stated)"
        agrees = {True: "yes", False: "NO", None: "-"}[row.get("agrees")]
        print(
            f"{row['path']:78s} {row['value']:12.8g} {theirs} {agrees:3s} {row['rate']:12.8g} {row['room']:12s} "
            f"{row['rate_word']:12s} {row['less']:12s} {row['seconds']}+{row['room_s']}+{row['rate_word_s']}+"
            f"{row['less_s']} / {row.get('pepit_s', '-')}{flag}",
            flush=True,
        )
    _summary(rows)


def _summary(rows: list[Row]) -> None:
    done = [r for r in rows if "error" not in r]
    stated = [r for r in done if r["stated"]]
    print(f"\n{len(rows)} of 97 files posed, {len(rows) - len(done)} failed; {len(stated)} with a stated rate")
    print(f"value within 1e-6 of PEPit's: {sum(bool(r.get('agrees')) for r in done)}  (wanted >= 45)")
    print(f"rate × (1 + 1e-6) certified exactly: {sum(r['room'] == 'proved' for r in stated)}  (wanted >= 35)")
    print(f"certified exactly at the rate: {sum(r['rate_word'] == 'proved' for r in stated)}  (wanted >= 12)")
    print(f"1 % less refuted exactly: {sum(r['less'] == 'refuted' for r in stated)}  (wanted >= 30)")
    wrong = [r["path"] for r in stated if r["room"] == "refuted" or (r["tight"] and r["less"] == "proved")]
    print(f"words that contradict the stated theorem: {wrong or 'none'}")


if __name__ == "__main__":
    main()
