"""Where rounds of local steps settle: quadratic clients of the line, fixed weights, noise of one variance."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedssa.notation import NOTATION
from validation import Case, Family, Instance, LogScale, Signed, Simplex, Size, Space, permuted_clients, units
from validation.statement.forms.kinds import Mechanism
from validation.statement.instances.draw import Coordinate
from validation.world.mechanisms import always
from validation.world.world import World, case

__all__ = ["fedavg", "settling"]


def settled_exact(
    h: list[Fraction], m: list[Fraction], w: list[Fraction], tau: int, eta: Fraction, noise: Fraction
) -> tuple[Fraction, Fraction]:
    """Mean and variance of the model where rounds of tau local SGD steps with fixed weights settle, 1-D quadratics."""
    keep = [(1 - eta * a) ** tau for a in h]
    held = sum(a * k for a, k in zip(w, keep, strict=True))
    mean = sum(a * (1 - k) * c for a, k, c in zip(w, keep, m, strict=True)) / (1 - held)
    own = [eta**2 * noise * sum((1 - eta * a) ** (2 * e) for e in range(tau)) for a in h] if noise else [noise] * len(h)
    return Fraction(mean), Fraction(sum(a * a * v for a, v in zip(w, own, strict=True)) / (1 - held * held))


def _settled(h: Any, m: Any, w: Any, tau: Any, eta: Any, noise: Any) -> tuple[Any, Any]:
    """The same in floats, instances on the first axis."""
    lost = -np.expm1(tau[:, None] * np.log1p(-eta[:, None] * h))
    own = np.zeros_like(h)
    for e in range(int(tau.max()) if np.any(noise > 0) else 0):
        own = own + np.where(e < tau[:, None], (1 - eta[:, None] * h) ** (2 * e), 0.0)
    gone = (w * lost).sum(axis=1)
    own = (eta**2 * noise)[:, None] * own
    return (w * lost * m).sum(axis=1) / gone, (w**2 * own).sum(axis=1) / (gone * (2 - gone))


def settles(x: Instance, *, tau: int, equal: bool, apart: bool) -> Mapping[str, Any]:
    """What is said of where rounds settle: with all weight on client 1, with the objective's shares, with the weights.

    Shares of the objective are `share`, or the weights. `tau`: local steps, where they are not drawn. `equal`: one
    curvature for all clients. `apart`: only where client 1's optimum differs from all others.
    """
    h, m, n = x["curvature"], x["optimum"], len(x["curvature"])
    h = np.repeat(h[:, :1], h.shape[1], axis=1) if equal else h
    steps = x.get("tau", x.get("local_steps", np.full(n, float(tau))))
    L, noise = h.max(axis=1), x.get("noise", np.zeros(n))
    eta = (x["length"] / 2 if "length" in x else x["reach"]) / (steps * L)
    p = x["share"] if "share" in x else x["weights"]
    w = x.get("weights", p)
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    alone = np.eye(h.shape[1])[np.zeros(n, dtype=int)]
    size = np.abs(m).max(axis=1)
    found = {"eta": eta, "L": L, "tau": steps, "width": np.ptp(m, axis=1), "sizes": {}}
    for name, at in (("alone", alone), ("shares", p), ("weights", w)):
        mean, spread = _settled(h, m, at, steps, eta, noise)
        found[f"own_{name}"] = 0.5 * h[:, 0] * ((mean - m[:, 0]) ** 2 + spread)
        found[f"slope2_{name}"] = (p * h * (mean[:, None] - m)).sum(axis=1) ** 2
        found["sizes"] |= {f"own_{name}": h[:, 0] * size**2 + found[f"own_{name}"], f"slope2_{name}": (L * size) ** 2}
        found |= {"settled2": (mean - best) ** 2} if name == "shares" else {}
    found |= {"own_best": 0.5 * h[:, 0] * (best - m[:, 0]) ** 2, "admissible": np.ones(n, dtype=bool)}
    found["sizes"] |= {"settled2": size**2 * 1e-4, "own_best": h[:, 0] * size**2}
    if apart:
        found["admissible"] = np.abs(m[:, 1:] - m[:, :1]).min(axis=1) > 1e-3
    return found


def settles_exact(
    x: Mapping[str, Any], *, tau: int, equal: bool, apart: bool
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same, fixed point by fixed point."""
    m, clients = x["optimum"], range(len(x["optimum"]))
    h = [x["curvature"][0]] * len(m) if equal else x["curvature"]
    steps = int(x.get("tau", x.get("local_steps", tau)))
    reach = x["length"] / 2 if "length" in x else x["reach"]
    eta, p = reach / (steps * max(h)), x["share"] if "share" in x else x["weights"]
    w = x.get("weights", p)
    best = sum(p[k] * h[k] * m[k] for k in clients) / sum(p[k] * h[k] for k in clients)
    met = {
        "convex quadratics": min(h) > 0,
        "eta L <= 1/(2 tau)": 0 < 2 * reach <= 1,
        "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, w)),
        "noise of one variance": x.get("noise", Fraction(0)) >= 0,
        "client 1 apart where asked": not apart or all(abs(c - m[0]) > Fraction(1, 1000) for c in m[1:]),
    }
    found = {"eta": eta, "L": max(h), "tau": Fraction(steps), "width": max(m) - min(m)}
    for name, at in (("alone", [Fraction(k == 0) for k in clients]), ("shares", p), ("weights", w)):
        mean, spread = settled_exact(h, m, at, steps, eta, x.get("noise", Fraction(0)))
        found[f"own_{name}"] = h[0] * ((mean - m[0]) ** 2 + spread) / 2
        found[f"slope2_{name}"] = sum(p[k] * h[k] * (mean - m[k]) for k in clients) ** 2
        found |= {"settled2": (mean - best) ** 2} if name == "shares" else {}
    return met, {**found, "own_best": h[0] * (best - m[0]) ** 2 / 2}


def settling(
    draw: Any, sizes: tuple[Size, ...], *more: Coordinate, apart: bool = False, equal: bool = False, wide: float = 1e2
) -> World:
    """Clients with curvatures and optima up to `wide`; `draw(K)`: weights, `more`: steps, their length, noise."""

    def at(K: float, tau: float = 1) -> Case:
        n, weights = int(K), draw(int(K))
        shape = LogScale("curvature", 1e-2, wide, (n,), at=(1.0,)), Signed("optimum", 1e-2, wide, (n,))
        every = dict.fromkeys(("curvature", "optimum", *(c.name for c in weights)), 0)
        scaled = units({"curvature": (1, -2), "optimum": (0, 1), **({"noise": (2, -2)} if apart else {})})
        on = (Mechanism("several local steps", (), always),) if tau > 1 else ()
        return case(
            f"{n} clients" + (f", τ = {int(tau)}" if len(sizes) > 1 else ""),
            Space((*shape, *weights, *more)),
            settles,
            settles_exact,
            uses=(settled_exact,),
            cost=max(1.0, n / 40),
            symmetries=(scaled,) if apart else (scaled, permuted_clients(every)),
            mechanisms=on,
            tau=int(tau),
            equal=equal,
            apart=apart,
        )

    return World(NOTATION, (Family("1-D quadratic clients", sizes, at),))


def fedavg(*, low: int = 1, high: int = 300, equal: bool = False, most: int = 300) -> World:
    """FedAvg of up to `most` clients, `low` to `high` local steps."""
    sizes = (Size("K", 1, most, min(most, 3)), Size("tau", low, high, min(high, max(low, 4))))
    length = LogScale("length", 1e-2, 1.0, at=(1.0,))
    return settling(lambda n: (Simplex("share", n),), sizes, length, equal=equal)
