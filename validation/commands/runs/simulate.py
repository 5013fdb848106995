"""`fedverdict simulate`: a run's configuration in the convex simulator, on a convex task or a drawn family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from validation.commands.own_faults import OwnFaults
from validation.commands.runs.run import RunCommand
from validation.commands.runs.settings import over_seeds, report_run, seeded, settings_of
from validation.commands.terminal import fail

__all__ = ["COMMAND", "SIMULATE_OPTIONS", "simulate"]

SIMULATE_OPTIONS = (
    click.Option(
        ["--family"],
        help="Draw clients instead of reading a data set: 'quadratics(dim=5, condition=10, noise=0.1)'.",
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
    """Run the same configuration in the convex simulator, in float64.

    Options and output files are those of `fedverdict run`. On softmax regression over a data set it uses the same
    batches, cohorts and floors as the deep run.
    """
    from deep.config.families import make_family
    from deep.config.settings import to_toml
    from deep.runs.simulated import simulated

    try:
        settings = settings_of(file, rule, rule_settings, out, None, data_root, given)
        if print_config:
            click.echo(to_toml(settings.config, settings.rule), nl=False)
            return
        if settings.out is None and not dry_run:
            raise ValueError("no --out: name a folder for the simulation, or add --dry-run")
        drawn = None if family is None else make_family(family)
        each = [settings] if seeds == 1 or dry_run else seeded(settings, seeds)
        with OwnFaults(each):
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
        click.echo(f"{type(settings.rule).__name__}: can be simulated, {settings.config.n_rounds} rounds")
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
