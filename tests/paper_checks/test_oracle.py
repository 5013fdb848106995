"""What the papers' cases say at their kept instances is what they said when these were kept."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from tests.paper_checks.oracle import compare, read, rows_of, sided
from validation import Bound
from validation.job.papers import select

CLAIMS = [claim for _, claim in select(())]
REWRITTEN = [c for c in CLAIMS if c.roles is not None]
OTHERS = [c for c in CLAIMS if c not in REWRITTEN]


def test_rewritten_claims_and_a_tenth_of_the_others_say_what_they_said() -> None:
    held = read()
    tenth = [c for c in OTHERS if int(sha256(c.id.encode()).hexdigest(), 16) % 10 == 0]
    assert {"EA-S2", "EA-E21d"} <= {c.id for c in REWRITTEN}
    assert list(compare([*REWRITTEN, *tenth], held, every=7)) == []  # all: python -m tests.paper_checks.oracle


def test_every_case_that_compares_two_sides_is_kept() -> None:
    anew = {c.id for c in REWRITTEN}
    assert {one.key for one in sided(OTHERS)} == {key for key in read() if key.split("/")[0] not in anew}


def test_a_rewritten_claim_that_says_something_else_is_noticed() -> None:
    ((_, claim),) = select(["EA-S2"])
    held = {key: rows for key, rows in read().items() if key.startswith("EA-S2/")}
    assert list(compare([claim], held)) == []
    other = [
        [instance, met, admitted, left, f"{right}1"]
        for instance, met, admitted, left, right in next(iter(held.values()))
    ]
    assert list(compare([claim], {next(iter(held)): other}))
    assert list(compare([claim], {"EA-S2/as printed/0/a case that is gone": other}))


def test_another_bound_hypothesis_or_side_is_noticed() -> None:
    ((_, claim),) = select(["EA-S2"])
    one = next(iter(sided([claim])))
    now = [row.plain() for row in rows_of(one)]
    assert sum(row[1] for row in now) >= 10  # hypotheses met
    larger = replace(one, bound=Bound(one.bound.expression * 2))
    assert [row.plain()[4] for row in rows_of(larger)] != [row[4] for row in now]
    assert [row.plain()[:4] for row in rows_of(larger)] == [row[:4] for row in now]


def test_a_side_that_is_enclosed_is_compared_to_forty_two_digits() -> None:
    ((_, claim),) = select(["SSA-E06"])
    held = {key: rows for key, rows in read().items() if key.startswith("SSA-E06/sharper")}
    (key,) = held
    assert list(compare([claim], held)) == []

    def moved(by: int) -> list[list[object]]:
        return [[*row[:3], f"≈{int(row[3].removeprefix('≈')) + by}", row[4]] for row in held[key]]

    assert list(compare([claim], {key: moved(50)})) == []
    assert list(compare([claim], {key: moved(10**4)}))
