"""What the claims on Exp-α's weights share: drawn loss changes, and their softmax."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from paper_checks.exp_alpha.exponential import EXPONENTIAL
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Size,
    Space,
    permuted_clients,
    units,
)

__all__ = ["clients", "softmax"]


def softmax(z: Instance, temperature: Any) -> Any:
    """Exp-α's weights at the temperatures given, from the instances' loss changes."""
    scores = z["change"] / temperature[:, None]
    raw = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raw / raw.sum(axis=1, keepdims=True)


_SAME = (
    units({"change": (1, 0), "alpha": (1, 0)}),
    permuted_clients({"change": 0, "size": 0}),
)


def clients(kind: str, measure: Callable[[Instance], Mapping[str, Any]], check: Any, *more: Choice) -> Family:
    """N clients with loss changes, data sizes, α and a `stretch` of it; coordinates `more` are flags."""

    def at(N: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                Signed("change", 1e-3, 1e2, (n,)),
                LogScale("size", 1e-2, 1e2, (n,), at=(1.0,)),
                LogScale("alpha", 1e-2, 1e3, at=(0.2, 1.0, 125.0)),
                LogScale("stretch", 1e-3, 1e4, at=(1.0,)),
                *more,
            )
        )
        exact = ExactCheck(check, EXPONENTIAL)
        return Case(f"{n} clients, {kind}", drawn, measure, exact, cost=max(1.0, n / 40), symmetries=_SAME)

    return Family(kind, (Size("N", 2, 300, 3),), at)
