"""Speed, limit and the bounds' terms of FedAvg and of FedAWARE for each α on one fixed federation, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from theory import from_spectra, simulate
from theory.quantities import chi_square, pareto_gap, realised_gamma
from theory.rules import MinNorm, Proportional, WithMemory

__all__ = ["ALPHAS", "tradeoffs"]

ALPHAS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_LOCAL, _ROUNDS, _LEVEL = 5, 400, 0.01
_SPECTRUM = np.asarray([[2.0, 0.5], [0.5, 2.0], [1.0, 1.0], [1.5, 0.5]])
_OPTIMUM = np.asarray([[1.0, 0.0], [-1.0, 0.5], [0.5, 1.5], [0.0, -1.0]])
_SHARE = np.asarray([0.4, 0.2, 0.2, 0.2])
_START = np.asarray([4.0, 3.0])


def tradeoffs(n_rounds: int = _ROUNDS) -> list[dict[str, Any]]:
    """One row for FedAvg (`parameter` None) and for FedAWARE at each of `ALPHAS`, all from the same start.

    Four quadratic clients in the plane, no noise, everyone present, K = 5, η_g = 1 and η_l = 1/(24LK). Each row: `name`,
    `parameter` α; `trajectory` ‖∇f(xᵗ)‖², (n_rounds + 1,); `rounds_to_level`, the first round at which it is at most a
    hundredth of its first value, None if there is none; `limit`, its last value; `bound_speed`, the term
    2(f(x⁰) − f(x^T))/(TKη), and `bound_error`, all the rest of (10) for FedAvg and of (16) for FedAWARE with
    β = (1 − α)², the realised γ and the realised means of χ² and of ρ(λ̃) = ‖Σλ̃ᵢgᵢ‖², fresh updates under the weights
    applied; `gamma`, that γ (it grows without bound with
    n_rounds); `chi_square` and `rho`, χ² of the weights applied and ‖dᵗ‖² in every round, (n_rounds,); `pareto_gap`, the
    least norm in the hull of the clients' gradients at the last model.

    >>> average, *aware = tradeoffs(200)
    >>> average["limit"] < min(row["limit"] for row in aware), max(row["pareto_gap"] for row in aware) < 0.1
    (True, True)
    """
    federation = from_spectra(_SPECTRUM, None, _OPTIMUM, np.zeros(4), _SHARE)
    runs: list[tuple[str, float | None, Any]] = [("FedAvg", None, Proportional())]
    runs += [("FedAWARE", a, WithMemory(MinNorm(), alpha=a, init="full-round")) for a in ALPHAS]
    return [_measured(federation, *run, n_rounds) for run in runs]


def _measured(federation: Any, name: str, alpha: float | None, rule: Any, n_rounds: int) -> dict[str, Any]:
    L = float(_SPECTRUM.max())
    eta = 1 / (24 * L * _LOCAL)
    run = simulate(
        federation,
        rule,
        start=_START,
        step_sizes=np.full(n_rounds * _LOCAL, eta),
        n_local_steps=_LOCAL,
        record=("models", "weights", "updates"),
    )
    slopes = _SPECTRUM * (run.models[:, None] - _OPTIMUM)
    gradient2 = ((_SHARE[:, None] * slopes).sum(axis=1) ** 2).sum(axis=-1)
    losses = (_SHARE * (_SPECTRUM * (run.models[[0, -1], None] - _OPTIMUM) ** 2).sum(axis=-1)).sum(axis=-1) / 2
    rho = ((run.models[1:] - run.models[:-1]) ** 2).sum(axis=-1)
    chi = chi_square(run.weights, run.share)
    gamma = float(np.max(realised_gamma(run.updates, run.weights)))
    fresh = ((run.weights[..., None] * run.updates).sum(axis=1) ** 2).sum(axis=-1)
    Psi, mean_chi = float(fresh.mean()) / (eta**2 * _LOCAL), float(chi.mean())
    factor = 1 + gamma / 4
    if alpha is not None:
        beta = (1 - alpha) ** 2
        pull = 2 * (1 + 2 * beta) * mean_chi * gamma / (eta * _LOCAL * L)
        factor = 2 * (1 + L * gamma / 8 + pull + 4 * beta * mean_chi * gamma)
    reached = np.flatnonzero(gradient2 <= _LEVEL * gradient2[0])
    return {
        "name": name,
        "parameter": alpha,
        "rounds_to_level": int(reached[0]) if len(reached) else None,
        "limit": float(gradient2[-1]),
        "bound_speed": 2 * float(losses[0] - losses[1]) / (n_rounds * _LOCAL * eta),
        "bound_error": eta * L * factor * Psi,
        "trajectory": gradient2,
        "gamma": gamma,
        "chi_square": chi,
        "rho": rho,
        "pareto_gap": float(pareto_gap(slopes[-1])),
    }
