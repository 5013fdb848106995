"""Nothing is lost: interrupted lines, resumed checks, stale entries."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.loaded import python
from validation.fingerprint.fingerprints import fingerprint
from validation.job.job import check_claims, is_current
from validation.judge.entry import Entry, ReadingRecord
from validation.ledger.evidence import Row, digest_of
from validation.ledger.ledger import Ledger, LedgerWarning, load_entries, load_rows, write_ledger
from validation.papers.index import Listed, chosen_of
from validation.papers.papers import load_papers, select
from validation.statement.verdict import Verdict


def entry(name: str, seed: int = 0, script: str | None = None) -> Entry:
    path = None if script is None else f"counterexamples/{name}.py"
    reading = ReadingRecord(name="r", verdict=Verdict.REFUTED, counterexample=path, counterexample_source=script)
    return Entry(id=name, seed=seed, verdict=Verdict.REFUTED, readings=(reading,))


def test_the_newest_entry_counts_and_a_torn_last_line_does_not(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(entry("A", 1))
    ledger.append(entry("B", 1))
    ledger.append(entry("A", 2))
    with ledger.lines.open("ab") as handle:
        handle.write(b'{"id": "B", "val')  # the process died here
    assert {k: e.seed for k, e in ledger.entries().items()} == {"A": 2, "B": 1}
    ledger.append(entry("C", 3))
    with pytest.warns(LedgerWarning, match="line 4 not JSON, cut short or damaged"):
        entries = ledger.entries()
    assert {k: e.seed for k, e in entries.items()} == {"A": 2, "B": 1, "C": 3}


def test_long_lines_of_several_processes_at_once_stay_whole(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from validation.ledger.ledger import Ledger\n"
        "from validation.judge.entry import Entry; from validation.statement.verdict import Verdict\n"
        "for n in range(50): Ledger(Path(sys.argv[1])).append("
        "Entry(id=f'{sys.argv[2]}{n}', verdict=Verdict.HOLDS, words=100_000 * 'x'))"
    )
    line = [python(), "-c", program, str(tmp_path)]
    writers = [subprocess.Popen([*line, name]) for name in "ABCD"]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0, 0]
    ledger = Ledger(tmp_path)
    text = ledger.lines.read_text(encoding="utf-8")
    assert len(ledger.entries()) == len(text.splitlines()) == 200  # a warning is an error here


def test_derived_files_follow_the_entries(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(entry("A", 1, script="print(1)\n"))
    ledger.append(entry("B", 1))
    path = ledger.derive(["B", "A"])
    assert [e.id for e in load_entries(path)] == ["B", "A"]
    assert (tmp_path / "counterexamples" / "A.py").read_text() == "print(1)\n"
    ledger.append(entry("A", 2))
    ledger.derive(["B", "A"])
    assert not (tmp_path / "counterexamples" / "A.py").exists()
    assert not list(tmp_path.glob(".*tmp"))


def test_a_damaged_ledger_names_itself(tmp_path: Path) -> None:
    path = tmp_path / "ledger.json"
    path.write_text("[{")
    with pytest.raises(ValueError, match=r"ledger.json: not JSON"):
        load_entries(path)
    for text, words in {
        '{"id": 1}': "no ledger: expected an object with a format and entries",
        "[]": "a list without a format, as earlier versions wrote it; delete it and check again",
        '{"format": 3, "entries": []}': "format 3; this version of fedverdict reads format 4",
        '{"format": 4}': "expected entries, each with an id",
        '{"format": 4, "entries": [{"id": "A"}]}': "changed since it was written: its digest differs",
    }.items():
        path.write_text(text)
        with pytest.raises(ValueError, match=re.escape(f"{path}: {words}")):
            load_entries(path)
    entries: list[tuple[Row, str]] = [
        ({}, "entry A: lacks verdict"),
        ({"verdict": "maybe"}, "entry A.verdict is 'maybe'; expected Verdict"),
        ({"verdict": "holds", "x": 1}, "entry A: has an unknown field 'x'"),
        ({"verdict": "holds", "readings": [{"name": "r"}]}, "entry A.readings: lacks verdict"),
    ]
    for entry, words in entries:
        rows = [{"id": "A", **entry}]
        path.write_text(json.dumps({"format": 4, "digest": digest_of(rows, None), "entries": rows}))
        with pytest.raises(ValueError, match=re.escape(f"{path}: {words}")):
            load_entries(path)


def test_known_entries_are_reused_and_jobs_do_not_change_results(tmp_path: Path) -> None:
    pairs = select(["EA-S2", "RA-L1", "FA-CHIW"])
    ledger = Ledger(tmp_path)
    one = {e.id: e for e in check_claims(pairs, budget=1000, seed=1, ledger=ledger)}
    two = {e.id: e for e in check_claims(pairs, budget=1000, seed=1, jobs=2)}

    def bare(found: dict[str, Entry]) -> dict[str, Entry]:
        return {name: replace(e, seconds=0.0) for name, e in found.items()}

    assert bare(one) == bare(two)
    held = ledger.entries()
    again = list(check_claims(pairs, budget=1000, seed=1, known={"EA-S2": held["EA-S2"]}))
    assert again[0].seconds == held["EA-S2"].seconds  # the very entry, not a new check


def test_entries_of_other_code_budget_or_seed_are_stale() -> None:
    ((paper, claim),) = select(["EA-L4"])
    good = Entry(id="EA-L4", verdict=Verdict.HOLDS, fingerprint=fingerprint(paper, claim), budget=100, seed=0)
    assert is_current(good, paper, claim)
    assert is_current(good, paper, claim, budget=100, seed=0)
    assert not is_current(good, paper, claim, budget=200)
    assert not is_current(good, paper, claim, seed=1)
    assert not is_current(replace(good, fingerprint="0"), paper, claim)


def test_unknown_names_give_the_nearest() -> None:
    with pytest.raises(ValueError, match="unknown claim or paper 'EA-T11'; nearest: EA-T1"):
        select(["EA-T11"])
    assert [c.id for _, c in select(["ea-t1"])] == ["EA-T1"]
    assert {p.key for p, _ in select(["exp_alpha"])} == {"exp_alpha"}
    assert {p.key for p, _ in select(["Exp-α", "robust aggregation"])} == {"exp_alpha", "robust_aggregation"}
    # Of rows, not of indices: a paper whose index is stale still says what stands where.
    rows = [
        Listed("XX-E1", "paper", "step", "A line", "Theorem 1, proof"),
        Listed("XX-T1", "paper", "", "", "Theorem 1"),
    ]
    pairs = [(row.paper, row.id) for row in rows]
    assert chosen_of(["theorem 1"], pairs, rows=lambda: rows) == {"XX-T1"}
    twice = [*rows, Listed("YY-T1", "other", "", "", "Theorem 1")]
    with pytest.raises(ValueError, match=r"'theorem 1' matches 2 claims: YY-T1 \(Theorem 1 of other\), XX-T1"):
        chosen_of(["theorem 1"], pairs, rows=lambda: twice)


def test_writing_keeps_only_what_is_there(tmp_path: Path) -> None:
    write_ledger(tmp_path, [entry("A", 1, script="x = 1\n")])
    write_ledger(tmp_path, [entry("B", 1)])
    assert [e.id for e in load_entries(tmp_path / "ledger.json")] == ["B"]
    assert not list((tmp_path / "counterexamples").glob("*.py"))


def test_a_budget_that_is_no_whole_number_is_refused() -> None:
    with pytest.raises(ValueError, match=r"check_claims\(budget=100\.0\): expected a whole number"):
        next(check_claims(select(["RA-L1"]), budget=100.0, seed=0))  # type: ignore[arg-type]


def test_what_is_read_of_every_committed_entry_is_written_again() -> None:
    rows = [row for paper in load_papers() for row in load_rows(paper.folder / "ledger.json")]
    assert len(rows) > 600
    for row in rows:
        assert Entry.of(row).json() == row, row["id"]
