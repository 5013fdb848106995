"""Counterexample to EFL-L2.

Reading: coefficients that depend on the batches.
Instance: 1 clients, d = 1, p sees the batch.
Claimed: With independent clients the variance of the weighted gradient is at most the weighted sum of the variances.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def noise_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """All outcomes of the clients' batches; `look`: 0 the variance, 1 (19)'s equality, 2 the covariance, 3 (18) as printed."""
    v, p, rare, look = x["noise"], x["coefficient"], x["rare"], int(x["look"])
    clients, q = range(len(p)), 1 / (1 + x["rare"] ** 2)
    total, each, mean, squares = Fraction(0), Fraction(0), Fraction(0), [Fraction(0) for _ in clients]
    inner = [sum(a * b for a, b in zip(v[0], u, strict=True)) for u in v]
    crossed, printed = Fraction(0), Fraction(0)
    norms = [sum(a * a for a in u) for u in v]
    for number in range(2 if x["shared"] > 0 else 2 ** len(p)):
        ups = [number == 1 if x["shared"] > 0 else bool(number >> k & 1) for k in clients]
        chance = Fraction(1)
        for k in clients:
            if k == 0 or x["shared"] == 0:
                chance = chance * (q if ups[k] else 1 - q)
        z = [rare if up else -1 / rare for up in ups]
        w = [p[k] * (1 + x["boost"]) if ups[k] else p[k] for k in clients]
        vector = [sum(w[k] * z[k] * v[k][i] for k in clients) for i in range(len(v[0]))]
        total = total + chance * sum(c * c for c in vector)
        each = each + chance * sum((w[k] * z[k]) ** 2 * norms[k] for k in clients)
        squares = [squares[k] + chance * w[k] ** 2 for k in clients]
        mean = mean + chance * z[0]
        if len(p) > 1:
            crossed = crossed + chance * z[0] * z[1] * inner[1]
            printed = printed + chance * (z[0] * z[1]) ** 2 * norms[0] * norms[1]
    lhs = [total, abs(total - each), abs(crossed), printed][look]
    hypotheses = {
        "every gradient is unbiased": mean == 0,
        "A3: E|g - g_bar|^2 <= sigma_k^2": x["slack"] >= 0,
    }
    bound = sum(squares[k] * norms[k] * (1 + x["slack"]) for k in clients)
    return hypotheses, {"lhs": lhs, "total": bound, "each": each, "nothing": Fraction(0)}


INSTANCE = {
    'noise': [[Fraction(-1)]],
    'coefficient': [Fraction(1)],
    'rare': Fraction(2),
    'slack': Fraction(1),
    'boost': Fraction(1),
    'shared': Fraction(0),
    'look': Fraction(0),
}
hypotheses, constants = noise_exact(INSTANCE)
total = constants["total"]
lhs = constants["lhs"]
rhs = Fraction(total)
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
