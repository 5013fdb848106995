"""What a page's sentences lean on by name, a property or an equation, is said on that page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.validation.report.test_own_method import KEYS
from validation.ledger.ledger import load_rows
from validation.papers.papers import load_papers
from validation.report import Report
from validation.report.claims.referred import labels_in, referred, unknown
from validation.report.glosses import read_glosses
from validation.report.own_method import own_methods
from validation.report.pages import ClaimPage
from validation.report.text.letters import Letters

PAPERS = {paper.key: paper for paper in load_papers()}


def pages(key: str) -> list[ClaimPage]:
    folder = PAPERS[key].folder
    report = Report(
        load_rows(folder / "ledger.json"),
        letters={key: Letters.of(PAPERS[key])},
        glosses={key: read_glosses(folder)},
        own_methods=own_methods(folder),
    )
    return [page for page in report.claim_pages if page.scripts and page.claim.kind != "relation"]


@pytest.mark.parametrize("key", KEYS)
def test_every_name_that_a_page_leans_on_is_said_there(key: str) -> None:
    told = 0
    for page in pages(key):
        assert unknown(page.sentences, page.of_paper, page.glosses.labels) == (), page.claim.id
        for one in page.referred:
            assert one.says, (page.claim.id, one.label)
            assert one.claim is not page.claim, page.claim.id
        told += len(page.referred)
    assert told > 50


def test_the_page_of_fedavg_under_consensus_states_the_property_and_the_constant() -> None:
    page = next(page for page in pages("fedaware") if page.claim.id == "FA-T4.2")
    said = {one.label: one for one in page.referred}
    assert {"Property 4.1", "Assumption A.1", "(10)"} <= said.keys()
    assert r"\mathcal O(T^{-c})" in said["Property 4.1"].latex
    assert r"\gamma" in said["Assumption A.1"].latex
    other = [c for c in page.of_paper if not c.at.startswith("Property 4.1")]
    assert unknown(page.sentences, other, {}) == ("Property 4.1",)
    quoted = referred(page.sentences, page.claim, other, {"Property 4.1": "what it says"})
    assert ("Property 4.1", "what it says") in {(one.label, one.says) for one in quoted}


def test_a_label_is_found_where_the_statement_stands() -> None:
    (page,) = (page for page in pages("fedssa") if page.claim.id == "SSA-TA5")
    claims = [replace(page.claim, at=at, id=at) for at in ("Lemma 30, E.2", "Eq. (3), Sec. 2", "Lemma 3, eq. (20)")]
    found = referred(["Lemma 3 and (3), and (20)"], page.claim, claims, {})
    assert [(one.label, one.claim.id) for one in found if one.claim] == [
        ("Lemma 3", "Lemma 3, eq. (20)"),
        ("(3)", "Eq. (3), Sec. 2"),
    ]
    assert labels_in(["A3, A.4 of Sec. A.9; Theorems 1 and 2, Lemmas 1, 3 or 4; Corollaries 2 and A.3"]) == (
        *("A3", "A.4", "A.9", "Theorem 1", "Theorem 2", "Lemma 1", "Lemma 3", "Lemma 4", "Corollary 2", "A.3"),
    )
    assert labels_in(["f(3), x(4) and 8(2), Table 3 (12 runs)"]) == ()
