"""Files of a data set on disk: found under a root, unpacked, and compared with published checksums."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from types import MappingProxyType

__all__ = ["check_md5", "find_file", "find_folder", "read_unpacked", "unpacked"]

_UNPACK: Mapping[str, Callable[[bytes], bytes]] = MappingProxyType(
    {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
)


def find_folder(root: Path, names: Sequence[str], dataset: str) -> Path:
    """The first of `names` that is a folder under `root`.

    Raises `ValueError` with all places that were looked at.
    """
    for name in names:
        if (root / name).is_dir():
            return root / name
    places = ", ".join(f"{name}/" for name in names)
    raise ValueError(f"{dataset}: no such folder under {root}; expected {places}. Nothing is downloaded")


def find_file(folder: Path, name: str, packings: Sequence[str], dataset: str) -> Path:
    """`name` in `folder`, as it is or with one of `packings` (".gz", …) after it.

    Raises `ValueError` naming every form that was looked for.
    """
    forms = [name, *(name + packing for packing in packings)]
    for form in forms:
        if (folder / form).is_file():
            return folder / form
    raise ValueError(f"{dataset}: {folder} has no {' or '.join(forms)}")


def unpacked(path: Path, raw: bytes) -> bytes:
    """`raw`, the content of `path`, decompressed when the name ends in .gz, .bz2 or .xz.

    Raises `ValueError` naming the file when it is truncated or was not packed that way.
    """
    unpack = _UNPACK.get(path.suffix)
    if unpack is None:
        return raw
    try:
        return unpack(raw)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{path}: truncated, or no {path.suffix} file ({len(raw):,} bytes): {error}") from error


def read_unpacked(path: Path, published: Collection[str] = ()) -> bytes:
    """The content of `path`, unpacked; with `published`, one md5 of file or content must be among them."""
    raw = path.read_bytes()
    content = unpacked(path, raw)
    if published:
        check_md5(path, raw, content, published)
    return content


def check_md5(path: Path, raw: bytes, content: bytes, published: Collection[str]) -> None:
    """Nothing, when the md5 of the file or of what is packed in it is published; else `ValueError`.

    A file that was unpacked, or packed anew, is as good as the original one: only its content counts.
    """
    digests = {md5(data, usedforsecurity=False).hexdigest() for data in (raw, content)}
    if not digests & set(published):
        raise ValueError(
            f"{path}: {len(raw):,} bytes with md5 {md5(raw, usedforsecurity=False).hexdigest()};"
            f" published is {' or '.join(published)}. verify=False reads it all the same"
        )
