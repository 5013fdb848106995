"""What a solver's word is worth: its status against residuals computed by us, and one policy to name the result.

- The solver returned an instance (`optimal`, `optimal_inaccurate`, `user_limit`): its own adjective is ignored. The
  result is "optimal" when the worst relative residual is at most `tolerance`, else "inaccurate". Interior-point solvers
  stop on worst-case problems with `optimal_inaccurate` as a rule, often at a gap of 1e-8.
- `infeasible`: the hypotheses contradict each other, the value is −∞. This alone rests on the solver's certificate.
- The result is "unbounded", of value +∞, when a ray was found: a direction along which instances stay admissible and
  the objective grows (`theory.worst_case.ray`), checked like any instance. It is looked for whenever the answer is
  neither "optimal" nor infeasible; a solver's own `unbounded` is not taken without it.
- Anything else says nothing: `UnsolvedError` is raised, so that no comparison with a bound can pass by accident.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Residuals", "Status", "UnsolvedError", "judge"]

Status = Literal["optimal", "inaccurate", "infeasible", "unbounded"]

_WITH_INSTANCE = ("optimal", "optimal_inaccurate", "user_limit")


class UnsolvedError(RuntimeError):
    """The solver ended without an instance and without a certificate; the message says how."""


@dataclass(frozen=True)
class Residuals:
    """What is wrong with a solution, recomputed from the primal points and the multipliers, never the solver's report.

    `gap`: dual minus primal value, in units of the objective; slightly negative when the points violate a constraint.
    `smallest_eigenvalue` of the Gram matrix, in its own units; the points belong to its positive part.
    `interpolation`: the largest violation of an interpolation inequality by the points, in units of loss.
    `constraints`: the largest violation of any other constraint, relative to the sum of its terms' sizes.
    `dual`: by how much the multipliers fail to prove the dual value, in units of the objective, for instances of the
    size of the one found. `relative`: the worst of gap, interpolation, constraints, dual, each over its own scale.
    """

    gap: float
    smallest_eigenvalue: float
    interpolation: float
    constraints: float
    dual: float
    relative: float


def judge(
    solver_status: str, residuals: Residuals | None, tolerance: float, has_ray: Callable[[], bool] = lambda: False
) -> Status:
    """Our status for the solver's, by the policy above.

    `residuals` is None when no instance came back; `has_ray` is asked only where the policy needs it.
    Raises `UnsolvedError` when nothing follows from the solver's answer.
    """
    usable = solver_status in _WITH_INSTANCE and residuals is not None and math.isfinite(residuals.relative)
    if usable and residuals is not None and residuals.relative <= tolerance:
        return "optimal"
    if solver_status == "infeasible":
        return "infeasible"
    if has_ray():
        return "unbounded"
    if usable:
        return "inaccurate"
    raise UnsolvedError(
        f"worst case: the solver ended with {solver_status!r} and no usable instance; rescale towards L = radius = 1, "
        "lower n_rounds or n_local_steps, or try solver='SCS'"
    )
