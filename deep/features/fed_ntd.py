"""FedNTD: clients keep what the broadcast model says of the classes that are not the true one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from deep.base.lazy import torch
from deep.features.seam import Batch, LossStep
from deep.models import Model
from theory.algorithms import AlgorithmEntry, Client, Stepwise
from theory.algorithms.local_step import Vectors
from theory.base.checks import check_number

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ENTRY", "FedNTD"]


@dataclass(frozen=True)
class FedNTD(Client):
    """ℓ = cross-entropy + β·KL(q̃ᵍ ‖ q̃), q̃ the softmax of logits/τ over the classes but the true one, ᵍ of the start.

    Source: Lee et al. 2022 (FedNTD), eqs. (4) to (6), with the factor τ² of its distillation loss left out, as printed.
    The start is asked as it is evaluated, with the running statistics that were broadcast with it. `beta` β >= 0 (0 is
    FedAvg), `tau` τ > 0.
    """

    beta: float = 1.0
    tau: float = 1.0

    def __post_init__(self) -> None:
        check_number("FedNTD", "beta", self.beta, closed=True, hint="0 is FedAvg")
        check_number("FedNTD", "tau", self.tau)

    def steps(self, own: Vectors, broadcast: Vectors) -> Stepwise:
        """SGD on that loss."""
        return Stepwise(LossStep(self.local_loss))

    def local_loss(self, model: Model, vector: Tensor, batch: Batch, carried: Mapping[str, Tensor]) -> Tensor:
        """The mean over the batch."""
        from deep.models import sample_losses

        own = sample_losses(model.loss, batch.logits, batch.targets).mean()
        if batch.targets.is_floating_point() or batch.logits.ndim != 2:
            raise ValueError("fed-ntd: expected one class a sample to keep apart from the others")
        with torch.no_grad():
            before = self._others(model.logits(carried["start"], batch.inputs, batch.start_buffers), batch.targets)
        now = self._others(batch.logits, batch.targets)
        apart = (before.exp() * (before - now)).sum(dim=1).mean()
        return own + self.beta * apart

    def _others(self, logits: Tensor, targets: Tensor) -> Tensor:
        """log q̃, (n, n_classes − 1)."""
        n, n_classes = logits.shape
        keep = torch.ones_like(logits, dtype=torch.bool).scatter_(1, targets[:, None], value=False)
        return torch.log_softmax(logits[keep].view(n, n_classes - 1) / self.tau, dim=1)


ENTRY = AlgorithmEntry(
    "fed-ntd",
    "client",
    FedNTD,
    "Lee et al. 2022, eqs. (4) to (6)",
    "ℓ = cross-entropy + β·KL(q̃ᵍ ‖ q̃)",
)
