"""What a measure computes of numbers beside the small one is exact, or refused with the line: floats decide nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import sympy

import fedverdict as fv

H, ETA = fv.LogScale("h", 0.1, 10), fv.LogScale("eta", 1e-3, 10)
TWO = fv.LogScale("h", 2, 2.5)


def drawn(left: Callable[[Any], Any], *space: Any, bound: Any = 0) -> fv.Inequality:
    def sides(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": left(x)}

    return fv.Inequality(
        fv.Bound(sympy.sympify(bound)), (fv.Case("one", fv.Space(space), sides, fv.recomputed(sides)),)
    )


def root_above_itself(x: Mapping[str, Any]) -> Any:
    return (x["h"] ** 0.5) ** 2 > x["h"]  # never, but of the floats at 2


def parts_below_the_whole(x: Mapping[str, Any]) -> Any:
    return x["h"] * 0.7 + x["h"] * 0.1 < x["h"] * 0.8  # of floats at 1


def word(test: fv.Inequality) -> str:
    try:
        return str(fv.assert_holds(test, budget=300).verdict)
    except AssertionError as error:
        return str(error)


def test_a_root_beside_a_small_number_is_no_float() -> None:
    test = drawn(lambda x: np.where(root_above_itself(x), x["eta"], 0), TWO, ETA)
    assert word(fv.for_small(test, "eta", until=0.1)) == "holds"


def test_a_root_on_a_path_is_no_float() -> None:
    test = drawn(lambda x: np.where(root_above_itself(x), x["eta"], 1), TWO, ETA, bound=1)
    assert fv.big_o(test, lambda n: {"h": 2, "eta": n}).word == "inconclusive"


def test_a_root_excludes_no_choice_that_serves() -> None:
    test = drawn(lambda x: np.where(root_above_itself(x), 1, 9 - 10 * x["eta"]), TWO, ETA)
    assert fv.some_choice(test, "eta", "(0, 19/20]", budget=300).word == "holds"


def test_a_float_that_is_not_the_number_written_is_refused_with_its_line() -> None:
    test = drawn(lambda x: np.where(parts_below_the_whole(x), x["eta"], 0), H, ETA)
    for asked in (test, fv.for_small(test, "eta", until=0.1)):
        said = word(asked)
        assert "inconclusive" in said
        assert "the float 0.7 is not exactly that number" in said


def test_a_half_beside_a_small_number_is_a_half() -> None:
    assert word(fv.for_small(drawn(lambda x: 0.5 * x["eta"] - x["h"], H, ETA), "eta", until=0.1)) == "holds"


@pytest.mark.parametrize("root", [np.sqrt, np.exp, lambda x: x**0.5])
def test_a_root_of_the_small_number_itself_is_refused_with_its_line(root: Callable[[Any], Any]) -> None:
    said = word(fv.for_small(drawn(lambda x: root(x["eta"]), H, ETA), "eta", until=0.1))
    assert "inconclusive" in said
    assert "infinitesimal" in said or "a germ to the power" in said


def test_numbers_without_an_end_are_compared_with_a_small_one() -> None:
    def least(x: Mapping[str, Any]) -> Any:
        return np.minimum(np.minimum(np.inf, x["eta"]), x["h"]) - np.maximum(-np.inf, x["eta"])

    test = drawn(least, H, ETA)
    assert word(fv.for_small(test, "eta", until=0.1)) == "holds"
