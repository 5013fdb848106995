"""A committed ledger in two files: ledger.json, the verdicts, small and easy to compare; evidence.json.xz, the rest.

Scripts of counterexamples stand once, in the evidence of their reading; files of them are made where a check or a
report writes. Both files hold the same claims: what is joined is what was split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["joined", "split"]

Entry = dict[str, Any]

# What stands in ledger.json, of an entry, of each reading and of each mutant.
_ENTRY = (
    "id",
    "paper",
    "kind",
    "level",
    "ours",
    "title",
    "source",
    "statement",
    "verdict",
    "weight",
    "condition",
    "edit",
    "worst_ratio",
    "instances",
    "seconds",
    "seed",
    "budget",
    "depends_on",
    "counterexample",
    "exact",
    "fingerprint",
)
_READING = ("name", "role", "verdict", "why", "worst_ratio", "exact", "counterexample")
_MUTANT = ("name", "killed")
_LISTS = {"readings": _READING, "mutants": _MUTANT}


def split(entries: Sequence[Entry]) -> tuple[list[Entry], dict[str, Entry]]:
    """(verdicts, evidence by claim id) of whole entries."""
    verdicts, evidence = [], {}
    for entry in entries:
        small = {k: entry[k] for k in _ENTRY if k in entry}
        rest = {k: v for k, v in entry.items() if k not in small and k not in _LISTS and k != "counterexample_source"}
        for name, kept in _LISTS.items():
            small[name] = [{k: row[k] for k in kept if k in row} for row in entry[name]]
            rest[name] = [{k: v for k, v in row.items() if k not in kept} for row in entry[name]]
        verdicts.append(small)
        evidence[entry["id"]] = rest
    return verdicts, evidence


def joined(verdicts: Sequence[Entry], evidence: Mapping[str, Entry]) -> list[Entry]:
    """Whole entries again. Raises `ValueError` naming a claim whose evidence is missing or of other readings."""
    whole = []
    for small in verdicts:
        rest = evidence.get(small["id"])
        if not isinstance(rest, dict):
            raise ValueError(f"no evidence for {small['id']}")
        entry = {**small, **rest}
        for name in _LISTS:
            rows, more = small.get(name), rest.get(name)
            if not _alike(rows, more):
                raise ValueError(f"evidence for {small['id']} is of other {name}")
            entry[name] = [{**row, **other} for row, other in zip(rows or (), more or (), strict=True)]
        shown = [r for r in entry["readings"] if r.get("counterexample_source") is not None]
        entry["counterexample_source"] = _main_source(entry.get("counterexample"), shown)
        whole.append(entry)
    return whole


def _alike(rows: object, more: object) -> bool:
    lists = isinstance(rows, list) and isinstance(more, list) and len(rows) == len(more)
    return lists and all(isinstance(r, dict) for r in (*rows, *more))  # type: ignore[misc]


def _main_source(path: str | None, shown: Sequence[Entry]) -> str | None:
    """The script of the claim itself: that of the reading it was taken from."""
    if path is None:
        return None
    return next((str(r["counterexample_source"]) for r in shown if r.get("counterexample") == path), None)
