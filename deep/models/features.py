"""Features: what a model's last linear layer is given, beside what it makes of it."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor

from deep.models.protocol import Model

__all__ = ["Featured", "training_features"]


@runtime_checkable
class Featured(Protocol):
    """A model that shows its features."""

    def training_features(self, vector: Tensor, inputs: Tensor, buffers: Tensor) -> tuple[Tensor, Tensor, Tensor]: ...


def training_features(model: Model, vector: Tensor, inputs: Tensor, buffers: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """(Features (n, n_features), outputs in training mode, new buffers); arguments as `training_logits`.

    Features are the inputs of the last linear layer. Raises `ValueError` for a model that has no layer before it, or
    whose features are not one vector a sample.
    """
    if not isinstance(model, Featured) or sum(layer.kind != "norm" for layer in model.layers) < 2:
        name = getattr(model, "name", type(model).__name__)
        raise ValueError(f"{name}: no layer before its last one, so no features to train; expected a deeper model")
    features, logits, after = model.training_features(vector, inputs, buffers)
    if features.ndim != 2 or len(features) != len(inputs):
        raise ValueError(
            f"{getattr(model, 'name', type(model).__name__)}: features of shape {tuple(features.shape)} for"
            f" {len(inputs)} samples; expected one vector a sample"
        )
    return features, logits, after
