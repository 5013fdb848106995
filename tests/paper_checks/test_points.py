"""What a paper leaves open for several claims is one object: they offer the same options and give the same reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest

from validation.papers.papers import load_papers
from validation.print.quotations import quoted_in
from validation.statement.claim import Claim, Paper
from validation.statement.roles import Open, roles_of

PAPERS = [paper for paper in load_papers() if not paper.calibration]
APART = {
    "efl": {"C", "client", "comparable"},
    "exp_alpha": {"expectation", "rounding", "table"},
    "fedaware": {"convergence", "rates"},
    "fedssa": {"lambda_var", "others"},
    "robust_aggregation": {"bound", "models", "recursion", "weights", "window"},
}
"""Names that several claims have for points of their own: other sentences, or other options; they may become fewer."""
SAME_WORDS = {
    "fedssa": {
        "arg min",
        "we set λ_var = 1 and λ_we = 1e − 3",
        "For all methods, hyper-parameters are tuned for each dataset",
    }
}
"""Sentences by which points of other names are open, too: two parameters, and both together."""


def points(claims: tuple[Claim, ...]) -> Iterator[tuple[str, str, Open]]:
    for claim in claims:
        for issue, point in roles_of(claim).open.items():
            yield claim.id, issue, point


def unlike(claims: tuple[Claim, ...]) -> set[str]:
    """Names of points that two claims share without sharing the point."""
    seen: dict[str, list[Open]] = defaultdict(list)
    for _, issue, point in points(claims):
        seen[issue].append(point)
    return {issue for issue, those in seen.items() if len(those) > 1 and any(p is not those[0] for p in those)}


def quoted_under_several_names(claims: tuple[Claim, ...]) -> set[str]:
    """Quotations that make points of several names open."""
    names: dict[str, set[str]] = defaultdict(set)
    for _, issue, point in points(claims):
        for piece in quoted_in(point.why):
            names[piece].add(issue)
    return {piece for piece, those in names.items() if len(those) > 1}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_claims_that_name_the_same_point_share_it(paper: Paper) -> None:
    assert unlike(paper.claims) <= APART.get(paper.key, set())


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.key)
def test_a_sentence_makes_one_point_open(paper: Paper) -> None:
    assert quoted_under_several_names(paper.claims) <= SAME_WORDS.get(paper.key, set())


def test_shared_points_say_what_may_be_chosen() -> None:
    shared: dict[tuple[str, str], list[tuple[str, Open]]] = {}
    for paper in PAPERS:
        of: dict[int, list[tuple[str, Open]]] = defaultdict(list)
        for claim, _, point in points(paper.claims):
            of[id(point)].append((claim, point))
        shared |= {(paper.key, those[0][1].why): those for those in of.values() if len(those) > 1}
    assert len(shared) >= 13
    assert [claim for those in shared.values() for claim, point in those if len(point.options) < 2] == []


def test_a_point_of_ones_own_under_a_shared_name_is_noticed() -> None:
    paper = next(p for p in PAPERS if p.key == "exp_alpha")
    claim = next(c for c in paper.claims if c.id == "EA-T1")
    roles = roles_of(claim)
    own = {**roles.open, "gamma": replace(roles.open["gamma"], why="because")}
    altered = tuple(replace(c, roles=replace(roles, open=own)) if c is claim else c for c in paper.claims)
    assert unlike(altered) - unlike(paper.claims) == {"gamma"}
