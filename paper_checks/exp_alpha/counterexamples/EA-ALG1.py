"""Counterexample to EA-ALG1.

Reading: normaliser over j = 1 … T.
Instance: 3 of 4 clients.
Claimed: A server step of rate 1 with Algorithm 1's pseudo-gradient gives the mean of the local models by Eq. 3's weights.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def slack() -> Fraction:
    """What the rounding of `exp_near` can never add up to, relative to the numbers of an instance."""
    return Fraction(1, 10**30)


def exp_near(x: Fraction) -> Fraction:
    """e^x for rational x <= 700 with a relative error below 10^-100, in 400-bit fixed point; 0 for x < -700.

    The denominator is a power of 2, so that sums over many clients stay short.
    """
    bits = 400
    if x < -700:
        return Fraction(0)
    if x < 0:
        inverse = exp_near(-x)
        shift = bits + inverse.numerator.bit_length()
        return Fraction((inverse.denominator << shift) // inverse.numerator, 1 << shift)
    halvings = int(x).bit_length() + 1
    reduced = (x.numerator << bits) // (x.denominator << halvings)  # x/2^halvings, below 1/2
    term = total = 1 << bits
    k = 0
    while term:
        k += 1
        term = ((term * reduced) >> bits) // k
        total += term
    for _ in range(halvings):
        total = (total * total) >> bits
    return Fraction(total, 1 << bits)


def exp_weights(scores: list[Fraction], alpha: Fraction) -> list[Fraction]:
    """Weights proportional to e^(score/alpha), their sum exactly 1, each with a relative error below 10^-99."""
    top = max(scores)
    raw = [exp_near((s - top) / alpha) for s in scores]
    return [r / sum(raw) for r in raw]


def server_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """W - (pseudo-gradient of Algorithm 1) less the mean of the local models by Eq. 3, squared; server rate 1."""
    h, m, w, local, K = x["curvature"], x["optimum"], x["start"], x["local"], int(x["K"])
    change = [h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(K)]
    raw = [exp_near((c - max(change)) / x["alpha"]) for c in change]
    last = min(int(x["cut"]), K) if "cut" in x else K
    pseudo = sum(raw[i] * (w - local[i]) for i in range(K)) / sum(raw[:last])
    gap = w - pseudo - sum(a * v for a, v in zip(exp_weights(change, x["alpha"]), local[:K], strict=True))
    size = max(abs(v) for v in [w, *local])
    met = {"A1, A2": min(h) > 0, "alpha > 0": x["alpha"] > 0, "1 <= K <= N": 1 <= K <= len(h)}
    return met, {"lhs": gap * gap - slack() * size * size, "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1), Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0), Fraction(0), Fraction(0)],
    'local': [Fraction(0), Fraction(0), Fraction(-1), Fraction(0)],
    'start': Fraction(0),
    'alpha': Fraction(1),
    'K': Fraction(3),
    'cut': Fraction(1),
}
hypotheses, constants = server_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
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
