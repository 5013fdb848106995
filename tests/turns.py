"""What one run of the tests has of many cases of one kind: as many as it can afford, which the commit chooses.

Every case has its turn, one commit always chooses the same, and `make nightly` runs those that are left out. A case
whose own file changed of late is never left out.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import pytest

Test = TypeVar("Test", bound=Callable[..., Any])
ROOT = Path(__file__).resolve().parents[1]
LATE = 30  # commits


def git(root: Path, *words: str) -> str | None:
    """What git says in a checkout; None where there is no checkout, or no git that reads it."""
    if not (root / ".git").exists():
        return None
    try:
        return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


@cache
def the_commit() -> str:
    """The commit that is checked out; without a checkout the version."""
    return git(ROOT, "rev-parse", "HEAD") or version("fedverdict")


@cache
def changed(root: Path = ROOT, late: int = LATE) -> frozenset[Path]:
    """Files that differ from the commit so many back, or the oldest of a shallow clone, and those git does not know."""
    commits = (git(root, "rev-list", "--first-parent", f"--max-count={late + 1}", "HEAD") or "").split()
    if not commits:
        return frozenset()
    names = git(root, "diff", "--name-only", "-z", commits[-1]) or ""
    names += git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    return frozenset(root / name for name in names.split("\0") if name)


def share(ids: Iterable[str], of: int, commit: str | None = None) -> set[str]:
    """One in `of` of the ids, rounded up, as the commit has it."""
    chosen = the_commit() if commit is None else commit
    drawn = sorted(ids, key=lambda name: hashlib.sha256(f"{chosen} {name}".encode()).digest())
    return set(drawn[: -(-len(drawn) // of)])


def one_run_in(of: int, commit: str | None = None) -> Callable[[Test], Test]:
    """A test that takes long and that one run in `of` has, which the commit chooses; others leave it to `make nightly`.

    Where its file differs from the commit before, it has its turn.
    """

    def marked(test: Test) -> Test:
        chosen = the_commit() if commit is None else commit
        digest = hashlib.sha256(f"{chosen} {test.__module__}.{test.__qualname__}".encode()).digest()
        late = Path(str(sys.modules[test.__module__].__file__)).resolve() in changed(late=1)
        return test if late or int.from_bytes(digest[:8], "big") % of == 0 else pytest.mark.nightly(test)

    return marked


def in_turn(cases: Mapping[str, Any], of: int, file: Callable[[Any], Path] | None = None) -> list[Any]:
    """Parameters of a test: each case, by its id; all but one in `of` are left to `make nightly`.

    `file`: of a case its own file; where that changed of late the case is not left out.
    """
    now = share(cases, of) | {n for n, c in cases.items() if file is not None and file(c).resolve() in changed()}
    return [pytest.param(c, id=name, marks=() if name in now else pytest.mark.nightly) for name, c in cases.items()]
