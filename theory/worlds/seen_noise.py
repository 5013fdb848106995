"""Runs of FedAvg with weights that see the samples of the step: all weight on a client whose noise favours it.

Identical clients h/2·w² with ±σ noise, independent over clients and steps, from their optimum, one local step a round;
ηₜ = 2/(h(γ + t)). The client chosen is one whose noise is +σ, if there is one: its chance does not depend on the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["seen_noise", "seen_noise_exact"]


def seen_noise(x: Mapping[str, Any], *, T: int, gamma: int) -> dict[str, Any]:
    """What bounds speak of after T steps, each of shape (n,); letters as those of `line_run`.

    `curvature`, `sigma`, `n_clients` (n,). `seen` 0: the client chosen does not depend on its noise. `drawn` clients
    are drawn by weight, which changes nothing where one has it all; more than there are is not admitted.
    """
    h, sigma, zero = x["curvature"], x["sigma"], np.zeros_like(x["curvature"])
    bias = np.where(x.get("seen", 1 + zero) > 0, sigma * (1 - 2 * 0.5 ** x["n_clients"]), 0.0)
    first, second, last, largest, eta = zero, zero, zero, zero, zero
    for t in range(T):
        largest = np.maximum(largest, h**2 * second + sigma**2)
        eta, last = 2 / (h * (gamma + t)), second
        keep = 1 - eta * h
        second = keep**2 * second - 2 * keep * eta * bias * first + (eta * sigma) ** 2
        first = keep * first - eta * bias
    drawn = x.get("drawn", zero)
    found = {"after": second, "before": last, "excess": 0.5 * h * second, "eta": eta, "mu": h, "L": h}
    found |= {"gamma": gamma + zero, "T": T + zero, "E": 1 + zero, "K": drawn, "noise": sigma**2, "G2": largest}
    return {**found, **dict.fromkeys(("first", "Omega", "Gamma"), zero), "admissible": drawn <= x["n_clients"]}


def seen_noise_exact(x: Mapping[str, Any], *, T: int, gamma: int) -> tuple[dict[str, bool], dict[str, Any]]:
    """The same; each step w -> (1 - eta h) w - eta (noise of the client chosen), E w and E w^2 by the two outcomes."""
    h, s, n, K = x["curvature"], x["sigma"], int(x["n_clients"]), int(x.get("drawn", 0))
    plus = 1 - Fraction(1, 2**n) if x.get("seen", 1) > 0 else Fraction(1, 2)
    first, second, last, G2, eta = Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    for t in range(T):
        G2 = max(G2, h * h * second + s * s)
        eta, last = 2 / (h * (gamma + t)), second
        keep, push = 1 - eta * h, eta * s
        # E(keep w - push)^2 with chance plus, E(keep w + push)^2 else; the choice does not depend on w.
        second = plus * (keep**2 * last - 2 * keep * push * first + push**2) + (1 - plus) * (
            keep**2 * last + 2 * keep * push * first + push**2
        )
        first = keep * first - (2 * plus - 1) * push
    met = {"A1, A2: h > 0": h > 0, "noise +-sigma, independent; weights one-hot": s >= 0 and n >= 1}
    met |= {"no more clients drawn than there are": n >= K}
    zero = Fraction(0)  # identical clients that start at their optimum: Gamma = 0, and Omega = 0 at t = 0
    found = {"after": second, "before": last, "excess": h * second / 2, "eta": eta, "mu": h, "L": h}
    found |= {"gamma": Fraction(gamma), "T": Fraction(T), "E": Fraction(1), "K": Fraction(K), "noise": s * s, "G2": G2}
    found |= {"first": zero, "Omega": zero, "Gamma": zero}
    return met, found
