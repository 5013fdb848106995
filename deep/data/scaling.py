"""Inputs of a run brought to one scale: none, the data set's mean and deviation, those of each channel, or [−1, 1]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deep.base.lazy import torch
from deep.data.samples import Dataset, FeatureDataset, RegressionDataset, Samples

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["SCALINGS", "Scaling", "make_scaling"]

SCALINGS = ("none", "dataset", "channel", "symmetric")
_AT_ONCE = 4096  # samples turned into float64 at once


@dataclass(frozen=True, eq=False)
class Scaling:
    """x ↦ (x − mean)/deviation, in float64 and then in the precision asked for.

    `mean`, `deviation`: float64, broadcastable against one sample, or None for no change; deviations > 0.
    """

    mean: Tensor | None = None
    deviation: Tensor | None = None

    def __call__(self, inputs: Tensor, dtype: torch.dtype | None = None) -> Tensor:
        """`inputs` (n, *shape) scaled, in `dtype` if given, else in their own; classes and tokens as they are."""
        dtype = dtype or inputs.dtype
        if not inputs.is_floating_point():
            return inputs
        if self.mean is None or self.deviation is None:
            return inputs.to(dtype)
        mean, deviation = self.mean.to(inputs.device), self.deviation.to(inputs.device)
        out = torch.empty(inputs.shape, dtype=dtype, device=inputs.device)
        for first in range(0, len(inputs), _AT_ONCE):
            part = slice(first, first + _AT_ONCE)
            out[part] = ((inputs[part].double() - mean) / deviation).to(dtype)
        return out


def make_scaling(name: str, train: Samples) -> Scaling:
    """The scaling called `name` in `SCALINGS`, its mean and deviation those of the training samples.

    "none": as read, pixels in [0, 1]. "dataset": one mean and one deviation. "channel": of each channel, or feature.
    "symmetric": pixels to [−1, 1]. A channel that is constant is only shifted. Validation and test samples are scaled
    by the numbers of the training part.
    Raises `ValueError` for another name, for tokens, and for "symmetric" features, which have no range.
    """
    if name not in SCALINGS:
        raise ValueError(f"make_scaling({name!r}): must be one of {', '.join(SCALINGS)}")
    if name == "none":
        return Scaling()
    if not isinstance(train, Dataset | RegressionDataset | FeatureDataset):
        raise ValueError(f"make_scaling({name!r}): {train.name!r} holds tokens, which have no scale; expected 'none'")
    if name == "symmetric":
        if not isinstance(train, Dataset):
            raise ValueError(
                f"make_scaling('symmetric'): {train.name!r} holds features of any range; expected 'dataset' or"
                " 'channel'"
            )
        half = torch.tensor(0.5, dtype=torch.float64)
        return Scaling(half, half)
    over = [0, 2, 3] if train.inputs.ndim == 4 else [0]
    if name == "dataset":
        over = list(range(train.inputs.ndim))
    mean = _mean(train.inputs, over, None)
    deviation = _mean(train.inputs, over, mean).sqrt()
    return Scaling(mean[0], torch.where(deviation > 0, deviation, 1.0)[0])


def _mean(inputs: Tensor, over: list[int], center: Tensor | None) -> Tensor:
    """The mean, or with `center` the mean square off it, over axes that stay as ones; sums in float64."""
    total: Tensor | None = None
    for part in torch.split(inputs, _AT_ONCE):
        values = part.double() if center is None else (part.double() - center).square()
        found = values.sum(over, keepdim=True)
        total = found if total is None else total + found
    assert total is not None  # no data set is empty
    return total / (inputs.numel() / total.numel())
