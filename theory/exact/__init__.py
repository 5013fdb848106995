"""An exact second opinion: the same federations, rounds and rules in rationals and balls, written to be read."""

from __future__ import annotations

from theory.exact.numbers import ball, decide_less, rational
from theory.exact.plain import (
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
    "ball",
    "decide_less",
    "dot",
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
