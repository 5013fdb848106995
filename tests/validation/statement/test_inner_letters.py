"""Forms that take a bound into their sides keep what its letters are declared: a value that breaks it gives no word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import sympy as sp

import fedverdict as fv
from validation.statement.forms.inner_letters import observed, observed_exactly
from validation.statement.letters import Letter
from validation.study.tighten import tighten

P, Z = fv.symbols("P Z", positive=True)
SPACE = fv.Space((fv.Signed("w", 0.1, 10), fv.LogScale("eta", 0.1, 10)))


def sides(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": abs(x["w"]) - x["eta"], "P": x["w"], "Z": x["eta"]}


def matrix(x: Mapping[str, Any]) -> Any:
    return abs(np.asarray(x["w"]))[:, None, None]


CASE = fv.Case("any sign", SPACE, sides, fv.recomputed(sides))
PLAIN = fv.Inequality(fv.Bound(sp.sqrt(P**2) + Z), (CASE,))  # true of any sign; with a positive P it is P + Z
FORMS: dict[str, Callable[[], Any]] = {
    "as it is": lambda: PLAIN,
    "for_small": lambda: fv.for_small(PLAIN, "eta"),
    "any_law": lambda: fv.any_law(PLAIN, "w", lambda x: (0, 1)),
    "largest_eigenvalue": lambda: fv.largest_eigenvalue(PLAIN.bound, PLAIN.cases, matrix),
    "spectral_norm": lambda: fv.spectral_norm(PLAIN.bound, PLAIN.cases, matrix),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_letter_that_is_no_positive_number_is_a_mistake(form: str) -> None:
    with pytest.raises(ValueError, match=r"P is declared positive, but"):
        fv.assert_holds(FORMS[form](), budget=500)


def test_the_smallest_constants_are_none_then() -> None:
    with pytest.raises(ValueError, match=r"P is declared positive, but"):
        tighten(PLAIN, budget=1000, seeds=(0,))


@pytest.mark.parametrize("form", [form for form in FORMS if form != "spectral_norm"])
def test_with_the_right_declaration_all_of_them_hold(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    signed = fv.symbols("P", signed=True)
    own = fv.Inequality(fv.Bound(sp.sqrt(signed**2) + Z), (CASE,))
    monkeypatch.setattr("tests.validation.statement.test_inner_letters.PLAIN", own)
    if form == "any_law":
        own = fv.Inequality(fv.Bound(sp.Abs(signed) + Z), (CASE,))
        assert fv.assert_holds(fv.any_law(own, "w", lambda x: (0, 1)), budget=500).verdict == "holds"
    elif form == "for_small":
        own = fv.Inequality(fv.Bound(sp.Abs(signed) + Z), (CASE,))
        assert fv.assert_holds(fv.for_small(own, "eta"), budget=500).verdict == "holds"
    else:
        assert fv.assert_holds(FORMS[form](), budget=500).verdict == "holds"


def test_of_several_values_of_a_draw_the_one_that_breaks_is_told() -> None:
    letter = Letter("P", "positive")
    first, second = {"P": np.array([1.0, 2.0, 3.0])}, {"P": np.array([4.0, -1.0, -2.0])}
    told = observed([letter], [first, second], [np.ones(3, dtype=bool), np.array([True, True, False])])
    assert told["P"].tolist() == [1.0, -1.0, 3.0]
    assert observed_exactly([letter], [{"P": 3}, {"P": 0}, {}]) == {"P": 0}
    assert observed([letter], [{}], [np.ones(3, dtype=bool)]) == {}
