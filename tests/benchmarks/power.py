"""How strong the search is, and whether it is ever wrong: known truths, their mutants, and traps.

    python -m tests.benchmarks.power [--quick] [--only K7,traps] [--jobs 2] [--budget N] [--json FILE]

A known truth is searched once with a budget that is estimated to take 40 s on one core, once at sizes of 10 alone with
the default budget, and from 20 seeds with a small one; its mutants and the traps get the default budget. A truth that
is refuted, ever, makes this exit with 1. Everything but the seconds is the same again for the same budgets, which the
JSON records; `--again FILE` reuses them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.benchmarks.table import as_table
from tests.traps import TRAPS
from validation import Case, Claim, Family, Inequality
from validation.cost.allowed import DEFAULT_BUDGET
from validation.judge.run import run_test
from validation.ledger.provenance import provenance
from validation.papers.papers import select
from validation.verdict.engine import Unit, run_unit

_PROBE, _SECONDS, _MOST = 2_000, 40.0, 2_000_000
_LIMIT = 60.0  # seconds a trap may take


@dataclass(frozen=True)
class Effort:
    """How much of everything; `budget` None: estimated for each truth."""

    budget: int | None = None
    seeds: int = 20
    seed_budget: int = 10_000
    mutant_budget: int = DEFAULT_BUDGET
    traps: int = 20
    trap_budget: int = DEFAULT_BUDGET


QUICK = Effort(2_000, 2, 500, 2_000, 2, 5_000)


def claim_of(name: str) -> Claim:
    ((_, claim),) = select([name])
    return claim


def refuted(claim: Claim, budget: int, seed: int) -> tuple[list[Any], bool]:
    """The outcomes of all readings as printed, and whether any was refuted."""
    found = [
        run_test(r.test, claim_id=claim.id, name=r.name, budget=budget, seed=seed)
        for r in claim.readings
        if r.repair is None
    ]
    return found, any(o.verdict == "refuted" for o in found)


def alone(test: Inequality) -> Inequality:
    """The statement at one choice of sizes, each 10 where it may be: there attaining takes a search.

    Over all sizes most known truths are attained by one client, one dimension or one round, which any draw meets.
    """

    def tens(item: Family) -> Case:
        return item.at(**{s.name: max(s.usual, min(s.high, 10)) for s in item.sizes})

    return replace(test, cases=tuple(tens(c) if isinstance(c, Family) else c for c in test.cases))


def at_ten(claim: Claim, budget: int) -> float | None:
    """The largest lhs/rhs at sizes of 10."""
    tests = [alone(r.test) for r in claim.readings if r.repair is None and isinstance(r.test, Inequality)]
    found = [run_test(t, claim_id=claim.id, name="sizes of 10", budget=budget, seed=0) for t in tests]
    return max((o.worst_ratio for o in found if o.worst_ratio is not None), default=None)


def affordable(claim: Claim) -> int:
    """A budget of 1, 2 or 5 times a power of ten that should take about 40 s, judged from a short search."""
    begun = time.perf_counter()
    refuted(claim, _PROBE, 1)
    rate = _PROBE / (time.perf_counter() - begun)
    most = min(_MOST, max(_PROBE, rate * _SECONDS))
    return max(m * 10**e for m in (1, 2, 5) for e in range(3, 8) if m * 10**e <= most)


def truth(name: str, budget: int | None, tens_budget: int) -> dict[str, Any]:
    claim = claim_of(name)
    chosen = budget if budget is not None else affordable(claim)
    begun = time.perf_counter()
    outcomes, wrong = refuted(claim, chosen, 0)
    seconds = time.perf_counter() - begun
    ratios = [o.worst_ratio for o in outcomes if o.worst_ratio is not None]
    worst = max(ratios, default=None)
    known, tens = claim.supremum, at_ten(claim, tens_budget)
    return {
        "budget": chosen,
        "verdicts": [str(o.verdict) for o in outcomes],
        "refuted": wrong,
        "worst_ratio": worst,
        "supremum": known,
        "power": worst / known if worst is not None and known else None,
        "power_at_ten": tens / known if tens is not None and known else None,
        "evaluations": sum(o.instances for o in outcomes),
        "seconds": seconds,
    }


def other_seed(name: str, seed: int, budget: int) -> dict[str, Any]:
    outcomes, wrong = refuted(claim_of(name), budget, seed)
    return {"seed": seed, "refuted": wrong, "why": [o.why for o in outcomes]}


def mutant(name: str, index: int, budget: int) -> dict[str, Any]:
    part = run_unit(claim_of(name), Unit("mutant", index), budget=budget, seed=0)
    return {k: part[k] for k in ("name", "killed", "stage", "evaluations", "seconds")}


def trap(kind: str, seed: int, budget: int) -> dict[str, Any]:
    """One trap; the seconds are those of the search and of all that follows a refutation, without the mutant."""
    drawn = TRAPS[kind](seed)
    part = run_unit(drawn.claim, Unit("reading", 0), budget=budget, seed=seed)
    restored = [frozenset(r["switches"]) for r in part["restored_by"]]
    return {
        "seed": seed,
        "found": part["verdict"] == "refuted" and part["seconds"] <= _LIMIT,
        "repaired": restored == ([drawn.restored_by] if drawn.restored_by else []),
        "mechanisms": len(part["mechanisms"]),
        "worst_ratio": part["worst_ratio"],
        "stage": part["stage"],
        "evaluations": part["evaluations"],
        "seconds": part["seconds"],
    }


Task = tuple[str, str, Callable[..., dict[str, Any]], tuple[Any, ...]]


def tasks(names: Sequence[str], traps: bool, effort: Effort, budgets: dict[str, int]) -> list[Task]:
    """(section, key, function, arguments) of everything to do."""
    out: list[Task] = []
    for name in names:
        out.append(("truth", name, truth, (name, budgets.get(name, effort.budget), effort.mutant_budget)))
        out += [("seeds", name, other_seed, (name, s, effort.seed_budget)) for s in range(1, effort.seeds + 1)]
        mutants = range(len(claim_of(name).mutants))
        out += [("mutants", name, mutant, (name, i, effort.mutant_budget)) for i in mutants]
    if traps:
        out += [("traps", k, trap, (k, s, effort.trap_budget)) for k in TRAPS for s in range(effort.traps)]
    return out


def done(todo: list[Task], jobs: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """(position, result) of every task, as they end."""
    if jobs == 1:
        yield from ((i, function(*given)) for i, (_, _, function, given) in enumerate(todo))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = {pool.submit(function, *given): i for i, (_, _, function, given) in enumerate(todo)}
        yield from ((waiting[future], future.result()) for future in as_completed(waiting))


def measured(names: Sequence[str], traps: bool, effort: Effort, jobs: int, budgets: dict[str, int]) -> dict[str, Any]:
    todo = tasks(names, traps, effort, budgets)
    results = dict(done(todo, jobs))
    rows: dict[str, dict[str, Any]] = {name: {"seeds": [], "mutants": []} for name in names}
    trapped: dict[str, list[dict[str, Any]]] = {}
    for position, (section, key, _, _) in enumerate(todo):
        if section == "truth":
            rows[key] |= results[position]
        elif section == "traps":
            trapped.setdefault(key, []).append(results[position])
        else:
            rows[key][section].append(results[position])
    for row in rows.values():
        row["seeds"] = {
            "tried": len(row["seeds"]),
            "refuted": {s["seed"]: s["why"] for s in row["seeds"] if s["refuted"]},
        }
    return {"truths": rows, "traps": trapped, "summary": summary(rows, trapped)}


def summary(rows: dict[str, dict[str, Any]], trapped: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    powers = [r["power"] for r in rows.values() if r["power"] is not None]
    at_tens = [r["power_at_ten"] for r in rows.values() if r["power_at_ten"] is not None]
    mutants = [m for r in rows.values() for m in r["mutants"]]
    return {
        "truths": len(rows),
        "refuted": sorted(n for n, r in rows.items() if r["refuted"] or r["seeds"]["refuted"]),
        "median_power": statistics.median(powers) if powers else None,
        "least_power": min(powers, default=None),
        "median_power_at_ten": statistics.median(at_tens) if at_tens else None,
        "least_power_at_ten": min(at_tens, default=None),
        "mutants": len(mutants),
        "mutants_killed": sum(m["killed"] for m in mutants),
        "survivors": [f"{n}: {m['name']}" for n, r in rows.items() for m in r["mutants"] if not m["killed"]],
        "traps": {
            kind: {
                "found": sum(t["found"] for t in tried),
                "repaired": sum(t["repaired"] for t in tried),
                "of": len(tried),
                "median_seconds": statistics.median(t["seconds"] for t in tried),
            }
            for kind, tried in trapped.items()
        },
    }


def show(found: dict[str, Any]) -> None:
    for name, r in found["truths"].items():
        power, tens = ("     —" if r[k] is None else f"{r[k]:6.4f}" for k in ("power", "power_at_ten"))
        wrong = len(r["seeds"]["refuted"])
        killed = [f"{m['stage']}" if m["killed"] else f"SURVIVOR «{m['name']}»" for m in r["mutants"]]
        print(f"{name:5} {'/'.join(r['verdicts']):12} ratio ÷ supremum {power}, at 10 {tens}", end="  ")
        print(f"{r['budget']:>9,} evaluations {r['seconds']:5.1f} s", end="  ")
        print(f"refuted {wrong} of {r['seeds']['tried']} seeds  mutants: {', '.join(killed)}")
    total = found["summary"]
    if total["mutants"]:
        killed, of = total["mutants_killed"], total["mutants"]
        print(
            f"mutation score {killed} of {of} ({killed / of:.1%}); survivors: {', '.join(total['survivors']) or 'none'}"
        )
    if total["median_power"] is not None:
        tens = (total["median_power_at_ten"], total["least_power_at_ten"])
        print(f"ratio ÷ supremum: median {total['median_power']:.4f}, least {total['least_power']:.4f}")
        if None not in tens:
            print(f"the same at sizes of 10 alone: median {tens[0]:.4f}, least {tens[1]:.4f}")
    for kind, row in total["traps"].items():
        seconds = f"median {row['median_seconds']:.1f} s"
        print(f"trap {kind:15} found {row['found']:2} of {row['of']}, extras as meant {row['repaired']:2}, {seconds}")
    if total["refuted"]:
        print(f"REFUTED ALTHOUGH TRUE: {', '.join(total['refuted'])}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="small budgets and few seeds, to see that it runs")
    parser.add_argument("--only", default="", help="ids of known truths, and «traps», separated by commas")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--budget", type=lambda t: int(float(t)), help="evaluations a truth, in place of an estimate")
    parser.add_argument("--again", type=Path, help="reuse the budgets of an earlier JSON")
    parser.add_argument("--json", type=Path, help="also write the table there")
    given = parser.parse_args()
    effort = QUICK if given.quick else Effort(given.budget)
    wanted = [w for w in given.only.split(",") if w]
    names = [c.id for _, c in select([w for w in wanted if w != "traps"] or ["known_truths"])]
    names = [] if wanted == ["traps"] else names
    earlier = json.loads(given.again.read_text(encoding="utf-8"))["truths"] if given.again else {}
    budgets = {name: row["budget"] for name, row in earlier.items()}
    begun = time.perf_counter()
    found = measured(names, not wanted or "traps" in wanted, effort, given.jobs, budgets)
    show(found)
    print(f"{time.perf_counter() - begun:.0f} s with {given.jobs} processes")
    if given.json:
        made = {**found, "effort": vars(effort), "jobs": given.jobs, "provenance": provenance()}
        given.json.write_text(as_table(made) + "\n", encoding="utf-8")
    raise SystemExit(1 if found["summary"]["refuted"] else 0)


if __name__ == "__main__":
    main()
