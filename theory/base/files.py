"""Writing files: replaced in one step, and every failure names the file."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

__all__ = ["naming", "replace_by_parts", "replace_file"]


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """An `OSError` in what follows is one of `path`: a full disk names no file, a draft means nothing to anybody."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def replace_file(path: Path, content: bytes) -> None:
    """`replace_by_parts` of one part."""
    replace_by_parts(path, (content,))


def replace_by_parts(path: Path, parts: Iterable[bytes]) -> None:
    """Replace `path` by `parts`, one behind the other, in one step: a reader, or a crash, meets the old content or the
    new one. Threads and processes that replace the same file at a time do it one after the other.

    Raises `OSError` naming `path`; the old content is then still there.
    """
    draft = path.with_name(path.name + ".draft")
    with naming(path), _alone(draft):
        try:
            with draft.open("wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
            raise


@contextmanager
def _alone(draft: Path) -> Iterator[None]:
    """Nobody else writes this draft, which is there afterwards; it is free again when this process ends, however.

    Without locks, on Windows and some network file systems, two who write one file at a time may fail.
    """
    if sys.platform == "win32":
        yield
        return
    while True:
        held = os.open(draft, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            with suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_EX)
            if _is(held, draft):  # not one that its last writer has put in place or removed meanwhile
                yield
                return
        finally:
            os.close(held)


def _is(file: int, path: Path) -> bool:
    """Whether an open file is the one of that name."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
