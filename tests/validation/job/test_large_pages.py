"""Large pages are asked for where memory is in use, and nothing in it changes."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import pytest

from validation.cost import child
from validation.cost.child import Child
from validation.cost.large_pages import in_large_pages


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone is asked")
def test_memory_in_large_pages_is_what_it_was() -> None:
    held = bytearray(range(256)) * 2**16  # 16 MiB, all of it in use
    assert in_large_pages() >= len(held) - 2**22
    assert held == bytes(range(256)) * 2**16
    collapsed = [int(line.split()[1]) for line in open_smaps() if line.startswith("AnonHugePages:")]
    if "never" not in chosen():
        assert sum(collapsed) >= 2**13  # kB


def test_a_process_asks_once_when_it_has_forked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(child, "_NUMBER", count(1))
    monkeypatch.setattr(child, "_MANY", 3)
    monkeypatch.setattr(child, "_LARGE", 0)
    monkeypatch.setattr(child, "in_large_pages", lambda: asked.append(1))
    for number in range(1, 6):
        forked: Child[int, int] = Child(lambda question: question + 1)
        forked.ask(number)
        assert forked.answer() == number + 1
        forked.end()
        assert len(asked) == (number >= 3)


def test_a_small_process_asks_for_none(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(child, "_NUMBER", count(1))
    monkeypatch.setattr(child, "_MANY", 1)
    monkeypatch.setattr(child, "_LARGE", 1 << 60)
    monkeypatch.setattr(child, "in_large_pages", lambda: asked.append(1))
    forked: Child[int, int] = Child(lambda question: question + 1)
    forked.end()
    assert not asked


def open_smaps() -> list[str]:
    return Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines()


def chosen() -> str:
    """What the system allows; "[never]" where nothing is collapsed."""
    enabled = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    text = enabled.read_text(encoding="utf-8") if enabled.exists() else "[never]"
    return text[text.index("[") + 1 : text.index("]")]
