"""The two seams of deep runs alone: `local_loss`, in place of the model's own, and `refine`, after aggregation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from deep.models import Model
from theory.algorithms.local_step import Carried, Oracle

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["Batch", "LocalLoss", "LossStep", "Refining"]


@dataclass(frozen=True, eq=False)
class Batch:
    """Samples of a local step: `inputs`, `targets` (n, …), and the `logits` that the vector gives in training mode.

    `features` (n, n_features), what its last layer makes them of, where the `LossStep` asks for them; `features_of`
    gives those of another vector on the same inputs, without a gradient, also in training mode. `start_buffers`
    (n_buffers,): the running statistics that belong to the start of the round, None for a model that has none.
    """

    inputs: Tensor
    targets: Tensor
    logits: Tensor
    features: Tensor | None = None
    features_of: Callable[[Tensor], Tensor] | None = None
    start_buffers: Tensor | None = None


class LocalLoss(Protocol):
    """(model, vector, batch, carried) → loss of the batch, a number that autograd takes back to `vector`.

    `vector` (n_parameters,); `carried`: "start", the vector at the start of the round, and what the algorithm carries
    besides, (n_parameters,) each, none with a gradient. The objective's l2 comes on top.
    """

    def __call__(self, model: Model, vector: Tensor, batch: Batch, carried: Mapping[str, Tensor]) -> Tensor: ...


@dataclass(frozen=True, eq=False)
class LossStep:
    """A local step that is SGD on a loss of its own: the `step` of a `Stepwise`, which theory has no form of.

    `features`: whether that loss reads the features of the batch.
    """

    loss: LocalLoss
    features: bool = False

    def __call__(self, oracle: Oracle, carried: Carried, rate: Any) -> Carried:
        """Always a `ValueError`: without a network there is nothing to take this loss of."""
        raise ValueError(f"{type(self.loss).__name__}: its loss is of a network's outputs; expected a deep run")


@runtime_checkable
class Refining(Protocol):
    """A server that works on the aggregated model with unlabelled samples, before anybody sees it.

    `vector` (n_parameters,) and `buffers` (n_buffers,) after aggregation; `models` (m, n_parameters) and
    `model_buffers` (m, n_buffers) of the clients present as trained; `unlabelled` (n, …). Gives the new vector.
    """

    def refine(
        self, model: Model, vector: Tensor, buffers: Tensor, models: Tensor, model_buffers: Tensor, unlabelled: Tensor
    ) -> Tensor: ...
