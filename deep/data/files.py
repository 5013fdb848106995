"""Files of a data set on disk: found under a root, unpacked within a limit, and compared with published checksums."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import md5
from pathlib import Path
from types import MappingProxyType

__all__ = ["blamed", "check_md5", "file_inside", "find_file", "find_folder", "read_file", "read_unpacked", "unpacked"]

_XZ_MEMORY = 2**27  # what `xz -9` needs to unpack is half of it; the header of a file may ask for 4 GiB


def find_folder(root: Path, names: Sequence[str], dataset: str) -> Path:
    """The first of `names` that is a folder under `root`.

    Raises `ValueError` with all places that were looked at.
    """
    for name in names:
        if (root / name).is_dir():
            return root / name
    places = ", ".join(f"{name}/" for name in names)
    raise ValueError(f"{dataset}: no such folder under {root}; expected {places}. Nothing is downloaded")


def find_file(folder: Path, name: str, packings: Sequence[str], dataset: str, spellings: Sequence[str] = ()) -> Path:
    """`name` in `folder`, or one of its other `spellings`, as it is or with one of `packings` (".gz", …) after it.

    Raises `ValueError` naming every form that was looked for.
    """
    forms = [one + packing for one in (name, *spellings) for packing in ("", *packings)]
    for form in forms:
        if (folder / form).is_file():
            return folder / form
    raise ValueError(f"{dataset}: {folder} has no {' or '.join(forms)}")


def file_inside(folder: Path, name: str) -> Path:
    """The file that a list calls `name`, in `folder` itself; `ValueError` for a name that leads anywhere else."""
    if not name.isprintable() or name != Path(name).name or "\\" in name or name in ("", ".", ".."):
        raise ValueError(f"{name!r} is no file in {folder}; expected a plain name")
    return folder / name


@contextmanager
def blamed(path: Path) -> Iterator[None]:
    """A `ValueError` or `OSError` in what follows is one of the file at `path`, and a `ValueError` that says so."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise ValueError(str(error) if str(path) in str(error) else f"{path}: {error}") from error


def read_file(path: Path, largest: int) -> bytes:
    """The content of `path`, looked at only if it has at most `largest` bytes; else `ValueError` naming it."""
    with blamed(path):
        if (size := path.stat().st_size) > largest:
            raise ValueError(f"{path}: {size:,} bytes; no file of this data set has more than {largest:,}")
        with path.open("rb") as file:
            content = file.read(largest + 1)
    if len(content) > largest:
        raise ValueError(f"{path}: grew to more than {largest:,} bytes while it was read")
    return content


def unpacked(path: Path, raw: bytes, largest: int) -> bytes:
    """`raw`, the content of `path`, decompressed as long as it begins as a .gz, .bz2 or .xz file, twice at most.

    What a file is packed with is read from its first bytes, not from its name. Raises `ValueError` naming the file when
    it is truncated, or holds more than `largest` bytes, of which no more are ever made.
    """
    content = raw
    for _ in range(_MOST_PACKINGS):
        packing = next((name for name, first in _BEGINNINGS.items() if content.startswith(first)), None)
        if packing is None:
            return content
        content = _unpacked_once(path, content, packing, largest)
    return content


def _unpacked_once(path: Path, raw: bytes, packing: str, largest: int) -> bytes:
    try:
        content = _UNPACK[packing](raw, largest + 1)
    except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
        raise ValueError(f"{path}: truncated, or no {packing} file ({len(raw):,} bytes): {error}") from error
    if len(content) > largest:
        raise ValueError(
            f"{path}: {len(raw):,} bytes that unpack to more than {largest:,}; no file of this data set does"
        )
    return content


def read_unpacked(path: Path, largest: int, published: Collection[str] = ()) -> bytes:
    """The content of `path`, unpacked, of at most `largest` bytes; with `published`, one md5 must be among them.

    The md5 is that of the file or of what is packed in it. Raises `ValueError` naming the file.
    """
    raw = read_file(path, largest + 2**16)  # what packing may add to a small file
    content = unpacked(path, raw, largest)
    if len(content) > largest:
        raise ValueError(f"{path}: {len(content):,} bytes; no file of this data set has more than {largest:,}")
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


def _un_xz(raw: bytes, at_most: int) -> bytes:
    """Streams one after the other, as `lzma.decompress` reads them, within the memory that `xz` itself may ask for."""
    content = bytearray()
    while raw and len(content) < at_most:
        stream = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        content += stream.decompress(raw, at_most - len(content))
        if not stream.eof and len(content) < at_most:
            raise EOFError("ends before its end-of-stream marker")
        raw = stream.unused_data.lstrip(b"\0")  # padding between streams
    return bytes(content)


_MOST_PACKINGS = 2  # some tools pack what was packed already
_BEGINNINGS: Mapping[str, tuple[bytes, ...]] = MappingProxyType(
    {".gz": (b"\x1f\x8b",), ".bz2": (b"BZh",), ".xz": (b"\xfd7zXZ\0", b"\x5d\0\0", b"\x5d\xff\xff")}
)
_UNPACK: Mapping[str, Callable[[bytes, int], bytes]] = MappingProxyType(
    {
        ".gz": lambda raw, at_most: gzip.GzipFile(fileobj=io.BytesIO(raw)).read(at_most),
        ".bz2": lambda raw, at_most: bz2.BZ2File(io.BytesIO(raw)).read(at_most),
        ".xz": _un_xz,
    }
)
