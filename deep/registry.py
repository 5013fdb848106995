"""Things chosen by name: an unknown name answers with the nearest ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

__all__ = ["pick", "read_call"]

T = TypeVar("T")

_LONGEST = 2000
_HYPHEN = "·"  # stands for hyphens inside names while Python parses; a letter to Python, absent from our names
_WHOLE = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*(\(.*\))?\s*", re.DOTALL)


def pick(registry: Mapping[str, T], name: str, kind: str) -> T:
    """The entry of `registry` called `name`; `ValueError` with the nearest names when there is none.

    >>> pick({"digits": 1}, "digit", "dataset")
    Traceback (most recent call last):
    ...
    ValueError: unknown dataset 'digit'; nearest: digits
    """
    if name not in registry:
        near = get_close_matches(str(name), registry, n=3, cutoff=0.3) or sorted(registry)
        raise ValueError(f"unknown {kind} {name!r}; nearest: {', '.join(near)}")
    return registry[name]


def read_call(kind: str, text: str) -> tuple[str, dict[str, str]]:
    """Name and settings of ``name`` or ``name(setting=value, …)``, the values still text; parsed, never evaluated.

    Raises `ValueError`, in which `kind` says what was to be named, for text that cannot be read.

    >>> read_call("partition", "flipped(base=classes(m=2), exact=true)")
    ('flipped', {'base': 'classes(m=2)', 'exact': 'true'})
    """
    if not isinstance(text, str) or len(text) > _LONGEST:
        what = f"of {len(text)} characters" if isinstance(text, str) else repr(text)
        raise ValueError(f"{kind} {what}: expected text of at most {_LONGEST} characters")
    expected = f"{kind} {text!r}: cannot be read; expected name or name(setting=value, …)"
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        raise ValueError(expected)
    name, arguments = whole.groups()
    if arguments is None:
        return name, {}
    joined = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", _HYPHEN, arguments)
    try:
        call = ast.parse(f"f{joined}", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(expected) from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(expected)
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError(f"{kind} {text!r}: settings go by name, as in {name}(setting=value)")
    settings = {str(k.arg): ast.unparse(k.value).replace(_HYPHEN, "-") for k in call.keywords}
    if len(settings) < len(call.keywords):  # Python itself refuses to compile this, but not to parse it
        raise ValueError(f"{kind} {text!r}: a setting is given more than once")
    return name, settings
