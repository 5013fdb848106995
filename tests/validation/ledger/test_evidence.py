"""A committed ledger in two files: what is joined is what was split, and evidence of others is refused."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from validation.judge.entry import Draws, Entry, MutantRecord, ReadingRecord
from validation.ledger.evidence import Row, joined, split
from validation.ledger.ledger import EVIDENCE, load_entries, scripts_of, write_committed
from validation.papers.papers import load_papers
from validation.statement.verdict import Verdict


def entry(name: str) -> Entry:
    path = f"counterexamples/{name}.py"
    first = ReadingRecord(name="a", verdict=Verdict.HOLDS, draws=Draws(0, 1, 0, 0, {}))
    second = ReadingRecord(name="b", verdict=Verdict.REFUTED, counterexample=path, counterexample_source="x = 1\n")
    return Entry(
        id=name,
        verdict=Verdict.REFUTED,
        words="…",
        counterexample=path,
        counterexample_source="x = 1\n",
        readings=(first, second),
        mutants=(MutantRecord(name="m", killed=True, evaluations=3),),
    )


def test_what_is_joined_is_what_was_split() -> None:
    whole = [entry("A").json(), replace(entry("B"), counterexample=None, counterexample_source=None).json()]
    verdicts, evidence = split(whole)
    assert joined(verdicts, evidence) == whole
    (first, _) = cast("list[Row]", verdicts[0]["readings"])
    assert {"name": "a", "verdict": "holds", "counterexample": None}.items() <= first.items()
    assert first.keys() < whole[0]["readings"][0].keys()
    assert json.dumps(evidence).count("x = 1") == 2  # each script once


def test_a_folder_keeps_both_files_and_no_scripts(tmp_path: Path) -> None:
    path = write_committed(tmp_path, [entry("A")])
    assert sorted(f.name for f in tmp_path.iterdir()) == ["evidence.json.xz", "ledger.json"]
    assert load_entries(path) == [entry("A")]
    assert dict(scripts_of(load_entries(path))) == {"A.py": "x = 1\n"}
    assert "counterexample_source" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no evidence for A"),
        ("[]", "expected a JSON object"),
        ('{"A": 3}', "no evidence for A"),
        ('{"A": {"readings": [{}], "mutants": [{}]}}', "evidence for A is of other readings"),
        ('{"A": {"readings": [{}, 2], "mutants": [{}]}}', "evidence for A is of other readings"),
        ("{", "not JSON"),
    ],
)
def test_evidence_of_others_is_refused_by_its_file(tmp_path: Path, text: str, words: str) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (tmp_path / EVIDENCE).write_bytes(lzma.compress(text.encode()))
    with pytest.raises(ValueError, match=f"evidence.json.xz: .*{words}"):
        load_entries(path)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda b: b[:-9], "cut short"),
        (lambda b: b"{}" * 20, "not an .xz file"),
        (lambda b: b[:40] + b"?" + b[41:], "not an .xz"),
    ],
)
def test_damaged_evidence_is_refused_by_its_file(tmp_path: Path, damage: Callable[[bytes], bytes], words: str) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (tmp_path / EVIDENCE).write_bytes(damage((tmp_path / EVIDENCE).read_bytes()))
    with pytest.raises(ValueError, match=f"evidence.json.xz: .*{words}"):
        load_entries(path)


def test_evidence_that_unpacks_beyond_all_measure_is_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_committed(tmp_path, [entry("A")])
    monkeypatch.setattr("validation.ledger.ledger._UNPACKED", 1 << 24)
    (tmp_path / EVIDENCE).write_bytes(lzma.compress(b" " * (1 << 25), preset=0))
    with pytest.raises(ValueError, match="more than 16,777,216 bytes when unpacked"):
        load_entries(path)


def test_the_same_evidence_is_the_same_bytes(tmp_path: Path) -> None:
    write_committed(tmp_path, [entry("A")])
    first = (tmp_path / EVIDENCE).read_bytes()
    write_committed(tmp_path, [entry("A")])
    assert (tmp_path / EVIDENCE).read_bytes() == first


@pytest.mark.parametrize("paper", load_papers(), ids=lambda p: p.key)
def test_committed_verdicts_are_small_and_keep_their_keys(paper: Any) -> None:
    rows = json.loads((paper.folder / "ledger.json").read_text(encoding="utf-8"))["entries"]
    keys = {"id", "paper", "kind", "level", "statement", "verdict", "weight", "condition", "readings", "worst_ratio"}
    keys |= {"instances", "seconds", "seed", "depends_on", "counterexample", "exact"}
    assert all(keys <= set(row) for row in rows)
    assert all({"name", "role", "verdict"} <= set(r) for row in rows for r in row["readings"])
    assert (paper.folder / "ledger.json").stat().st_size < 4_000 * len(rows)
    assert not (paper.folder / "counterexamples").exists()
