"""The bound of a run whose constants are all known: μ, L, G and σ of softmax regression, from its data alone.

Source: exp_alpha, the recursion (7) of A.9 (EA-E7) with Lemma 3 as it holds, (E − 1)² in place of E − 1 (EA-L3), and
Ω >= 0: E‖w⁺ − w*‖² <= (1 − ημ)Δ + η²(Σ aₖ²σₖ² + 8(E − 1)²G²) + 2ηΓ for ηL <= 1/4, where 6Lη²Ω − 2ηΩ <= 0; then
F(w) − F* <= (L/2)Δ. It asks for weights that are chosen before the round's samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theory.federations.empirical import LogisticFederation

__all__ = ["Known", "bound", "known"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Known:
    """Constants: `mu` <= μ, `L` >= L; `G2` >= E‖g‖² and `sigma2` >= E‖g − ∇Fₖ‖² of a batch, wherever a run goes."""

    mu: float
    L: float
    G2: float
    sigma2: float


def known(federation: LogisticFederation, batch_size: int, start: Floats, rate: float) -> Known:
    """From the longest sample R: a sample's gradient without l2 has norm <= √2·R, so ‖w‖ stays <= max{‖w₀‖, √2·R/l2}.

    A step w − η(g + l2·w) keeps a ball of that radius for η·l2 <= 1, and means of models stay in it. Variances of a
    mean over `batch_size` draws are those of one over `batch_size`; without replacement they are less.
    """
    constants = federation.constants()
    longest = float(np.sqrt((np.asarray(federation.features) ** 2).sum(-1) * np.asarray(federation.mask)).max())
    gradient, l2 = np.sqrt(2.0) * longest, float(federation.l2)
    if not rate * l2 <= 1:
        raise ValueError(f"known(rate={rate}, l2={l2}): expected rate·l2 <= 1, else the iterates know no ball")
    radius = max(float(np.linalg.norm(start)), gradient / l2)
    mu, L = (float(np.asarray(x)) for x in (constants.mu, constants.L))
    return Known(mu, L, (gradient + l2 * radius) ** 2, gradient**2 / batch_size)


def bound(
    constants: Known,
    *,
    weights: Floats,
    at_optimum: Floats,
    floor: Floats,
    distance2: float,
    rate: float,
    n_local_steps: int,
) -> Floats:
    """Bounds on F(w) − F* at the start of each round and after the last, (n_rounds + 1,).

    `weights` (n_rounds, n_clients); `at_optimum` Fₖ(w*), `floor` Fₖ*, (n_clients,); `distance2` ‖w₀ − w*‖². Γ and the
    noise are those of the worst round, as the print has them. Raises `ValueError` where the rate is above 1/(4L).
    """
    if not rate <= 1 / (4 * constants.L):
        raise ValueError(f"bound(rate={rate}): expected at most 1/(4L) = {1 / (4 * constants.L):.4g}")
    noise = float((weights**2).sum(-1).max()) * constants.sigma2
    Gamma = float((weights @ (at_optimum - floor)).max())
    drift = 8 * (n_local_steps - 1) ** 2 * constants.G2
    distance, found = distance2, [distance2]
    for _ in range(len(weights)):
        for _ in range(n_local_steps):
            distance = (1 - rate * constants.mu) * distance + rate**2 * (noise + drift) + 2 * rate * Gamma
        found.append(distance)
    return constants.L / 2 * np.asarray(found)
