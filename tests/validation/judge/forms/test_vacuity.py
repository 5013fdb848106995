"""A bound that says no more than is known without it: not exercised, or vacuous on the whole declared grid."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from validation import (
    Bound,
    Case,
    Inequality,
    Instance,
    Integer,
    LogScale,
    Space,
    Uniform,
    Verdict,
    recomputed,
    symbols,
)
from validation.judge.run import run_test
from validation.judge.vacuity import vacuity

gap, start, T = symbols("gap start T")


def shrinking(most: int) -> Case:
    """start/T after T steps, T up to `most`."""

    def measure(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"] * c["start"] / c["T"], "start": c["start"], "T": c["T"]}

    space = Space((Integer("T", 1, most), LogScale("start", 0.1, 10.0), Uniform("u", 0.0, 1.0)))
    return Case(f"T <= {most}", space, measure, recomputed(measure))


GRID = Space((Integer("T", 1, 10_000), LogScale("start", 0.1, 10.0)))


def judged(factor: int, most: int, grid: Space | None = GRID, power: int = 1) -> Any:
    bound = Bound(factor * start / T**power)
    test = Inequality(bound, (shrinking(most),), trivial=Bound(start), grid=grid)
    return run_test(test, claim_id="T", name="t", budget=500, seed=0)


def test_a_bound_that_says_something_on_the_draws_holds_and_says_on_how_many_it_does_not() -> None:
    outcome = judged(50, 1000)
    assert outcome.verdict is Verdict.HOLDS
    assert "the right side no better than the trivial bound on " in outcome.why


def test_horizons_too_short_are_not_exercised_and_the_first_that_says_something_is_named() -> None:
    outcome = judged(50, 20)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "not exercised: the trivial bound is no larger than the right side on all" in outcome.why
    assert "of the grid the right side lies below the trivial bound, first at T = " in outcome.why
    first = float(outcome.why.split("first at T = ")[1].split(";")[0])
    assert 51 <= first <= 60


def test_a_bound_above_the_trivial_one_on_the_whole_grid_is_vacuous() -> None:
    outcome = judged(2, 1000, power=0)
    assert outcome.verdict is Verdict.VACUOUS
    assert "above the trivial bound on the whole grid" in outcome.why


def test_without_a_grid_nothing_is_called_vacuous() -> None:
    assert judged(2, 1000, grid=None, power=0).verdict is Verdict.INCONCLUSIVE


def test_a_false_bound_is_refuted_however_little_it_says() -> None:
    test = Inequality(Bound(start / (2 * T)), (shrinking(20),), trivial=Bound(start / 1000), grid=GRID)
    assert run_test(test, claim_id="T", name="t", budget=500, seed=0).verdict is Verdict.REFUTED


def test_a_grid_needs_a_trivial_bound_and_every_constant() -> None:
    with pytest.raises(ValueError, match="expected trivial=Bound"):
        Inequality(Bound(start / T), (shrinking(20),), trivial="there is none", grid=GRID)
    with pytest.raises(ValueError, match="no coordinate for gap"):
        Inequality(Bound(gap / T), (shrinking(20),), trivial=Bound(start), grid=GRID)


def test_a_measure_that_gives_the_trivial_bound_itself_keeps_it() -> None:
    def measure(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"] / 2, "gap": c["u"], "trivial": np.full_like(c["u"], 0.25)}

    def plain(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"] / 2, "gap": c["u"]}

    case = Case("u", Space((Uniform("u", 0.5, 1.0),)), measure, recomputed(plain))
    test = Inequality(Bound(gap), (case,), trivial=Bound(4 * gap))
    assert run_test(test, claim_id="T", name="t", budget=500, seed=0).verdict is Verdict.INCONCLUSIVE


def test_a_right_side_below_0_says_nothing() -> None:
    space = Space((LogScale("T", 1.0, 100.0),))
    assert vacuity(Bound(-T), Bound(1 * T), space, 0, "g").first is None
    half = vacuity(Bound(T / 2), Bound(1 * T), space, 0, "g")
    assert (half.share, half.first) == (1.0, 1.0)


def test_a_bound_that_is_never_better_than_the_trivial_one_is_not_exercised_by_its_ties() -> None:
    """On half of the draws both sides are equal."""

    def sides(x: Instance) -> Mapping[str, Any]:
        return {"lhs": np.where(x["u"] < 2, x["u"], x["u"] / 2), "T": x["u"], "trivial": x["u"]}

    case = Case("u", Space((Uniform("u", 1.0, 3.0),)), sides, recomputed(sides))
    found = run_test(Inequality(Bound(1 * T), (case,)), claim_id="X", name="as stated", budget=400, seed=0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.why.startswith("not exercised: the trivial bound is no larger than the right side on all ")
