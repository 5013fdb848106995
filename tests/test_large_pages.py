"""Large pages are asked for where memory is in use, and nothing in it changes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.large_pages import in_large_pages


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone is asked")
def test_memory_in_large_pages_is_what_it_was() -> None:
    held = bytearray(range(256)) * 2**16  # 16 MiB, all of it in use
    assert in_large_pages() >= len(held) - 2**22
    assert held == bytes(range(256)) * 2**16
    collapsed = [int(line.split()[1]) for line in open_smaps() if line.startswith("AnonHugePages:")]
    if "never" not in chosen():
        assert sum(collapsed) >= 2**13  # kB


def open_smaps() -> list[str]:
    return Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()


def chosen() -> str:
    """What the system allows; "[never]" where nothing is collapsed."""
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    text = enabled.read_text(encoding="utf-8") if enabled.exists() else "[never]"
    return text[text.index("[") + 1 : text.index("]")]
