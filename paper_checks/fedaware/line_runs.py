"""Runs of FedAvg and of FedAWARE (α = 1, everyone present, no noise) on the line, and what tells them apart."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.mechanisms import switched_on
from paper_checks.fedaware.notation import NOTATION
from theory.quantities import chi_square
from validation import (
    Case,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)
from validation.world.world import World, case

__all__ = ["line_runs"]


def runs(x: Instance, *, K: int, T: int, asked: str, alike: bool = False, common: bool = False) -> Mapping[str, Any]:
    """What is asked of runs of T rounds from one start.

    «aware»: the least ‖∇f‖² so far and (twice the curvature of f times) the gap at the end, of FedAWARE, of FedAvg, and of
    FedAvg with steps twice as long; «Ψ», «norm»: the least ‖∇f‖² with fixed weights w where Ψ̃(w) < Ψ(λ), or where the mean
    of ρ is lower; «round», «run»: numerator and denominator of LUD² in two rounds, in units of η_l²; «identical»: Σρ/η_l²
    with each client's objective f. `alike` curvatures, a `common` minimum.
    """
    h, m, lam = x["curvature"], x["optimum"], x["weights"]
    h = np.broadcast_to(h[:, :1], h.shape) if alike else h
    m = np.broadcast_to(m[:, :1], m.shape) if common else m
    L = h.max(axis=1)
    eta, server = x["step"] / (8 * L * K), x["server"] / 3
    pull = 1 - (1 - eta[:, None] * h) ** K
    H = (lam * h).sum(axis=1)
    best = (lam * h * m).sum(axis=1) / H
    size = (L**2) * (np.abs(x["start"]) + np.abs(m).max(axis=1)) ** 2

    def run(weigh: Any, stretch: float = 1.0) -> tuple[list[Any], list[Any]]:
        at, squares, models = x["start"], [], [x["start"]]
        for _ in range(T):
            d = weigh(pull * (at[:, None] - m))
            squares.append(d**2)
            at = at - stretch * server * d
            models.append(at)
        return squares, models

    def mean(g: Any) -> Any:
        return (lam * g).sum(axis=1)

    def shortest(g: Any) -> Any:
        low, high = g.min(axis=1), g.max(axis=1)
        return np.where(low > 0, low, np.where(high < 0, high, 0.0))

    def seen(name: str, models: list[Any]) -> dict[str, Any]:
        slopes2 = [(H * (v - best)) ** 2 for v in models]
        return {f"least_{name}": np.min(slopes2, axis=0), f"end_{name}": slopes2[-1]}

    rho, models = run(mean)
    found = seen("avg", models)
    scale, met = size, np.ones(len(h), dtype=bool)
    if asked == "aware":
        found |= seen("aware", run(shortest)[1]) | seen("fast", run(mean, 2.0)[1])
    elif asked in ("Ψ", "norm"):
        w = x["applied"]
        ours, own = run(lambda g: (w * g).sum(axis=1))
        found |= seen("w", own)
        factor = chi_square(w, lam) if asked == "Ψ" else 1.0
        met = factor * np.mean(ours, axis=0) < np.mean(rho, axis=0) * (1 - 1e-9)
    elif asked == "identical":
        same = 1 - (1 - eta * H) ** K
        at, total = x["start"], np.zeros(len(h))
        for _ in range(T):
            total = total + (same * (at - best)) ** 2
            at = at - server * same * (at - best)
        found, scale = {"sum_same": total / eta**2, "sum_rho2": np.sum(rho, axis=0) / eta**2}, 100 * size * T * K**2
    else:
        found, scale = {}, size * K**2
        for name, at in (("first", models[-2 if asked == "round" else 0]), ("last", models[-1])):
            g = pull * (at[:, None] - m)
            found |= {f"above_{name}": mean(g**2) / eta**2, f"below_{name}": mean(g) ** 2 / eta**2}
    return {**found, "sizes": dict.fromkeys(found, scale), "admissible": met}


def runs_exact(
    x: Mapping[str, Any], *, K: int, T: int, asked: str, alike: bool = False, common: bool = False
) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The runs round by round with K local steps of gradient descent, in Fractions."""
    clients = range(len(x["curvature"]))
    h = [x["curvature"][0 if alike else i] for i in clients]
    m = [x["optimum"][0 if common else i] for i in clients]
    lam, start, L = x["weights"], x["start"], max(h)
    eta, server = x["step"] / (8 * L * K), x["server"] / 3
    H = sum(lam[i] * h[i] for i in clients)
    best = sum(lam[i] * h[i] * m[i] for i in clients) / H

    def update(curvature: Any, center: Any, at: Any) -> Any:
        here = at
        for _ in range(K):
            here = here - eta * curvature * (here - center)
        return at - here

    def run(weigh: Any, stretch: int = 1) -> tuple[list[Any], list[Any]]:
        at, squares, models = start, [], [start]
        for _ in range(T):
            d = weigh([update(h[i], m[i], at) for i in clients])
            squares.append(d * d)
            at = at - stretch * server * d
            models.append(at)
        return squares, models

    def fixed(w: Any) -> Any:
        return lambda g: sum(a * b for a, b in zip(w, g, strict=True))

    def shortest(g: Any) -> Any:
        return min(g) if min(g) > 0 else max(g) if max(g) < 0 else Fraction(0)

    def seen(name: str, models: Any) -> dict[str, Any]:
        slopes2 = [(H * (v - best)) ** 2 for v in models]
        return {f"least_{name}": min(slopes2), f"end_{name}": slopes2[-1]}

    met = {
        "mu > 0": min(h) > 0,
        "eta_l <= 1/(8 L K), eta_l eta_g <= 1/(24 L K)": 0 < 8 * eta * L * K <= 1
        and 0 < 24 * eta * server * L * K <= 1,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
        "lambda > 0 where chi^2 is used": min(lam) > 0 or asked not in ("aware", "Ψ"),
    }
    rho, models = run(fixed(lam))
    found = seen("avg", models)
    if asked == "aware":
        return met, {**found, **seen("aware", run(shortest)[1]), **seen("fast", run(fixed(lam), 2)[1])}
    if asked in ("Ψ", "norm"):
        w = x["applied"]
        ours, own = run(fixed(w))
        met["applied weights on the simplex"] = sum(w) == 1 and min(w) >= 0
        use = asked == "Ψ" and min(lam) > 0
        chi = sum((a - b) ** 2 / a for a, b in zip(lam, w, strict=True)) if use else Fraction(1)
        met["lower client consensus dynamics"] = chi * sum(ours) < sum(rho)
        return met, {**found, **seen("w", own)}
    if asked == "identical":
        at, total = start, Fraction(0)
        for _ in range(T):
            d = update(H, best, at)
            total, at = total + d * d, at - server * d
        return met, {"sum_same": total / eta**2, "sum_rho2": sum(rho) / eta**2}
    for name, at in (("first", models[-2 if asked == "round" else 0]), ("last", models[-1])):
        g = [update(h[i], m[i], at) for i in clients]
        found[f"above_{name}"] = sum(a * b * b for a, b in zip(lam, g, strict=True)) / eta**2
        found[f"below_{name}"] = sum(a * b for a, b in zip(lam, g, strict=True)) ** 2 / eta**2
    return met, found


def line_runs(asked: str, *, most_steps: int = 20, alike: bool = False, common: bool = False) -> World:
    """N to 300, T to 100, K to `most_steps`; η_l <= 1/(8LK) and η <= 1/(24LK), as Theorem 4.1 asks. See `runs`."""
    other = asked in ("Ψ", "norm")

    def at(N: float, T: float, K: float) -> Case:
        n = int(N)
        applied = (Simplex("applied", n),) if other else ()
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("weights", n, interior=asked in ("aware", "Ψ")),
                Signed("start", 1e-2, 1e3),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
                LogScale("server", 1e-2, 1.0, at=(1.0,)),
                *applied,
            )
        )
        same = [units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)})]
        if not (alike or common):
            every = {"curvature": 0, "optimum": 0, "weights": 0, **({"applied": 0} if applied else {})}
            same += [permuted_clients(every), split_client(every, ("weights", "applied"))]
        return case(
            f"{n} clients on the line, T = {int(T)}, K = {int(K)}",
            space,
            runs,
            runs_exact,
            cost=max(1.0, n / 75, T / 25),
            symmetries=tuple(same),
            mechanisms=switched_on(K),
            K=int(K),
            T=int(T),
            asked=asked,
            alike=alike,
            common=common,
        )

    sizes = (Size("N", 2 if other else 1, 300, 2), Size("T", 1, 100, 3), Size("K", 1, most_steps, 1))
    return World(NOTATION, (Family("clients on the line", sizes, at),))
