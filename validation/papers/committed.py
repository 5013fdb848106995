"""A paper's committed entries, with every word and weight compared to the outcomes that it follows from."""

from __future__ import annotations

from validation.judge.entry import Entry
from validation.ledger.ledger import EVIDENCE, load_entries
from validation.ledger.words import check_weights
from validation.statement.claim import Paper

__all__ = ["committed_of"]

__judges__ = "no"


def committed_of(paper: Paper) -> list[Entry]:
    """The entries of the ledger in a paper's folder; none without one. Raises `ValueError` naming file and cure."""
    path = paper.folder / "ledger.json"
    try:
        entries = load_entries(path)
    except OSError as error:
        raise ValueError(f"{path}: cannot be read: {error.strerror or error}") from error
    if path.with_name(EVIDENCE).is_file():  # the ledger of a single check has no weights
        check_weights(entries, paper.claims, path)
    return entries
