"""Every quotation of a paper stands in its text, or is marked as ours with a reason.

Found pieces are committed as digests of their words, so that an altered one is noticed where no text is at hand.

    FEDVERDICT_TEXTS=FOLDER python -m tests.paper_checks.test_quotations     # writes the digests again
"""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from validation.papers.papers import load_papers
from validation.print.quotations import digest, pieces, words
from validation.statement.claim import Paper
from validation.statement.roles import roles_of

HERE = Path(__file__).parent
PAPERS = {paper.key: paper for paper in load_papers() if not paper.calibration}
FOUND: dict[str, list[str]] = json.loads((HERE / "quotations_found.json").read_text("utf-8"))
OURS: dict[str, dict[str, str]] = tomllib.loads((HERE / "quotations_ours.toml").read_text("utf-8"))
each_paper = pytest.mark.parametrize("key", sorted(PAPERS))


def quoted(paper: Paper) -> dict[str, str]:
    """Piece → the first claim that has it; with the lines that settings quote."""
    found: dict[str, str] = {}
    for claim in paper.claims:
        for piece in pieces(claim):
            found.setdefault(piece, claim.id)
        for role in roles_of(claim).readings:
            if role.setting is not None:
                found.setdefault(role.setting.quote, claim.id)
    return found


def text_of(key: str) -> str | None:
    folder = os.environ.get("FEDVERDICT_TEXTS")
    file = Path(folder or "") / f"{key}.txt"
    return f" {' '.join(words(file.read_text('utf-8')))} " if folder and file.is_file() else None


@each_paper
def test_every_quotation_was_found_in_the_text_or_is_marked_as_ours(key: str) -> None:
    known, ours = set(FOUND.get(key, ())), OURS.get(key, {})
    held = quoted(PAPERS[key])
    assert [(claim, piece) for piece, claim in held.items() if digest(piece) not in known and piece not in ours] == []
    assert sorted(known - {digest(piece) for piece in held}) == []
    assert [piece for piece in ours if piece not in held or digest(piece) in known] == []
    assert all(len(why.split()) >= 2 for why in ours.values())


@each_paper
def test_what_counts_as_found_stands_in_the_text(key: str) -> None:
    text = text_of(key)
    if text is None:
        pytest.skip("the texts of the papers are not at hand; FEDVERDICT_TEXTS names their folder")
    known = set(FOUND.get(key, ()))
    stands = {piece: f" {' '.join(words(piece))} " in text for piece in quoted(PAPERS[key])}
    assert [piece for piece, found in stands.items() if found != (digest(piece) in known)] == []


def test_a_word_altered_is_another_quotation() -> None:
    assert digest("the more epochs, the more sensitive") != digest("the more epochs, the less sensitive")
    assert digest("In  Sec. 2,\n we") == digest("in sec 2 we")


def test_of_some_four_hundred_quotations_nearly_all_are_found() -> None:
    assert sum(map(len, FOUND.values())) >= 380
    assert sum(map(len, OURS.values())) <= 75


def main() -> None:
    found = {}
    for key in sorted(PAPERS):
        text = text_of(key) or ""
        stands = [piece for piece in quoted(PAPERS[key]) if f" {' '.join(words(piece))} " in text]
        found[key] = sorted({digest(piece) for piece in stands})
        for piece, claim in quoted(PAPERS[key]).items():
            if piece not in stands and piece not in OURS.get(key, {}):
                print(f"{key}\t{claim}\t{piece}")
    (HERE / "quotations_found.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
