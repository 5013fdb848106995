"""The published cells of a paper, one by one: the rows of its CSV files that hold a number of a table.

`recipes/tables.toml` says of rows that no run stands beside why: they are static (counts, rates, bits of a formula) or
their data are not at hand. The first entry that matches a row counts.

    [[rows]]
    table = "table03_domain_shift"
    status = "data not owned"
    why = "Office-Caltech10 and DomainNet are not distributed here"

Its `[[claims]]` say the same of statements that wait for a run and that no recipe decides, its `[[items]]` of whole
tables and figures that no recipe shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args, overload

from theory.base.toml import parsed
from validation.published.tables import load_table

__all__ = [
    "Apart",
    "ClaimApart",
    "ItemApart",
    "Printed",
    "Reason",
    "Rows",
    "apart",
    "claims_apart",
    "items_apart",
    "items_shown",
    "printed_cells",
]

Reason: TypeAlias = Literal["static", "data not owned", "not run"]
_NO_TABLE = {"claims_in_prose", "stated", "protocol", "hyperparameters", "internal_inconsistencies"}
_NO_KEY = {"table", "value", "std", "ci95", "unit", "direction", "note", "n_runs", "bold", "delta_printed"}


@dataclass(frozen=True)
class Printed:
    """A printed number: `entries` of its row, all of them; `interval`: half width as printed, with what it is."""

    table: str
    entries: Mapping[str, str]

    @property
    def row(self) -> str:
        """The entries that tell the row from others, joined."""
        kept = (v for k, v in self.entries.items() if k not in _NO_KEY and k != "metric" and v)
        return ", ".join(kept)

    @property
    def column(self) -> str:
        """What is printed: the metric, or "value"."""
        return self.entries.get("metric") or "value"

    @property
    def value(self) -> float:
        """The number, in the table's own unit."""
        return float(self.entries["value"])

    @property
    def half_unit(self) -> float:
        """Half a unit in the last printed digit."""
        mantissa, _, exponent = self.entries["value"].lower().partition("e")
        return 0.5 * 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))

    def matches(self, where: Mapping[str, str]) -> bool:
        """Whether its row has all these entries."""
        return where.items() <= self.entries.items()


class Rows(Sequence[Printed]):
    """The printed numbers of a paper, in order; one is found by its table and entries, which takes one look each."""

    def __init__(self, printed: Iterable[Printed]) -> None:
        self._all = tuple(printed)
        self._of_table: dict[str, list[Printed]] = {}
        for one in self._all:
            self._of_table.setdefault(one.table, []).append(one)
        self._found: dict[tuple[str, frozenset[tuple[str, str]]], Printed | None] = {}

    @overload
    def __getitem__(self, at: int) -> Printed: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Printed, ...]: ...
    def __getitem__(self, at: int | slice) -> Printed | tuple[Printed, ...]:
        return self._all[at]

    def __len__(self) -> int:
        return len(self._all)

    def first(self, table: str, where: Mapping[str, str]) -> Printed | None:
        """The first number of a table whose row has all these entries; None where there is none."""
        key = (table, frozenset(where.items()))
        if key not in self._found:
            self._found[key] = next((p for p in self._of_table.get(table, ()) if p.matches(where)), None)
        return self._found[key]


@dataclass(frozen=True)
class Apart:
    """Rows that no recipe stands beside, and why."""

    table: str
    status: Reason
    why: str
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ClaimApart:
    """A statement that no recipe decides, and why."""

    claim: str
    status: Reason
    why: str


@dataclass(frozen=True)
class ItemApart:
    """A table or figure, such as "Figure 4a", that no recipe shows, and why."""

    item: str
    status: Reason
    why: str


def printed_cells(published: Path) -> Iterator[Printed]:
    """Every printed number of the tables in a folder, in order; files of prose, protocols and settings hold none."""
    for path in sorted(published.glob("*.csv")):
        if path.stem in _NO_TABLE:
            continue
        for row in load_table(path).rows:
            if _is_number(row.get("value", "")):
                yield Printed(path.stem, dict(row))


def apart(file: Path) -> tuple[Apart, ...]:
    """The rows of a tables.toml, none where there is no file; `ValueError` naming it for anything else."""
    return _entries(file, "rows", Apart)


def claims_apart(file: Path) -> tuple[ClaimApart, ...]:
    """The claims of a tables.toml, as `apart`."""
    return _entries(file, "claims", ClaimApart)


def items_apart(file: Path) -> tuple[ItemApart, ...]:
    """The tables and figures of a tables.toml, as `apart`."""
    return _entries(file, "items", ItemApart)


def items_shown(shows: str) -> tuple[str, ...]:
    """The tables and figures that a recipe's `shows` names: "Figures 4c and 4d" are "Figure 4c" and "Figure 4d".

    >>> items_shown("Table 2, CIFAR-10; Figures 2, 3 and 6")
    ('Table 2', 'Figure 2', 'Figure 3', 'Figure 6')
    """
    found = re.finditer(r"(Table|Figure)s? (\d+[a-d]?(?:(?:, | and )\d+[a-d]?(?![\w-]))*)", shows)
    return tuple(f"{m[1]} {number}" for m in found for number in re.findall(r"\d+[a-d]?", m[2]))


_Entry = TypeVar("_Entry", Apart, ClaimApart, ItemApart)


def _entries(file: Path, key: str, kind: type[_Entry]) -> tuple[_Entry, ...]:
    if not file.is_file():
        return ()
    try:
        document: dict[str, Any] = parsed(file.read_text(encoding="utf-8"))
        unknown = set(document) - {"rows", "claims", "items"}
        if unknown:
            raise ValueError(f"unknown key {', '.join(sorted(unknown))}; expected rows, claims and items")
        made = tuple(kind(**row) for row in document.get(key, []))
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise ValueError(f"{file}: cannot be read: {error}") from error
    for one in made:
        if one.status not in get_args(Reason) or not one.why.strip():
            raise ValueError(f"{file}: {one}: expected a status out of {', '.join(get_args(Reason))}, and a reason")
    return made


def _is_number(text: str) -> bool:
    try:
        return float(text) == float(text)
    except ValueError:
        return False
