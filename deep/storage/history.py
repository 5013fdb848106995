"""A run's records read back from its files, a round at a time: what was written is not kept in memory."""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

from deep.storage.record import TIMES, RoundRecord
from deep.storage.thin import all_whole

__all__ = ["History"]

_BLOCK = 1 << 20  # bytes read at once


class History(Sequence[RoundRecord]):
    """The first `n_rounds` records of a run whose lines are in the files `metrics` and `timings`, as they are now.

    The files are opened at once: the records stay, also where the files are replaced or deleted. A pass over all reads
    them once; any record but the first and the last, which are kept, takes a pass up to it.
    """

    def __init__(self, metrics: Path, timings: Path, n_rounds: int, last: RoundRecord | None = None) -> None:
        self._n = n_rounds
        self._first: RoundRecord | None = None
        self._last = last
        self._files = tuple(os.open(path, os.O_RDONLY) for path in (metrics, timings)) if n_rounds else ()
        weakref.finalize(self, _close, self._files)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[RoundRecord]:
        if not self._n:
            return
        lines = [_lines(file, self._n) for file in self._files]
        for line, times in zip(all_whole(lines[0]), lines[1], strict=True):
            yield RoundRecord.from_dict(line | {name: times[name] for name in TIMES})

    @overload
    def __getitem__(self, place: int) -> RoundRecord: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[RoundRecord, ...]: ...
    def __getitem__(self, place: int | slice) -> RoundRecord | tuple[RoundRecord, ...]:
        wanted = range(self._n)[place]
        if isinstance(wanted, int):
            if wanted == self._n - 1 and self._last is not None:
                return self._last
            if wanted == 0 and self._first is not None:
                return self._first
            found_one = next(record for record in self if record.round == wanted)
            self._first = found_one if wanted == 0 else self._first
            return found_one
        found = {record.round: record for record in self if record.round in wanted}
        return tuple(found[index] for index in wanted)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[type[tuple[Any, ...]], tuple[list[RoundRecord]]]:
        return tuple, (list(self),)


def _lines(file: int, n_lines: int) -> Iterator[dict[str, Any]]:
    """The first `n_lines` lines, each a JSON object; other readers of the file do not disturb this one."""
    place, rest, found = 0, b"", 0
    while found < n_lines and (block := os.pread(file, _BLOCK, place)):
        place += len(block)
        *whole, rest = (rest + block).split(b"\n")
        for line in whole[: n_lines - found]:
            parsed: dict[str, Any] = json.loads(line)
            del parsed["digest"]
            yield parsed
        found += len(whole)


def _close(files: tuple[int, ...]) -> None:
    for file in files:
        os.close(file)
