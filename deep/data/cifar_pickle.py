"""CIFAR's python batches, read by an unpickler that can build nothing but what these files hold."""

from __future__ import annotations

import codecs
import io
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from deep.data.files import check_md5, unpacked

__all__ = ["read_batch"]

ROW = 3 * 32 * 32


def _latin1(text: str, encoding: str = "latin1") -> bytes:
    """What protocol 2 of Python 3 calls to store the bytes of an array."""
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"encodes bytes as {encoding!r}; expected 'latin1'")
    return codecs.encode(text, "latin1")


def _empty_array(kind: type, shape: tuple[int, ...], _typecode: object) -> NDArray[np.uint8]:
    """The array that the pickle then fills; as in NumPy's own `_reconstruct`, but always bytes at first."""
    if kind is not np.ndarray or shape != (0,):
        raise pickle.UnpicklingError(f"rebuilds {kind!r} of shape {shape}; expected an ndarray")
    return np.empty(0, dtype=np.uint8)


def _byte_dtype(code: str, *_flags: object) -> np.dtype[np.uint8]:
    """The one element type of these files: unsigned bytes."""
    if code not in ("u1", "|u1"):
        raise pickle.UnpicklingError(f"holds an array of dtype {code!r}; expected 'u1'")
    return np.dtype(np.uint8)


# Old and new home of NumPy's rebuilding function; nothing else is ever imported, nor is any of these.
_ADMITTED: Mapping[tuple[str, str], Callable[..., object]] = MappingProxyType(
    {
        ("numpy.core.multiarray", "_reconstruct"): _empty_array,
        ("numpy._core.multiarray", "_reconstruct"): _empty_array,
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): _byte_dtype,
        ("_codecs", "encode"): _latin1,
    }
)


class _BatchUnpickler(pickle.Unpickler):
    """Dictionaries, lists, numbers, texts and arrays of bytes: what a batch is made of."""

    def find_class(self, module: str, name: str) -> object:
        try:
            return _ADMITTED[module, name]
        except KeyError:
            allowed = ", ".join(".".join(pair) for pair in _ADMITTED)
            raise pickle.UnpicklingError(f"asks for {module}.{name}; admitted are {allowed}") from None


def read_batch(path: Path, label_key: str, md5: str | None, whole: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Pixels (n, 3072) in red, green and blue planes, and labels (n,), of one batch.

    With `md5`, a batch of at least `whole` rows must have it; a shorter one cannot, and is not asked for it.
    Raises `ValueError` naming the file when it is no such pickle, is truncated, or asks for anything unexpected.
    """
    raw = path.read_bytes()
    content = unpacked(path, raw)
    try:
        batch = _BatchUnpickler(io.BytesIO(content), encoding="latin1").load()
    except Exception as error:  # a damaged pickle may fail with nearly anything
        raise ValueError(f"{path}: no CIFAR batch, or truncated ({len(raw):,} bytes): {error}") from error
    if not isinstance(batch, dict) or not {"data", label_key} <= batch.keys():
        keys = sorted(map(str, batch)) if isinstance(batch, dict) else type(batch).__name__
        raise ValueError(f"{path}: holds {keys}; expected a dictionary with 'data' and {label_key!r}")
    pixels, labels = batch["data"], batch[label_key]
    if not isinstance(pixels, np.ndarray) or pixels.ndim != 2 or pixels.shape[1] != ROW:
        raise ValueError(f"{path}: data of shape {np.shape(pixels)}; expected (n, {ROW})")
    if not isinstance(labels, list) or len(labels) != len(pixels) or not all(type(y) is int for y in labels):
        n_labels = len(labels) if isinstance(labels, list) else type(labels).__name__
        raise ValueError(
            f"{path}: {n_labels} {label_key} for {len(pixels)} images; expected a list of one integer each"
        )
    if md5 is not None and len(pixels) >= whole:
        check_md5(path, raw, content, (md5,))
    return pixels, np.array(labels, dtype=np.int64)
