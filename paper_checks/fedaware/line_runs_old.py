"""Runs of FedAvg and FedAWARE (α = 1, everyone present, no noise) on the line, and what R3, R4, R7 and R9 say of them.

`part` says which amount a run misses: 1 the least ‖∇f‖² so far and 2 the loss at the end (times the curvature of f), of
FedAWARE less of FedAvg; 4 and 5 the least ‖∇f‖² with fixed weights w less that with λ, where Ψ̃(w) < Ψ(λ) or where the mean
of ρ(w) is below that of ρ(λ); 6 LUD² of a round less that of the next, 7 of the first less that of the last,
cross-multiplied; 8 Σρ of identical clients with the objective f less Σρ of the clients; 9 as 6 with the opposite sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked
from theory.quantities import chi_square
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Property,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)

__all__ = ["missed"]


def _runs(x: Instance) -> Mapping[str, Any]:
    h, m, lam, part = x["curvature"], x["optimum"], x["weights"], int(x["part"][0])
    if "alike" in x:
        h = np.broadcast_to(h[:, :1], h.shape)
    if "common" in x:
        m = np.broadcast_to(m[:, :1], m.shape)
    T, K = int(x["rounds"][0]), int(x["local_steps"][0])
    L = h.max(axis=1)
    eta = x["step"] / (8 * L * K)
    server = x["server"] / 3
    faster = 2.0 if "double" in x else 1.0
    pull = 1 - (1 - eta[:, None] * h) ** K
    H = (lam * h).sum(axis=1)
    best = (lam * h * m).sum(axis=1) / H
    size = (L**2) * (np.abs(x["start"]) + np.abs(m).max(axis=1)) ** 2

    def run(weigh: Any, stretch: float = 1.0) -> tuple[Any, list[Any]]:
        at, squares, models = x["start"], [], [x["start"]]
        for _ in range(T):
            d = weigh(pull * (at[:, None] - m))
            squares.append(d**2)
            at = at - stretch * server * d
            models.append(at)
        return squares, models

    def fixed(w: Any) -> Any:
        return lambda g: (w * g).sum(axis=1)

    def shortest(g: Any) -> Any:
        low, high = g.min(axis=1), g.max(axis=1)
        return np.where(low > 0, low, np.where(high < 0, high, 0.0))

    def least(models: list[Any]) -> Any:
        return np.min([(H * (v - best)) ** 2 for v in models], axis=0)

    rho, models = run(fixed(lam), faster)
    if part in (1, 2):
        _, own = run(shortest)
        values = {
            1: least(own) - least(models),
            2: H * ((own[-1] - best) ** 2 - (models[-1] - best) ** 2) * H,
        }
        return {"lhs": values[part], "magnitude": size}
    if part in (4, 5):
        w = x["applied"]
        ours, own = run(fixed(w))
        factor = chi_square(w, lam) if part == 4 else 1.0
        lower = factor * np.mean(ours, axis=0) < np.mean(rho, axis=0) * (1 - 1e-9)
        return {"lhs": least(own) - least(models), "admissible": lower, "magnitude": size}
    if part == 8:
        alike = 1 - (1 - eta * H) ** K
        at, total = x["start"], 0.0
        for _ in range(T):
            total = total + (alike * (at - best)) ** 2
            at = at - server * alike * (at - best)
        return {"lhs": (total - np.sum(rho, axis=0)) / eta**2, "magnitude": 100 * size * T * K**2}

    def diversity(at: Any) -> tuple[Any, Any]:
        g = pull * (at[:, None] - m)
        return (lam * g**2).sum(axis=1), (lam * g).sum(axis=1) ** 2

    first, second = (models[-2], models[-1]) if part in (6, 9) else (models[0], models[-1])
    (above, below), (above2, below2) = diversity(first), diversity(second)
    sign = -1.0 if part == 9 else 1.0
    return {"lhs": sign * (above * below2 - above2 * below) / eta**4, "magnitude": (size * K**2) ** 2}


def runs_exact(x: Mapping[str, Any]) -> Checked:
    """The runs round by round with K local steps of gradient descent, in Fractions."""
    part, T, K = int(x["part"]), int(x["rounds"]), int(x["local_steps"])
    clients = range(len(x["curvature"]))
    h = [x["curvature"][0 if "alike" in x else i] for i in clients]
    m = [x["optimum"][0 if "common" in x else i] for i in clients]
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

    def least(models: Any) -> Any:
        return min((H * (v - best)) ** 2 for v in models)

    met = {
        "mu > 0": min(h) > 0,
        "eta_l <= 1/(8 L K), eta_l eta_g <= 1/(24 L K)": 0 < 8 * eta * L * K <= 1
        and 0 < 24 * eta * server * L * K <= 1,
        "weights on the simplex": sum(lam) == 1 and min(lam) >= 0,
    }
    rho, models = run(fixed(lam), 2 if "double" in x else 1)
    if part in (1, 2):
        met["lambda > 0, as chi^2 asks"] = min(lam) > 0
        _, own = run(shortest)
        if part == 1:
            return met, {"lhs": least(own) - least(models)}
        return met, {"lhs": H * H * ((own[-1] - best) ** 2 - (models[-1] - best) ** 2)}
    if part in (4, 5):
        w = x["applied"]
        ours, own = run(fixed(w))
        met["applied weights on the simplex"] = sum(w) == 1 and min(w) >= 0
        met["lambda > 0 where chi^2 is used"] = part == 5 or min(lam) > 0
        chi = sum((a - b) ** 2 / a for a, b in zip(lam, w, strict=True)) if part == 4 and min(lam) > 0 else Fraction(1)
        met["lower client consensus dynamics"] = chi * sum(ours) < sum(rho)
        return met, {"lhs": least(own) - least(models)}
    if part == 8:
        at, total = start, Fraction(0)
        for _ in range(T):
            d = update(H, best, at)
            total, at = total + d * d, at - server * d
        return met, {"lhs": (total - sum(rho)) / eta**2}
    first, second = (models[-2], models[-1]) if part in (6, 9) else (models[0], models[-1])
    pairs = []
    for at in (first, second):
        g = [update(h[i], m[i], at) for i in clients]
        pairs.append(
            (sum(a * b * b for a, b in zip(lam, g, strict=True)), sum(a * b for a, b in zip(lam, g, strict=True)) ** 2)
        )
    sign = -1 if part == 9 else 1
    return met, {"lhs": sign * (pairs[0][0] * pairs[1][1] - pairs[1][0] * pairs[0][1]) / eta**4}


_DEGREES = {1: (2, -2), 2: (2, -2), 4: (2, -2), 5: (2, -2), 6: (4, -4), 7: (4, -4), 8: (2, -2), 9: (4, -4)}


def missed(part: int, *flags: str, most_steps: int = 20) -> Property:
    """Nothing of `part` is missed; flags: `alike` curvatures, a `common` minimum, FedAvg with `double` steps.

    N to 300, T to 100, K to `most_steps`; η_l <= 1/(8LK) and η <= 1/(24LK), as Theorem 4.1 asks.
    """

    def at(N: float, T: float, K: float) -> Case:
        n = int(N)
        applied = (Simplex("applied", n),) if part in (4, 5) else ()
        space = Space(
            (
                LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
                Signed("optimum", 1e-2, 1e2, (n,)),
                Simplex("weights", n, interior=part in (1, 2, 4)),
                Signed("start", 1e-2, 1e3),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
                LogScale("server", 1e-2, 1.0, at=(1.0,)),
                *applied,
                Choice("rounds", (float(T),)),
                Choice("local_steps", (float(K),)),
                Choice("part", (float(part),)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        every = {"curvature": 0, "optimum": 0, "weights": 0, **({"applied": 0} if applied else {})}
        same = [units({"curvature": (1, -2), "optimum": (0, 1), "start": (0, 1)})]
        if not flags:
            same += [permuted_clients(every), split_client(every, ("weights", "applied"))]
        name = f"{n} clients on the line, T = {int(T)}, K = {int(K)}"
        cost = max(1.0, n / 75, T / 25)
        return Case(name, space, _runs, ExactCheck(runs_exact), cost=cost, symmetries=tuple(same))

    sizes = (
        Size("N", 2 if part in (4, 5) else 1, 300, 2),
        Size("T", 1, 100, 3),
        Size("K", 1, most_steps, 1),
    )
    return Property((Family("clients on the line", sizes, at),), degrees=_DEGREES[part])
