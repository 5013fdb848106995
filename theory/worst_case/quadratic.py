"""A worst instance as explicit quadratic clients, where the primal points allow one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theory.federations.federation import QuadraticFederation
from theory.worst_case.result import FunctionPoints, WorstCase
from theory.worst_case.status import UnsolvedError

__all__ = ["QuadraticInstance", "RebuildResult", "rebuild_quadratic"]

Float = NDArray[np.float64]
_NOISE = 3e-4  # points from a Gram matrix solved to 1e-8 carry its square root as noise


@dataclass(frozen=True, eq=False)
class QuadraticInstance:
    """Fₖ(x) = ½xᵀAₖx + ⟨bₖ, x⟩ with μₖI ⪯ Aₖ ⪯ LₖI up to rounding: `curvature` (n, dim, dim), `pull` bₖ = ∇Fₖ(0).

    `trace`: the named sequences of the worst case in the same coordinates, such as "server"; its first point starts
    the run. Function values count from 0 at the origin, as in the worst case itself.
    """

    curvature: Float
    pull: Float
    trace: dict[str, Float]

    def federation(self, share: Sequence[float]) -> QuadraticFederation:
        """The same functions as clients with shares pₖ, for the simulator; their minimisers −Aₖ⁻¹bₖ need μₖ > 0.

        Raises `ValueError` when a curvature is not positive definite.
        """
        if float(np.min(np.linalg.eigvalsh(self.curvature))) <= 0:
            raise ValueError(
                "federation(…): a curvature has an eigenvalue <= 0, so that client has no unique minimiser"
            )
        centers = -np.linalg.solve(self.curvature, self.pull[..., None])[..., 0]
        floor = 0.5 * np.sum(self.pull * centers, axis=-1)
        return QuadraticFederation(self.curvature, centers, floor, np.asarray(share, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class RebuildResult:
    """`instance` is None when no quadratic passes through the points: then the worst case found is not quadratic.

    `residual`: the largest misfit by the best quadratics in the class, of a gradient relative to the largest ‖∇F‖ or
    L‖x‖, of a value relative to the largest |F| or L‖x‖². `dim`: dimension the points span; directions below 3e-4 of
    the largest are rounding and left out.
    """

    instance: QuadraticInstance | None
    residual: float
    dim: int


def rebuild_quadratic(worst: WorstCase, *, tolerance: float = 1e-3) -> RebuildResult:
    """Symmetric Aₖ, μₖI ⪯ Aₖ ⪯ LₖI, with Aₖx + bₖ = ∇Fₖ(x) and matching values at all points of `worst`, if they exist.

    A Gram matrix solved to 1e-8 gives points to about 1e-4, hence the default tolerance on the relative `residual`.
    Every function has to include the origin among its points, with value 0, as those of `worst_case_fedavg` do. Another
    worst instance may be quadratic where the one found is not: the maximiser is not always unique, and a solver returns
    a mixture. Raises `ValueError` when `worst` carries no points, or the origin is missing, `UnsolvedError` when the
    fit itself fails.
    """
    if not worst.functions:
        raise ValueError(f"rebuild_quadratic(worst): status {worst.status!r} carries no points")
    basis = _basis(worst)
    curvature, pulls, residual = [], [], 0.0
    for function in worst.functions:
        A, b, misfit = _fit(function, basis)
        curvature.append(A)
        pulls.append(b)
        residual = max(residual, misfit)
    dim = basis.shape[1]
    if residual > tolerance:
        return RebuildResult(None, residual, dim)
    trace = {name: points @ basis for name, points in worst.trace.items()}
    return RebuildResult(QuadraticInstance(np.stack(curvature), np.stack(pulls), trace), residual, dim)


def _basis(worst: WorstCase) -> Float:
    """Orthonormal directions that the points and gradients span, (ambient, dim)."""
    blocks = [block for f in worst.functions for block in (f.points, f.gradients / f.L)]  # all lengths
    _, sizes, directions = np.linalg.svd(np.concatenate(blocks), full_matrices=False)
    return np.asarray(directions[sizes > _NOISE * sizes[0]].T)


def _fit(function: FunctionPoints, basis: Float) -> tuple[Float, Float, float]:
    """(A, b, relative misfit) of the best quadratic of the class through one function's points."""
    import cvxpy as cp

    x, g, f = function.points @ basis, function.gradients @ basis, function.values
    at_origin = np.flatnonzero((np.linalg.norm(function.points, axis=1) == 0) & (f == 0))
    if not at_origin.size:
        raise ValueError("rebuild_quadratic(worst): a function was not asked at the origin with value 0")
    b = g[at_origin[0]]
    reach = float(np.max(np.linalg.norm(x, axis=1)))
    slope_size = max(float(np.max(np.abs(g))), function.L * reach, 1e-300)
    height_size = max(float(np.max(np.abs(f))), function.L * reach**2, 1e-300)
    dim = basis.shape[1]
    A, unit = cp.Variable((dim, dim), symmetric=True), np.eye(dim)
    slopes = (x @ A + b[None, :] - g) / slope_size
    squares = np.stack([np.outer(point, point).ravel() for point in x])
    heights = (squares @ cp.vec(A, order="C") / 2 + x @ b - f) / height_size
    problem = cp.Problem(
        cp.Minimize(cp.sum_squares(slopes) + cp.sum_squares(heights)),
        [A >> function.mu * unit, function.L * unit - A >> 0],
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an inaccurate fit shows in the misfit
        try:
            problem.solve(solver=cp.CLARABEL)
        except cp.SolverError as error:
            raise UnsolvedError(
                "rebuild_quadratic(worst): the fit of a quadratic failed; rescale the problem"
            ) from error
    if A.value is None:
        raise UnsolvedError(f"rebuild_quadratic(worst): the fit of a quadratic ended with {problem.status!r}")
    values, vectors = np.linalg.eigh((A.value + A.value.T) / 2)
    best = (vectors * np.clip(values, function.mu, function.L)) @ vectors.T
    best = (best + best.T) / 2
    outside = np.linalg.norm(function.gradients - g @ basis.T, axis=1)
    slope = np.linalg.norm(x @ best + b[None, :] - g, axis=1) + outside
    height = np.abs(0.5 * np.einsum("ij,jk,ik->i", x, best, x) + x @ b - f)
    return best, b, float(max(np.max(slope) / slope_size, np.max(height) / height_size))
