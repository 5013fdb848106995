"""A counterexample is shown with plain numbers wherever plain ones violate: no 10⁻¹², no 10⁷, no empty share."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp

from validation.judge.exact.certify import certify
from validation.judge.words.entry import _plain
from validation.search.plainness import LARGEST, SMALLEST, oddity, plainer
from validation.search.seen import Search
from validation.search.shrink import inside, shrink
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import Choice, Integer, LogScale, Signed, Simplex, Space

F, x = Fraction, sp.Symbol("x", real=True)
SPACE = Space(
    (
        LogScale("tiny", 1e-14, 1e-2),
        LogScale("curvature", 1e-9, 1e9, (2,)),
        Signed("optimum", 1e-6, 1e6, (2,)),
        Signed("start", 1e-6, 1e6),
        Simplex("share", 2),
        Simplex("weights", 2),
        Integer("rounds", 1, 10**6),
        Choice("noise", (0.0, 1e-9)),
    )
)
PLAIN: dict[str, Any] = {
    "tiny": SMALLEST,
    "curvature": [F(1), LARGEST],
    "optimum": [F(1), F(0)],
    "start": F(0),
    "share": [F(1, 2), F(1, 2)],
    "weights": [F(1), F(0)],
    "rounds": F(10**6),
    "noise": F(1, 10**9),
}


@pytest.mark.parametrize(
    ("changes", "odd"),
    [
        ({}, 0),
        ({"tiny": F(1, 10**14)}, 1),
        ({"curvature": [F(1, 10**9), F(10**9)]}, 2),
        ({"optimum": [F(-(10**4)), F(1)]}, 1),
        ({"optimum": [F(0), F(0)]}, 1),  # all clients alike
        ({"optimum": [F(0), F(0)], "start": F(1)}, 0),
        ({"share": [F(1), F(0)]}, 1),
        ({"weights": [F(9999, 10000), F(1, 10000)]}, 1),
    ],
)
def test_what_is_not_plain_is_counted(changes: Mapping[str, Any], odd: int) -> None:
    assert oddity(SPACE, {**PLAIN, **changes}) == odd


def test_odd_numbers_become_plain_where_the_violation_allows() -> None:
    start = {
        **PLAIN,
        "tiny": F(1, 10**14),
        "curvature": [F(10**9), F(1, 10**9)],
        "optimum": [F(0), F(0)],
        "share": [F(1), F(0)],
    }

    def violates(x: Mapping[str, Any]) -> bool:  # the first curvature 100 times the second
        return bool(x["curvature"][0] >= 100 * x["curvature"][1])

    found = plainer(SPACE, start, violates)
    assert oddity(SPACE, found) == 0
    assert violates(found)
    assert sum(found["share"]) == 1
    assert len(set(found["optimum"])) == 2
    assert found["tiny"] in {SMALLEST, F(1, 100)}
    assert plainer(SPACE, start, lambda x: False) == start
    assert plainer(SPACE, start, violates, attempts=0) == start


def beyond(c: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Violates for every share below a tenth, the more the smaller it is."""
    return {"positive": c["share"] > 0}, {"lhs": 1 / c["share"], "x": F(10)}


def measured(x: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"lhs": 1 / x["share"], "x": 0 * x["share"] + 10}


def test_a_witness_is_plain_although_the_strongest_candidates_are_not() -> None:
    case = Case("one share", Space((LogScale("share", 1e-12, 1.0),)), measured, ExactCheck(beyond))
    found = Search(witnesses=[(case, np.asarray([u]), 1 / (u + 0.1), "climb") for u in (0.0, 0.01, 0.1)])
    witness = certify(Bound(x), found, 0, "plain").witness
    assert witness is not None
    assert SMALLEST <= witness.instance["share"] < F(1, 10)


@pytest.mark.parametrize(
    ("instance", "plain"),
    [
        (None, True),
        ({"case": "N = 2, T = 100000", "share": ["1/2", "1/1000"], "start": "0"}, True),
        ({"share": ["1/100000000000000"]}, False),
        ({"optimum": [["1"], ["-10000"]]}, False),
        ({"path": {"T": "n"}, "rounds": "3000"}, True),
    ],
)
def test_numbers_as_kept_are_told_plain(instance: Any, plain: bool) -> None:
    assert _plain(instance) is plain


def test_a_kind_of_coordinate_is_what_it_is_made_of() -> None:
    """A paper's own positions, shares and counts are known by what they extend, whatever their class is called."""

    class Alike(Signed):
        pass

    class Parts(Simplex):
        pass

    class Count(Integer):
        pass

    space = Space((Alike("optimum", 1e-3, 1e3, (2,)), Parts("share", 2), Count("rounds", 1, 10**6)))
    assert oddity(space, {"optimum": [F(0), F(0)], "share": [F(1, 2), F(1, 2)], "rounds": F(10**6)}) == 1
    assert oddity(space, {"optimum": [F(1), F(0)], "share": [F(1), F(0)], "rounds": F(10**6)}) == 1
    assert inside(space.coordinates[0], F(-2))
    assert not inside(LogScale("scale", 1e-3, 1e3), F(-2))


def test_weights_of_the_interior_stay_there_when_their_numbers_are_made_simple() -> None:
    space = Space((Simplex("p", 3, interior=True),))
    drawn = {"p": [Fraction(1, 57), Fraction(1, 61), 1 - Fraction(1, 57) - Fraction(1, 61)]}
    found = shrink(space, drawn, lambda trial: max(trial["p"]) > Fraction(9, 10))
    assert min(found["p"]) > 0
    assert shrink(Space((Simplex("p", 3),)), drawn, lambda trial: max(trial["p"]) > Fraction(9, 10))["p"] == [0, 0, 1]
