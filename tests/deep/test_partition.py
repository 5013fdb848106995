from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deep import dirichlet_partition, partition_counts
from deep.partition import MAX_BETA

LABELS = np.arange(200) % 10


@st.composite
def partitions(draw):
    """Labels, clients, β from the smallest float to no skew, and a minimum size that can just be met."""
    labels = np.array(draw(st.lists(st.integers(0, 4), min_size=1, max_size=80)))
    n_clients = draw(st.integers(1, labels.size))
    min_size = draw(st.integers(1, labels.size // n_clients))
    beta = draw(st.one_of(st.floats(5e-324, MAX_BETA), st.floats(0.01, 10.0)))
    return labels, n_clients, beta, draw(st.integers(0, 2**32)), min_size


@settings(deadline=None, max_examples=150)
@given(partitions())
def test_every_sample_has_one_client_and_every_client_its_minimum(case):
    labels, n_clients, beta, seed, min_size = case
    parts = dirichlet_partition(labels, n_clients, beta, seed, min_size)
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
