"""Logits of clients on two views: how they are drawn, and FedSSA's losses on them to more than fifty digits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from paper_checks.fedssa.notation import NOTATION
from theory.ssa import ensemble_probabilities, loss_cos, loss_var, loss_we
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
from validation.statement.claim import Identity, Inequality
from validation.statement.says import Le
from validation.statement.symmetry import Symmetry
from validation.world.world import World, case

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
    "of_views",
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


_LETTERS = ("lambda_var", "lambda_we")


def views(x: Instance, *, asked: tuple[str, ...]) -> Mapping[str, Any]:
    """The losses of weights on two views of a few samples, each of shape (n,); only the letters that are asked."""
    w, one, two = x["weights"], x["view_1"], x["view_2"]
    K, c = w.shape[1], one.shape[-1]

    def logits() -> Any:
        u, v = ((w[:, None, None, :] @ z)[:, :, 0] for z in (one, two))
        size = np.sqrt((u**2).sum(axis=-1) * (v**2).sum(axis=-1))
        return -((u * v).sum(axis=-1) / np.where(size > 0, size, 1.0)).mean(axis=-1)

    def outputs() -> tuple[Any, Any]:
        return ensemble_probabilities(w, one), ensemble_probabilities(w, two)

    def written() -> Any:
        y, z = outputs()
        return ((y * z).sum(-1) / np.sqrt((y**2).sum(-1) * (z**2).sum(-1))).mean(-1)

    flat = np.repeat(one[..., :1], c, axis=-1)
    found: dict[str, Callable[[], Any]] = {
        "cos": lambda: loss_cos(w, one, two),
        "cos_same": lambda: loss_cos(w, one, one),
        "cos_logits": logits,
        "cos_written": written,
        "gap": lambda: np.maximum(1 + loss_cos(w, one, two), 0.0),
        "outputs_apart": lambda: ((outputs()[0] - outputs()[1]) ** 2).sum(axis=-1).mean(axis=-1),
        "var": lambda: loss_var(w, one, two),
        "var_doubled": lambda: loss_var(2 * w, one, two),
        "var_flat": lambda: loss_var(w, flat, flat),
        "var_sample": lambda: loss_var(w, one, two, divisor="classes-1"),
        "var_written": lambda: sum(y.var(axis=-1) for y in outputs()).mean(-1) / 2,
        "we": lambda: loss_we(w),
        "we_even": lambda: loss_we(np.repeat(w.mean(axis=1, keepdims=True), K, axis=1)),
        "we_inverse": lambda: loss_we(np.full_like(w, 1 / K)),
        "c": lambda: np.full(len(w), float(c)),
        "log_clients": lambda: np.full(len(w), np.log(K)),
        "rounding": lambda: np.full(len(w), 1e-40),
        **{name: partial(x.__getitem__, name) for name in _LETTERS},
    }
    size = 1e3 if {"we_even", "we_inverse", "outputs_apart"} & set(asked) else 10.0
    return {**{name: found[name]() for name in asked}, "magnitude": np.full(len(w), size)}


def views_exact(x: Mapping[str, Any], *, asked: tuple[str, ...]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """The same with enclosed exponentials, roots and logarithms."""
    w, one, two = x["weights"], x["view_1"], x["view_2"]
    K, c, samples = len(w), len(one[0][0]), len(one)
    flat = [[[z[0]] * c for z in sample] for sample in one]
    zero = Fraction(0)

    def entropy(at: list[Fraction]) -> Fraction:
        return sum((v * log_near(v) for v in at if v > 0), zero)

    def logits() -> Fraction:
        total = zero
        for pair in zip(one, two, strict=True):
            u, v = ([int(sum(a * z[j] for a, z in zip(w, s, strict=True)) * 2**200) for j in range(c)] for s in pair)
            total += cosine(u, v) if any(u) and any(v) else zero
        return -total / samples

    def written() -> Fraction:
        total = zero
        for sample in (*one, *two):
            y = mass(w, sample)
            whole = sum(y)
            total += sum(((Fraction(v, whole) - Fraction(1, c)) ** 2 for v in y), zero) / c
        return total / (2 * samples)

    def apart() -> Fraction:
        total = zero
        for pair in zip(one, two, strict=True):
            u, v = (mass(w, sample) for sample in pair)
            of_u, of_v = sum(u), sum(v)
            total += sum(((Fraction(a, of_u) - Fraction(b, of_v)) ** 2 for a, b in zip(u, v, strict=True)), zero)
        return total / samples

    found: dict[str, Callable[[], Fraction]] = {
        "cos": lambda: ssa_parts(w, one, two)[0],
        "cos_same": lambda: ssa_parts(w, one, one)[0],
        "cos_logits": logits,
        "cos_written": lambda: -ssa_parts(w, one, two)[0],
        "gap": lambda: 1 + ssa_parts(w, one, two)[0] + slack(),
        "outputs_apart": lambda: apart() - slack(),
        "var": lambda: ssa_parts(w, one, two)[1],
        "var_doubled": lambda: ssa_parts([2 * v for v in w], one, two)[1],
        "var_flat": lambda: ssa_parts(w, flat, flat)[1],
        "var_sample": lambda: ssa_parts(w, one, two)[1] * Fraction(c, c - 1),
        "var_written": written,
        "we": lambda: entropy(w),
        "we_even": lambda: entropy([sum(w) / K] * K),
        "we_inverse": lambda: entropy([Fraction(1, K)] * K),
        "c": lambda: Fraction(c),
        "log_clients": lambda: log_near(Fraction(K)),
        "rounding": slack,
        "lambda_var": lambda: x["lambda_var"],
        "lambda_we": lambda: x["lambda_we"],
    }
    free = "we_even" in asked or "we_inverse" in asked
    met = {"weights on the simplex, or of any sum where that is asked": min(w) >= 0 and (free or sum(w) == 1)}
    return met, {name: found[name]() for name in asked}


def of_views(
    says: Le,
    *,
    at: tuple[int, int, int] | None = None,
    large: bool = True,
    positive: bool = False,
    split: bool = False,
    span: float = 10.0,
) -> Inequality | Identity:
    """What is said of weights on two views; only its letters are observed.

    `at`: first at (clients, classes, samples); `large`: then up to 300, 100 and 20. `positive`: weights of any sum, each
    positive.
    `split`: splitting a client in two is a symmetry.
    """
    asked = tuple(sorted(str(s) for s in sp.Tuple(says.left, says.right).free_symbols))
    lambdas = {"lambda_var": LogScale("lambda_var", 1e-3, 1e1), "lambda_we": LogScale("lambda_we", 1e-4, 1e1)}

    def one(K: float, c: float, S: float) -> Case:
        n, classes, samples = int(K), int(c), int(S)
        space = Space(
            (
                LogScale("weights", 1e-4, 1e2, (n,), at=(1.0,)) if positive else Simplex("weights", n),
                Signed("view_1", 1e-2, span, (samples, n, classes)),
                Signed("view_2", 1e-2, span, (samples, n, classes)),
                *(drawn for name, drawn in lambdas.items() if name in asked),
            )
        )
        return case(
            f"{n} clients, {classes} classes, {samples} samples",
            space,
            views,
            views_exact,
            uses=EXACT,
            cost=max(1.0, n * classes * samples / 60),
            symmetries=SPLIT if split else SAME,
            asked=asked,
        )

    sizes = (Size("K", 1, 300, 3), Size("c", 2, 100, 3), Size("S", 1, 20, 1))
    small, wide = (one(*at),) if at else (), (Family("two views", sizes, one),) if large else ()
    return World(NOTATION, (*small, *wide)).test(says)
