"""Counterexample to EA-A5.

Reading: the clients that Algorithm 1 selects.
Instance: 2 clients, K = 1.
Claimed: The sampled aggregate is on average the weighted mean of all clients, which is what the assumption is for.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def scheme_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(E_s W_tilde - sum rho_i V_i)^2 on an axis; scheme 0 the clients 1..K, 1 K draws by weight, 2 uniform K-subsets.

    Scheme 3 leaves out the division by K. Subsets weigh their members by rho renormalised, equally where it is 0.
    """
    V, a, K, scheme = x["local"], x["weights"], int(x["drawn"]), int(x["scheme"])
    N = len(V)
    if scheme == 0:
        mean = sum(V[i] for i in range(K)) / K
    elif scheme == 2:
        mean, rows = Fraction(0), [[i for i in range(N) if (code >> i) & 1] for code in range(2**N)]
        rows = [row for row in rows if len(row) == K]
        for row in rows:
            total = sum(a[i] for i in row)
            mean += sum((a[i] / total if total else Fraction(1, K)) * V[i] for i in row) / len(rows)
    else:
        law = [(Fraction(1), Fraction(0))]
        for _ in range(K):
            law = [(p * a[i], s + V[i]) for p, s in law for i in range(N)]
        mean = sum(p * s for p, s in law) / (K if scheme == 1 else 1)
    met = {"probabilities on the simplex": sum(a) == 1 and min(a) >= 0, "1 <= K <= N": 1 <= K <= N}
    return met, {"lhs": (mean - sum(r * v for r, v in zip(a, V, strict=True))) ** 2}


INSTANCE = {
    'weights': [Fraction(0), Fraction(1)],
    'local': [Fraction(0), Fraction(1)],
    'drawn': Fraction(1),
    'scheme': Fraction(2),
}
hypotheses, constants = scheme_exact(INSTANCE)
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
