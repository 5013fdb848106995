"""What is said of single instances is true: every mutant falls at its own, sides are equal where a claim is tight."""

from __future__ import annotations

import pytest

from validation.papers.find_witnesses import says_where
from validation.papers.named import named_instances
from validation.papers.papers import load_papers
from validation.papers.witnesses import TIGHT, read_witnesses

PAPERS = {paper.key: paper for paper in load_papers()}


@pytest.mark.parametrize("key", list(PAPERS))
def test_every_mutant_falls_at_an_instance_and_sides_are_equal_at_those_of_tight_claims(key: str) -> None:
    claims, stored = PAPERS[key].claims, read_witnesses(PAPERS[key].folder)
    assert set(stored) <= {claim.id for claim in claims}
    found = [one for claim in claims for one in named_instances(claim, stored.get(claim.id))]
    assert not [str(one) for one in found if not one.shown]
    assert not [f"{one}; stored: {one.stored}" for one in found if not one.as_stored]
    fall = {(one.claim_id, one.mutant) for one in found}
    without = {(claim.id, mutant.name) for claim in claims for mutant in claim.mutants} - fall
    assert not without
    tight = {one.claim_id for one in found if one.mutant is None}
    assert not {claim.id for claim in claims if says_where(claim)} - tight


def test_no_instance_is_stored_beside_one_that_its_author_names() -> None:
    for paper in PAPERS.values():
        stored = read_witnesses(paper.folder)
        for claim in paper.claims:
            mine = stored.get(claim.id, {})
            assert not {m.name for m in claim.mutants if m.falls_at} & set(mine)
            assert not (claim.tight_at and TIGHT in mine)
