"""Exponentials, roots and logarithms of exact numbers to more than fifty digits, and FedSSA's losses by them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

__all__ = [
    "EXACT",
    "cosine",
    "entropy",
    "exp_fixed",
    "log_near",
    "loss_exact",
    "mass",
    "root_fixed",
    "slack",
    "ssa_parts",
    "variance",
]


def slack() -> Fraction:
    """More than the rounding of these functions can add up to, on the losses of an instance."""
    return Fraction(1, 10**40)


def exp_fixed(x: Fraction) -> int:
    """2^320 e^x for rational x <= 0, off by less than 2^40."""
    bits, size = 320, -x
    if size > 250:
        return 0
    halvings = int(size).bit_length() + 9  # each spares terms of the series, and doubles an error of a few units
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
    largest = max(mixed)
    return [exp_fixed(v - largest) for v in mixed]


def cosine(u: list[int], v: list[int]) -> Fraction:
    """The cosine of two vectors of whole numbers, to 200 bits."""
    dot, size = sum(a * b for a, b in zip(u, v, strict=True)), sum(a * a for a in u) * sum(b * b for b in v)
    return Fraction(root_fixed((dot * dot << 400) // size) * (1 if dot >= 0 else -1), 1 << 200)


def variance(y: list[int]) -> Fraction:
    """The variance of y/sum(y) over its entries, divisor their number."""
    c = len(y)
    return Fraction(sum(a * a for a in y), c * sum(y) ** 2) - Fraction(1, c * c)


def entropy(weights: list[Fraction]) -> Fraction:
    """L_we = sum of w log w, with 0 log 0 = 0."""
    return sum((w * log_near(w) for w in weights if w > 0), Fraction(0))


def ssa_parts(
    weights: list[Fraction], first: list[list[list[Fraction]]], second: list[list[list[Fraction]]]
) -> list[Fraction]:
    """[L_cos, L_var]: means over the samples, var with the number of classes as divisor."""
    pairs = [(mass(weights, u), mass(weights, v)) for u, v in zip(first, second, strict=True)]
    cos = sum((cosine(u, v) for u, v in pairs), Fraction(0)) / len(pairs)
    var = sum((variance(u) + variance(v) for u, v in pairs), Fraction(0)) / (2 * len(pairs))
    return [-cos, -var]


def loss_exact(
    weights: list[Fraction], first: list[list[list[Fraction]]], second: list[list[list[Fraction]]]
) -> Fraction:
    """L_SSA with lambda_var = 1 and lambda_we = 1/1000."""
    return sum(ssa_parts(weights, first, second), entropy(weights) / 1000)


EXACT: tuple[Callable[..., Any], ...] = (
    slack,
    exp_fixed,
    log_near,
    root_fixed,
    mass,
    cosine,
    variance,
    entropy,
    ssa_parts,
    loss_exact,
)
"""What exact sides over two views call."""
