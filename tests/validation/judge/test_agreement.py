"""Measure and plain text that say different things decide nothing; what the draws of a claim never reached is told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import (
    Bound,
    Case,
    Choice,
    Inequality,
    LogScale,
    Signed,
    Simplex,
    Space,
    Switch,
    Uniform,
    Verdict,
    check,
    symbols,
)
from validation.judge.exact.agreement import agreement
from validation.judge.run import run_test
from validation.search.edges import edge_points
from validation.statement.claim import ExactCheck, Property
from validation.statement.notation import Notation, Quantity
from validation.statement.says import all_of, eq, exists, le, lt
from validation.world import lemma, mutant
from validation.world.world import World, case, numbers

a = symbols("a")
N = Notation((Quantity("x", "x", "a number"), Quantity("y", "y", "another")))
x, y = N.symbols("x y")
Measured = Callable[[Mapping[str, Any]], Any]


def of(fast: Measured, plain: Measured, factor: int = 1, name: str = "u") -> Case:
    """lhs = fast(u) or plain(u), a = factor·|u|, on 1 <= |u| <= 100 and 0."""

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": plain(v), "a": factor * abs(v["u"])}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": fast(v), "a": factor * np.abs(v["u"])}

    return Case(name, Space((Signed("u", 1.0, 100.0),)), measure, ExactCheck(exactly))


def outcome(*cases: Case) -> Any:
    return run_test(Inequality(Bound(1 * a), cases), claim_id="X", name="as stated", budget=2000, seed=0)


def size(v: Mapping[str, Any]) -> Any:
    return abs(v["u"])


def times(factor: Any) -> Measured:
    return lambda v: factor * size(v)


def halved_above(end: float) -> Measured:
    return lambda v: np.where(v["u"] > end, 0.5, 1.0) * size(v)


def test_two_texts_of_one_thing_agree() -> None:
    assert agreement(Bound(1 * a), [of(size, size)], 0, "l").words is None
    assert outcome(of(size, size)).verdict is Verdict.HOLDS


def test_a_slip_in_the_plain_text_refutes_nothing() -> None:
    found = outcome(of(size, times(2)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert re.search("measure and plain text differ: «u» on (19|20) of 20 random draws, as left side ", found.why)


def test_a_slip_in_the_measure_does_not_let_a_search_of_something_else_hold() -> None:
    found = outcome(of(lambda v: size(v) / 100, size))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "a slip in one of them" in found.why


def test_a_slip_that_counts_near_the_bound_alone_refutes_nothing() -> None:
    """On most draws u is so far below 1500 that a factor 2 is lost in it; beside itself it is not."""

    def exactly(v: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": 2 * v["u"], "a": 1500}

    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": v["u"], "a": np.full_like(v["u"], 1500.0)}

    found = outcome(Case("u", Space((LogScale("u", 1e-3, 1e3, at=(1e3,)),)), measure, ExactCheck(exactly)))
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "on 20 of 20 random draws" in found.why


def test_the_right_sides_are_compared_too() -> None:
    right = of(size, size)
    assert right.exact is not None
    plain = right.exact.function
    tripled = ExactCheck(lambda v: ({}, {**plain(v)[1], "a": 3 * abs(v["u"])}))
    words = agreement(Bound(1 * a), [Case("u", right.space, right.measure, tripled)], 0, "l").words
    assert words is not None
    assert "as right side " in words


def test_a_difference_on_few_draws_or_within_rounding_is_no_slip() -> None:
    """Each text breaks ties in its own way, and floats round: neither is a mistake."""
    for end, told in ((10, False), (1, False), (-10, True)):  # on one draw of five; on most of five, then not of 20
        assert (agreement(Bound(1 * a), [of(halved_above(end), size)], 0, "l").words is not None) is told
    assert agreement(Bound(1 * a), [of(times(1 + 1e-6), size)], 0, "l").words is None


@pytest.mark.parametrize("power", [-400, 400])
def test_sides_that_floats_do_not_hold_are_not_compared(power: int) -> None:
    beyond, exact = times(np.inf if power > 0 else 0.0), times(Fraction(10) ** power)
    assert agreement(Bound(1 * a), [of(beyond, exact)], 0, "l").words is None


def test_what_underflows_on_the_way_to_a_side_is_not_compared() -> None:
    case_ = of(lambda v: size(v) * 1e-200 * 1e-200 * 1e300, lambda v: size(v) / 10**100)
    assert agreement(Bound(a / sp.Integer(10) ** 100), [case_], 0, "l").words is None


def test_the_case_with_the_slip_is_named() -> None:
    sound, unsound = of(size, size, name="sound"), of(size, times(2), name="unsound")
    words = agreement(Bound(1 * a), [sound, unsound], 0, "l").words
    assert words is not None
    assert "«unsound»" in words


def stated(says: Any, world: World, no: Any) -> dict[str, Any]:
    return check(
        lemma(
            "X-1",
            "Sec. 1",
            "t",
            printed="",
            plainly="x is small",
            says=says,
            world=world,
            mutants=(mutant("no", no, "by hand"),),
            verdict="so",
        ),
        budget=4000,
    )


def at_most_one(drawn: Any, *, k: int) -> Any:
    return {"x": drawn["x"], "y": 0 * drawn["x"] + k}


def at_most_one_exact(drawn: Any, *, k: int) -> Any:
    return {}, {"x": drawn["x"], "y": Fraction(k)}


SPACE = Space((Uniform("x", 0, 1),))
TWO = World(N, tuple(case(f"case {k}", SPACE, at_most_one, at_most_one_exact, k=k) for k in (1, 2)))


def test_a_case_that_no_draw_is_admitted_to_is_named() -> None:
    """«x <= 2 − y» is false at y = 2, where the hypothesis admits nothing."""
    found = stated(le(x, 2 - y + (y - 1)), TWO.where(le(y, 1)), le(x, (2 - y) / 2))
    assert "none of them of «case 2»" in found["why"]
    assert "none of them of" not in stated(le(x, 1), TWO, le(x, (2 - y) / 2))["why"]


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (le(-4, 1 / x), "draws beyond floats, 0 of them decided exactly, 16 without a value"),
        (le(-10, sp.log(x**2)), "draws dismissed as a side has no value, such as one divided by 0"),
    ],
)
def test_draws_without_a_value_are_told(says: Any, told: str) -> None:
    found = stated(says, numbers(N, "x", Signed("x", 0.5, 2.0)), le(1, 1 / x))
    assert found["verdict"] == "holds"
    assert told in found["why"]


@pytest.mark.parametrize(
    ("says", "drawn"),
    [
        (lt((x - y) ** 2 * -1, 0), (Uniform("x", 0, 1), Uniform("y", 0, 1))),
        (lt(x * (1 - x), "1/4"), (Uniform("x", 0, 1),)),
        (lt(0, x**2), (Uniform("x", -1, 1),)),
    ],
    ids=["x = y", "x = 1/2", "x = 0"],
)
def test_a_strict_inequality_falls_where_equality_is_met_on_no_random_draw(says: Any, drawn: Any) -> None:
    found = stated(says, numbers(N, "drawn", *drawn), lt(2 + x**2, 1))
    assert found["verdict"] == "refuted", found["why"]


def test_a_strict_inequality_that_comes_near_and_holds_is_not_refuted() -> None:
    found = stated(lt(x, y), numbers(N, "drawn", Uniform("x", 0, 1), Uniform("y", 1.0001, 2)), lt(2 + x**2, 1))
    assert found["verdict"] == "holds", found["why"]


@pytest.mark.parametrize("admitted", [le(x * y, 2), le(x, 2 / y), le(1 / 2, 1 / (x * y))])
def test_a_strict_inequality_falls_where_a_hypothesis_holds_with_equality_alone(admitted: Any) -> None:
    """(1 − xy)² < 1 where xy <= 2, xy > 0: false at xy = 2 alone."""
    world = numbers(N, "drawn", LogScale("x", 1e-3, 1e3), LogScale("y", 1e-2, 1e2)).where(admitted)
    found = stated(lt((1 - x * y) ** 2, 1), world, lt((1 - x * y) ** 2, "1/2"))
    assert found["verdict"] == "refuted", found["why"]


def test_points_on_the_edge_are_admissible_and_as_near_to_it_as_floats_are() -> None:
    rng = np.random.default_rng(0)
    cube = rng.random((400, 3))
    inside = (cube**2).sum(axis=1) <= 1
    n = min(int(inside.sum()), int((~inside).sum()))
    found = edge_points(lambda c: (c**2).sum(axis=1) <= 1, cube[inside][:n], cube[~inside][:n])
    size = (found**2).sum(axis=1)
    assert n > 100
    assert (size <= 1).all()
    assert (size > 1 - 1e-14).all()


def test_a_draw_of_both_signs_stays_in_its_range_when_it_is_rounded() -> None:
    """1.1|x| <= x² on |x| >= 1.5 or 0: rounded to 1, the statement would fall where it says nothing."""
    found = stated(le(abs(x) * 11 / 10, x**2), numbers(N, "x", Signed("x", 1.1, 10.0)), le(2 * abs(x), x**2))
    assert found["verdict"] == "holds", found["why"]
    drawn = Signed("x", 1.5, 10.0)
    rounded = [drawn.rationalise(np.asarray(value), 1) for value in (1.6, -1.6, 0.0, 9.99)]
    assert rounded == [2, -2, 0, 10]
    assert drawn.rationalise(np.asarray(1.5), 1) == drawn.rationalise(np.asarray(1.2), 1) == Fraction(3, 2)  # its end
    assert drawn.rationalise(np.asarray(-1.51), 4) == Fraction(-3, 2)


def test_that_a_named_choice_fails_does_not_refute_that_some_choice_serves() -> None:
    """There is a y with x <= y; y = 0 is none, y = 2 is."""
    world = numbers(N, "x", Uniform("x", 0, 1))
    fails = stated(exists({y: 0}, le(x, y)), world, le(x, -1))
    assert fails["verdict"] == "inconclusive"
    assert "the choice y = 0 does not serve, another may: exact counterexample" in fails["why"]
    assert stated(exists({y: 2}, le(x, y)), world, le(x, -1))["verdict"] == "holds"


def test_a_claim_whose_mutants_all_survive_does_not_hold() -> None:
    world = numbers(N, "x", Uniform("x", 0, 1))
    found = stated(le(x, 2), world, le(x, 3))
    assert found["verdict"] == "inconclusive"
    assert "not exercised: the mutant «no» survives" in found["why"]


def test_equal_sides_of_a_world_are_those_of_its_draws() -> None:
    test = numbers(N, "x", Uniform("x", -1, 1)).test(eq((x**2) ** (Fraction(1, 2)), x))
    assert isinstance(test, Inequality)


@pytest.mark.parametrize(
    "drawn",
    [LogScale("x", 1e-9, 1.0), Choice("x", (1e-7, 1.0)), Uniform("x", 1e-8, 1.0), Simplex("p", 3, interior=True)],
    ids=lambda d: type(d).__name__,
)
def test_what_is_never_drawn_as_0_is_not_tried_at_0(drawn: Any) -> None:
    """0 < x, and 0 < pₖ in the interior: they come as near to 0 as is drawn, and never reach it."""
    if isinstance(drawn, Simplex):
        weights = case("p", Space((drawn,)), lambda v: {"x": v["p"].min(axis=1)}, lambda v: ({}, {"x": min(v["p"])}))
        world = World(N, (weights,))
    else:
        world = numbers(N, "x", drawn)
    found = stated(lt(0, x), world, lt(2 + x**2, 1))
    assert found["verdict"] == "holds", found["why"]


STRICT = Space((LogScale("u", 1.0, 100.0),))


@pytest.mark.parametrize(
    ("fast", "plain"),
    [
        (lambda u: 2 * u, lambda u: u / 2),  # true as measured; by the plain text it would fall
        (lambda u: 200 * u, lambda u: 2 * u),  # the search looks at something else
    ],
)
def test_both_sides_of_a_strict_inequality_are_compared(fast: Measured, plain: Measured) -> None:
    """It counts as missed or not; what is compared are the sides themselves."""
    at = case(
        "u", STRICT, lambda v: {"x": v["u"], "y": fast(v["u"])}, lambda v: ({}, {"x": v["u"], "y": plain(v["u"])})
    )
    found = stated(lt(x, y), World(N, (at,)), lt(2 + x**2, 1))
    assert found["verdict"] == "inconclusive"
    assert "measure and plain text differ" in found["why"]


def test_a_measure_of_nothing_but_0_is_a_slip() -> None:
    assert agreement(Bound(1 * a), [of(lambda v: 0 * v["u"], size)], 0, "l").words is not None


def test_of_many_cases_dear_ones_are_compared_too() -> None:
    cases = [of(size, size, name=f"{i}") for i in range(19)]
    words = agreement(Bound(1 * a), [*cases, of(size, times(2), name="the dearest")], 0, "l").words
    assert words is not None
    assert "«the dearest»" in words


def test_what_cancels_to_0_is_no_slip() -> None:
    """The sum of what lies off the mean is 0; in floats it is 10⁻¹⁶."""
    drawn = Space((Signed("u", 1e-2, 1e2, (3,)),))
    off = case(
        "off the mean",
        drawn,
        lambda v: {"x": (v["u"] - v["u"].mean(axis=1, keepdims=True)).sum(axis=1)},
        lambda v: ({}, {"x": sum(u - sum(v["u"]) / 3 for u in v["u"])}),
    )
    assert stated(eq(x, 0), World(N, (off,)), le(2 + x**2, 1))["verdict"] == "holds"


def test_an_exact_check_of_a_property_may_give_the_sign_alone() -> None:
    def measure(v: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"lhs": v["u"] - 2}

    def sign_of(shift: int) -> ExactCheck:
        return ExactCheck(lambda v: ({}, {"lhs": Fraction(1 if v["u"] > 2 + shift else -1)}))

    drawn = Space((Uniform("u", 0.0, 2.0),))
    held = [Property((Case("u", drawn, measure, sign_of(shift)),)) for shift in (0, -1)]
    of_each = [run_test(test, claim_id="X", name="as stated", budget=1000, seed=0) for test in held]
    assert [found.verdict for found in of_each] == [Verdict.HOLDS, Verdict.INCONCLUSIVE]
    assert "measure and plain text differ" in of_each[1].why


def test_what_several_choices_serve_together_is_not_refuted_by_one_of_them() -> None:
    world = numbers(N, "x", Uniform("x", 0, 1))
    both = all_of(exists({y: 0}, le(x, y)), exists({y: 2}, le(x, y)))
    assert both.choice == "y = 0; y = 2"
    assert stated(both, world, le(x, -1))["verdict"] == "inconclusive"
    with pytest.raises(ValueError, match=r"all_of\(x < 1\): strict; expected le"):
        all_of(lt(x, 1))
    with pytest.raises(ValueError, match=r"exists: y is in neither side of x <= 1"):
        exists({y: 0}, le(x, 1))
    with pytest.raises(TypeError, match=r"exists: .* is a Eq; expected le\(…\) or lt\(…\)"):
        exists({y: 0}, eq(x, y))  # type: ignore[arg-type]


def test_a_neighbour_without_the_extra_refutes_nothing_of_what_has_it() -> None:
    """x < y falls at x = y = 1; where x is kept below 0.9999 y it holds, though 1 is the rounding of both."""
    extra = Switch("below", "x <= 0.9999 y", lambda v: {**v, "x": np.minimum(v["x"], 0.9999 * v["y"])})
    world = replace(numbers(N, "x, y", Uniform("x", 0, 2), Uniform("y", 1, 2)), switches=(extra,))
    found = stated(lt(x, y), world, lt(2 + x**2, 1))
    assert found["verdict"] == "refuted"
    assert [row["switches"] for row in found["readings"][0]["restored_by"]] == [["below"]]
