"""The pool of nearly active instances: members apart, gaps that may close, violations beside equality."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Inequality, Instance, LogScale, Space, Uniform, symbols
from validation.search.arms import ELITES, Arm, arms
from validation.search.near import Near, gap
from validation.search.points import corners
from validation.search.pool import APART, MEMBERS, apart, joined
from validation.search.scores import TOLERANCE, scored
from validation.search.search import search

x, y, z = symbols("x y z")


def plain(name: str, cost: float = 1.0) -> Arm:
    return Arm(Case(name, Space((Uniform("u", 0.0, 1.0),)), lambda c: {"lhs": c["u"], "x": c["u"]}, cost=cost))


def test_members_are_the_best_that_are_apart_from_all_better_ones() -> None:
    points = np.asarray([[0.5], [0.5 + APART / 2], [0.5 + 1.1 * APART], [0.9], [0.1]])
    assert apart(points, np.asarray([3.0, 2.0, 1.0, 4.0, -math.inf])).tolist() == [3, 0, 2]
    assert apart(points, np.asarray([2.0, 3.0, 1.0, 4.0, 0.0])).tolist() == [3, 1, 4]
    assert apart(points, np.asarray([3.0, 2.0, 1.0, 4.0, 0.0]), most=2).tolist() == [3, 0]


@pytest.mark.parametrize("n_cube", [1, 2, 5, 40, 300])
@pytest.mark.parametrize("blur", [0.0, 1e-15, 1e-11])
def test_distances_by_products_keep_the_rows_that_differences_keep(n_cube: int, blur: float) -> None:
    """Some pairs at the least distance itself, to the last digit or nearly."""
    rng = np.random.default_rng(n_cube)
    points = rng.integers(0, 4, (60, n_cube)) / 3 + blur * rng.normal(size=(60, n_cube))
    values = np.where(rng.random(60) < 0.2, -math.inf, rng.integers(0, 9, 60))
    pairs = ((points[:, None] - points) ** 2).sum(axis=-1)
    for distance in (APART, *np.sqrt(np.unique(pairs[pairs > 0.1])[:3] / n_cube).tolist()):
        free, kept = values > -math.inf, list[int]()
        for i in np.argsort(-values, kind="stable").tolist():
            if free[i] and len(kept) < MEMBERS:
                kept.append(i)
                free &= ((points[i] - points) ** 2).sum(axis=-1) >= n_cube * distance**2
        assert apart(points, values, distance=distance).tolist() == kept


def test_a_crowd_around_one_maximum_does_not_displace_a_lesser_one() -> None:
    """A score's best points alone are all of the crowd."""
    (arm,) = arms(Inequality(Bound(x), (plain("u").case,)))
    crowd = np.linspace(0.8, 0.81, 2 * ELITES)[:, None]
    for points, value in ((np.asarray([[0.2]]), 0.5), (crowd, 0.9)):
        values = value + points[:, 0] / 1000
        arm.keep("ratio", points, values)
        arm.pool("ratio", points, values)
    assert arm.near["ratio"][0][:, 0].tolist() == [pytest.approx(0.81), 0.2]
    assert arm.elites["ratio"][0].min() > 0.7


def test_a_full_pool_takes_only_what_is_better_than_its_last_member() -> None:
    rng = np.random.default_rng(0)
    points, values = rng.random((400, 5)), rng.random(400)
    pool = joined(None, points[:200], values[:200])
    assert len(pool[1]) == MEMBERS
    assert joined(pool, points[:3], np.full(3, pool[1][-1])) is pool
    better = joined(pool, points[200:201], np.asarray([2.0]))
    assert better[1][0] == 2.0
    assert sorted(better[1], reverse=True) == list(better[1])
    distances = np.sqrt(((better[0][:, None] - better[0]) ** 2).mean(axis=-1))
    assert distances[~np.eye(len(distances), dtype=bool)].min() >= APART


def test_the_right_side_is_split_into_terms_but_no_difference_is() -> None:
    values = {"x": np.asarray([2.0]), "y": np.asarray([3.0]), "z": np.asarray([5.0])}
    bound = Bound(x * (y + 2 * z * (x + y)) + (1 - x) * z)
    assert sorted(float(t[0]) for t in bound.summands(values)) == [-5.0, 6.0, 40.0, 60.0]
    assert Bound(x * (1 - y)).summands(values) == []
    assert Bound((x + y) ** 2).summands(values) == []
    assert Bound(sum(x**k for k in range(20))).summands(values) == []


def test_the_excess_is_held_against_each_term_and_rounding_is_taken_off() -> None:
    given = {"lhs": [3.0, 5.0, 4.0], "x": [4.0, 4.0, 4.0], "y": [2.0, 0.5, 0.0]}
    scores = scored(Bound(x + y), {k: np.asarray(v) for k, v in given.items()})
    by_term = sorted((scores.rising["past 1"].tolist(), scores.rising["past 2"].tolist()))
    assert by_term[0] == pytest.approx([-3 / 2, 1.0, -math.inf])
    assert by_term[1] == pytest.approx([-3 / 4, 1 / 8, -2 * TOLERANCE])
    alike = scored(Bound(x + y), {"lhs": np.asarray([1.0]), "x": np.asarray([1.0]), "y": np.asarray([1e-12])})
    assert min(alike.rising[f"past {i}"][0] for i in (1, 2)) < -1000  # equality is no near miss of a vanishing term


def test_gaps_that_are_equality_are_not_climbed() -> None:
    assert gap("ratio", 0.75) == 0.25
    assert gap("past 2", -0.5) == 0.5
    assert [gap("ratio", 1 - 1e-9), gap("ratio", 1.5), gap("past 1", 0.1), gap("past 1", -math.inf)] == [None] * 4


def pooled(*values: tuple[float, float]) -> Near:
    """Arms of the given costs, each with a pool of the ratio led by the given value."""
    found = [plain(f"{i}", cost) for i, (cost, _) in enumerate(values)]
    for arm, (_, value) in zip(found, values, strict=True):
        arm.keep("ratio", np.asarray([[0.5]]), np.asarray([value]))
        arm.pool("ratio", np.asarray([[0.5]]), np.asarray([value]))
    return Near(found)


def test_the_smallest_gap_that_still_closes_is_climbed_first() -> None:
    near = pooled((1.0, 0.7), (1.0, 0.9), (1.0, 1.0))
    assert near.choose() == (near.arms[1], "ratio")
    for _ in range(2):
        near.book(near.arms[1], "ratio", 0.9)  # closed nothing
    assert near.choose() == (near.arms[0], "ratio")
    near.arms[1].keep("ratio", np.asarray([[0.4]]), np.asarray([0.95]))
    near.book(near.arms[1], "ratio", 0.9)
    assert near.closed[near.arms[1], "ratio"] == pytest.approx([0.0, 0.0, 0.5])
    assert pooled((1.0, 1.0)).choose() is None


def test_of_equal_gaps_the_cheap_case_is_climbed_first() -> None:
    near = pooled((50.0, 0.9), (1.0, 0.9))
    assert near.choose() == (near.arms[1], "ratio")


def beside_equality(c: Instance) -> Mapping[str, Any]:
    """Both sides are alike where d = 0; where it is not, only a curved valley exceeds 999/1000 of it."""
    u = 4 * c["u"] - 2
    valley = (30 * (u[:, 1:] - u[:, :-1] ** 2) ** 2 + (1 - u[:, :-1]) ** 2).sum(axis=1)
    return {"lhs": c["s"] + c["d"] * np.exp(-valley / 4), "x": c["s"], "y": 0.999 * c["d"]}


@pytest.mark.parametrize("seed", range(3))
def test_a_violation_beside_equality_is_found(seed: int) -> None:
    space = Space((LogScale("s", 1.0, 1e2), LogScale("d", 1e-14, 1e-1), Uniform("u", 0.0, 1.0, (4,))))
    test = Inequality(Bound(x + y), (Case("valley", space, beside_equality),))
    found = search(test, budget=20_000, seed=seed, label="beside")
    assert found.witnesses


def test_corners_have_one_entry_apart_from_all_others() -> None:
    """max nᵢ <= 30 times the mean is false of 300 clients only where nearly all is at one."""

    def measure(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["n"].max(axis=-1), "x": 30 * c["n"].mean(axis=-1)}

    space = Space((LogScale("n", 1e-3, 1e3, (300,)),))
    cube = corners(space, np.random.default_rng(0), 40)
    assert any(np.sort(row)[1] == 0 and np.sort(row)[-2] == 0 and row.max() == 1 for row in cube)
    assert search(Inequality(Bound(x), (Case("n", space, measure),)), budget=1000, seed=0, label="n").witnesses


def test_members_are_apart_by_the_mean_over_coordinates() -> None:
    """In 9 dimensions a step of 2/3 of the distance along every coordinate is within it, though its length is twice."""
    step = 2 / 3 * APART
    assert apart(np.asarray([[0.5] * 9, [0.5 + step] * 9]), np.asarray([1.0, 0.0])).tolist() == [0]


def test_what_a_climb_closed_lately_counts() -> None:
    near = pooled((1.0, 0.9), (1.0, 0.9))
    for arm, closed in zip(near.arms, ([0.9, 0.9, 0.0, 0.0], [0.0, 0.0, 0.9, 0.9]), strict=True):
        near.closed[arm, "ratio"] = closed
    assert near.choose() == (near.arms[1], "ratio")
