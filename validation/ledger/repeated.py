"""Whether an entry that was made again is the kept one, and what is known of why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validation.judge.entry import Entry
from validation.ledger.evidence import Row
from validation.ledger.provenance import arithmetic

__all__ = ["comparable", "parted", "repeated", "told"]

_PASSING = ("seconds", "provenance", "weight", "effort", "searched_by")  # by whom, how long, among what


def comparable(entry: Entry) -> Row:
    """All of an entry but when, where, by whom and among what it was made."""
    return {k: v for k, v in entry.json().items() if k not in _PASSING}


def repeated(again: Entry, kept: Entry) -> bool:
    """Whether the two are one entry, to the last count."""
    return comparable(again) == comparable(kept)


def parted(again: Entry, kept: Entry) -> str | None:
    """What a reader is told of an entry made again that is not the kept one to its last count; None where it is.

    Reasons are named where they are known: another budget or seed, another search by its digest, other rounding.
    """
    if repeated(again, kept):
        return None
    words = [[e.verdict, *(r.verdict for r in e.readings)] for e in (again, kept)]
    found = "the same verdicts, other counts" if words[0] == words[1] else f"{words[0][0]} where {words[1][0]} is kept"
    numbers = (("budget", again.budget, kept.budget), ("seed", again.seed, kept.seed))
    why = [f"{name} {mine}, not {its}" for name, mine, its in numbers if mine != its]
    if again.searched_by != kept.searched_by:
        why.append("an earlier search found the kept one")
    here, there = arithmetic(), kept.provenance.get("arithmetic")
    if there is None:
        why.append(f"how floats were rounded for it is not recorded (here {here})")
    elif there != here:
        why.append(f"floats are rounded otherwise here ({here}, not {there})")
    return f"{kept.id}: {found}" + (f"; {'; '.join(why)}" if why else ", for an unknown reason")


def told(entries: Sequence[Entry], kept: Mapping[str, Entry]) -> Iterator[str]:
    """How many entries are the kept ones, by id, to the last count; then a line for each other one."""
    lines = [
        line
        for entry in entries
        if (line := parted(entry, kept[entry.id]) if entry.id in kept else f"{entry.id}: none current is kept")
    ]
    yield f"as committed, counts and all: {len(entries) - len(lines)} of {len(entries)}"
    yield from lines
