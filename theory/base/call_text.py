"""Text like a call, ``name(setting=value, …)``: parsed by Python's parser, never evaluated, never too deep."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["LARGEST_INTEGER", "LONGEST", "build_from", "parse_call_text", "real_name"]

LONGEST = 2000
LARGEST_INTEGER = 2**63 - 1
_DEEPEST = 60  # levels of the tree, two for each rule inside a rule; Python's own tools recurse, and end at 1000 calls
# Stand for hyphens inside names, and for dots and the colon of "package.module:name", while Python parses the text:
# letters to Python, absent from names.
_HYPHEN, _DOT, _COLON = "·", "ˑ", "ː"
_PLACE = re.compile(r"(?<![\w.])[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def parse_call_text(text: str, kind: str, expected: str, whole: str | None = None) -> ast.expr:
    """The expression that `text` is, hyphens inside names replaced; `real_name` puts them back.

    `kind`: what is written, "rule" or "partition"; `expected`: how; `whole`: the text that errors show, if `text` is a
    part of it. Raises `ValueError` saying so for text that is too long, no expression, nested too deeply, or holds an
    integer beyond 64 bits.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        what = f"of {len(text)} characters" if isinstance(text, str) else repr(text)[:60]
        raise ValueError(f"{kind} {what}: expected text of at most {LONGEST} characters")
    shown = _shown(text if whole is None else whole)
    joined = re.sub(r"(?<=[^\W\d_])-(?=[^\W\d_])", _HYPHEN, text.strip())
    joined = _PLACE.sub(lambda place: place[0].replace(".", _DOT).replace(":", _COLON), joined)
    try:
        with warnings.catch_warnings():  # Python's opinion on how a literal is written
            warnings.simplefilter("ignore")
            node = ast.parse(joined, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"{kind} {shown}: cannot be read; expected {expected}") from None
    level: list[ast.AST] = [node]
    for _ in range(_DEEPEST):
        level = [inner for outer in level for inner in ast.iter_child_nodes(outer)]
    if level:
        raise ValueError(f"{kind} {shown}: nested too deeply; expected {expected}")
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, int) and part.value > LARGEST_INTEGER:
            raise ValueError(f"{kind} {shown}: holds an integer beyond {LARGEST_INTEGER}")
    return node


def real_name(text: str) -> str:
    """`text` with the hyphens, dots and colons it was written with."""
    return text.replace(_HYPHEN, "-").replace(_DOT, ".").replace(_COLON, ":")


def build_from(build: Callable[..., Any], settings: Mapping[str, object], called: str) -> Any:
    """`build` with settings that were read from text; `ValueError` showing them where one is of a type it cannot take.

    `called`: what is built, as in "rule 'min-norm'". Constructors check ranges; that a word may stand where a number
    should, only text brings about.
    """
    try:
        return build(**settings)
    except TypeError as error:
        given = ", ".join(f"{name}={value!r}" for name, value in settings.items())
        raise ValueError(f"{called}: one of its settings ({given}) is of a type it cannot take: {error}") from error


def _shown(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:200] + "…")
