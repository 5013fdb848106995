"""Published tables as they are printed, the best of each column marked, our run beside each number with its word."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from validation.recipe.results.comparison import CellRow, cell_rows
from validation.recipe.results.contrasts import ContrastRow, contrast_rows
from validation.recipe.results.tables import printed_cells
from validation.recipe.shelf import Shelf

__all__ = ["PrintedCell", "PrintedContrast", "PrintedTable", "read_tables", "table_of"]

_METHOD = ("backbone", "model", "method", "strategy", "variant", "alpha")  # what a table compares, in its rows
_NO_AXIS = frozenset(("table", "value", "std", "ci95", "unit", "direction", "note", "n_runs", "bold", "delta_printed"))
_MOST_COLUMNS = 9
_SHORTER = "demonstration"  # the word of a run with fewer rounds than the paper's
_SPELLED = {
    "cifar": "CIFAR", "digits": "Digits", "domainnet": "DomainNet", "iid": "IID", "mnist": "MNIST", "office": "Office",
    "r60": "R60",
}  # fmt: skip
"""Words of a file's name that are written otherwise; a number behind one stands behind a hyphen, as in CIFAR-10."""


@dataclass(frozen=True)
class PrintedCell:
    """A number with its spread as printed, whether it is the best of its column, and ours where something was run.

    `rank`: its place in the column, 1 the best, None where no direction is known; equal numbers share a place.
    """

    value: str
    spread: str
    best: bool
    rank: int | None
    ours: str
    status: str
    note: str


@dataclass(frozen=True)
class PrintedContrast:
    """A difference that the paper claims: as printed, ours, δ, its word, what it lacks and what would change it."""

    methods: str
    sentence: str
    value: str
    ours: str
    delta: str
    word: str
    why: str
    change: str


@dataclass(frozen=True)
class PrintedTable:
    """A table, or a part of one: what its numbers share, the titles of its columns, its rows of cells.

    `place`: where it stands, as its file says; `contrasts`: differences that were run, in the first part of a table.
    """

    name: str
    shared: str
    axes: tuple[str, ...]
    columns: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[tuple[str, ...], tuple[PrintedCell | None, ...]], ...]
    place: str = ""
    contrasts: tuple[PrintedContrast, ...] = ()

    @property
    def demonstrates(self) -> bool:
        """Whether a number of ours in it is a demonstration."""
        return any(cell is not None and cell.status.startswith(_SHORTER) for _, cells in self.rows for cell in cells)

    @property
    def title(self) -> str:
        """«Table 8, alpha by local steps» for table08_alpha_by_local_steps; «In the text of A.4: splits of CIFAR-10»
        for prose_splits_cifar10 of the place «prose A.4»; any other by its words.
        """
        first, _, rest = self.name.partition("_")
        number = re.fullmatch(r"table0*(\d+)", first)
        if number is not None:
            return f"Table {number[1]}" + (f", {_spelled(rest)}" if rest else "")
        if first == "prose":
            section = self.place.removeprefix("prose").strip()
            return f"In the text{f' of {section}' if section else ''}: {_spelled(rest)}"
        words = _spelled(self.name)
        return words[:1].upper() + words[1:]

    @property
    def run(self) -> int:
        """How many of its numbers have one of ours beside them."""
        return sum(bool(cell and cell.ours) for _, cells in self.rows for cell in cells)


def _spelled(name: str) -> str:
    """The words of a file's name: splits of CIFAR-10 for splits_cifar10."""
    words = []
    for word in name.split("_"):
        letters, digits = re.fullmatch(r"(.*?)(\d*)", word).groups()  # type: ignore[union-attr]
        known = _SPELLED.get(letters)
        words.append(_SPELLED.get(word) or (f"{known}{'-' if digits else ''}{digits}" if known else word))
    return re.sub(r"^splits (?=\S)", "splits of ", " ".join(words))


def table_of(cell: str) -> str:
    """The table that a published cell stands in.

    >>> table_of("table2: EMNIST, EFL, non-IID, comm_rounds_x100")
    'table2'
    """
    return cell.partition(":")[0].strip()


Cell = tuple[Mapping[str, str], CellRow]


def read_tables(shelf: Shelf) -> tuple[PrintedTable, ...]:
    """Every table of a paper; a wide one is cut into parts, by data set first."""
    cells = list(zip((p.entries for p in printed_cells(shelf.folder / "published")), cell_rows(shelf), strict=True))
    pairs = [row for row in contrast_rows(shelf) if row.n]
    found: list[PrintedTable] = []
    for name in dict.fromkeys(row.table for _, row in cells):
        first, *rest = _parts(name, [cell for cell in cells if cell[1].table == name], [])
        contrasts = tuple(_contrast(row) for row in pairs if row.table == name)
        found += [replace(first, contrasts=contrasts), *rest]
    return tuple(found)


def _contrast(row: ContrastRow) -> PrintedContrast:
    ours = (
        "" if row.ours is None else f"{row.ours:+.2f}{_interval(row.interval)}, {row.n} seed{'s' if row.n > 1 else ''}"
    )
    delta = "" if row.delta is None else f"{row.delta:.3g}"
    word = f"{row.status} (calibration)" if row.calibration else str(row.status)
    named = f"{row.first} − {row.second}" + (f", {row.where}" if row.where else "")
    return PrintedContrast(
        named, row.sentence, _signed(f"{row.published:+.4g}"), _signed(ours), delta, word, row.why, row.change
    )


def _interval(low_high: tuple[float, float] | None) -> str:
    return "" if low_high is None else f" [{low_high[0]:.2f}, {low_high[1]:.2f}]"


def _signed(text: str) -> str:
    return text.replace("-", "−")


def _axes(cells: Sequence[Cell]) -> list[str]:
    """The keys that vary."""
    keys = [k for k in cells[0][0] if k not in _NO_AXIS]
    return [k for k in keys if len({entries.get(k, "") for entries, _ in cells}) > 1]


def _parts(name: str, cells: Sequence[Cell], shared: Sequence[str]) -> list[PrintedTable]:
    axes = _axes(cells)
    down = [k for k in axes if k in _METHOD] or axes[:1]
    across = [k for k in axes if k not in down]
    # What each column has but one of (a model per data set) belongs to the columns.
    told = [k for k in down if across and _told(k, across, cells)]
    if told and len(told) < len(down):
        down, across = [k for k in down if k not in told], [k for k in axes if k in across or k in told]
    if across and len({tuple(e.get(k, "") for k in across) for e, _ in cells}) > _MOST_COLUMNS and len(across) > 1:
        first = min(across, key=lambda k: (len({e.get(k, "") for e, _ in cells}), across.index(k)))
        values = dict.fromkeys(e.get(first, "") for e, _ in cells)
        parts = ([c for c in cells if c[0].get(first, "") == v] for v in values)
        return [t for v, part in zip(values, parts, strict=True) for t in _parts(name, part, [*shared, v])]
    return [_table(name, cells, shared, down, across)]


def _told(key: str, by: Sequence[str], cells: Sequence[Cell]) -> bool:
    """Whether the keys `by` decide what stands under `key`."""
    pairs = {(tuple(e.get(k, "") for k in by), e.get(key, "")) for e, _ in cells}
    return len(pairs) == len({column for column, _ in pairs})


def _table(
    name: str, cells: Sequence[Cell], shared: Sequence[str], down: Sequence[str], across: Sequence[str]
) -> PrintedTable:
    columns = dict.fromkeys(tuple(e.get(k, "") for k in across) for e, _ in cells)
    rows: dict[tuple[str, ...], dict[tuple[str, ...], PrintedCell]] = {}
    mine = {column: [c for c in cells if tuple(c[0].get(k, "") for k in across) == column] for column in columns}
    best = {column: _best(held) for column, held in mine.items()}
    rank = {column: _ranks(held) for column, held in mine.items()}
    for entries, ours in cells:
        row, column = (tuple(entries.get(k, "") for k in keys) for keys in (down, across))
        # Two numbers of one place (a row printed twice) stand one after the other.
        while column in rows.setdefault(row, {}):
            row = (*row[:-1], f"{row[-1]}, again") if row else ("again",)
        rows[row][column] = _cell(entries, ours, entries["value"] in best[column], rank[column].get(entries["value"]))
    made = tuple((row, tuple(held.get(column) for column in columns)) for row, held in rows.items())
    constant = [v for k, v in cells[0][0].items() if k not in _NO_AXIS and k not in down and k not in across and v]
    unit = {e.get("unit", "") for e, _ in cells}
    said = [*dict.fromkeys(v for v in (*shared, *constant) if v), *([f"in {unit.pop()}"] if len(unit) == 1 else [])]
    return PrintedTable(name, ", ".join(said), tuple(down), tuple(columns), made, cells[0][0].get("table", ""))


def _best(cells: Sequence[Cell]) -> set[str]:
    """The printed values that win a column: those printed bold, else the extreme one in the column's direction."""
    bold = {e["value"] for e, _ in cells if e.get("bold") == "1"}
    return bold or {value for value, rank in _ranks(cells).items() if rank == 1}


def _ranks(cells: Sequence[Cell]) -> dict[str, int]:
    """The place of each printed value in its column, in the column's direction; empty where it has none."""
    directions = {e.get("direction", "").partition("_")[0] for e, _ in cells}
    if len(cells) < 2 or len(directions) != 1 or not directions <= {"higher", "lower"}:
        return {}
    sign = -1 if directions == {"higher"} else 1
    values = [sign * float(e["value"]) for e, _ in cells]
    return {e["value"]: 1 + sum(v < sign * float(e["value"]) for v in values) for e, _ in cells}


def _cell(entries: Mapping[str, str], row: CellRow, best: bool, rank: int | None) -> PrintedCell:
    spread = entries.get("std") or entries.get("ci95") or ""
    ours = ""
    if row.ours is not None:
        ours = f"{row.ours:.2f}"
        ours += f"{_interval(row.interval)}, {row.n} seed{'s' if row.n > 1 else ''}"
    status = f"{row.status} (calibration)" if row.calibration else str(row.status)
    note = "; ".join(part for part in (row.why, row.note) if part)
    return PrintedCell(entries["value"], spread, best, rank, _signed(ours), status, note)
