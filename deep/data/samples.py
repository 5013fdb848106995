"""What a data set is: images, token sequences or real-valued regression, validated once, with one small interface.

All three know `len`, `name`, `note`, `groups`, `inputs` and `outputs`; `deep.data.selection` works on all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from deep.base.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

__all__ = [
    "AnySamples",
    "Dataset",
    "FeatureDataset",
    "Groups",
    "RegressionDataset",
    "Samples",
    "Samples_co",
    "TokenDataset",
]


@dataclass(frozen=True, eq=False)
class Groups:
    """Whose each sample is: sample i belongs to `names[index[i]]`.

    `kind`: what a group is, one of "domain", "speaker", "user", "client"; `index`: int64 (n,), in
    0 … len(names) − 1. A part of a data set keeps all names, so that an index means the same everywhere.
    Raises `ValueError` naming the argument, the value and the allowed range.
    """

    kind: str
    index: Tensor
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.index.ndim != 1 or self.index.dtype != torch.int64:
            raise ValueError(
                f"Groups(kind={self.kind!r}): index is {self.index.dtype} of shape {tuple(self.index.shape)};"
                " expected torch.int64 of shape (n,)"
            )
        _check_range(f"Groups(kind={self.kind!r})", "indices", self.index, len(self.names))

    def __len__(self) -> int:
        return len(self.index)


@dataclass(frozen=True, eq=False)
class Dataset:
    """Labelled images, or the part of them one client holds.

    `images`: float32, (n, channels, height, width), every pixel in [0, 1]; `labels`: int64, (n,), in
    0 … n_classes − 1; all on one device. `note`: what a reader of results must know about the data, or nothing.
    Raises `ValueError` naming the argument, the value and the allowed range; no data set is empty.
    """

    images: Tensor
    labels: Tensor
    n_classes: int
    name: str
    note: str = ""
    groups: Groups | None = None

    def __post_init__(self) -> None:
        call = f"Dataset(name={self.name!r})"
        if self.images.ndim != 4 or self.images.dtype != torch.float32:
            raise ValueError(
                f"{call}: images are {self.images.dtype} of shape {tuple(self.images.shape)};"
                " expected torch.float32 of shape (n, channels, height, width)"
            )
        _check_labels(call, self.labels, len(self.images), "image")
        if self.images.numel() == 0:
            raise ValueError(f"{call}: images have shape {tuple(self.images.shape)}; expected at least one sample")
        _check_classes(call, self.labels, self.n_classes)
        low, high = float(self.images.min()), float(self.images.max())
        if not (low >= 0.0 and high <= 1.0):  # NaN fails both comparisons
            raise ValueError(f"{call}: pixels from {low:g} to {high:g}; expected finite values in [0, 1]")
        _check_groups(call, self.groups, len(self))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """(channels, height, width)."""
        channels, height, width = self.images.shape[1:]
        return channels, height, width

    @property
    def inputs(self) -> Tensor:
        """The images."""
        return self.images

    @property
    def outputs(self) -> Tensor:
        """The labels."""
        return self.labels


@dataclass(frozen=True, eq=False)
class TokenDataset:
    """Token sequences with one label each: the class of a text, or the token that comes next.

    `tokens`: int64, (n, length), ids into `vocabulary`; `labels`: int64, (n,), in 0 … n_classes − 1.
    Raises `ValueError` naming the argument, the value and the allowed range; no data set is empty.
    """

    tokens: Tensor
    labels: Tensor
    n_classes: int
    vocabulary: tuple[str, ...]
    name: str
    note: str = ""
    groups: Groups | None = None

    def __post_init__(self) -> None:
        call = f"TokenDataset(name={self.name!r})"
        if self.tokens.ndim != 2 or self.tokens.dtype != torch.int64:
            raise ValueError(
                f"{call}: tokens are {self.tokens.dtype} of shape {tuple(self.tokens.shape)};"
                " expected torch.int64 of shape (n, length)"
            )
        _check_labels(call, self.labels, len(self.tokens), "sequence")
        if self.tokens.numel() == 0:
            raise ValueError(f"{call}: tokens have shape {tuple(self.tokens.shape)}; expected at least one of each")
        _check_classes(call, self.labels, self.n_classes)
        _check_range(call, "tokens", self.tokens, len(self.vocabulary))
        _check_groups(call, self.groups, len(self))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def length(self) -> int:
        """Tokens in a sequence."""
        return self.tokens.shape[1]

    @property
    def inputs(self) -> Tensor:
        """The tokens."""
        return self.tokens

    @property
    def outputs(self) -> Tensor:
        """The labels."""
        return self.labels


@dataclass(frozen=True, eq=False)
class RegressionDataset:
    """Real features with a real target each.

    `features`: float32, (n, d); `targets`: float32, (n,); both finite, d ≥ 1.
    Raises `ValueError` naming the argument, the value and what was expected; no data set is empty.
    """

    features: Tensor
    targets: Tensor
    name: str
    note: str = ""
    groups: Groups | None = None

    def __post_init__(self) -> None:
        call = f"RegressionDataset(name={self.name!r})"
        for what, tensor, shape in (
            ("features", self.features, (len(self.features), *self.features.shape[1:2])),
            ("targets", self.targets, (len(self.features),)),
        ):
            expected = "(n, d)" if what == "features" else f"({len(self.features)},), one per row of features"
            if tuple(tensor.shape) != shape or tensor.dtype != torch.float32 or self.features.ndim != 2:
                raise ValueError(
                    f"{call}: {what} are {tensor.dtype} of shape {tuple(tensor.shape)};"
                    f" expected torch.float32 of shape {expected}"
                )
            if tensor.numel() == 0:
                raise ValueError(f"{call}: {what} have shape {tuple(tensor.shape)}; expected at least one of each")
            if not bool(tensor.isfinite().all()):
                raise ValueError(f"{call}: {what} hold NaN or infinity; expected finite values")
        _check_groups(call, self.groups, len(self))

    def __len__(self) -> int:
        return len(self.targets)

    @property
    def inputs(self) -> Tensor:
        """The features."""
        return self.features

    @property
    def outputs(self) -> Tensor:
        """The targets."""
        return self.targets


@dataclass(frozen=True, eq=False)
class FeatureDataset:
    """Real features, of any shape and range, with one label each.

    `features`: float32, (n, …), finite; `labels`: int64, (n,), in 0 … n_classes − 1.
    Raises `ValueError` naming the argument, the value and the allowed range; no data set is empty.
    """

    features: Tensor
    labels: Tensor
    n_classes: int
    name: str
    note: str = ""
    groups: Groups | None = None

    def __post_init__(self) -> None:
        call = f"FeatureDataset(name={self.name!r})"
        if self.features.ndim < 2 or self.features.dtype != torch.float32 or self.features.numel() == 0:
            raise ValueError(
                f"{call}: features are {self.features.dtype} of shape {tuple(self.features.shape)};"
                " expected torch.float32 of shape (n, …), at least one of each"
            )
        if not bool(self.features.isfinite().all()):
            raise ValueError(f"{call}: features hold NaN or infinity; expected finite values")
        _check_labels(call, self.labels, len(self.features), "sample")
        _check_classes(call, self.labels, self.n_classes)
        _check_groups(call, self.groups, len(self))

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def image_shape(self) -> tuple[int, int, int]:
        """A sample as models that flatten it see it: (1, 1, numbers of a sample), or as it is with three axes."""
        shape = tuple(self.features.shape[1:])
        return shape if len(shape) == 3 else (1, 1, self.features[0].numel())

    @property
    def inputs(self) -> Tensor:
        """The features."""
        return self.features

    @property
    def outputs(self) -> Tensor:
        """The labels."""
        return self.labels


Samples: TypeAlias = Dataset | TokenDataset | RegressionDataset | FeatureDataset
AnySamples = TypeVar("AnySamples", bound=Samples)
Samples_co = TypeVar("Samples_co", bound=Samples, covariant=True)


def _check_labels(call: str, labels: Tensor, n: int, one: str) -> None:
    if tuple(labels.shape) != (n,) or labels.dtype != torch.int64:
        raise ValueError(
            f"{call}: labels are {labels.dtype} of shape {tuple(labels.shape)};"
            f" expected torch.int64 of shape ({n},), one per {one}"
        )


def _check_classes(call: str, labels: Tensor, n_classes: int) -> None:
    if n_classes < 2:
        raise ValueError(f"{call}: n_classes={n_classes}; must be >= 2")
    _check_range(call, "labels", labels, n_classes)


def _check_range(call: str, what: str, values: Tensor, n: int) -> None:
    first, last = (int(values.min()), int(values.max())) if values.numel() else (0, 0)
    if first < 0 or last >= n:
        raise ValueError(f"{call}: {what} from {first} to {last}; expected 0 to {n - 1}")


def _check_groups(call: str, groups: Groups | None, n: int) -> None:
    if groups is not None and len(groups) != n:
        raise ValueError(f"{call}: groups name a {groups.kind} for {len(groups)} samples; expected one for each of {n}")
