"""`fedverdict side-by-side`: the order of rules that theory predicts, tested on a network."""

from __future__ import annotations

from math import inf
from pathlib import Path

import click

from validation.commands.complete import rules as rule_names
from validation.commands.terminal import fail

__all__ = ["side_by_side"]


def _betas(_context: click.Context, _parameter: click.Parameter, value: str) -> tuple[float, ...]:
    try:
        return tuple(inf if word.strip() in {"inf", "∞"} else float(word) for word in value.split(","))
    except ValueError:
        raise click.BadParameter(f"{value!r}: expected numbers such as 0.1,1,inf") from None


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder for the study.")
@click.option(
    "--data-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="FEDVERDICT_DATA",
    help="Folder with the files of data sets.",
)
@click.option("--dataset", default="fashion-mnist", show_default=True, help="Data set of the study.")
@click.option("--split", default="small", show_default=True, help="Which samples to use; 'official' for all.")
@click.option("--model", default="mlp(hidden=[32])", show_default=True, help="The network (column c).")
@click.option("--network-lr", default=0.05, show_default=True, help="Local step size of the network.")
@click.option(
    "--local-lr", default=0.01, show_default=True, help="Local step size of softmax regression (columns a and b)."
)
@click.option(
    "--clients", "n_clients", default=10, type=click.IntRange(2), show_default=True, help="Number of clients."
)
@click.option("--rounds", "n_rounds", default=20, type=click.IntRange(2), show_default=True, help="Number of rounds.")
@click.option(
    "--steps", "n_local_steps", default=5, type=click.IntRange(1), show_default=True, help="Local steps per round."
)
@click.option("--batch-size", default=20, type=click.IntRange(1), show_default=True, help="Samples in a batch.")
@click.option("--seeds", "n_seeds", default=5, type=click.IntRange(2), show_default=True, help="Number of seeds.")
@click.option("--beta", default=0.3, show_default=True, help="Dirichlet parameter β of the partition.")
@click.option(
    "--betas",
    default="0.1,0.3,1,10,inf",
    callback=_betas,
    show_default=True,
    help="Values of β for the dose–response curve.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    shell_complete=rule_names,
    help="A rule to compare, in place of the default seven; repeatable.",
)
@click.option(
    "--over-tasks",
    is_flag=True,
    help="Test the disputed rules on 18 tasks instead: two data sets, three partitions, three networks.",
)
def side_by_side(out: Path, data_root: Path | None, rules: tuple[str, ...], over_tasks: bool, **given: object) -> None:
    """Predict the order of rules from theory and test it on a network.

    The order is computed from a solved convex task and written to OUT/prediction.json before any network is trained.
    Results go to OUT/side_by_side.json, which `fedverdict report --side-by-side FILE` shows. Rules are compared with
    the first one. The same command again resumes where it stopped. Without options it is the report's demonstration.

    With --over-tasks the predictions of all tasks go to OUT/predictions.json first, and with them those of predictors
    that know the weights alone; OUT/over_tasks.json compares them on test loss, worst client and test error.
    """
    if over_tasks:
        _over_tasks(out, data_root, rules, given)
        return
    from validation.transfer.setting import Setting
    from validation.transfer.study import PREDICTION, RESULT, study

    try:
        setting = Setting(**given, **({"rules": rules} if rules else {}))  # type: ignore[arg-type]
        found = study(setting, out, data_root=data_root, tick=lambda words: click.echo(words, err=True))
    except (ValueError, FileNotFoundError) as error:
        fail(str(error))
    click.echo(f"written before the network ran: {out / PREDICTION} ({found['prediction']['digest'][:12]})")
    for order in found["answer"]["orders"].values():
        tau, flips = order["tau"], [pair for pair in order["pairs"] if pair["flips"]]
        each = tau["each"]
        band = "" if each["low"] is None else f" [{each['low']:.2f}, {each['high']:.2f}]"
        click.echo(f"{order['says']}:")
        click.echo(
            f"  Kendall's τ with the network {tau['of_means']:.2f}; by seed {each['value']:.2f}{band};"
            f" {len(flips)} of {len(order['pairs'])} pairs flip,"
            f" {sum(pair['beyond_chance'] for pair in flips)} beyond chance"
        )
    click.echo(f"all results: {out / RESULT}")


def _over_tasks(out: Path, data_root: Path | None, rules: tuple[str, ...], given: dict[str, object]) -> None:
    from validation.transfer.over_tasks import DISPUTED, RESULT, tasks_like
    from validation.transfer.over_tasks import over_tasks as study
    from validation.transfer.setting import Setting

    try:
        tasks = tasks_like(Setting(**given, rules=rules or DISPUTED))  # type: ignore[arg-type]
        found = study(tasks, out, data_root=data_root, tick=lambda words: click.echo(words, err=True))
    except (ValueError, FileNotFoundError) as error:
        fail(str(error))
    for measure, rows in found["tau"].items():
        click.echo(f"{measure}: mean τ over {len(tasks)} tasks, and beyond the best trivial predictor")
        for name, row in rows.items():
            beyond, p = row["beyond"], row["beyond"]["p"]
            told = "" if p is None else f" (p = {p:.2g}; {beyond['detectable']:.2f} would be found)"
            click.echo(f"  {name}: {row['mean']['value']:.2f}; {beyond['value']:+.2f} beyond {beyond['than']}{told}")
    click.echo(f"all results: {out / RESULT}")
