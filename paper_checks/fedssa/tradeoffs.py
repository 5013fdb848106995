"""Rounds to a level, limit and the bound's terms along paths of weights from p to concentrated ones, as plain data.

Four quadratic clients in the plane, alike in shape, a target that is mostly client 1's distribution, constant steps with
noise; E‖∇F‖² at every round start by exact moments, so that nothing is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.quantities import (
    drift_bias_term,
    drift_constant,
    drift_noise_term,
    ssa_denominator,
    start_term,
    target_mismatch_term,
    weight_discrepancy,
    weighted_noise_term,
)

__all__ = ["discrepancies", "tradeoffs"]

Float = NDArray[np.float64]

_TARGET = np.asarray([0.7, 0.1, 0.1, 0.1])
_SPECTRUM = np.asarray([[1.0, 0.9], [0.9, 1.0], [1.0, 1.0], [0.95, 0.9]])
_OPTIMUM = np.asarray([[1.0, 0.0], [0.0, 0.6], [-0.5, 0.0], [0.4, -0.8]])
_START = np.asarray([5.0, -4.0])
_LOCAL, _RATE, _NOISE, _ROUNDS, _LEVEL = 2, 0.02, 1.0, 600, 0.02
_PATHS = (
    ("towards equal weights", np.full(4, 0.25)),
    ("towards client 1 alone", np.asarray([1.0, 0.0, 0.0, 0.0])),
    ("towards client 2 alone", np.asarray([0.0, 1.0, 0.0, 0.0])),
)
_MIX = (0.1, 0.2, 0.4, 0.7, 1.0)


def discrepancies() -> dict[str, float]:
    """W_D of equal weights (FedAvg with equal data sizes) for targets of the paper; the bound needs W_D < 1.

    K = 5 clients with a fifth of the classes each (NIID-1), pₖ the share of a client's classes in the target: Skew (client 1
    alone), Uniform, and Imb-ρ with n_c ∝ ρ^(−(c−1)/(C−1)), C = 10, consecutive classes; then Skew for the paper's other K.

    >>> {k: round(v, 2) for k, v in discrepancies().items() if "K = 5," in k}
    {'Skew, K = 5, C = 10': 8.0, 'Uniform, K = 5, C = 10': 0.0, 'Imb-100, K = 5, C = 10': 2.77, 'Imb-50, K = 5, C = 10': 2.2}
    """
    found = {}
    equal, ranks = np.full(5, 0.2), np.arange(10) / 9
    targets = {"Skew": np.eye(5)[0], "Uniform": equal}
    for ratio in (100, 50):
        counts = ratio**-ranks
        targets[f"Imb-{ratio}"] = counts.reshape(5, 2).sum(axis=1) / counts.sum()
    for name, target in targets.items():
        found[f"{name}, K = 5, C = 10"] = float(weight_discrepancy(equal, target))
    for K in (10, 20, 30, 50):
        found[f"Skew, K = {K}"] = float(weight_discrepancy(np.full(K, 1 / K), np.eye(K)[0]))
    return found


def tradeoffs(n_rounds: int = _ROUNDS) -> list[dict[str, Any]]:
    """One row for w = p (`parameter` 0) and for each path and mix w = p + s(v − p), `parameter` s.

    Each row: `name`; `parameter`; `weights`; `trajectory` E‖∇F‖² at every round start and at the end, (n_rounds + 1,);
    `rounds_to_level`, the first round at which it is at most a fiftieth of its first value, None if there is none; `limit`, its
    last value; `W_D`; `A` and `B`, a frontier of admissible pairs; `bound_speed` T₁/D and `bound_error`
    (T₂ + … + T₅)/D of Theorem A.5 as printed at the pair with the least sum, None where every denominator D is <= 0;
    `W_D_paper`, `discrepancies()`.

    >>> first, *rest = tradeoffs(100)
    >>> first["W_D"], first["rounds_to_level"] is not None, len(rest)
    (0.0, True, 15)
    >>> [(row["name"], row["parameter"]) for row in rest if row["bound_speed"] is None and row["parameter"] < 0.7]
    [('towards client 2 alone', 0.4)]
    """
    rows = [_measured("w = p", 0.0, _TARGET, n_rounds)]
    for name, end in _PATHS:
        rows += [_measured(name, s, _TARGET + s * (end - _TARGET), n_rounds) for s in _MIX]
    return rows


def _frontier() -> tuple[Float, Float]:
    """A = (1 + 1/s)·max‖HₖH⁻¹‖² and B = (1 + s)·max‖∇Fₖ(x*)‖² for 0.02 <= s <= 50; axes are common to all clients."""
    mean = _TARGET @ _SPECTRUM
    best = _TARGET @ (_SPECTRUM * _OPTIMUM) / mean
    s = np.geomspace(0.02, 50.0, 41)
    pull = ((_SPECTRUM * (best - _OPTIMUM)) ** 2).sum(axis=1).max()
    return (1 + 1 / s) * float(((_SPECTRUM / mean) ** 2).max()), (1 + s) * float(pull)


def _trajectory(weights: Float, n_rounds: int) -> Float:
    """E‖∇F‖² at every round start and at the end, axis by axis; the noise has variance σ²/2 on each axis."""
    mean = _TARGET @ _SPECTRUM
    best = _TARGET @ (_SPECTRUM * _OPTIMUM) / mean
    shrink = 1 - _RATE * _SPECTRUM
    keep = shrink**_LOCAL
    own = _RATE**2 * _NOISE / 2 * sum(shrink ** (2 * e) for e in range(_LOCAL))
    jump, fixed, fresh = weights @ keep, weights @ ((1 - keep) * _OPTIMUM), weights**2 @ own
    model, spread, found = _START, np.zeros(2), []
    for _ in range(n_rounds + 1):
        found.append(float((mean**2 * ((model - best) ** 2 + spread)).sum()))
        model, spread = jump * model + fixed, jump**2 * spread + fresh
    return np.asarray(found)


def _measured(name: str, parameter: float, weights: Float, n_rounds: int) -> dict[str, Any]:
    mean, L, sigma = _TARGET @ _SPECTRUM, float(_SPECTRUM.max()), float(np.sqrt(_NOISE))
    best = _TARGET @ (_SPECTRUM * _OPTIMUM) / mean
    gap = float((mean * (_START - best) ** 2).sum()) / 2
    C = drift_constant(n_local_steps=_LOCAL, local_lr=_RATE, L=L)
    W_D = float(weight_discrepancy(weights, _TARGET))
    A, B = _frontier()
    speed = start_term(start_gap=gap, drift=C, n_local_steps=_LOCAL, local_lr=_RATE, n_rounds=n_rounds)
    error = target_mismatch_term(discrepancy=W_D, drift=C, B=B) + drift_bias_term(drift=C, B=B)
    error = error + weighted_noise_term(weights, drift=C, L=L, local_lr=_RATE, sigma=sigma)
    error = error + drift_noise_term(n_local_steps=_LOCAL, sigma=sigma, L=L, local_lr=_RATE)
    below = np.asarray(ssa_denominator(drift=C, discrepancy=W_D, A=A))
    safe = np.where(below > 0, below, 1.0)
    chosen = int(np.argmin(np.where(below > 0, (speed + error) / safe, np.inf)))
    useful, trajectory = bool(below[chosen] > 0), _trajectory(weights, n_rounds)
    reached = np.flatnonzero(trajectory <= _LEVEL * trajectory[0])
    return {
        "name": name,
        "parameter": parameter,
        "weights": weights,
        "rounds_to_level": int(reached[0]) if len(reached) else None,
        "limit": float(trajectory[-1]),
        "bound_speed": float(speed / below[chosen]) if useful else None,
        "bound_error": float(error[chosen] / below[chosen]) if useful else None,
        "trajectory": trajectory,
        "A": A,
        "B": B,
        "W_D": W_D,
        "W_D_paper": discrepancies(),
    }
