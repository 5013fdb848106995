"""A counterexample is shown in as few clients and steps as show it as clearly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import pytest

from validation import Bound, Case, Family, Size, Space, Uniform, symbols
from validation.judge.exact.certify import certify, decide, witnessed
from validation.judge.exact.fewer import in_fewer
from validation.search.search import search
from validation.statement.claim import ExactCheck, Inequality
from validation.statement.outcome import Witness


def sides(x: Mapping[str, Any], *, n: int, over: Any, low: Any) -> dict[str, Any]:
    """u·n <= over, but for n < 3 only where the right side is `low`."""
    return {"lhs": x["u"] * n, "c": x["u"] * 0 + (over if n >= 3 else low)}


def sized(name: str, n: int, low: int = 1000) -> Case:
    measure = partial(sides, n=n, over=2, low=low)
    exactly = ExactCheck(lambda x: ({}, sides(x, n=n, over=Fraction(2), low=Fraction(low))))
    return Case(
        name, Space((Uniform("u", 0.0, 1.0), *(Uniform(f"x{i}", 0.0, 1.0) for i in range(n)))), measure, exactly
    )


BOUND = Bound(symbols("c", signed=True))


def found_in(test: Inequality, wanted: str) -> Witness:
    found = search(test, budget=2000, seed=0, label="t")
    case, cube = next((case, cube) for case, cube, *_ in found.witnesses if case.name == wanted)
    return witnessed(test.bound, case, decide(test.bound, case, cube), "random", 0, "t")


def test_of_a_family_the_smallest_size_that_shows_it_is_taken() -> None:
    family = Family("n clients", (Size("n", 1, 20, 10),), lambda n: sized(f"{n} clients", n))
    test = Inequality(BOUND, (family,))
    fewer = in_fewer(test, found_in(test, "20 clients"), 0, "t")
    assert (fewer.case.name, fewer.case.place) == ("3 clients", "#1 n=3")
    assert fewer.lhs > fewer.rhs == 2


def test_of_cases_whose_names_differ_in_numbers_the_smallest_is_taken() -> None:
    test = Inequality(BOUND, tuple(sized(f"{n} clients", n) for n in (1, 2, 4, 7)))
    assert in_fewer(test, found_in(test, "7 clients"), 0, "t").case.name == "4 clients"
    other = Inequality(BOUND, (sized("3 equal clients", 3), sized("7 clients", 7)))
    kept = found_in(other, "7 clients")
    assert in_fewer(other, kept, 0, "t") is kept


@pytest.mark.parametrize("names", [("2 clients, 9 steps", "7 clients, 3 steps"), ("3 rounds", "7 steps")])
def test_no_size_grows_and_no_other_kind_is_taken(names: tuple[str, str]) -> None:
    test = Inequality(BOUND, (sized(names[0], 3), sized(names[1], 7)))
    kept = found_in(test, names[1])
    assert in_fewer(test, kept, 0, "t") is kept


def test_a_bound_below_0_is_not_shown_for_one_above() -> None:
    test = Inequality(BOUND, (sized("1 client", 1, low=-1), sized("7 clients", 7)))
    kept = found_in(test, "7 clients")
    assert in_fewer(test, kept, 0, "t") is kept
    assert certify(BOUND, search(replace(test, cases=test.cases[:1]), budget=200, seed=0, label="t"), 0, "t").witness
