"""PyTorch, imported when something of it is used: what only reads or checks a configuration never loads it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["is_installed", "torch"]


class Later(ModuleType):
    """A module that is imported when a name of it is used; `ModuleNotFoundError` then, where it is not installed."""

    def __getattr__(self, name: str) -> object:
        return getattr(import_module(self.__name__), name)


if not TYPE_CHECKING:
    torch = Later("torch")


def is_installed() -> bool:
    """Whether there is a PyTorch, which is then imported."""
    try:
        import_module("torch")
    except ModuleNotFoundError:
        return False
    return True
