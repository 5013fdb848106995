"""Convolutions of many clients as batched products: written for GPUs, where grouped convolutions leave most idle."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import max_pool2d, max_pool2d_with_indices, pad

from deep.local.trainers.gradients import Gradient
from deep.models import Model, sample_losses
from deep.models.network import Network
from deep.models.pooled import pooled_first

__all__ = ["convolved_gradients", "convolves"]

_PARTS = 16  # of a batch, whose sums are done by themselves: ten clients would keep ten multiprocessors busy

Values = list[Tensor]
Part = Callable[[Tensor, Values], Tensor]


@lru_cache(maxsize=64)
def convolves(model: Model) -> bool:
    """Whether `convolved_gradients` knows the model: a sequence of convolutions (stride 1), pools, ReLU and linear
    layers, all with a bias, of which nothing but parameters decides the outputs, and the cross-entropy.
    """
    if type(model) is not Network or not model.binds or model.keeps_statistics or model.loss != "cross-entropy":
        return False
    module = model.module
    if type(module) is not nn.Sequential or not any(type(part) is nn.Conv2d for part in module):
        return False
    return all(map(_is_known, module))


@lru_cache(maxsize=64)
def convolved_gradients(model: Network) -> Gradient:
    """`gradients_of` for a model that `convolves`, with no vmap: images lie pixel by pixel, (m, b, height, width,
    channels), and a convolution is one product of its patches (m, b · height · width, k · k · channels) a client.
    """
    parts = list(pooled_first(model.module).children())
    layers = [(_part(part), [tuple(p.shape) for p in part.parameters()]) for part in parts]
    sizes = [prod(shape) for _, shapes in layers for shape in shapes]

    def gradients(
        vectors: Tensor, running: Tensor, inputs: Tensor, targets: Tensor, weight: Tensor, _: int | None
    ) -> tuple[Tensor, Tensor]:
        leaf = vectors.detach().requires_grad_()
        with torch.enable_grad():
            values = iter(torch.split(leaf, sizes, dim=1))
            outputs = inputs.permute(0, 1, 3, 4, 2).contiguous()
            for part, shapes in layers:
                outputs = part(outputs, [next(values).view(-1, *shape) for shape in shapes])
            losses = sample_losses(model.loss, outputs.flatten(0, 1).to(vectors.dtype), targets.flatten())
            total = (losses * weight.flatten()).sum()
        return torch.autograd.grad(total, leaf)[0], running

    return gradients


def _is_known(layer: nn.Module) -> bool:
    if type(layer) is nn.Conv2d:
        plain = layer.stride == (1, 1) and layer.dilation == (1, 1) and layer.groups == 1
        return plain and layer.bias is not None and layer.padding_mode == "zeros" and not isinstance(layer.padding, str)
    if type(layer) is nn.MaxPool2d:
        return not layer.return_indices
    if type(layer) is nn.Flatten:
        return (layer.start_dim, layer.end_dim) == (1, -1)
    return type(layer) is nn.ReLU or (type(layer) is nn.Linear and layer.bias is not None)


def _part(layer: nn.Module) -> Part:
    """What the layer does to (m, b, …), with its parameters of each client."""
    if type(layer) is nn.Conv2d:
        rows, columns = cast("tuple[int, int]", layer.padding)
        edges = (0, 0, columns, columns, rows, rows)

        def convolve(inputs: Tensor, values: Values) -> Tensor:
            padded = pad(inputs, edges) if any(edges) else inputs
            return cast("Tensor", _Convolution.apply(padded, *values))  # type: ignore[no-untyped-call]

        return convolve
    if type(layer) is nn.MaxPool2d:
        asked = layer.kernel_size, layer.stride, layer.padding, layer.dilation, layer.ceil_mode
        apart = layer.kernel_size == layer.stride and layer.padding == 0 and layer.dilation == 1

        def pool(inputs: Tensor, _: Values) -> Tensor:
            images = inputs.flatten(0, 1).permute(0, 3, 1, 2)  # the same memory, which torch knows as channels last
            pooled: Tensor = (_ApartPool.apply if apart else max_pool2d)(images, *asked)
            by_pixel = pooled.permute(0, 2, 3, 1)
            return by_pixel.view(*inputs.shape[:2], *by_pixel.shape[1:])

        return pool
    if type(layer) is nn.Flatten:
        return lambda inputs, _: inputs if inputs.ndim == 3 else inputs.permute(0, 1, 4, 2, 3).flatten(2)
    if type(layer) is nn.Linear:
        return lambda inputs, values: torch.baddbmm(values[1][:, None], inputs, values[0].mT)
    return lambda inputs, _: torch.relu(inputs)


class _Convolution(torch.autograd.Function):
    """(m, b, h, w, c), weights (m, o, c, k, l), bias (m, o) → (m, b, h − k + 1, w − l + 1, o)."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        images = images.contiguous()
        m, b, height, width, c = images.shape
        k, columns = weight.shape[3:]
        shape = (m, b, height - k + 1, width - columns + 1, k, columns, c)
        of_client, of_image, of_row, of_pixel, _ = images.stride()
        strides = (of_client, of_image, of_row, of_pixel, of_row, of_pixel, 1)
        patches = images.as_strided(shape, strides).reshape(m, prod(shape[1:4]), prod(shape[4:]))
        flat = weight.permute(0, 3, 4, 2, 1).reshape(m, prod(shape[4:]), -1)
        ctx.save_for_backward(patches, flat)
        ctx.shape, ctx.images = shape, images.shape
        return torch.baddbmm(bias[:, None], patches, flat).view(*shape[:4], -1)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor, Tensor]:
        patches, flat = ctx.saved_tensors
        m, b, height, width, k, columns, c = ctx.shape
        flowing = gradient.reshape(m, b * height * width, -1)
        parts = max(p for p in range(1, _PARTS + 1) if b % p == 0)
        cut = [tensor.view(m * parts, -1, tensor.shape[2]) for tensor in (patches, flowing)]
        of_weight = torch.bmm(cut[0].mT, cut[1]).view(m, parts, k, columns, c, -1).sum(1)
        of_weight = of_weight.permute(0, 4, 3, 1, 2)
        of_images = None
        if ctx.needs_input_grad[0]:
            of_patches = torch.bmm(flowing, flat.mT).view(ctx.shape)
            of_images = gradient.new_zeros(ctx.images)
            for i in range(k):
                for j in range(columns):
                    of_images[:, :, i : i + height, j : j + width] += of_patches[:, :, :, :, i, j]
        of_bias = cut[1].sum(1).view(m, parts, -1).sum(1)
        return of_images, of_weight, of_bias


class _ApartPool(torch.autograd.Function):
    """`max_pool2d` of windows that do not overlap: every gradient has one place to go."""

    @staticmethod
    def forward(ctx: Any, images: Tensor, *asked: Any) -> Tensor:
        pooled, places = max_pool2d_with_indices(images, *asked)
        ctx.save_for_backward(places)
        ctx.images = images.shape
        return pooled

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        (places,) = ctx.saved_tensors
        n, c, height, width = ctx.images
        of_images = gradient.new_zeros(n, height * width, c)
        by_pixel = [tensor.permute(0, 2, 3, 1).flatten(1, 2) for tensor in (places, gradient)]
        of_images.scatter_(1, *by_pixel)
        return of_images.view(n, height, width, c).permute(0, 3, 1, 2), None, None, None, None, None
