"""«Whole class» beside the search: what was decided exactly over every function of a class, and whether it contradicts.

A paper's folder may hold classes.json: lines of its claims posed over classes, at stated sizes, each `proved` or
`refuted` by exact arithmetic (`decide_class`). No verdict follows from them; a verdict `holds` or `proved` beside a
refutation of the line as printed is a contradiction, and is said to be one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from validation.report import fields

__all__ = ["OverClass", "contradicted", "in_lines", "over_classes", "read_over_classes"]

_NAME = "classes.json"
_HELD = {"holds", "proved"}


@dataclass(frozen=True)
class OverClass:
    """One line posed over a class: what it says, at which sizes, how it was posed, the word and what shows it."""

    says: str
    at: str
    posed: str
    word: str
    why: str


def over_classes(folder: Path) -> dict[str, list[dict[str, object]]]:
    """The rows of a paper's classes.json by claim; none without the file. Raises `ValueError` on another format."""
    path = folder / _NAME
    if not path.is_file():
        return {}
    held = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(held, dict) or "decided" not in held:
        raise ValueError(f"{path}: expected an object with 'decided'; run it again")
    found: dict[str, list[dict[str, object]]] = {}
    for row in fields.objects(held, "decided", str(path)):
        found.setdefault(fields.text(row, "claim", str(path), required=True), []).append(dict(row))
    return found


def read_over_classes(row: Mapping[str, object], place: str) -> tuple[OverClass, ...]:
    """The lines under `over_classes` of an entry."""
    return tuple(
        OverClass(*(fields.text(r, key, place, required=True) for key in ("says", "at", "posed", "word", "why")))
        for r in fields.objects(row, "over_classes", place)
    )


def contradicted(verdict: str, decided: Sequence[OverClass]) -> tuple[OverClass, ...]:
    """The lines whose refutation over a class stands against a verdict that says the statement is true."""
    return tuple(d for d in decided if verdict in _HELD and d.word == "refuted" and d.posed == "as printed")


def in_lines(verdict: str, decided: Sequence[OverClass]) -> list[str]:
    """«proved over the class at N = 2, …: what (how)», one line each, contradictions of the verdict first."""
    loud = [
        f"CONTRADICTS the verdict {verdict}: refuted over the class at {d.at}" for d in contradicted(verdict, decided)
    ]
    return [*loud, *(f"{d.word} over the class at {d.at}: {d.says} [{d.posed}] ({d.why})" for d in decided)]
