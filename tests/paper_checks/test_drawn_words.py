"""What a reader is told of the numbers of an instance that no letter of the paper stands for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from validation.ledger.ledger import load_rows
from validation.papers.papers import select
from validation.report.claims.claims import read_claims
from validation.report.claims.shown import at_instance
from validation.report.counterexample.instance import run_script
from validation.report.glosses import FILE, Glosses, read_glosses, stem
from validation.report.pages import claim_pages
from validation.report.pages import papers as papers_of
from validation.report.site import _environment
from validation.report.text.letters import Letters, named

RUNS = Path(__file__).parents[2] / "validation" / "world" / "federated"
PAPERS = {paper.key: paper for paper, _ in select([])}
_TOLD = {"case", "family", "path"}  # words of their own


def _instances(entry: Mapping[str, Any]) -> Iterator[Mapping[str, object]]:
    (claim,) = read_claims([entry])
    sources = dict.fromkeys([claim.counterexample_source, *(r.counterexample_source for r in claim.readings)])
    for source in sources:
        found = run_script(source) if source and source.strip() else None
        if found is not None:
            yield found.values
    for reading in entry["readings"]:
        if reading.get("worst_instance") and not reading.get("counterexample_source"):
            yield reading["worst_instance"]


def _is_letter(paper: str, name: str) -> bool:
    """Whether a page shows a formula for the name."""
    return "<math" in named(stem(name), Letters.of(PAPERS[paper]))


def _drawn(key: str) -> dict[str, set[str]]:
    """By claim the names of its instances' numbers that are words."""
    entries = load_rows(PAPERS[key].folder / "ledger.json")
    return {
        entry["id"]: {
            stem(name)
            for values in _instances(entry)
            for name in values
            if name not in _TOLD and not _is_letter(key, name)
        }
        for entry in entries
    }


@pytest.mark.parametrize("key", PAPERS)
def test_every_number_that_is_shown_is_said_in_words(key: str) -> None:
    said = read_glosses(PAPERS[key].folder)
    missing = {claim: sorted(names - said.of(claim).keys()) for claim, names in _drawn(key).items()}
    assert {claim: names for claim, names in missing.items() if names} == {}


@pytest.mark.parametrize("key", PAPERS)
def test_words_are_of_numbers_that_are_drawn_and_short(key: str) -> None:
    said = read_glosses(PAPERS[key].folder)
    claims = {claim.id: claim for claim in PAPERS[key].claims}
    assert said.own.keys() <= claims.keys()
    files = [*sorted(PAPERS[key].folder.rglob("*.py")), *sorted(RUNS.glob("*.py"))]  # a world of runs draws, too
    source = "".join(file.read_text(encoding="utf-8") for file in files)
    for name, words in [*said.words.items(), *(pair for own in said.own.values() for pair in own.items())]:
        # a script calls a number «first_drawn» where an observed quantity has its name
        assert re.search(rf"\b{re.escape(name.removesuffix('_drawn'))}\b", source), name
        assert 3 <= len(words) <= 110, (name, words)
        assert not words.endswith("."), (name, words)
        assert not re.search(r"<=|>=|\*\*|\b(lhs|rhs)\b", words), (name, words)


def test_a_file_that_is_not_as_it_should_be_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for text, told in (("curvature = 3", 'curvature = "words", got 3'), ("curvature", "expected TOML")):
        (tmp_path / FILE).write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=re.escape(told)):
            read_glosses(tmp_path)


def test_a_claim_has_its_own_words(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('drop = "one"\n[X]\ndrop = "another"\n', encoding="utf-8")
    said = read_glosses(tmp_path)
    assert said.named("X", ["drop_1_2", "other"]) == {"drop_1_2": "another"}
    assert said.named("Y", ["drop"]) == {"drop": "one"}
    assert read_glosses(tmp_path / "nowhere").named("X", ["drop"]) == {}


def test_a_page_sets_the_indices_of_the_words() -> None:
    entry = next(e for e in load_rows(PAPERS["efl"].folder / "ledger.json") if e["id"] == "EFL-T1")
    papers = papers_of(read_claims([entry]), {})
    (page,) = claim_pages(papers, glosses={"efl": Glosses({"slack": "θ = (1 + slack)·max p_t, mu <= L"})})
    assert page.words(page.instance) == {"slack": "θ = (1 + slack)·max p_t, mu <= L"}
    shown = _environment().from_string(
        '{% import "macros.html.jinja" as m %}'
        '{{ m.numbers(page.instance, "its", page.letters, page.words(page.instance)) }}'
    )
    assert "max p<sub>t</sub>, μ ≤ L" in shown.render(page=page)


@pytest.mark.parametrize("key", ["fedaware", "fedssa", "robust_aggregation"])
def test_a_printed_number_of_a_counterexample_is_not_called_by_its_place_in_a_list(key: str) -> None:
    paper, nameless, seen = PAPERS[key], [], 0
    words, letters = read_glosses(paper.folder), Letters.of(paper)
    for claim in read_claims([row for row in load_rows(paper.folder / "ledger.json") if row["kind"] == "relation"]):
        shown = at_instance(claim, letters, words) if claim.counterexample_source else None
        constants = () if shown is None or shown.form != "printed numbers" else shown.constants
        seen += len(constants)
        nameless += [(claim.id, c.name, c.latex) for c in constants if re.match(r"cell|stated|delta\d", c.latex)]
    assert seen
    assert nameless == []
