"""Options on how much to search: budgets, limits, jobs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any

import click

from validation.cost.allowed import DEFAULT_BUDGET, Limits, usable_cores

__all__ = ["BUDGET", "JOBS", "OR_SECONDS", "Seconds", "limited"]


@dataclass(frozen=True)
class Seconds:
    """A budget in processor time: the least that the last search of a claim takes."""

    value: float


def _budget(context: click.Context, _parameter: click.Parameter, value: str) -> int | Seconds:
    timed = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|min|h)", value.strip())
    if timed and context.info_name == "check":
        seconds = float(timed[1]) * {"s": 1, "min": 60, "h": 3600}[timed[2]]
        if not 0 < seconds <= 86_400:
            raise click.BadParameter(f"{value}: expected more than 0 s and at most a day for a claim")
        return Seconds(seconds)
    try:
        number = int(float(value))
    except (ValueError, OverflowError):
        also = ", or processor time such as 20s" if context.info_name == "check" else ""
        words = f"{value!r} is not a number; expected evaluations per reading, such as 1e5{also}"
        raise click.BadParameter(words) from None
    if number < 100:
        raise click.BadParameter(f"{value}: expected at least 100 evaluations per reading")
    return number


BUDGET = click.option(
    "--budget", default=str(DEFAULT_BUDGET), callback=_budget, show_default=True, help="Evaluations per reading."
)
JOBS = click.option(
    "--jobs",
    default=usable_cores,
    type=click.IntRange(min=1),
    show_default="all cores",
    help="Processes to use; verdicts do not depend on it.",
)
OR_SECONDS = click.option(
    "--budget",
    default=str(DEFAULT_BUDGET),
    callback=_budget,
    show_default=True,
    help="Evaluations per reading, or processor time per claim such as 20s or 5min.",
)

_DEFAULTS = Limits()


class _Positive(click.FloatRange):
    """A number > 0 that is finite: of NaN no range says that it is outside."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not isfinite(number):
            self.fail(f"{value}: expected a finite number > 0", param, ctx)
        return number


def limited(command: Callable[..., None]) -> Callable[..., None]:
    """The options of `Limits`."""
    positive = _Positive()
    for name, kind, default, words in (
        ("--memory", positive, _DEFAULTS.memory / 2**30, "GiB of memory, beyond which the claim is undecided."),
        ("--digits", click.IntRange(min=1), _DEFAULTS.digits, "Digits of the fractions in an exact re-check."),
        (
            "--recheck-seconds",
            positive,
            _DEFAULTS.recheck_seconds,
            "Seconds for an exact re-check, counted in operations.",
        ),
        ("--seconds", positive, _DEFAULTS.seconds, "Seconds for the whole unit."),
    ):
        command = click.option(name, type=kind, default=default, show_default=True, help=words)(command)
    return command
