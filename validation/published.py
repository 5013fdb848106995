"""Published numbers: the CSV tables of a paper as typed rows, and exact comparisons between their cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from validation.bound import exact_value
from validation.claim import Cell, Comparison

__all__ = ["Table", "decide", "load_table"]

_DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Table:
    """One CSV in long format: rows as printed, every value kept as text so that no digit is lost."""

    name: str
    rows: tuple[Mapping[str, str], ...]

    def cell(self, column: str = "value", **where: str) -> Cell:
        """The one cell of `column` whose row matches `where`; `LookupError` when none or several do.

        A printed sign "+" is dropped; a value that is no decimal number raises `ValueError`.
        """
        hits = [row for row in self.rows if all(row.get(key) == value for key, value in where.items())]
        if len(hits) != 1:
            raise LookupError(f"{self.name}: {len(hits)} rows match {where}; expected exactly one")
        text = hits[0].get(column, "").strip()
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"{self.name}: column {column!r} at {where} is {text!r}; expected a decimal number")
        place = ", ".join(where.values())
        return Cell(text.removeprefix("+"), f"{self.name}: {place}" + ("" if column == "value" else f" [{column}]"))

    def values(self, column: str, **where: str) -> tuple[str, ...]:
        """The distinct entries of `column` over matching rows, in order of appearance."""
        hits = (row for row in self.rows if all(row.get(key) == value for key, value in where.items()))
        return tuple(dict.fromkeys(row[column] for row in hits))


def load_table(path: Path) -> Table:
    """Read one published CSV.

    Raises `FileNotFoundError` naming the file, and `ValueError` for a ragged row or a file without rows.
    """
    if not path.is_file():
        raise FileNotFoundError(f"published table {path.name} is missing from {path.parent}")
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        rows = tuple(reader)
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise ValueError(f"{path.name}, line {number}: {len(row)} fields do not match the header; truncated file?")
    if not rows:
        raise ValueError(f"{path.name}: no rows; truncated file?")
    return Table(path.stem, rows)


def decide(comparison: Comparison) -> bool:
    """Whether a comparison holds, in exact arithmetic over its printed cells."""
    values = {name: cell.value for name, cell in comparison.cells.items()}
    left, right = exact_value(comparison.left, values), exact_value(comparison.right, values)
    if comparison.relation == "==":
        return left == right
    return left < right if comparison.relation == "<" else left <= right
