"""What the exact look counts, keeps and says of the draws of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from validation import Bound, Case, Integer, Space, Uniform, symbols
from validation.judge.exact.audit import Audit, Group, audited, doubt
from validation.judge.exact.certify import Certification, Decision, Said
from validation.judge.tried import not_looked_at
from validation.search.sample import Counts, Kept
from validation.search.seen import Search
from validation.statement.claim import ExactCheck

BOUND = Bound(1 * symbols("x"))
SPACE = Space((Uniform("u", 0.25, 1.0),))


def half(c: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": c["u"] / 2, "x": c["u"]}


def long(c: Mapping[str, Any]) -> dict[str, Any]:
    """A side with more digits than a recheck may have."""
    return {"lhs": Fraction(1, 3 + int(c["u"])) ** 200_000, "x": c["u"]}


def kept(exactly: Any = half, ratio: float = 0.5, at: float = 0.5, name: str = "u") -> Kept:
    exact = None if exactly is None else ExactCheck(lambda c: ({}, exactly(c)))
    return Kept(Case(name, SPACE, half, exact), np.asarray([at]), ratio=ratio)


def test_half_of_the_draws_undecided_are_not_most_of_them() -> None:
    assert not Group({Said.MET: 8, Said.UNDECIDED: 8}).open(1000, 1000)
    assert Group({Said.MET: 8, Said.UNDECIDED: 9}).open(1000, 1000)


def test_a_draw_decided_later_is_counted_once() -> None:
    moved = Group({Said.UNDECIDED: 2}).moved(Said.MET)
    assert (moved[Said.UNDECIDED], moved[Said.MET], moved.looked) == (1, 1, 2)


@pytest.mark.parametrize(("sides", "nothing"), [((0, 0), True), ((0, 1), False), ((1, 1), False)])
def test_one_draw_whose_sides_are_not_0_is_something(sides: tuple[int, int], nothing: bool) -> None:
    decision = Decision(Said.MET, {"u": Fraction(1)}, Fraction(sides[0]), Fraction(sides[1]))
    assert Audit(None, {}, nothing=True).seen(kept().case, decision).nothing is nothing


def test_draws_that_led_before_are_asked_until_one_comes_near_the_leader() -> None:
    """By exact numbers the second draw has 1/5 and the third 22/25 on the right; the first has no value."""
    sides = {Fraction(1, 2): Fraction(1, 5), Fraction(3, 4): Fraction(22, 25)}

    def exactly(c: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": sides.get(c["u"]) or 1 / Fraction(0), "x": Fraction(1)}

    cubes = {0.2: 0.96, 1 / 3: 0.95, 2 / 3: 0.94}  # u is 0.4, 1/2, 3/4
    found = Search(Counts(decided=3), stages={"random": 3})
    found.nearest = [[kept(exactly, ratio, at) for at, ratio in cubes.items()]]
    assert audited(BOUND, found).ratio == Fraction(22, 25)


@pytest.mark.parametrize("right", [1, 0])
def test_of_a_leader_whose_numbers_are_long_one_of_fewer_steps_is_asked(right: int) -> None:
    """(2/3)ᵀ at T = 99,999 and at 5,622 is too long; at 315 it is above 0, and below 1."""

    def exactly(c: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": Fraction(2, 3) ** int(c["T"]), "x": Fraction(right)}

    case = Case("T", Space((Integer("T", 0, 99_999),)), half, ExactCheck(lambda c: ({}, exactly(c))))
    found = Search(Counts(decided=9), stages={"random": 9}, worst=(case, np.ones(1)), worst_ratio=0.5)
    audit = audited(BOUND, found)
    looked = audit.violated[1].instance if audit.violated is not None else audit.lead and audit.lead[1]
    assert looked == {"T": 315}
    assert (audit.violated is None) is (right == 1)
    assert not audit.topped


def test_draws_that_led_before_are_counted_once_they_are_decided() -> None:
    found = Search(Counts(decided=3), stages={"random": 3}, leaders=[kept(long, 0.9, 0.2)])
    found.nearest = [[kept(long, 0.9, 0.2), kept(half, 0.5, 0.6)]]
    audit = audited(BOUND, found)
    assert audit.groups["earlier leaders"].json() == {"met": 1}
    assert audit.of == {"u": {Said.UNDECIDED: 1, Said.MET: 1}}
    assert doubt(found.counts, found, Certification(None), audit) is None


def test_fresh_draws_of_a_case_are_asked_until_one_says_more_than_that_it_is_outside() -> None:
    """The best draw, at u = 1, misses a hypothesis in exact numbers; random ones meet it."""
    below_1 = ExactCheck(lambda c: ({"u < 1": c["u"] < 1}, half(c)))
    head = Kept(Case("u", SPACE, half, below_1), np.asarray([1.0]), ratio=0.5)
    assert audited(BOUND, Search(Counts(decided=9), heads=[head])).of == {"u": {Said.OUTSIDE: 1, Said.MET: 1}}


@pytest.mark.parametrize(("answers", "doubted"), [(4, True), (3, False)])
def test_four_answers_that_say_nothing_of_a_case_are_enough_to_doubt_it(answers: int, doubted: bool) -> None:
    audit = Audit(None, {"leaders": Group({Said.MET: 4})}, of={"u": {Said.OUTSIDE: answers}})
    assert (doubt(Counts(decided=9), Search(), Certification(None), audit) is not None) is doubted


def test_every_draw_that_stays_undecided_is_kept_for_a_longer_look() -> None:
    found = Search(Counts(decided=9, tie=2), stages={"random": 9})
    found.ties = [kept(long, name="one"), kept(long, name="two")]
    assert len(audited(BOUND, found).undecided["ties"]) == 2


def test_a_ratio_above_1_that_nobody_decided_stands_for_no_more_than_1() -> None:
    found = Search(Counts(decided=9), stages={"random": 9}, best_on={"noise": kept(None, ratio=1.5)})
    assert audited(BOUND, found).on == {"noise": 1.0}


def test_that_a_draw_has_no_exact_side_is_the_reason_told_whatever_came_before() -> None:
    found = Search(
        Counts(decided=9, tie=2), stages={"random": 9}, ties=[kept(long, name="one"), kept(None, name="two")]
    )
    assert audited(BOUND, found).groups["ties"].reason == "no exact side"


def test_cases_without_an_exact_look_are_named_three_at_most() -> None:
    def words(*names: str, of: Mapping[str, Mapping[Said, int]]) -> str:
        heads = [kept(None if name.startswith("bare") else half, name=name) for name in names]
        return not_looked_at(Search(heads=heads), Certification(None), Audit(None, {}, of=of))

    assert words("a", "bare", of={"a": {Said.MET: 1}}) == "«bare»"
    assert words("a", "b", of={"a": {Said.MET: 1}, "b": {Said.UNDECIDED: 2}}) == "«b»"
    assert words("a", "b", "c", of={}) == "«a», «b», «c»"
    assert words("a", "b", "c", "d", of={}) == "«a», «b», «c» and 1 more"
