"""Named tensors and texts as bytes in the safetensors format: nothing in it can run, and every size is checked.

The format: eight bytes n (little-endian), n bytes of JSON, then the tensors' bytes one after the other. The JSON has
for each tensor its dtype, shape and place, and under "__metadata__" texts by name, one of which, "digest", is ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from math import prod
from typing import Any

import torch
from torch import Tensor

__all__ = ["pack", "unpack"]

_DTYPES: Mapping[str, torch.dtype] = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "I16": torch.int16,
    "I8": torch.int8,
    "U8": torch.uint8,
    "BOOL": torch.bool,
    "C64": torch.complex64,
}
_WORDS = {dtype: word for word, dtype in _DTYPES.items()}
_TEXTS, _DIGEST = "__metadata__", "digest"
_BLANK = b"0" * 64


def pack(tensors: Mapping[str, Tensor], texts: Mapping[str, str]) -> bytes:
    """The file that holds `tensors` and `texts`, with a digest of all of it; equal values give equal bytes.

    Raises `TypeError` for a tensor of a type that the format does not know.
    """
    header: dict[str, object] = {_TEXTS: {_DIGEST: _BLANK.decode(), **texts}}
    place = 0
    parts: list[Any] = []  # arrays of bytes, none of them copied
    for name, tensor in tensors.items():
        if tensor.dtype not in _WORDS:
            raise TypeError(f"{name}: a tensor of {tensor.dtype}; a file of tensors takes {', '.join(_DTYPES)}")
        flat = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
        header[name] = {
            "dtype": _WORDS[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [place, place + len(flat)],
        }
        place += len(flat)
        parts.append(flat)
    described = json.dumps(header, allow_nan=False).encode()
    described += b" " * (-len(described) % 8)
    size = len(described).to_bytes(8, "little")
    seen = sha256(size + described)
    for part in parts:  # one by one: side by side they are there once, in what is returned
        seen.update(part)
    return b"".join([size, described.replace(_BLANK, seen.hexdigest().encode(), 1), *parts])


def unpack(content: bytes) -> tuple[dict[str, Tensor], dict[str, str]]:
    """The tensors, on the CPU, and the texts that `pack` was given.

    Raises `ValueError` for anything else, be it a single bit; nothing beyond the size of `content` is ever allocated.
    """
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > len(content) - 8:
        raise ValueError("is cut off, or no file of tensors")
    try:
        header = json.loads(content[8 : 8 + size])
        texts = header.pop(_TEXTS)
        digest = texts.pop(_DIGEST)
        matches = re.fullmatch("[0-9a-f]{64}", digest) and _digest(content, content.index(digest.encode())) == digest
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ValueError("is damaged, or no file of tensors") from None
    if not matches:
        raise ValueError("is damaged: its content does not have the digest it states")
    data = bytearray(content[8 + size :])
    try:
        return _tensors(header, data), {str(name): str(text) for name, text in texts.items()}
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"holds tensors that it describes wrongly: {error}") from None


def _tensors(header: Mapping[str, Any], data: bytearray) -> dict[str, Tensor]:
    """Each tensor from its bytes, which must lie one after the other and fill `data`."""
    tensors, place = {}, 0
    for name, about in header.items():
        dtype, shape = _DTYPES[about["dtype"]], about["shape"]
        if any(type(axis) is not int or axis < 0 for axis in shape):
            raise ValueError(f"{name} of shape {shape}")
        end = place + prod(shape) * dtype.itemsize
        if about["data_offsets"] != [place, end] or end > len(data):
            raise ValueError(f"{name} of shape {shape} at {about['data_offsets']}")
        empty = end == place  # of which torch makes no view
        flat = torch.empty(0, dtype=dtype) if empty else torch.frombuffer(data[place:end], dtype=dtype)
        tensors[name], place = flat.reshape(shape), end
    if place != len(data):
        raise ValueError(f"{len(data) - place} bytes belong to none")
    return tensors


def _digest(content: bytes, at: int) -> str:
    """SHA-256 of the file with zeros in place of its digest, which stands `at` some byte."""
    seen = sha256(content[:at])
    seen.update(_BLANK)
    seen.update(memoryview(content)[at + len(_BLANK) :])
    return seen.hexdigest()
