"""When a search without a violation does not earn `holds`, and which candidate becomes the counterexample shown."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Inequality, Instance, Space, Uniform, Verdict, symbols
from validation.judge.exact.audit import Audit, Group, doubt
from validation.judge.exact.certify import Certification, Said, certify, decide, telling
from validation.judge.inequalities import unexercised
from validation.judge.run import run_test
from validation.search.sample import Counts
from validation.search.seen import Search
from validation.statement.claim import ExactCheck

x = symbols("x")
BOUND = Bound(x)


def twice(c: Instance) -> Mapping[str, Any]:
    return {"lhs": 2 * c["u"], "x": c["u"]}


def exactly(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {}, {"lhs": 2 * c["u"], "x": c["u"]}


def only_a_third(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {"u is 1/3": c["u"] == Fraction(1, 3)}, {"lhs": c["u"] / 2, "x": c["u"]}


def case(exact: ExactCheck) -> Case:
    return Case("u", Space((Uniform("u", 0.0, 1.0),)), twice, exact)


def said(counts: Counts, groups: Mapping[str, Group], *, ratio: float = 0.5, topped: bool = True) -> str | None:
    found = Search(counts)
    found.worst, found.worst_ratio = (case(ExactCheck(exactly)), np.asarray([0.5])), ratio
    return doubt(counts, found, Certification(None), Audit(None, groups, topped=topped))


LEADERS = {"leaders": Group({Said.MET: 4})}


def test_a_plain_search_leaves_no_doubt() -> None:
    assert said(Counts(decided=10_000), LEADERS) is None


@pytest.mark.parametrize("ratio", [1 + 1e-12, 1.5, 30.0])
def test_a_ratio_above_1_that_was_not_decided_exactly_is_a_doubt(ratio: float) -> None:
    words = said(Counts(decided=10_000), LEADERS, ratio=ratio, topped=False)
    assert words is not None
    assert "is above 1 and was not decided exactly" in words
    assert said(Counts(decided=10_000), LEADERS, ratio=ratio, topped=True) is None


@pytest.mark.parametrize(
    ("ratio", "met", "undecided", "enough"),
    [(1 + 1e-12, 8, 8, True), (1 + 1e-12, 7, 8, False), (1 + 1e-12, 0, 1, False), (1 + 1e-8, 16, 0, False)],
)
def test_a_tie_that_cannot_be_decided_stands_for_no_more_than_the_others(
    ratio: float, met: int, undecided: int, enough: bool
) -> None:
    groups = LEADERS | {"ties": Group({Said.MET: met, Said.UNDECIDED: undecided})}
    assert (said(Counts(decided=10_000, tie=2), groups, ratio=ratio, topped=False) is None) is enough


def test_a_hypothesis_broken_wherever_it_was_looked_at_exactly_is_a_doubt() -> None:
    words = said(Counts(decided=10_000), {"leaders": Group({Said.OUTSIDE: 4})})
    assert words == "exact arithmetic finds a hypothesis broken on all 4 draws that it re-checked"
    assert said(Counts(decided=10_000), {"leaders": Group({Said.OUTSIDE: 4, Said.MET: 1})}) is None


@pytest.mark.parametrize("squarings", [9, 11])
def test_ties_whose_numbers_are_long_are_decided_at_length_where_too_few_are(squarings: int) -> None:
    def long(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
        power = c["u"]
        for _ in range(squarings):
            power = power * power
        return {}, {"lhs": c["u"] + power - power, "x": c["u"]}

    tied = Case("long", Space((Uniform("u", 0.51, 0.515),)), lambda c: {"lhs": c["u"], "x": c["u"]}, ExactCheck(long))
    found = run_test(Inequality(BOUND, (tied,)), claim_id="X-1", name="", budget=500, seed=0)
    assert found.verdict == Verdict.HOLDS, found.why


@pytest.mark.parametrize("moved", [False, True])
def test_a_left_side_of_0_throughout_is_not_excused_by_both_being_0_once(moved: bool) -> None:
    words = unexercised(Counts(decided=5, tie=1, idle=5), Audit(None, {}, moved=moved))
    told = "not exercised: the left side is 0 and the right side positive on all 6 draws, or both are 0 on 1 of them"
    assert words == (None if moved else told)
    assert unexercised(Counts(tie=6), Audit(None, {})) is None  # an identity, 0 = 0 everywhere


@pytest.mark.parametrize("met", [False, True])
def test_a_case_whose_hypothesis_is_never_met_exactly_does_not_hide_beside_a_true_one(met: bool) -> None:
    space = Space((Uniform("u", 0.1, 1.0),))

    def half(c: Instance) -> Mapping[str, Any]:
        return {"lhs": c["u"] / 2, "x": c["u"]}

    def only(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
        return {"as floats say": met}, half(c)

    true = Case("true", space, half, ExactCheck(lambda c: ({}, half(c))))
    found = run_test(
        Inequality(BOUND, (true, Case("other", space, half, ExactCheck(only)))),
        claim_id="X-1",
        name="",
        budget=4_000,
        seed=0,
    )
    assert (found.verdict == Verdict.HOLDS) is met
    assert ("of 'other' that it re-checked" in found.why) is not met


@pytest.mark.parametrize(("beyond", "enough"), [(99, True), (150, False), (5_000, False)])
def test_more_than_a_hundredth_of_the_draws_beyond_floats_ask_for_another_space(beyond: int, enough: bool) -> None:
    groups = LEADERS | {"beyond floats": Group({Said.MET: 64})}
    words = said(Counts(decided=10_000 - beyond, beyond=beyond), groups)
    assert (words is None) is enough
    if not enough:
        assert words == f"{beyond:,} of 10,000 draws are beyond floats; rescale the space"


@pytest.mark.parametrize(("beyond", "enough"), [(99, True), (101, False)])
def test_where_there_are_many_random_draws_they_alone_tell_how_many_are_beyond_floats(
    beyond: int, enough: bool
) -> None:
    """Climbs that crowd beyond floats say nothing of the space, and many of them hide no space that is beyond."""
    groups = LEADERS | {"beyond floats": Group({Said.MET: 64})}
    crowded = Counts(decided=40_000, beyond=9_000, random=10_000, random_beyond=beyond)
    words = said(crowded, groups)
    assert (words is None) is enough
    assert enough or words == f"{beyond:,} of 10,000 random draws are beyond floats; rescale the space"
    few = Counts(decided=40_000, beyond=9_000, random=199, random_beyond=0)
    assert said(few, groups) == "9,000 of 49,000 draws are beyond floats; rescale the space"


def test_draws_without_a_value_block_nothing() -> None:
    groups = LEADERS | {"beyond floats": Group({Said.UNDEFINED: 60, Said.OUTSIDE: 4})}
    assert said(Counts(decided=5_000, beyond=5_000), groups) is None


def test_a_coarse_rounding_that_meets_a_hypothesis_is_another_instance() -> None:
    of, near = case(ExactCheck(only_a_third)), np.asarray([0.33334])
    assert decide(BOUND, of, np.asarray([1 / 3])).said is Said.MET  # broken by the rounding of a float alone
    assert decide(BOUND, of, near).said is Said.UNDECIDED
    assert decide(BOUND, of, np.asarray([0.7])).said is Said.OUTSIDE


def two_windows(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    inside = Fraction(123, 200) <= c["u"] <= Fraction(31, 50) or Fraction(7, 10) <= c["u"] <= Fraction(4, 5)
    return {"u in a window": inside}, {"lhs": 2 * c["u"], "x": c["u"]}


def test_of_the_candidates_the_one_with_the_simplest_numbers_is_shown() -> None:
    of, found = case(ExactCheck(two_windows)), Search()
    found.witnesses = [(of, np.asarray([u]), 0.4 - u / 10, "random") for u in (0.6171, 0.74, 0.6199)]
    first = certify(BOUND, found, 0, "t", shrinking=False).witness  # nobody reads it: the leader by excess will do
    assert first is not None
    assert first.instance["u"] == Fraction(8, 13)
    witness = certify(BOUND, found, 0, "t").witness
    assert witness is not None
    assert witness.instance["u"] == Fraction(3, 4)
    assert (witness.lhs, witness.rhs) == (Fraction(3, 2), Fraction(3, 4))


def nearly_below_a_half(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    u = c["u"]
    return {"u > 0": u > 0}, {"lhs": u * (1 + 2 * abs(u - Fraction(1, 2)) + Fraction(1, 100)), "x": u}


def by_one_percent(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    return {"u > 0": c["u"] > 0}, {"lhs": c["u"] * Fraction(101, 100), "x": c["u"]}


def test_simple_numbers_do_not_cost_a_violation_that_a_reader_sees() -> None:
    of, found = case(ExactCheck(nearly_below_a_half)), Search()  # ratio 1.01 at u = 1/2, above it elsewhere
    found.witnesses = [(of, np.asarray([u]), 0.1, "random") for u in (0.499, 0.55)]
    witness = certify(BOUND, found, 0, "t").witness
    assert witness is not None
    assert telling(witness.lhs, witness.rhs)
    found.witnesses = [(case(ExactCheck(by_one_percent)), np.asarray([0.499]), 0.1, "random")]
    small = certify(BOUND, found, 0, "t").witness
    assert small is not None  # nothing telling anywhere: the small one counts
    assert not telling(small.lhs, small.rhs)


def test_the_ratio_of_a_refuted_statement_is_that_of_its_sides() -> None:
    test = Inequality(BOUND, (case(ExactCheck(exactly)),))
    outcome = run_test(test, claim_id="T", name="t", budget=200, seed=0)
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.worst_ratio == 2
