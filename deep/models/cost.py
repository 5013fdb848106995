"""What a model costs: parameters, buffers and floating-point operations, counted without computing anything."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.utils.flop_counter import FlopCounterMode

from deep.models.network import Network
from deep.models.protocol import Model, initial_buffers, n_parameters

__all__ = ["Cost", "cost"]


@dataclass(frozen=True)
class Cost:
    """`flops`: of one forward pass on one sample; a step of training takes about three times as many per sample.

    Two per multiply-add in matrix products and convolutions; nothing else is counted.
    """

    n_parameters: int
    n_buffers: int
    flops: int


def cost(model: Model) -> Cost:
    """Parameters, running statistics and forward FLOPs of `model`, from a pass of shapes alone on the meta device."""
    moved = model.to("meta") if isinstance(model, Network) else model
    vector = torch.empty(n_parameters(model), device="meta")
    buffers = initial_buffers(model)
    # Two samples, because a batch norm of batch statistics refuses to normalise one.
    inputs = torch.zeros(2, *model.input_shape, dtype=model.input_dtype, device="meta")
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        moved.logits(vector, inputs, buffers.to("meta"))
    return Cost(n_parameters(model), len(buffers), counter.get_total_flops() // 2)
