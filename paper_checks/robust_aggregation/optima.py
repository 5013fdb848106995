"""Γ > 0, which is what makes the weighting skew at w* defined (Remark 2): told from the optima, free of rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["optima_differ"]


def optima_differ(share: NDArray[np.float64], optimum: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether two clients with a share have different optima: (n, N) and (n, N, d) -> (n,)."""
    held = (share > 0)[..., None]
    low, high = np.where(held, optimum, np.inf).min(axis=1), np.where(held, optimum, -np.inf).max(axis=1)
    differ: NDArray[np.bool_] = (low < high).any(axis=-1)
    return differ
