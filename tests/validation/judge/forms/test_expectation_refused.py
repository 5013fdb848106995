"""Statements in expectation that are left open or refused: supports, samplers and hypotheses that do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.validation.judge.forms.test_expectation import (
    A2,
    AVERAGED,
    averaged,
    averaged_exactly,
    coins,
    judged,
    lottery,
    one,
)
from validation import Bound, Verdict
from validation.statement.claim import ExactCheck
from validation.statement.forms.expectation import Expectation


def test_a_support_that_is_not_kept_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"the left side is 60, outside its support \[0, 50\]"):
        judged(Expectation(Bound(one), (lottery(win=60.0),)))
    wrong = replace(coins(0.5), rhs_support=lambda _: (0.0, 1.5))
    with pytest.raises(ValueError, match=r"the right side is 2, outside its support \[0, 1.5\]"):
        judged(Expectation(Bound(one), (wrong,), random_rhs="expectation"))


def test_a_biased_sampler_never_refutes_what_exact_arithmetic_does_not() -> None:
    outcome = judged(Expectation(Bound(A2), (averaged(shared=False, exact=AVERAGED, bias=0.2),)))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "exact arithmetic finds no violation where" in outcome.why
    assert outcome.script is None


def test_hypotheses_that_fail_exactly_leave_it_open() -> None:
    def outside(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        return {"forgotten": False}, averaged_exactly(x)[1]

    outcome = judged(Expectation(Bound(A2), (averaged(shared=True, exact=ExactCheck(outside)),)))
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "could not decide" in outcome.why


@pytest.mark.parametrize("met", [False, True])
def test_a_bound_with_room_does_not_hold_where_its_hypothesis_is_never_met_exactly(met: bool) -> None:
    def exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        return {"as the sampler has it": met}, averaged_exactly(x)[1]

    outcome = judged(Expectation(Bound(2 * A2), (averaged(shared=False, exact=ExactCheck(exactly)),)))
    assert outcome.verdict is (Verdict.HOLDS if met else Verdict.INCONCLUSIVE)
    assert ("on every draw that it re-checked" in outcome.why) is not met


def test_draws_that_miss_a_hypothesis_do_not_count() -> None:
    case = averaged(shared=True)
    half = replace(case, constants=lambda x: {**case.constants(x), "admissible": x["weights"].max() > 0.999})
    outcome = judged(Expectation(Bound(2 * A2), (half,)))
    assert outcome.verdict is Verdict.HOLDS  # one client with all the weight: both sides differ by the factor alone
    assert 0 < outcome.admissible < outcome.instances
    never = replace(case, constants=lambda x: {**case.constants(x), "admissible": False})
    starved = judged(Expectation(Bound(A2), (never,)))
    assert starved.verdict is Verdict.INCONCLUSIVE
    assert "none of" in starved.why


def test_what_a_case_leaves_out_or_gives_twice_is_named() -> None:
    case = averaged(shared=False)
    with pytest.raises(ValueError, match="neither sample\\(\\) nor constants\\(\\) gives one"):
        judged(Expectation(Bound(A2 + one), (case,)))
    with pytest.raises(ValueError, match="but random_rhs is 'none'"):
        judged(Expectation(Bound(one), (coins(0.5),)))
    with pytest.raises(ValueError, match="draws nothing of the bound"):
        judged(Expectation(Bound(A2), (case,), random_rhs="pathwise"))
    twice = replace(coins(0.5), constants=lambda _: {"one": 1.0})
    with pytest.raises(ValueError, match="both give one"):
        judged(Expectation(Bound(one), (twice,), random_rhs="expectation"))
    short = replace(case, sample=lambda _x, _rng, n: {"lhs": np.zeros(n - 1)})
    with pytest.raises(ValueError, match="expected 64 finite values"):
        judged(Expectation(Bound(A2), (short,)))
    curved = replace(coins(0.1), exact=ExactCheck(lambda _: ({}, {"lhs": Fraction(3, 2), "one": Fraction(1)})))
    curved = replace(curved, rhs_support=lambda _: (0.5, 2.0))
    with pytest.raises(ValueError, match="not affine in one"):
        judged(Expectation(Bound(one**2 / 2), (curved,), random_rhs="expectation"))


def test_arguments_out_of_range_are_refused() -> None:
    case = averaged(shared=False)
    for change, words in (
        ({"random_rhs": "mean"}, "expected one of none"),
        ({"miscoverage": 1.0}, r"in \(0, 1\)"),
        ({"margin": -0.1}, r"in \[0, 1\)"),
        ({"cases": ()}, "one or more cases"),
        ({"cases": (case, case)}, "different names"),
        ({"random_rhs": "expectation"}, "has no rhs_support"),
    ):
        with pytest.raises(ValueError, match=words):
            replace(Expectation(Bound(A2), (case,)), **change)  # type: ignore[arg-type]
