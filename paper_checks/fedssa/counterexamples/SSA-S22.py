"""Counterexample to SSA-S22.

Reading: (57) as an expansion.
Instance: 2 matrices of 2 × 2, crossed, any.
Claimed: The square of the sum expands into squares and traces of AᵢᵀAⱼᵀ, and these have mean zero.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def tree_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every path of the tree by name: Frobenius norms, and with `crossed` the traces of all pairs, pair by pair."""
    T, zero = int(x["length"]), Fraction(0)
    whole, squares, cross, inside = zero, zero, zero, True
    rows, cols = range(len(x["matrices"][0])), range(len(x["matrices"][0][0]))
    for path in range(2**T):
        parts: list[Any] = []
        node, chance = 0, Fraction(1)
        for t in range(T):
            down = (path >> (T - 1 - t)) & 1
            at = 2**t - 1 + node
            q, M = x["chance"][at], x["matrices"][at]
            factor = 1 if "any" in x else (-q if down else 1 - q)
            now = [[factor * M[i][j] for j in cols] for i in rows]
            parts.append(parts[0] if "first" in x and parts else now)
            chance = chance * ((1 - q) if down else q)
            inside = inside and 0 < q < 1
            node = 2 * node + down
        total = [[sum(A[i][j] for A in parts) for j in cols] for i in rows]
        whole += chance * sum(total[i][j] ** 2 for i in rows for j in cols)
        squares += chance * sum(A[i][j] ** 2 for A in parts for i in rows for j in cols)
        for s in range(T if "crossed" in x else 0):
            for t in range(T):
                if s != t and "right" in x:
                    cross += chance * sum(parts[s][i][j] * parts[t][i][j] for i in rows for j in cols)
                elif s != t:
                    cross += chance * sum(parts[s][i][j] * parts[t][j][i] for i in rows for j in cols)
    square = "right" in x or "crossed" not in x or len(rows) == len(cols)
    met = {"chances in (0, 1)": inside, "square where transposes are multiplied": square}
    return met, {"lhs": abs(whole - squares - cross)}


INSTANCE = {
    'matrices': [[[Fraction(0), Fraction(0)], [Fraction(-1), Fraction(0)]], [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]], [[Fraction(0), Fraction(0)], [Fraction(-1), Fraction(0)]]],
    'chance': [Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)],
    'length': Fraction(2),
    'crossed': Fraction(1),
    'any': Fraction(1),
}
hypotheses, constants = tree_exact(INSTANCE)
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
