"""A worst instance rebuilt as explicit quadratics reaches the value when the simulator runs it."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest

from theory import Proportional, global_loss, simulate
from theory.worst_case import QuadraticInstance, WorstCase, rebuild_quadratic, worst_case_fedavg

pytestmark = pytest.mark.skipif(importlib.util.find_spec("PEPit") is None, reason="needs the extra sdp (PEPit)")


def _run(worst: WorstCase, share: list[float], lr: float, n_local_steps: int, n_rounds: int, performance: str) -> float:
    """The value the rebuilt federation reaches, scaled so that it meets radius 1 and heterogeneity 1 exactly."""
    rebuilt = rebuild_quadratic(worst)
    assert rebuilt.instance is not None
    assert rebuilt.residual <= 1e-3
    federation = rebuilt.instance.federation(share)
    start, optimum = rebuilt.instance.trace["server"][0], federation.optimum()
    spectrum = np.linalg.eigvalsh(federation.curvature)
    assert spectrum.min() >= 0.1 - 1e-12
    assert spectrum.max() <= 1 + 1e-12
    pulls = federation.gradients(np.broadcast_to(optimum, (len(share), federation.dim)))
    spread = float(np.asarray(share) @ (pulls**2).sum(axis=-1))
    size = max(float(np.linalg.norm(start - optimum)), spread**0.5)
    steps = np.full(n_local_steps * n_rounds, lr)
    run = simulate(federation, Proportional(), start=start, step_sizes=steps, n_local_steps=n_local_steps)
    final = run.models[-1]
    if performance == "distance":
        return float(((final - optimum) ** 2).sum()) / size**2
    return float(global_loss(federation, final) - global_loss(federation, optimum)) / size**2


@pytest.mark.parametrize(
    ("share", "lr", "n_local_steps", "n_rounds", "performance"),
    [
        ([1.0], 0.5, 1, 2, "distance"),
        ([1.0], 1.95, 1, 1, "loss"),
        ([0.7, 0.3], 0.5, 1, 2, "distance"),
        ([0.7, 0.3], 0.5, 10, 1, "loss"),
        ([0.7, 0.3], 0.5, 6, 2, "loss"),
    ],
)
def test_the_rebuilt_instance_reaches_the_value(
    share: list[float], lr: float, n_local_steps: int, n_rounds: int, performance: Any
) -> None:
    worst = worst_case_fedavg(
        share,
        mu=0.1,
        L=1.0,
        local_lr=lr,
        n_local_steps=n_local_steps,
        n_rounds=n_rounds,
        performance=performance,
        heterogeneity=("gradients at w*", 1.0),
    )
    reached = _run(worst, share, lr, n_local_steps, n_rounds, performance)
    assert reached <= worst.upper * (1 + 1e-6)
    assert reached == pytest.approx(worst.value, rel=1e-3)  # points carry the square root of the solver's 1e-8


@pytest.mark.parametrize("n_rounds", [1, 2])
def test_where_the_worst_function_is_not_quadratic_it_says_so(n_rounds: int) -> None:
    # For small steps the worst loss is reached by a function that is quadratic, then linear; quadratics stay at 0.148.
    worst = worst_case_fedavg([1.0], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=n_rounds)
    rebuilt = rebuild_quadratic(worst)
    assert rebuilt.instance is None
    assert rebuilt.residual > 0.05


def test_no_points_no_instance() -> None:
    unbounded = worst_case_fedavg([0.7, 0.3], mu=0.1, L=1.0, local_lr=0.5, n_local_steps=2, n_rounds=1)
    with pytest.raises(ValueError, match="status 'unbounded' carries no points"):
        rebuild_quadratic(unbounded)


def test_a_gradient_of_zero_is_no_noise() -> None:
    # For μ = 0 the worst distance is no progress at all, F = 0: its gradients are rounding and must not be fitted.
    worst = worst_case_fedavg([1.0], mu=0.0, L=1.0, local_lr=0.5, n_local_steps=1, n_rounds=1, performance="distance")
    rebuilt = rebuild_quadratic(worst)
    assert worst.status == "optimal"
    assert rebuilt.instance is not None
    assert rebuilt.dim == 1
    assert np.abs(rebuilt.instance.curvature).max() < 1e-3


def test_a_direction_left_out_shows_in_the_residual(monkeypatch: pytest.MonkeyPatch) -> None:
    worst = worst_case_fedavg(
        [0.7, 0.3],
        mu=0.1,
        L=1.0,
        local_lr=0.5,
        n_local_steps=1,
        n_rounds=1,
        performance="distance",
        heterogeneity=("gradients at w*", 0.1),
    )
    assert rebuild_quadratic(worst).dim == 2
    monkeypatch.setattr("theory.worst_case.quadratic._NOISE", 0.9)
    assert rebuild_quadratic(worst).dim == 1
    assert rebuild_quadratic(worst).residual > 0.1


def test_a_flat_instance_has_no_unique_minimisers() -> None:
    flat = QuadraticInstance(curvature=np.zeros((1, 1, 1)), pull=np.zeros((1, 1)), trace={})
    with pytest.raises(ValueError, match="eigenvalue <= 0"):
        flat.federation([1.0])
