"""One-step lemmas in full generality: the best constant of an inequality over a whole class of functions.

`worst_value` and `worst_ratio` take any statement in PEPit's expressions; the functions below are the common ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from theory.worst_case.certificate import is_constant_free
from theory.worst_case.problem import MAX_ROWS, Posed, check_class, load_pepit, smooth, solve
from theory.worst_case.result import WorstCase, in_units

__all__ = ["Ratio", "cocoercivity", "gradient_over_gap", "step_contraction", "worst_ratio", "worst_value"]


@dataclass(frozen=True, eq=False)
class Ratio:
    """`numerator` / `denominator` subject to `constraints`, PEPit expressions without constant terms."""

    numerator: Any
    denominator: Any
    constraints: Sequence[Any] = ()


def worst_value(
    build: Callable[[Any], Posed], *, solver: str = "CLARABEL", tolerance: float = 1e-5, max_rows: int = MAX_ROWS
) -> WorstCase:
    """sup of the posed objective over the classes that `build(pep)` declares with `smooth`; another name for `solve`.

    >>> def excess(pep):  # F(w) − F* where ‖w − w*‖ <= 1
    ...     F = smooth(pep, mu=0.0, L=1.0)
    ...     optimum, w = F.stationary_point(), pep.set_initial_point()
    ...     return Posed([F(w) - F(optimum)], [(w - optimum) ** 2 <= 1])
    >>> round(worst_value(excess).value, 5)
    0.5
    """
    return solve(build, solver=solver, tolerance=tolerance, max_rows=max_rows)


def worst_ratio(
    build: Callable[[Any], Ratio], *, solver: str = "CLARABEL", tolerance: float = 1e-5, max_rows: int = MAX_ROWS
) -> WorstCase:
    """sup numerator / denominator over instances with denominator > 0; +∞ also where only the denominator vanishes.

    Every admissible instance may be scaled, and instances may be put side by side in orthogonal dimensions, so the
    denominator is set to 1. That needs statements without constants: raises `ValueError` otherwise.
    """

    def normalised(pep: Any) -> Posed:
        ratio = build(pep)
        for part in (ratio.numerator, ratio.denominator, *(c.expression for c in ratio.constraints)):
            if not is_constant_free(part):
                raise ValueError(
                    "worst_ratio(build): a constant appears, so the ratio cannot be scaled; use worst_value"
                )
        return Posed([ratio.numerator], [ratio.denominator == 1, *ratio.constraints])

    return solve(normalised, solver=solver, tolerance=tolerance, max_rows=max_rows)


def gradient_over_gap(*, mu: float, L: float) -> WorstCase:
    """sup ‖∇F(w)‖² / (F(w) − F*), which is 2L: known truth K3, RA-L1."""
    check_class(mu, L)

    def build(pep: Any) -> Ratio:
        F, w = smooth(pep, mu=mu / L, L=1.0), pep.set_initial_point()
        pepit = load_pepit()
        F.add_point((pepit.null_point, pepit.null_point, pepit.null_expression))
        return Ratio(F.gradient(w) ** 2, F(w))

    return in_units(worst_ratio(build), length=1.0, curvature=L, value=L)


def cocoercivity(*, mu: float, L: float) -> WorstCase:
    """sup ‖∇F(x) − ∇F(y)‖² / ⟨∇F(x) − ∇F(y), x − y⟩, which is L for convex F: known truth K5."""
    check_class(mu, L)

    def build(pep: Any) -> Ratio:
        F, x, y = smooth(pep, mu=mu / L, L=1.0), pep.set_initial_point(), load_pepit().null_point
        change = F.gradient(x) - F.gradient(y)
        return Ratio(change**2, change * (x - y))

    return in_units(worst_ratio(build), length=1.0, curvature=L, value=L)


def step_contraction(
    *, mu: float, L: float, local_lr: float, measure: Literal["distance", "loss", "gradient"] = "distance"
) -> WorstCase:
    """sup of measure(w − η∇F(w)) / measure(w), which is ρ² with ρ = max(|1 − ημ|, |1 − ηL|) for μ > 0.

    Measures: ‖w − w*‖², F(w) − F*, ‖∇F(w)‖². Source for "loss": E. de Klerk, F. Glineur, A. Taylor, "On the worst-case
    complexity of the gradient method with exact line search", 2017, and for all three: A. Taylor, J. Hendrickx,
    F. Glineur, "Exact worst-case convergence rates of the proximal gradient method", 2018, Theorems 3.1 to 3.3.
    """
    check_class(mu, L)
    if not 0 < local_lr < math.inf:
        raise ValueError(f"step_contraction(local_lr={local_lr}): must be > 0 and finite")
    if measure not in ("distance", "loss", "gradient"):
        raise ValueError(f"step_contraction(measure={measure!r}): must be 'distance', 'loss' or 'gradient'")

    def build(pep: Any) -> Ratio:
        F, w = smooth(pep, mu=mu / L, L=1.0), pep.set_initial_point()
        pepit = load_pepit()
        F.add_point((pepit.null_point, pepit.null_point, pepit.null_expression))
        after = w - local_lr * L * F.gradient(w)
        if measure == "distance":
            return Ratio(after**2, w**2)
        if measure == "loss":
            return Ratio(F(after), F(w))
        return Ratio(F.gradient(after) ** 2, F.gradient(w) ** 2)

    return in_units(worst_ratio(build), length=1.0, curvature=L, value=1.0)
