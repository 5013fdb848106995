"""A small network with running statistics, as a model of one's own: "tests.deep.normed:net"."""

from __future__ import annotations

from torch import nn

__all__ = ["net"]


def net(n_features: int, n_classes: int, width: int = 8) -> nn.Module:
    """Two layers with a BatchNorm between them."""
    hidden = [nn.Linear(64, width), nn.BatchNorm1d(width), nn.ReLU()]
    return nn.Sequential(nn.Flatten(), *hidden, nn.Linear(width, n_classes))
