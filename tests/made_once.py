"""What several workers of one run of the tests need, and the first of them makes for all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def made_once(factory: pytest.TempPathFactory, worker: str, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of that name, which `make` has filled: once in this run, whoever comes first; others wait.

    `worker`: the fixture `worker_id`. What raises is tried again by the next.
    """
    base = factory.getbasetemp()
    folder = (base if worker == "master" else base.parent) / name
    done = folder.with_suffix(".done")
    with FileLock(folder.with_suffix(".lock")):
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder
