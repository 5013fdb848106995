"""The worlds of A.11: clients of any sizes with excess losses Ωᵢ, and weights that fall as NpᵢΩᵢ grows.

aᵢ = NpᵢΩᵢ with pᵢ = |Ξᵢ|/Σ|Ξⱼ|, weights ρ̃ᵢ ∝ U(−aᵢ). U is one of 1/(1 + y/c), a step at y = c down to `floor`, max(c − y, 0)
and a constant, y = −x: all non-negative and non-decreasing in x; `falling` turns it round.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from paper_checks.exp_alpha.notation import NOTATION
from validation import Case, Choice, Family, Instance, LogScale, Simplex, Size, Space, Switch, permuted_clients
from validation.world.world import World, case

__all__ = ["EQUAL_SIZES", "ORDERED", "chosen_u", "far_from_level", "steps_world", "tilted", "weights_world"]


def chosen_u(x: Mapping[str, Any], y: Any, falling: bool = False) -> Any:
    """U(-y); decreasing in x = -y where `falling`."""
    c, kind = x["level"], int(x["kind"])
    if falling:
        y = max(2 * c - y, Fraction(0))
    if kind == 0:
        return c / (c + y)
    if kind == 1:
        return Fraction(1) if y <= c else Fraction(x["floor"])
    return max(c - y, Fraction(0)) if kind == 2 else Fraction(1)


def tilted_exact(x: Mapping[str, Any], falling: bool) -> tuple[dict[str, bool], list[Any], list[Any]]:
    """Hypotheses, a_i = N p_i Omega_i and U(-a_i)."""
    p, n = x["share"], len(x["share"])
    a = [n * p[i] * x["Omega"][i] for i in range(n)]
    met = {
        "sizes positive, shares sum to one": min(p) > 0 and sum(p) == 1,
        "Omega_i >= 0": min(x["Omega"]) >= 0,
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
    }
    return met, a, [chosen_u(x, y, falling) for y in a]


def tilted(x: Instance, falling: bool = False) -> tuple[Any, Any]:
    """a and U(−a), (n, N)."""
    a = x["share"].shape[1] * x["share"] * x["Omega"]
    c = x["level"][:, None]
    y = np.maximum(2 * c - a, 0.0) if falling else a
    kind = x["kind"][:, None]
    smooth, step = 1 / (1 + y / c), np.where(y <= c, 1.0, x["floor"][:, None])
    u = np.where(kind == 0, smooth, np.where(kind == 1, step, np.where(kind == 2, np.maximum(c - y, 0), 1.0)))
    return a, u


def far_from_level(x: Instance, a: Any) -> Any:
    """Whether no aᵢ is so near the level that rounding could put it on the other side."""
    return (np.abs(a - x["level"][:, None]) > 1e-9 * a).all(axis=1)


def ordered(x: Instance, *, falling: bool) -> Mapping[str, Any]:
    """The largest U(−aᵢ) − U(−aⱼ) over pairs aᵢ >= aⱼ, or 0."""
    a, u = tilted(x, falling)
    down = np.take_along_axis(u, np.argsort(-a, axis=1, kind="stable"), axis=1)
    # Equal aᵢ give equal U; a mere rounding of U is within the magnitude.
    highest = np.maximum.accumulate(down, axis=1)
    jump = (highest[:, :-1] - down[:, 1:]).max(axis=1) if a.shape[1] > 1 else np.zeros(len(a))
    spread = np.where(x["kind"] == 2, x["level"], 1.0)
    return {"jump": np.maximum(jump, 0.0), "magnitude": spread, "admissible": far_from_level(x, a)}


def ordered_exact(x: Mapping[str, Any], *, falling: bool) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest U(-a_i) - U(-a_j) over pairs with a_i >= a_j, or 0."""
    met, a, u = tilted_exact(x, falling)
    pairs = [(i, j) for i in range(len(a)) for j in range(len(a)) if i != j and a[i] >= a[j]]
    return met, {"jump": max([Fraction(0), *(u[i] - u[j] for i, j in pairs)])}


def weighted(x: Instance, *, falling: bool = False, equal: bool = False) -> Mapping[str, Any]:
    """Σρ̃ᵢaᵢ and the plain mean of aᵢ; the sum of ρᵢ = Npᵢρ̃ᵢ; ΣρᵢΩᵢ, the same divided by that sum, and ΣpᵢΩᵢ."""
    x = EQUAL_SIZES.project(x) if equal else x
    a, u = tilted(x, falling)
    n, p, total = a.shape[1], x["share"], u.sum(axis=1)
    tilde = u / np.where(total > 0, total, 1.0)[:, None]
    rho = n * p * tilde
    whole, left = rho.sum(axis=1), (rho * x["Omega"]).sum(axis=1)
    return {
        "tilted_mean": (tilde * a).sum(axis=1),
        "plain_mean": a.mean(axis=1),
        "total": whole,
        "rewritten": left,
        "normalised": left / np.where(total > 0, whole, 1.0),
        "proportional": (p * x["Omega"]).sum(axis=1),
        "magnitude": a.max(axis=1),
        "admissible": (total > 0) & far_from_level(x, a),
    }


def weighted_exact(
    x: Mapping[str, Any], *, falling: bool = False, equal: bool = False
) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same; equal: every share is 1/N."""
    n = len(x["share"])
    x = {**x, "share": [Fraction(1, n)] * n} if equal else x
    met, a, u = tilted_exact(x, falling)
    p, Omega = x["share"], x["Omega"]
    tilde = [v / sum(u) for v in u]
    rho = [n * p[i] * tilde[i] for i in range(n)]
    left = sum(rho[i] * Omega[i] for i in range(n))
    return met, {
        "tilted_mean": sum(tilde[i] * a[i] for i in range(n)),
        "plain_mean": sum(a) / n,
        "total": sum(rho),
        "rewritten": left,
        "normalised": left / sum(rho),
        "proportional": sum(p[i] * Omega[i] for i in range(n)),
    }


EQUAL_SIZES = Switch(
    "equal sizes", "|Ξᵢ| = |Ξⱼ|", lambda x: {**x, "share": np.full_like(x["share"], 1 / x["share"].shape[1])}
)
_LEVEL = LogScale("level", 1e-3, 1e3, at=(1.0,))


def _clients(N: float, *, order: bool, **chosen: Any) -> Case:
    n = int(N)
    drawn = Space(
        (
            Simplex("share", n, interior=True),
            LogScale("Omega", 1e-3, 1e3, (n,), at=(1.0,)),
            _LEVEL,
            Choice("floor", (0.0, 0.25, 1.0)),
            Choice("kind", (0.0, 1.0, 2.0, 3.0)),
        )
    )
    sides = (ordered, ordered_exact) if order else (weighted, weighted_exact)
    same = (permuted_clients({"share": 0, "Omega": 0}),)
    uses, cost = (chosen_u, tilted_exact), max(1.0, n / 60)
    return case(f"{n} clients", drawn, *sides, uses=uses, cost=cost, symmetries=same, **chosen)


def _world(low: int, order: bool, **chosen: bool) -> World:
    at = partial(_clients, order=order, **chosen)
    return World(NOTATION, (Family("clients of any sizes", (Size("N", low, 300, 3),), at),))


def weights_world(*, falling: bool = False, equal: bool = False) -> World:
    """Clients of any sizes, or of equal ones."""
    return _world(1, False, falling=falling, equal=equal)


ORDERED = {falling: _world(2 if falling else 1, True, falling=falling) for falling in (False, True)}


def several(x: Instance, *, falling: bool = False) -> Mapping[str, Any]:
    """ΣρᵢΩᵢ at the last of several steps, the least over them, and the least ΣpᵢΩᵢ; excess losses free at every step."""
    rows = [weighted({**x, "Omega": row}, falling=falling) for row in np.moveaxis(x["Omegas"], 1, 0)]
    left = np.stack([r["rewritten"] for r in rows])
    return {
        "last": left[-1],
        "Omega": left.min(axis=0),
        "Omega_pr": np.min([r["proportional"] for r in rows], axis=0),
        "magnitude": np.max([r["magnitude"] for r in rows], axis=0),
        "admissible": np.all([r["admissible"] for r in rows], axis=0),
    }


def several_exact(x: Mapping[str, Any], *, falling: bool = False) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same, step by step."""
    rows = [weighted_exact({**x, "Omega": row}, falling=falling) for row in x["Omegas"]]
    met = {f"{name}, step {t}": ok for t, (hyp, _) in enumerate(rows) for name, ok in hyp.items()}
    left = [seen["rewritten"] for _, seen in rows]
    return met, {"last": left[-1], "Omega": min(left), "Omega_pr": min(seen["proportional"] for _, seen in rows)}


def steps_world(*sizes: tuple[int, int], falling: bool = False) -> World:
    """One sequence of models for both weightings; `sizes`: (clients, steps)."""

    def at(n: int, steps: int) -> Case:
        drawn = Space(
            (
                Simplex("share", n, interior=True),
                LogScale("Omegas", 1e-3, 1e3, (steps, n), at=(1.0,)),
                _LEVEL,
                Choice("floor", (0.25, 1.0)),
                Choice("kind", (0.0, 1.0, 3.0)),
            )
        )
        name, same = f"{n} clients, {steps} steps of one sequence", (permuted_clients({"share": 0, "Omegas": 1}),)
        uses = (chosen_u, tilted_exact, weighted_exact)
        return case(name, drawn, several, several_exact, uses=uses, cost=1.5, symmetries=same, falling=falling)

    return World(NOTATION, tuple(at(*size) for size in sizes))
