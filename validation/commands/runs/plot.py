"""`fedverdict plot RUN` and `fedverdict compare RUN…`: curves of runs with bands over seeds, to a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from validation.commands.terminal import Terminal, fail

__all__ = ["COLUMNS", "curves", "plot"]

COLUMNS = "Quantity to plot, such as test_accuracy, train_loss or gamma_minus_omega; repeatable."


def curves(runs: Sequence[Path], quantities: Sequence[str], out: Path, log: bool) -> None:
    """Plot the runs into `out` and print their last rounds; ends with code 2 for folders without a run."""
    from validation.report.pictures.run_curves import chosen, curve, figure, read_arms, save

    try:
        arms = read_arms(runs)
        names = chosen(arms, quantities)
        place = save(figure(arms, names, log=log), out)
    except ValueError as error:
        fail(str(error))
    from rich.table import Table

    table = Table("run", "seeds", *(n.rpartition(".")[2] for n in names), box=None, pad_edge=False)
    for arm in arms:
        cells = []
        for name in names:
            points = curve(arm, name)
            last = points[-1].mean if points else None
            band = "" if last is None or last.low is None else f" [{last.low:.4g}, {last.high:.4g}]"
            some = "" if last is None or last.n == len(arm.tables) else f", {last.n} of {len(arm.tables)} seeds"
            cells.append("" if last is None else f"{last.value:.4g}{band}{some}")
        table.add_row(arm.name, str(len(arm.tables)), *cells)
    Terminal().print(table)
    click.echo(f"last round, mean over seeds with its 95 % interval; curves: {place}")


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
