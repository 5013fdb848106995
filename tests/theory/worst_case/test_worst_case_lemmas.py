"""One-step lemmas and the shift of the optimum over whole classes, against closed forms."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from theory.worst_case import (
    Ratio,
    cocoercivity,
    gradient_over_gap,
    smooth,
    step_contraction,
    worst_optimum_shift,
    worst_ratio,
)

pytestmark = pytest.mark.skipif(importlib.util.find_spec("PEPit") is None, reason="needs the extra sdp (PEPit)")


@pytest.mark.parametrize(("mu", "L"), [(0.0, 1.0), (0.1, 2.0), (1.0, 1e4)])
def test_smoothness_lemmas_are_tight(mu: float, L: float) -> None:
    assert gradient_over_gap(mu=mu, L=L).value == pytest.approx(2 * L, rel=1e-5)  # K3
    assert cocoercivity(mu=mu, L=L).value == pytest.approx(L, rel=1e-5)  # K5


@pytest.mark.parametrize("measure", ["distance", "loss", "gradient"])
@pytest.mark.parametrize("local_lr", [0.3, 1.0, 1.9])
def test_one_step_contracts_by_rho(measure: Any, local_lr: float) -> None:
    rho = max(abs(1 - 0.1 * local_lr), abs(1 - local_lr))
    worst = step_contraction(mu=0.1, L=1.0, local_lr=local_lr, measure=measure)
    assert worst.status == "optimal"
    assert worst.value == pytest.approx(rho**2, rel=1e-5)


def test_a_step_is_measured_in_units_of_the_curvature() -> None:
    assert step_contraction(mu=10.0, L=100.0, local_lr=0.005).value == pytest.approx(0.95**2, rel=1e-6)
    with pytest.raises(ValueError, match="local_lr=-1"):
        step_contraction(mu=10.0, L=100.0, local_lr=-1.0)


def test_cocoercivity_needs_convexity() -> None:
    assert cocoercivity(mu=-1.0, L=1.0).status == "unbounded"


def test_a_ratio_without_scale_is_refused() -> None:
    def build(pep: Any) -> Ratio:
        F, w = smooth(pep, mu=0.0, L=1.0), pep.set_initial_point()
        return Ratio(F.gradient(w) ** 2, w**2, [w**2 <= 1])

    with pytest.raises(ValueError, match="use worst_value"):
        worst_ratio(build)
    with pytest.raises(ValueError, match="measure='speed'"):
        step_contraction(mu=0.1, L=1.0, local_lr=0.5, measure="speed")  # type: ignore[arg-type]


@pytest.mark.parametrize("p", [0.2, 0.5, 0.8])
@pytest.mark.parametrize(("mu", "L"), [(0.1, 1.0), (1.0, 3.0), (2e3, 1e4)])
def test_shift_of_the_optimum(mu: float, L: float, p: float) -> None:
    """Both suprema in closed form, read off the numbers; the printed bound is 8Lp²/μ² for both.

    Arrival: 2Lp²/(μ²(1−p)²), above the bound exactly when p > 1/2. Departure: 2p²/(μ(1 − (1 − μ/L)(1 − p)²)), at most
    a quarter of the bound, with equality only as μ → L.
    """
    bound = 8 * L * p**2 / mu**2
    arrival = worst_optimum_shift([1 - p, p], mu=mu, L=L, shift="arrival")
    assert arrival.status == "optimal"
    assert arrival.value == pytest.approx(2 * L * p**2 / (mu * (1 - p)) ** 2, rel=1e-5)
    assert (arrival.ratio_to(bound) > 1 + 1e-5) == (p > 0.5)
    departure = worst_optimum_shift([1 - p, p], mu=mu, L=L, shift="departure")
    assert departure.value == pytest.approx(2 * p**2 / (mu * (1 - (1 - mu / L) * (1 - p) ** 2)), rel=1e-5)
    assert departure.ratio_to(bound) <= 0.25


def test_evaluated_at_the_old_minimiser_the_two_exchange() -> None:
    old = worst_optimum_shift([0.3, 0.7], mu=0.1, L=1.0, shift="arrival", excess_at="old")
    new = worst_optimum_shift([0.3, 0.7], mu=0.1, L=1.0, shift="departure", excess_at="new")
    assert old.value == pytest.approx(new.value, rel=1e-6)


def test_the_others_may_be_one_or_several() -> None:
    """The others' mean is again in the class, so dividing them changes nothing; nor does their order."""
    one = worst_optimum_shift([0.6, 0.4], mu=0.1, L=1.0, shift="departure").value
    for share, moved in (([0.25, 0.35, 0.4], 2), ([0.4, 0.1, 0.2, 0.3], 0)):
        several = worst_optimum_shift(share, mu=0.1, L=1.0, shift="departure", moved=moved)
        assert several.value == pytest.approx(one, rel=1e-5)


@pytest.mark.parametrize("shift", ["departure", "arrival"])
def test_no_sampled_quadratic_shifts_further(shift: Any) -> None:
    rng, p, n = np.random.default_rng(1), 0.3, 1000
    turn = np.linalg.qr(rng.normal(size=(n, 2, 2, 2)))[0]
    A = np.einsum("nkij,nkj,nklj->nkil", turn, rng.choice([0.1, 0.3, 1.0], size=(n, 2, 2)), turn)
    m = rng.normal(size=(n, 2))  # client a's minimiser; the others' is the origin
    both = (1 - p) * A[:, 0] + p * A[:, 1]
    joined = np.linalg.solve(both, p * np.einsum("nij,nj->ni", A[:, 1], m)[..., None])[..., 0]
    away = (joined if shift == "arrival" else 0 * joined) - m
    ratio = (joined**2).sum(axis=1) / (0.5 * np.einsum("ni,nij,nj->n", away, A[:, 1], away))
    worst = worst_optimum_shift([1 - p, p], mu=0.1, L=1.0, shift=shift)
    assert 0.3 * worst.upper <= ratio.max() <= worst.upper * (1 + 1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"share": [0.5, 0.4]}, "share"),
        ({"share": [1.0]}, "at least 2"),
        ({"share": [1.0, 0.0]}, "at least 2 shares > 0"),
        ({"mu": 0.0}, "mu=0.0"),
        ({"mu": [0.1, 0.1, 0.1]}, "mu="),
        ({"mu": 2.0}, "mu=2.0, L=1.0"),
        ({"moved": 2}, "moved=2"),
        ({"shift": "holiday"}, "shift='holiday'"),
        ({"excess_at": "noon"}, "excess_at='noon'"),
    ],
)
def test_bad_input_names_the_argument(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        worst_optimum_shift(**({"share": [0.5, 0.5], "mu": 0.1, "L": 1.0, "shift": "arrival"} | change))
