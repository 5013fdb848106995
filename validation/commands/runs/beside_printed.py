"""Tables of `fedverdict compare --published`: printed differences beside ours, cells, sentences and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.table import Column, Table
from rich.text import Text

from validation.commands.terminal import Terminal

if TYPE_CHECKING:
    from validation.recipe.results.calibration import Setting
    from validation.recipe.results.comparison import CellRow
    from validation.recipe.results.contrasts import ContrastRow
    from validation.recipe.results.statements import StatementRow

__all__ = ["counts", "print_cells", "print_contrasts", "print_settings", "print_statements"]

_NARROW = 120  # columns below which an interval is on the line under its number


def _fitted(*columns: str | Column) -> tuple[Terminal, Table, str]:
    """Where a table is printed, the table, and the separator of a number and its interval."""
    place = Terminal.fitting()
    folded = (Column(c, overflow="fold") if isinstance(c, str) else c for c in columns)
    table = Table(*folded, box=None, pad_edge=False)
    return place, table, "\n" if place.width < _NARROW else " "


def _whole(title: str) -> Column:
    """A column of numbers, which are never cut in two."""
    return Column(title, no_wrap=True)


def counts(words: Iterable[Any]) -> str:
    """How often each word occurs, most frequent first."""
    return ", ".join(f"{number} {word}" for word, number in Counter(words).most_common()) or "none"


def _word(status: str, calibration: bool, why: str, change: str) -> str:
    """The word, whether it is evidence, what it lacks, and what would change it."""
    told = f"{status} (calibration)" if calibration else status
    told += f": {why}" if why else ""
    return f"{told}; to change it: {change}" if change and change not in why else told


def _between(low_high: tuple[float, float] | None, between: str) -> str:
    return "" if low_high is None else f"{between}[{low_high[0]:.2f}, {low_high[1]:.2f}]"


def print_contrasts(rows: list[ContrastRow], every: bool) -> None:
    """Differences that a paper claims, table by table under its sentence; those that were not run with `every`."""
    shown = [row for row in rows if every or row.n]
    numbers = map(_whole, ("theirs", "ours", "n", "δ", "ours − theirs"))
    place, table, between = _fitted("difference", *numbers, "word")
    before = ""
    for row in shown:
        title = f"{row.paper} {row.table} {row.where}".rstrip()
        if title != before:
            said = f": «{row.sentence}»" if row.sentence else ":"
            table.add_row(Text(f"{title}{said}", style="bold"))
            before = title
        ours = "" if row.ours is None else f"{row.ours:+.2f}{_between(row.interval, between)}"
        gap = "" if row.gap is None else f"{row.gap[0]:+.2f}{_between(row.gap[1:], between)}"
        delta = "" if row.delta is None else f"{row.delta:.3g}"
        word = _word(row.status, row.calibration, row.why, row.change)
        names = f"{row.first} − {row.second}"
        table.add_row(*map(Text, (names, f"{row.published:+.2f}", ours, str(row.n or ""), delta, gap, word)))
    if shown:
        place.print(table)


def print_cells(cells: list[CellRow], every: bool) -> None:
    """Printed numbers and ours; those without a run with `every`."""
    numbers = map(_whole, ("theirs", "ours", "n", "δ"))
    place, table, between = _fitted("cell", *numbers, "word")
    shown = [cell for cell in cells if every or cell.n]
    before = ""
    for cell in shown:
        ours = "" if cell.ours is None else f"{cell.ours:.2f}{_between(cell.interval, between)}"
        theirs = f"{cell.published:g}{_between(cell.published_interval, between)}"
        told = _word(cell.status, cell.calibration, cell.why, cell.change)
        hours = "" if cell.hours is None else f" ({cell.hours:.1f} h)"
        mark = f"; {cell.note}" if cell.note and cell.n else ""
        title = f"{cell.paper} {cell.table}"
        if title != before:
            table.add_row(Text(f"{title}:", style="bold"))
            before = title
        delta = "" if cell.delta is None else f"{cell.delta:.3g}"
        words = (f"{cell.row}: {cell.column}", theirs, ours, str(cell.n or ""), delta, told + hours + mark)
        table.add_row(*map(Text, words))
    if shown:
        place.print(table)


def print_statements(rows: list[StatementRow]) -> None:
    """What the prose says of runs: differences, options, word and verdict."""
    place, table, _ = _fitted(_whole("claim"), "recipe: what is said", "differences (n, p by Holm)", "word, verdict")
    for row in rows:
        shown = []
        for d in row.differences:
            if d.mean is not None:
                p = "" if d.p is None else f", p = {d.p:.2g}"
                shown.append(f"{d.mean.value:+.4g} against {d.than} (n = {d.n}{p})")
        said = f"{row.recipe}: {row.says}" if row.recipe else row.says
        word = f"{row.status}, {row.verdict}"
        table.add_row(*map(Text, (row.claim, said, "; ".join((*shown, *row.spread)), word)))
    if rows:
        place.print(table)


def print_settings(rows: list[Setting]) -> None:
    """Results of each setting in the cells that settle open choices."""
    numbers = (_whole("ours"), _whole("n"))
    place, table, between = _fitted("settled by", _whole("theirs"), "choice", *numbers, "covers it")
    for row in rows:
        ours, n = "", row.without if row.ours is None else row.ours.n + row.without
        if row.ours is not None:
            ours = f"{row.ours.value:.2f}"
            if row.ours.low is not None and row.ours.high is not None:
                ours += f"{between}[{row.ours.low:.2f}, {row.ours.high:.2f}]"
        if row.without:
            covers = f"not reached by {row.without} of {n}"
        else:
            one = "one seed" if n == 1 else f"{n} equal seeds"
            covers = f"{one}, no interval" if row.covers is None else "yes" if row.covers else "no"
        theirs = f"{row.published:g}{between}[{row.theirs[0]:.4g}, {row.theirs[1]:.4g}]"
        table.add_row(*map(Text, (f"{row.recipe}: {row.arm}", theirs, row.choice, ours, str(n), covers)))
    if rows:
        place.print(table)
