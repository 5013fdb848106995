"""A paper's stored instances, in `witnesses.toml`: where its mutants fall and where its statements are tight.

One table a claim, one line an instance: numbers by the names that the world draws them by, `in` the case where several
draw these, `sides` both sides there, which are computed again wherever an instance counts.

    ["EA-S1"]
    "γ = 8L/μ alone" = { kappa = 1, E = 15, t = 0, sides = ["2/15", "1/7"] }
    tight = { kappa = 1, E = 8, t = 0, sides = ["1/4", "1/4"] }

They stand in a file of their own, as the search writes them and lists of them are long; what an author names by hand is
`at(…)` in the claim.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from theory.base.toml import parsed
from validation.statement.claim import Paper
from validation.statement.instances.at import At, at

__all__ = ["FILE", "TIGHT", "Stored", "Witnesses", "in_words", "read_witnesses", "written"]

__judges__ = "no"

FILE = "witnesses.toml"
TIGHT = "tight"
_HEAD = """# Where mutants fall and where statements are tight, exactly; a test computes all of them again.
# Written by: python -m validation.papers.find_witnesses KEY
"""


@dataclass(frozen=True)
class Stored:
    """One instance, and both sides there as they are shown."""

    instance: At
    sides: tuple[str, str]


Witnesses: TypeAlias = Mapping[str, Mapping[str, Stored]]
"""By a claim's id and a mutant's name; `TIGHT` is where the claim itself is tight."""


def read_witnesses(folder: Path) -> Witnesses:
    """The stored instances of a paper; none where its folder has no such file.

    Raises `ValueError` naming the file, and the claim and mutant of an instance that cannot be read.
    """
    file = folder / FILE
    if not file.is_file():
        return {}
    try:
        held = parsed(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from error
    found: dict[str, dict[str, Stored]] = {}
    for claim, rows in held.items():
        if not isinstance(rows, dict):
            raise ValueError(f"{file}: {claim} = {rows!r}; expected a table of instances")
        found[claim] = {name: _read(row, f"{file}: {claim}, {name!r}") for name, row in rows.items()}
    return found


def _read(row: Any, here: str) -> Stored:
    sides = row.get("sides") if isinstance(row, dict) else None
    if not isinstance(sides, list) or len(sides) != 2 or not all(isinstance(side, str) for side in sides):
        raise ValueError(f'{here}: expected numbers and sides = ["left", "right"]')
    case, numbers = row.get("in", ""), {k: v for k, v in row.items() if k not in ("in", "sides")}
    try:
        instance = at(case, **numbers) if numbers else At(case, {})
    except ValueError as error:
        raise ValueError(f"{here}: {error}") from error
    return Stored(instance, (sides[0], sides[1]))


def in_words(paper: Paper) -> dict[str, dict[str, str]]:
    """By claim and mutant, or `TIGHT`, a line that names the instance and both sides, where these are stored."""
    stored, found = read_witnesses(paper.folder), dict[str, dict[str, str]]()
    for claim in paper.claims:
        mine = {m.name: "; ".join(map(str, m.falls_at)) for m in claim.mutants if m.falls_at}
        mine |= {TIGHT: "; ".join(map(str, claim.tight_at))} if claim.tight_at else {}
        for name, one in stored.get(claim.id, {}).items():
            left, right = one.sides
            equal = name == TIGHT and left == right
            sides = f"both sides are {left}" if equal else f"left side {left}, right side {right}"
            mine[name] = "; ".join(filter(None, (str(one.instance), sides)))
        found |= {claim.id: mine} if mine else {}
    return found


def written(found: Witnesses) -> str:
    """The text of the file, claims and mutants in the order given."""
    parts = [_HEAD]
    for claim, rows in found.items():
        if rows:
            lines = [f"{_key(name)} = {_row(stored)}" for name, stored in rows.items()]
            parts.append("\n".join([f"[{json.dumps(claim)}]", *lines]) + "\n")
    return "\n".join(parts)


def _key(name: str) -> str:
    return name if name == TIGHT else json.dumps(name, ensure_ascii=False)


def _row(stored: Stored) -> str:
    case = [f"in = {json.dumps(stored.instance.case, ensure_ascii=False)}"] if stored.instance.case else []
    numbers = [f"{_name(name)} = {_value(value)}" for name, value in stored.instance.numbers.items()]
    sides = ", ".join(json.dumps(side, ensure_ascii=False) for side in stored.sides)
    return "{ " + ", ".join([*case, *numbers, f"sides = [{sides}]"]) + " }"


def _name(name: str) -> str:
    bare = name.isascii() and name.replace("_", "").isalnum()
    return name if bare else json.dumps(name, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    whole = value.denominator == 1 and abs(value) < 2**53
    return str(value) if whole else json.dumps(str(value))
