"""What A.11 is checked on: clients of any sizes with excess losses Ωᵢ, and weights that fall as NpᵢΩᵢ grows.

aᵢ = NpᵢΩᵢ with pᵢ = |Ξᵢ|/Σ|Ξⱼ|, weights ρ̃ᵢ ∝ U(−aᵢ). U is one of 1/(1 + y/c), a step at y = c down to `floor`, max(c − y, 0)
and a constant, y = −x: all non-negative and non-decreasing in x.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from validation import (
    Bound,
    Case,
    Choice,
    ExactCheck,
    Family,
    Inequality,
    Instance,
    LogScale,
    Simplex,
    Size,
    Space,
    Switch,
    permuted_clients,
    symbols,
)

__all__ = [
    "EQUAL_SIZES",
    "RIGHT",
    "at_most",
    "chosen_u",
    "equal_family",
    "far_from_level",
    "mean_exact",
    "order",
    "order_exact",
    "rewritten_exact",
    "tilted",
    "tilted_exact",
    "tilted_family",
    "total_exact",
    "weighted",
]

right = symbols("right")
Exact = Callable[[Mapping[str, Any]], tuple[Mapping[str, bool], Mapping[str, Fraction]]]


def chosen_u(x: Mapping[str, Any], y: Any) -> Any:
    """U(-y); decreasing in x = -y where `falling`."""
    c, kind = x["level"], int(x["kind"])
    y = 2 * c - y if "falling" in x and y <= 2 * c else (Fraction(0) if "falling" in x else y)
    if kind == 0:
        return c / (c + y)
    if kind == 1:
        return Fraction(1) if y <= c else Fraction(x["floor"])
    return max(c - y, Fraction(0)) if kind == 2 else Fraction(1)


def tilted_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], list[Any], list[Any]]:
    """Hypotheses, a_i = N p_i Omega_i and U(-a_i)."""
    p, n = x["share"], len(x["share"])
    a = [n * p[i] * x["Omega"][i] for i in range(n)]
    met = {
        "sizes positive, shares sum to one": min(p) > 0 and sum(p) == 1,
        "Omega_i >= 0": min(x["Omega"]) >= 0,
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
    }
    return met, a, [chosen_u(x, y) for y in a]


def order_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest U(-a_i) - U(-a_j) over pairs with a_i >= a_j, or 0."""
    met, a, u = tilted_exact(x)
    pairs = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and a[i] >= a[j]]
    return met, {"lhs": max([Fraction(0), *(u[i] - u[j] for i, j in pairs)]), "nothing": Fraction(0)}


def mean_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho~_i a_i, and the plain mean of the a_i."""
    met, a, u = tilted_exact(x)
    left = sum(s * y for s, y in zip(u, a, strict=True)) / sum(u)
    return met, {"lhs": left, "right": sum(a) / len(a)}


def rewritten_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i with rho_i = N p_i rho~_i, or normalised, against sum p_i Omega_i."""
    met, a, u = tilted_exact(x)
    n, p = len(a), x["share"]
    rho = [n * p[i] * u[i] / sum(u) for i in range(n)]
    if "normal" in x:
        rho = [r / sum(rho) for r in rho]
    left = sum(r * o for r, o in zip(rho, x["Omega"], strict=True))
    return met, {"lhs": left, "right": sum(s * o for s, o in zip(p, x["Omega"], strict=True))}


def total_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(sum of N p_i rho~_i - 1)^2."""
    met, a, u = tilted_exact(x)
    total = sum(len(a) * p * s for p, s in zip(x["share"], u, strict=True)) / sum(u)
    return met, {"lhs": (total - 1) ** 2, "nothing": Fraction(0)}


def tilted(x: Instance) -> tuple[Any, Any]:
    """a and U(−a), (n, N)."""
    a = x["share"].shape[1] * x["share"] * x["Omega"]
    c = x["level"][:, None]
    y = np.maximum(2 * c - a, 0.0) if "falling" in x else a
    kind = x["kind"][:, None]
    smooth, step = 1 / (1 + y / c), np.where(y <= c, 1.0, x["floor"][:, None])
    u = np.where(kind == 0, smooth, np.where(kind == 1, step, np.where(kind == 2, np.maximum(c - y, 0), 1.0)))
    return a, u


def far_from_level(x: Instance, a: Any) -> Any:
    """Whether no aᵢ is so near the level that rounding could put it on the other side."""
    return (np.abs(a - x["level"][:, None]) > 1e-9 * a).all(axis=1)


def order(x: Instance) -> Mapping[str, Any]:
    """The largest U(−aᵢ) − U(−aⱼ) over neighbours aᵢ >= aⱼ, or 0."""
    a, u = tilted(x)
    down = np.take_along_axis(u, np.argsort(-a, axis=1, kind="stable"), axis=1)
    # Equal aᵢ give equal U; a mere rounding of U is within the magnitude.
    jump = (down[:, :-1] - down[:, 1:]).max(axis=1) if a.shape[1] > 1 else np.zeros(len(a))
    spread = np.where(x["kind"] == 2, x["level"], 1.0)
    return {
        "lhs": np.maximum(jump, 0.0),
        "nothing": np.zeros(len(a)),
        "magnitude": spread,
        "admissible": far_from_level(x, a),
    }


def weighted(x: Instance, form: str) -> Mapping[str, Any]:
    """Σρ̃ᵢaᵢ against its plain mean (`form` "mean"), Σρᵢ ("total"), or ΣρᵢΩᵢ against ΣpᵢΩᵢ ("rewritten")."""
    a, u = tilted(x)
    n, p, total = a.shape[1], x["share"], u.sum(axis=1)
    tilde = u / np.where(total > 0, total, 1.0)[:, None]
    out = {"magnitude": a.max(axis=1), "admissible": (total > 0) & far_from_level(x, a)}
    if form == "mean":
        return {**out, "lhs": (tilde * a).sum(axis=1), "right": a.mean(axis=1)}
    rho = n * p * tilde
    if form == "total":
        size = np.full(len(a), float(n))
        return {**out, "lhs": (rho.sum(axis=1) - 1) ** 2, "nothing": np.zeros(len(a)), "magnitude": size}
    if "normal" in x:
        rho = rho / np.where(total > 0, rho.sum(axis=1), 1.0)[:, None]
    return {**out, "lhs": (rho * x["Omega"]).sum(axis=1), "right": (p * x["Omega"]).sum(axis=1)}


EQUAL_SIZES = Switch(
    "equal sizes", "|Ξᵢ| = |Ξⱼ|", lambda x: {**x, "share": np.full_like(x["share"], 1 / x["share"].shape[1])}
)


def tilted_family(measure: Callable[[Instance], Mapping[str, Any]], exact: Exact, *flags: str, low: int = 1) -> Family:
    """Clients of any sizes; `flags`: `normal` divides ρ by its sum, `falling` makes U decrease."""

    def at(N: float) -> Case:
        n = int(N)
        drawn = Space(
            (
                Simplex("share", n, interior=True),
                LogScale("Omega", 1e-3, 1e3, (n,), at=(1.0,)),
                LogScale("level", 1e-3, 1e3, at=(1.0,)),
                Choice("floor", (0.0, 0.25, 1.0)),
                Choice("kind", (0.0, 1.0, 2.0, 3.0)),
                *(Choice(flag, (1.0,)) for flag in flags),
            )
        )
        same = (permuted_clients({"share": 0, "Omega": 0}),)
        return Case(
            f"{n} clients",
            drawn,
            measure,
            ExactCheck(exact, (chosen_u, tilted_exact)),
            cost=max(1.0, n / 60),
            symmetries=same,
        )

    return Family("clients of any sizes", (Size("N", low, 300, 3),), at)


def equal_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i against sum p_i Omega_i, with equal sizes."""
    n = len(x["share"])
    return rewritten_exact({**x, "share": [Fraction(1, n)] * n})


def equal_family() -> Family:
    """Clients of equal sizes, ΣρᵢΩᵢ against ΣpᵢΩᵢ."""
    found = tilted_family(lambda x: weighted(EQUAL_SIZES.project(x), "rewritten"), equal_exact)

    def at(N: float) -> Case:
        case = found.at(N=N)
        return replace(case, exact=ExactCheck(equal_exact, (chosen_u, tilted_exact, rewritten_exact)))

    return replace(found, name="clients of equal sizes", at=at)


def right_again(right: Any) -> Any:
    """The right side, as measured."""
    return 1 * right


RIGHT = Bound(1 * right, again=right_again, degrees={"right": (1, 0)})


def at_most(
    form: str, exact: Exact, *flags: str, bound: Bound = RIGHT, switches: tuple[Switch, ...] = ()
) -> Inequality:
    """The weighted form <= the right side."""
    return Inequality(bound, (tilted_family(lambda x: weighted(x, form), exact, *flags),), switches, degrees=(1, 0))
