"""Runs of FedAvg in the plane: one by hand, on an axis as on the line, fast as exact."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.theory.worlds.test_line_run import batch, numbers
from theory.worlds.line_run import line_run_exact
from theory.worlds.plane_run import plane_run, plane_run_exact


def test_one_client_by_hand() -> None:
    x = {
        "spectrum": [[Fraction(1), Fraction(1)]],
        "tilt": [Fraction(0)],
        "optimum": [[Fraction(0), Fraction(0)]],
        "share": [Fraction(1)],
        "weights": [[Fraction(1)]],
        "start": [Fraction(3), Fraction(4)],
    }
    met, found = plane_run_exact(x, E=1, T=1)  # γ = 7, η = 2/7: both coordinates shrink by 5/7
    assert all(met.values())
    assert found["excess"] == Fraction(25, 2) * Fraction(25, 49)
    assert (found["first"], found["G2"], found["Omega"], found["Gamma"]) == (25, 25, Fraction(25, 2), 0)


@given(st.data(), st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.sampled_from(["L/μ", "A.9"]))
def test_fast_as_exact_and_an_axis_is_a_line(data: Any, n: int, E: int, rounds: int, gamma: Any) -> None:
    def row(k: int) -> list[Fraction]:
        return [data.draw(numbers) for _ in range(k)]

    def simplex() -> list[Fraction]:
        parts = [data.draw(st.integers(0, 5)) for _ in range(n - 1)] + [1]
        return [Fraction(p, sum(parts)) for p in parts]

    x: dict[str, Any] = {
        "spectrum": [row(2) for _ in range(n)],
        "tilt": row(n),
        "optimum": [row(2) for _ in range(n)],
        "share": [Fraction(1, n)] * n,
        "start": row(2),
    }
    if data.draw(st.booleans()):
        x["weights"] = [simplex() for _ in range(rounds)]
    met, exact = plane_run_exact(x, E=E, T=E * rounds, gamma=gamma)
    fast = plane_run(batch(x), E=E, T=E * rounds, gamma=gamma)
    assert all(met.values())
    assert fast["admissible"][0]
    scale = max(float(abs(v)) for v in exact.values())
    for name, value in exact.items():
        assert fast[name][0] == pytest.approx(float(value), rel=1e-9, abs=1e-9 * scale), name
    zero = Fraction(0)
    flat = {
        **x,
        "spectrum": [[s[0], s[0]] for s in x["spectrum"]],
        "optimum": [[m[0], zero] for m in x["optimum"]],
        "start": [x["start"][0], zero],
        "tilt": [zero] * n,
    }
    line = {
        **{k: x[k] for k in ("share", "weights") if k in x},
        "curvature": [s[0] for s in x["spectrum"]],
        "optimum": [m[0] for m in x["optimum"]],
        "start": x["start"][0],
        "sigma": [zero] * n,
        "noisy": zero,
    }
    on_axis, on_line = (
        plane_run_exact(flat, E=E, T=E * rounds, gamma=gamma)[1],
        line_run_exact(line, E=E, T=E * rounds, gamma=gamma)[1],
    )
    assert {k: on_axis[k] for k in on_axis} == {k: on_line[k] for k in on_axis}
