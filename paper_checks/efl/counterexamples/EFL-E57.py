"""Counterexample to EFL-E57.

Reading: first to last member, activity depends on the batches.
Instance: 1 clients, 1 steps, d = 6, activity sees the batches.
Claimed: The mean squared step of ω̄ is at most G² times the weighted number of active clients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def lengths_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two scenarios of a round; (sum of h)^2, sum of h^2 and the weighted squares of the active gradients."""
    g, share = x["gradient"], x["share"]
    clients, steps, dims = range(len(share)), range(len(g[0])), range(len(g[0][0][0]))
    p = [share[k] * x["coefficient"][k] for k in clients]
    c = {name: Fraction(0) for name in ("lhs", "each", "jensen", "squares", "linear")}
    seconds = [[Fraction(0) for _ in clients] for _ in steps]
    for number, chance in enumerate((x["chance"], 1 - x["chance"])):
        active = x["active"][number if len(x["active"]) > 1 else 0]
        path = Fraction(0)
        for i in steps:
            on = [active[i][k] >= Fraction(1, 2) for k in clients]
            push = [sum((p[k] * g[number][i][k][d] for k in clients if on[k]), Fraction(0)) for d in dims]
            square = sum(v * v for v in push)
            path = path + abs(push[0])
            c["each"] = c["each"] + chance * square
            for k in clients:
                size = sum(v * v for v in g[number][i][k])
                seconds[i][k] = seconds[i][k] + chance * size
                if on[k]:
                    c["jensen"] = c["jensen"] + chance * p[k] ** 2 / share[k] * size
                    c["linear"] = c["linear"] + chance * p[k]
                    c["squares"] = c["squares"] + chance * p[k] ** 2 / share[k]
            if len(steps) == 1:
                c["lhs"] = c["lhs"] + chance * square
        if len(steps) > 1:
            c["lhs"] = c["lhs"] + chance * path**2
    met = {
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "probabilities": 0 <= x["chance"] <= 1,
        "one coordinate, or a single step": len(steps) == 1 or len(dims) == 1,
    }
    return met, {**c, "E": Fraction(len(steps)), "G2": max(max(row) for row in seconds)}


INSTANCE = {
    'gradient': [[[[Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(-1)]]], [[[Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0), Fraction(0)]]]],
    'active': [[[Fraction(1)]], [[Fraction(0)]]],
    'coefficient': [Fraction(1)],
    'share': [Fraction(1)],
    'chance': Fraction(1, 2),
}
hypotheses, constants = lengths_exact(INSTANCE)
G2 = constants["G2"]
squares = constants["squares"]
lhs = constants["lhs"]
rhs = Fraction(G2*squares)
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
