"""EFL in exact numbers: what compression alone does to Theorem 1, and hypotheses and sizes at their edges."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from paper_checks.efl.biased_participation import one_sided_exact
from paper_checks.efl.full_participation import compressed_exact
from paper_checks.efl.participation import rates_exact
from validation import look_up
from validation.statement.forms.kinds import Identity

F = Fraction


def one_after_another(n: int, gamma: int, T: int) -> tuple[list[Any], list[Any]]:
    """One client of curvature 1, n coordinates near 1, ST with k = 1: where each begins, and where it lands."""
    begun = [1 - F(i, n * 10**9) for i in range(n)]
    total, landed = F(0), list(begun)
    for t in range(T):
        total += F(16, t + 1 + gamma)
        landed[t] = begun[t] * (1 - total)
    return begun, landed


@pytest.mark.parametrize("told", [True, False])
def test_a_client_that_sends_one_coordinate_moves_one_in_a_round(told: bool) -> None:
    n, gamma, T = 30, 100, 12
    begun, landed = one_after_another(n, gamma, T)
    given = {"curvature": [[F(1)] * n], "optimum": [[F(0)] * n], "share": [F(1)], "start": begun, "aside": F(1)}
    met, found = compressed_exact({**given, "slack": F(1), "later": F(1, 24)}, T=T, told=told, sends=True)
    assert all(met.values())
    assert found["gamma"] == gamma
    assert found["Delta"] == sum(v * v for v in landed)
    assert found["G2"] == found["Delta0"] == sum(v * v for v in begun)


def test_theorem_1_falls_with_compression_whichever_gradients_are_bounded() -> None:
    """EFL-T1's answer: ten million coordinates, γ = 10⁴, 1300 rounds, ‖ω₀ − ω*‖² taken as n on the right side."""
    n, gamma, T = 10**7, 10**4, 1300
    total, off = F(0), F(0)  # off: the largest squared gradient with the residual absorbed, along its one coordinate
    for t in range(T):
        total = (total + F(16, t + 1 + gamma)).limit_denominator(10**12)
        off = max(off, (total * (t + 1 + gamma) / 16) ** 2)
    assert total < 2  # so no coordinate lands farther from 0 than it began, and G² is that of the first round
    G2, variance = F(n), n + off
    assert off < n
    left, right = 1 - F(T, n), (gamma**2 * n + 256 * T * (variance + 2 * G2)) / (T + gamma) ** 2 / n
    assert left > F(99, 100)
    assert right < F(4, 5)
    assert "more than 0.99 of Δ₀ are left after more than a thousand rounds" in look_up("EFL-T1").claim.verdict


@pytest.mark.parametrize(("T", "E"), [(64, 1), (3, 2)])
def test_the_constants_of_a_client_that_is_drawn_once_are_those_of_its_rounds(T: int, E: int) -> None:
    """Clients (ω ∓ 1)²/2, a coin for the whole run, the paper's coefficient Epᵏ/s: every sum round by round."""
    given = {"curvature": F(1), "slack": F(1), "later": F(7), "away": F(1)}
    met, found = one_sided_exact(given, T=T, E=E, certain=False)
    assert all(met.values())
    share, s = F(1, 2), F(E)
    p = E * share / s
    outcomes = [[(p, s), (F(0), F(0))], [(F(0), F(0)), (p, s)]]  # (coefficient, steps) of both clients, a half each
    m = sum((q * n for round_ in outcomes for q, n in round_), F(0)) / 2
    skew = sum((q * n * F(1, 2) for round_ in outcomes for q, n in round_), F(0)) / 2
    pull = sum((q * q * n / share for round_ in outcomes for q, n in round_), F(0)) / 2
    assert (found["skew"], found["pull"], found["plus_59"]) == (T * skew / m**2, T * pull / m**2, T * m / m**2)
    assert found["theta"] > p / share
    assert found["gamma"] == 8 * 32 * E * (1 + found["theta"]) / m
    w = F(0)
    for tau in range(T):
        eta = 16 * E / (((tau + 1) * E + found["gamma"]) * m)
        for _ in range(E):
            w -= eta * p * (w - 1)
    assert found["Delta"] == w * w


def test_the_steps_of_a_round_stay_below_those_that_a5_allows() -> None:
    """A5 has p < θpᵏ, so 𝔼Σps is below θE and not at it; θ may be below 1."""
    x: dict[str, Any] = {"steps": F(1), "theta": F(1, 2), "mu": F(1), "condition": F(1), "later": F(1)}
    how: Any = {"free": False, "same": False, "large": False}
    assert all(rates_exact({**x, "work": [F(1, 2), F(999, 1000)]}, **how)[0].values())
    assert not all(rates_exact({**x, "work": [F(1, 2), F(1)]}, **how)[0].values())


def test_the_identity_of_the_drift_is_checked_for_as_many_clients_as_meet_in_a_term() -> None:
    """Σp‖ω̄ − ωᵏ‖² has products of three clients' coefficients, so fewer than three clients would not say it for all."""
    (reading,) = look_up("EFL-E24").claim.readings
    assert isinstance(reading.test, Identity)
    drift = sp.expand(reading.test.left)
    coefficients = [s for s in drift.free_symbols if s.name.startswith("p")]
    terms = sp.Poly(drift, *coefficients).monoms()
    assert max(sum(power > 0 for power in term) for term in terms) == len(coefficients) == 3
