"""Full enumeration: against exact moments where both apply, against the simulator where only it does, known truths."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theory import FedWorse, QuadraticFederation, Scheduled, SignNoise, global_loss, simulate
from theory.exact import dot, quadratic_loss
from theory.exact.reference import moments as exact
from theory.exact.reference.enumeration import (
    all_paths,
    conditional_expectation,
    expectation,
    fedavg_paths,
    path_extremes,
    sign_noise,
    sign_patterns,
)
from theory.participation.finite_laws import full_law
from theory.participation.moments import fedavg_mixture, moments
from validation.judge.sampling.intervals import confidence_sequence

small = st.fractions(min_value=-3, max_value=3, max_denominator=8)
positive = st.fractions(min_value=Fraction(1, 8), max_value=3, max_denominator=8)


@st.composite
def runs(draw: Any, most_signs: int = 8) -> dict[str, Any]:
    """Clients in one or two dimensions, a start, steps of one to three rounds: at most 2^8 paths."""
    n, dim = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    n_local = draw(st.integers(1, 2))
    n_rounds = draw(st.integers(1, 3))
    while n_rounds * n_local * n * dim > most_signs:
        n_local, n_rounds = max(1, n_local - 1), max(1, n_rounds - 1)
        if n_local == n_rounds == 1:
            dim = 1
    spectra = [[draw(positive) for _ in range(dim)] for _ in range(n)]
    return {
        "curvatures": [[[s[i] if i == j else Fraction(0) for j in range(dim)] for i in range(dim)] for s in spectra],
        "centers": [[draw(small) for _ in range(dim)] for _ in range(n)],
        "sizes": [draw(positive) for _ in range(n)],
        "start": [draw(small) for _ in range(dim)],
        "steps": [[draw(positive) / 4 for _ in range(n_local)] for _ in range(n_rounds)],
        "raw": [[draw(positive) for _ in range(n)] for _ in range(n_rounds)],
        "dim": dim,
    }


def simplex(raw: list[Fraction]) -> list[Fraction]:
    return [x / sum(raw) for x in raw]


def second_moment(paths: Any, dim: int) -> tuple[list[Fraction], list[list[Fraction]]]:
    """E[w] and E[wwᵀ] of the last model."""
    paths = list(paths)
    mean = [expectation(paths, lambda path, i=i: path[-1]["next"][i]) for i in range(dim)]
    both = [
        [expectation(paths, lambda path, i=i, j=j: path[-1]["next"][i] * path[-1]["next"][j]) for j in range(dim)]
        for i in range(dim)
    ]
    return mean, both


@settings(max_examples=40)
@given(run=runs(), shared=st.booleans())
def test_weights_fixed_in_advance_give_the_exact_moments(run: dict[str, Any], shared: bool) -> None:
    n, dim, sizes = len(run["sizes"]), run["dim"], run["sizes"]
    noise = sign_noise(sizes, len(run["steps"][0]), dim, shared=shared)
    assert sum(chance for chance, _ in noise) == 1
    weights = [simplex(raw) for raw in run["raw"]]
    paths = fedavg_paths(
        run["start"], run["curvatures"], run["centers"], run["steps"], noise, lambda past, *_: weights[len(past)]
    )
    between = [[sizes[k] * sizes[m] * (shared or k == m) for m in range(n)] for k in range(n)]
    mixtures = [
        exact.fedavg_mixture(run["curvatures"], run["centers"], steps, [(Fraction(1), a, None, None)], between)
        for steps, a in zip(run["steps"], weights, strict=True)
    ]
    assert second_moment(paths, dim) == exact.moments(run["start"], None, mixtures)[-1]


def seeing(past: list[Any], noise: Any, local_models: list[Any]) -> list[Fraction]:
    """Three times the weight where the round's own noise starts out negative."""
    return simplex([Fraction(3 if noise[0][k][0] < 0 else 1) for k in range(len(local_models))])


@settings(max_examples=25)
@given(run=runs())
def test_weights_that_see_the_rounds_noise_give_the_exact_moments_of_the_joint_law(run: dict[str, Any]) -> None:
    noise = sign_noise(run["sizes"], len(run["steps"][0]), run["dim"])
    paths = fedavg_paths(run["start"], run["curvatures"], run["centers"], run["steps"], noise, seeing)
    outcomes = [(chance, seeing([], drawn, run["centers"]), None, drawn) for chance, drawn in noise]
    mixtures = [exact.fedavg_mixture(run["curvatures"], run["centers"], steps, outcomes) for steps in run["steps"]]
    assert second_moment(paths, run["dim"]) == exact.moments(run["start"], None, mixtures)[-1]


CURVATURE, CENTER, SIZES = [Fraction(1), Fraction(1, 2)], [Fraction(-1), Fraction(2)], [Fraction(3), Fraction(2)]
START, STEPS = Fraction(1, 4), [[Fraction(1, 2), Fraction(1, 4)], [Fraction(1, 4), Fraction(1, 8)]]
CLIENTS = ([[[h]] for h in CURVATURE], [[m] for m in CENTER])
FEDERATION = QuadraticFederation(
    curvature=np.asarray(CLIENTS[0], dtype=float),
    centers=np.asarray(CLIENTS[1], dtype=float),
    floor=np.zeros(2),
    share=np.full(2, 0.5),
)
NOISE = sign_noise(SIZES, 2)


def worst_first(past: list[Any], noise: Any, local_models: list[Any]) -> list[Fraction]:
    """FedWorse: all weight on the client of the largest excess loss at the model sent out."""
    model = past[-1]["next"] if past else [START]
    losses = [quadratic_loss(a, m, Fraction(0), model) for a, m in zip(*CLIENTS, strict=True)]
    worst = [int(loss == max(losses)) for loss in losses]
    return [Fraction(w, sum(worst)) for w in worst]


def adaptive() -> list[Any]:
    return list(fedavg_paths([START], *CLIENTS, STEPS, NOISE, worst_first))


def loss_of(path: list[Any]) -> Fraction:
    """F at the last model."""
    losses = [quadratic_loss(a, m, Fraction(0), path[-1]["next"]) for a, m in zip(*CLIENTS, strict=True)]
    return (losses[0] + losses[1]) / 2


class EveryPattern:
    """The noise of `NOISE` with the paths on the batch axis, in the order `fedavg_paths` walks them."""

    sigma = tuple(float(s) for s in SIZES)

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> Any:
        rows = np.asarray([drawn for _, drawn in NOISE], dtype=float)  # (outcome, step, client, dim)
        n_rounds = len(STEPS)
        index = np.arange(len(NOISE) ** n_rounds) // len(NOISE) ** (n_rounds - 1 - round_index) % len(NOISE)
        return np.moveaxis(rows[index], 0, 1)


def test_an_adaptive_rule_gives_the_simulators_numbers_on_every_path() -> None:
    paths = adaptive()
    run = simulate(
        FEDERATION,
        FedWorse(),
        start=np.full((len(paths), 1), float(START)),
        step_sizes=np.asarray(STEPS, dtype=float).ravel(),
        n_local_steps=2,
        noise=EveryPattern(),
    )
    expected = np.asarray([[[float(x) for x in record["weights"]] for record in path] for _, path in paths])
    np.testing.assert_array_equal(np.moveaxis(run.weights, 0, 1), expected)
    assert len({tuple(w) for w in expected[:, 1]}) == 2  # the second round's weights depend on the first round's noise
    final = [float(path[-1]["next"][0]) for _, path in paths]
    np.testing.assert_allclose(run.final[:, 0], final, rtol=1e-13, atol=1e-14)  # a dozen roundings
    mean = float(np.mean(global_loss(FEDERATION, run.final)))
    assert mean == pytest.approx(float(expectation(paths, loss_of)), rel=1e-12)


def test_replicas_with_sign_noise_agree_with_the_exact_expectation() -> None:
    paths = adaptive()
    run = simulate(
        FEDERATION,
        FedWorse(),
        start=np.full((60_000, 1), float(START)),
        step_sizes=np.asarray(STEPS, dtype=float).ravel(),
        n_local_steps=2,
        noise=SignNoise(tuple(float(s) for s in SIZES)),
        seed=5,
    )
    low, high = (float(x) for x in path_extremes(paths, loss_of))
    seen = confidence_sequence(low, high, miscoverage=1e-6).after(global_loss(FEDERATION, run.final))
    assert seen.lower <= float(expectation(paths, loss_of)) <= seen.upper
    assert seen.upper - seen.lower < 0.05 * (high - low)


def test_floats_of_the_moment_recursion_agree() -> None:
    weights = [Fraction(1, 3), Fraction(2, 3)]
    paths = list(fedavg_paths([START], *CLIENTS, STEPS, NOISE, lambda *_: weights))
    rounds = [
        fedavg_mixture(
            FEDERATION,
            full_law(np.asarray(weights, dtype=float)),
            step_sizes=np.asarray(steps, dtype=float),
            sigma=np.asarray(SIZES, dtype=float),
        )
        for steps in STEPS
    ]
    found = moments(np.asarray([float(START)]), None, rounds, 2)
    assert found.second[-1, 0, 0] == pytest.approx(
        float(expectation(paths, lambda p: p[-1]["next"][0] ** 2)), rel=1e-13
    )
    replay = simulate(
        FEDERATION,
        Scheduled(np.asarray([weights, weights], dtype=float)),
        start=np.full((len(paths), 1), float(START)),
        step_sizes=np.asarray(STEPS, dtype=float).ravel(),
        n_local_steps=2,
        noise=EveryPattern(),
    )
    assert np.mean(replay.final**2) == pytest.approx(found.second[-1, 0, 0], rel=1e-13)


def test_conditional_expectations_average_to_the_expectation() -> None:
    paths = adaptive()
    for r in (0, 1, 2):
        given_past = conditional_expectation(paths, loss_of, lambda path, r=r: path[:r])
        assert len(given_past) == 16**r
        assert sum(chance for chance, _, _ in given_past) == 1
        assert sum(chance * value for chance, _, value in given_past) == expectation(paths, loss_of)
    # Given the first round, the mean of the second is its noiseless step: by hand, the noise has mean 0.
    for _, (first,), value in conditional_expectation(paths, lambda p: p[-1]["next"][0], lambda p: p[:1]):
        local = []
        for h, m in zip(CURVATURE, CENTER, strict=True):
            w = first["next"][0]
            for eta in STEPS[1]:
                w = w - eta * h * (w - m)
            local.append(w)
        assert value == dot(worst_first([first], None, []), local)
    # A coarser past: only the weights that were used.
    by_weights = conditional_expectation(paths, loss_of, lambda path: path[1]["weights"])
    assert len(by_weights) == 2


def test_presence_that_sees_the_noise_gives_it_a_mean() -> None:
    """EFL's "any distributions and correlations": who is present only when its noise is positive drifts."""

    def present(past: list[Any], noise: Any) -> list[int]:
        return [int(noise[0][k][0] > 0) for k in range(2)]

    zero, one, half = Fraction(0), Fraction(1), Fraction(1, 2)
    noise = sign_noise([one, one], 1)
    paths = list(
        fedavg_paths([zero], [[[one]]] * 2, [[zero]] * 2, [[one]], noise, lambda *_: [half, half], done=present)
    )
    assert expectation(paths, lambda p: p[0]["next"][0]) == Fraction(-1, 2)
    assert expectation(paths, lambda p: dot([1, 1], [p[0]["noise"][0][k][0] for k in range(2)])) == 0


def test_extremes_are_those_of_the_possible_paths() -> None:
    coin = [(Fraction(1, 2), 1), (Fraction(1, 2), -1), (Fraction(0), 100)]
    paths = list(all_paths(lambda past: coin, lambda past, x: x, 3))
    assert len(paths) == 8
    assert path_extremes([*paths, (Fraction(0), [100])], sum) == (-3, 3)
    assert expectation(paths, lambda p: sum(p) ** 2) == 3
    # A law that depends on the past: after +1 the walk stays where it is.
    stopped = all_paths(lambda past: [(Fraction(1), 0)] if 1 in past else coin[:2], lambda past, x: x, 3)
    assert expectation(stopped, sum) == 0


def test_shared_signs_are_one_sign() -> None:
    outcomes = sign_noise([Fraction(1), Fraction(2)], 2, 2, shared=True)
    assert len(outcomes) == 16
    assert all(b == [2 * x for x in a] for _, noise in outcomes for a, b in noise)
    assert len(sign_patterns(3)) == 8
    with pytest.raises(ValueError, match="0…20"):
        sign_patterns(21)
