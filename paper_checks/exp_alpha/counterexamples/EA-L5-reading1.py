"""Counterexample to EA-L5.

Reading: over the draw alone.
Instance: two opposed clients, no noise.
Claimed: Drawing K clients instead of averaging all moves the aggregate by at most 4η²EG²/K in the mean square.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def opposed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients h/2 (w -+ u)^2 from 0 with equal weights, E noiseless steps of one size; K of them drawn."""
    h, E, K, eta = x["curvature"], int(x["local_steps"]), int(x["drawn"]), x["length"] / x["curvature"]
    optima, models, G2 = [x["point"], -x["point"]], [Fraction(0), Fraction(0)], Fraction(0)
    for _ in range(E):
        gradients = [h * (w - m) for w, m in zip(models, optima, strict=True)]
        G2 = max(G2, *(g * g for g in gradients))
        models = [w - eta * g for w, g in zip(models, gradients, strict=True)]
    center = sum(models) / 2
    hypotheses = {"constant positive steps": eta > 0, "gradients without noise": h > 0}
    lhs = sum((w - center) ** 2 for w in models) / 2 / K
    return hypotheses, {"lhs": lhs, "eta": eta, "E": Fraction(E), "G2": G2, "K": Fraction(K)}


INSTANCE = {
    'curvature': Fraction(1),
    'point': Fraction(1),
    'length': Fraction(1, 100),
    'local_steps': Fraction(40),
    'drawn': Fraction(1),
}
hypotheses, constants = opposed_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
K = constants["K"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(4*E*G2*eta**2/K)
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
