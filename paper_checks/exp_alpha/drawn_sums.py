"""K of N clients drawn by weight, N up to 300 and K up to 12: sums over the draw on a line, every tuple enumerated.

Squared norms add up over axes, so a line is enough for any dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from paper_checks.exp_alpha.missed import never_missed
from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    symbols,
    units,
)

__all__ = ["equal_expectations", "squared_sum", "variance_below"]

_MOST = 4096  # tuples


def _law(x: Instance, of: Callable[[Any], Any]) -> Any:
    """Σ over all tuples of chance times `of` of the drawn entries; `of` takes (n, K)."""
    a, V = x["weights"], x["local"]
    total = np.zeros(len(a))
    for row in product(range(a.shape[1]), repeat=int(x["drawn"][0])):
        total = total + a[:, row].prod(axis=1) * of(V[:, row])
    return total


def law_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], list[tuple[Fraction, list[Any]]]]:
    """Every tuple of K draws with its chance, draw by draw."""
    a, V = x["weights"], x["local"]
    law: list[tuple[Fraction, list[Any]]] = [(Fraction(1), [])]
    for _ in range(int(x["drawn"])):
        law = [(chance * a[i], [*drawn, V[i]]) for chance, drawn in law for i in range(len(a)) if a[i] > 0]
    return {"A5: weights on the simplex, K >= 1": sum(a) == 1 and min(a) >= 0 and x["drawn"] >= 1}, law


def _squared(x: Instance) -> Mapping[str, Any]:
    """E_s(Σ(V − W̄))² against E_s Σ(V − W̄)²."""
    bar = (x["weights"] * x["local"]).sum(axis=1)[:, None]
    return {
        "lhs": _law(x, lambda v: (v - bar).sum(axis=1) ** 2),
        "apart": _law(x, lambda v: ((v - bar) ** 2).sum(axis=1)),
        "magnitude": x["drawn"] ** 2 * np.abs(x["local"]).max(axis=1) ** 2,
    }


def squared_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E_s (sum (V - W_bar))^2 and E_s sum (V - W_bar)^2."""
    met, law = law_exact(x)
    bar = sum(p * v for p, v in zip(x["weights"], x["local"], strict=True))
    left = sum(chance * sum(v - bar for v in drawn) ** 2 for chance, drawn in law)
    return met, {"lhs": left, "apart": sum(chance * sum((v - bar) ** 2 for v in drawn) for chance, drawn in law)}


def _each(x: Instance) -> Mapping[str, Any]:
    """|E_s Σ(V − W̄)²/K² − Σρ(V − W̄)²/K|."""
    a, V, K = x["weights"], x["local"], x["drawn"]
    bar = (a * V).sum(axis=1)[:, None]
    one = (a * (V - bar) ** 2).sum(axis=1)
    gap = np.abs(_law(x, lambda v: ((v - bar) ** 2).sum(axis=1)) / K**2 - one / K)
    return {"lhs": gap, "nothing": np.zeros_like(gap), "magnitude": np.abs(V).max(axis=1) ** 2}


def each_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|E_s sum (V - W_bar)^2 / K^2 - E_s (V - W_bar)^2 / K|."""
    (met, law), K = law_exact(x), int(x["drawn"])
    bar = sum(p * v for p, v in zip(x["weights"], x["local"], strict=True))
    several = sum(chance * sum((v - bar) ** 2 for v in drawn) for chance, drawn in law) / K**2
    one = sum(p * (v - bar) ** 2 for p, v in zip(x["weights"], x["local"], strict=True)) / K
    return met, {"lhs": abs(several - one), "nothing": Fraction(0)}


def _variance(x: Instance) -> Mapping[str, Any]:
    """Σρ(u − Σρu)² against Σρu², u the updates."""
    a, u = x["weights"], x["local"]
    mean = (a * u).sum(axis=1)[:, None]
    size = np.abs(u).max(axis=1) ** 2
    return {"lhs": (a * (u - mean) ** 2).sum(axis=1), "apart": (a * u**2).sum(axis=1), "magnitude": size}


def variance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho (u - sum rho u)^2 and sum rho u^2."""
    a, u = x["weights"], x["local"]
    mean = sum(p * v for p, v in zip(a, u, strict=True))
    left = sum(p * (v - mean) ** 2 for p, v in zip(a, u, strict=True))
    met = {"weights on the simplex": sum(a) == 1 and min(a) >= 0}
    return met, {"lhs": left, "apart": sum(p * v * v for p, v in zip(a, u, strict=True))}


def _family(measure: Callable[[Instance], Mapping[str, Any]], exact: ExactCheck, *, draws: int) -> Family:
    """N clients, K draws as far as there are at most `_MOST` tuples."""

    def at(N: float, K: float) -> Case:
        n = int(N)
        k = max(1, min(int(K), int(np.log(_MOST) / np.log(max(n, 2)) + 1e-9)))
        space = Space((Simplex("weights", n), Signed("local", 1e-2, 1e2, (n,)), Choice("drawn", (float(k),))))
        same = (permuted_clients({"weights": 0, "local": 0}), units({"local": (0, 1)}))
        name = f"{k} of {n} clients drawn" if draws > 1 else f"{n} clients"
        cost = max(1.5, n**k / 120) if draws > 1 else max(2.0, n / 20)
        return Case(name, space, measure, exact, cost=cost, symmetries=same)

    sizes = (Size("N", 1, 300, 3), Size("K", 1, draws, min(2, draws)))
    return Family("K clients drawn by weight", sizes, at)


def _apart(family: Family) -> Inequality:
    bound = Bound(symbols("apart"), again=lambda apart: 1 * apart, degrees={"apart": (0, 2)})
    return Inequality(bound, (family,), degrees=(0, 2))


def squared_sum() -> Inequality:
    """E_s(Σ(V − W̄))² <= E_s Σ(V − W̄)²."""
    return _apart(_family(_squared, ExactCheck(squared_exact, (law_exact,)), draws=12))


def equal_expectations() -> Inequality:
    """E_s Σ(V − W̄)²/K² is E_s(V − W̄)²/K."""
    return never_missed((_family(_each, ExactCheck(each_exact, (law_exact,)), draws=12),), degrees=(0, 2))


def variance_below() -> Inequality:
    """Σρ(u − Σρu)² <= Σρu²."""
    return _apart(_family(_variance, ExactCheck(variance_exact), draws=1))
