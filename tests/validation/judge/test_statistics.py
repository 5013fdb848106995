"""Confidence sequences: coverage at every stopping time, the supermartingale behind it exactly, and a plain oracle."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from math import exp, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.judge.sampling.intervals import ConfidenceSequence, Method, confidence_sequence, difference_support

METHODS: tuple[Method, ...] = ("empirical-bernstein", "hoeffding-mixture")
REPETITIONS = 10_000
Sampler = Callable[[np.random.Generator, tuple[int, int]], Any]

# name -> (draws in [0, 1], their mean)
LAWS: dict[str, tuple[Sampler, float]] = {
    "fair coin": (lambda rng, shape: (rng.random(shape) < 0.5) * 1.0, 0.5),
    "rare event": (lambda rng, shape: (rng.random(shape) < 0.02) * 1.0, 0.02),
    "two points, asymmetric": (lambda rng, shape: np.where(rng.random(shape) < 0.1, 1.0, 0.2), 0.28),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5),
    "heavy at one end": (lambda rng, shape: rng.random(shape) ** 8, 1 / 9),
}


def most(level: float) -> float:
    """The stated level and three standard errors of a frequency over the repetitions."""
    return level + 3 * sqrt(level * (1 - level) / REPETITIONS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", LAWS)
def test_intervals_cover_even_when_stopped_at_the_worst_moment(law: str, method: Method) -> None:
    """The limits are running intersections, so whoever stops once they exclude the truth is counted here."""
    draw, mean = LAWS[law]
    rng, level = np.random.default_rng(20), 0.05
    sequence = confidence_sequence(np.zeros(REPETITIONS), 1.0, miscoverage=level, method=method)
    for _ in range(8):
        sequence = sequence.after(draw(rng, (REPETITIONS, 50)))
    missed = (sequence.lower > mean) | (sequence.upper < mean)
    assert missed.mean() <= most(level)
    assert (sequence.upper - sequence.lower).mean() < 0.3  # it says something, too


def test_an_interval_for_one_fixed_time_fails_that_test() -> None:
    rng, level, n = np.random.default_rng(21), 0.05, 400
    t = np.arange(1, n + 1)
    means = np.cumsum(rng.random((2000, n)) < 0.5, axis=1) / t
    outside = np.abs(means - 0.5) > 1.96 * 0.5 / np.sqrt(t)  # right at each single t, peeked at from 30 on
    assert outside[:, -1].mean() < 0.08
    assert outside[:, 29:].any(axis=1).mean() > 4 * most(level)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("p", "low"), [(0.5, 0.0), (0.1, 0.0), (0.9, 0.25), (0.02, 0.4)])
def test_the_process_behind_the_limits_is_a_supermartingale_exactly(p: float, low: float, method: Method) -> None:
    """Every path of 14 two-point observations: the mean of the test process at the truth is at most 1 at each time."""
    n, level = 14, 0.95  # so high that the bets leave their cap within the 14
    bits = np.asarray(list(product((0, 1), repeat=n)))
    chance = np.where(bits > 0, p, 1 - p).prod(axis=1)
    x, mean = np.where(bits > 0, 1.0, low), p + (1 - p) * low
    sequence, v, r = confidence_sequence(np.zeros(2**n), 1.0, miscoverage=level, method=method), 0.0, 0.0
    for i in range(n):
        sequence = sequence.after(x[:, i : i + 1])
        if method == "empirical-bernstein":
            _, _, bets, weighted, spent = sequence.totals
            for sign in (1, -1):
                assert chance @ np.exp(sign * (weighted - mean * bets) - spent) <= 1 + 1e-12
        else:
            v, r = (i + 1) / 4, 64 / (2 * log(1 / level) + log(1 + 2 * log(1 / level)))
            deviation = sequence.totals[0] - (i + 1) * mean
            assert chance @ (sqrt(r / (v + r)) * np.exp(deviation**2 / (2 * (v + r)))) <= 1 + 1e-12
    assert chance @ ((sequence.lower > mean) | (sequence.upper < mean)) <= level


def bernstein_by_hand(x: list[float], level: float) -> tuple[float, float]:
    """Waudby-Smith & Ramdas, Theorem 2, one observation at a time."""
    lower, upper = 0.0, 1.0
    mean, variance = 0.5, 0.25
    bets = weighted = spent = total = squares = 0.0
    for t, value in enumerate(x, start=1):
        bet = min(0.5, sqrt(2 * log(2 / level) / (variance * t * log(1 + t))))
        v, psi = 4 * (value - mean) ** 2, (-log(1 - bet) - bet) / 4
        bets, weighted, spent = bets + bet, weighted + bet * value, spent + v * psi
        total += value
        mean = (0.5 + total) / (t + 1)
        squares += (value - mean) ** 2
        variance = (0.25 + squares) / (t + 1)
        radius = (log(2 / level) + spent) / bets
        lower, upper = max(lower, weighted / bets - radius), min(upper, weighted / bets + radius)
    return lower, upper


def mixture_by_hand(x: list[float], level: float) -> tuple[float, float]:
    """Where the normal mixture √(r/(v + r))·exp(S²/(2(v + r))) reaches 1/level, by bisection over the mean."""
    r = 64 / (2 * log(1 / level) + log(1 + 2 * log(1 / level)))
    lower, upper = 0.0, 1.0
    for t in range(1, len(x) + 1):
        v, total = t / 4, sum(x[:t])

        def inside(m: float, v: float = v, total: float = total, t: int = t) -> bool:
            return sqrt(r / (v + r)) * exp(min(700.0, (total - t * m) ** 2 / (2 * (v + r)))) < 1 / level

        ends = []
        for far in (-100.0, 100.0):
            near = total / t
            for _ in range(60):
                middle = (near + far) / 2
                near, far = (middle, far) if inside(middle) else (near, middle)
            ends.append(near)
        lower, upper = max(lower, ends[0]), min(upper, ends[1])
    return lower, upper


@given(x=st.lists(st.floats(0, 1), min_size=1, max_size=60), level=st.sampled_from([0.9, 0.3, 0.05, 1e-4]))
def test_limits_equal_those_computed_by_hand(x: list[float], level: float) -> None:
    for method, oracle in zip(METHODS, (bernstein_by_hand, mixture_by_hand), strict=True):
        sequence = confidence_sequence(0.0, 1.0, miscoverage=level, method=method).after(x)
        # 1e-9: sums of some sixty terms, divided by bets that are at least 0.1.
        assert (float(sequence.lower), float(sequence.upper)) == pytest.approx(oracle(x, level), abs=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_long_streams_equal_those_computed_by_hand(law: str) -> None:
    """Long enough for the bets to leave their cap and follow the variance of the past."""
    x = LAWS[law][0](np.random.default_rng(22), (1, 2000))[0]
    sequence = confidence_sequence(0.0, 1.0, miscoverage=0.05).after(x)
    # 1e-9: two thousand terms; the cap on the bets alone would leave other limits from the second digit on.
    assert (float(sequence.lower), float(sequence.upper)) == pytest.approx(
        bernstein_by_hand(x.tolist(), 0.05), abs=1e-9
    )


@given(
    x=st.lists(st.floats(-3, 7), min_size=1, max_size=40),
    cuts=st.lists(st.integers(0, 40), max_size=3),
    method=st.sampled_from(METHODS),
)
def test_one_piece_or_many_give_the_very_same_floats(x: list[float], cuts: list[int], method: Method) -> None:
    start = confidence_sequence(-3.0, 7.0, miscoverage=0.1, method=method)
    whole, pieces = start.after(x), start
    edges = sorted({0, len(x), *(min(c, len(x)) for c in cuts)})
    for a, b in pairwise(edges):
        pieces = pieces.after(x[a:b])
    for name in ("totals", "lower", "upper", "count"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pieces, name))
    lower, upper = start.along(x)
    assert (lower[-1], upper[-1]) == (whole.lower, whole.upper)
    assert np.all(np.diff(lower) >= 0)
    assert np.all(np.diff(upper) <= 0)


def test_streams_on_any_axes_have_their_own_supports() -> None:
    rng = np.random.default_rng(3)
    low = np.asarray([[0.0, -5.0, 10.0]] * 2)
    high = low + np.asarray([1.0, 20.0, 0.5])
    x = low[..., None] + (high - low)[..., None] * rng.random((2, 3, 50))
    for method in METHODS:
        together = confidence_sequence(low, high, miscoverage=0.1, method=method).after(x)
        assert together.lower.shape == (2, 3)
        for place in np.ndindex(2, 3):
            alone = confidence_sequence(0.0, 1.0, miscoverage=0.1, method=method)
            alone = alone.after((x[place] - low[place]) / (high - low)[place])
            expected = low[place] + (high - low)[place] * alone.lower
            assert together.lower[place] == pytest.approx(expected, abs=1e-12 * 20)


def test_the_bernstein_width_falls_like_one_over_n_where_nothing_varies() -> None:
    widths = []
    for n in (1000, 10_000):
        sequence = confidence_sequence(0.0, 1.0, miscoverage=0.01).after(np.full(n, 0.3))
        widths.append(float(sequence.upper - sequence.lower))
    assert widths[1] < widths[0] / 8
    hoeffding = confidence_sequence(0.0, 1.0, miscoverage=0.01, method="hoeffding-mixture").after(np.full(10_000, 0.3))
    assert widths[1] < 0.2 * float(hoeffding.upper - hoeffding.lower)


def test_pairs_decide_what_their_sides_alone_cannot() -> None:
    rng = np.random.default_rng(4)
    shared = rng.random(2000)
    x, y = 0.9 * shared, 0.9 * shared + 0.1  # E[X] = E[Y] − 0.1, almost all of the spread in common
    low, high = difference_support((0.0, 1.0), (0.0, 1.0))
    assert (low, high) == (-1.0, 1.0)
    paired = confidence_sequence(low, high, miscoverage=0.01).after(x - y)
    sides = confidence_sequence(np.zeros(2), 1.0, miscoverage=0.005).after(np.stack([x, y]))
    assert paired.upper < 0
    assert paired.upper - paired.lower < (sides.upper - sides.lower).max() / 2
    assert difference_support((1.0, 2.0), (5.0, 9.0)) == (-8.0, -3.0)


def test_a_support_of_one_point_is_known_at_once() -> None:
    sequence = confidence_sequence(2.5, 2.5, miscoverage=0.1).after([2.5, 2.5])
    assert sequence.lower == sequence.upper == 2.5


@pytest.mark.parametrize("value", [1.001, -0.5, float("nan"), float("inf")])
def test_an_observation_outside_its_support_is_an_error(value: float) -> None:
    sequence: ConfidenceSequence = confidence_sequence(np.zeros(2), 1.0, miscoverage=0.1)
    with pytest.raises(ValueError, match=r"outside its support \[0, 1\]"):
        sequence.after([[0.5, 0.5], [0.5, value]])
    with pytest.raises(ValueError, match="expected"):
        sequence.after([0.5, 0.5])


def test_arguments_out_of_range_are_refused() -> None:
    for level in (0.0, 1.0, -1.0):
        with pytest.raises(ValueError, match=r"must be in \(0, 1\)"):
            confidence_sequence(0.0, 1.0, miscoverage=level)
    for low, high in ((1.0, 0.0), (0.0, float("inf")), (float("nan"), 1.0)):
        with pytest.raises(ValueError, match="finite ends"):
            confidence_sequence(low, high, miscoverage=0.1)
    with pytest.raises(ValueError, match="hoeffding-mixture"):
        confidence_sequence(0.0, 1.0, miscoverage=0.1, method="bootstrap")  # type: ignore[arg-type]
