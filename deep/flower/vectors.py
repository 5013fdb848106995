"""A Flower `ArrayRecord` as one flat float64 vector and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Layout"]


@dataclass(frozen=True)
class Layout:
    """What the arrays of a model are called, and their shapes and types, in order."""

    names: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    types: tuple[str, ...]

    @classmethod
    def of(cls, arrays: Mapping[str, Any]) -> Layout:
        """That of a Flower record, whose values have ``numpy()``."""
        values = [value.numpy() for value in arrays.values()]
        return cls(tuple(arrays), tuple(v.shape for v in values), tuple(str(v.dtype) for v in values))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Entries of each array."""
        return tuple(int(np.prod(shape)) for shape in self.shapes)

    def vector(self, arrays: Mapping[str, Any], whose: str) -> Tensor:
        """(dim,) float64; `ValueError` naming `whose` record it is where names or shapes are others."""
        if set(arrays) != set(self.names):
            raise ValueError(f"{whose}: arrays {sorted(arrays)}; expected {sorted(self.names)}")
        values = [arrays[name].numpy() for name in self.names]
        for name, value, shape in zip(self.names, values, self.shapes, strict=True):
            if value.shape != shape:
                raise ValueError(f"{whose}: array {name!r} has shape {value.shape}; expected {shape}")
        flat = np.concatenate([np.zeros(0), *(np.asarray(value, dtype=np.float64).ravel() for value in values)])
        return torch.from_numpy(flat)

    def arrays(self, vector: Tensor) -> dict[str, np.ndarray[Any, Any]]:
        """The vector as arrays in their own types; counts are rounded to the nearest."""
        parts = np.split(vector.numpy(), np.cumsum(self.sizes)[:-1])
        found = {}
        for name, part, shape, kind in zip(self.names, parts, self.shapes, self.types, strict=True):
            whole = np.issubdtype(np.dtype(kind), np.integer)
            found[name] = (np.rint(part) if whole else part).reshape(shape).astype(kind)
        return found
