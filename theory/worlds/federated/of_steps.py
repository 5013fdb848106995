"""Letters of the models inside of rounds: second moments of gradients, drift, the weighted excess over the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theory.worlds.federated.fast_run import Array, Runs
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import FIXED, WHOLE, WITHIN

__all__ = ["LETTERS"]

Run = Mapping[str, Any]


def G2_of(run: Run) -> Any:
    largest = 0
    for before, _ in run["locals"]:
        for curvatures, optimum, at, sigma in zip(run["h"], run["m"], before, run["sigma"], strict=True):
            total = sigma * sigma
            for h, v, (first, second) in zip(curvatures, optimum, at, strict=True):
                total += h**2 * (second - 2 * v * first + v * v)
            largest = max(largest, total)
    return largest


def G2_ball_of(run: Run) -> Any:
    far, best = 0, run["best"]
    for optimum in run["m"]:
        far = max(far, sum((v - w) ** 2 for v, w in zip(optimum, best, strict=True)))
    for first, _ in run["models"]:
        far = max(far, sum((a - w) ** 2 for a, w in zip(first, best, strict=True)))
    largest = 0
    for curvatures, optimum, sigma in zip(run["h"], run["m"], run["sigma"], strict=True):
        away = sum((v - w) ** 2 for v, w in zip(optimum, best, strict=True))
        largest = max(largest, 2 * max(h * h for h in curvatures) * (away + far) + sigma * sigma)
    return largest


def drift_of(run: Run) -> Any:
    largest = 0
    for row, (_, after), (_, square) in zip(run["rows"], run["locals"], run["virtual"], strict=True):
        each = sum(weight * sum(second for _, second in at) for weight, at in zip(row, after, strict=True))
        largest = max(largest, each - sum(square))
    return largest


def weighted_excess_at(run: Run, row: Any, first: Any, second: Any) -> Any:
    """Σa_i E(F_i(w) − F_i*) at a model of given first and second moments."""
    total = 0
    for weight, curvatures, optimum in zip(row, run["h"], run["m"], strict=True):
        for h, v, a, b in zip(curvatures, optimum, first, second, strict=True):
            total += weight * h * (b - 2 * v * a + v * v)
    return total / 2


def Omega_of(run: Run) -> Any:
    least = None
    for row, (first, second) in zip(run["rows"], run["models"][:-1], strict=True):
        found = weighted_excess_at(run, row, first, second)
        least = found if least is None else min(least, found)
    return least


def Omega_less_of(run: Run) -> Any:
    before = len(run["rows"]) - run["E"]
    return Omega_of({**run, "rows": run["rows"][:before], "models": run["models"][: before + 1]})


def Omega_all_of(run: Run) -> Any:
    row, rest = run["rows"][-1], []
    for j in range(len(run["best"])):
        bent = sum(weight * c[j] for weight, c in zip(row, run["h"], strict=True))
        if bent <= 0:
            return None
        rest.append(sum(weight * c[j] * o[j] for weight, c, o in zip(row, run["h"], run["m"], strict=True)) / bent)
    least = weighted_excess_at(run, row, rest, [w * w for w in rest])
    for row, (first, second) in zip(run["rows"], run["models"][:-1], strict=True):
        least = min(least, weighted_excess_at(run, row, first, second))
    return least


def _wide(values: Array) -> Any:
    """(N, d, n) beside the steps of all rounds."""
    return values[:, :, None, None]


def _done(r: Runs, values: Array, fill: float) -> Array:
    """(…, E, R, n) with `fill` at the steps of the last round that are not done."""
    if not r.options.short:
        return values
    values = np.array(values)
    values[..., -r.options.short :, -1, :] = fill
    return values


def _G2(r: Runs) -> Any:
    assert r.carried is not None
    assert r.own is not None
    C, V = r.carried[:, :, :-1], r.own[:, :, :-1]
    y, f = r.center[:, None, :-1], r.full[:, None, :-1]
    away = C * (y - _wide(r.u))
    seconds = (_wide(r.h) ** 2 * (away**2 + C**2 * f + V)).sum(axis=1) + r.s2[:, None, None]
    return _done(r, seconds, 0.0).max(axis=(0, 1, 2))


def _G2_ball(r: Runs) -> Any:
    assert r.mid is not None
    away = (r.u**2).sum(axis=1)
    far = np.maximum(away.max(axis=0), (r.center**2).sum(axis=0).max(axis=0))
    far = np.maximum(far, (r.mid[:, :-1] ** 2).sum(axis=0).max(axis=(0, 1)))
    return (2 * (r.h**2).max(axis=1) * (away + far) + r.s2).max(axis=0)


def _drift(r: Runs) -> Any:
    assert r.carried is not None
    assert r.own is not None
    assert r.mid is not None
    assert r.around is not None
    y, f, C = r.center[:, None, :-1], r.full[:, None, :-1], r.carried[:, :, 1:]
    u, whole = _wide(r.u), (r.a * C).sum(axis=0)
    apart = (r.a * (u + C * (y - u) - r.mid[:, 1:]) ** 2).sum(axis=0) + (r.a * (C - whole) ** 2).sum(axis=0) * f
    fresh = r.around[:, 1:] - whole**2 * f
    return (apart + (r.a * r.own[:, :, 1:]).sum(axis=0) - fresh).sum(axis=0).max(axis=(0, 1))


def _weighted(r: Runs) -> Array:
    """Σa_iE(F_i(w̄_t) − F_i*) before every step, (E, R, n)."""
    assert r.mid is not None
    assert r.around is not None
    y, f = np.array(r.mid[:, :-1]), np.array(r.around[:, :-1])
    y[:, 0], f[:, 0] = r.center[:, :-1], r.full[:, :-1]
    return np.asarray(0.5 * (r.a * _wide(r.h) * ((y - _wide(r.u)) ** 2 + f)).sum(axis=(0, 1)))


def _Omega(r: Runs) -> Any:
    return _done(r, _weighted(r), np.inf).min(axis=(0, 1))


def _Omega_less(r: Runs) -> Any:
    return _weighted(r)[:, :-1].min(axis=(0, 1)) if r.options.R > 1 else np.nan


def _Omega_all(r: Runs) -> Any:
    a = r.a[:, :, -1, -1]
    bent = (a * r.h).sum(axis=0)
    rest = (a * r.h * r.u).sum(axis=0) / np.where(bent > 0, bent, np.nan)
    return np.minimum(_Omega(r), 0.5 * (a * r.h * (rest - r.u) ** 2).sum(axis=(0, 1)))


LETTERS = (
    Letter(
        "G2",
        "G^2",
        "largest second moment of a stochastic gradient at the points visited",
        (2, -2),
        _G2,
        G2_of,
        "nonnegative",
        "Li et al. 2020, Assumption 4",
        (WITHIN,),
    ),
    Letter(
        "G2_ball",
        "G^2",
        "at least that on a ball around w* that holds all mean models and the clients' optima",
        (2, -2),
        _G2_ball,
        G2_ball_of,
        "nonnegative",
        needs=(WITHIN, WHOLE),
    ),
    Letter(
        "drift",
        r"\max\mathbb E\sum_ia_i\|w_i-\bar w\|^2",
        "largest weighted drift of the clients after a local step",
        (0, 2),
        _drift,
        drift_of,
        "nonnegative",
        "Li et al. 2020, Lemma 3",
        (WITHIN, WHOLE, FIXED),
    ),
    Letter(
        "Omega",
        r"\Omega",
        "least Σa_iE(F_i(w̄_t) − F_i*) before a local step of the run",
        (1, 0),
        _Omega,
        Omega_of,
        "",
        "Exp-α, Theorem 1",
        (WITHIN,),
    ),
    Letter(
        "Omega_less",
        r"\Omega",
        "Ω of the rounds before the last",
        (1, 0),
        _Omega_less,
        Omega_less_of,
        needs=(WITHIN, WHOLE, FIXED),
    ),
    Letter(
        "Omega_all",
        r"\Omega",
        "the lesser of that and its least value anywhere with the last weights",
        (1, 0),
        _Omega_all,
        Omega_all_of,
        "",
        needs=(WITHIN, FIXED),
    ),
)
