"""A committed ledger in two files: ledger.json, the verdicts, small and easy to compare; evidence.json.xz, the rest.

Scripts of counterexamples are kept once, in the evidence of their reading; files of them are made where a check or a
report writes. Both files hold the same claims: what is joined is what was split. ledger.json carries one digest over
both, so that an edit by hand, or the evidence of another check, is noticed; it is no signature.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from validation.judge.record import Json

__all__ = ["FORMAT", "Row", "digest_of", "joined", "rows_of", "split"]

FORMAT = 4  # of ledger.json
Row: TypeAlias = dict[str, Json]

# What stands in ledger.json, of an entry, of each reading and of each mutant.
_ENTRY = (
    "id",
    "paper",
    "kind",
    "level",
    "ours",
    "title",
    "at",
    "printed",
    "verdict",
    "weight",
    "condition",
    "edit",
    "worst_ratio",
    "instances",
    "seconds",
    "seed",
    "budget",
    "rests_on",
    "counterexample",
    "exact",
    "fingerprint",
)
_READING = ("name", "role", "verdict", "why", "worst_ratio", "exact", "counterexample")
_MUTANT = ("name", "killed")
_CURE = "delete it and check again"
_RESTORED = "restore ledger.json and evidence.json.xz as they were written together, or check again"
_LISTS = {"readings": _READING, "mutants": _MUTANT}


def rows_of(held: object) -> list[Row]:
    """The entries in the JSON of a ledger.json, as they are.

    Raises `ValueError` for another format, and for entries that are not those of its digest.
    """
    if isinstance(held, list):
        raise ValueError(f"a list without a format, as earlier versions wrote it; {_CURE}")
    if not isinstance(held, dict) or "format" not in held:
        raise ValueError(f"no ledger: expected an object with a format and entries; {_CURE}")
    if held["format"] != FORMAT:
        raise ValueError(f"format {held['format']!r}; this version of fedverdict reads format {FORMAT}; {_CURE}")
    rows = held.get("entries")
    if not isinstance(rows, list) or not all(isinstance(row, dict) and isinstance(row.get("id"), str) for row in rows):
        raise ValueError(f"expected entries, each with an id; {_CURE}")
    evidence = held.get("evidence")
    if not isinstance(evidence, str | None) or held.get("digest") != digest_of(rows, evidence):
        raise ValueError(f"changed since it was written: its digest differs; {_RESTORED}")
    return rows


def digest_of(rows: Sequence[Row], evidence: str | None) -> str | None:
    """SHA-256 over the entries of a ledger.json and the SHA-256 of its evidence; None for what was never written."""
    try:
        text = json.dumps([rows, evidence], ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()


def split(entries: Sequence[Row]) -> tuple[list[Row], dict[str, Row]]:
    """(verdicts, evidence by claim id) of whole entries."""
    verdicts, evidence = [], {}
    for entry in entries:
        small = {k: entry[k] for k in _ENTRY if k in entry}
        rest = {k: v for k, v in entry.items() if k not in small and k not in _LISTS and k != "counterexample_source"}
        for name, kept in _LISTS.items():
            rows = _objects(entry.get(name))
            small[name] = [{k: row[k] for k in kept if k in row} for row in rows]
            rest[name] = [{k: v for k, v in row.items() if k not in kept} for row in rows]
        verdicts.append(small)
        evidence[str(entry["id"])] = rest
    return verdicts, evidence


def joined(verdicts: Sequence[Row], evidence: Mapping[str, object]) -> list[Row]:
    """Whole entries again. Raises `ValueError` naming a claim whose evidence is missing or of other readings."""
    whole = []
    for small in verdicts:
        rest = evidence.get(str(small["id"]))
        if not isinstance(rest, dict):
            raise ValueError(f"no evidence for {small['id']}")
        entry = {**small, **rest}
        for name in _LISTS:
            rows, more = _objects(small.get(name)), _objects(rest.get(name))
            if len(rows) != len(more):
                raise ValueError(f"evidence for {small['id']} is of other {name}")
            entry[name] = [{**row, **other} for row, other in zip(rows, more, strict=True)]
        entry["counterexample_source"] = _main_source(entry.get("counterexample"), _objects(entry["readings"]))
        whole.append(entry)
    return whole


def _objects(rows: Json) -> list[Row]:
    """The objects of a list; none of what is no list of them."""
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return found if isinstance(rows, list) and len(found) == len(rows) else []


def _main_source(path: Json, readings: Sequence[Row]) -> Json:
    """The script of the claim itself: that of the reading it was taken from."""
    if path is None:
        return None
    return next((r["counterexample_source"] for r in readings if r.get("counterexample") == path), None)
