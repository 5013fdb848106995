"""Numbers in the texts of our papers' claims: each is one that was computed or that a formula has."""

from __future__ import annotations

import pytest

from validation.papers.papers import load_papers
from validation.report.claims.checked_numbers import said, unchecked

PAPERS = {paper.key: paper for paper in load_papers()}


@pytest.mark.parametrize("key", list(PAPERS))
def test_every_number_in_a_text_is_checked(key: str) -> None:
    lacking = unchecked(said(PAPERS[key]))
    assert [f"{one.claim}, {one.where}: {one.numeral.text}" for one in lacking] == []
