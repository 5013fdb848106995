"""Things chosen by name: an unknown name answers with the nearest ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TypeVar

from theory.base.call_text import LONGEST, parse_call_text, real_name

__all__ = ["pick", "read_call"]

T = TypeVar("T")

_WHOLE = re.compile(r"\s*([A-Za-z_][\w.]*:[A-Za-z_]\w*|[A-Za-z][A-Za-z0-9-]*)\s*(\(.*\))?\s*", re.DOTALL)


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
    form = "name or name(setting=value, …)"
    whole = _WHOLE.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST else None
    if whole is not None and whole[2] is None:
        return whole[1], {}
    name, arguments = ("", "") if whole is None else whole.groups()
    call = parse_call_text(text if whole is None else f"f{arguments}", kind, form, text)
    expected = f"{kind} {text!r}: cannot be read; expected {form}"
    if whole is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        raise ValueError(expected)
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        raise ValueError(f"{kind} {text!r}: settings go by name, as in {name}(setting=value)")
    settings = {str(k.arg): real_name(ast.unparse(k.value)) for k in call.keywords}
    if len(settings) < len(call.keywords):  # Python itself refuses to compile this, but not to parse it
        raise ValueError(f"{kind} {text!r}: a setting is given more than once")
    return name, settings
