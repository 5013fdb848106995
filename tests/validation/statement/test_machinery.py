"""The parts of the engine: coordinates, bounds, exact rechecks, identities, verdicts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from validation import (
    Bound,
    Case,
    Choice,
    Claim,
    Identity,
    Inequality,
    Integer,
    LogScale,
    Mutant,
    Signed,
    Simplex,
    Space,
    Uniform,
    Verdict,
    check,
    symbols,
)
from validation.judge.run import run_test
from validation.proof.symbolic import find_point, is_identity
from validation.statement.bound import exact_value, python_source
from validation.statement.claim import ExactCheck, Kind, Reading
from validation.statement.instances.draw import take

SPACE = Space(
    (
        Uniform("u", -1.0, 2.0),
        LogScale("l", 1e-3, 1e3, (2,)),
        Signed("s", 1e-2, 1e2, (2, 2)),
        Simplex("p", 3),
        Simplex("q", 3, (2,), interior=True),
        Integer("n", 0, 300),
        Choice("c", (0.25, 8.0)),
    )
)


@given(seed=st.integers(0, 1000), corners=st.booleans(), limit=st.sampled_from([1, 4, 100, 10**9]))
def test_every_draw_and_every_rounding_meets_its_coordinates(seed: int, corners: bool, limit: int) -> None:
    rng = np.random.default_rng(seed)
    cube = SPACE.corners(rng, 12) if corners else SPACE.random(rng, 12)
    drawn = SPACE.decode(cube)
    assert np.all((drawn["u"] >= -1) & (drawn["u"] <= 2))
    assert np.all((drawn["l"] >= 1e-3 * (1 - 1e-9)) & (drawn["l"] <= 1e3 * (1 + 1e-9)))
    assert np.all(np.abs(drawn["s"]) <= 1e2 * (1 + 1e-9))
    np.testing.assert_allclose(drawn["p"].sum(axis=-1), 1)
    assert np.all(drawn["q"] > 0)
    assert set(np.unique(drawn["c"])) <= {0.25, 8.0}
    exact = SPACE.rationalise(take(drawn, 0), limit)
    assert sum(exact["p"]) == 1
    assert all(x > 0 for row in exact["q"] for x in row) or limit < 10**9  # a coarse grid may not resolve the interior
    assert all(sum(row) == 1 for row in exact["q"])
    assert all(x > 0 for x in exact["l"])
    assert exact["n"].denominator == 1


def test_corners_reach_vertices_zeros_and_ends() -> None:
    drawn = SPACE.decode(SPACE.corners(np.random.default_rng(0), 600))
    assert np.any(drawn["p"].max(axis=1) == 1)
    assert np.any(drawn["s"] == 0)
    assert np.any(drawn["n"] == 300)
    assert np.any(drawn["n"] == 0)


def test_repeated_coordinate_names_and_empty_ranges_are_refused() -> None:
    with pytest.raises(ValueError, match="repeat"):
        Space((Uniform("a", 0, 1), Uniform("a", 0, 1)))
    with pytest.raises(ValueError, match="low=2 must be below high=1"):
        Uniform("a", 2, 1)
    with pytest.raises(ValueError, match="0 < low < high"):
        LogScale("a", 0.0, 1.0)


x, y = symbols("x y")


@given(a=st.fractions(min_value=Fraction(1, 9), max_value=9), b=st.fractions(min_value=Fraction(1, 9), max_value=9))
def test_printed_source_is_exact_over_fractions(a: Fraction, b: Fraction) -> None:
    expression = sp.Rational(3, 8) * x**2 / y + sp.Rational(1, 2) - sp.Max(x, y) / 7 + sp.Abs(x - y)
    by_source = eval(python_source(expression), {"Fraction": Fraction, "x": a, "y": b})
    by_hand = Fraction(3, 8) * a**2 / b + Fraction(1, 2) - max(a, b) / 7 + abs(a - b)
    assert by_source == by_hand == exact_value(expression, {"x": a, "y": b})


def test_bounds_report_their_scale_and_their_dimensions() -> None:
    bound = Bound(x * y - x, degrees={"x": (1, 0), "y": (0, 0)})
    value, scale = bound({"x": np.asarray([2.0]), "y": np.asarray([1.0])})
    assert value[0] == 0
    assert scale[0] == 4
    assert bound.scaling() == {(1, 0)}
    assert Bound(x + y, degrees={"x": (1, 0), "y": (0, 2)}).scaling() == {(1, 0), (0, 2)}
    with pytest.raises(ValueError, match="no degrees for"):
        Bound(x + y, degrees={"x": (1, 0)}).scaling()


def test_undefined_values_raise() -> None:
    with pytest.raises(ZeroDivisionError):
        exact_value(1 / (x - y), {"x": 1, "y": 1})


def test_identities() -> None:
    assert is_identity(Identity((x + y) ** 2, x**2 + 2 * x * y + y**2))
    assert find_point(Identity(x, x)) is None
    point = find_point(Identity(x * y, x))
    assert point is not None
    assert point[1] != point[2]


# A toy claim: ‖u‖² <= factor·‖u‖², measured through `wrong`, a planted fault in the fast code.
k = symbols("k")


def toy(factor: float, wrong: float = 1.0, exact: bool = True) -> Inequality:
    def measure(x: Mapping[str, Any]) -> dict[str, Any]:
        square = (x["u"] ** 2).sum(axis=-1)
        return {"lhs": wrong * square, "k": square}

    def plain(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        square = sum(v * v for v in x["u"])
        return {"finite": True}, {"lhs": square, "k": square}

    case = Case("vectors", Space((Signed("u", 1e-2, 1e2, (2,)),)), measure, ExactCheck(plain) if exact else None)
    return Inequality(Bound(sp.nsimplify(factor) * k), (case,))


def run(test: Any, **more: Any) -> Any:
    return run_test(test, claim_id="TOY", name="toy", budget=4000, seed=0, **more)


def test_a_true_statement_holds_and_its_supremum_is_found() -> None:
    outcome = run(toy(1.0))
    assert outcome.verdict is Verdict.HOLDS
    assert outcome.worst_ratio == pytest.approx(1.0)
    assert outcome.admissible == outcome.instances == pytest.approx(4000, rel=0.02)


def test_a_false_statement_is_refuted_with_small_numbers_and_a_script(tmp_path: Path) -> None:
    outcome = run(toy(0.5))
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.robustness == 1.0
    numbers = outcome.detail["worst_instance"]["u"]
    assert all(len(text) <= 4 for text in numbers)  # shrunk to small rationals
    # The toy's functions live inside another function, so only the tail of the script can run here.
    assert "# The instance" in outcome.script
    assert "raise SystemExit" in outcome.script


def test_a_planted_fault_in_the_fast_code_never_refutes() -> None:
    outcome = run(toy(1.0, wrong=1.5))
    assert outcome.verdict is not Verdict.REFUTED
    assert outcome.script is None
    assert "measure and plain text differ: «vectors» on 20 of 20 random draws" in outcome.why


def test_strong_rounding_errors_do_not_hide_a_weak_true_violation() -> None:
    def measure(x: Mapping[str, Any]) -> dict[str, Any]:
        square = (x["u"] ** 2).sum(axis=-1)
        factor = np.select([x["u"][:, 0] < -50, x["u"][:, 0] > 1], [1.2, 3.0], 1.0)  # 3.0 is the fast code's fault
        return {"lhs": factor * square, "k": square}

    def plain(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        square = sum(v * v for v in x["u"])
        return {"finite": True}, {"lhs": square * (Fraction(6, 5) if x["u"][0] < -50 else 1), "k": square}

    case = Case("vectors", Space((Signed("u", 1e-2, 1e2, (2,)),)), measure, ExactCheck(plain))
    outcome = run(Inequality(Bound(k + 0 * k), (case,)))
    assert outcome.verdict is Verdict.REFUTED


def test_without_an_exact_check_a_violation_stays_inconclusive() -> None:
    assert run(toy(0.5, exact=False)).verdict is Verdict.INCONCLUSIVE


def test_a_violation_whose_hypotheses_fail_exactly_never_refutes() -> None:
    test = toy(0.5)
    (case,) = test.cases

    def outside(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        _, constants = case.exact.function(x)
        return {"a hypothesis the fast code forgot": False}, constants

    outcome = run(Inequality(test.bound, (Case("outside", case.space, case.measure, ExactCheck(outside)),)))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "a hypothesis broken on all" in outcome.why


def test_hypotheses_that_never_hold_give_no_verdict() -> None:
    test = toy(1.0)
    (case,) = test.cases

    def never(x: Mapping[str, Any]) -> dict[str, Any]:
        return {**case.measure(x), "admissible": np.zeros(len(x["u"]), bool)}

    starved = Inequality(test.bound, (Case("never", case.space, never, case.exact),))
    outcome = run(starved)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "none of" in outcome.why


def claim(**changes: Any) -> Claim:
    fields: dict[str, Any] = {
        "id": "TOY",
        "kind": Kind.INEQUALITY,
        "at": "nowhere",
        "title": "toy",
        "printed": "x",
        "plainly": "x",
        "assumes": (),
        "readings": (Reading("as printed", "", toy(1.0)),),
        "mutants": (Mutant("half", toy(0.5), "attained"),),
    }
    return Claim(**{**fields, **changes})


def test_same_seed_and_budget_give_the_same_entry() -> None:
    one, two = check(claim(), budget=3000, seed=3), check(claim(), budget=3000, seed=3)
    assert {**one, "seconds": 0} == {**two, "seconds": 0}


def test_another_seed_visits_other_instances() -> None:
    def first_of_two(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["u"][:, 0] ** 2, "k": (x["u"] ** 2).sum(axis=-1)}

    cases = tuple(replace(c, measure=first_of_two, exact=None) for c in toy(1.0).cases)
    one, two = (
        run_test(replace(toy(1.0), cases=cases), claim_id="TOY", name="toy", budget=3000, seed=seed) for seed in (3, 4)
    )
    assert one.detail["histogram"] != two.detail["histogram"]


def test_a_mutant_that_survives_is_reported() -> None:
    entry = check(claim(mutants=(Mutant("not false at all", toy(1.0), "it is true"),)), budget=2000)
    assert entry["mutants"][0]["killed"] is False
    assert check(claim(), budget=2000)["mutants"][0]["killed"] is True


def test_claims_need_a_printed_reading_and_a_mutant() -> None:
    with pytest.raises(ValueError, match="no mutant"):
        claim(mutants=())
    with pytest.raises(ValueError, match="no reading of the print"):
        claim(readings=(Reading("a", "", toy(1.0), repair="condition"),))
    with pytest.raises(ValueError, match="repeat"):
        claim(readings=(Reading("a", "", toy(1.0)), Reading("a", "", toy(1.0))))
    with pytest.raises(ValueError, match="budget=5"):
        check(claim(), budget=5)


def test_checking_claims_never_loads_torch() -> None:
    code = "import sys, validation, validation.papers.papers as p; p.load_papers(); sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
