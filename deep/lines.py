"""A file of JSON lines, each ending in a digest of itself and all before it: what was written, in the order it was.

    {"round": 0, …, "digest": "5f…"}

A line that is changed, missing, there twice, or moved no longer has the digest it states. The digest detects accidents;
who means to forge a file can compute it, too.
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from deep.record import Json
from theory.files import naming

__all__ = ["append_line", "first_digest", "read_lines"]

_MARK = b', "digest": "'


def first_digest(identity: Json, name: str) -> str:
    """The digest before the first line of the file `name` of the run that `identity` describes."""
    return sha256(json.dumps([name, identity], sort_keys=True).encode()).hexdigest()


def append_line(path: Path, line: Json, before: str) -> str:
    """Add `line` to the file, `before` being the digest of the lines in it; gives the new one."""
    body = json.dumps(line, allow_nan=False).encode()[:-1]
    digest = _next(before, body)
    with naming(path), path.open("ab") as file:
        file.write(body + _MARK + digest.encode() + b'"}\n')
    return digest


def read_lines(path: Path, n_lines: int, before: str) -> tuple[bytes, list[dict[str, Any]], str]:
    """The first `n_lines` lines of the file: as they are, parsed without their digests, and the last of these.

    `before`: the digest before the first line. Raises `ValueError` naming the file, and the line where it is not the
    one that was written there.
    """
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    if len(lines) < n_lines:
        raise ValueError(f"{path}: {len(lines)} rounds, but the checkpoint counts {n_lines}; delete the folder")
    digest, parsed = before, []
    for number, line in enumerate(lines[:n_lines], start=1):
        body, _, stated = line.rpartition(_MARK)
        digest = _next(digest, body)
        if stated != digest.encode() + b'"}':
            raise ValueError(
                f"{path}, line {number}: not the line that was written there (its running digest differs): one was"
                " changed, lost, repeated or moved; delete the folder"
            )
        try:
            parsed.append(json.loads(body + b"}"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}, line {number}: no JSON: {error}; delete the folder") from error
    return b"".join(line + b"\n" for line in lines[:n_lines]), parsed, digest


def _next(digest: str, body: bytes) -> str:
    return sha256(digest.encode() + body).hexdigest()
