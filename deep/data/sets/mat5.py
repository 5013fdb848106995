"""Arrays of numbers out of a MATLAB 5 file, every size checked before it is believed.

Source: MathWorks, "MAT-File Format" (version 5), the part that SVHN's files use: little-endian, real numeric arrays,
compressed or not. SciPy's reader of the same format ends the process on some files of a few kilobytes.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read_mat5"]

_HEADER = 128
_MATRIX, _COMPRESSED = 14, 15
_COMPLEX = 0x08  # a flag of an array
# Element types by their number in the file, and those of arrays by the number of their class.
_STORED: Mapping[int, str] = MappingProxyType(
    {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<f4", 9: "<f8", 12: "<i8", 13: "<u8"}
)
_CLASSES: Mapping[int, str] = MappingProxyType(
    {6: "<f8", 7: "<f4", 8: "i1", 9: "u1", 10: "<i2", 11: "<u2", 12: "<i4", 13: "<u4", 14: "<i8", 15: "<u8"}
)


@dataclass(frozen=True)
class _Element:
    """A piece of the file: its type, and its bytes."""

    kind: int
    data: memoryview


def read_mat5(content: bytes, names: Collection[str], largest: int) -> dict[str, NDArray[Any]]:
    """The arrays called `names`, as far as the file has them; of other variables nothing but the name is read.

    What is compressed may unpack to `largest` bytes. Raises `ValueError` for a file of another kind, one that is cut
    off, sizes that contradict each other, and variables of these names that are no arrays of real numbers.
    """
    if len(content) < _HEADER or content[124:128] != b"\x00\x01IM":
        raise ValueError("does not begin as a little-endian MATLAB 5 file does")
    found = {}
    for element in _elements(memoryview(content)[_HEADER:]):
        if element.kind == _COMPRESSED:
            element = _inflated(element.data, largest)
        if element.kind != _MATRIX:
            raise ValueError(f"a variable of kind {element.kind}; expected {_MATRIX}, an array")
        parts = _elements(element.data)
        flags, sizes, title = (_next(parts, what) for what in ("flags", "dimensions", "name"))
        name = title.data.tobytes().decode("latin1")
        if name in names:
            found[name] = _array(name, flags, sizes, _next(parts, "values"))
    return found


def _elements(data: memoryview) -> Iterator[_Element]:
    """The elements in `data`, one after the other; all but compressed ones are padded to multiples of eight bytes."""
    while len(data):
        if len(data) < 8:
            raise ValueError(f"{len(data)} bytes where an element begins")
        kind, size = (int.from_bytes(data[i : i + 4], "little") for i in (0, 4))
        if kind >> 16:  # a small element: size and type in four bytes, the data in the other four
            kind, size = kind & 0xFFFF, kind >> 16
            start, end, after = 4, 4 + size, 8
            if size > 4:
                raise ValueError(f"a small element of {size} bytes")
        else:
            start, end = 8, 8 + size
            after = end if kind == _COMPRESSED else end + -size % 8
        if end > len(data):
            raise ValueError(f"an element of {size:,} bytes in the last {len(data):,}")
        yield _Element(kind, data[start:end])
        data = data[after:]


def _next(parts: Iterator[_Element], what: str) -> _Element:
    for part in parts:
        return part
    raise ValueError(f"an array without {what}")


def _inflated(data: memoryview, largest: int) -> _Element:
    """The one element that was compressed; no more of it is unpacked than it says it has, nor than `largest`."""
    stream = zlib.decompressobj()
    try:
        head = stream.decompress(data, 8)
        kind, size = (int.from_bytes(head[i : i + 4], "little") for i in (0, 4))
        if len(head) < 8 or size > largest:
            raise ValueError(f"a variable that unpacks to {size:,} bytes; expected at most {largest:,}")
        body = stream.decompress(stream.unconsumed_tail, size) if size else b""
    except zlib.error as error:
        raise ValueError(f"a variable that does not unpack: {error}") from error
    if len(body) < size:
        raise ValueError(f"a variable of {size:,} bytes that unpacks to {len(body):,}")
    return _Element(kind, memoryview(body))


def _array(name: str, flags: _Element, sizes: _Element, values: _Element) -> NDArray[Any]:
    """A real array in its class; MATLAB stores it column by column, in the smallest type that holds it."""
    described = int.from_bytes(flags.data[:4], "little") if len(flags.data) >= 4 else 0
    kind = _CLASSES.get(described & 0xFF)
    if kind is None or described >> 8 & _COMPLEX or values.kind not in _STORED:
        raise ValueError(f"{name} is no array of real numbers")
    if len(sizes.data) % 4 or not 2 <= len(sizes.data) // 4 <= 8:
        raise ValueError(f"{name} has {len(sizes.data)} bytes of dimensions")
    shape = tuple(int(n) for n in np.frombuffer(sizes.data, dtype="<i4"))
    stored = np.dtype(_STORED[values.kind])
    if min(shape) < 0 or prod(shape) * stored.itemsize != len(values.data):
        raise ValueError(f"{name} of shape {shape} in {len(values.data):,} bytes of {stored.name}")
    array = np.frombuffer(values.data, dtype=stored).reshape(shape, order="F")
    with np.errstate(invalid="ignore"):
        return array.astype(kind, copy=False)
