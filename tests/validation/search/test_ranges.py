"""What exact arithmetic judges is an instance of the space that was drawn from: its ranges, its simplex, its extras."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from validation.cost.limits import Limits, within
from validation.judge.exact.certify import LIMITS
from validation.judge.relations import judge_relation
from validation.judge.repairs.switches import switched
from validation.judge.run import run_test
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck, Inequality, Relation, Switch
from validation.statement.instances.draw import Choice, Coordinate, LogScale, Signed, Simplex, Space, Uniform
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

F, X = Fraction, sp.Symbol("x", real=True)
Side = Callable[[Mapping[str, Any]], Any]


def asked(space: Space, left: Side, right: Side, **more: Any) -> Inequality:
    case = Case(
        "one",
        space,
        lambda d: {"lhs": left(d), "x": right(d)},
        ExactCheck(lambda d: ({}, {"lhs": left(d), "x": right(d)})),
    )
    return Inequality(Bound(X), (case,), **more)


def judged(test: Inequality) -> Outcome:
    return run_test(test, claim_id="X-1", name="as printed", budget=400, seed=0)


@pytest.mark.parametrize(
    ("drawn", "left", "right"),
    [
        (Uniform("p", 0.0, 0.1), lambda d: 10 * d["p"], lambda d: 0 * d["p"] + 1),  # float(0.1) > 1/10
        (Uniform("p", 0.59, 0.98), lambda d: 59 + 0 * d["p"], lambda d: 100 * d["p"]),  # float(0.59) < 59/100
        (LogScale("p", 0.3, 0.7), lambda d: 10 * d["p"], lambda d: 0 * d["p"] + 7),  # 2/3 is near, 1 is nearer to 0.7
        (Signed("p", 0.001, 0.3), lambda d: 10 * d["p"], lambda d: 0 * d["p"] + 3),
    ],
)
def test_a_statement_that_is_true_on_its_range_does_not_fall_by_a_rounding_beyond_it(
    drawn: Coordinate, left: Side, right: Side
) -> None:
    assert judged(asked(Space((drawn,)), left, right)).verdict == Verdict.HOLDS
    beyond = asked(Space((drawn,)), lambda d: left(d) * F(11, 10) if isinstance(left(d), F) else left(d) * 1.1, right)
    assert judged(beyond).verdict == Verdict.REFUTED  # what is false there still falls


@given(st.floats(0.0, 1.0), st.sampled_from(LIMITS))
def test_every_rounding_is_within_the_range_as_it_is_written(cube: float, limit: int) -> None:
    for drawn, low, high in (
        (Uniform("p", 0.1, 0.7), F(1, 10), F(7, 10)),
        (LogScale("p", 1e-3, 0.9), F(1, 1000), F(9, 10)),
        (Signed("p", 0.1, 0.7), F(-7, 10), F(7, 10)),
    ):
        value = drawn.decode(np.array([[cube]]))[0]
        assert low <= drawn.rationalise(np.asarray(value), limit) <= high


@given(st.integers(2, 12), st.booleans(), st.sampled_from((1, 2, 4, *LIMITS)), st.integers(0, 2**32 - 1))
def test_every_rounding_of_shares_is_on_the_simplex(size: int, interior: bool, limit: int, seed: int) -> None:
    drawn = Simplex("share", size, interior=interior)
    (row,) = drawn.decode(np.random.default_rng(seed).random((1, size + 1)))
    exact = drawn.rationalise(row, limit)
    assert sum(exact) == 1
    assert min(exact) >= 0
    assert not interior or min(exact) > 0


@pytest.mark.parametrize(("value", "exact"), [(1e-7, F(1, 10**7)), (0.1234567, F(1234567, 10**7)), (3.0, F(3))])
def test_one_of_a_few_numbers_is_that_number(value: float, exact: Fraction) -> None:
    assert Choice("c", (value,)).rationalise(np.asarray(value), 10) == exact


def test_a_witness_with_an_extra_on_has_it_on() -> None:
    space = Space((LogScale("a", 0.1, 10.0), LogScale("b", 0.1, 10.0)))
    equal = Switch("b = a", "b = a", lambda d: {**d, "b": d["a"]})
    test = asked(space, lambda d: d["a"] + d["b"], lambda d: 0 * d["a"] + 1, switches=(equal,))
    found = judged(switched(test, test.switches))
    assert found.verdict == Verdict.REFUTED
    assert found.witness is not None
    assert found.witness.instance["a"] == found.witness.instance["b"]


def test_a_certified_refutation_is_not_lost_where_shrinking_uses_up_the_time() -> None:
    def slowly(d: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        y = d["u"]
        for _ in range(1500):
            y = y + 1
        return {}, {"lhs": y - 1498, "x": d["u"] + 1}

    space = Space((Uniform("u", 0.0, 1.0), Uniform("v", 0.1, 0.9, (6,))))
    case = Case("slow", space, lambda d: {"lhs": d["u"] + 2, "x": d["u"] + 1}, ExactCheck(slowly))
    with within(Limits(recheck_seconds=0.012)):
        assert judged(Inequality(Bound(X), (case,))).verdict == Verdict.REFUTED


def test_a_relation_of_no_cells_does_not_hold() -> None:
    assert judge_relation(Relation(tuple), "X-1", "as printed").verdict == Verdict.INCONCLUSIVE


def test_what_is_beyond_an_end_becomes_the_end_as_it_is_written() -> None:
    sizes = Signed("s", 0.1, 0.3, (2, 2)).rationalise(np.array([[-0.3000001, 0.0], [0.0999999, -0.2]]), 10**9)
    assert sizes == [[F(-3, 10), 0], [F(1, 10), F(-1, 5)]]
    assert Uniform("u", -0.1, 0.7, (3,)).rationalise(np.array([-0.1, 0.70001, 0.25]), 64) == [
        F(-1, 10),
        F(7, 10),
        F(1, 4),
    ]


def test_the_blocks_of_a_space_are_its_coordinates_in_order_and_fill_the_cube() -> None:
    given = (Uniform("u", 0, 1, (4, 1, 3)), Simplex("p", 3, (2,)), Choice("c", (1.0, 2.0)))
    space = Space(given)
    places = [place for b in space.blocks for place in range(*b.own.indices(space.n_cube))]
    assert tuple(b.coordinate for b in space.blocks) == given
    assert places == list(range(space.n_cube))
    assert [b.axes for b in space.blocks] == [(4, 3), (2, 4), ()]
    assert [b.levels.tolist() for b in space.blocks] == [list(c.special()) for c in given]
