"""One value a client slot, written out for few slots and kept thin for many: most are alike where few are present."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW", "LONG", "Slots", "of_array", "of_some"]

T = TypeVar("T")
LONG = 100  # slots up to which a list is written out, for people to read
FEW = 0.25  # of the slots, that may differ from the others


@dataclass(frozen=True, eq=False, slots=True)
class Slots(Sequence[T]):
    """`n` values, `other` but for those at `at`, increasing places, which are `values`; equal to the list of all."""

    n: int
    other: T
    at: list[int]
    values: list[T]

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[T]:
        return iter(self.tolist())

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        return self.tolist()[place]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Slots):
            alike = self.n == other.n and self.other == other.other and self.at == other.at
            return (alike and self.values == other.values) or self.tolist() == other.tolist()
        return self.tolist() == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self.tolist(), dtype=dtype)

    def __repr__(self) -> str:
        return repr(self.tolist())

    def tolist(self) -> list[T]:
        """All of them."""
        found = [self.other] * self.n
        for place, value in zip(self.at, self.values, strict=True):
            found[place] = value
        return found


def of_some(n: int, other: T, at: Sequence[int], values: Sequence[T]) -> Sequence[T]:
    """`values` at `at`, increasing, and `other` elsewhere, of `n` in all."""
    if other in values and any(_alike(value, other) for value in values):
        pairs = [(place, value) for place, value in zip(at, values, strict=True) if not _alike(value, other)]
        at, values = [place for place, _ in pairs], [value for _, value in pairs]
    found = Slots(n, other, list(at), list(values))
    return found.tolist() if n <= LONG or len(found.at) > FEW * n else found


def of_array(values: NDArray[Any], slots: Sequence[int] = ()) -> Sequence[Any]:
    """The entries as plain numbers, None for what is not finite; looked at in `slots` alone if all others are 0.0."""
    n = len(values)
    if n > LONG and 0 < len(slots) <= FEW * n and values.dtype == np.float64:
        some, bits = values[slots], values.view(np.int64)
        if np.count_nonzero(bits) == np.count_nonzero(bits[slots]) and np.isfinite(some).all():
            return of_some(n, 0.0, slots, some.tolist())
    unknown = ~np.isfinite(values) if values.dtype.kind == "f" else np.zeros(n, dtype=np.bool_)
    if n > LONG:
        other = None if unknown.sum() > n // 2 else _commonest(values)
        if other is None:
            at = np.flatnonzero(~unknown)
        else:
            bits = values.view(np.int64) if values.dtype == np.float64 else values
            at = np.flatnonzero(unknown | (bits != np.array(other, dtype=values.dtype).view(bits.dtype)))
        if len(at) <= FEW * n:
            known = [None if gone else value for gone, value in zip(unknown[at], values[at].tolist(), strict=True)]
            return Slots(n, other, at.tolist(), known)
    found: list[Any] = values.tolist()
    for place in np.flatnonzero(unknown).tolist():
        found[place] = None
    return found


def _commonest(values: NDArray[Any]) -> Any:
    """The value at most of three places, which is that of most where most are alike."""
    first, middle, last = values[[0, len(values) // 2, len(values) - 1]].tolist()
    return middle if _alike(middle, last) else first


def _alike(one: object, other: object) -> bool:
    """Whether both are written alike: 0.0 is neither 0 nor −0.0."""
    if one is other:
        return True
    return type(one) is type(other) and one == other and (one != 0 or repr(one) == repr(other))
