"""Runs of FedAvg on the line: two by hand, fast as exact, and what drawing clients and noise add."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theory.worlds.line_run import line_run, line_run_exact

ONE = {
    "curvature": [Fraction(1)],
    "optimum": [Fraction(0)],
    "share": [Fraction(1)],
    "weights": [[Fraction(1)]],
    "start": Fraction(3),
    "sigma": [Fraction(2)],
    "noisy": Fraction(1),
}


def batch(x: Any) -> dict[str, Any]:
    def floats(v: Any) -> Any:
        return [floats(e) for e in v] if isinstance(v, list) else float(v)

    return {k: np.asarray([floats(v)]) for k, v in x.items()}


def test_one_noisy_client_by_hand() -> None:
    _, found = line_run_exact(ONE, E=1, T=1)  # γ = 7, η = 2/7
    assert (found["gamma"], found["eta"]) == (7, Fraction(2, 7))
    assert found["after"] == (Fraction(5, 7) * 3) ** 2 + (Fraction(2, 7) * 2) ** 2
    assert (found["first"], found["before"]) == (9, 9)
    assert (found["Omega"], found["Gamma"], found["noise"]) == (Fraction(9, 2), 0, 4)
    assert found["G2"] == 9 + 4
    assert found["excess"] == found["after"] / 2
    assert found["Omega_all"] == 0


def test_two_opposed_clients_by_hand() -> None:
    x = {
        "curvature": [Fraction(1)] * 2,
        "optimum": [Fraction(1), Fraction(-1)],
        "share": [Fraction(1, 2)] * 2,
        "weights": [[Fraction(1), Fraction(0)]],
        "start": Fraction(0),
        "sigma": [Fraction(0)] * 2,
        "noisy": Fraction(0),
        "drawn": 1,
    }
    _, found = line_run_exact(x, E=1, T=1)  # all weight on the first client: a step of 2/7 towards 1
    assert (found["after"], found["Gamma"], found["Omega"]) == (Fraction(4, 49), Fraction(1, 2), Fraction(1, 2))
    _, drawn = line_run_exact({**x, "weights": [[Fraction(1, 2)] * 2]}, E=1, T=1)
    assert drawn["apart"] == drawn["after"] == Fraction(4, 49)  # one of ±2/7
    _, within = line_run_exact({**x, "weights": [[Fraction(1, 2)] * 2]}, E=2, T=1)
    assert within["after"] == 0


numbers = st.integers(1, 9).map(lambda k: Fraction(k, 3))


@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 5), st.sampled_from(["L/μ", "A.9", "longer"]))
def test_fast_as_exact(data: Any, n: int, E: int, T: int, gamma: Any) -> None:
    rows = data.draw(st.sampled_from(["round", "step"]))
    share = [Fraction(1, n)] * n

    def simplex() -> list[Fraction]:
        parts = [data.draw(st.integers(0, 5)) for _ in range(n - 1)] + [1]
        return [Fraction(p, sum(parts)) for p in parts]

    x = {
        "curvature": [data.draw(numbers) for _ in range(n)],
        "optimum": [data.draw(numbers) - 1 for _ in range(n)],
        "share": share,
        "weights": [simplex() for _ in range(data.draw(st.integers(1, T)))],
        "start": data.draw(numbers),
        "sigma": [data.draw(numbers) for _ in range(n)],
        "noisy": Fraction(data.draw(st.integers(0, 1))),
        "stretch": 1 + data.draw(numbers),
        "drawn": data.draw(st.integers(0, 3)),
    }
    met, exact = line_run_exact(x, E=E, T=T, gamma=gamma, rows=rows)
    fast = line_run(batch(x), E=E, T=T, gamma=gamma, rows=rows)
    assert all(met.values())
    scale = max(float(abs(v)) for v in exact.values())
    for name, value in exact.items():
        assert fast[name][0] == pytest.approx(float(value), rel=1e-9, abs=1e-9 * scale), name
