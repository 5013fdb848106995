"""Noise of any law with given moments: true and false statements of the literature, laws that meet their moments."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fedverdict as fv
from validation.statement.forms.any_law import _Law

h, eta, w2, s, tau, a = fv.symbols("h eta w2 s tau a", positive=True)
SEEDS = (0, 1, 2)
NOISE = fv.Signed("n", 0.1, 10)
SIGMA = fv.LogScale("s", 0.1, 10, at=(1.0,))


def stated(sides: Any, bound: Any, *drawn: Any) -> fv.Inequality:
    case = fv.Case("noise", fv.Space((SIGMA, *drawn, NOISE)), sides, fv.recomputed(sides))
    return fv.any_law(fv.Inequality(fv.Bound(bound), (case,)), "n", lambda x: (0, x["s"]))


def step(x: Mapping[str, Any]) -> dict[str, Any]:
    """A stochastic gradient step on hw²/2."""
    after = x["w"] - x["eta"] * (x["h"] * x["w"] + x["n"])
    return {"lhs": after * after, "h": x["h"], "eta": x["eta"], "w2": x["w"] * x["w"], "s": x["s"]}


STEP = [fv.LogScale(name, 0.1, 10) for name in ("h", "w", "eta")]


def tail(x: Mapping[str, Any]) -> dict[str, Any]:
    """1 where the noise is at least a."""
    return {"lhs": np.where(x["n"] >= x["a"], 1, 0), "a": x["a"], "s": x["s"]}


def clipped(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": np.maximum(np.minimum(x["n"], x["tau"]), -x["tau"]), "tau": x["tau"], "s": x["s"]}


def size(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": np.abs(x["n"]), "s": x["s"]}


def fourth(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": x["n"] ** 4, "s": x["s"]}


TAIL, CLIP = fv.LogScale("a", 0.1, 10), fv.LogScale("tau", 0.1, 10)


@pytest.mark.parametrize(
    ("test", "holds"),
    [
        (stated(step, (1 - eta * h) ** 2 * w2 + eta**2 * s, *STEP), True),  # two moments say it: an equality
        (stated(tail, s / (s + a**2), TAIL), True),  # Cantelli
        (stated(clipped, s / (4 * tau), CLIP), True),  # the bias of clipping
        (stated(size, (1 + s) / 2), True),  # 2|n| <= 1 + n²
        (stated(step, (1 - eta * h) ** 2 * w2 + eta**2 * s / 2, *STEP), False),
        (stated(tail, s / (2 * (s + a**2)), TAIL), False),  # as if every law were symmetric
        (stated(clipped, 0 * s, CLIP), False),  # clipping keeps unbiased noise unbiased
        (stated(fourth, 3 * s**2), False),  # as if every law were Gaussian
    ],
    ids=["step", "Cantelli", "bias of clipping", "mean size", "half the noise", "symmetric", "unbiased", "Gaussian"],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_statements_on_noise_of_any_law_get_the_right_word(test: fv.Inequality, holds: bool, seed: int) -> None:
    if holds:
        assert str(fv.assert_holds(test, budget=800, seed=seed).verdict) == "holds"
    else:
        found = fv.find_counterexample(test, budget=800, seed=seed)
        assert found is not None


def test_a_law_by_hand_violates_what_the_counterexample_says() -> None:
    found = fv.find_counterexample(stated(fourth, 3 * s**2), budget=800)
    assert found is not None
    x = found.instance
    places, weights, _ = _Law("n", lambda x: (0, x["s"]), 2, 0.1, 10).atoms(x)
    assert sum(weights) == 1
    assert sum(p * n for p, n in zip(weights, places, strict=True)) == 0
    assert sum(p * n**2 for p, n in zip(weights, places, strict=True)) == x["s"]
    assert sum(p * n**4 for p, n in zip(weights, places, strict=True)) > 3 * x["s"] ** 2


fractions = st.fractions(min_value="1/10", max_value=10, max_denominator=20)


@given(fractions, fractions, fractions, st.fractions(0, 1, max_denominator=20), st.fractions(-3, 3, max_denominator=5))
def test_laws_of_two_moments_meet_them_and_have_no_negative_weight(
    var: Fraction, above: Fraction, apart: Fraction, between: Fraction, mean: Fraction
) -> None:
    law = _Law("n", lambda x: (mean, mean * mean + x["s"]), 2, 0.1, 10)
    places, weights, counts = law.atoms({"s": var, "n above": above, "n apart": apart, "n between": between})
    assert counts
    assert min(weights) >= 0
    moments = [sum(p * n**j for p, n in zip(weights, places, strict=True)) for j in range(3)]
    assert moments == [1, mean, mean**2 + var]


def test_a_mean_alone_and_three_moments_are_met_too() -> None:
    one = _Law("n", lambda x: (Fraction(2),), 1, 0.1, 10)
    places, weights, _ = one.atoms({"n above": Fraction(3), "n below": Fraction(1, 2)})
    assert sum(p * n for p, n in zip(weights, places, strict=True)) == 2

    def skewed(x: Mapping[str, Any]) -> dict[str, Any]:
        return {"lhs": x["n"] ** 4, "s": x["s"]}

    case = fv.Case("noise", fv.Space((SIGMA, NOISE)), skewed, fv.recomputed(skewed))
    least = fv.Inequality(fv.Bound(-(s**2)), (fv.Case("noise", case.space, minus, fv.recomputed(minus)),))
    three = fv.any_law(least, "n", lambda x: (0, x["s"], 0))  # E n⁴ >= (E n²)², whatever the law
    assert str(fv.assert_holds(three, budget=800).verdict) == "holds"
    false = fv.any_law(fv.Inequality(fv.Bound(2 * s**2), (case,)), "n", lambda x: (0, x["s"], 0))
    assert fv.find_counterexample(false, budget=2_000) is not None


def minus(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": -(x["n"] ** 4), "s": x["s"]}


def both(x: Mapping[str, Any]) -> dict[str, Any]:
    return {"lhs": (x["n"] + x["m"]) ** 2, "s": x["s"]}


@pytest.mark.parametrize(("bound", "holds"), [(2 * s, True), (3 * s / 2, False)])
def test_independent_numbers_have_laws_of_their_own(bound: Any, holds: bool) -> None:
    space = fv.Space((SIGMA, NOISE, fv.Signed("m", 0.1, 10)))
    test = fv.Inequality(fv.Bound(bound), (fv.Case("two", space, both, fv.recomputed(both)),))
    for name in ("n", "m"):
        test = fv.any_law(test, name, lambda x: (0, x["s"]))
    assert (fv.find_counterexample(test, budget=500) is None) == holds


def test_what_has_no_such_number_or_no_exact_side_is_refused() -> None:
    case = fv.Case("noise", fv.Space((SIGMA, NOISE)), size)
    with pytest.raises(ValueError, match="«noise» has no exact side"):
        fv.any_law(fv.Inequality(fv.Bound(s), (case,)), "n", lambda x: (0,))
    with pytest.raises(ValueError, match="expected one of s, n"):
        fv.any_law(fv.Inequality(fv.Bound(s), (case,)), "noise", lambda x: (0,))
    exact = fv.Case("noise", fv.Space((SIGMA, NOISE)), size, fv.recomputed(size))
    with pytest.raises(ValueError, match="no moments are given"):
        fv.any_law(fv.Inequality(fv.Bound(s), (exact,)), "n", lambda x: ())
    chosen = fv.Case("noise", fv.Space((SIGMA, fv.Choice("n", (1.0, 2.0)))), size, fv.recomputed(size))
    with pytest.raises(ValueError, match="expected a range with an end above 0"):
        fv.any_law(fv.Inequality(fv.Bound(s), (chosen,)), "n", lambda x: (0,))
