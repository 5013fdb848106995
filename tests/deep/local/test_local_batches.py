from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deep import RunConfig
from deep.local import LocalBatches, draw_batches
from deep.task.setup import Setup
from theory.base.streams import stream

EPOCHS = RunConfig(n_local_steps=0, n_local_epochs=2, batch_size=4, seed=5)
BATCH = np.zeros((2, 3), dtype=np.int64)
COUNT = np.array([3, 1])


@pytest.mark.parametrize("n_samples", [3, 7, 32, 500])
def test_steps_draw_what_runs_always_drew(n_samples):
    config = RunConfig(seed=9, n_local_steps=4, batch_size=32)
    rng = stream(9, "batch", 6, 2)
    expected = [rng.choice(n_samples, min(32, n_samples), replace=False) for _ in range(4)]
    batches = draw_batches(Setup.of(config), 6, 2, n_samples)
    assert np.array_equal(batches.index, expected)
    assert batches.count.tolist() == [min(32, n_samples)] * 4
    assert batches.n_steps == 4


@given(n_samples=st.integers(1, 40), batch_size=st.integers(1, 12), n_epochs=st.integers(1, 4), seed=st.integers(0, 9))
def test_every_pass_takes_every_sample_once(n_samples, batch_size, n_epochs, seed):
    config = replace(EPOCHS, batch_size=batch_size, n_local_epochs=n_epochs, seed=seed)
    batches = draw_batches(Setup.of(config), 1, 3, n_samples)
    size = min(batch_size, n_samples)
    per_pass = -(-n_samples // size)
    assert batches.index.shape == (n_epochs * per_pass, size)
    rng = stream(seed, "batch", 1, 3)
    for rows, count in zip(np.split(batches.index, n_epochs), np.split(batches.count, n_epochs), strict=True):
        real = [row[:n] for row, n in zip(rows, count, strict=True)]
        assert np.array_equal(np.concatenate(real), rng.permutation(n_samples))
        assert np.all(count[:-1] == size)
        for row, n in zip(rows, count, strict=True):
            assert np.all(row[n:] == row[0])


def test_streams_are_those_of_seed_round_and_client():
    first = draw_batches(Setup.of(EPOCHS), 0, 0, 30)
    assert np.array_equal(first.index, draw_batches(Setup.of(EPOCHS), 0, 0, 30).index)
    others = (
        draw_batches(Setup.of(EPOCHS), 1, 0, 30),
        draw_batches(Setup.of(EPOCHS), 0, 1, 30),
        draw_batches(Setup.of(replace(EPOCHS, seed=6)), 0, 0, 30),
    )
    assert not any(np.array_equal(first.index, other.index) for other in others)
    # A pass is the beginning of more passes.
    assert np.array_equal(draw_batches(Setup.of(replace(EPOCHS, n_local_epochs=1)), 0, 0, 30).index, first.index[:8])


@pytest.mark.parametrize(
    ("index", "count", "message"),
    [
        (BATCH[0], COUNT, r"index int64 \(3,\), count int64 \(2,\)\): expected int64 of shapes"),
        (BATCH.astype(np.int32), COUNT, r"index int32 .* expected int64"),
        (BATCH, COUNT * 1.0, r"count float64 .* expected int64"),
        (BATCH, COUNT[:1], r"count int64 \(1,\)\): expected one count for each row"),
        (BATCH, COUNT - 1, r"count=\[2, 0\]\): each must be in 1 … 3"),
        (BATCH, COUNT + 1, r"count=\[4, 2\]\): each must be in 1 … 3"),
        (BATCH - 1, COUNT, r"-1 among the positions; must be >= 0"),
    ],
)
def test_batches_are_checked(index, count, message):
    with pytest.raises(ValueError, match=message):
        LocalBatches(index, count)


def test_an_empty_client_draws_nothing():
    with pytest.raises(ValueError, match=r"epoch_batches\(n_samples=0\): must be >= 1"):
        draw_batches(Setup.of(EPOCHS), 0, 0, 0)
