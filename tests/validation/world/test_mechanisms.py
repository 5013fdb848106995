"""A statement that holds is worded without the mechanisms that it was not attacked with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    Family,
    Inequality,
    Instance,
    Mechanism,
    Mutant,
    Size,
    Space,
    Uniform,
    check,
    symbols,
)
from validation.statement.claim import ExactCheck, Kind, Property, Reading
from validation.verdict.engine import Unit, assemble, run_unit, units
from validation.world.mechanisms import above, active, below, changing, declared, names, nonzero, only, watched

x = symbols("x")
NOISE = Mechanism("noise", ("sigma",), nonzero("sigma"))
STEPS = Mechanism("several local steps", ("steps",), above("steps", 1))
BOTH = (NOISE, STEPS)


def _sides(c: Instance) -> Mapping[str, Any]:
    """u without noise and u/2 with it, against u."""
    return {"lhs": np.where(c["sigma"] > 0, c["u"] / 2, c["u"] * 0.8), "x": c["u"]}


def sides_exact(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, {"lhs": c["u"] / 2 if c["sigma"] > 0 else c["u"] * Fraction(4, 5), "x": c["u"]}


def space(sigma: tuple[float, ...], steps: tuple[float, ...] = (1.0, 2.0)) -> Space:
    return Space((Uniform("u", 0.25, 1.0), Choice("sigma", sigma), Choice("steps", steps)))


def case(sigma: tuple[float, ...] = (0.0, 1.0), steps: tuple[float, ...] = (1.0, 2.0)) -> Case:
    return Case("u", space(sigma, steps), _sides, ExactCheck(sides_exact))


def claim(of: Case, mutant: Case | None = None, factor: Fraction = Fraction(1, 4)) -> Claim:
    """lhs <= u, with the mutant lhs <= factor·u."""
    return Claim(
        id="X-1",
        kind=Kind.INEQUALITY,
        at="",
        title="",
        printed="",
        plainly="",
        assumes=(),
        readings=(Reading("as printed", "", Inequality(Bound(x), (of,))),),
        mutants=(Mutant("smaller", Inequality(Bound(factor.numerator * x / factor.denominator), (mutant or of,)), ""),),
        mechanisms=BOTH,
    )


def test_each_mechanism_has_its_draws_its_nearest_ratio_and_a_mutant_killed_with_it_on() -> None:
    entry = check(claim(case()), budget=400)
    assert entry["verdict"] == "holds"
    (row,), (mutant,) = entry["readings"], entry["mutants"]
    assert row["worst_ratio"] == 0.8
    assert {m["name"]: m["ratio"] for m in row["exercised"]} == {"noise": 0.5, "several local steps": 0.8}
    assert all(0 < m["draws"] < row["instances"] for m in row["exercised"])
    assert mutant["killed_with"] == ["noise", "several local steps"]
    assert row["lacking"] == []
    assert "not exercised" not in entry["why"]


def test_a_mechanism_that_was_never_on_is_named() -> None:
    entry = check(claim(case(sigma=(0.0,)), case()), budget=400)
    assert entry["verdict"] == "holds"
    assert entry["readings"][0]["lacking"] == ["noise (never on)"]
    assert "not exercised with noise (never on)" in entry["why"]


def test_a_mechanism_whose_left_side_is_zero_is_named() -> None:
    def silent(c: Instance) -> Mapping[str, Any]:
        return {"lhs": np.where(c["sigma"] > 0, 0.0, c["u"]), "x": c["u"]}

    def silent_exact(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
        return {}, {"lhs": Fraction(0) if c["sigma"] > 0 else c["u"], "x": c["u"]}

    quiet = replace(case(), measure=silent, exact=ExactCheck(silent_exact))
    entry = check(claim(quiet, case()), budget=400)
    assert entry["readings"][0]["lacking"] == ["noise (no draw with it on has a ratio of both sides above 0)"]


def test_a_mechanism_that_no_mutant_dies_with_is_named() -> None:
    # 3/4 of u is below the left side without noise (4/5 of u) and above it with noise (half of u).
    entry = check(claim(case(), factor=Fraction(3, 4)), budget=400)
    assert entry["mutants"][0]["killed"]
    assert entry["mutants"][0]["killed_with"] == ["several local steps"]
    assert entry["readings"][0]["lacking"] == ["noise (no mutant was killed with it on)"]


def test_the_verdict_and_the_search_are_the_same_with_mechanisms_and_without() -> None:
    bare = replace(claim(case()), mechanisms=())
    with_them, without = check(claim(case()), budget=400), check(bare, budget=400)
    for key in ("verdict", "worst_ratio", "instances"):
        assert with_them[key] == without[key]
    assert with_them["readings"][0]["growth"] == without["readings"][0]["growth"]
    assert without["readings"][0]["exercised"] == []


def _missed(c: Instance) -> Mapping[str, Any]:
    return {"lhs": c["u"] - 1}


def missed_exact(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, {"lhs": c["u"] - 1}


def _never(c: Instance) -> Mapping[str, Any]:
    return {"lhs": 0 * c["u"] - 1}


def never_exact(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, {"lhs": Fraction(-1)}


def property_claim(mutants: tuple[Case, ...], cases: tuple[Case, ...]) -> Claim:
    had = Property(cases)
    return replace(
        claim(case()),
        kind=Kind.PROPERTY,
        readings=(Reading("as printed", "", had),),
        mutants=(Mutant("mutant", Property(mutants), ""),),
    )


def _named(name: str, measure: Any, exact: Any, low: float = 0.25, high: float = 1.0) -> Case:
    return Case(name, Space((Uniform("u", low, high),)), measure, ExactCheck(exact))


def test_a_property_whose_mutant_survives_is_not_exercised() -> None:
    had = (_named("a", _missed, missed_exact),)
    entry = check(property_claim((_named("a", _never, never_exact),), had), budget=400)
    assert entry["verdict"] == "inconclusive"
    assert "not exercised: the mutant «mutant» survives" in entry["why"]


def test_a_case_in_which_the_mutant_of_a_property_survives_is_counted() -> None:
    had = (_named("a", _missed, missed_exact), _named("b", _missed, missed_exact))
    mutants = (_named("a", _missed, missed_exact, 0.5, 2.0), _named("b", _never, never_exact))
    entry = check(property_claim(mutants, had), budget=400)
    assert entry["verdict"] == "holds"
    assert entry["mutants"][0]["survives_in"] == ["b"]
    assert entry["readings"][0]["lacking"] == ["1 of 2 cases (mutants survive there)"]


def test_a_mutant_that_gave_no_answer_counts_as_alive() -> None:
    of = property_claim((_named("a", _missed, missed_exact, 0.5, 2.0),), (_named("a", _missed, missed_exact),))
    from validation.verdict.engine import unanswered

    parts = {u: run_unit(of, u, budget=200, seed=0) for u in units(of)}
    parts[Unit("mutant", 0)] = unanswered(of, Unit("mutant", 0), "beyond 1 seconds")
    assert assemble(of, parts, budget=200, seed=0)["verdict"] == "inconclusive"


def test_only_asks_for_the_mechanism_in_floats_and_in_exact_numbers() -> None:
    test = only(watched(Inequality(Bound(x), (case(),)), BOTH), "noise")
    assert test is not None
    (of,) = test.cases
    assert isinstance(of, Case)
    instances = {"u": np.asarray([1.0, 1.0]), "sigma": np.asarray([0.0, 1.0]), "steps": np.asarray([1.0, 2.0])}
    assert of.measure(instances)["admissible"].tolist() == [False, True]
    assert of.exact is not None
    for sigma in (Fraction(0), Fraction(1)):
        hypotheses, _ = of.exact.function({"u": Fraction(1), "sigma": sigma, "steps": Fraction(1)})
        assert hypotheses == {"noise": sigma > 0}
    assert only(test, "absent clients") is None


def test_a_case_knows_the_first_mechanism_of_a_name_that_its_coordinates_answer() -> None:
    other = Mechanism("noise", ("sigma", "noisy"), nonzero("sigma", "noisy"))
    family = Family("of many", (Size("n", 1, 3, 1),), lambda n: case())
    bare = Case("bare", Space((Uniform("u", 0, 1),)), _sides)
    test = watched(Inequality(Bound(x), (family, case(), bare)), (other, *BOTH))
    assert names(test) == ("noise", "several local steps")
    assert test.cases[2] == bare
    one = test.cases[1]
    assert isinstance(one, Case)
    assert one.mechanisms == BOTH
    assert active(one, {"u": Fraction(1), "sigma": Fraction(1, 7), "steps": Fraction(1)}) == {"noise"}


@pytest.mark.parametrize(
    ("on", "values", "wanted"),
    [
        (nonzero("a"), {"a": [[0.0, 0.0], [0.0, -1.0]]}, [False, True]),
        (nonzero("a", "b"), {"a": [[1.0], [1.0]], "b": [0.0, 2.0]}, [False, True]),
        (above("a", 1), {"a": [1.0, 2.0]}, [False, True]),
        (below("a", 0.5), {"a": [[0.5, 1.0], [0.5, 0.4]]}, [False, True]),
        (changing("a"), {"a": [[[1.0, 2.0], [1.0, 2.0]], [[1.0, 2.0], [2.0, 1.0]]]}, [False, True]),
        (changing("a"), {"a": [[1.0, 2.0], [3.0, 4.0]]}, [False, False]),
    ],
)
def test_what_switches_a_mechanism_on(on: Any, values: dict[str, Any], wanted: list[bool]) -> None:
    assert on({name: np.asarray(v) for name, v in values.items()}).tolist() == wanted


def test_a_paper_declares_once_and_a_claim_may_name_its_own() -> None:
    own = claim(case())
    without = replace(own, mechanisms=())
    assert [c.mechanisms for c in declared((own, without), (NOISE,))] == [BOTH, (NOISE,)]
