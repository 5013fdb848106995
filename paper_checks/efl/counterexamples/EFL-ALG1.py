"""Counterexample to EFL-ALG1.

Reading: Sec. 3.1, some clients absent.
Instance: Algorithm 1, N = 2, E = 2, T = 3.
Claimed: «Weights are aggregated and synchronized»: each participant starts from the server's model, and each update counts once.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

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


INSTANCE = {
    'curvature': [[Fraction(1), Fraction(1)], [Fraction(1), Fraction(1)]],
    'optimum': [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]],
    'start': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1), Fraction(0)],
    'present': [[Fraction(0), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]],
    'done': [[Fraction(0), Fraction(0)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(0)]],
    'step': Fraction(1),
    'local_steps': Fraction(2),
    'look': Fraction(0),
    'packs': Fraction(1),
    'told': Fraction(0),
    'adds': Fraction(0),
    'sends': Fraction(1),
    'synced': Fraction(0),
}
hypotheses, constants = rounds_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
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
