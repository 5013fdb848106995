"""Every exact look counts: violations found on the way, cases and sizes without one, floats on the exact side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from theory.exact import InexactError
from validation import Bound, Case, Inequality, LogScale, Signed, Simplex, Space, Uniform, Verdict, recomputed, symbols
from validation.judge.exact.agreement import Texts, agreement
from validation.judge.exact.audit import audited
from validation.judge.exact.certify import Said, decide
from validation.judge.run import run_test
from validation.proof.symbolic import find_point, is_identity
from validation.search.points import sizes_between
from validation.search.search import search
from validation.statement.claim import ExactCheck, Family, Identity, Property, Size
from validation.statement.notation import Notation, Quantity
from validation.statement.outcome import Outcome
from validation.statement.says import eq
from validation.world.world import numbers

a = symbols("a")
x, y = sp.symbols("x y", positive=True)
UNIT = Space((Uniform("u", 0.0, 1.0),))
Instance = Mapping[str, Any]


def judged(*cases: Case | Family, bound: Any = a, budget: int = 2000, seed: int = 0) -> Outcome:
    return run_test(Inequality(Bound(1 * bound), cases), claim_id="X", name="as stated", budget=budget, seed=seed)


def of(left: Callable[[Any], Any], exactly: Callable[[Any], Any], name: str = "u", right: Any = 1) -> Case:
    """The statement left(u) <= right on 0 <= u <= 1, its left side measured and exactly."""
    return Case(
        name,
        UNIT,
        lambda v: {"lhs": left(v["u"]), "a": np.full_like(v["u"], float(right))},
        ExactCheck(lambda v: ({}, {"lhs": exactly(v["u"]), "a": Fraction(right)})),
    )


# What exact arithmetic finds violated on the way.


def test_a_measure_that_understates_the_left_side_on_some_draws_is_no_proof_of_a_false_statement() -> None:
    """On 40 % of the draws the left side is 2, and is measured as 0."""
    seldom = of(lambda u: np.where(u < 0.4, 0.0, u * 0.99999), lambda u: 2 if u < Fraction(2, 5) else u)
    found = judged(seldom)
    assert found.verdict is Verdict.INCONCLUSIVE, found.why
    assert "measure and plain text differ on which side is larger: «u» on " in found.why


def test_a_measure_that_overstates_the_left_side_on_some_draws_searched_something_else() -> None:
    seldom = of(lambda u: np.where(u < 0.4, 2.0, u / 2), lambda u: u / 2)
    found = judged(seldom)
    assert found.verdict is Verdict.INCONCLUSIVE, found.why
    assert "measure and plain text differ on which side is larger" in found.why


def test_a_violation_too_small_for_floats_that_a_random_draw_shows_is_a_witness() -> None:
    """u + 1e-15·u² <= u: within rounding everywhere, and false at every u > 0."""
    tiny = Fraction(1, 10**15)
    near = Case(
        "u",
        Space((Uniform("u", 0.25, 1.0),)),
        lambda v: {"lhs": v["u"], "a": v["u"]},
        ExactCheck(lambda v: ({}, {"lhs": v["u"] + tiny * v["u"] ** 2, "a": v["u"]})),
    )
    found = agreement(Bound(1 * a), [near], 0, "l")
    assert found.words is None
    assert found.violated is not None
    assert found.violated[1].said is Said.VIOLATED
    assert judged(near).verdict is Verdict.REFUTED


def test_what_only_the_comparison_of_both_texts_sees_violated_refutes() -> None:
    """1 is exceeded by 1e-8 on 1/4 < u < 1/2: less than the texts may differ by, and far from every leader."""
    small = of(
        lambda u: np.where((u > 0.25) & (u < 0.5), 0.9999999, 0.99999999),
        lambda u: 1 + Fraction(1, 10**8) if Fraction(1, 4) < u < Fraction(1, 2) else Fraction(99999999, 10**8),
    )
    found = judged(small)
    assert found.verdict is Verdict.REFUTED, found.why
    assert found.stage == "exact recheck of random draws"
    assert found.witness is not None
    assert found.witness.lhs > found.witness.rhs


def test_rounding_and_ties_that_turn_the_order_are_no_slip() -> None:
    """(c + w)² − c² − 2cw cancels to noise where c is large; a tie at equal entries is broken the other way."""

    def cancelled(v: Instance) -> Mapping[str, Any]:
        return {"lhs": (v["c"] + v["w"]) ** 2 - v["c"] ** 2 - 2 * v["c"] * v["w"], "a": v["w"] ** 2}

    space = Space((LogScale("c", 1e7, 1e9), LogScale("w", 1e-3, 1e3)))
    noisy = Case("c, w", space, cancelled, ExactCheck(lambda v: ({}, cancelled(v))))
    assert "which side is larger" not in (agreement(Bound(1 * a), [noisy], 0, "l").words or "")

    def first(v: Instance) -> Mapping[str, Any]:
        return {"lhs": np.where(v["p"][:, 0] >= v["p"][:, 1], 0.0, 2.0), "a": np.ones(len(v["p"]))}

    def second(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": Fraction(0 if v["p"][0] > v["p"][1] else 2), "a": Fraction(1)}

    equal = Case("p", Space((Simplex("p", 2, interior=True),)), first, ExactCheck(second))
    cube = np.full((1, 3), 0.7)
    texts = Texts.of(Bound(1 * a), equal, signs=False)
    drawn = equal.space.decode(cube)
    ((_, floats),) = texts.in_floats(drawn)
    assert (floats.left, *texts.exactly({"p": [Fraction(1, 2)] * 2})) == (0.0, 2, 1)
    assert texts.turned(floats, Fraction(2), Fraction(1), drawn, 0) == ""
    apart = equal.space.decode(np.asarray([[0.7, 0.9, 0.2]]))
    ((_, floats),) = texts.in_floats(apart)
    assert texts.turned(floats, Fraction(2), Fraction(1), apart, 0) == "left side 0 against 2"


@pytest.mark.parametrize("shift", [-0.5, 0.5])
def test_a_property_whose_sign_is_measured_wrongly_on_some_draws_is_in_doubt(shift: float) -> None:
    def measure(v: Instance) -> Mapping[str, Any]:
        return {"lhs": np.where(v["u"] < 0.4, shift, -0.5)}

    def sign(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": Fraction(1 if v["u"] < Fraction(2, 5) and shift < 0 else -1)}

    test = Property((Case("u", UNIT, measure, ExactCheck(sign)),))
    found = run_test(test, claim_id="X", name="as stated", budget=1000, seed=0)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "measure and plain text differ on which side is larger" in found.why


def test_one_function_is_not_told_that_one_of_two_has_a_slip() -> None:
    """A measure that is wrong in floats alone: 1e17 swallows u, which exact numbers keep."""

    def swallowed(v: Instance) -> Mapping[str, Any]:
        return {"lhs": v["u"] + 1e17 - 1e17, "a": v["u"] + 2}

    space = Space((Uniform("u", 1.0, 4.0),))
    found = judged(Case("u", space, swallowed, recomputed(swallowed)))
    assert "slip" not in found.why
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "the measure in floats and in exact numbers differs: «u» on " in found.why


def test_a_false_statement_of_one_function_is_refuted_though_floats_do_not_see_it() -> None:
    def swallowed(v: Instance) -> Mapping[str, Any]:
        return {"lhs": v["u"] + 1e17 - 1e17, "a": v["u"] * 0 + 5}

    space = Space((Uniform("u", 1.0, 7.0),))
    assert judged(Case("u", space, swallowed, recomputed(swallowed))).verdict is Verdict.REFUTED


# Cases and sizes.


def many(false: int | None, n: int = 40) -> list[Case]:
    """Cases of which the exact side of one is false everywhere, though measured like the others."""
    third = lambda u: u / 3  # noqa: E731
    return [of(third, third if k != false else lambda _: Fraction(2), name=f"case {k}") for k in range(n)]


@pytest.mark.parametrize("false", [3, 20, 39])
def test_of_many_cases_each_is_looked_at_exactly(false: int) -> None:
    found = judged(*many(false))
    assert found.verdict is not Verdict.HOLDS, found.why
    assert f"case {false}»" in found.why
    true = judged(*many(None))
    assert true.verdict is Verdict.HOLDS, true.why
    assert "exact re-check of" not in true.why


def test_a_case_that_is_too_dear_for_an_exact_look_is_named() -> None:
    def long(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {}, {"lhs": Fraction(1, 3 + int(v["u"])) ** 200_000, "a": Fraction(1)}

    dear = Case("a dear one", UNIT, lambda v: {"lhs": v["u"] / 3, "a": np.ones_like(v["u"])}, ExactCheck(long))
    found = judged(dear, *many(None, 3))
    assert found.verdict is Verdict.HOLDS, found.why
    assert "without an exact re-check of «a dear one»" in found.why


def sized(N: int) -> Case:
    """u·(1, or 2 at n = 7) <= 1."""
    factor = 2 if N == 7 else 1
    return of(lambda u: factor * u, lambda u: factor * u, name=f"N = {N}")


def test_sizes_that_were_tried_are_named_and_those_between_have_their_turn() -> None:
    family = Family("sizes", (Size("N", 2, 10, 3),), sized)
    first = judged(family, budget=4000)
    seen = [judged(family, budget=4000, seed=seed) for seed in range(3)]
    assert {found.verdict for found in seen} == {Verdict.HOLDS, Verdict.REFUTED}
    held = next(found for found in [first, *seen] if found.verdict is Verdict.HOLDS)
    assert ", N of 2, 3, " in held.why
    assert "7" not in held.why.partition("N of ")[2].partition(";")[0]


def test_every_size_between_has_its_turn() -> None:
    for high in (3, 4, 5, 6, 9, 30, 400):
        family = Family("sizes", (Size("N", 2, high, 3),), sized)
        test = Inequality(Bound(1 * a), (family,))
        rounds = range(max(1, (high + 1) // 2))
        tried = {int(c["N"]) for seed in rounds for c in sizes_between(test, seed)[0]}
        assert tried == set(range(2, high + 1)) - {int(v) for v in family.sizes[0].values()}
    wide = Inequality(Bound(1 * a), (Family("wide", (Size("N", 2, 10**6, 3),), sized),))
    assert all(2 < c["N"] < 10**6 for seed in range(50) for c in sizes_between(wide, seed)[0])


# Floats on the exact side.


def tenths(c: Any) -> Fraction:
    return Fraction(0.1 * c + 0.2 * c)


@pytest.mark.parametrize(
    "exactly",
    [
        lambda c: (tenths(c), Fraction(0.3 * c)),
        lambda c: (0.1 * c + 0.2 * c, 0.3 * c),
        lambda c: (Fraction(0.1) * c + Fraction(0.2) * c, Fraction(0.3) * c),
        lambda c: (Fraction.from_float(float(c) * 0.1) + c / 5, 3 * c / 10),
        lambda c: (c * Fraction(float(Fraction(1, 3))) * 3 + Fraction(float(c)) * 0, c),
    ],
    ids=["of a float result", "floats", "of float constants", "from_float", "float(…)"],
)
def test_an_exact_side_that_met_a_float_refutes_nothing(exactly: Callable[[Any], tuple[Any, Any]]) -> None:
    """0.1c + 0.2c <= 0.3c is true; in floats it is not, by 2e-16 of itself."""

    def plain(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        left, right = exactly(v["c"])
        return {}, {"lhs": left, "a": right}

    def measure(v: Instance) -> Mapping[str, Any]:
        return {"lhs": 0.1 * v["c"] + 0.2 * v["c"], "a": 0.3 * v["c"]}

    found = judged(Case("c", Space((LogScale("c", 1e-2, 1e2),)), measure, ExactCheck(plain)), budget=400)
    assert found.verdict is Verdict.INCONCLUSIVE, found.why
    assert "Fraction(1, 10)" in found.why or "Fraction(1, 3)" in found.why
    assert "in line " in found.why


def test_floats_that_are_exact_are_no_floats_that_slipped_in() -> None:
    """Halves, and comparisons, which round nothing."""

    def plain(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {"c > 0.01": v["c"] > 0.01}, {"lhs": Fraction(0.5) * v["c"], "a": v["c"] / 4}

    def measure(v: Instance) -> Mapping[str, Any]:
        return {"lhs": 0.5 * v["c"], "a": v["c"] / 4}

    found = judged(Case("c", Space((LogScale("c", 0.1, 1e2),)), measure, ExactCheck(plain)), budget=400)
    assert found.verdict is Verdict.REFUTED, found.why


# Nothing against nothing.


def test_both_sides_0_on_every_draw_exercise_nothing() -> None:
    zero = of(lambda u: 0 * u, lambda u: 0 * u, right=0)
    found = judged(zero)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "not exercised: both sides are 0 on all " in found.why
    equal = of(lambda u: u, lambda u: u)
    plain = ExactCheck(lambda v: ({}, {"lhs": v["u"], "a": v["u"]}))
    same = Case("u", UNIT, lambda v: {"lhs": v["u"], "a": v["u"]}, plain)
    assert judged(equal, same).verdict is Verdict.HOLDS


def test_equal_sides_that_are_0_apart_on_every_draw_hold() -> None:
    notation = Notation((Quantity("x", "x", "a number"),))
    world = numbers(notation, "x", Uniform("x", 0, 1))
    letter = notation.symbols("x")
    square = world.test(eq((letter + 1) ** 2, letter**2 + 2 * letter + 1))
    held = run_test(square, claim_id="X", name="", budget=500, seed=0)
    assert held.verdict is Verdict.HOLDS, held.why


@pytest.mark.parametrize(
    "left",
    [
        (x - 1) * (x - 2) * (3 * x - 1) * (x - 5) * (y + 1),
        (x - 1) * (x - 2) * (3 * x - 1) * (x - 5) / (x + y),
        (sp.sqrt(x) - 1) * (x - 2) * (3 * x - 1) * (x - 5),
        sp.Max(x, 5) - 5,
    ],
    ids=["a polynomial", "a quotient", "a root", "a maximum"],
)
def test_an_identity_that_vanishes_on_the_grid_alone_is_refuted(left: Any) -> None:
    test = Identity(left, sp.Integer(0))
    assert not is_identity(test)
    found = run_test(test, claim_id="X", name="as stated", budget=10, seed=0)
    assert found.verdict is Verdict.REFUTED, found.why
    assert found.script is not None


def test_no_point_is_found_where_an_identity_holds_and_poles_are_avoided() -> None:
    assert find_point(Identity((x**2 - 1) / (x - 1), x + 1)) is None
    vanishing = (x - 1) * (x - 2) * (3 * x - 1) * (x - 5)
    for pole in (4, Fraction(9, 4)):  # the numbers that are tried next
        point = find_point(Identity(vanishing / (x - sp.Rational(pole)), sp.Integer(0)))
        assert point is not None
        assert point[0]["x"] != pole


# The figure beside «holds».


def test_the_leaders_by_ratio_are_looked_at_however_many_ties_there_are() -> None:
    """Half of the cube is a tie of 0 against 0 within rounding; elsewhere the ratio comes up to 3/4."""

    def left(u: Any) -> Any:
        return np.where(u < 0.5, 1e-13, 0.75 * u)

    def exactly(u: Any) -> Any:
        return Fraction(0) if u < Fraction(1, 2) else Fraction(3, 4) * u

    cases = [
        Case(
            f"case {k}",
            UNIT,
            lambda v: {
                "lhs": left(v["u"]),
                "a": np.where(v["u"] < 0.5, 1e-13, v["u"]),
                "magnitude": np.ones_like(v["u"]),
            },
            ExactCheck(lambda v: ({}, {"lhs": exactly(v["u"]), "a": exactly(v["u"]) * Fraction(4, 3)})),
        )
        for k in range(30)
    ]
    for budget in (300, 10_000):
        found = judged(*cases, budget=budget)
        assert found.verdict is Verdict.HOLDS, found.why
        assert found.worst_ratio == 0.75


def test_the_figure_does_not_fall_where_a_longer_search_comes_to_what_exact_numbers_do_not_admit() -> None:
    """u/1 comes up to 1 where floats admit u <= 1; exactly u <= 0.9 is asked for, and w is 0 on all ties."""

    def measure(v: Instance) -> Mapping[str, Any]:
        return {"lhs": v["u"], "a": np.ones_like(v["u"])}

    def plain(v: Instance) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
        return {"u <= 0.9": v["u"] <= Fraction(9, 10)}, {"lhs": v["u"], "a": Fraction(1)}

    case = Case("u", UNIT, measure, ExactCheck(plain))
    for budget in (300, 20_000):
        found = judged(case, budget=budget)
        assert found.verdict is Verdict.HOLDS, found.why
        assert found.worst_ratio is not None
        assert 0.75 <= found.worst_ratio <= 0.9


def test_the_largest_exact_ratio_of_all_looks_is_kept() -> None:
    """What the comparison of both texts computes exactly counts, too."""
    case = of(lambda u: u / 2, lambda u: u / 2)
    test = Inequality(Bound(1 * a), (case,))
    found = search(test, budget=300, seed=0, label="l")
    audit = audited(test.bound, found, seed=0, label="l")
    both = agreement(test.bound, [case], 0, "l")
    assert both.lead is not None
    assert both.lead[1].ratio == max(
        decide(test.bound, case, cube).ratio or 0
        for cube in [np.asarray([float(both.lead[1].instance["u"])])]  # type: ignore[index]
    )
    low = audit.seen(*both.lead)
    assert low.ratio == max(audit.ratio or 0, both.lead[1].ratio or 0)


# Degenerate draws, and functions of arrays.


def test_a_draw_whose_sides_are_0_over_0_is_without_a_value_and_not_undecided() -> None:
    """w²/|w| <= |w| has no value at w = 0; the mask that would say so is itself without one."""

    def measure(v: Instance) -> Mapping[str, Any]:
        size = np.abs(v["w"])
        return {"lhs": v["w"] ** 2 / size, "a": size, "admissible": size / size >= 1}

    exact = recomputed(measure)
    case = Case("w", Space((Signed("w", 0.5, 2.0),)), measure, exact)
    assert decide(Bound(1 * a), case, np.asarray([0.5])).said is Said.UNDEFINED
    found = judged(case, budget=400)
    assert found.verdict is Verdict.HOLDS, found.why
    assert "undecided" not in found.why


def _placed(v: Instance) -> Mapping[str, Any]:
    order = np.argsort(v["v"], axis=1)
    return {"lhs": np.take_along_axis(v["v"], order, axis=1)[:, 0], "a": v["v"].min(axis=1)}


def _quantiles(v: Instance) -> Mapping[str, Any]:
    return {"lhs": np.quantile(v["v"], 0.25, axis=1), "a": np.percentile(v["v"], 75, axis=1)}


def _whole(v: Instance) -> Mapping[str, Any]:
    return {"lhs": np.quantile(v["v"][0], 0.5) + 0 * v["v"][:, 0], "a": np.median(v["v"], axis=1)}


@pytest.mark.parametrize("measure", [_placed, _quantiles, _whole])
def test_places_and_quantiles_are_exact(measure: Callable[[Instance], Mapping[str, Any]]) -> None:
    values = [Fraction(7, 2), Fraction(1), Fraction(-5, 4), Fraction(9), Fraction(2), Fraction(3)]
    _, exactly = recomputed(measure).function({"v": values})
    in_floats = measure({"v": np.asarray([[float(x) for x in values]])})
    assert {name: float(value) for name, value in exactly.items()} == {k: v[0] for k, v in in_floats.items()}


def test_what_numpy_does_not_take_is_named_with_its_line() -> None:
    def measure(v: Instance) -> Mapping[str, Any]:
        out = np.zeros_like(v["v"])
        np.put_along_axis(out, np.argmax(v["v"], axis=1)[:, None], 1, 1)
        return {"lhs": out.sum(axis=1), "a": v["v"].max(axis=1)}

    with pytest.raises(InexactError, match=r"not computed exactly: .* in line \d+ of test_looks"):
        recomputed(measure).function({"v": [Fraction(1), Fraction(2)]})
