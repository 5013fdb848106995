"""Image data sets as validated tensors, and their seeded split into train, validation and test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from deep.registry import pick
from theory.streams import stream

__all__ = ["DATASETS", "Dataset", "Split", "digits", "make_dataset", "moved", "split", "subset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled images, or the part of them one client holds.

    `images`: float32, (n, channels, height, width), every pixel in [0, 1]; `labels`: int64, (n,), in
    0 … n_classes − 1; both on one device.
    Raises `ValueError` naming the argument, the value and the allowed range; no data set is empty.
    """

    images: Tensor
    labels: Tensor
    n_classes: int
    name: str

    def __post_init__(self) -> None:
        call = f"Dataset(name={self.name!r})"
        if self.images.ndim != 4 or self.images.dtype != torch.float32:
            raise ValueError(
                f"{call}: images are {self.images.dtype} of shape {tuple(self.images.shape)};"
                " expected torch.float32 of shape (n, channels, height, width)"
            )
        if tuple(self.labels.shape) != (len(self.images),) or self.labels.dtype != torch.int64:
            raise ValueError(
                f"{call}: labels are {self.labels.dtype} of shape {tuple(self.labels.shape)};"
                f" expected torch.int64 of shape ({len(self.images)},), one per image"
            )
        if self.images.numel() == 0:
            raise ValueError(f"{call}: images have shape {tuple(self.images.shape)}; expected at least one sample")
        if self.n_classes < 2:
            raise ValueError(f"{call}: n_classes={self.n_classes}; must be >= 2")
        low, high = float(self.images.min()), float(self.images.max())
        if not (low >= 0.0 and high <= 1.0):  # NaN fails both comparisons
            raise ValueError(f"{call}: pixels from {low:g} to {high:g}; expected finite values in [0, 1]")
        first, last = int(self.labels.min()), int(self.labels.max())
        if first < 0 or last >= self.n_classes:
            raise ValueError(f"{call}: labels from {first} to {last}; expected 0 to {self.n_classes - 1}")

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(channels, height, width)."""
        channels, height, width = self.images.shape[1:]
        return channels, height, width


@dataclass(frozen=True, eq=False)
class Split:
    """A data set cut in three: clients share `train`; `validation` and `test` stay with the server."""

    train: Dataset
    validation: Dataset
    test: Dataset


def digits() -> Dataset:
    """1,797 handwritten digits of 8 × 8 pixels, ten classes, pixels divided by 16.

    Source: the test part of UCI's "Optical Recognition of Handwritten Digits", as bundled with scikit-learn.
    """
    from sklearn.datasets import load_digits

    bunch = load_digits()
    images = torch.tensor(bunch.images / 16.0, dtype=torch.float32)[:, None]
    return Dataset(images, torch.tensor(bunch.target, dtype=torch.int64), n_classes=10, name="digits")


DATASETS: Mapping[str, Callable[[], Dataset]] = MappingProxyType({"digits": digits})


def make_dataset(name: str) -> Dataset:
    """The data set called `name` in `DATASETS`; `ValueError` naming the nearest ones for an unknown name."""
    return pick(DATASETS, name, "dataset")()


def subset(dataset: Dataset, indices: Tensor) -> Dataset:
    """The samples at `indices`, int64 (n,), in that order; `ValueError` when there are none."""
    return Dataset(dataset.images[indices], dataset.labels[indices], dataset.n_classes, dataset.name)


def moved(dataset: Dataset, device: torch.device) -> Dataset:
    """The same samples on `device`."""
    return Dataset(dataset.images.to(device), dataset.labels.to(device), dataset.n_classes, dataset.name)


def split(dataset: Dataset, seed: int, fractions: tuple[float, float, float] = (0.7, 0.15, 0.15)) -> Split:
    """Train, validation and test: a seeded permutation cut at the rounded fractions, not stratified.

    `fractions` are > 0 and sum to 1; the test part takes what rounding leaves.
    Raises `ValueError` for other fractions, or when a part would be empty.
    """
    if len(fractions) != 3 or not all(f > 0 for f in fractions) or abs(sum(fractions) - 1) > 1e-9:
        raise ValueError(f"split(fractions={fractions}): expected three numbers > 0 that sum to 1")
    n = len(dataset)
    n_train, n_validation = round(fractions[0] * n), round(fractions[1] * n)
    sizes = (n_train, n_validation, n - n_train - n_validation)
    if min(sizes) < 1:
        raise ValueError(f"split(fractions={fractions}): {n} samples give parts of {sizes}; every part needs >= 1")
    order = torch.from_numpy(stream(seed, "split").permutation(n)).to(dataset.labels.device)
    train, validation, test = (subset(dataset, part) for part in torch.split(order, list(sizes)))
    return Split(train, validation, test)
