"""Commands start without what they do not need; what they list without importing it is what importing it would list."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import click
import pytest

import validation
from validation.cli import main
from validation.job.index import GROUP, Listed, index_of, is_ours, listed, points, write_index
from validation.job.papers import left_out, load_papers, select


def run(code: str, *more: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_index_of_every_paper_of_ours_is_what_the_paper_holds() -> None:
    ours = {p.name: p for p in points() if is_ours(p)}
    assert len(ours) == 6
    for paper in load_papers():
        if paper.key in ours:
            kept = index_of(ours[paper.key])
            assert kept is not None, f"{paper.key}: its index is old: fedverdict check --list --update-committed"
            assert kept == listed((paper, c) for c in paper.claims)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A paper's folder on the path, with the index of one claim."""
    place = tmp_path / "a_paper_beside"
    place.mkdir()
    (place / "__init__.py").write_text("raise SystemExit('imported')\n")
    (place / "more.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    ((paper, claim),) = select(["EA-E21d"])
    from dataclasses import replace

    write_index(replace(paper, folder=place, claims=(claim,)))
    return place


def fresh(module: str = "a_paper_beside") -> list[Listed] | None:
    from validation.job.index import _index

    _index.cache_clear()
    return index_of(EntryPoint("beside", f"{module}:PAPER", GROUP))


def test_an_index_is_read_without_importing_the_paper(folder: Path) -> None:
    rows = fresh()
    assert rows is not None
    assert [(r.id, r.paper) for r in rows] == [("EA-E21d", "exp_alpha")]


@pytest.mark.parametrize("what", ["more.py", "new.py", "published/t.csv"])
def test_an_index_of_other_sources_is_not_used(folder: Path, what: str) -> None:
    file = folder / what
    file.parent.mkdir(exist_ok=True)
    file.write_text("x = 1\n")
    assert fresh() is None


@pytest.mark.parametrize("what", ["counterexamples/X.py", "ledger.json"])
def test_scripts_and_ledgers_are_no_sources(folder: Path, what: str) -> None:
    file = folder / what
    file.parent.mkdir(exist_ok=True)
    file.write_text("x = 1\n")
    assert fresh() is not None


@pytest.mark.parametrize("text", ["", "[]", "5", "{}", '{"sources": 1}', "[" * 5000])
def test_a_damaged_index_is_none(folder: Path, text: str) -> None:
    (folder / "index.json").write_text(text)
    assert fresh() is None


def test_a_damaged_row_is_none_and_a_missing_package_too(folder: Path) -> None:
    kept = json.loads((folder / "index.json").read_text())
    kept["claims"][0]["more"] = 1
    (folder / "index.json").write_text(json.dumps(kept))
    assert fresh() is None
    assert fresh("no_such_package") is None
    assert fresh("no_such_package.inside") is None


def test_one_claim_imports_its_paper_alone_and_help_imports_neither_numpy_nor_sympy() -> None:
    code = "import sys; from validation.job.papers import select; print([c.id for _, c in select(['EA-E21d'])]);"
    found = run(code + "print(sorted(m for m in sys.modules if m.startswith('paper_checks.') and m.count('.') == 1))")
    assert found.splitlines() == ["['EA-E21d']", "['paper_checks.exp_alpha']"]
    code = (
        "import sys; sys.argv = ['fedverdict', *sys.argv[1:]]\n"
        "from validation.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(sorted({'numpy', 'sympy', 'torch', 'theory.arrays'} & set(sys.modules)))"
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
