"""Results as they are committed: a row a line where it fits, and of every measured number nine digits."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["as_table"]

_WIDTH = 160
_DIGITS = 9  # more than any of these measurements has; values that should agree to 1e-6 can still be seen to


def as_table(value: Any, indent: int = 0) -> str:
    """JSON of nested dictionaries and lists; what fits into a line stands in one."""
    line = json.dumps(_rounded(value), ensure_ascii=False, default=str)
    if indent + len(line) <= _WIDTH or not isinstance(value, dict | list | tuple):
        return line
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        rows = [f"{pad}{json.dumps(str(k), ensure_ascii=False)}: {as_table(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + as_table(v, indent + 1) for v in value) + "\n" + " " * indent + "]"


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
