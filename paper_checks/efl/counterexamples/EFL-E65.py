"""Counterexample to EFL-E65.

Reading: hypothesis with TE + γ, as printed.
Instance: one step of the induction.
Claimed: If the bound holds after τ rounds it holds after τ + 1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def line_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """x_now = tau E + gamma, last = T E + gamma; Delta is `part` of its bound, J_tau is `share` of J."""
    E, at = x["E"], x["E"] * x["position"]
    C, J, end = x["C"] * x["sign"], x["J"], at + x["E"] * x["more"]
    hypothesis = C / at / at + x["H"] * J / (end if x["deadline"] > 0 else at)
    shrink = 1 - 2 * E / (at + E)
    tail = (x["added"] / (at + E) + x["r"] * J) / (at + E)
    if x["look"] == 0:
        lhs = shrink * x["part"] * hypothesis + (x["added"] / (at + E) + x["r"] * x["share"] * J) / (at + E)
    elif x["look"] == 1:
        lhs = shrink * hypothesis + tail
    else:
        lhs = (at - E) / ((at - E) * (at + E)) * (C / (at + E) + x["H"] * J) + tail
    met = {
        "E >= 1, gamma > 0": E >= 1 and at > 0,
        "tau < T": x["more"] >= 1,
        "0 <= Delta <= its bound, 0 <= J_tau <= J": 0 <= x["part"] <= 1 and 0 <= x["share"] <= 1,
    }
    known = {"x_now": at, "last": end, "E": E, "C": C, "added": x["added"], "J": J, "H": x["H"], "r": x["r"]}
    return met, {**known, "lhs": lhs}


INSTANCE = {
    'E': Fraction(1),
    'position': Fraction(1),
    'more': Fraction(2),
    'C': Fraction(1),
    'added': Fraction(1),
    'J': Fraction(2),
    'H': Fraction(0),
    'r': Fraction(1),
    'part': Fraction(0),
    'share': Fraction(1),
    'sign': Fraction(1),
    'deadline': Fraction(1),
    'look': Fraction(0),
}
hypotheses, constants = line_exact(INSTANCE)
C = constants["C"]
E = constants["E"]
H = constants["H"]
J = constants["J"]
added = constants["added"]
last = constants["last"]
r = constants["r"]
x_now = constants["x_now"]
lhs = constants["lhs"]
rhs = Fraction(J*(H + r)/last + (C + added)/(E + x_now)**2)
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
