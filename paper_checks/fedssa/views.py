"""Logits of clients on two views: how they are drawn, and FedSSA's losses on them to more than fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
)
from validation.statement.symmetry import Symmetry

__all__ = [
    "EXACT",
    "SAME",
    "SPLIT",
    "cosine",
    "exp_fixed",
    "flag",
    "float_views",
    "log_near",
    "mass",
    "missed",
    "root_fixed",
    "slack",
    "ssa_parts",
    "variance",
    "view_case",
    "view_family",
]

Measure = Callable[[Instance], Mapping[str, Any]]
Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]


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


EXACT: tuple[Callable[..., Any], ...] = (
    slack,
    exp_fixed,
    log_near,
    root_fixed,
    mass,
    cosine,
    variance,
    ssa_parts,
)
_CLIENTS = {"weights": 0, "view_1": 1, "view_2": 1}
SAME: tuple[Symmetry, ...] = (permuted_clients(_CLIENTS),)
SPLIT: tuple[Symmetry, ...] = (*SAME, split_client(_CLIENTS, ("weights",)))


def float_views(x: Instance) -> tuple[Any, Any, Any]:
    """(weights, view_1, view_2) as `theory.ssa` takes them."""
    return x["weights"], x["view_1"], x["view_2"]


def missed(lhs: Any, size: float = 10.0) -> Mapping[str, Any]:
    """By how much something is missed, a pure number computed from others of about `size`."""
    return {"lhs": lhs, "magnitude": np.full_like(lhs, size)}


def flag(name: str) -> Choice:
    """A coordinate that only marks the case."""
    return Choice(name, (1.0,))


def view_case(
    name: str,
    shape: tuple[int, int, int],
    measure: Measure,
    exact: Exact,
    *more: Any,
    uses: tuple[Callable[..., Any], ...] = (),
    symmetries: tuple[Symmetry, ...] = SAME,
    span: float = 10.0,
    positive: bool = False,
) -> Case:
    """`shape` = (clients, classes, samples); logits of either sign up to `span`, weights on the simplex.

    `positive`: weights need not sum to 1, each is positive.
    """
    n, c, samples = shape
    weights = LogScale("weights", 1e-4, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n)
    drawn = Space(
        (
            weights,
            Signed("view_1", 1e-2, span, (samples, n, c)),
            Signed("view_2", 1e-2, span, (samples, n, c)),
            *more,
        )
    )
    words = f"{name}: {n} clients, {c} classes, {samples} samples"
    cost = max(1.0, n * c * samples / 60)
    return Case(words, drawn, measure, ExactCheck(exact, (*EXACT, *uses)), cost=cost, symmetries=symmetries)


def view_family(
    name: str,
    measure: Measure,
    exact: Exact,
    *more: Any,
    uses: tuple[Callable[..., Any], ...] = (),
    symmetries: tuple[Symmetry, ...] = SAME,
    span: float = 10.0,
    positive: bool = False,
) -> Family:
    """`view_case` for up to 300 clients, 100 classes and 20 samples."""

    def at(K: float, c: float, S: float) -> Case:
        shape = (int(K), int(c), int(S))
        return view_case(
            name, shape, measure, exact, *more, uses=uses, symmetries=symmetries, span=span, positive=positive
        )

    return Family(name, (Size("K", 1, 300, 3), Size("c", 2, 100, 3), Size("S", 1, 20, 1)), at)
