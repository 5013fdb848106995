"""Whether an entry that was made again is the kept one, and what is known of why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validation.judge.entry import Entry
from validation.ledger.evidence import Row
from validation.ledger.provenance import arithmetic

__all__ = ["comparable", "parted", "repeated", "told"]

_PASSING = ("seconds", "provenance", "weight", "effort", "searched_by", "search_version")  # by whom, how long, …


def comparable(entry: Entry) -> Row:
    """All of an entry but when, where, by whom and among what it was made."""
    return {k: v for k, v in entry.json().items() if k not in _PASSING}


def repeated(again: Entry, kept: Entry) -> bool:
    """Whether the two are one entry, to the last count."""
    return comparable(again) == comparable(kept)


def _words(entry: Entry) -> list[str]:
    """The verdict of an entry and those of its readings."""
    return [entry.verdict, *(r.verdict for r in entry.readings)]


def _by_one_search(again: Entry, kept: Entry) -> bool:
    """Whether both searches try the same instances, so that counts compare; what says no version is of the first."""
    return (again.search_version or 1) == (kept.search_version or 1)


def parted(again: Entry, kept: Entry) -> str | None:
    """What a reader is told of an entry made again that is not the kept one; None where it is.

    Where the search has changed since, the same verdicts are enough. Else every count has to be the same; reasons why
    not are named where they are known: another budget or seed, other code, other rounding.
    """
    one = _by_one_search(again, kept)
    words = [_words(e) for e in (again, kept)]
    if repeated(again, kept) or (words[0] == words[1] and not one):
        return None
    found = "the same verdicts, other counts" if words[0] == words[1] else f"{words[0][0]} where {words[1][0]} is kept"
    numbers = (("budget", again.budget, kept.budget), ("seed", again.seed, kept.seed))
    why = [f"{name} {mine}, not {its}" for name, mine, its in numbers if mine != its]
    if not one:
        why.append("the search has changed since")
    elif again.searched_by != kept.searched_by:
        why.append("code that the search runs has changed since")
    here, there = arithmetic(), kept.provenance.get("arithmetic")
    if there is None:
        why.append(f"how floats were rounded for it is not recorded (here {here})")
    elif there != here:
        why.append(f"floats are rounded otherwise here ({here}, not {there})")
    return f"{kept.id}: {found}" + (f"; {'; '.join(why)}" if why else ", for an unknown reason")


def told(entries: Sequence[Entry], kept: Mapping[str, Entry]) -> Iterator[str]:
    """How many entries are the kept ones, by id, to the last count, and of how many a changed search gave the verdicts.

    Then a line for each other one.
    """
    lines, earlier = [], 0
    for entry in entries:
        known = kept.get(entry.id)
        line = f"{entry.id}: none current is kept" if known is None else parted(entry, known)
        if line is not None:
            lines.append(line)
        elif known is not None and not repeated(entry, known):
            earlier += 1
    yield f"as committed, counts and all: {len(entries) - len(lines) - earlier} of {len(entries)}"
    if earlier:
        yield (
            f"the same verdicts: {earlier} of {len(entries)}; the search has changed since these were committed, so"
            " their counts are not compared"
        )
    yield from lines
