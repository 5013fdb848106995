"""When the worst case is +∞: a ray of instances, found and checked instead of believed.

Instances add up: placed side by side in orthogonal dimensions, Gram matrices and function values are summed. If one
meets the constraints without their constants and has objective 1, any multiple of it may be added to an admissible
instance, and the objective grows without limit. So a ray plus one admissible instance prove the value +∞.
In floats a ray is found up to a tolerance, so a finite value beyond 1/tolerance, in units of the constraints' own
constants, cannot be told from +∞; it is only ever asked after the problem itself was not solved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["admissible_only", "holds_at_zero", "ray_of"]


def _without_constant(expression: Any, pepit: Any) -> Any:
    kept = {key: weight for key, weight in expression.decomposition_dict.items() if not isinstance(key, int)}
    return pepit.Expression(is_leaf=False, decomposition_dict=kept)


def ray_of(objectives: Sequence[Any], constraints: Sequence[Any], pepit: Any) -> tuple[list[Any], list[Any]]:
    """The same problem for rays: maximise the objectives' growth up to 1. Value 1 with a ray, 0 without."""
    growth = pepit.Expression()
    caps = [growth <= 1.0, *(growth <= _without_constant(objective, pepit) for objective in objectives)]
    rays = []
    for constraint in constraints:
        part = _without_constant(constraint.expression, pepit)
        rays.append(part == 0 if constraint.equality_or_inequality == "equality" else part <= 0)
    return [growth], caps + rays


def admissible_only(constraints: Sequence[Any], pepit: Any) -> tuple[list[Any], list[Any]]:
    """The same constraints with nothing to maximise: solvable when some instance is admissible."""
    return [pepit.null_expression], list(constraints)


def holds_at_zero(constraints: Sequence[Any]) -> bool:
    """Whether the zero instance, every function zero and every point the origin, meets the constraints."""
    for constraint in constraints:
        constant = sum(w for key, w in constraint.expression.decomposition_dict.items() if isinstance(key, int))
        if constant > 0 or (constraint.equality_or_inequality == "equality" and constant != 0):
            return False
    return True
