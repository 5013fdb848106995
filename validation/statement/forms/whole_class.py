"""Evidence over a whole class of functions: the worst case of a semidefinite program beside the bound of a claim.

A program is exact up to its solver's residuals, in any dimension and for every function of the class, but only for the
sizes and constants it was posed at. So it supports `holds` and shows how tight; above the bound it calls for an
explicit instance, since floating point alone refutes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

__all__ = ["Answer", "ClassWorstCase"]


class Answer(Protocol):
    """What a solved program says (`theory.worst_case.WorstCase`)."""

    @property
    def value(self) -> float: ...
    @property
    def status(self) -> str: ...
    @property
    def solver(self) -> str: ...
    @property
    def residuals(self) -> Any: ...


@dataclass(frozen=True)
class ClassWorstCase:
    """One program: `at` says sizes and constants, `solve` poses it, `bound` is the claim's right side there."""

    at: str
    solve: Callable[[], Answer]
    bound: float

    def __post_init__(self) -> None:
        if not (self.bound > 0 and math.isfinite(self.bound)):
            raise ValueError(f"ClassWorstCase(at={self.at!r}, bound={self.bound}): must be > 0 and finite")
