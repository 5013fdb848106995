"""What functions say in normal form is kept by content: the same digests from a warm start, never an old one."""

from __future__ import annotations

import math
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from validation.fingerprint import normal_form, source
from validation.fingerprint.kept import Kept, folder

SOURCE = """
import math
def area(r):
    return math.pi * r**2
twice, thrice = (lambda x: 2 * x), (lambda x: 3 * x)
"""


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return fresh(monkeypatch)


def fresh(monkeypatch: pytest.MonkeyPatch) -> Kept:
    """What another process begins with."""
    new = Kept(source.makers)
    source.makers.cache_clear()
    monkeypatch.setattr(source, "_kept", new)
    monkeypatch.setattr(source, "_sources", {})
    return new


def written(tmp_path: Path, source: str, name: str = "one.py") -> dict[str, FunctionType]:
    file = tmp_path / name
    file.write_text(source)
    found: dict[str, Any] = {"__name__": "paper_checks.kept_here", "__package__": "paper_checks"}
    exec(compile(source, str(file), "exec", dont_inherit=True), found)
    return found


def contents(functions: dict[str, FunctionType]) -> list[Any]:
    return [source.source_of(functions[name]) for name in ("area", "twice", "thrice")]


def test_a_warm_start_says_what_a_cold_one_says(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    functions = written(tmp_path, SOURCE)
    cold = contents(functions)
    assert len(kept.made) == 3
    kept.write()
    again = fresh(monkeypatch)
    monkeypatch.setattr(source, "code_node", lambda _: pytest.fail("parsed anew"))
    assert contents(functions) == cold
    assert again.made == {}
    assert len({found.digest for found in cold}) == 3  # two lambdas of one line are told apart


def test_another_text_in_the_same_place_is_made_anew(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(written(tmp_path, SOURCE))
    kept.write()
    fresh(monkeypatch)
    after = contents(written(tmp_path, SOURCE.replace("3 * x", "4 * x"), "two.py"))
    assert after[:2] == before[:2]
    assert after[2] != before[2]


@pytest.mark.parametrize("part", ["_worded", "_DYNAMIC"])
def test_entries_of_other_code_or_constants_are_not_found_whatever_its_file_says(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """As where a file was edited after a process had loaded it."""
    before = kept.file()
    monkeypatch.setattr(normal_form, part, {"eval"} if part == "_DYNAMIC" else normal_form._text)
    assert fresh(monkeypatch).file() != before
    monkeypatch.undo()
    source.makers.cache_clear()


@pytest.mark.parametrize("text", ["", "{", "[1]", "\x00", "null"])
def test_a_damaged_file_costs_time_alone(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    functions = written(tmp_path, SOURCE)
    before = contents(functions)
    folder().mkdir(parents=True)
    kept.file().write_text(text)
    fresh(monkeypatch)
    assert contents(functions) == before
    source._kept.write()
    fresh(monkeypatch)
    monkeypatch.setattr(source, "code_node", lambda _: pytest.fail("parsed anew"))
    assert contents(functions) == before


def test_where_nothing_can_be_written_nothing_is_kept(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    functions = written(tmp_path, SOURCE)
    contents(functions)
    kept.write()
    assert (tmp_path / "cache").is_file()


def test_what_a_doctest_leaves_among_the_builtins_is_in_no_entry(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    functions = written(tmp_path, SOURCE.replace("return math.pi * r**2", "return sum(math.pi * r for _ in range(r))"))
    plain = contents(functions)
    fresh(monkeypatch)
    monkeypatch.setattr("builtins._", 3, raising=False)  # as what an interactive session shows
    monkeypatch.setattr("builtins.math", math, raising=False)
    assert contents(functions) == plain
