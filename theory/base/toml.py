"""TOML text that a person wrote, within limits: `tomllib` takes quadratic time for a key of many parts."""

from __future__ import annotations

import re
import tomllib
from typing import Any

__all__ = ["parsed"]

_LARGEST = 2**18  # characters
# A key with 32 dots.
_DEEP_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){32}""")


def parsed(text: str) -> dict[str, Any]:
    """The document. Raises `ValueError` for what is no TOML, too long, nested too deeply, or has a key of 33 parts.

    >>> parsed("a.b = 1")
    {'a': {'b': 1}}
    """
    if len(text) > _LARGEST:
        raise ValueError(f"more than {_LARGEST:,} characters")
    if _DEEP_KEY.search(text):
        raise ValueError("a key of more than 32 parts; expected one such as run.n_rounds")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
