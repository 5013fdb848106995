"""A mistake in what somebody asks us to check names claim, quantity and cure, before anything is searched."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    Family,
    Inequality,
    Integer,
    LogScale,
    Signed,
    Size,
    Space,
    Uniform,
    assert_holds,
    check,
    find_counterexample,
    recomputed,
    symbols,
)
from validation.statement.notation import Notation, Quantity
from validation.statement.says import le, lt
from validation.verdict.engine import units
from validation.verdict.gate import attempted
from validation.verdict.mistakes import MistakeError, look_at
from validation.world import lemma, mutant, reading
from validation.world.world import World, case, numbers

L, gap, mu = symbols("L gap mu")
SPACE = Space((LogScale("c", 1e-3, 1e3), Signed("w", 1e-3, 1e3)))
BOUND = Bound(2 * L * gap)


def sides(x: Any) -> dict[str, Any]:
    return {"lhs": (x["c"] * x["w"]) ** 2, "L": x["c"], "gap": x["c"] * x["w"] ** 2 / 2}


def without(name: str) -> Callable[[Any], Any]:
    return lambda x: {k: v for k, v in sides(x).items() if k != name}


def one(measure: Callable[[Any], Any] = sides, space: Any = SPACE) -> Case:
    return Case("one client", space, measure, recomputed(measure))


def of_k(*, K: int) -> Case:
    return Case(f"{K} clients", SPACE, sides, recomputed(sides))


NOTATION = Notation((Quantity("x", "x", "a number"),))
X = NOTATION.symbols("x")


TWO = Notation((Quantity("x", "x", "a number"), Quantity("y", "y", "another")))


def told(says: Any, *where: Any, observe: Any = lambda v: {"x": v["x"]}) -> Any:
    at = case("as told", Space((Uniform("x", 0, 1),)), observe, lambda v: ({}, {"x": v["x"]}))
    return World(NOTATION, (at,), where).test(says)


def told_exactly(exact: Callable[[Any], Any]) -> Any:
    at = case("as told", Space((Uniform("x", 0, 1),)), lambda v: {"x": v["x"]}, exact)
    return World(NOTATION, (at,)).test(le(X, 1))


def of_letter(name: str) -> Any:
    """x <= the letter, which is half of x: false, whatever the letter is called."""
    letters = Notation((Quantity("x", "x", "a number"), Quantity(name, "h", "its half")))
    x, half = letters.symbols(f"x {name}")
    at = case("a letter", Space((Uniform("x", 1, 2),)), lambda v: {"x": v["x"], name: v["x"] / 2}, lambda v: ({}, v))
    return World(letters, (at,)).test(le(x, half))


MISTAKES: dict[str, tuple[Any, str]] = {
    "a letter that nobody measures": (
        Inequality(Bound(2 * mu * gap), (one(),)),
        r"case 'one client': the bound has mu, which the measure does not return; add \"mu\": … to what the measure",
    ),
    "no left side": (Inequality(BOUND, (one(without("lhs")),)), r"no left side; expected \"lhs\" among .* \(L, gap\)"),
    "a number as the bound": (Inequality(Bound(1.0), (one(),)), r"Bound\(1.0\) is a float; expected a formula"),
    "a text as the bound": (Inequality(Bound("2*L"), (one(),)), r"Bound\('2\*L'\) is a str; expected a formula"),
    "a formula without Bound": (Inequality(2 * L, (one(),)), r"the bound is a Mul; expected Bound"),  # type: ignore[arg-type]
    "one case": (Inequality(BOUND, one()), r"cases=Case; expected a tuple, such as \(case,\)"),  # type: ignore[arg-type]
    "one number for all": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "lhs": 1.0}),)),
        r"'lhs' is one number for 8 instances; expected one value an instance",
    ),
    "three numbers": (Inequality(BOUND, (one(lambda x: {**sides(x), "L": np.ones(3)}),)), r"'L' is shape \(3,\) for 8"),
    "no dict": (Inequality(BOUND, (one(lambda x: x["c"]),)), r"the measure returned a ndarray; expected a dict"),
    "a misspelled coordinate": (
        Inequality(BOUND, (one(lambda x: {"lhs": x["curv"]}),)),
        r"asks for 'curv', which is not drawn; drawn are c, w",
    ),
    "coordinates without a Space": (
        Inequality(BOUND, (one(space=(LogScale("c", 1, 2),)),)),
        r"space is a tuple; expected Space",
    ),
    "nowhere a number": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "lhs": x["c"] / 0}),)),
        r"'lhs' is inf on all 8 drawn instances; expected finite numbers",
    ),
    "other numbers when asked again": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "lhs": x["c"] * np.random.default_rng().random()}),)),
        r"gives other numbers when it is asked again; draw what is random as a coordinate",
    ),
    "an if over many instances": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "lhs": 1 if x["c"] > 1 else 0}),)),
        r"truth value of an array.*test_asked.py.*np.where\(…\) for if",
    ),
    "math.sqrt of many instances": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "lhs": math.sqrt(x["c"])}),)),
        r"the measure raised only .*np.sqrt\(…\) for math.sqrt",
    ),
    "a family of other sizes": (
        Inequality(BOUND, (Family("runs", (Size("T", 1, 5, 2),), of_k),)),
        r"family 'runs': .*'K'; expected a function of its sizes by name, def at\(\*, T\)",
    ),
    "a family without a case": (
        Inequality(BOUND, (Family("runs", (Size("T", 1, 5, 2),), lambda *, T: T),)),  # type: ignore[arg-type,return-value]
        r"family 'runs': at\({'T': 2}\) gave a int; expected a Case",
    ),
    "a measure for a case": (Inequality(BOUND, (sides,)), r"a case is a function; expected Case"),  # type: ignore[arg-type]
    "a comparison of numbers": (
        3 <= 4,
        r"is True: Python worked the comparison out; expected a statement, such as Ineq",
    ),
    "a comparison of sympy": (sp.Integer(3) <= 4, r"Python worked the comparison out"),
    "a relation of sympy": (gap >= L, r"gap >= L is a sympy relation; expected a statement"),
    "anything else": ("2*L", r"is a str; expected a statement"),
    "a function without an exact version": (told(le(sp.cos(X), 1)), r"in cos\(x\): cos has no exact version; write it"),
    "a float that is no such number": (
        told(le(0.6 * X, 1)),
        r"in 0.6\*x: the float 0.6 .* write sympy.Rational\(3, 5\)",
    ),
    "the same in a strict one": (told(lt(X, 1 + 0.6 * X)), r"in 0.6\*x \+ 1: the float 0.6"),
    "the same in a hypothesis": (told(le(X, 1), le(0.6, X)), r"in 0.6.*: the float 0.6 is not exactly that number"),
    "the same in a letter that is defined": (
        World(TWO, (case("x", Space((Uniform("x", 0, 1),)), lambda v: {"x": v["x"]}, lambda v: ({}, {"x": v["x"]})),))
        .defining({"y": 0.6 * X})
        .test(le(TWO.symbols("y"), 1)),
        r"in 0.6\*x: the float 0.6 is not exactly that number",
    ),
    "no number": (told(le(X, sp.nan)), r"in nan: NaN has no exact version"),
    "a side that is not real": (told(le(X, sp.I)), r"in I: ImaginaryUnit has no exact version"),
    "nothing observed": (told(le(X, 1), observe=lambda _: None), r"what is observed is a NoneType; expected a dict"),
    "three numbers observed": (
        told(le(X, 1), observe=lambda _: {"x": np.ones(3)}),
        r"'x' has shape \(3,\) for 8 instances; expected one value an instance",
    ),
    "complex numbers observed": (
        told(le(X, 1), observe=lambda v: {"x": 1j * v["x"]}),
        r"'x' is observed as complex numbers; expected real ones",
    ),
    "complex numbers measured": (
        Inequality(BOUND, (one(lambda x: {**sides(x), "L": 1j * x["c"]}),)),
        r"'L' is measured as complex numbers; expected real ones",
    ),
    "a letter that stands for the left side": (of_letter("lhs"), r"a formula has the letter 'lhs'; call it otherwise"),
    "a letter that stands for rounding": (of_letter("magnitude"), r"a formula has the letter 'magnitude'"),
    "a letter that a strict inequality takes": (of_letter("_left_side"), r"letter '_left_side'.*begin with _"),
    "an exact side without hypotheses": (
        told_exactly(lambda v: {"x": v["x"]}),
        r"case 'as told': its exact side gives a dict; expected \({\"the hypothesis in words\": True or False",
    ),
    "an exact side of three": (told_exactly(lambda v: ({}, {}, v)), r"gives a tuple of dict, dict, dict; expected"),
    "hypotheses without names": (told_exactly(lambda v: (True, {"x": v["x"]})), r"gives a tuple of bool, dict;"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_its_cure(mistake: str) -> None:
    statement, words = MISTAKES[mistake]
    with pytest.raises(MistakeError, match="my bound.*" + words):
        assert_holds(statement, name="my bound", budget=500)
    with pytest.raises(MistakeError, match=words):
        find_counterexample(statement, name="my bound", budget=500)


def my_claim(says: Any) -> Claim:
    letters = Notation((Quantity("L", "L", "smoothness", (1, -2), positive=True),))
    world = numbers(letters, "L", LogScale("L", 1, 2))
    two = mutant("1 for 2", le(letters.symbols("L"), 1), "L may be 2")
    return lemma(
        "MY-1", "Sec. 1", "", printed="", plainly="L is small.", says=says, world=world, mutants=[two], verdict=""
    )


def test_a_claim_says_which_of_its_readings_it_is() -> None:
    asked = my_claim(3 <= 4)
    with pytest.raises(MistakeError, match=r"MY-1 \(as printed\): is True: Python worked the comparison out"):
        check(asked, budget=500)
    part, answered = attempted(asked, units(asked)[0], budget=500, seed=0)
    assert not answered
    assert part["why"].startswith("MY-1 (as printed): is True")


def test_a_measure_that_fails_of_itself_is_told_where_it_is_run() -> None:
    def fails(_x: Any) -> dict[str, Any]:
        raise RuntimeError("no such federation")

    statement = Inequality(BOUND, (one(fails),))
    look_at(statement)
    with pytest.raises(RuntimeError, match="no such federation"):
        assert_holds(statement, budget=500)


SILENT: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a float in the measure": (
        lambda x: {**sides(x), "lhs": 0.1 * sides(x)["lhs"]},
        r"write Fraction\(1, 10\) instead",
    ),
    "a division by 0": (lambda x: {**sides(x), "lhs": x["c"] / (0 * x["c"]), "admissible": x["c"] > 0}, "has no value"),
}


@pytest.mark.parametrize("mistake", SILENT)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_exact_arithmetic_never_decided_does_not_hold(mistake: str) -> None:
    measure, words = SILENT[mistake]
    with pytest.raises(AssertionError, match=f"is inconclusive: .*{words}"):
        assert_holds(Inequality(BOUND, (one(measure),)), budget=500)


def test_what_is_drawn_is_looked_at_where_it_is_written() -> None:
    with pytest.raises(TypeError, match=r"Space\(LogScale\): expected a tuple of coordinates"):
        Space(LogScale("c", 1, 2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'c' is a str; expected coordinates such as LogScale"):
        Space(("c",))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"LogScale\('h'\): shape=3; expected a tuple, \(3,\)"):
        Space((LogScale("h", 1, 2, 3),))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"Signed\('w'\): low=-1, high=1: needs 0 < low < high"):
        Signed("w", -1, 1)
    with pytest.raises(TypeError, match=r"budget='1000'.: expected a number of evaluations"):
        assert_holds(Inequality(BOUND, (one(),)), budget="1000")  # type: ignore[arg-type]


def test_what_a_world_draws_has_ends_and_values() -> None:
    with pytest.raises(ValueError, match=r"Uniform\('x'\): low=0, high=inf; expected finite ends"):
        Uniform("x", 0, math.inf)
    with pytest.raises(ValueError, match=r"Signed\('x'\): low=1, high=inf; expected finite ends"):
        Signed("x", 1, math.inf)
    with pytest.raises(ValueError, match=r"LogScale\('x'\): low=1, high=10+; expected finite ends"):
        LogScale("x", 1, 10**400)
    with pytest.raises(ValueError, match=r"Integer\('n'\): needs 0 <= low <= high, got low=10, high=1"):
        Integer("n", 10, 1)
    with pytest.raises(ValueError, match=r"Choice\('x', \(\)\): expected at least one value"):
        Choice("x", ())
    always = Space((Integer("n", 3, 3),))
    assert always.decode(always.corners(np.random.default_rng(0), 9))["n"].tolist() == [3.0] * 9


def test_scales_whose_quotient_no_float_holds_are_drawn() -> None:
    cube = np.linspace(0, 1, 5)[:, None]
    assert np.log10(LogScale("x", 1e-200, 1e200).decode(cube)) == pytest.approx([-200, -100, 0, 100, 200], abs=1e-9)
    assert np.isfinite(Signed("x", 1e-200, 1e200).decode(cube)).all()
    assert LogScale("x", 1e-200, 1e200, at=(1.0,)).special() == (0.5,)


def test_a_tuple_forgotten_is_told() -> None:
    with pytest.raises(TypeError, match=r"lemma\('MY-1'\): mutants is no list; expected a list, \[mutant\(…\)\]"):
        lemma(
            "MY-1", "", "", printed="", plainly="X is small.", says=le(X, 1),
            mutants=mutant("2", le(X, 2), ""), verdict="",  # type: ignore[arg-type]
        )  # fmt: skip
    one: Any = le(X, 1)
    listed = r"where is x <= 1; expected a (list, \[le\(…\)\]|tuple of conditions, \(le\(…\),\))"
    for forgotten in (
        lambda: reading("a", "b", where=one),
        lambda: mutant("a", one, "b", where=one),
        lambda: numbers(NOTATION, "x", Uniform("x", 0, 1), where=one),
    ):
        with pytest.raises(TypeError, match=listed):
            forgotten()
    with pytest.raises(TypeError, match=r"World.where: \(Le.* is a tuple; expected conditions such as le"):
        numbers(NOTATION, "x", Uniform("x", 0, 1)).where((one,))  # type: ignore[arg-type]


def test_an_exact_side_that_fails_or_takes_long_is_left_to_whoever_runs_it() -> None:
    def endless(v: Any) -> Any:
        while True:
            v["x"] = v["x"] + 1

    sides: tuple[Callable[[Any], Any], ...] = (endless, lambda v: ({}, {"x": v["x"] / 0}), lambda _: sys.exit(1))
    for exact in sides:
        look_at(told_exactly(exact))


def test_what_is_well_written_passes() -> None:
    look_at(told(le(X, 1), observe=lambda v: {"x": v["x"], "unread": np.ones((8, 3)), "names": [[1], [1, 2]]}))
    look_at(told(le(X**1000000, 1)))  # too long to be looked at here
    look_at(told(lt(sp.sqrt(X) * sp.pi - 0.5, 4), le(0, X), observe=lambda v: {"x": v["x"], "sizes": {"x": 1.0}}))
    look_at(Inequality(BOUND, (one(),)))
    with pytest.raises(MistakeError, match="expected a Claim"):
        check(True)  # type: ignore[arg-type]
    good = my_claim(le(Notation((Quantity("L", "L", "", (1, -2), positive=True),)).symbols("L"), 2))
    look_at(good)
    assert replace(good, id="MY-2").id == "MY-2"


def test_a_budget_that_is_no_number_is_told() -> None:
    x_only = numbers(NOTATION, "x", LogScale("x", 1, 2))
    false = [mutant("half", le(X, 1), "x = 2")]
    made = lemma("X-1", "", "", printed="", plainly="X", says=le(X, 2), world=x_only, mutants=false, verdict="")
    budgets: tuple[Any, ...] = (math.nan, math.inf, 99)
    for budget in budgets:
        with pytest.raises(ValueError, match=rf"budget={budget}\): expected at least 100 evaluations a reading"):
            check(made, budget=budget)
    test = Inequality(BOUND, (one(),))
    for budget in (*budgets[:2], 0):
        for asked in (assert_holds, find_counterexample):
            with pytest.raises(ValueError, match=rf"{asked.__name__}\(budget={budget}\): expected at least 1"):
                asked(test, budget=budget)


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("admissable", "admissible"),
        ("Admissible", "admissible"),
        ("magnitudes", "magnitude"),
        ("resolve", "resolved"),
        ("trival", "trivial"),
        ("members", "member"),
    ],
)
def test_a_name_that_is_nearly_one_with_a_meaning_is_refused(key: str, meant: str) -> None:
    given = one(lambda x: {**sides(x), key: x["c"] > 0})
    with pytest.raises(MistakeError, match=f"returns '{key}', which nothing reads; did you mean '{meant}'"):
        look_at(Inequality(BOUND, (given,)))


def test_scales_of_rounding_under_a_misspelt_name_are_refused_and_a_size_is_a_number() -> None:
    with pytest.raises(MistakeError, match="did you mean 'sizes'"):
        look_at(told(le(X, 1), observe=lambda v: {"x": v["x"], "size": {"x": v["x"]}}))
    look_at(told(le(X, 1), observe=lambda v: {"x": v["x"], "size": v["x"]}))


def test_other_names_are_nobodys_business() -> None:
    more = ("solved", "remember", "rhs", "number", "_admissable", "resolution")
    look_at(Inequality(BOUND, (one(lambda x: {**sides(x), **dict.fromkeys(more, x["c"])}),)))


def test_a_letter_of_the_bound_may_be_called_nearly_so() -> None:
    members = symbols("members")
    given = one(lambda x: {**sides(x), "members": x["c"]})
    look_at(Inequality(Bound(2 * L * gap + 0 * members + members), (given,)))
