"""Points of least norm by the compiled active set, problem after problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.compiled.library import Float, address, library

__all__ = ["shortest"]


def shortest(gram: Float, present: Any = None, most: int | None = None) -> tuple[Float, Float] | None:
    """(weights, KKT residual) as `theory.minnorm.lockstep` returns them; None without the kernels.

    A problem in which more than `most` clients count is given up: it has residual infinite.
    """
    kernels = library()
    if kernels is None or type(gram) is not np.ndarray or gram.dtype != np.float64:
        return None
    n, batch = gram.shape[-1], gram.shape[:-2]
    gram, here = np.ascontiguousarray(gram), None
    if present is not None:
        here = np.ascontiguousarray(np.broadcast_to(np.asarray(present, dtype=bool), (*batch, n)))
    weights, residual = np.empty((*batch, n)), np.empty(batch)
    work, places, out = np.empty(2 * n * n + 8 * n), np.empty(2 * n, dtype=np.int64), np.empty(n, dtype=np.bool_)
    kernels.kernels["shortest"](
        residual.size, n, n if most is None else most, address(gram), None if here is None else _start(here),
        address(weights), address(residual), address(work), _start(places), _start(out),
    )  # fmt: skip
    return weights, residual


def _start(array: Any) -> int:
    start: int = array.__array_interface__["data"][0]
    return start
