"""MOON: clients' features stay near those of the broadcast model, and leave those of their own last model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deep.base.lazy import torch
from deep.features.seam import Batch, LossStep
from deep.models import Model
from theory.algorithms import AlgorithmEntry, Client, Played, Stepwise
from theory.algorithms.local_step import Vectors
from theory.base.checks import check_number

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ENTRY", "MOON"]


@dataclass(frozen=True)
class MOON(Client):
    """ℓ = cross-entropy − μ·log(e^{s_g/τ}/(e^{s_g/τ} + e^{s_p/τ})), s = cos(z, z_g), cos(z, z_p), means over the batch.

    Source: Li, He and Song 2021 (MOON), eqs. (2) and (3); fedssa B.2: the current local model against the «previous
    global model (positive), and previous local model (negative). The hyper-parameter used is 0.1», taken to be μ. z are
    the features of the model trained, z_g of the broadcast model, z_p of the client's model after its last round; at
    first that is the initial model. *Open* in fedssa: τ (1/2 in MOON, the default here), and whether features pass a
    projection head; here they are the inputs of the last linear layer, and all three models see the batch in training
    mode. `mu` μ >= 0 (0 is FedAvg), `tau` τ > 0.
    """

    mu: float = 0.1
    tau: float = 0.5

    keeps = ("previous",)
    begins = ("previous",)

    def __post_init__(self) -> None:
        check_number("MOON", "mu", self.mu, closed=True, hint="0 is FedAvg")
        check_number("MOON", "tau", self.tau)

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """SGD on that loss."""
        return Stepwise(LossStep(self.local_loss, features=True), {"previous": own["previous"]}, ("model",))

    def carry(self, own: Vectors, broadcast: Vectors, played: Played) -> tuple[Vectors, Vectors]:
        """The model trained."""
        return {**own, "previous": played.left["model"]}, broadcast

    def local_loss(self, model: Model, vector: Tensor, batch: Batch, carried: Mapping[str, Tensor]) -> Tensor:
        """The mean over the batch."""
        assert batch.features is not None  # the trainer gives what the step asks for
        assert batch.features_of is not None
        cosine_similarity, softplus = torch.nn.functional.cosine_similarity, torch.nn.functional.softplus
        near = cosine_similarity(batch.features, batch.features_of(carried["start"]), dim=1)
        far = cosine_similarity(batch.features, batch.features_of(carried["previous"]), dim=1)
        from deep.models import sample_losses

        own = sample_losses(model.loss, batch.logits, batch.targets).mean()
        return own + self.mu * softplus((far - near) / self.tau).mean()


ENTRY = AlgorithmEntry(
    "moon",
    "client",
    MOON,
    "Li et al. 2021, eqs. (2), (3); fedssa B.2",
    "ℓ = cross-entropy − μ·log(e^{s_g/τ}/(e^{s_g/τ} + e^{s_p/τ}))",
)
