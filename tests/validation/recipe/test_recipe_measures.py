"""Measures of a run's curves, and intervals and tests over seeds, against values by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from validation.recipe.measure import MEASURES, Curves, check_measure, measured
from validation.recipe.statistics.intervals import holm, mean_of, p_value


def test_measures_by_hand() -> None:
    of = Curves({"test_accuracy": {2: 0.1, 4: 0.5, 6: 0.4, 8: 0.7, 10: 0.9}}, 10, {"ratio=1": 0.25, "ratio=0.1": 0.75})
    wanted = {
        "final(test_accuracy)": 0.9,
        "at(test_accuracy, 4)": 0.5,
        "half(test_accuracy)": 0.5,
        "best(test_accuracy)": 0.9,
        "late_mean(test_accuracy)": 0.9,
        "late_mean(test_accuracy, 0.4)": 0.8,
        "late_variance(test_accuracy, 0.4)": 0.02,
        "mean(test_accuracy)": 0.52,
        "mean_square(test_accuracy)": 0.344,
        "least(test_accuracy)": 0.1,
        "reached(test_accuracy, 0.6)": 8.0,
        "crossed(test_accuracy, 0.6)": 6 + 2 * 2 / 3,
        "early_mean(test_accuracy, 0.5)": 0.3,
        "trend(test_accuracy)": 0.9,
        "roughness(test_accuracy)": 0.25,
        "weight('ratio=0.1')": 0.75,
        "weight('ratio')": 0.5,
    }
    assert {m.partition("(")[0] for m in wanted} == {*MEASURES, "weight"}
    for text, value in wanted.items():
        check_measure(text)
        assert measured(text, of) == pytest.approx(value), text
    assert measured("reached(test_accuracy, 0.95)", of) is None
    assert measured("final(test_accuracy)", replace(of, n_rounds=12)) is None
    assert measured("late_mean(test_accuracy)", replace(of, n_rounds=12)) is None


@pytest.mark.parametrize("series", ["test_loss", "train_loss", "validation_loss", "test_loss['uniform']"])
def test_losses_are_better_when_they_are_smaller(series: str) -> None:
    of = Curves({series: {1: 2.3, 2: 1.0, 3: 0.4, 4: 0.9}}, 4)
    assert measured(f"best({series})", of) == 0.4
    assert measured(f"reached({series}, 1.0)", of) == 2.0  # as an accuracy that comes to it counts
    assert measured(f"crossed({series}, 0.7)", of) == pytest.approx(2.5)
    assert measured(f"reached({series}, 0.3)", of) is None
    assert measured(f"least({series})", of) == 0.4


def test_of_quantities_the_greatest_is_best() -> None:
    of = Curves({"realised_gamma": {1: 3.0, 2: 7.0, 3: 5.0}}, 3)
    assert (measured("best(realised_gamma)", of), measured("reached(realised_gamma, 6)", of)) == (7.0, 2.0)


@pytest.mark.parametrize(
    "text",
    [
        "final",
        "final()",
        "final(test_accuracy, 1)",
        "reached(test_accuracy)",
        "weight(ratio)",
        "reached(test_accuracy, 1e999)",
        "final(x=1)",
        "__import__('os')",
        "final(" * 99,
    ],
)
def test_no_other_text_is_a_measure(text: str) -> None:
    with pytest.raises(ValueError, match="measure"):
        check_measure(text)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_holm_is_bonferroni_for_the_least_and_never_below_p(p: list[float]) -> None:
    adjusted = holm(p)
    assert all(a >= b for a, b in zip(adjusted, p, strict=True))
    assert min(adjusted) == pytest.approx(min(1.0, len(p) * min(p)))
    order = np.argsort(p)
    assert (np.diff(np.asarray(adjusted)[order]) >= 0).all()


def test_holm_and_student_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    found, half = mean_of([1.0, 2.0, 3.0]), t.ppf(0.975, 1.5) / 3**0.5  # 2/(2/(3 − 1) + 1/3) degrees of freedom
    assert (found.low, found.high) == pytest.approx((2 - half, 2 + half))
    assert p_value([1.0, 2.0, 3.0]) == pytest.approx(2 * t.sf(2 * 3**0.5, 1.5))
    assert (mean_of([1.0]).low, p_value([1.0])) == (None, None)


@pytest.mark.parametrize("values", [[5.0, 5.0, 5.0], [0.0, 0.0], [0.62 - 0.61, 0.72 - 0.71]])
def test_seeds_that_agree_have_no_interval_and_no_p(values: list[float]) -> None:
    found = mean_of(values)
    assert (found.value, found.n) == (pytest.approx(values[0]), len(values))
    assert (found.low, found.high, p_value(values)) == (None, None, None)
