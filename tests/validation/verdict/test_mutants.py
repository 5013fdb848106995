"""Mutants: each that survives is named, and one that is the statement itself is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from validation import Uniform, check
from validation.statement.claim import Claim, Mutant
from validation.statement.notation import Notation, Quantity
from validation.statement.says import eq, le, lt
from validation.world import FalseVariant, Variant, lemma, mutant, nowhere, reading
from validation.world.world import numbers

N = Notation((Quantity("x", "x", "a number"), Quantity("y", "y", "another")))
x, y = N.symbols("x y")
WORLD = numbers(N, "x y", Uniform("x", 0, 1), Uniform("y", 0, 1))


def stated(says: Any, *mutants: FalseVariant, readings: tuple[Variant, ...] = ()) -> Claim:
    return lemma(
        "X-1",
        "Sec. 1",
        "t",
        printed="",
        plainly="x is small",
        says=says,
        world=WORLD,
        readings=readings,
        mutants=mutants,
        open={"right side": nowhere("it is a word")} if readings else None,
        verdict="so",
    )


FALSE = mutant("false", le(x, y), "x = 1, y = 0")


@pytest.mark.parametrize(
    ("says", "same"),
    [
        (le(x, 2 + y), le(x, 2 + y)),
        (le(x, 2 + y), le(x, y + 2)),
        (le(x, 2 + y), le(x - y, 2)),
        (lt(x, 2 + y), lt(x, 2 + y)),
        (eq(x**2, x * x), eq(x**2, x * x)),
    ],
)
def test_a_mutant_that_is_the_statement_is_refused(says: Any, same: Any) -> None:
    with pytest.raises(ValueError, match=r"lemma\('X-1'\): the mutant 'same' is the statement itself; expected one"):
        stated(says, FALSE, mutant("same", same, "it is not"))


def test_a_mutant_with_other_hypotheses_another_world_or_strictness_is_none() -> None:
    says = le(x, 2 + y)
    wider = numbers(N, "x y", Uniform("x", 0, 9), Uniform("y", 0, 1))
    others = [mutant("where", says, "?", where=(le(x, y),)), mutant("wider", says, "x = 9", world=wider)]
    assert len(stated(says, *others, mutant("strict", lt(x, 2 + y), "?")).mutants) == 3


def test_a_reading_may_be_the_mutant_of_another() -> None:
    first = reading("first", "", says=le(x, 2), options={"right side": "2"})
    readings = (first, reading("second", "", says=le(x, y), options={"right side": "y"}))
    made = stated(le(x, 2), mutant("as the second", le(x, y), "x = 1, y = 0"), readings=readings)
    assert [m.name for m in made.mutants] == ["as the second"]


def test_a_claim_by_hand_refuses_it_too() -> None:
    made = stated(le(x, 2), FALSE)
    with pytest.raises(ValueError, match=r"Claim\('X-1'\): the mutant 'again' is the statement itself"):
        replace(made, mutants=(*made.mutants, Mutant("again", made.readings[0].test, "it is not")))


def test_every_mutant_that_survives_is_named_beside_what_holds() -> None:
    true = (mutant("looser", le(x, 3), "it is not"), mutant("loosest", le(x, 4), "it is not"))
    found = check(stated(le(x, 2 - y / 2), FALSE, true[0]), budget=2000)
    assert found["verdict"] == "holds"
    assert "; the mutant «looser» survives" in found["why"]
    found = check(stated(le(x, 2 - y / 2), FALSE, *true), budget=2000)
    assert found["verdict"] == "holds"
    assert "; the mutants «looser», «loosest» survive" in found["why"]
    found = check(stated(le(x, 2 - y / 2), *true), budget=2000)
    assert found["verdict"] == "inconclusive"
    assert "not exercised: the mutants «looser», «loosest» survive; " in found["why"]
