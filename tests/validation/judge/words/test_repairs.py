"""After a refutation: the smallest extras, every mechanism, single-token edits, symmetries, shrinking."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation import (
    Bound,
    Case,
    Cell,
    Claim,
    Inequality,
    Instance,
    LogScale,
    Mutant,
    Number,
    Signed,
    Simplex,
    Space,
    Switch,
    Verdict,
    check,
    permuted_clients,
    recomputed,
    rotated_space,
    split_client,
    symbols,
    units,
)
from validation.judge.repairs.edits import Edit, edits, measured_sample, survivors
from validation.judge.run import run_test
from validation.search.shrink import shrink, weight_of
from validation.statement.claim import ExactCheck, Kind, Property, Reading

mean, scale = symbols("mean scale")


def spread_measure(c: Instance) -> dict[str, Any]:
    """(Σ pᵢxᵢ)² against (1/n)Σ xᵢ²: true for equal shares, or for equal x; false in general."""
    n = c["x"].shape[-1]
    return {"lhs": (c["p"] * c["x"]).sum(axis=-1) ** 2, "mean": (c["x"] ** 2).sum(axis=-1) / n}


def spread_exact(c: Any) -> tuple[dict[str, bool], dict[str, Fraction]]:
    n = len(c["x"])
    lhs = sum((p * v for p, v in zip(c["p"], c["x"], strict=True)), Fraction(0)) ** 2
    mean = sum((v * v for v in c["x"]), Fraction(0)) / n
    return {"shares on the simplex": sum(c["p"]) == 1 and min(c["p"]) >= 0}, {"lhs": lhs, "mean": mean}


EQUAL_SHARES = Switch("equal shares", "pᵢ = 1/N", lambda c: {**c, "p": np.full_like(c["p"], 1 / c["p"].shape[-1])})
EQUAL_POINTS = Switch(
    "equal points", "all xᵢ alike", lambda c: {**c, "x": np.repeat(c["x"][:, :1], c["x"].shape[-1], 1)}
)
UNRELATED = Switch("positive points", "all xᵢ >= 0", lambda c: {**c, "x": np.abs(c["x"])})
SPREAD = Case(
    "three points", Space((Simplex("p", 3), Signed("x", 1e-2, 1e2, (3,)))), spread_measure, ExactCheck(spread_exact)
)


def claim(test: Inequality, **kwargs: Any) -> Claim:
    return Claim(
        id="TOY",
        kind=Kind.INEQUALITY,
        at="",
        title="",
        printed="",
        plainly="toy",
        assumes=(),
        readings=(Reading("as printed", "", test),),
        mutants=(Mutant("nothing left", replace(test, bound=Bound(mean * 0)), "positive left side"),),
        **kwargs,
    )


def test_every_smallest_set_of_extras_is_found_and_makes_it_an_unstated_condition() -> None:
    test = Inequality(Bound(mean), (SPREAD,), switches=(UNRELATED, EQUAL_SHARES, EQUAL_POINTS))
    entry = check(claim(test), budget=4000, seed=0)
    assert entry["verdict"] == "unstated-condition"
    (reading,) = entry["readings"]
    assert [s["switches"] for s in reading["restored_by"]] == [["equal shares"], ["equal points"]]
    assert "equal shares" in entry["why"]


def test_no_extra_that_helps_leaves_it_refuted() -> None:
    test = Inequality(Bound(mean), (SPREAD,), switches=(UNRELATED,))
    entry = check(claim(test), budget=4000, seed=0)
    assert entry["verdict"] == "refuted"
    assert entry["readings"][0]["restored_by"] == []


def two_mechanisms(c: Instance) -> dict[str, Any]:
    """a + b against 1: fails through a alone and through b alone."""
    return {"lhs": np.maximum(c["a"], c["b"]), "mean": np.ones(len(c["a"]))}


def two_exact(c: Any) -> tuple[dict[str, bool], dict[str, Fraction]]:
    return {}, {"lhs": max(c["a"], c["b"]), "mean": Fraction(1)}


def test_two_mechanisms_are_both_reported_with_a_witness_each(tmp_path: Path) -> None:
    space = Space((LogScale("a", 1e-3, 1e3), LogScale("b", 1e-3, 1e3)))
    small_a = Switch("small a", "a <= 1", lambda c: {**c, "a": np.minimum(c["a"], 1.0)})
    small_b = Switch("small b", "b <= 1", lambda c: {**c, "b": np.minimum(c["b"], 1.0)})
    case = Case("two ways", space, two_mechanisms, ExactCheck(two_exact))
    entry = check(claim(Inequality(Bound(mean), (case,), switches=(small_a, small_b))), budget=2000, seed=0)
    (reading,) = entry["readings"]
    assert [s["switches"] for s in reading["restored_by"]] == [["small a", "small b"]]
    assert {m["without"] for m in reading["mechanisms"]} == {"small a", "small b"}
    for mechanism in reading["mechanisms"]:
        script = tmp_path / Path(mechanism["counterexample"]).name
        script.write_text(mechanism["counterexample_source"])
        assert subprocess.run([sys.executable, "-I", str(script)], check=False, capture_output=True).returncode == 0


def test_a_lost_exponent_is_found_again() -> None:
    """(Σ pᵢxᵢ)² <= √… printed as max|x|: the square is lost, and its dimensions say so."""

    def measure(c: Instance) -> dict[str, Any]:
        return {"lhs": (c["p"] * c["x"]).sum(axis=-1) ** 2, "scale": np.abs(c["x"]).max(axis=-1)}

    def exact(c: Any) -> tuple[dict[str, bool], dict[str, Fraction]]:
        lhs = sum((p * v for p, v in zip(c["p"], c["x"], strict=True)), Fraction(0)) ** 2
        return {}, {"lhs": lhs, "scale": max(abs(v) for v in c["x"])}

    case = Case("points", SPREAD.space, measure, ExactCheck(exact))
    test = Inequality(Bound(scale, degrees={"scale": (0, 1)}), (case,), degrees=(0, 2))
    entry = check(
        replace(claim(test), mutants=(Mutant("0", Inequality(Bound(scale * 0), (case,)), "lhs > 0"),)), budget=4000
    )
    (reading,) = entry["readings"]
    assert reading["verdict"] == "refuted"
    assert reading["dimensions"] == {"left": [0, 2], "right": [[0, 1]], "consistent": False}
    assert "scale**2" in [e["formula"] for e in reading["edits"]]


def test_edits_keep_dimensions_and_never_repeat_the_print() -> None:
    a, b = symbols("a b")
    bound = Bound(a * b + a**2, degrees={"a": (1, 0), "b": (1, 0)})
    found = edits(bound, (2, 0))
    assert found
    assert all(e.bound.scaling() == {(2, 0)} for e in found if "Max" not in e.says)
    assert all(e.bound.expression != bound.expression for e in found)


def test_leading_points_of_another_size_are_no_points_of_a_case() -> None:
    rng = np.random.default_rng(0)
    for points in (np.zeros((1, SPREAD.space.n_cube)), np.zeros((1, SPREAD.space.n_cube + 1))):
        (measured,) = measured_sample([SPREAD], {SPREAD.name: points}, rng, 8)
        assert len(measured["lhs"]) == (17 if points.shape[1] == SPREAD.space.n_cube else 16)


def test_an_edit_of_a_sum_leaves_a_larger_sum_that_holds_it() -> None:
    a, b, d = symbols("a b d")
    found = {e.bound.expression for e in edits(Bound((a + b) * (a + b + d)), None)}
    assert {b * (a + b + d), (a + b) * (b + d)} <= found
    assert b * (b + d) not in found


def test_a_maximum_is_looked_through_only_when_its_edit_is_asked_for() -> None:
    a, b = symbols("a b", positive=True)
    found = {e.says: e for e in edits(Bound(sp.Max(a - b, 0) + b), None)}
    edit = next(e for says, e in found.items() if says.startswith("sign of -b changed"))
    assert edit.written.expression.has(sp.Max)
    assert edit.bound.expression == a + 2 * b
    # The positive part of b + Max(…, 0) is itself.
    assert not any(e.bound.expression == sp.Max(a - b, 0) + b for e in found.values())


def test_an_edit_that_divides_by_nothing_is_none() -> None:
    a, b = symbols("a b")
    found = edits(Bound(1 / (a - b), degrees={"a": (1, 0), "b": (1, 0)}), (-1, 0))  # «b for a» leaves 1/0
    assert found
    assert not any(e.bound.expression.has(sp.zoo) for e in found)


def test_an_edit_that_known_violations_refute_is_not_offered() -> None:
    """Twice the right side is still too little where shares are (1, 0, 0): three times is the truth."""
    entry = check(claim(Inequality(Bound(mean), (SPREAD,))), budget=4000, seed=0)
    offered = [e["says"] for e in entry["readings"][0]["edits"]]
    assert any("factor 3" in says for says in offered)
    assert not any("factor 2 " in says for says in offered)


def quadratic(c: Instance) -> dict[str, Any]:
    inner = np.einsum("nci,ncij,ncj->nc", c["w"], c["A"], c["w"])
    return {"lhs": (c["p"] * inner).sum(axis=-1), "mean": inner.max(axis=-1)}


def general(c: Instance) -> Instance:
    return {**c, "A": c["B"] @ np.swapaxes(c["B"], -1, -2)}


SQUARES = Case(
    "squares",
    Space((Simplex("p", 3), Signed("w", 1e-2, 1e2, (3, 2)), Signed("A", 1e-2, 1e2, (3, 2, 2)))),
    quadratic,
    None,
    symmetries=(
        permuted_clients({"p": 0, "w": 0, "A": 0}),
        split_client({"p": 0, "w": 0, "A": 0}, shares=("p",)),
        rotated_space(("w",), ("A",)),
        units({"w": (0, 1), "A": (1, -2)}),
    ),
)
DEGREES = {"mean": (1, 0)}


def test_the_largest_of_three_is_looked_at_whole_and_measures_stay_as_they_are() -> None:
    a, b, c = symbols("a b c")
    measured = [{"lhs": np.asarray([2.5]), "a": np.asarray([1.0]), "b": np.asarray([2.0]), "c": np.asarray([3.0])}]
    below, above = Edit("largest", Bound(sp.Max(a, b, c))), Edit("smallest", Bound(sp.Min(a, b, c)))
    assert [edit.says for edit, _ in survivors([below, above], measured, 5)] == ["largest"]
    assert [float(measured[0][name][0]) for name in "abc"] == [1.0, 2.0, 3.0]


def test_sound_measurements_keep_every_symmetry() -> None:
    test = Inequality(Bound(mean, degrees=DEGREES), (SQUARES,), degrees=(1, 0))
    entry = check(claim(test), budget=1000)
    found = entry["readings"][0]["symmetries"]
    assert len(found) == 4
    assert all(s["holds"] for s in found), found
    # The measurement is sound; but its two sides tie, and no exact check says on which side of the bound.
    assert "not sound" not in entry["why"]
    assert entry["verdict"] == "inconclusive"
    assert "no exact side" in entry["why"]


@pytest.mark.parametrize(
    "broken",
    [
        lambda c: {**quadratic(c), "lhs": quadratic(c)["lhs"] + c["w"][:, 0, 0] * 0.1},  # names and axes matter
        lambda c: {**quadratic(c), "mean": quadratic(c)["mean"] + 1.0},  # a constant without units
        lambda c: {**quadratic(c), "mean": quadratic(c)["mean"] * c["p"].shape[-1]},  # counts clients
    ],
)
def test_a_measurement_with_mixed_up_units_or_indices_is_never_trusted(broken: Any) -> None:
    test = Inequality(Bound(mean, degrees=DEGREES), (replace(SQUARES, measure=broken),), degrees=(1, 0))
    entry = check(claim(test), budget=1000)
    assert entry["verdict"] == "inconclusive"
    assert "not sound" in entry["why"]


def test_shrinking_ends_at_small_numbers_and_keeps_the_violation() -> None:
    start = {
        "p": [Fraction(7, 10), Fraction(2, 10), Fraction(1, 10)],
        "x": [Fraction(731, 37), Fraction(1), Fraction(-3, 7)],
    }

    def violates(c: Any) -> bool:
        _, found = spread_exact(c)
        return found["lhs"] > found["mean"] and sum(c["p"]) == 1

    assert violates(start)
    small = shrink(SPREAD.space, start, violates)
    assert violates(small)
    assert weight_of(small) < weight_of(start) / 2
    assert small["x"].count(0) == 2


def test_the_exact_recheck_of_a_users_own_measure() -> None:
    exact = recomputed(spread_measure)
    instance = {"p": [Fraction(1), Fraction(0), Fraction(0)], "x": [Fraction(1, 3), Fraction(0), Fraction(0)]}
    _, found = exact.function(instance)
    assert found == {"lhs": Fraction(1, 9), "mean": Fraction(1, 27)}
    with pytest.raises(TypeError, match="no exact version"):
        recomputed(lambda c: {"lhs": np.arctan(c["x"]).sum(axis=-1)}).function(instance)
    outcome = run_test(
        Inequality(Bound(mean), (replace(SPREAD, exact=exact),)), claim_id="T", name="t", budget=1000, seed=0
    )
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.script is None


def two_thirds() -> Fraction:
    """2/3, the share of the larger of two clients with data 2 : 1."""
    return Fraction(2, 3)


@pytest.mark.parametrize(("printed", "verdict"), [("0.667", Verdict.HOLDS), ("0.676", Verdict.REFUTED)])
def test_printed_numbers_are_compared_within_what_the_print_leaves_open(
    printed: str, verdict: Verdict, tmp_path: Path
) -> None:
    number = Number(Cell(printed, "Table 1"), two_thirds, Fraction(1, 2000), "half a unit of the last digit")
    outcome = run_test(number, claim_id="T", name="t", budget=100, seed=0)
    assert outcome.verdict is verdict
    if outcome.script is not None:
        script = tmp_path / "s.py"
        script.write_text(outcome.script)
        result = subprocess.run([sys.executable, "-I", str(script)], check=False, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        assert "violated" in result.stdout
    with pytest.raises(ValueError, match="must be >= 0"):
        replace(number, tolerance=Fraction(-1))


def above_one(c: Instance) -> dict[str, Any]:
    return {"lhs": c["a"] - 1}


def above_one_exact(c: Any) -> tuple[dict[str, bool], dict[str, Fraction]]:
    return {}, {"lhs": c["a"] - 1}


@pytest.mark.parametrize(("high", "verdict"), [(1.0, Verdict.HOLDS), (1.5, Verdict.REFUTED)])
def test_a_property_is_had_by_all_or_refuted_by_one(high: float, verdict: Verdict, tmp_path: Path) -> None:
    case = Case("numbers", Space((LogScale("a", 1e-2, high),)), above_one, ExactCheck(above_one_exact))
    outcome = run_test(Property((case,)), claim_id="T", name="t", budget=500, seed=0)
    assert outcome.verdict is verdict
    if outcome.script is not None:
        script = tmp_path / "s.py"
        script.write_text(outcome.script)
        assert subprocess.run([sys.executable, "-I", str(script)], check=False, capture_output=True).returncode == 0
    assert (outcome.script is not None) == (verdict is Verdict.REFUTED)
