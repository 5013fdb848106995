"""Every path of a short random run, with its probability: exact expectations where no recursion of moments closes.

Noise is ±size with chance 1/2 per coordinate, so a run of few rounds has finitely many paths. Rules may depend on
anything that happened, the round's own noise included. Numbers are ``fractions.Fraction`` (floats work, too). The
scripts of counterexamples carry copies of these functions, so each one uses only builtins, `Fraction` and its
neighbours, and `fedavg_paths` also `local_sgd_round` with `quadratic_gradient`, `matvec`, `dot` and `weighted_sum`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theory.exact.reference.plain import local_sgd_round

__all__ = [
    "all_paths",
    "conditional_expectation",
    "expectation",
    "fedavg_paths",
    "path_extremes",
    "sign_noise",
    "sign_patterns",
]

Number = Any
Vector = list[Any]
Matrix = list[list[Any]]


def sign_patterns(n_signs: int) -> list[list[int]]:
    """All 2^n lists of n signs ±1; `ValueError` beyond n = 20."""
    if not 0 <= n_signs <= 20:
        raise ValueError(f"sign_patterns(n_signs={n_signs}): 2^n outcomes are listed for n in 0…20")
    return [[1 if (row >> j) & 1 else -1 for j in range(n_signs)] for row in range(2**n_signs)]


def sign_noise(
    sizes: Sequence[Number], n_local_steps: int, dim: int = 1, *, shared: bool = False
) -> list[tuple[Number, list[list[Vector]]]]:
    """(probability, noise[e][k]) of one round: client k's coordinates are ±sizes[k], independent of each other.

    `shared`: one sign for all clients, per step and coordinate. E‖n_k‖² = dim·sizes[k]²; `SignNoise` is sizes σ_k/√dim.
    """
    n_owners = 1 if shared else len(sizes)
    patterns = sign_patterns(n_local_steps * n_owners * dim)
    outcomes = []
    for signs in patterns:
        noise = []
        for e in range(n_local_steps):
            rows = [signs[(e * n_owners + k) * dim : (e * n_owners + k + 1) * dim] for k in range(n_owners)]
            noise.append([[s * size for s in rows[0 if shared else k]] for k, size in enumerate(sizes)])
        outcomes.append((Fraction(1, len(patterns)), noise))
    return outcomes


def all_paths(
    outcomes: Callable[[list[Any]], Iterable[tuple[Number, Any]]],
    step: Callable[[list[Any], Any], Any],
    n_rounds: int,
    past: Sequence[Any] = (),
    chance: Number = 1,
) -> Iterator[tuple[Number, list[Any]]]:
    """(probability, records of all rounds) of every path of positive probability, one at a time.

    `outcomes(past)` lists (probability, outcome) of the next round, `step(past, outcome)` is its record; both see the
    records of all rounds before. The rounds are walked as a tree, each node computed once.
    """
    if n_rounds == 0:
        yield chance, list(past)
        return
    for q, outcome in outcomes(list(past)):
        if q != 0:
            yield from all_paths(outcomes, step, n_rounds - 1, [*past, step(list(past), outcome)], chance * q)


def fedavg_paths(
    model: Vector,
    curvatures: Sequence[Matrix],
    centers: Sequence[Vector],
    step_sizes: Sequence[Sequence[Number]],
    noise: Sequence[tuple[Number, list[list[Vector]]]],
    weigh: Callable[[list[Any], Any, list[Vector]], Sequence[Number]],
    done: Callable[[list[Any], Any], Sequence[int]] | None = None,
) -> Iterator[tuple[Number, list[Any]]]:
    """Local SGD on quadratics along every path of its noise: `all_paths` of rounds wₖ ← wₖ − η(∇Fₖ(wₖ) + nₖ).

    `step_sizes[r]` are the steps of round r, `noise` the (probability, noise[e][k]) of every round, independent over
    rounds. `weigh(past, noise, local_models)` gives the weights and `done(past, noise)` the step counts (0: absent), so
    either may see all that happened, this round's noise too. A round's record has "model", "noise", "locals" (every
    client's models before each step and after the last), "weights" and "next", the model after it.
    """

    def step(past: list[Any], drawn: Any) -> Mapping[str, Any]:
        start = past[-1]["next"] if past else list(model)
        counts = None if done is None else done(past, drawn)

        def given(local_models: list[Vector]) -> Sequence[Number]:
            return weigh(past, drawn, local_models)

        new, weights, locals_ = local_sgd_round(start, curvatures, centers, step_sizes[len(past)], drawn, given, counts)
        return {"model": start, "noise": drawn, "locals": locals_, "weights": list(weights), "next": new}

    return all_paths(lambda _past: noise, step, len(step_sizes))


def expectation(paths: Iterable[tuple[Number, Any]], functional: Callable[[Any], Number]) -> Number:
    """E[f] = Σ probability·f(path), for any function of the whole path."""
    return sum((chance * functional(path) for chance, path in paths), Fraction(0))


def conditional_expectation(
    paths: Iterable[tuple[Number, Any]], functional: Callable[[Any], Number], given: Callable[[Any], Any]
) -> list[tuple[Number, Any, Number]]:
    """(P[given = g], g, E[f | given = g]) for every value g; the past of r rounds is ``given=lambda path: path[:r]``.

    Values count as the same when their ``repr`` is, which is exact for lists and dictionaries of rationals.
    """
    groups: dict[str, list[Any]] = {}
    for chance, path in paths:
        value = given(path)
        group = groups.setdefault(repr(value), [Fraction(0), value, Fraction(0)])
        group[0] += chance
        group[2] += chance * functional(path)
    return [(chance, value, total / chance) for chance, value, total in groups.values()]


def path_extremes(paths: Iterable[tuple[Number, Any]], functional: Callable[[Any], Number]) -> tuple[Number, Number]:
    """(essential infimum, essential supremum) of f: its least and largest value on a path of positive probability."""
    values = [functional(path) for chance, path in paths if chance > 0]
    return min(values), max(values)
