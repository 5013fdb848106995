"""Worst cases over a whole class of functions, solved: evidence beside a verdict."""

from __future__ import annotations

import math
from typing import Any

from validation.statement.forms.whole_class import ClassWorstCase

__all__ = ["solved"]

__judges__ = "worst cases"


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
