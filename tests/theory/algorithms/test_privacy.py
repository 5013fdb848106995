"""(ε, δ) of Gaussian sums: against numbers of many digits, published numbers, and a library's accountants."""

from __future__ import annotations

from itertools import product
from math import exp, inf, isclose, sqrt

import mpmath
import numpy as np
import pytest

from theory.algorithms.aggregator import Sent
from theory.algorithms.aggregator_registry import make_aggregator
from theory.algorithms.privacy import chance_alone, gaussian_epsilon, poisson_epsilon

SETTINGS = [
    (z, rounds, delta) for z in (0.02, 0.5, 1.0, 8.0, 60.0) for rounds in (1, 30, 1000) for delta in (1e-2, 1e-6)
]


@pytest.mark.parametrize(("noise", "n_rounds", "delta"), SETTINGS)
def test_epsilon_of_a_gaussian_has_the_delta_of_the_analytic_formula(noise: float, n_rounds: int, delta: float) -> None:
    """In 60 digits, where the difference of the formula loses none that matters."""
    found = gaussian_epsilon(noise, n_rounds, delta)
    with mpmath.workdps(60):
        mu, epsilon = mpmath.sqrt(n_rounds) / noise, mpmath.mpf(found)

        def tail(x: mpmath.mpf) -> mpmath.mpf:
            """Φ(x), by erfc, which keeps its digits far below 0."""
            return mpmath.erfc(-x / mpmath.sqrt(2)) / 2

        exact = tail(mu / 2 - epsilon / mu) - mpmath.exp(epsilon) * tail(-mu / 2 - epsilon / mu)
    if found == 0:
        assert exact <= delta
    else:
        assert isclose(float(exact), delta, rel_tol=1e-6)  # ε is found to 1e-12 of itself, and enters as e^ε


def test_published_numbers_of_the_gaussian_mechanism_come_out() -> None:
    """What Dong, Roth & Su 2022 say of μ = 1, and the bound that every text book has, which is weaker."""
    delta = 1 - 0.5 * 2 * 0.3085375387259869  # of ε = 0: 2Φ(1/2) − 1
    assert isclose(gaussian_epsilon(1, 1, delta * (1 - 1e-9)), 0, abs_tol=1e-8)
    assert gaussian_epsilon(1, 1, delta) == 0
    for epsilon, small in product((0.1, 0.5, 0.9), (1e-3, 1e-9)):
        classic = sqrt(2 * np.log(1.25 / small)) / epsilon  # Dwork & Roth 2014, Theorem A.1, for ε < 1
        assert gaussian_epsilon(classic, 1, small) < epsilon
    assert gaussian_epsilon(0, 1, 1e-5) == inf
    assert gaussian_epsilon(1, 0, 1e-5) == 0


def test_rounds_count_as_one_round_of_less_noise() -> None:
    assert isclose(gaussian_epsilon(6, 9, 1e-5), gaussian_epsilon(2, 1, 1e-5), rel_tol=1e-12)


def test_the_library_s_accountant_of_sums_without_sampling_agrees() -> None:
    accounting = pytest.importorskip("dp_accounting", reason="the extra 'privacy' is not installed")
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    for noise, n_rounds, delta in ((1.0, 1, 1e-5), (3.0, 4, 1e-3)):
        event = accounting.SelfComposedDpEvent(accounting.GaussianDpEvent(noise), n_rounds)
        exact = gaussian_epsilon(noise, n_rounds, delta)
        distribution = PLDAccountant(accounting.NeighboringRelation.ADD_OR_REMOVE_ONE).compose(event)
        assert isclose(distribution.get_epsilon(delta), exact, rel_tol=1e-4)  # of its grid of 1e-4
        renyi = RdpAccountant(neighboring_relation=accounting.NeighboringRelation.ADD_OR_REMOVE_ONE).compose(event)
        assert exact <= renyi.get_epsilon(delta) <= 1.15 * exact  # a bound, of orders of a grid


def test_poisson_sampling_amplifies_as_far_as_published() -> None:
    """Between the truth and the published bound of the moments accountant, Abadi et al. 2016, §3.2."""
    pytest.importorskip("dp_accounting", reason="the extra 'privacy' is not installed")
    # q = 0.01, σ = 4, δ = 1e-5, 10,000 steps: «ε ≈ 1.26» there.
    found = poisson_epsilon(4.0, 10_000, 1e-5, 0.01)
    assert 0.9 < found < 1.27
    assert found < gaussian_epsilon(4.0, 10_000, 1e-5) / 10
    rates = [poisson_epsilon(2.0, 50, 1e-4, q) for q in (0.05, 0.2, 0.8, 1.0)]
    assert rates == sorted(rates)
    assert rates[-1] == gaussian_epsilon(2.0, 50, 1e-4)


def test_poisson_sampling_is_no_better_than_the_truth_of_one_round() -> None:
    """δ of one round in closed form: both directions of q N(1, z²) + (1 − q) N(0, z²) against N(0, z²)."""
    pytest.importorskip("dp_accounting", reason="the extra 'privacy' is not installed")
    x = np.linspace(-60, 60, 2_000_001)
    for noise, q in ((0.7, 0.3), (2.0, 0.1), (1.0, 0.9)):
        base = np.exp(-((x / noise) ** 2) / 2) / (noise * sqrt(2 * np.pi))
        moved = np.exp(-(((x - 1) / noise) ** 2) / 2) / (noise * sqrt(2 * np.pi))
        mixed = q * moved + (1 - q) * base
        epsilon = poisson_epsilon(noise, 1, 1e-4, q)
        step = x[1] - x[0]
        for one, other in ((mixed, base), (base, mixed)):
            assert np.sum(np.maximum(one - exp(epsilon) * other, 0)) * step <= 1e-4


def test_the_chance_to_be_alone_is_that_of_all_patterns() -> None:
    for q in ([0.3, 0.3, 0.3], [0.1, 0.7, 0.4, 0.9], [1.0, 0.5, 0.25], [1.0, 1.0, 0.5], [0.2]):
        chances = {
            here: float(np.prod([p if there else 1 - p for p, there in zip(q, here, strict=True)]))
            for here in product((False, True), repeat=len(q))
        }
        there = 1 - chances[(False,) * len(q)]
        alone = [chances[tuple(place == k for place in range(len(q)))] / there for k in range(len(q))]
        assert isclose(chance_alone(q), max(alone), rel_tol=1e-12, abs_tol=1e-15)


def test_the_expected_size_takes_the_place_of_the_cohort_s() -> None:
    rows, here = np.array([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]), np.array([True, True, False])
    sent = Sent(rows, here, here / 2)
    clipped = np.array([0.6, 0.8]) + np.array([0.3, 0.4])
    for expected, divisor in ((0, 2), (5, 5), (0.5, 0.5)):
        by = make_aggregator(f"dp-fed-avg(clip=1, noise=0, expected={expected})")
        np.testing.assert_allclose(by.combine(None, sent)[1], clipped / divisor)
    noisy = make_aggregator("dp-fed-avg(clip=3, noise=2, expected=20)")
    silent = Sent(np.zeros((10, 4000)), np.ones(10, dtype=bool), np.full(10, 0.1))
    drawn = np.asarray(noisy.combine(None, silent)[1])
    assert abs(drawn.std() / (2 * 3 / 20) - 1) < 0.06  # 5 standard deviations of the estimate from 4000 draws


def test_what_no_guarantee_has_is_refused() -> None:
    for call, says in (
        (lambda: gaussian_epsilon(-1, 1, 0.1), r"noise=-1\): must be finite and >= 0"),
        (lambda: gaussian_epsilon(1, -1, 0.1), "n_rounds=-1"),
        (lambda: gaussian_epsilon(1, 1, 1), r"delta=1\): must be a number in \(0, 1\)"),
        (lambda: poisson_epsilon(1, 1, 0.1, 0), r"sampling=0\): must lie in \(0, 1\]"),
        (lambda: chance_alone([]), "one number in"),
        (lambda: chance_alone([0.5, 1.5]), "one number in"),
        (lambda: make_aggregator("dp-fed-avg(clip=1, noise=1, expected=-2)"), r"expected=-2\): must be finite"),
    ):
        with pytest.raises(ValueError, match=says):
            call()
