"""The names of `fedverdict`: of the packages that were installed with it, and with a hint where an extra is missing."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

__all__ = ["own_names"]

_OF_DEEP = frozenset({"kornia", "sklearn", "torch"})
_PACKAGES = ("theory", "deep", "validation", "paper_checks")


def own_names(package: str, file: str) -> Callable[[str], object]:
    """The `__getattr__` of `theory.base.lazily.lazily`; a name that needs PyTorch where there is none says what to
    install.

    Raises `ImportError`, naming the place, where Python finds another package of one of our names.
    """
    home = Path(file).resolve().parent.parent
    for name in _PACKAGES:
        place = _place(name)
        if place != home / name:
            raise ImportError(
                f"{package} needs its own package {name!r}, but Python finds {place or 'none'} first;"
                " rename that one, or start Python in another folder"
            )
    from theory.base.lazily import lazily

    found = lazily(package, file)

    def named(name: str) -> object:
        try:
            return found(name)
        except ModuleNotFoundError as error:
            if error.name not in _OF_DEEP:
                raise
            raise ModuleNotFoundError(
                f"{package}.{name} needs {error.name}, which is not installed: pip install 'fedverdict[deep]'",
                name=error.name,
            ) from None

    return named


def _place(name: str) -> Path | None:
    """The folder of a package, or the file of a module, that ``import name`` would take; nothing is imported."""
    spec = find_spec(name)
    if spec is None:
        return None
    folders = list(spec.submodule_search_locations or ())
    place = folders[0] if folders else spec.origin
    return None if place is None else Path(place).resolve()
