"""Terms of published bounds: by hand, against the printed formula in sympy, and at the edges of their domain."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import theory.quantities as q
from tests.theory.strategies import decimals, shares


@given(data=st.data(), n=st.integers(1, 6))
def test_entropy_is_between_zero_and_log_n(data: st.DataObject, n: int) -> None:
    weights = data.draw(shares(n))
    entropy = q.weight_entropy(weights)
    assert -1e-12 <= entropy <= np.log(n) + 1e-12
    assert q.weight_entropy(np.full(n, 1 / n)) == pytest.approx(np.log(n))
    uniform = np.full(n, 1 / n)
    # −H(a) + log n is the Kullback–Leibler divergence to uniform, which the χ² divergence exceeds.
    assert np.log(n) - entropy <= q.chi_square(weights, uniform) + 1e-12


def test_entropy_at_the_corners() -> None:
    assert q.weight_entropy(np.asarray([1.0, 0.0])) == 0.0
    assert np.isnan(q.weight_entropy(np.asarray([1.5, -0.5])))


VALUES = {"tau": 5, "eta": 0.02, "L": 3.0, "sigma": 0.7, "A": 1.3, "B": 0.4, "gap": 2.5, "T": 40}
WEIGHTS, SHARE = np.asarray([0.2, 0.3, 0.5]), np.asarray([0.5, 0.25, 0.25])


def test_fedssa_terms_against_the_printed_theorem() -> None:
    tau, eta, L, sigma, A, B, gap, T, S, W = sp.symbols("tau eta L sigma A B gap T S W", positive=True)
    C = 2 * tau * (tau - 1) * eta**2 * L**2
    printed = {
        "C": C,
        "denominator": 1 - C - 2 * A * C - W * (1 - C),
        "T1": 2 * (1 - C) * gap / (tau * eta * T),
        "T2": (1 - C) * B * W,
        "T3": 2 * (1 - C) * L * eta * sigma**2 * S,
        "T4": 2 * (tau - 1) * sigma**2 * L**2 * eta**2,
        "T5": 2 * B * C,
    }
    discrepancy = float(q.weight_discrepancy(WEIGHTS, SHARE))
    assert discrepancy == pytest.approx(6 * (0.09 + 0.0025 + 0.0625))
    values = {**VALUES, "S": float((WEIGHTS**2).sum()), "W": discrepancy}
    v = VALUES
    drift = q.drift_constant(n_local_steps=5, local_lr=v["eta"], L=v["L"])
    ours = {
        "C": drift,
        "denominator": q.ssa_denominator(drift=drift, discrepancy=discrepancy, A=v["A"]),
        "T1": q.start_term(start_gap=v["gap"], drift=drift, n_local_steps=5, local_lr=v["eta"], n_rounds=40),
        "T2": q.target_mismatch_term(discrepancy=discrepancy, drift=drift, B=v["B"]),
        "T3": q.weighted_noise_term(WEIGHTS, drift=drift, L=v["L"], local_lr=v["eta"], sigma=v["sigma"]),
        "T4": q.drift_noise_term(n_local_steps=5, sigma=v["sigma"], L=v["L"], local_lr=v["eta"]),
        "T5": q.drift_bias_term(drift=drift, B=v["B"]),
    }
    for name, formula in printed.items():
        assert float(ours[name]) == pytest.approx(
            float(formula.subs({s: values[s.name] for s in formula.free_symbols}))
        ), name


def test_one_local_step_has_no_drift() -> None:
    assert q.drift_constant(n_local_steps=1, local_lr=0.1, L=2.0) == 0.0
    assert q.drift_noise_term(n_local_steps=1, sigma=1.0, L=2.0, local_lr=0.1) == 0.0
    assert q.ssa_denominator(drift=0.0, discrepancy=0.0, A=7.0) == 1.0


@given(data=st.data(), n=st.integers(1, 5), scale=decimals(0.0625, 4))
def test_a_round_is_unbiased_exactly_when_products_are_proportional(data: st.DataObject, n: int, scale: float) -> None:
    share = data.draw(shares(n))
    assert not q.biased_round(scale * share, share)
    if n > 1:
        moved = scale * share
        moved[0] *= 1.001
        assert q.biased_round(moved, share)
        assert not q.biased_round(moved, share, tolerance=0.01)


def test_efls_coefficients_leave_incomplete_rounds_unbiased_and_inactive_ones_biased() -> None:
    share, done = np.asarray([0.2, 0.3, 0.5]), np.asarray([1, 4, 2])
    coefficients = 4 * share / done
    assert not q.biased_round(coefficients * done, share)
    inactive = np.where(np.asarray([True, False, False]), 0.0, coefficients * done)
    assert q.biased_round(inactive, share)
    assert not q.biased_round(0 * share, share)


def test_biased_rounds_are_counted_from_zero() -> None:
    count = q.biased_round_count(np.asarray([True, False, True, True]))
    assert count.tolist() == [0, 1, 1, 2, 3]


def test_bias_ceiling_by_hand() -> None:
    product, gap = np.asarray([[1.0, 1.0], [3.0, 1.0]]), np.asarray([2.0, 4.0])
    # weighted means of Dₖ are 3 and 2.5; J = 32·E·3/μ
    assert q.bias_ceiling(product, gap, mu=0.5, n_local_steps=2) == pytest.approx(32 * 2 * 3 / 0.5)
    assert np.isnan(q.bias_ceiling(0 * product, gap, mu=0.5, n_local_steps=2))
    assert q.noniid_gap(np.asarray([3.0, 1.0]), np.asarray([1.0, 1.0])).tolist() == [2.0, 0.0]


def test_inactive_clients_count_only_when_asked() -> None:
    done = np.asarray([[3, 0], [3, 1]])
    assert q.any_inactive(done).tolist() == [True, False]
    assert q.any_inactive(done, np.asarray([[True, False], [True, True]])).tolist() == [False, False]


def test_coefficient_bound_is_the_largest_ratio() -> None:
    share = np.asarray([0.5, 0.5, 0.0])
    coefficients = np.asarray([[0.5, 0.25, 0.0], [1.5, 0.5, 0.0]])
    assert q.coefficient_bound(coefficients, share) == 3.0
    assert q.coefficient_bound(coefficients + 0.1, share) == np.inf
