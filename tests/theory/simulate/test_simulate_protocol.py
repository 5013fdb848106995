"""What a run's protocol adds to local SGD: momentum, unequal plans, stragglers, signals, batches drawn once a round."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from theory import (
    Arrival,
    Departure,
    EpochNoise,
    MinibatchNoise,
    Momentum,
    Proportional,
    Stragglers,
    UniformSteps,
    UniformWithoutReplacement,
    constant_steps,
    simulate,
)
from theory.federations.empirical import LogisticFederation, logistic_federation, split_clients
from theory.participation.sampling import RoundContext
from theory.rules import InverseVariance

CONTEXT = RoundContext(None, None, 6)


@pytest.fixture(scope="module")
def federation() -> LogisticFederation:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(37, 3)), rng.integers(0, 3, 37)
    return logistic_federation(X, y, split_clients(y, 4, 0, 0.5), l2=0.1)


def by_hand(f: LogisticFederation, noise: Any, momentum: Momentum, planned: Any, present: Any, steps: int) -> Any:
    """A round from 0, client by client, step by step; the sum of the present clients by their shares."""
    drawn = noise.drawn(5, 0, (4,), steps)
    total, mass = np.zeros(f.dim), 0.0
    for k in range(4):
        local, velocity = np.zeros(f.dim), np.zeros(f.dim)
        for e in range(planned[k]):
            g = drawn(np.tile(local, (4, 1)), e)[k]
            velocity = momentum.beta * velocity + g
            local = local - 0.1 * (g + momentum.beta * velocity if momentum.nesterov else velocity)
        if present[k]:
            total, mass = total + f.share[k] * local, mass + f.share[k]
    return total / mass


@pytest.mark.parametrize("momentum", [Momentum(), Momentum(0.7), Momentum(0.7, nesterov=True)])
@pytest.mark.parametrize("kind", [MinibatchNoise, EpochNoise])
def test_a_round_with_momentum_and_unequal_plans(federation: LogisticFederation, momentum: Momentum, kind: Any) -> None:
    noise, planned = kind(federation, 4), (6, 2, 3, 5)
    law = UniformWithoutReplacement(3)
    run = simulate(
        federation, Proportional(), start=np.zeros(federation.dim), step_sizes=constant_steps(0.1, 12), n_local_steps=6,
        noise=noise, participation=law, planned_steps=planned, momentum=momentum, seed=5,
    )  # fmt: skip
    expected = by_hand(federation, noise, momentum, planned, law.cohort(5, 0, 4), 6)
    np.testing.assert_allclose(run.models[1], expected, rtol=0, atol=1e-14)
    assert np.abs(run.models[2] - run.models[1]).max() > 1e-3


def test_no_momentum_is_the_run_without_the_word(federation: LogisticFederation) -> None:
    common: dict[str, Any] = {
        "start": np.zeros(federation.dim),
        "step_sizes": constant_steps(0.1, 6),
        "n_local_steps": 3,
    }
    plain = simulate(federation, Proportional(), **common)
    same = simulate(federation, Proportional(), momentum=Momentum(), planned_steps=(3,) * 4, **common)
    assert np.array_equal(plain.final, same.final)


def test_stragglers_finish_fewer_steps_than_they_plan() -> None:
    planned = np.array([6, 2, 3, 1, 6])
    context = RoundContext(None, None, 6, None, planned)
    plan = Stragglers(probability=1.0).plan(0, 1, (4000, 5), context)
    assert plan.steps is not None
    assert plan.steps.max(axis=0).tolist() == [5, 1, 2, 1, 5]
    assert plan.steps.min(axis=0).tolist() == [1, 1, 1, 1, 1]
    assert np.abs(np.bincount(plan.steps[:, 0])[1:] / 4000 - 0.2).max() < 5 * (0.2 * 0.8 / 4000) ** 0.5
    half = Stragglers(0.5, of=UniformWithoutReplacement(2)).plan(0, 1, (4000, 5), context)
    assert half.steps is not None
    assert np.all(half.present.sum(axis=1) == 2)
    assert np.all((half.steps > 0) == half.present)
    late = (half.steps[:, 0] < 6)[half.present[:, 0]]
    assert abs(late.mean() - 0.5) < 5 * (0.25 / late.size) ** 0.5
    none = Stragglers(0.0).plan(0, 1, (5,), context)
    assert none.steps is not None
    assert none.steps.tolist() == planned.tolist()
    even = UniformSteps(1).plan(0, 0, (500, 5), context).steps
    assert even is not None
    assert even.max(axis=0).tolist() == planned.tolist()


@pytest.mark.parametrize("settings", [{"probability": 1.5}, {"lowest": 0}, {"of": 3}])
def test_stragglers_at_the_door(settings: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=rf"Stragglers\({next(iter(settings))}=.*must be"):
        Stragglers(**settings)


def test_arrival_and_departure_take_the_shares_of_the_run() -> None:
    share = np.array([0.5, 0.2, 0.3])
    context = RoundContext(None, None, 1, share)
    before, after = (Arrival(0, 2).plan(0, r, (3,), context) for r in (1, 2))
    assert before.share is not None
    np.testing.assert_allclose(before.share, [0, 0.4, 0.6])
    assert after.share is not None
    np.testing.assert_allclose(after.share, share)
    gone = Departure(2, 1).plan(0, 1, (3,), context)
    assert gone.present.tolist() == [True, True, False]


def test_rules_are_given_their_signals(federation: LogisticFederation) -> None:
    seen = []

    def signals(now: Any) -> dict[str, Any]:
        seen.append((now.round, now.model.copy(), now.updates.shape, now.present.copy()))
        return {"gradient_variance": np.array([1.0, 2.0, 4.0, 8.0])}

    run = simulate(
        federation, InverseVariance(), start=np.zeros(federation.dim), step_sizes=constant_steps(0.1, 2),
        n_local_steps=1, signals=signals,
    )  # fmt: skip
    np.testing.assert_allclose(run.weights[0], np.array([8, 4, 2, 1]) / 15)
    assert [s[0] for s in seen] == [0, 1]
    assert np.array_equal(seen[1][1], run.models[1])
    assert seen[0][2] == (4, federation.dim)
    start = np.zeros(federation.dim)
    with pytest.raises(ValueError, match="InverseVariance needs `gradient_variance`"):
        simulate(federation, InverseVariance(), start=start, step_sizes=constant_steps(0.1, 2), n_local_steps=1)


@pytest.mark.parametrize("planned", [(1, 2), (0, 1, 1, 1), (1, 1, 1, 7)])
def test_plans_at_the_door(federation: LogisticFederation, planned: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"planned_steps=.*expected 4 whole numbers in 1 … 6"):
        simulate(
            federation, Proportional(), start=np.zeros(federation.dim), step_sizes=constant_steps(0.1, 6),
            n_local_steps=6, planned_steps=planned,
        )  # fmt: skip
