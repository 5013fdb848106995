"""The losses a model can name, one value per sample."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from deep.models.protocol import LossName

__all__ = ["sample_losses"]


def sample_losses(loss: LossName, outputs: Tensor, targets: Tensor) -> Tensor:
    """ℓ(f(x), y) of every sample, (n,), in the precision of `outputs`.

    "cross-entropy": `outputs` (n, n_classes) with int64 `targets` (n,); or (n, length, n_classes) with (n, length), and
    the mean over positions.
    "squared": ½‖f(x) − y‖², `outputs` (n, d) with float `targets` (n, d), or (n,) where d = 1; int64 `targets` (n,) are
    classes, y their one-hot vector (EFL's "linear regression classifier" leaves open how a class becomes a number).

    Raises `ValueError` for an unknown loss, and for targets whose shape or type does not fit.
    """
    call = f"sample_losses({loss!r}, outputs {tuple(outputs.shape)}, {targets.dtype} targets {tuple(targets.shape)})"
    if loss == "cross-entropy":
        if targets.dtype != torch.int64 or outputs.ndim not in {2, 3} or targets.shape != outputs.shape[:-1]:
            raise ValueError(f"{call}: expected torch.int64 targets of shape {tuple(outputs.shape[:-1])}")
        losses = cross_entropy(outputs.flatten(0, -2), targets.flatten(), reduction="none")
        return losses.view(targets.shape) if targets.ndim == 1 else losses.view(targets.shape).mean(1)
    if loss != "squared":
        raise ValueError(f"{call}: unknown loss; expected 'cross-entropy' or 'squared'")
    if outputs.ndim == 2 and targets.shape == outputs.shape[:1]:
        if targets.dtype == torch.int64:
            targets = (targets[:, None] == torch.arange(outputs.shape[1], device=targets.device)).to(outputs.dtype)
        elif outputs.shape[1] == 1:
            targets = targets[:, None]
    if targets.shape != outputs.shape or outputs.ndim != 2 or not targets.is_floating_point():
        raise ValueError(f"{call}: expected float targets of shape (n, d), or classes of shape (n,)")
    return 0.5 * (outputs - targets).square().sum(1)
