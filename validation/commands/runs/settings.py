"""Options of `fedverdict run` as settings of runs, and the lines that report how runs ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING

import click

from validation.commands.runs.rule_names import rule_shown
from validation.commands.terminal import fail

if TYPE_CHECKING:
    from deep.config.settings import Settings
    from deep.storage.record import DeepRun

__all__ = ["REFERENCES", "over_seeds", "report_run", "seeded", "settings_of"]

REFERENCES = "fedverdict-references"  # default folder of reference solutions


def settings_of(
    file: Path | None,
    rule: str | None,
    rule_settings: tuple[str, ...],
    out: Path | None,
    device: str | None,
    data_root: Path | None,
    given: Mapping[str, object],
) -> Settings:
    """The settings of the file, overridden by the options; `ValueError` as `resolve`."""
    from deep.config.settings import Layer, read_layer, resolve

    said = {name: value for name, value in given.items() if value is not None}
    flags = Layer(said, rule, dict(_setting(text) for text in rule_settings), out, device, data_root)
    return resolve(*([] if file is None else [read_layer(file)]), flags)


def seeded(settings: Settings, seeds: int) -> list[Settings]:
    """The same run with the seed and those that follow it, each in its own folder; the rule's draws follow, too."""
    if settings.out is None:
        raise ValueError("no --out: name a folder for the runs")
    first = settings.config.seed
    return [replace(settings.at_seed(seed), out=settings.out / f"seed-{seed}") for seed in range(first, first + seeds)]


def over_seeds(results: list[DeepRun]) -> str:
    """Means and standard deviations of the final scores over runs that were completed."""
    done = [result.history[-1] for result in results if result.status == "completed"]
    parts: list[str] = []
    for name in ("test_accuracy", "test_loss", "train_loss"):
        values = [value for record in done if (value := getattr(record, name)) is not None]
        if values and not (name == "train_loss" and parts):
            spread = f" ± {stdev(values):.3f}" if len(values) > 1 else ""
            parts.append(f"{name.replace('_', ' ')} {mean(values):.3f}{spread}")
    scores = ", ".join(parts) or "no score"
    return f"{len(done)} of {len(results)} seeds completed: {scores} (mean ± standard deviation over seeds)"


def _setting(text: str) -> tuple[str, object]:
    from theory.rules import parse_value

    name, mark, value = text.partition("=")
    if not mark or not name.strip() or not value.strip():
        raise ValueError(f"--set {text!r}: expected NAME=VALUE")
    return name.strip(), parse_value(value)


def report_run(settings: Settings, result: DeepRun) -> None:
    """One line on how it ended, and one on privacy where the server adds noise for it."""
    from deep.runs.privacy import privacy_of

    if not result.history:
        fail(f"the run diverged in its first round (local_lr={settings.config.local_lr}); try a smaller --local-lr")
    scores: Mapping[str, float | None] = {
        "test accuracy": next((r.test_accuracy for r in reversed(result.history) if r.test_loss is not None), None),
        "test loss": next((r.test_loss for r in reversed(result.history) if r.test_loss is not None), None),
    }
    if scores["test loss"] is None:  # drawn families have no test samples
        scores = {"train loss": result.history[-1].train_loss}
    shown = "".join(f", {name} {value:.3f}" for name, value in scores.items() if value is not None) + _judged(result)
    rule = rule_shown(result.rule, "" if settings.words is None else settings.words[0])
    ended = f"{rule}: {result.status} after {len(result.history)} rounds{shown}"
    click.echo(f"{ended}{_gap(result)}; metrics in {settings.out}")
    private = privacy_of(result)
    if private is not None:
        click.echo(f"privacy: {private}")


def _gap(result: DeepRun) -> str:
    """F(w) − F* at the last model that was broadcast, where w* is known."""
    from deep.metrics import ROUND_QUANTITIES, round_quantities, rounds_of

    if result.floor.at_optimum is None:
        return ""
    (chosen,) = (q for q in ROUND_QUANTITIES if q.key == "excess_loss")
    last = rounds_of([replace(result.history[-1], round=0)], floor=result.floor)
    (gap,) = round_quantities(last, (chosen,))[chosen.key]
    return "" if gap is None else f", excess_loss {chosen.title} = {gap:.3g} before the last round"


def _judged(result: DeepRun) -> str:
    """Which models and samples the scores are for, where that is not the server's model."""
    last = result.history[-1]
    if not last.judged:
        return ""
    held_out = [value for value in last.client_test_accuracy if value is not None]
    own = f", {mean(held_out):.3f} on their held-out samples" if held_out else ""
    server = "" if last.server_test_accuracy is None else f"; the server's model {last.server_test_accuracy:.3f}"
    return f" (for {last.judged}: mean over the clients' models on the server's test samples{own}{server})"
