"""One draw's class and scores, and which draws are kept for exact arithmetic, on numbers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Inequality, Instance, Space, Uniform, symbols
from validation.search.sample import LEADERS, TIES, Counts, Sampled, leading
from validation.search.scores import TOLERANCE, Draw, Scores, scored
from validation.search.search import _carried, search
from validation.search.seen import EDGES, Search

x, y = symbols("x y")
BOUND = Bound(x)


def of(bound: Bound = BOUND, **constants: list[float] | list[bool]) -> Scores:
    return scored(bound, {name: np.asarray(values) for name, values in constants.items()})


def half(c: Instance) -> Mapping[str, Any]:
    return {"lhs": 0.5 * c["u"], "x": c["u"]}


def case(name: str = "u", cost: float = 1.0) -> Case:
    return Case(name, Space((Uniform("u", 0.25, 1.0),)), half, cost=cost)


@pytest.mark.parametrize(
    ("lhs", "rhs", "kind", "ratio", "excess"),
    [
        (1.0, 2.0, Draw.DECIDED, 0.5, -1 / 3),
        (3.0, 1.0, Draw.DECIDED, 3.0, 0.5),
        (2.0, 2.0, Draw.TIE, 1.0, 0.0),
        (2.0 * (1 + 1.9 * TOLERANCE), 2.0, Draw.TIE, 1 + 1.9 * TOLERANCE, 0.95 * TOLERANCE),
        (2.0 * (1 + 4 * TOLERANCE), 2.0, Draw.DECIDED, 1 + 4 * TOLERANCE, 2 * TOLERANCE),
        (0.0, 0.0, Draw.TIE, 0.0, -1.0),
        (math.inf, 1.0, Draw.DECIDED, math.inf, 1.0),  # an overflow against a number is a candidate
        (1.0, math.inf, Draw.BEYOND, -math.inf, -math.inf),
        (math.nan, 1.0, Draw.BEYOND, -math.inf, -math.inf),
        (1e-300, 3e-300, Draw.TIE, 1 / 3, -0.5),  # where floats lose digits a difference means nothing
        (1e300, 1e299, Draw.DECIDED, 10.0, 9 / 11),
    ],
)
def test_the_class_and_the_scores_of_a_draw(lhs: float, rhs: float, kind: Draw, ratio: float, excess: float) -> None:
    scores = of(lhs=[lhs], x=[rhs])
    assert scores.kind[0] == kind
    assert scores.ratio[0] == pytest.approx(ratio, rel=1e-12)
    assert scores.excess[0] == pytest.approx(excess, rel=1e-6)


def test_the_excess_is_relative_to_the_terms_and_not_to_what_is_left_of_them() -> None:
    scores = of(Bound(x - y), lhs=[1.0, 0.25], x=[100.0, 2.0], y=[99.5, 1.5])
    assert scores.excess == pytest.approx([0.5 / 200.5, -0.25 / 3.75])
    assert scores.rising["sinking"] == pytest.approx([-0.5 / 200.5, -0.5 / 3.75])


def test_a_hypothesis_dismisses_a_draw_and_a_guard_only_says_that_floats_do_not_know() -> None:
    scores = of(lhs=[3.0, 3.0, 3.0], x=[1.0, 1.0, 1.0], admissible=[False, True, True], resolved=[True, False, True])
    assert [Draw(k) for k in scores.kind] == [Draw.OUTSIDE, Draw.BEYOND, Draw.DECIDED]
    assert scores.admissible.tolist() == [False, True, True]
    assert scores.ratio.tolist() == [-math.inf, -math.inf, 3.0]


def test_an_overflow_outside_the_hypotheses_is_no_candidate() -> None:
    scores = of(lhs=[math.inf, math.nan], x=[1.0, 1.0], admissible=[False, False])
    assert [Draw(k) for k in scores.kind] == [Draw.OUTSIDE, Draw.OUTSIDE]
    assert scores.excess.tolist() == [-math.inf, -math.inf]


def test_an_overflow_is_a_candidate_and_is_not_climbed() -> None:
    """1/0 is no lead: eight of them would take the place of every instance that has a value."""
    scores = of(lhs=[math.inf, 3.0, 1.0], x=[1.0, 2.0, -1.0])
    assert scores.excess.tolist() == pytest.approx([1.0, 0.2, 1.0])
    assert scores.ratio.tolist() == [math.inf, 1.5, math.inf]
    assert scores.rising["ratio"].tolist() == [-math.inf, 1.5, math.inf]
    assert scores.rising["excess"].tolist() == pytest.approx([-math.inf, 0.2, 1.0])


def test_what_leads_on_several_scores_is_kept_once_with_them_all() -> None:
    known = (np.asarray([[0.5], [0.25]]), np.asarray([0.75, 0.5]))
    kept, more = leading({"u": (case(), {"ratio": known, "toward": (known[0][:1], np.asarray([-0.125]))})})
    assert [(k.ratio, k.toward, k.excess) for k in kept] == [(0.75, -0.125, -math.inf), (0.5, -math.inf, -math.inf)]
    assert more == 0


def test_what_draws_exercise() -> None:
    scores = of(lhs=[0.0, 0.0, 1.0, 0.0], x=[0.5, 0.0, 2.0, 5.0], trivial=[1.0, 1.0, 1.0, 5.0])
    assert scores.idle.tolist() == [True, False, False, True]
    assert scores.trivial.tolist() == [False, False, True, True]


def test_both_sides_below_the_rounding_of_what_they_were_computed_from_are_no_lead() -> None:
    scores = of(lhs=[2e-14, 2e-14], x=[1e-14, 1e-14], magnitude=[1.0, 0.0])
    assert scores.ratio.tolist() == [0.0, 2.0]
    assert scores.kind.tolist() == [Draw.TIE, Draw.DECIDED]


def test_every_draw_is_counted_in_one_class() -> None:
    counts = Counts()
    values = {"lhs": [1.0, 2.0, math.nan, 5.0, 0.0], "x": [2.0, 2.0, 1.0, 1.0, 3.0]}
    for _ in range(2):
        counts.add(of(**values, admissible=[True, True, True, False, True], member=[4.0, 3.0, 9.0, 8.0, 3.5]))
    assert (counts.outside, counts.decided, counts.tie, counts.beyond) == (2, 4, 2, 2)
    assert (counts.admissible, counts.instances) == (8, 10)
    assert counts.idle == 2
    assert counts.member == (3.0, 4.0)  # what is beyond floats or outside says nothing of the members


def test_the_ties_that_are_kept_are_those_nearest_to_a_violation_and_some_at_random() -> None:
    sampled = Sampled(np.random.default_rng(0))
    slack = np.linspace(0.0, 1.0, 40) * TOLERANCE  # the smaller, the nearer to a violation
    scores = of(lhs=[1.0] * 40, x=list(1.0 + slack))
    assert set(scores.kind) == {Draw.TIE}
    sampled.offer(case(), np.linspace(0, 1, 40)[:, None], scores)
    best = sorted(float(k.cube[0]) for k in sampled.best_ties)
    assert best == pytest.approx(np.linspace(0, 1, 40)[:TIES])
    assert len(sampled.random_ties()) == TIES
    assert not sampled.beyond()


def test_leaders_are_the_best_overall_and_then_the_best_of_each_case_cheap_ones_first() -> None:
    cases = [case(f"case {i}", cost=30.0 - i) for i in range(30)]
    elites = {
        c.name: (c, {"ratio": (np.asarray([[0.1 + i / 100]]), np.asarray([i / 30]))}) for i, c in enumerate(cases)
    }
    kept, more = leading(elites)
    assert (len(kept), more) == (LEADERS, 30 - LEADERS)
    assert [k.case.name for k in kept[:4]] == ["case 29", "case 28", "case 27", "case 26"]
    assert [k.case.name for k in kept[4:7]] == ["case 25", "case 24", "case 23"]
    assert kept[0].ratio == pytest.approx(29 / 30)


def test_what_a_search_books() -> None:
    found, cube = Search(), np.linspace(0, 1, 4)[:, None]
    fresh = found.book(case(), cube, of(lhs=[1.0, 3.0, 2.0, 1.0], x=[2.0, 2.0, 2.0, 1.0]), (4, ""), "random")
    assert fresh
    assert [(w[1][0], w[3]) for w in found.witnesses] == [(pytest.approx(1 / 3), "random")]
    assert found.witnesses[0][2] == pytest.approx(1 / 5)
    assert found.worst_ratio == 1.5
    assert not found.book(case(), cube[:1], of(lhs=[1.0], x=[4.0]), (1, ""), "climb")
    assert found.book(
        case(), cube[:1], of(lhs=[1.0], x=[1.0 - 1e-3]), (0, "climb"), ""
    )  # weak violations are candidates, too
    assert (found.worst_ratio, found.instances) == (1.5, 6)
    assert found.stages == {"random": 4, "climb": 2}
    bins = [np.searchsorted(EDGES, r, side="right") - 1 for r in (0.25, 0.5, 1.0)]
    assert found.histogram[bins].tolist() == [1, 1, 4]
    assert found.histogram.sum() == 6
    assert [n for n, _ in found.growth] == [4]


def test_a_longer_horizon_hands_on_its_own_points_unless_they_lost_half_of_the_lead() -> None:
    short, own, lost = ((np.asarray([[p]]), np.asarray([v])) for p, v in ((0.1, 0.8), (0.2, 0.4), (0.3, 0.39)))
    assert _carried(None, lost) is lost
    assert _carried(short, own) is own
    assert _carried(short, lost) is short


def test_ties_of_cheap_cases_are_looked_at_first() -> None:
    def above(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"] * (1 + 5e-10), "x": c["u"]}

    def equal(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"], "x": c["u"]}

    space = Space((Uniform("u", 0.5, 1.0),))
    test = Inequality(BOUND, (Case("dear", space, above, cost=50.0), Case("cheap", space, equal, cost=1.0)))
    names = [kept.case.name for kept in search(test, budget=400, seed=0, label="t").ties]
    assert names == sorted(names)
    assert set(names) == {"cheap", "dear"}
