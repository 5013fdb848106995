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
from validation.papers.committed import committed_of
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
        ('{"A": 3}', "no evidence for A"),
        ('{"A": {"readings": [{}], "mutants": [{}]}}', "evidence for A is of other readings"),
        ('{"A": {"readings": [{}, 2], "mutants": [{}]}}', "evidence for A is of other readings"),
    ],
)
def test_evidence_of_other_claims_or_readings_is_not_joined(text: str, words: str) -> None:
    verdicts, _ = split([entry("A").json()])
    with pytest.raises(ValueError, match=words):
        joined(verdicts, json.loads(text))


@pytest.mark.parametrize("text", ["{}", "[]", '{"A": 3}', "{"])
def test_evidence_that_was_written_with_another_ledger_is_refused_by_its_file(tmp_path: Path, text: str) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (tmp_path / EVIDENCE).write_bytes(lzma.compress(text.encode()))
    with pytest.raises(ValueError, match=r"evidence.json.xz: not what ledger.json was written with.*update-committed"):
        load_entries(path)


def test_evidence_of_another_seed_is_refused(tmp_path: Path) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (other := tmp_path / "other").mkdir()
    mine = replace(entry("A"), readings=tuple(replace(r, why="seed 1") for r in entry("A").readings), evaluations=7)
    write_committed(other, [mine])
    (other / EVIDENCE).replace(tmp_path / EVIDENCE)
    with pytest.raises(ValueError, match=r"evidence.json.xz: not what ledger.json was written with"):
        load_entries(path)


def test_missing_evidence_is_named(tmp_path: Path) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (tmp_path / EVIDENCE).unlink()
    with pytest.raises(ValueError, match=r"evidence.json.xz: missing.*update-committed"):
        load_entries(path)


def test_a_verdict_edited_by_hand_is_noticed(tmp_path: Path) -> None:
    path = write_committed(tmp_path, [entry("A")])
    text = path.read_text(encoding="utf-8")
    assert text.count('"refuted"') == 2
    path.write_text(text.replace('"refuted"', '"holds"', 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"ledger.json: changed since it was written: its digest differs; restore"):
        load_entries(path)


@pytest.mark.parametrize("word", [Verdict.HOLDS, Verdict.PROVED, Verdict.INCONCLUSIVE])
def test_a_word_that_its_readings_do_not_give_is_refused_though_the_digest_is_right(
    tmp_path: Path, word: Verdict
) -> None:
    path = write_committed(tmp_path, [replace(entry("A"), verdict=word)])
    with pytest.raises(ValueError, match=rf"ledger.json: A is {word}; its readings give refuted; restore"):
        load_entries(path)


def test_a_reading_that_denies_its_own_evidence_is_refused_though_the_words_agree(tmp_path: Path) -> None:
    """Edited in both places, with the digest made for it: the kept script still confirms the violation."""
    first, second = entry("A").readings
    held = replace(entry("A"), verdict=Verdict.HOLDS, readings=(first, replace(second, verdict=Verdict.HOLDS)))
    with pytest.raises(ValueError, match=r"A, reading «b», is holds, and has an exact counterexample; restore"):
        load_entries(write_committed(tmp_path, [held]))
    alive = tuple(replace(m, killed=False) for m in entry("A").mutants)
    loose = replace(entry("A"), verdict=Verdict.HOLDS, readings=(first,), mutants=alive)
    with pytest.raises(ValueError, match=r"A, reading «a», is holds, and every mutant survived; restore"):
        load_entries(write_committed(tmp_path, [loose]))


def test_a_condition_or_edit_that_its_readings_do_not_give_is_refused(tmp_path: Path) -> None:
    for change in ({"condition": "E = 1"}, {"edit": "2 for 1"}):
        path = write_committed(tmp_path, [replace(entry("A"), **change)])
        with pytest.raises(ValueError, match=r"A is refuted, (condition|edit) «.*»; its readings give refuted; "):
            load_entries(path)


def test_a_weight_that_the_verdict_does_not_give_is_refused(tmp_path: Path) -> None:
    paper = next(p for p in load_papers() if p.key == "exp_alpha")
    entries = load_entries(paper.folder / "ledger.json")
    heavy = next(e for e in entries if e.weight)
    light = [replace(e, weight=None) if e is heavy else e for e in entries]
    write_committed(tmp_path, light)
    with pytest.raises(ValueError, match=rf"ledger.json: {heavy.id} weighs «None»; its verdict gives «{heavy.weight}»"):
        committed_of(replace(paper, folder=tmp_path))
    write_committed(tmp_path, entries)
    assert committed_of(replace(paper, folder=tmp_path)) == entries


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_crash_between_two_writes_leaves_the_old_pair_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    path = write_committed(tmp_path, [entry("A")])
    kept = Path.replace
    done: list[Path] = []

    def until(draft: Path, file: Path) -> Path:
        if len(done) == writes:
            raise KeyboardInterrupt
        done.append(file)
        return kept(draft, file)

    monkeypatch.setattr(Path, "replace", until)
    with pytest.raises(KeyboardInterrupt):
        write_committed(tmp_path, [entry("B")])
    monkeypatch.undo()
    assert load_entries(path) == [entry("B" if writes == 2 else "A")]
    write_committed(tmp_path, [entry("C")])
    assert load_entries(path) == [entry("C")]
    assert sorted(f.name for f in tmp_path.iterdir()) == ["evidence.json.xz", "ledger.json"]


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
    keys = {"id", "paper", "kind", "level", "printed", "verdict", "weight", "condition", "readings", "worst_ratio"}
    keys |= {"instances", "seconds", "seed", "rests_on", "counterexample", "exact"}
    assert all(keys <= set(row) for row in rows)
    assert all({"name", "role", "verdict"} <= set(r) for row in rows for r in row["readings"])
    assert (paper.folder / "ledger.json").stat().st_size < 4_000 * len(rows)
    assert not (paper.folder / "counterexamples").exists()
