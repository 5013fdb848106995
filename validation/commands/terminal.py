"""How commands speak to a person: mistakes and progress, on stderr, and exit codes.

0 done · 1 a claim stayed undecided, or a run diverged · 2 bad input, or a file or folder that cannot be used ·
3 internal error · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from validation.ledger import LedgerWarning

__all__ = ["Commands", "Terminal", "fail", "progress"]


def fail(message: str) -> NoReturn:
    """Say what was wrong and end with exit code 2."""
    click.echo(f"fedverdict: {message}", err=True)
    raise SystemExit(2)


class Terminal(Console):
    """Where tables go; at least `width` columns wide."""

    def __init__(self, width: int = 0, **settings: Any) -> None:
        super().__init__(**settings)
        self.width = max(self.width, width)

    def on_broken_pipe(self) -> None:
        """Told like any other failure to write; rich would end with code 1, which means something else here."""
        raise BrokenPipeError


class Commands(click.Group):
    """A group of commands whose every ending is a message and one of our exit codes."""

    def invoke(self, ctx: click.Context) -> Any:
        """The command, with its warnings as lines and its failures as messages."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("always", LedgerWarning)
                warnings.showwarning = _warned
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, click.Abort):
            click.echo("fedverdict: interrupted; what was finished is kept", err=True)
            raise SystemExit(130) from None
        except BrokenPipeError:  # whoever read our output has gone: nobody is there to be told
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python tells of it when it ends
            raise SystemExit(2) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            fail(f"{where}{error.strerror or error}")
        except Exception as error:
            traceback.print_exc()
            words = f"fedverdict: internal error ({type(error).__name__}: {error}); please report the lines above"
            click.echo(words, err=True)
            raise SystemExit(3) from None


def _warned(message: Warning | str, category: type[Warning], *_place: object, **_line: object) -> None:
    said = str(message) if issubclass(category, LedgerWarning) else f"{category.__name__}: {message}"
    click.echo(f"fedverdict: {said}", err=True)


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
