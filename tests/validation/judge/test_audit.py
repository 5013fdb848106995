"""What exact arithmetic is asked about the draws a verdict rests on, and how much of it may stay open."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validation import (
    Bound,
    Case,
    Inequality,
    Instance,
    Space,
    Uniform,
    Verdict,
    assert_holds,
    find_counterexample,
    symbols,
)
from validation.judge.exact.audit import audited, doubt
from validation.judge.exact.certify import Certification
from validation.judge.inequalities import judge
from validation.judge.run import run_test
from validation.search.sample import Counts, Kept
from validation.search.search import search
from validation.search.seen import Search
from validation.statement.claim import ExactCheck

x = symbols("x")
BOUND = Bound(x)


def sides(c: Instance) -> Mapping[str, Any]:
    return {"lhs": 0.5 * c["u"], "x": c["u"]}


def long_numbers(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A side whose exact value has more digits than a recheck may have, for every rounding of u."""
    return {}, {"lhs": Fraction(1, 3 + int(c["u"])) ** 200_000, "x": c["u"]}


def plain(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, {"lhs": c["u"] / 2, "x": c["u"]}


def case(exact: ExactCheck | None) -> Case:
    return Case("u", Space((Uniform("u", 0.25, 1.0),)), sides, exact)


def searched(exact: ExactCheck | None, *, beyond: int, decided: int) -> Search:
    """A search with so many draws of each class; of those beyond floats at most 64 are kept, as always."""
    of = case(exact)
    kept = [Kept(of, np.asarray([i / 65])) for i in range(min(beyond, 64))]
    leader = Kept(case(ExactCheck(plain)), np.asarray([0.5]), ratio=0.5)
    found = Search(Counts(decided=decided, beyond=beyond), stages={"random": decided + beyond}, beyond=kept)
    found.worst, found.worst_ratio, found.leaders = (leader.case, leader.cube), 0.5, [leader]
    return found


@pytest.mark.parametrize(
    ("exact", "beyond", "decided", "enough"),
    [
        (ExactCheck(long_numbers), 1, 10_000, True),  # one long run of thousands says nothing either way
        (ExactCheck(long_numbers), 3, 10_000, True),
        (ExactCheck(long_numbers), 4, 10_000, False),
        (ExactCheck(long_numbers), 40, 1_000_000, True),  # the same rarity at a larger budget
        (ExactCheck(long_numbers), 400, 1_000_000, False),
        (ExactCheck(plain), 64, 10_000, True),
        (None, 1, 10_000, False),  # without an exact side nothing could ever be decided
    ],
)
def test_a_few_draws_beyond_floats_may_stay_open(exact: ExactCheck, beyond: int, decided: int, enough: bool) -> None:
    found = searched(exact, beyond=beyond, decided=decided)
    words = doubt(found.counts, found, Certification(None), audited(BOUND, found))
    assert (words is None) is enough, words
    if not enough:
        assert "beyond floats, and exact arithmetic decides too few" in words


def test_a_short_look_counts_what_it_leaves_out() -> None:
    found = searched(ExactCheck(plain), beyond=40, decided=10_000)
    assert audited(BOUND, found).groups["beyond floats"].looked == 40
    group = audited(BOUND, found, most=6).groups["beyond floats"]
    assert (group.looked, group.left_out) == (6, 34)


def test_what_stays_open_is_said() -> None:
    found = searched(ExactCheck(long_numbers), beyond=2, decided=10_000)
    outcome = judge(Inequality(BOUND, (case(ExactCheck(long_numbers)),)), found, "T", "t", "", 0, "t")
    assert outcome.verdict is Verdict.HOLDS
    assert "2 draws beyond floats, 0 of them decided exactly, 0 without a value" in outcome.why
    assert ", 1 undecided (recheck beyond 2,000 digits)" in outcome.why


@pytest.mark.parametrize("budget", [0, -5])
def test_what_was_never_tried_holds_of_nothing(budget: int) -> None:
    test = Inequality(BOUND, (case(ExactCheck(plain)),))
    asked = {
        "run_test": lambda: run_test(test, claim_id="T", name="t", budget=budget, seed=0),
        "assert_holds": lambda: assert_holds(test, budget=budget),
        "find_counterexample": lambda: find_counterexample(test, budget=budget),
        "search": lambda: search(test, budget=budget, seed=0, label="t"),
    }
    for name, ask in asked.items():
        with pytest.raises(ValueError, match=rf"^{name}\(budget={budget}\): expected at least 1 evaluation"):
            ask()


@pytest.mark.parametrize(
    ("exact", "reason"), [(ExactCheck(plain), "draws are beyond floats; rescale the space"), (None, "no exact side")]
)
def test_a_measure_that_is_nan_everywhere_does_not_blame_the_hypotheses(exact: ExactCheck | None, reason: str) -> None:
    def nowhere(c: Instance) -> Mapping[str, Any]:
        return {"lhs": np.full_like(c["u"], np.nan), "x": c["u"]}

    test = Inequality(BOUND, (Case("u", Space((Uniform("u", 0.25, 1.0),)), nowhere, exact),))
    outcome = run_test(test, claim_id="T", name="t", budget=300, seed=0)
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert outcome.admissible == outcome.instances > 0
    assert reason in outcome.why
    assert "hypothes" not in outcome.why
