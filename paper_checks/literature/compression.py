"""Compressed updates: entries kept, signs, random levels, and the memory of what was left out.

Source: Stich, Cordonnier and Jaggi 2018 (top-k, random k); Karimireddy et al. 2019 (scaled sign, memory); Alistarh et
al. 2017 (random levels); Wen et al. 2017 (ternary); Horváth et al. 2022 (powers of two).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import sympy as sp

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import Coordinates, Plain, Seen, free, of_sizes
from validation import Instance, LogScale, Signed, Uniform
from validation.world import at, eq, le, mutant

__all__ = ["CLAIMS"]

d, k, norm2, lost2, random_lost2, random_off2 = NOTATION.symbols("d k norm2 lost2 random_lost2 random_off2")
sign_lost2, ternary_off2, omega, omega_2, second2 = NOTATION.symbols("sign_lost2 ternary_off2 omega omega_2 second2")
delta, e, G, u, x = NOTATION.symbols("delta e G u x")


def compressed(drawn: Instance, *, k: int, more: int) -> Seen:
    """What the largest k entries leave out, a scaled sign, and the variance of a ternary quantiser."""
    size = np.sort(np.abs(drawn["entries"]), axis=1)
    n, total = k + more, size.sum(axis=1)
    return {
        "d": np.full(len(size), float(n)),
        "k": np.full(len(size), float(k)),
        "norm2": (size**2).sum(axis=1),
        "lost2": (size[:, : n - k] ** 2).sum(axis=1),
        "sign_lost2": ((size - total[:, None] / n) ** 2).sum(axis=1),
        "ternary_off2": (size * (size[:, -1:] - size)).sum(axis=1),
    }


def compressed_plain(drawn: Seen, *, k: int, more: int) -> Plain:
    """The same of one instance; the ternary value is ±max|x| with chance |x|/max|x|, else 0."""
    entries = drawn["entries"]
    n, most = k + more, max(map(abs, entries))
    mean = sum(map(abs, entries)) / n
    kept = sorted(entries, key=abs, reverse=True)[:k]
    signed = [mean if v >= 0 else -mean for v in entries]
    ternary = [abs(v) / most * (most - abs(v)) ** 2 + (1 - abs(v) / most) * v * v if most else 0 for v in entries]
    return {}, {
        "d": n,
        "k": k,
        "norm2": sum(v * v for v in entries),
        "lost2": sum(v * v for v in entries) - sum(v * v for v in kept),
        "sign_lost2": sum((v - s) ** 2 for v, s in zip(entries, signed, strict=True)),
        "ternary_off2": sum(ternary, Fraction(0)),
    }


def entries(*, k: int, more: int) -> Coordinates:
    """The k + more entries of a vector."""
    return (Signed("entries", 1e-2, 1e2, (k + more,)),)


def at_random(drawn: Instance, *, k: int, more: int) -> Seen:
    """k entries drawn uniformly: the mean over all sets of what is left out, and of the error of those over k/d."""
    v, n = drawn["entries"], k + more
    lost, off = np.zeros(len(v)), np.zeros(len(v))
    chosen = [np.isin(np.arange(n), one) for one in combinations(range(n), k)]
    for kept in chosen:
        lost += (v[:, ~kept] ** 2).sum(axis=1) / len(chosen)
        off += ((v * (kept * (n / k) - 1)) ** 2).sum(axis=1) / len(chosen)
    of_all = {"d": np.full(len(v), float(n)), "k": np.full(len(v), float(k)), "norm2": (v**2).sum(axis=1)}
    return {**of_all, "random_lost2": lost, "random_off2": off}


def at_random_plain(drawn: Seen, *, k: int, more: int) -> Plain:
    """The same of one instance, set by set."""
    v, n = drawn["entries"], k + more
    sets = list(combinations(range(n), k))
    lost = [sum((v[i] ** 2 for i in range(n) if i not in kept), Fraction(0)) for kept in sets]
    off = [sum((v[i] * Fraction(n, k) * (i in kept) - v[i]) ** 2 for i in range(n)) for kept in sets]
    seen = {"random_lost2": sum(lost) / len(sets), "random_off2": sum(off) / len(sets)}
    return {}, {"d": n, "k": k, "norm2": sum(one * one for one in v), **seen}


VECTORS = of_sizes("a vector", entries, compressed, compressed_plain, k=(1, 50, 1), more=(0, 50, 1))
FEW = of_sizes("entries at random", entries, at_random, at_random_plain, cost=2.0, k=(1, 3, 1), more=(0, 3, 1))

TOP = stated(
    "LIT-35",
    "The largest entries contract",
    r"\|x-\mathrm{top}_k(x)\|^2\le\left(1-\frac kd\right)\|x\|^2",
    "Keeping the k largest of d entries loses at most the share 1 − k/d of the square.",
    le(lost2, (1 - k / d) * norm2),
    VECTORS,
    mutant("k + 1 kept", le(lost2, (1 - (k + 1) / (d + 1)) * norm2), "equal entries"),
    because="the d − k smallest squares have at most the mean square each",
    tight="entries of one size",
)
RANDOM = stated(
    "LIT-36",
    "Random entries contract in the mean",
    r"\mathbb E\|x-\mathrm{rand}_k(x)\|^2=\left(1-\frac kd\right)\|x\|^2",
    "Keeping k of d entries drawn uniformly loses the share 1 − k/d of the square in the mean.",
    eq(random_lost2, (1 - k / d) * norm2),
    FEW,
    mutant("k + 1 kept", eq(random_lost2, (1 - (k + 1) / (d + 1)) * norm2), "one of two entries"),
    because="every entry is left out with chance 1 − k/d",
    tight="always: an identity",
)
UNBIASED = stated(
    "LIT-37",
    "Variance of random entries",
    r"\mathbb E\left\|\tfrac dk\mathrm{rand}_k(x)-x\right\|^2=\left(\frac dk-1\right)\|x\|^2",
    "Over their chance k/d, entries drawn uniformly are unbiased with relative variance d/k − 1.",
    eq(random_off2, (d / k - 1) * norm2),
    FEW,
    mutant("1 − k/d", eq(random_off2, (1 - k / d) * norm2), "that is what entries lose that are not divided"),
    because="an entry present with chance q has relative variance 1/q − 1 when divided by it",
    tight="always: an identity",
)
SIGN = stated(
    "LIT-38",
    "A scaled sign contracts",
    r"\left\|x-\tfrac1d\|x\|_1\mathrm{sign}\,x\right\|^2\le\left(1-\frac1d\right)\|x\|^2",
    "Signs times the mean size of the entries lose at most the share 1 − 1/d of the square.",
    le(sign_lost2, (1 - 1 / d) * norm2),
    VECTORS,
    mutant("half of it", le(sign_lost2, (1 - 1 / d) * norm2 / 2), "a vector of one entry that is not 0"),
    because="the square lost is ‖x‖² − ‖x‖₁²/d, and ‖x‖₁ >= ‖x‖",
    tight="one entry that is not 0",
)
TERNARY = stated(
    "LIT-39",
    "Variance of the ternary quantiser",
    r"\mathbb E\|Q(x)-x\|^2\le\frac{\sqrt d-1}2\|x\|^2",
    "Every entry becomes plus or minus the largest size with a chance in proportion to its own, else 0: at most (√d − 1)/2 of the square as variance.",
    le(ternary_off2, (sp.sqrt(d) - 1) / 2 * norm2),
    VECTORS,
    mutant("half of it", le(ternary_off2, (sp.sqrt(d) - 1) / 4 * norm2), "one entry 1, the others 1/(1 + √d)"),
    because="it is max|x|·‖x‖₁ − ‖x‖², largest for one entry 1 and the others t, where 2t(1 + √d) − t²(1 + √d)² <= 1",
    tight="one entry of a square number d is the largest, the others are 1/(1 + √d) of it",
)
LEVELS = stated(
    "LIT-40",
    "Variance of rounding to one of two levels",
    r"u(1-u)\le\frac14",
    "Unbiased rounding to the nearer levels below and above has at most a quarter of their squared distance as variance.",
    le(u * (1 - u) ** 2 + (1 - u) * u**2, sp.Rational(1, 4)),
    free("an entry between two levels", Uniform("u", 0.0, 1.0, at=(0.5,))),
    mutant("a fifth", le(u * (1 - u) ** 2 + (1 - u) * u**2, sp.Rational(1, 5)), "half way between them"),
    because="1/4 − u(1 − u) = (u − 1/2)²",
    tight=at(u="1/2"),
)
NATURAL = stated(
    "LIT-41",
    "Variance of rounding to powers of two",
    r"u(1-u)\le\frac18(1+u)^2",
    "Unbiased rounding of 1 + u between 1 and 2 has relative variance at most 1/8.",
    le(u * (1 - u) ** 2 + (1 - u) * u**2, (1 + u) ** 2 / 8),
    free("an entry above a power of two", Uniform("u", 0.0, 1.0, at=(0.5,))),
    mutant("a ninth", le(u * (1 - u) ** 2 + (1 - u) * u**2, (1 + u) ** 2 / 9), "a third of the way up"),
    because="(1 + u)² − 8u(1 − u) = (3u − 1)²",
    tight=at(u="1/3"),
)
MOMENTS = free(
    "moments of a quantiser",
    *(
        LogScale("norm2", 1e-2, 1e2, at=(1.0,)),
        LogScale("second2", 1e-2, 1e4),
        LogScale("omega", 1e-2, 1e2, at=(1.0,)),
    ),
    where=(le(norm2, second2), le(second2, (1 + omega) * norm2)),
)
SHRUNK = stated(
    "LIT-42",
    "A shrunk unbiased quantiser contracts",
    r"\mathbb E\left\|\frac{Q(x)}{1+\omega}-x\right\|^2\le\left(1-\frac1{1+\omega}\right)\|x\|^2",
    "An unbiased quantiser of relative variance ω, divided by 1 + ω, loses at most the share ω/(1 + ω) of the square.",
    le(second2 / (1 + omega) ** 2 - 2 * norm2 / (1 + omega) + norm2, (1 - 1 / (1 + omega)) * norm2),
    MOMENTS,
    mutant(
        "not divided",
        le(second2 - norm2, (1 - 1 / (1 + omega)) * norm2),
        "a relative variance above 1 loses more than all",
    ),
    because="E‖Q‖² <= (1 + ω)‖x‖² and E⟨Q, x⟩ = ‖x‖²",
    tight=at(norm2=1, second2=2, omega=1),
)
TWICE = stated(
    "LIT-43",
    "Quantising twice",
    r"\omega+\omega_2+\omega\omega_2\le2\omega+2\omega_2\quad(\omega,\omega_2\le2)",
    "Of two unbiased quantisers one after the other the relative variance is (1 + ω)(1 + ω₂) − 1; below 2 each, that is "
    "at most twice their sum.",
    le((1 + omega) * (1 + omega_2) - 1, 2 * (omega + omega_2)),
    free("two quantisers", Uniform("omega", 0.0, 2.0, at=(1.0,)), Uniform("omega_2", 0.0, 2.0, at=(1.0,))),
    mutant(
        "their sum", le((1 + omega) * (1 + omega_2) - 1, omega + omega_2), "the second acts on what the first has made"
    ),
    because="ωω₂ <= ω + ω₂ where neither exceeds 2",
    tight=at(omega=2, omega_2=2),
)
BOUND = 2 * sp.sqrt(1 - delta) / delta * G
MEMORY = stated(
    "LIT-44",
    "The memory of what was left out stays bounded",
    r"\sqrt{1-\delta}\,(|e|+G)\le\frac{2\sqrt{1-\delta}}\delta G",
    "With a compressor of contraction δ and updates up to G the memory never exceeds 2√(1 − δ)/δ times G: a round keeps it.",
    le((1 - delta) * (sp.Abs(e) + G) ** 2, BOUND**2),
    free(
        "memory and update",
        *(LogScale("delta", 1e-3, 1.0, at=(0.5,)), LogScale("G", 1e-1, 1e1, at=(1.0,)), Signed("e", 1e-2, 1e4)),
        where=(le(e**2, BOUND**2),),
    ),
    mutant(
        "not over δ",
        le((1 - delta) * (sp.Abs(e) + G) ** 2, (BOUND * delta) ** 2),
        "small δ: the memory is many updates",
    ),
    because="2√(1 − δ) + δ <= 2, since √(1 − δ) <= 1 − δ/2",
)

CLAIMS = (TOP, RANDOM, UNBIASED, SIGN, TERNARY, LEVELS, NATURAL, SHRUNK, TWICE, MEMORY)
