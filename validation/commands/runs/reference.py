"""`fedverdict reference`: w*, F*, Fₖ* of a task with certificates, kept for every run of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from validation.commands.output import echo_json
from validation.commands.runs.run import RunCommand
from validation.commands.terminal import Terminal, fail

if TYPE_CHECKING:
    from deep.task.reference import Reference

__all__ = ["COMMAND", "REFERENCE_OPTIONS", "reference"]

REFERENCE_OPTIONS = (
    click.Option(
        ["--steps"], type=click.IntRange(min=1), help="Steps of gradient descent, for models that are not convex."
    ),
    click.Option(["--rate"], type=float, help="Step size of that gradient descent."),
    click.Option(["--json", "as_json"], is_flag=True, help="Print the reference as JSON."),
)


def reference(
    *,
    file: Path | None,
    data_root: Path | None,
    references: Path,
    steps: int | None,
    rate: float | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Compute w*, F* and Fₖ* of a task and keep them for its runs.

    Convex models are solved to 1e-10. For others, --steps and --rate give the losses that gradient descent reaches.
    Rule, client algorithm and server do not matter.
    """
    import torch

    from deep.config.settings import Layer, read_layer, resolve
    from deep.task.reference import load_reference, reached_reference, solved_reference, task_hash
    from deep.task.setup import Setup
    from deep.task.task import make_task

    try:
        if (steps is None) != (rate is None):
            raise ValueError("--steps and --rate: gradient descent needs both; give both or neither")
        said = {name: value for name, value in given.items() if value is not None}
        layers = [Layer(rule="proportional"), *([] if file is None else [read_layer(file)]), Layer(said)]
        settings = resolve(*layers)
        config = settings.config
        task = make_task(Setup.of(config), torch.device("cpu"), data_root or settings.data_root)
        kind = "solved" if steps is None else "reached"
        found = load_reference(references, task_hash(config, task), kind) if kind == "solved" else None
        if found is None:
            found = (
                solved_reference(config, task)
                if steps is None or rate is None
                else reached_reference(config, task, steps, rate)
            )
            found.save(references)
    except (ValueError, RuntimeError) as error:
        fail(str(error))
    if as_json:
        echo_json(found.to_dict())
        return
    _show(found, references)


def _show(found: Reference, folder: Path) -> None:
    table = Table("", "infimum", "certified to", "‖∇F‖", "note", box=None, pad_edge=False)
    if found.kind == "solved":
        table.add_row("F*", *_row(found.loss, found.gap, found.gradient, found.note))
    rows = zip(found.client_losses, found.client_gaps, found.client_gradients, found.client_notes, strict=True)
    for k, (loss, gap, gradient, note) in enumerate(rows):
        table.add_row(f"F{k}*", *_row(loss, gap, gradient, note))
    Terminal(120).print(table)
    click.echo(f"{found.says}\nkept in {folder} under {found.task}")


def _row(loss: float, gap: float, gradient: float, note: str) -> tuple[str, str, str, str]:
    return f"{loss:.10g}", "–" if gap != gap else f"{gap:.1e}", f"{gradient:.1e}", note


COMMAND = RunCommand(
    "reference",
    callback=reference,
    help=reference.__doc__,
    params=list(REFERENCE_OPTIONS),
    shared=("file", "data_root", "references"),
)
