"""`fedverdict compare`: several runs in one plot, or our numbers compared with published ones."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from rich.table import Column, Table
from rich.text import Text

from validation.commands.grouped import GroupedCommand
from validation.commands.output import echo_json
from validation.commands.runs.fleet import play_fleet
from validation.commands.runs.plot import COLUMNS, curves
from validation.commands.runs.settings import REFERENCES
from validation.commands.terminal import Terminal, fail

if TYPE_CHECKING:
    from validation.recipe.results.calibration import Setting
    from validation.recipe.results.comparison import CellRow
    from validation.recipe.results.statements import StatementRow

__all__ = ["compare", "print_settings"]


@click.command(
    cls=GroupedCommand,
    headings={
        "Plot runs": ("quantities", "out", "log", "rules", "file", "seeds", "work", "data_root"),
        "Compare with published numbers": ("published", "every", "hours", "keep", "as_json"),
    },
)
@click.argument("names", nargs=-1, metavar="[RUN]... | [PAPER]...")
@click.option("--rules", help="Run these rules first (or resume them) and plot them; separate them by semicolons.")
@click.option(
    "--config",
    "file",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="With --rules: TOML file with a table [run].",
)
@click.option(
    "--seeds", type=click.IntRange(min=1), default=3, show_default=True, help="With --rules: number of seeds."
)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default="compare-runs",
    show_default=True,
    help="With --rules: folder for their runs.",
)
@click.option("--published", is_flag=True, help="Compare our numbers with the papers' published ones, cell by cell.")
@click.option("--quantity", "quantities", multiple=True, help=COLUMNS)
@click.option(
    "--out",
    default="compare.svg",
    type=click.Path(path_type=Path, dir_okay=False),
    show_default=True,
    help="File for the plot: SVG, PDF, PNG or HTML.",
)
@click.option("--log", is_flag=True, help="Use a logarithmic axis.")
@click.option("--every", is_flag=True, help="With --published: also show cells without a run.")
@click.option(
    "--hours/--no-hours", default=False, help="With --published: estimate the time of missing runs; needs --data-root."
)
@click.option(
    "--keep", is_flag=True, help="With --published: also write the decided statements into the papers' folders."
)
@click.option(
    "--data-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="FEDVERDICT_DATA",
    help="Folder with the files of data sets.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With --published: print every published number with its status as a JSON array.",
)
def compare(
    names: tuple[str, ...],
    rules: str | None,
    file: Path | None,
    seeds: int,
    work: Path,
    published: bool,
    quantities: tuple[str, ...],
    out: Path,
    log: bool,
    every: bool,
    hours: bool,
    keep: bool,
    data_root: Path | None,
    as_json: bool,
) -> None:
    """Plot several runs, or compare our numbers with published ones.

    RUNs are folders of `fedverdict run`; folders seed-… inside one are its seeds. With --rules, the rules run first.
    For each seed, all rules get the same data, partition, cohorts and batches.

    With --published, a cell agrees if the 95 % interval of our mean over seeds contains the printed number, or meets
    its printed interval. A statement agrees if every paired difference has the stated sign and is significant after
    Holm's correction over the statements of its recipe. Runs with fewer rounds than the paper's are demonstrations.
    Cells used to choose a setting are marked and not counted. Seeds that all give the same number have no interval and
    decide nothing.
    """
    from validation.report.pictures.run_curves import foreseen

    if rules is not None:
        if names or published:
            fail("compare: --rules starts its own runs; expected no folders and no --published with it")
        _check_options("--rules")
        try:
            foreseen(quantities, out)
        except ValueError as error:
            fail(f"compare: {error}")
        folders, whole = play_fleet(rules, seeds, Path(REFERENCES), (file, (), work, None, data_root, {}))
        curves(folders, quantities, out, log)
        raise SystemExit(0 if whole else 1)
    _check_options("--published" if published else "RUNs")
    if not published:
        runs = [Path(name) for name in names]
        missing = [str(run) for run in runs if not run.is_dir()]
        if not runs or missing:
            what = f"{', '.join(missing)}: no such folder" if missing else "nothing is named"
            fail(f"compare: {what}; expected folders of runs, --rules, or --published")
        curves(runs, quantities, out, log)
        return
    cells, said, tried = _beside_printed(names, data_root, hours, keep)
    if as_json:
        echo_json([asdict(cell) for cell in cells])
        return
    from validation.recipe.results.statements import statement_status

    _print_cells(cells, every)
    _print_statements(said)
    print_settings(tried)
    counted = Counter(cell.status for cell in cells if not cell.calibration)
    settled = Counter(statement_status(said).values())
    click.echo(f"cells: {_counts(counted)}; {sum(cell.calibration for cell in cells)} for calibration, not counted")
    click.echo(f"statements that need runs: {_counts(settled)}")


def _beside_printed(
    papers: tuple[str, ...], data_root: Path | None, hours: bool, keep: bool
) -> tuple[list[CellRow], list[StatementRow], list[Setting]]:
    """Printed cells beside ours, what is said of the runs, and settings that were tried, of each paper's recipes.

    `hours`: with what the missing runs would take; `keep`: what runs say of the prose is written for claims to read.
    """
    from validation.recipe.results.calibration import settings_tried, write_settings
    from validation.recipe.results.comparison import cell_rows
    from validation.recipe.results.decided import write_decided
    from validation.recipe.results.statements import statement_rows
    from validation.recipe.runs.cost import hours_of
    from validation.recipe.runs.queue import costs_of
    from validation.recipe.shelf import shelves

    cells: list[CellRow] = []
    said: list[StatementRow] = []
    tried: list[Setting] = []
    try:
        for shelf in shelves(papers):
            recipes = shelf.recipes()
            took: dict[str, float] = {}
            if hours:
                costs, done = costs_of(data_root), shelf.read()
                known = {r.id: hours_of(r, costs, done) for r in recipes if not r.owned}
                took = {name: value for name, value in known.items() if value is not None}
            cells += cell_rows(shelf, took)
            said += statement_rows(shelf)
            tried += settings_tried(shelf)
            for path in (write_decided(shelf), write_settings(shelf)) if keep else ():
                if path is not None:
                    click.echo(path, err=True)
    except ValueError as error:
        fail(str(error))
    return cells, said, tried


_OF_RUNS = frozenset({"quantities", "out", "log"})
_OF = {
    "--rules": _OF_RUNS | {"rules", "file", "seeds", "work", "data_root"},
    "RUNs": _OF_RUNS,
    "--published": frozenset({"published", "every", "hours", "keep", "data_root", "as_json"}),
}
"""The options of each way to compare."""
_ALONE = {"--rules": "with --rules", "RUNs": "with folders of runs alone", "--published": "with --published"}


def _check_options(way: str) -> None:
    """Ends with code 2 for an option that this way to compare does not use."""
    context = click.get_current_context()
    for option in context.command.params:
        name = option.name or ""
        given = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if isinstance(option, click.Option) and given and name not in _OF[way]:
            ways = " or ".join(other for other, names in _OF.items() if name in names)
            fail(f"compare: {option.opts[0]} is for {ways}; {_ALONE[way]} it would be ignored")


def _counts(counter: Counter[Any]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counter.most_common()) or "none"


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


def _print_cells(cells: list[CellRow], every: bool) -> None:
    numbers = map(_whole, ("theirs", "ours", "n"))
    place, table, between = _fitted("cell", *numbers, "over choices", "status")
    shown = [cell for cell in cells if every or cell.n]
    before = ""
    for cell in shown:
        ours = "" if cell.ours is None else f"{cell.ours:.2f}"
        if cell.interval is not None:
            ours += f"{between}[{cell.interval[0]:.2f}, {cell.interval[1]:.2f}]"
        theirs = f"{cell.published:g}"
        if cell.published_interval is not None:
            theirs += f"{between}[{cell.published_interval[0]:.2f}, {cell.published_interval[1]:.2f}]"
        over = "" if cell.spread is None else f"{cell.spread[0]:.2f} to {cell.spread[1]:.2f}"
        status = f"{cell.status} (calibration)" if cell.calibration else str(cell.status)
        mark = f"; {cell.note}" if cell.note and cell.n else ""
        hours = "" if cell.hours is None else f" ({cell.hours:.1f} h)"
        title = f"{cell.paper} {cell.table}"
        if title != before:
            table.add_row(Text(f"{title}:", style="bold"))
            before = title
        words = (f"{cell.row}: {cell.column}", theirs, ours, str(cell.n or ""), over, status + hours + mark)
        table.add_row(*map(Text, words))
    if shown:
        place.print(table)


def _print_statements(rows: list[StatementRow]) -> None:
    place, table, _ = _fitted(_whole("claim"), "recipe: what is said", "differences (n, p by Holm)", "status")
    for row in rows:
        shown = []
        for d in row.differences:
            if d.mean is not None:
                p = "" if d.p is None else f", p = {d.p:.2g}"
                shown.append(f"{d.mean.value:+.4g} against {d.than} (n = {d.n}{p})")
        said = f"{row.recipe}: {row.says}" if row.recipe else row.says
        table.add_row(*map(Text, (row.claim, said, "; ".join((*shown, *row.spread)), str(row.status))))
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
