"""Which draws a search keeps for exact arithmetic, and from which size on a difference in floats means something."""

from __future__ import annotations

import numpy as np
import pytest

from validation import Bound, Case, Space, Uniform, symbols
from validation.search.sample import Kept, Sampled, spread
from validation.search.scores import Scores, scored
from validation.search.seen import Search

x = symbols("x")
SPACE = Space((Uniform("u", 0.0, 1.0),))


def case(name: str = "u", cost: float = 1.0) -> Case:
    return Case(name, SPACE, lambda c: {"lhs": c["u"], "x": c["u"]}, cost=cost)


def of(*left: float, right: float = 1.0) -> Scores:
    return scored(Bound(1 * x), {"lhs": np.asarray(left), "x": np.full(len(left), right)})


@pytest.mark.parametrize(("size", "ratio"), [(5e-13, 0.5), (5e-14, 0.0)])
def test_sides_below_a_ten_millionth_of_a_millionth_of_what_they_come_of_have_no_ratio(
    size: float, ratio: float
) -> None:
    given = {"lhs": size / 2, "x": size, "magnitude": 1.0}
    found = scored(Bound(1 * x), {name: np.asarray([value]) for name, value in given.items()})
    assert found.ratio.tolist() == [ratio]


@pytest.mark.parametrize(("step", "score"), [(1e-9, 0.2), (1e-11, -1.0)])
def test_what_a_step_adds_counts_from_1e_10_of_the_shared_part_on(step: float, score: float) -> None:
    given = {"lhs": 1 + 3 * step, "x": 1 + 2 * step, "common": 1.0}
    found = scored(Bound(1 * x), {name: np.asarray([value]) for name, value in given.items()})
    assert found.rising["recursion"][0] == pytest.approx(score, rel=1e-5)


def test_of_a_broken_declaration_the_first_draw_and_the_one_that_breaks_it_most_are_kept() -> None:
    found, bound = Search(), Bound(symbols("s", positive=True) + 1)
    for value in (-0.1, -0.5, -0.3):
        scores = scored(bound, {"lhs": np.zeros(1), "s": np.asarray([value])})
        found.book(case(), np.asarray([[0.5]]), scores, (1, "random"), "random")
    (rows,) = found.broken.values()
    assert [how.value for _, _, how in rows] == [-0.1, -0.5]


def test_candidates_are_the_strongest_and_some_of_all_over_the_rest() -> None:
    n = 640
    left, cube = np.linspace(3.0, 1.5, n), np.linspace(0.0, 1.0, n)[:, None]
    found = Search()
    assert found.book(case(), cube, of(*left), (n, "random"), "corners")
    places = sorted(round(float(point[0]) * (n - 1)) for _, point, _, _ in found.witnesses)
    assert places[:8] == list(range(8))
    assert len(places) == 16
    assert places[-1] == n - 1
    assert n // 3 < places[12] < 2 * n // 3


def test_draws_that_led_by_ratio_are_those_up_to_1() -> None:
    sampled = Sampled(np.random.default_rng(0))
    sampled.offer(case(), np.asarray([[0.1], [0.2], [0.3]]), of(0.5, 0.7, 1.5))
    ((leader,),) = sampled.nearest()
    assert leader.ratio == 0.7


def test_draws_are_spread_over_the_cases_cheap_ones_first() -> None:
    dear, cheap = (
        [Kept(case(name, cost), np.asarray([i / 4])) for i in range(3)]
        for name, cost in (("dear", 9.0), ("cheap", 1.0))
    )
    assert [(row.case.name, row.cube[0]) for row in spread([dear, cheap], 4)] == [
        ("cheap", 0.0),
        ("dear", 0.0),
        ("cheap", 0.25),
        ("dear", 0.25),
    ]
