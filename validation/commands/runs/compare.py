"""`fedverdict compare`: several runs in one plot, or our numbers compared with published ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from validation.commands.grouped import GroupedCommand
from validation.commands.output import echo_json
from validation.commands.runs.fleet import play_fleet
from validation.commands.runs.plot import COLUMNS, curves
from validation.commands.runs.settings import REFERENCES
from validation.commands.terminal import fail

if TYPE_CHECKING:
    from validation.recipe.results.calibration import Setting
    from validation.recipe.results.comparison import CellRow
    from validation.recipe.results.contrasts import ContrastRow
    from validation.recipe.results.statements import StatementRow

__all__ = ["compare"]


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
    help="With --published: print every difference, number and sentence with its word as a JSON array.",
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

    With --published, each difference that a paper claims is compared in sign and in size, each printed number in size:
    within half the smallest gap that the paper claims in that table. The words are reproduced, contradicted, opposite
    (the sign is reversed), unresolved, and depends (on a choice that the paper leaves open). A word needs at least five
    seeds and a run under every option. Numbers that were used to choose a setting are marked and not counted. Runs with
    fewer rounds than the paper's are demonstrations.
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
    found = _beside_printed(names, data_root, hours, keep)
    if as_json:
        echo_json(found.document())
        return
    from validation.commands.runs import beside_printed as tables
    from validation.recipe.results.statements import statement_status

    tables.print_contrasts(found.contrasts, every)
    tables.print_cells(found.cells, every)
    tables.print_statements(found.said)
    tables.print_settings(found.tried)
    for what, rows in (("differences", found.contrasts), ("cells", found.cells)):
        aside = sum(row.calibration for row in rows)
        counted = tables.counts(row.status for row in rows if not row.calibration)
        click.echo(f"{what}: {counted}; {aside} for calibration, not counted")
    settled = statement_status(found.said).values()
    click.echo(f"statements that need runs: {tables.counts(status for status, _ in settled)}")
    click.echo(f"their verdicts: {tables.counts(verdict for _, verdict in settled)}")


@dataclass(frozen=True)
class _Found:
    """What is compared with the print: differences, cells, sentences, and settings that were tried."""

    contrasts: list[ContrastRow]
    cells: list[CellRow]
    said: list[StatementRow]
    tried: list[Setting]

    def document(self) -> list[dict[str, Any]]:
        """Every comparison as an object: `kind` is "difference", "cell" or "sentence"."""
        kinds = (("difference", self.contrasts), ("cell", self.cells), ("sentence", self.said))
        return [{"kind": kind, **asdict(row)} for kind, rows in kinds for row in rows]


def _beside_printed(papers: tuple[str, ...], data_root: Path | None, hours: bool, keep: bool) -> _Found:
    """Printed differences and cells beside ours, what is said of the runs, and settings that were tried.

    `hours`: with what the missing runs would take; `keep`: what runs say of the prose is written for claims to read.
    """
    from validation.recipe.results.calibration import settings_tried, write_settings
    from validation.recipe.results.comparison import cell_rows
    from validation.recipe.results.contrasts import contrast_rows
    from validation.recipe.results.decided import write_decided
    from validation.recipe.results.statements import statement_rows
    from validation.recipe.runs.cost import hours_of
    from validation.recipe.runs.queue import costs_of
    from validation.recipe.shelf import shelves

    found = _Found([], [], [], [])
    try:
        for shelf in shelves(papers):
            recipes = shelf.recipes()
            took: dict[str, float] = {}
            if hours:
                costs, done = costs_of(data_root), shelf.read()
                known = {r.id: hours_of(r, costs, done) for r in recipes if not r.owned}
                took = {name: value for name, value in known.items() if value is not None}
            found.contrasts.extend(contrast_rows(shelf))
            found.cells.extend(cell_rows(shelf, took))
            found.said.extend(statement_rows(shelf))
            found.tried.extend(settings_tried(shelf))
            for path in (write_decided(shelf), write_settings(shelf)) if keep else ():
                if path is not None:
                    click.echo(path, err=True)
    except ValueError as error:
        fail(str(error))
    return found


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
