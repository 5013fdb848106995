"""`fedverdict run`: one deep run from a TOML file and options, or an estimate of its cost."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from traceback import print_exception
from typing import TYPE_CHECKING, Any

import click

from validation.commands.complete import OF_FIELDS, rules
from validation.commands.grouped import GroupedCommand
from validation.commands.own_faults import OwnFaults
from validation.commands.run_help import HEADINGS, HELP
from validation.commands.runs.fleet import dry_fleet, play_fleet
from validation.commands.runs.settings import REFERENCES, over_seeds, report_run, seeded, settings_of
from validation.commands.runs.tracking import Tracking
from validation.commands.terminal import Terminal, fail, progress

if TYPE_CHECKING:
    from deep.config.settings import Settings
    from deep.storage.record import DeepRun, RoundRecord

__all__ = ["COMMAND", "HELP", "RunCommand", "option_name", "run"]

_FOLDER = click.Path(path_type=Path, file_okay=False)
_PLACE = (
    click.Option(
        ["--config", "file"],
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="TOML file with tables [run] and [rule]; options override it.",
    ),
    click.Option(
        ["--rule"],
        shell_complete=rules,
        help="A rule, see `fedverdict rules`: 'exp-alpha', 'switch(first=exp-alpha, then=uniform, at_round=20)'.",
    ),
    click.Option(
        ["--rules"],
        help="Several rules, separated by semicolons; each runs with every seed, in OUT/RULE/seed-N.",
    ),
    click.Option(
        ["--set", "rule_settings"],
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of the rule, such as alpha=0.5; repeatable.",
    ),
    click.Option(["--out"], type=_FOLDER, help="Folder for the run's files; needed unless --dry-run."),
    click.Option(
        ["--data-root"],
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        envvar="FEDVERDICT_DATA",
        help="Folder with the files of data sets that are not bundled.",
    ),
    click.Option(
        ["--references"],
        type=_FOLDER,
        default=REFERENCES,
        show_default=True,
        help="Folder of reference solutions, see `fedverdict reference`.",
    ),
    click.Option(
        ["--seeds"],
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Number of runs, with seeds from --seed on, each in OUT/seed-N.",
    ),
    click.Option(["--device"], help="'cpu' or 'cuda'.  [default: cpu]"),
    click.Option(["--tensorboard"], type=_FOLDER, help="Folder for TensorBoard event files, written during the run."),
    click.Option(["--mlflow"], metavar="URI", help="MLflow tracking URI, such as sqlite:///mlflow.db, to log to."),
    click.Option(["--wandb"], metavar="PROJECT", help="Project of Weights & Biases to log to; WANDB_MODE applies."),
    click.Option(["--experiment"], default="fedverdict", show_default=True, help="Name of the MLflow experiment."),
    click.Option(["--overwrite"], is_flag=True, help="Delete the run that the folder holds, if any, and begin again."),
    click.Option(["--traceback"], is_flag=True, help="Show where in your own code, or in ours, an error was raised."),
    click.Option(["--dry-run"], is_flag=True, help="Check the configuration, estimate time and memory, and stop."),
    click.Option(
        ["--card", "cards"],
        multiple=True,
        type=click.Choice(["t4", "v100", "a100", "h100", "h200"]),
        help="With --rules and --dry-run: a GPU on which at least so many minutes are needed; repeatable.",
    ),
    click.Option(["--print-config"], is_flag=True, help="Print the configuration as TOML and stop."),
)


class RunCommand(GroupedCommand):
    """A command with an option for every field of `RunConfig`, read from its fields when the options are needed.

    So a new field needs no line here, and no other command loads torch. `shared`: which options that say where a run
    takes place it has too, None for all.
    """

    def __init__(self, *args: Any, shared: tuple[str, ...] | None = None, **settings: Any) -> None:
        super().__init__(*args, headings=HEADINGS, **settings)
        self.shared = shared

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options for where and what, those of the fields, its own, and --help."""
        places = [option for option in _PLACE if self.shared is None or option.name in self.shared]
        return [*places, *_field_options(), *super().get_params(ctx)]


def option_name(field: str) -> str:
    """The option of a field of `RunConfig`: ``n_local_steps`` is --local-steps.

    >>> option_name("n_local_steps"), option_name("seed")
    ('--local-steps', '--seed')
    """
    return "--" + field.removeprefix("n_").replace("_", "-")


def _field_options() -> list[click.Option]:
    """Without defaults, so that an option that was not given can be distinguished from one that was."""
    from deep.config.config import CHOICES, RunConfig
    from deep.config.settings import run_fields

    defaults = {f.name: f.default for f in fields(RunConfig)}
    found = []
    for name, kind in run_fields().items():
        choices = CHOICES.get(name)
        option = option_name(name)
        shown = f" [default: {defaults[name]}]" if defaults[name] != "" else ""
        found.append(
            click.Option(
                [f"{option}/--no-{option.removeprefix('--')}" if kind is bool else option, name],
                type=click.Choice(choices) if choices else kind,
                default=None,
                shell_complete=OF_FIELDS.get(name),
                help=" ".join(filter(None, (HELP.get(name), shown))),
            )
        )
    return found


def run(
    *,
    file: Path | None,
    rule: str | None,
    rules: str | None,
    rule_settings: tuple[str, ...],
    out: Path | None,
    data_root: Path | None,
    device: str | None,
    references: Path,
    seeds: int,
    tensorboard: Path | None,
    mlflow: str | None,
    wandb: str | None,
    experiment: str,
    overwrite: bool,
    traceback: bool,
    dry_run: bool,
    cards: tuple[str, ...],
    print_config: bool,
    **given: Any,
) -> None:
    """Train one federated model, or resume a run.

    With --seeds or --rules it is several. The same command again resumes where it stopped.
    """
    from deep.base.team import ElsewhereError, is_leader
    from deep.config.settings import to_toml
    from deep.runs.estimate import estimate, estimate_table

    if cards and not (rules is not None and dry_run):
        fail("--card: is for --rules with --dry-run")
    tracking = Tracking(tensorboard, mlflow, wandb, experiment, several=seeds > 1)
    if rules is not None:
        unfit = {"--rule": rule, "--print-config": print_config}
        unfit |= {"--overwrite": overwrite, "--traceback": traceback}
        for option, value in unfit.items():
            if value:
                fail(f"{option}: is for a single run; expected no --rules with it")
        said = (file, rule_settings, out, device, data_root, given)
        if dry_run:
            dry_fleet(rules, seeds, said, cards)
            return
        _, whole = play_fleet(rules, seeds, references, said, replace(tracking, several=True))
        raise SystemExit(0 if whole else 1)
    try:
        settings = settings_of(file, rule, rule_settings, out, device, data_root, given)
        if print_config:
            click.echo(to_toml(settings.config, settings.rule), nl=False)
            return
        if dry_run:
            s = settings
            with OwnFaults([s]):
                found = estimate(s.config, s.rule, out=s.out, device=s.device, data_root=s.data_root)
            Terminal(120).print(estimate_table(found))
            return
        each = [settings] if seeds == 1 else seeded(settings, seeds)
        with OwnFaults(each):
            results = [_trained(one, references, tracking, overwrite) for one in each]
    except ElsewhereError as error:
        raise SystemExit(2) from error  # the process that failed has said why
    except ValueError as error:
        if traceback:
            print_exception(error, file=sys.stderr)
        fail(str(error))
    if is_leader():
        for one, result in zip(each, results, strict=True):
            report_run(one, result)
        if seeds > 1:
            click.echo(over_seeds(results))
    raise SystemExit(0 if all(result.status == "completed" for result in results) else 1)


def _trained(settings: Settings, references: Path, tracking: Tracking, overwrite: bool) -> DeepRun:
    """The run, shown where `tracking` says."""
    from deep import run as train
    from deep.base.team import is_leader

    config, rule, out = settings.config, settings.rule, settings.out
    if out is None:
        raise ValueError("no --out: name a folder for the run, or add --dry-run")
    with ExitStack() as stack:
        show, advance = None, None
        if is_leader():
            show = tracking.shown(settings, stack)
            advance = stack.enter_context(progress(f"{type(rule).__name__} on {config.dataset}", config.n_rounds))

        def on_round(record: RoundRecord) -> None:
            if advance is not None:
                advance(1)
            if show is not None:
                show(record)

        return train(
            config,
            rule,
            out=out,
            device=settings.device,
            data_root=settings.data_root,
            references=references,
            on_round=on_round,
            overwrite=overwrite,
        )


COMMAND = RunCommand("run", callback=run, help=run.__doc__)
