"""Counterexample to SSA-D5.

Reading: it is p, the formula as it stands.
Instance: 3 clients.
Claimed: Some weights minimise the bound, and weights close to p are to be sought.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def weightings_exact(x: Mapping[str, Any]) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """p, the weights w and the reference, entry by entry."""
    p, n = list(x["share"]), len(x["share"])
    equal = [Fraction(1, n)] * n
    if "target" in x:
        p = [Fraction(1)] + [Fraction(0)] * (n - 1)
        return p, equal, p
    if "even" in x:
        p = equal
    if "turned" in x:
        mean = sum(x["normal"]) / n
        normal = [v - mean for v in x["normal"]]
        move = [x["mix"] * (e - a) for e, a in zip(equal, p, strict=True)]
        length = sum(v * v for v in normal)
        factor = 2 * sum(a * b for a, b in zip(normal, move, strict=True)) / length if length else Fraction(0)
        turned = [a + m - factor * v for a, m, v in zip(p, move, normal, strict=True)]
        return p, turned, [a + m for a, m in zip(p, move, strict=True)]
    return p, [a + x["mix"] * (v - a) for a, v in zip(p, x["weights"], strict=True)], p


def sides_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """T_1 + ... + T_5 over 1 - C - 2AC - W_D (1 - C) at the reference, and the constants at w."""
    p, w, reference = weightings_exact(x)
    low, high = (w, reference) if "swapped" in x else (reference, w)
    tau, L, A, B, K, T = x["local_steps"], x["L"], x["A"], x["B"], len(p), x["n_rounds"]
    eta, s2 = x["reach"] / (tau * L), Fraction(0) if "quiet" in x else x["noise"]
    C = 2 * tau * (tau - 1) * eta**2 * L**2

    def gap(a: list[Fraction]) -> Fraction:
        return 2 * K * sum(((u - v) ** 2 for u, v in zip(p, a, strict=True)), Fraction(0))

    def below(a: list[Fraction]) -> Fraction:
        return Fraction(1 - C - 2 * A * C - gap(a) * (1 - C))

    above = 2 * (1 - C) * x["drop"] / (tau * eta * T) + (1 - C) * B * gap(low)
    above += 2 * (1 - C) * L * eta * s2 * sum(v * v for v in low) + 2 * (tau - 1) * s2 * L**2 * eta**2 + 2 * B * C
    met = {
        "eta L <= 1/(2 tau)": 0 < 2 * tau * eta * L <= 1,
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "w sums to one": sum(w) == 1,
        "denominators positive (where asked)": "any_sign" in x or min(below(low), below(high)) > 0,
    }
    return met, {
        "lhs": above / below(low),
        "tau": Fraction(tau),
        "eta": eta,
        "T": Fraction(T),
        "L": L,
        "C": C,
        "A": A,
        "B": B,
        "W_D": gap(high),
        "drop": x["drop"],
        "noise": s2,
        "square_weights": sum((v * v for v in high), Fraction(0)),
    }


INSTANCE = {
    'share': [Fraction(1), Fraction(0), Fraction(0)],
    'weights': [Fraction(0), Fraction(0), Fraction(1)],
    'mix': Fraction(1),
    'local_steps': Fraction(1),
    'reach': Fraction(1, 2),
    'L': Fraction(1),
    'noise': Fraction(1),
    'A': Fraction(1),
    'B': Fraction(1),
    'drop': Fraction(1),
    'n_rounds': Fraction(1),
    'any_sign': Fraction(1),
}
hypotheses, constants = sides_exact(INSTANCE)
A = constants["A"]
B = constants["B"]
C = constants["C"]
L = constants["L"]
T = constants["T"]
W_D = constants["W_D"]
drop = constants["drop"]
eta = constants["eta"]
noise = constants["noise"]
square_weights = constants["square_weights"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction((2*B*C + B*W_D*(1 - C) + L**2*eta**2*noise*(2*tau - 2) + L*eta*noise*square_weights*(2 - 2*C) + drop*(2 - 2*C)/(T*eta*tau))/(-2*A*C - C - W_D*(1 - C) + 1))
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
