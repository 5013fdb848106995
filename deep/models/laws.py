"""How the parameters of a model are drawn: laws of initialisation on seeded streams."""

from __future__ import annotations

from math import prod, sqrt
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from deep.base.lazy import torch
from deep.models.protocol import Law, Layer, Model, Shape
from theory.base.streams import stream

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["initial_vector"]

Values = NDArray[np.float64]


def initial_vector(model: Model, seed: int) -> Tensor:
    """The vector a run starts from: float32, (n_parameters,), on the CPU.

    Layer i is drawn from ``stream(seed, "weights", i)``: torch's global generator is neither read nor moved. The laws,
    with fan_in and fan_out counted over the kernel:

    - "torch": weights and biases uniform in ±1/√fan_in, the law of torch.nn's convolutions and linear layers.
    - "he-in": weights N(0, 2/fan_in), biases as in "torch" (He et al. 2015, their eq. 10).
    - "he-out": weights of convolutions N(0, 2/fan_out) and their biases 0, linear layers as in "torch": the ResNets of
      torchvision.
    - "he-out-small-linear": convolutions as in "he-out", linear weights N(0, 0.01²), biases 0.
    - "gpt": linear weights and embeddings N(0, 0.02²), biases 0.

    Under every law a normalisation starts at scale 1 and shift 0; under every one but "gpt" an embedding is N(0, 1);
    an LSTM is uniform in ±1/√hidden, as in torch.nn. What a model brings along pretrained overwrites what was drawn.
    """
    parts = [_drawn(layer, model.law, stream(seed, "weights", index)) for index, layer in enumerate(model.layers)]
    vector = torch.tensor(np.concatenate(parts), dtype=torch.float32)
    for position, values in getattr(model, "pretrained", {}).items():
        vector[position : position + values.numel()] = values.flatten()
    return vector


def _drawn(layer: Layer, law: Law, rng: np.random.Generator) -> Values:
    """Weight, then bias, flat: (layer.size,)."""
    weight = layer.shapes[0]
    if layer.kind == "norm":
        return np.concatenate([np.full(prod(shape), 1.0 - index) for index, shape in enumerate(layer.shapes)])
    if layer.kind == "embedding":
        return rng.standard_normal(layer.size) * (0.02 if law == "gpt" else 1.0)
    if layer.kind == "lstm":
        return rng.uniform(-1.0, 1.0, layer.size) / sqrt(weight[0] // 4)
    fan_in = prod(weight[1:])
    deviation = _deviation(layer, law, weight)
    if deviation is None:
        return rng.uniform(-1.0, 1.0, layer.size) / sqrt(fan_in)
    n_biases = layer.size - prod(weight)
    weights = rng.standard_normal(prod(weight)) * deviation
    biases = rng.uniform(-1.0, 1.0, n_biases) / sqrt(fan_in) if law == "he-in" else np.zeros(n_biases)
    return np.concatenate([weights, biases])


def _deviation(layer: Layer, law: Law, weight: Shape) -> float | None:
    """Standard deviation of a convolution's or a linear layer's weights; None where they are uniform."""
    if law == "he-in":
        return sqrt(2 / prod(weight[1:]))
    if law == "gpt":
        return 0.02
    if law in {"he-out", "he-out-small-linear"} and layer.kind == "conv":
        return sqrt(2 / (weight[0] * prod(weight[2:])))
    return 0.01 if law == "he-out-small-linear" else None
