"""Text on its way to a terminal or pipe: control characters are shown, not sent, and every encoding can write it."""

from __future__ import annotations

import codecs
import io
import json
import re
import sys
from collections.abc import Callable

import click

__all__ = ["any_encoding", "echo", "echo_json", "echo_source", "printable"]

# Control characters but tab and newline, and those that turn the direction of a line: papers may come from anybody.
_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with � for each control character other than tab and newline.

    >>> printable("red: " + chr(27) + "[31m")
    'red: �[31m'
    """
    return _HIDDEN.sub("�", text)


def echo(text: str, *, err: bool = False) -> None:
    """Print a line that may contain text of a paper, a file or a user."""
    click.echo(printable(text), err=err)


def echo_json(value: object, *, default: Callable[[object], object] | None = None) -> None:
    """Print JSON: in Unicode where stdout is UTF-8, else in ASCII with escapes; control characters are escaped."""
    text = json.dumps(value, ensure_ascii=not _is_utf8(), indent=1, allow_nan=False, default=default)
    click.echo(_HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def echo_source(source: str) -> None:
    """Print a file's text and nothing else; in UTF-8 whatever the locale is, as Python and LaTeX read it."""
    text = printable(source)
    click.echo((text if text.endswith("\n") else text + "\n").encode("utf-8", "backslashreplace"), nl=False)


def any_encoding() -> None:
    """Let stdout and stderr write any character: as a backslash escape where their encoding lacks it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _is_utf8() -> bool:
    try:
        return codecs.lookup(getattr(sys.stdout, "encoding", None) or "ascii").name == "utf-8"
    except LookupError:
        return False
