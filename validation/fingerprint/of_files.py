"""Fingerprints of whole claims, kept between processes by all files that they can depend on.

To follow the code and the values of 862 claims takes a third of a report. A fingerprint is the same as long as no file
of ours or of a paper's package has other bytes, and Python, the installed libraries and the environment are the same:
these are its key. Where a file was written after this process began, what was imported may be older than the file, and
nothing is kept.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from theory.base.files import replace_file
from validation.fingerprint.kept import folder
from validation.fingerprint.project import is_project, project_packages

__all__ = ["kept", "state"]

__judges__ = "no"

_BEGUN = time.time()
_MOST = 8  # files of other states that are left
_OF_VERDICTS = frozenset({"ledger.json", "evidence.json.xz", "evidence-next.json.xz"})
_OF_A_SHELL = frozenset({"PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "TERM", "XDG_CACHE_HOME"})
_OF_A_CALLER = ("PYTEST_", "MAKE", "MFLAGS")  # what a test runner or make says of itself


def kept(names: Sequence[str], make: Callable[[Sequence[str]], Mapping[str, str]]) -> dict[str, str]:
    """The fingerprints by name; `make` gives those of names that are not kept for this state of all files.

    A name without a fingerprint has none in the result, and is asked for again each time.
    """
    key = state()
    if key is None:
        return dict(make(names))
    file = folder() / f"fingerprints-{key[:32]}.json"
    held = _read(file)
    lacking = [name for name in names if name not in held]
    if lacking:
        held |= make(lacking)
        _write(file, held)
    return {name: held[name] for name in names if name in held}


def state() -> str | None:
    """SHA-256 of all that a fingerprint can depend on; None where a file is newer than this process."""
    digest = sha256("\0".join((sys.version, *sorted(_libraries()), *_environment())).encode())
    for file in sorted(_files()):
        try:
            if file.stat().st_mtime >= _BEGUN:
                return None
            digest.update(f"\0{file}\0{sha256(file.read_bytes()).hexdigest()}".encode())
        except OSError:
            return None
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    """Files of packages whose code counts, but those that hold verdicts, and loaded modules that lie elsewhere."""
    roots = []
    for name in project_packages():
        file = getattr(sys.modules.get(name), "__file__", None)
        if file is not None and Path(file).name == "__init__.py":
            roots.append(Path(file).parent)
    for root in roots:
        for file in root.rglob("*"):
            if file.suffix != ".pyc" and file.name not in _OF_VERDICTS and file.is_file():
                yield file
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file is not None and is_project(name) and not any(root in Path(file).parents for root in roots):
            yield Path(file)


def _libraries() -> Iterator[str]:
    """Name and version of every installed distribution, as its folder is called."""
    for place in sys.path:
        with suppress(OSError):
            yield from (one.name for one in Path(place or ".").iterdir() if one.suffix in {".dist-info", ".egg-info"})


def _environment() -> list[str]:
    return sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name not in _OF_A_SHELL and not name.startswith(_OF_A_CALLER)
    )


def _read(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(file: Path, held: Mapping[str, str]) -> None:
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(held).encode())
        others = sorted(file.parent.glob("fingerprints-*.json"), key=lambda f: f.stat().st_mtime)
        for old in others[:-_MOST]:
            old.unlink(missing_ok=True)
