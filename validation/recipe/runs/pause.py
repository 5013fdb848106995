"""While a file called `pause` lies in the folder of work no round begins: benchmarks and tests want a quiet machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from time import sleep

__all__ = ["PAUSE", "rest"]

PAUSE = "pause"
_MOMENT = 2.0  # seconds between looks at whether the pause is over


def rest(work: Path, tell: Callable[[str], None] = lambda _: None) -> None:
    """Return when nothing asks for a quiet machine."""
    if (work / PAUSE).exists():
        tell(f"paused while {work / PAUSE} exists")
        while (work / PAUSE).exists():
            sleep(_MOMENT)
