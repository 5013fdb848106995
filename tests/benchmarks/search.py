"""How fast whole checks are, and whether a faster search is as strong: one thread, against another commit's figures.

    python -m tests.benchmarks.search --json BEFORE          # in a checkout of the other commit
    python -m tests.benchmarks.search --against BEFORE       # here; prints as it goes, targets met or MISSED
    python -m tests.benchmarks.search --only speed --seeds 5

Without `--against` the opponent of the speeds is the one that is stored, `results/search.json`: commit d788ed1, with
what a plain loop took on that machine, by which its speeds are brought to this one.
Speed: evaluations a second of processor time of whole checks at the default budget, rechecks included, and how many of
all points came in batches of 256 or more, of those of cheap cases and of all: a case that declares a cost above 1 has
fewer to spread. Strength: evaluations to the first certified witness of hard refuted readings, from several seeds, and
1 − ratio of known truths whose supremum is known. For speeds in turns there is `tests.benchmarks.paired`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import wilcoxon

from tests.benchmarks.clocks import busy, limited, said
from tests.benchmarks.simulate import D, E, federation, plain_loop
from tests.benchmarks.table import as_table
from theory import inverse_steps
from theory.base.arrays import one_blas_thread
from validation import Inequality
from validation.cost.allowed import DEFAULT_BUDGET
from validation.cost.limits import rechecking
from validation.judge.exact.certify import UndefinedError, certify
from validation.ledger.provenance import provenance
from validation.papers.papers import select
from validation.search import search as searching
from validation.statement.claim import Property
from validation.verdict.engine import run_unit, units

CHECKS = (("EA-T1",), ("RA-L2",), ("EFL-T2b",), ("known_truths",))
FASTER, WIDE = 4.0, 256
STORED = Path(__file__).parent / "results" / "search.json"
HARD = (  # claim and reading, from 0
    *(("SSA-TA5", 1), ("SSA-TA5", 3), ("SSA-E52", 0), ("SSA-E52", 1), ("SSA-E24", 2), ("EA-T1", 0), ("EA-T1", 1)),
    *(("EA-L1", 1), ("EA-L1", 4), ("EA-S5", 0), ("EA-S5", 1), ("RA-C1", 0), ("RA-C1", 3), ("RA-L2", 1)),
    *(("RA-T1", 3), ("RA-E12", 0), ("FA-E13", 0), ("FA-E10", 1), ("EFL-E63", 2), ("EFL-T2b", 0)),
)
Row = dict[str, Any]


@contextmanager
def counted(batches: list[tuple[int, float]]) -> Any:
    """Within it the size of every batch that a search evaluates is noted, with what its case declares to cost."""
    plain: Callable[..., Any] = searching.evaluate

    def noted(bound: Any, case: Any, cube: Any, *rest: Any) -> Any:
        batches.append((len(cube), case.cost))
        return plain(bound, case, cube, *rest)

    searching.evaluate = noted
    try:
        yield
    finally:
        searching.evaluate = plain


def speed(names: Sequence[str]) -> Row:
    """Seconds and evaluations of the whole checks of some claims or papers."""
    batches: list[tuple[int, float]] = []
    pairs, paced = select(names), pace()
    begun, cpu = time.perf_counter(), sum(os.times()[:4])  # rechecks in processes of their own count
    with counted(batches):
        parts = [run_unit(c, u, budget=DEFAULT_BUDGET, seed=0) for _, c in pairs for u in units(c)]
    seconds, cpu = time.perf_counter() - begun, sum(os.times()[:4]) - cpu
    evaluations = sum(p.get("evaluations") or 0 for p in parts)
    return {
        "seconds": seconds,
        "cpu_s": cpu,
        "pace_s": (paced + pace()) / 2,
        "evaluations": evaluations,
        "per_second": evaluations / cpu,
        **busy(),
        "wide": _wide(batches),
        "wide_if_cheap": _wide([(n, cost) for n, cost in batches if cost <= 1]),
        "of_cheap": sum(n for n, cost in batches if cost <= 1) / max(1, sum(n for n, _ in batches)),
    }


def pace() -> float:
    """Processor seconds of a plain loop of small NumPy products, the median of five."""
    fed, steps, start = federation(), inverse_steps(2.0, 20.0, 40 * E), np.ones(D)
    seconds = []
    for _ in range(5):
        begun = time.process_time()
        plain_loop(fed, start, steps, 40)
        seconds.append(time.process_time() - begun)
    return statistics.median(seconds)


def _wide(batches: Sequence[tuple[int, float]]) -> float | None:
    """Which share of the points of these batches came in wide ones; None without a point."""
    points = sum(n for n, _ in batches)
    return sum(n for n, _ in batches if n >= WIDE) / points if points else None


def inequality(name: str, reading: int) -> tuple[Inequality, str]:
    ((_, claim),) = select([name])
    test = claim.readings[reading].test
    test = test.inequality if isinstance(test, Property) else test
    if not isinstance(test, Inequality):
        raise TypeError(f"{name}, reading {reading + 1}: expected an inequality, got {type(test).__name__}")
    return test, f"{claim.id}/{claim.readings[reading].name}"


def first_witness(name: str, reading: int, seed: int) -> int | None:
    """Evaluations until a witness was certified; None where the default budget brings none."""
    test, label = inequality(name, reading)
    asked, spent = 0, None

    def enough(found: searching.Search) -> bool:
        nonlocal asked, spent
        fresh = searching.Search(witnesses=found.witnesses[asked:][:4])
        asked = len(found.witnesses)
        certified = certify(test.bound, fresh, seed, label, shrinking=False).witness is not None
        spent = found.instances if certified else None
        return certified

    with one_blas_thread(), rechecking(UndefinedError, ArithmeticError, ValueError, IndexError, TypeError):
        searching.search(test, budget=DEFAULT_BUDGET, seed=seed, label=label, stop=enough)
    return spent


def short_of(name: str, seeds: Iterable[int]) -> list[float]:
    """1 − worst ratio ÷ supremum of a known truth, for each seed."""
    ((_, claim),) = select([name])
    out = []
    for seed in seeds:
        test, label = inequality(name, 0)
        with one_blas_thread():
            found = searching.search(test, budget=DEFAULT_BUDGET, seed=seed, label=label)
        out.append(max(0.0, 1 - found.worst_ratio / (claim.supremum or 1.0)))
    return out


def measured(parts: Sequence[str], seeds: int, before: Row) -> Row:
    rows: Row = {"speed": {}, "witness": {}, "supremum": {}}
    for names in CHECKS if "speed" in parts else ():
        key = " ".join(names)
        with limited(1):
            rows["speed"][key] = row = speed(names)
        was = before.get("speed", {}).get(key)
        words = f"{row['per_second']:9,.0f} evaluations/s, {row['cpu_s']:6.1f} s CPU {row['seconds']:6.1f} wall,"
        words += f" {row['wide']:4.0%} in wide ones"
        if row["wide_if_cheap"] is not None:
            words += f" ({row['wide_if_cheap']:.0%} of cheap cases' points, {row['of_cheap']:.0%} of all)"
        if was:
            slower = row["pace_s"] / was["pace_s"] if "pace_s" in was else 1.0
            gain = row["per_second"] / was["per_second"] * slower
            words += f", × {gain:.2f} (× {FASTER:g} {'met' if gain >= FASTER else 'MISSED'})"
        print(f"{key:14} {words}   ({said(row)})", flush=True)
    if rows["speed"]:
        wide = [r["wide_if_cheap"] for r in rows["speed"].values() if r["wide_if_cheap"] is not None]
        mark = "met" if min(wide, default=1.0) >= 0.5 else "MISSED"
        everything = statistics.median(r["wide"] for r in rows["speed"].values())
        print(f"half of the points of cheap cases in batches of {WIDE} or more: {mark}, median of all {everything:.0%}")
    for name, reading in HARD if "witness" in parts else ():
        key = f"{name}, reading {reading + 1}"
        found = [first_witness(name, reading, seed) for seed in range(1, seeds + 1)]
        rows["witness"][key] = found
        was = before.get("witness", {}).get(key)
        words = f"median {middle(found):>8,.0f} evaluations to a witness, {found.count(None)} of {seeds} without"
        print(f"{key:22} {words}{f', before {middle(was):,.0f}' if was else ''}", flush=True)
    if rows["witness"] and before.get("witness"):
        print(compared(before["witness"], rows["witness"]), flush=True)
    truths = [c.id for _, c in select(["known_truths"]) if c.supremum is not None] if "supremum" in parts else []
    for name in truths:
        try:
            rows["supremum"][name] = found_short = short_of(name, range(1, 4))
        except TypeError:
            continue
        was = before.get("supremum", {}).get(name)
        least, most = max(1e-9, 2 * statistics.median(was or [0.0])), statistics.median(found_short)
        mark = "" if not was else " met" if most <= least else f" MISSED (before {statistics.median(was):.1e})"
        print(f"{name:5} 1 − ratio ÷ supremum {most:.1e}{mark}", flush=True)
    return rows


def middle(values: Sequence[int | None]) -> float:
    """The median, a search without a witness counted as twice the budget."""
    return statistics.median(2 * DEFAULT_BUDGET if v is None else v for v in values)


def compared(before: Row, after: Row) -> str:
    """Whether witnesses come later than before: medians of each reading, paired, one-sided."""
    keys = [k for k in after if k in before]
    change = np.asarray([np.log2(middle(after[k]) / middle(before[k])) for k in keys])
    rng = np.random.default_rng(0)
    drawn = np.median(rng.choice(change, size=(4000, len(change))), axis=1)
    low, high = np.quantile(drawn, [0.05, 0.95])
    p = float(wilcoxon(change, alternative="greater").pvalue) if np.any(change) else 1.0
    mark = "MISSED" if p < 0.05 else "met"
    ratio = f"median ratio {2 ** np.median(change):.2f} (90 %: {2**low:.2f} to {2**high:.2f})"
    return f"evaluations to a witness, {len(keys)} readings: {ratio}, later at p = {p:.3f}: {mark}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["speed", "witness", "supremum"], action="append")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    earlier = json.loads((given.against or STORED).read_text(encoding="utf-8"))
    rows = measured(given.only or ["speed", "witness", "supremum"], given.seeds, earlier["rows"])
    report = {"rows": rows, "seeds": given.seeds, "provenance": provenance(), "before": earlier}
    if given.json:
        given.json.write_text(as_table(report) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
