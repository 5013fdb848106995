"""The sizes of an instance, and what belongs to its clients as a table: a row a client, a column a quantity."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Clients", "clients_of", "n_clients", "sizes_of"]

_OF_CLIENTS = ("share", "curvature", "optimum", "optima", "spectrum", "sigma", "coefficient")
_BY_ROUND = ("weights",)  # of a client where it is one row, and else of rounds
_AXES = "client|round|step|scenario|pattern|outcome|sample"
_ROWS = re.compile(rf"of several rows one an? (\w+)|one (?:entry or )?row an? (\w+)|\bby ({_AXES})\b")
_MOST_CLIENTS, _MOST_COLUMNS, _MOST_ROWS = 12, 12, 4
_FROM_ONE = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS = {word: str(i + 1) for i, word in enumerate(_FROM_ONE)}
_COUNTED = "clients?|rounds?|local steps?|steps?|samples?|classes|vectors?|outcomes?|updates?|matrices"
_WORD = re.compile(rf"(?<!all weight on )\b(\d+|{'|'.join(_NUMBERS)}) ((?:[a-z-]+ ){{0,2}}?)({_COUNTED})\b")
_LETTER = re.compile(r"(?<![\w<>/|])([A-Za-zκτβα]) = (\d+(?:\.\d+)?)(?![\d./])")
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
    """The number of clients: how many entries what belongs to each client has; None where nothing says so.

    `words`: what the numbers of the instance are.
    """
    held = instance.get("n_clients")
    if isinstance(held, str | int) and str(held).isdigit():
        return int(held)
    lists = {name: value for name, value in instance.items() if isinstance(value, list) and value}
    of_clients = (name for name in _OF_CLIENTS if name in lists and _by_client(name, lists[name], words))
    return next((len(lists[name]) for name in of_clients), None)


def clients_of(instance: Mapping[str, object], words: Mapping[str, str], sizes: Mapping[str, str]) -> Clients | None:
    """The table of the clients; None for an instance without arrays over them, or with more than twelve.

    `sizes`: as `sizes_of`; arrays of another length are not over the clients.
    """
    count = sizes.get("clients N", sizes.get("clients", sizes.get("N", "")))
    if not count.isdigit() or int(count) > _MOST_CLIENTS:
        return None
    n = int(count)
    columns: list[tuple[str, int | None]] = []
    cells: list[Sequence[object]] = []
    for name, value in instance.items():
        if not isinstance(value, list) or not value:
            continue
        width = {len(row) if isinstance(row, list) else 0 for row in value}
        if len(width) > 1 or any(isinstance(x, list) for row in value if isinstance(row, list) for x in row):
            continue
        wide = width.pop()
        if len(value) == n and _by_client(name, value, words):
            columns += [(name, i + 1 if wide > 1 else None) for i in range(wide or 1)]
            cells += [value] if wide == 0 else [[row[i] for row in value] for i in range(wide)]
        elif wide == n and len(value) <= _MOST_ROWS and _with_clients_second(name, value, words.get(name, "")):
            columns += [(name, t + 1 if len(value) > 1 else None) for t in range(len(value))]
            cells += value
    if not columns or len(columns) > _MOST_COLUMNS:
        return None
    return Clients(tuple(columns), tuple(tuple(str(column[k]) for column in cells) for k in range(n)))


def _rows_of(said: str) -> str:
    """What has a row each in an array of rows, by the words for it; '' where they do not say it.

    >>> _rows_of("one entry a client; of several rows one a round")
    'round'
    >>> _rows_of("one entry a client, of several coordinates one row")
    'client'
    """
    found = _ROWS.search(said)
    if found:
        return next(axis for axis in found.groups() if axis)
    return "client" if "entry a client" in said and "coordinates one row" in said else ""


def _by_client(name: str, value: Sequence[object], words: Mapping[str, str]) -> bool:
    """Whether the first axis of an array is that of the clients: by what the paper says of it, else by its name."""
    said = words.get(name, "")
    one = re.search(r"one (?:entry or row|entry|row) an? (\w+)", said)
    if not isinstance(value[0], list):
        return one[1] == "client" if one else name in _OF_CLIENTS or name in _BY_ROUND
    rows = _rows_of(said)
    if rows or one is None:
        return rows == "client" or (not rows and name in _OF_CLIENTS)
    return one[1] == "client" and (len(value) == 1 or len(value) != len(value[0]))


def _with_clients_second(name: str, value: Sequence[object], said: str) -> bool:
    """Whether the rows of an array have one entry a client and are not the clients themselves, by the words for it."""
    rows = _rows_of(said)
    if rows == "client" or ("entry a client" not in said and not (rows and name in _OF_CLIENTS)):
        return False
    return bool(rows) or len(value) == 1 or (isinstance(value[0], list) and len(value) != len(value[0]))


def sizes_of(case: str, place: str, instance: Mapping[str, object], n: int | None) -> tuple[tuple[str, str], ...]:
    """(size, number): clients, rounds, steps and dimensions, from the case's arguments, its name and its arrays."""
    found: dict[str, str] = dict(re.findall(r"(\w+)=([\d.]+)", place))
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
    of_samples = "samples" in found and "clients" not in found
    count = found.pop("clients", None) or (str(n) if n is not None and not of_samples else None)
    if count is not None and "N" not in found:
        found = {"clients N": count, **found}
    if found.get("rounds") == found.get("R"):  # the number of rounds, twice
        found.pop("R", None)
    wide = instance.get("optimum")
    if "d" not in found and isinstance(wide, list) and wide and isinstance(wide[0], list):
        found["d"] = str(len(wide[0]))
    return tuple(found.items())
