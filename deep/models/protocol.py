"""What a model is: a function of one flat vector, which says how that vector is laid out and which loss it is for."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from deep.base.lazy import torch

if TYPE_CHECKING:
    from torch import Tensor

    from deep.models.norm import Real

__all__ = [
    "Buffered",
    "Kind",
    "Law",
    "Layer",
    "LossName",
    "Model",
    "Norm",
    "Shape",
    "Shortcut",
    "Stem",
    "initial_buffers",
    "layer_views",
    "n_parameters",
    "training_logits",
]

Shape = tuple[int, ...]
Kind = Literal["conv", "linear", "embedding", "lstm", "norm", "other"]
LossName = Literal["cross-entropy", "squared"]
Law = Literal["torch", "he-in", "he-out", "he-out-small-linear", "gpt", "own"]
Norm = Literal["running", "batch", "group"]
Shortcut = Literal["A", "B"]
Stem = Literal["small", "large"]


@dataclass(frozen=True)
class Layer:
    """Neighbours in the vector that are initialised together: a weight, outputs first, and its bias, if it has one.

    `shapes` of its tensors in the order they stand, each row-major. An "lstm" holds the weights on its input and on
    its state and a bias for each, gates stacked; a "norm" its scale and shift.
    """

    kind: Kind
    shapes: tuple[Shape, ...]

    @property
    def size(self) -> int:
        """Parameters of the layer."""
        return sum(prod(shape) for shape in self.shapes)


class Model(Protocol):
    """A network without state of its own; whoever trains it holds its parameters as one float32 vector.

    `layers`: how that vector is laid out; `law`: how `initial_vector` draws it; `loss`: what `sample_losses` makes of
    its outputs; `input_shape`, `input_dtype` of one sample.
    """

    def __hash__(self) -> int: ...

    @property
    def layers(self) -> tuple[Layer, ...]: ...

    @property
    def law(self) -> Law: ...

    @property
    def loss(self) -> LossName: ...

    @property
    def input_shape(self) -> Shape: ...

    @property
    def input_dtype(self) -> torch.dtype: ...

    def logits(self, vector: Tensor, inputs: Tensor, buffers: Tensor | None = None) -> Tensor: ...


@runtime_checkable
class Buffered(Protocol):
    """A model that may carry running statistics: values that training changes without a gradient."""

    def initial_buffers(self) -> Tensor: ...

    def training_logits(
        self, vector: Tensor, inputs: Tensor, buffers: Tensor, real: Real | None = None
    ) -> tuple[Tensor, Tensor]: ...


def n_parameters(model: Model) -> int:
    """Length of the model's vector."""
    return sum(layer.size for layer in model.layers)


def initial_buffers(model: Model) -> Tensor:
    """Running mean 0 and running variance 1 of every normalisation, float32, (n_buffers,), on the CPU.

    Length 0 for a model without running statistics, so that a trainer can treat all models alike.
    """
    return model.initial_buffers() if isinstance(model, Buffered) else torch.zeros(0)


def training_logits(
    model: Model, vector: Tensor, inputs: Tensor, buffers: Tensor, real: Real | None = None
) -> tuple[Tensor, Tensor]:
    """(Outputs in training mode, new buffers): normalisations use the batch's statistics and remember them.

    `vector` (n_parameters,), `buffers` (n_buffers,), not changed; the new ones carry no gradient. `real`: which samples
    of a padded batch count in those statistics, None for all.
    """
    if isinstance(model, Buffered):
        return model.training_logits(vector, inputs, buffers, real)
    return model.logits(vector, inputs), buffers


def layer_views(model: Model, vector: Tensor) -> list[Tensor]:
    """Views of `vector`, (n_parameters,), as the tensors of its layers, in order."""
    from torch import split  # torch.compile follows this

    shapes = [shape for layer in model.layers for shape in layer.shapes]
    parts = split(vector, [prod(shape) for shape in shapes])
    return [part.view(shape) for part, shape in zip(parts, shapes, strict=True)]
