"""What rests on a statement, what its weight says, and whether the paper's own method meets what holds instead."""

from __future__ import annotations

from typing import Any

from validation.judge.words.weight import Weight
from validation.report.claims.claims import Claim, read_claims
from validation.report.claims.matter import WEIGHTS, matter, rest_on_it, uncovered


def _claims(*rows: tuple[str, str, str, tuple[str, ...]], **more: Any) -> tuple[Claim, ...]:
    return read_claims(
        [
            {"id": name, "paper": "x", "verdict": word, "level": level, "rests_on": list(needs), "readings": [], **more}
            for name, word, level, needs in rows
        ]
    )


CHAIN = (
    ("X-L1", "refuted", "lemma", ()),
    ("X-E1", "holds", "step", ("X-L1",)),
    ("X-T1", "holds", "theorem", ("X-E1", "X-L1")),
    ("X-C1", "refuted", "corollary", ("X-T1",)),
    ("X-R1", "holds", "remark", ()),
)


def test_the_whole_chain_is_found_by_a_shortest_way() -> None:
    found = rest_on_it("X-L1", _claims(*CHAIN))
    assert [(r.claim.id, r.through) for r in found] == [("X-E1", ()), ("X-T1", ()), ("X-C1", ("X-T1",))]
    assert rest_on_it("X-C1", _claims(*CHAIN)) == ()


def test_a_circle_ends() -> None:
    circle = _claims(("X-A", "refuted", "step", ("X-B",)), ("X-B", "refuted", "step", ("X-A",)))
    assert [r.claim.id for r in rest_on_it("X-A", circle)] == ["X-B"]


def test_it_says_what_rests_on_a_false_statement_and_what_of_that_stands() -> None:
    claims = _claims(*CHAIN)
    said = matter(claims[0], rest_on_it("X-L1", claims))
    assert said == (
        "3 statements rest on it, 2 directly and 1 through these; results among them: X-T1, X-C1."
        " No violation was found of X-E1, X-T1. The rest: 1 refuted."
    )
    assert matter(claims[3], ()) == "No other statement that was judged rests on it."
    assert matter(claims[1], rest_on_it("X-E1", claims)) == ""  # it holds
    fallen = _claims(("X-A", "refuted", "step", ()), ("X-B", "refuted", "step", ("X-A",)))
    assert matter(fallen[0], rest_on_it("X-A", fallen)) == (
        "One statement rests on it, directly; no theorem, lemma or corollary among them. Its verdict is refuted."
    )


def test_every_weight_has_a_line_in_the_order_of_weight() -> None:
    assert list(WEIGHTS) == list(Weight)
    assert all(says and "\n" not in says for says in WEIGHTS.values())


def _conditional(**terms: Any) -> Claim:
    printed = {"name": "seen", "verdict": "refuted", "as_printed": True, "role": "cut"}
    printed["terms"] = {"cuts": {"weights": "see the samples"}, "sees": "after the step", **terms}
    held = {"name": "fixed", "verdict": "holds", "as_printed": False, "role": "special case"}
    held["terms"] = {"conditions": ["weights fixed"], "met_by": "FedAvg"}
    row = {"id": "X-1", "paper": "x", "verdict": "unstated-condition", "condition": "weights fixed"}
    (made,) = read_claims([{**row, "readings": [printed, held]}])
    return made


def test_a_repair_that_the_papers_own_method_breaks_says_so() -> None:
    made = _conditional(used_by="Exp-α's own weights")
    assert made.mended
    assert uncovered(made) == "Not covered by what holds: Exp-α's own weights."
    assert uncovered(_conditional()) == ""


def test_what_is_whole_has_its_setting() -> None:
    found = _conditional(used_by="Exp-α's own weights").mended[0]
    assert found.whole == found.sentence()
    assert "weights fixed" in found.whole
