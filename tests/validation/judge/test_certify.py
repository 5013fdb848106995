"""Which candidate is shown and how it is described: order, margins, ties, decisions that are not asked again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Bound, Case, Simplex, Space, Uniform, symbols
from validation.judge.exact.certify import Decision, FirstWitness, Said, certify, decide, robustness, telling
from validation.search.seen import Search
from validation.statement.claim import ExactCheck

x = symbols("x")
BOUND = Bound(1 * x)


def twice(c: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": 2 * c["u"], "x": c["u"]}


def case(name: str = "u", exactly: Any = twice, more: tuple[Any, ...] = ()) -> Case:
    return Case(name, Space((Uniform("u", 0.0, 1.0), *more)), twice, ExactCheck(lambda c: ({}, exactly(c))))


def test_a_violation_is_told_by_its_size_also_below_0() -> None:
    assert telling(Fraction(-90), Fraction(-100))
    assert not telling(Fraction(-91), Fraction(-100))


def test_nothing_against_nothing_has_no_ratio() -> None:
    assert Decision(Said.MET, {}, Fraction(0), Fraction(0)).ratio is None


def test_the_first_witness_is_of_the_smallest_case() -> None:
    small, large = case("small"), case("large", more=(Uniform("v", 0.0, 1.0, (9,)),))
    found = Search(witnesses=[(c, np.full(c.space.n_cube, 0.5), e, "random") for c, e in ((large, 0.5), (small, 0.3))])
    witness = certify(BOUND, found, 0, "t", shrinking=False).witness
    assert witness is not None
    assert witness.case is small


def test_small_violations_are_looked_behind_for_longer() -> None:
    """Twenty candidates violate by 1 %, the weakest by half."""

    def exactly(c: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": c["u"] * Fraction(3 if Fraction(7, 10) < c["u"] < Fraction(4, 5) else Fraction(202, 100), 2)}

    of = case(exactly=lambda c: {**exactly(c), "x": c["u"]})
    points = [*(0.51 + i / 1000 for i in range(20)), 0.75]
    found = Search(witnesses=[(of, np.asarray([u]), 0.5 - i / 100, "random") for i, u in enumerate(points)])
    witness = certify(BOUND, found, 0, "t").witness
    assert witness is not None
    assert telling(witness.lhs, witness.rhs)


def test_candidates_that_were_dismissed_are_not_asked_again() -> None:
    true = case("true", lambda c: {"lhs": c["u"] / 2, "x": c["u"]})
    first = FirstWitness(BOUND, 0, "t")
    found = Search(witnesses=[(true, np.asarray([0.1 + i / 100]), 0.5, "random") for i in range(8)])
    assert not first(found)
    found.witnesses.append((case(), np.asarray([0.5]), 0.1, "random"))
    assert first(found)


def test_neighbours_that_tie_do_not_violate_and_weights_stay_on_the_simplex() -> None:
    tied = Case("u", Space((Uniform("u", 0.0, 1.0),)), lambda c: {"lhs": c["u"], "x": c["u"]})
    assert robustness(BOUND, tied, {"u": Fraction(1, 2)}, 0, "t") == 0
    weights = Case(
        "p", Space((Simplex("p", 3),)), lambda c: {"lhs": 0.99 * c["p"].sum(axis=1), "x": np.ones(len(c["p"]))}
    )
    assert robustness(BOUND, weights, {"p": [Fraction(1, 3)] * 3}, 0, "t") == 0


def test_a_float_that_slipped_in_at_one_rounding_is_not_rounded_away() -> None:
    def exactly(c: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": 2 * c["u"] if c["u"].denominator < 10 else 0.1 * float(c["u"]), "x": c["u"]}

    decision = decide(BOUND, case(exactly=exactly), np.asarray([0.3333]))
    assert decision.said is Said.UNDECIDED
    assert decision.inexact
