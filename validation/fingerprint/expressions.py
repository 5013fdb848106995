"""Expressions of sympy as a digest, and the functions in them that are no library's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

from validation.fingerprint.project import is_project

__all__ = ["expression_digest", "functions_inside", "is_expression", "letters_inside"]

__judges__ = "no"


def is_expression(item: Any) -> bool:
    """Whether it is an expression of sympy, which is not imported to find out."""
    basic = sys.modules.get("sympy")
    return basic is not None and isinstance(item, basic.Basic)


@cache
def expression_digest(item: Any) -> str:
    """SHA-256 of a sympy expression by its functions and arguments; the order of what commutes does not count."""
    if item.args:
        parts = [expression_digest(a) for a in item.args]
        words = [type(item).__name__, *(sorted(parts) if item.is_Add or item.is_Mul else parts)]
    else:
        assumed = sorted(k for k, v in item.assumptions0.items() if v) if item.is_Symbol else []
        words = [f"{type(item).__name__} {item}", *assumed]
    return sha256("\0".join(words).encode()).hexdigest()


@cache
def functions_inside(item: Any) -> tuple[type, ...]:
    """The functions of an expression that are no library's, or that carry a function of Python; in order."""
    found: dict[type, None] = {}
    for part in _preorder(item):
        kind = type(part)
        if is_project(kind.__module__ or "") or hasattr(kind, "_imp_"):
            found.setdefault(kind)
    return tuple(found)


@cache
def letters_inside(item: Any) -> frozenset[str]:
    """The names of the symbols of an expression."""
    return frozenset(str(part) for part in _preorder(item) if getattr(part, "is_Symbol", False))


def _preorder(item: Any) -> Iterator[Any]:
    yield item
    for part in item.args:
        yield from _preorder(part)
