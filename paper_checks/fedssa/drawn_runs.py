"""How FedSSA's own runs are drawn: clients on a line, whole runs along axes, runs with w = p at Corollary A.8's step."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.fedssa.notation import NOTATION
from paper_checks.fedssa.quadratic_runs import RUN_USES, run, run_exact
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
)
from validation.statement.says import Le
from validation.world.world import World, case

__all__ = ["line_runs", "own_runs", "still_runs", "whole_runs"]

Checked = tuple[Mapping[str, bool], Mapping[str, Any]]


def _line(x: Instance, h: Any) -> dict[str, Any]:
    """Clients of curvature h on a line, in coordinates about the minimiser of F; only where F clearly bends upwards."""
    p, m = x["share"], x["optimum"]
    best = (p * h * m).sum(axis=1) / (p * h).sum(axis=1)
    found = {"h": h[..., None], "b": (h * (best[:, None] - m))[..., None], "p": p, "slack": x["slack"]}
    s2 = np.broadcast_to((x["noise"] * x["noisy"])[:, None, None], found["h"].shape)
    return {**found, "extra": x["extra"], "start": (x["start"] - best)[:, None], "s2": s2, "least": 1e-3}


def line_exact(x: Mapping[str, Any], h: list[Any]) -> dict[str, Any]:
    """The same, client by client."""
    p, m, clients = x["share"], x["optimum"], range(len(h))
    best = sum(p[k] * h[k] * m[k] for k in clients) / sum(p[k] * h[k] for k in clients)
    found = {"h": [[v] for v in h], "b": [[h[k] * (best - m[k])] for k in clients], "p": p, "slack": x["slack"]}
    s2 = [[x["noise"] * x["noisy"]] for _ in clients]
    return {**found, "extra": x["extra"], "start": [x["start"] - best], "s2": s2}


def line(x: Instance, **how: Any) -> Mapping[str, Any]:
    """A run on a line at τηL = `step_fraction`/2."""
    return run({**_line(x, x["curvature"]), "w": x["weights"], "length": x["step_fraction"]}, **how)


def line_run_exact(x: Mapping[str, Any], **how: Any) -> Checked:
    """The same in exact numbers."""
    made = {**line_exact(x, x["curvature"]), "w": x["weights"], "length": x["step_fraction"]}
    met, found = run_exact(made, **how)
    return {**met, "eta L <= 1/(2 tau)": 0 < x["step_fraction"] <= 1}, found


def line_runs(*where: Le) -> World:
    """Convex clients and clients of any curvature on a line, the least squared gradient on the left."""

    def at(K: int, tau: int, T: int, convex: bool) -> Case:
        kind, words = (LogScale, "convex") if convex else (Signed, "of any curvature")
        space = Space(
            (
                kind("curvature", 1e-2, 1e1, (K,), **({"at": (1e-2, 1.0, 1e1)} if convex else {})),
                Signed("optimum", 1e-2, 1e1, (K,)),
                Simplex("share", K),
                Simplex("weights", K),
                Signed("start", 1e-2, 1e2),
                Uniform("step_fraction", 0.01, 1.0),
                *_ROOM,
                LogScale("noise", 1e-2, 1e2),
                Choice("noisy", (0.0, 0.0, 1.0)),
            )
        )
        name, uses = f"{K} 1-D clients, {words}, τ = {tau}, T = {T}", (*RUN_USES, line_exact)
        return case(name, space, line, line_run_exact, uses=uses, tau=tau, T=T)

    sizes = ((1, 1, 1), (2, 1, 1), (2, 1, 16), (2, 1, 128), (2, 3, 8), (3, 2, 32))
    return World(NOTATION, tuple(at(*size, convex) for convex in (True, False) for size in sizes), where)


def still_runs(T: int) -> World:
    """Two convex clients on a line, without noise: with all weight on a flat one the model never moves.

    The unit of loss is such that their curvatures sum to 1.
    """
    space = Space(
        (
            Simplex("curvature", 2),
            Signed("optimum", 1e-2, 1e1, (2,)),
            Simplex("share", 2),
            Simplex("weights", 2),
            Signed("start", 1e-2, 1e2),
            Uniform("step_fraction", 0.01, 1.0),
            *_ROOM,
            Choice("noise", (0.0,)),
            Choice("noisy", (0.0,)),
        )
    )
    name, uses = f"2 1-D convex clients, τ = 1, T = {T}", (*RUN_USES, line_exact)
    return World(NOTATION, (case(name, space, line, line_run_exact, uses=uses, tau=1, T=T),))


_ROOM = (LogScale("slack", 1e-3, 1e2), LogScale("extra", 1e-6, 1.0))


def whole(x: Instance, *, small: bool, **how: Any) -> Mapping[str, Any]:
    """A run along axes, in some of which F may be flat; `small`: A = 1, clients that differ where F is flat only."""
    p, flat = x["share"], (np.arange(x["common"].shape[1]) > 0) & (x["flat"] > 0)[:, None]
    h = x["common"][:, None] * (1 + (0.0 if small else x["spread"][:, None, None]) * x["unit"])
    b = x["pull"] - np.einsum("nk,nkj->nj", p, x["pull"])[:, None]
    s = np.where(x["even"][:, None, None] > 0, x["noise"][:, :1], x["noise"]) * x["noisy"][:, None, None]
    made = {"h": np.where(flat[:, None], 0.0, h), "b": np.where(flat[:, None], b, 0.0) if small else b, "p": p, "s": s}
    made |= {"w": p + x["mix"][:, None] * (x["weights"] - p), "slack": 0.0 if small else x["slack"]}
    made |= {name: x[name] for name in ("extra", "start", "settled", "lift")}
    return run({**made, "length": x["step_fraction"]}, **how, lost=small)


def whole_exact(x: Mapping[str, Any], *, small: bool, **how: Any) -> Checked:
    """The same in exact numbers."""
    p, clients, axes = x["share"], range(len(x["share"])), range(len(x["common"]))
    curved, zero = [j == 0 or x["flat"] == 0 for j in axes], Fraction(0)
    bend = zero if small else x["spread"]
    centre = [sum(p[k] * x["pull"][k][j] for k in clients) for j in axes]
    made = {
        "h": [[x["common"][j] * (1 + bend * x["unit"][k][j]) if curved[j] else zero for j in axes] for k in clients],
        "b": [[zero if small and curved[j] else x["pull"][k][j] - centre[j] for j in axes] for k in clients],
        "p": p,
        "w": [a + x["mix"] * (c - a) for a, c in zip(p, x["weights"], strict=True)],
        "s": [[v * x["noisy"] for v in (x["noise"][0] if x["even"] > 0 else row)] for row in x["noise"]],
        "slack": zero if small else x["slack"],
        "length": x["step_fraction"],
    }
    made |= {name: x[name] for name in ("extra", "start", "settled", "lift")}
    met, found = run_exact(made, **how, lost=small)
    return {**met, "eta L <= 1/(2 tau)": 0 < x["step_fraction"] <= 1}, found


def whole_runs(
    *where: Le, small: bool = False, shared: bool = False, learned: bool = False, average: bool = True
) -> World:
    """Runs along axes; `small`: A = 1 and the printed D, else the D with A·W_D; `average`: the mean is looked at."""
    how = {"small": small, "shared": shared, "learned": learned}

    def at(K: float, d: float, tau: float, T: float) -> Case:
        n, dim, steps, rounds = int(K), int(d), int(tau), int(T)
        space = Space(
            (
                LogScale("common", 1e-2, 1e1, (dim,), at=(1.0,)),
                Uniform("unit", -1.0, 1.0, (n, dim), at=(-1.0, 0.0, 1.0)),
                LogScale("spread", 1e-2, 3.0),
                Signed("pull", 1e-2, 1e1, (n, dim)),
                Choice("flat", (0.0, 1.0)),
                Simplex("share", n),
                Simplex("weights", n),
                Choice("mix", (0.0, 0.02, 0.1, 0.3, 1.0)),
                Signed("start", 1e-2, 1e2, (dim,)),
                Choice("settled", (0.0, 1.0)),
                LogScale("step_fraction", 1e-4, 1.0, at=(1.0,)),
                *_ROOM,
                LogScale("noise", 1e-2, 1e2, (n, dim), at=(1.0, 1e2)),
                Uniform("lift", 0.0, 1.0, at=(0.3,)),
                Choice("noisy", (0.0, 1.0)),
                Choice("even", (0.0, 1.0)),
            )
        )
        name, asked = f"{n} clients, d = {dim}, τ = {steps}, T = {rounds}", "average" if average else "low"
        cost = min(8.0, max(1.0, (n * steps * dim + rounds * dim) / 150))
        chosen: dict[str, Any] = {"tau": steps, "T": rounds, **how}
        fast = partial(whole, **chosen)
        return case(name, space, fast, partial(whole_exact, **chosen, asked=asked), uses=RUN_USES, cost=cost)

    least, many = 2 if shared or learned else 1, 20 if shared or learned else 2
    sizes = (
        Size("K", least, 50, many),
        Size("d", 1, 3, 2 if small and not learned else 1),
        Size("tau", 1, 20, 1 if learned else 2),
        Size("T", 1, 200, 200 if learned else 20),
    )
    return World(NOTATION, (Family("whole runs", sizes, at),), where)


def own(x: Instance, *, tau: int, side: int, T: int) -> Mapping[str, Any]:
    """A run with w = p at η = 1/√(τT), T = τ·side²; curvatures scaled so that L = part·side/(2 + 2A)."""
    raw, p = x["curvature"], x["share"]
    top, mean = np.abs(raw).max(axis=1), (p * raw).sum(axis=1)
    bounded = mean > 1e-3 * top
    raw = np.where(bounded[:, None], raw, 1.0)
    A = ((raw / (p * raw).sum(axis=1, keepdims=True)) ** 2).max(axis=1) * (1 + x["slack"])
    h = raw * (x["part"] * side / (2 + 2 * A) / np.abs(raw).max(axis=1))[:, None]
    seen = run({**_line(x, h), "w": p, "eta": np.full(len(p), 1 / (tau * side))}, tau=tau, T=T)
    return {**seen, "admissible": bounded}


def own_exact(x: Mapping[str, Any], *, tau: int, side: int, T: int, asked: str) -> Checked:
    """The same in exact numbers."""
    raw, p = x["curvature"], x["share"]
    mean = sum(a * c for a, c in zip(p, raw, strict=True))
    A = max((c / mean) ** 2 for c in raw) * (1 + x["slack"])
    h = [c * x["part"] * side / (2 + 2 * A) / max(abs(v) for v in raw) for c in raw]
    return run_exact({**line_exact(x, h), "w": p, "eta": Fraction(1, tau * side)}, tau=tau, T=T, asked=asked)


def own_runs(*where: Le, longest: float = 1.0, average: bool = True) -> World:
    """Clients of any curvature whose mean is convex, w = p; with `longest` > 1 few rounds and steps that overshoot too."""

    def at(K: float, steps: float, side: float) -> Case:
        size = int(K)
        space = Space(
            (
                Signed("curvature", 1e-2, 1e1, (size,)),
                Signed("optimum", 1e-2, 1e2, (size,)),
                Simplex("share", size),
                Signed("start", 1e-2, 1e2),
                LogScale("part", 1e-2, longest, at=(1.0,)),
                *_ROOM,
                LogScale("noise", 1e-2, 1e2),
                Choice("noisy", (0.0, 1.0)),
            )
        )
        T = int(steps * side**2)
        chosen: dict[str, Any] = {"tau": int(steps), "side": int(side), "T": T}
        asked = "average" if average else "low"
        return case(
            f"{size} clients, τ = {int(steps)}, T = {T}",
            space,
            partial(own, **chosen),
            partial(own_exact, **chosen, asked=asked),
            uses=(*RUN_USES, line_exact),
            cost=min(4.0, max(1.0, size * T / 400)),
            symmetries=(permuted_clients(dict.fromkeys(("curvature", "optimum", "share"), 0)),),
        )

    sizes = (Size("K", 1, 50, 2), Size("steps", 1, 20, 2), Size("side", 1, 10, 3))
    return World(NOTATION, (Family("runs with w = p", sizes, at),), where)
