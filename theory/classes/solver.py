"""Floats for the exact decision: worst instance, multipliers and interior points of a program, by Clarabel.

Nothing here is evidence. The solver's status is read by the policy of `theory.worst_case.status`: any answer that
carries points is measured by its own residuals, and its own adjective is ignored.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import clarabel
import numpy as np
from scipy import sparse
from scipy.linalg import qr

from theory.classes.program import Float, Program
from theory.worst_case.status import Residuals, Status, judge

__all__ = ["Solution", "interior_instance", "interior_proof", "on_face", "solve"]

_KEPT = 64
_ANSWERS: OrderedDict[bytes, Any] = OrderedDict()  # by the digest of the problem, the last used ones

_STATUSES = {
    "Solved": "optimal",
    "AlmostSolved": "optimal_inaccurate",
    "InsufficientProgress": "optimal_inaccurate",
    "NumericalError": "optimal_inaccurate",
    "MaxIterations": "user_limit",
    "MaxTime": "user_limit",
    "PrimalInfeasible": "infeasible",
    "AlmostPrimalInfeasible": "infeasible_inaccurate",
    "DualInfeasible": "unbounded",
    "AlmostDualInfeasible": "unbounded_inaccurate",
}


@dataclass(frozen=True, eq=False)
class Solution:
    """The largest min_j o_j found, its instance (`gram`, `values`) and the multipliers that bound it.

    `weights` of the measures, `multipliers` of the conditions; `upper` is what they prove up to rounding.
    """

    value: float
    upper: float
    status: Status
    gram: Float
    values: Float
    weights: Float
    multipliers: Float
    residuals: Residuals | None


def solve(program: Program, tolerance: float = 1e-5) -> Solution:
    """sup of min_j o_j over the class, as floats. Raises `UnsolvedError` where the solver says nothing."""
    n, m, forms = len(program.kept), program.linear.shape[1], len(program.constant)
    size = _sizes(program)
    lower = _triangle(n)
    # Columns: t, values, Gram. t <= o_j; c_k <= 0.
    rows = np.hstack([np.zeros((forms, 1)), program.linear, _svec(program.gram, lower)]) / size[:, None]
    right = -program.constant / size
    k = program.n_measures
    rows[:k] *= -1
    rows[:k, 0] = 1 / size[:k]
    right[:k] *= -1
    equal = np.concatenate([np.zeros(k, dtype=bool), program.equality])
    psd = np.hstack([np.zeros((len(lower[0]), 1 + m)), -np.eye(len(lower[0]))])
    a = np.vstack([rows[equal], rows[~equal], psd])
    b = np.concatenate([right[equal], right[~equal], np.zeros(len(lower[0]))])
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int((~equal).sum()))]
    cones += [clarabel.PSDTriangleConeT(n)] if n else []
    cost = np.zeros(a.shape[1])
    cost[0] = -1.0
    answer = _run(cost, a, b, cones)
    x, z = np.asarray(answer.x), np.asarray(answer.z)
    usable = np.all(np.isfinite(x)) and np.all(np.isfinite(z))
    if not usable:
        status = judge(_STATUSES.get(str(answer.status), "failed"), None, tolerance)
        nothing = np.zeros(0)
        return Solution(-math.inf, -math.inf, status, np.zeros((n, n)), nothing, nothing, nothing, None)
    dual = np.zeros(forms)
    dual[equal], dual[~equal] = z[: equal.sum()], z[equal.sum() : forms]
    dual = dual / size
    gram, values = _matrix(x[1 + m :], n, lower), x[1 : 1 + m]
    total = max(float(dual[:k].sum()), 1e-300)
    weights, multipliers = dual[:k] / total, dual[k:] / total
    found = np.einsum("kij,ij->k", program.gram, gram) + program.linear @ values + program.constant
    upper = float(weights @ program.constant[:k] - multipliers @ program.constant[k:])
    residuals = _residuals(program, found, gram, weights, multipliers, upper)
    status = judge(_STATUSES.get(str(answer.status), "failed"), residuals, tolerance)
    best = float(np.min(found[:k]))
    if status == "infeasible":
        best = upper = -math.inf
    return Solution(best, upper, status, gram, values, weights, multipliers, residuals)


def _residuals(
    program: Program, found: Float, gram: Float, weights: Float, multipliers: Float, upper: float
) -> Residuals:
    k, n = program.n_measures, len(gram)
    scale = max(abs(upper), float(np.abs(program.constant).max()), 1e-9)
    broken = np.where(program.equality, np.abs(found[k:]), np.maximum(found[k:], 0.0))
    worst = float(broken.max(initial=0.0))
    u = np.concatenate([-weights, multipliers])
    slack = np.einsum("k,kij->ij", u, program.gram)
    reach = np.sqrt(np.maximum(np.diag(gram), 0.0))
    lowest = float(np.linalg.eigvalsh(slack * np.outer(reach, reach))[0]) if n else 0.0
    dual = n * max(0.0, -lowest) + float(np.abs(u @ program.linear).max(initial=0.0))
    gap = upper - float(np.min(found[:k]))
    relative = max(abs(gap), worst, dual) / scale
    smallest = float(np.linalg.eigvalsh(gram)[0]) if n else 0.0
    return Residuals(gap, smallest, 0.0, worst, dual, relative)


def on_face(program: Program, null: Float, closed: Sequence[int]) -> Float:
    """Equations on the multipliers, (·, n_forms): S vanishes on the rows of `null`; those of `closed` forms are 0."""
    forms, k = len(program.constant), program.n_measures
    signed = np.concatenate([-np.ones(k), np.ones(forms - k)])
    vanish = np.einsum("k,kij,rj->rik", signed, program.gram, null).reshape(-1, forms)
    none = np.zeros((len(closed), forms))
    none[np.arange(len(closed)), list(closed)] = 1.0
    return _independent(np.vstack([vanish, none]))


def interior_proof(program: Program, tau: float, reach: Float, null: Float, face: Float) -> tuple[Float, float] | None:
    """Multipliers (weights, conditions) of a proof of `tau` with S ⪰ t·diag(1/reach), and the largest t found.

    `reach`: the sizes of the Gram matrix's diagonal that S is weighed with, all > 0. S vanishes on the rows of `null`,
    shape (rank, n), and is definite beside them; `face`: the equations of `on_face`. None where none is found.
    """
    n, forms, k = len(program.kept), len(program.constant), program.n_measures
    lower = _triangle(n)
    equal = np.concatenate([np.zeros(k, dtype=bool), program.equality])
    free = np.flatnonzero(~equal)
    signed = np.concatenate([-np.ones(k), np.ones(forms - k)])
    # Columns: t, one multiplier per form. Equations: values cancel, Σ weights = 1.
    balance = np.hstack([np.zeros((program.linear.shape[1], 1)), (signed[:, None] * program.linear).T])
    total = np.concatenate([[0.0], np.ones(k), np.zeros(forms - k)])[None, :]
    # Inequalities: multipliers >= 0, τ − Σwω + Σλα >= 0, t <= 1.
    positive = np.zeros((len(free), 1 + forms))
    positive[np.arange(len(free)), 1 + free] = -1.0
    constant = -np.concatenate([[0.0], signed * program.constant])[None, :]
    cap = np.zeros((1, 1 + forms))
    cap[0, 0] = 1.0
    weigh = np.sqrt(np.outer(reach, reach))
    # S·N = 0 makes S definite beside N where it is without the places at which N is the identity.
    kept = _beside(null, n)
    lower = _triangle(len(kept))
    grams = _svec((program.gram * weigh)[:, kept][:, :, kept], lower)
    psd = np.vstack([_svec(np.eye(len(kept))[None], lower), -signed[:, None] * grams]).T
    total = np.vstack([total, np.hstack([np.zeros((len(face), 1)), face])])
    a = np.vstack([balance, total, positive, constant, cap, psd])
    b = np.concatenate(
        [np.zeros(len(balance)), [1.0], np.zeros(len(face)), np.zeros(len(free)), [tau, 1.0], np.zeros(len(psd))]
    )
    cones = [
        clarabel.ZeroConeT(len(balance) + 1 + len(face)),
        clarabel.NonnegativeConeT(len(free) + 2),
        *([clarabel.PSDTriangleConeT(len(kept))] if len(kept) else []),
    ]
    cost = np.zeros(1 + forms)
    cost[0] = -1.0
    answer = _run(cost, a, b, cones)
    x = np.asarray(answer.x)
    if not np.all(np.isfinite(x)) or str(answer.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
        return None
    return x[1:], float(x[0])


def interior_instance(program: Program, tau: float, size: Float, spread: Float) -> tuple[Float, Float, float] | None:
    """(Gram matrix, values, t): an instance whose measures exceed `tau` by t and whose inequalities keep t to spare.

    `size`: what t is multiplied by in each form, shape (n_forms,); the Gram matrix is at least t·diag(`spread`).
    None where none is found.
    """
    n, m, k = len(program.kept), program.linear.shape[1], program.n_measures
    lower = _triangle(n)
    rows = np.hstack([size[:, None], program.linear, _svec(program.gram, lower)])
    right = -program.constant.copy()
    rows[:k, 1:] *= -1
    right[:k] = program.constant[:k] - tau
    equal = np.concatenate([np.zeros(k, dtype=bool), program.equality])
    rows[equal, 0] = 0.0
    scale = np.abs(rows).max(axis=1)
    scale[scale == 0] = 1.0  # a condition on nothing, such as 1 <= 0
    rows, right = rows / scale[:, None], right / scale
    cap = np.zeros((1, rows.shape[1]))
    cap[0, 0] = 1.0
    psd = np.hstack([np.zeros((len(lower[0]), 1 + m)), -np.eye(len(lower[0]))])
    psd[:, 0] = _svec(np.diag(spread)[None], lower)[0]
    a = np.vstack([rows[equal], rows[~equal], cap, psd])
    b = np.concatenate([right[equal], right[~equal], [1.0], np.zeros(len(psd))])
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int((~equal).sum()) + 1)]
    cones += [clarabel.PSDTriangleConeT(n)] if n else []
    cost = np.zeros(a.shape[1])
    cost[0] = -1.0
    answer = _run(cost, a, b, cones)
    x = np.asarray(answer.x)
    if not np.all(np.isfinite(x)):
        return None
    return _matrix(x[1 + m :], n, lower), x[1 : 1 + m], float(x[0])


def _beside(null: Float, n: int) -> list[int]:
    """The places left when, for each row of a reduced basis, the place where it alone is 1 is dropped."""
    dropped: set[int] = set()
    for i in range(len(null)):
        alone = np.all(np.delete(null, i, axis=0) == 0, axis=0) & (null[i] == 1)
        dropped.add(int(np.argmax(alone)))
    return [i for i in range(n) if i not in dropped]


def _independent(rows: Float) -> Float:
    """Orthonormal rows that span the same equations."""
    rows = rows[rows.any(axis=1)]
    if not rows.size:
        return rows
    basis, triangle, _ = qr(rows.T, mode="economic", pivoting=True)
    powers = np.abs(np.diag(triangle))
    return np.ascontiguousarray(basis[:, powers > 1e-9 * powers[0]].T)


def _run(cost: Float, a: Float, b: Float, cones: list[Any]) -> Any:
    """Clarabel's answer; the last few are kept, so that several bounds of one program share what does not hold them."""
    key = sha256(b"".join((cost.tobytes(), a.tobytes(), b.tobytes(), str(cones).encode()))).digest()
    if key in _ANSWERS:
        _ANSWERS.move_to_end(key)
        return _ANSWERS[key]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 200
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    settings.max_threads = 1
    columns = len(cost)
    _ANSWERS[key] = clarabel.DefaultSolver(
        sparse.csc_matrix((columns, columns)), cost, sparse.csc_matrix(a), b, cones, settings
    ).solve()
    if len(_ANSWERS) > _KEPT:
        _ANSWERS.popitem(last=False)
    return _ANSWERS[key]


def _sizes(program: Program) -> Float:
    """The largest coefficient of each form, which its row is divided by."""
    forms = len(program.constant)
    gram = np.abs(program.gram).reshape(forms, -1).max(axis=1, initial=0.0)
    linear = np.abs(program.linear).max(axis=1, initial=0.0)
    size: Float = np.maximum(np.maximum(gram, linear), 1e-12)
    return size


def _triangle(n: int) -> tuple[Any, Any]:
    """The upper triangle, column by column."""
    columns, rows = np.tril_indices(n)
    return rows, columns


def _svec(matrices: Float, at: tuple[Any, Any]) -> Float:
    """Coefficients of ⟨A, G⟩ in the cone's coordinates, off-diagonal entries times √2."""
    return matrices[:, at[0], at[1]] * np.where(at[0] == at[1], 1.0, math.sqrt(2.0))


def _matrix(packed: Float, n: int, at: tuple[Any, Any]) -> Float:
    out = np.zeros((n, n))
    out[at] = packed / np.where(at[0] == at[1], 1.0, math.sqrt(2.0))
    whole: Float = out + np.triu(out, 1).T
    return whole
