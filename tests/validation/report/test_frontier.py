"""Measured trade-offs: what a paper hands over, and the pictures made of it."""

from __future__ import annotations

import math
from typing import Any
from xml.etree import ElementTree

import pytest

from validation.report.pictures.frontier import frontier_panels
from validation.study.frontiers import frontier


def point(name: str, parameter: float | None, **fields: Any) -> dict[str, Any]:
    made = {
        "name": name,
        "parameter": parameter,
        "rounds_to_level": 12,
        "limit": 1e-3,
        "bound_speed": 2.0,
        "bound_error": 0.5,
        "trajectory": [1.0, 0.1, 0.01],
    }
    return made | fields


def test_points_become_plain_numbers() -> None:
    (row,) = frontier([point("Exp-α", 0.2, limit=math.inf, trajectory=(1.0, math.nan), extra=3)], "toy")
    assert row["limit"] is None
    assert row["trajectory"] == [1.0, None]
    assert set(row) == {"name", "parameter", "rounds_to_level", "limit", "bound_speed", "bound_error", "trajectory"}


def test_what_is_missing_or_no_number_is_named() -> None:
    broken = point("x", 1.0)
    del broken["limit"]
    with pytest.raises(ValueError, match="tradeoffs of toy, point 1: lacks limit"):
        frontier([broken], "toy")
    with pytest.raises(ValueError, match="point 2: bound_error is 'a'; expected a number or None"):
        frontier([point("x", 1.0), point("x", 2.0, bound_error="a")], "toy")


def test_three_pictures_with_a_dot_for_every_run_and_a_ring_for_every_positive_bound() -> None:
    rows = frontier(
        [point("plain", None), point("Exp-α", 0.2, limit=0.1), point("Exp-α", 5.0, bound_error=-1.0)], "toy"
    )
    panels = frontier_panels(rows)
    assert [p.title for p in panels] == [
        "Speed against error",
        "Remaining error, measured and by the bound",
        "The runs",
    ]
    roots = [ElementTree.fromstring(p.svg) for p in panels]
    circles = [[c.get("class") for c in root.iter("circle")] for root in roots]
    assert circles[0].count("dot") == 3 + 2  # every run, and a mark beside each name
    assert circles[1].count("ring") == 1
    assert "Exp-α 0.2: limit 0.1, bound's remaining error 0.5" in str(roots[1].get("aria-label"))
    assert sum(e.get("class") == "line thin" for e in roots[2].iter("path")) == 3


def test_numbers_that_are_missing_leave_pictures_out() -> None:
    rows = frontier([point("a", None, rounds_to_level=None), point("b", None, rounds_to_level=None)], "toy")
    assert [p.title for p in frontier_panels(rows)] == ["The runs"]
    assert frontier_panels([]) == ()
