"""Statements in expectation on rare events, which replicas do not see and exact means do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.validation.judge.forms.test_expectation import judged
from validation import Bound, Space, Uniform, Verdict, symbols
from validation.statement.claim import ExactCheck
from validation.statement.forms.expectation import Expectation, SampledCase

ceiling, one = symbols("ceiling one")

# What happens once in ten million replicas: E[lhs] = u, though every replica that is drawn shows 0.

_ONCE_IN = 10**7


def rarely_exactly(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """u/q with chance q, else 0."""
    return {}, {"lhs": x["u"] / _ONCE_IN * _ONCE_IN, "ceiling": Fraction(5, 6), "one": Fraction(1)}


def rarely_in_floats(x: Any) -> dict[str, Any]:
    return {"lhs": x["u"], "ceiling": np.full_like(x["u"], 5 / 6), "one": np.ones_like(x["u"])}


def rare(*, exact: bool, mean: bool = False) -> SampledCase:
    return SampledCase(
        "rare",
        Space((Uniform("u", 0.0, 1.0),)),
        lambda x, rng, n: {"lhs": np.where(rng.random(n) * _ONCE_IN < 1, x["u"] * _ONCE_IN, 0.0)},
        support=lambda x: (0.0, float(x["u"]) * _ONCE_IN),
        constants=lambda x: {"ceiling": 5 / 6, "one": 1.0},
        exact=ExactCheck(rarely_exactly) if exact else None,
        mean=rarely_in_floats if mean else None,
    )


@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("budget", [1000, 40_000])
def test_a_rare_event_on_a_sixth_of_the_volume_refutes_by_its_exact_mean(budget: int, *, mean: bool) -> None:
    outcome = judged(Expectation(Bound(ceiling), (rare(exact=True, mean=mean),)), budget=budget)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness.lhs > Fraction(5, 6) == outcome.witness.rhs


@pytest.mark.parametrize("mean", [False, True])
def test_its_true_twin_holds_with_the_exact_ratio(*, mean: bool) -> None:
    outcome = judged(Expectation(Bound(one), (rare(exact=True, mean=mean),)), budget=4000)
    assert outcome.verdict is Verdict.HOLDS
    assert "exact means on 40 of 40 instances" in outcome.why
    assert 0.9 < outcome.worst_ratio <= 1


def test_exact_means_that_are_beyond_the_limits_leave_a_statement_open() -> None:
    def endless(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
        return {}, {"lhs": (1 + x["u"] / 2) ** -(10**6), "one": Fraction(1)}

    case = replace(rare(exact=True), exact=ExactCheck(endless), support=lambda x: (0.0, 1e-3))
    case = replace(case, sample=lambda x, rng, n: {"lhs": np.zeros(n)})
    outcome = judged(Expectation(Bound(one), (case,)), budget=4000)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "exact arithmetic decides too few means (exact means on" in outcome.why
    assert "recheck beyond 2,000 digits" in outcome.why


def test_a_mean_in_floats_needs_an_exact_one() -> None:
    with pytest.raises(ValueError, match="refutes nothing; give exact, too"):
        rare(exact=False, mean=True)
