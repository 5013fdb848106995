"""What a check of all claims would search, from indices and committed ledgers, before any of it is done."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import sqrt

import click

from validation.commands.output import echo
from validation.commands.terminal import fail
from validation.ledger.evidence import rows_of
from validation.papers.index import Listed, folder_of, points

__all__ = ["confirm_all", "in_time", "interactive", "scope"]


def scope(rows: Sequence[Listed], budget: int | None, jobs: int) -> str:
    """«692 claims of 6 papers, about 3.1 hours of processor time by the committed searches, 1.5 hours with --jobs 2».

    `budget`: evaluations a reading, None for as much as the committed searches had.
    """
    papers = sorted({row.paper for row in rows})
    words = f"{_count(len(rows), 'claim')} of {_count(len(papers), 'paper')}"
    known = _committed_seconds(budget)
    took = [known[row.id] for row in rows if row.id in known]
    if not took:
        return f"{words}; no committed search says how long that takes"
    seconds = sum(took) * len(rows) / len(took)
    several = f", {in_time(seconds / jobs)} with --jobs {jobs}" if jobs > 1 else ""
    return f"{words}, about {in_time(seconds)} of processor time by the committed searches{several}"


def confirm_all(rows: Sequence[Listed], budget: int | None, jobs: int) -> None:
    """Ask a person at a terminal whether all claims are meant; elsewhere end with code 2 and say what to name."""
    found = scope(rows, budget, jobs)
    if interactive():
        echo(f"No claim or paper is named. All are {found}.", err=True)
        if not click.confirm("Check all of them?", default=False, err=True):
            raise SystemExit(2)
        return
    papers = ", ".join(sorted({row.paper for row in rows}))
    fail(f"check: nothing is named; expected a claim such as EA-T1, a paper ({papers}), or --all: {found}")


def interactive() -> bool:
    """Whether a person can be asked: both stdin and stderr are a terminal."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def in_time(seconds: float) -> str:
    """A duration in the unit a person would use.

    >>> in_time(40), in_time(600), in_time(9000)
    ('40 s', '10 minutes', '2.5 hours')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _committed_seconds(budget: int | None) -> dict[str, float]:
    """Processor seconds of each claim with this budget, estimated from its committed search."""
    found: dict[str, float] = {}
    for point in points():
        folder = folder_of(point)
        try:
            rows = [] if folder is None else rows_of(json.loads((folder / "ledger.json").read_text(encoding="utf-8")))
            for entry in rows:
                # Measured on 21 claims: re-checks do not grow with the budget, so that seconds grow as its square root.
                share = 1.0 if budget is None else sqrt(budget / float(str(entry["budget"])))
                found[str(entry["id"])] = float(str(entry["seconds"])) * share
        except (OSError, ValueError, TypeError, LookupError, ZeroDivisionError, RecursionError):
            continue  # a paper without a ledger that can be read: its claims count as the others' mean
    return found
