"""Twenty statements that are true of small sizes and false from a late one on: rounds, clients, local steps, both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from tests.traps.clients import many_clients
from tests.traps.horizon import late_horizon
from tests.traps.model import Checked, Trap, power
from validation import Bound, Case, Choice, Family, Inequality, Instance, Integer, LogScale, Size, Space, symbols
from validation.statement.claim import ExactCheck
from validation.verdict.testing import recomputed

__all__ = ["Late", "late_statements"]

x, y, product = symbols("x y product")


@dataclass(frozen=True)
class Late:
    """A statement that is false of some instances of each size beyond `first`, and of none up to it."""

    name: str
    first: int
    test: Inequality


def _of(make: Callable[[int], Trap], seed: int) -> Late:
    trap = make(seed)
    if trap.holds_up_to is None:
        raise ValueError(f"{trap.claim.id}: no size from which on it is false")
    return Late(trap.claim.id, trap.holds_up_to, trap.test)


def _progress(c: Instance) -> Mapping[str, Any]:
    gone = 1 - (1 - c["h"]) ** c["E"]
    return {"lhs": gone**2, "x": c["E"] * c["h"] ** 2}


def progress_exact(c: Mapping[str, Any]) -> Checked:
    """What E steps of size 1 on h/2 w^2 cover of the way, squared; lowered by more than the rounding of the power."""
    h, n = c["h"], int(c["E"])
    return {"0 < h <= 1": 0 < h <= 1}, {"lhs": (1 - power(1 - h, n)) ** 2 - Fraction(1, 2**300), "x": n * h**2}


def local_steps(first: int) -> Late:
    """(1 − (1 − h)^E)² <= E₀Eh²: true for E <= E₀, as the way covered is at most Eh; false later for small h."""

    def at(*, E: float) -> Case:
        space = Space((LogScale("h", 1e-6, 1.0), Choice("E", (float(E),))))
        return Case(f"E = {E:g}", space, _progress, ExactCheck(progress_exact, (power,)))

    cases = (Family("local steps", (Size("E", 1, 20 * first, 5),), at),)
    return Late(f"(E − 1)² in place of {first}·(E − 1)", first, Inequality(Bound(first * x), cases))


def _share(c: Instance) -> Mapping[str, Any]:
    n = c["samples"]
    return {"lhs": n.max(axis=-1), "x": n.sum(axis=-1) / n.shape[-1]}


def largest_share(first: int) -> Late:
    """max nᵢ <= N₀ · mean of n: true for N <= N₀; false later where nearly all samples are at one client."""

    def at(*, N: float) -> Case:
        return Case(f"N = {N:g}", Space((LogScale("samples", 1e-3, 1e3, (int(N),)),)), _share, recomputed(_share))

    cases = (Family("clients", (Size("N", 1, 300, 3),), at),)
    return Late(f"no client has more than {first} shares", first, Inequality(Bound(first * x), cases))


def both_sizes(first: int) -> Late:
    """(1 − (1 − h)^(ET))² <= M·ETh²: true for ET <= M, false of small h where rounds times local steps exceed it."""

    def at(*, E: float, T: float) -> Case:
        space = Space((LogScale("h", 1e-8, 1.0), Choice("E", (float(E * T),))))
        return Case(f"E = {E:g}, T = {T:g}", space, _progress, ExactCheck(progress_exact, (power,)))

    cases = (Family("runs", (Size("E", 1, 300, 5), Size("T", 1, 10**4, 10, ladder=True)), at),)
    return Late(f"up to {first} steps in all", first, Inequality(Bound(first * x), cases))


def _aligned(n_rounds: float | None, first: int, c: Instance) -> Mapping[str, Any]:
    u = c["u"]
    rounds = c["T"] if n_rounds is None else int(n_rounds)
    return {
        "lhs": u.sum(axis=-1) ** 2 * rounds,
        "x": (u**2).sum(axis=-1) * u.shape[-1] * (rounds + 20) * first / (first + 20),
    }


def alike(first: int, n_clients: int, *, drawn: bool) -> Late:
    """(Σuᵢ)² T/(T + 20) <= c·N·Σuᵢ² with c = T₀/(T₀ + 20): false for T > T₀ where all uᵢ are nearly alike.

    `drawn`: the rounds are a number of the instance; else a size of the family.
    """
    numbers = (LogScale("u", 0.1, 10.0, (n_clients,)),)
    if drawn:
        measure = partial(_aligned, None, first)
        space = Space((*numbers, Integer("T", 1, 100 * first)))
        cases: tuple[Case | Family, ...] = (Case("any T", space, measure, recomputed(measure)),)
    else:

        def at(*, T: float) -> Case:
            fixed = partial(_aligned, T, first)
            return Case(f"T = {T:g}", Space(numbers), fixed, recomputed(fixed))

        cases = (Family("rounds", (Size("T", 1, 100 * first, 10, ladder=True),), at),)
    return Late(f"{n_clients} alike, {first} rounds{', drawn' * drawn}", first, Inequality(Bound(x), cases))


def late_statements() -> list[Late]:
    """All twenty, in order."""
    return [
        *(_of(late_horizon, seed) for seed in range(6)),
        *(_of(many_clients, seed) for seed in range(4)),
        *(local_steps(first) for first in (20, 200, 1000)),
        *(largest_share(first) for first in (30, 150)),
        *(both_sizes(first) for first in (10**4, 10**5)),
        *(alike(first, n, drawn=drawn) for first, n, drawn in ((200, 4, True), (200, 8, False), (2000, 6, False))),
    ]
