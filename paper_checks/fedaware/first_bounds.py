"""The bound of Corollary 4.1 for FedAWARE's weights against that of Theorem 4.2 for FedAvg's, in the first round."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked
from theory.quantities import chi_square, pseudo_gradient
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Property,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["higher_bound"]


def _consensus(x: Instance) -> Mapping[str, Any]:
    """χ²ρ(λ̃) less ρ(λ), λ̃ of least norm: updates of one sign on a line, so all weight is on the shortest; equal shares λ."""
    g = x["m"]
    lam, low = np.full(g.shape, 1.0 / g.shape[1]), np.sort(g, axis=1)
    applied = (g == low[:, :1]).astype(float)
    own = pseudo_gradient(g[..., None], lam)[:, 0] ** 2
    factor = 1.0 if "plain" in x else chi_square(applied, lam)
    sign = -1.0 if "plain" in x else 1.0
    return {
        "lhs": sign * (factor * low[:, 0] ** 2 - own),
        "admissible": low[:, 1] > low[:, 0] * (1 + 1e-9),
        "magnitude": low[:, -1] ** 2,
    }


def consensus_exact(x: Mapping[str, Any]) -> Checked:
    """Positive updates of which one alone is the shortest: the weights of smallest norm are unique."""
    g = x["m"]
    lam, short = [Fraction(1, len(g)) for _ in g], min(g)
    applied = [Fraction(int(v == short)) for v in g]
    met = {
        "one update alone is the shortest": sum(applied) == 1 and short > 0,
    }
    own = sum(a * v for a, v in zip(lam, g, strict=True)) ** 2
    chi = sum((a - b) ** 2 / a for a, b in zip(lam, applied, strict=True))
    return met, {"lhs": own - short * short if "plain" in x else chi * short * short - own}


def higher_bound(*flags: str) -> Property:
    """χ²ρ(λ̃) <= ρ(λ) for the weights of smallest norm; `plain`: the opposite without χ², which is false."""

    def at(N: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("m", 1e-2, 1e2, (n,), at=(1.0,)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (units({"m": (0, 1)}), permuted_clients({"m": 0}))
        exact = ExactCheck(consensus_exact)
        return Case(f"{n} updates on a line", space, _consensus, exact, cost=max(1.0, n / 75), symmetries=same)

    return Property((Family("updates of one sign", (Size("N", 3, 300, 3),), at),), degrees=(0, 2))
