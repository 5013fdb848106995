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

__all__ = ["Answer", "ClassWorstCase", "solved"]


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


def solved(program: ClassWorstCase) -> dict[str, Any]:
    """The program's row of a ledger entry, numbers to six digits; `status` says when it could not be solved and why."""
    row: dict[str, Any] = {"at": program.at, "bound": _short(program.bound)}
    try:
        answer = program.solve()
    except ImportError as error:
        return {**row, "value": None, "ratio": None, "status": f"not run: {error}"}
    except (RuntimeError, ArithmeticError) as error:
        return {**row, "value": None, "ratio": None, "status": f"not solved: {error}"}
    known = math.isfinite(answer.value)
    residual = getattr(answer.residuals, "relative", None) if answer.residuals is not None else None
    return {
        **row,
        "value": _short(answer.value) if known else None,
        "ratio": _short(answer.value / program.bound) if known else None,
        "status": str(answer.status),
        "solver": answer.solver,
        "residual": None if residual is None else float(f"{float(residual):.1g}"),
    }


def _short(value: float) -> float:
    return float(f"{value:.6g}")
