"""`fedverdict run`: one deep run from a TOML file and options, or what it would take."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from validation.commands.complete import OF_FIELDS, rules
from validation.commands.fleet import play_fleet
from validation.commands.settings import REFERENCES, over_seeds, report_run, seeded, settings_of
from validation.commands.terminal import Terminal, fail, progress

if TYPE_CHECKING:
    from deep.record import DeepRun, RoundRecord
    from deep.settings import Settings

__all__ = ["COMMAND", "HELP", "RunCommand", "option_name", "run"]

HELP = {
    "dataset": "A bundled data set, or one whose files lie under --data-root.",
    "model": "A model, with its settings if need be: 'mlp(hidden=[128])'.",
    "n_clients": "Clients there are.",
    "n_sampled": "Clients present per round.",
    "partition": "Who holds which samples: 'iid', 'classes(m=2)', 'shards(per_client=2)', … In 'dirichlet(beta=0.3)',"
    " as in most public code, the last client gets a sample of nearly every class;"
    " 'dirichlet(beta=0.3, rounding=nearest)' favours no place.",
    "participation": "Who takes part, with how many steps: 'bernoulli(probability=0.3)', 'stragglers(lowest=2)', …",
    "cohort": "Clients made anew every round, such as 'imbalanced(n_clients=10)'; in place of the three above.",
    "split": "How the data is cut, such as 'official'.",
    "scaling": "Inputs as they are, by mean and deviation of data set or channel, or to [-1, 1].",
    "augment": "Training images cropped after padding by 4 pixels, mirrored, or both.",
    "client_test": "Fraction of each client's samples that it is judged on.",
    "n_rounds": "Rounds to play.",
    "n_local_steps": "Steps of SGD per client and round, each on a fresh draw of samples.",
    "n_local_epochs": "Passes over a client's samples per round, instead of --local-steps.",
    "batch_size": "Samples of a step.",
    "local_work": "Passes and batch size of each client drawn anew every round, such as 'drawn(fewest=2, most=5)'.",
    "local_lr": "Rate of local SGD.",
    "lr_decay": "Factor on that rate from round to round.",
    "lr_restart": "Round from which the rate starts anew, as after a client arrived; 0: never.",
    "momentum": "Of local SGD; its velocity begins at 0 in every round.",
    "nesterov": "Nesterov's momentum.",
    "l2": "Every client's loss is its mean loss plus l2/2 times the squared norm of the model.",
    "client": "A client algorithm, see `fedverdict algorithms`: 'scaffold', 'fed-prox(mu=0.1)', …",
    "server": "A server optimiser, see `fedverdict algorithms`: 'fed-adam(lr=0.01)', …",
    "server_lr": "Factor on the combined update; 1 is FedAvg.",
    "target": "Classes that models are judged on, such as 'exponential(rho=100)'; several with semicolons.",
    "n_target_samples": "Unlabelled samples the server shows to rules that look at outputs; 0: as many as fit.",
    "target_source": "Where those are drawn: validation part, test samples no rule is judged on, or judged ones.",
    "views": "How the two views of them are changed, such as 'views(crop=0.5)'.",
    "floor": "What stands for a client's least loss: 'auto' is solved for convex models with l2, else zero.",
    "losses": "Whose losses are measured every round.",
    "trains": "Everyone present, or only those to whom the rule gives weight by the losses of the broadcast model.",
    "buffers": "Running statistics are averaged, or normalisation layers stay local (FedBN).",
    "trainer": "Clients of a round in turn, together, or what was measured to be faster.",
    "evaluate_every": "Rounds from one evaluation to the next.",
    "validation": "Validation samples in every evaluation, or only when a rule reads them, and at the end.",
    "dtype": "Precision of models, updates and samples.",
    "products": "Of local training in full precision, in TF32 (on CUDA), or with factors in bfloat16.",
    "compiled": "Gradients of local steps through torch.compile; needs a C++ compiler, on CUDA Triton.",
    "seed": "Of every stream of random numbers, a rule's draws included where its words name no seed.",
    "data_seed": "In its place for who holds what; -1: none of its own.",
    "cohort_seed": "In its place for who takes part; -1: none of its own.",
    "training_seed": "In its place for the initial model, batches and augmentation; -1: none of its own.",
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
        shell_complete=rules,
        help="A rule's name, see `fedverdict rules`, or all of it:"
        " 'switch(first=exp-alpha, then=uniform, at_round=20)'.",
    ),
    click.Option(
        ["--rules"],
        help="A fleet in place of --rule: rules with semicolons between them, each with each of --seeds, played round"
        " by round in one process, in folders RULE/seed-N under --out.",
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
    click.Option(
        ["--references"],
        type=_FOLDER,
        default=REFERENCES,
        show_default=True,
        help="Folder of solved references, see `fedverdict reference`.",
    ),
    click.Option(
        ["--seeds"],
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Runs, of seeds --seed and the following, each in a folder of its own under --out. A rule that draws"
        " draws anew in each, unless its words name a seed: 'power-of-choice(d=4, m=2, seed=0)'.",
    ),
    click.Option(["--device"], help="'cpu' or 'cuda'.  [default: cpu]"),
    click.Option(["--tensorboard"], type=_FOLDER, help="Folder of event files that show the run while it goes on."),
    click.Option(["--dry-run"], is_flag=True, help="Check everything, say what the run would take, and stop."),
    click.Option(["--print-config"], is_flag=True, help="Print the configuration as TOML, and stop."),
)


class RunCommand(click.Command):
    """A command with an option for every field of `RunConfig`, found when they are asked for.

    So a new field needs no line here, and no other command loads torch. `shared`: which options that say where a run
    takes place it has too, None for all.
    """

    def __init__(self, *args: Any, shared: tuple[str, ...] | None = None, **settings: Any) -> None:
        super().__init__(*args, **settings)
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
    dry_run: bool,
    print_config: bool,
    **given: Any,
) -> None:
    """One deep run; called again with the same options it resumes where it stopped."""
    from deep.estimate import estimate, estimate_table
    from deep.settings import to_toml
    from deep.team import ElsewhereError, is_leader

    if rules is not None:
        unfit = {"--rule": rule, "--dry-run": dry_run, "--print-config": print_config, "--tensorboard": tensorboard}
        for option, value in unfit.items():
            if value:
                fail(f"{option}: of one run; a fleet (--rules) has none")
        _, whole = play_fleet(rules, seeds, references, (file, rule_settings, out, device, data_root, given))
        raise SystemExit(0 if whole else 1)
    try:
        settings = settings_of(file, rule, rule_settings, out, device, data_root, given)
        text = to_toml(settings.config, settings.rule)
        if print_config:
            click.echo(text, nl=False)
            return
        if is_leader():
            click.echo(text, err=True)
        if dry_run:
            s = settings
            found = estimate(s.config, s.rule, out=s.out, device=s.device, data_root=s.data_root)
            Terminal(120).print(estimate_table(found))
            return
        each = [settings] if seeds == 1 else seeded(settings, seeds)
        results = [_trained(one, references, _below(tensorboard, one, seeds)) for one in each]
    except ElsewhereError as error:
        raise SystemExit(2) from error  # the process that failed has said why
    except ValueError as error:
        fail(str(error))
    if is_leader():
        for one, result in zip(each, results, strict=True):
            report_run(one, result)
        if seeds > 1:
            click.echo(over_seeds(results))
    raise SystemExit(0 if all(result.status == "completed" for result in results) else 1)


def _below(folder: Path | None, settings: Settings, seeds: int) -> Path | None:
    return folder if folder is None or seeds == 1 else folder / f"seed-{settings.config.seed}"


def _trained(settings: Settings, references: Path, tensorboard: Path | None) -> DeepRun:
    """The run, shown in TensorBoard if a folder for it is given."""
    from deep import run as train
    from deep.metrics import TensorBoardWriter
    from deep.team import is_leader

    config, rule, out = settings.config, settings.rule, settings.out
    if out is None:
        raise ValueError("no --out: name the folder of the run, or ask for --dry-run")
    with ExitStack() as stack:
        show = None if tensorboard is None or not is_leader() else stack.enter_context(TensorBoardWriter(tensorboard))
        advance = None
        if is_leader():
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
        )


COMMAND = RunCommand("run", callback=run, help=run.__doc__)
