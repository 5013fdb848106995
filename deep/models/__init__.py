"""Models as pure functions of one flat vector, chosen by name: `make_model(name, dataset, seed)`.

What a trainer needs, for every model alike, and under `torch.func.vmap` and `grad` over a batch of vectors:

    model, vector = make_model("resnet-20", dataset, seed)
    buffers = initial_buffers(model)                                            # length 0 for most models
    logits, buffers = training_logits(model, vector, inputs, buffers)           # a training step
    loss = sample_losses(model.loss, logits, targets).mean()
    logits = model.logits(vector, inputs, buffers)                              # evaluation
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from deep.models.buffers import BufferPolicy, averaged_buffers, keep_norms_local, next_buffers, norm_mask
    from deep.models.catalogue import MODELS, check_model, make_model
    from deep.models.cost import Cost, cost
    from deep.models.features import Featured, training_features
    from deep.models.laws import initial_vector
    from deep.models.losses import sample_losses
    from deep.models.network import Network
    from deep.models.networks.plain import MLP, LinearRegression, SmallCNN, SoftmaxRegression
    from deep.models.protocol import Layer, Model, initial_buffers, n_parameters, training_logits

__all__ = [
    "MLP",
    "MODELS",
    "BufferPolicy",
    "Cost",
    "Featured",
    "Layer",
    "LinearRegression",
    "Model",
    "Network",
    "SmallCNN",
    "SoftmaxRegression",
    "averaged_buffers",
    "check_model",
    "cost",
    "initial_buffers",
    "initial_vector",
    "keep_norms_local",
    "make_model",
    "n_parameters",
    "next_buffers",
    "norm_mask",
    "sample_losses",
    "training_features",
    "training_logits",
]

__getattr__ = lazily(__name__, __file__)
