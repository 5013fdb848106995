"""Weights that minimise a bound's noise and drift: closed forms, limits, what a simulation hands in, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory import QuadraticFederation, RoundStats, make_rule, simulate
from theory.noise.laws import SphereNoise
from theory.rules.by_update.bound_optimal import BoundOptimal
from theory.simulate.handed import handed

SHARE, EVERYONE = np.asarray([0.3, 0.7]), np.ones(2, dtype=bool)
VARIANCE, SLOPES = np.asarray([2.0, 0.5]), np.asarray([[1.0, 0.0], [-1.0, 3.0]])


def seen(**changes: Any) -> RoundStats:
    signals = {"gradient_variance": VARIANCE, "optimum_gradients": SLOPES, "step_size": np.asarray([0.1, 0.2])}
    steps = np.asarray([5.0, 2.0])
    updates = -SLOPES * (steps * signals["step_size"])[:, None]
    given = {"effective_steps": steps, "updates": updates, "signals": {**signals, **changes.pop("signals", {})}}
    return RoundStats(**{"share": SHARE, "present": EVERYONE, **given, **changes})


@pytest.mark.parametrize("source", ["updates", "optimum"])
@pytest.mark.parametrize("horizon", [0.5, 8.0, 300.0])
def test_the_weights_of_two_clients_are_those_of_the_closed_form(source: Any, horizon: float) -> None:
    # a²v₁ + (1 − a)²v₂ + h/4 (a − p)²‖g₁ − g₂‖² is least at a = (v₂ + h/4 ‖·‖² p)/(v₁ + v₂ + h/4 ‖·‖²).
    pull = horizon / 4 * float(((SLOPES[0] - SLOPES[1]) ** 2).sum())
    first = (VARIANCE[1] + pull * SHARE[0]) / (VARIANCE.sum() + pull)
    weights = BoundOptimal(horizon, source)(seen())
    assert weights == pytest.approx([first, 1 - first], rel=1e-12)


def test_short_horizons_give_inverse_variance_and_long_ones_the_shares() -> None:
    assert BoundOptimal(1e-9, "optimum")(seen()) == pytest.approx(make_rule("inverse-variance")(seen()), rel=1e-6)
    assert BoundOptimal(1e12, "optimum")(seen()) == pytest.approx(SHARE, rel=1e-6)


def test_a_client_without_a_step_has_no_weight_and_where_nobody_did_one_the_noise_decides() -> None:
    one = BoundOptimal(8.0)(seen(effective_steps=np.asarray([0.0, 2.0])))
    assert one.tolist() == [0, 1]
    none = BoundOptimal(8.0)(seen(effective_steps=np.zeros(2), updates=np.zeros((2, 2))))
    assert none == pytest.approx([0.2, 0.8], rel=1e-12)


def test_a_simulation_hands_in_the_mean_rate_of_the_round() -> None:
    federation = QuadraticFederation(
        np.broadcast_to(np.eye(2), (2, 2, 2)), np.asarray([[1.0, 0.0], [-1.0, 3.0]]), np.zeros(2), SHARE
    )
    rates = np.asarray([1e-7, 3e-7])  # so small that both gradients of a round are those at the broadcast model
    found = simulate(
        federation,
        BoundOptimal(8.0),
        start=np.zeros(2),
        step_sizes=rates,
        n_local_steps=2,
        signals=handed(rates, 2, gradient_variance=VARIANCE),
    )
    slopes = federation.gradients(np.zeros((2, 2)))
    expected = BoundOptimal(8.0, "optimum")(seen(signals={"optimum_gradients": slopes}))
    assert np.asarray(found.weights[0]) == pytest.approx(expected, rel=1e-5)
    rates = np.full(6, 0.1)
    noisy = simulate(
        federation,
        BoundOptimal(8.0),
        start=np.zeros((4, 2)),
        step_sizes=rates,
        n_local_steps=3,
        noise=SphereNoise((1.0, 2.0)),
        signals=handed(rates, 3, gradient_variance=np.broadcast_to([1.0, 4.0], (4, 2))),
    )
    assert np.asarray(noisy.weights).sum(axis=-1) == pytest.approx(np.ones((2, 4)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: BoundOptimal(0.0), r"BoundOptimal.*horizon"),
        (lambda: BoundOptimal(1.0, "both"), r"BoundOptimal\(gradients='both'\): expected one of updates, optimum"),  # type: ignore[arg-type]
        (lambda: BoundOptimal(1.0, signal=3), "expected the name of a signal"),  # type: ignore[arg-type]
        (lambda: BoundOptimal(1.0)(seen(signals={"step_size": np.asarray([0.1, 0.0])})), "expected finite numbers > 0"),
        (lambda: BoundOptimal(1.0)(seen(signals={"gradient_variance": np.asarray([-1.0, 1.0])})), "from -1 to 1;"),
        (
            lambda: BoundOptimal(1.0, "optimum")(seen(signals={"optimum_gradients": SLOPES[:1]})),
            r"BoundOptimal\(optimum_gradients=…\): shape \(1, 2\)",
        ),
        (
            lambda: BoundOptimal(1.0, "optimum")(seen(signals={"optimum_gradients": SLOPES * np.inf})),
            "is NaN or infinite",
        ),
        (lambda: BoundOptimal(1.0)(RoundStats(SHARE, EVERYONE)), "needs `gradient_variance`"),
    ],
)
def test_bad_input_is_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message), np.errstate(invalid="ignore"):
        call()
