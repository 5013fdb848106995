"""`fedverdict reproduce`, `queue` and `tune`: the experiments behind published tables, figures and grids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Column, Table

from validation.commands.complete import recipes
from validation.commands.terminal import Terminal, fail

if TYPE_CHECKING:
    from validation.recipe.recipe import Recipe
    from validation.recipe.runs.cost import Costs
    from validation.recipe.runs.queue import Planned
    from validation.recipe.runs.workers import Workers
    from validation.recipe.shelf import Shelf

__all__ = ["queue", "reproduce", "tune"]

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0}


def duration(text: str) -> float:
    """Seconds of a time such as 45min, 90s or 1.5h; a usage error for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|min|h)", text.strip())
    if found is None:
        raise click.BadParameter(f"{text!r}: expected a time such as 45min, 90s or 1.5h")
    return float(found[1]) * _UNITS[found[2]]


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say where a run takes place, and how much of it."""
    for option in reversed(
        (
            click.option(
                "--seeds",
                type=click.IntRange(min=1),
                help="Number of seeds, from 0 on.  [default: of the first planned look, else the paper's, or 3]",
            ),
            click.option(
                "--scale",
                type=click.FloatRange(0, 1, min_open=True),
                default=1.0,
                show_default=True,
                help="Fraction of the rounds; below 1 the result counts only as a demonstration.",
            ),
            click.option(
                "--varied/--default-choices", default=None, help="Also run the other options of open choices."
            ),
            click.option("--arm", "arms", multiple=True, help="Run only this method; repeatable."),
            click.option(
                "--data-root",
                type=click.Path(path_type=Path, file_okay=False, exists=True),
                envvar="FEDVERDICT_DATA",
                help="Folder with the files of data sets.",
            ),
            click.option("--device", default="cpu", show_default=True, help="'cpu' or 'cuda'."),
            click.option(
                "--work",
                type=click.Path(path_type=Path, file_okay=False),
                default="fedverdict-work",
                show_default=True,
                help="Folder for rounds and checkpoints of unfinished runs.",
            ),
            click.option(
                "--backend",
                type=click.Choice(["here", "dask"]),
                default="here",
                show_default=True,
                help="Run on this machine or on a Dask cluster (extra `cluster`); results are the same.",
            ),
            click.option(
                "--scheduler", help="Address of a Dask scheduler; without it a local cluster of --jobs workers."
            ),
            click.option(
                "--jobs",
                type=click.IntRange(min=1),
                help="Runs at a time, each with OMP_NUM_THREADS threads.  [default: 1, or 2 in a local cluster]",
            ),
            click.option("--dry-run", is_flag=True, help="Print what would run and how long it would take, and stop."),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("names", nargs=-1, shell_complete=recipes)
@_shared
@click.option(
    "--diagnose",
    is_flag=True,
    help="Run one round of each method at the default choices: whether it learns, and who has the weight.",
)
def reproduce(names: tuple[str, ...], diagnose: bool, **options: Any) -> None:
    """Run the experiments behind published tables and figures.

    NAMES are recipes (fedaware.table2) or papers; without one, the recipes are listed. The estimated time is printed
    first. Results are small files in the paper's folder, and the same command again resumes. Afterwards,
    `fedverdict compare --published` compares them with the printed numbers.
    """
    if not names:
        _listed()
        return
    if diagnose:
        _diagnosed(names, options["arms"], options["data_root"], options["device"])
        return
    _run(names, budget=float("inf"), vary=(), **options)


def _diagnosed(names: Sequence[str], arms: Sequence[str], data_root: Path | None, device: str) -> None:
    """What each method comes to after a round, kept beside the results; those that are kept are not run again."""
    from validation.recipe.runs.diagnosis import diagnose, read_diagnoses, undiagnosed, write_diagnoses
    from validation.recipe.shelf import chosen

    try:
        for shelf, recipe in chosen(names):
            for unit in undiagnosed(recipe, read_diagnoses(shelf), arms):
                _told(f"{recipe.id}: one round of {unit.arm}")
                found = diagnose(unit, data_root=data_root, device=device)
                write_diagnoses(shelf, [*read_diagnoses(shelf), found])
            for found in read_diagnoses(shelf):
                if found.recipe == recipe.id:
                    click.echo(f"{found.recipe}: {found.arm} {found.words}")
    except ValueError as error:
        fail(str(error))


@click.command()
@click.argument("names", nargs=-1, shell_complete=recipes)
@click.option(
    "--budget",
    type=duration,
    metavar="TIME",
    default="45min",
    show_default=True,
    help="Time to spend, such as 45min or 2h.",
)
@click.option(
    "--measure",
    is_flag=True,
    help="Only measure: run two rounds of each experiment of unknown duration and keep the times.",
)
@_shared
def queue(names: tuple[str, ...], budget: float, measure: bool, **options: Any) -> None:
    """Run the most informative missing experiments within a time budget.

    Experiments that decide the most open statements per hour run first. One that collapses is stopped at once, with its
    cause; `fedverdict reproduce` runs it all the same.
    """
    if measure:
        _measured(names, budget, options["data_root"], options["device"], options["work"])
        return
    _run(names, budget=budget, vary=None, hold_collapsed=True, **options)


def _measured(names: Sequence[str], budget: float, data_root: Path | None, device: str, work: Path) -> None:
    from validation.recipe.runs.queue import costs_of
    from validation.recipe.runs.rehearsal import rehearse
    from validation.recipe.shelf import chosen

    try:
        found, costs = chosen(names), costs_of(data_root, device, tell=_told)
        for row in rehearse(found, costs, work, budget=budget, data_root=data_root, device=device, tell=_told):
            click.echo(f"{row.recipe}: {row.arm}, {row.seconds:.3g} s a round")
    except ValueError as error:
        fail(str(error))


def _run(
    names: Sequence[str],
    *,
    budget: float,
    vary: Sequence[str] | None,
    first_seed: int = 0,
    hold_collapsed: bool = False,
    seeds: int | None,
    scale: float,
    varied: bool | None,
    arms: tuple[str, ...],
    data_root: Path | None,
    device: str,
    work: Path,
    dry_run: bool,
    backend: str,
    scheduler: str | None,
    jobs: int | None,
) -> None:
    if scheduler is not None and backend != "dask":
        fail(f"--scheduler {scheduler}: is for --backend dask")
    _told(f"{', '.join(names) or 'all recipes'}: counting what is missing")  # before anything large is imported

    from deep.base.device import usable_device
    from validation.recipe.runs.queue import costs_of, looked_at, plan, work_off
    from validation.recipe.shelf import chosen

    try:
        if not dry_run and backend == "here":
            usable_device(device)
        found = chosen(names)
        costs = costs_of(data_root, device, work=work, tell=_told)
        of_each = seeds is None and not first_seed
        among = None if of_each else range(first_seed, first_seed + (seeds or 1))
        if varied is not None and not first_seed:
            vary = None if varied else ()
        choice: dict[str, Any] = {"scale": scale, "vary": vary, "arms": arms}
        planned = plan(found, costs, among, tell=_told, **choice)
        here = not dry_run and backend == "here"
        if here and any(looked_at(costs, one) for one in planned[:1]):  # what this machine takes today
            planned = plan(found, costs, among, **choice)
        _costs(planned, scale)
        _known_to_collapse(planned)
        if dry_run:
            _needed(found, costs)
        if dry_run or not planned:
            return
        place: dict[str, Any] = {"data_root": data_root, "device": device, "tell": _told}
        place["hold_collapsed"] = hold_collapsed
        with _workers(backend, scheduler, jobs) as workers:
            for path in work_off(found, costs, among, work, budget=budget, workers=workers, **place, **choice):
                click.echo(path)
    except ValueError as error:
        fail(str(error))


@contextmanager
def _workers(backend: str, scheduler: str | None, jobs: int | None) -> Iterator[Workers | None]:
    """The processes that run; None for this one, one run at a time; `scheduler` with "dask" only."""
    from validation.job.cluster import cluster
    from validation.recipe.runs.workers import of_cluster, processes

    if backend == "dask":
        with cluster(scheduler, jobs or 2) as client:
            yield of_cluster(client)
    elif jobs is None or jobs == 1:
        yield None
    else:
        with processes(jobs) as several:
            yield several


def _told(words: str) -> None:
    click.echo(words, err=True)


def _whole(name: str) -> Column:
    """A column of names that are typed again, so never cut short."""
    return Column(name, no_wrap=True, overflow="fold")


def _listed() -> None:
    from validation.recipe.shelf import chosen

    table = Table(_whole("recipe"), "shows", "methods", "open choices", "statements", box=None, pad_edge=False)
    for _, recipe in chosen(()):
        said = ", ".join(dict.fromkeys(s.claim for s in recipe.statements))
        table.add_row(recipe.id, recipe.shows, str(len(recipe.arms)), ", ".join(o.name for o in recipe.open), said)
    Terminal(100).print(table)


def _costs(planned: Sequence[Planned], scale: float) -> None:
    """By recipe: missing runs, and the hours they take."""
    if not planned:
        click.echo("nothing is missing", err=True)
        return
    table = Table(_whole("recipe"), "missing runs", "hours", "estimated from", box=None, pad_edge=False)
    for name in dict.fromkeys(p.unit.recipe.id for p in planned):
        mine = [p for p in planned if p.unit.recipe.id == name]
        costs = [p.cost for p in mine if p.cost is not None]
        hours = f"{sum(c.seconds for c in costs) / 3600:.2f}" if len(costs) == len(mine) else "unknown"
        table.add_row(name, str(len(mine)), hours, ", ".join(sorted({c.known for c in costs})))
    Terminal(stderr=True).print(table)
    if scale < 1:
        click.echo(f"--scale {scale:g}: results count only as demonstrations", err=True)


def _needed(chosen: Sequence[tuple[Shelf, Recipe]], costs: Costs) -> None:
    """By claim: the least runs that its sentences still need, and their hours."""
    from validation.recipe.results.deciding import needed

    by_shelf: dict[Shelf, list[Recipe]] = {}
    for shelf, recipe in chosen:
        by_shelf.setdefault(shelf, []).append(recipe)
    rows = [row for shelf, recipes in by_shelf.items() for row in needed(recipes, shelf.read(), costs)]
    table = Table(
        "claim", _whole("recipe"), "runs before it can be decided, at least", "hours", box=None, pad_edge=False
    )
    for row in sorted(rows, key=lambda row: float("inf") if row.seconds is None else row.seconds):
        hours = "unknown" if row.seconds is None else f"{row.seconds / 3600:.1f}"
        table.add_row(row.claim, row.recipe, str(row.runs), hours)
    if rows:
        Terminal(stderr=True).print(table)


def _known_to_collapse(planned: Sequence[Planned]) -> None:
    """Each method among them whose first round was kept as a collapse, once."""
    from validation.recipe.runs.diagnosis import known_collapse, read_diagnoses
    from validation.recipe.shelf import shelves

    known = [row for shelf in shelves({p.unit.recipe.paper for p in planned}) for row in read_diagnoses(shelf)]
    found = {row.config: row for p in planned if (row := known_collapse(p.unit, known)) is not None}
    for row in found.values():
        click.echo(f"{row.recipe}: {row.arm} {row.words}", err=True)


@click.command()
@click.argument("name", shell_complete=recipes)
@_shared
def tune(name: str, **options: Any) -> None:
    """Settle a recipe's open choices on seeds used for nothing else.

    A printed grid is run and ranked on validation data. Without a grid, the methods whose printed cells can settle a
    choice are run under every option, and the options that reproduce the printed numbers are shown.
    """
    from validation.commands.runs.beside_printed import print_settings
    from validation.recipe.results.calibration import anchored, settings_tried
    from validation.recipe.results.comparison import ranked
    from validation.recipe.shelf import chosen
    from validation.recipe.unit import CALIBRATION_SEED

    try:
        found = chosen([name])
        if len(found) != 1:
            fail(f"tune {name}: is a paper with {len(found)} recipes; expected one recipe")
        ((shelf, recipe),) = found
        grids, anchors = [one.name for one in recipe.open if one.grid], anchored(recipe)
        if not grids and not anchors:
            fail(f"{recipe.id}: nothing to tune: no open choice has a printed grid or a cell that settles it")
        if not grids:
            if strangers := [recipe.arm(arm).name for arm in options["arms"] if recipe.arm(arm).name not in anchors]:
                fail(f"--arm {strangers[0]}: no printed cell settles its choices; expected {' or '.join(anchors)}")
            options["arms"] = options["arms"] or anchors
        vary = grids or [one.name for one in recipe.open]
        _run([name], budget=float("inf"), first_seed=CALIBRATION_SEED, vary=vary, **options)
        if not grids:
            print_settings([row for row in settings_tried(shelf) if row.recipe == recipe.id])
            return
        table = Table("method", "choice", "validation accuracy", "seeds", box=None, pad_edge=False)
        for row in ranked(recipe, shelf.read(), grids):
            table.add_row(row.arm, row.choice, f"{row.mean:.4f}", str(row.n))
        Terminal(80).print(table)
    except ValueError as error:
        fail(str(error))
