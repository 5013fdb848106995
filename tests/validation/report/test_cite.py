"""A verdict can be cited, and objected to with the claim, reading and instance filled in."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

from validation.papers.papers import load_papers
from validation.report.claims.cite import bibtex, bibtex_of_report, issues_address, objection, objection_address
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.shown import at_instance

SCRIPT = "lhs, rhs = 2, 1\nraise SystemExit(0)"


def claim() -> Claim:
    reading = {
        "name": "weights free",
        "verdict": "refuted",
        "counterexample_source": SCRIPT,
        "worst_instance": {"case": "1 client", "step": "1/2"},
    }
    made = {"commit": "abc123", "date": "2026-01-02", "fedverdict": "0.2.0"}
    (found,) = read_claims(
        [
            {
                "id": "X-1",
                "paper": "x",
                "verdict": "refuted",
                "at": "Theorem 1",
                "readings": [reading],
                "counterexample_source": SCRIPT,
                "provenance": made,
            }
        ]
    )
    return found


def test_a_citation_has_title_version_and_commit() -> None:
    entry = bibtex(claim(), "A & B")
    assert entry.startswith("@software{fedverdict-X-1,")
    assert entry.count("{") == entry.count("}")
    for part in (r"A \& B, Theorem 1", "version = {0.2.0}", "commit abc123"):
        assert part in entry


def test_a_whole_report_has_one_citation() -> None:
    made = {"commit": "abc123", "date": "2026-01-02", "fedverdict": "0.2.0"}
    entry = bibtex_of_report(made, 662, 5, "https://example.org/p/issues")
    assert entry.startswith("@software{fedverdict-report,")
    for part in ("verdicts on 662 statements of 5 papers", "year = {2026}", "url = {https://example.org/p}"):
        assert part in entry
    assert "of 1 paper on" in bibtex_of_report({}, 1, 1)
    assert "commit" not in bibtex_of_report({}, 1, 1)


def test_an_objection_names_claim_reading_instance_and_place() -> None:
    text = objection(claim(), "A", at_instance(claim()))
    for part in ("Claim: X-1", "Place: Theorem 1", "Reading: weights free", "Instance: 1 client", "step = 1/2"):
        assert part in text


def test_the_address_of_an_objection_carries_its_text_and_is_missing_without_one() -> None:
    address = objection_address("https://example.org/p/issues", claim(), "a & b")
    assert parse_qs(urlsplit(address).query) == {"title": ["X-1: objection"], "body": ["a & b"]}
    lab = objection_address("https://gitlab.example.org/p/-/issues", claim(), "a")
    assert parse_qs(urlsplit(lab).query)["issue[description]"] == ["a"]
    for address in ("", "javascript:alert(1)"):
        assert objection_address(address, claim(), "a") == ""
    assert issues_address("no-such-package-at-all") == ""


def test_a_paper_names_its_authors_as_its_text_prints_them_and_none_where_it_is_anonymous() -> None:
    papers = {paper.key: paper for paper in load_papers()}
    assert papers["robust_aggregation"].authors[0] == "Adnan Ben Mansour"
    for key in ("exp_alpha", "fedssa"):
        assert papers[key].authors == ()
        assert papers[key].venue == "Paper under double-blind review"
    assert all(not paper.year for paper in papers.values())
