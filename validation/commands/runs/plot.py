"""`fedverdict plot RUN` and `fedverdict compare RUN…`: curves of runs with bands over seeds, to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from validation.commands.runs.rule_names import rule_shown
from validation.commands.terminal import Terminal, fail

if TYPE_CHECKING:
    from validation.report.pictures.run_curves import Arm

__all__ = ["COLUMNS", "curves", "plot"]

COLUMNS = "Quantity to plot, such as test_accuracy, or excess_loss, the gap to the optimum; repeatable."


def curves(runs: Sequence[Path], quantities: Sequence[str], out: Path, log: bool) -> None:
    """Plot the runs into `out`, print differences paired by seed and last rounds; code 2 for folders without a run."""
    from validation.report.paired_runs import differing
    from validation.report.pictures.run_curves import chosen, curve, figure, read_arms, save, within

    try:
        arms = read_arms(runs)
        names = chosen(arms, quantities)
        place = save(figure(arms, names, log=log), out)
    except ValueError as error:
        fail(str(error))
    from rich.table import Table

    _print_paired(arms, names)
    table = Table("run", "settings", "seeds", *(n.rpartition(".")[2] for n in names), box=None, pad_edge=False)
    for arm, own in zip(arms, differing(arms), strict=True):
        cells = []
        for name in names:
            points = curve(arm, name)
            last = points[-1].mean if points else None
            interval = None if last is None else within(name, last)
            band = "" if interval is None else f" [{interval[0]:.4g}, {interval[1]:.4g}]"
            some = "" if last is None or last.n == len(arm.tables) else f", {last.n} of {len(arm.tables)} seeds"
            cells.append("" if last is None else f"{last.value:.4g}{band}{some}")
        settings = ", ".join(f"{k} = {rule_shown(str(v)) if k == 'rule' else v}" for k, v in own.items())
        table.add_row(arm.name, settings, _seeds(arm.seeds), *cells)
    Terminal().print(table)
    click.echo(f"last round (the first is 0), mean over seeds with its 95 % interval; curves: {place}")


def _seeds(seeds: Sequence[int | None]) -> str:
    """The seeds by number where all are known, else how many they are."""
    known = [seed for seed in seeds if seed is not None]
    return ", ".join(map(str, known)) if len(known) == len(seeds) else str(len(seeds))


def _print_paired(arms: Sequence[Arm], quantities: Sequence[str]) -> None:
    """Differences to the first run, paired by seed, of each quantity; nothing of a single run.

    Where no difference has a p-value, as of one seed, a line says so in place of an empty column.
    """
    from rich.table import Table

    from validation.report.paired_runs import paired_runs

    if len(arms) < 2:
        return
    rows = [(quantity.rpartition(".")[2], row) for quantity in quantities for row in paired_runs(arms, quantity)]
    tested = any(row.p is not None for _, row in rows)
    heads = ("difference", "quantity", "round", "seeds", "mean", *(["p by Holm"] if tested else []))
    table = Table(*heads, box=None, pad_edge=False)
    for name, row in rows:
        mean, band = "no seed in common", ""
        if row.mean is not None:
            mean = f"{row.mean.value:+.4g}"
            band = "" if row.mean.low is None else f" [{row.mean.low:+.4g}, {row.mean.high:+.4g}]"
        p = "" if row.p is None else f"{row.p:.2g}"
        at = "" if row.round is None else f"{row.round:g}"
        cells = (f"{row.arm} − {row.than}", name, at, _seeds(row.seeds), mean + band)
        table.add_row(*cells, *([p] if tested else []))
    Terminal().print(table)
    if not tested and any(len(row.seeds) == 1 for _, row in rows):
        click.echo("one seed in common: no interval and no test; run both with --seeds 5")


@click.command()
@click.argument("run", type=click.Path(path_type=Path, file_okay=False, exists=True))
@click.option("--quantity", "quantities", multiple=True, help=COLUMNS)
@click.option(
    "--out",
    default="curves.svg",
    type=click.Path(path_type=Path, dir_okay=False),
    show_default=True,
    help="File for the plot: SVG, PDF, PNG or HTML.",
)
@click.option("--log", is_flag=True, help="Use a logarithmic axis.")
def plot(run: Path, quantities: tuple[str, ...], out: Path, log: bool) -> None:
    """Plot a run over its rounds, with bands over its seeds."""
    curves([run], quantities, out, log)
