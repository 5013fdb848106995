"""Algorithm 1 of EFL on quadratic clients in the plane, with every choice the print leaves open as a flag.

ST keeps the larger of two coordinates (n = 2, nq <= 1), of equal ones the first: the ties of EFL-ALG2 play no part. Flags: `told` 1: clients add ST(Δωᴳ), as in the box, 0: Δωᴳ, as in
Sec. 3.1; `adds` 1: the server adds ST(Δωᴳ), 0: Δωᴳ; `sends` 1: the server averages ST(Δωᵏ), 0: Δωᵏ; `synced` 1: clients that
were absent get what they missed. `look`: 0 largest distance between the server's model and what a client starts from;
1 what the server has added against what the clients computed, less what the residuals still hold; 2, 3: lines of (6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import Choice, Instance, LogScale, Property, Signed, Simplex, Size, Uniform, permuted_clients, units
from validation.draw import Coordinate

__all__ = ["HELD", "LEDGER", "LINE2", "LINE3", "rounds"]

HELD, LEDGER, LINE2, LINE3 = range(4)


def _coordinates(N: int, E: int, T: int) -> Sequence[Coordinate]:
    return (
        LogScale("curvature", 1e-1, 1.0, (N, 2), at=(1.0,)),
        Signed("optimum", 1e-1, 1e1, (N, 2)),
        Signed("start", 1e-1, 1e1, (2,)),
        Simplex("share", N),
        Uniform("present", 0.0, 1.0, (T, N)),
        Uniform("done", 0.0, 1.0, (T, N), at=(0.0, 1.0)),
        LogScale("step", 1e-2, 1.0, at=(1.0,)),
        Choice("local_steps", (float(E),)),
    )


def _ternary(t: Any) -> Any:
    return np.where(np.arange(2) == np.argmax(np.abs(t), axis=-1)[..., None], t, 0.0)


def _steps(x: Instance, r: int) -> tuple[Any, Any]:
    """Who takes part in round r, and the steps s each does."""
    E = np.floor(x["local_steps"] + 1e-9)[:, None]
    s = np.minimum(np.floor(x["done"][:, r] * (E + 1) + 1e-9), E)
    on = (x["present"][:, r] >= 0.5) | ("everyone" in x)
    return on, np.where(on, s, 0.0)


def _measure(x: Instance) -> Mapping[str, Any]:
    h, m, p = x["curvature"], x["optimum"], x["share"][..., None]
    look, packs, told, adds, sends, synced = (
        int(x[k][0]) for k in ("look", "packs", "told", "adds", "sends", "synced")
    )
    eta, n_rounds = x["step"][:, None, None], x["present"].shape[1]
    st = _ternary if packs else (lambda t: t)
    server, base = x["start"], np.repeat(x["start"][:, None], h.shape[1], axis=1)
    up, down, work = np.zeros_like(h), np.zeros_like(server), np.zeros_like(server)
    missed, size = np.zeros(len(h)), np.abs(x["start"]).max(axis=1)
    for r in range(n_rounds):
        on, s = _steps(x, r)
        if look == HELD:
            far = np.abs(base - server[:, None]).max(axis=2)
            missed = np.maximum(missed, np.where(on, far, 0.0).max(axis=1))
        w, paid, count = base, np.zeros_like(h), int(s.max())
        for j in range(count + 1):
            g = eta * h * (w - m)
            if "late" in x:
                paid = paid + g * ((j <= s) & on)[..., None]
            w = w - g * (j < s)[..., None]
            if "late" not in x:
                paid = paid + g * (j < s)[..., None]
        change = np.where(on[..., None], up + w - base, 0.0)
        got = st(change) if sends else change
        total = down + (p * got).sum(axis=1)
        if look == LINE2:
            missed = np.maximum(missed, np.abs(total - down - (p * change).sum(axis=1)).max(axis=1))
        if look == LINE3:
            missed = np.maximum(missed, np.abs(total - down + (p * paid).sum(axis=1)).max(axis=1))
        work = work + (p * (w - base)).sum(axis=1)
        up, down = np.where(on[..., None], change - st(change), up), total - st(total)
        server = server + (st(total) if adds else total)
        heard = st(total) if told else total
        base = np.where((on | bool(synced))[..., None], base + heard[:, None], base)
        size = size + np.abs(total).max(axis=1) + np.abs(w).max(axis=(1, 2)) + np.abs(change).max(axis=(1, 2))
    if look == LEDGER:
        held = down + (p * up).sum(axis=1)
        missed = np.abs(server - x["start"] - work + ("forget" not in x) * held).max(axis=1)
    return {"lhs": missed, "magnitude": 10 * size}


def ternary_exact(t: list[Any]) -> list[Any]:
    """ST of Algorithm 2 on two entries, k = 1: the larger one, of equal ones the first."""
    return [t[0], Fraction(0)] if abs(t[0]) >= abs(t[1]) else [Fraction(0), t[1]]


def rounds_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Algorithm 1 in Fractions. `look`: 0 server against what clients start from, 1 ledger, 2 and 3 lines of (6).

    `told`: clients add ST of the server's change; `adds`: so does the server; `sends`: it averages ST of the clients' changes.
    """
    h, m, p, look, pair = x["curvature"], x["optimum"], x["share"], x["look"], range(2)
    clients, zero, n_local = range(len(h)), Fraction(0), int(x["local_steps"])
    eta = x["step"]

    def st(t: list[Any]) -> list[Any]:
        return ternary_exact(t) if x["packs"] > 0 else list(t)

    server, base = list(x["start"]), [list(x["start"]) for _ in clients]
    up, down, work, missed = [[zero, zero] for _ in clients], [zero, zero], [zero, zero], zero
    for present, done in zip(x["present"], x["done"], strict=True):
        total, paid, heard, new_up = list(down), [zero, zero], [zero, zero], []
        for k in clients:
            if present[k] < Fraction(1, 2) and "everyone" not in x:
                new_up.append(up[k])
                continue
            if look == 0:
                missed = max([missed] + [abs(base[k][i] - server[i]) for i in pair])
            s, w = min(int(done[k] * (n_local + 1)), n_local), list(base[k])
            for j in range(s + 1):
                g = [eta * h[k][i] * (w[i] - m[k][i]) for i in pair]
                if j < s or "late" in x:
                    paid = [paid[i] + p[k] * g[i] for i in pair]
                if j < s:
                    w = [w[i] - g[i] for i in pair]
            change = [up[k][i] + w[i] - base[k][i] for i in pair]
            work = [work[i] + p[k] * (w[i] - base[k][i]) for i in pair]
            got = st(change) if x["sends"] > 0 else change
            total = [total[i] + p[k] * got[i] for i in pair]
            heard = [heard[i] + p[k] * change[i] for i in pair]
            new_up.append([a - b for a, b in zip(change, st(change), strict=True)])
        for i in pair:
            if look == 2:
                missed = max(missed, abs(total[i] - down[i] - heard[i]))
            if look == 3:
                missed = max(missed, abs(total[i] - down[i] + paid[i]))
        packed = st(total)
        up, down = new_up, [a - b for a, b in zip(total, packed, strict=True)]
        server = [server[i] + (packed[i] if x["adds"] > 0 else total[i]) for i in pair]
        for k in clients:
            if present[k] >= Fraction(1, 2) or "everyone" in x or x["synced"] > 0:
                base[k] = [base[k][i] + (packed[i] if x["told"] > 0 else total[i]) for i in pair]
    if look == 1:
        held = [down[i] + sum(p[k] * up[k][i] for k in clients) for i in pair]
        kept = [zero if "forget" in x else held[i] for i in pair]
        missed = max(abs(server[i] - x["start"][i] - work[i] + kept[i]) for i in pair)
    met = {"shares on the simplex": sum(p) == 1 and min(p) >= 0, "step > 0": eta > 0}
    return met, {"lhs": missed}


def rounds(
    look: int,
    *flags: str,
    packs: bool = True,
    told: bool = True,
    adds: bool = False,
    sends: bool = True,
    synced: bool = False,
) -> Property:
    """The amount looked at is 0 in every round. Further `flags`: "everyone" takes part; "late", "forget" for canaries."""
    each = {"curvature": 0, "optimum": 0, "share": 0, "present": 1, "done": 1}
    chosen = {"look": look, "packs": packs, "told": told, "adds": adds, "sends": sends, "synced": synced}
    return drawn(
        "Algorithm 1" + "".join(f", {f}" for f in flags),
        _coordinates,
        _measure,
        rounds_exact,
        sizes=(Size("N", 1, 50, 2), Size("E", 1, 30, 2), Size("T", 1, 8, 3)),
        uses=(ternary_exact,),
        flags={**{k: float(v) for k, v in chosen.items()}, **dict.fromkeys(flags, 1.0)},
        same=(units({"optimum": (0, 1), "start": (0, 1)}), permuted_clients(each)),
        degrees=(0, 1),
    )
