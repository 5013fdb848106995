"""Points of least norm by the compiled active set, problem after problem."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory.compiled.library import Float, address, library

__all__ = ["judged", "shortest"]

_FEW = 64  # clients for whom the kernel has room of its own


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
    work, places, out = np.empty(2 * n * n + 24 * n), np.empty(2 * n, dtype=np.int64), np.empty(3 * n, dtype=np.bool_)
    kernels.kernels["shortest"](
        residual.size, n, n if most is None else most, address(gram), None if here is None else _start(here),
        address(weights), address(residual), address(work), _start(places), _start(out),
    )  # fmt: skip
    return weights, residual


def judged(gram: Any, most: int) -> tuple[Float, list[float]] | None:
    """(weights, [‖d‖², gap, violation, KKT residual, scale]) for `gram` (n, n), checked and judged by the kernel.

    The figures are those of `theory.minnorm.point.Certificate`. None without the kernels, where more than `most`
    clients count, and for what is no Gram matrix of updates that are not 0, in NumPy's float64, row by row.
    """
    kernels = library()
    if kernels is None or type(gram) is not np.ndarray or gram.ndim != 2 or gram.dtype.char != "d":
        return None
    n, columns = gram.shape
    if n != columns or n < 2 or not gram.flags.c_contiguous:
        return None
    if n <= _FEW:
        found, room = np.empty(n + 5), (None, None, None)
    else:
        places = n + 5 + 2 * n * n + 24 * n
        found = np.empty(places + 3 * n)
        room = tuple(_start(found) + 8 * place for place in (n + 5, places, places + 2 * n))
    if not kernels.kernels["judged"](n, most, _start(gram), _start(found), *room):
        return None
    return (found[:n] if n <= _FEW else found[:n].copy()), found[n : n + 5].tolist()


def _start(array: Any) -> int:
    start: int = array.__array_interface__["data"][0]  # faster than `array.ctypes`
    return start
