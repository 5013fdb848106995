"""Numbers in the texts of our papers' claims: no more of them than today are ones that nothing checks."""

from __future__ import annotations

from collections import Counter

import pytest

from validation.papers.papers import load_papers
from validation.report.claims.checked_numbers import said, unchecked

PAPERS = {paper.key: paper for paper in load_papers()}
MOST = {"efl": 6, "exp_alpha": 37, "fedaware": 42, "fedssa": 21, "known_truths": 0, "robust_aggregation": 29}
"""By paper how many numbers in sentences and verdicts nothing checks; they may only become fewer."""


@pytest.mark.parametrize("key", list(PAPERS))
def test_no_more_numbers_than_today_are_checked_by_nothing(key: str) -> None:
    lacking = unchecked(said(PAPERS[key]))
    named = [f"{one.claim}, {one.where}: {one.numeral.text}" for one in lacking]
    of = Counter(one.where for one in lacking)
    assert not [one for one, place in zip(named, lacking, strict=True) if place.where in ("mutant", "title", "tight")]
    assert of.total() <= MOST.get(key, 0), named
