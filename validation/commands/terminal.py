"""How commands speak to a person: mistakes and progress, on stderr."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

__all__ = ["fail", "progress"]


def fail(message: str) -> NoReturn:
    """Say what was wrong and end with exit code 2."""
    click.echo(f"fedverdict: {message}", err=True)
    raise SystemExit(2)


@contextmanager
def progress(title: str, total: int) -> Iterator[Any]:
    """A progress bar on stderr, silent when stderr is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task(title, total=total)

        def advance(n: int = 1, description: str | None = None) -> None:
            bar.update(task, advance=n, description=description or title)

        yield advance
