"""`fedverdict side-by-side`: theory's order of the rules from a solved task, and what a network says of it."""

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
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Folder of the study.")
@click.option(
    "--data-root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    envvar="FEDVERDICT_DATA",
    help="Folder with the files of data sets.",
)
@click.option("--dataset", default="fashion-mnist", show_default=True)
@click.option("--split", default="small", show_default=True, help="'official' for all samples.")
@click.option("--model", default="mlp(hidden=[32])", show_default=True, help="The network of column c.")
@click.option("--network-lr", default=0.05, show_default=True, help="Its local step size.")
@click.option("--local-lr", default=0.01, show_default=True, help="Step size of softmax regression, columns a and b.")
@click.option("--clients", "n_clients", default=10, type=click.IntRange(2), show_default=True)
@click.option("--rounds", "n_rounds", default=20, type=click.IntRange(2), show_default=True)
@click.option("--steps", "n_local_steps", default=5, type=click.IntRange(1), show_default=True, help="Local steps.")
@click.option("--batch-size", default=20, type=click.IntRange(1), show_default=True)
@click.option("--seeds", "n_seeds", default=5, type=click.IntRange(2), show_default=True)
@click.option("--beta", default=0.3, show_default=True, help="Dirichlet's β of the columns.")
@click.option("--betas", default="0.1,0.3,1,10,inf", callback=_betas, show_default=True, help="β of the dose–response.")
@click.option(
    "--rule", "rules", multiple=True, shell_complete=rule_names, help="A rule in place of the seven; repeatable."
)
def side_by_side(out: Path, data_root: Path | None, rules: tuple[str, ...], **given: object) -> None:
    """Theory's order of the rules, written down from a solved task, and what a network on the same data says of it.

    OUT then holds prediction.json, written before any network is trained, and side_by_side.json, which
    `fedverdict report --side-by-side FILE` shows; called again with the same options it goes on where it stopped.
    The first rule is the one that others are compared with. Without options it is the report's demonstration.
    """
    from validation.transfer import Setting, study
    from validation.transfer.study import PREDICTION, RESULT

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
    click.echo(f"everything: {out / RESULT}")
