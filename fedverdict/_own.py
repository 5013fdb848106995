"""The names of `fedverdict`, after a check that its four packages are the ones installed with it."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

__all__ = ["own_names"]

_PACKAGES = ("theory", "deep", "validation", "paper_checks")


def own_names(package: str, file: str) -> Callable[[str], object]:
    """`theory.lazily.lazily(package, file)`; `ImportError` where Python finds another package of one of our names."""
    home = Path(file).resolve().parent.parent
    for name in _PACKAGES:
        found = _place(name)
        if found != home / name:
            raise ImportError(
                f"{package} needs its own package {name!r}, but Python finds {found or 'none'} first;"
                " rename that one, or start Python in another folder"
            )
    from theory.lazily import lazily

    return lazily(package, file)


def _place(name: str) -> Path | None:
    """The folder of a package, or the file of a module, that ``import name`` would take; nothing is imported."""
    spec = find_spec(name)
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    place = folders[0] if folders else spec.origin
    return None if place is None else Path(place).resolve()
