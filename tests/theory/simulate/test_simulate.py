"""The array simulator against the exact reference, and against what is known of it in closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from flint import ctx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.theory.strategies import decimals, federations
from theory import (
    FullParticipation,
    QuadraticFederation,
    Scheduled,
    SignNoise,
    UniformWithoutReplacement,
    constant_steps,
    inverse_steps,
    make_rule,
    simulate,
)
from theory.exact import ball, local_sgd_round, quadratic_loss, rational
from theory.exact.reference import weights as exact
from theory.federations.federation import gradient_bound


def exact_run(
    federation: QuadraticFederation, name: str, start: Any, steps: Any, n_local: int, noise: Any, cohorts: Any
) -> list[Any]:
    """The same run in balls of 300 bits, one round at a time in plain loops."""
    curvatures, centers, floor = (
        ball(federation.curvature.tolist()),
        ball(federation.centers.tolist()),
        ball(federation.floor.tolist()),
    )
    share, model = ball(federation.share.tolist()), ball(start.tolist())
    for r, cohort in enumerate(cohorts):
        before = [quadratic_loss(a, m, c, model) for a, m, c in zip(curvatures, centers, floor, strict=True)]

        def weigh(local: list[Any], before: Any = before, cohort: Any = cohort, model: Any = model) -> Any:
            parts = zip(curvatures, centers, floor, local, strict=True)
            after = [quadratic_loss(a, m, c, w) for a, m, c, w in parts]
            rules: dict[str, Callable[[], Any]] = {
                "proportional": lambda: exact.proportional(share, cohort),
                "exp-alpha": lambda: exact.exp_alpha(before, after, cohort, ball(2.0)),
                "fed-soft-worse": lambda: exact.fed_soft_worse(share, before, floor, cohort, ball(2.0)),
            }
            return rules[name]()

        drawn = None if noise is None else ball(noise[r].tolist())
        etas = ball(steps[r * n_local : (r + 1) * n_local].tolist())
        model, _, _ = local_sgd_round(model, curvatures, centers, etas, drawn, weigh)
    return model


@settings(max_examples=200)
@given(
    federation=federations(),
    name=st.sampled_from(["proportional", "exp-alpha", "fed-soft-worse"]),
    n_local=st.integers(1, 3),
    n_rounds=st.integers(1, 3),
    noisy=st.booleans(),
    partial=st.booleans(),
    eta=decimals(0.0625, 0.25),
    seed=st.integers(0, 1000),
)
def test_simulator_equals_the_exact_reference(
    federation: QuadraticFederation,
    name: str,
    n_local: int,
    n_rounds: int,
    noisy: bool,
    partial: bool,
    eta: float,
    seed: int,
) -> None:
    soft = {"exp-alpha": {"alpha": 2.0}, "fed-soft-worse": {"temperature": 2.0}}
    law = UniformWithoutReplacement(max(1, federation.n_clients - 1)) if partial else FullParticipation()
    noise = SignNoise((0.5,) * federation.n_clients) if noisy else None
    steps = inverse_steps(4 * eta, 4.0, n_local * n_rounds)
    start = np.ones(federation.dim)
    run = simulate(
        federation,
        make_rule(name, **soft.get(name, {})),
        start=start,
        step_sizes=steps,
        n_local_steps=n_local,
        noise=noise,
        participation=law,
        seed=seed,
    )
    shape = (n_local, federation.n_clients, federation.dim)
    drawn = None if noise is None else [noise.draw(seed, r, shape) for r in range(n_rounds)]
    cohorts = [[bool(x) for x in law.cohort(seed, r, federation.n_clients)] for r in range(n_rounds)]
    precision = ctx.prec
    ctx.prec = 300
    try:
        reference = [float(x) for x in exact_run(federation, name, start, steps, n_local, drawn, cohorts)]
    finally:
        ctx.prec = precision
    scale = 1.0 + np.abs(run.models).max() + np.abs(federation.centers).max()
    np.testing.assert_allclose(run.models[-1], reference, rtol=1e-10, atol=1e-10 * scale)


@given(federation=federations(), seed=st.integers(0, 100))
def test_numpy_and_torch_give_the_same_trajectory(federation: QuadraticFederation, seed: int) -> None:
    moved = QuadraticFederation(
        *(
            torch.from_numpy(np.array(x))
            for x in (federation.curvature, federation.centers, federation.floor, federation.share)
        )
    )
    steps, start = constant_steps(0.1, 6), np.ones(federation.dim)
    noise = SignNoise((0.3,) * federation.n_clients)
    rule = make_rule("exp-alpha", alpha=1.0)
    ours = simulate(federation, rule, start=start, step_sizes=steps, n_local_steps=2, noise=noise, seed=seed)
    theirs = simulate(
        moved,
        rule,
        start=torch.from_numpy(start),
        step_sizes=torch.from_numpy(steps),
        n_local_steps=2,
        noise=noise,
        seed=seed,
    )
    np.testing.assert_allclose(theirs.models.numpy(), ours.models, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(theirs.weights.numpy(), ours.weights, atol=1e-10)


def batch_of(n: int, seed: int = 0) -> QuadraticFederation:
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, 4, 3, 3))
    return QuadraticFederation(
        q @ q.swapaxes(-1, -2) + 0.2 * np.eye(3),
        rng.normal(size=(n, 4, 3)),
        np.zeros((n, 4)),
        rng.dirichlet(np.ones(4), n),
    )


def test_a_batch_of_federations_is_a_loop_over_them() -> None:
    batch = batch_of(5)
    start, steps, rule = np.ones((5, 3)), constant_steps(0.05, 12), make_rule("fed-soft-worse", temperature=1.0)
    together = simulate(batch, rule, start=start, step_sizes=steps, n_local_steps=3, record=("models", "virtual"))
    for i in range(5):
        one = QuadraticFederation(batch.curvature[i], batch.centers[i], batch.floor[i], batch.share[i])
        alone = simulate(one, rule, start=start[i], step_sizes=steps, n_local_steps=3, record=("models", "virtual"))
        np.testing.assert_allclose(together.models[:, i], alone.models, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(together.virtual[:, i], alone.virtual, rtol=1e-12, atol=1e-12)


def test_one_local_step_with_fixed_weights_is_gradient_descent() -> None:
    batch = batch_of(1)
    weights = np.asarray([0.1, 0.2, 0.3, 0.4])
    run = simulate(
        batch,
        Scheduled(weights[None, None]),
        start=np.ones((1, 3)),
        step_sizes=constant_steps(0.1, 50),
        n_local_steps=1,
    )
    mixed = (weights[:, None, None] * batch.curvature[0]).sum(axis=0)
    best = np.linalg.solve(
        mixed, (weights[:, None] * np.einsum("kij,kj->ki", batch.curvature[0], batch.centers[0])).sum(axis=0)
    )
    expected = best + np.linalg.matrix_power(np.eye(3) - 0.1 * mixed, 50) @ (np.ones(3) - best)
    np.testing.assert_allclose(run.models[-1, 0], expected, rtol=1e-12)


def test_the_virtual_sequence_is_the_weighted_mean_and_meets_the_model_at_every_round() -> None:
    batch = batch_of(3)
    run = simulate(
        batch,
        make_rule("proportional"),
        start=np.ones((3, 3)),
        step_sizes=constant_steps(0.05, 8),
        n_local_steps=4,
        record=("models", "virtual"),
    )
    np.testing.assert_allclose(run.virtual[::4], run.models, atol=1e-14)
    before = np.ones((3, 4, 3))
    gradient = (batch.curvature @ (before - batch.centers)[..., None])[..., 0]
    first = (batch.share[..., None] * (before - 0.05 * gradient)).sum(axis=1)
    np.testing.assert_allclose(run.virtual[1], first, atol=1e-14)


def test_absent_clients_do_not_move_the_model() -> None:
    batch = batch_of(1)
    law = UniformWithoutReplacement(1)
    run = simulate(
        batch,
        make_rule("proportional"),
        start=np.ones((1, 3)),
        step_sizes=constant_steps(0.1, 3),
        n_local_steps=1,
        participation=law,
        seed=3,
        record=("models", "weights", "updates"),
    )
    for r in range(3):
        here = np.flatnonzero(law.cohort(3, r, 4))
        np.testing.assert_array_equal(np.flatnonzero(run.weights[r, 0]), here)
        np.testing.assert_allclose(run.models[r + 1] - run.models[r], run.updates[r][:, here[0]], atol=1e-15)


def test_noise_is_centred_bounded_and_has_the_certified_variance() -> None:
    noise = SignNoise((0.5, 2.0))
    drawn = noise.draw(0, 0, (4000, 2, 4))
    np.testing.assert_allclose(np.linalg.norm(drawn, axis=-1), np.broadcast_to([0.5, 2.0], (4000, 2)), rtol=1e-12)
    assert np.abs(drawn.mean(axis=0)).max() < 5 * 1.0 / 4000**0.5  # five standard errors of ±1
    more = SignNoise((0.5, 2.0, 1.0)).draw(0, 0, (4000, 3, 4))
    np.testing.assert_array_equal(more[:, :2], drawn)  # a new client shifts nobody's draws


@given(federation=federations(), seed=st.integers(0, 50))
def test_no_run_leaves_the_certified_ball(federation: QuadraticFederation, seed: int) -> None:
    constants = federation.constants()
    start = np.full(federation.dim, 2.0)
    bound, radius = gradient_bound(federation, start, noise_bound=0.5)
    run = simulate(
        federation,
        make_rule("fed-worse"),
        start=start,
        step_sizes=constant_steps(1 / float(constants.L), 12),
        n_local_steps=3,
        noise=SignNoise((0.5,) * federation.n_clients),
        seed=seed,
        record=("models", "gradients"),
    )
    assert np.linalg.norm(run.models - federation.optimum(), axis=-1).max() <= radius * (1 + 1e-9)
    assert np.sqrt(run.gradients.max()) <= bound * (1 + 1e-9)


def test_a_diverging_element_is_reported_and_frozen() -> None:
    batch = batch_of(2)
    steps = np.stack([np.full(60, 0.01), np.full(60, 1e4)], axis=-1)
    run = simulate(batch, make_rule("proportional"), start=np.ones((2, 3)), step_sizes=steps, n_local_steps=1)
    assert run.diverged[0] == -1
    assert run.diverged[1] > 0
    assert np.all(np.isfinite(run.models))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"start": np.ones((2, 2))}, r"start=.*expected \(\*replicas, 2, 3\)"),
        ({"n_local_steps": 5}, "n_local_steps=5.*divide the 12"),
        ({"step_sizes": np.full(12, -0.1)}, "must be finite and > 0"),
        ({"step_sizes": np.full((12, 3), 0.1)}, "step_sizes"),
        ({"noise": SignNoise((1.0,))}, "1 values for 4 clients"),
        ({"participation": UniformWithoutReplacement(9)}, "only 4 clients"),
    ],
)
def test_bad_arguments_are_named(changes: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"start": np.ones((2, 3)), "step_sizes": constant_steps(0.1, 12), "n_local_steps": 3}
    with pytest.raises(ValueError, match=message):
        simulate(batch_of(2), make_rule("proportional"), **{**arguments, **changes})


@given(federation=federations(), name=st.sampled_from(["fed-worse", "min-norm"]), n_local=st.integers(1, 3))
def test_one_round_of_the_hard_rules_equals_exact_rationals(
    federation: QuadraticFederation, name: str, n_local: int
) -> None:
    """One round at a time: an argmax or an active set may flip on a rounding error, after which runs part ways."""
    start, steps = np.ones(federation.dim), constant_steps(0.125, n_local)
    fast = simulate(federation, make_rule(name), start=start, step_sizes=steps, n_local_steps=n_local)
    curvatures, centers, floor = (
        rational(x.tolist()) for x in (federation.curvature, federation.centers, federation.floor)
    )
    everyone = [True] * federation.n_clients
    model = rational(start.tolist())
    before = [quadratic_loss(a, m, c, model) for a, m, c in zip(curvatures, centers, floor, strict=True)]
    excess = sorted((float((b - c).p) / float((b - c).q) for b, c in zip(before, floor, strict=True)), reverse=True)
    if name == "fed-worse":
        assume(len(excess) == 1 or excess[0] - excess[1] > 1e-9 * (1 + excess[0]))

    def weigh(local: list[Any]) -> Any:
        if name == "fed-worse":
            return exact.fed_worse(before, floor, everyone)
        return exact.min_norm([[x - w for x, w in zip(one, model, strict=True)] for one in local], everyone)

    reference, _, _ = local_sgd_round(model, curvatures, centers, rational(steps.tolist()), None, weigh)
    expected = [float(x.p) / float(x.q) for x in reference]
    np.testing.assert_allclose(fast.models[-1], expected, rtol=1e-7, atol=1e-7 * (1 + np.abs(federation.centers).max()))
