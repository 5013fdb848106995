"""`fedverdict run`: one deep run from a TOML file and options, or what it would take."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from validation.commands.terminal import fail, progress

if TYPE_CHECKING:
    from deep.record import DeepRun, RoundRecord
    from deep.settings import Settings

__all__ = ["RunCommand", "option_name", "run"]

_HELP = {
    "dataset": "A bundled data set, or one whose files lie under --data-root.",
    "model": "A model, with its settings if need be: 'mlp(hidden=[128])'.",
    "n_clients": "Clients there are.",
    "n_sampled": "Clients present per round.",
    "partition": "Who holds which samples: 'iid', 'classes(m=2)', 'shards(per_client=2)', …",
    "cohort": "Clients made anew every round, such as 'imbalanced(n_clients=10)'; in place of the three above.",
    "split": "How the data is cut, such as 'official'.",
    "n_rounds": "Rounds to play.",
    "n_local_steps": "Steps of SGD per client and round, each on a fresh draw of samples.",
    "n_local_epochs": "Passes over a client's samples per round, instead of --local-steps.",
    "batch_size": "Samples of a step.",
    "local_lr": "Rate of local SGD.",
    "lr_decay": "Factor on that rate from round to round.",
    "server_lr": "Factor on the combined update; 1 is FedAvg.",
    "target": "Classes that models are judged on, such as 'exponential(rho=100)'.",
    "n_target_samples": "Unlabelled samples the server shows to rules that look at outputs.",
    "losses": "Whose losses are measured every round.",
    "buffers": "Running statistics are averaged, or normalisation layers stay local (FedBN).",
    "trainer": "Clients of a round in turn, together, or what was measured to be faster.",
    "evaluate_every": "Rounds from one evaluation to the next.",
    "seed": "Of every stream of random numbers.",
    "checkpoint_every": "Rounds from one checkpoint to the next; changes no number.",
}
_FOLDER = click.Path(path_type=Path, file_okay=False)
_PLACE = (
    click.Option(
        ["--config", "file"],
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="TOML file with [run] and [rule]; options override it.",
    ),
    click.Option(
        ["--rule"],
        help="A rule's name, see `fedverdict rules`, or all of it:"
        " 'switch(first=exp-alpha, then=uniform, at_round=20)'.",
    ),
    click.Option(
        ["--set", "rule_settings"],
        multiple=True,
        metavar="NAME=VALUE",
        help="A setting of the rule, such as alpha=0.5.",
    ),
    click.Option(["--out"], type=_FOLDER, help="Folder of the run."),
    click.Option(
        ["--data-root"],
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        envvar="FEDVERDICT_DATA",
        help="Folder with the files of data sets that are not bundled.",
    ),
    click.Option(["--device"], help="'cpu' or 'cuda'.  [default: cpu]"),
    click.Option(["--tensorboard"], type=_FOLDER, help="Folder of event files that show the run while it goes on."),
    click.Option(["--dry-run"], is_flag=True, help="Check everything, say what the run would take, and stop."),
    click.Option(["--print-config"], is_flag=True, help="Print the configuration as TOML, and stop."),
)


class RunCommand(click.Command):
    """A command with an option for every field of `RunConfig`, found when they are asked for.

    So a new field needs no line here, and no other command loads torch.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options for where and what, those of the fields, and --help."""
        return [*_PLACE, *_field_options(), *super().get_params(ctx)]


def option_name(field: str) -> str:
    """The option of a field of `RunConfig`: ``n_local_steps`` is --local-steps.

    >>> option_name("n_local_steps"), option_name("seed")
    ('--local-steps', '--seed')
    """
    return "--" + field.removeprefix("n_").replace("_", "-")


def _field_options() -> list[click.Option]:
    """Without defaults, so that what was not said can be told from what was."""
    from deep.config import CHOICES, RunConfig
    from deep.settings import run_fields

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
                help=" ".join(filter(None, (_HELP.get(name), shown))),
            )
        )
    return found


def run(
    *,
    file: Path | None,
    rule: str | None,
    rule_settings: tuple[str, ...],
    out: Path | None,
    data_root: Path | None,
    device: str | None,
    tensorboard: Path | None,
    dry_run: bool,
    print_config: bool,
    **given: Any,
) -> None:
    """One deep run; called again with the same options it resumes where it stopped."""
    from deep.estimate import estimate, estimate_table
    from deep.settings import Layer, read_layer, resolve, to_toml

    try:
        said = {name: value for name, value in given.items() if value is not None}
        flags = Layer(said, rule, dict(_setting(text) for text in rule_settings), out, device, data_root)
        settings = resolve(*([] if file is None else [read_layer(file)]), flags)
        text = to_toml(settings.config, settings.rule)
        if print_config:
            click.echo(text, nl=False)
            return
        click.echo(text, err=True)
        if dry_run:
            s = settings
            found = estimate(s.config, s.rule, out=s.out, device=s.device, data_root=s.data_root)
            Console(width=max(Console().width, 120)).print(estimate_table(found))
            return
        result = _trained(settings, tensorboard)
    except ValueError as error:
        fail(str(error))
    _report(settings, result)


def _setting(text: str) -> tuple[str, object]:
    from theory.rules import parse_value

    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        raise ValueError(f"--set {text!r}: expected NAME=VALUE")
    return name.strip(), parse_value(value)


def _trained(settings: Settings, tensorboard: Path | None) -> DeepRun:
    """The run, shown in TensorBoard if a folder for it is given."""
    from deep import run as train
    from deep.metrics import TensorBoardWriter

    config, rule, out = settings.config, settings.rule, settings.out
    if out is None:
        raise ValueError("no --out: name the folder of the run, or ask for --dry-run")
    with ExitStack() as stack:
        show = None if tensorboard is None else stack.enter_context(TensorBoardWriter(tensorboard))
        advance = stack.enter_context(progress(f"{type(rule).__name__} on {config.dataset}", config.n_rounds))

        def on_round(record: RoundRecord) -> None:
            advance(1)
            if show is not None:
                show(record)

        return train(config, rule, out=out, device=settings.device, data_root=settings.data_root, on_round=on_round)


def _report(settings: Settings, result: DeepRun) -> None:
    """One line on how it ended; exit code 1 for a run that diverged."""
    if not result.history:
        fail(f"the run diverged in its first round; nothing to report (local_lr={settings.config.local_lr})")
    scores: Mapping[str, float | None] = {
        "test accuracy": next((r.test_accuracy for r in reversed(result.history) if r.test_loss is not None), None),
        "test loss": next((r.test_loss for r in reversed(result.history) if r.test_loss is not None), None),
    }
    shown = "".join(f", {name} {value:.3f}" for name, value in scores.items() if value is not None)
    click.echo(f"{result.rule}: {result.status} after {len(result.history)} rounds{shown}; metrics in {settings.out}")
    raise SystemExit(0 if result.status == "completed" else 1)
