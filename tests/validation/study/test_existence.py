"""«There is …» and choices for all instances: true and false statements of the literature, and what decides neither."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

import fedverdict as fv
from theory.classes import Statement
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.vectors import inner, square, vectors

h, eta, w2, s, first, second, top = fv.symbols("h eta w2 s first second top", positive=True)
SEEDS = (0, 1, 2)
families = fv.classes.families


def moved(step: Any) -> Statement:
    """No step of gradient descent moves away from the minimum."""
    p = fv.classes.Problem()
    F = p.function(families.smooth_convex(L=1))
    best, x = F.minimiser(), p.point("x")
    return p.statement((x - step * F.gradient(x) - best) ** 2, 1, given=[(x - best) ** 2 <= 1])


def drift(x: Mapping[str, Any]) -> dict[str, Any]:
    """Two clients h₁, h₂ at −1 and 1 in units of their slopes: how far two local steps lead from their optimum 0."""
    mean = 0
    for k in (0, 1):
        slope = 1 - 2 * k
        first = -x["eta"] * slope
        mean = mean + (first - x["eta"] * (x["h"][:, k] * first + slope)) / 2
    return {"lhs": mean * mean, "eta": x["eta"]}


DRIFT = fv.Case(
    "two local steps",
    fv.Space((fv.LogScale("h", 0.1, 10, (2,)), fv.LogScale("eta", 1e-3, 1))),
    drift,
    fv.recomputed(drift),
)
STILL = fv.Inequality(fv.Bound(0 * eta), (DRIFT,))
WITHIN_ONE = fv.Inequality(fv.Bound(10**6 + 0 * eta), (DRIFT,))
U, V = vectors("u v")
CONFLICT = VectorInequality(-inner(U, V), 0)
SMALLER = VectorInequality(square(U + V), 2 * square(U) + 2 * square(V))


@pytest.mark.parametrize(
    ("opposite", "word"),
    [
        (moved(3), "proved"),  # a function on which a step of 3/L leads away
        (STILL, "proved"),  # clients whose optimum is no fixed point of local steps
        (CONFLICT, "proved"),  # gradients in conflict
        (moved(1), "refuted"),  # a function on which a step of 1/L does
        (SMALLER, "refuted"),  # two vectors with ‖u + v‖² > 2‖u‖² + 2‖v‖²
        (moved(2), "refuted"),
        (WITHIN_ONE, "inconclusive"),  # none is drawn, and nothing proves that there is none
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_exists_is_shown_and_only_a_proof_says_that_nothing_does(opposite: Any, word: str, seed: int) -> None:
    found = fv.there_is(opposite, budget=500, seed=seed)
    assert found.word == word, found
    assert (found.witness is not None) == (word == "proved")


def one_step(x: Mapping[str, Any]) -> dict[str, Any]:
    after = (1 - x["eta"] * x["h"]) * x["w"]
    return {
        "lhs": after * after + x["eta"] * x["eta"] * x["s"],
        "h": x["h"],
        "w2": x["w"] * x["w"],
        "s": x["s"],
        "eta": x["eta"],
    }


def steps(s_low: float, s_high: float) -> tuple[fv.Case, ...]:
    space = fv.Space(
        (
            fv.LogScale("h", 0.1, 1, at=(0.1, 1.0)),
            fv.LogScale("w", 0.1, 10),
            fv.LogScale("s", s_low, s_high),
            fv.LogScale("eta", 1e-3, 10),
        )
    )
    return (fv.Case("one step", space, one_step, fv.recomputed(one_step)),)


def mixture(x: Mapping[str, Any]) -> dict[str, Any]:
    a, f, g = x["a"], x["f"], x["g"]
    return {"lhs": a * f + (1 - a) * g, "first": f, "second": g, "top": f + g - min_of(f, g)}


def min_of(f: Any, g: Any) -> Any:
    return (f + g - abs(f - g)) / 2


MIXED = (
    fv.Case(
        "two losses",
        fv.Space((fv.LogScale("f", 0.1, 10), fv.LogScale("g", 0.1, 10), fv.LogScale("a", 0.01, 1))),
        mixture,
        fv.recomputed(mixture),
    ),
)


@pytest.mark.parametrize(
    ("bound", "cases", "name", "within", "word"),
    [
        (w2 * Fraction(81, 121) + eta**2 * s, steps(0.1, 1), "eta", "(0, 2]", "holds"),  # 2/(L + μ)
        (w2 * (1 - h / 2) + eta**2 * s, steps(0.1, 1), "eta", "(0, 2]", "holds"),
        ((first + second) / 2, MIXED, "a", "(0, 1]", "holds"),  # equal weights
        (w2 * Fraction(80, 121) + eta**2 * s, steps(0.1, 1), "eta", "(0, 2]", "refuted"),  # less than the best
        (w2 * (1 - h / 2), steps(0.1, 1), "eta", "[1/100, 2]", "refuted"),  # a constant step that leaves no noise
        (first + second - top, MIXED, "a", "(0, 1]", "refuted"),  # weights that always give the smaller loss
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_choice_for_all_instances_is_found_or_excluded(
    bound: Any, cases: Any, name: str, within: str, word: str, seed: int
) -> None:
    found = fv.some_choice(fv.Inequality(fv.Bound(bound), cases), name, within, budget=500, seed=seed)
    assert found.word == word, found
    if word == "refuted":
        excluded(found.instances, *(Fraction(end.strip()) for end in within[1:-1].split(",")))


def excluded(instances: Any, low: Fraction, high: Fraction) -> None:
    """Values all over the range lie in the interval of some instance, up to the values that were tried themselves."""
    for k in range(1, 1000):
        value = low + (high - low) * Fraction(2 * k + 1, 2003)
        assert any(a < value < b for _, _, (a, b) in instances), value


def test_an_instance_excludes_what_it_says() -> None:
    found = fv.some_choice(fv.Inequality(fv.Bound(w2 * Fraction(80, 121) + eta**2 * s), steps(0.1, 1)), "eta", "(0, 2]")
    for _, x, (low, high) in found.instances:
        for part in (Fraction(1, 1000), Fraction(1, 2), Fraction(999, 1000)):
            value = low + (high - low) * part
            assert (1 - value * x["h"]) ** 2 * x["w"] ** 2 > x["w"] ** 2 * Fraction(80, 121)


def test_what_is_no_bounded_choice_of_a_drawn_number_is_refused() -> None:
    test = fv.Inequality(fv.Bound(w2), steps(0.1, 1))
    with pytest.raises(ValueError, match="expected a bounded interval of positive numbers"):
        fv.some_choice(test, "eta", "(0, oo)")
    with pytest.raises(ValueError, match="«one step» draws h, w, s, eta"):
        fv.some_choice(test, "step", "(0, 1]")


@pytest.mark.parametrize(
    ("left", "word", "value"),
    [
        (lambda x: abs(7 * x["th"] - 12) * x["a"], "holds", Fraction(12, 7)),
        (lambda x: abs(10_007 * x["th"] - 12_345) * x["a"], "holds", Fraction(12_345, 10_007)),
        (lambda x: abs(x["th"] * x["th"] - 2) * x["a"], "inconclusive", None),
    ],
    ids=["12/7", "long", "no fraction"],
)
def test_the_only_value_that_serves_is_found_where_it_is_a_fraction(left: Any, word: str, value: Any) -> None:
    def sides(x: Any) -> dict[str, Any]:
        return {"lhs": left(x)}

    space = fv.Space((fv.LogScale("a", 0.1, 10), fv.LogScale("th", 0.1, 2)))
    test = fv.Inequality(fv.Bound(sp.Integer(0)), (fv.Case("one", space, sides, fv.recomputed(sides)),))
    found = fv.some_choice(test, "th", "(0, 2]")
    assert (found.word, found.value) == (word, value)
