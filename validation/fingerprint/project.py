"""Which modules are the project's own: their code counts, where that of a library counts by name."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

__all__ = ["is_project", "project_packages"]

__judges__ = "no"

_OURS = ("theory", "deep", "validation", "paper_checks")


@cache
def _outside_papers() -> frozenset[str]:
    """The top-level packages that bring papers of their own."""
    return frozenset(
        point.value.partition(":")[0].partition(".")[0] for point in entry_points(group="fedverdict.papers")
    )


def project_packages() -> tuple[str, ...]:
    """The top-level packages whose code counts wherever they are: ours, and those that bring papers."""
    return (*_OURS, *sorted(_outside_papers() - set(_OURS)))


@cache
def is_project(module: str) -> bool:
    """Whether a module's code counts: ours, that of a paper's package, and what is not installed as a library."""
    top = module.partition(".")[0]
    if top in _OURS or top in _outside_papers():
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or top in sys.stdlib_module_names:
        return False
    return not {"site-packages", "dist-packages"} & set(Path(file).parts)
