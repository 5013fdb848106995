"""Inner products of float32 rows, wherever they lie, with a few float64 ones, by the compiled kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.compiled.library import Float, address, library

__all__ = ["products"]


def products(rows: Sequence[NDArray[Any]], values: Float) -> Float | None:
    """⟨rowᵢ, valueⱼ⟩ in float64, (n, m), of `rows` (d,) float32 and `values` (m, d); None without the kernels.

    None, too, for rows of another type or such as do not lie in one piece.
    """
    kernels = library()
    plain = all(row.dtype == np.float32 and row.flags.c_contiguous for row in rows)
    if kernels is None or not plain or values.dtype != np.float64:
        return None
    values = np.ascontiguousarray(values)
    out = np.zeros((len(rows), len(values)))
    places = np.asarray([row.__array_interface__["data"][0] for row in rows], dtype=np.uint64)
    start = places.__array_interface__["data"][0]
    kernels.kernels["products"](len(rows), *values.shape, start, address(values), address(out))
    return out
