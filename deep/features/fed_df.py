"""FedDF: the averaged model learns from the clients' models on unlabelled samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deep.base.lazy import torch
from deep.models import Model
from theory.algorithms import AlgorithmEntry, Received, Server
from theory.base.checks import check_number, check_whole

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ENTRY", "FedDF"]


@dataclass(frozen=True)
class FedDF(Server):
    """x ← x + d, then `n_steps` of x ← x − ρ∇KL(σ(mean logits of the clients) ‖ σ(logits of x)), unlabelled samples.

    Source: Lin et al. 2020 (FedDF), Algorithm 1 with one architecture. *Differs:* all samples at once, at a constant
    rate ρ = `rate`, no early stopping. The samples are the server's, as those of rules that look at outputs. fedssa B.2
    distils on the unlabelled target data and prints no setting: steps, rate and batches are *open* there.
    """

    n_steps: int = 20
    rate: float = 0.1

    lr = 1.0

    def __post_init__(self) -> None:
        check_whole("FedDF", "n_steps", self.n_steps, low=0)
        check_number("FedDF", "rate", self.rate)

    def step(self, state: Any, received: Received) -> tuple[Any, Any]:
        """No state; d as it is."""
        return None, received.direction

    def refine(
        self, model: Model, vector: Tensor, buffers: Tensor, models: Tensor, model_buffers: Tensor, unlabelled: Tensor
    ) -> Tensor:
        """The vector after distillation."""

        def logits(weights: Tensor, running: Tensor) -> Tensor:
            return model.logits(weights, unlabelled, running if len(running) else None)

        with torch.no_grad():
            pairs = zip(models, model_buffers, strict=True)
            teacher = torch.softmax(torch.stack([logits(*pair) for pair in pairs]).mean(dim=0), dim=-1)
        for _ in range(self.n_steps):
            leaf = vector.detach().requires_grad_()
            student = torch.log_softmax(logits(leaf, buffers), dim=-1)
            loss = -(teacher * student).sum() / len(unlabelled)  # the KL up to what does not depend on the student
            vector = vector - self.rate * torch.autograd.grad(loss, leaf)[0]
        return vector.detach()


ENTRY = AlgorithmEntry(
    "fed-df", "server", FedDF, "Lin et al. 2020, Algorithm 1", "x ← x + d; x ← x − ρ∇KL(mean client ‖ x), unlabelled"
)
