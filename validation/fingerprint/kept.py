"""What functions say in normal form, kept between processes by the content of their files.

Parsing sources anew is a large part of a cold start. An entry is found by the bytes of the file, the place of the code
in it, the package, this Python and the code that makes entries, as it runs: its file may have been edited since. So an
entry that is found is the one that would be made. What is damaged, or cannot be written, costs time alone.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import CodeType
from typing import Any

from theory.base.files import replace_file

__all__ = ["Kept", "folder"]

__judges__ = "no"

_MOST = 20_000  # entries; beyond, those of this process alone are kept


def folder() -> Path:
    """Where entries lie: `fedverdict` in the user's cache (`XDG_CACHE_HOME`, else ~/.cache)."""
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "fedverdict"


@cache
def _bytes_digest(file: str) -> str:
    return sha256(Path(file).read_bytes()).hexdigest()


class Kept:
    """Entries, plain JSON, by key; read at the first question, written at the end of the process that made some."""

    def __init__(self, makers: Callable[[], str]) -> None:
        """`makers()`: a digest of the code that makes entries."""
        self.makers = makers
        self.made: dict[str, Any] = {}
        self._read: dict[str, Any] | None = None

    def file(self) -> Path:
        """The file of this Python and these makers."""
        made_by = f"{sys.version}\0{self.makers()}"
        return folder() / f"sources-{sha256(made_by.encode()).hexdigest()[:16]}.json"

    def key(self, code: CodeType, package: str) -> str:
        """What says all that an entry depends on: file, place, and package."""
        places = list(code.co_positions()) if code.co_name == "<lambda>" else []
        whole = (_bytes_digest(code.co_filename), code.co_qualname, code.co_firstlineno, places, package)
        return sha256(repr(whole).encode()).hexdigest()

    def get(self, key: str) -> Any:
        """The entry, None where there is none."""
        if self._read is None:
            self._read = self._there()
        return self.made.get(key, self._read.get(key))

    def put(self, key: str, entry: Any) -> None:
        """Keep an entry."""
        if not self.made:
            atexit.register(self.write)
        self.made[key] = entry

    def write(self) -> None:
        """Write what was made beside what others wrote meanwhile."""
        there = self._there()
        entries = self.made if len(there) > _MOST else there | self.made
        try:
            folder().mkdir(parents=True, exist_ok=True)
            replace_file(self.file(), json.dumps(entries).encode())
        except OSError:
            return

    def _there(self) -> dict[str, Any]:
        try:
            found = json.loads(self.file().read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
