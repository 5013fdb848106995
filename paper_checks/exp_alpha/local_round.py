"""One round of local SGD on the line: how far the clients drift apart, exactly in the mean square.

Client i is hᵢ/2·(w − mᵢ)²; its noise has mean 0 and variance σᵢ², independent over clients and steps. All start at
`start`. Step sizes: η₀ = `step` until the last step of the round, which is η₀·`late`; they stay there afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Switch,
    permuted_clients,
    units,
)

__all__ = ["DEGREES", "KEPT", "drift_family", "sampling_family"]

DEGREES = {"eta": (-1, 2), "E": (0, 0), "G2": (2, -2), "K": (0, 0)}
KEPT = Switch(
    "one weight vector a round",
    "ρᵗ is the same at every step of a round",
    lambda x: {**x, "weights": np.broadcast_to(x["weights"][:, :1], x["weights"].shape)},
)


def _locals(x: Instance, n_steps: int) -> tuple[Any, Any, Any, Any]:
    """Mean and variance of the local models after `n_steps` of the round's E, G² over the round, and the last η."""
    h, m, sigma, total = x["curvature"], x["optimum"], x["sigma"] * x["noisy"][:, None], int(x["local_steps"][0])
    mean, own = np.repeat(x["start"][:, None], h.shape[1], axis=1), np.zeros_like(h)
    second, kept = [], None
    for e in range(total):
        eta = (x["step"] * (x["late"] if e == total - 1 else 1.0))[:, None]
        if e == n_steps:
            kept = (mean, own)
        second.append(h**2 * ((mean - m) ** 2 + own) + sigma**2)
        mean, own = mean - eta * h * (mean - m), (1 - eta * h) ** 2 * own + eta**2 * sigma**2
    mean, own = kept if kept is not None else (mean, own)
    return mean, own, np.max(second, axis=(0, 2)), x["step"] * x["late"]


def local_models(x: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Means, variances and gradients' second moments of every client before each step of the round and after it."""
    h, m, E = x["curvature"], x["optimum"], int(x["local_steps"])
    clients = range(len(h))
    means, owns, seconds = [[x["start"] for i in clients]], [[Fraction(0) for i in clients]], []
    for e in range(E):
        eta = x["step"] * (x["late"] if e == E - 1 else 1)
        w, v, s = means[-1], owns[-1], [x["noisy"] * u for u in x["sigma"]]
        seconds.append([h[i] ** 2 * ((w[i] - m[i]) ** 2 + v[i]) + s[i] ** 2 for i in clients])
        means.append([w[i] - eta * h[i] * (w[i] - m[i]) for i in clients])
        owns.append([(1 - eta * h[i]) ** 2 * v[i] + eta**2 * s[i] ** 2 for i in clients])
    return means, owns, seconds


def schedule_met(x: Mapping[str, Any]) -> dict[str, bool]:
    """The step sizes: eta_0 = step until the last of E, then step * late, for ever."""
    met = {
        "eta_t <= 2 eta_(t+E) for all t >= 0": x["step"] > 0 and x["step"] <= 2 * x["step"] * x["late"],
        "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "noise of mean 0, independent": min(x["sigma"]) >= 0,
    }
    if x["rising"] > 0:
        met["eta_t non-decreasing"] = x["late"] >= 1
    else:
        met["eta_t non-increasing"] = x["late"] <= 1 or int(x["local_steps"]) == 1
    return met


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E sum_i b_i |W_bar - W_i|^2 before the last step t of the round, W_bar = sum_i a_i W_i, a = rho^t, b = rho^(t+1)."""
    E, a, b = int(x["local_steps"]), x["weights"][0], x["weights"][1]
    means, owns, seconds = local_models(x)
    w, v, clients = means[E - 1], owns[E - 1], range(len(a))
    center = sum(a[i] * w[i] for i in clients)
    noise = sum(a[i] ** 2 * v[i] for i in clients)
    left = sum(b[i] * ((w[i] - center) ** 2 + (1 - 2 * a[i]) * v[i] + noise) for i in clients)
    constants = {
        "lhs": left,
        "eta": x["step"] * x["late"],
        "E": Fraction(E),
        "G2": max(max(row) for row in seconds),
    }
    return schedule_met(x), constants


def kept_drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same with one weight vector for the round."""
    return drift_exact({**x, "weights": [x["weights"][0], x["weights"][0]]})


def sampling_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E E_s |W_tilde - W_bar|^2 after the round: (E of the mean square of V minus the square of its mean) / K."""
    E, a, K = int(x["local_steps"]), x["weights"][0], int(x["drawn"])
    means, owns, seconds = local_models(x)
    w, v, clients = means[E], owns[E], range(len(a))
    squares = sum(a[i] * (w[i] ** 2 + v[i]) for i in clients)
    square = sum(a[i] * w[i] for i in clients) ** 2 + sum(a[i] ** 2 * v[i] for i in clients)
    constants = {
        "lhs": (squares - square) / K,
        "eta": x["step"] * x["late"],
        "E": Fraction(E),
        "G2": max(max(row) for row in seconds),
        "K": Fraction(K),
    }
    return {**schedule_met(x), "K >= 1": K >= 1}, constants


def _drift(x: Instance) -> Mapping[str, Any]:
    a, b = x["weights"][:, 0], x["weights"][:, 1]
    mean, own, g2, eta = _locals(x, int(x["local_steps"][0]) - 1)
    # About the start, so that nothing cancels: the start is common.
    moved = mean - x["start"][:, None]
    apart = moved - (a * moved).sum(axis=1, keepdims=True)
    spread = own * (1 - 2 * a) + (a**2 * own).sum(axis=1, keepdims=True)
    return {
        "lhs": (b * (apart**2 + spread)).sum(axis=1),
        "eta": eta,
        "E": x["local_steps"],
        "G2": g2,
        "magnitude": x["start"] ** 2 + (x["optimum"] ** 2).max(axis=1),
    }


def _sampled(x: Instance) -> Mapping[str, Any]:
    a = x["weights"][:, 0]
    mean, own, g2, eta = _locals(x, int(x["local_steps"][0]))
    apart = mean - (a * mean).sum(axis=1, keepdims=True)
    spread = own * (1 - a)
    return {
        "lhs": (a * (apart**2 + spread)).sum(axis=1) / x["drawn"],
        "eta": eta,
        "E": x["local_steps"],
        "G2": g2,
        "K": x["drawn"],
        "magnitude": x["start"] ** 2 + (x["optimum"] ** 2).max(axis=1),
    }


def _space(N: float, E: float, *, rising: bool, extra: tuple[Any, ...]) -> Space:
    late = LogScale("late", 1.0, 2.0, at=(1.0, 2.0)) if rising else LogScale("late", 0.5, 1.0, at=(0.5, 1.0))
    return Space(
        (
            LogScale("curvature", 1e-4, 1e1, (int(N),), at=(1e-4, 1.0)),
            Signed("optimum", 1e-2, 1e4, (int(N),)),
            Signed("start", 1e-2, 1e2),
            LogScale("sigma", 1e-2, 1e2, (int(N),), at=(1.0,)),
            Simplex("weights", int(N), (2,)),
            LogScale("step", 1e-4, 1.0, at=(1e-4, 0.1)),
            late,
            Choice("noisy", (0.0, 1.0)),
            Choice("local_steps", (float(E),)),
            Choice("rising", (float(rising),)),
            *extra,
        )
    )


_UNITS = units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1), "step": (-1, 2)})
_NAMES = permuted_clients({"curvature": 0, "optimum": 0, "sigma": 0, "weights": 1})


def _cost(N: float, E: float) -> float:
    return max(1.5, N * E / 60)


def drift_family(*, rising: bool, kept: bool, most: int = 300) -> Family:
    """Lemma 3 at the last step of a round: step sizes that rise or fall, one weight vector a round or any."""
    words = f"η {'rises' if rising else 'falls'}, {'one weight vector a round' if kept else 'weights free'}"

    def at(N: float, E: float) -> Case:
        measure: Callable[[Instance], Mapping[str, Any]] = (lambda x: _drift(KEPT.project(x))) if kept else _drift
        uses = (local_models, schedule_met)
        exact = ExactCheck(kept_drift_exact, (*uses, drift_exact)) if kept else ExactCheck(drift_exact, uses)
        name = f"{int(N)} clients, E = {int(E)}, {words}"
        drawn = _space(N, E, rising=rising, extra=())
        return Case(name, drawn, measure, exact, cost=_cost(N, E), symmetries=(_UNITS, _NAMES))

    return Family(words, (Size("N", 1, min(300, most), 2), Size("E", 1, most, min(8, most))), at)


def sampling_family(most: int = 300) -> Family:
    """Lemma 5 at the end of a round: K clients drawn, weights and step sizes fixed in advance."""

    def at(N: float, E: float) -> Case:
        drawn = _space(N, E, rising=False, extra=(Choice("drawn", (1.0, 2.0, 5.0, 10.0, 100.0)),))
        exact = ExactCheck(sampling_exact, (local_models, schedule_met))
        name = f"{int(N)} clients, E = {int(E)}, K drawn with replacement"
        return Case(name, drawn, _sampled, exact, cost=_cost(N, E), symmetries=(_UNITS, _NAMES))

    return Family("K clients drawn", (Size("N", 1, min(300, most), 2), Size("E", 1, most, min(8, most))), at)
