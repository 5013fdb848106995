"""Participation that depends on the past or on the round's own batches, with every E[p s]/pᵏ equal (r = 0) all the same.

Two federations of one dimension in which the model is followed in closed form for thousands of rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.theorem1_bound import BRACKETS, with_C
from validation import Case, Choice, ExactCheck, Instance, LogScale, Space, units

__all__ = ["one_sided", "seeing_batches"]


def _kept(offset: Any, n_rounds: int, n_local: int) -> Any:
    """Π (1 − 16/((τ+1)E + γ))^E, what is left of the distance to the point the run is pulled to."""
    later = offset[:, None] + n_local * np.arange(1, n_rounds + 1)
    return np.exp(n_local * np.log1p(-16 / later).sum(axis=1))


def _one_sided(n_rounds: int, n_local: int) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        h, away = x["curvature"], x["away"]
        theta = 2 * (1 + x["slack"])
        offset = (1 + x["later"]) * np.maximum(32 * (1 + theta), 4 * n_local * theta)
        one = np.ones_like(h)
        D = 0.5 * h * away**2
        found = {
            "Delta": (away * (1 - _kept(offset, n_rounds, n_local))) ** 2,
            "gamma": offset,
            "time": one * n_rounds * n_local,
            "E": one * n_local,
            "mu": h,
            "L": h,
            "theta": theta,
            "G2": 4 * h**2 * away**2,
            "Delta0": 0 * h,
            "noise": 0 * h,
            "skew": n_rounds * D / n_local,
            **dict.fromkeys(BRACKETS, one * n_rounds / n_local),
            "pull": one * 2 * n_rounds / n_local,
            "H": x["certain"] * n_rounds,
            "J": 32 * n_local * D / h,
            "rounds": one * n_rounds,
        }
        return with_C(found)

    return measure


def one_sided_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """Clients h/2 (w - a)^2 and h/2 (w + a)^2, p^k = 1/2, w_0 = 0; the first, by a coin, takes part alone for ever, p = 1.

    `certain`: 1 if there is no coin, it is always the first; then r_tau = 1.
    """
    h, a, n_local, n_rounds = x["curvature"], x["away"], int(x["local_steps"]), int(x["rounds"])
    theta = 2 * (1 + x["slack"])  # p_tau^k / p^k is 2 or 0
    m = Fraction(n_local)  # E[sum p s]; E[p^k s^k] = E/2 for both clients, hence r_tau = 0
    gamma = (1 + x["later"]) * max(32 * n_local * (1 + theta) / m, 4 * n_local**2 * theta / m, n_local)
    eta = 16 * n_local / (h * (n_local + gamma) * m)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * n_local * theta)
    # (w - a)/(0 - a) is the product over tau = 1..T of ((y + tau - r)/(y + tau))^E with r = 16/E whole: it telescopes.
    y, r, left = gamma / n_local, 16 // n_local, Fraction(1)
    for i in range(1, r + 1):
        left = left * (y + i - r) / (y + n_rounds - r + i)
    left = left**n_local
    D = h * a * a / 2
    hypotheses = {
        "A1, A2: mu = L = h > 0": h > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E, E divides 16": below
        and gamma >= n_local
        and 16 % n_local == 0,
        "both clients' gradients between 0 and 2ha on the way": 0 <= left <= 1,
    }
    constants = {
        "Delta": (a * (1 - left)) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds * n_local),
        "E": Fraction(n_local),
        "mu": h,
        "L": h,
        "theta": theta,
        "G2": (2 * h * a) ** 2,
        "Delta0": Fraction(0),
        "noise": Fraction(0),
        "skew": n_rounds * D * n_local / m**2,
        "pull": n_rounds * 2 * n_local / m**2,
        "H": n_rounds * x["certain"],
        "J": 32 * n_local * D / h,
        "rounds": Fraction(n_rounds),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = n_rounds * n_local / m**2  # sum p = 1 < 2: the positive part is 0
    return hypotheses, with_C(constants)


def _seeing(n_rounds: int) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        h, sigma = x["curvature"], x["sigma"]
        theta = 1 + x["slack"]
        offset = (1 + x["later"]) * 64 * (1 + theta)
        one = np.ones_like(h)
        found = {
            "Delta": (sigma / h * (1 - _kept(offset, n_rounds, 1))) ** 2,
            "gamma": offset,
            "time": one * n_rounds,
            "E": one,
            "mu": h,
            "L": h,
            "theta": theta,
            "G2": 2 * sigma**2,
            "Delta0": 0 * h,
            "noise": 2 * n_rounds * sigma**2 / x["n_clients"],
            "skew": 0 * h,
            **dict.fromkeys(BRACKETS, one * 2 * n_rounds),
            "pull": one * 2 * n_rounds,
            "H": 0 * h,
            "J": 0 * h,
            "rounds": one * n_rounds,
        }
        return with_C(found)

    return measure


def seeing_batches_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """N clients h/2 w^2, p = p^k = 1/N, E = 1, noise +-sigma, w_0 = 0; a step is done iff the client's noise is +sigma.

    `Delta` is (E w_T)^2, which E w_T^2 is never below.
    """
    h, sigma, n_clients, n_rounds = x["curvature"], x["sigma"], x["n_clients"], int(x["rounds"])
    theta, half = 1 + x["slack"], Fraction(1, 2)  # half = E[sum p s]; E[p^k s^k]/p^k = 1/2 for all: r_tau = 0
    gamma = (1 + x["later"]) * max(32 * (1 + theta) / half, 4 * theta / half, 1)
    eta = 16 / (h * (1 + gamma) * half)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * theta)
    # E w' = E w - eta (h E w + sigma)/2: (E w + sigma/h)/(sigma/h) is the product of (gamma + tau - 16)/(gamma + tau).
    left = Fraction(1)
    for i in range(1, 17):
        left = left * (gamma + i - 16) / (gamma + n_rounds - 16 + i)
    hypotheses = {
        "A1, A2: mu = L = h > 0": h > 0,
        "noise of mean 0 and variance sigma^2, independent over clients and rounds": sigma > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta): w stays in [-sigma/h, 0], second moments <= 2 sigma^2": below,
    }
    constants = {
        "Delta": (sigma / h * (1 - left)) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": h,
        "L": h,
        "theta": theta,
        "G2": 2 * sigma**2,
        "Delta0": Fraction(0),
        "noise": n_rounds * half * sigma**2 / n_clients / half**2,
        "skew": Fraction(0),
        "pull": n_rounds * half / half**2,
        "H": Fraction(0),
        "J": Fraction(0),
        "rounds": Fraction(n_rounds),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = n_rounds * half / half**2  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


def one_sided(n_rounds: int, n_local: int, *, certain: bool = False) -> Case:
    """Who takes part is drawn once (or: whoever is on the model's side takes part, a coin at the start); or is certain."""
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("away", 1e-2, 1e2, at=(1.0,)),
            LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
            LogScale("later", 1e-6, 1e1, at=(1e-6,)),
            Choice("certain", (float(certain),)),
            Choice("local_steps", (float(n_local),)),
            Choice("rounds", (float(n_rounds),)),
        )
    )
    return Case(
        f"two opposite clients, one takes part, {'the same' if certain else 'drawn once'}, E = {n_local}, {n_rounds} rounds",
        space,
        _one_sided(n_rounds, n_local),
        ExactCheck(one_sided_exact, (with_C,)),
        cost=max(4.5, n_rounds / 100),
        symmetries=(units({"curvature": (1, -2), "away": (0, 1)}),),
    )


def seeing_batches(n_rounds: int) -> Case:
    """Whether a client finishes its step depends on its batch."""
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
            LogScale("later", 1e-6, 1e1, at=(1e-6,)),
            Choice("n_clients", (1.0, 2.0, 10.0, 100.0)),
            Choice("rounds", (float(n_rounds),)),
        )
    )
    return Case(
        f"identical clients, activity sees the batch, {n_rounds} rounds of E = 1",
        space,
        _seeing(n_rounds),
        ExactCheck(seeing_batches_exact, (with_C,)),
        cost=max(4.5, n_rounds / 100),
        symmetries=(units({"curvature": (1, -2), "sigma": (1, -1)}),),
    )
