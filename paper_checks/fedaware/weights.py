"""Objective and applied weights on the simplex: with any updates, and with the constants of the proofs drawn freely."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.notation import NOTATION, ROUNDED_0, Checked
from theory.exact import dot, weighted_sum
from theory.quantities import chi_square, pseudo_gradient
from theory.worlds.hull import squares
from validation import (
    Case,
    Choice,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    rotated_space,
    split_client,
)
from validation.world.world import World, case

__all__ = ["constants", "updates_of", "weighed", "weights_alone"]


def weighed(x: Instance, *, of: str, finite: bool = False) -> Mapping[str, Any]:
    """χ², W = Σλ̃²/λ; of vectors v: M = Σλ‖v‖², S = ‖Σλ̃v‖², ‖Σ(λ − λ̃)v‖², and γ = max‖v‖²/S, `finite` where asked."""
    lam, tilde = x["weights"], x["applied"]
    found = {"chi": chi_square(tilde, lam), "W": (tilde**2 / lam).sum(axis=-1)}
    if not of:
        return {**found, "magnitude": np.ones(len(lam))}
    v = x[of]
    largest, S = squares(v).max(axis=1), squares(pseudo_gradient(v, tilde))
    found |= {"M": (lam * squares(v)).sum(axis=1), "S": S, "reweighted": squares(pseudo_gradient(v, lam - tilde))}
    sizes = dict.fromkeys(("S", "reweighted"), largest)
    gamma = largest / np.where(S > 0, S, 1.0)
    met, clear = ((share * largest < S) | (not finite) for share in (ROUNDED_0, 1e-9))
    return {**found, "gamma": gamma, "sizes": sizes, "admissible": met, "resolved": clear}


def weighed_exact(x: Mapping[str, Any], *, of: str, finite: bool = False) -> Checked:
    """Objective weights lam > 0, applied weights, and any vectors."""
    lam, tilde = x["weights"], x["applied"]
    met = {
        "lambda on the simplex, all positive": sum(lam) == 1 and min(lam) > 0,
        "lambda tilde on the simplex": sum(tilde) == 1 and min(tilde) >= 0,
    }
    pairs = list(zip(lam, tilde, strict=True))
    found = {"chi": sum((a - b) ** 2 / a for a, b in pairs), "W": sum(b * b / a for a, b in pairs)}
    if not of:
        return met, found
    own = [dot(v, v) for v in x[of]]
    G, moved = weighted_sum(tilde, x[of]), weighted_sum([a - b for a, b in pairs], x[of])
    found |= {"M": dot(lam, own), "S": dot(G, G), "reweighted": dot(moved, moved)}
    met["gamma is finite where asked"] = found["S"] > 0 or not finite
    return met, {**found, "gamma": max(own) / found["S"] if found["S"] > 0 else Fraction(0)}


def weights_alone() -> World:
    """1 to 100 clients' weights."""

    def of(n: int) -> Case:
        space = Space((Simplex("weights", n, interior=True), Simplex("applied", n)))
        every = {"weights": 0, "applied": 0}
        same = (permuted_clients(every), split_client(every, ("weights", "applied")))
        return case(f"{n} clients", space, weighed, weighed_exact, symmetries=same, of="")

    return World(NOTATION, tuple(of(n) for n in (1, 2, 3, 10, 100)))


def updates_of(
    name: str, *sizes: tuple[int, int], reach: float = 1e3, finite: bool = False, dim: int | None = None
) -> World:
    """Vectors called `name` with entries up to `reach`: at given sizes (clients, dimension), else 1 to 300 clients.

    In `dim` dimensions, or 1 to 8.
    """

    def of(N: float, d: float) -> Case:
        n, size = int(N), int(d)
        vectors = Signed(name, 1 / reach, reach, (n, size))
        space = Space((Simplex("weights", n, interior=True), Simplex("applied", n), vectors))
        every = {"weights": 0, "applied": 0, name: 0}
        same = (permuted_clients(every), split_client(every, ("weights", "applied")), rotated_space((name,)))
        words, cost = f"{n} clients, dimension {size}", 1.0 if sizes else max(1.0, n * size / 100)
        how: dict[str, Any] = {"uses": (dot, weighted_sum), "cost": cost, "symmetries": same, "of": name}
        return case(words, space, weighed, weighed_exact, **how, finite=finite)

    if sizes:
        return World(NOTATION, tuple(of(*size) for size in sizes))
    many = Size("N", 1, 300, 3)
    if dim is not None:
        return World(NOTATION, (Family("vectors", (many,), lambda N: of(N, dim)),))
    return World(NOTATION, (Family("vectors", (many, Size("d", 1, 8, 2)), of),))


def drawn(x: Instance) -> Mapping[str, Any]:
    """The constants of the proofs, η_lLK = `first`, drawn freely inside their ranges."""
    K, L, lam, tilde = x["local_steps"], x["L"], x["weights"], x["applied"]
    eta_l = x["first"] / (L * K)
    found = {"K": K, "L": L, "eta_l": eta_l, "eta_g": x["server"], "eta": eta_l * x["server"]}
    found |= {"c": 1 / x["first"] ** 2, "chi": chi_square(tilde, lam), "W": (tilde**2 / lam).sum(axis=1)}
    return {**found, **{name: x[name] for name in ("gamma", "sigma2", "rho", "beta", "S", "M")}}


def drawn_exact(x: Mapping[str, Any]) -> Checked:
    """The constants of the proofs, drawn freely inside their ranges."""
    K, L, lam, tilde = x["local_steps"], x["L"], x["weights"], x["applied"]
    eta_l = x["first"] / (L * K)
    met = {
        "eta_l <= 1/(8 L K), gamma >= 1, 0 <= beta <= 1": x["first"] <= Fraction(1, 8)
        and x["gamma"] >= 1
        and 0 <= x["beta"] <= 1,
        "weights on the simplex, lambda positive": sum(lam) == 1 == sum(tilde) and min(lam) > 0 and min(tilde) >= 0,
    }
    pairs = list(zip(lam, tilde, strict=True))
    found = {"K": K, "L": L, "eta_l": eta_l, "eta_g": x["server"], "eta": eta_l * x["server"], "c": 1 / x["first"] ** 2}
    found |= {"chi": sum((a - b) ** 2 / a for a, b in pairs), "W": sum(b * b / a for a, b in pairs)}
    return met, {**found, **{name: x[name] for name in ("gamma", "sigma2", "rho", "beta", "S", "M")}}


def constants(least: float = 1e-4) -> World:
    """Three clients' weights, and constants with L at least `least`."""
    space = Space(
        (
            Simplex("weights", 3, interior=True),
            Simplex("applied", 3),
            LogScale("L", least, 1e4, at=(least, 1.0, 1e4)),
            LogScale("first", 1e-3, 0.125, at=(0.125,)),
            Choice("local_steps", (1.0, 2.0, 5.0, 50.0)),
            LogScale("server", 1e-3, 1e3, at=(1.0,)),
            LogScale("gamma", 1.0, 1e4, at=(1.0, 1e4)),
            Uniform("beta", 0.0, 1.0, at=(0.0, 0.9025, 1.0)),
            *(LogScale(name, 1e-4, 1e4, at=(1e-4, 1.0, 1e4)) for name in ("sigma2", "rho", "S", "M")),
        )
    )
    return World(NOTATION, (case(f"constants, L >= {least:g}, 3 clients", space, drawn, drawn_exact),))
