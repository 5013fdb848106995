"""That no constants will do: an exact instance, several together, a family, and what is only seen to grow."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

import fedverdict as fv
from theory.exact.germ import Germ
from validation.papers.beyond import beyond_repair, document, rebuilt
from validation.report.claims.smallest import beyond_words, read_smallest
from validation.search.arms import concrete
from validation.statement.claim import Inequality
from validation.study.tighten.beyond import ray
from validation.study.tighten.program import Certificate
from validation.study.tighten.rows import ExactRow
from validation.study.tighten.unbounded import Growing, Outgrown

a, b = fv.symbols("a b", nonnegative=True)
HALF = Fraction(1, 2)


def inequality(sides: Any, bound: Any, *coordinates: Any) -> Inequality:
    return Inequality(fv.Bound(bound), (fv.Case("numbers", fv.Space(coordinates), sides, fv.recomputed(sides)),))


def at(test: Inequality, **numbers: Fraction) -> list[Any]:
    (case,) = concrete(test)
    return [(case, numbers)]


def confirmed(script: str) -> bool:
    return subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, check=False).returncode == 0


def vanishing(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": x["b"] * x["b"] + x["a"], "a": x["a"] * x["a"], "b": (x["b"] - 1) ** 2}


VANISHING = inequality(vanishing, a + b, fv.Signed("a", 1e-2, 1e2), fv.Uniform("b", 0.0, 2.0))


def test_an_instance_at_which_every_term_is_0_is_found_and_rules_out_all_constants() -> None:
    found = beyond_repair(VANISHING, at(VANISHING, a=Fraction(3), b=HALF))
    assert isinstance(found, Certificate)
    assert found.holds()
    assert found.weights == (0, 0)
    (row,) = found.rows
    assert (row.instance, row.terms, row.lhs) == ({"a": 0, "b": 1}, (0, 0), 1)
    assert confirmed(found.script("a ray", ["a", "b"]))
    stronger = replace(found, rows=(replace(row, terms=(Fraction(1), Fraction(0))),))
    assert not stronger.holds()
    assert not confirmed(stronger.script("no ray", ["a", "b"]))
    assert rebuilt(document(found)) == found


def test_several_instances_rule_out_constants_of_terms_that_change_their_sign() -> None:
    # 1 <= c·2 − d and 1 <= 3d − 6c contradict each other for c, d >= 0: 3 times the first and the second give 4 <= 0.
    rows = [
        ExactRow("one", {}, Fraction(1), (Fraction(2), Fraction(-1))),
        ExactRow("other", {}, Fraction(1), (Fraction(-6), Fraction(3))),
        ExactRow("loose", {}, Fraction(1), (Fraction(5), Fraction(5))),
    ]
    found = ray(rows, 2)
    assert found is not None
    assert found.holds()
    assert {r.case: y / found.duals[1] for y, r in zip(found.duals, found.rows, strict=True)} == {"one": 3, "other": 1}
    assert ray(rows[:1] + rows[2:], 2) is None


def test_a_bound_that_constants_repair_has_no_ray_and_grows_nowhere() -> None:
    def pair(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"] * x["a"], "a": x["a"] * x["a"]}

    test = inequality(pair, a / 2, fv.Signed("a", 1e-2, 1e2))
    assert beyond_repair(test, at(test, a=Fraction(3))) is None


def test_a_left_side_that_outgrows_every_term_is_told_exactly_where_an_infinitesimal_goes_through() -> None:
    def steep(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"] * x["a"], "a": x["a"]}

    test = inequality(steep, a, fv.LogScale("a", 1e-3, 1e3))
    found = beyond_repair(test, at(test, a=Fraction(7)))
    assert isinstance(found, Outgrown)
    assert found.words == "a → ∞"
    assert found.orders == (-2, -1)
    assert confirmed(found.script("a family"))
    level = replace(found, terms=(found.left,))
    assert not confirmed(level.script("no family"))
    assert rebuilt(document(found)) == found


def test_growth_that_is_only_seen_is_no_proof() -> None:
    def rooted(x: Mapping[str, Any]) -> dict[str, Any]:
        if any(isinstance(value, Germ) for value in np.ravel(x["a"])):
            raise TypeError("no infinitesimals")
        return {"lhs": x["a"] * x["a"], "a": x["a"]}

    test = inequality(rooted, a, fv.LogScale("a", 1e-3, 1e3))
    found = beyond_repair(test, at(test, a=Fraction(7)))
    assert isinstance(found, Growing)
    assert 0.99 < found.power < 1.01
    assert rebuilt(document(found)) is None


def test_a_scale_that_is_drawn_near_1_is_not_moved_beyond_its_range() -> None:
    def steep(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["a"] * x["a"], "a": x["a"]}

    test = inequality(steep, a, fv.LogScale("a", 1.0, 50.0))
    assert beyond_repair(test, at(test, a=Fraction(7))) is None


def test_what_is_shown_says_which_is_proved() -> None:
    def told(row: dict[str, Any], terms: list[Any]) -> str:
        whole = {"reading": 1, "name": "as printed", "false": True, "terms": terms, "beyond": row}
        (one,) = read_smallest({"smallest": [whole]}, "here")
        return beyond_words(one)

    term = {"term": "a", "printed": "1", "alone": None, "on": 1.0}
    exact = document(beyond_repair(VANISHING, at(VANISHING, a=Fraction(3), b=HALF)))
    assert (
        told(exact, [term])
        == "No constants will do, exactly: all terms are 0, and the left side is 1 too large: numbers, a = 0, b = 1."
    )
    assert told(exact, []).startswith("It has no constant that could repair it. It fails by 1, exactly: ")
    seen = {"kind": "growing", "along": "a → ∞", "ratios": [1e3, 1e5], "power": 1.0}
    assert told(seen, [term]).endswith("That is no proof of a limit.")
    assert told({"kind": "open"}, [term]) == ""
