"""One round of EFL from a common start: how far the local models drift from the virtual one and from the start.

Gradients are arbitrary vectors, random through two scenarios (batches of the whole round).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    rotated_space,
    split_client,
    units,
)

__all__ = ["DEGREES", "DRIFT", "GAP", "LOCAL", "ONE", "VIRTUAL", "stated"]


DRIFT, VIRTUAL, LOCAL, GAP, ONE = range(5)  # Σp‖ω̄−ωᵏ‖², ‖ω̄−start‖², Σp‖ωᵏ−start‖², the last two's gap, one client
DEGREES = {
    "E": (0, 0),
    "G2": (2, -2),
    "eta": (-1, 2),
    "steps": (0, 0),
    "total": (0, 0),
    "squares": (0, 0),
    "jensen": (0, 2),
    "sums": (2, -2),
    "nothing": (0, 2),
}


def _measure(x: Instance) -> Mapping[str, Any]:
    g, p, share, step = x["gradient"], x["coefficient"], x["share"], x["step"]
    n_local, look = g.shape[2], int(x["look"][0])
    q = np.stack([x["chance"], 1 - x["chance"]], axis=1)
    active = (x["active"] >= 0.5).astype(float) + np.zeros((1, 2, 1, 1))
    counted = (np.arange(n_local) < np.floor(x["part"] * n_local + 1e-9)[:, None]).astype(float)
    moved = step[:, None, None, None] * np.einsum("nkeci,nkec,ne->nkci", g, active, counted)
    virtual = (p[:, None, :, None] * moved).sum(axis=2)
    done = active.sum(axis=2)
    means = np.einsum("nk,nkec->nec", q, (g**2).sum(axis=4))
    own = (moved**2).sum(axis=3)

    def average(values: Any) -> Any:
        return (q * values).sum(axis=1)

    drift = average((p[:, None] * ((virtual[:, :, None] - moved) ** 2).sum(axis=3)).sum(axis=2))
    local = average((p[:, None] * own).sum(axis=2))
    lhs = [drift, average((virtual**2).sum(axis=2)), local, np.abs(drift - local), average(own[:, :, 0])][look]
    taken = np.einsum("nk,nkec,ne->nec", q, active * (g**2).sum(axis=4), counted)
    return {
        "lhs": lhs,
        "E": np.full(len(p), float(n_local)),
        "G2": means.max(axis=(1, 2)),
        "eta": step,
        "steps": average((p[:, None] * done).sum(axis=2)) if look != ONE else average(done[:, :, 0]),
        "total": p.sum(axis=1),
        "squares": average((p[:, None] ** 2 / share[:, None] * done).sum(axis=2)),
        "jensen": average((p[:, None] ** 2 / share[:, None] * own).sum(axis=2)),
        "sums": counted.sum(axis=1) * taken[..., 0].sum(axis=1),
        "nothing": np.zeros(len(p)),
        "magnitude": drift + local,
    }


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """A round of E steps up to step j <= E - 1, in two scenarios; s counts all steps of the round."""
    g, p, share, eta, look = x["gradient"], x["coefficient"], x["share"], x["step"], int(x["look"])
    clients, n_local, dims = range(len(p)), len(g[0]), range(len(g[0][0][0]))
    j = int(x["part"] * n_local)
    chances = [x["chance"], 1 - x["chance"]]
    lhs = steps = squares = jensen = sums = Fraction(0)
    seconds = [[Fraction(0) for _ in clients] for _ in range(n_local)]
    for number, chance in enumerate(chances):
        active = x["active"][number if len(x["active"]) > 1 else 0]
        on = [[row[k] >= Fraction(1, 2) for k in clients] for row in active]
        moved = [[eta * sum(g[number][i][k][d] for i in range(j) if on[i][k]) for d in dims] for k in clients]
        virtual = [sum(p[k] * moved[k][d] for k in clients) for d in dims]
        done = [sum(row[k] for row in on) for k in clients]
        drift = sum(p[k] * (virtual[d] - moved[k][d]) ** 2 for k in clients for d in dims)
        local = sum(p[k] * moved[k][d] ** 2 for k in clients for d in dims)
        sides = [drift, sum(v * v for v in virtual), local, drift - local, sum(v * v for v in moved[0])]
        lhs = lhs + chance * sides[look]
        steps = steps + chance * (sum(p[k] * done[k] for k in clients) if look != 4 else done[0])
        squares = squares + chance * sum(p[k] ** 2 / share[k] * done[k] for k in clients)
        jensen = jensen + chance * sum(p[k] ** 2 / share[k] * moved[k][d] ** 2 for k in clients for d in dims)
        for i in range(n_local):
            for k in clients:
                size = sum(v * v for v in g[number][i][k])
                seconds[i][k] = seconds[i][k] + chance * size
                sums = sums + (j * chance * size if k == 0 and i < j and on[i][0] else 0)
    met = {
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "probabilities": 0 <= x["chance"] <= 1,
        "0 <= j <= E - 1": 0 <= j <= n_local - 1,
    }
    constants = {
        "lhs": abs(lhs),
        "E": Fraction(n_local),
        "G2": max(max(row) for row in seconds),
        "eta": eta,
        "steps": steps,
        "total": sum(p),
        "squares": squares,
        "jensen": jensen,
        "sums": sums,
        "nothing": Fraction(0),
    }
    return met, constants


def _round(look: int, *, sees: bool = False, least: int = 1) -> Family:
    """One round over its sizes; `sees`: the activity is drawn for each scenario, so it may depend on the batches."""

    def at(N: float, E: float, d: float) -> Case:
        n, n_local, dim = int(N), int(E), int(d)
        last = (n_local - 1) / n_local
        space = Space(
            (
                Signed("gradient", 1e-2, 1e2, (2, n_local, n, dim)),
                Uniform("active", 0.0, 1.0, (2 if sees else 1, n_local, n)),
                LogScale("coefficient", 1e-3, 1e1, (n,), at=(0.1, 1.0)),
                Simplex("share", n, interior=True),
                Uniform("chance", 0.0, 1.0, at=(0.0, 0.5, 0.01)),
                Uniform("part", 0.0, last, at=(last,)) if n_local > 1 else Choice("part", (0.0,)),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
                Choice("look", (float(look),)),
            )
        )
        every = {"gradient": 2, "active": 2, "coefficient": 0, "share": 0}
        same: tuple[Any, ...] = (units({"gradient": (1, -1), "step": (-1, 2)}), rotated_space(("gradient",)))
        if look != ONE:
            same = (*same, permuted_clients(every), split_client(every, ("coefficient", "share")))
        name = f"{n} clients, E = {n_local}, d = {dim}" + (", activity sees the batches" if sees else "")
        return Case(
            name, space, _measure, ExactCheck(drift_exact), cost=max(1.0, n * n_local * dim / 40), symmetries=same
        )

    return Family("a round", (Size("N", 1, 100, 2), Size("E", least, 100, max(2, least)), Size("d", 1, 8, 1)), at)


def stated(bound: Bound, look: int, **how: Any) -> Inequality:
    """What is looked at stays below the bound, over all rounds; `how` as in `_round`."""
    return Inequality(bound, (_round(look, **how),), degrees=(0, 2))
