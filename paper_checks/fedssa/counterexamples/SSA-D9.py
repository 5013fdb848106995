"""Counterexample to SSA-D9.

Reading: Imb.
Instance: 10 classes, 5 clients of 2 classes.
Claimed: The target's class distribution is a mixture of the clients', so that Σ pₖFₖ is the expected target loss.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def distributions_exact(x: Mapping[str, Any]) -> Checked:
    """Squared distance of the target to the mixtures of uniform distributions on blocks of classes."""
    classes, block, kind = int(x["classes"]), int(x["block"]), int(x["target"])
    raw = [[x["ratio"] ** j, Fraction(1), Fraction(j < block)][kind] for j in range(classes)]
    q = [v / sum(raw) for v in raw]
    total = Fraction(0)
    for start in range(0, classes, block):
        part = q[start : start + block]
        total += sum((v - sum(part) / block) ** 2 for v in part)
    return {"ratio of neighbouring classes in (0, 1)": 0 < x["ratio"] < 1}, {"lhs": total}


INSTANCE = {
    'classes': Fraction(10),
    'block': Fraction(2),
    'ratio': Fraction(1, 2),
    'target': Fraction(0),
}
hypotheses, constants = distributions_exact(INSTANCE)
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
