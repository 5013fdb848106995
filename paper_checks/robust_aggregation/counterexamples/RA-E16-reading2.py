"""Counterexample to RA-E16.

Reading: the first inequality at every t.
Instance: N = 2, 2 rounds.
Claimed: For any shares the smallest κ and the smallest share bound the largest κ, and with it the error term.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

Number = Any

def dot(u: Sequence[Number], v: Sequence[Number]) -> Number:
    """⟨u, v⟩."""
    total = u[0] * v[0]
    for a, b in zip(u[1:], v[1:], strict=True):
        total = total + a * b
    return total


def kappa_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All quantities of the general bounds at given weights and excess losses, row 0 of which is w*; one left side."""
    a, n = x["weights"], len(x["share"])
    p = [Fraction(1, n)] * n if x["equal"] > 0 else x["share"]
    excess = [[abs(e) for e in row] for row in x["excess"]]
    kappas = [[w / q for w, q in zip(row, p, strict=True)] for row in a]
    low, high, line = min(min(k) for k in kappas), max(max(k) for k in kappas), int(x["line"])
    rho = min(dot(row, e) / dot(p, e) for row, e in zip(a, excess, strict=True))
    rho_best = max(dot(row, excess[0]) / dot(p, excess[0]) for row in a)
    top, bottom, least = max(max(row) for row in a), min(min(row) for row in a), min(p)
    left = {
        1: rho_best / rho,
        2: 1 / rho,
        3: max(1 - high / low, 1 / rho_best - 1 / low),
        4: max((max(k) + (n - 1) * min(k)) / n - 1 for k in kappas),
        5: high,
        6: rho_best / rho - 1,
        7: max(high * least - top, top - 1 + (n - 1) * bottom, (n - 1) * (low * least - bottom)),
        8: high * least - min(max(row) for row in a),
        9: x["lambda2"] * (rho_best / rho - 1),
    }
    met = {"p and the weights are positive and sum to 1": all(sum(r) == 1 and min(r) > 0 for r in [p, *a])}
    found = {"Pi": high, "pi": low, "N": Fraction(n), "least": least, "largest": max(p), "smallest": bottom}
    return met, {**found, "lambda2": x["lambda2"], "lhs": left[line]}


INSTANCE = {
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'weights': [[Fraction(1, 3), Fraction(2, 3)], [Fraction(1, 2), Fraction(1, 2)]],
    'excess': [[Fraction(0), Fraction(-1)], [Fraction(0), Fraction(-1)]],
    'lambda2': Fraction(1),
    'equal': Fraction(0),
    'line': Fraction(8),
}
hypotheses, constants = kappa_exact(INSTANCE)
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
