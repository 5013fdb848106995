"""What theory needs to know about arrays: their namespace, and clear errors at the door.

Code in ``theory`` takes its namespace from its inputs (array-API subset) and never converts, moves or
casts them: NumPy float64 is the reference, torch CPU or CUDA tensors run the same lines.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any, Protocol

import array_api_compat.numpy as numpy_namespace
import numpy as np
from array_api_compat import array_namespace
from array_api_compat import device as device_of
from threadpoolctl import ThreadpoolController

__all__ = [
    "Array",
    "check_simplex",
    "device_of",
    "long_layout",
    "namespace",
    "one_blas_thread",
    "simplex_tolerance",
    "stacked_rows",
    "to_host",
]


class Array(Protocol):
    """Anything array-API: a NumPy array or a torch tensor, on any device."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: Any, /) -> Any: ...
    def __add__(self, other: Any, /) -> Any: ...
    def __radd__(self, other: Any, /) -> Any: ...
    def __sub__(self, other: Any, /) -> Any: ...
    def __rsub__(self, other: Any, /) -> Any: ...
    def __mul__(self, other: Any, /) -> Any: ...
    def __rmul__(self, other: Any, /) -> Any: ...
    def __truediv__(self, other: Any, /) -> Any: ...
    def __pow__(self, other: Any, /) -> Any: ...
    def __neg__(self) -> Any: ...
    def __matmul__(self, other: Any, /) -> Any: ...
    def __lt__(self, other: Any, /) -> Any: ...
    def __le__(self, other: Any, /) -> Any: ...
    def __gt__(self, other: Any, /) -> Any: ...
    def __ge__(self, other: Any, /) -> Any: ...


def namespace(*arrays: Array) -> Any:
    """The array-API namespace shared by `arrays`.

    Raises `TypeError` when NumPy and torch arrays are mixed.
    """
    if {type(a) for a in arrays} == {np.ndarray}:  # asked many times a round
        return numpy_namespace
    return array_namespace(*arrays)


def long_layout(array: Any) -> Any:
    """The same array, stored with its batch axes innermost.

    For many small clients element-wise work then runs over long stretches of memory instead of rows of 2 or 3 numbers;
    NumPy and torch keep the layout of their operands in their results.
    """
    xp = namespace(array)
    if array.ndim < 2:
        return array
    backwards = tuple(reversed(range(array.ndim)))
    turned = xp.permute_dims(array, backwards)
    stored = np.ascontiguousarray(turned) if isinstance(turned, np.ndarray) else turned.contiguous()
    return xp.permute_dims(stored, backwards)


def stacked_rows(rows: list[Any]) -> Any:
    """Rows of one shape on a new first axis; those stored with their batch axis innermost stay so, which is faster."""
    xp = namespace(rows[0])
    if rows[0].ndim == 2 and type(rows[0]) is np.ndarray and rows[0].strides[0] < rows[0].strides[1]:
        return np.stack([row.T for row in rows]).swapaxes(-1, -2)
    return xp.stack(rows)


def simplex_tolerance(array: Array) -> float:
    """How far a sum of n weights may be from 1 by rounding alone: 4·n·eps of their own precision."""
    xp = namespace(array)
    return 4.0 * array.shape[-1] * float(xp.finfo(array.dtype).eps)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context in which BLAS uses one thread.

    The products of a simulation are small and many: with two threads a round was seen to take ten times as long,
    because the threads wait for each other. Parallel work belongs outside, in processes.
    """
    context: AbstractContextManager[Any] = _blas().limit(limits=1, user_api="blas")
    return context


def check_simplex(weights: Array, name: str) -> None:
    """Raise `ValueError` unless `weights`, shape (*batch, n_clients), lie on the simplex (last axis)."""
    xp = namespace(weights)
    if weights.ndim == 0 or weights.shape[-1] == 0:
        raise ValueError(f"{name}: shape {tuple(weights.shape)}; expected (*batch, n_clients) with n_clients >= 1")
    if not bool(xp.all(xp.isfinite(weights))):
        raise ValueError(f"{name}: contains NaN or infinity; expected finite weights >= 0 that sum to 1")
    lowest = float(xp.min(weights))
    if lowest < 0:
        raise ValueError(f"{name}: smallest entry is {lowest:g}; expected weights >= 0 that sum to 1")
    off = float(xp.max(xp.abs(xp.sum(weights, axis=-1) - 1)))
    allowed = simplex_tolerance(weights)
    if off > allowed:
        raise ValueError(f"{name}: sums differ from 1 by {off:g} (allowed {allowed:.1g}); divide by the sum first")


def to_host(array: Array) -> Any:
    """A NumPy copy of `array` for solvers that live on the CPU; a torch tensor is detached first."""
    detach = getattr(array, "detach", None)
    if detach is not None:
        return np.asarray(detach().cpu())
    return np.asarray(array)
