"""`fedverdict` in processes that begin with everything loaded: copies of a server that does nothing else.

To load torch and the papers takes longer than what most tests then ask for. What concerns the start or the end of
Python itself (no memory to load a library, a closed stdout) needs an interpreter of its own.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import entry_points
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import mkdtemp

__all__ = ["CONTEXT", "Command", "no_larger_files"]

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(
    ["deep.runs.engine", "deep.storage.record", "validation.commands.claims.check", "validation.commands.runs.run"]
    + [point.module for point in entry_points(group="fedverdict.papers")]
)

Said = tuple[Path, Path]


class Command:
    """One call of `fedverdict`, which goes on when this returns; `before`, found by name there, has then been called.

    It leads a session of its own, hears Ctrl-C whatever the shell of the tests does, and ends with the tests.
    """

    def __init__(
        self, *words: str, before: Callable[[], object] | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        folder = mkdtemp(prefix="fedverdict-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._said = Path(folder, "stdout"), Path(folder, "stderr")
        ready, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(
            target=_call, args=(words, self._said, before, dict(settings or {}), theirs), daemon=True
        )
        self._process.start()
        theirs.close()
        with ready:
            ready.recv()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Its exit code; None while it goes on."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def told(self, seconds: float = 120) -> tuple[int, str, str]:
        """Exit code, stdout and stderr, when it has ended; what goes on for longer is killed."""
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            self._process.kill()
            self._process.join()
        out, err = (path.read_text(encoding="utf-8") for path in self._said)
        assert code is not None, f"not at its end after {seconds} seconds:\n{out}\n{err}"
        return code, out, err


def _call(
    words: Sequence[str],
    said: Said,
    before: Callable[[], object] | None,
    settings: Mapping[str, str],
    ready: Connection,
) -> None:
    """The life of such a process."""
    os.setsid()
    os.environ.update(settings)
    for number, path in enumerate(said, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(file, number)
        os.close(file)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))
    sys.argv = ["fedverdict", *words]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if before is not None:
        before()
    with ready:
        ready.send(None)
    from validation.cli import main

    try:
        main(list(words))
    finally:
        atexit._run_exitfuncs()  # which only an interpreter of its own does by itself


def no_larger_files(limit: int) -> None:
    """From now on a write beyond so many bytes fails with EFBIG."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
