"""Who plays several units at a time: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Workers", "of_cluster", "processes"]


class Workers(Protocol):
    """Some who take calls, as many at a time as there is room for. `here`: on this machine, for sure."""

    here: bool

    def room(self) -> int:
        """How many calls can be under way at once."""

    def submit(self, call: Callable[..., Any], /, *words: Any) -> Future[Any]:
        """Have one of them make the call; both are pickled."""


@contextmanager
def processes(jobs: int) -> Iterator[Workers]:
    """`jobs` fresh processes of this machine; a call whose process dies fails, and the next one has a new process.

    They are gone when this is left, and when this process is killed, whatever they were at. Raises `ValueError` for
    fewer than one.
    """
    if jobs < 1:
        raise ValueError(f"processes(jobs={jobs}): expected at least 1")
    theirs, ours = get_context("spawn").Pipe(duplex=False)
    several = _Processes(jobs, theirs)
    try:
        yield several
    finally:
        ours.close()
        several.close()


class _Processes:
    """Pools of one process each, so that one that dies takes no other's call with it."""

    here = True

    def __init__(self, jobs: int, lifeline: Connection) -> None:
        self._lifeline = lifeline
        self._pools: list[ProcessPoolExecutor | None] = [None] * jobs
        self._calls: list[Future[Any] | None] = [None] * jobs

    def room(self) -> int:
        return len(self._pools)

    def submit(self, call: Callable[..., Any], /, *words: Any) -> Future[Any]:
        place = next(i for i, known in enumerate(self._calls) if known is None or known.done())
        try:
            made = (self._pools[place] or self._begun(place)).submit(call, *words)
        except BrokenProcessPool:  # it died at the last call, or waiting for this one
            made = self._begun(place).submit(call, *words)
        self._calls[place] = made
        return made

    def _begun(self, place: int) -> ProcessPoolExecutor:
        pool = self._pools[place] = ProcessPoolExecutor(1, get_context("spawn"), _ends_with, (self._lifeline,))
        return pool

    def close(self) -> None:
        for pool in self._pools:
            if pool is not None:
                pool.shutdown(wait=True, cancel_futures=True)


def _ends_with(lifeline: Connection) -> None:
    """End this process as soon as nobody holds the other end of the line; Ctrl-C is for the one who does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        with suppress(EOFError, OSError):
            lifeline.recv_bytes()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


class _OfCluster:
    here = False

    def __init__(self, client: Client) -> None:
        self._client, self._executor = client, client.get_executor(pure=False)

    def room(self) -> int:
        return max(1, len(self._client.ncores()))

    def submit(self, call: Callable[..., Any], /, *words: Any) -> Future[Any]:
        made: Future[Any] = self._executor.submit(call, *words)
        return made


def of_cluster(client: Client) -> Workers:
    """The workers of a cluster, one call each; a call whose worker dies is made again by another."""
    return _OfCluster(client)
