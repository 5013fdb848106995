"""«For all sufficiently small η» and O(·): statements of the literature, true and false, and what cannot be asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import fedverdict as fv
from validation.statement.claim import ExactCheck
from validation.statement.forms.for_small import holds_until

h, eta, w2, L, c, sigma2, moved, slope2, loss = fv.symbols("h eta w2 L c sigma2 moved slope2 loss", positive=True)
SEEDS = (0, 1, 2)


def noisy_step(x: Mapping[str, Any]) -> dict[str, Any]:
    """One stochastic gradient step on hw²/2: the mean of the square, by the exact second moment of the noise."""
    mean = (1 - x["eta"] * x["h"]) * x["w"]
    return {
        "lhs": mean * mean + x["eta"] * x["eta"] * x["sigma2"],
        "h": x["h"],
        "eta": x["eta"],
        "w2": x["w"] * x["w"],
        "sigma2": x["sigma2"],
        "slope2": x["h"] * x["h"] * x["w"] * x["w"],
        "loss": x["h"] * x["w"] * x["w"] / 2,
    }


NOISY = fv.Case(
    "one step",
    fv.Space((*(fv.LogScale(n, 0.1, 10, at=(1.0,)) for n in ("h", "w", "sigma2")), fv.LogScale("eta", 1e-3, 10))),
    noisy_step,
    fv.recomputed(noisy_step),
)


def descent(x: Mapping[str, Any]) -> dict[str, Any]:
    return {**noisy_step(x), "lhs": x["h"] * ((1 - x["eta"] * x["h"]) * x["w"]) ** 2 / 2}


DESCENT = fv.Case("descent", NOISY.space, descent, fv.recomputed(descent))


def local(x: Mapping[str, np.ndarray[Any, Any]]) -> dict[str, Any]:
    """Two clients at −1 and 1 in units of their slopes at 0, which is the optimum; two local steps from there."""
    move = 0 * x["eta"]
    for k in (0, 1):
        v, g = 0 * x["eta"], 1 - 2 * k
        for _ in (0, 1):
            v = v - x["eta"] * (x["h"][:, k] * v + g)
        move = move + v / 2
    return {"lhs": move * move, "eta": x["eta"], "L": x["h"].max(axis=1)}


def local_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    move = Fraction(0)
    for k in (0, 1):
        v, g = Fraction(0), 1 - 2 * k
        for _ in (0, 1):
            v = v - x["eta"] * (x["h"][k] * v + g)
        move = move + v / 2
    return {"convex": min(x["h"]) > 0}, {"lhs": move * move, "eta": x["eta"], "L": max(x["h"])}


LOCAL = fv.Case(
    "two local steps from the optimum",
    fv.Space((fv.LogScale("h", 0.1, 10, (2,), at=(1.0,)), fv.LogScale("eta", 1e-3, 10))),
    local,
    ExactCheck(local_exact),
)


@pytest.mark.parametrize(
    ("case", "bound", "holds"),
    [
        (NOISY, (1 - eta * h) * w2 + eta**2 * sigma2, True),  # SGD contracts up to its noise
        (DESCENT, loss - eta * slope2 / 2, True),  # the descent lemma
        (LOCAL, eta**4 * L**2, True),  # client drift is of second order
        (NOISY, (1 - 2 * eta * h) * w2 + eta**2 * sigma2, False),  # η²h² is left out
        (DESCENT, loss - eta * slope2, False),  # twice the decrease
        (LOCAL, eta**6 * L**4, False),  # of third order, unless the curvatures are equal
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_statements_for_all_small_steps_get_the_right_word(case: fv.Case, bound: Any, holds: bool, seed: int) -> None:
    test = fv.for_small(fv.Inequality(fv.Bound(bound), (case,)), "eta", until=0.1)
    if holds:
        assert str(fv.assert_holds(test, budget=600, seed=seed).verdict) == "holds"
    else:
        with pytest.raises(AssertionError, match="exact counterexample"):
            fv.assert_holds(test, budget=600, seed=seed)


def test_a_statement_that_fails_for_long_steps_alone_is_false_as_it_stands_and_true_for_small_ones() -> None:
    long = fv.Inequality(fv.Bound((1 - eta * h) * w2 + eta**2 * sigma2), (NOISY,))
    with pytest.raises(AssertionError, match="exact counterexample"):
        fv.assert_holds(long, budget=600)


def test_the_interval_is_one_on_which_the_statement_stands_as_said() -> None:
    false = fv.Inequality(fv.Bound((1 - 2 * eta * h) * w2 + eta**2 * sigma2), (NOISY,))
    at = {"h": Fraction(3), "w": Fraction(1), "sigma2": Fraction(1)}
    holds, until = holds_until(false, NOISY, at, "eta")
    assert not holds
    for part in (Fraction(1, 100), Fraction(1, 2), Fraction(99, 100)):
        seen = noisy_step({**at, "eta": until * part})
        assert seen["lhs"] > (1 - 2 * seen["eta"] * 3) * seen["w2"] + seen["eta"] ** 2


def test_families_are_taken_size_by_size() -> None:
    def steps(T: float) -> fv.Case:
        def run(x: Mapping[str, Any]) -> dict[str, Any]:
            w = x["w"]
            for _ in range(int(T)):
                w = w - x["eta"] * x["h"] * w
            return {"lhs": w * w, "w2": x["w"] * x["w"], "eta": x["eta"], "h": x["h"]}

        space = fv.Space((fv.LogScale("h", 0.1, 10), fv.LogScale("w", 0.1, 10), fv.LogScale("eta", 1e-3, 10)))
        return fv.Case(f"{int(T)} steps", space, run, fv.recomputed(run))

    family = fv.Family("steps", (fv.Size("T", 1, 6, 2),), steps)
    test = fv.for_small(fv.Inequality(fv.Bound((1 - eta * h) * w2), (family,)), "eta", until=0.1)
    assert str(fv.assert_holds(test, budget=600).verdict) == "holds"


def test_what_cannot_be_asked_is_refused_where_it_is_given() -> None:
    test = fv.Inequality(fv.Bound(w2), (NOISY,))
    with pytest.raises(ValueError, match="«one step» does not draw it; expected one of h, w, sigma2, eta"):
        fv.for_small(test, "step")
    several = fv.Case("c", fv.Space((fv.LogScale("eta", 1, 2, (2,)), fv.LogScale("h", 1, 2))), noisy_step, NOISY.exact)
    with pytest.raises(ValueError, match="several numbers"):
        fv.for_small(fv.Inequality(fv.Bound(w2), (several,)), "eta")
    bare = fv.Case("c", NOISY.space, noisy_step)
    with pytest.raises(ValueError, match="no exact side, which decides"):
        fv.for_small(fv.Inequality(fv.Bound(w2), (bare,)), "eta")


def test_a_root_of_an_infinitesimal_decides_nothing() -> None:
    def rooted(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": np.sqrt(x["eta"]), "eta": x["eta"], "h": x["h"]}

    space = fv.Space((fv.LogScale("h", 0.1, 10), fv.LogScale("eta", 1e-3, 10)))
    case = fv.Case("root", space, rooted, fv.recomputed(rooted))
    test = fv.for_small(fv.Inequality(fv.Bound(eta), (case,)), "eta")  # false, but not decided
    with pytest.raises(AssertionError, match="inconclusive"):
        fv.assert_holds(test, budget=300)


x, y, N = fv.symbols("x y N", positive=True)
PAIR = fv.Space((fv.LogScale("x", 1e-3, 1e3), fv.LogScale("y", 1e-3, 1e3)))


def two(left: Callable[[Any, Any], Any]) -> fv.Case:
    def sides(v: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": left(v["x"], v["y"]), "x": v["x"], "y": v["y"]}

    return fv.Case("two numbers", PAIR, sides, fv.recomputed(sides))


@pytest.mark.parametrize(
    ("left", "bound", "path", "word", "power"),
    [
        (lambda a, b: 1 / a, 1 / y, lambda n: {"x": 1 / n, "y": 1}, "refuted", 1),  # importance weights of rare clients
        (lambda a, b: a * a + b, x + y, lambda n: {"x": n, "y": 1}, "refuted", 1),  # squares are not of first order
        (lambda a, b: a**3, x**2 + y**2, lambda n: {"x": n, "y": n}, "refuted", 1),
        (lambda a, b: a * b, x**2 + y**2, lambda n: {"x": n, "y": n**2}, "inconclusive", -1),  # true: 2ab <= a² + b²
        (lambda a, b: (a + b) ** 2, x**2 + y**2, lambda n: {"x": n, "y": n}, "inconclusive", 0),  # true with 2
        (
            lambda a, b: a * b / (a + b),
            x + y,
            lambda n: {"x": n, "y": 1 / n},
            "inconclusive",
            -2,
        ),  # true: harmonic mean
    ],
)
def test_an_order_is_refuted_by_a_ratio_without_bound_and_by_nothing_else(
    left: Any, bound: Any, path: Any, word: str, power: int
) -> None:
    found = fv.big_o(fv.Inequality(fv.Bound(bound), (two(left),)), path)
    assert (found.word, found.power) == (word, power)
    (first, *_, last) = sorted(found.ratios)
    assert (found.ratios[last] > 2 * found.ratios[first]) == (word == "refuted")


def test_a_path_has_to_draw_what_the_case_draws_and_meet_its_hypotheses() -> None:
    test = fv.Inequality(fv.Bound(x), (two(lambda a, b: a + b),))
    with pytest.raises(ValueError, match=r"gives \['x'\]; expected \['x', 'y'\]"):
        fv.big_o(test, lambda n: {"x": n})
    with pytest.raises(ValueError, match="x on the path is no number that LogScale"):
        fv.big_o(test, lambda n: {"x": -n, "y": 1})
    with pytest.raises(ValueError, match="right side is not positive"):
        fv.big_o(fv.Inequality(fv.Bound(-x), (two(lambda a, b: a + b),)), lambda n: {"x": n, "y": 1})
    with pytest.raises(ValueError, match="expected one of: two numbers"):
        fv.big_o(test, lambda n: {"x": n, "y": 1}, case="three")
    either_sign = fv.Space((fv.Signed("h", 0.1, 10, (2,)), fv.LogScale("eta", 1e-3, 10)))
    limited = fv.Inequality(fv.Bound(L), (replace(LOCAL, space=either_sign),))
    with pytest.raises(ValueError, match="not met on the path for large n: convex"):
        fv.big_o(limited, lambda n: {"h": [1 - n, 1], "eta": 1 / n})
