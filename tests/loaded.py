"""A Python that has loaded everything already: for tests of what a command does, not of how it starts.

`python()` is a program that takes the words of Python's own command line. For `-c`, `-m` and a script it asks a
server, one for all workers of a run, for a copy of itself, which has the caller's folder, environment, files and words.
Other words start Python. What is set for its start (hash seed, threads, flags) needs `sys.executable`.
"""

from __future__ import annotations

import atexit
import gc
import io
import marshal
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from filelock import FileLock

from validation.cost.large_pages import in_large_pages

__all__ = ["BLOCKED", "fedverdict", "python"]

# Every import of one of the three fails as if it were not installed.
BLOCKED = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "kornia", "sklearn"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
"""
_LOADED = """
from importlib import import_module
from importlib.metadata import entry_points
import fedverdict, validation.cli, validation.papers.papers, validation.report.site
from validation.cli import main
for name in main.lazy.values():
    import_module(name[0].partition(":")[0])
for point in entry_points(group="fedverdict.papers"):
    import_module(point.module)
"""
_TORCH = "import torch, deep.runs.engine, deep.storage.record\n"

# A start of Python without its site takes a hundredth of a second. The files are 0, 1 and 2; a copy that was killed
# says nothing.
_CLIENT = """#!{python} -IS
import _socket, marshal, os, sys
words = sys.argv[1:]
if not {prefix} and not (words and (words[0] in ("-c", "-m") or words[0].endswith(".py"))):
    os.execv("{python}", ["{python}", *words])
asked = marshal.dumps((os.getcwd(), [*{prefix}, *words], dict(os.environ)))
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect("{socket}")
files = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
server.sendmsg([len(asked).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, files)])
server.sendall(asked)
told = server.recv(4)
if not told:
    sys.exit("the process was killed")
os._exit(int.from_bytes(told, "big"))
"""
_COMMAND = "from validation.cli import main; main(prog_name='fedverdict')"


def python(torch: bool = True) -> str:
    """The path of such a Python; `torch`: whether it can be imported there."""
    return str(_folder(torch) / "python")


def fedverdict(torch: bool = True) -> str:
    """The path of a `fedverdict` in such a Python."""
    return str(_folder(torch) / "fedverdict")


@cache
def _folder(torch: bool) -> Path:
    """The folder of the server, which whoever comes first has started; it ends with the last of the workers."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir(), f"fedverdict-{run[:12]}-{'torch' if torch else 'plain'}")
    place = folder / "socket"
    with FileLock(folder.with_suffix(".lock")):
        if not _answers(place):
            shutil.rmtree(folder, ignore_errors=True)  # of a server that was killed
            folder.mkdir(mode=0o700)
            for name, prefix in (("python", []), ("fedverdict", ["-c", _COMMAND])):
                client = _CLIENT.format(python=sys.executable, socket=place, prefix=prefix)
                (folder / name).write_text(client, encoding="utf-8")
                (folder / name).chmod(0o755)
            start = f"from tests.loaded import serve; serve({str(place)!r}, torch={torch})"
            with subprocess.Popen([sys.executable, "-c", start], stdout=subprocess.PIPE, cwd=_ROOT) as server:
                assert server.stdout is not None
                assert server.stdout.read() == b"ready", "the server of loaded processes did not start"
                server.returncode = 0  # nobody waits for it
        lease = socket.socket(socket.AF_UNIX)
        lease.connect(str(place))
        lease.sendall(bytes(8))
    atexit.register(lease.close)
    return folder


def _answers(place: Path) -> bool:
    """Whether a server listens there; it takes the question for somebody who has gone again."""
    with socket.socket(socket.AF_UNIX) as asking:
        return place.exists() and asking.connect_ex(str(place)) == 0


_ROOT = Path(__file__).parents[1]


def serve(place: str, torch: bool) -> None:
    """Answer at a socket until everybody has gone."""
    os.setsid()
    if not torch:
        exec(BLOCKED, {})
    exec(_TORCH + _LOADED if torch else _LOADED, {})
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks for an exit code here: copies tell theirs
    gc.collect()
    gc.freeze()
    in_large_pages()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place)
        listening.listen(64)
        os.write(1, b"ready")
        with Path(os.devnull).open("w") as nothing:
            os.dup2(nothing.fileno(), 1)
        _answer(listening)
    shutil.rmtree(Path(place).parent)
    Path(place).parent.with_suffix(".lock").unlink(missing_ok=True)
    os._exit(0)


def _answer(listening: socket.socket) -> None:
    leases: list[socket.socket] = []
    while True:
        ready, _, _ = select.select([listening, *leases], [], [], 60)
        for gone in [lease for lease in leases if lease in ready]:
            leases.remove(gone)
            gone.close()
        if listening in ready:
            asked, _ = listening.accept()
            size, files, _, _ = socket.recv_fds(asked, 8, 3)
            if not any(size):
                leases.append(asked)
                continue
            if os.fork() == 0:
                for other in (listening, *leases):
                    other.close()
                _live(asked, int.from_bytes(size, "big"), files)
            asked.close()
            for file in files:
                os.close(file)
        if not leases:
            return


def _live(asked: socket.socket, size: int, files: list[int]) -> None:
    """The life of a copy, which ends here."""
    code = 1
    try:
        with asked.makefile("rb") as stream:
            folder, words, environment = marshal.loads(stream.read(size))
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        code = _run(words, environment)
        for step in (threading._shutdown, atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush):  # type: ignore[attr-defined]
            step()
    except BaseException:
        traceback.print_exc()
    finally:
        asked.sendall((code & 0xFF).to_bytes(4, "big"))
        os._exit(code & 0xFF)


def _run(words: list[str], environment: Mapping[str, str]) -> int:
    """The exit code of Python for these words, after its output."""
    encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
    sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False), encoding=encoding)  # type: ignore[arg-type]
    sys.stdout = _stream(1, encoding, errors or "strict")
    sys.stderr = _stream(2, encoding, "backslashreplace")
    first, *rest = words
    own = {entry for entry in sys.path if Path(entry).resolve() == _ROOT} | {""}
    more = [entry for entry in environment.get("PYTHONPATH", "").split(os.pathsep) if entry]
    top = str(Path(first).resolve().parent) if first.endswith(".py") else str(Path.cwd()) if first == "-m" else ""
    # Where an installation of the checkout is a line in a path file, its place is at the end, as it is everywhere.
    sys.path[:] = [top, *more, *(entry for entry in sys.path if entry not in own), str(_ROOT)]
    try:
        if first == "-c":
            sys.argv = ["fedverdict" if rest[0] == _COMMAND else "-c", *rest[1:]]
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(rest[0], "<string>", "exec"), vars(main))
        elif first == "-m" and rest[0] == "validation.cli":  # which is loaded; `runpy` would complain
            sys.argv = [str(_ROOT / "validation" / "cli.py"), *rest[1:]]
            import_module("validation.cli").main(prog_name="python -m validation.cli")
        elif first == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [first, *rest]
            runpy.run_path(first, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # Without the lines of this file, as Python itself prints it.
        traceback.print_exception(error.with_traceback(_outside(error)))
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _stream(number: int, encoding: str, errors: str) -> Any:
    buffered = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(buffered, encoding=encoding, errors=errors, line_buffering=number == 2)


def _outside(error: BaseException) -> Any:
    found = error.__traceback__
    while found is not None and found.tb_frame.f_code.co_filename == __file__:
        found = found.tb_next
    return found
