"""Messages, progress and tables of commands: errors and progress on stderr, and exit codes.

0 done · 1 a claim stayed undecided, or a run diverged · 2 bad input, or a file or folder that cannot be used ·
3 internal error · 130 interrupted · 143 and 129 ended by SIGTERM and SIGHUP.
"""

from __future__ import annotations

import os
import shlex
import sys
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from validation.commands.grouped import nearest_command
from validation.commands.output import any_encoding, echo, printable
from validation.cost.ending import EndedBySignal, listening
from validation.ledger.notices import LedgerWarning

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

__all__ = ["INSTALL_DEEP", "Commands", "Terminal", "fail", "is_watched", "out_of_memory", "progress", "verdict_style"]

_WORDS = "fedverdict.words"
# Commands that resume, and their options under which they do so only with --resume.
_KEPT: Mapping[str, frozenset[str]] = {
    "check": frozenset({"--again", "--no-resume", "--update-committed"}),
    **dict.fromkeys(("queue", "reproduce", "run", "side-by-side", "tune"), frozenset()),
}
INSTALL_DEEP = "pip install 'fedverdict[deep]'"
_OF_DEEP = frozenset({"kornia", "sklearn", "torch"})  # what that extra brings
_OUT_OF_MEMORY = "out of memory; what was finished is kept (fewer --jobs, a smaller run, or more memory)"


def fail(message: str) -> NoReturn:
    """Print the error and end with exit code 2."""
    echo(f"fedverdict: {message}", err=True)
    raise SystemExit(2)


_STYLES: Mapping[str, str] = {
    "proved": "bold green",
    "holds": "green",
    "refuted": "bold red",
    "misprint": "red",
    "unstated-condition": "red",
}


def verdict_style(verdict: str) -> str:
    """The colour a verdict's word has in a terminal."""
    return _STYLES.get(verdict, "yellow")


_PIPED = 100  # columns of a table in a pipe or file
_LISTED = 160  # columns that a list of parts needs as a table


class Terminal(Console):
    """Prints tables and text, at least `width` columns wide; text is text: no markup, no control characters."""

    def __init__(self, width: int = 0, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, **settings)
        self.width = max(self.width, width)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What rich makes of something to print; control characters in its text are shown as �."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(printable(text), style)

    @classmethod
    def fitting(cls) -> Terminal:
        """As wide as the terminal, or as COLUMNS says; where there is neither, 100 columns."""
        here = cls()
        if not here.is_terminal and "COLUMNS" not in os.environ:
            here.width = _PIPED
        return here

    def parts(self, names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """A list of parts: a table where there is room for one, else a paragraph each, without what is empty."""
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        if self.width >= _LISTED or not (self.is_terminal or "COLUMNS" in os.environ):
            self.width = max(self.width, _LISTED)
            table = Table(*names, box=None, pad_edge=False)
            for row in rows:
                table.add_row(*row)
            self.print(table)
            return
        self.print(Text(names[0], style="underline"))
        for title, *rest in rows:
            self.print(Text(title, style="bold"))
            for name, value in zip(names[1:], rest, strict=True):
                if value:
                    line = Text.assemble((f"{name} ", "dim"), value)
                    self.print(Padding(line, (0, 0, 0, 2), expand=False))

    def on_broken_pipe(self) -> None:
        """Handled like any other failure to write; rich would end with code 1, which has another meaning here."""
        raise BrokenPipeError


class Commands(click.Group):
    """A group of commands; however one ends, it prints a message and returns one of our exit codes.

    `lazy`: by heading of the help and by name, where a command is ("module:attribute") and its line of help; it is
    imported when it is called.
    """

    def __init__(
        self, *words: Any, lazy: Mapping[str, Mapping[str, tuple[str, str]]] | None = None, **settings: Any
    ) -> None:
        super().__init__(*words, **settings)
        self.headings = dict(lazy or {})
        self.lazy = {name: place for held in self.headings.values() for name, place in held.items()}

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Run the command line; stdout and stderr write any character, whatever their encoding."""
        any_encoding()
        return super().main(*arguments, **settings)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The command line is kept, to print how to resume after an interruption."""
        ctx.meta[_WORDS] = list(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in order."""
        return sorted({*super().list_commands(ctx), *self.lazy})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported if need be."""
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _, name = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command called; for an unknown one the error names the nearest."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = nearest_command(args[0], self.list_commands(ctx)) if args else ""
            if not hint or hint in error.message:
                raise
            raise click.UsageError(f"{error.message} {hint}", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their lines of help, under headings; none is imported."""
        wide = max(map(len, self.lazy), default=0)  # one column of names for all headings
        for heading, held in self.headings.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(wide), words) for name, (_, words) in held.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """The command, with its warnings as lines and its failures as messages."""
        try:
            with warnings.catch_warnings(), listening():
                warnings.simplefilter("always", LedgerWarning)
                warnings.showwarning = _warned
                return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, click.Abort):
            click.echo(f"fedverdict: interrupted; what was finished is kept{_goes_on(ctx)}", err=True)
            raise SystemExit(130) from None
        except EndedBySignal as ended:
            with suppress(OSError):  # with a hangup the terminal may be gone
                click.echo(f"fedverdict: ended by {ended.by.name}; what was finished is kept{_goes_on(ctx)}", err=True)
            raise SystemExit(128 + ended.by) from None
        except MemoryError:
            fail(_OUT_OF_MEMORY)
        except BrokenPipeError:  # the reader of our output has gone
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python reports it at exit
            raise SystemExit(2) from None
        except OSError as error:
            where = f"{error.filename}: " if error.filename is not None else ""
            fail(f"{where}{error.strerror or error}")
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in _OF_DEEP:
                _told_as_internal(error)
            fail(f"this needs {error.name}, which is not installed: {INSTALL_DEEP}")
        except Exception as error:
            if out_of_memory(error):
                fail(_OUT_OF_MEMORY)
            _told_as_internal(error)


def _told_as_internal(error: Exception) -> NoReturn:
    """The traceback of an error of ours, and exit code 3."""
    traceback.print_exc()
    words = f"fedverdict: internal error ({type(error).__name__}: {error}); please report the lines above"
    echo(words, err=True)
    raise SystemExit(3) from None


def _goes_on(ctx: click.Context) -> str:
    """«; to go on: fedverdict check EA-T1», for a command that keeps its results."""
    words: list[str] = ctx.meta.get(_WORDS, [])
    verb = next((word for word in words if not word.startswith("-")), "")
    if verb not in _KEPT:
        return ""
    anew = _KEPT[verb] & {*words}
    kept = [word for word in words if word != "--no-resume"]
    more = ["--resume"] if anew and "--resume" not in words else []
    return f"; to go on: {shlex.join(['fedverdict', *kept, *more])}"


def out_of_memory(error: Exception) -> bool:
    """Whether torch, CUDA (a `RuntimeError`) or the loader (an `ImportError`) says that there is no memory."""
    if isinstance(error, ImportError):
        return "failed to map segment" in str(error) or "Cannot allocate memory" in str(error)
    return isinstance(error, RuntimeError) and ("can't allocate memory" in str(error) or "OutOfMemory" in repr(error))


def _warned(message: Warning | str, category: type[Warning], *_place: object, **_line: object) -> None:
    words = str(message) if issubclass(category, LedgerWarning) else f"{category.__name__}: {message}"
    echo(f"fedverdict: {words}", err=True)


def is_watched() -> bool:
    """Whether stderr is a terminal, where progress can be shown."""
    return Console(stderr=True).is_terminal


@contextmanager
def progress(title: str, total: int, now: Callable[[], str] | None = None) -> Iterator[Any]:
    """A progress bar on stderr; nothing at all when stderr is no terminal.

    `now`: what is being done, read some times a second and shown after the bar.
    """
    console = Terminal(stderr=True)
    if not console.is_terminal:
        yield _nothing
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    if now is not None:
        several = (BarColumn(12), MofNCompleteColumn()) if total > 1 else ()
        columns = (*several, TimeElapsedColumn(), _now_column(now))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=total)

        def advance(n: int = 1, description: str | None = None) -> None:
            bar.update(task, advance=n, description=description or title)

        yield advance


def _now_column(now: Callable[[], str]) -> ProgressColumn:
    from rich.progress import ProgressColumn, Task
    from rich.table import Column
    from rich.text import Text

    class Now(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(now() or task.description, style="dim", no_wrap=True, overflow="ellipsis")

    return Now(Column(ratio=1, no_wrap=True))


def _nothing(n: int, description: str | None = None) -> None:
    """What a step of a bar does where there is none."""
