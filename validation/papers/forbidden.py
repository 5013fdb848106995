"""`python -m validation.papers.forbidden KEY …`: of bounds with two constants, which pairs exact instances forbid.

Each active instance of a search for the least weighted sum is a cut a₁c₁ + a₂c₂ >= 1. Its numbers are rounded up to
short fractions, so that it stays certain, and kept in constants.json of the paper's folder, under the reading.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from theory.base.files import replace_file
from validation.cost.limits import current, rechecking, within
from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.papers.by_paper import by_paper
from validation.papers.tightened import FILE, budget_of, started
from validation.search.search import search
from validation.statement.bound import Bound
from validation.statement.claim import Claim, Inequality, Paper
from validation.study.tighten import Template
from validation.study.tighten.frontier import weights_of
from validation.study.tighten.program import smallest
from validation.study.tighten.rows import exact_rows
from validation.study.tighten.tighten import sampled

__all__ = ["cuts_of", "main", "needed"]

__judges__ = "no"

Cut = tuple[Fraction, Fraction]

_BUDGET, _SHORT, _CAP = 1_000, 10**6, 1e6
_TURNS, _SECONDS = 3, 0.5
_SHARES = (Fraction(1, 16), Fraction(1, 4), Fraction(1), Fraction(4), Fraction(16))


def cuts_of(claim: Claim, entry: Entry, place: int, kept: Sequence[str], budget: int) -> tuple[Cut, ...]:
    """The cuts that stick out of those of active instances, for weights of the first constant against the second.

    `kept`: terms that stay as printed. A few turns of program and search for each weight: cuts are certain however
    short the search, and it makes them no more than sharper.
    """
    test = claim.readings[place].test
    assert isinstance(test, Inequality)
    start, whole = started(claim, entry, place), Template.of(test.bound.expression)
    template = whole.without([whole.names.index(k) for k in kept]) if kept else whole
    pool, label = sampled(test, template, 0, claim.id, start.points), f"{claim.id}/{place}/forbidden"
    chosen: list[int] = []
    for weight in weights_of(template, (template.names[0], template.names[1]), _SHARES):
        for turn in range(_TURNS):
            solved = smallest(pool.lhs - pool.kept, pool.terms, np.array([float(weight), 1.0]), _CAP)
            if solved is None:
                break
            constants, duals = solved
            active = [int(i) for i in np.argsort(-duals)[:4] if duals[i] > 0]
            raised = {j: Fraction(float(c) * 1.001 or 0.001).limit_denominator(10**7) for j, c in enumerate(constants)}
            bound = Bound(template.bound(raised))
            lowered = replace(test, bound=bound, switches=(), trivial=None, grid=None)
            found = search(lowered, budget=budget, seed=turn, label=label)
            chosen += active
            if not found.witnesses:
                break
            for case, cube, _, _ in sorted(found.witnesses, key=lambda w: -w[2])[:16]:
                pool.add(case, cube[None])
    with within(replace(current(), recheck_seconds=_SECONDS)), rechecking():
        rows = exact_rows(template, [pool.places[i] for i in dict.fromkeys(chosen)], start.known)
    return needed([(_up(r.terms[0] / r.lhs), _up(r.terms[1] / r.lhs)) for r in rows if r.lhs > 0])


def needed(cuts: Sequence[Cut]) -> tuple[Cut, ...]:
    """The cuts without those that another one implies, by the first number."""
    kept = [c for c in dict.fromkeys(cuts) if not any(o != c and o[0] <= c[0] and o[1] <= c[1] for o in cuts)]
    return tuple(sorted(kept))


def _up(value: Fraction) -> Fraction:
    """A short fraction that is no smaller; of small numbers six digits are kept."""
    scale = _SHORT if value >= 1 or value == 0 else _SHORT * int(1 / value)
    return Fraction(math.ceil(value * scale), scale)


def _complete(paper: Paper, only: Iterable[str]) -> None:
    file, chosen = paper.folder / FILE, set(only)
    if not file.is_file():
        return
    whole = json.loads(file.read_text("utf-8"))
    entries = {e.id: e for e in load_entries(paper.folder / "ledger.json")}
    for claim in paper.claims:
        held, entry = whole["claims"].get(claim.id), entries[claim.id]
        if held is None or held["digest"] != entry.fingerprint or (chosen and claim.id not in chosen):
            continue
        for row in held["readings"]:
            two = len(row.get("terms", ())) == 2 and row["joint"]["value"] is not None
            if not two or ("cuts" in row and not chosen):
                continue
            cuts = cuts_of(claim, entry, row["reading"] - 1, row["kept"], min(_BUDGET, budget_of(entry, 2)))
            row["cuts"] = [[str(a), str(b)] for a, b in cuts]
            print(f"{claim.id} reading {row['reading']}: {len(cuts)} cuts", flush=True)
            replace_file(file, json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n")


def main(arguments: Iterable[str] | None = None) -> None:
    """Measure what the files of the papers named lack, of all without any; a line on each bound."""
    by_paper("forbidden", __doc__, _complete, arguments)


if __name__ == "__main__":
    main()
