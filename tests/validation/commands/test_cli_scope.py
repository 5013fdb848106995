"""What a bare `fedverdict check` would search is said, not begun; claims are found by their place in the print."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from validation.cli import main
from validation.commands.scope import in_time, scope
from validation.papers.index import Listed, chosen_of, placed_at
from validation.papers.papers import select


def ended(*words: str, stdin: str = "") -> Result:
    return CliRunner().invoke(main, list(words), input=stdin)


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many claims each search was begun with; none is carried out."""
    begun: list[int] = []

    def searching(pairs: list[object], *_: object, **__: object) -> list[object]:
        begun.append(len(pairs))
        raise SystemExit(0)

    monkeypatch.setattr("validation.commands.claims.check.checked", searching)
    return begun


def test_a_bare_check_says_what_it_would_search_and_ends_with_2(searched: list[int], tmp_path: Path) -> None:
    n_claims = len(select(()))
    said = ended("check", "--ledger", str(tmp_path / "kept"), "--jobs", "2")
    assert said.exit_code == 2
    assert f"--all: {n_claims} claims of 7 papers, about " in said.stderr
    assert re.search(
        r"about \d[\d.]* (minutes|hours) of processor time .*, \d[\d.]* (s|minutes|hours) with --jobs 2", said.stderr
    )
    assert "a claim such as EA-T1, a paper (efl, exp_alpha, " in said.stderr
    assert searched == []
    assert not (tmp_path / "kept").exists()


def test_the_estimate_is_the_committed_seconds_by_the_root_of_the_budget() -> None:
    rows = [Listed(c.id, p.key, "", "", "") for p, c in select(("known_truths",))]
    (folder,) = {p.folder for p, _ in select(("known_truths",))}
    entries = json.loads((folder / "ledger.json").read_text())["entries"]
    whole = sum(entry["seconds"] for entry in entries)
    half = sum(entry["seconds"] * (100_000 / entry["budget"]) ** 0.5 for entry in entries)
    assert f"{len(rows)} claims of 1 paper, about {in_time(whole)} of processor time" in scope(rows, None, 1)
    assert f"about {in_time(half)} of processor time" in scope(rows, 100_000, 1)
    assert f", {in_time(whole / 4)} with --jobs 4" in scope(rows, None, 4)
    assert "no committed search says how long" in scope([Listed("MINE-1", "mine", "", "", "")], None, 1)


def test_all_checks_all(searched: list[int], tmp_path: Path) -> None:
    assert ended("check", "--all", "--ledger", str(tmp_path)).exit_code == 0
    assert searched == [len(select(()))]
    said = ended("check", "--all", "EA-T1")
    assert (said.exit_code, "expected no names with it" in said.stderr) == (2, True)


@pytest.mark.parametrize(("answer", "begins"), [("y\n", True), ("n\n", False), ("\n", False)])
def test_a_terminal_is_asked(
    answer: str, begins: bool, searched: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validation.commands.scope.interactive", lambda: True)
    said = ended("check", "--ledger", str(tmp_path), stdin=answer)
    assert f"All are {len(select(()))} claims of 7 papers" in said.stderr
    assert bool(searched) == begins
    assert said.exit_code == (0 if begins else 2)


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("theorem 4.2", "FA-T4.2"),
        ("Corollary A.8", "SSA-CA8"),
        ("Exp-α Theorem 1", "EA-T1"),
        ("exp-alpha theorem 1", "EA-T1"),
        ("EFL Theorem 1", "EFL-T1"),
        ("robust aggregation lemma 1", "RA-L1"),
    ],
)
def test_a_place_with_one_claim_is_that_claim(name: str, claim: str) -> None:
    assert [c.id for _, c in select((name,))] == [claim]
    assert ended("check", name, "--explain").stdout.startswith(claim)


def test_a_place_with_several_claims_lists_them() -> None:
    said = ended("check", "Theorem 1", "--explain")
    assert said.exit_code == 2
    for words in ("matches 3 claims", "EFL-T1 (Theorem 1 of efl)", "EA-T1 (Theorem 1 of exp_alpha)", "RA-T1"):
        assert words in said.stderr


def test_a_number_is_not_the_beginning_of_a_longer_one() -> None:
    rows = [Listed("A-T4.2", "a", "", "", "Theorem 4.2, Sec. 1"), Listed("A-T12", "a", "", "", "Theorem 12")]
    assert placed_at("Theorem 4", rows) == []
    assert placed_at("Theorem 1", rows) == []
    assert placed_at("A theorem 4.2", rows) == rows[:1]
    with pytest.raises(ValueError, match="unknown claim or paper 'Theorem 4'"):
        chosen_of(["Theorem 4"], [("a", "A-T4.2")], rows=lambda: rows)
