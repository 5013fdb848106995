"""Whether false statements that look true are refuted: bounds that are nearly tight, and what fails at late sizes only.

    python -m tests.benchmarks.nearly_tight [--only tight,sealed,late] [--seeds 5] [--budget N] [--json FILE]

Ten bounds of five papers with constants a little too small, and ten more that the search was not tried on while they
were made, are to be refuted from 4 of 5 seeds at 100,000 evaluations, each; twenty statements that are false from a
late number of rounds, clients or local steps on, in 90 % of 60 searches at 40,000. Refuted is what exact arithmetic
confirms. Rows are printed as they come, targets met or MISSED.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from statistics import median
from time import process_time

from tests.benchmarks.targets import Table
from tests.traps.late import late_statements
from tests.traps.nearly_tight import NEARLY_TIGHT, NearlyTight
from tests.traps.sealed import SEALED
from validation import Inequality
from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.run import run_test
from validation.statement.verdict import Verdict

TIGHT_BUDGET, TIGHT_SEEDS, TIGHT_SHARE = 100_000, 5, 0.8
LATE_BUDGET, LATE_SEEDS, LATE_SHARE = DEFAULT_BUDGET, 3, 0.9
Tried = list[tuple[bool, int, float]]


def tried(test: Inequality, name: str, budget: int, seeds: int) -> Tried:
    """For each seed whether the statement was refuted, the evaluations until then or in all, and processor seconds."""
    out = []
    for seed in range(seeds):
        begun = process_time()
        found = run_test(
            test, claim_id="nearly tight", name=name, budget=budget, seed=seed, stop_at_witness=True, shown=False
        )
        out.append((found.verdict is Verdict.REFUTED, found.instances, process_time() - begun))
    return out


def row(table: Table, name: str, runs: Tried, target: str = "", needed: float | None = None) -> None:
    refuted, of = sum(r for r, _, _ in runs), len(runs)
    evaluations, seconds = median(n for _, n, _ in runs), median(s for _, _, s in runs)
    shown = f"refuted {refuted} of {of}, median {evaluations:8,.0f} evaluations, {seconds:5.1f} s"
    met = None if needed is None else refuted >= needed * of
    table.add(name, shown, target, met, refuted=refuted, of=of, evaluations=evaluations, seconds=seconds)


def nearly_tight(table: Table, traps: Iterable[NearlyTight], budget: int, seeds: int) -> None:
    for trap in traps:
        runs = tried(trap.test, f"{trap.claim}, {trap.reading}", budget, seeds)
        row(table, f"{trap.claim}: {trap.says}", runs, "4 of 5 seeds", TIGHT_SHARE)


def late(table: Table, budget: int, seeds: int) -> None:
    everything: Tried = []
    for statement in late_statements():
        runs = tried(statement.test, statement.name, budget, seeds)
        row(table, f"late, first at {statement.first + 1}: {statement.name}", runs)
        everything += runs
    row(table, "all late statements", everything, "90 %", LATE_SHARE)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="tight,sealed,late", help="«tight», «sealed», «late», separated by commas")
    parser.add_argument("--seeds", type=int, help=f"in place of {TIGHT_SEEDS} and {LATE_SEEDS}")
    parser.add_argument("--budget", type=lambda t: int(float(t)), help="evaluations of each search")
    parser.add_argument("--json", help="also write the table there")
    asked = parser.parse_args(given)
    table = Table()
    for name, traps in (("tight", NEARLY_TIGHT), ("sealed", [sealed.trap for sealed in SEALED])):
        if name in asked.only.split(","):
            nearly_tight(table, traps, asked.budget or TIGHT_BUDGET, asked.seeds or TIGHT_SEEDS)
    if "late" in asked.only.split(","):
        late(table, asked.budget or LATE_BUDGET, asked.seeds or LATE_SEEDS)
    table.write(asked.json)


if __name__ == "__main__":
    main()
