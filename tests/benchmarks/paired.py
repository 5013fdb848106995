"""Whole checks of two commits side by side, in turn on one machine: evaluations for each second of processor time.

    git worktree add OTHER fce031d                 # any commit with this package's papers; this one is before lock step
    python -m tests.benchmarks.paired OTHER [--repeats 3] [--path PYCMA] [--json FILE]
    python -m tests.benchmarks.paired OTHER --of-each-paper 8 [--budget 40000] [--repeats 1] [--json FILE]
    python -m tests.benchmarks.paired OTHER --claims 100 [--budget 2000] [--repeats 1] [--json FILE]

The second form checks claims of the five papers one by one, drawn by the digest of their ids from those of both
commits, and says for each paper how much longer the checks of today take. The third says how many evaluations a second
the checks of so many claims make, ten claims a process, in turns. Each run is a fresh process on one thread, rechecks
in processes of their own included, imports not. An evaluation is a point whose sides a search asks for; the claims are
those of the same ids in each commit, as each has them. `--path`: a folder with what the other commit imports beyond
today's dependencies.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

FASTER = 4.0
LONGER = 1.25  # of a paper's checks, at most
TICK = 0.01  # seconds that a processor counts in
FIVE = ("exp_alpha", "fedaware", "efl", "fedssa", "robust_aggregation")
CHECKS = {
    "EA-T1": ["EA-T1"],
    "RA-L2": ["RA-L2"],
    "EFL-T2b": ["EFL-T2b"],
    "Exp-α, every tenth": [
        *("EA-L4", "EA-ALG1", "EA-D5", "EA-E10", "EA-E18b", "EA-E22"),
        *("EA-E25b", "EA-E27f", "EA-R7", "EA-T1b", "EA-P1", "EA-P11"),
    ],
}


def module(*names: str) -> Any:
    """The first of these modules that this commit has."""
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
    raise ModuleNotFoundError(f"none of {', '.join(names)}")


def papers() -> Any:
    """The module of the installed papers."""
    return module("validation.papers.papers", "validation.job.papers", "validation.papers")


def ids() -> dict[str, list[str]]:
    """The ids of each of the five papers' claims that are searched, in the commit that is imported."""
    found: dict[str, list[str]] = {key: [] for key in FIVE}
    for paper, claim in papers().select(()):
        if paper.key in found and str(claim.kind) != "relation":
            found[paper.key].append(claim.id)
    return found


def here(claims: list[str], budget: int = 0) -> dict[str, float]:
    """Processor seconds and evaluations of the whole checks of some claims, in the commit that is imported.

    `budget`: evaluations a reading; 0: the default of that commit.
    """
    engine = module("validation.verdict.engine", "validation.job.engine", "validation.engine")
    search = module("validation.search.search", "validation.search")
    select = papers().select
    budget = budget or module("validation.cost.allowed", "validation").DEFAULT_BUDGET
    chosen = [claim for _, claim in select(claims)]
    plain, points = search.evaluate, 0

    def counted(bound: Any, case: Any, cube: Any, *rest: Any) -> Any:
        nonlocal points
        points += len(cube)
        return plain(bound, case, cube, *rest)

    search.evaluate = counted
    begun = sum(os.times()[:4])
    for claim in chosen:
        for unit in engine.units(claim):
            engine.run_unit(claim, unit, budget=budget, seed=0)
    return {"points": points, "seconds": sum(os.times()[:4]) - begun}


def run(checkout: Path, also: list[str], words: list[str]) -> Any:
    """What this file prints for `words` in a process of its own that imports `checkout`."""
    paths = os.pathsep.join([str(checkout), *also])
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, str(Path(__file__).resolve()), *words]
    done = subprocess.run(
        command, cwd=checkout, env={**os.environ, **one, "PYTHONPATH": paths}, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def side_by_side(other: Path, also: list[str], repeats: int, only: list[str]) -> dict[str, Any]:
    """By check: points and processor seconds of every run of both commits, and how many times faster this one is."""
    own = Path(__file__).resolve().parents[2]
    rows: dict[str, Any] = {}
    for name in only or list(CHECKS):
        runs: dict[str, list[dict[str, float]]] = {"before": [], "now": []}
        for _ in range(repeats):
            runs["before"].append(run(other, also, ["--here", "0", *CHECKS[name]]))
            runs["now"].append(run(own, [], ["--here", "0", *CHECKS[name]]))
        before, now = (statistics.median(r["points"] / r["seconds"] for r in runs[w]) for w in ("before", "now"))
        pairs = [n["points"] / n["seconds"] / (b["points"] / b["seconds"]) for b, n in zip(*runs.values(), strict=True)]
        rows[name] = {**runs, "before_per_second": before, "now_per_second": now, "gain": statistics.median(pairs)}
        took, takes = (statistics.median(r["seconds"] for r in runs[w]) for w in runs)
        rows[name]["sooner"] = took / takes
        gain, mark = rows[name]["gain"], "met" if rows[name]["gain"] >= FASTER else "MISSED"
        spread = f"{min(pairs):.2f} to {max(pairs):.2f} in {repeats} pairs"
        print(f"{name:20} {before:8,.0f} before, {now:8,.0f} now a second: × {gain:.2f} ({spread})", end="  ")
        print(f"{mark}: × {FASTER:g}; the check {took:.1f} s before, {takes:.1f} now: × {took / takes:.2f}", flush=True)
    return rows


def evaluations(other: Path, also: list[str], repeats: int, drawn: int, budget: int) -> dict[str, Any]:
    """Evaluations a second of `drawn` claims in both commits, ten at a time, drawn as `of_each_paper` does from all."""
    from tests.benchmarks.clocks import busy, said

    own = Path(__file__).resolve().parents[2]
    before, now = run(other, also, ["--ids"]), run(own, [], ["--ids"])
    common = set().union(*before.values()) & set().union(*now.values())
    chosen = sorted(common, key=lambda i: hashlib.sha256(i.encode()).digest())[:drawn]
    rows: dict[str, Any] = {}
    for first in range(0, len(chosen), 10):
        some = chosen[first : first + 10]
        words = ["--here", str(budget), *some]
        pairs = [(run(other, also, words), run(own, [], words)) for _ in range(repeats)]
        rates = [(b["points"] / b["seconds"], n["points"] / n["seconds"]) for b, n in pairs]
        gain = statistics.median(n / b for b, n in rates)
        rows[" ".join(some)] = {"runs": pairs, "gain": gain, **busy()}
        shown = ", ".join(f"{b:,.0f} → {n:,.0f}" for b, n in rates)
        print(
            f"{len(some)} claims from {some[0]:14} {shown} evaluations/s CPU: × {gain:.2f}   ({said(busy())})",
            flush=True,
        )
    every = [pair for row in rows.values() for pair in row["runs"]]
    sums = [sum(pair[k]["points"] for pair in every) / sum(pair[k]["seconds"] for pair in every) for k in (0, 1)]
    rows["all"] = {"before_per_second": sums[0], "now_per_second": sums[1], "gain": sums[1] / sums[0]}
    middle = statistics.median(row["gain"] for row in rows.values())
    print(
        f"{len(chosen)} claims: {sums[0]:,.0f} → {sums[1]:,.0f} evaluations/s CPU: × {sums[1] / sums[0]:.2f} in sum,",
        end=" ",
    )
    print(f"× {middle:.2f} in the median of the tens")
    return rows


def of_each_paper(other: Path, also: list[str], repeats: int, drawn: int, budget: int) -> dict[str, Any]:
    """By paper: processor seconds of `drawn` of its claims in both commits, and how many times longer they take now."""
    own = Path(__file__).resolve().parents[2]
    before, now = run(other, also, ["--ids"]), run(own, [], ["--ids"])
    rows: dict[str, Any] = {}
    for paper in FIVE:
        common = sorted(set(before[paper]) & set(now[paper]), key=lambda i: hashlib.sha256(i.encode()).digest())
        took: dict[str, list[list[float]]] = {}
        for claim in common[:drawn]:
            words = ["--here", str(budget), claim]
            pairs = [[run(other, also, words)["seconds"], run(own, [], words)["seconds"]] for _ in range(repeats)]
            took[claim] = pairs
            print(f"  {claim:14} {', '.join(f'{b:.1f} s → {n:.1f} s' for b, n in pairs)}", flush=True)
        sums = [sum(statistics.median(p[k] for p in pairs) for pairs in took.values()) for k in (0, 1)]
        ratios = [statistics.median(max(n, TICK) / max(b, TICK) for b, n in pairs) for pairs in took.values()]
        longer = sums[1] / sums[0]
        rows[paper] = {"claims": took, "longer": longer, "median": statistics.median(ratios)}
        mark = "met" if longer <= LONGER else "MISSED"
        print(f"{paper}: {sums[0]:.1f} s before, {sums[1]:.1f} now: × {longer:.2f} in sum", end=", ")
        print(f"× {statistics.median(ratios):.2f} in the median of {len(took)} claims: {mark} (≤ {LONGER})", flush=True)
    return rows


def commit(folder: Path) -> str:
    asked = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=folder, stdout=subprocess.PIPE, check=True)
    return asked.stdout.decode().strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="a checkout of the other commit")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--only", action="append", default=[], choices=list(CHECKS))
    parser.add_argument("--of-each-paper", type=int, default=0, metavar="CLAIMS")
    parser.add_argument("--claims", type=int, default=0, help="so many claims of all papers")
    parser.add_argument("--budget", type=int, default=0, help="evaluations a reading; 0: each commit's default")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    other = given.other.resolve()
    if given.claims:
        rows = evaluations(other, given.path, given.repeats, given.claims, given.budget)
    elif given.of_each_paper:
        rows = of_each_paper(other, given.path, given.repeats, given.of_each_paper, given.budget)
    else:
        rows = side_by_side(other, given.path, given.repeats, given.only)
    if given.json:
        from validation.ledger.provenance import provenance

        made = {"rows": rows, "before": commit(given.other), "provenance": provenance()}
        given.json.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(here(sys.argv[3:], int(sys.argv[2]))))
    elif sys.argv[1:] == ["--ids"]:
        print(json.dumps(ids()))
    else:
        main()
