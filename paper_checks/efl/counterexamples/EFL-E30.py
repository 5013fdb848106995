"""Counterexample to EFL-E30.

Reading: bracket as printed.
Instance: 1 clients, E = 2, d = 1.
Claimed: Inserting (28) and (29) into (24) gives the bound of Lemma 3.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

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


INSTANCE = {
    'gradient': [[[[Fraction(0)]], [[Fraction(0)]]], [[[Fraction(-1)]], [[Fraction(0)]]]],
    'active': [[[Fraction(1)], [Fraction(0)]]],
    'coefficient': [Fraction(10)],
    'share': [Fraction(1)],
    'chance': Fraction(0),
    'part': Fraction(1, 2),
    'step': Fraction(1),
    'look': Fraction(0),
}
hypotheses, constants = drift_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
eta = constants["eta"]
squares = constants["squares"]
steps = constants["steps"]
total = constants["total"]
lhs = constants["lhs"]
rhs = Fraction(G2*eta**2*(E - 1)*(squares + steps + total - 2))
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
