"""Counterexample to EFL-ALG2.

Reading: μ the mean size of what is kept.
Instance: tensors, mean, n = 2, k = 1.
Claimed: ST quantises the top-k entries to their mean size, so it is ternary, shrinks the error, and residuals stay bounded.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def sparse_exact(t: list[Any], k: int) -> list[Any]:
    """ST of Algorithm 2: all entries of at least the k-th largest size, each its sign times (sum of the kept sizes)/k."""
    edge = sorted((abs(v) for v in t), reverse=True)[k - 1]
    mean = sum(abs(v) for v in t if abs(v) >= edge) / Fraction(k)
    return [mean * ((v > 0) - (v < 0)) if abs(v) >= edge else Fraction(0) for v in t]


def tensor_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """ST of a tensor against what is claimed of it; `like` > 1/2: the size of the first entry; `apart`, `like` < 1/3: 0."""
    t, k = list(x["entry"]), int(x["kept"])
    if "apart" not in x:
        sizes = [abs(t[0]) if u > Fraction(1, 2) else abs(v) for u, v in zip(x["like"], t, strict=True)]
        t = [s * ((v > 0) - (v < 0)) for s, v in zip(sizes, t, strict=True)]
    else:
        t = [Fraction(0) if u < Fraction(1, 3) else v for u, v in zip(x["like"], t, strict=True)]
    sent = sparse_exact(t, k)
    met = {"1 <= k <= n": 1 <= k <= len(t)}
    ranked = sorted((abs(v) for v in t), reverse=True)
    if "apart" in x:
        met["the k-th largest size is 0 or above the next"] = (
            ranked[k - 1] == 0 or k == len(t) or ranked[k - 1] > ranked[k]
        )
    top, kept = max(abs(v) for v in sent), [i for i, v in enumerate(sent) if v != 0]
    if "ternary" in x:
        return met, {"lhs": max(min(abs(v), abs(abs(v) - top)) for v in sent)}
    if "count" in x:
        return met, {"lhs": Fraction(len(kept) - k)}
    if "mean" in x:
        mask = [abs(v) for v in t if abs(v) >= ranked[k - 1]]
        return met, {"lhs": abs(top - sum(mask) / len(mask))}
    if "unbiased" in x:
        return met, {"lhs": max(abs(a - b) for a, b in zip(sent, t, strict=True))}
    norm = sum(v * v for v in t)
    better = sum(ranked[:k]) ** 2 / k if "exact" in x else Fraction(0)
    better = norm / 2 if "half" in x else better
    return met, {"lhs": sum((a - b) ** 2 for a, b in zip(sent, t, strict=True)) - norm + better}


INSTANCE = {
    'entry': [Fraction(-1), Fraction(-1)],
    'like': [Fraction(0), Fraction(0)],
    'kept': Fraction(1),
    'mean': Fraction(1),
}
hypotheses, constants = tensor_exact(INSTANCE)
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
