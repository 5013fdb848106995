"""Does the solution prove what it says? Primal constraints and the dual proof, recomputed term by term.

The dual of max obj(G, f) over G ⪰ 0 and cₖ(G, f) <= 0 is proved by multipliers λ: obj − Σλₖcₖ = τ + ⟨r, f⟩ − ⟨S, G⟩
with r = 0 and S ⪰ 0 gives obj <= τ. Expressions are read as maps from leaves (a function value, a pair of points, or 1
for a constant) to coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

__all__ = ["dual_bound", "is_constant_free", "largest_constraint_violation", "terms_size"]


def _term(key: Any) -> float:
    """The value of one leaf: a function value, an inner product, or the constant 1."""
    if isinstance(key, tuple):
        return float(np.dot(key[0].eval(), key[1].eval()))
    return 1.0 if isinstance(key, int) else float(key.eval())


def terms_size(expression: Any) -> float:
    """Σ |coefficient · leaf| at the solution: what the expression's rounding and cancellation are measured against."""
    return float(sum(abs(weight * _term(key)) for key, weight in expression.decomposition_dict.items()))


def is_constant_free(expression: Any) -> bool:
    """Whether the expression is linear in Gram matrix and function values, with no constant added."""
    return not any(isinstance(key, int) and weight != 0 for key, weight in expression.decomposition_dict.items())


def largest_constraint_violation(constraints: Sequence[Any], floor: float = 1e-300) -> float:
    """The largest violation at the solution, each over the size of its own terms, at least `floor`; 0 without any."""
    worst = 0.0
    for constraint in constraints:
        value = float(constraint.expression.eval())
        excess = abs(value) if constraint.equality_or_inequality == "equality" else max(value, 0.0)
        worst = max(worst, excess / max(terms_size(constraint.expression), floor))
    return worst


def dual_bound(pep: Any) -> tuple[float, float]:
    """(τ, error): the dual value, and by how much the multipliers miss a proof of it, in units of the objective.

    Negative multipliers of inequalities count as 0. The error is |⟨r, f⟩| summed over values plus n·max(0, −λ_min(DSD))
    with D² the diagonal of the Gram matrix G: an upper bound on ⟨r, f⟩ − ⟨S, G⟩ for instances no larger than this one.
    """
    n, tau = len(pep.G_value), 0.0
    linear, gram = np.zeros(len(pep.F_value)), np.zeros((n, n))

    def add(expression: Any, factor: float) -> None:
        nonlocal tau
        for key, weight in expression.decomposition_dict.items():
            if isinstance(key, tuple):
                gram[key[0].counter, key[1].counter] += factor * weight
            elif isinstance(key, int):
                tau += factor * weight
            else:
                linear[key.counter] += factor * weight

    add(pep.objective, 1.0)
    for constraint in pep._list_of_constraints_sent_to_wrapper:
        multiplier = float(constraint.eval_dual())
        if constraint.equality_or_inequality == "inequality":
            multiplier = max(multiplier, 0.0)
        add(constraint.expression, -multiplier)
    slack = -(gram + gram.T) / 2
    reach = np.sqrt(np.maximum(np.diag(pep.G_value), 0.0))
    lowest = float(np.linalg.eigvalsh(slack * reach[:, None] * reach[None, :])[0])
    return tau, float(np.sum(np.abs(linear * pep.F_value))) + n * max(0.0, -lowest)
