"""Draws that a measure leaves out: hidden violations are found, hidden instances are told, true hypotheses are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Inequality, Instance, LogScale, Space, Switch, Uniform, Verdict, symbols
from validation.judge.exact.certify import Said
from validation.judge.exact.outside import LeftOut, left_out
from validation.judge.repairs.switches import switched
from validation.judge.run import run_test
from validation.search.sample import Kept
from validation.statement.claim import ExactCheck
from validation.statement.outcome import Outcome

x = symbols("x")
BOUND = Bound(1 * x)
Hypotheses = Callable[[Mapping[str, Any]], Mapping[str, bool]]


def judged(left: Callable[[Any], Any], admitted: Callable[[Any], Any], hypotheses: Hypotheses, **how: Any) -> Outcome:
    """left(u) <= u for u in [0, 1], at draws that the measure admits, under exact hypotheses."""

    def measure(c: Instance) -> Mapping[str, Any]:
        return {"lhs": left(c["u"]), "x": c["u"], "admissible": admitted(c["u"])}

    def exactly(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
        return hypotheses(c), {"lhs": left(c["u"]), "x": c["u"]}

    space = Space((Uniform("u", 0.0, 1.0), LogScale("v", 1e-3, 1e3)))
    test = Inequality(Bound(x), (Case("u", space, measure, ExactCheck(exactly)),))
    return run_test(test, claim_id="T", name="t", budget=600, seed=3, **how)


@pytest.mark.parametrize("shown", [True, False])
def test_a_measure_that_leaves_out_what_violates_hides_nothing(shown: bool) -> None:
    found = judged(lambda u: u * u * 2, lambda u: u * u * 2 <= u, lambda c: {}, shown=shown)
    assert found.verdict is Verdict.REFUTED
    assert found.stage == "exact recheck of draws that the measure leaves out"
    assert found.witness is not None
    assert found.witness.lhs > found.witness.rhs
    assert "perturbations" not in found.why


def test_a_measure_that_admits_nothing_hides_no_violation() -> None:
    nothing = judged(lambda u: u + 1, lambda u: u < 0, lambda c: {})
    assert nothing.verdict is Verdict.REFUTED


def test_nothing_admitted_stays_undecided_where_the_statement_is_true() -> None:
    found = judged(lambda u: u / 2, lambda u: u < 0, lambda c: {})
    assert found.verdict is Verdict.INCONCLUSIVE
    assert "met the hypotheses, so nothing was tested; 4 of 4 draws that the measure leaves out meet" in found.why


def test_what_a_guard_leaves_out_stands_beside_holds() -> None:
    found = judged(lambda u: u / 2, lambda u: u > 0.5, lambda c: {})
    assert found.verdict is Verdict.HOLDS
    assert found.why.endswith("4 of 4 draws that the measure leaves out meet the exact hypotheses and the statement")
    assert found.detail["draws"]["exactly"]["left out by the measure"] == {"met": 4}


def test_a_hypothesis_that_both_sides_have_is_no_matter() -> None:
    met = {"u above 1/2": 0.5}
    found = judged(lambda u: 3 * u - 1, lambda u: u <= 0.5, lambda c: {"u at most 1/2": 2 * c["u"] <= 1})
    assert found.verdict is Verdict.HOLDS, met
    assert "leaves out" not in found.why
    assert found.detail["draws"]["exactly"]["left out by the measure"] == {"outside": 4}


def test_an_exact_side_that_raises_outside_decides_nothing() -> None:
    def raising(c: Mapping[str, Any]) -> Mapping[str, bool]:
        if 2 * c["u"] > 1:
            raise ValueError("u beyond 1/2")
        return {}

    found = judged(lambda u: 3 * u - 1, lambda u: u <= 0.5, raising)
    assert found.verdict is Verdict.HOLDS
    assert found.detail["draws"]["exactly"]["left out by the measure"] == {"undecided": 1}


@pytest.mark.parametrize(
    ("said", "doubted"),
    [
        ({Said.MET: 1, Said.UNDECIDED: 3}, True),
        ({Said.MET: 2, Said.UNDECIDED: 2}, False),
        ({Said.OUTSIDE: 1, Said.UNDECIDED: 3}, False),
        ({Said.MET: 4}, False),
    ],
)
def test_draws_left_out_are_a_doubt_where_some_should_not_be_and_most_cannot_be_decided(
    said: Mapping[Said, int], doubted: bool
) -> None:
    assert (LeftOut(None, {"a case": said}).doubt is not None) is doubted


def test_rounding_at_the_edge_of_a_hypothesis_is_not_told() -> None:
    found = judged(
        lambda u: 3 * u - 1,
        lambda u: u <= 0.5 - np.finfo(np.float64).eps,
        lambda c: {"u at most 1/2": 2 * c["u"] <= 1},
    )
    assert found.verdict is Verdict.HOLDS
    assert "leaves out" not in found.why


def rows(space: Space, n: int, *, admitted: Callable[[Any], Any] = lambda u: u < 0) -> list[Kept]:
    """Draws 1/3 of a case, of which each has another name."""

    def measure(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"], "x": c["u"], "admissible": admitted(c["u"])}

    exact = ExactCheck(lambda c: ({}, {"lhs": c["u"], "x": c["u"]}))
    return [Kept(Case(f"case {i}", space, measure, exact), np.asarray([1 / 3])) for i in range(n)]


def test_no_more_is_decided_than_a_twentieth_of_the_evaluations_pays_for() -> None:
    space = Space((Uniform("u", 0.0, 1.0),))
    assert len(left_out(BOUND, rows(space, 9), 1000.0).of) == 9
    assert len(left_out(BOUND, rows(space, 9), 60.0).of) == 4  # 3, and the one that overdraws it


def test_what_the_measure_admits_once_it_is_rounded_was_not_left_out() -> None:
    (row,) = rows(Space((Uniform("u", 0.0, 1.0),)), 1, admitted=lambda u: u == 0.5)
    assert left_out(BOUND, [replace(row, cube=np.asarray([0.5 + 1e-12]))], 1000.0).of == {}
    assert left_out(BOUND, [replace(row, cube=np.asarray([0.25]))], 1000.0).of == {"case 0": {Said.MET: 1}}


def test_a_rounding_that_loses_an_extra_is_no_draw() -> None:
    extra = Switch("off the grid", "u is no third", lambda x: {**x, "u": np.where(x["u"] == 1 / 3, 0.25, x["u"])})
    test = Inequality(BOUND, tuple(row.case for row in rows(Space((Uniform("u", 0.0, 1.0),)), 1)))
    (case,) = switched(test, (extra,)).cases
    assert isinstance(case, Case)
    assert left_out(BOUND, [Kept(case, np.asarray([0.5]))], 1000.0).of == {"case 0": {Said.MET: 1}}
    assert left_out(BOUND, [Kept(case, np.asarray([1 / 3 + 1e-12]))], 1000.0).of == {}
