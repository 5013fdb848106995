"""EFL-A5 and EFL-A6: bounded aggregation coefficients and the moments that have to exist."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Simplex,
    Size,
    Uniform,
    permuted_clients,
)
from validation.statement.draw import Coordinate
from validation.statement.forms import n
from validation.statement.orders import Order, OrderFamily

__all__ = ["CLAIMS"]


def _coordinates(N: int, E: int) -> Sequence[Coordinate]:
    return (
        Simplex("share", N, interior=True),
        Simplex("chance", 3),
        Uniform("done", 0.0, 1.0, (3, N), at=(0.0, 1.0)),
        Uniform("part", 0.0, 1.0, (3, N), at=(0.0, 1.0)),
        LogScale("slack", 1e-3, 1e1),
        Choice("steps", (float(E),)),
    )


def _law(x: Instance) -> tuple[Any, Any, Any, Any]:
    E = x["steps"]
    s = np.minimum(np.floor(x["done"] * (E + 1)[:, None, None] + 1e-9), E[:, None, None])
    if "started" in x:
        s = np.maximum(s, 1.0)
    theta = (1 + x["slack"]) * E
    p = np.where(s > 0, E[:, None, None] / np.maximum(s, 1), 0.0)
    if "rule" not in x:
        p = x["part"] * theta[:, None, None] * 0.999
    return E, s, x["share"][:, None] * p, theta


def law_exact(x: Mapping[str, Any]) -> tuple[int, list[list[int]], list[list[Fraction]], Fraction]:
    """E, the finished steps and coefficients of three patterns, and theta; `rule`: p = E p^k/s, else p anything below."""
    E = int(x["steps"])
    s = [[min(int(u * (E + 1)), E) for u in row] for row in x["done"]]
    if "started" in x:
        s = [[max(v, 1) for v in row] for row in s]
    theta = (1 + x["slack"]) * E
    p = [[q * u * theta * Fraction(999, 1000) for q, u in zip(x["share"], row, strict=True)] for row in x["part"]]
    if "rule" in x:
        p = [[q * E / v if v else Fraction(0) for q, v in zip(x["share"], row, strict=True)] for row in s]
    return E, s, p, theta


def _below(x: Instance) -> Mapping[str, Any]:
    """max over clients of pₖ/pᵏ − θ, or Σps − θE (`sums`)."""
    E, s, p, theta = _law(x)
    ratio = (p / x["share"][:, None]).max(axis=(1, 2)) - theta
    sums = (p * s).sum(axis=2).max(axis=1) - theta * E
    return {"lhs": sums if "sums" in x else ratio, "magnitude": theta * E}


def below_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """max_k p_tau^k/p^k - theta over the patterns; with `sums` sum_k p s - theta E."""
    E, s, p, theta = law_exact(x)
    lhs = max(v / q - theta for row in p for v, q in zip(row, x["share"], strict=True))
    if "sums" in x:
        lhs = max(sum(v * t for v, t in zip(a, b, strict=True)) for a, b in zip(p, s, strict=True)) - theta * E
    return {"p^k on the simplex, all positive": sum(x["share"]) == 1 and min(x["share"]) > 0}, {"lhs": lhs}


def _moments(x: Instance) -> Mapping[str, Any]:
    """The most by which a moment of A6 leaves its interval; `nonzero`: 1 where E Σps = 0, else −1."""
    E, s, p, theta = _law(x)
    q, share = x["chance"][..., None], x["share"]
    m = (q * p * s).sum(axis=(1, 2))
    if "nonzero" in x:
        some = (q * s * p > 0).any(axis=(1, 2)) | ("any" in x)
        lhs = np.where(m > 0, -1.0, 1.0)
        return {"lhs": lhs, "magnitude": np.zeros_like(lhs), "admissible": some}
    first = ((q * p).sum(axis=1) - theta[:, None] * share).max(axis=1)
    second = ((q * p * s).sum(axis=1) - (theta * E)[:, None] * share).max(axis=1)
    third = ((q * p**2 * s).sum(axis=1) - (theta**2 * E)[:, None] * share**2).max(axis=1)
    fourth = (q[..., 0] * (p.sum(axis=2) - 2 + (p * s).sum(axis=2))).sum(axis=1)
    factor = (q[..., 0] * np.maximum(p.sum(axis=2) - 2, 0) * (p * s).sum(axis=2)).sum(axis=1)
    factor = factor - np.maximum(theta - 2, 0) * theta * E
    bad = np.maximum.reduce([first, second, third, fourth - (theta * (1 + E) - 2), -2 - fourth, factor])
    return {"lhs": bad, "magnitude": theta**2 * E}


def moments_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E p, E p s, E p^2 s, E[sum p - 2 + sum p s] and E[(sum p - 2)_+ sum p s] against what A5 allows.

    `nonzero`: 1 where E sum p s is 0.
    """
    E, s, p, theta = law_exact(x)
    share, clients, law = x["share"], range(len(x["share"])), list(zip(x["chance"], p, s, strict=True))
    met = {"p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0, "chances": sum(x["chance"]) == 1}
    if "nonzero" in x:
        took = sum(q * sum(a[k] * t[k] for k in clients) for q, a, t in law)
        some = any(q * a[k] * t[k] > 0 for q, a, t in law for k in clients)
        met["a client finishes a step with positive chance and coefficient"] = some or "any" in x
        return met, {"lhs": Fraction(-1 if took > 0 else 1)}
    out = []
    for k in clients:
        out.append(sum(q * a[k] for q, a, _ in law) - theta * share[k])
        out.append(sum(q * a[k] * t[k] for q, a, t in law) - theta * share[k] * E)
        out.append(sum(q * a[k] ** 2 * t[k] for q, a, t in law) - (theta * share[k]) ** 2 * E)
    fourth = sum(q * (sum(a) - 2 + sum(a[k] * t[k] for k in clients)) for q, a, t in law)
    factor = sum(q * max(sum(a) - 2, Fraction(0)) * sum(a[k] * t[k] for k in clients) for q, a, t in law)
    factor = factor - max(theta - 2, Fraction(0)) * theta * E
    return met, {"lhs": max([*out, fourth - theta * (1 + E) + 2, -2 - fourth, factor])}


_SIZES = (Size("N", 1, 100, 3), Size("E", 1, 300, 5))
_SAME = (permuted_clients({"share": 0, "done": 1, "part": 1}),)


def _test(measure: Any, exact: Any, *flags: str) -> Property:
    return drawn(
        "coefficients" + "".join(f", {f}" for f in flags),
        _coordinates,
        measure,
        exact,
        sizes=_SIZES,
        uses=(law_exact,),
        flags=dict.fromkeys(flags, 1.0),
        same=_SAME,
        per=400.0,
    )


def largest_ratio(E: Any) -> tuple[Fraction, Fraction]:
    """(p_tau^k/p^k = E/s for a client that finishes one step, 1)."""
    return Fraction(E) / 1, Fraction(1)


A5 = Claim(
    id="EFL-A5",
    kind=Kind.PROPERTY,
    source="Assumption 5, Sec. 3.2; used in (59), (63)",
    title="Bounded aggregation coefficient",
    statement=r"p_\tau^k<\theta p^k",
    says="A θ above E serves the rule pₖ = E pᵏ/s, and A5 gives the Σps <= θE that (63) uses.",
    assumes=("p^k on the simplex, all positive", "three patterns of finished steps and coefficients"),
    readings=(
        Reading(
            "the rule E pᵏ/s", "Any θ > E, clients with s = 0 at coefficient 0.", _test(_below, below_exact, "rule")
        ),
        Reading("as (63) uses it", "Σps <= θE for any coefficients below θpᵏ.", _test(_below, below_exact, "sums")),
    ),
    canaries=(
        Canary(
            "one θ for every E",
            Order(
                "upper",
                (OrderFamily("a client that finishes one step", largest_ratio, {"E": n}, degree=1),),
                variable="E",
            ),
            "p/pᵏ = E for s = 1",
        ),
    ),
    depends_on=("EFL-ALG3",),
    verdict_words=(
        "Always satisfiable, and it gives what the proof takes from it. For the paper's own rule θ has to exceed E when a client "
        "may finish a single step; every θ in the bound is then an E, and with γ >= 4E²θ/m also γ grows like E²."
    ),
)

A6 = Claim(
    id="EFL-A6",
    kind=Kind.PROPERTY,
    source="Before Theorem 1, Sec. 3.2",
    title="Moments of coefficients and steps exist",
    statement=(
        r"\mathbb E[p_\tau^k],\ \mathbb E[p_\tau^ks_\tau^k],\ \mathbb E[(p_\tau^k)^2s_\tau^k],\ "
        r"\mathbb E\Big[\sum_kp_\tau^k-2+\sum_kp_\tau^ks_\tau^k\Big]\text{ exist},\quad\mathbb E\Big[\sum_kp_\tau^ks_\tau^k\Big]\ne0"
    ),
    says="Under A5 all four moments are finite, and the last is nonzero once some client finishes a step with a positive coefficient.",
    assumes=("A5", "three patterns of finished steps and coefficients, any chances"),
    readings=(
        Reading(
            "the moments",
            "Within what θ and E allow; the fourth as printed and as E[(Σp − 2)₊Σps].",
            _test(_moments, moments_exact),
        ),
        Reading(
            "E Σps ≠ 0",
            "Some client finishes a step with positive chance and coefficient.",
            _test(_moments, moments_exact, "nonzero"),
        ),
    ),
    canaries=(
        Canary(
            "E Σps ≠ 0 without that",
            _test(_moments, moments_exact, "nonzero", "any"),
            "nobody finishes a step: the sum is 0",
        ),
    ),
    depends_on=("EFL-A5",),
    verdict_words=(
        "Given A5 and s <= E all expectations exist, so this assumption adds only that some round's work is done. The fourth, with "
        "its second «+» as the subscript of a positive part, as EFL-L3 needs it, is E[(Σp − 2)₊Σps]: the random factor in (59) so "
        "read, and one more sign that this is meant. Under "
        "the rule E pᵏ/s the coefficient of an inactive client is not defined, and E[p] exists only by setting it (EFL-ALG3)."
    ),
)

CLAIMS: tuple[Claim, ...] = (A5, A6)
