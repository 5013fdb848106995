"""Which clients take part: cohorts, independent presence, chances that suit the updates, groups.

Source: Horvitz and Thompson 1952; Chen, Horváth and Richtárik 2022 (chances that suit the updates); Fraboni et al. 2021
(one client from each group); Li et al. 2020 (uniform cohorts).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np

from paper_checks.literature.notation import NOTATION
from paper_checks.literature.stated import stated
from paper_checks.literature.worlds import Coordinates, Plain, Seen, free, of_sizes
from theory.exact import dot
from validation import Instance, Integer, Signed, Simplex, Uniform
from validation.world import at, eq, le, mutant

__all__ = ["CLAIMS"]

missed, V, N, K, off2, bernoulli, bernoulli_q = NOTATION.symbols("missed V N K off2 bernoulli bernoulli_q")
weighed2, second_q, second_u = NOTATION.symbols("weighed2 second_q second_u")
x, y, z, w, q, m = NOTATION.symbols("x y z w q m")


def cohorts(drawn: Instance, *, K: int, more: int) -> Seen:
    """The mean of K of K + more values, over all cohorts, against the mean of all."""
    v, n = drawn["values"], K + more
    size = (v**2).max(axis=1)
    off = [(v[:, list(one)].mean(axis=1) - v.mean(axis=1)) ** 2 for one in combinations(range(n), K)]
    counts = {"K": np.full(len(v), float(K)), "N": np.full(len(v), float(n))}
    return {**counts, "missed": sum(off) / len(off), "V": v.var(axis=1), "sizes": {"missed": size, "V": size}}


def cohorts_plain(drawn: Seen, *, K: int, more: int) -> Plain:
    """The same of one instance, cohort by cohort."""
    v, n = drawn["values"], K + more
    mean, sets = sum(v) / n, list(combinations(v, K))
    found = sum((sum(one) / K - mean) ** 2 for one in sets) / len(sets)
    return {}, {"K": K, "N": n, "missed": found, "V": dot(v, v) / n - mean**2}


def values(*, K: int, more: int) -> Coordinates:
    """K + more values."""
    return (Signed("values", 1e-2, 1e2, (K + more,)),)


def present(drawn: Instance, *, N: int) -> Seen:
    """Clients present by chance, updates over their chance: the mean squared error over all outcomes."""
    p, v, chance = drawn["p"], drawn["values"], drawn["chance"]
    mean, found = (p * v).sum(axis=1), np.zeros(len(p))
    for bits in product((0.0, 1.0), repeat=N):
        here = np.asarray(bits)
        weight = (here * chance + (1 - here) * (1 - chance)).prod(axis=1)
        found += weight * ((p * here / chance * v).sum(axis=1) - mean) ** 2
    return {
        "off2": found,
        "bernoulli": (p**2 * (1 / chance - 1) * v**2).sum(axis=1),
        "bernoulli_q": (p**2 / chance * v**2).sum(axis=1),
        "magnitude": ((p * v) ** 2 / chance).sum(axis=1),
    }


def present_plain(drawn: Seen, *, N: int) -> Plain:
    """The same of one instance, outcome by outcome."""
    p, v, chance = drawn["p"], drawn["values"], drawn["chance"]
    found = Fraction(0)
    for bits in product((False, True), repeat=N):
        weight, total = Fraction(1), -dot(p, v)
        for here, a, b, c in zip(bits, p, v, chance, strict=True):
            weight, total = weight * (c if here else 1 - c), total + (a * b / c if here else 0)
        found += weight * total**2
    parts = [(a * b) ** 2 / c for a, b, c in zip(p, v, chance, strict=True)]
    met = {"p on the simplex, chances above 0": sum(p) == 1 and min(p) >= 0 and min(chance) > 0 and max(chance) <= 1}
    less = sum((a * b) ** 2 for a, b in zip(p, v, strict=True))
    return met, {"off2": found, "bernoulli": sum(parts) - less, "bernoulli_q": sum(parts)}


def with_chances(*, N: int) -> Coordinates:
    """Shares, values and chances."""
    chance = Uniform("chance", 0.05, 1.0, (N,), at=(0.5,))
    return (Simplex("p", N), Signed("values", 1e-2, 1e2, (N,)), chance)


def drawn_by(drawn: Instance, *, N: int) -> Seen:
    """One client drawn by q, its update times p/q: second moments."""
    part = drawn["p"] * np.abs(drawn["values"])
    return {
        "weighed2": part.sum(axis=1) ** 2,
        "second_q": (part**2 / drawn["law"]).sum(axis=1),
        "second_u": N * (part**2).sum(axis=1),
    }


def drawn_by_plain(drawn: Seen, *, N: int) -> Plain:
    """The same of one instance, client by client."""
    p, v, law = drawn["p"], drawn["values"], drawn["law"]
    second = sum(c * (a * b / c) ** 2 for a, b, c in zip(p, v, law, strict=True))
    uniform = sum(Fraction(1, N) * (N * a * b) ** 2 for a, b in zip(p, v, strict=True))
    met = {"p and q on the simplex, q > 0": sum(p) == sum(law) == 1 and min(p) >= 0 and min(law) > 0}
    return met, {
        "weighed2": sum(a * abs(b) for a, b in zip(p, v, strict=True)) ** 2,
        "second_q": second,
        "second_u": uniform,
    }


def with_law(*, N: int) -> Coordinates:
    """Shares, values, and the law that a client is drawn by."""
    return (Simplex("p", N), Signed("values", 1e-2, 1e2, (N,)), Simplex("law", N, interior=True))


COHORTS = of_sizes("cohorts", values, cohorts, cohorts_plain, cost=2.0, K=(1, 3, 2), more=(0, 4, 1))
PRESENT = of_sizes("presence by chance", with_chances, present, present_plain, cost=2.0, N=(1, 5, 3))
LAWS = of_sizes("one client drawn", with_law, drawn_by, drawn_by_plain, N=(1, 100, 3))

COHORT = stated(
    "LIT-45",
    "Cohorts without replacement",
    r"\mathbb E(\bar x_S-\bar x)^2=\frac{N-K}{K(N-1)}V",
    "The mean of K of N clients, drawn uniformly without replacement, has (N − K)/(K(N − 1)) times the variance of all.",
    eq((N - 1) * missed, (N - K) / K * V),
    COHORTS,
    mutant("with replacement", eq((N - 1) * missed, (N - 1) / K * V), "all clients have no variance"),
    mutant("N for N − 1", eq(N * missed, (N - K) / K * V), "one of two clients"),
    because="two clients of a cohort have covariance −V/(N − 1)",
    tight="always: an identity",
)
LESS = stated(
    "LIT-46",
    "Without replacement is never worse",
    r"\mathbb E(\bar x_S-\bar x)^2\le\frac1KV",
    "A cohort drawn without replacement has at most the variance of one drawn with replacement.",
    le(missed, V / K),
    COHORTS,
    mutant("half of it", le(missed, V / (2 * K)), "a single client"),
    because="(N − K)/(N − 1) <= 1",
    tight="cohorts of one client",
)
COIN = stated(
    "LIT-47",
    "Variance of independent presence",
    r"\mathbb E\left(\sum_{i\in S}\frac{p_i}{q_i}x_i-\sum_ip_ix_i\right)^2=\sum_ip_i^2\left(\frac1{q_i}-1\right)x_i^2",
    "Clients present independently with chances q, updates over their chance: each adds 1/q − 1 of its square as variance.",
    eq(off2, bernoulli),
    PRESENT,
    mutant("without −1", eq(off2, bernoulli_q), "clients that are always present have no variance"),
    because="a client present with chance q has relative variance 1/q − 1, and variances of independent clients add",
    tight="always: an identity",
)
CHANCES = stated(
    "LIT-48",
    "The best chances are in proportion to the updates",
    r"\left(\sum_ip_i|x_i|\right)^2\le\sum_i\frac{p_i^2x_i^2}{q_i}",
    "No law q for drawing a client has a smaller second moment than q in proportion to share times size of update.",
    le(weighed2, second_q),
    LAWS,
    mutant("twice", le(2 * weighed2, second_q), "q in proportion to p·|x|"),
    mutant("uniform is best", le(second_u, second_q), "q in proportion to p·|x|, of unlike clients"),
    because="Cauchy–Schwarz for p|x|/√q and √q",
    tight="q in proportion to p·|x|, as of one client",
)
FIRST, SECOND = q * x + (1 - q) * y, q * z + (1 - q) * w
SQUARES = (q * x**2 + (1 - q) * y**2 + q * z**2 + (1 - q) * w**2) / 2
GROUPED = q * (1 - q) * ((x - y) ** 2 + (z - w) ** 2) / 4
GROUPS = stated(
    "LIT-49",
    "One client from each group",
    r"\frac14V_1+\frac14V_2\le\frac12V",
    "One client from each of two groups of equal weight has at most the variance of two clients drawn from all.",
    le(GROUPED, (SQUARES - ((FIRST + SECOND) / 2) ** 2) / 2),
    free(
        "two groups of two kinds of clients",
        Uniform("q", 0.01, 0.99, at=(0.5,)),
        *(Signed(name, 1e-2, 1e1) for name in ("x", "y", "z", "w")),
    ),
    mutant("half of it", le(GROUPED, (SQUARES - ((FIRST + SECOND) / 2) ** 2) / 4), "groups that are alike"),
    because="the variance V of all is the mean variance within groups plus that of the groups' means",
    tight=at(q="1/2", x=1, y=0, z=1, w=0),
)
ABSENT = stated(
    "LIT-50",
    "How likely nobody takes part",
    r"(1-q)^m\le\frac1{1+qm}",
    "Of m clients present independently with chance q nobody is present with chance at most 1/(1 + qm).",
    le((1 - q) ** m * (1 + q * m), 1),
    free("clients and chance", Uniform("q", 0.001, 1.0, at=(0.5,)), Integer("m", 1, 200)),
    mutant("2qm", le((1 - q) ** m * (1 + 2 * q * m), 1), "one client of small chance"),
    because="Bernoulli's inequality: (1 + q)^m >= 1 + qm, and (1 − q)(1 + q) <= 1",
)
DISTINCT = stated(
    "LIT-51",
    "How many clients a cohort with replacement has",
    r"m\left(1-\left(1-\tfrac1m\right)^K\right)\le K",
    "Of K draws with replacement from m clients at most K are distinct in the mean.",
    le(m * (1 - (1 - 1 / m) ** K), K),
    free("clients and draws", Integer("m", 1, 100), Integer("K", 1, 100)),
    mutant("K draws are K clients", le(K, m * (1 - (1 - 1 / m) ** K)), "two draws from two clients"),
    because="Bernoulli's inequality: (1 − 1/m)^K >= 1 − K/m",
    tight="one draw",
)

CLAIMS = (COHORT, LESS, COIN, CHANCES, GROUPS, ABSENT, DISTINCT)
