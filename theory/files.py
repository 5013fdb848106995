"""Writing files: replaced in one step, and every failure names the file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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
    new one.

    Raises `OSError` naming `path`; the old content is then still there.
    """
    draft = path.with_name(path.name + ".draft")
    try:
        with naming(path):
            with draft.open("wb") as file:
                file.writelines(parts)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
