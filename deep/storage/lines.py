"""A file of JSON lines, each ending in a digest of itself and all before it: what was written, in the order it was.

    {"round": 0, …, "digest": "5f…"}

A line that is changed, missing, there twice, or moved no longer has the digest it states. The digest detects accidents;
who means to forge a file can compute it, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

from deep.storage.record import Json
from theory.base.files import naming

__all__ = ["DamagedError", "all_or_none", "append_lines", "bodies", "checked_lines", "first_digest"]

_MARK = b', "digest": "'
_TEXT = json.JSONEncoder(allow_nan=False)


class DamagedError(ValueError):
    """A file of lines is not as it was written."""


def first_digest(identity: Json, name: str) -> str:
    """The digest before the first line of the file `name` of the run that `identity` describes."""
    return sha256(json.dumps([name, identity], sort_keys=True).encode()).hexdigest()


@contextmanager
def all_or_none(paths: Sequence[Path], counted_by: Path | None = None) -> Iterator[None]:
    """Where what is added to these files fails in the middle, as on a full disk, each is cut to what it was.

    `counted_by`: a file that counts on the lines once it is replaced; then they stay.
    """
    ends = {path: path.stat().st_size if path.exists() else 0 for path in paths}
    before = _version(counted_by)
    try:
        yield
    except BaseException:
        if _version(counted_by) == before:
            for path, end in ends.items():
                if path.exists():
                    os.truncate(path, end)
        raise


def _version(path: Path | None) -> tuple[int, int] | None:
    """What changes when a file is replaced."""
    if path is None or not path.exists():
        return None
    found = path.stat()
    return found.st_ino, found.st_mtime_ns


def append_lines(path: Path, lines: Iterable[Json], before: str) -> str:
    """Add `lines` to the file, `before` being the digest of those in it; gives the new one."""
    digest, written = before, []
    for line in lines:
        body = _TEXT.encode(line).encode()[:-1]
        digest = _next(digest, body)
        written += [body, _MARK, digest.encode(), b'"}\n']
    with naming(path), path.open("ab") as file:
        file.write(b"".join(written))
    return digest


def checked_lines(path: Path, n_lines: int, before: str) -> Iterator[tuple[dict[str, Any], str, int]]:
    """The first `n_lines` lines of the file, one at a time: parsed without its digest, the digest, and where it ends.

    `before`: the digest before the first line. Raises `DamagedError` naming the file, and the line where it is not
    the one that was written there.
    """
    digest, number, end = before, 0, 0
    with (path if path.exists() else Path(os.devnull)).open("rb") as file:
        for line in islice(file, n_lines):
            if not line.endswith(b"\n"):
                break
            number, end = number + 1, end + len(line)
            body, _, stated = line[:-1].rpartition(_MARK)
            digest = _next(digest, body)
            if stated != digest.encode() + b'"}':
                raise DamagedError(
                    f"{path}, line {number}: not the line that was written there (its running digest differs): one was"
                    " changed, lost, repeated or moved; delete the folder"
                )
            try:
                parsed = json.loads(body + b"}")
            except (ValueError, RecursionError) as error:
                raise DamagedError(f"{path}, line {number}: no JSON: {error}; delete the folder") from error
            yield parsed, digest, end
    if number < n_lines:
        raise DamagedError(f"{path}: {number} rounds, but the checkpoint counts {n_lines}; delete the folder")


def bodies(path: Path, n_lines: int) -> Iterator[bytes]:
    """The first `n_lines` lines as JSON without their digests, unchecked, as they are being read."""
    with path.open("rb") as file:
        for line in islice(file, n_lines):
            yield line.rpartition(_MARK)[0] + b"}"


def _next(digest: str, body: bytes) -> str:
    return sha256(digest.encode() + body).hexdigest()
