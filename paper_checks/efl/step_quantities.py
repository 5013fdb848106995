"""One step of EFL as (41)-(48) see it: quadratic clients, models of any round, steps within (42)'s limit, two-point noise.

The round's common start is given as an offset from ω*, or relative to the optimum of the client that counts most; `drift` is
how far the steps so far have moved each client, whatever its batches were; by (12) and (14) the virtual model has then moved
by Σp·drift. The noise of all clients in the step itself is a vector times one two-point variable of mean 0.
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
    split_client,
    units,
)

__all__ = ["A1", "C1", "C2", "COLLECTED", "GAIN", "NEXT", "judged"]

# ‖u − ηΣpαḡ‖², C₁ of (42), −C₂, Σpα(F(ω*) − F(ω̄)), the next distance, what η²B stands for in (46)
A1, C1, C2, GAIN, NEXT, COLLECTED = range(6)
_DEGREES = {
    "eta": (-1, 2),
    "mu": (1, -2),
    "L": (1, -2),
    "theta": (0, 0),
    "taken": (0, 0),
    **dict.fromkeys(("before", "far", "apart"), (0, 2)),
    **dict.fromkeys(("noise", "steep"), (2, -2)),
    **dict.fromkeys(("above", "gap", "ahead", "over", "nothing"), (1, 0)),
}


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, share = x["curvature"], x["optimum"], x["share"]
    p = share * x["coefficient"]
    best = (share[..., None] * h * m).sum(axis=1) / (share[..., None] * h).sum(axis=1)
    off = best[:, None] - m
    weighty = x["coefficient"] * (0.001 + (x["active"][:, 0] >= 0.5))
    top = np.take_along_axis(-off, np.argmax(weighty, axis=1)[:, None, None], axis=1)[:, 0]
    begun = np.where(x["own"][:, None] > 0, x["beside"][:, None] * top, x["virtual"])
    gone = x["drifting"][:, None, None] * x["drift"]
    u, v = begun + (p[..., None] * gone).sum(axis=1), begun[:, None] + gone
    at = u[:, None] + off
    g = h * (v + off)
    L_, mu_ = h.max(axis=(1, 2)), h.min(axis=(1, 2))
    theta_ = (1 + x["slack"]) * x["coefficient"].max(axis=1)
    eta_ = x["step"] / (2 * (1 + theta_) ** x["power"] * L_)
    chance = 1 / (1 + x["rare"] ** 2)
    alone = x["pathwise"] > 0
    q = np.where(alone[:, None], np.array([1.0, 0.0]), np.stack([chance, 1 - chance], axis=1))
    z = x["noisy"][:, None] * np.stack([x["rare"], -1 / x["rare"]], axis=1)
    w = p[:, None] * ((x["active"] >= 0.5).astype(float) + np.zeros((1, 2, 1)))

    def mean(values: Any) -> Any:
        return (q * values).sum(axis=1)

    def summed(values: Any) -> Any:
        return mean((w * values[:, None]).sum(axis=2))

    push = np.einsum("nrk,nkd->nrd", w, g)
    error = z[..., None] * np.einsum("nrk,nkd->nrd", w, x["noise"])
    moved = u[:, None] - eta_[:, None, None] * push
    after = moved - eta_[:, None, None] * error
    known = {
        "eta": eta_,
        "mu": mu_,
        "L": L_,
        "theta": theta_,
        "taken": mean(w.sum(axis=2)),
        "before": (u**2).sum(axis=1),
        "far": summed((v**2).sum(axis=2)),
        "apart": summed(((u[:, None] - v) ** 2).sum(axis=2)),
        "noise": mean((error**2).sum(axis=2)),
        "steep": summed(((h * at) ** 2).sum(axis=2)),
        "above": summed(0.5 * (h * (v + off) ** 2).sum(axis=2)),
        "gap": summed(0.5 * (h * off**2).sum(axis=2)),
        "over": summed(0.5 * (h * at**2).sum(axis=2)),
        "nothing": np.zeros(len(u)),
    }
    known["ahead"] = known["over"] - known["gap"]
    gamma = 2 * eta_ * (1 - (1 + theta_) * L_ * eta_)
    drift = (2 + mu_ * eta_) * known["apart"]
    lhs = [
        mean((moved**2).sum(axis=2)),
        2 * eta_ * known["gap"] - gamma * known["above"],
        known["gap"] - known["above"],
        -known["ahead"],
        mean((after**2).sum(axis=2)),
        drift + eta_**2 * (known["noise"] + 2 * (2 + theta_) * L_ * known["gap"]),
    ][int(x["look"][0])]
    losses = known["above"] + known["gap"] + known["over"]
    squares = known["before"] * (1 + known["taken"]) + known["apart"] + 2 * eta_ * losses + eta_**2 * known["noise"]
    squares = squares + (m**2).max(axis=(1, 2)) + (begun**2).sum(axis=1)
    squares = squares + ((p[..., None] * np.abs(gone)).sum(axis=1) ** 2).sum(axis=1)
    shared = {"common": known["before"]} if int(x["look"][0]) in (A1, NEXT) else {}
    return {**known, **shared, "lhs": lhs, "magnitude": losses if int(x["look"][0]) in (C2, GAIN) else squares}


def step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One step at quadratic clients; the batches have two outcomes, averaged unless `pathwise`."""
    h, m, share = x["curvature"], x["optimum"], x["share"]
    clients, dims = range(len(share)), range(len(x["virtual"]))
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    p = [share[k] * x["coefficient"][k] for k in clients]
    theta = (1 + x["slack"]) * max(x["coefficient"])
    eta = x["step"] / (2 * (1 + theta) ** int(x["power"]) * L)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    on = [Fraction(1001 if v >= Fraction(1, 2) else 1, 1000) for v in x["active"][0]]
    top = max(clients, key=lambda k: x["coefficient"][k] * on[k])
    begun = [best[i] + (x["beside"] * (m[top][i] - best[i]) if x["own"] > 0 else x["virtual"][i]) for i in dims]
    local = [[begun[i] + x["drifting"] * x["drift"][k][i] for i in dims] for k in clients]
    virtual = [begun[i] + sum(p[k] * (local[k][i] - begun[i]) for k in clients) for i in dims]  # (12) and (14)
    u = [virtual[i] - best[i] for i in dims]
    rare = x["rare"]
    worlds = [(1 / (1 + rare**2), rare), (rare**2 / (1 + rare**2), -1 / rare)]
    if x["pathwise"] > 0:
        worlds = [(Fraction(1), rare)]

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    names = ("taken", "far", "apart", "noise", "steep", "above", "gap", "over")
    c = {name: Fraction(0) for name in names}
    moved = after = Fraction(0)
    for number, (chance, z) in enumerate(worlds):
        row = x["active"][number if len(x["active"]) > 1 else 0]
        w = [chance * p[k] if row[k] >= Fraction(1, 2) else Fraction(0) for k in clients]
        push = [sum(w[k] * h[k][i] * (local[k][i] - m[k][i]) for k in clients) / chance for i in dims]
        error = [x["noisy"] * z * sum(w[k] * x["noise"][k][i] for k in clients) / chance for i in dims]
        moved = moved + chance * sum((u[i] - eta * push[i]) ** 2 for i in dims)
        after = after + chance * sum((u[i] - eta * (push[i] + error[i])) ** 2 for i in dims)
        c["noise"] = c["noise"] + chance * sum(e * e for e in error)
        c["taken"] = c["taken"] + sum(w)
        c["far"] = c["far"] + sum(w[k] * (local[k][i] - best[i]) ** 2 for k in clients for i in dims)
        c["apart"] = c["apart"] + sum(w[k] * (virtual[i] - local[k][i]) ** 2 for k in clients for i in dims)
        c["steep"] = c["steep"] + sum(w[k] * (h[k][i] * (virtual[i] - m[k][i])) ** 2 for k in clients for i in dims)
        c["above"] = c["above"] + sum(w[k] * loss(k, local[k]) for k in clients)
        c["gap"] = c["gap"] + sum(w[k] * loss(k, best) for k in clients)
        c["over"] = c["over"] + sum(w[k] * loss(k, virtual) for k in clients)
    c["ahead"] = c["over"] - c["gap"]
    lhs = [
        moved,
        -2 * eta * (1 - (1 + theta) * L * eta) * c["above"] + 2 * eta * c["gap"],
        -(c["above"] - c["gap"]),
        c["gap"] - c["over"],
        after,
        (2 + mu * eta) * c["apart"] + eta**2 * c["noise"] + 2 * (2 + theta) * L * eta**2 * c["gap"],
    ][int(x["look"])]
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": all(p[k] < theta * share[k] for k in clients),
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= 1 / (2 * (1 + theta) * L),
    }
    constants = {"lhs": lhs, "eta": eta, "mu": mu, "L": L, "theta": theta, "before": sum(v * v for v in u), **c}
    return met, {**constants, "nothing": Fraction(0)}


def _cases(look: int, *, pathwise: bool, noisy: bool, sees: bool, short: bool, sound: bool) -> tuple[Case, Family]:
    def at(N: float, d: float, edge: bool = False) -> Case:
        n, dim = int(N), int(d)
        space = Space(
            (
                LogScale(
                    "curvature",
                    0.5 if edge else 1e-2,
                    1.0 if edge else 1e2,
                    (n, dim),
                    at=(1.0,) if edge else (1e-2, 1.0, 1e2),
                ),
                Signed("optimum", 1e-2, 1e2, (n, dim)),
                Simplex("share", n, interior=True),
                LogScale("coefficient", 10.0 if edge else 1e-2, 1e2, (n,), at=(1e2,) if edge else (1.0, 1e2)),
                LogScale("slack", 1e-3, 0.01 if edge else 1e1, at=(1e-3,) if edge else (1e-3, 1.0)),
                Uniform("active", 0.0, 1.0, (2 if sees else 1, n)),
                Signed("virtual", 1e-2, 1e2, (dim,)),
                Signed("drift", 1e-3, 1e2, (n, dim)),
                Signed("noise", 1e-2, 1e2, (n, dim)),
                LogScale("rare", 1.0, 30.0, at=(1.0,)),
                LogScale("step", 0.7 if edge else 1e-3, 1.0, at=(1.0,) if edge else (1e-2, 1.0)),
                Uniform("beside", -1.2, -0.3) if edge else Signed("beside", 1e-1, 1e1),
                Choice("own", (1.0,) if edge else (0.0, 1.0)),
                Choice("drifting", (0.0,) if edge else (0.0, 1.0)),
                Choice("noisy", (0.0, 1.0) if noisy and not edge else (0.0,)),
                Choice("pathwise", (float(pathwise),)),
                Choice("power", (2.0 if short else 1.0,)),
                Choice("look", (float(look),)),
            )
        )
        every = {"curvature": 0, "optimum": 0, "share": 0, "coefficient": 0, "active": 1, "drift": 0, "noise": 0}
        lengths = dict.fromkeys(("optimum", "virtual", "drift"), (0, 1))
        same: tuple[Any, ...] = (permuted_clients(every), split_client(every, ("share",)))
        if sound:
            same = (units({"curvature": (1, -2), "noise": (1, -1), **lengths}), *same)
        cost = max(1.0, n * dim / 15)
        name = f"{n} clients, d = {dim}" + (", noisy batches" if noisy else "") + (", long steps" * edge)
        return Case(name, space, _measure, ExactCheck(step_exact), cost=cost, symmetries=same)

    family = Family("one step" + (", noisy batches" if noisy else ""), (Size("N", 1, 300, 2), Size("d", 1, 8, 1)), at)
    return at(2, 1, edge=True), family


def judged(
    look: int,
    expression: Any,
    again: Any = None,
    *,
    pathwise: bool = False,
    noisy: bool = False,
    sees: bool = False,
    short: bool = False,
    sound: bool = True,
) -> Inequality:
    """What is looked at stays below the expression, over all clients and models.

    `pathwise`: one outcome of the batches in place of the mean; `sees`: activity may depend on the outcome; `short`:
    η <= 1/(2(1+θ)²L); `sound`: False for an expression whose terms have different units.
    """
    how = {"pathwise": pathwise, "sees": sees, "short": short, "sound": sound}
    cases: tuple[Any, ...] = _cases(look, noisy=False, **how)
    if noisy:
        cases = (*cases, _cases(look, noisy=True, **how)[1])
    degrees = (1, 0) if look in (C2, GAIN) else (0, 2)
    return Inequality(Bound(expression, again=again, degrees=_DEGREES if sound else None), cases, degrees=degrees)
