"""Gradients of local steps as pure functions of tensors, for one client or for several side by side; and compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import torch
from torch import Tensor
from torch.func import grad, vmap

from deep.models import Model, sample_losses, training_logits
from deep.models.norm import Real

__all__ = ["Gradient", "compiled_gradient", "compiled_gradients", "gradient_of", "gradients_of"]

Gradient = Callable[..., tuple[Tensor, Tensor]]


def gradient_of(model: Model) -> Gradient:
    """(vector, running, inputs, targets) → (∇ of the batch's mean loss (n_parameters,), statistics after it)."""

    def loss(vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        logits, after = training_logits(model, vector, inputs, running)
        return sample_losses(model.loss, logits.to(vector.dtype), targets).mean(), after

    return cast("Gradient", grad(loss, has_aux=True))


def gradients_of(model: Model) -> Gradient:
    """(vectors, running, inputs, targets, weight, fewest) → (∇ of each client's Σ weight · ℓ (m, n_parameters),
    statistics after it (m, n_buffers)): a first axis of m clients everywhere.

    `fewest`: real samples of the shortest batch where padding must be kept out of the batch's statistics, else None.
    """

    def gradients(
        vectors: Tensor, running: Tensor, inputs: Tensor, targets: Tensor, weight: Tensor, fewest: int | None
    ) -> tuple[Tensor, Tensor]:
        def loss(
            vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor, weight: Tensor
        ) -> tuple[Tensor, Tensor]:
            real = None if fewest is None else Real(weight, fewest)
            logits, after = training_logits(model, vector, inputs, running, real)
            return (sample_losses(model.loss, logits.to(vector.dtype), targets) * weight).sum(), after

        every = vmap(grad(loss, has_aux=True))
        return cast("tuple[Tensor, Tensor]", every(vectors, running, inputs, targets, weight))

    return gradients


@lru_cache(maxsize=64)
def compiled_gradient(model: Model) -> Gradient:
    """`gradient_of` through `torch.compile`, forward and backward as one graph, the same for a model every time;
    errors as `_compiled`.
    """
    return _compiled(gradient_of(model), model)


@lru_cache(maxsize=64)
def compiled_gradients(model: Model) -> Gradient:
    """`gradients_of` through `torch.compile`, all clients in one graph; errors as `_compiled`."""
    return _compiled(gradients_of(model), model)


def _compiled(plain: Gradient, model: Model) -> Gradient:
    """`plain` compiled at its first call, and once more, for all sizes, when another size of batch is met.

    Never in part and never given up silently: `ValueError` for a model that is not one graph, or whose graph does not
    compile; what `plain` itself raises is raised as ever.
    """
    # Imported late: nobody else waits for the compiler's modules.
    from torch._dynamo.exc import FailOnRecompileLimitHit, TorchDynamoException
    from torch._inductor.exc import InductorError

    made = torch.compile(plain, fullgraph=True)

    def gradient(*args: Any) -> tuple[Tensor, Tensor]:
        try:
            try:
                return made(*args)
            except FailOnRecompileLimitHit:  # torch counts all models together
                torch.compiler.reset()
                return made(*args)
        except (TorchDynamoException, InductorError) as error:
            plain(*args)  # an error of the model's own is said in its own words
            name = getattr(model, "name", type(model).__name__)
            raise ValueError(
                f"run(compiled=True): torch.compile does not take the local step of {name} as one graph:"
                f" {' '.join(str(error).split(chr(10) * 2)[0].split())}; expected compiled=False"
            ) from error

    return gradient
