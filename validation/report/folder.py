"""The folder of a report: what fedverdict wrote there may be replaced, what a person put there never is.

A list in the folder, `.fedverdict-report.json`, has the SHA-256 of every file that was written. A file that is not in
it, or was changed since, is a person's, and so is whatever a symbolic link within the folder leads to.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from theory.base.files import naming, replace_file

__all__ = ["LIST", "FolderError", "ReportFolder"]

LIST = ".fedverdict-report.json"


class FolderError(ValueError):
    """A report would overwrite what a person put into the folder, or write through a link."""


class ReportFolder:
    """A folder that a report is written into; the folder itself may be a link, what is in it may not."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def check(self, names: Iterable[str], ours: Iterable[str] = ()) -> None:
        """`FolderError` naming the first of these files that is a person's, or that lies behind a symbolic link.

        `ours`: files that other code of ours has written, which may be replaced if they are no links.
        """
        written, accepted = self._written(), set(ours)
        for name in (LIST, *names):
            self._check_links(name)
            file = self.path / name
            if name == LIST or name in accepted or not file.exists():
                continue
            if not file.is_file() or _digest(file.read_bytes()) not in written.get(name, ()):
                raise FolderError(
                    f"report: {file} was not written by a report, or was changed since; it is left as it is and nothing"
                    " was written; move it, or name another folder"
                )

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write the files in their order, each in one step; raises as `check`, before anything is written."""
        same = [name for name, content in files.items() if _holds(self.path / name, content)]
        self.check(files, same)
        before = self._written()
        digests = {name: _digest(content) for name, content in files.items()}
        # Should this be interrupted, a file has its old content or the new one: until the end the list allows both.
        self._list({**before, **{name: [*before.get(name, ()), digest] for name, digest in digests.items()}})
        for name, content in files.items():
            if name not in same:
                _put(self.path / name, content)
        self._list({**before, **{name: [digest] for name, digest in digests.items()}})

    def adopt(self, name: str) -> None:
        """Add a file that other code of ours has just written to the list."""
        self._list({**self._written(), name: [_digest((self.path / name).read_bytes())]})

    def _check_links(self, name: str) -> None:
        place = self.path
        for part in Path(name).parts:
            place = place / part
            if place.is_symlink():
                raise FolderError(
                    f"report: {place} is a link to {place.readlink()}, which a report does not follow; nothing was"
                    " written; remove the link, or name another folder"
                )

    def _written(self) -> dict[str, list[str]]:
        """The digests that each file of ours may have; none where the list is missing or damaged."""
        try:
            held = json.loads((self.path / LIST).read_text(encoding="utf-8"))
            return {str(name): [str(digest) for digest in digests] for name, digests in held["files"].items()}
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return {}

    def _list(self, digests: Mapping[str, list[str]]) -> None:
        words = "Files of a fedverdict report; others in this folder are left alone."
        self.path.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"about": words, "files": dict(sorted(digests.items()))}, indent=1, ensure_ascii=False)
        replace_file(self.path / LIST, (text + "\n").encode())


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


def _holds(file: Path, content: bytes) -> bool:
    return file.is_file() and file.read_bytes() == content


def _put(file: Path, content: bytes) -> None:
    """Replace a file in one step, through a draft that is never a link."""
    draft = file.with_name(f".{file.name}.fedverdict-draft")
    with naming(file):
        file.parent.mkdir(parents=True, exist_ok=True)
        draft.unlink(missing_ok=True)  # of an earlier report that was interrupted
        try:
            with draft.open("xb") as handle:
                handle.write(content)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
