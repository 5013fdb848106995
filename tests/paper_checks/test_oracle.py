"""What the papers' cases say at their kept instances is what they said when these were kept."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from tests.paper_checks.oracle import compare, read, rows_of, sided
from validation import Bound
from validation.papers import select

CLAIMS = [claim for _, claim in select(())]
REWRITTEN = [claim for _, claim in select(["EA-S2", "EA-E21d"])]


def test_rewritten_claims_and_a_tenth_of_the_others_say_what_they_said() -> None:
    held = read()
    tenth = [c for c in CLAIMS if int(sha256(c.id.encode()).hexdigest(), 16) % 10 == 0 and c not in REWRITTEN]
    assert list(compare([*REWRITTEN, *tenth], held)) == []


def test_every_case_that_compares_two_sides_is_kept() -> None:
    assert {one.key for one in sided(CLAIMS)} == set(read())


def test_another_bound_hypothesis_or_side_is_noticed() -> None:
    ((_, claim),) = select(["EA-S2"])
    one = next(iter(sided([claim])))
    now = [row.plain() for row in rows_of(one)]
    assert now == read()[one.key]
    assert sum(row[1] for row in now) >= 10  # hypotheses met
    larger = replace(one, bound=Bound(one.bound.expression * 2))
    assert [row.plain()[4] for row in rows_of(larger)] != [row[4] for row in now]
    assert [row.plain()[:4] for row in rows_of(larger)] == [row[:4] for row in now]
