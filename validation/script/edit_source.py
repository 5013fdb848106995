"""Changes of a program's text by the places of its syntax: what is taken out, and the rest as it was typed."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

__all__ = [
    "Edit",
    "Place",
    "applied",
    "blocks",
    "entries_without",
    "lines_of",
    "replaced",
    "segment",
    "statements_without",
    "tidied",
]

Place: TypeAlias = tuple[int, int]
"""Line from 1 on and column in bytes, as a node of syntax has them."""
Edit: TypeAlias = tuple[Place, Place, str]
"""From where to where a text is replaced, and by what."""


def lines_of(text: str) -> list[str]:
    """The lines with their ends."""
    return text.splitlines(keepends=True)


def _at(lines: Sequence[str], place: Place) -> int:
    """The place as a number of characters."""
    line, column = place
    before = sum(map(len, lines[: line - 1]))
    return before + (len(lines[line - 1].encode()[:column].decode()) if line <= len(lines) else 0)


def applied(lines: Sequence[str], edits: Collection[Edit]) -> str:
    """The text with the edits; of two that overlap only the one that begins first, or is longer."""
    text = "".join(lines)
    spans = sorted((_at(lines, start), -_at(lines, end), new) for start, end, new in edits)
    out, last = [], 0
    for start, minus_end, new in spans:
        if start >= last:
            out += [text[last:start], new]
            last = -minus_end
    return "".join([*out, text[last:]])


def segment(node: ast.AST, lines: Sequence[str]) -> str:
    """The text of a node as typed, without brackets around it."""
    return "".join(lines)[_at(lines, _start(node)) : _at(lines, _end(node))]


def replaced(node: ast.AST, by: ast.AST, lines: Sequence[str]) -> Edit:
    """A node gone for a part of it; brackets around it go, too, where what is left needs none."""
    text, (start, end) = segment(by, lines), (_start(node), _end(node))
    first, last = lines[start[0] - 1].encode(), lines[end[0] - 1].encode()
    before, inside = first[: start[1]].decode(), last[end[1] : end[1] + 1] == b")"
    called = re.search(r"[\w)\]]\($", before) and not re.search(r"\b(?:and|or|not|in|if|else|return)\($", before)
    if before.endswith("(") and inside and not called and isinstance(by, _ATOMS):
        start, end = (start[0], start[1] - 1), (end[0], end[1] + 1)
    return start, end, text


_ATOMS = (ast.Name, ast.Call, ast.Constant, ast.Subscript, ast.Attribute, ast.List, ast.ListComp, ast.Dict)


def _start(node: ast.AST) -> Place:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> Place:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]


def tidied(text: str) -> str:
    """One empty line where there are several, as a page has few lines."""
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n") + "\n"


def blocks(tree: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
    """Every list of statements with what it stands in."""
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            found = getattr(node, name, None)
            if isinstance(found, list) and found:
                yield node, found


def statements_without(tree: ast.AST, gone: Collection[ast.stmt]) -> Iterator[Edit]:
    """Without these statements; a loop that has none left goes, too, and a block that needs one gets `pass`."""
    out = set(gone)
    while True:
        empty = {
            node
            for node, block in blocks(tree)
            if isinstance(node, ast.For) and all(s in out for s in block) and not node.orelse and node not in out
        }
        if not empty:
            break
        out |= empty
    for node, block in blocks(tree):
        here = [s for s in block if s in out]
        for statement in here:
            whole = len(here) == len(block) and statement is block[-1] and not isinstance(node, ast.Module)
            text = f"{' ' * statement.col_offset}pass\n" if whole else ""
            yield (statement.lineno, 0), ((statement.end_lineno or 0) + 1, 0), text


def entries_without(table: ast.Dict, gone: Sequence[int], lines: Sequence[str]) -> Iterator[Edit]:
    """Without these entries of a table: whole lines where they stand alone on theirs."""
    starts = [
        (k.lineno, k.col_offset) if k is not None else (v.lineno, v.col_offset - 2)
        for k, v in zip(table.keys, table.values, strict=True)
    ]
    close = (table.end_lineno or 0), (table.end_col_offset or 0) - 1
    inline = [i for i in gone if not _alone(i, starts, close, lines)]
    for i in gone:
        after = starts[i + 1] if i + 1 < len(starts) else close
        if i not in inline:
            yield (starts[i][0], 0), (after[0], 0), ""
        elif i + 1 < len(starts):
            yield starts[i], after, ""
        elif len(gone) == 1:  # the last one: with the comma before it
            line = lines[starts[i][0] - 1].encode()
            comma = line.rfind(b",", 0, starts[i][1])
            yield ((starts[i][0], comma) if comma >= 0 and i else starts[i]), close, ""


def _alone(i: int, starts: Sequence[Place], close: Place, lines: Sequence[str]) -> bool:
    """Whether nothing else stands on the lines of an entry."""
    after = starts[i + 1] if i + 1 < len(starts) else close
    blank = all(not lines[line - 1].encode()[:column].strip() for line, column in (starts[i], after))
    return blank and after[0] > starts[i][0]
