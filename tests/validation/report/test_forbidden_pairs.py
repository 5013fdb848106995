"""The polygon of two constants: its corners, exactly, and what the picture says in words."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

import paper_checks
from validation.papers.forbidden import needed
from validation.report.claims.smallest import forbidden_pairs, read_smallest
from validation.report.pictures.forbidden import edge, forbidden_plot

F = Fraction
CUTS = ((F(1), F(1)), (F(1, 2), F(3)), (F(4), F(1, 4)))  # c + d >= 1, c/2 + 3d >= 1, 4c + d/4 >= 1


def test_the_edge_has_the_corners_where_cuts_meet() -> None:
    # 4c + d/4 = 1 meets c + d = 1 at (1/5, 4/5), which meets c/2 + 3d = 1 at (4/5, 1/5); the first is d = 4 at c = 0.
    assert edge(CUTS, F(3), F(5)) == ((0, 4), (F(1, 5), F(4, 5)), (F(4, 5), F(1, 5)), (2, 0), (3, 0))
    assert edge(CUTS, F(3), F(2)) == ((0, 2), (F(1, 8), 2), *edge(CUTS, F(3), F(5))[1:])


def test_a_cut_on_one_constant_alone_forbids_all_to_its_left() -> None:
    assert edge(((F(2), F(0)),), F(1), F(1)) == ((0, 1), (F(1, 2), 1), (F(1, 2), 0), (1, 0))
    assert edge(((F(0), F(2)),), F(1), F(1)) == ((0, F(1, 2)), (1, F(1, 2)))


def test_every_point_below_the_edge_breaks_a_cut_and_none_above_does() -> None:
    corners = edge(CUTS, F(3), F(5))
    for (x0, y0), (x1, y1) in pairwise(corners[:-1]):
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        below, above = ((x, y - F(1, 100)), (x, y + F(1, 100)))
        assert any(a * below[0] + b * below[1] < 1 for a, b in CUTS)
        assert all(a * above[0] + b * above[1] >= 1 for a, b in CUTS)


def test_cuts_that_others_imply_are_not_kept() -> None:
    assert needed([(F(1), F(1)), (F(2), F(1)), (F(1), F(1)), (F(1, 2), F(3))]) == ((F(1, 2), F(3)), (F(1), F(1)))


def test_the_picture_says_in_words_what_it_shows() -> None:
    near = str(forbidden_plot(CUTS, (F(1), F(2)), name="the first reading"))
    assert 'role="img"' in near
    assert (
        "Pairs of constants that exact instances forbid for the first reading: below the line through 0, 4; 0.2, 0.8"
        in near
    )
    assert "printed 1, 2" in near
    assert "printed 100, 2, beyond" in str(forbidden_plot(CUTS, (F(100), F(2))))
    far = str(forbidden_plot(((F(1), F(1, 10**20)),), (F(1), F(2))))  # the second axis ends near the printed 2
    assert "below the line through 0, 9.6; 1, 9.6" in far
    with pytest.raises(ValueError, match="no cut forbids any pair"):
        forbidden_plot((), (F(1), F(1)))


def test_a_row_with_cuts_gets_a_picture_and_one_without_none() -> None:
    term = {"term": "a", "printed": "1", "alone": 1.0, "on": 1.0}
    row = {"reading": 1, "name": "as printed", "false": False, "terms": [term, {**term, "term": "b"}]}
    (bare,) = read_smallest({"smallest": [row]}, "here")
    assert forbidden_pairs(bare) == ""
    (cut,) = read_smallest({"smallest": [{**row, "cuts": [["1", "1/2"]]}]}, "here")
    assert "<svg" in forbidden_pairs(cut)
    with pytest.raises(ValueError, match="here: a cut"):
        read_smallest({"smallest": [{**row, "cuts": [["1"]]}]}, "here")


def test_a_printed_pair_is_forbidden_where_its_reading_is_false_and_nowhere_else() -> None:
    told = 0
    for file in sorted(Path(paper_checks.__file__).parent.glob("*/constants.json")):
        for claim, held in json.loads(file.read_text("utf-8"))["claims"].items():
            for row in held.get("readings", []):
                if "cuts" in row:
                    printed = [Fraction(term["printed"]) for term in row["terms"]]
                    below = any(Fraction(a) * printed[0] + Fraction(b) * printed[1] < 1 for a, b in row["cuts"])
                    assert below == row["false"], f"{claim} reading {row['reading']}"
                    told += 1
    assert told >= 10
