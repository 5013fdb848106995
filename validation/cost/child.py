"""A forked copy of this process that answers one question at a time, and can be ended at any moment.

Because it is a copy, nothing but questions and answers has to be sent: functions and claims are already there. Whatever
it does, loop, exit, crash or eat memory, its parent goes on. `FORKS` says whether there are such copies on this system.
"""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, NoReturn, TypeVar

from validation.cost.large_pages import in_large_pages

__all__ = ["FORKS", "Child", "EndedError", "resident"]

__judges__ = "no"

FORKS = hasattr(os, "fork")

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_ENDING = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 200
_MOMENT = 0.005  # seconds
_NUMBER = count(1)  # of the next child
_MANY = 10  # of them take longer than to make large pages
_LARGE = 1 << 28  # bytes of a process, from which on they do: a smaller one is copied sooner, and each write costs more
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class EndedError(Exception):
    """The child ended before it answered; the text says how."""


def resident(pid: int) -> int:
    """Resident memory of a process in bytes; 0 where the system does not tell (it is read from /proc)."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    except (OSError, ValueError, IndexError):
        return 0


class _Queue:
    """How long a process was ready and had to wait for a processor, from a file that stays open: it is asked often."""

    def __init__(self, pid: int) -> None:
        try:
            self.file = os.open(f"/proc/{pid}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.file = -1

    def seconds(self) -> float:
        """0 where the system does not tell."""
        try:
            return int(os.pread(self.file, 100, 0).split()[1]) / 1e9
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


class Child(Generic[Question, Answer]):
    """`ask(question)`, then `answer()` gives function(question); both are pickled, the function is not.

    The function has to catch what it raises: an exception ends the child. `leads_group`: the child leads a process
    group of its own, so that `end` reaches what it has forked, too, and Ctrl-C does not. On Linux `end` reaches every
    descendant, those in groups and sessions of their own as well; elsewhere such a one goes on. What the child prints
    goes to stderr, and it reads nothing from stdin.
    """

    def __init__(self, function: Callable[[Question], Answer], *, leads_group: bool = False) -> None:
        self.leads_group = leads_group
        self.channel, theirs = Pipe()
        parent = os.getpid()
        if next(_NUMBER) == _MANY and resident(parent) >= _LARGE:
            in_large_pages()
        with warnings.catch_warnings():
            # Threads of others are not copied; nothing here holds a lock of theirs.
            warnings.simplefilter("ignore", DeprecationWarning)
            with _held_back():
                self.pid = os.fork()
                if self.pid == 0:
                    self.channel.close()
                    _serve(function, theirs, parent, leads_group)
        if leads_group:  # here as well as in the child: whoever comes first
            with suppress(OSError):
                os.setpgid(self.pid, self.pid)
        theirs.close()
        self.before = resident(self.pid)
        # Asked hundreds of times a second: what `multiprocessing` sets up for each wait and each message costs more
        # than most answers.
        self._queue = _Queue(self.pid)
        self._ready = select.poll()
        self._ready.register(self.channel.fileno(), select.POLLIN)
        self._status: int | None = None

    def ask(self, question: Question) -> None:
        """Send a question; raises `EndedError` when the child is gone."""
        try:
            _send(self.channel, question)
        except (BrokenPipeError, ConnectionResetError):
            raise EndedError(self._how()) from None

    def waits(self, seconds: float) -> bool:
        """Whether an answer, or the child's end, came within so many seconds."""
        return bool(self._ready.poll(1000 * seconds))

    def ended(self) -> str | None:
        """How it ended, where it did without an answer, though a process it started may hold its end of the pipe."""
        if self._status is not None or not hasattr(os, "waitid"):
            return None
        try:
            gone = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return None
        return self._how() if gone and not self.waits(0) else None

    def answer(self) -> Answer:
        """The next answer; raises `EndedError` when the child ended instead."""
        try:
            found: Answer = pickle.loads(self.channel.recv_bytes())
        except (EOFError, ConnectionResetError):
            raise EndedError(self._how()) from None
        return found

    def grown(self) -> int:
        """Bytes of resident memory above those it began with."""
        return max(0, resident(self.pid) - self.before)

    def clock(self) -> float:
        """Seconds that pass while it runs or sleeps, not while others have the processor."""
        return time.monotonic() - self._queue.seconds()

    def end(self) -> None:
        """End it now, with all it has forked if it leads its group."""
        if self._status is None:
            _end_descendants(self.pid)
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL) if self.leads_group else os.kill(self.pid, signal.SIGKILL)
        self._reap()
        self._close()

    def _close(self) -> None:
        self.channel.close()
        self._queue.close()

    def _reap(self) -> int:
        if self._status is None:
            try:
                self._status = os.waitpid(self.pid, 0)[1]
            except ChildProcessError:
                self._status = 0
        return self._status

    def _how(self) -> str:
        self._close()
        if self.leads_group and self._status is None:  # its number is that of its group until it is reaped
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(self._reap())
        if code >= 0:
            return f"ended its process with exit code {code}"
        try:
            return f"ended its process by {signal.Signals(-code).name}"
        except ValueError:
            return f"ended its process by signal {-code}"


def _end_descendants(pid: int) -> None:
    """End all that a child has started, in whatever group or session: it adopts what its own children leave behind.

    The child is stopped meanwhile, so that it starts nothing more and reaps nothing whose number others could get.
    """
    if sys.platform != "linux" or not _children(pid):
        return
    with suppress(OSError):
        os.kill(pid, signal.SIGSTOP)
    for _ in range(_ROUNDS):  # what forks while it is ended leaves orphans, which the child adopts
        living = [p for p in _below(pid) if _state(p) not in {"Z", "X", ""}]
        if not living:
            return
        for descendant in living:
            with suppress(OSError):
                os.kill(descendant, signal.SIGKILL)
        time.sleep(_MOMENT)


def _below(pid: int) -> list[int]:
    found = _children(pid)
    for one in found:
        found += [p for p in _children(one) if p not in found]
    return found


def _children(pid: int) -> list[int]:
    """What a process and its threads have started or adopted; nothing where the system does not tell."""
    found: list[int] = []
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError, ValueError):
            found += map(int, told.read_text(encoding="ascii").split())
    return found


def _state(pid: int) -> str:
    """A letter, Z for one that has ended; empty for one that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def _send(channel: Connection, item: object) -> None:
    channel.send_bytes(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))


@contextmanager
def _held_back() -> Iterator[None]:
    """What ends this command waits until it has forked.

    Python loses a signal that comes meanwhile: what its handler raises in a hook of the fork is printed and ignored.
    Handlers run in the main thread alone.
    """
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in _ENDING}
    mine = threading.current_thread() is threading.main_thread()
    held = {number: handler for number, handler in handlers.items() if mine and callable(handler)}
    for number in held:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
    for number in came[:1]:
        signal.raise_signal(number)


def _serve(function: Callable[[Any], Any], channel: Connection, parent: int, leads_group: bool) -> NoReturn:
    """The life of a child; nothing of the parent's own endings (files, `finally`, exit handlers) is run twice."""
    code = 1
    try:
        gc.freeze()  # what is there already is not walked, and so not copied, by this copy's collections
        if leads_group:
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
        for number in _ENDING - {signal.SIGINT}:
            signal.signal(number, signal.SIG_DFL)  # what the parent does on them is not for a child
        _follow(parent)
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(2, 1)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        while True:
            try:
                question = pickle.loads(channel.recv_bytes())
            except (EOFError, ConnectionResetError):
                code = 0
                break
            _send(channel, function(question))
            sys.stderr.flush()
    finally:
        os._exit(code)


def _follow(parent: int) -> None:
    """A child does not outlive its parent: the kernel sees to it where it can, a thread elsewhere."""
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        library.prctl(_PR_SET_CHILD_SUBREAPER, 1)  # what its children leave behind stays below it
        if os.getppid() != parent:
            os._exit(1)
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
