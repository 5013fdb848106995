"""Participation that depends on the past or on the round's own batches, with every E[p s]/pᵏ equal (r = 0) all the same.

Two federations of one dimension in which the model is followed in closed form for thousands of rounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Case, Choice, Instance, LogScale, Space, case, units

__all__ = ["one_sided_runs", "seeing_runs"]

Pair = tuple[Mapping[str, bool], Mapping[str, Any]]


def _kept(gamma: Any, T: int, E: int) -> Any:
    """Π (1 − 16/((τ+1)E + γ))^E, what is left of the distance to the point the run is pulled to."""
    later = gamma[:, None] + E * np.arange(1, T + 1)
    return np.exp(E * np.log1p(-16 / later).sum(axis=1))


def kept_exact(gamma: Any, T: int, E: int) -> Any:
    """The product over tau = 1..T of ((y + tau - r)/(y + tau))^E with y = gamma/E and r = 16/E whole: it telescopes."""
    y, r, left = gamma / E, 16 // E, Fraction(1)
    for i in range(1, r + 1):
        left = left * (y + i - r) / (y + T - r + i)
    return left**E


def alone(x: Any, T: int, E: int, certain: bool) -> dict[str, Any]:
    """The constants of (7) for clients h/2 (w - a)^2 and h/2 (w + a)^2, of which one is alone for ever with s = E.

    Its coefficient is the paper's own, E p^k/s = p^k = 1/2, the other's is 0: sum p s = E/2. By a coin E[p^k s^k] = E/4
    for both, so r = 0; it is E/2 for who is `certain`. p_tau^k / p^k is 1 or 0; sum p = 1/2 < 2.
    """
    h, theta, one = x["curvature"], 1 + x["slack"], 0 * x["curvature"] + 1
    D = h * x["away"] ** 2 / 2
    known = {"gamma": (1 + x["later"]) * 64 * (1 + theta), "theta": theta, "mu": h, "L": h, "E": E * one}
    known |= {"time": T * E * one, "G2": (2 * h * x["away"]) ** 2, "Delta0": 0 * h, "noise": 0 * h}
    known |= dict.fromkeys(("plus_59", "pull"), 2 * T * one / E)
    return {**known, "skew": 2 * T * D / E, "H": T * certain * one, "J": 32 * E * D / h}


def one_sided(x: Instance, *, T: int, E: int, certain: bool) -> Mapping[str, Any]:
    """Every constant of (7), T rounds on, from w = 0."""
    known = alone(x, T, E, certain)
    return {**known, "Delta": (x["away"] * (1 - _kept(known["gamma"], T, E))) ** 2}


def one_sided_exact(x: Mapping[str, Any], *, T: int, E: int, certain: bool) -> Pair:
    """Every constant of (7), T rounds on, from w = 0."""
    h, known = x["curvature"], alone(x, T, E, certain)
    gamma, theta = known["gamma"], known["theta"]
    eta, left = 32 / (h * (E + gamma)), kept_exact(gamma, T, E)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * E * theta)
    met = {
        "A1, A2: mu = L = h > 0": h > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E, E divides 16": below and gamma >= E and 16 % E == 0,
        "both clients' gradients between 0 and 2ha on the way": 0 <= left <= 1,
    }
    return met, {**known, "Delta": (x["away"] * (1 - left)) ** 2}


def awake(x: Any, T: int) -> dict[str, Any]:
    """The constants of (7) for N clients h/2 w^2, p = p^k = 1/N, noise +-sigma, E = 1, a step done iff the noise is +sigma.

    E[sum p s] = 1/2, and E[p^k s^k]/p^k for every client: r = 0. The bracket is multiplied by E - 1 = 0.
    """
    h, theta, one = x["curvature"], 1 + x["slack"], 0 * x["curvature"] + 1
    known = {"gamma": (1 + x["later"]) * 64 * (1 + theta), "theta": theta, "mu": h, "L": h, "E": one, "time": T * one}
    known |= dict.fromkeys(("Delta0", "skew", "H", "J"), 0 * one) | dict.fromkeys(("plus_59", "pull"), 2 * T * one)
    return {**known, "G2": 2 * x["sigma"] ** 2, "noise": 2 * T * x["sigma"] ** 2 / x["n_clients"]}


def seeing(x: Instance, *, T: int) -> Mapping[str, Any]:
    """Every constant of (7), T rounds on, from w = 0; (E w_T)² for E w_T², which is never below it."""
    known = awake(x, T)
    return {**known, "Delta": (x["sigma"] / x["curvature"] * (1 - _kept(known["gamma"], T, 1))) ** 2}


def seeing_exact(x: Mapping[str, Any], *, T: int) -> Pair:
    """Every constant of (7), T rounds on, from w = 0; (E w_T)^2 for E w_T^2, which is never below it.

    E w' = E w - eta (h E w + sigma)/2: (E w + sigma/h)/(sigma/h) is the product of (gamma + tau - 16)/(gamma + tau).
    """
    h, known = x["curvature"], awake(x, T)
    theta, eta = known["theta"], 16 / (h * (1 + known["gamma"]) / 2)  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * h) and eta <= 4 / (h * theta)
    met = {
        "A1, A2: mu = L = h > 0": h > 0,
        "noise of mean 0 and variance sigma^2, independent over clients and rounds": x["sigma"] > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta): w stays in [-sigma/h, 0], second moments <= 2 sigma^2": below,
    }
    return met, {**known, "Delta": (x["sigma"] / h * (1 - kept_exact(known["gamma"], T, 1))) ** 2}


_LETTERS = (
    LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
    LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
    LogScale("later", 1e-6, 1e1, at=(1e-6,)),
)


def one_sided_runs(T: int, E: int, *, certain: bool = False) -> Case:
    """Who takes part is drawn once (or: whoever is on the model's side takes part, a coin at the start); or is certain."""
    who = "the same" if certain else "drawn once"
    how: dict[str, Any] = {"uses": (alone, kept_exact), "cost": max(4.5, T / 100), "T": T, "E": E, "certain": certain}
    return case(
        f"two opposite clients, one takes part, {who}, E = {E}, {T} rounds",
        Space((*_LETTERS[:2], Choice("later", (1.0, 3.0, 7.0)), LogScale("away", 1e-2, 1e2, at=(1.0,)))),
        one_sided,
        one_sided_exact,
        symmetries=(units({"curvature": (1, -2), "away": (0, 1)}),),
        **how,
    )


def seeing_runs(T: int) -> Case:
    """Whether a client finishes its step depends on its batch."""
    space = Space((*_LETTERS, LogScale("sigma", 1e-2, 1e2, at=(1.0,)), Choice("n_clients", (1.0, 2.0, 10.0, 100.0))))
    return case(
        f"identical clients, activity sees the batch, {T} rounds of E = 1",
        space,
        seeing,
        seeing_exact,
        uses=(awake, kept_exact),
        cost=max(4.5, T / 100),
        symmetries=(units({"curvature": (1, -2), "sigma": (1, -1)}),),
        T=T,
    )
