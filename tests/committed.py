"""The committed entries of a paper, read and checked once a process: hundreds of tests want them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from validation.judge.entry import Entry
from validation.ledger.ledger import load_entries
from validation.statement.claim import Paper


@cache
def _read(folder: Path) -> tuple[Entry, ...]:
    return tuple(load_entries(folder / "ledger.json"))


def committed(paper: Paper) -> list[Entry]:
    """Its entries, in the order of its ledger."""
    return list(_read(paper.folder))
