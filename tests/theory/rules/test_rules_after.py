"""Rules for users after the papers, q-FedAvg, FedDisco and FedMGDA+: against steps typed from their sources, limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from tests.theory.planted import planted
from theory import MinNorm, Proportional, RoundStats
from theory.minnorm.boxed import boxed
from theory.rules import FedDisco, FedMGDAPlus, QFedAvg, Uniform
from theory.rules.protocol import aggregate

Floats = NDArray[np.float64]
N, DIM = 6, 4


def round_of(seed: int = 0, **fields: Any) -> RoundStats:
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.5, 2, N)
    given: dict[str, Any] = {
        "share": share / share.sum(),
        "present": np.array([True, True, False, True, True, True]),
        "loss_before": rng.uniform(0.2, 3, N),
        "updates": rng.normal(size=(N, DIM)) + 0.5,
        "signals": {"label_counts": rng.integers(1, 40, (N, 3)).astype(float)},
    }
    return RoundStats(**{**given, **fields})


def step(rule: Any, stats: RoundStats) -> Floats:
    _, weights, vectors = aggregate(rule, None, stats)
    return np.asarray(weights @ vectors)


@pytest.mark.parametrize("q", [0.0, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("mean", ["uniform", "share"])
def test_q_fed_avg_is_its_algorithm(q: float, mean: Any) -> None:
    """Lines 6 to 8: Δwₖ = L(w − w̄ₖ), Δₖ = Fₖ^q Δwₖ, hₖ = qFₖ^{q−1}‖Δwₖ‖² + LFₖ^q, w ← w − ΣΔₖ/Σhₖ."""
    stats, lipschitz = round_of(), 4.0
    w = np.arange(DIM, dtype=float)
    above, below = np.zeros(DIM), 0.0
    for k in np.flatnonzero(stats.present):
        loss, trained = float(stats.loss_before[k]), w + stats.updates[k]
        delta_w = lipschitz * (w - trained)
        count = 1.0 if mean == "uniform" else float(stats.share[k])
        above = above + count * loss**q * delta_w
        below = below + count * (q * loss ** (q - 1) * (delta_w @ delta_w) + lipschitz * loss**q)
    moved = step(QFedAvg(q, lipschitz, mean), stats)
    np.testing.assert_allclose(moved, -above / below, rtol=1e-13, atol=1e-13 * np.abs(w).max())  # w cancels in w − w̄ₖ


def test_q_of_zero_is_the_plain_mean_and_its_weights_fall_with_the_updates() -> None:
    stats = round_of()
    np.testing.assert_allclose(QFedAvg(0, 3.0)(stats), Uniform()(stats), rtol=1e-14)
    np.testing.assert_allclose(QFedAvg(0, 3.0, "share")(stats), Proportional()(stats), rtol=1e-14)
    shorter = round_of(updates=0.1 * stats.updates)
    assert QFedAvg(1, 3.0)(stats).sum() < QFedAvg(1, 3.0)(shorter).sum() < 1


@pytest.mark.parametrize("metric", ["l2", "kl"])
@pytest.mark.parametrize("target", ["uniform", "mean"])
def test_fed_disco_is_its_formula(metric: Any, target: Any) -> None:
    stats, a, b = round_of(), 0.3, 0.05
    here = [int(k) for k in np.flatnonzero(stats.present)]
    n = float(sum(stats.share[k] for k in here))
    shares = {k: [c / sum(stats.signals["label_counts"][k]) for c in stats.signals["label_counts"][k]] for k in here}
    wanted = (
        [1 / 3] * 3 if target == "uniform" else [sum(stats.share[k] / n * shares[k][c] for k in here) for c in range(3)]
    )
    raw = np.zeros(N)
    for k in here:
        if metric == "l2":
            d = sum((own - t) ** 2 for own, t in zip(shares[k], wanted, strict=True)) ** 0.5
        else:
            d = sum(own * np.log(own / t) for own, t in zip(shares[k], wanted, strict=True))
        raw[k] = max(0.0, stats.share[k] / n - a * d + b)
    np.testing.assert_allclose(FedDisco(a, b, metric, target)(stats), raw / raw.sum(), rtol=1e-12)


def test_fed_disco_without_discrepancy_is_fed_avg_and_a_skewed_client_counts_less() -> None:
    stats = round_of()
    np.testing.assert_allclose(FedDisco(a=0, b=0)(stats), Proportional()(stats), rtol=1e-14)
    even = np.ones((N, 3))
    np.testing.assert_allclose(
        FedDisco(b=0)(round_of(signals={"label_counts": even})), Proportional()(stats), rtol=1e-14
    )
    skewed = even + np.eye(N)[0][:, None] * np.array([3.0, 0, 0])
    assert FedDisco(b=0)(round_of(signals={"label_counts": skewed}))[0] < Proportional()(stats)[0]


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2, 1.0])
@pytest.mark.parametrize("about", ["share", "uniform"])
def test_fed_mgda_plus_is_the_minimum_of_its_program(epsilon: float, about: Any) -> None:
    """Eq. (9) by SciPy's SLSQP; its answer is good to some 1e-8 in the norm."""
    for seed in range(5):
        stats = round_of(seed)
        here = np.flatnonzero(stats.present)
        unit = stats.updates[here] / np.linalg.norm(stats.updates[here], axis=1, keepdims=True)
        given = stats.share[here] / stats.share[here].sum() if about == "share" else np.full(len(here), 1 / len(here))
        found = minimize(
            lambda x, g=unit @ unit.T: x @ g @ x,
            given,
            bounds=[(max(0.0, v - epsilon), min(1.0, v + epsilon)) for v in given],
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
            options={"ftol": 1e-15, "maxiter": 1000},
        )
        mine = step(FedMGDAPlus(epsilon, about), stats)
        np.testing.assert_allclose(mine, found.x @ unit, atol=2e-6)
        assert mine @ mine <= found.fun + 1e-12
        np.testing.assert_allclose(FedMGDAPlus(epsilon, about)(stats).sum(), FedMGDAPlus(epsilon, about).total(stats))


def test_the_limits_of_fed_mgda_plus() -> None:
    for seed in range(5):
        stats = round_of(seed)
        free = step(FedMGDAPlus(1.0, normalise=False), stats)
        np.testing.assert_allclose(free, step(MinNorm(), stats), atol=1e-12)
        lengths = np.linalg.norm(stats.updates, axis=1)
        np.testing.assert_allclose(FedMGDAPlus(0.0)(stats), Proportional()(stats) / lengths, rtol=1e-12)
    still = round_of(updates=np.zeros((N, DIM)))
    np.testing.assert_array_equal(step(FedMGDAPlus(), still), np.zeros(DIM))


def test_the_boxed_program_meets_its_conditions_of_optimality() -> None:
    """Also of many clients and of Gram matrices of low rank; and says where no weights exist."""
    rng = np.random.default_rng(1)
    for n, rank in ((2, 1), (5, 5), (12, 3), (40, 60), (60, 7)):
        vectors = rng.normal(size=(n, rank)) + 0.3
        gram, given = vectors @ vectors.T, rng.dirichlet(np.ones(n))
        low, high = np.maximum(given - 0.4 / n, 0), np.minimum(given + 0.4 / n, 1)
        weights = boxed(gram, low, high)
        slope = gram @ weights
        inside = (weights > low + 1e-9) & (weights < high - 1e-9)
        level = slope[inside].mean() if inside.any() else slope[weights > low + 1e-9].max()
        scale = np.abs(gram).max()
        assert abs(weights.sum() - 1) < 1e-12
        assert (weights >= low - 1e-15).all()
        assert (weights <= high + 1e-15).all()
        assert np.abs(slope[inside] - level).max(initial=0.0) < 1e-11 * scale
        assert (slope[weights <= low + 1e-9] >= level - 1e-11 * scale).all()
        assert (slope[weights >= high - 1e-9] <= level + 1e-11 * scale).all()
    with pytest.raises(ValueError, match="no weights between them sum to 1"):
        boxed(np.eye(2), np.zeros(2), np.full(2, 0.4))


PLANTED = [
    ("by_loss.q_fed_avg", "slowed = raised + count", "slowed = raised - count", "q"),
    ("by_loss.q_fed_avg", "(self.q - 1)", "(self.q + 1)", "q"),
    ("by_share.fed_disco", "share - self.a *", "share + self.a *", "disco"),
    ("by_share.fed_disco", "+ self.b", "- self.b", "disco"),
    ("by_update.fed_mgda_plus", "np.maximum(given - self.epsilon", "np.maximum(given + self.epsilon", "mgda"),
    ("by_update.fed_mgda_plus", "gram / by[:, None] / by", "-gram / by[:, None] / by", "mgda"),
]


@pytest.mark.parametrize(("module", "right", "wrong", "which"), PLANTED)
def test_a_wrong_sign_in_the_source_is_seen(
    module: str, right: str, wrong: str, which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = planted(f"theory.rules.{module}", right, wrong)
    name = {"q": "QFedAvg", "disco": "FedDisco", "mgda": "FedMGDAPlus"}[which]
    monkeypatch.setitem(globals(), name, getattr(broken, name))
    seen: dict[str, Any] = {
        "q": lambda: test_q_fed_avg_is_its_algorithm(0.5, "share"),
        "disco": lambda: test_fed_disco_is_its_formula("l2", "mean"),
        "mgda": lambda: test_fed_mgda_plus_is_the_minimum_of_its_program(0.05, "share"),
    }
    with pytest.raises((AssertionError, ValueError, RuntimeError)):
        seen[which]()
