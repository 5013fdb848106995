"""EFL's elastic term as a client algorithm: against a plain loop, and Fisher diagonals against single samples."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from theory import GivenSteps, QuadraticFederation, make_rule, simulate
from theory.algorithms import make_client
from theory.algorithms.fisher import Fisher, fisher_diagonal, fisher_draws
from theory.base.streams import stream
from theory.federations.elastic import elastic
from theory.federations.empirical import logistic_federation
from theory.federations.nonconvex import RippledFederation
from theory.participation.schedules import constant_steps

Floats = NDArray[np.float64]
N, DIM, E, ROUNDS = 4, 3, 3, 8
PATTERN = ((3, 3, 3, 3), (3, 0, 1, 3), (0, 3, 0, 2))
CASES = list(product(("participants", "all"), (False, True), ("end", "start")))


def clients() -> QuadraticFederation:
    rng = stream(1, "test")
    turn = np.linalg.qr(rng.normal(size=(N, DIM, DIM)))[0]
    curvature = turn @ (rng.uniform(0.3, 2.0, (N, DIM))[..., None] * turn.swapaxes(-1, -2))
    share = np.array([0.5, 0.25, 0.125, 0.125])  # which sum to 1 exactly
    return QuadraticFederation(
        0.5 * (curvature + curvature.swapaxes(-1, -2)), rng.normal(size=(N, DIM)), np.zeros(N), share
    )


def plain_loop(f: QuadraticFederation, strength: float, summed: str, normalised: bool, anchor: str) -> Floats:
    w, eta, models = np.ones(DIM), 0.1, [np.ones(DIM)]
    u, v = np.zeros((N, DIM)), np.zeros((N, DIM))
    total_u, total_v = np.zeros(DIM), np.zeros(DIM)
    for r in range(ROUNDS):
        steps = PATTERN[r % len(PATTERN)]
        present = [k for k in range(N) if steps[k]]
        updates = {}
        for k in present:
            mine = w.copy()
            for _ in range(steps[k]):
                mine = mine - eta * (f.curvature[k] @ (mine - f.centers[k]) + strength * (total_u * mine - total_v))
            updates[k] = mine - w
            u[k] = np.diag(f.curvature[k])
            v[k] = u[k] * (mine if anchor == "end" else w)
        who = present if summed == "participants" else list(range(N))
        total_u, total_v = u[who].sum(axis=0), v[who].sum(axis=0)
        if normalised:
            total_u, total_v = total_u / len(who), total_v / len(who)
        shares = f.share[present].sum()
        w = w + sum(f.share[k] / shares * updates[k] for k in present)
        models.append(w)
    return np.stack(models)


@pytest.mark.parametrize(("summed", "normalised", "anchor"), CASES)
def test_every_reading_equals_the_plain_loop(summed: str, normalised: bool, anchor: str) -> None:
    found = simulate(
        clients(),
        make_rule("proportional"),
        start=np.ones(DIM),
        step_sizes=constant_steps(0.1, E * ROUNDS),
        n_local_steps=E,
        participation=GivenSteps(PATTERN),
        client=make_client("elastic", strength=0.3, summed=summed, normalised=normalised, anchor=anchor),
    )
    np.testing.assert_allclose(found.models, plain_loop(clients(), 0.3, summed, normalised, anchor), rtol=0, atol=1e-12)


def test_the_local_step_is_the_gradient_of_the_elastic_objective() -> None:
    """With everyone's u and v, step 4 of Algorithm 1 is the gradient of eq. (2), as `theory.elastic` has it."""
    base, rng = clients(), stream(2, "test")
    anchors, models = rng.normal(size=(N, DIM)), rng.normal(size=(N, DIM))
    fisher = fisher_diagonal(base, Fisher(), anchors, 0, 0)
    client = make_client("elastic", strength=0.7)
    sums = {"sum_fisher": fisher.sum(axis=0), "sum_fisher_model": (fisher * anchors).sum(axis=0)}
    start = np.zeros((N, DIM))
    affine = client.steps({"start": start}, sums)
    found = affine.gradient(base.gradients(models), models, start)
    np.testing.assert_allclose(found, elastic(base, fisher, anchors, 0.7).gradients(models), rtol=0, atol=1e-12)


def test_no_strength_is_fed_avg_bit_for_bit() -> None:
    given: dict[str, Any] = {"start": np.ones(DIM), "step_sizes": constant_steps(0.1, 30), "n_local_steps": 3}
    efl = simulate(clients(), make_rule("efl(n_local_steps=3)"), client=make_client("elastic(strength=0)"), **given)
    plain = simulate(clients(), make_rule("proportional"), client=make_client("sgd"), **given)
    np.testing.assert_array_equal(efl.models, plain.models)


def some() -> Any:
    rng = stream(3, "test")
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    return logistic_federation(X, y, np.arange(60) % 3, l2=0.1)


def test_fisher_diagonals_are_means_over_single_samples() -> None:
    f = some()
    models = stream(4, "test").normal(size=(2, 3, f.dim))
    data = fisher_diagonal(f, Fisher("data"), models, 0, 0)
    np.testing.assert_allclose(data, (f.sample_gradients(models) ** 2).mean(axis=-2), rtol=1e-12)
    expected = fisher_diagonal(f, Fisher("expected"), models, 0, 0)
    # Σ_c p_c (p − e_c)² by its definition, sample by sample.
    for r, k in product(range(2), range(3)):
        total = np.zeros((f.features.shape[-1], 3))
        for x in f.features[k]:
            logits = x @ models[r, k].reshape(-1, 3)
            p = np.exp(logits) / np.exp(logits).sum()
            for c in range(3):
                total += p[c] * np.outer(x, p - np.eye(3)[c]) ** 2
        np.testing.assert_allclose(expected[r, k], total.reshape(-1) / len(f.features[k]), rtol=1e-12)
    draws = np.stack([fisher_diagonal(f, Fisher("sampled"), models, seed, 0) for seed in range(1000)])
    # Within five standard errors of its expectation, entry by entry.
    error = draws.std(axis=0) / np.sqrt(1000)
    assert np.all(np.abs(draws.mean(axis=0) - expected) <= 5 * error)
    assert np.abs(data - expected).max() > 0.1  # the empirical Fisher is another number


def test_samples_and_labels_are_drawn_anew_each_round_and_alike_in_both_worlds() -> None:
    few = Fisher("sampled", n_samples=5)
    positions, uniform = fisher_draws(few, 0, 3, 1, 20)
    assert (positions.shape, uniform.shape) == ((5,), (5,))
    assert len(set(positions.tolist())) == 5
    again = fisher_draws(few, 0, 3, 1, 20)
    np.testing.assert_array_equal(positions, again[0])
    assert not np.array_equal(uniform, fisher_draws(few, 0, 4, 1, 20)[1])
    assert fisher_draws(few, 0, 3, 1, 20, (7,))[0].shape == (7, 5)
    f, models = some(), np.zeros((3, 15))
    found = fisher_diagonal(f, few, models, 0, 3)
    drawn, _ = fisher_draws(few, 0, 3, 1, 20)
    squares = f.features[1][drawn] ** 2
    share = found[1].reshape(-1, 3)[-1]  # the intercept, whose feature is 1
    assert np.allclose(share * 5 * 9, np.round(share * 5 * 9))  # p = 1/3: squares of 1/3 and 2/3 in ninths
    assert squares.shape == (5, 5)


def test_what_has_no_likelihood_is_refused() -> None:
    f = RippledFederation(clients().centers, np.full(N, 0.5), np.full(N, 0.8), np.zeros(N), clients().share)
    with pytest.raises(ValueError, match="quadratic or logistic"):
        fisher_diagonal(f, Fisher(), np.zeros((N, DIM)), 0, 0)
    for text, says in (
        ("elastic(strength=-1)", "strength=-1"),
        ("elastic(strength=1, labels=true)", "expected one of 'sampled', 'expected', 'data'"),
        ("elastic(strength=1, summed=some)", "expected one of 'participants', 'all'"),
        ("elastic(strength=1, n_samples=-1)", "n_samples=-1"),
    ):
        with pytest.raises(ValueError, match=says):
            make_client(text)
