"""Statements with which ranges, laws, small steps, choices and orders were attacked: none gets a wrong word."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fedverdict as fv
from theory.classes import families, steps

r = fv.symbols("r", signed=True)
H = fv.LogScale("h", 0.1, 10)
SMALL = fv.LogScale("a", 1e-3, 1)


def drawn(left: Callable[[Any], Any], right: Callable[[Any], Any], *space: Any) -> fv.Inequality:
    def sides(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": left(x), "r": right(x)}

    return fv.Inequality(fv.Bound(1 * r), (fv.Case("one", fv.Space(space), sides, fv.recomputed(sides)),))


def client() -> tuple[Any, Any]:
    crowd = fv.classes.Crowd()
    return crowd, crowd.client(families.smooth_convex(L=1, mu="1/10"))


def test_what_a_step_makes_of_a_clients_function_is_each_clients_own() -> None:
    crowd, F = client()
    w, best = crowd.problem.point("w"), crowd.minimiser(F)
    y, _ = steps.proximal(w, F, 1)
    near = [(w - best) ** 2 <= 1]
    # Clients 10 + x/10 and −10 + x have w* = 0; from there the mean of their proximal points is (−10/1.1 + 10/2)/2.
    assert (
        fv.decide_class(crowd.statement((crowd.mean(y) - best) ** 2, Fraction(100, 121), given=near)).word == "refuted"
    )
    assert fv.decide_class(crowd.statement(crowd.deviation(y) ** 2, "1/100")).word != "proved"


def test_a_clients_own_minimiser_is_not_that_of_the_sum() -> None:
    crowd, F = client()
    assert fv.decide_class(crowd.statement((F.minimiser() - crowd.minimiser(F)) ** 2, "1/100")).word != "proved"


def test_a_function_of_all_clients_is_asked_at_shared_vectors_alone() -> None:
    crowd, F = client()
    G = crowd.problem.function(families.smooth_convex(L=1, mu="1/2"), "G")
    w = crowd.problem.point("w")
    G.gradient(w)
    with pytest.raises(ValueError, match="G is one function for all clients"):
        G.gradient(w - F.gradient(w))
    with pytest.raises(ValueError, match="each has one of its own"):
        F.add(w, G.gradient(w))
    with pytest.raises(ValueError, match="expected a client's function"):
        crowd.minimiser(F + G)


@pytest.mark.parametrize("door", ["for_small", "any_law", "some_choice"])
def test_small_steps_come_last(door: str) -> None:
    inner = fv.for_small(drawn(lambda x: x["a"], lambda x: x["b"] ** 2 * x["h"], H, SMALL, fv.Signed("b", 0.1, 1)), "a")
    asked: dict[str, Callable[[], Any]] = {
        "for_small": lambda: fv.for_small(inner, "h"),
        "any_law": lambda: fv.any_law(inner, "b", lambda x: (0,)),
        "some_choice": lambda: fv.some_choice(inner, "h", "(0, 4]"),
    }
    with pytest.raises(ValueError, match=f"{door}: a statement of for_small"):
        asked[door]()


@pytest.mark.parametrize(
    ("coordinate", "path"),
    [
        (fv.LogScale("u", 1e-3, 1e3), lambda n: {"u": -n}),
        (fv.Uniform("u", 0, 1), lambda n: {"u": n}),
        (fv.Simplex("u", 2), lambda n: {"u": [n, 1]}),
        (fv.Simplex("u", 2), lambda n: {"u": [1 / n, 1 / n, 1 - 2 / n]}),
        (fv.Integer("u", 1, 9), lambda n: {"u": -n}),
    ],
    ids=["negative", "above its end", "no weights", "too many weights", "a negative count"],
)
def test_a_path_outside_of_what_is_drawn_refutes_no_order(coordinate: Any, path: Any) -> None:
    test = drawn(lambda x: 0, lambda x: 1, coordinate)
    with pytest.raises(ValueError, match=r"big_o: u on the path is no number that"):
        fv.big_o(test, path)


def test_weights_on_the_simplex_are_a_path() -> None:
    test = drawn(
        lambda x: x["u"][..., 0] if isinstance(x["u"], np.ndarray) else x["u"][0], lambda x: 1, fv.Simplex("u", 2)
    )
    assert fv.big_o(test, lambda n: {"u": [1 - 1 / n, 1 / n]}).word == "inconclusive"


def test_whether_a_number_is_0_hangs_on_how_small_it_is() -> None:
    test = drawn(
        lambda x: np.where(7 * x["eta"] - 3, 4, 1) * x["h"], lambda x: 2 * x["h"], H, fv.LogScale("eta", 1e-3, 10)
    )
    found = fv.some_choice(test, "eta", "(0, 2]", budget=300)
    assert (found.word, found.value) == ("holds", Fraction(3, 7))


def test_laws_reach_over_the_whole_range_and_down_to_one_atom() -> None:
    wide = drawn(lambda x: x["n"] ** 2, lambda x: Fraction(3, 2) * x["h"] / x["h"], H, fv.Uniform("n", -5, 1))
    assert fv.find_counterexample(fv.any_law(wide, "n", lambda x: (0,)), budget=1000) is not None
    narrow = drawn(
        lambda x: 1 - (x["n"] - 5) ** 2, lambda x: Fraction(1, 2) * x["h"] / x["h"], H, fv.LogScale("n", 1, 10)
    )
    assert fv.find_counterexample(fv.any_law(narrow, "n", lambda x: (5,)), budget=1000) is not None


def test_no_law_has_atoms_that_the_number_cannot_be() -> None:
    below = drawn(lambda x: np.maximum(-1 * x["n"], 0) + x["h"], lambda x: 2 * x["h"], H, fv.LogScale("n", 1, 10))
    assert fv.find_counterexample(fv.any_law(below, "n", lambda x: (5,)), budget=1000) is None
