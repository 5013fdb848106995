"""Counterexample to RA-Q2.

Reading: finite samples of one law give Γ = 0.
Instance: clients on a line, N = 2.
Claimed: IID data make Γ zero, and Γ = 0 means that the clients' losses are alike.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def alike_exact(x: Mapping[str, Any]) -> Exact:
    """0: Gamma of equal clients; 1: Gamma of clients with four samples each of one fair coin; 2: spread of the losses, Gamma = 0; 3: any samples."""
    p, how, w = x["share"], int(x["how"]), x["model"]
    if how == 2:
        losses = [h * w**2 / 2 for h in x["curvature"]]
        return {"one minimiser, so Gamma = 0": True}, {"lhs": max(losses) - min(losses)}
    coins = [[Fraction(1 if v >= 0 else -1) for v in row] for row in x["sample"]]
    samples = {1: coins, 3: x["sample"]}.get(how, [[w] for _ in p])
    h = Fraction(1) if how in (1, 3) else x["curvature"][0]
    best = sum(q * sum(row) / len(row) for q, row in zip(p, samples, strict=True))

    def loss(row: Any, at: Any) -> Any:
        return h * sum((at - v) ** 2 for v in row) / (2 * len(row))

    floors = [loss(row, sum(row) / len(row)) for row in samples]
    Gamma = sum(q * (loss(row, best) - f) for q, row, f in zip(p, samples, floors, strict=True))
    return {"shares on the simplex": sum(p) == 1}, {"lhs": Gamma}


INSTANCE = {
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'curvature': [Fraction(1), Fraction(1)],
    'model': Fraction(0),
    'sample': [[Fraction(0), Fraction(0), Fraction(0), Fraction(0)], [Fraction(0), Fraction(0), Fraction(0), Fraction(-1)]],
    'how': Fraction(1),
}
hypotheses, constants = alike_exact(INSTANCE)
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
