"""One run at a time in a folder: a lock that ends with its process, and the name of who holds it."""

from __future__ import annotations

import getpass
import json
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from theory.base.files import replace_file

__all__ = ["LOCK", "OWNER", "InUseError", "locked"]

LOCK, OWNER = "lock", "owner.json"
_LOG = logging.getLogger(__name__)


class InUseError(ValueError):
    """A folder that another run holds, or was left by a process of another machine that may still be running."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else holds the `folder`, which must exist, while this goes on.

    The operating system gives the lock back when the process ends, however it ends. What says who held it then stays
    behind; of a process of this machine the next owner tells the log so, and goes on.

    Raises `InUseError` naming the owner when the folder is held, or was left by a process of another machine that may
    still be running: not every shared file system tells one machine what another one locks.
    """
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InUseError(
            f"run(out={str(folder)!r}): in use by {_owner(folder) or 'another run'}; wait for it to end, or use another"
            " folder"
        ) from None
    try:
        before = _owner(folder)
        if before and not before.endswith(f" on {socket.gethostname()}"):
            raise InUseError(
                f"run(out={str(folder)!r}): left by {before}, another machine, which may still run there; when it has"
                f" ended, delete {folder / OWNER}"
            )
        if before:
            _LOG.warning("%s: %s ended without giving it back; taken over", folder, before)
        replace_file(folder / OWNER, json.dumps(_myself()).encode())
        try:
            yield
        finally:
            (folder / OWNER).unlink(missing_ok=True)
    finally:
        lock.release()


def _myself() -> dict[str, object]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a user without a name
        user = str(os.getuid())
    began = datetime.now(UTC).isoformat(timespec="seconds")
    return {"user": user, "process": os.getpid(), "began": began, "host": socket.gethostname()}


def _owner(folder: Path) -> str:
    """Who holds the folder or left it, for people to read; nothing where nobody says so."""
    try:
        content = (folder / OWNER).read_bytes()
    except FileNotFoundError:
        return ""
    try:
        said = json.loads(content)
        return f"process {said['process']} of {said['user']}, begun {said['began']}, on {said['host']}"
    except (ValueError, TypeError, LookupError, RecursionError):
        return f"a process that {OWNER} does not name, on {socket.gethostname()}"
