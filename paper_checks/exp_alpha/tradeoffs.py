"""Speed, limit and the bound's two terms for each aggregation strategy on one fixed federation, as plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory import from_spectra, global_loss, simulate
from theory.quantities import greatest_excess_at_optimum, least_excess_at_model
from theory.rules import ExpAlpha, Proportional, Rule

__all__ = ["ALPHAS", "tradeoffs"]

Float = NDArray[np.float64]

ALPHAS = (0.005, 0.02, 0.05, 0.2, 1.0, 5.0, 25.0)
_LOCAL, _ROUNDS, _LEVEL = 2, 600, 0.1


def _federation(outlier: float) -> Any:
    """Four clients near (1, 0) and one at (−`outlier`, 0), curvatures between 1 and 2, equal shares."""
    spectra = np.asarray([[1.0, 2.0], [1.2, 1.5], [1.5, 1.2], [2.0, 1.0], [1.5, 1.5]])
    centers = np.asarray([[1.0, 0.2], [1.1, -0.2], [0.9, 0.1], [1.0, -0.1], [-outlier, 0.0]])
    return from_spectra(spectra, None, centers, np.zeros(5), np.full(5, 0.2))


def tradeoffs(outlier: float = 1.5, n_rounds: int = _ROUNDS) -> list[dict[str, Any]]:
    """One entry for proportional weights (`parameter` None) and for Exp-α at each of `ALPHAS`, all from W⁰ = 0.

    Noiseless, E = 2, the steps of A.9 (EA-D8), full participation. Each entry: `name`, `parameter` α;
    `rounds_to_level`, the first round with F(W^T) − F* at most a tenth of its first value, None if there is none;
    `limit`, the gap after the last round; `bound_speed` and `bound_error`, the vanishing and the non-vanishing term of
    Theorem 1 at that horizon, weights of a round taken for all its steps; `trajectory` F(W^T) − F*, (n_rounds + 1,).
    As these steps shrink so do the loss changes of a round, Exp-α's weights tend to equal ones, and its error fades,
    sooner for larger α, though the non-vanishing term stays.

    >>> first, second, *_ = tradeoffs()
    >>> first["name"], first["rounds_to_level"] > second["rounds_to_level"], first["limit"] < second["limit"]
    ('proportional', True, True)
    """
    federation = _federation(outlier)
    strategies: list[tuple[str, float | None, Rule]] = [("proportional", None, Proportional())]
    strategies += [("Exp-α", a, ExpAlpha(alpha=a)) for a in ALPHAS]
    return [_measured(federation, *s, n_rounds) for s in strategies]


def _measured(federation: Any, name: str, parameter: float | None, rule: Rule, n_rounds: int) -> dict[str, Any]:
    constants = federation.constants()
    mu, L = float(constants.mu), float(constants.L)
    gamma, n_steps = max(8 * L / mu, _LOCAL) - 1, n_rounds * _LOCAL
    run = simulate(
        federation,
        rule,
        start=np.zeros(2),
        step_sizes=2 / (mu * (gamma + np.arange(n_steps))),
        n_local_steps=_LOCAL,
        record=("models", "weights", "step_losses", "gradients"),
    )
    best = federation.optimum()
    gaps: Float = np.asarray(global_loss(federation, run.models) - global_loss(federation, best))
    each = np.repeat(run.weights, _LOCAL, axis=0)
    omega = float(least_excess_at_model(each, run.step_losses[:-1], federation.floor))
    Gamma = float(greatest_excess_at_optimum(run.weights, federation.losses(best[None, :]), federation.floor))
    B_bar = 8 * (_LOCAL - 1) * float(run.gradients.max()) + 6 * L * omega
    reached = np.flatnonzero(gaps <= _LEVEL * gaps[0])
    return {
        "name": name,
        "parameter": parameter,
        "rounds_to_level": int(reached[0]) if len(reached) else None,
        "limit": float(gaps[-1]),
        "bound_speed": L / (gamma + n_steps) * (2 * B_bar / mu**2 + gamma / 2 * float((best**2).sum())),
        "bound_error": L / mu * (Gamma - omega),
        "trajectory": gaps,
    }
