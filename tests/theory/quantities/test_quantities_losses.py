"""Γ, Ω, the skew and what bounds are made of it, by hand and by the identities the papers state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theory.quantities as q
from tests.theory.strategies import decimals, shares
from theory import QuadraticFederation, inverse_steps, make_rule, simulate

RANGES = st.tuples(decimals(0.0625, 4), decimals(0.0625, 4))


def test_extrema_over_rounds_by_hand() -> None:
    share = np.asarray([0.5, 0.5])
    weights = np.asarray([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    at_optimum, at_model = np.asarray([[3.0, 2.0]] * 3), np.asarray([[9.0, 1.0], [5.0, 3.0], [4.0, 2.0]])
    best = np.asarray([1.0, 1.0])
    assert q.excess_at_optimum(weights, at_optimum, best).tolist() == [2.0, 1.5, 1.0]
    assert q.greatest_excess_at_optimum(weights, at_optimum, best) == 2.0
    assert q.excess_at_model(weights, at_model, best).tolist() == [8.0, 3.0, 1.0]
    assert q.least_excess_at_model(weights, at_model, best) == 1.0
    assert q.least_proportional_excess(share, at_model, best) == 2.0
    assert q.least_skew(weights, share, at_model, best) == pytest.approx(1 / 2)
    assert q.greatest_skew_at_optimum(weights, share, at_optimum, best) == pytest.approx(2 / 1.5)


def test_proportional_weights_have_omega_above_gamma_and_no_skew_on_a_run() -> None:
    rng = np.random.default_rng(0)
    federation = QuadraticFederation(
        np.stack([np.eye(2), 3 * np.eye(2)]), rng.normal(size=(2, 2)), np.zeros(2), np.asarray([0.25, 0.75])
    )
    run = simulate(
        federation,
        make_rule("proportional"),
        start=np.ones(2),
        step_sizes=inverse_steps(2.0, 12.0, 40),
        n_local_steps=2,
    )
    weights = run.weights
    at_model = np.stack([federation.losses(w[None, :]) for w in run.models[: len(weights)]])
    at_optimum = np.broadcast_to(federation.losses(federation.optimum()[None, :]), weights.shape)
    gamma = q.greatest_excess_at_optimum(weights, at_optimum, federation.floor)
    omega = q.least_excess_at_model(weights, at_model, federation.floor)
    # F has its least value at w*, so Ωₜ − Γ = F(w̄ₜ) − F* >= 0.
    assert omega >= gamma - 1e-12
    assert omega == pytest.approx(q.least_proportional_excess(federation.share, at_model, federation.floor))
    assert q.least_skew(weights, federation.share, at_model, federation.floor) == pytest.approx(1.0)
    assert q.greatest_skew_at_optimum(weights, federation.share, at_optimum, federation.floor) == pytest.approx(1.0)


def test_one_undefined_round_makes_the_least_skew_undefined() -> None:
    half, best = np.full((2, 2), 0.5), np.zeros(2)
    assert np.isnan(q.least_skew(half, half, np.asarray([[1.0, 1.0], [0.0, 0.0]]), best))


@given(data=st.data(), n=st.integers(1, 5))
def test_the_skew_lies_between_the_extreme_ratios(data: st.DataObject, n: int) -> None:
    share, weights = data.draw(shares(n)), data.draw(shares(n))
    excess = np.asarray(data.draw(st.lists(decimals(0, 4), min_size=n, max_size=n)))
    low, high = q.share_ratio_range(weights, share)
    skew = q.weighting_skew(weights, share, excess, np.zeros(n))
    assert low <= 1 + 1e-12
    assert high >= 1 - 1e-12
    if excess.any():
        assert low - 1e-12 <= skew <= high + 1e-12


def test_ratios_where_shares_or_weights_are_zero() -> None:
    ratio = q.share_ratio(np.asarray([0.5, 0.5, 0.0]), np.asarray([1.0, 0.0, 0.0]))
    assert ratio[0] == 0.5
    assert ratio[1] == np.inf
    assert np.isnan(ratio[2])
    assert q.share_ratio_range(np.asarray([1.0, 0.0]), np.asarray([1.0, 0.0])) == (1.0, 1.0)
    weights, share = np.asarray([[1.0, 0.0], [0.75, 0.25]]), np.asarray([[0.5, 0.5]] * 2)
    assert q.share_ratio_extremes(weights, share) == (0.0, 2.0)


CONSTANTS: dict[str, Any] = {"L": 2.0, "mu": 0.5, "heterogeneity": 0.75}


def test_speed_and_error_by_hand() -> None:
    # γ = 4L/μ = 16: V_min = 8·4·0.75/0.25 + 2·16·3/2 = 96 + 48; V = 8(32·4·1 + 4)/(0.75·ρ̄) + V_min.
    floor = q.speed_floor(**CONSTANTS, start_squared_distance=3.0)
    assert floor == pytest.approx(144.0)
    speed = q.speed_term(
        np.asarray([0.5, 1.0, 0.0, np.nan]),
        **CONSTANTS,
        G=1.0,
        sigma=2.0,
        n_local_steps=2,
        start_squared_distance=3.0,
    )
    assert speed[:2] == pytest.approx([2 * 8 * 132 / 0.75 + 144, 8 * 132 / 0.75 + 144])
    assert np.isnan(speed[2:]).all()
    # E = 8·2·0.75/1.5 (ρ̃/ρ̄ − 1) = 8(ρ̃/ρ̄ − 1)
    error = q.error_term(np.asarray([0.5, 2.0, 0.0, 1.0]), np.asarray([1.0, 1.0, 1.0, np.nan]), **CONSTANTS)
    assert error[:2] == pytest.approx([8.0, -4.0])
    assert np.isnan(error[2:]).all()


@given(scales=RANGES)
def test_speed_and_error_scale_like_losses(scales: tuple[float, float]) -> None:
    """w ↦ uw and F ↦ vF turn L, μ into v/u² of themselves, G, σ into v/u, Γ into v, ‖w⁰ − w*‖² into u² of itself."""
    u, v = scales
    rho, top = np.asarray(0.5)[()], np.asarray(2.0)[()]
    before = {"L": 2.0, "mu": 1.0, "G": 1.5, "sigma": 0.5, "heterogeneity": 3.0, "start_squared_distance": 1.0}
    factors = {"L": v / u**2, "mu": v / u**2, "G": v / u, "sigma": v / u, "heterogeneity": v}
    after = {name: x * factors.get(name, u**2) for name, x in before.items()}
    speed = q.speed_term(rho, **before, n_local_steps=2)
    assert q.speed_term(rho, **after, n_local_steps=2) == pytest.approx(v * speed)
    error = q.error_term(rho, top, L=2.0, mu=1.0, heterogeneity=3.0)
    assert q.error_term(rho, top, L=2 * v / u**2, mu=v / u**2, heterogeneity=3 * v) == pytest.approx(v * error)
