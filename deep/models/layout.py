"""How images lie in memory when a convolution reads them: channels last where that was measured faster."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from deep.models.protocol import Model

__all__ = ["as_convolved", "channels_last", "convolves_channels_last"]


def convolves_channels_last(model: Model, inputs: Tensor) -> bool:
    """Whether `model` is faster on `inputs` stored pixel by pixel: on a CPU, images through convolutions, but not
    through group normalisation.

    Measured with torch 2.13 on one thread of an x86 machine, times as fast as stored channel by channel, evaluation /
    training: robust-cnn-flattened 2.6 / 1.3, five-layer-cnn 2.1, vgg-11-sattler 1.5 / 1.1, resnet-20 with running
    statistics 1.4 / 1.1, fedssa-cnn-2 1.1 / 1.0; resnet-20 with group normalisation 0.6 / 0.65, resnet-18-group
    0.8 / 0.7: group normalisation has no such kernel there. On other devices nothing was measured.
    """
    if inputs.device.type != "cpu" or inputs.ndim != 4 or not any(layer.kind == "conv" for layer in model.layers):
        return False
    module = getattr(model, "module", None)
    return not (isinstance(module, nn.Module) and any(isinstance(part, nn.GroupNorm) for part in module.modules()))


def as_convolved(model: Model, inputs: Tensor) -> Tensor:
    """The same `inputs`, stored as `model` reads them fastest."""
    return channels_last(inputs) if convolves_channels_last(model, inputs) else inputs


def channels_last(images: Tensor) -> Tensor:
    """The same `images`, (n, channels, height, width), stored pixel by pixel."""
    if images.shape[1] == 1:  # the same memory; `contiguous` sees that and keeps strides that convolutions misread
        height, width = images.shape[2:]
        return images.contiguous().as_strided(images.shape, (height * width, 1, width, 1))
    return images.contiguous(memory_format=torch.channels_last)
