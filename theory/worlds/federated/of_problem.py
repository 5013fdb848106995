"""Letters of the problem alone: curvatures, noise, heterogeneity at the optimum; each once fast and once exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from theory.worlds.federated.fast_run import Runs
from theory.worlds.federated.letter import Letter

__all__ = ["LETTERS"]

Run = Mapping[str, Any]


def _number(r: Runs, name: str) -> Any:
    return r.numbers[name]


def _eta(r: Runs) -> Any:
    return r.eta[min(r.options.E - 1 - r.options.short, len(r.eta) - 1), -1]


def mu_of(run: Run) -> Any:
    return run["numbers"]["mu"]


def L_of(run: Run) -> Any:
    return run["numbers"]["L"]


def kappa_of(run: Run) -> Any:
    return run["numbers"]["L"] / run["numbers"]["mu"] if run["numbers"]["mu"] > 0 else None


def T_of(run: Run) -> Any:
    return run["numbers"]["T"]


def E_of(run: Run) -> Any:
    return run["numbers"]["E"]


def R_of(run: Run) -> Any:
    return run["numbers"]["R"]


def N_of(run: Run) -> Any:
    return run["numbers"]["N"]


def K_of(run: Run) -> Any:
    return run["numbers"]["K"]


def q_of(run: Run) -> Any:
    return run["numbers"]["q"]


def eta_of(run: Run) -> Any:
    return run["etas"][-1]


def eta0_of(run: Run) -> Any:
    return run["etas"][0]


def sigma2_of(run: Run) -> Any:
    return max(s * s for s in run["sigma"])


def noise_p_of(run: Run) -> Any:
    return sum((q * s) ** 2 for q, s in zip(run["p"], run["sigma"], strict=True))


def Gamma_p_of(run: Run) -> Any:
    total = 0
    for q, curvatures, optimum in zip(run["p"], run["h"], run["m"], strict=True):
        total += q * sum(h * (w - v) ** 2 for h, w, v in zip(curvatures, run["best"], optimum, strict=True))
    return total / 2


def zeta2_of(run: Run) -> Any:
    best, total = run["best"], 0
    for q, curvatures, optimum in zip(run["p"], run["h"], run["m"], strict=True):
        total += q * sum((h * (w - v)) ** 2 for h, w, v in zip(curvatures, best, optimum, strict=True))
    return total


def zeta2_max_of(run: Run) -> Any:
    best = run["best"]
    return max(
        sum((h * (w - v)) ** 2 for h, w, v in zip(c, best, o, strict=True))
        for c, o in zip(run["h"], run["m"], strict=False)
    )


def p2_of(run: Run) -> Any:
    return sum(q * q for q in run["p"])


def A_of(run: Run) -> Any:
    least = max((h / H) ** 2 for c in run["h"] for h, H in zip(c, run["H"], strict=True)) if min(run["H"]) > 0 else 1
    return least * (1 + run["x"]["slack"])


def B_of(run: Run) -> Any:
    if min(run["H"]) <= 0:
        return None
    A = max((h / H) ** 2 for c in run["h"] for h, H in zip(c, run["H"], strict=True)) * (1 + run["x"]["slack"])
    largest = 0
    for curvatures, optimum in zip(run["h"], run["m"], strict=True):
        total = 0
        for h, H, w, v in zip(curvatures, run["H"], run["best"], optimum, strict=True):
            total += (h * (w - v)) ** 2 * A / (A - (h / H) ** 2)
        largest = max(largest, total)
    return largest + run["x"]["extra"]


def _A(r: Runs) -> Any:
    return ((r.h / np.where(r.H > 0, r.H, np.nan)) ** 2).max(axis=(0, 1)) * (1 + r.numbers["slack"])


def _B(r: Runs) -> Any:
    A, lean = _A(r), (r.h / np.where(r.H > 0, r.H, np.nan)) ** 2
    return ((r.h * r.u) ** 2 * A / (A - lean)).sum(axis=1).max(axis=0) + r.numbers["extra"]


def _squares(r: Runs) -> Any:
    return ((r.h * r.u) ** 2).sum(axis=1)


_FL = "Li et al. 2020, Assumptions 1 to 3"
_ALIKE = "Karimireddy et al. 2020, (A1)"

LETTERS = (
    Letter("mu", r"\mu", "least curvature of a client", (1, -2), lambda r: _number(r, "mu"), mu_of, "positive", _FL),
    Letter("L", "L", "largest size of a client's curvature", (1, -2), lambda r: _number(r, "L"), L_of, "positive", _FL),
    Letter("kappa", r"\kappa", "L/μ", (0, 0), lambda r: _number(r, "L") / _number(r, "mu"), kappa_of, "positive", _FL),
    Letter("T", "T", "local steps of the run", (0, 0), lambda r: _number(r, "T"), T_of, "positive", _FL),
    Letter(
        "E", "E", "local steps a round, the most of any client", (0, 0), lambda r: _number(r, "E"), E_of, "positive"
    ),
    Letter("R", "R", "rounds", (0, 0), lambda r: _number(r, "R"), R_of, "positive"),
    Letter("N", "N", "clients", (0, 0), lambda r: _number(r, "N"), N_of, "positive"),
    Letter("K", "K", "clients drawn a round", (0, 0), lambda r: _number(r, "K"), K_of, "positive", "schemes I and II"),
    Letter("q", "q", "least chance of a client to be present", (0, 0), lambda r: _number(r, "q"), q_of, "positive"),
    Letter("eta", r"\eta", "size of the last local step", (-1, 2), _eta, eta_of, "positive"),
    Letter("eta0", r"\eta_0", "size of the first local step", (-1, 2), lambda r: r.eta[0, 0], eta0_of, "positive"),
    Letter(
        "sigma2",
        r"\sigma^2",
        "largest variance of a client's stochastic gradient",
        (2, -2),
        lambda r: r.s2.max(axis=0),
        sigma2_of,
        "nonnegative",
        _FL,
    ),
    Letter(
        "noise_p",
        r"\sum_kp_k^2\sigma_k^2",
        "variance of the mean stochastic gradient, by shares",
        (2, -2),
        lambda r: (r.p**2 * r.s2).sum(axis=0),
        noise_p_of,
        "nonnegative",
        "Li et al. 2020, Theorem 1",
    ),
    Letter(
        "Gamma_p",
        r"\Gamma",
        "F* − Σp_kF_k*",
        (1, 0),
        lambda r: 0.5 * (r.p[:, None] * r.h * r.u**2).sum(axis=(0, 1)),
        Gamma_p_of,
        "",
        "Li et al. 2020, Sec. 3",
    ),
    Letter(
        "zeta2",
        r"\zeta_*^2",
        "Σp_k‖∇F_k(w*)‖²",
        (2, -2),
        lambda r: (r.p * _squares(r)).sum(axis=0),
        zeta2_of,
        "nonnegative",
        "Koloskova et al. 2020, Assumption 3a",
    ),
    Letter(
        "zeta2_max",
        r"\max_k\|\nabla F_k(w^*)\|^2",
        "largest squared gradient of a client at w*",
        (2, -2),
        lambda r: _squares(r).max(axis=0),
        zeta2_max_of,
        "nonnegative",
    ),
    Letter(
        "p2", r"\sum_kp_k^2", "sum of the squared shares", (0, 0), lambda r: (r.p**2).sum(axis=0), p2_of, "positive"
    ),
    Letter(
        "A",
        "A",
        "factor of ‖∇F_k‖² <= A‖∇F‖² + B everywhere",
        (0, 0),
        _A,
        A_of,
        "positive",
        _ALIKE,
        drawn=("slack", "extra"),
    ),
    Letter(
        "B",
        "B",
        "constant of ‖∇F_k‖² <= A‖∇F‖² + B",
        (2, -2),
        _B,
        B_of,
        "nonnegative",
        _ALIKE,
        drawn=("slack", "extra"),
    ),
)
