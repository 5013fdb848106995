from __future__ import annotations

import sys

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from deep.data import Dataset, digits, make_dataset, split
from deep.data.sets import bundled

IMAGES = torch.zeros(3, 1, 2, 2)
LABELS = torch.tensor([0, 1, 1])


def numbered(n: int) -> Dataset:
    """n samples that can be told apart: sample i has pixels i/n."""
    return Dataset((torch.arange(n) / n)[:, None, None, None], torch.arange(n) % 2, 2, "numbered")


@pytest.mark.parametrize(
    ("images", "labels", "n_classes", "message"),
    [
        (IMAGES[:0], LABELS[:0], 2, "at least one sample"),
        (torch.full_like(IMAGES, torch.nan), LABELS, 2, r"nan to nan; expected finite values in \[0, 1\]"),
        (IMAGES + 16.0, LABELS, 2, "pixels from 16 to 16"),
        (IMAGES.double(), LABELS, 2, "float64"),
        (IMAGES[:, 0], LABELS, 2, "channels, height, width"),
        (IMAGES, LABELS[:2], 2, r"expected torch.int64 of shape \(3,\)"),
        (IMAGES, LABELS.int(), 2, "torch.int32"),
        (IMAGES, LABELS + 1, 2, "labels from 1 to 2; expected 0 to 1"),
        (IMAGES, LABELS - 1, 2, "labels from -1 to 0"),
        (IMAGES, LABELS * 0, 1, "n_classes=1; must be >= 2"),
    ],
)
def test_a_dataset_names_what_is_wrong_with_it(images, labels, n_classes, message):
    with pytest.raises(ValueError, match=message):
        Dataset(images, labels, n_classes, "spoilt")


def test_one_nan_pixel_among_good_ones_is_refused():
    images = IMAGES.clone()
    images[1, 0, 1, 1] = torch.nan
    with pytest.raises(ValueError, match="nan"):
        Dataset(images, LABELS, 2, "spoilt")


def test_digits_are_the_bundled_real_ones():
    data = digits()
    assert len(data) == 1797
    assert data.image_shape == (1, 8, 8)
    assert float(data.images.max()) == 1.0
    # Samples per class as UCI's description of the test part lists them.
    assert torch.bincount(data.labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_digits_are_read_without_scikit_learn_and_are_its_own(monkeypatch):
    read = bundled._written_digits.__wrapped__
    theirs = load_digits()
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)  # an import of it would raise
    images, targets = read()
    assert np.array_equal(images, theirs.images)
    assert np.array_equal(targets, theirs.target)
    monkeypatch.undo()
    monkeypatch.setattr(bundled, "find_spec", lambda name: None)  # the file is not where it was
    assert np.array_equal(read()[0], theirs.images)


def test_an_unknown_dataset_names_the_nearest():
    with pytest.raises(ValueError, match="unknown dataset 'digit'; nearest: digits"):
        make_dataset("digit")


@settings(deadline=None, max_examples=50)
@given(n=st.integers(8, 200), seed=st.integers(0, 2**32))
def test_a_split_loses_and_repeats_nothing_and_follows_from_its_seed(n, seed):
    parts, again = split(numbered(n), seed), split(numbered(n), seed)
    pixels = torch.cat([parts.train.images, parts.validation.images, parts.test.images]).flatten()
    assert torch.equal(pixels.sort().values, torch.arange(n) / n)
    assert torch.equal(parts.train.images, again.train.images)
    assert len(parts.train) == round(0.7 * n)


def test_another_seed_splits_otherwise():
    assert not torch.equal(split(numbered(100), 0).test.images, split(numbered(100), 1).test.images)


@pytest.mark.parametrize("fractions", [(0.5, 0.5, 0.5), (1.0, 0.0, 0.0), (0.7, 0.3), (float("nan"), 0.5, 0.5)])
def test_fractions_are_three_and_sum_to_one(fractions):
    with pytest.raises(ValueError, match="three numbers > 0 that sum to 1"):
        split(numbered(100), 0, fractions)


def test_a_part_without_samples_is_refused():
    with pytest.raises(ValueError, match="every part needs >= 1"):
        split(numbered(3), 0)
