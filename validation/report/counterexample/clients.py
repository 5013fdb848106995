"""The sizes of an instance, and what belongs to its clients as a table: a row a client, a column a quantity."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.report.glosses import Glosses

__all__ = ["Clients", "clients_of", "n_clients", "sizes_of"]

_OF_CLIENTS = ("share", "curvature", "optimum", "optima", "spectrum", "sigma", "coefficient", "size")
_MOST_CLIENTS, _MOST_COLUMNS = 12, 12
_NUMBERS = {w: str(i + 1) for i, w in enumerate("one two three four five six seven eight nine ten".split())}
_COUNTED = "clients?|rounds?|local steps?|steps?|samples?|classes|vectors?|outcomes?|updates?|matrices"
_WORD = re.compile(rf"\b(\d+|{'|'.join(_NUMBERS)}) ((?:[a-z-]+ ){{0,2}}?)({_COUNTED})\b")
_LETTER = re.compile(r"(?<![\w<>/|])([A-Za-zκτβα]) = (\d+(?:\.\d+)?)(?!\d)")
_COUNTS = {
    "n_clients": "clients",
    "n_rounds": "rounds",
    "rounds": "rounds",
    "local_steps": "local steps a round",
    "n_samples": "samples",
}


@dataclass(frozen=True)
class Clients:
    """Names of the columns, and one row of exact texts for each client; `names`: what of the instance is in it."""

    columns: tuple[tuple[str, int | None], ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def names(self) -> frozenset[str]:
        """The numbers of the instance that the table holds."""
        return frozenset(name for name, _ in self.columns)


def n_clients(instance: Mapping[str, object], words: Mapping[str, str]) -> int | None:
    """The number of clients: how many entries what belongs to each client has; None where nothing says so."""
    for name in _OF_CLIENTS:
        held = instance.get(name)
        if isinstance(held, list) and held and "step" not in words.get(name, "").partition(",")[0]:
            return len(held)
    held = instance.get("n_clients")
    return int(held) if isinstance(held, str | int) and str(held).isdigit() else None


def clients_of(instance: Mapping[str, object], glosses: Glosses, claim: str) -> Clients | None:
    """The table of the clients; None for an instance without arrays over them, or with more than twelve."""
    words = glosses.named(claim, instance)
    n = n_clients(instance, words)
    if n is None or n > _MOST_CLIENTS:
        return None
    columns: list[tuple[str, int | None]] = []
    cells: list[Sequence[object]] = []
    for name, value in instance.items():
        if not isinstance(value, list) or len(value) != n or not _of_clients(name, words.get(name, "")):
            continue
        width = {len(row) if isinstance(row, list) else 0 for row in value}
        if width == {0}:
            columns.append((name, None))
            cells.append(value)
        elif len(width) == 1 and not any(isinstance(x, list) for row in value for x in row):
            wide = width.pop()
            columns += [(name, i + 1 if wide > 1 else None) for i in range(wide)]
            cells += [[row[i] for row in value] for i in range(wide)]
    if not columns or len(columns) > _MOST_COLUMNS:
        return None
    return Clients(tuple(columns), tuple(tuple(str(column[k]) for column in cells) for k in range(n)))


def _of_clients(name: str, words: str) -> bool:
    """Whether the first axis of an array is that of the clients: by what the paper says of it, else by its name."""
    said = re.search(r"one (?:entry or row|entry|row) an? (\w+)", words)
    return said[1] == "client" if said else name in _OF_CLIENTS or name in {"weights", "start", "active", "present"}


def sizes_of(case: str, place: str, instance: Mapping[str, object], n: int | None) -> tuple[tuple[str, str], ...]:
    """(size, number): clients, rounds, steps and dimensions, from the case's arguments, its name and its arrays."""
    found: dict[str, str] = {}
    for name, value in re.findall(r"(\w+)=([\d.]+)", place):
        found[name] = value
    for letter, value in _LETTER.findall(case):
        found.setdefault(letter, value)
    for number, between, what in _WORD.findall(case):
        one = _NUMBERS.get(number, number)
        plural = what if what.endswith("s") else f"{what}s"
        found.setdefault(f"local {plural}" if "local" in between else plural, one)
    dimension = re.search(r"dimension (\d+)", case)
    if dimension:
        found.setdefault("d", dimension[1])
    for name, what in _COUNTS.items():
        held = instance.get(name)
        if isinstance(held, str | int) and str(held).isdigit() and not found.keys() & {what, what.partition(" a ")[0]}:
            found[what] = str(held)
    count = found.pop("clients", None) or (str(n) if n is not None else None)
    if count is not None and "N" not in found:
        found = {"clients N" if not _taken(found, "N") else "clients": count, **found}
    wide = instance.get("optimum")
    if "d" not in found and isinstance(wide, list) and wide and isinstance(wide[0], list):
        found["d"] = str(len(wide[0]))
    return tuple(found.items())


def _taken(found: Mapping[str, str], letter: str) -> bool:
    return letter in found
