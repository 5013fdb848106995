"""The published files themselves; every test is skipped, with its reason, where they are not there.

`FEDVERDICT_DATA=FOLDER pytest tests/deep/data/test_data_real.py`
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from deep.data import TokenDataset, hold_out, make_split, official_split
from deep.data.sets.characters import tiny_shakespeare

ROOT = os.environ.get("FEDVERDICT_DATA")
FASHION = [6000] * 10
MNIST = [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
MNIST_TEST = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]

pytestmark = pytest.mark.skipif(not ROOT, reason="FEDVERDICT_DATA names no folder of published data files")


def real(name, folder, kind=None):
    if not any((Path(ROOT) / each).is_dir() for each in folder):
        pytest.skip(f"FEDVERDICT_DATA has no {folder[0]}")
    return official_split(name, ROOT) if kind is None else official_split(name, ROOT, kind=kind)


@pytest.mark.parametrize(
    ("name", "folder", "train", "test"),
    [
        ("mnist", ("mnist", "MNIST/raw"), MNIST, MNIST_TEST),
        ("fashion-mnist", ("fashion-mnist", "FashionMNIST/raw"), FASHION, [1000] * 10),
    ],
)
def test_mnist_files_have_the_published_md5_and_classes(name, folder, train, test):
    parts = real(name, folder)
    assert parts.train.image_shape == (1, 28, 28)
    assert torch.bincount(parts.train.labels).tolist() == train
    assert torch.bincount(parts.test.labels).tolist() == test


@pytest.mark.slow
def test_cifar10_looks_as_it_should_whether_whole_or_not():
    parts = real("cifar-10", ("cifar-10-batches-py", "cifar-10-batches-bin"))
    missing = 60_000 - len(parts.train) - len(parts.test)
    assert parts.train.name == (f"CIFAR-10 without {missing:,} images" if missing else "cifar-10")
    # Published mean and standard deviation of the channels, four digits; 77 missing images move the fourth by one.
    mean, std = parts.train.images.mean((0, 2, 3)), parts.train.images.std((0, 2, 3))
    assert mean.tolist() == pytest.approx([0.4914, 0.4822, 0.4465], abs=1.5e-4)
    assert std.tolist() == pytest.approx([0.2470, 0.2435, 0.2616], abs=1.5e-4)
    made = hold_out(parts, seed=0)
    assert len(made.validation) == -(-3 * len(parts.train) // 10)
    assert len(made.train) + len(made.validation) == len(parts.train)


@pytest.mark.slow
def test_cifar100_counts():
    parts = real("cifar-100", ("cifar-100-python", "cifar-100-binary"))
    assert torch.bincount(parts.train.labels).tolist() == [500] * 100


@pytest.mark.parametrize(
    ("name", "folder", "kind", "train", "test"),
    [
        ("emnist-balanced", ("emnist", "EMNIST/raw", "gzip"), None, 112_800, 18_800),
        ("svhn", ("svhn", "SVHN"), None, 73_257, 26_032),
        ("usps", ("usps", "USPS"), None, 7_291, 2_007),
        ("mnist-m", ("mnist_m", "mnist-m"), None, 59_001, 9_001),
        ("ag-news", ("ag_news", "ag-news", "ag_news_csv"), TokenDataset, 120_000, 7_600),
    ],
)
def test_counts_of_the_others(name, folder, kind, train, test):
    parts = real(name, folder, kind)
    assert (len(parts.train), len(parts.test)) == (train, test)


def test_tiny_shakespeare_by_speaker():
    if not (Path(ROOT) / "tiny-shakespeare").is_dir():
        pytest.skip("FEDVERDICT_DATA has no tiny-shakespeare")
    part = tiny_shakespeare(Path(ROOT), stride=81).train
    assert len(part.vocabulary) == part.n_classes == 65
    assert len(part.groups.names) == 234
    assert "ROMEO" in part.groups.names
    assert part.length == 80


@pytest.mark.slow
def test_no_test_window_of_tiny_shakespeare_asks_for_what_training_saw():
    """Of 1,000 test windows: where the character asked for stands inside a training input of the same speaker."""
    if not (Path(ROOT) / "tiny-shakespeare").is_dir():
        pytest.skip("FEDVERDICT_DATA has no tiny-shakespeare")
    parts = tiny_shakespeare(Path(ROOT))
    everything, length = parts.train, parts.train.length
    code = np.random.default_rng(0).integers(1, 2**62, size=length + 2)

    def names(data):
        """A number for each window, its label and its speaker."""
        known = {name: place for place, name in enumerate(everything.groups.names)}
        speaker = np.array([known[name] for name in data.groups.names])[data.groups.index.numpy()]
        tokens = data.tokens.numpy()
        return (tokens * code[:length]).sum(axis=1) + data.labels.numpy() * code[length] + speaker * code[length + 1]

    # Windows stand in the order of the text, one a character, a speaker's after another's.
    starts = np.arange(len(everything)) + length * everything.groups.index.numpy()
    order = np.argsort(every := names(everything), kind="stable")

    def places(data):
        """Where each window begins in all texts one after another; of equal windows the first."""
        return starts[order[np.searchsorted(every[order], names(data))]]

    def leaks(recipe):
        made = make_split(parts, recipe, 0)
        seen = np.zeros(starts[-1] + length + 1, dtype=bool)
        for begin in places(made.train):
            seen[begin : begin + length] = True
        chosen = np.random.default_rng(1).choice(len(made.test), 1000, replace=False)
        return int(seen[places(made.test)[chosen] + length].sum())

    assert leaks("efl") > 950
    assert leaks("text-order") == 0
