"""Cases have their turn by the commit, and those whose file changed of late always."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import turns
from tests.turns import changed, git, in_turn, one_run_in, share


def commit(folder: Path, *names: str) -> None:
    """One more commit, with a line more in these files."""
    for name in names:
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("line\n")
    own = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    for words in (["add", "-A"], [*own, "commit", "-qm", " ".join(names)]):
        subprocess.run(["git", *words], cwd=folder, check=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Four commits: old, each of a and «b é», and old again in the working tree; new is known to nobody."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=folder, check=True)
    for name in ("old", "older", "a", "b é"):
        commit(folder, name)
    (folder / "new").touch()
    return folder


def names(folder: Path, late: int) -> set[str]:
    return {str(path.relative_to(folder)) for path in changed(folder, late)}


def test_what_changed_since_a_commit_in_the_working_tree_or_newly_is_changed_of_late(checkout: Path) -> None:
    assert names(checkout, late=1) == {"b é", "new"}
    assert names(checkout, late=2) == {"a", "b é", "new"}
    (checkout / "old").write_text("other\n", encoding="utf-8")
    changed.cache_clear()
    assert names(checkout, late=1) == {"b é", "new", "old"}
    assert names(checkout, late=30) == {"older", "a", "b é", "new", "old"}  # since the first commit, for want of more


def test_of_a_shallow_clone_what_it_knows_counts_and_without_git_nothing(checkout: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "2", checkout.as_uri(), str(shallow)], check=True)
    assert names(shallow, late=30) == {"b é"}
    (tmp_path / "none").mkdir()
    assert changed(tmp_path / "none") == frozenset()
    (tmp_path / "none" / ".git").write_text("no repository\n", encoding="utf-8")
    assert git(tmp_path / "none", "rev-parse", "HEAD") is None
    assert changed(tmp_path / "none", 1) == frozenset()


def test_a_case_whose_file_changed_is_not_left_out(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases = {name: checkout / name for name in ("old", "older", "a", "b é", "new")}
    late = changed(checkout, 2)
    monkeypatch.setattr(turns, "changed", lambda: late)
    now = {p.id for p in in_turn(cases, of=5, file=lambda path: path) if not p.marks}
    assert now == share(cases, of=5) | {"a", "b é", "new"}
    assert {p.id for p in in_turn(cases, of=5) if not p.marks} == share(cases, of=5)


def sample() -> Callable[[], None]:
    """A test, and each time another one of the same name."""

    def test() -> None: ...

    return test


def test_a_long_test_has_its_turn_in_a_share_of_all_runs_and_where_its_file_changed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def runs() -> int:
        return sum(not hasattr(one_run_in(3, str(k))(sample()), "pytestmark") for k in range(90))

    monkeypatch.setattr(turns, "changed", lambda late: frozenset[Path]())
    assert 15 < runs() < 45
    ours = frozenset({Path(__file__).resolve()})
    monkeypatch.setattr(turns, "changed", lambda late: ours if late == 1 else frozenset[Path]())
    assert runs() == 90
