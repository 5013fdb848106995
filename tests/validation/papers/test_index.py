"""Commands start without what they do not need; what they list without importing it is what importing it would list."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

import validation
from tests.committed import committed
from validation.cli import main
from validation.commands.claims import check
from validation.ledger.ledger import write_committed
from validation.papers import papers
from validation.papers.index import GROUP, Listed, index_of, is_ours, listed, points
from validation.papers.papers import left_out, load_papers, select


def run(code: str, *more: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_committed_ledger_lists_what_its_paper_holds() -> None:
    ours = {p.name: p for p in points() if is_ours(p)}
    assert len(ours) == 7
    for paper in load_papers():
        if paper.key in ours:
            kept = index_of(ours[paper.key])
            assert kept == listed((paper, c) for c in paper.claims), (
                f"{paper.key}: its ledger has other claims or titles: fedverdict check {paper.key} --update-committed"
            )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper's folder on the path that raises when it is imported, with the ledger of one claim."""
    place = tmp_path / "a_paper_beside"
    place.mkdir()
    (place / "__init__.py").write_text("raise SystemExit('imported')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    ((paper, _),) = select(["EA-E21d"])
    entries = committed(paper)
    write_committed(place, [entry for entry in entries if entry.id == "EA-E21d"])
    return place


def fresh(module: str = "a_paper_beside") -> list[Listed] | None:
    from validation.papers.index import _index

    _index.cache_clear()
    return index_of(EntryPoint("beside", f"{module}:PAPER", GROUP))


def test_a_committed_ledger_is_read_without_importing_the_paper(folder: Path) -> None:
    rows = fresh()
    assert rows is not None
    assert [(r.id, r.paper) for r in rows] == [("EA-E21d", "exp_alpha")]


@pytest.mark.parametrize(
    "text", ["", "[]", "5", "{}", '{"format": 2, "entries": [{"id": "A"}]}', '{"format": 3, "entries": []}', "[" * 5000]
)
def test_a_damaged_ledger_lists_nothing(folder: Path, text: str) -> None:
    (folder / "ledger.json").write_text(text)
    assert fresh() is None


def test_a_missing_package_lists_nothing() -> None:
    assert fresh("no_such_package") is None
    assert fresh("no_such_package.inside") is None


def test_a_claim_that_is_not_committed_yet_is_found_and_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (papers, check):
        monkeypatch.setattr(module, "index_of", lambda p: [r for r in index_of(p) or () if r.id != "EA-E21d"])
    assert [c.id for _, c in select(["EA-E21d"])] == ["EA-E21d"]
    assert [row.id for row in check._catalogue(("EA-E21d",))] == ["EA-E21d"]


def test_a_claim_that_moved_to_another_paper_is_found_though_a_ledger_has_it_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    moved = Listed("EA-E21d", "efl", "identity", "", "")
    monkeypatch.setattr(papers, "index_of", lambda p: [moved] if p.name == "efl" else [])
    assert [(paper.key, claim.id) for paper, claim in select(["EA-E21d"])] == [("exp_alpha", "EA-E21d")]


def test_one_claim_imports_its_paper_alone_and_help_imports_neither_numpy_nor_sympy() -> None:
    code = "import sys; from validation.papers.papers import select; print([c.id for _, c in select(['EA-E21d'])]);"
    found = run(code + "print(sorted(m for m in sys.modules if m.startswith('paper_checks.') and m.count('.') == 1))")
    assert found.splitlines() == ["['EA-E21d']", "['paper_checks.exp_alpha']"]
    code = (
        "import sys; sys.argv = ['fedverdict', *sys.argv[1:]]\n"
        "from validation.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'sympy', 'torch', 'theory.base.arrays'} & set(sys.modules)))"
    )
    assert run(code, "--help").splitlines()[-1] == "[]"
    assert run(code, "check", "--list").splitlines()[-1] == "[]"
    assert run(code, "--version").splitlines()[-1] == "[]"


def test_where_one_paper_holds_what_is_named_no_paper_is_said_to_be_left_out() -> None:
    assert left_out(["EA-E21d"]) == ()


def test_the_lines_of_help_are_the_first_sentences_of_the_commands() -> None:
    for name, (place, words) in main.lazy.items():  # type: ignore[attr-defined]
        module, _, attribute = place.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        assert command.name == name
        assert command.get_short_help_str(limit=500) == words


def test_every_name_of_the_package_is_there_and_no_other() -> None:
    for name in validation.__all__:
        assert getattr(validation, name) is not None
    assert set(validation.__all__) <= set(dir(validation))
    with pytest.raises(AttributeError, match="module 'validation' has no attribute 'chek'"):
        validation.chek  # type: ignore[attr-defined]  # noqa: B018
