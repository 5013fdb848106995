"""The minimum norm of many remembered updates, from the clients that had a weight the round before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from deep.base.lazy import torch
from theory.minnorm import min_norm_point
from theory.minnorm.point import certify
from theory.minnorm.settings import LOST_DIGITS, TOLERANCE

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["WARM_FROM", "warm_weights"]

WARM_FROM = 256  # clients; below, a solve from nothing takes milliseconds
_ROUNDS = 5  # of letting in who pulls away from the point


def warm_weights(gram: Tensor, likely: Tensor) -> Tensor | None:
    """argmin over the simplex of λᵀGλ, (n,), found on the clients `likely` (places, int64) and whoever has to join.

    Source: fedaware, eq. (2). A solve of k of n clients takes (k/n)³ of the time; clients outside are judged by
    their part of the certificate, ⟨mᵢ, d⟩ >= ‖d‖², and those that fail it join. Gives None where the certificate of all
    n clients is not that of `min_norm_point` after a few times, where all would have to join, and where G holds too few
    digits of ‖d‖²: a solve from nothing is then right.
    """
    held = gram.cpu().numpy()
    n = len(held)
    inside = np.unique(likely.cpu().numpy())
    for _ in range(_ROUNDS):
        if not 0 < len(inside) < n:
            return None
        part = held[np.ix_(inside, inside)]
        point = min_norm_point(part)
        size = float(point.weights @ np.sqrt(part.diagonal()))
        if point.status != "optimal" or point.squared_norm < LOST_DIGITS * size * size:
            return None
        weights = np.zeros(n)
        weights[inside] = point.weights
        if certify(held, weights).kkt_residual <= TOLERANCE["active-set"]:
            return torch.from_numpy(weights).to(gram.device)
        pulls = held @ weights < point.squared_norm
        pulls[inside] = False
        inside = np.union1d(inside, np.flatnonzero(pulls))
    return None
