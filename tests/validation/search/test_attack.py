"""How a statement is attacked: sizes, ladders, scores, the adversary, gradients; the same for the same seed."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np
import pytest

from theory.base.arrays import namespace
from validation import (
    Bound,
    Case,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Size,
    Space,
    Uniform,
    Verdict,
    recomputed,
    symbols,
)
from validation.judge.run import run_test
from validation.search.arms import ELITES, arms, case_at, concrete
from validation.search.ascent import Start, ascend, population
from validation.search.scores import evaluate, scored
from validation.search.search import search
from validation.statement.forms.kinds import ExactCheck
from validation.study.courses import case_named

x, y, z = symbols("x y z")


def attacked(test: Inequality, budget: int = 4000, seed: int = 0, *, stop: bool = False):
    return run_test(test, claim_id="T", name="t", budget=budget, seed=seed, stop_at_witness=stop)


def horizon_family(first: int) -> Family:
    """lhs grows slowly with the horizon and passes the right side 1 only after `first` rounds, near u = 1."""

    def at(T: float) -> Case:
        def measure(c: Instance) -> dict[str, object]:
            return {"lhs": c["u"] * np.minimum(T, 10 * first) / first, "x": np.ones_like(c["u"])}

        return Case(f"T = {T}", Space((Uniform("u", 0.0, 1.0),)), measure, None)

    return Family("horizon", (Size("T", 1, 100_000, 10, ladder=True, limit=True),), at)


def test_a_family_is_tried_small_large_and_at_its_limit() -> None:
    tried = {arm.rung for arm in arms(Inequality(Bound(x), (horizon_family(100),)))}
    assert {1, 10, 1000, 100_000, math.inf} <= tried
    with pytest.raises(ValueError, match="low <= usual <= high"):
        Size("T", 5, 3, 4)


def test_sizes_are_large_one_at_a_time_and_sometimes_together() -> None:
    family = Family(
        "both",
        (Size("n", 1, 300, 2), Size("d", 1, 8, 2)),
        lambda n, d: Case(f"n = {n}, d = {d}", Space((Uniform("u", 0.0, 1.0, (int(n), int(d))),)), lambda c: {}),
    )
    names = {arm.case.name for arm in arms(Inequality(Bound(x), (family,)))}
    assert {"n = 300, d = 2", "n = 2, d = 8", "n = 1, d = 1"} <= names
    assert "n = 300, d = 8" not in names


def _runs(n: int, factor: float) -> Case:
    def measure(c: Instance) -> dict[str, object]:
        return {"lhs": factor * c["u"][:, 0], "x": c["u"][:, 0]}

    return Case("runs", Space((Uniform("u", 1.0, 2.0, (n,)),)), measure)


def test_cases_of_one_name_are_kept_apart() -> None:
    test = Inequality(Bound(2 * x), (_runs(2, 0.0), _runs(3, 0.0), _runs(2, 1.0)))
    assert [arm.case.name for arm in arms(test)] == ["runs", "runs (2)", "runs (3)"]
    found = search(test, budget=4000, seed=0, label="apart")
    assert {k.case.name for k in found.idle} == {"runs", "runs (2)"}
    assert all(len(k.cube) == k.case.space.n_cube for k in (*found.leaders, *found.ties, *found.idle))
    ratios = {k.case.name: evaluate(test.bound, k.case, k.cube[None]).rising["ratio"][0] for k in found.leaders}
    assert ratios["runs"] == 0
    assert ratios["runs (3)"] == pytest.approx(0.5)


def test_a_numbered_case_is_found_by_the_name_it_was_given() -> None:
    test = Inequality(Bound(2 * x), (_runs(2, 0.0), _runs(3, 0.0), _runs(2, 1.0)))
    found = [case_named(test, name) for name in ("runs", "runs (2)", "runs (3)", "runs (4)", "none")]
    assert [None if case is None else case.space.n_cube for case in found] == [2, 3, 2, None, None]
    assert found[2] is not None
    assert found[2].name == "runs (3)"


def test_a_family_met_twice_at_one_choice_of_sizes_is_one_case_and_one_name_of_two_choices_is_two() -> None:
    family = Family("runs", (Size("n", 1, 3, 2),), lambda n: _runs(2, 0.0))
    named = {arm.case.name for arm in arms(Inequality(Bound(x), (family,)), [{"n": 2.0}])}
    assert named == {"runs", "runs (2)", "runs (3)"}


def test_every_case_of_a_search_is_found_by_its_place() -> None:
    family = Family(
        "both",
        (Size("n", 1, 30, 2), Size("d", 1, 8, 2, limit=True)),
        lambda n, d: Case(f"n = {n}", Space((Uniform("u", 0.0, 1.0, (int(n), 2 if d == math.inf else int(d))),)), dict),
    )
    test = Inequality(Bound(x), (_runs(2, 0.0), family))
    for case in concrete(test):
        found = case_at(test, case.place)
        assert found is not None
        assert found.space.n_cube == case.space.n_cube
    assert [case.place for case in concrete(test)][:2] == ["#1", "#2 n=2, d=2"]
    for none in ("", "#0", "#3", "#1 n=2", "#2", "#2 n=2", "#2 n=2, d=two", "runs"):
        assert case_at(test, none) is None


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_what_a_case_is_called_moves_no_draw(factor: float) -> None:
    def judged(name: str) -> dict[str, Any]:
        case = replace(
            _runs(2, factor),
            name=name,
            exact=ExactCheck(lambda i: ({}, {"lhs": i["u"][0] * Fraction(factor), "x": i["u"][0]})),
        )
        test = Inequality(Bound(2 * x), (case, replace(_runs(3, 0.0), name="other")))
        outcome = run_test(test, claim_id="X-1", name="as printed", key="reading 1", budget=2000, seed=0)
        return {"why": outcome.why.replace(name, ""), **outcome.detail, "worst_instance": None, "best": None}

    assert judged("runs") == judged("another name")


@pytest.mark.parametrize("first", [1200, 70_000])
def test_a_violation_behind_a_long_horizon_is_found(first: int) -> None:
    found = search(Inequality(Bound(x), (horizon_family(first),)), budget=4000, seed=1, label="h")
    assert found.worst_ratio > 1
    assert found.stages["ladder"] > 0


def test_each_score_sees_what_the_others_miss() -> None:
    bound = Bound((x - y) * z + 1 / (z - y))
    constants = {
        "lhs": np.asarray([0.0, 1.0]),
        "x": np.asarray([1.0, 2.0]),
        "y": np.asarray([1.5, 1.0]),
        "z": np.asarray([4.0, 3.0]),
        "common": np.asarray([0.0, 0.9]),
    }
    scores = scored(bound, constants)
    assert set(scores.rising) == {"ratio", "excess", "sinking", "term 1", "term 2", "denominator 1", "recursion"} - {
        "term 1" if "term 1" not in scores.rising else "term 2"
    } | {"past 1", "past 2"}
    assert scores.ratio[0] == np.inf  # lhs = 0 > rhs is a violation, not a discarded draw
    assert scores.excess[0] > 0
    some_term = [v for k, v in scores.rising.items() if k.startswith("term")]
    assert any(v[0] > 0 > v[1] for v in some_term)
    lhs, rhs = 1.0, (2.0 - 1.0) * 3.0 + 0.5
    assert scores.rising["recursion"][1] == pytest.approx((lhs - rhs) / (abs(lhs - 0.9) + abs(rhs - 0.9)))


def ridge(cube):
    return -((10 * (cube[:, 0] - cube[:, 1] ** 2)) ** 2) - (cube - 0.7 * np.ones(4) + [0.21, 0, 0, 0]).clip(-1) ** 2 @ (
        np.ones(4)
    )


def climbed(starts: list[Start], scores, *, size: int = 24, budget: int = 3000) -> tuple[int, dict[str, float], list]:
    """Evaluations used, the best value of each score, and the number of points of each batch."""
    best: dict[str, float] = {}
    batches = []

    def booked(cube):
        values = {name: score(cube) for name, score in scores.items()}
        best.update({name: max(best.get(name, -np.inf), float(v.max())) for name, v in values.items()})
        batches.append(len(cube))
        return values, False

    return ascend(booked, starts, size=size, budget=budget, rng=np.random.default_rng(0)), best, batches


def test_the_adversary_finds_a_narrow_ridge_and_leaves_the_global_generator_alone() -> None:
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    used, best, _ = climbed([Start(np.full(4, 0.2), "ridge", 0.2)], {"ridge": ridge})
    assert used <= 3000
    assert best["ridge"] > -1e-6
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


def test_restarts_climb_in_lock_step_each_on_its_own_score() -> None:
    scores = {
        "low": lambda cube: -((cube - 0.1) ** 2).sum(axis=1),
        "high": lambda cube: -((cube - 0.9) ** 2).sum(axis=1),
        "outside": lambda cube: cube.sum(axis=1),
    }
    starts = [Start(np.full(6, 0.5), name, 0.1) for name in scores]
    used, best, batches = climbed(starts, scores, budget=9000)
    assert best["low"] > -1e-10
    assert best["high"] > -1e-10
    assert best["outside"] == pytest.approx(6.0)  # the corner: maxima on faces are reached
    assert batches[0] == 3 * 24
    assert sum(batches) == used


def test_a_plateau_ends_a_restart_and_not_the_others() -> None:
    scores = {"flat": lambda cube: np.zeros(len(cube)), "ridge": ridge}
    starts = [Start(np.full(4, 0.2), name, 0.2) for name in scores]
    _, best, batches = climbed(starts, scores, budget=4000)
    assert best["ridge"] > -1e-6
    assert batches[:2] == [48, 48]
    assert set(batches[2:]) == {24}


def test_new_restarts_take_the_place_of_those_that_end_so_that_batches_stay_wide() -> None:
    ended, batches = [], []

    def values(cube):
        batches.append(len(cube))
        return {"flat": np.zeros(len(cube)), "ridge": ridge(cube)}, False

    def more(score: str) -> Start:
        ended.append(score)
        return Start(np.full(4, 0.8), "ridge", 0.2)

    starts = [Start(np.full(4, 0.2), name, 0.2) for name in ("flat", "ridge", "flat")]
    used = ascend(values, starts, size=24, budget=9000, rng=np.random.default_rng(0), more=more)
    assert ended[:2] == ["flat", "flat"]
    assert set(ended[2:]) == {"ridge"}
    assert len(ended) > 3
    last = 9000 - 12 * 72  # from then on nothing is begun that could not go on for some generations
    assert all(b == 72 for b, before in zip(batches, np.cumsum([0, *batches]), strict=False) if before < last)
    assert used == sum(batches) <= 9000


@pytest.mark.parametrize("n", [1, 2, 70])
def test_the_adversary_climbs_in_one_dimension_and_in_many(n: int) -> None:
    size = population(n, 20_000)
    _, best, _ = climbed(
        [Start(np.full(n, 0.2), "s", 0.3)], {"s": lambda c: -((c - 0.6) ** 2).sum(axis=1)}, size=size, budget=20_000
    )
    assert best["s"] > -1e-6


def test_populations_grow_with_the_dimension_as_far_as_the_budget_allows() -> None:
    assert [population(n, 1e6) for n in (2, 12, 40, 600)] == [24, 24, 80, 128]
    assert population(40, 2000) == 25
    assert population(12, 10) == 14


def quotient(n: int, *, differentiable: bool = False) -> Case:
    """‖∇F‖² against L·gap on a diagonal quadratic: at most 2, only where all of w lies along the largest curvature."""

    def measure(c: Instance) -> dict[str, object]:
        xp = namespace(c["s"])
        return {
            "lhs": xp.sum((c["s"] * c["w"]) ** 2, axis=-1),
            "x": xp.max(c["s"], axis=-1) * xp.sum(c["s"] * c["w"] ** 2, axis=-1),
        }

    space = Space((LogScale("s", 1e-2, 1e2, (n,)), Uniform("w", -1.0, 1.0, (n,))))
    return Case(f"n = {n}", space, measure, recomputed(measure), differentiable=differentiable)


def test_the_supremum_is_reached_in_many_dimensions() -> None:
    assert attacked(Inequality(Bound(x), (quotient(24),)), 20_000).worst_ratio > 0.98


def test_gradients_are_used_where_a_case_allows_them() -> None:
    plain = attacked(Inequality(Bound(x), (quotient(24),)), 3000)
    climbed = attacked(Inequality(Bound(x), (quotient(24, differentiable=True),)), 3000)
    assert "gradient" in climbed.detail["stages"]
    assert "gradient" not in plain.detail["stages"]
    assert climbed.worst_ratio <= 1 + 1e-9
    assert climbed.worst_ratio > 0.8


def test_one_seed_one_attack() -> None:
    test = Inequality(Bound(x), (quotient(3), horizon_family(50)))
    one, two = (search(test, budget=3000, seed=5, label="s") for _ in range(2))
    assert one.growth == two.growth
    assert one.stages == two.stages
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(one.witnesses, two.witnesses, strict=True))
    other = search(test, budget=3000, seed=6, label="s")
    assert any(not np.array_equal(a[1], b[1]) for a, b in zip(one.witnesses, other.witnesses, strict=False))


def test_a_related_search_starts_from_known_points() -> None:
    case = Case("needle", Space((Uniform("u", 0.0, 1.0, (12,)),)), lambda c: {}, None)

    def measure(c: Instance) -> dict[str, object]:
        near = np.exp(-1e6 * ((c["u"] - 0.3) ** 2).sum(axis=-1))
        return {"lhs": near, "x": np.full(len(near), 0.5)}

    test = Inequality(Bound(x), (replace(case, measure=measure),))
    assert search(test, budget=200, seed=0, label="n").worst_ratio < 1
    warm = {"needle": np.full((1, 12), 0.3)}
    assert search(test, budget=200, seed=0, label="n", warm=warm).worst_ratio == pytest.approx(2.0)


def test_two_sides_that_are_both_zero_lead_no_score() -> None:
    zeros, ones = np.zeros(2), np.asarray([0.0, 1.0])
    scores = scored(Bound(x), {"lhs": zeros, "x": ones})
    assert scores.excess[0] == -1.0
    assert scores.excess[1] == -1.0
    assert scored(Bound(x), {"lhs": np.asarray([0.5]), "x": np.asarray([1.0])}).excess[0] > -1.0


def test_a_dear_case_is_visited_only_as_often_as_its_share_allows() -> None:
    dear = replace(quotient(2), cost=5000.0)
    (arm,) = arms(Inequality(Bound(x), (dear,)))
    assert arm.batch(1) == 1
    assert arm.batch(100) == 13


def test_an_arm_keeps_the_best_of_all_batches_and_says_when_the_best_rose() -> None:
    arm, rng = arms(Inequality(Bound(x), (quotient(2),)))[0], np.random.default_rng(0)
    seen = np.empty(0)
    for _ in range(40):
        values = np.round(rng.normal(size=7), 2)  # with ties
        rose = arm.keep("ratio", values[:, None], values)
        assert rose == (values.max() > seen.max(initial=-np.inf))
        seen = np.concatenate([seen, values])
        points, kept = arm.elites["ratio"]
        assert kept.tolist() == sorted(seen, reverse=True)[:ELITES]
        assert np.array_equal(points[:, 0], kept)


def test_a_search_that_ends_with_its_first_witness_begins_with_few_points() -> None:
    false = Case("false", Space((Uniform("u", 0.0, 1.0),)), lambda c: {"lhs": 9 + c["u"], "x": c["u"]}, None)
    test = Inequality(Bound(x), (false,))
    asked = []
    found = search(test, budget=40_000, seed=0, label="s", stop=lambda seen: not asked.append(seen.instances))
    assert found.instances == asked[0] <= 128
    long = search(test, budget=40_000, seed=0, label="s", stop=lambda seen: asked.append(seen.instances))
    assert long.instances >= 40_000
    assert list(np.diff(asked[1:6])) == [256, 512, 1024, 2048]


@pytest.mark.parametrize("without", ["points.tied", "search.corners"])
@pytest.mark.parametrize("seed", range(2))
def test_entries_that_must_be_alike_in_one_coordinate_and_apart_in_another_are_found(
    seed: int, without: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hundred dimensions, a few hundred draws: a space's corners tie all coordinates or none; each way alone."""
    instead = {"points.tied": lambda *a: None, "search.corners": lambda space, rng, n: space.corners(rng, n)}
    monkeypatch.setattr(f"validation.search.{without}", instead[without])
    monkeypatch.setattr("validation.search.search.has_patterns", lambda space: False)

    def measure(c: Instance) -> dict[str, object]:
        apart = np.ptp(c["m"], axis=-1) > 0
        return {"lhs": apart * c["s"].mean(axis=-1), "x": c["s"].max(axis=-1)}

    space = Space((LogScale("s", 1e-2, 1e2, (100,)), Signed("m", 1e-2, 1e2, (100,))))
    found = search(
        Inequality(Bound(x), (Case("c", space, measure, None, cost=50.0),)), budget=40_000, seed=seed, label="a"
    )
    assert found.instances < 1000
    assert found.worst_ratio == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("cases", "share"),
    [
        ((quotient(3), horizon_family(50)), 0.5),
        ((quotient(9),), 0.7),
        ((quotient(24),), 0.7),
        ((replace(quotient(8), cost=4.0),), 0.9),
    ],
)
def test_most_points_come_in_wide_batches_the_adversarys_too(
    monkeypatch: pytest.MonkeyPatch, cases: tuple[Case | Family, ...], share: float
) -> None:
    batches = []

    def noted(bound, case, cube, *rest):
        batches.append(len(cube))
        return evaluate(bound, case, cube, *rest)

    monkeypatch.setattr("validation.search.search.evaluate", noted)
    found = search(Inequality(Bound(x), cases), budget=40_000, seed=0, label="w")
    assert sum(batches) == found.instances
    assert sum(b for b in batches if b >= 256) >= share * found.instances


def test_costly_cases_get_fewer_draws() -> None:
    cheap = quotient(2)
    found = search(Inequality(Bound(x), (replace(cheap, cost=50.0),)), budget=10_000, seed=0, label="c")
    assert found.instances < 600


def test_hill_climbing_alone_would_not_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adversary earns its place: a narrow curved valley in six dimensions, with and without it."""

    def measure(c: Instance) -> dict[str, object]:
        u = 4 * c["u"] - 2
        valley = (100 * (u[:, 1:] - u[:, :-1] ** 2) ** 2 + (1 - u[:, :-1]) ** 2).sum(axis=1)
        return {"lhs": np.exp(-valley), "x": np.full(len(u), 0.999)}

    space = Space((Uniform("u", 0.0, 1.0, (6,)),))
    test = Inequality(Bound(x), (Case("valley", space, measure, None),))

    def missing() -> float:
        found = [search(test, budget=40_000, seed=seed, label="v").worst_ratio for seed in range(5)]
        return 1 / 0.999 - median(found)

    its = missing()
    monkeypatch.setattr("validation.search.search.ascend", lambda *a, budget, **k: 512)
    assert its < missing() / 10


def test_a_signed_coordinate_reaches_zero_exactly() -> None:
    test = Inequality(
        Bound(x - y),
        (
            Case(
                "zero only",
                Space((Signed("a", 1e-6, 1.0),)),
                lambda c: {"lhs": np.zeros(len(c["a"])), "x": np.abs(c["a"]), "y": np.where(c["a"] == 0, 1.0, 0.0)},
                None,
            ),
        ),
    )
    outcome = attacked(test)
    assert outcome.verdict is Verdict.INCONCLUSIVE  # violated in floats, and no exact check to decide
    assert outcome.worst_ratio == np.inf
