"""Claims as typed calls: every argument arrives, what differs is tested, and what is missing or unknown is refused."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import validation.world
from validation import Claim, Inequality, Paper, Relation, Uniform
from validation.statement.claim import Identity
from validation.statement.notation import Notation, Quantity
from validation.statement.roles import Level, Open, ReadingRole, Role
from validation.statement.says import eq, exists, le
from validation.world import at, lemma, mutant, nowhere, reading, relation, setting, step, twice
from validation.world.world import numbers

N = Notation((Quantity("x", "x", "a length", (0, 1), positive=True), Quantity("y", "y", "another", (0, 1))))
x, y = N.symbols("x y")
z = sp.Symbol("z")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2))
TABLE = setting("Table 1", quote="y = 1")
WIDE = numbers(N, "wide", Uniform("x", 1, 9), Uniform("y", -2, 2))


def whole(**changes: Any) -> Claim:
    given: dict[str, Any] = {
        "printed": r"""y\le
            \max
            x+\frac
            12""",
        "plainly": """y is at most
            x.""",
        "assumes": ["x > 0; always", "y is real"],
        "says": le(y, x),
        "world": SQUARE,
        "open": {
            "norm": twice("""page 1 says so,
                page 2 otherwise: see there""")
        },
        "readings": [
            reading(
                "norm one",
                "First of two.",
                options={"norm": "1"},
                cuts={"y": "negative, say"},
                sees="before the run",
                used_by="Algorithm 1",
            ),
            reading("norm two", "Second.", le(y, 2 * x), options={"norm": "2"}, part="whole", because="why not"),
            reading("small y", "Third.", where=[le(y, 1)], met_by=TABLE),
            reading(
                "twice",
                "Fourth.",
                le(y, 2 * x),
                world=WIDE,
                edits=["factor 2", "and more"],
                token=True,
                forced_by="(3)",
                wrong_form_in=["X-2", "X-3"],
                carries=False,
            ),
            reading("ours", "Fifth.", ours="stronger", options={"norm": "1"}),
        ],
        "mutants": [mutant("half", le(y, x / 2), "y = 2, x = 1"), mutant("wide", le(y, x / 3), "x = 1", world=WIDE)],
        "tight": "x = y",
        "rests_on": ["X-2", "X-3"],
        "meets": {"X-2": "x > 0; always", "X-3": "y is real"},
        "ours": """nowhere
            printed""",
        "verdict": """it
            is so""",
    }
    return lemma("X-1", "Lemma 1 (A.8), proof: A.9", "One title: with a colon", **{**given, **changes})


def test_every_argument_arrives_and_white_space_counts_once() -> None:
    found = whole()
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
    found = whole()
    tests = [item.test for item in (*found.readings, *found.mutants)]
    assert all(isinstance(test, Inequality) for test in tests)
    rights = [test.bound.expression for test in tests if isinstance(test, Inequality)]
    assert rights == [x, 2 * x, x, 2 * x, x, x / 2, x / 3]
    drawn = [test.cases[0].name for test in tests if isinstance(test, Inequality)]
    assert drawn == ["x and y", "x and y", "x and y", "wide", "x and y", "x and y", "wide"]
    (condition,) = [r for r in found.readings if r.repair == "condition"]
    assert condition.name == "small y"


def test_without_readings_the_print_is_the_only_one_and_another_kind_needs_no_world() -> None:
    found = step(
        "X-2",
        "A.1",
        "Squares",
        printed="",
        plainly="squares agree",
        says=eq((x + y) ** 2, x**2 + 2 * x * y + y**2),
        mutants=[mutant("no", eq(x, y), "x = 1, y = 2")],
        verdict="",
    )
    assert [(r.name, r.says) for r in found.readings] == [("as printed", "squares agree")]
    assert isinstance(found.readings[0].test, Identity)


def test_numbers_are_as_printed_in_the_papers_own_words() -> None:
    found = whole(printed=None, quote="x beats\n y", assumes=[])
    assert (found.printed, found.assumes) == (r"\text{«x beats y»}", ("numbers as printed",))
    assert whole(printed=None, quote="x", assumes=["x is drawn"]).assumes == ("x is drawn",)


def test_a_sentence_about_a_figure_has_no_printed_numbers_to_be_judged_by() -> None:
    curves = Relation(tuple, needs_run="Figure 2 carries no numbers")
    no = mutant("slower", Relation(tuple), "the other is faster")
    told = {"quote": "x is faster", "plainly": "x is faster.", "says": curves, "mutants": [no], "verdict": ""}
    assert relation("R-2", "Figure 2", "Faster", **told).assumes == ()


@pytest.mark.parametrize("level", list(Level))
def test_each_level_has_its_function(level: Level) -> None:
    write = getattr(validation.world, level)
    made = write(
        "X-1", "1", "t", printed="", plainly="p", says=le(y, x), world=SQUARE,
        mutants=[mutant("half", le(y, x / 2), "y = 2")], verdict="",
    )  # fmt: skip
    assert made.roles.level is level
    assert (write.__name__, write.__doc__.splitlines()[0][:7]) == (level, "A claim")
    assert list(inspect.signature(write).parameters)[:5] == ["claim_id", "place", "title", "printed", "quote"]


@pytest.mark.parametrize("missing", ["plainly", "says", "mutants", "verdict"])
def test_what_is_missing_is_pythons_own_error(missing: str) -> None:
    given = {"printed": "", "plainly": "p", "says": le(y, x), "mutants": [mutant("half", le(y, x / 2), "y = 2")]}
    given = {**given, "world": SQUARE, "verdict": ""}
    del given[missing]
    with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{missing}'"):
        lemma("X-1", "1", "t", **given)  # type: ignore[arg-type]


def test_an_argument_given_twice_is_no_python() -> None:
    with pytest.raises(SyntaxError, match="keyword argument repeated: verdict"):
        compile("lemma('X-1', '1', 't', verdict='a', verdict='b')", "claims.py", "exec")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plainly": " "}, "plainly = ''; expected one plain sentence"),
        ({"printed": None}, "neither printed nor quote"),
        ({"quote": "x"}, "both printed and quote"),
        ({"assumes": "x > 0"}, r"assumes is the text 'x > 0'; expected a list, \['x > 0'\]"),
        ({"rests_on": "X-2"}, r"rests_on is the text 'X-2'; expected a list, \['X-2'\]"),
        ({"open": {}}, "options and `open` differ: norm"),
        ({"open": {"norm": nowhere("x"), "form": nowhere("y")}}, "options and `open` differ: form"),
        ({"meets": {"X-2": ""}}, "meets X-2 without saying where"),
        ({"open": {"norm": nowhere("x", "1", "3")}}, "reading 'norm two': norm = '2'; expected one of 1, 3"),
    ],
)
def test_what_is_wrong_is_refused_with_the_name_of_the_claim(changes: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=rf"^lemma\('X-1'\): {words}"):
        whole(**changes)


def test_a_reading_that_nothing_refutes_is_refused() -> None:
    with pytest.raises(ValueError, match=r"reading 'so' assumes what it says"):
        whole(readings=[reading("all", "p"), reading("so", "p", where=[le(y, x)])], open={})
    there_is = exists({z: 2}, le(y, x + z))
    ways = [reading("any", "p", options={"z": "any"}), reading("some", "p", there_is, options={"z": "some"})]
    with pytest.raises(ValueError, match=r"reading 'some': «there is …» is refuted by nothing that is drawn"):
        whole(readings=ways, open={"z": nowhere("which z")})
    alone = whole(says=there_is, readings=[reading("as printed", "p")], open={})
    assert alone.readings[0].name == "as printed"


def test_one_option_leaves_nothing_open() -> None:
    with pytest.raises(ValueError, match="expected two at least"):
        nowhere("which", "this one")


def test_a_mutant_that_says_nothing_else_or_has_no_reason_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mutant\('wide'\) says nothing else than the claim"):
        mutant("wide", None, "x = 1")
    with pytest.raises(TypeError, match=r"mutant\('wide'\): no reason; expected a sentence why it is false"):
        mutant("wide", le(y, x / 3))


def test_an_instance_is_a_reason_and_stands_in_words_where_no_sentence_does() -> None:
    one = at(x=1, y="3/2")
    found = whole(mutants=[mutant("half", le(y, x / 2), one), mutant("wide", le(y, x / 3), "so", one)], tight=one)
    assert [(m.false_since, m.falls_at) for m in found.mutants] == [("x = 1, y = 3/2", (one,)), ("so", (one,))]
    assert (found.tight, found.tight_at) == ("x = 1, y = 3/2", (one,))
    assert whole(tight=["x = y", one]).tight == "x = y"


def other(name: str) -> Claim:
    return step(
        name, "1", "t", printed="", plainly="p", says=le(y, x), world=SQUARE,
        mutants=[mutant("half", le(y, x / 2), "y = 2")], verdict="",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"rests_on": ["X-2", "X-33"]},
            "X-1: rests_on 'X-33', which is no other claim of this paper; did you mean 'X-3'",
        ),
        ({"rests_on": ["X-1"]}, "X-1: rests_on 'X-1', which is no other claim"),
        ({"repeats": "Y"}, "X-1: repeats 'Y', which is no other claim of this paper$"),
        ({"meets": {"X-9": "x > 0"}}, "X-1: meets 'X-9', which is no other claim"),
        (
            {
                "readings": [reading("a", "b"), reading("c", "d", le(y, 2 * x), edits=["2"], wrong_form_in=["Z"])],
                "open": {},
            },
            "X-1: wrong_form_in 'Z', which is no other claim",
        ),
    ],
)
def test_an_id_that_is_no_claim_of_the_paper_is_refused(changes: dict[str, Any], words: str) -> None:
    others = (other("X-2"), other("X-3"))
    assert len(Paper("x", "X", Path(), (whole(), *others)).claims) == 3
    with pytest.raises(ValueError, match=rf"Paper\('x'\): {words}"):
        Paper("x", "X", Path(), (whole(**changes), *others))
