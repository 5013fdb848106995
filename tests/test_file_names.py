"""Tracked files: names in ASCII, which archives, shells and other systems keep, and no result that is only remade."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def tracked(*patterns: str) -> list[str]:
    """Tracked files, of these patterns of git where some are given."""
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout: nothing says which files are tracked")
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT, capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (ROOT / name).exists()]


def test_every_tracked_file_has_an_ascii_name() -> None:
    names = tracked()
    assert "pyproject.toml" in names
    assert [name for name in names if not name.isascii()] == []


def test_results_of_benchmarks_are_kept_only_where_a_page_or_a_test_or_their_benchmark_reads_them() -> None:
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in tracked("*.md", "*.py")]
    kept = [Path(name).name for name in tracked("tests/benchmarks/results/*.json")]
    assert kept
    assert [
        n for n in kept if not any(f"benchmarks/results/{n}" in t or f'"results" / "{n}"' in t for t in texts)
    ] == []
