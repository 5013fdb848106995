"""Normalisation layers: batch statistics kept as running ones, used alone, or groups of channels instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import gcd
from typing import get_args

import torch
from torch import Tensor, nn
from torch._C._functorch import get_unwrapped, is_batchedtensor, is_functorch_wrapped_tensor
from torch.nn.functional import batch_norm
from torch.nn.modules.batchnorm import _BatchNorm

from deep.models.protocol import Norm

__all__ = ["BatchNorm", "Norm", "Real", "make_norm", "normalising"]


@dataclass(frozen=True, eq=False)
class Real:
    """Which samples of a batch are real, and which only pad it to the size of the longest one beside it.

    `weight` (n,): 1/count on each of the `count` real samples, 0 on padding; under vmap each client has its own.
    `fewest`: the least count of the batches that share a call, known outside of vmap.
    """

    weight: Tensor
    fewest: int


class BatchNorm(nn.Module):
    """(x − mean)/√(variance + ε) · scale + shift per channel, ε = 1e-5; works under vmap, as torch's own does not.

    Without vmap and padding it is torch's own, which has the batch's statistics in the same pass.

    In training the batch's mean and (biased) variance; with `running`, evaluation uses running ones, which training
    moves a tenth of the way to the batch's mean and unbiased variance: the numbers of torch.nn.BatchNorm2d. Without
    `running`, evaluation uses the statistics of the batch it is given, too: its answers depend on what else is in it.
    Inputs (n, channels) or (n, channels, height, width). Where the batch is padded (`normalising`), statistics of the
    batch and the running ones are those of its real samples: padding changes neither them nor a gradient.
    `in_place`: running statistics are moved where they are, which whoever holds them has to want.
    Raises `ValueError` when a channel has one value only.
    """

    MOMENTUM = 0.1
    EPSILON = 1e-5

    def __init__(
        self, channels: int, running: bool, affine: bool = True, momentum: float = MOMENTUM, epsilon: float = EPSILON
    ) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels)) if affine else None
        self.bias = nn.Parameter(torch.zeros(channels)) if affine else None
        self.running, self.momentum, self.epsilon = running, momentum, epsilon
        self.real: Real | None = None
        self.in_place = False
        if running:
            self.register_buffer("running_mean", torch.zeros(channels))
            self.register_buffer("running_var", torch.ones(channels))
        self.running_mean: Tensor
        self.running_var: Tensor

    @classmethod
    def like(cls, theirs: _BatchNorm) -> BatchNorm:
        """torch's own layer with its settings and values, running statistics included."""
        momentum = cls.MOMENTUM if theirs.momentum is None else theirs.momentum
        made = cls(theirs.num_features, bool(theirs.track_running_stats), theirs.affine, momentum, theirs.eps)
        made.load_state_dict({k: v for k, v in theirs.state_dict().items() if k != "num_batches_tracked"})
        return made

    def forward(self, inputs: Tensor) -> Tensor:
        """Normalised `inputs`, of the same shape."""
        if self.running and not self.training:
            return batch_norm(
                inputs, self.running_mean, self.running_var, self.weight, self.bias, False, 0.0, self.epsilon
            )
        scale = self.weight if self.weight is not None else self.running_mean if self.running else inputs
        inputs = inputs.to(scale.dtype)  # of rounded products statistics are not rounded
        n = len(inputs) if self.real is None else self.real.fewest
        if n * inputs[0].numel() == inputs.shape[1]:
            raise ValueError(
                f"BatchNorm: a batch of shape {(n, *inputs.shape[1:])} has one value per channel, so no variance;"
                " use batches of >= 2 samples, or norm='group'"
            )
        if self.real is not None:
            return self._of_real(inputs, self.real.weight)
        if self.running and not (torch.compiler.is_compiling() or _has_client_axis(inputs, self.running_mean)):
            if not self.in_place:
                self.running_mean, self.running_var = self.running_mean.clone(), self.running_var.clone()
            mean, var = self.running_mean, self.running_var
            return batch_norm(inputs, mean, var, self.weight, self.bias, True, self.momentum, self.epsilon)
        if self.running:
            with torch.no_grad():
                var, mean = torch.var_mean(inputs, [0, *range(2, inputs.ndim)])
                self._remember(mean, var)
        return batch_norm(inputs, None, None, self.weight, self.bias, True, 0.0, self.epsilon)

    def _of_real(self, inputs: Tensor, weight: Tensor) -> Tensor:
        """Normalised by the statistics of the samples whose weight is not 0."""
        axes, each = [0, *range(2, inputs.ndim)], inputs[0, 0].numel()
        channels = (1, -1, *[1] * (inputs.ndim - 2))
        share = weight.view(-1, *[1] * (inputs.ndim - 1)) / each
        mean = (inputs * share).sum(axes)
        away = inputs - mean.view(channels)
        var = (away.square() * share).sum(axes)
        if self.running:
            n = (weight > 0).sum() * each
            self._remember(mean.detach(), var.detach() * (n / (n - 1)))
        normal = away * torch.rsqrt(var + self.epsilon).view(channels)
        if self.weight is None or self.bias is None:
            return normal
        return normal * self.weight.view(channels) + self.bias.view(channels)

    def _remember(self, mean: Tensor, var: Tensor) -> None:
        """Out of place: an in-place update fails under vmap when only the batch has a client axis."""
        self.running_mean = torch.lerp(self.running_mean, mean, self.momentum)
        self.running_var = torch.lerp(self.running_var, var, self.momentum)


def _has_client_axis(*tensors: Tensor) -> bool:
    """Whether vmap gives one of them an axis, below the wrappers of other transforms; torch's layer refuses that."""
    for tensor in tensors:
        while is_functorch_wrapped_tensor(tensor):
            if is_batchedtensor(tensor):
                return True
            tensor = get_unwrapped(tensor)
    return False


@contextmanager
def normalising(module: nn.Module, real: Real | None) -> Iterator[None]:
    """Inside, every `BatchNorm` of the module takes statistics of the `real` samples alone, None for all."""
    parts = [part for part in module.modules() if isinstance(part, BatchNorm)] if real is not None else []
    for part in parts:
        part.real = real
    try:
        yield
    finally:
        for part in parts:
            part.real = None


def make_norm(norm: Norm, channels: int) -> nn.Module:
    """The layer: "running" and "batch" are `BatchNorm`, "group" a GroupNorm of gcd(32, channels) groups.

    32 groups are those of the code published with fedaware; fewer where 32 does not divide the channels.
    Raises `ValueError` for another name.
    """
    if norm not in get_args(Norm):
        raise ValueError(f"norm={norm!r}: unknown; expected one of {', '.join(get_args(Norm))}")
    return nn.GroupNorm(gcd(32, channels), channels) if norm == "group" else BatchNorm(channels, norm == "running")
