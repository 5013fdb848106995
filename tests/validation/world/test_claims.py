"""Claims written as two formulas over a world: what is compiled, what is refused, and scripts that stand alone."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from validation import Case, Cell, Claim, Family, Inequality, Integer, Number, Size, Space, Uniform, check
from validation.script import script as scripts
from validation.search.scores import evaluate
from validation.statement.claim import ExactCheck, Identity, Kind
from validation.statement.notation import Notation, Quantity
from validation.statement.roles import Level, Role
from validation.statement.says import all_of, eq, exists, identity, le, lt
from validation.world import lemma, mutant, nowhere, reading, setting
from validation.world.world import World, case, numbers

N = Notation(
    (
        Quantity("x", "x", "a length", (0, 1), positive=True),
        Quantity("y", "y", "another", (0, 1)),
        Quantity("n", "n", "a count"),
        Quantity("z", "z", "a sum"),
    )
)
x, y, n, z = N.symbols("x y n z")
SQUARE = numbers(N, "x and y", Uniform("x", 1, 3), Uniform("y", -2, 2))


def made(**changes: Any) -> Claim:
    given: dict[str, Any] = {
        "printed": "",
        "plainly": "y is at most x",
        "says": le(y, x),
        "world": SQUARE,
        "mutants": (mutant("half", le(y, x / 2), "y = 2, x = 1"),),
        "verdict": "it   is\n so",
    }
    return lemma("X-1", "Sec. 1", "t", **{**given, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"readings": (reading("short", "x is large", where=(le(1, x),)),)},
            "no reading decides: all are repairs, special cases (readings with `where` or `conditions`) or ours;"
            " a hypothesis that the text states belongs in the claim's world, world=runs.where(…)",
        ),
        ({"readings": (reading("one", "it", options={"issue": "a"}),)}, "options and `open` differ: issue"),
        ({"says": le(y**sp.pi, x**sp.pi)}, "no degrees known"),
    ],
)
def test_what_is_wrong_within_a_claim_names_the_claim(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r"^lemma\('X-1'\).*" + re.escape(message)):
        made(**changes)


def test_sides_stay_as_they_are_written() -> None:
    said = le(x, x + y)
    assert (said.left, said.right) == (x, x + y)
    assert said.words == "x <= x + y"
    assert le(x, x + x**2).right == x + x**2  # never True, though x is positive


def test_a_false_statement_falls_and_its_script_stands_alone(tmp_path: Path) -> None:
    entry = check(made(), budget=2000)
    assert entry["verdict"] == "refuted"
    assert (entry["level"], entry["words"]) == ("lemma", "it is so")
    script = tmp_path / "script.py"
    script.write_text(entry["counterexample_source"], encoding="utf-8")
    run = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert sp.Rational(entry["exact"]["left"]) > sp.Rational(entry["exact"]["right"])
    assert "# a count" not in entry["counterexample_source"]
    assert "Instance: x and y.\n" in entry["counterexample_source"]
    counted = made(says=le(2 * z, x), world=SQUARE.defining({z: x + y}))
    assert "z = x + y  # a sum" in check(counted, budget=2000)["counterexample_source"]  # what the notation says of it
    script.write_text(entry["counterexample_source"].replace("all(held)", "all([*held, False])"))
    assert subprocess.run([sys.executable, "-I", str(script)], capture_output=True, check=False).returncode == 1


def test_conditions_options_and_edits_are_readings_with_their_roles() -> None:
    of = made(
        readings=(
            reading("norm one", "…", options={"norm": "1"}),
            reading("norm two", "…", says=le(y, 2 * x), options={"norm": "2"}),
            reading("small y", "…", where=(le(y, 1),), options={"norm": "1"}, met_by=setting("Table 1", quote="y = 1")),
            reading("twice", "…", says=le(y, 2 * x), edits=("factor 2",), options={"norm": "1"}),
        ),
        open={"norm": nowhere("«the norm»")},
    )
    entry = check(of, budget=1000)
    assert entry["verdict"] == "underspecified"
    assert [r["role"] for r in entry["readings"]] == ["alternative", "alternative", "special case", "repair"]
    assert [r["verdict"] for r in entry["readings"]] == ["refuted", "holds", "holds", "holds"]
    assert entry["readings"][2]["terms"]["conditions"] == ["y <= 1"]
    assert entry["readings"][0]["counterexample"] is not None
    assert of.roles is not None
    assert of.roles.level is Level.LEMMA
    assert of.roles.readings[3].role is Role.REPAIR


@given(st.integers(-20, 20), st.integers(1, 20), st.integers(1, 9))
def test_the_fast_side_is_the_exact_one(top: int, below: int, right: int) -> None:
    says = le(y**2 / x + top * y, Fraction(right, below) * x - y)
    test = SQUARE.where(le(y, 1)).test(says)
    assert isinstance(test, Inequality)
    (case,) = test.cases
    assert isinstance(case, Case)
    assert case.exact is not None
    values = {"x": Fraction(below, right), "y": Fraction(top, 7)}
    met, seen = case.exact.function(values)
    assert met == {"y <= 1": values["y"] <= 1}
    fast = case.measure({k: np.array([float(v)]) for k, v in values.items()})
    assert fast["lhs"][0] == pytest.approx(float(seen["lhs"]), rel=1e-12, abs=1e-12)
    assert bool(np.all(fast["admissible"])) == (values["y"] <= 1)
    assert test.bound.exact(seen) == Fraction(right, below) * values["x"] - values["y"]


def test_units_of_both_sides_follow_from_the_letters() -> None:
    sound, unsound = SQUARE.test(le(y, 2 * x)), SQUARE.test(le(y, x**2))
    assert isinstance(sound, Inequality)
    assert isinstance(unsound, Inequality)
    assert (sound.degrees, sound.bound.scaling()) == ((0, 1), {(0, 1)})
    assert unsound.bound.scaling() == {(0, 2)}
    bare = numbers(N, "n", Integer("n", 1, 4)).test(le(n, 4))
    assert isinstance(bare, Inequality)
    assert bare.degrees is None


def test_an_identity_needs_no_world() -> None:
    of = made(
        says=eq((x + y) ** 2, x**2 + 2 * x * y + y**2), world=None, mutants=(mutant("no", eq(x, y), "x = 1, y = 2"),)
    )
    assert of.kind is Kind.IDENTITY
    assert isinstance(of.readings[0].test, Identity)
    assert check(of, budget=100)["verdict"] == "proved"
    with pytest.raises(ValueError, match="no world"):
        made(world=None)


def test_equal_sides_under_a_hypothesis_of_the_world_are_none_of_all_letters() -> None:
    """As where the hypothesis stands beside the statement: else it would fall where nobody said it holds."""
    on_line = SQUARE.where(le(x + y, 1), le(1, x + y))
    no = (mutant("no", eq(x, y), "x = 1, y = 0"),)
    of = made(says=eq((x + y) ** 2, 1), world=on_line, mutants=no)
    assert isinstance(of.readings[0].test, Inequality)
    free = made(says=identity((x + y) ** 2, x**2 + 2 * x * y + y**2), world=on_line, mutants=no)
    assert isinstance(free.readings[0].test, Identity)


def observe(drawn: Any) -> Any:
    return {"x": drawn["a"].sum(axis=1), "y": drawn["a"].max(axis=1)}


def plainly(drawn: Any) -> Any:
    return {"a is positive": min(drawn["a"]) > 0}, {"x": sum(drawn["a"]), "y": max(drawn["a"])}


def numbers_at(size: float) -> Case:
    return Case(f"{size} numbers", Space((Uniform("a", 1, 2, (int(size),)),)), observe, ExactCheck(plainly))


def test_a_world_of_cases_observes_and_a_statement_brings_the_sides(tmp_path: Path) -> None:
    world = World(N, (Family("numbers", (Size("size", 1, 4, 2),), numbers_at),))
    entry = check(made(says=le(y, x), world=world), budget=1000)
    assert entry["verdict"] == "holds"
    false = check(made(says=le(x, 2 * y), world=world.where(le(y, x))), budget=2000)
    assert false["verdict"] == "refuted"  # three numbers and more
    script = tmp_path / "script.py"
    script.write_text(false["counterexample_source"], encoding="utf-8")
    run = subprocess.run([sys.executable, "-I", str(script)], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"hypothesis a is positive: \S+ > 0: True", run.stdout)
    assert re.search(r"hypothesis y <= x: \S+ <= \S+: True", run.stdout)
    test = world.where(le(x, 3)).test(le(x, 2 * y))
    assert isinstance(test, Inequality)
    (family,) = test.cases
    assert isinstance(family, Family)
    scores = evaluate(test.bound, family.at(size=3), np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    assert scores.admissible.tolist() == [True, False]


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="declared twice"):
        Notation((Quantity("x", "x", ""), Quantity("x", "x", "")))
    with pytest.raises(ValueError, match="expected an identifier"):
        Quantity("eta t", "", "")
    with pytest.raises(ValueError, match="no quantity q"):
        N.symbols("x q")
    with pytest.raises(ValueError, match="no quantity of the notation"):
        numbers(N, "q", Uniform("q", 0, 1))
    with pytest.raises(ValueError, match="no single number"):
        numbers(N, "x", Uniform("x", 0, 1, (2,)))
    with pytest.raises(ValueError, match="at least one case"):
        World(N, ())
    bare = Case("bare", Space((Uniform("x", 0, 1),)), dict)
    with pytest.raises(ValueError, match="no exact side"):
        World(N, (bare,)).test(le(x, 1))


def test_letters_may_be_defined_by_others_and_the_script_says_how(tmp_path: Path) -> None:
    world = SQUARE.defining({n: x * y, z: n + y})
    entry = check(made(says=le(z, 2 * x), world=world, mutants=(mutant("no", le(z, 0), "y = 1"),)), budget=2000)
    assert entry["verdict"] == "refuted"
    assert "n = x*y" in entry["counterexample_source"]
    script = tmp_path / "script.py"
    script.write_text(entry["counterexample_source"], encoding="utf-8")
    assert subprocess.run([sys.executable, "-I", str(script)], capture_output=True, check=False).returncode == 0
    test = world.test(le(z, n))
    assert isinstance(test, Inequality)
    (case_,) = test.cases
    assert isinstance(case_, Case)
    assert case_.exact is not None
    _, seen = case_.exact.function({"x": Fraction(3), "y": Fraction(-1)})
    assert (seen["n"], seen["lhs"]) == (-3, -4)
    fast = case_.measure({"x": np.array([3.0]), "y": np.array([-1.0])})
    assert fast["lhs"][0] == -4
    assert fast["magnitude"][0] == pytest.approx(4)
    with pytest.raises(ValueError, match="q is no quantity"):
        SQUARE.defining({sp.Symbol("q"): x})


def test_a_strict_statement_falls_where_both_sides_are_equal() -> None:
    corner = numbers(N, "n", Uniform("n", 1, 2))
    no = (mutant("2", lt(2, n), "n = 1"),)
    assert check(made(says=lt(1, n), world=corner, mutants=no), budget=500)["verdict"] == "refuted"
    assert check(made(says=le(1, n), world=corner, mutants=no), budget=500)["verdict"] == "holds"
    assert check(made(says=lt(1, n), world=corner.where(lt(1, n)), mutants=no), budget=500)["verdict"] == "holds"
    assert (lt(1, n).words, lt(1, n).source) == ("1 < n", "1 < n")


def test_a_choice_is_put_in_and_conditions_together_are_the_one_missed_most() -> None:
    both = all_of(le(y, 3), le(1 - y, x))
    assert both.left.subs({x: 1, y: 5}) == 2
    chosen = exists({n: 2 * x}, le(n, y + n))
    assert replace(chosen, choice="") == le(2 * x, y + 2 * x)
    assert chosen.choice == "n = 2*x"
    with pytest.raises(ValueError, match="at least one letter"):
        exists({}, le(n, y))


def test_equal_sides_over_a_world_and_for_all_letters() -> None:
    world = World(N, (Family("numbers", (Size("size", 1, 1, 1),), numbers_at),))
    no = (mutant("no", eq(x, 2 * y), "x = y"),)
    assert check(made(says=eq(x, y), world=world, mutants=no), budget=500)["verdict"] == "holds"
    of = made(says=identity(x, y, sample=(2, 3)), world=world, mutants=no)
    assert isinstance(of.readings[0].test, Identity)
    assert check(of, budget=500)["verdict"] == "refuted"


def chosen(drawn: Any, *, size: int) -> Any:
    return {"y": drawn["a"] * size, "x": 2 * drawn["a"], "sizes": {"y": 100 + 0 * drawn["a"]}}


def chosen_exact(drawn: Any, *, size: int) -> Any:
    return {}, {"y": drawn["a"] * size, "x": 2 * drawn["a"]}


def test_what_is_chosen_is_an_argument_of_both_sides_and_of_the_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "resolved", lambda *_: None)  # as where the computation is longer than a page
    at = case("three", Space((Uniform("a", 1, 2),)), chosen, chosen_exact, size=3)
    test = World(N, (at,)).test(le(y, x))
    assert isinstance(test, Inequality)
    (made_case,) = test.cases
    assert isinstance(made_case, Case)
    assert made_case.measure({"a": np.array([1.5])})["magnitude"][0] == 100  # the scale that was told
    entry = check(made(world=World(N, (at,))), budget=500)
    assert entry["verdict"] == "refuted"
    assert "chosen_exact(INSTANCE, size=3)" in entry["counterexample_source"]
    script = tmp_path / "script.py"
    script.write_text(entry["counterexample_source"], encoding="utf-8")
    assert subprocess.run([sys.executable, "-I", str(script)], capture_output=True, check=False).returncode == 0


def test_statements_of_other_kinds_pass_through() -> None:
    of = made(
        says=Number(Cell("0.5", "Table 1"), half, Fraction(0), "…"), world=None, mutants=(mutant("no", eq(x, y), ""),)
    )
    assert of.kind is Kind.NUMBER


def half() -> Fraction:
    return Fraction(1, 2)


@pytest.mark.parametrize(
    ("says", "drawn", "verdict"),
    [
        (eq(sp.Max(n, 1), n), Integer("n", 1, 100), "holds"),  # false at n = 1/3, which is no count
        (eq(sp.Min(n, 1), n), Uniform("n", 0, 1), "holds"),  # false at n = 2, which is no share
        (eq(sp.sqrt(y**2), y), Uniform("y", -2, 2), "refuted"),  # true at every positive number
        (identity(sp.sqrt(y**2), -y), Uniform("y", -2, -1), "refuted"),  # of all numbers, drawn or not
    ],
)
def test_equal_sides_are_of_what_is_drawn_and_identities_of_all_numbers(says: Any, drawn: Any, verdict: str) -> None:
    no = mutant("no", le(1 + N.symbols(drawn.name) ** 2, 0), "at 1")
    found = check(made(says=says, world=numbers(N, "as drawn", drawn), mutants=(no,)), budget=2000)
    assert found["verdict"] == verdict, found["why"]


def test_a_size_is_visited_at_both_parities() -> None:
    assert Size("N", 6, 100, 10).values() == (6, 7, 10, 20, 50, 100)
    assert Size("N", 1, 1, 1).values() == (1,)
    odd = World(N, (Family("clients", (Size("size", 2, 100, 10),), parity_at),))
    no = (mutant("half", le(x, sp.Rational(1, 2)), "x = 1"),)
    entry = check(made(says=le(x, 1 - y), world=odd, mutants=no), budget=2000)
    assert entry["verdict"] == "refuted", entry["why"]


def parity_at(*, size: int) -> Case:
    return case(f"{size} clients", Space((Uniform("x", 2**-10, 1),)), parity, parity_exact, size=size)


def parity(drawn: Any, *, size: int) -> Any:
    return {"x": drawn["x"], "y": 0 * drawn["x"] + size % 2}


def parity_exact(drawn: Any, *, size: int) -> Any:
    return {}, {"x": drawn["x"], "y": Fraction(size % 2)}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ("1 clients, d = 2", "1 client, d = 2"),
        ("2 clients, 1 steps in rounds of 1", "2 clients, 1 step in rounds of 1"),
        ("1 quadratic clients", "1 quadratic client"),
        ("21 clients, 1 of 2 drawn clients", "21 clients, 1 of 2 drawn clients"),
        ("L = 0.1 clients", "L = 0.1 clients"),
        ("the last E − 1 steps, client 1 samples twice", "the last E − 1 steps, client 1 samples twice"),
    ],
)
def test_one_of_several_is_written_in_the_singular(given: str, named: str) -> None:
    assert case(given, Space((Uniform("x", 0, 1),)), parity, parity_exact, size=1).name == named
