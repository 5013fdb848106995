"""`python -m validation.papers.forbidden KEY …`: of bounds with two constants, which pairs exact instances forbid.

Each active instance of a search for the least weighted sum is a cut a₁c₁ + a₂c₂ >= 1. Its numbers are rounded up to
short fractions, so that it stays certain, and kept in constants.json of the paper's folder, under the reading.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from theory.base.files import replace_file
from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.papers.papers import load_papers
from validation.papers.tightened import FILE, budget_of, started
from validation.statement.claim import Claim, Inequality, Paper
from validation.study.tighten import tighten
from validation.study.tighten.frontier import weights_of

__all__ = ["cuts_of", "main", "needed"]

__judges__ = "no"

Cut = tuple[Fraction, Fraction]

_BUDGET, _SHORT = 2_000, 10**6
_SHARES = (Fraction(1, 16), Fraction(1, 4), Fraction(1), Fraction(4), Fraction(16))


def cuts_of(claim: Claim, entry: Entry, place: int, pair: tuple[str, str], budget: int) -> tuple[Cut, ...]:
    """The cuts that stick out of those of the active instances, for five weights of the first constant."""
    test = claim.readings[place].test
    assert isinstance(test, Inequality)
    start = started(claim, entry, place)
    found: list[Cut] = []
    for weight in weights_of(test, pair, _SHARES):
        words = {"budget": budget, "seeds": (0,), "label": f"{claim.id}/{place}"}
        weights = {pair[0]: float(weight), pair[1]: 1.0}
        one = tighten(test, weights=weights, start=start.points, known=start.known, **words)  # type: ignore[arg-type]
        rows = [row for term in one.terms if term.certificate for row in term.certificate.rows if not one.certificate]
        rows += list(one.certificate.rows) if one.certificate else []
        found += [(_up(r.terms[0] / r.lhs), _up(r.terms[1] / r.lhs)) for r in rows if len(r.terms) == 2]
    return needed(found)


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
            pair = (row["terms"][0]["term"], row["terms"][1]["term"])
            budget = min(_BUDGET, budget_of(entry, 2))
            cuts = cuts_of(claim, entry, row["reading"] - 1, pair, budget)
            row["cuts"] = [[str(a), str(b)] for a, b in cuts]
            print(f"{claim.id} reading {row['reading']}: {len(cuts)} cuts", flush=True)
            replace_file(file, json.dumps(whole, ensure_ascii=False, indent=1).encode() + b"\n")


def main(arguments: Iterable[str] | None = None) -> None:
    """Measure what the files of the papers named lack, of all without any; a line on each bound."""
    parser = argparse.ArgumentParser(prog="python -m validation.papers.forbidden", description=__doc__)
    parser.add_argument("key", nargs="*", help="papers, all without any")
    parser.add_argument("--claim", action="append", default=[], help="measure this claim again")
    given = parser.parse_args(None if arguments is None else list(arguments))
    for paper in load_papers():
        if not paper.calibration and (not given.key or paper.key in given.key):
            _complete(paper, given.claim)


if __name__ == "__main__":
    main()
