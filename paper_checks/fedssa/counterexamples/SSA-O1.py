"""Counterexample to SSA-O1.

Reading: none, as (2) is printed.
Instance: no constraint: 2 clients, 3 classes, 1 samples.
Claimed: A gradient step on L_SSA leaves the weights non-negative with sum 1, so that equal local models are kept.
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


def pull_exact(w: list[Fraction], one: list[list[list[Fraction]]], two: list[list[list[Fraction]]]) -> list[Fraction]:
    """Gradient of L_cos + L_var + L_we/1000 by the quotient rule on the unnormalised outputs, cut to 60 digits."""
    out = []
    for k in range(len(w)):
        total = Fraction(0)
        for first, second in zip(one, two, strict=True):
            z, t, e, f = first[k], second[k], mass(w, first), mass(w, second)
            classes, c = range(len(z)), len(z)
            ee, ff = sum(a * a for a in e), sum(a * a for a in f)
            size = Fraction(root_fixed(ee * ff))
            dot = sum(a * b for a, b in zip(e, f, strict=True))
            along = sum((e[j] * f[j] * (z[j] + t[j]) for j in classes), Fraction(0))
            bends = [2 * sum((g[j] * g[j] * y[j] for j in classes), Fraction(0)) for g, y in ((e, z), (f, t))]
            total -= along / size - Fraction(dot) / size * (bends[0] / ee + bends[1] / ff) / 2
            for g, y, gg, bend in ((e, z, ee, bends[0]), (f, t, ff, bends[1])):
                S, slope = sum(g), sum(g[j] * y[j] for j in classes)
                total -= (Fraction(bend) / (c * S * S) - 2 * Fraction(gg) * slope / Fraction(c * S * S * S)) / 2
        entropy = (log_near(w[k]) + 1) / 1000
        out.append(Fraction(round((total / len(one) + entropy) * 10**60), 10**60))
    return out


def projected(v: list[Fraction], floor: Fraction) -> list[Fraction]:
    """The nearest weights of sum 1, each at least `floor`."""
    room = 1 - floor * len(v)
    ordered = sorted(v, reverse=True)
    level = max((sum(ordered[: j + 1]) - room) / (j + 1) for j in range(len(v)))
    return [max(a - level, Fraction(0)) + floor for a in v]


def stepped_exact(x: Mapping[str, Any]) -> Checked:
    """max(|sum - 1|, -smallest weight) after one step; option 0 project, 1 softmax, 2 normalise, 3 none, 4 clip, 5 shift."""
    w, kind, r = x["weights"], int(x["option"]), x["rate"]
    g = pull_exact(w, x["view_1"], x["view_2"])
    moved = [a - r * b for a, b in zip(w, g, strict=True)]
    if kind == 0:
        moved = projected(moved, Fraction(0))
    if kind == 1:
        mean = sum(a * b for a, b in zip(w, g, strict=True))
        raw = mass([Fraction(1)], [[log_near(a) - r * a * (b - mean) for a, b in zip(w, g, strict=True)]])
        moved = [Fraction(a, sum(raw)) for a in raw]
    if kind in (2, 4):
        moved = [max(a, Fraction(0)) for a in moved]
    if kind == 2:
        moved = [a / sum(moved) for a in moved]
    if kind == 5:
        moved = [a + (1 - sum(moved)) / len(w) for a in moved]
    met = {"the start is on the simplex, positive": sum(w) == 1 and min(w) > 0}
    return met, {"lhs": max(abs(sum(moved) - 1), -min(moved)) - slack()}


INSTANCE = {
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'view_1': [[[Fraction(0), Fraction(0), Fraction(0)], [Fraction(0), Fraction(0), Fraction(0)]]],
    'view_2': [[[Fraction(0), Fraction(0), Fraction(0)], [Fraction(0), Fraction(0), Fraction(0)]]],
    'rate': Fraction(1),
    'option': Fraction(3),
}
hypotheses, constants = stepped_exact(INSTANCE)
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
