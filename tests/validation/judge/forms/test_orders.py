"""Orders: refuted only by a family with an exact, unbounded form; the quantifiers are enforced."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from validation import Verdict
from validation.judge.orders import judge_order, slopes
from validation.statement.forms.orders import Order, OrderFamily
from validation.statement.forms.quotients import rational_form

n, kappa = sp.symbols("n kappa", positive=True)


def gradient_descent_gap(T: Fraction, kappa: Fraction) -> tuple[Fraction, Fraction]:
    """F(w_T) − F* of gradient descent with step 1/L in the direction of curvature mu = L/kappa; against 1/T."""
    return (1 - 1 / kappa) ** (2 * int(T)) / (2 * kappa), 1 / T


def noise_floor(T: Fraction) -> tuple[Fraction, Fraction]:
    """Constant steps keep a floor: 1/T + 1/100 against 1/T."""
    return 1 / T + Fraction(1, 100), 1 / T


def root_of_log(T: Fraction) -> tuple[Fraction, Fraction]:
    return Fraction(math.isqrt(10**12 * (int(T).bit_length() - 1)), 10**6), Fraction(1)


def levelling(T: Fraction) -> tuple[Fraction, Fraction]:
    """1 − 1/√T, rounded down: bounded, and growing at every point."""
    return 1 - Fraction(10**6, math.isqrt(10**12 * int(T))), Fraction(1)


def nearly_one(T: Fraction) -> tuple[Fraction, Fraction]:
    return T / (T + 1), Fraction(1)


def linear_in_n(N: Fraction, kappa: Fraction) -> tuple[Fraction, Fraction]:
    return kappa * (3 * N + 1) / (N + 2), Fraction(1)


def family(**changed: Any) -> OrderFamily:
    given = {"name": "floor", "at": noise_floor, "path": {"T": n}, "form": n / 100, "because": "drop 1/T"}
    return OrderFamily(**{**given, **changed})


def test_a_floor_is_not_of_order_one_over_t_and_its_script_says_so(tmp_path: Path) -> None:
    outcome = judge_order(Order("upper", (family(),)), "X", "as printed")
    assert outcome.verdict is Verdict.REFUTED
    assert "n/100" in outcome.why
    json.dumps(outcome.detail)
    assert outcome.script is not None
    path = tmp_path / "script.py"
    path.write_text(outcome.script)
    ran = subprocess.run([sys.executable, str(path)], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # The same script with a larger form has to fail: it does check something.
    path.write_text(outcome.script.replace("form = n/100", "form = n/50"))
    assert subprocess.run([sys.executable, str(path)], check=False, capture_output=True).returncode == 1


def test_the_form_is_interpolated_when_only_its_degree_is_known() -> None:
    outcome = judge_order(Order("upper", (family(form=None, because="", degree=1),)), "X", "as printed")
    assert outcome.verdict is Verdict.REFUTED
    assert "interpolated" in outcome.why


@given(
    above=st.lists(st.integers(-5, 5), min_size=1, max_size=3),
    below=st.lists(st.integers(0, 5), min_size=1, max_size=3),
)
def test_rational_forms_are_recovered_exactly(above: list[int], below: list[int]) -> None:
    grid = [2**k for k in range(10)]
    below = [below[0] + 1, *below[1:]]
    values = [
        Fraction(sum(c * x**j for j, c in enumerate(above)), sum(c * x**j for j, c in enumerate(below))) for x in grid
    ]
    form = rational_form(grid, values, 2)
    assert form is not None
    exact = _at(above, below)
    assert all(form.subs(sp.Symbol("n", positive=True), x) == exact(x) for x in (3, 7))


def _at(above: list[int], below: list[int]) -> Any:
    return lambda x: Fraction(sum(c * x**j for j, c in enumerate(above)), sum(c * x**j for j, c in enumerate(below)))


def test_a_form_of_too_low_degree_is_not_accepted() -> None:
    squares = [Fraction(x * x) for x in range(1, 10)]
    assert rational_form(range(1, 10), squares, 1) is None
    assert rational_form(range(1, 6), squares[:5], 2) is None  # as many points as unknowns prove nothing


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (n / 50, "above the exact quotient"),  # a planted form that is too large
        (n / 10**9, None),  # grows, but so far below that the grid says nothing
        (sp.Integer(1), None),  # no growth at all
    ],
)
def test_planted_forms_refute_nothing(form: Any, expected: str | None) -> None:
    bounded = family(at=lambda T: (1 / T, 1 / T), form=form, name="bounded")
    outcome = judge_order(Order("upper", (bounded,)), "X", "as printed")
    if expected is not None:
        floor = judge_order(Order("upper", (family(form=form),)), "X", "as printed")
        assert floor.verdict is Verdict.INCONCLUSIVE
        assert expected in floor.why
    assert outcome.verdict is (Verdict.HOLDS if expected is None else Verdict.INCONCLUSIVE)


def test_growth_without_a_form_is_never_refuted() -> None:
    outcome = judge_order(Order("upper", (family(form=None, because=""),)), "X", "as printed")
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "still grows" in outcome.why


@pytest.mark.parametrize(("at", "verdict"), [(root_of_log, Verdict.INCONCLUSIVE), (levelling, Verdict.HOLDS)])
def test_what_grows_ever_on_is_told_from_what_levels_off(at: Any, verdict: Verdict) -> None:
    """√log T doubles between 2³ and 2¹², by less than any growth that a fixed factor would catch."""
    outcome = judge_order(Order("upper", (OrderFamily("long runs", at, {"T": n}),)), "X", "as printed")
    assert outcome.verdict is verdict
    assert ("still grows" in outcome.why) is (verdict is Verdict.INCONCLUSIVE)


def test_the_shortest_grid_is_long_enough_to_see_growth() -> None:
    short = Order("upper", (OrderFamily("long runs", root_of_log, {"T": n}),), grid=(4, 8, 16, 32, 64, 128))
    outcome = judge_order(short, "X", "as printed")
    assert outcome.verdict is Verdict.INCONCLUSIVE
    assert "still grows" in outcome.why


def test_two_steps_of_a_short_grid_are_no_growth() -> None:
    short = Order("upper", (OrderFamily("runs", nearly_one, {"T": n}),), grid=(4, 8, 16, 32, 64, 128))
    assert judge_order(short, "X", "as printed").verdict is Verdict.HOLDS


def test_strong_convexity_gives_one_over_t_uniformly_in_kappa() -> None:
    gd = OrderFamily("gd", gradient_descent_gap, {"T": n}, {"kappa": (Fraction(2), Fraction(8), Fraction(32))})
    tied = OrderFamily("κ = T", gradient_descent_gap, {"T": n, "kappa": n})
    outcome = judge_order(
        Order("upper", (gd, tied), uniform_in=("kappa",), grid=tuple(2**k for k in range(1, 9))), "X", "r"
    )
    assert outcome.verdict is Verdict.HOLDS
    assert outcome.worst_ratio is None  # a quotient that stays bounded is no ratio of two sides
    assert (
        outcome.detail["largest_quotient"] < 1 / (4 * math.e) * 1.6
    )  # max of T (1 − 1/κ)^(2T)/(2κ), a little below 1/(4e)


def test_the_quantifier_decides_the_verdict() -> None:
    fixed = OrderFamily("fixed κ", linear_in_n, {"N": n}, {"kappa": (1, 10, 100)})
    moving = OrderFamily("κ = N", linear_in_n, {"N": n, "kappa": n}, form=n, because="(3N + 1)/(N + 2) >= 1")
    common: dict[str, Any] = {"kind": "upper", "variable": "N"}
    may = judge_order(Order(families=(fixed,), may_depend_on=("kappa",), **common), "X", "r")
    assert may.verdict is Verdict.HOLDS
    assert set(may.detail["constants"]) == {"kappa = 1", "kappa = 10", "kappa = 100"}
    uniform = judge_order(Order(families=(fixed,), uniform_in=("kappa",), **common), "X", "r")
    assert uniform.verdict is Verdict.INCONCLUSIVE
    assert "may not depend" in uniform.why
    refuted = judge_order(Order(families=(fixed, moving), uniform_in=("kappa",), **common), "X", "r")
    assert refuted.verdict is Verdict.REFUTED
    with pytest.raises(ValueError, match="may not move it"):
        Order(families=(moving,), may_depend_on=("kappa",), **common)
    with pytest.raises(ValueError, match="no family varies it"):
        Order(families=(replace(fixed, fixed={"kappa": (1,)}),), uniform_in=("kappa",), **common)
    with pytest.raises(ValueError, match="may the constant depend"):
        Order(families=(fixed,), **common)


def test_lower_bounds_limits_and_faster() -> None:
    def gap(T: Fraction) -> tuple[Fraction, Fraction]:
        return 1 / T**2, 1 / T

    below = OrderFamily("1/T² against 1/T", gap, {"T": n}, form=n, because="the quotient itself")
    assert judge_order(Order("lower", (below,)), "X", "r").verdict is Verdict.REFUTED
    assert judge_order(Order("faster", (replace(below, form=None),)), "X", "r").verdict is Verdict.HOLDS
    floor = family(form=sp.Rational(1, 100), because="1/T > 0", at=lambda T: (1 / T + Fraction(1, 100), 0))
    assert judge_order(Order("limit", (floor,)), "X", "r").verdict is Verdict.REFUTED
    vanishing = family(form=sp.Rational(1, 10**9), because="planted", at=lambda T: (1 / T, 0))
    assert judge_order(Order("limit", (vanishing,)), "X", "r").verdict is Verdict.HOLDS
    same = family(form=sp.Rational(1, 2), because="(T + 1)/(T + 2) >= 1/2", at=lambda T: (T + 1, T + 2))
    assert judge_order(Order("faster", (same,)), "X", "r").verdict is Verdict.REFUTED


def test_enclosed_sides_use_the_side_that_counts() -> None:
    enclosed = family(at=lambda T: (Fraction(1, 2), T, 1), form=n / 2, because="planted: only the upper bound grows")
    outcome = judge_order(Order("upper", (enclosed,)), "X", "r")
    assert outcome.verdict is Verdict.INCONCLUSIVE


def test_slopes_are_pictures() -> None:
    (slope,) = slopes(Order("upper", (family(form=None),)))
    assert slope.low <= slope.slope <= slope.high
    assert 0.5 < slope.slope < 1.1


def test_misuse_is_named() -> None:
    with pytest.raises(ValueError, match="needs `because`"):
        family(because="")
    with pytest.raises(ValueError, match="span a factor 32"):
        Order("upper", (family(),), grid=(1, 2, 3, 4, 5, 6))
    with pytest.raises(ValueError, match="must move 'T'"):
        Order("upper", (family(path={"T": sp.Integer(7)}),))
    with pytest.raises(ValueError, match="has to be positive"):
        judge_order(Order("upper", (family(at=lambda T: (T, 0), form=None),)), "X", "r")
