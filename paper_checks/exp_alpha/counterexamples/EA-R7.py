"""Counterexample to EA-R7.

Reading: ρ → 1, on the simplex.
Instance: 2 clients, to 1.
Claimed: A larger α spreads Exp-α's weights more evenly; as α grows without limit they all become equal, «ρₜ → 1».
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


def to_one_exact(z: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest |rho_i - 1| of the normalised weights, alpha beyond the range of the changes."""
    gap = max(z["change"]) - min(z["change"])
    alpha = gap * (1 + z["stretch"])
    lhs = max(abs(a - 1) for a in exp_weights(z["change"], alpha)) - slack()
    return {"alpha > 0": alpha > 0}, {"lhs": lhs, "alpha": alpha, "gap": gap}


INSTANCE = {
    'change': [Fraction(0), Fraction(-1)],
    'size': [Fraction(1), Fraction(1)],
    'alpha': Fraction(1),
    'stretch': Fraction(2),
}
hypotheses, constants = to_one_exact(INSTANCE)
alpha = constants["alpha"]
gap = constants["gap"]
lhs = constants["lhs"]
rhs = Fraction(gap/(alpha - gap))
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
