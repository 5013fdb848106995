"""A proof at the rate itself, where the dual matrix is singular: facial reduction on an exact null space.

At the optimum S·G = 0, so S vanishes on the range of the worst instance. Its reduced basis N is recognised from floats
as rationals, or numbers over the radicals of the statement; S·N = 0 is then linear in the multipliers and met exactly,
and S is positive definite beside N as far as complementarity is strict. A wrong guess gives no proof, not a false one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from theory.classes import Program, Solution
from theory.classes.numbers import Real, sign, value
from theory.classes.program import Float
from theory.exact import UndecidedError
from validation.proof.classes.certificate import Proof, checks_in, equations, proof_of
from validation.proof.rounding.faces import recession, vanishing
from validation.proof.rounding.linear import rounded, solver
from validation.proof.rounding.recognise import FINE, field_of, lengths_of, likely_ranks, null_spaces, sharp_null_space
from validation.proof.rounding.refine import refined
from validation.proof.rounding.sharp import sharp_range

__all__ = ["prove_at_rate"]

_DIGITS = (3, 6, 9, 12, 16)
_SHORT = 1e-3  # relative: shorter vectors of a worst instance may be 0
_WORK = 4 * 10**6  # operations of the eliminations of all guesses together, about


def prove_at_rate(program: Program, solution: Solution, bound: Real) -> Proof | None:
    """A proof of a bound that equals the worst case, or None where its null space or multipliers are not recognised."""
    field = field_of(program, bound)
    left = _WORK
    for candidate, active, nulls in _candidates(program, solution, bound, field):
        floats = np.concatenate([candidate.weights, candidate.multipliers])
        for null in nulls:
            left -= len(null) * len(program.kept) * len(active) ** 2
            if left < 0:
                return None
            try:
                proof = _with_null_space(program, bound, active, floats, null)
            except UndecidedError:
                continue  # this guess's numbers do not cancel as written
            if proof is not None:
                return proof
    return None


def _candidates(
    program: Program, solution: Solution, bound: Real, field: Sequence[Real]
) -> Iterator[tuple[Solution, list[int], Iterator[list[list[Real]]]]]:
    """(solution, active forms, guesses of its range): as solved, refined to each likely rank, with recession added."""
    active = _active(program, solution)
    lengths = lengths_of(solution.gram)
    # A vector that is 0 in the worst instance is rounding in the solver's; beside its own length it would count as one.
    longer = np.maximum(lengths, _SHORT * float(lengths.max(initial=0.0)))
    yield solution, active, null_spaces(solution.gram, lengths, field)
    ranks = likely_ranks(solution.gram / np.outer(lengths, lengths))
    if np.any(longer > lengths):
        yield solution, active, null_spaces(solution.gram, longer, field)
        ranks += [r for r in likely_ranks(solution.gram / np.outer(longer, longer)) if r not in ranks]
    for rank in ranks:
        finer = refined(program, solution, value(bound), rank, active)
        if finer is not None:
            yield finer, active, _sharp(program, finer, bound, rank, active, field)
            yield finer, active, null_spaces(finer.gram, lengths_of(finer.gram), field, rank, FINE)
    reach = np.maximum(np.diag(solution.gram), 1e-6 * float(np.diag(solution.gram).max(initial=1e-300)))
    grows = recession(program, reach)
    if grows is not None:
        yield solution, active, null_spaces(solution.gram + grows[0], np.sqrt(reach), field)


def _sharp(
    program: Program, finer: Solution, bound: Real, rank: int, active: Sequence[int], field: Sequence[Real]
) -> Iterator[list[list[Real]]]:
    """The range behind sixty digits of it, where they are found."""
    found = sharp_range(program, finer, bound, rank, active)
    null = None if found is None else sharp_null_space(*found, field)
    if null is not None:
        yield null


def _active(program: Program, solution: Solution) -> list[int]:
    """Forms whose multiplier is not zero: larger, over its own scale, than what the form has to spare."""
    k = program.n_measures
    floats = np.concatenate([solution.weights, solution.multipliers])
    spare = np.einsum("kij,ij->k", program.gram, solution.gram) + program.linear @ solution.values + program.constant
    spare[:k] -= float(spare[:k].min())
    size = np.einsum("kij,ij->k", np.abs(program.gram), np.abs(solution.gram)) + np.abs(program.constant)
    size += np.abs(program.linear) @ np.abs(solution.values)
    size = np.maximum(size, 1e-3 * max(float(size.max(initial=0.0)), 1e-300))
    scale = max(abs(solution.upper), 1e-9)
    chosen = np.abs(floats) * size / scale > np.abs(spare) / size
    chosen[k:] |= program.equality
    return [int(i) for i in np.flatnonzero(chosen)]


def _with_null_space(
    program: Program, bound: Real, active: Sequence[int], floats: Float, null: Sequence[Sequence[Real]]
) -> Proof | None:
    k = program.n_measures
    rows = [*equations(program, bound, active, False), *vanishing(program, active, null)]
    solve = solver(rows, [abs(float(floats[i])) for i in active])
    tried: set[str] = set()
    for digits in _DIGITS:
        solved = solve([rounded(float(floats[i]), digits) for i in active])
        if solved is None:
            return None
        if str(solved) in tried:
            return None  # the equations leave nothing free
        tried.add(str(solved))
        if any(sign(x) < 0 for i, x in zip(active, solved, strict=True) if i < k or not program.equality[i - k]):
            continue
        proof = proof_of(program, bound, active, solved, "tight")
        if checks_in(program, proof):
            return proof
    return None
