"""Direction and size of paired numbers beside a noisy print, and what looking several times costs."""

from __future__ import annotations

import json
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t, ttest_1samp

from tests.benchmarks.comparisons import NOISE, TRUTHS, played, tables
from validation.recipe.looks import PLAN, look_of, next_look, two_sided, worth
from validation.recipe.statistics.contrast import (
    Beside,
    beside,
    direction_of,
    direction_p,
    discrete,
    sign_flip_p,
    stated,
)
from validation.recipe.statistics.intervals import freedom

VALUES = [0.1, 0.16, 0.25, 0.28, 0.37, 0.43]


def test_the_interval_is_students_with_the_error_of_the_print() -> None:
    found = beside(VALUES, Beside(0.2, 0.0, None, 3), 0.5)
    assert found is not None
    degrees = 1 / (1 / freedom(6) + (2 / 3) ** 2 / (6 * 3))  # two thirds of the variance are the print's
    mean, half = np.mean(VALUES), t.ppf(0.975, degrees) * np.std(VALUES, ddof=1) * sqrt(1 / 6 + 1 / 3)
    assert (found.gap, found.low, found.high) == pytest.approx((mean - 0.2, mean - 0.2 - half, mean - 0.2 + half))
    # The 95 % interval is within ±δ where both one-sided tests are below 2.5 %, and only there.
    for delta in np.linspace(0.01, 1.0, 200):
        one = beside(VALUES, Beside(0.2, 0.0, None, 3), float(delta))
        assert one is not None
        assert (one.equivalent < 0.05) == (-delta < one.low and one.high < delta)
        assert not (one.equivalent < 0.05 and one.different < 0.05)


def test_a_deviation_of_few_seeds_has_fewer_degrees_of_freedom_than_students() -> None:
    """Var s² = 2σ⁴/degrees of values with excess kurtosis 1, drawn: normal, their variances gamma with variance 1/3."""
    rng = np.random.default_rng(3)
    values = rng.standard_normal((200_000, 20)) * np.sqrt(rng.gamma(3, 1 / 3, (200_000, 20)))
    for n in (5, 10, 20):
        assert float(values[:, :n].var(axis=1, ddof=1).var()) == pytest.approx(2 / freedom(n), rel=0.03)
        assert freedom(n) < n - 1


def test_a_printed_error_enters_with_welchs_degrees() -> None:
    theirs = [0.5, 0.62, 0.44, 0.58]
    error = float(np.std(theirs, ddof=1)) / 2
    found = beside(VALUES, Beside(float(np.mean(theirs)), 0.0, error, 4), 1.0)
    assert found is not None
    each = [float(np.var(VALUES, ddof=1)) / 6, error**2]
    degrees = sum(each) ** 2 / (each[0] ** 2 / freedom(6) + each[1] ** 2 / freedom(4))
    half = t.ppf(0.975, degrees) * sqrt(sum(each))
    assert (found.low, found.high) == pytest.approx((found.gap - half, found.gap + half))


def test_rounding_of_the_print_widens_the_interval() -> None:
    exact, rounded = (beside(VALUES, Beside(0.2, half, 0.0, 1), 0.5) for half in (0.0, 0.05))
    assert exact is not None
    assert rounded is not None
    assert rounded.high - rounded.low > exact.high - exact.low


def test_a_difference_of_printed_numbers_has_both_errors() -> None:
    one, other = Beside(5.9, 0.005, 0.3, 30), Beside(5.5, 0.005, 0.4, 20)
    both = one.less(other)
    assert (both.value, both.half_unit, both.error, both.n) == pytest.approx((0.4, 0.01, 0.5, 20))
    assert one.less(Beside(5.5, 0.005)).error is None


@settings(max_examples=100)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_sign_flips_are_all_patterns(values: list[int]) -> None:
    sums = [sum(s * v for s, v in zip(signs, values, strict=True)) for signs in product((-1, 1), repeat=len(values))]
    expected = np.mean([abs(one) >= abs(sum(values)) for one in sums])
    assert sign_flip_p(values) == pytest.approx(expected)
    assert sign_flip_p([value / 8 for value in values]) == pytest.approx(expected)


def test_whole_numbers_and_ties_take_sign_flips_and_ten_seeds() -> None:
    ratio = float(ttest_1samp(VALUES, 0.0).statistic)
    assert direction_p(VALUES) == pytest.approx(2 * t.sf(ratio, freedom(6)))
    assert direction_p([1.0, 2.0, 1.0, 3.0, 1.0]) == 2 / 32
    assert discrete([0.25, 0.5, 0.25])
    assert not discrete(VALUES)
    assert stated(VALUES[:5])
    assert not stated(VALUES[:4])
    assert not stated([1.0, 2.0, 1.0, 3.0, 1.0])
    assert stated([1.0, 2.0] * 5)
    assert not stated([1.0] * 20)  # seeds that all agree say nothing of others


def test_the_direction_is_that_of_the_print() -> None:
    assert direction_of(VALUES, 0.1, 0.01) == "same"
    assert direction_of(VALUES, -0.1, 0.01) == "opposite"
    assert direction_of(VALUES, -0.1, 0.06) == "unresolved"
    assert direction_of(VALUES, 0.0, 0.01) == "unresolved"  # printed equal: no sign to have
    assert direction_of(VALUES[:4], 0.1, 0.001) == "unresolved"


def test_planned_looks_cost_less_than_their_number_and_more_than_one() -> None:
    for p in (0.001, 0.01, 0.02, 0.05):
        assert p < worth(p, PLAN) <= 3 * p
        assert worth(p, (20,)) == p
        assert two_sided(p, (), looks=3) == pytest.approx(3 * p)
    assert worth(0.02, PLAN) < 0.055 < worth(0.03, PLAN)
    assert worth(0.9, PLAN) <= 1.0


def test_seeds_serve_looks() -> None:
    assert [look_of(seed, PLAN) for seed in (0, 4, 5, 9, 10, 19, 20)] == [1, 1, 2, 2, 3, 3, 0]
    assert [next_look(n, PLAN) for n in (0, 5, 12, 20)] == [5, 10, 20, None]


DRAWS = 2000
MARGIN = 3 * sqrt(0.05 * 0.95 / DRAWS)
BY_NAME = {truth.what: truth for truth in TRUTHS}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("truth", TRUTHS, ids=lambda truth: truth.what)
def test_a_drawn_paper_gets_a_false_word_in_one_case_of_twenty(noise: str, truth) -> None:  # type: ignore[no-untyped-def]
    few = 10 if noise == "whole" else 1
    found = played(noise, truth, DRAWS // few)
    for word in {"reproduced", "contradicted", "opposite"} - set(truth.right):
        assert found[word] <= 0.055 + MARGIN * sqrt(few)
    for n in PLAN:
        assert found[f"covered at {n}"] >= 0.945 - MARGIN * sqrt(few)


@pytest.mark.parametrize("noise", NOISE)
def test_what_is_true_is_found_where_the_plan_can(noise: str) -> None:
    few = 10 if noise == "whole" else 1
    for what in ("as printed, error printed", "as printed, six runs behind the print"):
        assert played(noise, BY_NAME[what], DRAWS // few)["reproduced"] > 0.8
    for what in ("beyond by 3δ", "beyond by 3δ, one run behind the print"):
        assert played(noise, BY_NAME[what], DRAWS // few)["contradicted"] > (0.5 if "one run" in what else 0.8)


@pytest.mark.parametrize("noise", ["normal", "skewed"])
def test_one_table_of_twenty_has_a_false_word(noise: str) -> None:
    assert tables(200, noise) <= 0.05 + 3 * sqrt(0.05 * 0.95 / 200)


def test_the_page_has_the_shares_of_the_committed_benchmark() -> None:
    root = Path(__file__).parents[3]
    kept = json.loads((root / "tests" / "benchmarks" / "results" / "comparisons.json").read_text(encoding="utf-8"))
    page = (root / "docs" / "how_runs_are_compared.md").read_text(encoding="utf-8")
    assert kept["draws"] == 20_000
    for noise, title in {
        "normal": "normal",
        "whole": "whole numbers",
        "residuals": "residuals of committed runs",
        "skewed": "skewed (1.25), the print too",
        "gamma": "gamma distribution (1.25), the print too",
        "failing": "one run in twenty fails by four deviations, in the print too",
    }.items():
        rows = [row for row in kept["rows"] if row["noise"] == noise]
        worst = [
            max(row[word] for row in rows if word not in row["right"])
            for word in ("reproduced", "contradicted", "opposite")
        ]
        covered = [fmean(row[f"covered at {n}"] for row in rows) for n in PLAN]
        shares = " | ".join(f"{share:.1%}".replace("%", " %") for share in worst)
        assert f"| {title} | {shares} | {' / '.join(f'{100 * share:.1f}' for share in covered)} % |" in page
        if noise in NOISE:
            assert max(worst) <= 0.055
            assert min(covered) >= 0.945
    for share in kept["tables with a wrong word"].values():
        assert share <= 0.055
        assert f"{share:.1%}".replace("%", " %") in page
