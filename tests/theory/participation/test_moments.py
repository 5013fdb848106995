"""Exact moments: floats against rationals, against every path enumerated, against replicas, and known truths."""

from __future__ import annotations

from fractions import Fraction
from itertools import product, repeat
from typing import Any

import numpy as np
import pytest
import torch
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.theory.strategies import decimals, federations, shares
from tests.turns import one_run_in
from theory import QuadraticFederation, Scheduled, SignNoise, constant_steps, global_loss, simulate, stream
from theory.exact import local_sgd_round, quadratic_loss, rational, weighted_sum
from theory.exact.reference import moments as exact
from theory.participation.finite_laws import (
    Outcome,
    RoundLaw,
    bernoulli_law,
    full_law,
    incomplete_law,
    joint_law,
    multinomial_law,
    subsets_law,
)
from theory.participation.moments import (
    AffineMixture,
    Moments,
    expected_global_loss,
    expected_quadratic,
    expected_square_distance,
    fedavg_mixture,
    moments,
    moments_after,
)

LAWS = ("full", "subsets", "bernoulli", "bernoulli renormalised", "multinomial", "incomplete", "joint")


def floats(value: Any) -> Any:
    """Nested lists of rationals as a float64 array, each entry rounded once."""
    if isinstance(value, (list, tuple)):
        return np.asarray([floats(v) for v in value])
    return float(Fraction(int(value.p), int(value.q))) if isinstance(value, fmpq) else float(value)


def sign_patterns(n_local: int, n: int, dim: int, sizes: list[Any]) -> list[list[list[list[Any]]]]:
    """Every noise of one round, noise[e][k], client k's coordinates being ±sizes[k]."""
    patterns = []
    for signs in product((-1, 1), repeat=n_local * n * dim):
        bit = iter(signs)
        patterns.append([[[next(bit) * sizes[k] for _ in range(dim)] for k in range(n)] for _ in range(n_local)])
    return patterns


def favour_the_unlucky(noise: Any) -> list[Any]:
    """Weights on the simplex that see the round's own noise: three times as much where it starts out negative."""
    raw = [3 if noise[0][k][0] < 0 else 1 for k in range(len(noise[0]))]
    return [fmpq(r, sum(raw)) for r in raw]


def both_laws(name: str, share: Any, n_local: int, dim: int) -> tuple[RoundLaw, list[Any]]:
    """The same law twice: as arrays, and as the exact oracle's list of outcomes."""
    n, p = len(share), rational(share.tolist())
    if name == "full":
        return full_law(share), [(fmpq(1), p, None, None)]
    if name == "multinomial":
        draws = exact.multinomial_law(p, 2)
        return multinomial_law(share, 2), [(q, [fmpq(c, 2) for c in counts], None, None) for q, counts in draws]
    if name == "incomplete":
        q = np.asarray([0.25, 0.75])
        s = [[k % (n_local + 1) for k in range(n)], [(k + 1) % (n_local + 1) for k in range(n)]]
        weights = [[x * n_local / c if c else 0 * x for x, c in zip(p, row, strict=True)] for row in s]
        law = incomplete_law(share, n_local, list(zip(q, s, strict=True)))
        return law, [(rational(q[j]), weights[j], s[j], None) for j in range(2)]
    if name == "joint":
        listed = []
        for j in range(5):
            noise = [
                [[fmpq((3 * j + 5 * e + 7 * k + 2 * i) % 5 - 2, 4) for i in range(dim)] for k in range(n)]
                for e in range(n_local)
            ]
            listed.append((fmpq(1, 5), favour_the_unlucky(noise), [(j + k) % n_local + 1 for k in range(n)], noise))
        return joint_law([Outcome(0.2, floats(a), np.asarray(s), floats(z)) for _, a, s, z in listed]), listed
    renormalise = name != "bernoulli"
    if name == "subsets":
        law, cohorts = subsets_law(share, max(1, n - 1)), exact.subsets_law(n, max(1, n - 1), fmpq(1))
    else:
        q = np.linspace(0.25, 0.75, n)
        law = bernoulli_law(share, q, renormalise=renormalise)
        cohorts = exact.bernoulli_law(rational(q.tolist()))
    outcomes = []
    for chance, bits in cohorts:
        total = (
            sum((x * bit for x, bit in zip(p, bits, strict=True)), fmpq(0)) if renormalise and any(bits) else fmpq(1)
        )
        outcomes.append((chance, [x * bit / total for x, bit in zip(p, bits, strict=True)], None, None))
    return law, outcomes


def clients(federation: QuadraticFederation) -> tuple[Any, Any]:
    return rational(federation.curvature.tolist()), rational(federation.centers.tolist())


@settings(max_examples=200)
@given(
    federation=federations(max_clients=3, max_dim=2),
    name=st.sampled_from(LAWS),
    n_local=st.integers(1, 3),
    n_rounds=st.integers(0, 3),
    shared=st.booleans(),
    eta=decimals(0.0625, 0.5),
)
def test_floats_equal_rationals(
    federation: QuadraticFederation, name: str, n_local: int, n_rounds: int, shared: bool, eta: float
) -> None:
    dim, n = federation.dim, federation.n_clients
    law, outcomes = both_laws(name, federation.share, n_local, dim)
    sigma, start = np.arange(1, n + 1) / 4, np.ones(dim)
    second = np.outer(start, start) + 0.25 * np.eye(dim)
    etas = eta / (1 + np.arange(n_local))
    mixture = fedavg_mixture(federation, law, step_sizes=etas, sigma=sigma, shared_noise=shared)
    s = rational(sigma.tolist())
    between = [[s[k] * s[m] / dim if shared or k == m else fmpq(0) for m in range(n)] for k in range(n)]
    oracle = exact.fedavg_mixture(*clients(federation), rational(etas.tolist()), outcomes, between)
    path = exact.moments(rational(start.tolist()), rational(second.tolist()), [oracle] * n_rounds)
    expected, scale = [floats(column) for column in zip(*path, strict=True)], 0.0
    scale = 1 + max(float(np.abs(column).max()) for column in expected)
    # 1e-10 of the largest moment met: some hundred roundings, amplified by steps up to 2.5/L.
    for rounds in (mixture, repeat(mixture)):
        got = moments(start, second, rounds, n_rounds)
        np.testing.assert_allclose(got.mean, expected[0], rtol=1e-10, atol=1e-10 * scale)
        np.testing.assert_allclose(got.second, expected[1], rtol=1e-10, atol=1e-10 * scale)
    after = moments_after(mixture, n_rounds, start, second)
    np.testing.assert_allclose(after.second, expected[1][-1], rtol=1e-10, atol=1e-10 * scale)
    b, c = federation.curvature[0], federation.centers[0]
    form = exact.expected_quadratic(*path[-1], rational(b.tolist()), rational(c.tolist()))
    assert expected_quadratic(after, b, c) == pytest.approx(floats(form), rel=1e-10, abs=1e-8 * scale)


def all_paths(
    curvatures: Any, centers: Any, etas: Any, outcomes: Any, noise_sizes: Any, start: Any, n_rounds: int
) -> list[tuple[Any, Any]]:
    """(probability, last model) of every path of cohorts and signs; weights may be a function of the noise."""
    cloud = [(fmpq(1), start)]
    patterns = sign_patterns(len(etas), len(centers), len(start), noise_sizes)
    for _ in range(n_rounds):
        grown = []
        for chance, model in cloud:
            for noise in patterns:
                _, _, paths = local_sgd_round(model, curvatures, centers, etas, noise, lambda w: [fmpq(0)] * len(w))
                for q, weights, steps in outcomes:
                    a = weights(noise) if callable(weights) else weights
                    ends = [path[-1 if steps is None else steps[k]] for k, path in enumerate(paths)]
                    moves = [[x - w for x, w in zip(end, model, strict=True)] for end in ends]
                    new = [w + u for w, u in zip(model, weighted_sum(a, moves), strict=True)]
                    grown.append((chance * q / len(patterns), new))
        cloud = grown
    return cloud


def averaged(cloud: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    dim, chances = len(cloud[0][1]), [q for q, _ in cloud]
    mean = weighted_sum(chances, [w for _, w in cloud])
    products = weighted_sum(chances, [[x * y for x in w for y in w] for _, w in cloud])
    return mean, [products[i * dim : (i + 1) * dim] for i in range(dim)]


LINE = ([[[fmpq(1)]], [[fmpq(1, 3)]]], [[fmpq(2)], [fmpq(-1)]])  # curvatures and centers of two clients
PLANE = (
    [[[fmpq(1), fmpq(1, 2)], [fmpq(1, 2), fmpq(2)]], [[fmpq(1, 3), fmpq(0)], [fmpq(0), fmpq(1)]]],
    [[fmpq(2), fmpq(0)], [fmpq(-1), fmpq(1)]],
)
HALF, THIRDS = [fmpq(1, 2)] * 2, [fmpq(1, 3), fmpq(2, 3)]


@pytest.mark.parametrize(
    ("federation", "n_local", "n_rounds", "outcomes"),
    [
        (LINE, 2, 2, [(fmpq(1), THIRDS, None)]),
        (
            LINE,
            2,
            2,
            [(q, [x * b for x, b in zip(THIRDS, bits, strict=True)], None) for q, bits in exact.bernoulli_law(HALF)],
        ),
        (LINE, 2, 2, [(fmpq(1, 4), THIRDS, [0, 2]), (fmpq(3, 4), HALF, [1, 2])]),
        (PLANE, 1, 2, [(q, [fmpq(c, 2) for c in counts], None) for q, counts in exact.multinomial_law(THIRDS, 2)]),
        (PLANE, 2, 1, [(q, [fmpq(b) for b in bits], None) for q, bits in exact.subsets_law(2, 1, fmpq(1))]),
    ],
    ids=["full", "bernoulli", "incomplete", "multinomial", "subsets"],
)
def test_rational_moments_are_the_average_over_every_path(
    federation: Any, n_local: int, n_rounds: int, outcomes: Any
) -> None:
    etas, sizes = [fmpq(1, 2), fmpq(1, 3)][:n_local], [fmpq(1, 2), fmpq(3, 4)]
    start = [fmpq(1), fmpq(-1)][: len(federation[1][0])]
    between = [[sizes[0] ** 2, fmpq(0)], [fmpq(0), sizes[1] ** 2]]
    mixture = exact.fedavg_mixture(*federation, etas, [(*outcome, None) for outcome in outcomes], between)
    cloud = all_paths(*federation, etas, outcomes, sizes, start, n_rounds)
    assert sum((q for q, _ in cloud), fmpq(0)) == 1
    assert averaged(cloud) == exact.moments(start, None, [mixture] * n_rounds)[-1]


def test_weights_that_see_the_rounds_own_noise_are_covered_exactly() -> None:
    etas, sizes, start = [fmpq(1, 2), fmpq(1, 3)], [fmpq(1, 2), fmpq(3, 4)], [fmpq(1)]
    patterns = sign_patterns(2, 2, 1, sizes)
    listed = [(fmpq(1, len(patterns)), favour_the_unlucky(z), None, z) for z in patterns]
    truth = averaged(all_paths(*LINE, etas, [(fmpq(1), favour_the_unlucky, None)], sizes, start, 2))
    assert truth == exact.moments(start, None, [exact.fedavg_mixture(*LINE, etas, listed)] * 2)[-1]

    federation = QuadraticFederation(floats(LINE[0]), floats(LINE[1]), np.zeros(2), np.asarray([0.5, 0.5]))
    law = joint_law([Outcome(1 / 16, floats(a), noise=floats(z)) for _, a, _, z in listed])
    fast = moments(np.ones(1), None, fedavg_mixture(federation, law, step_sizes=floats(etas)), 2)
    np.testing.assert_allclose(fast.second[-1], floats(truth[1]), rtol=1e-13)  # a few dozen roundings
    blind = fedavg_mixture(federation, full_law(np.asarray([0.5, 0.5])), step_sizes=floats(etas), sigma=floats(sizes))
    assert abs(moments(np.ones(1), None, blind, 2).mean[-1] - fast.mean[-1]) > 0.05


@one_run_in(3)
def test_a_million_replicas_of_the_simulator_agree() -> None:
    rng = np.random.default_rng(0)
    n_rounds, n_local, replicas, dim, n = 3, 2, 200_000, 2, 3
    q = rng.normal(size=(n, dim, dim))
    share, sigma = np.asarray([0.5, 0.25, 0.25]), np.asarray([0.5, 1.0, 2.0])
    one = QuadraticFederation(q @ q.swapaxes(-1, -2) + 0.2 * np.eye(dim), rng.normal(size=(n, dim)), np.zeros(n), share)
    many = QuadraticFederation(
        *(np.broadcast_to(x, (replicas, *x.shape)) for x in (one.curvature, one.centers, one.floor, one.share))
    )
    start, best, steps = np.ones(dim), one.optimum(), constant_steps(0.125, n_rounds * n_local)
    samples = []
    for seed in range(5):
        drawn = stream(seed, "draws").multinomial(2, share, size=(n_rounds, replicas)) / 2
        run = simulate(
            many,
            Scheduled(drawn),
            start=np.broadcast_to(start, (replicas, dim)),
            step_sizes=steps,
            n_local_steps=n_local,
            noise=SignNoise(tuple(sigma)),
            seed=seed,
        )
        w = run.models[1:]
        facts = [w[..., 0], w[..., 1], w[..., 0] ** 2, w[..., 0] * w[..., 1], w[..., 1] ** 2]
        samples.append(np.stack([*facts, ((w - best) ** 2).sum(axis=-1), global_loss(one, w)]))
    values = np.concatenate(samples, axis=-1)
    mixture = fedavg_mixture(one, multinomial_law(share, 2), step_sizes=steps[:n_local], sigma=sigma)
    truth = moments(start, None, mixture, n_rounds)
    second = truth.second[1:]
    parts = [truth.mean[1:, 0], truth.mean[1:, 1], second[:, 0, 0], second[:, 0, 1], second[:, 1, 1]]
    expected = np.stack([*parts, expected_square_distance(truth, best)[1:], expected_global_loss(one, truth)[1:]])
    # Five standard errors of the replicas: 21 comparisons, so a right answer fails with probability 1e-5.
    error = values.std(axis=-1) / values.shape[-1] ** 0.5
    assert values.shape[-1] == 1_000_000
    assert np.abs((values.mean(axis=-1) - expected) / error).max() < 5
    assert (error[-2:] / expected[-2:]).max() < 1e-3  # and the comparison is sharp: distance and loss to 0.1 %


@given(
    federation=federations(max_clients=3, max_dim=2),
    eta=decimals(0.0625, 0.5),
    n_rounds=st.integers(1, 5),
    data=st.data(),
)
def test_k20_k21_local_sgd_with_one_step_obeys_its_bound(
    federation: QuadraticFederation, eta: float, n_rounds: int, data: st.DataObject
) -> None:
    a = data.draw(shares(federation.n_clients))  # one client: K20
    sigma, start = np.arange(1, federation.n_clients + 1) / 2, np.ones(federation.dim)
    constants = federation.constants()
    rho = max(abs(1 - eta * constants.mu), abs(1 - eta * constants.L))
    best = QuadraticFederation(federation.curvature, federation.centers, federation.floor, a).optimum()
    mixture = fedavg_mixture(federation, full_law(a), step_sizes=np.asarray([eta]), sigma=sigma)
    distance = expected_square_distance(moments(start, None, mixture, n_rounds), best)
    for t in range(n_rounds + 1):
        noise = eta**2 * (a**2 * sigma**2).sum() * sum(rho ** (2 * s) for s in range(t))
        assert distance[t] <= (rho ** (2 * t) * distance[0] + noise) * (1 + 1e-10) + 1e-12  # both sides near 1e-16


def test_k20_k21_hold_with_equality_on_the_line() -> None:
    c, eta, a, variances = fmpq(2, 3), fmpq(1, 2), THIRDS, [fmpq(1, 4), fmpq(9, 16)]
    between = [[variances[0], fmpq(0)], [fmpq(0), variances[1]]]
    centers = [[fmpq(2)], [fmpq(-1)]]
    mixture = exact.fedavg_mixture([[[c]]] * 2, centers, [eta], [(fmpq(1), a, None, None)], between)
    best, rho = weighted_sum(a, centers), 1 - eta * c
    noise = eta**2 * sum((x * x * v for x, v in zip(a, variances, strict=True)), fmpq(0))
    for t, (mean, second) in enumerate(exact.moments([fmpq(3)], None, [mixture] * 5)):
        bound = rho ** (2 * t) * (3 - best[0]) ** 2 + noise * (1 - rho ** (2 * t)) / (1 - rho**2)
        assert exact.expected_quadratic(mean, second, [[fmpq(1)]], best) == bound


@given(n_local=st.integers(1, 4), c=decimals(0.0625, 2), raw=st.lists(st.integers(1, 9), min_size=1, max_size=3))
def test_k23_variance_after_a_round_of_identical_clients(n_local: int, c: float, raw: list[int]) -> None:
    n, eta, before = len(raw), fmpq(1, 2), fmpq(5, 7)
    a, curvature = [fmpq(x, sum(raw)) for x in raw], rational(c)
    between = [[fmpq(k + 1) if k == m else fmpq(0) for m in range(n)] for k in range(n)]
    law = [(fmpq(1), a, None, None)]
    mixture = exact.fedavg_mixture([[[curvature]]] * n, [[fmpq(0)]] * n, [eta] * n_local, law, between)
    mean, second = exact.moment_step([fmpq(3)], [[9 + before]], mixture)
    turn = 1 - eta * curvature
    noise = eta**2 * sum((x * x * (k + 1) for k, x in enumerate(a)), fmpq(0))
    steps = sum((turn ** (2 * e) for e in range(n_local)), fmpq(0))
    assert second[0][0] - mean[0] ** 2 == turn ** (2 * n_local) * before + noise * steps


def variance_of_the_aggregate(law: list[Any], points: list[Any]) -> Any:
    """E‖Σ aₖxₖ − E[…]‖²: one step of size 1 on ½‖w − xₖ‖² takes every client to its xₖ."""
    dim = len(points[0])
    eye = [[fmpq(int(i == j)) for j in range(dim)] for i in range(dim)]
    mixture = exact.fedavg_mixture([eye] * len(points), points, [fmpq(1)], law)
    mean, second = exact.moment_step([fmpq(0)] * dim, [[fmpq(0)] * dim] * dim, mixture)
    return exact.expected_quadratic(mean, second, eye, mean)


points_on_a_grid = st.lists(st.lists(decimals(-4, 4).map(rational), min_size=2, max_size=2), min_size=2, max_size=4)


@given(points=points_on_a_grid, n_sampled=st.integers(1, 3))
def test_k25_k26_variance_of_sampling(points: Any, n_sampled: int) -> None:
    n = len(points)
    p = [fmpq(2 * (k + 1), n * (n + 1)) for k in range(n)]
    squares = [sum((x * x for x in point), fmpq(0)) for point in points]
    total = sum((pk * s for pk, s in zip(p, squares, strict=True)), fmpq(0))
    with_replacement = [
        (q, [fmpq(c, n_sampled) for c in counts], None, None) for q, counts in exact.multinomial_law(p, n_sampled)
    ]
    spread = variance_of_the_aggregate(with_replacement, points)
    center = weighted_sum(p, points)
    assert spread == (total - sum((x * x for x in center), fmpq(0))) / n_sampled
    assert spread <= total / n_sampled  # K25

    size = min(n_sampled, n)
    subsets = [(q, [fmpq(b, size) for b in bits], None, None) for q, bits in exact.subsets_law(n, size, fmpq(1))]
    middle = weighted_sum([fmpq(1, n)] * n, points)
    around = sum(((x - m) ** 2 for point in points for x, m in zip(point, middle, strict=True)), fmpq(0)) / n
    assert variance_of_the_aggregate(subsets, points) == fmpq(n - size, size * (n - 1)) * around  # K26


@given(raw=st.lists(st.integers(1, 9), min_size=1, max_size=4), q=decimals(0, 1), c=decimals(0.0625, 4))
def test_k27_bernoulli_participation(raw: list[int], q: float, c: float) -> None:
    n, eta, w = len(raw), fmpq(1, 3), fmpq(-7, 2)
    p, q, c = [fmpq(x, sum(raw)) for x in raw], rational(q), rational(c)
    law = [
        (chance, [x * bit for x, bit in zip(p, bits, strict=True)], None, None)
        for chance, bits in exact.bernoulli_law([q] * n)
    ]
    mixture = exact.fedavg_mixture([[[c]]] * n, [[fmpq(0)]] * n, [eta], law)
    _, second = exact.moment_step([w], [[w * w]], mixture)
    squares = sum((x * x for x in p), fmpq(0))
    assert second[0][0] == w * w * ((1 - eta * q * c) ** 2 + eta**2 * c**2 * q * (1 - q) * squares)


def small_federation(dim: int = 2) -> QuadraticFederation:
    rng = np.random.default_rng(1)
    q = rng.normal(size=(3, dim, dim))
    return QuadraticFederation(
        q @ q.swapaxes(-1, -2) + 0.5 * np.eye(dim), rng.normal(size=(3, dim)), np.ones(3), np.asarray([0.5, 0.25, 0.25])
    )


def test_doubling_equals_stepping_and_ten_thousand_rounds_run() -> None:
    federation = small_federation()
    law = bernoulli_law(federation.share, np.asarray([0.25, 0.5, 0.75]))
    mixture = fedavg_mixture(federation, law, step_sizes=constant_steps(0.001, 2), sigma=np.ones(3))
    start = np.full(2, 5.0)
    path = moments(start, None, mixture, 10_000)
    stepped = moments(start, None, lambda r: mixture, 2_000)
    np.testing.assert_allclose(path.covariance[:2001], stepped.covariance, rtol=1e-9)  # 2000 roundings, contracting
    for n_rounds in (0, 1, 7, 2_000, 10_000):
        after = moments_after(mixture, n_rounds, start)
        np.testing.assert_allclose(after.mean, path.mean[n_rounds], rtol=1e-9)
        np.testing.assert_allclose(after.covariance, path.covariance[n_rounds], rtol=1e-9)
    # From here on the law no longer moves.
    settled = moments_after(mixture, 10**6, start)
    once_more = moments(settled.mean, settled.second, mixture, 1)
    np.testing.assert_allclose(once_more.covariance[1], settled.covariance, rtol=1e-9)


def test_the_covariance_does_not_cancel_far_from_the_origin() -> None:
    far = QuadraticFederation(np.ones((1, 1, 1)), np.full((1, 1), 1e8), np.zeros(1), np.ones(1))
    mixture = fedavg_mixture(far, full_law(np.ones(1)), step_sizes=np.asarray([0.5]), sigma=np.full(1, 1e-3))
    expected = 0.25e-6 * (1 - 0.25**50) / (1 - 0.25)
    for got in (
        moments(np.zeros(1), None, mixture, 50).covariance[-1],
        moments_after(mixture, 50, np.zeros(1)).covariance,
    ):
        np.testing.assert_allclose(got, [[expected]], rtol=1e-12)


def test_expected_loss_is_the_average_loss() -> None:
    federation = small_federation()
    points = np.asarray([[1.0, 2.0], [-1.0, 0.5], [0.25, 3.0]])
    mean = points.mean(axis=0)
    of = Moments(mean, (points - mean).T @ (points - mean) / 3)
    np.testing.assert_allclose(expected_global_loss(federation, of), global_loss(federation, points).mean(), rtol=1e-13)
    best = federation.optimum()
    np.testing.assert_allclose(
        expected_square_distance(of, best), ((points - best) ** 2).sum(axis=1).mean(), rtol=1e-13
    )
    total = sum(
        pk * quadratic_loss(a, m, c, w) / 3
        for pk, a, m, c in zip(
            *(x.tolist() for x in (federation.share, federation.curvature, federation.centers, federation.floor)),
            strict=True,
        )
        for w in points.tolist()
    )
    assert expected_global_loss(federation, of) == pytest.approx(total, rel=1e-13)


def test_a_batch_is_a_loop_and_torch_is_numpy() -> None:
    federation = small_federation()
    scale = np.asarray([1.0, 0.5, 0.25, 2.0])
    batch = QuadraticFederation(
        federation.curvature * scale[:, None, None, None],
        np.broadcast_to(federation.centers, (4, 3, 2)),
        np.zeros((4, 3)),
        np.broadcast_to(federation.share, (4, 3)),
    )
    law = bernoulli_law(batch.share, np.linspace(0, 1, 12).reshape(4, 3), renormalise=True)
    etas, sigma = np.outer([0.1, 0.05], 1 / scale), np.linspace(0, 2, 12).reshape(4, 3)
    start = np.ones((4, 2))
    for shared in (False, True):
        mixture = fedavg_mixture(batch, law, step_sizes=etas, sigma=sigma, shared_noise=shared)
        together = moments(start, None, mixture, 5)
        for i in range(4):
            one = QuadraticFederation(batch.curvature[i], batch.centers[i], batch.floor[i], batch.share[i])
            alone = fedavg_mixture(
                one,
                RoundLaw(law.probability[i], law.weights[i]),
                step_sizes=etas[:, i],
                sigma=sigma[i],
                shared_noise=shared,
            )
            np.testing.assert_allclose(together.second[:, i], moments(start[i], None, alone, 5).second, rtol=1e-12)
        tensors = (torch.from_numpy(np.array(x)) for x in (batch.curvature, batch.centers, batch.floor, batch.share))
        moved = QuadraticFederation(*tensors)
        q = torch.from_numpy(np.linspace(0, 1, 12).reshape(4, 3))
        theirs = fedavg_mixture(
            moved,
            bernoulli_law(moved.share, q, renormalise=True),
            step_sizes=torch.from_numpy(etas),
            sigma=torch.from_numpy(sigma),
            shared_noise=shared,
        )
        first = torch.from_numpy(start)
        np.testing.assert_allclose(moments(first, None, theirs, 5).second.numpy(), together.second, rtol=1e-12)
        np.testing.assert_allclose(moments(first, None, repeat(theirs), 5).second, together.second, rtol=1e-12)
        np.testing.assert_allclose(moments_after(theirs, 5, first).second, together.second[5], rtol=1e-12)


def test_the_other_laws_in_torch() -> None:
    share = torch.tensor([0.5, 0.25, 0.25], dtype=torch.float64)
    for law in (
        full_law(share),
        subsets_law(share, 2),
        multinomial_law(share, 3),
        incomplete_law(share, 2, [(0.5, (0, 1, 2)), (0.5, (2, 2, 2))]),
        joint_law([Outcome(1.0, share, torch.tensor([1, 2, 0]), torch.zeros((2, 3, 2), dtype=torch.float64))]),
    ):
        federation = small_federation()
        tensors = (torch.from_numpy(x) for x in (federation.curvature, federation.centers, federation.floor))
        etas = torch.full((2,), 0.1, dtype=torch.float64)
        theirs = fedavg_mixture(QuadraticFederation(*tensors, share), law, step_sizes=etas, sigma=share)
        same = RoundLaw(
            *(None if x is None else x.numpy() for x in (law.probability, law.weights, law.steps, law.noise))
        )
        ours = fedavg_mixture(federation, same, step_sizes=etas.numpy(), sigma=share.numpy())
        np.testing.assert_allclose(theirs.matrix.numpy(), ours.matrix, rtol=1e-13)
        np.testing.assert_allclose(theirs.covariance.numpy(), ours.covariance, rtol=1e-13, atol=1e-16)


def test_the_size_of_the_laws_and_the_empty_cohort() -> None:
    share = np.full(12, 1 / 12)
    assert subsets_law(share, 6).weights.shape == (924, 12)
    law = bernoulli_law(share, np.full(12, 0.1), renormalise=True)
    assert law.weights.shape == (4096, 12)
    assert not law.weights[0].any()
    assert law.probability[0] == pytest.approx(0.9**12)
    assert multinomial_law(share[:3] * 4, 2).probability.tolist() == pytest.approx(
        [1 / 9, 2 / 9, 2 / 9, 1 / 9, 2 / 9, 1 / 9]
    )


TWO = np.asarray([0.5, 0.5])
FINE: dict[str, Any] = {
    "probability": np.ones(1),
    "matrix": np.eye(2)[None],
    "shift": np.zeros((1, 2)),
    "covariance": np.zeros((1, 2, 2)),
}
PAIR = QuadraticFederation(np.ones((2, 1, 1)), np.zeros((2, 1)), np.zeros(2), TWO)
STEP = np.asarray([0.5])
GOOD = fedavg_mixture(PAIR, full_law(TWO), step_sizes=STEP)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"probability": np.full(1, 0.9)}, "probability=.*differ from 1 by 0.1"),
        ({"shift": np.zeros((1, 3))}, r"shift=.*shape \(1, 3\); expected \(1, 2\)"),
        ({"matrix": np.eye(2)}, r"matrix=.*shape \(2, 2\); expected \(1, 2, 2\)"),
        ({"matrix": np.full((1, 2, 2), np.nan)}, "matrix=.*NaN"),
        ({"covariance": np.asarray([[[1.0, 1.0], [0.0, 1.0]]])}, "covariance=.*not symmetric"),
        ({"covariance": np.asarray([[[1.0, 2.0], [2.0, 1.0]]])}, "covariance=.*eigenvalue -1.*semidefinite"),
    ],
)
def test_bad_mixtures(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        AffineMixture(**{**FINE, **changes})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: subsets_law(TWO, 3), "n_sampled=3.*the 2 clients"),
        (lambda: subsets_law(np.full(13, 1 / 13), 3), "13 clients; cohorts are enumerated for 1 to 12"),
        (lambda: bernoulli_law(TWO, np.asarray([0.5, 1.5])), r"q=.*2 probabilities in \[0, 1\]"),
        (lambda: bernoulli_law(np.asarray([1.0, 0.0]), TWO, renormalise=True), "renormalising needs every share > 0"),
        (lambda: multinomial_law(TWO, 0), "n_sampled=0.*>= 1"),
        (lambda: multinomial_law(TWO * 2, 1), "share=.*differ from 1"),
        (lambda: incomplete_law(TWO, 2, [(1.0, (1, 3))]), r"step counts \[1, 3\]; expected 2 in 0…2"),
        (lambda: incomplete_law(TWO, 2, [(1.0, (1, 2))], coefficients="none"), "coefficients='none'"),
        (lambda: joint_law([]), "at least one outcome"),
        (lambda: joint_law([Outcome(0.5, TWO, np.asarray([1, 1])), Outcome(0.5, TWO)]), "1 of 2 outcomes lack `steps`"),
        (lambda: RoundLaw(np.ones(1), TWO), r"weights=.*shape \(2,\); expected \(\*batch, 1, n_clients\)"),
        (lambda: RoundLaw(np.ones(1), TWO[None], TWO[None]), "steps=.*integers >= 0"),
        (lambda: RoundLaw(np.ones(1), TWO[None], noise=np.ones((1, 2, 2))), "noise=.*n_steps, 2, dim"),
        (lambda: fedavg_mixture(PAIR, full_law(np.ones(1)), step_sizes=STEP), "1 clients; the federation has 2"),
        (lambda: fedavg_mixture(PAIR, full_law(TWO), step_sizes=-STEP), "smallest -0.5; must be > 0"),
        (lambda: fedavg_mixture(PAIR, full_law(TWO), step_sizes=STEP, sigma=-TWO), "2 finite values >= 0"),
        (lambda: fedavg_mixture(PAIR, incomplete_law(TWO, 2, [(1.0, (1, 2))]), step_sizes=STEP), "finishes 2 steps"),
        (lambda: moments(np.zeros(2), None, GOOD, 1), r"start_mean=.*shape \(2,\); round 0's mixture expects \(1,\)"),
        (lambda: moments(np.ones(1), np.zeros((1, 1)), GOOD, 1), "start_second.*eigenvalue -1"),
        (lambda: moments(np.ones(1), np.zeros(1), GOOD, 1), r"start_second=.*expected \(1, 1\)"),
        (lambda: moments(np.ones(1), None, [GOOD], 2), "ended after 1 rounds"),
        (lambda: moments_after(GOOD, -1, np.ones(1)), "n_rounds=-1"),
    ],
)
def test_bad_arguments_are_named(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy announces the overflow that is then raised
def test_a_diverging_run_says_so() -> None:
    wild = fedavg_mixture(PAIR, full_law(TWO), step_sizes=np.asarray([1e60]), sigma=np.ones(2))
    with pytest.raises(OverflowError, match="after round 3; the run diverges"):
        moments(np.ones(1), None, repeat(wild), 10)
    with pytest.raises(OverflowError, match=r"n_rounds=64.*the run diverges"):
        moments_after(wild, 64, np.ones(1))
