"""Counterexample to SSA-O2.

Reading: any start, the paper's λ_we = 10⁻³.
Instance: two clients: 2 clients, 2 classes, 1 samples.
Claimed: Descent on L_SSA reaches the same weights wherever it starts, so that start and warm start need not be given.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def slack() -> Fraction:
    """More than the rounding of these functions can add up to, on the losses of an instance."""
    return Fraction(1, 10**40)


def exp_fixed(x: Fraction) -> int:
    """2^320 e^x for rational x <= 0, off by less than 2^40."""
    bits, size = 320, -x
    if size > 250:
        return 0
    halvings = int(size).bit_length() + 1
    reduced = (size.numerator << bits) // (size.denominator << halvings)
    term = total = 1 << bits
    k = 0
    while term:
        k += 1
        term = ((term * reduced) >> bits) // k
        total += term if k % 2 == 0 else -term
    for _ in range(halvings):
        total = (total * total) >> bits
    return total


def log_near(x: Fraction) -> Fraction:
    """The natural logarithm of a rational x > 0, off by less than 10^-60."""
    bits = 280
    shift = x.numerator.bit_length() - x.denominator.bit_length()
    total = 0
    for factor, ratio in ((1, x / Fraction(2) ** shift), (shift, Fraction(2))):
        t = (ratio - 1) / (ratio + 1)  # log ratio = 2 (t + t^3/3 + t^5/5 + ...)
        fixed = (t.numerator << bits) // t.denominator
        power, k, part = fixed, 1, 0
        while abs(power) > 1:
            part += power // k
            power = (((power * fixed) >> bits) * fixed) >> bits
            k += 2
        total += 2 * factor * part
    return Fraction(total, 1 << bits)


def root_fixed(n: int) -> int:
    """The whole part of the square root of a whole number."""
    if n < 2:
        return n
    x = 1 << (n.bit_length() + 1) // 2
    while True:
        y = (x + n // x) // 2
        if y >= x:
            return x
        x = y


def mass(weights: list[Fraction], logits: list[list[Fraction]]) -> list[int]:
    """Whole numbers proportional to softmax(sum_k w_k z_k) on one sample, the largest 2^320."""
    mixed = [sum((w * z[j] for w, z in zip(weights, logits, strict=True)), Fraction(0)) for j in range(len(logits[0]))]
    return [exp_fixed(v - max(mixed)) for v in mixed]


def cosine(u: list[int], v: list[int]) -> Fraction:
    """The cosine of two vectors of whole numbers, to 200 bits."""
    dot, size = sum(a * b for a, b in zip(u, v, strict=True)), sum(a * a for a in u) * sum(b * b for b in v)
    return Fraction(root_fixed((dot * dot << 400) // size) * (1 if dot >= 0 else -1), 1 << 200)


def variance(y: list[int]) -> Fraction:
    """The variance of y/sum(y) over its entries, divisor their number."""
    c = len(y)
    return Fraction(sum(a * a for a in y), c * sum(y) ** 2) - Fraction(1, c * c)


def ssa_parts(
    weights: list[Fraction], first: list[list[list[Fraction]]], second: list[list[list[Fraction]]]
) -> list[Fraction]:
    """[L_cos, L_var, L_we]: means over the samples, var with the number of classes as divisor, 0 log 0 = 0."""
    pairs = [(mass(weights, u), mass(weights, v)) for u, v in zip(first, second, strict=True)]
    cos = sum((cosine(u, v) for u, v in pairs), Fraction(0)) / len(pairs)
    var = sum((variance(u) + variance(v) for u, v in pairs), Fraction(0)) / (2 * len(pairs))
    return [-cos, -var, sum((w * log_near(w) for w in weights if w > 0), Fraction(0))]


def middle_exact(x: Mapping[str, Any]) -> Checked:
    """Loss at (u + v)/2 less the mean, or the larger, of the losses at u and v."""
    u, v, what = x["weights"], x["other"], int(x["looks_at"])
    reach = max(max(z) - min(z) for view in (x["view_1"], x["view_2"]) for sample in view for z in sample)
    factors = [
        Fraction(what in (0, 2, 3)),
        Fraction(what in (1, 2, 3)),
        {2: Fraction(1, 1000), 3: x["strength"] * reach**2, 4: Fraction(1)}.get(what, Fraction(0)),
    ]
    losses = []
    for at in (u, v, [(a + b) / 2 for a, b in zip(u, v, strict=True)]):
        parts = ssa_parts(at, x["view_1"], x["view_2"])
        losses.append(sum(f * p for f, p in zip(factors, parts, strict=True)))
    level = max(losses[:2]) if x["barrier"] else (losses[0] + losses[1]) / 2
    met = {"weights on the simplex": sum(u) == sum(v) == 1 and min([*u, *v]) >= 0}
    return met, {"lhs": losses[2] - level - slack() * (1 + abs(factors[2]))}


INSTANCE = {
    'weights': [Fraction(1), Fraction(0)],
    'view_1': [[[Fraction(0), Fraction(0)], [Fraction(-1), Fraction(0)]]],
    'view_2': [[[Fraction(0), Fraction(-1)], [Fraction(0), Fraction(0)]]],
    'other': [Fraction(0), Fraction(1)],
    'looks_at': Fraction(2),
    'barrier': Fraction(1),
    'strength': Fraction(8),
}
hypotheses, constants = middle_exact(INSTANCE)
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
