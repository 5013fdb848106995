"""Counterexample to RA-L2.

Reading: equal step sizes, weights that have seen the round's earlier samples.
Instance: identical clients, weights known before the step, the earlier samples of the round seen.
Claimed: On average the local models are within 4ηₜEG of the virtual model, in mean square.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Identical clients w^2/2 started at 0, E = 2, one noisy local step; weights by (1) at the aggregation t = 2.

    Each client's noise is r with chance 1/(1 + r^2), else -1/r; all weight on a client whose noise is r, if any.
    """
    n_clients, r, eta = int(x["n_clients"]), x["rare"], x["step"]
    q, lhs, total, row = 1 / (1 + r * r), Fraction(0), Fraction(0), 1
    for k in range(n_clients + 1):
        chance = row * q**k * (1 - q) ** (n_clients - k)
        mean = (k * r - (n_clients - k) / r) / n_clients
        lhs = lhs + chance * ((r if k else -1 / r) - mean) ** 2
        total, row = total + chance, row * (n_clients - k) // (k + 1)
    largest = max(r, 1 / r)
    met = {"probabilities sum to 1": total == 1, "eta <= 1/(4L), L = mu = 1": 0 < 4 * eta <= 1}
    return met, {"lhs": eta**2 * lhs, "eta": eta, "E": Fraction(2), "G2": 1 + (eta * largest) ** 2}


INSTANCE = {
    'n_clients': Fraction(100),
    'rare': Fraction(100),
    'step': Fraction(1, 1000),
}
hypotheses, constants = seeing_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(16*E**2*G2*eta**2)
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
