"""What one run of the tests has of many cases of one kind: as many as it can afford, which the commit chooses.

Every case has its turn, one commit always chooses the same, and `make nightly` runs those that are left out.
"""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest


@cache
def the_commit() -> str:
    """The commit that is checked out; without a checkout the version."""
    root = Path(__file__).parents[1]
    if not (root / ".git").exists():
        return version("fedverdict")
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=root, capture_output=True, text=True, check=True).stdout


def share(ids: Iterable[str], of: int, commit: str | None = None) -> set[str]:
    """One in `of` of the ids, rounded up, as the commit has it."""
    chosen = the_commit() if commit is None else commit
    drawn = sorted(ids, key=lambda name: hashlib.sha256(f"{chosen} {name}".encode()).digest())
    return set(drawn[: -(-len(drawn) // of)])


def in_turn(cases: Mapping[str, Any], of: int) -> list[Any]:
    """Parameters of a test: each case, by its id; all but one in `of` are left to `make nightly`."""
    now = share(cases, of)
    return [pytest.param(c, id=name, marks=() if name in now else pytest.mark.nightly) for name, c in cases.items()]
