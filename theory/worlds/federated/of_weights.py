"""Letters of the weights: how far they are from the shares, and what they do to noise and to F* − ΣaF_k*."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theory.worlds.federated.fast_run import Runs
from theory.worlds.federated.letter import Letter
from theory.worlds.federated.options import FIXED, WHOLE

__all__ = ["LETTERS"]

Run = Mapping[str, Any]


def noise_of(run: Run) -> Any:
    return max(sum((w * s) ** 2 for w, s in zip(row, run["sigma"], strict=True)) for row in run["possible"])


def W_D_of(run: Run) -> Any:
    return max(2 * len(row) * sum((w - q) ** 2 for w, q in zip(row, run["p"], strict=True)) for row in run["possible"])


def chi2_of(run: Run) -> Any:
    if min(run["p"]) <= 0:
        return None
    return max(sum((w - q) ** 2 / q for w, q in zip(row, run["p"], strict=True)) for row in run["possible"])


def square_weights_of(run: Run) -> Any:
    return max(sum(w * w for w in row) for row in run["possible"])


def Gamma_of(run: Run) -> Any:
    best, largest = run["best"], None
    for row in run["possible"]:
        total = 0
        for weight, curvatures, optimum in zip(row, run["h"], run["m"], strict=True):
            total += weight * sum(h * (w - v) ** 2 for h, w, v in zip(curvatures, best, optimum, strict=True)) / 2
        largest = total if largest is None else max(largest, total)
    return largest


def Gamma_less_of(run: Run) -> Any:
    rows = run["rows"][: -run["E"]]
    return Gamma_of({**run, "possible": rows}) if rows else None


def Gamma_a_of(run: Run) -> Any:
    row, total = run["rows"][-1], 0
    for j in range(len(run["best"])):
        pairs = [(w * c[j], o[j]) for w, c, o in zip(row, run["h"], run["m"], strict=True)]
        whole = sum(bent for bent, _ in pairs)
        if whole <= 0:
            return None
        rest = sum(bent * optimum for bent, optimum in pairs) / whole
        total += sum(bent * (rest - optimum) ** 2 for bent, optimum in pairs) / 2
    return total


def rho_best_of(run: Run) -> Any:
    below, largest = 0, None
    for q, curvatures, optimum in zip(run["p"], run["h"], run["m"], strict=True):
        below += q * sum(h * (w - v) ** 2 for h, w, v in zip(curvatures, run["best"], optimum, strict=True))
    if below <= 0:
        return None
    for row in run["possible"]:
        above = 0
        for weight, curvatures, optimum in zip(row, run["h"], run["m"], strict=True):
            above += weight * sum(h * (w - v) ** 2 for h, w, v in zip(curvatures, run["best"], optimum, strict=True))
        largest = above / below if largest is None else max(largest, above / below)
    return largest


def _most(of_each: Any) -> Any:
    """The largest over all steps of a sum over clients; `of_each` (N, steps, rounds, n)."""
    return np.asarray(of_each.sum(axis=0).max(axis=(0, 1)))


def _a(r: Runs) -> Any:
    return r.possible[:, 0]


def _p(r: Runs) -> Any:
    return r.p[:, None, None]


def _apart(r: Runs) -> Any:
    """F_k(w*) − F_k*, (N, 1, 1, n)."""
    return 0.5 * (r.h * r.u**2).sum(axis=1)[:, None, None]


def _Gamma_less(r: Runs) -> Any:
    a, R = _a(r), r.options.R
    return np.nan if R == 1 else _most(_apart(r) * (a if a.shape[2] == 1 else a[:, :, :-1]))


def _Gamma_a(r: Runs) -> Any:
    a = r.a[:, :, -1, -1]
    rest = (a * r.h * r.u).sum(axis=0) / (a * r.h).sum(axis=0)
    return np.where(
        ((a * r.h).sum(axis=0) > 0).all(axis=0), 0.5 * (a * r.h * (rest - r.u) ** 2).sum(axis=(0, 1)), np.nan
    )


def _rho_best(r: Runs) -> Any:
    below = 0.5 * (r.p[:, None] * r.h * r.u**2).sum(axis=(0, 1))
    return _most(_a(r) * _apart(r)) / np.where(below > 0, below, np.nan)


LETTERS = (
    Letter(
        "noise",
        r"\max_t\sum_ia_i^2\sigma_i^2",
        "largest variance of the weighted stochastic gradient",
        (2, -2),
        lambda r: _most(_a(r) ** 2 * r.s2[:, None, None]),
        noise_of,
        "nonnegative",
        "Exp-α, Theorem 1",
    ),
    Letter(
        "Gamma",
        r"\Gamma",
        "max_t Σa_i(F_i(w*) − F_i*)",
        (1, 0),
        lambda r: _most(_a(r) * _apart(r)),
        Gamma_of,
        "",
        "Exp-α, Theorem 1",
    ),
    Letter(
        "Gamma_less",
        r"\Gamma",
        "Γ of the rounds before the last",
        (1, 0),
        _Gamma_less,
        Gamma_less_of,
        needs=(WHOLE, FIXED),
    ),
    Letter(
        "Gamma_a",
        r"\Gamma_a",
        "min_w Σa_i(F_i(w) − F_i*) with the last weights",
        (1, 0),
        _Gamma_a,
        Gamma_a_of,
        "",
        "Wang et al. 2020, of the surrogate objective",
        (FIXED,),
    ),
    Letter(
        "W_D",
        "W_D",
        "largest 2N·Σ(a_i − p_i)²",
        (0, 0),
        lambda r: 2 * r.numbers["N"] * _most((_a(r) - _p(r)) ** 2),
        W_D_of,
        "nonnegative",
        "FedSSA, Theorem A.5",
    ),
    Letter(
        "chi2",
        r"\chi^2_{a\|p}",
        "largest Σ(a_i − p_i)²/p_i",
        (0, 0),
        lambda r: _most((_a(r) - _p(r)) ** 2 / np.where(_p(r) > 0, _p(r), np.nan)),
        chi2_of,
        "nonnegative",
        "Wang et al. 2020, Theorem 2, with p in the denominator",
    ),
    Letter(
        "square_weights",
        r"\sum_ia_i^2",
        "largest sum of squared weights",
        (0, 0),
        lambda r: _most(_a(r) ** 2),
        square_weights_of,
        "positive",
    ),
    Letter(
        "rho_best",
        r"\tilde\rho",
        "largest skew Σa_i(F_i(w*) − F_i*)/Σp_i(F_i(w*) − F_i*)",
        (0, 0),
        _rho_best,
        rho_best_of,
        "nonnegative",
        "Cho et al. 2020, eq. (8)",
    ),
)
