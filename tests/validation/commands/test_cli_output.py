"""Texts of papers reach a terminal as text, in any encoding; installed copies of papers are not written into."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.committed import committed
from tests.loaded import fedverdict
from validation.cli import main
from validation.commands.claims.committed import print_counterexample
from validation.commands.claims.explain import explain
from validation.commands.output import echo_json, printable
from validation.commands.tables import print_claims, print_reasons, print_verdicts
from validation.judge.entry import Entry
from validation.papers.index import Listed, is_installed_copy, listed, points
from validation.papers.papers import select

TITLES = ("E[f(w)] at [w]", "ends [/b] here", "[red]colour", "emoji :smile:", "back\\slash\\")
ESCAPES = ("\x1b[2J\x1b]0;owned\x07", "\x9b31m", "\r\x08over", "\u202egnirts")


def entry_of(claim: str, **changes: Any) -> Entry:
    ((paper, _),) = select((claim,))
    (entry,) = (e for e in committed(paper) if e.id == claim)
    return replace(entry, weight=None, **changes)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize("title", TITLES)
def test_titles_are_shown_as_they_are(title: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    print_claims([Listed("A-1", "a", "lemma", title, title)], as_json=False)
    assert capsys.readouterr().out.count(title) == 2
    entry = entry_of("EFL-T2b", title=title)
    explain(entry, "", tmp_path)
    assert title in capsys.readouterr().out.splitlines()[0]
    print_verdicts([replace(entry, id=title)], tmp_path)
    assert title in capsys.readouterr().out
    print_reasons([replace(entry, verdict="inconclusive", why=title)])
    assert title in capsys.readouterr().err


@pytest.mark.parametrize("hidden", ESCAPES)
def test_control_characters_of_a_paper_do_not_reach_the_terminal(
    hidden: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = f"title{hidden}end"
    row = Listed("A-1", "a", "lemma", words, words)
    entry = entry_of("EFL-T2b", title=words, plainly=words, at=words, words=words)
    print_claims([row], as_json=False)
    print_claims([row], as_json=True)
    explain(entry, "", tmp_path)
    print_verdicts([replace(entry, id=words)], tmp_path)
    print_reasons([replace(entry, verdict="inconclusive", why=words)])
    print_counterexample(replace(entry, counterexample_source=f"# {words}\n"), latex=False)
    print_counterexample(entry, latex=True)
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert "end" in text
    assert [c for c in text if c in hidden and not c.isprintable()] == []


def test_json_escapes_control_characters_and_stays_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"title": "".join(ESCAPES) + "≤\n"}]
    echo_json(rows)
    text = capsys.readouterr().out
    assert json.loads(text) == rows
    assert printable(text) == text


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(e, marks=pytest.mark.nightly) for e in ("ISO-8859-1", "utf-8"))]
)
@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("check", "EA-T1", "--explain"),
        ("check", "--list"),
        ("check", "--list", "--json"),
        ("rules",),
        ("check", "EA-T1", "--script"),
        ("check", "EA-T1", "--latex"),
        ("check", "Theorem 1"),
    ],
    ids=" ".join,
)
def test_output_in_any_encoding_is_written(words: tuple[str, ...], encoding: str) -> None:
    around = {**os.environ, "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    run = subprocess.run([fedverdict(), *words], env=around, capture_output=True, check=False)
    assert b"Traceback" not in run.stderr
    assert run.returncode == (2 if words[-1] == "Theorem 1" else 0)
    if words[-1] == "--json":
        assert json.loads(run.stdout.decode(encoding)) == [asdict(row) for row in listed(select(()))]
    if words[-1] in {"--script", "--latex"}:
        assert run.stdout.decode("utf-8")
    if words[-1] == "--script":
        ran = subprocess.run([sys.executable, "-"], input=run.stdout, capture_output=True, check=False)
        assert ran.stdout.splitlines()[-1] == b"violated"


def ended(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_an_installed_copy_is_not_written_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "site-packages" / "copied"
    place.mkdir(parents=True)
    ((paper, claim),) = select(["EA-E21d"])
    copy = replace(paper, folder=place, claims=(claim,))
    monkeypatch.setattr("validation.commands.claims.check.selected", lambda _: [(copy, claim)])
    said = ended("check", "EA-E21d", "--budget", "200", "--update-committed", "--ledger", str(tmp_path / "kept"))
    assert said.exit_code == 2
    assert f"{place} is an installed copy of exp_alpha, which the next installation replaces" in said.stderr
    assert list(place.iterdir()) == []
    assert not (tmp_path / "kept").exists()


def test_a_folder_in_a_record_is_an_installed_copy_and_a_source_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_notes").mkdir()
    (tmp_path / "mine").mkdir()
    info = tmp_path / "my_notes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-notes\nVersion: 1.0\n")
    (info / "RECORD").write_text("my_notes/__init__.py,,\nmy_notes-1.0.dist-info/METADATA,,\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert is_installed_copy(tmp_path / "my_notes")
    assert not is_installed_copy(tmp_path / "mine")
    assert is_installed_copy(tmp_path / "lib" / "site-packages" / "mine")
    assert points()
    assert not is_installed_copy(Path(__file__).parents[1])
