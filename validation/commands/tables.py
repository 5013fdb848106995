"""Tables of claims in a terminal: what there is to check, and the verdicts after a check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from validation.commands.output import echo, echo_json
from validation.commands.terminal import Terminal, verdict_style

if TYPE_CHECKING:
    from validation.judge.entry import Entry
    from validation.papers.index import Listed
    from validation.statement.claim import Claim, Paper

__all__ = ["UNDECIDED", "print_claims", "print_headlines", "print_reasons", "print_verdicts"]

UNDECIDED = frozenset({"inconclusive", "not-checked"})
_SHOWN = 10  # undecided claims whose reasons are printed


def print_claims(rows: Sequence[Listed], as_json: bool) -> None:
    """The claims there are, as a table or JSON."""
    if as_json:
        echo_json([asdict(row) for row in rows])
        return
    table = Table("id", "paper", "kind", "source", "what it says", box=None, pad_edge=False)
    for row in rows:
        table.add_row(row.id, row.paper, row.kind, row.at, row.title)
    Terminal().print(table)


def print_verdicts(entries: Sequence[Entry], folder: Path) -> None:
    """The verdicts, each with the command that reproduces it; `folder`: where the ledger is."""
    table = Table("id", "verdict", "worst left ÷ right", "instances", "s", box=None, pad_edge=False)
    table.add_column("reproduce with", no_wrap=True)
    for e in entries:
        ratio = e.worst_ratio
        shown = "" if ratio is None else ratio if isinstance(ratio, str) else f"{ratio:.4g}"
        verdict = Text(e.verdict, style=verdict_style(e.verdict))
        command = f"fedverdict check {e.id} --budget {e.budget} --seed {e.seed}"
        table.add_row(e.id, verdict, shown, f"{e.instances:,}", f"{e.seconds:.1f}", command)
    Terminal(120).print(table)
    click.echo(f"ledger and counterexamples: {folder}", err=True)


def print_reasons(entries: Sequence[Entry]) -> None:
    """Why claims are undecided: the table has the word alone, and the cause may be an error in a claim's code."""
    undecided = [e for e in entries if e.verdict in UNDECIDED]
    for entry in undecided[:_SHOWN]:
        echo(f"{entry.id}: {entry.why}", err=True)
    if len(undecided) > _SHOWN:
        click.echo(f"and {len(undecided) - _SHOWN} more; why: fedverdict check ID --explain --again", err=True)


def print_headlines(pairs: Sequence[tuple[Paper, Claim]], entries: Sequence[Entry]) -> None:
    """One line for each paper that was checked whole."""
    from validation.judge.words.entry import headline

    for paper in {p.key: p for p, _ in pairs}.values():
        mine = [e for e in entries if e.paper == paper.key]
        if len(mine) == len(paper.claims):
            echo(f"{paper.key}: {headline(mine)}")
