"""Hypotheses that a proof does not need: left out one way after another, since a proof without them holds with them.

A hypothesis that bounds nothing can still cost a proof. It gives the program a scale where every instance may be
scaled, or it is attained together with the bound and hides which multipliers are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flint import fmpq

from theory.classes import Solution, Statement
from theory.classes.numbers import Real, is_zero
from validation.proof.classes.certificate import Proof

__all__ = ["homogeneous", "left_out", "with_all", "without"]

_FEW = 6  # hypotheses that are left out one by one
_NOTHING = 1e-6  # relative: a smaller multiplier says that a hypothesis may not be needed


def homogeneous(statement: Statement) -> bool:
    """Whether every instance may be scaled: no constant anywhere, so that the worst case is 0 or ∞."""
    return _scales(statement) and all(is_zero(c.form.constant) for c in statement.conditions)


def left_out(statement: Statement, solution: Solution | None) -> Iterator[frozenset[int]]:
    """Places of conditions to leave out, likeliest first, each set once; conditions of the classes stay."""
    places = _hypotheses(statement)
    tried: set[frozenset[int]] = {frozenset()}
    for some in _sets(statement, solution, places):
        if some not in tried:
            tried.add(some)
            yield some


def without(statement: Statement, some: frozenset[int]) -> Statement:
    """The statement with fewer hypotheses: a stronger one."""
    kept = tuple(c for i, c in enumerate(statement.conditions) if i not in some)
    return replace(statement, conditions=kept)


def with_all(proof: Proof, statement: Statement, some: frozenset[int]) -> Proof:
    """The proof of the statement without these hypotheses as one of the statement: their multipliers are 0."""
    held = iter(proof.multipliers)
    multipliers: list[Real] = [fmpq(0) if i in some else next(held) for i in range(len(statement.conditions))]
    return Proof(statement, proof.bound, proof.weights, tuple(multipliers), proof.kind)


def _scales(statement: Statement) -> bool:
    return all(is_zero(c) for c in (statement.bound, *(m.constant for m in statement.measures)))


def _hypotheses(statement: Statement) -> list[int]:
    classes = tuple(f"{name}: " for name, _, _ in statement.asked)
    return [i for i, c in enumerate(statement.conditions) if not c.label.startswith(classes)]


def _sets(statement: Statement, solution: Solution | None, places: list[int]) -> Iterator[frozenset[int]]:
    if _scales(statement):
        yield frozenset(i for i in places if not is_zero(statement.conditions[i].form.constant))
    if solution is not None and len(solution.multipliers) == len(statement.conditions):
        size = abs(solution.multipliers)
        yield frozenset(i for i in places if size[i] <= _NOTHING * max(float(size.max(initial=0.0)), 1e-300))
    if len(places) <= _FEW:
        yield from (frozenset({i}) for i in places)
    yield frozenset(places)
