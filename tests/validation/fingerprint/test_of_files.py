"""Fingerprints of whole claims are kept as long as nothing changed that they can depend on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from validation.fingerprint import of_files
from validation.papers.papers import load_papers


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, and a cache of its own; the file is older than the process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "claims.py").write_text("x = 1\n")
    monkeypatch.setattr(of_files, "_files", lambda: iter(sorted(folder.rglob("*"))))
    monkeypatch.setattr(of_files, "_BEGUN", (folder / "claims.py").stat().st_mtime + 10)
    return folder


class Maker:
    """Gives a fingerprint for every name but «none», and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def __call__(self, names: Sequence[str]) -> dict[str, str]:
        self.asked.append(list(names))
        return {name: f"{name}!" for name in names if name != "none"}


def test_what_is_kept_is_not_made_again(package: Path) -> None:
    make = Maker()
    assert of_files.kept(["a", "b", "none"], make) == {"a": "a!", "b": "b!"}
    assert of_files.kept(["a", "c", "none"], make) == {"a": "a!", "c": "c!"}
    assert make.asked == [["a", "b", "none"], ["c", "none"]]
    assert package.is_dir()


@pytest.mark.parametrize("change", ["content", "file", "environment"])
def test_a_change_of_files_or_environment_makes_all_of_them_again(
    package: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    make, before = Maker(), of_files.state()
    of_files.kept(["a"], make)
    if change == "content":
        (package / "claims.py").write_text("x = 2\n")
    elif change == "file":
        (package / "table.csv").write_text("1\n")
    else:
        monkeypatch.setenv("FEDVERDICT_OF_A_TEST", "1")
    assert of_files.state() not in {before, None}
    of_files.kept(["a"], make)
    assert make.asked == [["a"], ["a"]]


def test_what_a_test_runner_or_make_says_of_itself_changes_nothing(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = of_files.state()
    for name in ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "MAKEFLAGS", "MAKELEVEL"):
        monkeypatch.setenv(name, "another")
    assert package.is_dir()
    assert of_files.state() == before


def test_nothing_is_kept_where_a_file_is_newer_than_the_process(
    package: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make = Maker()
    monkeypatch.setattr(of_files, "_BEGUN", (package / "claims.py").stat().st_mtime - 10)
    assert of_files.state() is None
    assert of_files.kept(["a"], make) == of_files.kept(["a"], make) == {"a": "a!"}
    assert make.asked == [["a"], ["a"]]
    assert not list((tmp_path / "cache").rglob("fingerprints-*"))


def test_a_damaged_file_costs_time_alone_and_old_states_are_removed(package: Path, tmp_path: Path) -> None:
    make = Maker()
    for k in range(12):
        (package / "claims.py").write_text(f"x = {k}\n")
        of_files.kept(["a"], make)
    held = list((tmp_path / "cache").rglob("fingerprints-*.json"))
    assert len(held) == 8
    for file in held:
        file.write_text("{")
    assert of_files.kept(["a"], make) == {"a": "a!"}


def test_ours_are_among_the_files() -> None:
    load_papers()
    names = {file.name for file in of_files._files()}
    assert {"of_files.py", "theorem1.py", "witnesses.toml", "claims_in_prose.csv"} <= names
    assert not {"ledger.json", "evidence.json.xz"} & names
