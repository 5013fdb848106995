"""Counterexample to SSA-O7.

Reading: logits, mean over the target samples.
Instance: similarity: 3 clients, 3 classes, 1 samples.
Claimed: The scores give weights on the simplex, the same for two clients whose models give the same outputs.
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


def designed_exact(x: Mapping[str, Any]) -> Checked:
    """Largest of: negative part, |weight 1 - weight 2| of two copies, |sum - 1|."""
    views = [[[s[0], *s] for s in view] for view in (x["view_1"], x["view_2"])]
    scores, whole = [], Fraction(1, 2**200)
    for k in range(len(views[0][0])):
        total = Fraction(0)
        for one, two in zip(*views, strict=True):
            u, v = mass([Fraction(1)], [one[k]]), mass([Fraction(1)], [two[k]])
            if x["logits"]:
                u, v = [int(a / whole) for a in one[k]], [int(a / whole) for a in two[k]]
            if x["score"] == 0:
                total += cosine(u, v)
            elif x["logits"]:
                mean = sum(one[k]) / len(one[k])
                total += sum((a - mean) ** 2 for a in one[k]) / len(one[k])
            else:
                total += variance(u)
        scores.append(total / (x["n_samples"][k] if x["by_size"] else 1))
    weights = [s / sum(scores) for s in scores]
    met = {"scores with a positive sum": sum(scores) > 0}
    lhs = max(-min(weights), abs(weights[0] - weights[1]), abs(sum(weights) - 1))
    return met, {"lhs": lhs - slack()}


INSTANCE = {
    'view_1': [[[Fraction(0), Fraction(0), Fraction(-1)], [Fraction(-1), Fraction(0), Fraction(0)]]],
    'view_2': [[[Fraction(0), Fraction(0), Fraction(-1)], [Fraction(1), Fraction(0), Fraction(0)]]],
    'n_samples': [Fraction(1), Fraction(1), Fraction(1)],
    'score': Fraction(0),
    'logits': Fraction(1),
    'by_size': Fraction(0),
}
hypotheses, constants = designed_exact(INSTANCE)
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
