"""Exact worst cases over whole function classes, by performance-estimation semidefinite programs (PEPit, cvxpy).

A problem that fits asks for the largest value of a performance measure after a fixed number of gradient steps, over
all functions with given μ and L, in any dimension; the answer carries its proof, its residuals and its worst instance.
Needs the extra ``sdp``; PEPit is imported when a problem is solved, not before.
Source of the method: Y. Drori, M. Teboulle, 2014; A. Taylor, J. Hendrickx, F. Glineur, 2017; B. Goujaud et al., PEPit.
"""

from __future__ import annotations

from theory.worst_case.fedavg import fedavg_size, worst_case_fedavg
from theory.worst_case.one_step import (
    Ratio,
    cocoercivity,
    gradient_over_gap,
    step_contraction,
    worst_ratio,
    worst_value,
)
from theory.worst_case.optimum_shift import worst_optimum_shift
from theory.worst_case.problem import MAX_ROWS, Posed, smooth, solve
from theory.worst_case.quadratic import QuadraticInstance, RebuildResult, rebuild_quadratic
from theory.worst_case.result import FunctionPoints, Size, WorstCase, interpolation_violation
from theory.worst_case.status import Residuals, Status, UnsolvedError, judge

__all__ = [
    "MAX_ROWS",
    "FunctionPoints",
    "Posed",
    "QuadraticInstance",
    "Ratio",
    "RebuildResult",
    "Residuals",
    "Size",
    "Status",
    "UnsolvedError",
    "WorstCase",
    "cocoercivity",
    "fedavg_size",
    "gradient_over_gap",
    "interpolation_violation",
    "judge",
    "rebuild_quadratic",
    "smooth",
    "solve",
    "step_contraction",
    "worst_case_fedavg",
    "worst_optimum_shift",
    "worst_ratio",
    "worst_value",
]
