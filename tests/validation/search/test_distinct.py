"""Hypotheses that corners alone meet: a handful of instances, counted thousands of times, are no search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from validation import (
    Bound,
    Case,
    Choice,
    Inequality,
    Instance,
    Integer,
    LogScale,
    Signed,
    Space,
    Uniform,
    Verdict,
    recomputed,
    symbols,
)
from validation.judge.run import run_test
from validation.search.distinct import Distinct, coincidence
from validation.search.scores import Draw
from validation.statement.outcome import Outcome

c = symbols("c")
C, W, V = LogScale("c", 1e-3, 1e3), LogScale("w", 1e-3, 1e3), LogScale("v", 1e-3, 1e3)
FALSE_BETWEEN = c * (100 - c) * (100 * c - 1)  # above 0 for c between 1/100 and 100


def judged(admitted: Callable[[Instance], Any], *coordinates: Any, budget: int = 4000) -> Outcome:
    def sides(x: Instance) -> Mapping[str, Any]:
        return {"lhs": x["c"] * (100 - x["c"]) * (100 * x["c"] - 1), "c": x["c"], "admissible": admitted(x)}

    test = Inequality(Bound(0 * c), (Case("two numbers", Space(coordinates), sides, recomputed(sides)),))
    return run_test(test, claim_id="T", name="t", budget=budget, seed=0)


@pytest.mark.parametrize("more", [(), (V,)])
def test_corners_alone_are_no_search_of_an_equality(more: tuple[Any, ...]) -> None:
    found = judged(lambda x: x["c"] == x["w"], C, W, *more)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.why.startswith("no random draw meets the hypotheses, and on the others a number took no more than 2 v")
    assert "where=(eq(c, w),)" in found.why


def test_narrow_hypotheses_that_random_draws_meet_are_searched() -> None:
    found = judged(lambda x: (x["c"] <= x["w"]) & (10 * x["w"] <= 11 * x["c"]), C, W)
    assert found.verdict is Verdict.REFUTED


def test_a_few_whole_numbers_are_all_there_are() -> None:
    given = (Integer("c", 1, 3), Choice("w", (1.0, 2.0)))

    def sides(x: Instance) -> Mapping[str, Any]:
        return {"lhs": x["c"] / 2, "c": x["c"], "admissible": x["c"] == x["w"]}

    test = Inequality(Bound(c), (Case("a few", Space(given), sides, recomputed(sides)),))
    assert run_test(test, claim_id="T", name="t", budget=400, seed=0).verdict is Verdict.HOLDS


def test_a_hypothesis_that_only_a_climb_meets_is_searched_once_it_is_met_often() -> None:
    def sides(x: Instance) -> Mapping[str, Any]:
        return {"lhs": x["c"] / 2, "c": x["c"], "admissible": (x["w"] == 0) & (100 * x["c"] > 1)}

    given = (C, Signed("w", 1e-3, 1e3))
    test = Inequality(Bound(c), (Case("at 0", Space(given), sides, recomputed(sides)),))
    assert run_test(test, claim_id="T", name="t", budget=4000, seed=0).verdict is Verdict.HOLDS


def noted(*batches: tuple[str, Draw, int, bool]) -> Distinct:
    """Batches by case: of which class all draws are, how many values they take, and whether they are random."""
    distinct = Distinct()
    for name, kind, values, random in batches:
        case = Case(name, Space((Uniform("u", 0.0, 1.0),)), lambda x: {})
        cube = np.linspace(0.0, 1.0, values)[:, None]
        distinct.add(case, cube, np.full(values, kind, dtype=np.int8), slice(0 if random else values, None))
    return distinct


@pytest.mark.parametrize("kind", [Draw.DECIDED, Draw.TIE, Draw.BEYOND])
def test_draws_of_every_class_but_one_meet_the_hypotheses(kind: Draw) -> None:
    assert "took no more than 3 values" in (coincidence(noted(("u", kind, 3, False))) or "")
    assert coincidence(noted(("u", Draw.OUTSIDE, 3, False))) is None


def test_one_case_with_instances_enough_clears_all() -> None:
    corners, random = ("corners", Draw.DECIDED, 3, False), ("random", Draw.DECIDED, 9, True)
    assert coincidence(noted(corners, random)) is None
    assert coincidence(noted(corners, ("none", Draw.OUTSIDE, 9, True))) is not None


def test_a_case_whose_coordinates_were_seen_with_enough_values_is_decoded_no_more() -> None:
    asked: list[int] = []

    class Watched(Space):
        def decode(self, cube: Any) -> dict[str, Any]:
            asked.append(len(cube))
            return super().decode(cube)

    space = Watched((Uniform("few", 0, 1), Uniform("many", 0, 1)))
    case, seen = Case("one", space, lambda x: x), Distinct()
    cube = np.random.default_rng(0).random((100, 2))
    kind = np.full(100, Draw.DECIDED, dtype=np.int8)
    repeated = cube * [0.0, 1.0]
    for points in (repeated, repeated, cube, cube, cube):
        seen.add(case, points, kind, slice(100, None))
    assert asked == [100] * 3
    assert {name: len(values) for name, values in seen.of["one"].values.items()} == {"few": 101, "many": 100}
