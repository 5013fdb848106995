"""Exact instances that a claim names: where its mutants fall and where it is tight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from validation import Claim, Uniform
from validation.papers.named import named_instances
from validation.statement.instances.at import At, at
from validation.statement.notation import Notation, Quantity
from validation.statement.says import Le, eq, le, lt
from validation.world import lemma, mutant, reading
from validation.world.world import World, numbers

N = Notation((Quantity("x", "x", "a length", positive=True), Quantity("y", "y", "another")))
x, y = N.symbols("x y")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2), where=(le(y, x),))
LINE = numbers(N, "x alone", Uniform("x", 1, 3))


def made(false: Le, *why: str | At, world: World = SQUARE, **more: Any) -> Claim:
    given: dict[str, Any] = {"printed": "", "plainly": "p", "says": le(y, x), "world": world, "verdict": "", **more}
    return lemma("X-1", "1", "t", mutants=[mutant("half", false, *why)], **given)


def test_numbers_are_exact_and_read_as_they_are_written() -> None:
    found = at("2 clients", weights=["1/3", Fraction(2, 3)], E=2)
    assert found.numbers == {"weights": [Fraction(1, 3), Fraction(2, 3)], "E": 2}
    assert str(found) == "2 clients: weights = (1/3, 2/3), E = 2"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "no numbers"),
        ({"x": 0.5}, "0.5 is a float"),
        ({"x": ["a"]}, "'a' is no number"),
        ({"x": None}, "None is no"),
    ],
)
def test_what_is_not_exact_is_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        at(**given)


def test_a_mutant_falls_at_its_instance_or_does_not() -> None:
    (falls, stands) = named_instances(made(le(y, x / 2), "as y = x", at(x=1, y=1), at(x=1, y="1/2")))
    assert (falls.sides.left, falls.sides.right, falls.shown) == (1, Fraction(1, 2), True)
    assert (stands.mutant, stands.shown) == ("half", False)
    assert str(stands) == "X-1: the mutant 'half' falls at x = 1, y = 1/2: left 1/2, right 1/2"


def test_an_instance_outside_the_hypotheses_shows_nothing() -> None:
    (found,) = named_instances(made(le(y, x / 2), at(x=1, y=2)))
    assert (found.sides.unmet, found.shown) == (("y <= x",), False)


def test_a_strict_mutant_falls_where_its_sides_are_equal() -> None:
    (found,) = named_instances(made(lt(y, x), at(x=1, y=1)))
    assert found.shown


def test_a_reading_is_tight_where_its_sides_are_equal() -> None:
    readings = [
        reading("as printed", "p"),
        reading("twice", "p", le(y, 2 * x), world=LINE.defining({y: x}), edits=["2"]),
    ]
    claim = made(le(y, x / 2), "y = x", readings=readings, tight=["y = x", at(x=1, y=1), at(x=1, y=0)])
    assert [found.shown for found in named_instances(claim)] == [True, False]


def test_the_case_is_named_where_several_draw_the_same() -> None:
    both = World(N, (*SQUARE.cases, *numbers(N, "wide", Uniform("x", 1, 9), Uniform("y", -2, 2)).cases), free=True)
    (found,) = named_instances(made(le(y, x / 2), at("wide", x=1, y=1), world=both))
    assert found.shown
    with pytest.raises(
        ValueError, match=r"2 cases draw these numbers; expected at\('case', …\) of one of: x and y: x, y"
    ):
        named_instances(made(le(y, x / 2), at(x=1, y=1), world=both))


def test_numbers_that_no_case_draws_are_refused() -> None:
    with pytest.raises(ValueError, match=r"X-1, mutant 'half': at\(x = 1\): no case draws these numbers"):
        named_instances(made(le(y, x / 2), at(x=1)))
    with pytest.raises(ValueError, match="expected numbers for x, y"):
        named_instances(made(eq(y, x), at(x=1), says=eq(y, y), world=None))  # type: ignore[arg-type]
