"""Equalities among hypotheses are solved for a drawn number, in floats and in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation.judge.run import run_test
from validation.statement.claim import Case, Inequality
from validation.statement.instances.draw import LogScale, Signed, Uniform
from validation.statement.notation import letters
from validation.statement.outcome import Outcome
from validation.statement.says import Le, all_of, eq, le, lt
from validation.statement.verdict import Verdict
from validation.world import mutant, reading, remark
from validation.world.solved import equalities
from validation.world.world import World, numbers

NOTATION = letters(
    r"""
    c | c | a rate | -1 0 positive
    w | w | another | -1 0 positive
    v | v | a third | 0 0 positive
    s | s | signed
    u | u | of either sign, too
    """
)
c, w, v, s, u = NOTATION.symbols("c w v s u")
ALL_SIGNED = letters("\n".join(f"{name} | {name} | a number" for name in "cwsu"))
C, W, S, U = ALL_SIGNED.symbols("c w s u")
FALSE_BETWEEN = le(c * (100 - c) * (100 * c - 1), 0)


def world(*names: str) -> World:
    drawn = {n: LogScale(n, 1e-3, 1e3) for n in "cwv"} | {"s": Signed("s", 1e-3, 1e3)}
    return numbers(NOTATION, " and ".join(names), *(drawn[n] for n in names))


def judged(test: Any, budget: int = 1500) -> Outcome:
    return run_test(test, claim_id="T", name="t", budget=budget, seed=0)


@pytest.mark.parametrize(
    "where",
    [(eq(c, w),), (le(c, w), le(w, c)), (eq(c**2, w),), (eq(c * w, 1),), (eq(c / v, w), eq(v, 1))],
    ids=["eq", "le twice", "square", "product", "two equalities"],
)
def test_a_statement_that_is_false_between_the_corners_falls(where: Any) -> None:
    found = judged(world("c", "w", "v").where(*where).test(FALSE_BETWEEN))
    assert found.verdict is Verdict.REFUTED
    assert found.admissible > 500
    assert found.script is not None
    with pytest.raises(SystemExit) as ended:
        exec(found.script, {})
    assert ended.value.code == 0  # the script confirms the violation


def test_a_true_statement_is_searched_on_random_draws() -> None:
    found = judged(world("c", "w").where(eq(c, w)).test(le(2 * c * w, c**2 + w**2)))
    assert found.verdict is Verdict.HOLDS
    assert found.attained
    assert found.admissible > 1000


def test_a_formula_above_0_is_no_statement_that_nothing_exercises() -> None:
    given = numbers(ALL_SIGNED, "two hyperbolas", *(Signed(n, 1e-2, 1e1) for n in "cws"))
    given = given.where(eq(C * W, 1), eq(W * S, 1))
    assert judged(given.test(le(0, C * S))).verdict is Verdict.HOLDS
    assert judged(given.test(le(0, C + S))).verdict is Verdict.REFUTED
    assert judged(given.test(le(0 * C * S, C * S))).verdict is Verdict.HOLDS
    assert judged(given.test(le(C - S, C * S))).verdict is Verdict.INCONCLUSIVE  # C − S is 0 by the hypotheses


def test_a_number_that_leaves_its_range_is_outside() -> None:
    given = numbers(NOTATION, "apart", LogScale("c", 1.0, 10.0), LogScale("w", 1.0, 10.0), where=(eq(c, 4 * w),))
    test = given.test(le(c, 10))
    assert isinstance(test, Inequality)
    (case,) = test.cases
    seen = case.measure({"w": np.array([1.0, 2.0, 3.0])})
    assert seen["c"].tolist() == [4.0, 8.0, 12.0]
    assert seen["admissible"].tolist() == [True, True, False]
    assert case.exact is not None
    met, constants = case.exact.function({"w": Fraction(3)})
    assert constants["c"] == 12
    assert [name for name, held in met.items() if not held] == ["c <= 10"]
    assert judged(test).verdict is Verdict.HOLDS


def test_a_signed_number_keeps_its_range_on_both_sides() -> None:
    given = numbers(NOTATION, "signed", Signed("s", 1e-2, 5.0), Uniform("u", -20.0, 20.0), where=(eq(s, u),))
    test = given.test(le(s, 5))
    assert judged(test).verdict is Verdict.HOLDS
    assert judged(given.test(lt(s, 4))).verdict is Verdict.REFUTED


def test_defined_letters_are_read_by_their_formulas() -> None:
    test = world("c", "w").defining({v: c / w}).where(eq(v, 1)).test(FALSE_BETWEEN)
    assert judged(test).verdict is Verdict.REFUTED


@pytest.mark.parametrize("where", [eq(c**2, w**2), eq(s * c, 0 * c), eq(w**2, v)])
def test_what_may_have_other_solutions_is_not_solved_for_a_factor_that_may_be_0(where: Any) -> None:
    (case,) = world("c", "w", "v", "s").where(where).test(FALSE_BETWEEN).cases
    kept = [drawn.name for drawn in case.space.coordinates]
    assert kept == {eq(w**2, v): ["c", "w", "s"], eq(s * c, 0 * c): ["c", "w", "v"]}.get(where, ["c", "w", "v", "s"])


def drawn_in(test: Any) -> dict[str, list[str]]:
    """By case the numbers that are still drawn."""
    return {case.name: [c.name for c in case.space.coordinates] for case in test.cases}


def test_a_factor_and_a_rest_that_may_both_be_0_are_a_case_of_their_own() -> None:
    given = world("c", "s").where(eq(s * (c - s), 0))
    assert drawn_in(given.test(FALSE_BETWEEN)) == {"c and s": ["s"], "c and s, s = 0": ["c"]}
    only_at_0 = le(c * (100 - c) * (100 * c - 1), 10**9 * s**2)  # with c = s at most 10,000 c² on the left
    assert judged(given.test(only_at_0)).verdict is Verdict.REFUTED
    assert judged(given.test(le(-c, s**2))).verdict is Verdict.HOLDS


def test_a_number_that_is_determined_to_be_one_constant_may_be_in_the_statement() -> None:
    given = world("c", "s").where(eq(c * s, 0))
    assert judged(given.test(le(abs(c + s), abs(c - s)))).verdict is Verdict.HOLDS
    assert judged(given.test(le(c, s))).verdict is Verdict.REFUTED


def test_a_factor_of_two_numbers_that_may_be_0_falls_into_three_cases() -> None:
    signed = (Signed(name, 1e-2, 1e1) for name in "cwsu")
    test = numbers(ALL_SIGNED, "four", *signed, where=(eq(C * W * S, C * W * U**2),)).test(le(S, 10))
    assert drawn_in(test) == {
        "four": ["c", "w", "u"],
        "four, c*w = 0": ["w", "s", "u"],
        "four, c*w = 0, w = 0": ["c", "s", "u"],
    }


def test_a_product_of_signed_numbers_is_solved_where_it_is_never_0() -> None:
    signed = (Signed("w", 1e-2, 1e1), Signed("s", 1e-2, 1e1), Signed("u", 1e-4, 1e4))
    given = numbers(ALL_SIGNED, "a hyperbola", *signed, where=(eq(W * S * U, 1),))
    assert drawn_in(given.test(le(3, W**2 + S**2 + U**2))) == {"a hyperbola": ["w", "s"]}
    assert judged(given.test(le(3, W**2 + S**2 + U**2))).verdict is Verdict.HOLDS
    assert judged(given.test(le(sp.Rational(301, 100), W**2 + S**2 + U**2))).verdict is Verdict.REFUTED


def test_a_case_that_cannot_be_solved_in_turn_leaves_the_equality_as_it_is() -> None:
    drawn = (LogScale("c", 1e-3, 1e3), Signed("s", 1e-3, 1e3), Signed("u", 1e-3, 1e3))
    test = numbers(NOTATION, "three", *drawn, where=(eq(c * (s**2 - u**2), s * u),)).test(FALSE_BETWEEN)
    assert drawn_in(test) == {"three": ["c", "s", "u"]}


def test_pairs_of_opposite_bounds_are_equalities() -> None:
    assert len(list(equalities((le(c, w), le(w, c), le(c, 2 * w), lt(w, c))))) == 1
    assert len(list(equalities((le(c - w, 0), le(0, c - w))))) == 1
    assert not list(equalities((le(c, w), lt(w, c), le(0, 1), le(1, 0))))


def test_claims_take_equalities_as_conditions() -> None:
    made = remark(
        "T-1",
        "here",
        "t",
        printed="c",
        plainly="p",
        says=all_of(le(c, 1000)),
        world=world("c", "w"),
        readings=(reading("as printed", "p"), reading("equal", "e", where=(eq(c, w),))),
        mutants=(mutant("more", le(c, w / 2), "equal", where=(eq(c, w),)),),
        verdict="v",
    )
    assert made.roles is not None
    assert made.roles.readings[1].conditions == ("c = w",)
    with pytest.raises(TypeError, match=r"where is c = w; expected a list"):
        reading("one", "p", where=eq(c, w))  # type: ignore[arg-type]


def kept(*drawn: Any, where: Any) -> list[str]:
    """The numbers that are still drawn."""
    test = numbers(NOTATION, "these", *drawn, where=(where,)).test(FALSE_BETWEEN)
    assert isinstance(test, Inequality)
    (case,) = test.cases
    assert isinstance(case, Case)
    return [c.name for c in case.space.coordinates]


@pytest.mark.parametrize(("low", "left"), [(0.0, ["w", "c"]), (0.5, ["w", "c"]), (-0.5, ["w", "c"])])
def test_a_product_that_is_never_0_has_no_factor_that_is(low: float, left: list[str]) -> None:
    drawn = (Uniform("w", low, 1.0), LogScale("c", 1e-3, 1e3), Signed("s", 1e-3, 1e3))
    assert kept(*drawn, where=eq(w * s, c**2)) == left


@pytest.mark.parametrize(("wide", "left"), [("c", ["w"]), ("w", ["c"])])
def test_the_number_of_the_widest_range_is_solved_for(wide: str, left: list[str]) -> None:
    drawn = (LogScale(name, 1.0, 1e3 if name == wide else 10.0) for name in "cw")
    assert kept(*drawn, where=eq(c, w)) == left


def conditions() -> Iterator[Any]:
    """What a minimiser meets, as hypotheses: (name, world, a true statement, a false one close to it)."""
    given = letters(
        "\n".join(
            [*(f"{n} | {n} | a number" for n in "rsuvw"), *(f"{n} | {n} | a weight | 0 0 positive" for n in "pqc")]
        )
    )
    p, q, c, r, s, u, v, w = given.symbols("p q c r s u v w")

    def over(names: str) -> Any:
        kinds = {True: LogScale, False: Signed}
        return numbers(given, names, *(kinds[n in "pqc"](n, 1e-2, 1e2) for n in names))

    one = p * (w - r) ** 2 / 2 + q * (w - s) ** 2 / 2
    best = p * q * (r - s) ** 2 / 2 / (p + q)
    yield "one number", over("pqrsw").where(eq(sp.diff(one, w), 0)), le(one, best), le(one, sp.Rational(99, 100) * best)
    two = p * (w - r) ** 2 / 2 + q * (v - s) ** 2 / 2 + c * (w - v) ** 2 / 2
    both = over("pqcrswv").where(eq(sp.diff(two, w), 0), eq(sp.diff(two, v), 0))
    yield "two numbers", both, le(two, c * (r - s) ** 2 / 2), le(two, c * (r - s) ** 2 / 5)
    quartic = w**4 / 4 - p * w**2 / 2
    at_rest = over("pw").where(eq(sp.diff(quartic, w), 0))
    yield "several points of rest", at_rest, le(-(p**2) / 4, quartic), le(-(p**2) / 5, quartic)
    constrained = over("prwu").where(eq(u, p * w - r), eq(w * u, 0), le(0, w), le(0, u))
    yield "w >= 0 by its KKT conditions", constrained, le(p * w**2, r * w), le(p * w, r)
    yield "a projection", over("rw").where(eq(w, sp.Max(0, r))), le(w, abs(r)), le(w, sp.Rational(9, 10) * abs(r))
    near = over("crw").where(eq(w, sp.Max(r - c, 0) - sp.Max(-r - c, 0)))
    yield "soft thresholds", near, le(abs(w), abs(r)), le(abs(w), abs(r) - c)
    smallest = over("rsw").where(eq(w, sp.Min(r**2, s**2)))
    yield "the smaller of two", smallest, le(w, r**2), le(w, sp.Rational(9, 10) * r**2)


@pytest.mark.parametrize(("given", "true", "false"), [pytest.param(*c[1:], id=c[0]) for c in conditions()])
def test_the_condition_of_a_minimiser_is_solved(given: Any, true: Le, false: Le) -> None:
    assert judged(given.test(true)).verdict is Verdict.HOLDS
    assert judged(given.test(false)).verdict is Verdict.REFUTED
