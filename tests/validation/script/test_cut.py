"""Plain functions cut to one instance: what goes, what stays as typed, and that nothing goes that changes anything."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from validation.papers.papers import select
from validation.script import slice as cutting
from validation.script.page import side_told
from validation.script.slice import Cut, cut
from validation.script.sliced_page import carried
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck, Inequality
from validation.verdict.gate import fault

F = Fraction


def never(x: Fraction) -> Fraction:
    """It is not called."""
    return x


def root_of(n: int) -> int:
    """The whole part of the square root of a whole number."""
    x = n
    while x * x > n:
        x -= 1
    return x


def world(x: Mapping[str, Any], *, kind: str = "plain", rounds: int = 2, loud: bool = False) -> tuple[Any, Any]:
    """Some rounds; `loud`: with noise.

    `kind`: what the weights are.
    """
    w, seen, log = x["start"], [], []
    low = _high = Fraction(0)
    for step in range(rounds):
        if kind == "odd":
            w = never(w)
        elif w < 0:
            w = -w
        else:
            w = w / 2  # the half of it
        log.append(w)
        seen.append(w if step else 2 * w)

    def also() -> Fraction:
        return never(w)

    aside, least = sum(x["shares"]), min(seen) + low
    found: dict[str, Any] = {
        "late": lambda: w,
        "other": also,
    }
    met = {
        "shares of sum 1": sum(x["shares"]) == 1 or kind == "free",
        "noise where it is loud": not loud or x["noise"] > 0,
        "the start is above 0": x["start"] > 0 if rounds else False,
    }
    return met, {
        "lhs": found["late"]() + x.get("more", Fraction(0)),
        "least": least,
        "root": Fraction(root_of(17)),
        "aside": (aside if loud else Fraction(1)) * 3,
    }


INSTANCE = {"start": F(4), "shares": [F(1, 2)] * 2, "noise": F(0), "more": F(0)}


def test_what_does_nothing_there_is_gone_and_the_rest_is_as_typed() -> None:
    made = cut(world, (never, root_of), {"kind": "plain", "rounds": 2}, INSTANCE, {"lhs", "least"})
    assert made.call == "world(INSTANCE, rounds=2)"
    assert made.fields == ("start", "shares")
    assert (
        made.source
        == '''def world(x, *, rounds=2):
    """Some rounds."""
    w, seen = x["start"], []
    low = Fraction(0)
    for step in range(rounds):
        w = w / 2  # the half of it
        seen.append(w if step else 2 * w)

    least = min(seen) + low
    found = {
        "late": lambda: w,
    }
    met = {
        "shares of sum 1": sum(x["shares"]) == 1,
        "noise where it is loud": True,
        "the start is above 0": x["start"] > 0 if rounds else False,
    }
    return met, {
        "lhs": found["late"]() + x.get("more", Fraction(0)),
        "least": least,
    }
'''
    )


def test_a_hypothesis_that_cannot_fail_there_is_still_named() -> None:
    made = cut(leaves, (), {}, INSTANCE, {"lhs"})
    met, _ = run(made, INSTANCE)
    assert dict(met) == {"shares above 0": True}


def leaves(x: Mapping[str, Any], *, shares: Sequence[Fraction] = (F(1),)) -> tuple[Any, Any]:
    """Its one hypothesis is of what is given by default."""
    met = {"shares above 0": all(p > 0 for p in shares)}
    return met, {"lhs": x["start"]}


def test_a_series_that_python_has_is_its_own() -> None:
    made = cut(world, (never, root_of), {}, INSTANCE, {"root"})
    assert "    return isqrt(n)\n" in made.source
    assert "while" not in made.source


def emptied(x: Mapping[str, Any]) -> tuple[Any, Any]:
    """A statement that looks idle and is not."""
    queue = [x["start"], Fraction(7)]
    _gone = queue.pop()
    _spare = x["start"] * 2
    return {"one number is left": len(queue) == 1}, {"lhs": sum(queue)}


def test_what_would_change_something_is_left() -> None:
    made = cut(emptied, (), {}, INSTANCE, {"lhs"})
    assert "_gone = queue.pop()" in made.source
    _, found = run(made, INSTANCE)
    assert found["lhs"] == 4


def run(made: Cut, instance: Mapping[str, Any]) -> Any:
    space: dict[str, Any] = {"Fraction": F, "F": F, "INSTANCE": dict(instance)}
    exec(made.source, space)
    return eval(made.call, space)


ELSEWHERE = Fraction(3)


def leaning(x: Mapping[str, Any]) -> tuple[Any, Any]:
    """It needs a name that no script has."""
    return {"any one": True}, {"lhs": x["start"] * ELSEWHERE, "a": x["start"]}


def test_a_function_that_does_not_stand_alone_is_left_as_it_is() -> None:
    made = cut(leaning, (), {}, INSTANCE, {"lhs"})
    assert "def leaning(x: Mapping[str, Any])" in made.source
    script = carried("X-1", "r", "s", Bound(a / 9), ExactCheck(leaning), INSTANCE)
    assert script is not None
    assert fault(script) is not None  # so the verdict says that its script cannot confirm it


@pytest.mark.parametrize("bound", ["_MOST_LINES", "_MOST_BITS"])
def test_a_run_that_takes_long_is_not_tried_again_and_again(bound: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cut(world, (never, root_of), {}, INSTANCE, {"lhs"}, least=True)
    monkeypatch.setattr(cutting, bound, 10)
    assert cut(world, (never, root_of), {}, INSTANCE, {"lhs"}) == whole


def test_least_of_all_is_the_function_itself() -> None:
    made = cut(world, (never, root_of), {"kind": "odd"}, INSTANCE, {"lhs"}, least=True)
    assert made.call == "world(INSTANCE, kind='odd')"
    assert made.fields == tuple(INSTANCE)
    assert "Mapping[str, Any]" in made.source
    assert "def never(x: Fraction)" in made.source


def long(x: Mapping[str, Any], *, side: str = "up") -> tuple[Any, Any]:
    """A walk whose steps repeat nothing."""
    w, total = x["start"], Fraction(0)
    for k in range(150):
        w = w * (k + 1) / (k + 2) + (x["start"] if k * k % 7 == 2 else x["eta"] / (k * k + 3)) * w
        total = total + w * w if side == "up" else total - w
    return {"the step is above 0": x["eta"] > 0}, {"lhs": total, "a": x["start"], "b": x["eta"]}


a, b = sp.symbols("a b", positive=True)
STEPS = {"start": F(2), "eta": F(1, 3), "idle": [F(0)] * 9}


def output(script: str, folder: Path) -> tuple[int, str]:
    (folder / "x.py").write_text(script, encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "x.py"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("bound", [a / 4 + b, sp.sqrt(a) / 9])
def test_a_carried_script_stands_alone_says_why_and_can_fail(bound: Any, tmp_path: Path) -> None:
    check = ExactCheck(partial(long, side="up"))
    script = carried("X-1", "as printed", "It stays small.", Bound(bound), check, STEPS)
    assert script is not None
    words = " ".join(script.split('"""')[1].split())
    assert "the world's own function, cut to what it does at this instance" in words
    assert ("more than a page" in words) != ("has roots" in words)
    assert "side ==" not in script
    assert "idle" not in script
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert "hypothesis the step is above 0: True" in shown
    assert shown.endswith("\nviolated\n")
    for old, new in (('"start": 2', '"start": 0'), ('"eta": "1/3"', '"eta": "-1/3"')):
        assert script.count(old) == 1
        code, shown = output(script.replace(old, new), tmp_path)
        assert code == 1, shown
        assert shown.endswith("\nNOT violated\n")


@pytest.mark.parametrize("bound", [a / 9, sp.sqrt(a) / 9])
def test_sides_that_no_float_holds_are_confirmed_too(bound: Any, tmp_path: Path) -> None:
    def steep(x: Mapping[str, Any]) -> tuple[Any, Any]:
        return {"the start is above 0": x["start"] > 0}, {"lhs": x["start"], "a": x["start"]}

    instance = {"start": F(10**700)}
    script = carried("X-1", "r", "s", Bound(bound), ExactCheck(steep), instance)
    assert script is not None
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    assert "beyond the range of floats" in shown


def test_a_right_side_of_mere_rounding_has_no_ratio(tmp_path: Path) -> None:
    script = carried("X-1", "r", "s", Bound(sp.Rational(1, 10**40)), ExactCheck(long), STEPS)
    assert script is not None
    assert "the right side allows for rounding alone" in script
    assert "ratio" not in output(script, tmp_path)[1]


def zero(n: int, *more: int) -> Any:
    return [zero(*more) if more else F(0) for _ in range(n)]


def test_a_step_on_the_learned_weights_is_a_script_of_its_own(tmp_path: Path) -> None:
    """SSA-O1: two clients that know nothing; the entropy's gradient moves the sum of the weights."""
    ((_, claim),) = select(["SSA-O1"])
    reading = next(r for r in claim.readings if r.name.startswith("none"))
    test = reading.test
    assert isinstance(test, Inequality)
    case = next(c for c in test.cases if isinstance(c, Case) and c.name == "2 clients, 3 classes, 1 sample")
    view = zero(1, 2, 3)
    instance = {"weights": [F(1, 2)] * 2, "view_1": view, "view_2": view, "rate": F(1)}
    assert case.exact is not None
    script = carried("SSA-O1", reading.name, claim.plainly, test.bound, case.exact, instance)
    assert script is not None
    assert len(script.splitlines()) <= 110  # of 188 with all that the function can do
    assert "projected" not in script
    assert "off_simplex = constants" in script
    code, shown = output(script, tmp_path)
    assert code == 0, shown
    code, shown = output(script.replace('"rate": 1', '"rate": 0'), tmp_path)
    assert code == 1, shown
    assert shown.endswith("\nNOT violated\n")


def test_a_side_that_python_writes_no_digits_of_is_told_as_a_decimal() -> None:
    long = Fraction(2**50_000 + 1, 3**30_000)
    with pytest.raises(ValueError, match="4300 digits"):
        str(long)
    assert side_told("lhs", long) == "about {float(lhs):.9g}"
    assert side_told("lhs", -long) == "about {float(lhs):.9g}"
    assert side_told("rhs", Fraction(10**77, 7)) == "{rhs}"  # as long as is read
    assert side_told("rhs", Fraction(10**78, 7)) == "about {float(rhs):.9g}"
