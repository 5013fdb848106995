"""Instances stored beside a paper: found by search, written, read, and of no use once a statement has changed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from sympy import Rational

from validation import Claim, Space, Uniform
from validation.papers.find_witnesses import completed
from validation.papers.named import named_instances
from validation.papers.witnesses import FILE, TIGHT, Stored, read_witnesses, written
from validation.statement.claim import Identity, Number, Relation
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.kinds import Cell, Comparison
from validation.statement.forms.orders import Order, OrderFamily
from validation.statement.forms.vectors import square, vectors
from validation.statement.instances.at import At, at
from validation.statement.notation import Notation, Quantity
from validation.statement.says import all_of, le
from validation.study.at_instance import printed_sides, sides_of
from validation.study.witnesses import falling, tight
from validation.world import lemma, mutant
from validation.world.world import World, case, numbers

N = Notation((Quantity("x", "x", "a length", positive=True), Quantity("y", "y", "another")))
x, y = N.symbols("x y")
A, B = vectors("a b")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2), where=(le(y, x),))


def claim(false: Any, **more: Any) -> Claim:
    given: dict[str, Any] = {"printed": "", "plainly": "p", "says": le(y, x), "world": SQUARE, "verdict": "", **more}
    return lemma("X-1", "1", "t", mutants=[mutant("half", false, "so")], **given)


def test_a_mutant_gets_a_simple_instance_and_a_tight_claim_equal_sides() -> None:
    one = claim(le(y, x / 2), tight="y = x")
    found = completed(one, {})
    falls, equal = found["half"], found[TIGHT]
    assert falls.instance.numbers == {"x": 2, "y": 2}
    assert falls.sides == ("2", "1")
    assert equal.instance.numbers["x"] == equal.instance.numbers["y"]
    assert [n.shown and n.as_stored for n in named_instances(one, found)] == [True, True]


def test_a_claim_that_is_said_not_to_be_tight_gets_none() -> None:
    assert TIGHT not in completed(claim(le(y, x / 2), tight="not known"), {})


def test_a_claim_that_is_tight_in_a_limit_alone_has_sides_that_are_close() -> None:
    short = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2), where=(le(y + Rational(1, 200), x),))
    one = claim(le(y, x / 2), world=short, tight="y → x")
    found = completed(one, {})[TIGHT]
    numbers_there = found.instance.numbers
    assert Fraction(1, 200) <= numbers_there["x"] - numbers_there["y"] <= numbers_there["x"] / 100
    assert [n.shown and n.as_stored for n in named_instances(one, {TIGHT: found})] == [True]
    far = Stored(at(x=2, y="19/10"), ("19/10", "2"))
    assert [n.shown for n in named_instances(one, {TIGHT: far})] == [False]


def test_sides_that_are_close_do_not_do_for_a_claim_that_names_no_limit() -> None:
    near = Stored(at(x=2, y="199/100"), ("199/100", "2"))
    shown = {
        words: named_instances(claim(le(y, x / 2), tight=words), {TIGHT: near})[-1].shown
        for words in ("y = x", "y → x")
    }
    assert shown == {"y = x": False, "y → x": True}


def test_sides_that_only_a_letter_for_rounding_holds_apart_are_equal() -> None:
    known = Notation((*N.quantities, Quantity("rounding", "r", "what a logarithm may be off by", positive=True)))
    space = Space((Uniform("x", 1, 3), Uniform("y", -2, 2)))

    def seen(given: Any) -> tuple[dict[str, bool], dict[str, Any]]:
        return {}, {**given, "rounding": Fraction(1, 10**40)}

    world = World(known, (case("x and y", space, lambda given: {**given, "rounding": given["x"]}, seen),))
    rounding = known.symbols("rounding")
    for says in (le(y, x + rounding), le(y - rounding, x), all_of(le(y - rounding, x), le(0 * x - rounding, x))):
        one = claim(le(y, x / 2), says=says, world=world, tight="y = x")
        shown = {
            apart: named_instances(replace(one, tight_at=(at(x=2, y=2 - Fraction(apart)),)))[0].shown
            for apart in ("0", "1/100000000000000000000", "1/100")
        }
        assert shown == {"0": True, "1/100000000000000000000": False, "1/100": False}


def test_what_is_stored_stays_and_what_no_longer_falls_is_searched_again() -> None:
    one, mine = claim(le(y, x / 2)), Stored(at(x=2, y="3/2"), ("3/2", "1"))
    assert completed(one, {"half": mine}) == {"half": mine}
    again = completed(one, {"half": Stored(at(x=2, y=1), ("1", "1"))})["half"]
    assert again.instance.numbers == {"x": 2, "y": 2}


def test_an_instance_shows_nothing_once_the_mutants_constant_has_changed() -> None:
    one = claim(le(y, x / 2))
    stored = completed(one, {})
    weaker = claim(le(y, 2 * x))  # another constant: it is true
    (found,) = named_instances(replace(one, mutants=(replace(one.mutants[0], test=weaker.mutants[0].test),)), stored)
    assert not found.shown
    (other,) = named_instances(claim(le(y, x / 3)), stored)
    assert other.shown
    assert not other.as_stored


def test_an_instance_of_a_mutant_that_is_gone_is_refused() -> None:
    with pytest.raises(ValueError, match="X-1: instances of third, which is no mutant of it"):
        named_instances(claim(le(y, x / 2)), {"third": Stored(at(x=1, y=1), ("1", "1"))})


def test_an_identity_a_step_between_vectors_and_an_order_have_instances_too() -> None:
    identity = Identity((x + y) ** 2, x**2 + y**2)
    step = VectorInequality(square(A + B), square(A) + square(B))
    order = Order("upper", (OrderFamily("longer", _sides, {"T": sp.Symbol("n")}, {"k": (1,)}, degree=1),), "T", ("k",))
    for test in (identity, step, order):
        found = falling(test, "x")
        assert found is not None
        assert sides_of(test, found, "x").violates
    assert tight(identity, "x") is None


def _sides(T: Fraction, k: Fraction) -> tuple[Fraction, Fraction]:
    return T * k, Fraction(1)


def test_printed_numbers_are_their_own_instance() -> None:
    cells = {"a": Cell("2", "Table 1"), "b": Cell("1.5", "Table 1")}
    false = Relation(lambda: (Comparison("a < b", "a", "<", "b", cells),))
    sides = printed_sides(false)
    assert sides is not None
    assert (sides.left, sides.right, sides.violates) == (2, Fraction(3, 2), True)
    assert printed_sides(Relation(tuple, needs_run="no number is printed")) is None
    number = printed_sides(Number(Cell("2", "§3"), lambda: Fraction(3), Fraction(1, 2), "a digit"))
    assert number is not None
    assert number.violates


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    held = {
        "X-1": {
            "a «mutant», E = 1": Stored(
                At("2 clients", {"w": [Fraction(1, 3), Fraction(2)], "E": Fraction(2)}), ("1", "≈ 0.5")
            ),
            TIGHT: Stored(at(x="-7/2"), ("0", "0")),
        },
        "X-2": {"family": Stored(At("longer", {}), ("1", "0"))},
    }
    (tmp_path / FILE).write_text(written(held), encoding="utf-8")
    assert read_witnesses(tmp_path) == held
    assert read_witnesses(tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("X = 1", "X = 1; expected a table of instances"),
        ('["X"]\nm = { x = 1 }', "X, 'm': expected numbers and sides"),
        ('["X"]\nm = { x = 0.5, sides = ["1", "0"] }', "0.5 is a float"),
        ("[", "witnesses.toml: "),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        read_witnesses(tmp_path)
