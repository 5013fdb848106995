"""A committed ledger in two files: what is joined is what was split, and evidence of others is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from validation.job.evidence import joined, split
from validation.job.ledger import load_entries, scripts_of, write_committed
from validation.job.papers import load_papers


def entry(name: str) -> dict[str, Any]:
    path = f"counterexamples/{name}.py"
    first: dict[str, Any] = {
        "name": "a",
        "verdict": "holds",
        "counterexample": None,
        "counterexample_source": None,
        "draws": {"n": 1},
    }
    second: dict[str, Any] = {
        **first,
        "name": "b",
        "counterexample": path,
        "counterexample_source": "x = 1\n",
        "mechanisms": [],
    }
    whole = {"id": name, "verdict": "refuted", "words": "…", "counterexample": path, "counterexample_source": "x = 1\n"}
    return {**whole, "readings": [first, second], "canaries": [{"name": "m", "killed": True, "evaluations": 3}]}


def test_what_is_joined_is_what_was_split() -> None:
    whole = [entry("A"), {**entry("B"), "counterexample": None, "counterexample_source": None}]
    verdicts, evidence = split(whole)
    assert joined(verdicts, evidence) == whole
    assert verdicts[0]["readings"][0] == {"name": "a", "verdict": "holds", "counterexample": None}
    assert json.dumps(evidence).count("x = 1") == 2  # each script once


def test_a_folder_keeps_both_files_and_no_scripts(tmp_path: Path) -> None:
    path = write_committed(tmp_path, [entry("A")])
    assert sorted(f.name for f in tmp_path.iterdir()) == ["evidence.json", "ledger.json"]
    assert load_entries(path) == [entry("A")]
    assert dict(scripts_of(load_entries(path))) == {"A.py": "x = 1\n"}
    assert "counterexample_source" not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "no evidence for A"),
        ("[]", "expected a JSON object"),
        ('{"A": 3}', "no evidence for A"),
        ('{"A": {"readings": [{}], "canaries": [{}]}}', "evidence for A is of other readings"),
        ('{"A": {"readings": [{}, 2], "canaries": [{}]}}', "evidence for A is of other readings"),
        ("{", "not JSON"),
    ],
)
def test_evidence_of_others_is_refused_by_its_file(tmp_path: Path, text: str, words: str) -> None:
    path = write_committed(tmp_path, [entry("A")])
    (tmp_path / "evidence.json").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=f"evidence.json: .*{words}"):
        load_entries(path)


@pytest.mark.parametrize("paper", load_papers(), ids=lambda p: p.key)
def test_committed_verdicts_are_small_and_keep_their_keys(paper: Any) -> None:
    rows = json.loads((paper.folder / "ledger.json").read_text(encoding="utf-8"))
    keys = {"id", "paper", "kind", "level", "statement", "verdict", "weight", "condition", "readings", "worst_ratio"}
    keys |= {"instances", "seconds", "seed", "depends_on", "counterexample", "exact"}
    assert all(keys <= set(row) for row in rows)
    assert all({"name", "role", "verdict"} <= set(r) for row in rows for r in row["readings"])
    assert (paper.folder / "ledger.json").stat().st_size < 4_000 * len(rows)
    assert not (paper.folder / "counterexamples").exists()
