"""What a solve may be asked for; without the solvers, which take long to import."""

from __future__ import annotations

__all__ = ["LOST_DIGITS", "SOLVERS", "TOLERANCE", "check_settings"]

# What "optimal" asks of each solver unless told otherwise.
TOLERANCE = {"active-set": 1e-12, "cvxpy": 1e-6, "frank-wolfe": 1e-6}
SOLVERS = tuple(TOLERANCE)
# Below this ‖d‖²/s² the Gram matrix knows fewer than ten digits of ‖d‖².
LOST_DIGITS = 1e-6


def check_settings(by: str, solver: str, tolerance: float | None, max_iterations: int | None) -> None:
    """Raise `ValueError`, quoting the call `by`, unless the settings of a solve make sense."""
    if solver not in SOLVERS:
        raise ValueError(f"{by}(solver={solver!r}): expected one of {', '.join(SOLVERS)}")
    if tolerance is not None and not 0 < tolerance < 1:
        raise ValueError(f"{by}(tolerance={tolerance}): expected 0 < tolerance < 1, relative; {TOLERANCE} if left out")
    if max_iterations is None:
        return
    if max_iterations < 1:
        raise ValueError(f"{by}(max_iterations={max_iterations}): expected >= 1")
    if solver == "cvxpy":
        raise ValueError(f"{by}(max_iterations={max_iterations}): cvxpy's solvers count their own; leave it out")
