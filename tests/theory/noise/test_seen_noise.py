"""Weights that see the samples: one step by hand, all outcomes of two, fast as exact."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.worlds.test_line_run import batch, numbers
from theory.worlds.seen_noise import seen_noise, seen_noise_exact


def enumerated(h: Fraction, sigma: Fraction, n: int, T: int, gamma: int) -> Fraction:
    """E w² over every outcome of the noise of n clients in T steps, the server taking one with +σ if there is one."""
    total = Fraction(0)
    for outcome in product((1, -1), repeat=n * T):
        w = Fraction(0)
        for t in range(T):
            noise = sigma * max(outcome[n * t : n * (t + 1)])
            w -= 2 / (h * (gamma + t)) * (h * w + noise)
        total += w * w
    return total / 2 ** (n * T)


@pytest.mark.parametrize(("n", "T", "gamma"), [(1, 1, 7), (1, 3, 1), (2, 2, 7), (3, 3, 8)])
def test_as_every_outcome_of_the_noise(n: int, T: int, gamma: int) -> None:
    x = {"curvature": Fraction(3), "sigma": Fraction(2), "n_clients": n}
    met, found = seen_noise_exact(x, T=T, gamma=gamma)
    assert all(met.values())
    assert found["after"] == enumerated(Fraction(3), Fraction(2), n, T, gamma)
    assert found["excess"] == Fraction(3, 2) * found["after"]


def test_weights_that_do_not_look_have_a_fair_coin() -> None:
    x = {"curvature": Fraction(3), "sigma": Fraction(2), "n_clients": 8, "seen": 0}
    assert seen_noise_exact(x, T=4, gamma=7)[1] == seen_noise_exact({**x, "n_clients": 1, "seen": 1}, T=4, gamma=7)[1]


@given(numbers, numbers, st.integers(1, 9), st.integers(0, 1), st.integers(0, 12), st.integers(1, 6))
def test_fast_as_exact(h: Fraction, sigma: Fraction, n: int, seen: int, drawn: int, T: int) -> None:
    x: dict[str, Any] = {"curvature": h, "sigma": sigma, "n_clients": n, "seen": seen, "drawn": drawn}
    met, exact = seen_noise_exact(x, T=T, gamma=7)
    fast = seen_noise(batch(x), T=T, gamma=7)
    assert bool(fast["admissible"][0]) == all(met.values()) == (drawn <= n)
    for name, value in exact.items():
        assert fast[name][0] == pytest.approx(float(value), rel=1e-9, abs=1e-12), name
