"""An exact second opinion: the same federations, rounds and rules in rationals and balls, written to be read."""

from __future__ import annotations

from theory.exact.arrays import ExactArray, exact_array
from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.copied import exact_copy
from theory.exact.decide import Decision, Enclosed, Sides, decide
from theory.exact.errors import DigitsError, InexactError, NoValueError, OperationsError, UndecidedError
from theory.exact.number import Exact, exact
from theory.exact.numbers import ball, decide_less, rational
from theory.exact.reference.plain import (
    dot,
    is_positive_semidefinite,
    local_sgd_round,
    matvec,
    quadratic_gradient,
    quadratic_loss,
    quadratic_optimum,
    rotated,
    solve,
    weighted_sum,
)

__all__ = [
    "Decision",
    "DigitsError",
    "Enclosed",
    "Exact",
    "ExactArray",
    "InexactError",
    "NoValueError",
    "OperationsError",
    "Sides",
    "UndecidedError",
    "at_most_digits",
    "at_most_operations",
    "ball",
    "decide",
    "decide_less",
    "dot",
    "exact",
    "exact_array",
    "exact_copy",
    "is_positive_semidefinite",
    "local_sgd_round",
    "matvec",
    "quadratic_gradient",
    "quadratic_loss",
    "quadratic_optimum",
    "rational",
    "rotated",
    "solve",
    "weighted_sum",
]
