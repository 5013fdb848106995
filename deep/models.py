"""Models as pure functions of one flat vector: logits = f(vector, images)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from types import MappingProxyType
from typing import Protocol

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, max_pool2d, relu

from deep.data import Dataset
from deep.registry import pick
from theory.streams import stream

__all__ = ["MODELS", "Model", "SmallCNN", "SoftmaxRegression", "initial_vector", "make_model", "n_parameters"]

Shape = tuple[int, ...]


class Model(Protocol):
    """A network without state of its own; whoever trains it holds its parameters as one float32 vector.

    `weight_shapes`: the shape of each layer's weight, outputs first; every layer has a bias of `shape[0]` entries.
    The vector holds weight and bias of each layer in turn, row-major.
    """

    @property
    def weight_shapes(self) -> tuple[Shape, ...]: ...

    def logits(self, vector: Tensor, images: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class SoftmaxRegression:
    """One linear layer on the pixels; its cross-entropy is convex in the parameters.

    n_features · n_classes + n_classes parameters: 650 for the 8 × 8 digits.
    """

    n_features: int
    n_classes: int

    @property
    def weight_shapes(self) -> tuple[Shape, ...]:
        """One layer, (n_classes, n_features)."""
        return ((self.n_classes, self.n_features),)

    def logits(self, vector: Tensor, images: Tensor) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        weight, bias = _layers(self, vector)
        return linear(images.flatten(1), weight, bias)


@dataclass(frozen=True)
class SmallCNN:
    """Two 3 × 3 convolutions (16 and 32 channels, padding 1) with ReLU, 2 × 2 max pool, one linear layer.

    144·channels + 16 + 4,640 + (32 · ⌊height/2⌋ · ⌊width/2⌋ + 1) · n_classes parameters: 9,930 for the 8 × 8 digits.
    """

    image_shape: tuple[int, int, int]
    n_classes: int

    @property
    def weight_shapes(self) -> tuple[Shape, ...]:
        """Three layers."""
        channels, height, width = self.image_shape
        return (16, channels, 3, 3), (32, 16, 3, 3), (self.n_classes, 32 * (height // 2) * (width // 2))

    def logits(self, vector: Tensor, images: Tensor) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        weight1, bias1, weight2, bias2, weight3, bias3 = _layers(self, vector)
        hidden = relu(conv2d(images, weight1, bias1, padding=1))
        hidden = relu(conv2d(hidden, weight2, bias2, padding=1))
        return linear(max_pool2d(hidden, 2).flatten(1), weight3, bias3)


def _softmax_regression(dataset: Dataset) -> Model:
    return SoftmaxRegression(prod(dataset.image_shape), dataset.n_classes)


def _small_cnn(dataset: Dataset) -> Model:
    return SmallCNN(dataset.image_shape, dataset.n_classes)


MODELS: Mapping[str, Callable[[Dataset], Model]] = MappingProxyType(
    {"softmax-regression": _softmax_regression, "small-cnn": _small_cnn}
)


def make_model(name: str, dataset: Dataset, seed: int) -> tuple[Model, Tensor]:
    """The model called `name` in `MODELS`, sized for `dataset`, and its initial vector for this seed.

    Raises `ValueError` naming the nearest models for an unknown name.
    """
    model = pick(MODELS, name, "model")(dataset)
    return model, initial_vector(model, seed)


def n_parameters(model: Model) -> int:
    """Length of the model's vector: weights and biases of all layers."""
    return sum(prod(shape) + shape[0] for shape in model.weight_shapes)


def initial_vector(model: Model, seed: int) -> Tensor:
    """Every weight and bias uniform in ±1/√fan_in of its layer, float32, (n_parameters,), on the CPU.

    That is the law of torch.nn's default initialisation, drawn from ``stream(seed, "weights", layer)``: torch's
    global generator is neither read nor moved.
    """
    parts = [
        stream(seed, "weights", layer).uniform(-1.0, 1.0, prod(shape) + shape[0]) / prod(shape[1:]) ** 0.5
        for layer, shape in enumerate(model.weight_shapes)
    ]
    return torch.tensor(np.concatenate(parts), dtype=torch.float32)


def _layers(model: Model, vector: Tensor) -> list[Tensor]:
    """Views of `vector` as weight, bias, weight, bias, …"""
    shapes = [shape for weight in model.weight_shapes for shape in (weight, weight[:1])]
    parts = torch.split(vector, [prod(shape) for shape in shapes])
    return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]
