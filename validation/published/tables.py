"""Published numbers: the CSV tables of a paper as typed rows, and exact comparisons between their cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from types import CodeType

from validation.statement.bound import exact_value
from validation.statement.claim import Cell, Comparison

__all__ = ["Column", "Printed", "Schema", "Table", "decide", "evaluate", "load_table"]

_DECIMAL = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_MOST_DECIMALS = 6  # printed.count() tells numbers apart down to this digit


class Column(StrEnum):
    """What the entries of a column are; anything but a number where one belongs is refused when the file is read."""

    TEXT = "text"
    VALUE = "a decimal number"
    MAYBE = "a decimal number or empty"
    INTERVAL = "a half width or deviation (>= 0) or empty"
    COUNT = "a whole number >= 0 or empty"
    FLAG = "0 or 1"


@dataclass(frozen=True)
class Schema:
    """The columns of a CSV, and the `key` that names a row: no two rows may share it.

    `columns` maps each name to its type. A row whose `unit` is "percent" must keep its VALUE within 0 and 100.
    `interval`: the column printed after «±» behind the VALUE, if the table has one.
    """

    key: tuple[str, ...]
    columns: Mapping[str, Column]
    interval: str | None = None

    @classmethod
    def of(cls, columns: str, *, key: str, interval: str | None = None) -> Schema:
        """From one line: columns in order, text unless written `name:type`, such as `value:value std:interval`."""
        pairs = (word.partition(":") for word in columns.split())
        types = {name: Column[kind.upper()] if kind else Column.TEXT for name, _, kind in pairs}
        unknown = set(key.split()) - set(types)
        if unknown:
            raise ValueError(f"Schema.of(key={key!r}): no column {', '.join(sorted(unknown))} among {list(types)}")
        return cls(tuple(key.split()), types, interval)


@dataclass(frozen=True)
class Printed:
    """One printed number: its exact decimal text, the printed interval if any, and where it stands."""

    text: str
    table: str
    row: str
    column: str = "value"
    interval: str | None = None

    @property
    def value(self) -> Fraction:
        """The number, exactly as printed."""
        return Fraction(self.text)

    @property
    def decimals(self) -> int:
        """Printed digits after the point, less the exponent: 55.10 has 2, 4.526e3 has 0, 3.26e8 has −6."""
        mantissa, _, exponent = self.text.lower().partition("e")
        return len(mantissa.partition(".")[2]) - int(exponent or 0)

    @property
    def half_unit(self) -> Fraction:
        """Half a unit in the last printed digit: the number before rounding lies within ± this of `value`."""
        return Fraction(1, 2) * Fraction(10) ** -self.decimals

    @property
    def where(self) -> str:
        """Table, row and column, in words."""
        return f"{self.table}: {self.row}" + ("" if self.column == "value" else f" [{self.column}]")

    @property
    def cell(self) -> Cell:
        """The number as a comparison names it."""
        return Cell(self.text, self.where)


@dataclass(frozen=True)
class Table:
    """One CSV in long format: rows as printed, every value kept as text so that no digit is lost."""

    name: str
    rows: tuple[Mapping[str, str], ...]
    schema: Schema | None = field(default=None, compare=False)

    def row(self, **where: str) -> Mapping[str, str]:
        """The one row that matches `where`; `LookupError` when none or several do."""
        hits = self._matching(where)
        if len(hits) != 1:
            raise LookupError(f"{self.name}: {len(hits)} rows match {where}; expected exactly one")
        return hits[0]

    def cell(self, column: str = "value", **where: str) -> Cell:
        """The one cell of `column` whose row matches `where`; `LookupError` when none or several do.

        A printed sign "+" is dropped; a value that is no decimal number raises `ValueError`.
        """
        text = self._decimal(self.row(**where), column, where)
        place = ", ".join(where.values())
        return Cell(text, f"{self.name}: {place}" + ("" if column == "value" else f" [{column}]"))

    def printed(self, column: str = "value", **where: str) -> Printed:
        """As `cell`, with the printed interval and the row named by its whole key."""
        row = self.row(**where)
        text = self._decimal(row, column, where)
        key = self.schema.key if self.schema else tuple(where)
        interval = row.get(self.schema.interval or "") if self.schema and column == "value" else None
        return Printed(text, self.name, ", ".join(row[k] for k in key if row[k]), column, interval or None)

    def values(self, column: str, **where: str) -> tuple[str, ...]:
        """The distinct entries of `column` over matching rows, in order of appearance."""
        return tuple(dict.fromkeys(row[column] for row in self._matching(where)))

    def _matching(self, where: Mapping[str, str]) -> Sequence[Mapping[str, str]]:
        """The rows with these entries, in order."""
        columns = tuple(where)
        if columns not in self._by_entries:
            rows = self._by_entries[columns] = {}
            for row in self.rows:
                rows.setdefault(tuple(row.get(column) for column in columns), []).append(row)
        return self._by_entries[columns].get(tuple(where.values()), ())

    @cached_property
    def _by_entries(self) -> dict[tuple[str, ...], dict[tuple[str | None, ...], list[Mapping[str, str]]]]:
        """For every choice of columns asked for, the rows by their entries there; made when asked for."""
        return {}

    def _decimal(self, row: Mapping[str, str], column: str, where: Mapping[str, str]) -> str:
        text = row.get(column, "").strip()
        if not _DECIMAL.fullmatch(text):
            raise ValueError(f"{self.name}: column {column!r} at {where} is {text!r}; expected a decimal number")
        return text.removeprefix("+")


def load_table(path: Path, schema: Schema | None = None) -> Table:
    """Read one published CSV; with a schema every entry is checked against its column's type.

    Raises `FileNotFoundError` naming the file, and `ValueError` naming file, line and value for a ragged row, a file
    without rows, an unknown or missing column, a malformed number and a row that repeats the key of another.
    """
    if not path.is_file():
        raise FileNotFoundError(f"published table {path.name} is missing from {path.parent}")
    rows, seen = [], dict[tuple[str, ...], int]()
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        if schema is not None:
            _check_header(path.name, reader.fieldnames or (), schema)
        for row in reader:
            place = f"{path.name}, line {reader.line_num}"
            if None in row or None in row.values():
                raise ValueError(f"{place}: {len(row)} fields do not match the header; truncated file?")
            if schema is not None:
                _check_row(place, row, schema)
                key = tuple(row[name] for name in schema.key)
                if key in seen:
                    raise ValueError(f"{place}: repeats the key {key} of line {seen[key]}; one of them is a slip")
                seen[key] = reader.line_num
            rows.append(row)
    if not rows:
        raise ValueError(f"{path.name}: no rows; truncated file?")
    return Table(path.stem, tuple(rows), schema)


def _check_header(name: str, header: Sequence[str], schema: Schema) -> None:
    for column in header:
        if column not in schema.columns:
            raise ValueError(f"{name}: unknown column {column!r}; expected {', '.join(schema.columns)}")
    missing = [column for column in schema.columns if column not in header]
    if missing:
        raise ValueError(f"{name}: no column {', '.join(missing)}; the header is {', '.join(header)}")


def _check_row(place: str, row: Mapping[str, str], schema: Schema) -> None:
    for column, kind in schema.columns.items():
        text = row[column]
        if kind is Column.TEXT or (text == "" and kind not in {Column.VALUE, Column.FLAG}):
            continue
        wrong = f"{place}: column {column!r} is {text!r}; expected {kind}"
        if not _DECIMAL.fullmatch(text):
            raise ValueError(wrong)
        number = Fraction(text)
        if kind is Column.INTERVAL and number < 0:
            raise ValueError(wrong)
        if kind is Column.COUNT and (number < 0 or number.denominator != 1):
            raise ValueError(wrong)
        if kind is Column.FLAG and text not in {"0", "1"}:
            raise ValueError(wrong)
        if kind is Column.VALUE and row.get("unit") == "percent" and not 0 <= number <= 100:
            raise ValueError(f"{wrong} within 0 and 100, since its unit is percent")
        if Printed(text, "", "").decimals > _MOST_DECIMALS:
            raise ValueError(f"{wrong} of at most {_MOST_DECIMALS} decimals")


_FUNCTIONS = {"Rational": Fraction, "Abs": abs, "Max": max, "Min": min}


@cache
def _compiled(source: str) -> CodeType:
    return compile(source, "<comparison>", "eval")


def evaluate(expression: object, values: Mapping[str, Fraction]) -> Fraction:
    """One side of a comparison, exactly."""
    # Text is sympy's own notation for what these four functions do, without its cost: thousands of cells a second.
    if isinstance(expression, str):
        return Fraction(eval(_compiled(expression), {"__builtins__": {}, **_FUNCTIONS}, dict(values)))
    return exact_value(expression, values)


def decide(comparison: Comparison) -> bool:
    """Whether a comparison holds, in exact arithmetic over its printed cells."""
    values = {name: Fraction(cell.value) for name, cell in comparison.cells.items()}
    left, right = evaluate(comparison.left, values), evaluate(comparison.right, values)
    if comparison.relation == "==":
        return left == right
    return left < right if comparison.relation == "<" else left <= right
