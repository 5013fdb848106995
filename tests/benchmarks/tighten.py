"""Smallest constants of known truths, whose answer is known, and of the results of the papers.

    python -m tests.benchmarks.tighten                # known truths: each constant against its printed one
    python -m tests.benchmarks.tighten --papers       # theorems, lemmas, corollaries and propositions that hold
    python -m tests.benchmarks.tighten EA-L3 --budget 20000 --seeds 3

One line a constant as it goes. A known truth with a supremum of 1 whose exact lower bound is below 0.9999 of the
printed constant is missed; the exit code is 1 then. `--json FILE` keeps everything with its provenance.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from theory.base.files import replace_file
from validation.ledger.provenance import provenance
from validation.papers.look_up import look_up
from validation.papers.papers import is_result, select
from validation.statement.claim import Claim, Inequality
from validation.study.tighten import Tightened, tighten

TOLERANCE = Fraction(9999, 10_000)


def held(claim: Claim) -> Iterator[tuple[int, Inequality]]:
    """The readings that are committed as `holds` or `proved` and are inequalities, with their places."""
    try:
        entries = look_up(claim.id).entry.readings
    except ValueError:
        return
    for i, (reading, entry) in enumerate(zip(claim.readings, entries, strict=True)):
        if entry.verdict in {"holds", "proved"} and isinstance(reading.test, Inequality):
            yield i, reading.test


def rows(claim: Claim, place: int, found: Tightened, seconds: float) -> list[dict[str, Any]]:
    """One row a constant, in plain JSON."""
    return [
        {
            "claim": claim.id,
            "reading": place + 1,
            "term": t.name,
            "printed": float(t.printed),
            "alone": t.alone,
            "at_least": None if t.at_least is None else float(t.at_least),
            "jointly": t.jointly,
            "on": t.on,
            "survived": t.survived,
            "certificate": None if t.certificate is None else t.certificate.holds(),
            "kept": list(found.kept),
            "seconds": round(seconds, 2),
        }
        for t in found.terms
    ]


def chosen(names: list[str], papers: bool) -> list[Claim]:
    """The claims of the benchmark."""
    if names:
        return [claim for _, claim in select(names)]
    return [
        c for p, c in select(()) if (p.calibration and not papers) or (papers and not p.calibration and is_result(c))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="ID")
    parser.add_argument("--papers", action="store_true", help="results of the papers in place of known truths")
    parser.add_argument("--budget", type=int, default=4000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    found: list[dict[str, Any]] = []
    missed = []
    for claim in chosen(given.names, given.papers):
        for place, test in held(claim):
            began = time.process_time()
            try:
                one = tighten(test, budget=given.budget, seeds=range(given.seeds), label=f"{claim.id}/{place}")
            except ValueError as error:
                print(f"{claim.id} reading {place + 1}: {error}", flush=True)
                continue
            mine = rows(claim, place, one, time.process_time() - began)
            found += mine
            for row, term in zip(mine, one.terms, strict=True):
                low = "none" if row["at_least"] is None else f"{row['at_least']:.6g}"
                alone = "none" if row["alone"] is None else f"{row['alone']:.6g}"
                where = f"{claim.id} reading {place + 1}  {term.name[:48]}: printed {row['printed']:g}"
                print(f"{where}, alone {alone}, at least {low}, on {term.on:.0%}, {row['seconds']} s", flush=True)
                tight = claim.supremum == 1 and len(one.terms) == 1 and not one.kept
                if tight and (term.at_least is None or term.at_least < TOLERANCE * term.printed):
                    missed.append(claim.id)
    if given.json is not None:
        text = {"budget": given.budget, "seeds": given.seeds, "rows": found, "provenance": provenance()}
        replace_file(given.json, (json.dumps(text, indent=1, ensure_ascii=False) + "\n").encode())
    print(f"{len(found)} constants; missed: {', '.join(missed) or 'none'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
