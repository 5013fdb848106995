"""Names of tracked files are ASCII: archives, shells and other systems keep them as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_every_tracked_file_has_an_ascii_name() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout: nothing says which files are tracked")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    names = listed.decode().split("\0")
    assert "pyproject.toml" in names
    assert [name for name in names if not name.isascii()] == []
