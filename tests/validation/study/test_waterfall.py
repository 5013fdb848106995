"""Waterfalls: factors against closed forms, false steps found wherever they are, pictures that say the same."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validation import LogScale, Signed, Space
from validation.report.pictures.waterfall import waterfall_plot
from validation.statement.forms.studies import Chain, Step
from validation.study.waterfall import waterfall

# ‖a + b‖² <= (‖a‖ + ‖b‖)² <= 2‖a‖² + 2‖b‖² <= 2(‖a‖² + ‖b‖²) · slack, in one dimension.
SPACE = Space((Signed("a", 1e-2, 1e2), Signed("b", 1e-2, 1e2)))
SQUARE = Step("the square of the sum", lambda x: (x["a"] + x["b"]) ** 2, lambda x: (x["a"] + x["b"]) ** 2)
SUMS = Step(
    "the sum of sizes",
    lambda x: (np.abs(x["a"]) + np.abs(x["b"])) ** 2,
    lambda x: (abs(x["a"]) + abs(x["b"])) ** 2,
    because="triangle inequality",
)


def doubled(factor: Fraction) -> Step:
    return Step(
        f"{factor} times the squares",
        lambda x: float(factor) * (x["a"] ** 2 + x["b"] ** 2),
        lambda x: factor * (x["a"] ** 2 + x["b"] ** 2),
    )


CHAIN = Chain("the square of a sum", SPACE, (SQUARE, SUMS, doubled(Fraction(2)), doubled(Fraction(6))))


def test_the_loss_is_found_in_the_step_that_has_it() -> None:
    found = waterfall(CHAIN, budget=4000)
    assert found.exactly
    assert found.first_false is None
    assert found.ratio == pytest.approx(1 / 3, rel=1e-6)
    assert [d.factor for d in found.drops] == pytest.approx([1, 1, 3], rel=1e-6)
    assert [d.share for d in found.drops] == pytest.approx([0, 0, 1], abs=1e-6)
    assert found.drops[2].mean_factor == pytest.approx(3)
    assert [d.worst_ratio for d in found.drops] == pytest.approx([1, 1, 1 / 3])
    json.dumps(found.json())


@settings(max_examples=8)
@given(tail=st.fractions(2, 50, max_denominator=5).map(lambda f: f + 2), seed=st.integers(0, 5))
def test_the_factors_multiply_to_the_whole(tail: Fraction, seed: int) -> None:
    found = waterfall(replace(CHAIN, steps=(SQUARE, SUMS, doubled(tail))), budget=1000, seed=seed)
    product = np.prod([float(d.factor) for d in found.drops if d.factor is not None])
    values = list(found.values.values())
    assert product == pytest.approx(float(values[-1]) / float(values[0]))
    assert sum(d.share for d in found.drops if d.share is not None) == pytest.approx(1)


def test_a_planted_false_step_is_named_with_its_witness() -> None:
    planted = replace(CHAIN, steps=(SQUARE, SUMS, doubled(Fraction(19, 10)), doubled(Fraction(6))))
    found = waterfall(planted, budget=4000)
    assert found.first_false == "19/10 times the squares"
    assert [d.false for d in found.drops] == [None, "exact", None]
    witness = found.drops[1].witness
    assert witness is not None
    a, b = Fraction(witness["a"]), Fraction(witness["b"])
    assert (abs(a) + abs(b)) ** 2 > Fraction(19, 10) * (a * a + b * b)


def test_a_step_false_far_from_the_worst_instance_is_found_by_its_own_search() -> None:
    # The dip only exists where a and b have opposite signs, and there the ends are far apart.
    dip = Step("a dip", lambda x: np.where(x["a"] * x["b"] < 0, 0.0, SUMS.value(x)))
    found = waterfall(replace(CHAIN, steps=(SQUARE, dip, doubled(Fraction(2)))), budget=4000)
    assert found.drops[0].factor == pytest.approx(1)
    assert (found.first_false, found.drops[0].false) == ("a dip", "float")
    assert not found.exactly


def test_inadmissible_instances_do_not_count() -> None:
    same = Chain("same signs", SPACE, (SQUARE, SUMS), lambda x: x["a"] * x["b"] > 0)
    found = waterfall(same, budget=1000)
    assert found.drops[0].worst_ratio == pytest.approx(1)
    with pytest.raises(ValueError, match="none of"):
        waterfall(replace(same, admissible=lambda x: np.zeros(len(x["a"]), dtype=bool)), budget=500)


def test_the_picture_says_what_the_numbers_say() -> None:
    planted = replace(CHAIN, steps=(SQUARE, SUMS, doubled(Fraction(19, 10)), doubled(Fraction(6))))
    svg = waterfall_plot(waterfall(planted, budget=2000).json())
    assert svg is not None
    root = ElementTree.fromstring(str(svg))
    assert root.get("role") == "img"
    label = root.get("aria-label") or ""
    assert "false (exact counterexample)" in label
    bars = [r for r in root.iter("rect") if "over" in (r.get("class") or "")]
    assert len(bars) == 1
    assert any((t.text or "").startswith("false: ×") for t in root.iter("text"))
    assert waterfall_plot({"drops": []}) is None


def test_infinite_and_zero_values_are_drawn_at_the_ends() -> None:
    drop: dict[str, Any] = {"before": "a", "after": "b", "false": None}
    rows = [{**drop, "left": 0.0, "right": 1.0, "factor": "inf"}, {**drop, "left": 1.0, "right": 10.0, "factor": 10.0}]
    svg = waterfall_plot({"drops": rows})
    assert svg is not None
    assert "∞" in str(svg)


def test_repeats_and_misuse() -> None:
    first, second = (waterfall(CHAIN, budget=800, seed=2) for _ in range(2))
    assert first == second
    with pytest.raises(ValueError, match="two or more steps"):
        replace(CHAIN, steps=(SQUARE,))
    positive = Space((LogScale("a", 0.1, 1.0), LogScale("b", 0.1, 1.0)))
    assert waterfall(replace(CHAIN, space=positive), budget=800).first_false is None
