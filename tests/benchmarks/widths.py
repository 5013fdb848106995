"""Whether wider batches find as much: how many generations restarts of dear cases last, two ways paired by seed.

    python -m tests.benchmarks.widths --generations 40 [--seeds 10] [--only lead] [--json FILE]

«asked»: restarts begun together can last as many generations as are asked for; «now»: as the code has it, where a point
costs more than 1. «lead»: the largest ratio seen of statements that hold, drawn from those of robust aggregation that
come near their bound without attaining it, and of known truths. «witness»: evaluations to the first certified witness
of hard refuted readings where climbing and the adversary are left alone, with next to no corners and random draws. A
search is MISSED that ends more than twice as far from the best of all seeds and ways. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.stats import wilcoxon

from tests.benchmarks.search import first_witness, inequality, middle
from theory.base.arrays import one_blas_thread
from validation import Inequality
from validation.cost.allowed import DEFAULT_BUDGET
from validation.ledger.ledger import load_entries
from validation.ledger.provenance import provenance
from validation.papers.papers import select
from validation.search import search as searching
from validation.statement.claim import Property

WAYS = ("asked", "now")
PAPERS = ("robust_aggregation",)
HARD = (
    *(("SSA-TA5", 1), ("SSA-TA5", 3), ("SSA-E52", 0), ("SSA-E52", 1), ("EA-T1", 1), ("EA-L1", 4), ("EA-S5", 1)),
    *(("RA-C1", 0), ("RA-L2", 1), ("RA-T1", 3), ("FA-E13", 0), ("EFL-T1", 5), ("EFL-E63", 2), ("EFL-T2b", 0)),
)
ALONE = {"corners": 0.002, "random": 0.002, "ladder": 0.002, "climb": 0.3, "adversary": 0.3, "near": 0.3}
TRUTHS = ("K7", "K8", "K11", "K12", "K15", "K20")
_EQUAL = 1e-9  # 1 − ratio below this is rounding
Row = dict[str, Any]


@contextmanager
def filled(way: str, generations: int) -> Iterator[None]:
    """Within it batches are filled in one of the two ways."""
    with patch.object(searching, "_OF_DEAR", generations if way == "asked" else searching._OF_DEAR):
        yield


def near_their_bound(paper: str, most: int) -> list[tuple[str, int]]:
    """(claim, reading) of inequalities that hold with a ratio between 0.02 and 0.9999, drawn from those of a paper."""
    pairs = select([paper])
    entries = {entry.id: entry for entry in load_entries(pairs[0][0].folder / "ledger.json")}
    found = []
    for _, claim in pairs:
        ratios = {r.name: r.worst_ratio for r in entries[claim.id].readings if r.verdict == "holds"}
        for place, reading in enumerate(claim.readings):
            ratio = ratios.get(reading.name)
            searched = isinstance(reading.test, Inequality | Property)
            if searched and isinstance(ratio, float) and 0.02 < ratio < 0.9999:
                found.append((claim.id, place))
    return random.Random(5).sample(found, min(most, len(found)))


def lead(name: str, reading: int, seed: int) -> tuple[float, int]:
    """The largest ratio that a search saw, and its evaluations."""
    test, label = inequality(name, reading)
    with one_blas_thread():
        found = searching.search(test, budget=DEFAULT_BUDGET, seed=seed, label=label)
    return found.worst_ratio, found.instances


def paired(key: tuple[str, int], seeds: int, what: str, generations: int) -> Row:
    """Both ways at every seed, one after the other."""
    row: Row = {way: [] for way in WAYS} | {f"{way} seconds": 0.0 for way in WAYS}
    for seed in range(1, seeds + 1):
        for way in WAYS:
            begun = time.process_time()
            with filled(way, generations):
                if what == "lead":
                    row[way].append(lead(*key, seed))
                else:
                    with patch.dict(searching._SHARES, ALONE):
                        row[way].append(first_witness(*key, seed))
            row[f"{way} seconds"] += time.process_time() - begun
    return row


def short_of_best(row: Row) -> tuple[float, float]:
    """Median 1 − ratio ÷ the largest of all, as asked and now."""
    best = max(ratio for way in WAYS for ratio, _ in row[way])
    short = [statistics.median(1 - ratio / best for ratio, _ in row[way]) for way in WAYS]
    return max(_EQUAL, short[0]), max(_EQUAL, short[1])


def told(name: str, changes: Sequence[float]) -> Row:
    """Whether the paired changes (logarithms to base 2, above 0 for the worse) are above 0, one-sided."""
    p = float(wilcoxon(changes, alternative="greater").pvalue) if np.any(changes) else 1.0
    mark = "MISSED" if p < 0.05 else "met"
    print(f"{name}: median factor {2 ** statistics.median(changes):.2f}, worse at p = {p:.3f}: {mark}", flush=True)
    return {"median_factor": 2 ** statistics.median(changes), "p": p}


def measured(parts: Sequence[str], seeds: int, generations: int) -> Row:
    out: Row = {"lead": {}, "witness": {}, "summary": {}}
    drawn = [key for paper in PAPERS for key in near_their_bound(paper, 6)]
    changes = []
    for key in [*drawn, *((name, 0) for name in TRUTHS)] if "lead" in parts else []:
        out["lead"][f"{key[0]}, reading {key[1] + 1}"] = row = paired(key, seeds, "lead", generations)
        asked, now = short_of_best(row)
        changes.append(math.log2(now / asked))
        mark = "MISSED" if now > 2 * asked else "met"
        spent = ", ".join(f"{statistics.mean(n for _, n in row[w]):,.0f}" for w in WAYS)
        took = ", ".join(f"{row[f'{way} seconds']:.1f} s" for way in WAYS)
        print(f"{key[0]:10} {key[1] + 1:2} short {asked:.1e} -> {now:.1e} {mark}; {spent} points; {took}", flush=True)
    if changes:
        out["summary"]["lead"] = told("short of the largest ratio", changes)
    changes = []
    for key in HARD if "witness" in parts else ():
        out["witness"][f"{key[0]}, reading {key[1] + 1}"] = row = paired(key, seeds, "witness", generations)
        asked, now = (middle(row[way]) for way in WAYS)
        changes.append(math.log2(now / asked))
        print(f"{key[0]:10} {key[1] + 1:2} {asked:,.0f} -> {now:,.0f} evaluations to a witness", flush=True)
    if changes:
        out["summary"]["witness"] = told("evaluations to a witness", changes)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--generations", type=int, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", choices=["lead", "witness"], action="append")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    rows = measured(given.only or ["lead", "witness"], given.seeds, given.generations)
    if given.json:
        made = {
            "rows": rows,
            "now": searching._OF_DEAR,
            "asked": given.generations,
            "seeds": given.seeds,
            "provenance": provenance(),
        }
        given.json.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
