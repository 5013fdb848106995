"""A damaged, edited or foreign ledger costs what is damaged and nothing else; people's own files stay."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation.judge.entry import Entry, ReadingRecord
from validation.ledger.ledger import Ledger, LedgerWarning, load_entries, write_ledger
from validation.statement.verdict import Verdict


def entry(name: str, script: str | None = None, verdict: Verdict = Verdict.HOLDS) -> Entry:
    path = None if script is None else f"counterexamples/{name}.py"
    reading = ReadingRecord(name="r", verdict=verdict, counterexample=path, counterexample_source=script)
    return Entry(id=name, verdict=verdict, readings=(reading,))


def filled(folder: Path) -> Ledger:
    ledger = Ledger(folder)
    ledger.append(entry("A"))
    ledger.append_part("A", "reading 1", "hash", {"verdict": "holds", "ratio": 0.1})
    ledger.append(entry("B"))
    return ledger


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"5", "not of format 2"),
        (b"null", "not of format 2"),
        (b'"text"', "not of format 2"),
        (b"[]", "not of format 2"),
        (b"{}", "not of format 2"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"1" * 5000, "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"id": "A", "readings": []}', "not of format 2"),
        (b'{"format": 9, "id": "A", "readings": []}', "not of format 2"),
        (b'{"format": 2, "id": "A", "readings": []}', "changed since it was written"),
        (b'{"format": 2, "checksum": 7, "inputs": "hash", "part": 3}', "changed since it was written"),
        (b'{"format": 2, "checksum": "x", "id": 1e999, "readings": []}', "changed since it was written"),
    ],
)
def test_a_foreign_or_damaged_line_is_set_aside_and_nothing_else_is_lost(tmp_path: Path, line: bytes, why: str) -> None:
    ledger = filled(tmp_path)
    lines = ledger.lines.read_bytes().splitlines(keepends=True)
    ledger.lines.write_bytes(b"".join([lines[0], line + b"\n", *lines[1:]]))
    with pytest.warns(LedgerWarning, match=rf"ledger.jsonl: 1 line set aside \(line 2 {why}"):
        assert ledger.entries() == {"A": entry("A"), "B": entry("B")}
    with pytest.warns(LedgerWarning):
        assert ledger.parts() == {"hash": {"verdict": "holds", "ratio": 0.1}}


def test_an_edited_verdict_is_noticed_and_not_used(tmp_path: Path) -> None:
    ledger = filled(tmp_path)
    ledger.append(entry("A", verdict=Verdict.REFUTED))
    ledger.lines.write_bytes(ledger.lines.read_bytes().replace(b'"verdict": "refuted"', b'"verdict": "proved"'))
    with pytest.warns(LedgerWarning, match="line 4 changed since it was written"):
        assert ledger.entries()["A"].verdict == "holds"


def test_a_row_of_another_shape_is_set_aside_though_its_checksum_is_right(tmp_path: Path) -> None:
    ledger = filled(tmp_path)
    ledger._append({"claim": "A", "unit": "reading 1", "inputs": "hash", "part": 5})
    ledger._append({"id": "A", "verdict": "holds", "readings": None})
    said = "line 4 unit of work without an object; line 5 entry A.readings is None; expected a list"
    with pytest.warns(LedgerWarning, match=said):
        assert ledger.parts()["hash"]["ratio"] == 0.1
    with pytest.warns(LedgerWarning):
        assert ledger.entries()["A"] == entry("A")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def mangled(line: bytes, how: str, at: int, other: bytes) -> bytes:
    at %= len(line)
    if how == "flip":
        return line[:at] + bytes([line[at] ^ (1 << at % 8)]) + line[at + 1 :]
    if how == "cut":
        return line[:at]
    return line[:at] + other + line[at:] if how == "insert" else other


def fuzz_a_line(folder: Path, part: Any, how: str, at: int, other: bytes) -> None:
    """Whatever was written comes back; mangled, it comes back as it was or not at all, and the others always."""
    ledger = Ledger(folder)
    ledger.lines.unlink(missing_ok=True)
    ledger.append(entry("A"))
    ledger.append_part("A", "reading 1", "hash", {"value": part})
    assert ledger.parts() == {"hash": {"value": part}}
    first, line = ledger.lines.read_bytes().splitlines()
    ledger.lines.write_bytes(first + b"\n" + mangled(line, how, at, other) + b"\n" + first + b"\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LedgerWarning)
        assert ledger.parts() in ({}, {"hash": {"value": part}})
        assert ledger.entries() == {"A": entry("A")}


GIVEN = given(
    part=JSON,
    how=st.sampled_from(("flip", "cut", "insert", "replace")),
    at=st.integers(0, 10**6),
    other=st.binary(max_size=40) | JSON.map(lambda value: json.dumps(value).encode()),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines")


@GIVEN
@settings(max_examples=60)
def test_any_line_mangled_in_any_way(folder: Path, part: Any, how: str, at: int, other: bytes) -> None:
    fuzz_a_line(folder, part, how, at, other)


@pytest.mark.exhaustive
@GIVEN
@settings(max_examples=20_000, derandomize=False)
def test_any_line_mangled_in_any_way_at_length(folder: Path, part: Any, how: str, at: int, other: bytes) -> None:
    fuzz_a_line(folder, part, how, at, other)


@pytest.mark.parametrize(
    "text", ["[{", "5", '{"id": 1}', '{"format": 2, "entries": [{"id": 5}]}', "[" * 10**5, "[1" + "0" * 5000 + "]"]
)
def test_a_damaged_ledger_json_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "ledger.json").write_text(text)
    with pytest.raises(ValueError, match=r"ledger\.json: "):
        load_entries(tmp_path / "ledger.json")
    write_ledger(tmp_path, [entry("A")])  # and is replaced by the next check
    assert [e.id for e in load_entries(tmp_path / "ledger.json")] == ["A"]


def test_files_that_a_person_put_among_the_scripts_stay(tmp_path: Path) -> None:
    scripts = tmp_path / "counterexamples"
    scripts.mkdir()
    (scripts / "mine.py").write_text("mine\n")
    (scripts / "A.py").write_text("my own A\n")
    (scripts / "C.py").mkdir()
    with pytest.warns(LedgerWarning) as said:
        write_ledger(tmp_path, [entry("A", "theirs\n"), entry("B", "b\n"), entry("C", "c\n")])
    assert sorted(str(w.message).rpartition("/")[2][:4] for w in said) == ["ledg", "ledg"]
    assert {p.name: p.read_text() for p in scripts.iterdir() if p.is_file()} == {
        "mine.py": "mine\n",
        "A.py": "my own A\n",
        "B.py": "b\n",
    }
    # B is ours and goes when it is no longer refuted, unless somebody changed it since.
    write_ledger(tmp_path, [entry("B")])
    assert not (scripts / "B.py").exists()
    write_ledger(tmp_path, [entry("B", "b\n")])
    (scripts / "B.py").write_text("b, and my notes\n")
    write_ledger(tmp_path, [entry("B")])
    assert (scripts / "B.py").read_text() == "b, and my notes\n"
    assert (scripts / "A.py").read_text() == "my own A\n"


def test_a_script_of_an_earlier_check_is_ours_even_when_ledger_json_was_lost(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.append(entry("A", "old\n"))
    (tmp_path / "counterexamples").mkdir()
    (tmp_path / "counterexamples" / "A.py").write_text("old\n")  # and the check was killed here
    ledger.append(entry("A", "new\n"))
    ledger.derive(["A"])
    assert (tmp_path / "counterexamples" / "A.py").read_text() == "new\n"


def test_a_linked_folder_of_scripts_is_not_followed(tmp_path: Path) -> None:
    theirs, mine = tmp_path / "theirs", tmp_path / "mine"
    theirs.mkdir()
    mine.mkdir()
    (theirs / "B.py").write_text("b\n")
    (mine / "counterexamples").symlink_to(theirs, target_is_directory=True)
    before = [entry("B", "b\n")]
    with pytest.warns(LedgerWarning, match=r"mine/counterexamples is a symbolic link, which is not followed"):
        write_ledger(mine, [entry("A", "a\n"), entry("B")], before=before)
    assert {p.name: p.read_text() for p in theirs.iterdir()} == {"B.py": "b\n"}
    assert [e.id for e in load_entries(mine / "ledger.json")] == ["A", "B"]
