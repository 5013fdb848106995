"""A report replaces what a report wrote; a person's files, and whatever links lead to, stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validation.cli import main
from validation.report import Report, render
from validation.report.folder import LIST, FolderError, ReportFolder

FILES = {"index.html": b"<p>", "assets/app.js": b"1", "counterexamples/A.py": b"x = 1\n", "ledger.json": b"[]\n"}


def written(folder: Path) -> dict[str, bytes]:
    """What is in the folder, but the list of it."""
    files = (f for f in folder.rglob("*") if f.is_file() and f.name != LIST)
    return {f.relative_to(folder).as_posix(): f.read_bytes() for f in files}


def test_a_report_replaces_what_it_wrote(tmp_path: Path) -> None:
    ReportFolder(tmp_path).write(FILES)
    assert written(tmp_path) == FILES
    other = {name: content + b"2" for name, content in FILES.items()}
    ReportFolder(tmp_path).write(other)
    assert written(tmp_path) == other
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "assets" / "mine.css").write_text("mine")
    ReportFolder(tmp_path).write(FILES)
    assert written(tmp_path) == {**FILES, "notes.txt": b"mine", "assets/mine.css": b"mine"}


@pytest.mark.parametrize("name", FILES)
def test_a_persons_file_is_not_overwritten_and_nothing_is_written(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(FolderError, match="was not written by a report, or was changed since") as caught:
        ReportFolder(tmp_path).write(FILES)
    assert str(tmp_path / name) in str(caught.value)
    assert written(tmp_path) == {name: b"mine"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_a_person_changed_is_theirs(name: str, tmp_path: Path) -> None:
    ReportFolder(tmp_path).write(FILES)
    (tmp_path / name).write_text("changed")
    with pytest.raises(FolderError, match=name):
        ReportFolder(tmp_path).write({n: content + b"2" for n, content in FILES.items()})
    assert written(tmp_path) == {**FILES, name: b"changed"}


@pytest.mark.parametrize("name", ["assets", "counterexamples", "index.html", LIST])
def test_links_are_not_followed(name: str, tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "report", tmp_path / "elsewhere"
    folder.mkdir()
    if "." in name:
        elsewhere.write_text("theirs")
    else:
        elsewhere.mkdir()
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(FolderError, match=r"is a link to .*, which a report does not follow"):
        ReportFolder(folder).write(FILES)
    assert elsewhere.read_text() == "theirs" if elsewhere.is_file() else list(elsewhere.iterdir()) == []
    assert [f.name for f in folder.iterdir()] == [name]


def test_a_folder_that_is_a_link_itself_is_a_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    ReportFolder(tmp_path / "link").write(FILES)
    assert written(tmp_path / "real") == FILES


@pytest.mark.parametrize("text", ["", "[]", "{", '{"files": 1}', '{"files": {"index.html": 5}}'])
def test_a_damaged_list_makes_every_file_a_persons(text: str, tmp_path: Path) -> None:
    ReportFolder(tmp_path).write(FILES)
    (tmp_path / LIST).write_text(text)
    with pytest.raises(FolderError):
        ReportFolder(tmp_path).write({"index.html": b"other"})
    assert written(tmp_path) == FILES


def test_a_report_that_was_interrupted_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ReportFolder(tmp_path).write(FILES)
    real, count = Path.replace, 0

    def stopping(self: Path, target: Path) -> Path:
        nonlocal count
        if target.name == "app.js":
            count += 1
            if count == 1:
                raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", stopping)
    other = {name: content + b"2" for name, content in FILES.items()}
    with pytest.raises(KeyboardInterrupt):
        ReportFolder(tmp_path).write(other)
    assert written(tmp_path)["index.html"] == b"<p>2"
    ReportFolder(tmp_path).write(other)
    assert {name: written(tmp_path)[name] for name in other} == other


def test_pages_of_a_person_survive_a_render(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("my home page")
    with pytest.raises(FolderError, match=r"index\.html"):
        render(Report([]), tmp_path)
    assert written(tmp_path) == {"index.html": b"my home page"}


def ended(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("index.html", ()),
        ("assets/style.css", ()),
        ("paper-efl.html", ()),
        ("ledger.json", ()),
        ("report.json", ("--format", "json")),
        ("efl.md", ("--format", "md")),
        ("efl.html", ("--single-file", "efl")),
    ],
)
def test_the_command_refuses_before_any_work(
    name: str, options: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def working(*_: object, **__: object) -> list[object]:
        raise AssertionError("a claim was checked")

    monkeypatch.setattr("validation.commands.claims.report.checked", working)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text('{"mine": 1}')
    said = ended("report", str(tmp_path), *options)
    assert said.exit_code == 2, said.output
    assert f"{tmp_path / name} was not written by a report" in said.stderr
    assert written(tmp_path) == {name: b'{"mine": 1}'}


def test_the_command_refuses_a_link_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "validation.commands.claims.report.checked", lambda *_, **__: pytest.fail("a claim was checked")
    )
    folder, elsewhere = tmp_path / "report", tmp_path / "elsewhere"
    for name in ("assets", "claims", "counterexamples"):
        (folder / name).parent.mkdir(exist_ok=True)
        elsewhere.mkdir(exist_ok=True)
        (folder / name).symlink_to(elsewhere)
        said = ended("report", str(folder))
        assert said.exit_code == 2, said.output
        assert f"{folder / name} is a link to {elsewhere}" in said.stderr
        (folder / name).unlink()
    assert list(elsewhere.iterdir()) == []
