"""`fedverdict simulate`: the run of the same words in theory's simulator, on a convex task or a drawn family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from validation.commands.run import RunCommand
from validation.commands.settings import over_seeds, report_run, seeded, settings_of
from validation.commands.terminal import fail

__all__ = ["COMMAND", "SIMULATE_OPTIONS", "simulate"]

SIMULATE_OPTIONS = (
    click.Option(
        ["--family"],
        help="Clients drawn in place of a data set: 'quadratics(dim=5, condition=10, noise=0.1)'.",
    ),
)


def simulate(
    *,
    file: Path | None,
    rule: str | None,
    rule_settings: tuple[str, ...],
    out: Path | None,
    data_root: Path | None,
    references: Path,
    seeds: int,
    dry_run: bool,
    print_config: bool,
    family: str | None,
    **given: Any,
) -> None:
    """The same words as `fedverdict run`, played by theory's simulator in float64; writes the same tables.

    On softmax regression over a data set its batches, cohorts and floors are those of the deep run.
    """
    from deep.families import make_family
    from deep.settings import to_toml
    from deep.simulated import simulated

    try:
        settings = settings_of(file, rule, rule_settings, out, None, data_root, given)
        text = to_toml(settings.config, settings.rule)
        if print_config:
            click.echo(text, nl=False)
            return
        click.echo(text, err=True)
        if settings.out is None and not dry_run:
            raise ValueError("no --out: name the folder of the simulation, or ask for --dry-run")
        drawn = None if family is None else make_family(family)
        each = [settings] if seeds == 1 or dry_run else seeded(settings, seeds)
        results = [
            simulated(
                one.config,
                one.rule,
                family=drawn,
                out=None if dry_run else one.out,
                data_root=one.data_root,
                references=references,
                check_only=dry_run,
            )
            for one in each
        ]
    except (ValueError, RuntimeError) as error:
        fail(str(error))
    found = [result for result in results if result is not None]
    if dry_run:
        click.echo(f"{type(settings.rule).__name__}: this can be simulated, {settings.config.n_rounds} rounds")
        return
    for one, result in zip(each, found, strict=True):
        report_run(one, result)
    if seeds > 1:
        click.echo(over_seeds(found))
    raise SystemExit(0 if all(result.status == "completed" for result in found) else 1)


COMMAND = RunCommand(
    "simulate",
    callback=simulate,
    help=simulate.__doc__,
    params=list(SIMULATE_OPTIONS),
    shared=("file", "rule", "rule_settings", "out", "data_root", "references", "seeds", "dry_run", "print_config"),
)
