"""Equal clients with kinks, one round: noise that a mean of many clients loses moves their mean path all the same."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from validation import Case, Choice, Family, Instance, LogScale, Mechanism, Simplex, Size, Space, Uniform, case, units
from validation.world.mechanisms import always

__all__ = ["kinked_rounds"]

_NOISE, _STEPS = Mechanism("noise", (), always), Mechanism("several local steps", (), always)
_UNITS = units({"L": (1, -2), "noise": (1, -1), "extra": (2, -2)})


def kinked(x: Instance, *, tau: int) -> Mapping[str, Any]:
    """E F(θ^(t+1,0)) − F(θ^(t,0)) over how many clients were sent upwards, w equal; lengths in units of ηs."""
    p, L, s = x["share"], x["L"], x["noise"]
    n_clients = p.shape[1]
    eta = x["step"] / (2 * tau * L)
    c, m, start = (x[name] * eta * s for name in ("well", "turn", "start"))

    def slope(at: Any) -> Any:
        return np.where(at >= -m, np.abs(at) - c, at + 2 * m - c)

    def height(at: Any, c: Any, m: Any) -> Any:
        near = at * np.abs(at) / 2 - c * at
        return np.where(at >= -m, near, (at**2 + 2 * m**2) / 2 + (2 * m - c) * at)

    ends = []
    for sign in (1, -1):
        at = start - eta * sign * s - eta * L * slope(start)
        for _ in range(tau - 1):
            at = at - eta * L * slope(at)
        ends.append(at[:, None])
    up = np.arange(n_clients + 1)
    chances = np.asarray([comb(n_clients, k) / 2**n_clients for k in up.tolist()])
    moved = height((up * ends[0] + (n_clients - up) * ends[1]) / n_clients, c[:, None], m[:, None]) @ chances
    w = 1 / n_clients
    p = w + x["mix"][:, None] * (p - w)
    size = np.abs(start) + c + m + eta * s
    return {
        "fall": L * (moved - height(start, c, m)),
        "tau": np.full(len(L), float(tau)),
        "eta": eta,
        "G": (L * slope(start)) ** 2,
        "W_D": 2 * n_clients * ((p - w) ** 2).sum(axis=1),
        "L": L,
        "sigma2": s**2,
        "S": np.full(len(L), w),
        "A": np.ones(len(L)),
        "B": x["extra"],
        "C": 2 * tau * (tau - 1) * (eta * L) ** 2,
        "sizes": {"fall": L * size**2},
    }


def kinked_exact(x: Mapping[str, Any], *, tau: int) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same round over Fractions: F is integrated piece by piece, the clients' mean is binomial."""
    p, L, s, K = x["share"], x["L"], x["noise"], len(x["share"])
    eta = x["step"] / (2 * tau * L)
    c, m, start = x["well"] * eta * s, x["turn"] * eta * s, x["start"] * eta * s

    def gradient(at: Any) -> Any:
        if at < -m:
            return L * (m - c + (at + m))
        return L * ((at if at > 0 else -at) - c)

    def loss(at: Any) -> Any:  # from 0, trapezia between the kinks
        if at >= -m:
            return at * (gradient(Fraction(0)) + gradient(at)) / 2
        return loss(-m) + (at + m) * (gradient(-m) + gradient(at)) / 2

    ends = []
    for sign in (1, -1):
        model = start
        for r in range(tau):
            model -= eta * (gradient(model) + (sign * s if r == 0 else 0))
        ends.append(model)
    after = sum((comb(K, k) * loss((k * ends[0] + (K - k) * ends[1]) / K) for k in range(K + 1)), Fraction(0))
    p = [Fraction(1, K) + x["mix"] * (a - Fraction(1, K)) for a in p]
    met = {
        "F_k L-smooth, F bounded below: slopes -1, 1 and 1 times L between the kinks at 0 and -m": L > 0 and m >= 0,
        "A.3: variance sigma^2 in the first step, 0 in the others": s > 0,
        "A.4 everywhere with A = 1, since every F_k is F": x["extra"] > 0,
        "eta L <= 1/(2 tau)": 0 < 2 * tau * eta * L <= 1,
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
    }
    return met, {
        "fall": after / 2**K - loss(start),
        "tau": Fraction(tau),
        "eta": eta,
        "G": gradient(start) ** 2,
        "W_D": 2 * K * sum((a - Fraction(1, K)) ** 2 for a in p),
        "L": L,
        "sigma2": s * s,
        "S": Fraction(1, K),
        "A": Fraction(1),
        "B": x["extra"],
        "C": 2 * tau * (tau - 1) * eta**2 * L**2,
    }


def kinked_rounds() -> Family:
    """Up to 300 clients and 20 steps, w = 1/K, p anywhere or at w; noise large against the wells of F, and small."""

    def at(K: float, tau: float) -> Case:
        drawn = Space(
            (
                Simplex("share", int(K)),
                Choice("mix", (0.0, 0.0, 0.1, 1.0)),
                LogScale("step", 1e-2, 1.0, at=(0.5,)),
                LogScale("L", 1e-1, 1e1, at=(1.0,)),
                LogScale("noise", 1e-1, 1e1, at=(1.0,)),
                Uniform("start", -3.0, 3.0, at=(0.0,)),
                LogScale("well", 1e-2, 1e1, at=(0.5,)),
                Uniform("turn", 0.0, 5.0, at=(1.5,)),
                LogScale("extra", 1e-8, 1.0, at=(1e-8,)),
            )
        )
        name = f"{int(K)} equal clients with kinks, τ = {int(tau)}"
        on = (_NOISE, _STEPS) if tau > 1 else (_NOISE,)
        cost = max(1.0, (K + tau) / 50)
        return case(name, drawn, kinked, kinked_exact, cost=cost, symmetries=(_UNITS,), mechanisms=on, tau=int(tau))

    return Family("equal clients with kinks", (Size("K", 1, 300, 100), Size("tau", 1, 20, 2)), at)
