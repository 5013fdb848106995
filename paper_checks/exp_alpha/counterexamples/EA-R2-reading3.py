"""Counterexample to EA-R2.

Reading: any federation, settled: proportional is nearer.
Instance: 2 clients, 11 rounds of 5 steps, settled, reversed.
Claimed: On convex federations Exp-α reaches a level sooner than proportional weights, and ends farther from the optimum.
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


def first_round(gaps: list[Fraction], level: Fraction) -> Fraction:
    """The first round with a gap of at most `level`, or one more than there are."""
    return Fraction(next((r for r, gap in enumerate(gaps) if gap <= level), len(gaps)))


def gaps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Any, Any]:
    """F(W^T) - F* of Exp-alpha and of equal shares after every round; quadratic clients, E steps of size step/L, no noise.

    alpha in units of the mean excess loss at the start. With `against`: client 1 at -outlier, the others at 1, curvature 1.
    """
    n, h, m, start = len(x["optimum"]), x["curvature"], x["optimum"], x["start"]
    if "together" in x:
        m = [Fraction(0) for _ in range(n)]
    if "against" in x:
        h = [Fraction(1) for _ in range(n)]
        m = [-x["outlier"]] + [Fraction(1) for _ in range(n - 1)]
    keep = [(1 - x["step"] / max(h) * c) ** int(x["local_steps"]) for c in h]
    best = sum(c * v for c, v in zip(h, m, strict=True)) / sum(h)
    alpha = x["alpha"] * sum(h[i] * (start - m[i]) ** 2 / 2 for i in range(n)) / n
    runs = []
    for strategy in ("Exp-alpha", "proportional"):
        w, gaps = start, []
        for _ in range(int(x["n_rounds"]) + 1):
            gaps.append(sum(h) / n * (w - best) ** 2 / 2)
            local = [m[i] + keep[i] * (w - m[i]) for i in range(n)]
            a = [Fraction(1, n) for _ in range(n)]
            if strategy == "Exp-alpha":
                a = exp_weights([h[i] * ((local[i] - m[i]) ** 2 - (w - m[i]) ** 2) / 2 for i in range(n)], alpha)
            # To 400 bits: later rounds shrink the error, so it stays far below slack(), and the numbers stay short.
            w = Fraction(round(sum(a[i] * local[i] for i in range(n)) * 2**400), 2**400)
        runs.append(gaps)
    met = {"strongly convex, smooth": min(h) > 0, "0 < eta L <= 1": 0 < x["step"] <= 1, "alpha > 0": alpha > 0}
    return met, runs[0], runs[1]


def farther_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(W^T) - F* after the last round: Exp-alpha less equal shares, or reversed, less what rounding can add."""
    met, weighted, plain = gaps_exact(x)
    if "settled" in x:
        met = {**met, "equal shares have settled": abs(plain[-1] - plain[-2]) <= plain[-1] / 1000}
    lhs = (weighted[-1] - plain[-1]) * (-1 if "reversed" in x else 1)
    return met, {"lhs": lhs - slack() * max(weighted[0], plain[-1]), "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [Fraction(3), Fraction(1, 2)],
    'optimum': [Fraction(0), Fraction(-1)],
    'start': Fraction(0),
    'step': Fraction(1),
    'alpha': Fraction(1, 2),
    'level': Fraction(1, 2),
    'local_steps': Fraction(5),
    'n_rounds': Fraction(11),
    'settled': Fraction(1),
    'reversed': Fraction(1),
}
hypotheses, constants = farther_exact(INSTANCE)
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
