"""Claims stated as a text beside their mathematics: what is read from the text, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from validation import Claim, Inequality, Paper, Uniform
from validation.fingerprint.fingerprints import fingerprint
from validation.statement.claim import Identity
from validation.statement.notation import Notation, Quantity
from validation.statement.roles import Open, ReadingRole, Role
from validation.statement.says import eq, le
from validation.world.stated import Words, but, stated
from validation.world.world import numbers

N = Notation((Quantity("x", "x", "a length", (0, 1), positive=True), Quantity("y", "y", "another", (0, 1))))
x, y = N.symbols("x y")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2))
WIDE = numbers(N, "wide", Uniform("x", 1, 9), Uniform("y", -2, 2))

TEXT = r"""X-1 (lemma; Lemma 1 (A.8), proof: A.9): One title: with a colon
    Print: y\le
        \max
        x+\frac
        12
    Plainly: y is at most
        x.
    Assumes: x > 0; always | y is real
    Open (twice) norm: page 1 says so,
        page 2 otherwise: see there
    Reading: norm one | First of two. | option norm = 1 | cut y = negative, say | sees: before the run
        | used by: Algorithm 1
    Reading: norm two | Second. | option norm = 2 | part: whole | because: why not
    Reading: small y | Third. | met by: Table 1
    Reading: twice | Fourth. | edit: factor 2 | edit: and more | token | forced by: (3)
        | wrong form in: X-2, X-3 | carries: no
    Reading: ours | Fifth. | ours: stronger | option norm = 1
    Mutant: half | y = 2, x = 1
    Mutant: wide | x = 1
    Tight: x = y
    Rests on: X-2, X-3
    Meets: X-2 | x > 0; always
    Meets: X-3 | y is
        real
    Ours: nowhere
        printed
    Verdict: it
        is so"""


def made(text: str = TEXT, **changes: Any) -> Claim:
    given: dict[str, Any] = {
        "readings": {"norm two": le(y, 2 * x), "small y": but(None, le(y, 1)), "twice": but(le(y, 2 * x), world=WIDE)},
        "mutants": {"half": le(y, x / 2), "wide": but(le(y, x / 3), world=WIDE)},
    }
    return stated(text, le(y, x), SQUARE, **{**given, **changes})


def test_every_entry_is_read() -> None:
    found = made()
    assert (found.id, found.at, found.title) == ("X-1", "Lemma 1 (A.8), proof: A.9", "One title: with a colon")
    assert found.printed == r"y\le \max x+\frac 12"  # a command runs into no letter of the next line
    assert (found.plainly, found.assumes) == ("y is at most x.", ("x > 0; always", "y is real"))
    assert (found.tight, found.rests_on, found.verdict) == ("x = y", ("X-2", "X-3"), "it is so")
    roles = found.roles
    assert roles is not None
    assert roles.open == {"norm": Open("twice", "page 1 says so, page 2 otherwise: see there")}
    assert roles.meets == {"X-2": "x > 0; always", "X-3": "y is real"}
    assert roles.ours == "nowhere printed"
    assert roles.readings == (
        ReadingRole(
            "norm one", options={"norm": "1"}, cuts={"y": "negative, say"}, sees="before the run", used_by="Algorithm 1"
        ),
        ReadingRole("norm two", part="whole", options={"norm": "2"}, because="why not"),
        ReadingRole("small y", conditions=("y <= 1",), met_by="Table 1"),
        ReadingRole(
            "twice",
            edits=("factor 2", "and more"),
            token=True,
            forced_by="(3)",
            wrong_form_in=("X-2", "X-3"),
            carries=False,
        ),
        ReadingRole("ours", ours="stronger", options={"norm": "1"}),
    )
    assert [r.role for r in roles.readings][2:] == [Role.SPECIAL_CASE, Role.REPAIR, Role.OURS]


def test_what_differs_is_tested_and_the_rest_is_the_claim() -> None:
    found = made()
    tests = [item.test for item in (*found.readings, *found.mutants)]
    assert all(isinstance(test, Inequality) for test in tests)
    rights = [test.bound.expression for test in tests if isinstance(test, Inequality)]
    assert rights == [x, 2 * x, x, 2 * x, x, x / 2, x / 3]
    drawn = [test.cases[0].name for test in tests if isinstance(test, Inequality)]
    assert drawn == ["x and y", "x and y", "x and y", "wide", "x and y", "x and y", "wide"]
    (condition,) = [r for r in found.readings if r.repair == "condition"]
    assert condition.name == "small y"


def test_without_readings_the_print_is_the_only_one_and_another_kind_needs_no_world() -> None:
    text = "X-2 (step; A.1): Squares\nPlainly: squares agree\nMutant: no | x = 1, y = 2"
    found = stated(text, eq((x + y) ** 2, x**2 + 2 * x * y + y**2), mutants={"no": eq(x, y)})
    assert [r.name for r in found.readings] == ["as printed"]
    assert isinstance(found.readings[0].test, Identity)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("X-1 (lemma; ", "X-1 (lemma, ", "in the first line"),
        ("(lemma;", "(lemmma;", "level"),
        ("Reading: norm two |", "Reading: norm too |", "norm two without a Reading"),
        ("Mutant: half |", "Mutant: halves |", "half without a Mutant"),
        ("| token", "| tokens", "'tokens' is none of the things"),
        ("Plainly: y", "Plain: y", "belongs to no entry"),
        ("carries: no", "carries: perhaps", "carries: 'perhaps'; expected yes or no"),
        ("small y | Third. | met by: Table 1", "small y", "expected «name . in one sentence»"),
        ("option norm = 2", "option form = 2", "options and `open` differ"),
    ],
)
def test_a_slip_in_the_text_is_refused(old: str, new: str, words: str) -> None:
    assert old in TEXT
    with pytest.raises(ValueError, match=words):
        made(TEXT.replace(old, new))


def test_a_mutant_that_says_nothing_else_is_refused() -> None:
    with pytest.raises(ValueError, match="mutant 'wide' says nothing else than the claim"):
        made(mutants={"half": le(y, x / 2)})


LETTERED = TEXT
for name, letter in (("norm two", "b"), ("small y", "c"), ("twice", "d")):
    LETTERED = LETTERED.replace(f"Reading: {name}", f"Reading {letter}: {name}")
LETTERED = LETTERED.replace("Mutant: half", "Mutant x: half").replace("Mutant: wide", "Mutant y: wide")


def said(text: str = LETTERED, **changes: Any) -> Claim:
    given = {"b": le(y, 2 * x), "c": but(None, le(y, 1)), "d": but(le(y, 2 * x), world=WIDE)}
    given |= {"x": le(y, x / 2), "y": but(le(y, x / 3), world=WIDE)}
    return Words(text).say(le(y, x), SQUARE, **{k: v for k, v in {**given, **changes}.items() if v is not None})


def test_letters_name_what_names_do() -> None:
    paper = Paper("x", "X", Path(__file__).parents[1], (found := said(),))
    assert fingerprint(paper, found) == fingerprint(paper, made())
    assert (found.roles, found.printed, found.verdict) == (made().roles, made().printed, made().verdict)
    assert [(r.name, r.says) for r in found.readings] == [(r.name, r.says) for r in made().readings]
    assert [(c.name, c.false_since) for c in found.mutants] == [(c.name, c.false_since) for c in made().mutants]


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        (LETTERED, {"z": le(y, x)}),
        (LETTERED, {"c": None}),
        (LETTERED, {"y": None}),
        (LETTERED.replace("Mutant y:", "Mutant x:"), {"y": None}),
        (LETTERED.replace("Mutant y:", "Mutant:"), {}),
    ],
)
def test_a_letter_on_one_side_only_or_twice_is_refused(text: str, changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="in the text"):
        said(text, **changes)


def test_a_mutant_without_a_letter_says_nothing_else() -> None:
    with pytest.raises(ValueError, match="mutant 'wide' says nothing else than the claim"):
        said(LETTERED.replace("Mutant y:", "Mutant:"), y=None)
