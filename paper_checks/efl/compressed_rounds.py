"""Rounds of Algorithm 1 of EFL, compressed or not, beside the indicator forms (12)-(14) of its proof.

Quadratic clients in the plane, any batches, any activity; the compressor keeps the larger coordinate (n = 2, nq <= 1).
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
    Size,
    Space,
    Uniform,
    permuted_clients,
    symbols,
    units,
)

__all__ = ["BIAS", "INSIDE", "LOCAL", "SERVER", "VIRTUAL", "equal"]

LOCAL, SERVER, VIRTUAL, INSIDE, BIAS = range(5)  # what an instance looks at


def _ternary(t: Any) -> Any:
    """ST of Algorithm 2 on vectors of two entries, one kept; equal entries are both kept."""
    size = np.abs(t)
    kept = np.where(size >= size.max(axis=-1, keepdims=True), size, 0.0)
    return kept.sum(axis=-1, keepdims=True) * np.sign(t) * (kept > 0)


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, start = x["curvature"], x["optimum"], x["start"]
    eta, look = x["step"][:, None, None], int(x["look"][0])
    packed, absorbed, late = (x[k][:, None] for k in ("compressed", "absorbed", "late"))
    n, n_rounds, steps, n_clients = x["active"].shape
    active = (x["active"] >= 0.5).astype(float)
    up, down = np.zeros((n, n_clients, 2)), np.zeros((n, 2))
    server = virtual = start
    size = np.abs(start).max(axis=1)
    missed = np.zeros(n)
    for r in range(n_rounds):
        p = x["coefficient"][:, r, :, None]
        local = np.repeat(server[:, None], n_clients, axis=1)
        quiet = np.array(local)
        moved, begun = np.zeros((n, 2)), virtual
        for j in range(steps):
            on = active[:, r, j, :, None]
            push = eta * (h * (local - m) + x["noise"][:, r, j]) * on
            if j == steps - 1:  # the index E of (12) and (13), the first step of the next round
                moved = moved + late * (p * push).sum(axis=1)
                break
            local, moved = local - push, moved + (p * push).sum(axis=1)
            quiet = quiet - eta * h * (quiet - m) * on
            virtual = virtual - (p * push).sum(axis=1)
            inside = (virtual - begun) - (p * (local - server[:, None])).sum(axis=1)
            missed = np.maximum(missed, np.abs(inside).max(axis=1)) if look == INSIDE else missed
            size = np.maximum(size, np.abs(local).max(axis=(1, 2)) + np.abs(virtual).max(axis=1))
        done = active[:, r, :-1].sum(axis=1) + late * active[:, r, -1]
        ends = m + (1 - eta * h) ** done[..., None] * (server[:, None] - m)
        carried = (p * up).sum(axis=1)
        sent = up + local - server[:, None]
        change = down + (p * sent).sum(axis=1)
        known = down - moved
        if look == LOCAL:
            missed = np.maximum(missed, np.abs(ends - quiet).max(axis=(1, 2)))
        if look == SERVER:
            missed = np.maximum(missed, np.abs(change - known).max(axis=1))
        if look == BIAS:
            missed = np.maximum(missed, np.abs(down + carried).max(axis=1))
        virtual = virtual + absorbed * (down + carried)
        server = server + change
        if look == VIRTUAL:
            missed = np.maximum(missed, np.abs(server - virtual).max(axis=1))
        up = (packed * x["uplink"][:, None])[:, None] * (sent - _ternary(sent))
        down = packed * (change - _ternary(change))
        size = np.maximum(
            size, np.abs(server).max(axis=1) + np.abs(sent).max(axis=(1, 2)) + np.abs(ends).max(axis=(1, 2))
        )
    return {"lhs": missed, "nothing": np.zeros(n), "magnitude": 10 * size}


def ternary_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1: the mean magnitude of what is kept, with its signs."""
    largest = max(abs(v) for v in t)
    kept = [abs(v) if abs(v) >= largest else Fraction(0) for v in t]
    return [sum(kept) * ((v > 0) - (v < 0)) if keep else Fraction(0) for v, keep in zip(t, kept, strict=True)]


def virtual_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Rounds of Algorithm 1 with full downlink, the indicator forms (12)-(14), and by how much they differ.

    `look`: 0 local models (12), 1 the server (13), 2 Lemma 1, 3 (14) inside a round, 4 the residual absorbed by (14).
    `uplink` 0: the clients' updates are sent as they are, so R^k = 0, and only the server's are compressed.
    """
    h, m, eta, look, pair = x["curvature"], x["optimum"], x["step"], int(x["look"]), range(2)
    clients, n_local, zero = range(len(h)), len(x["active"][0]) - 1, Fraction(0)
    up, down = [[zero, zero] for _ in clients], [zero, zero]
    server, virtual, missed = list(x["start"]), list(x["start"]), zero
    for active, noise, p in zip(x["active"], x["noise"], x["coefficient"], strict=True):
        local, quiet = [list(server) for _ in clients], [list(server) for _ in clients]
        moved, begun = [zero, zero], list(virtual)
        for j in range(n_local + 1):
            for k in clients:
                if active[j][k] < Fraction(1, 2):
                    continue
                push = [eta * (h[k][i] * (local[k][i] - m[k][i]) + noise[j][k][i]) for i in pair]
                if j == n_local:
                    moved = [moved[i] + x["late"] * p[k] * push[i] for i in pair]
                    continue
                local[k] = [local[k][i] - push[i] for i in pair]
                quiet[k] = [quiet[k][i] - eta * h[k][i] * (quiet[k][i] - m[k][i]) for i in pair]
                moved = [moved[i] + p[k] * push[i] for i in pair]
                virtual = [virtual[i] - p[k] * push[i] for i in pair]
            for i in pair:
                apart = virtual[i] - begun[i] - sum(p[k] * (local[k][i] - server[i]) for k in clients)
                missed = max(missed, abs(apart)) if look == 3 else missed
        sent = [[up[k][i] + local[k][i] - server[i] for i in pair] for k in clients]
        change = [down[i] + sum(p[k] * sent[k][i] for k in clients) for i in pair]
        carried = [sum(p[k] * up[k][i] for k in clients) for i in pair]
        for i in pair:
            if look == 0:
                for k in clients:
                    done = sum(row[k] >= Fraction(1, 2) for row in active[:n_local])
                    done = done + int(x["late"]) * (active[n_local][k] >= Fraction(1, 2))
                    end = m[k][i] + (1 - eta * h[k][i]) ** done * (server[i] - m[k][i])
                    missed = max(missed, abs(end - quiet[k][i]))
            if look == 1:
                missed = max(missed, abs(change[i] - down[i] + moved[i]))
            if look == 4:
                missed = max(missed, abs(down[i] + carried[i]))
        virtual = [virtual[i] + x["absorbed"] * (down[i] + carried[i]) for i in pair]
        server = [server[i] + change[i] for i in pair]
        if look == 2:
            missed = max([missed] + [abs(server[i] - virtual[i]) for i in pair])
        if x["compressed"] > 0:
            up = [[x["uplink"] * (a - b) for a, b in zip(s, ternary_exact(s), strict=True)] for s in sent]
            down = [a - b for a, b in zip(change, ternary_exact(change), strict=True)]
    return {"step sizes and coefficients positive": eta > 0}, {"lhs": missed, "nothing": zero}


def _again(nothing: Any) -> Any:
    return nothing + 0


def equal(
    look: int,
    *,
    compressed: bool = False,
    uplink: bool = True,
    absorbed: bool = False,
    late: bool = False,
    rounds: int = 5,
) -> Inequality:
    """Whatever is looked at agrees with Algorithm 1: the largest difference of a run is 0.

    `compressed`: the server's and, with `uplink`, the clients' updates.
    """
    flags = {"look": look, "compressed": compressed, "uplink": uplink, "absorbed": absorbed, "late": late}

    def at(N: float, E: float, T: float) -> Case:
        n, n_local, n_rounds = int(N), int(E), int(T)
        space = Space(
            (
                LogScale("curvature", 1e-2, 1.0, (n, 2), at=(1.0,)),
                Signed("optimum", 1e-1, 1e1, (n, 2)),
                Signed("start", 1e-1, 1e1, (2,)),
                LogScale("coefficient", 1e-2, 1.0, (n_rounds, n), at=(1.0,)),
                Uniform("active", 0.0, 1.0, (n_rounds, n_local + 1, n)),
                Signed("noise", 1e-2, 1e1, (n_rounds, n_local + 1, n, 2)),
                LogScale("step", 1e-2, 1.0, at=(1.0,)),
                *(Choice(name, (float(value),)) for name, value in flags.items()),
            )
        )
        every = {"curvature": 0, "optimum": 0, "coefficient": 1, "active": 2, "noise": 2}
        same = (units(dict.fromkeys(("optimum", "start", "noise"), (0, 1))), permuted_clients(every))
        name = f"{n} clients, E = {n_local}, {n_rounds} rounds" + (", compressed" if compressed else "")
        return Case(
            name,
            space,
            _measure,
            ExactCheck(virtual_exact, (ternary_exact,)),
            cost=max(1.0, n * n_local * n_rounds / 30),
            symmetries=same,
        )

    sizes = (Size("N", 1, 100, 2), Size("E", 1, 60, 2), Size("T", 1, rounds, 2))
    return Inequality(
        Bound(symbols("nothing"), again=_again, degrees={"nothing": (0, 1)}),
        (Family("runs", sizes, at),),
        degrees=(0, 1),
    )
