"""∇Fₖ(x) over all of a client's samples, as SCAFFOLD's option I asks for it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from deep.local.pool import Client, Pool
from deep.models import Model, sample_losses

__all__ = ["full_gradients"]

_AT_ONCE = 1024  # samples of one pass, so that activations fit into memory


def full_gradients(
    model: Model, vectors: Tensor, buffers: Tensor, pool: Pool, clients: Sequence[Client], l2: float
) -> Tensor:
    """∇(mean loss over all samples of the client + (l2/2)‖w‖²) at its row of `vectors`, (m, n_parameters).

    In evaluation mode: running statistics stay as they are and enter as they are, `buffers` (m, n_buffers).
    """
    rows = []
    for vector, running, client in zip(vectors, buffers, clients, strict=True):
        leaf = vector.detach().requires_grad_()
        total = l2 * vector.detach()
        for index, targets in zip(
            torch.split(client.index, _AT_ONCE), torch.split(client.targets, _AT_ONCE), strict=True
        ):
            logits = model.logits(leaf, pool.inputs[index], running if len(running) else None)
            loss = sample_losses(model.loss, logits, targets).sum() / len(client)
            total = total + torch.autograd.grad(loss, leaf)[0]
        rows.append(total)
    return torch.stack(rows)
