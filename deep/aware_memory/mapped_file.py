"""Remembered vectors in a file beside the checkpoint: those of ten thousand clients take memory for a block of them.

A file of rows of one length, read where the system holds it. A value of `MappedRows` says where in it each of its rows
stands; `put` writes new rows where nobody's stand, so that older values stay as they are. What the last checkpoint does
not hold is written over only once the next one is on disk: a run that is killed finds in the file what its checkpoint
counts on. The checkpoint has the places and a checksum of each row, and a row that is not as it was written is refused.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from mmap import MADV_DONTNEED, PAGESIZE, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from deep.base.lazy import torch
from theory.base.files import naming

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["NAME", "MappedRows", "RowFile", "in_memory", "reopened", "rows_of"]

NAME = "rows.bin"
_MAPPED = "rows in a file"  # the key of a checkpoint under which they are described


@dataclass(eq=False)
class RowFile:
    """An open file of rows of `dim` numbers of a type; `n` places, of which those in `free` hold nothing needed."""

    path: Path
    dim: int
    dtype: torch.dtype
    n: int = 0
    free: list[int] = field(default_factory=list)
    handle: int = field(default=-1, init=False)
    mapped: mmap | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        with naming(self.path):
            self.handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
            os.ftruncate(self.handle, self.n * self.width)

    @property
    def width(self) -> int:
        """Bytes of a row."""
        return self.dim * self.dtype.itemsize

    def write(self, values: Tensor) -> tuple[list[int], list[int]]:
        """(Where each of `values` (m, dim) stands from now on, its checksum); raises `OSError` naming the file."""
        at, sums = [], []
        for value in values:
            place = self.free.pop(0) if self.free else self.n
            self.n = max(self.n, place + 1)
            content = value.detach().cpu().contiguous().numpy().tobytes()
            with naming(self.path):
                if os.pwrite(self.handle, content, place * self.width) < len(content):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))  # a disk with room for a part of it
            at.append(place)
            sums.append(crc32(content))
        return at, sums

    def read(self, at: Sequence[int]) -> Tensor:
        """The rows that stand there, (m, dim); `ValueError` where the file is shorter."""
        rows = torch.empty(len(at), self.dim, dtype=self.dtype)
        for row, place in zip(rows, at, strict=True):
            with naming(self.path):
                got = os.preadv(self.handle, [memoryview(row.numpy()).cast("B")], place * self.width)
            if got < self.width:
                raise ValueError(f"{self.path}: shorter than its checkpoint says; delete the folder")
        return rows

    def views(self, at: Sequence[int]) -> list[Tensor]:
        """The rows that stand there, each (dim,), as they lie in the file; `ValueError` where it is shorter.

        They are what the system holds of the file anyway, and to be read before anything is written there.
        """
        if self.mapped is None or len(self.mapped) < self.n * self.width:
            try:
                with naming(self.path):
                    self.mapped = mmap(self.handle, self.n * self.width)
            except ValueError as error:
                raise ValueError(f"{self.path}: shorter than its checkpoint says; delete the folder") from error
        whole = self.mapped
        return [torch.frombuffer(whole, dtype=self.dtype, count=self.dim, offset=p * self.width) for p in at]

    def let_go(self, at: Sequence[int]) -> None:
        """The rows there need no memory of this process until they are read again."""
        if self.mapped is not None:
            for place in at:
                begin = place * self.width // PAGESIZE * PAGESIZE
                self.mapped.madvise(MADV_DONTNEED, begin, (place + 1) * self.width - begin)

    def flush(self) -> None:
        """All rows are on the disk."""
        with naming(self.path):
            os.fsync(self.handle)

    def release(self, at: Sequence[int]) -> None:
        """A checkpoint that holds the rows `at` these places is on the disk: all others may be written over."""
        held = set(at)
        self.free = [place for place in range(self.n) if place not in held]

    def __del__(self) -> None:
        if self.handle >= 0:
            os.close(self.handle)


@dataclass(frozen=True, eq=False)
class MappedRows:
    """`deep.aware_memory.rows.Rows` in a file: row k stands `at` [k], with a checksum in `sums` [k]."""

    file: RowFile
    at: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.at)

    def put(self, places: Sequence[int], values: Tensor) -> MappedRows:
        """See `Rows`."""
        written, sums = self.file.write(values)
        at, checks = list(self.at), list(self.sums)
        for place, where, check in zip(places, written, sums, strict=True):
            at[place : place + 1] = [where]
            checks[place : place + 1] = [check]
        return replace(self, at=tuple(at), sums=tuple(checks))

    def take(self, places: Sequence[int]) -> Tensor:
        """See `Rows`."""
        return self.file.read([self.at[place] for place in places])

    def blocks(self, n_rows: int, places: Sequence[int] | None = None) -> Iterator[Sequence[Tensor]]:
        """See `Rows`."""
        at = self.at if places is None else [self.at[place] for place in places]
        for first in range(0, len(at), n_rows):
            some = at[first : first + n_rows]
            yield self.file.views(some)
            self.file.let_go(some)

    def plain(self) -> MappedRows:
        """Itself: what a checkpoint takes is `stored`."""
        return self

    def stored(self) -> dict[str, Any]:
        """What a checkpoint holds of them."""
        about = {"at": torch.tensor(self.at, dtype=torch.int64), "sums": torch.tensor(self.sums, dtype=torch.int64)}
        return {_MAPPED: about | {"n": self.file.n, "dim": self.file.dim}}


def rows_of(state: Any) -> Iterator[MappedRows]:
    """The rows in files that a rule's state holds."""
    if isinstance(state, MappedRows):
        yield state
    elif isinstance(state, dict):
        for value in state.values():
            yield from rows_of(value)


def in_memory(state: Any) -> Any:
    """`state` with its rows in tensors, as `deep.aware_memory.rows.HeldRows` has them."""
    if isinstance(state, MappedRows):
        return tuple(row.clone() for place in range(len(state)) for row in state.take([place]))
    if isinstance(state, dict):
        return {name: in_memory(value) for name, value in state.items()}
    return state


def reopened(state: Any, path: Path, dtype: torch.dtype) -> Any:
    """`state`, of a checkpoint, with its rows in the file at `path` again; `ValueError` naming it where one is damaged.

    Places that the checkpoint does not hold are free, as they were when it was written.
    """
    if not isinstance(state, dict):
        return state
    if set(state) != {_MAPPED}:
        return {name: reopened(value, path, dtype) for name, value in state.items()}
    about = state[_MAPPED]
    at, sums = tuple(about["at"].tolist()), tuple(about["sums"].tolist())
    if not path.exists():
        raise ValueError(f"{path}: not there, and the checkpoint counts on it; delete the folder")
    size, wanted = path.stat().st_size, about["n"] * about["dim"] * dtype.itemsize
    if size < wanted:
        raise ValueError(f"{path}: {size} bytes, and the checkpoint counts on {wanted}; delete the folder")
    file = RowFile(path, about["dim"], dtype, about["n"])
    file.release(at)
    for place, check in zip(at, sums, strict=True):
        if crc32(file.read([place]).numpy().tobytes()) != check:
            raise ValueError(f"{path}: row {place} is not as it was written; delete the folder")
    return MappedRows(file, at, sums)
