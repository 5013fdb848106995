"""Constants that a proof makes smaller lie between what is certain and what is printed, and no search breaks them."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from validation.papers.papers import load_papers
from validation.papers.tightened import FILE
from validation.report.claims.smallest import in_lines, proved_constants, read_smallest, smallest_constants
from validation.search.search import search
from validation.statement.bound import Bound
from validation.statement.claim import Inequality
from validation.study.tighten import Template

PROVED = [
    pytest.param(paper, claim, proved, id=claim)
    for paper in load_papers()
    for claim, proved in proved_constants(paper.folder).items()
]


def measured(paper: Any, claim: str) -> dict[str, Any]:
    held = json.loads((paper.folder / FILE).read_text("utf-8"))["claims"][claim]
    return {str(row["reading"]): row for row in held["readings"]}


def with_constant(paper: Any, claim: str, proved: Any, constant: Fraction) -> Inequality:
    (test,) = (c.readings[proved.reading - 1].test for c in paper.claims if c.id == claim)
    assert isinstance(test, Inequality)
    template = Template.of(test.bound.expression)
    bound = template.bound({template.names.index(proved.term): constant})
    return replace(test, bound=Bound(sp.sympify(bound)), switches=(), trivial=None, grid=None)


def test_some_are_proved() -> None:
    assert {p.id for p in PROVED} >= {"EFL-T2a", "FA-LA1"}


@pytest.mark.parametrize(("paper", "claim", "proved"), PROVED)
def test_a_proved_constant_is_between_what_is_certain_and_what_is_printed(paper: Any, claim: str, proved: Any) -> None:
    rows = measured(paper, claim)[str(proved.reading)]["terms"]
    (term,) = (t for t in rows if t["term"] == proved.term)
    assert Fraction(term["at_least"]) <= Fraction(proved.constant) < Fraction(term["printed"])


@pytest.mark.parametrize(("paper", "claim", "proved"), PROVED)
def test_a_search_breaks_no_proved_constant_but_one_below_what_is_certain(paper: Any, claim: str, proved: Any) -> None:
    kept = with_constant(paper, claim, proved, Fraction(proved.constant))
    assert search(kept, budget=4000, seed=0, label=claim).witnesses == []
    low = with_constant(paper, claim, proved, Fraction(proved.constant) / 2)
    assert search(low, budget=4000, seed=0, label=claim).witnesses != []


@pytest.mark.parametrize(("paper", "claim", "proved"), PROVED)
def test_a_proof_is_shown_beside_its_constant(paper: Any, claim: str, proved: Any) -> None:
    digest = json.loads((paper.folder / FILE).read_text("utf-8"))["claims"][claim]["digest"]
    rows = smallest_constants(paper.folder, {claim: digest})[claim]
    lines = [line for one in read_smallest({"smallest": rows}, claim) for line in in_lines(one)]
    assert f"{proved.term}: {proved.constant} is enough. {proved.proof}" in lines
