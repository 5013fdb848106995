"""A solver's optimum to all digits of a float: Gauss–Newton on the optimality conditions of one rank and active set.

Interior-point solutions of worst-case programs are often right to eight digits only, too few to recognise a null space.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from theory.classes import Program, Solution
from theory.classes.program import Float

__all__ = ["jacobian", "refined"]

_STEPS = 12
_SMALL = 1e-11  # relative residual of what counts as converged
_LARGEST = 600  # unknowns beyond which it is not tried


def refined(program: Program, solution: Solution, tau: float, rank: int, active: Sequence[int]) -> Solution | None:
    """The solution with S·G = 0, active forms at 0 and measures at τ to rounding, or None where that does not converge.

    Unknown are a factor P (rank × n) of the Gram matrix, the values and the active multipliers.
    """
    n, m, k = len(program.kept), program.linear.shape[1], program.n_measures
    chosen = np.asarray(active)
    if rank * n + m + len(chosen) > _LARGEST:
        return None
    powers, basis = np.linalg.eigh(solution.gram)
    factor = (basis[:, -rank:] * np.sqrt(np.maximum(powers[-rank:], 0.0))).T
    values = solution.values.copy()
    multipliers = np.concatenate([solution.weights, solution.multipliers])[chosen]
    signed = np.where(chosen < k, -1.0, 1.0)
    grams, linear = program.gram[chosen], program.linear[chosen]
    constant = program.constant[chosen] - np.where(chosen < k, tau, 0.0)
    weight = (chosen < k).astype(np.float64)
    for _ in range(_STEPS):
        slack = np.einsum("k,kij->ij", signed * multipliers, grams)
        forms = np.einsum("kij,ri,rj->k", grams, factor, factor) + linear @ values + constant
        residual = np.concatenate(
            [
                forms,
                (factor @ slack).ravel(),
                (signed * multipliers) @ linear,
                [weight @ multipliers - 1.0, (signed * multipliers) @ constant],
            ]
        )
        if float(np.abs(residual).max()) < _SMALL * max(1.0, abs(tau)):
            gram: Float = factor.T @ factor
            every = np.zeros(len(program.constant))
            every[chosen] = multipliers
            return replace(solution, gram=gram, values=values, weights=every[:k], multipliers=every[k:])
        step = np.linalg.lstsq(jacobian(program, factor, multipliers, tau, active), -residual, rcond=1e-9)[0]
        size = rank * n
        factor = factor + step[:size].reshape(rank, n)
        values = values + step[size : size + m]
        multipliers = multipliers + step[size + m :]
    return None


def jacobian(program: Program, factor: Float, multipliers: Float, tau: float, active: Sequence[int]) -> Float:
    """Derivatives of (active forms, P·S, what is left on the values, Σw, constants) by (P, values, multipliers)."""
    (rank, n), m, k = factor.shape, program.linear.shape[1], program.n_measures
    chosen = np.asarray(active)
    signed = np.where(chosen < k, -1.0, 1.0)
    grams, linear, size = program.gram[chosen], program.linear[chosen], rank * n
    constant = program.constant[chosen] - np.where(chosen < k, tau, 0.0)
    slack = np.einsum("k,kij->ij", signed * multipliers, grams)
    pulled = np.einsum("kij,rj->kri", grams, factor)
    stationary = (signed[:, None, None] * pulled).reshape(len(chosen), size).T
    rows = [
        np.hstack([2 * pulled.reshape(len(chosen), size), linear, np.zeros((len(chosen), len(chosen)))]),
        np.hstack([np.kron(np.eye(rank), slack), np.zeros((size, m)), stationary]),
        np.hstack([np.zeros((m, size + m)), (signed[:, None] * linear).T]),
        np.hstack([np.zeros((2, size + m)), np.vstack([(chosen < k).astype(np.float64), signed * constant])]),
    ]
    return np.vstack(rows)
