"""What is declared of a letter is held against its values: no verdict rests on a formula that simplified too much."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import Bound, Case, Inequality, LogScale, Signed, Space, Uniform, assert_holds, recomputed, symbols
from validation.judge.run import run_test
from validation.statement.claim import Claim, ExactCheck, Identity
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import square, vectors
from validation.statement.instances.domain import Domain, Parameter
from validation.statement.letters import Letter
from validation.statement.notation import Notation, Quantity, letters
from validation.statement.outcome import Outcome
from validation.statement.says import exists, le, lt
from validation.statement.verdict import Verdict
from validation.verdict.engine import check
from validation.verdict.mistakes import MistakeError, look_at
from validation.world import mutant, step
from validation.world.world import World, case, numbers

EITHER = Space((Uniform("v", -1.0, 1.0),))
ABOVE = Space((Uniform("v", 0.0, 1.0),))
Sides = Callable[[Any], dict[str, Any]]


def stated(bound: Any, sides: Sides, space: Space = EITHER) -> Inequality:
    return Inequality(Bound(bound), (Case("one", space, sides, recomputed(sides)),))


def found(test: Inequality, budget: int = 2_000) -> Outcome:
    return run_test(test, claim_id="X-1", name="as stated", budget=budget, seed=0)


def of_v(left: Callable[[Any], Any]) -> Sides:
    return lambda x: {"lhs": left(x["v"]), "s": x["v"]}


FORMULAS: Mapping[str, tuple[Callable[[Any], Any], Callable[[Any], Any], bool]] = {
    "−s <= |s|": (lambda v: -v, sp.Abs, True),
    "−s <= √(s²)": (lambda v: -v, lambda s: sp.sqrt(s**2), True),
    "−s <= max(s, −s)": (lambda v: -v, lambda s: sp.Max(s, -s), True),
    "|s| <= s": (abs, lambda s: s, False),
    "max(−s, 0) <= −min(s, 0)": (lambda v: np.maximum(-v, 0), lambda s: -sp.Min(s, 0), True),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_letter_of_either_sign_gets_its_true_word(name: str) -> None:
    left, right, true = FORMULAS[name]
    for letter in (symbols("s"), symbols("s", signed=True)):
        test = stated(right(letter), of_v(left))
        look_at(test, "X-1")
        assert found(test).verdict is (Verdict.HOLDS if true else Verdict.REFUTED)


@pytest.mark.parametrize("declared", ["positive", "nonnegative"])
@pytest.mark.parametrize("name", [name for name in FORMULAS if "min" not in name])  # whose letter is simplified away
def test_one_that_is_declared_otherwise_gets_none(name: str, declared: str) -> None:
    left, right, _ = FORMULAS[name]
    test = stated(right(symbols("s", **{declared: True})), of_v(left))
    with pytest.raises(MistakeError) as told:
        look_at(test, "X-1")
    said, cure = str(told.value).split("; ")
    assert said.startswith(f"X-1, case 'one': s is declared {declared}, but -")
    assert cure == 'declare it signed: symbols("s", signed=True) or in Quantity("s", …)'
    outcome = found(test)  # where nobody looked first
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert cure in outcome.why


def test_what_holds_nowhere_does_not_hold_by_a_sign_that_was_declared() -> None:
    def sides(x: Any) -> dict[str, Any]:
        return {"lhs": x["c"] / 2, "k": -x["c"]}

    space = Space((LogScale("c", 1e-2, 1e2),))
    with pytest.raises(MistakeError, match=r"k is declared positive, but -.*declare it signed"):
        assert_holds(stated(-sp.Abs(symbols("k", positive=True)), sides, space), budget=500)
    with pytest.raises(AssertionError, match="refuted"):
        assert_holds(stated(-sp.Abs(symbols("k")), sides, space), budget=500)


def test_zero_is_no_value_of_a_positive_letter_and_one_of_a_nonnegative_letter() -> None:
    def sides(x: Any) -> dict[str, Any]:
        return {"lhs": x["w"] ** 2, "gap": x["w"] ** 2}

    space = Space((Signed("w", 1e-2, 1e2),))
    with pytest.raises(MistakeError) as told:
        assert_holds(stated(symbols("gap", positive=True), sides, space), budget=500, name="MY-L1")
    said, cure = str(told.value).split("; ")
    assert said == "MY-L1, case 'one': gap is declared positive, but 0 on an instance"
    assert cure == 'declare it nonnegative: symbols("gap", nonnegative=True) or in Quantity("gap", …)'
    assert assert_holds(stated(symbols("gap", nonnegative=True), sides, space), budget=500).verdict is Verdict.HOLDS
    assert assert_holds(stated(symbols("gap"), sides, space), budget=500).verdict is Verdict.HOLDS


def test_a_sign_met_late_in_the_search_leaves_the_statement_open() -> None:
    """Below 0 on a millionth of the range alone, where the ratio is largest: no look at the door comes there."""

    def sides(x: Any) -> dict[str, Any]:
        far = abs(x["v"] - 0.75)
        return {"lhs": 2 - far, "s": far - 2.0**-20}

    test = stated(3 + symbols("s", nonnegative=True), sides, ABOVE)
    look_at(test)
    outcome = found(test, budget=20_000)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.why.startswith("s is declared nonnegative, but -")
    assert "signed=True" in outcome.why
    assert found(stated(3 + symbols("s", signed=True), sides, ABOVE), budget=20_000).verdict is Verdict.HOLDS


@pytest.mark.parametrize(("left", "in_floats"), [(1, "holds"), (2, "violates")])
def test_a_sign_that_exact_arithmetic_alone_sees_leaves_the_statement_open(left: int, in_floats: str) -> None:
    def exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
        return {}, {"lhs": Fraction(left), "s": Fraction(0) * x["v"]}

    def measure(x: Any) -> dict[str, Any]:
        return {"lhs": left + 0 * x["v"], "s": 2.0**-60 + 0 * x["v"]}

    letter = symbols("s", positive=True)
    test = Inequality(Bound(1 + letter), (Case("one", ABOVE, measure, ExactCheck(exactly, standalone=False)),))
    look_at(test)
    outcome = found(test)
    assert outcome.verdict is Verdict.INCONCLUSIVE, in_floats
    assert outcome.why.startswith("s is declared positive, but 0 on an instance; declare it nonnegative")


def test_rounding_breaks_no_declaration() -> None:
    def cancelling(x: Any) -> dict[str, Any]:
        """s is v, and r is 0, each as a difference of large numbers: below 0 in floats, often."""
        large = 2.0**20 * (1 + x["v"])
        s, r = (large + x["v"]) - large, (x["v"] + 1) - 1 - x["v"]
        return {"lhs": x["v"] / 2, "s": s, "r": r, "magnitude": large}

    space = Space((LogScale("v", 1e-12, 1.0),))
    s, r = symbols("s", positive=True), symbols("r", nonnegative=True)
    drawn = cancelling(space.decode(space.random(np.random.default_rng(0), 500)))
    assert (drawn["s"] == 0).any()
    assert (drawn["r"] < 0).any()
    test = stated(s + r, cancelling, space)
    look_at(test)
    assert found(test).verdict is Verdict.HOLDS


def test_values_outside_the_hypotheses_break_nothing() -> None:
    def sides(x: Any) -> dict[str, Any]:
        return {"lhs": x["v"], "s": x["v"], "admissible": x["v"] > 0}

    assert assert_holds(stated(symbols("s", positive=True), sides), budget=500).verdict is Verdict.HOLDS


N = Notation((Quantity("s", "s", "a number", positive=True), Quantity("t", "t", "another")))
DRAWN = (Uniform("s", -1.0, 1.0), Uniform("t", 2.0, 3.0))
s, t = N.symbols("s t")
wide = N.symbols("s", signed=True)


def told(says: Any, world: World, least: Any = s) -> Claim:
    false = (mutant("less", le(t + least, 1), "t is 2"),)
    return step("X-S1", "1", "T", printed="p", plainly="P", says=says, world=world, mutants=false, verdict="v")


def observed(x: Any) -> dict[str, Any]:
    return dict(x)


def plainly(x: Any) -> tuple[dict[str, bool], dict[str, Any]]:
    return {}, dict(x)


WORLDS = {
    "numbers": numbers(N, "s and t", *DRAWN),
    "a case of one's own": World(N, (case("s and t", Space(DRAWN), observed, plainly),)),
}


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
@pytest.mark.parametrize(
    "says",
    [le(-abs(s), t), le(t, 4 + abs(s)), lt(-abs(s), t), lt(t, 4 + abs(s))],
    ids=["left", "right", "strictly left", "strictly right"],
)
def test_every_formula_of_a_world_is_held_to_its_letters(world: World, says: Any) -> None:
    with pytest.raises(MistakeError, match=r"^X-S1 \(as printed\), case 's and t': s is declared positive, but -"):
        check(told(says, world), budget=200)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
def test_no_side_of_a_false_statement_becomes_the_other(world: World) -> None:
    with pytest.raises(MistakeError, match="s is declared positive, but -"):
        check(told(le(abs(s), s), world), budget=200)
    assert check(told(le(abs(wide), wide), world, wide), budget=200)["verdict"] == "refuted"


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
def test_so_is_a_letter_that_its_declaration_made_vanish(world: World) -> None:
    with pytest.raises(MistakeError, match="s is declared positive, but -"):
        check(told(le(t, 3 - sp.Min(s, 0)), world), budget=200)


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS.keys())
def test_so_are_hypotheses_and_definitions(world: World) -> None:
    conditioned = told(le(t, 4), world.where(le(abs(s), 2)))
    defining = told(le(t, 4 + N.symbols("t")), world.defining({t: 2 + abs(s)}))
    for one in (conditioned, defining):
        with pytest.raises(MistakeError, match="s is declared positive, but -"):
            check(one, budget=200)
    assert check(told(le(t, 4), world.where(lt(0, s))), budget=200)["verdict"] == "holds"  # not met, not counted


def test_a_letter_can_be_declared_otherwise_for_one_formula() -> None:
    assert wide.is_positive is None
    assert s.is_positive
    assert N.symbols("t", nonnegative=True).is_nonnegative
    assert N.symbols("t s", positive=True)[0].is_positive
    assert check(told(le(-wide, abs(wide)), WORLDS["numbers"], wide), budget=200)["verdict"] == "holds"
    both = le(wide - s, t)  # two declarations of one letter: the stricter one is broken
    with pytest.raises(MistakeError, match="s is declared positive, but -"):
        check(told(both, WORLDS["numbers"]), budget=200)


def test_the_three_declarations() -> None:
    assert symbols("a") == symbols("a", signed=True)
    assert symbols("a").is_nonnegative is None
    assert symbols("a", positive=True).is_positive
    assert symbols("a", nonnegative=True).is_nonnegative
    assert Quantity("a", "a", "").symbol == Quantity("a", "a", "", signed=True).symbol == symbols("a")
    for word in ("positive", "nonnegative"):
        assert Quantity("a", "a", "", **{word: True}).symbol == symbols("a", **{word: True})
    table = letters("a | a | an a | 1 0 nonnegative\nb | b | a b | positive\nc | c | a c | 0 1 signed\nd | d | a d")
    said = [(q.positive, q.nonnegative, q.signed) for q in table.quantities]
    assert said == [(False, True, False), (True, False, False), (False, False, True), (False, False, False)]
    for twice in (
        lambda: symbols("a", positive=True, signed=True),
        lambda: Quantity("a", "a", "", positive=True, nonnegative=True),
        lambda: N.symbols("s", nonnegative=True, signed=True),
    ):
        with pytest.raises(ValueError, match="expected one of them"):
            twice()


@pytest.mark.parametrize(
    ("declared", "kept", "broken"),
    [
        ("positive", [1, 5], [0, -1]),
        ("nonnegative", [0, 1], [-1]),
        ("negative", [-1], [0, 1]),
        ("nonpositive", [-1, 0], [1]),
        ("nonzero", [-1, 1], [0]),
    ],
)
def test_each_sign_in_floats_and_exactly(declared: str, kept: list[int], broken: list[int]) -> None:
    letter = Letter("a", declared)
    values = np.array([*kept, *broken, np.nan])
    assert letter.broken(values).tolist() == [*[False] * len(kept), *[True] * len(broken), False]
    assert not any(letter.broken_exactly(Fraction(v, 3)) for v in kept)
    assert all(letter.broken_exactly(Fraction(v, 3)) for v in broken)
    assert Bound(sp.Symbol("a", **{declared: True})).letters == (letter,)


def test_a_choice_replaces_a_letter_however_it_is_declared() -> None:
    said = exists({wide: 1}, le(s, t))
    assert said.left == 1


@pytest.mark.parametrize("compared", [le, lt])
def test_a_choice_that_leaves_no_letter_is_checked_in_a_world_with_units(compared: Any) -> None:
    own = Notation(
        (
            Quantity("eta", r"\eta", "step size", (-1, 2), positive=True),
            Quantity("L", "L", "curvature", (1, -2), positive=True),
        )
    )
    eta, L = own.symbols("eta L")
    world = numbers(own, "η and L", LogScale("eta", 1e-3, 1e3), LogScale("L", 1e-3, 1e3))
    says = exists({eta: 1 / L}, compared(eta * L, 2))
    false = (mutant("less", exists({eta: 2 / L}, le(eta * L, 1)), "it is 2"),)
    made = step("X-S2", "1", "T", printed="p", plainly="P", says=says, world=world, mutants=false, verdict="v")
    assert check(made, budget=200)["readings"][0]["verdict"] == "holds"


def test_a_parameter_that_may_be_negative_has_a_letter_of_either_sign() -> None:
    v = vectors("v")
    domain = Domain((Parameter("p", -1, 1),))
    p = symbols("p", nonnegative=True)
    narrow = VectorInequality(-p * square(v), sp.Abs(p) * square(v), domain)
    with pytest.raises(MistakeError, match=r"p is declared nonnegative, but -1 .*signed=True"):
        look_at(narrow, "X-V1")
    look_at(VectorInequality(symbols("p") * square(v), square(v), domain), "X-V1")
    look_at(replace(narrow, domain=Domain((Parameter("p", 0, 1),))), "X-V1")


def test_an_identity_is_tried_at_values_of_either_sign() -> None:
    assert found(Identity(sp.sqrt(symbols("a") ** 2), symbols("a"))).verdict is Verdict.REFUTED
    positive = symbols("a", positive=True)
    assert found(Identity(sp.sqrt(positive**2), positive)).verdict is Verdict.PROVED
