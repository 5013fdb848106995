from __future__ import annotations

from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deep.partition import MAX_BETA, HalfBalanced, dirichlet_partition, partition_counts
from tests.turns import one_run_in

LABELS = np.arange(200) % 10


@st.composite
def partitions(draw):
    """Labels, clients, β from the smallest float to no skew, and a minimum size that can just be met."""
    labels = np.array(draw(st.lists(st.integers(0, 4), min_size=1, max_size=80)))
    n_clients = draw(st.integers(1, labels.size))
    min_size = draw(st.integers(1, labels.size // n_clients))
    beta = draw(st.one_of(st.floats(5e-324, MAX_BETA), st.floats(0.01, 10.0)))
    rounding = draw(st.sampled_from(["cumulative", "nearest"]))
    return labels, n_clients, beta, draw(st.integers(0, 2**32)), min_size, rounding


@settings(deadline=None, max_examples=150)
@given(partitions())
def test_every_sample_has_one_client_and_every_client_its_minimum(case):
    labels, n_clients, _, _, min_size, _ = case
    parts = dirichlet_partition(*case)
    assert len(parts) == n_clients
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(labels.size))
    assert min(part.size for part in parts) >= min_size
    counts = partition_counts(labels, parts, 5)
    assert np.array_equal(counts.sum(axis=0), np.bincount(labels, minlength=5))
    assert [part.size for part in parts] == counts.sum(axis=1).tolist()


@settings(deadline=None, max_examples=25)
@given(partitions())
def test_the_partition_follows_from_its_seed(case):
    first, again = dirichlet_partition(*case), dirichlet_partition(*case)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


@pytest.mark.parametrize("beta", [1e-320, 1e-12, 1e-3])
def test_tiny_beta_ends_and_is_repaired_to_the_tightest_minimum(beta):
    # One client owns nearly every class, no draw can be kept, and no slack is left for the repair.
    parts = dirichlet_partition(LABELS, n_clients=20, beta=beta, seed=3, min_size=10)
    assert [part.size for part in parts] == [10] * 20


def test_beta_is_the_skew():
    """The mean largest class share of a client: near 1 for small β, near 1/10 for large β."""

    def purity(beta: float) -> float:
        parts = dirichlet_partition(np.arange(5000) % 10, 10, beta, seed=0, min_size=1)
        counts = partition_counts(np.arange(5000) % 10, parts, 10)
        return float(np.mean(counts.max(axis=1) / counts.sum(axis=1)))

    assert purity(0.05) > purity(1.0) > purity(MAX_BETA)
    assert purity(MAX_BETA) == pytest.approx(0.1, abs=0.005)  # cutting 500 in tenths moves a sample or so


def test_the_default_rounding_is_what_committed_runs_had():
    parts = dirichlet_partition(LABELS, 7, 0.3, seed=5, min_size=8)
    assert sha256(b"|".join(part.astype("<i8").tobytes() for part in parts)).hexdigest()[:16] == "a34ce8dcfae592e5"


def means(labels, n_clients, beta, min_size, rounding, n_seeds):
    """(sizes, classes held), each (n_seeds, n_clients)."""
    every = [
        partition_counts(labels, dirichlet_partition(labels, n_clients, beta, seed, min_size, rounding), 10)
        for seed in range(n_seeds)
    ]
    counts = np.array(every)
    return counts.sum(axis=2), (counts > 0).sum(axis=2)


@one_run_in(2)
@pytest.mark.parametrize(("min_size", "seeds"), [(1, 150), (12, 40)])  # with the latter draws are repaired
def test_rounding_to_the_nearest_favours_no_place(min_size, seeds):
    """Mean sizes and classes held, over seeds: within 5 standard errors of the common mean, first and last within 4."""
    for values in means(np.arange(1500) % 10, 100, 5.0, min_size, "nearest", seeds):
        error = values.std() / np.sqrt(len(values))
        assert np.abs(values.mean(axis=0) - values.mean()).max() < 5 * error
        assert abs(values[:, 0].mean() - values[:, -1].mean()) < 4 * 2**0.5 * error


def test_cumulative_rounding_treats_the_last_client_as_its_text_says():
    _, held = means(np.arange(50_000) % 10, 100, 0.1, 1, "cumulative", 20)
    assert held[:, -1].mean() > 9.5
    assert held[:, :-1].mean() == pytest.approx(4.9, abs=0.2)
    # Half a sample of each of ten classes goes from the first to the last.
    sizes, _ = means(np.arange(1500) % 10, 100, 5.0, 1, "cumulative", 150)
    assert sizes[:, -1].mean() - sizes[:, 1:-1].mean() == pytest.approx(5, abs=1)
    assert sizes[:, 1:-1].mean() - sizes[:, 0].mean() == pytest.approx(5, abs=1)


def test_the_skewed_half_is_rounded_as_it_says():
    labels = np.arange(5000) % 10
    held = [
        [
            (partition_counts(labels, HalfBalanced(0.1, rounding=rounding).parts(labels, 40, seed), 10)[-1] > 0).sum()
            for seed in range(10)
        ]
        for rounding in ("cumulative", "nearest")
    ]
    assert np.mean(held[0]) > np.mean(held[1]) + 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": np.array([], dtype=int)}, r"expected integers \(n,\), n >= 1"),
        ({"labels": np.array([0.0, 1.0])}, "float64"),
        ({"n_clients": 0}, r"n_clients=0\): must be >= 1"),
        ({"beta": 0.0}, r"beta=0.0\): must be in"),
        ({"beta": -1.0}, r"beta=-1.0\)"),
        ({"beta": float("nan")}, r"beta=nan\)"),
        ({"beta": float("inf")}, r"beta=inf\)"),
        ({"rounding": "up"}, r"rounding='up'\): must be one of cumulative, nearest"),
        ({"min_size": 0}, "an empty client has no loss"),
        ({"n_clients": 21, "min_size": 10}, "needs 210 samples, has 200"),
    ],
)
def test_errors_name_argument_value_and_range(change, message):
    call = {"labels": LABELS, "n_clients": 4, "beta": 0.3, "seed": 0, "min_size": 5, **change}
    with pytest.raises(ValueError, match=message):
        dirichlet_partition(**call)


def test_counts_refuse_an_empty_client_and_a_foreign_label():
    with pytest.raises(ValueError, match="client 1 is empty"):
        partition_counts(LABELS, [np.arange(200), np.array([], dtype=int)], 10)
    with pytest.raises(ValueError, match="labels 0 to 9; expected 0 to 8"):
        partition_counts(LABELS, [np.arange(200)], 9)
