"""The small models written out: softmax and linear regression, perceptrons, a two-layer CNN."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor
from torch.nn.functional import conv2d, linear, max_pool2d, relu

from deep.models.protocol import Law, Layer, LossName, Shape, layer_views

__all__ = ["MLP", "LinearRegression", "SmallCNN", "SoftmaxRegression"]


@dataclass(frozen=True)
class SoftmaxRegression:
    """One linear layer on the flattened input; its cross-entropy is convex in the parameters.

    Source: efl, A.3: "multinomial logistic regression, where the input is a flattened image".
    n_features · n_classes + n_classes parameters: 650 for the 8 × 8 digits. Raises `ValueError` for counts < 1.
    """

    n_features: int
    n_classes: int

    law: Law = "torch"
    loss: LossName = "cross-entropy"
    input_dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        _check_counts("SoftmaxRegression", n_features=self.n_features, n_classes=self.n_classes)

    @property
    def input_shape(self) -> Shape:
        """(n_features,); any shape with as many entries is flattened to it."""
        return (self.n_features,)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """One layer, (n_classes, n_features)."""
        return (_linear(self.n_features, self.n_classes),)

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        weight, bias = layer_views(self, vector)
        return linear(inputs.flatten(1), weight, bias)


@dataclass(frozen=True)
class LinearRegression:
    """f(x) = Wx + b under the squared loss, convex and quadratic in the parameters.

    Source: efl, Section 5: "synthetic dataset with a linear regression classifier".
    n_features · n_outputs + n_outputs parameters. Raises `ValueError` for counts < 1.
    """

    n_features: int
    n_outputs: int = 1

    law: Law = "torch"
    loss: LossName = "squared"
    input_dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        _check_counts("LinearRegression", n_features=self.n_features, n_outputs=self.n_outputs)

    @property
    def input_shape(self) -> Shape:
        """(n_features,); any shape with as many entries is flattened to it."""
        return (self.n_features,)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """One layer, (n_outputs, n_features)."""
        return (_linear(self.n_features, self.n_outputs),)

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor:
        """f(x), (n, n_outputs)."""
        weight, bias = layer_views(self, vector)
        return linear(inputs.flatten(1), weight, bias)


@dataclass(frozen=True)
class MLP:
    """Linear layers with ReLU between them, on the flattened input.

    The default width is McMahan et al. 2017's "2NN": 199,210 parameters on MNIST. Raises `ValueError` for counts < 1.
    """

    n_features: int
    n_classes: int
    hidden: tuple[int, ...] = (200, 200)

    law: Law = "torch"
    loss: LossName = "cross-entropy"
    input_dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        if not isinstance(self.hidden, tuple):
            raise ValueError(f"MLP(hidden={self.hidden!r}): must be a list of integers >= 1, such as [200, 200]")
        widths = {f"hidden[{index}]": width for index, width in enumerate(self.hidden)}
        _check_counts("MLP", n_features=self.n_features, n_classes=self.n_classes, **widths)

    @property
    def input_shape(self) -> Shape:
        """(n_features,); any shape with as many entries is flattened to it."""
        return (self.n_features,)

    @property
    def layers(self) -> tuple[Layer, ...]:
        """One more than there are hidden widths."""
        widths = (self.n_features, *self.hidden, self.n_classes)
        return tuple(_linear(n_in, n_out) for n_in, n_out in pairwise(widths))

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        return self._both(vector, inputs)[1]

    def training_features(self, vector: Tensor, inputs: Tensor, buffers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(What the last layer is given, scores, `buffers`); see `deep.models.training_features`."""
        return (*self._both(vector, inputs), buffers)

    def _both(self, vector: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
        *hidden, weight, bias = layer_views(self, vector)
        signal = inputs.flatten(1)
        for w, b in zip(hidden[::2], hidden[1::2], strict=True):
            signal = relu(linear(signal, w, b))
        return signal, linear(signal, weight, bias)


@dataclass(frozen=True)
class SmallCNN:
    """Two 3 × 3 convolutions (16 and 32 channels, padding 1) with ReLU, 2 × 2 max pool, one linear layer.

    144·channels + 16 + 4,640 + (32 · ⌊height/2⌋ · ⌊width/2⌋ + 1) · n_classes parameters: 9,930 for the 8 × 8 digits.
    Raises `ValueError` for counts < 1 and for images smaller than 2 × 2.
    """

    image_shape: tuple[int, int, int]
    n_classes: int

    law: Law = "torch"
    loss: LossName = "cross-entropy"
    input_dtype: torch.dtype = torch.float32

    def __post_init__(self) -> None:
        channels, height, width = self.image_shape
        _check_counts("SmallCNN", n_classes=self.n_classes, channels=channels)
        if min(height, width) < 2:
            raise ValueError(f"SmallCNN(image_shape={self.image_shape}): height and width must be >= 2")

    @property
    def input_shape(self) -> Shape:
        """`image_shape`."""
        return self.image_shape

    @property
    def layers(self) -> tuple[Layer, ...]:
        """Three layers."""
        channels, height, width = self.image_shape
        return (
            Layer("conv", ((16, channels, 3, 3), (16,))),
            Layer("conv", ((32, 16, 3, 3), (32,))),
            _linear(32 * (height // 2) * (width // 2), self.n_classes),
        )

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor:
        """Scores before the softmax, (n, n_classes)."""
        return self._both(vector, inputs)[1]

    def training_features(self, vector: Tensor, inputs: Tensor, buffers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(What the last layer is given, scores, `buffers`); see `deep.models.training_features`."""
        return (*self._both(vector, inputs), buffers)

    def _both(self, vector: Tensor, inputs: Tensor) -> tuple[Tensor, Tensor]:
        weight1, bias1, weight2, bias2, weight3, bias3 = layer_views(self, vector)
        hidden = relu(conv2d(inputs, weight1, bias1, padding=1))
        hidden = relu(max_pool2d(conv2d(hidden, weight2, bias2, padding=1), 2))  # = max_pool2d(relu(…)), on a quarter
        features = hidden.flatten(1)
        return features, linear(features, weight3, bias3)


def _linear(n_in: int, n_out: int) -> Layer:
    return Layer("linear", ((n_out, n_in), (n_out,)))


def _check_counts(name: str, **counts: int) -> None:
    for argument, count in counts.items():
        if type(count) is not int or count < 1:
            raise ValueError(f"{name}({argument}={count!r}): must be >= 1, an integer")
