"""Counterexample to EFL-E13.

Reading: upper index E, as printed.
Instance: 1 clients, E = 1, 1 rounds, compressed.
Claimed: The server's step of Algorithm 1 in terms of the active gradients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

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


INSTANCE = {
    'curvature': [[Fraction(1), Fraction(1)]],
    'optimum': [[Fraction(0), Fraction(0)]],
    'start': [Fraction(0), Fraction(0)],
    'coefficient': [[Fraction(1)]],
    'active': [[[Fraction(0)], [Fraction(1)]]],
    'noise': [[[[Fraction(0), Fraction(0)]], [[Fraction(0), Fraction(-1)]]]],
    'step': Fraction(1),
    'look': Fraction(1),
    'compressed': Fraction(1),
    'uplink': Fraction(1),
    'absorbed': Fraction(0),
    'late': Fraction(1),
}
hypotheses, constants = virtual_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
