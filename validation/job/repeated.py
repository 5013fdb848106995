"""Whether an entry that was made again is the kept one, and what is known of why not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validation.job.provenance import arithmetic

__all__ = ["comparable", "parted", "repeated", "told"]

_PASSING = ("seconds", "provenance", "weight", "effort", "searched_by")  # by whom, how long, among what


def comparable(entry: Mapping[str, Any]) -> dict[str, Any]:
    """All of an entry but when, where, by whom and among what it was made."""
    kept = {k: v for k, v in entry.items() if k not in _PASSING}
    readings = [{k: v for k, v in r.items() if k != "seconds"} for r in entry["readings"]]
    plain: dict[str, Any] = json.loads(json.dumps({**kept, "readings": readings}))
    return plain


def repeated(again: Mapping[str, Any], kept: Mapping[str, Any]) -> bool:
    """Whether the two are one entry, to the last count."""
    return comparable(again) == comparable(kept)


def parted(again: Mapping[str, Any], kept: Mapping[str, Any]) -> str | None:
    """What a reader is told of an entry made again that is not the kept one to its last count; None where it is.

    Reasons are named where they are known: another budget or seed, another search by its digest, other rounding.
    """
    if repeated(again, kept):
        return None
    words = [[e["verdict"], *(r["verdict"] for r in e["readings"])] for e in (again, kept)]
    found = "the same words, other counts" if words[0] == words[1] else f"{words[0][0]} where {words[1][0]} is kept"
    why = [f"{name} {again[name]}, not {kept[name]}" for name in ("budget", "seed") if again[name] != kept[name]]
    if again.get("searched_by") != kept.get("searched_by"):
        why.append("an earlier search found the kept one")
    mine, its = arithmetic(), (kept.get("provenance") or {}).get("arithmetic")
    if its is None:
        why.append(f"how floats were rounded for it is not recorded (here {mine})")
    elif its != mine:
        why.append(f"floats are rounded otherwise here ({mine}, not {its})")
    return f"{kept['id']}: {found}" + (f"; {'; '.join(why)}" if why else ", and nothing says why")


def told(entries: Sequence[Mapping[str, Any]], kept: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """How many entries are the kept ones, by id, to the last count; then a line for each other one."""
    lines = [
        line
        for entry in entries
        if (line := parted(entry, kept[entry["id"]]) if entry["id"] in kept else f"{entry['id']}: none current is kept")
    ]
    yield f"as committed, counts and all: {len(entries) - len(lines)} of {len(entries)}"
    yield from lines
