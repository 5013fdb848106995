"""What a server does with running statistics: average them with the rule's weights, or leave them to the clients."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from deep.models.protocol import Model

__all__ = ["BufferPolicy", "averaged_buffers", "keep_norms_local", "next_buffers", "norm_mask"]

BufferPolicy = Literal["averaged", "local"]


def next_buffers(policy: BufferPolicy, weights: Tensor, buffers: Tensor) -> Tensor:
    """What each client starts the next round from, (n_clients, n_buffers).

    `buffers`, (n_clients, n_buffers): each client's after local training, absent ones as they were. `weights`,
    (n_clients,): the aggregation weights of the round.
    "averaged": everyone gets `averaged_buffers`, which are also those of the global model.
    "local": everyone keeps their own (FedBN; see `keep_norms_local` for the parameters); there is no global model,
    every client evaluates with its own statistics.
    The third policy needs no buffers: a model built with norm="batch".

    Raises `ValueError` for another policy, and as `averaged_buffers`.
    """
    if policy == "averaged":
        return averaged_buffers(weights, buffers).expand_as(buffers)
    if policy == "local":
        return buffers
    raise ValueError(f"next_buffers(policy={policy!r}): unknown; expected 'averaged' or 'local'")


def averaged_buffers(weights: Tensor, buffers: Tensor) -> Tensor:
    """Σ aₖ Bₖ / Σ aₖ, (n_buffers,): running statistics averaged with the weights of the updates.

    exp_alpha runs BatchNorm models under FedAvg and does not say how; averaging everything in the model alike is what
    FedBN's authors call FedAvg. Rules off the simplex (EFL's weights sum to something else) are divided by their sum,
    because a mean of statistics scaled by 5 is none. Summed in float64, returned in the type of `buffers`.

    Raises `ValueError` for shapes that do not fit, negative weights (a variance could turn negative) and a sum of 0.
    """
    if buffers.ndim != 2 or weights.shape != buffers.shape[:1]:
        raise ValueError(
            f"averaged_buffers(weights {tuple(weights.shape)}, buffers {tuple(buffers.shape)}):"
            " expected (n_clients,) and (n_clients, n_buffers)"
        )
    if not bool((weights >= 0).all()) or not bool(weights.sum() > 0):  # NaN fails, too
        raise ValueError(f"averaged_buffers(weights={weights.tolist()}): must be >= 0 with a sum > 0")
    shares = weights.double() / weights.double().sum()
    # An absent client's statistics may never have been finite; 0 · NaN must not spoil the sum.
    used = torch.where(shares[:, None] > 0, buffers.double(), 0.0)
    return (shares @ used).to(buffers.dtype)


def norm_mask(model: Model) -> Tensor:
    """True at the parameters of normalisation layers, bool, (n_parameters,): what FedBN keeps at the clients."""
    return torch.cat([torch.full((layer.size,), layer.kind == "norm") for layer in model.layers])


def keep_norms_local(model: Model, shared: Tensor, own: Tensor) -> Tensor:
    """What a client starts from under FedBN: `shared`, but `own` at the normalisation layers.

    Source: Li et al. 2021 (FedBN); exp_alpha, Section 4.3. `shared` (n_parameters,), `own`
    (*batch, n_parameters). Raises `ValueError` for another length.
    """
    mask = norm_mask(model).to(shared.device)
    if shared.shape != mask.shape or own.shape[-1:] != mask.shape:
        raise ValueError(
            f"keep_norms_local(shared {tuple(shared.shape)}, own {tuple(own.shape)}): expected last axis {len(mask)}"
        )
    return torch.where(mask, own, shared)
