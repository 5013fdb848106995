"""Words that code can use as keys: by them a letter of a notation counts, or does not, in what a claim means.

A word is an identifier that stands in a text, names a keyword, an attribute or a field, or a pattern such as `d_*` of
the names that an f-string or a sum of texts can make. Code that changes texts in another way can make any: `*`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache

__all__ = ["ANY", "names_that_match", "words_in_code", "words_of"]

__judges__ = "no"

ANY = "*"
_CHANGES = {
    "capitalize", "casefold", "format", "format_map", "join", "lower", "lstrip", "removeprefix", "removesuffix",
    "rstrip", "strip", "swapcase", "title", "translate", "upper",
}  # fmt: skip
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[\w*]+")


@cache
def words_of(text: str) -> frozenset[str]:
    """The words of a text, each of which it can be split into."""
    return frozenset(_WORD.findall(text))


def words_in_code(parts: Sequence[ast.AST], whole: bool) -> tuple[str, ...]:
    """The words and patterns in the nodes of a function, sorted.

    `whole`: it looks names up by text, so that each of its own names is a word, and it can make any.
    """
    found = {word for part in parts for word in _of_node(part)}
    if whole:
        found |= {ANY, *(part.id for part in parts if isinstance(part, ast.Name))}
    return tuple(sorted(found))


def _of_node(part: ast.AST) -> Iterable[str]:
    if isinstance(part, ast.Constant):
        return words_of(part.value) if isinstance(part.value, str) else ()
    if isinstance(part, ast.keyword | ast.arg):
        return (part.arg,) if part.arg else ()
    if isinstance(part, ast.Attribute):
        return (part.attr, ANY) if part.attr in _CHANGES else (part.attr,)
    if isinstance(part, ast.JoinedStr) or _adds_text(part):
        return _pattern("".join(_pieces(part)))
    return ()


def _adds_text(part: ast.AST) -> bool:
    """Whether something is added to a text, or put into one by %."""
    if not isinstance(part, ast.BinOp) or not isinstance(part.op, ast.Add | ast.Mod | ast.Mult):
        return False
    return any(
        isinstance(side, ast.JoinedStr) or _is_text(side) or _adds_text(side) for side in (part.left, part.right)
    )


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _pieces(part: ast.AST) -> Iterator[str]:
    """The texts that are written, and * for what is put between them."""
    if isinstance(part, ast.JoinedStr):
        for piece in part.values:
            yield from _pieces(piece)
    elif isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
        yield from _pieces(part.left)
        yield from _pieces(part.right)
    elif isinstance(part, ast.Constant) and isinstance(part.value, str):
        yield part.value
    else:
        yield ANY


def _pattern(text: str) -> Iterable[str]:
    """A text with holes as a pattern of names; each of its parts is one, as it may be split, unless it is a hole."""
    whole = re.sub(r"\*+", ANY, text)
    if _NAME.fullmatch(whole):
        return (whole,)
    return [word for word in _NAME.findall(whole) if word != ANY]


def names_that_match(names: Iterable[str], words: Set[str]) -> set[str]:
    """The names that are among the words, or of the shape of a pattern among them."""
    patterns = [re.compile(re.escape(word).replace(r"\*", r"\w*")) for word in words if ANY in word]
    return {name for name in names if name in words or any(p.fullmatch(name) for p in patterns)}
