"""The instances that Theorem 1, Lemma 2 and their proof steps are attacked with: whole runs, looked at in one step t."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from paper_checks.robust_aggregation.rounds_exact import RUN
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Integer,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    split_client,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["BY_P", "EQ1", "ROUND", "Convention", "noisy_runs", "plain_runs"]

_UNITS = {"spectrum": (1, -2), "optimum": (0, 1), "start": (0, 1), "sigma": (1, -1)}


@dataclass(frozen=True)
class Convention:
    """How a run is read (see `rounds`), and what step sizes may do.

    `slow`: within a round the step size falls to a half at most. `largest`: the largest first step, in units of 1/L.
    `harmonic`: the step sizes of Corollary 1 instead.
    """

    eq1: bool = False
    by_p: bool = False
    over_all: bool = False
    ball: bool = False
    slow: bool = True
    largest: float = 0.25
    harmonic: bool = False


EQ1 = Convention(eq1=True, by_p=True)
BY_P = Convention(by_p=True)
ROUND = Convention()


def _flags(of: Convention, E: int, rule: tuple[float, ...]) -> tuple[Coordinate, ...]:
    words = {"eq1": of.eq1, "by_p": of.by_p, "over_all": of.over_all, "ball": of.ball}
    flags = tuple(Choice(name, (float(value),)) for name, value in words.items())
    harmonic = (Choice("harmonic", (1.0,)),) if of.harmonic else ()
    return (*flags, *harmonic, Choice("local_steps", (float(E),)), Choice("rule", rule), Choice("late", (0.0, 1.0)))


def _coordinates(of: Convention, N: int, E: int, d: int, R: int, *rule: float) -> tuple[Coordinate, ...]:
    n_steps = E * R
    drop: Coordinate = (
        Uniform("drop", 0.5, 1.0, (R,)) if of.slow else LogScale("drop", 1e-4, 1.0, (R,), at=(1e-4, 0.1, 1.0))
    )
    turned: tuple[Coordinate, ...] = (Signed("mirror", 1e-2, 1.0, (N, d)),) if d > 1 else ()
    step: Coordinate = (
        Choice("t", tuple(float(t) for t in range(n_steps)))
        if n_steps <= 12
        else Integer("t", 0, n_steps - 1, at=(E - 1, *((E,) if R > 1 else ())))
    )
    return (
        LogScale("spectrum", 1e-2, 1e2, (N, d), at=(1e-2, 1.0, 1e2)),
        *turned,
        Signed("optimum", 1e-3, 1e2, (N, d)),
        Simplex("share", N),
        Simplex("weights", N, (R + 1,)),
        Signed("start", 1e-3, 1e2, (d,)),
        LogScale("first", 1e-6, of.largest, at=(1e-6, 1e-3, of.largest)),
        drop,
        step,
        *_flags(of, E, rule),
    )


def plain_runs(
    measure: Callable[..., Any],
    exact: Callable[..., Any],
    of: Convention,
    low_E: int = 1,
    rule: float = 0.0,
    least: float = 2.0,
    most: int = 300,
    scaled: bool = True,
    uses: tuple[Callable[..., Any], ...] = (),
) -> Family:
    """No noise, weights fixed in advance: which covers every rule, since without noise each rule's weights are fixed.

    `rule` 4 is FedAvg-generalized, αᵢ = pᵢ, which a draw of free weights would miss. `least`: the smallest cost; `most`: the
    largest N and E; `scaled`: whether both sides have units at all.
    """

    def at(N: float, E: float, d: float, R: float) -> Case:
        n, steps, dim, rounds = int(N), int(E), int(d), int(R)
        every = {"spectrum": 0, "optimum": 0, "share": 0, "weights": 1} | ({"mirror": 0} if dim > 1 else {})
        return Case(
            f"no noise, N = {n}, E = {steps}, d = {dim}, {rounds} rounds" + (", FedAvg" if rule == 4 else ""),
            Space(_coordinates(of, n, steps, dim, rounds, rule)),
            measure,
            ExactCheck(exact, (*RUN, *uses)),
            cost=max(least, n * steps * dim * rounds / 30),
            symmetries=((units(_UNITS),) if scaled else ())
            + (permuted_clients(every), split_client(every, ("share", "weights"))),
        )

    sizes = (
        Size("N", 2, most, 2),
        Size("E", low_E, most, max(2, low_E)),
        Size("d", 1, 8, 1),
        Size("R", 1, 5, 2 if of.eq1 else 1),
    )
    return Family("no noise, FedAvg" if rule == 4 else "no noise", sizes, at)


def noisy_runs(
    measure: Callable[..., Any],
    exact: Callable[..., Any],
    of: Convention,
    rules: tuple[float, ...] = (0.0, 1.0, 2.0),
    sizes: tuple[tuple[int, int, int], ...] = ((2, 1, 1), (3, 1, 1), (2, 1, 2), (2, 2, 1)),
    rarest: float = 30.0,
    scaled: bool = True,
    uses: tuple[Callable[..., Any], ...] = (),
) -> tuple[Case, ...]:
    """Two-point noise, every path of it: weights fixed in advance, FedWorse, FedBetter, or chosen by the round's first step.

    `rarest`: up to how many standard deviations a rare draw may lie.
    """
    words = {0.0: "weights fixed in advance", 1.0: "FedWorse", 2.0: "FedBetter"}

    def case(N: int, E: int, R: int, rule: float) -> Case:
        seen = "weights have seen the round's first step" if E > 1 else "weights see the step's noise"
        space = Space(
            (
                *_coordinates(of, N, E, 1, R, rule),
                LogScale("sigma", 1e-3, 1e2, (N,), at=(1e-3, 1.0, 1e2)),
                LogScale("rare", 1.0, rarest, at=(1.0, rarest)),
            )
        )
        return Case(
            f"two-point noise, N = {N}, E = {E}, {R} rounds, {words.get(rule, seen)}",
            space,
            measure,
            ExactCheck(exact, (*RUN, *uses)),
            cost=max(2.0, 2 ** (N * E * R) * N * E * R / 30),
            symmetries=(units(_UNITS),) if scaled else (),
        )

    return tuple(case(*size, rule) for size in sizes for rule in rules)
