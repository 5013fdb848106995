"""Posing and solving one performance-estimation problem with PEPit, apart from every other.

A problem is a function ``build(pep) -> Posed``, called once on a fresh `PEPit.PEP`. PEPit keeps its points and values
in class attributes, so one problem at a time is built, under a lock, and everything leaves as NumPy arrays.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import numpy as np

from theory.worst_case.certificate import dual_bound, largest_constraint_violation, terms_size
from theory.worst_case.ray import admissible_only, holds_at_zero, ray_of
from theory.worst_case.result import FunctionPoints, Size, WorstCase, interpolation_violation
from theory.worst_case.status import Residuals, judge

__all__ = ["MAX_ROWS", "Posed", "check_class", "load_pepit", "refuse_large", "smooth", "solve"]

MAX_ROWS = 4000
_ONE_AT_A_TIME = RLock()
# Where a solver breaks down on rays, and on which processor's linear algebra, differs; any solver's ray is checked.
_PATIENT = ("SCS", {"eps_abs": 1e-8, "eps_rel": 1e-8, "max_iters": 50_000})


@dataclass(frozen=True, eq=False)
class Posed:
    """max over instances of minⱼ `objectives`[j], subject to `constraints`; all are PEPit expressions.

    `trace` names sequences of PEPit points whose coordinates the result should carry.
    """

    objectives: Sequence[Any]
    constraints: Sequence[Any] = ()
    trace: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    floor: float = 1e-300  # the least size a violated constraint is compared with


def load_pepit() -> Any:
    """The module PEPit. Raises `ImportError` naming the extra that installs it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes in its docstrings warn when it is first compiled
            import PEPit
            import PEPit.functions
    except ImportError as error:
        raise ImportError("theory.worst_case needs PEPit: pip install 'fedverdict[sdp]'") from error
    return PEPit


def check_class(mu: float, L: float) -> None:
    """Raise `ValueError` unless −L <= μ < L and L > 0 are finite."""
    if not 0 < L < math.inf:
        raise ValueError(f"smooth(L={L}): must be > 0 and finite")
    if not -L <= mu < L:
        raise ValueError(
            f"smooth(mu={mu}, L={L}): must have -L <= mu < L; mu = L leaves only L/2·‖w − c‖², which needs no search"
        )


def smooth(pep: Any, *, mu: float, L: float) -> Any:
    """A new L-smooth function of `pep` with F − (μ/2)‖x‖² convex: μ > 0 strongly convex, 0 convex, −L not convex.

    Best posed at L near 1, where solvers are accurate. Raises `ValueError` unless −L <= μ < L and L > 0 are finite.
    """
    check_class(mu, L)
    return pep.declare_function(load_pepit().functions.SmoothStronglyConvexFunction, mu=float(mu), L=float(L))


def refuse_large(size: Size, max_rows: int) -> None:
    """Raise `ValueError`, stating the size, when the semidefinite program has more than `max_rows` rows."""
    if size.rows > max_rows:
        raise ValueError(
            f"worst case: {size}; the limit is max_rows={max_rows} (4000 take about half a minute, time grows as the "
            "cube); lower n_clients, n_local_steps or n_rounds, or raise max_rows"
        )


def solve(
    build: Callable[[Any], Posed],
    *,
    solver: str = "CLARABEL",
    tolerance: float = 1e-5,
    max_rows: int = MAX_ROWS,
) -> WorstCase:
    """The worst case posed by `build`, with status and residuals by the policy of `theory.worst_case.status`.

    `solver`: any semidefinite solver cvxpy has. `tolerance`: largest relative residual called "optimal".
    Raises `ValueError` for a program beyond `max_rows`, `UnsolvedError` when the solver gives nothing usable,
    `RuntimeError` when `build` itself solves another problem, and `ImportError` without PEPit.
    """
    began = time.perf_counter()
    with _ONE_AT_A_TIME:
        found = _attempt(build, solver, max_rows)
        status = judge(
            found.solver_status, found.residuals, tolerance, lambda: _has_ray(build, solver, tolerance, max_rows)
        )
    seconds = time.perf_counter() - began
    if status in {"unbounded", "infeasible"}:
        value = math.inf if status == "unbounded" else -math.inf
        return WorstCase(value, value, status, solver, found.solver_status, None, found.size, seconds)
    return WorstCase(
        found.value,
        found.upper,
        status,
        solver,
        found.solver_status,
        found.residuals,
        found.size,
        seconds,
        found.functions,
        found.trace,
    )


@dataclass(frozen=True, eq=False)
class _Attempt:
    """One call of the solver: its words, and what we computed from the points it left; no residuals without points."""

    solver_status: str
    size: Size
    residuals: Residuals | None = None
    value: float = math.nan
    upper: float = math.nan
    functions: tuple[FunctionPoints, ...] = ()
    trace: Mapping[str, Any] = field(default_factory=dict)


def _attempt(
    build: Callable[[Any], Posed], solver: str, max_rows: int, settings: Mapping[str, float] | None = None
) -> _Attempt:
    pepit = load_pepit()
    pep = pepit.PEP()
    leaves = pepit.Point.list_of_leaf_points
    posed = build(pep)
    if pepit.Point.list_of_leaf_points is not leaves:
        raise RuntimeError("solve(build): build posed another PEPit problem; solve that one first")
    _refuse_hidden(pep, posed)
    for objective in posed.objectives:
        pep.set_performance_metric(objective)
    for constraint in posed.constraints:
        pep.add_constraint(constraint)
    size = _size(pep, pepit)
    refuse_large(size, max_rows)
    solver_status = _call(pep, solver, settings or {})
    if pep.G_value is None or not (np.all(np.isfinite(pep.G_value)) and np.all(np.isfinite(pep.F_value))):
        return _Attempt(solver_status, size)
    functions = tuple(_points(f, pepit) for f in pep.list_of_functions)
    trace = {name: np.asarray([_at(p, pepit) for p in points]) for name, points in posed.trace.items()}
    residuals, value, upper = _residuals(pep, posed, functions)
    return _Attempt(solver_status, size, residuals, value, upper, functions, trace)


def _has_ray(build: Callable[[Any], Posed], solver: str, tolerance: float, max_rows: int) -> bool:
    """Whether `build` has an admissible instance, and a ray of growth 1 that violates nothing beyond `tolerance`."""
    pepit = load_pepit()
    at_zero = False

    def ray(pep: Any) -> Posed:
        nonlocal at_zero
        posed = build(pep)
        at_zero = holds_at_zero(posed.constraints)
        return Posed(*ray_of(posed.objectives, posed.constraints, pepit), floor=1.0)

    def admissible(pep: Any) -> Posed:
        return Posed(*admissible_only(build(pep).constraints, pepit))

    def found(posed: Callable[[Any], Posed], least: float) -> bool:
        for name, settings in ((solver, {}), _PATIENT):
            attempt = _attempt(posed, name, max_rows, settings)
            r = attempt.residuals
            if r is not None and max(r.interpolation, r.constraints) <= tolerance and attempt.value > least:
                return True
        return False

    return found(ray, 0.5) and (at_zero or found(admissible, -math.inf))


def _refuse_hidden(pep: Any, posed: Posed) -> None:
    """Everything stated has to pass through `Posed`, or it would escape the checks of the answer."""
    if not posed.objectives:
        raise ValueError("solve(build): Posed(objectives=[]); expected at least one expression to maximise")
    stated = (pep.list_of_constraints, pep.list_of_performance_metrics, pep.list_of_psd)
    own = [part for f in pep.list_of_functions for part in (f.list_of_constraints, f.list_of_psd)]
    if any(stated) or any(own):
        raise ValueError("solve(build): build added constraints or metrics to pep; return them in Posed(…) instead")
    known = load_pepit().functions.SmoothStronglyConvexFunction
    if not all(type(f) is known for f in pep.list_of_functions):
        raise ValueError("solve(build): a function was not declared with smooth(pep, mu=…, L=…)")


def _size(pep: Any, pepit: Any) -> Size:
    pairs = sum(len(f.list_of_points) * (len(f.list_of_points) - 1) for f in pep.list_of_functions)
    stated = len(pep.list_of_constraints) + len(pep.list_of_performance_metrics)
    return Size(pepit.Point.counter, pepit.Expression.counter + 1, pairs + stated)


def _call(pep: Any, solver: str, settings: Mapping[str, float]) -> str:
    """The solver's status as cvxpy words it."""
    import cvxpy

    # PEPit's own check prints past verbose=0 and takes longer than small problems; `_residuals` replaces it.
    pep.check_feasibility = lambda wc_value, **_: wc_value
    if solver not in cvxpy.installed_solvers():
        raise ValueError(f"solve(solver={solver!r}): not installed; one of {', '.join(cvxpy.installed_solvers())}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "solution may be inaccurate": judged by residuals below
        try:
            pep.solve(verbose=0, solver=solver, **settings)
        except cvxpy.SolverError:
            return "solver_error"
    return str(pep.wrapper.prob.status)


def _at(point: Any, pepit: Any) -> Any:
    """Coordinates of a PEPit point; the null point has none of its own."""
    return np.zeros(pepit.Point.counter) + point.eval() if point.decomposition_dict else np.zeros(pepit.Point.counter)


def _points(function: Any, pepit: Any) -> FunctionPoints:
    x, g, f = zip(*function.list_of_points, strict=True)
    return FunctionPoints(
        np.asarray([_at(p, pepit) for p in x]),
        np.asarray([_at(p, pepit) for p in g]),
        np.asarray([float(e.eval()) for e in f]),
        function.mu,
        function.L,
    )


def _residuals(pep: Any, posed: Posed, functions: Sequence[FunctionPoints]) -> tuple[Residuals, float, float]:
    """(residuals, primal value, dual value), all from the points and the multipliers."""
    value = min(float(e.eval()) for e in posed.objectives)
    scale = max(abs(value), *(terms_size(e) for e in posed.objectives), 1e-300)
    upper, dual = dual_bound(pep)
    violations = [interpolation_violation(f) for f in functions]
    interpolation = max((v for v, _ in violations), default=0.0)
    relative_interpolation = max((v / max(s, 1e-300) for v, s in violations), default=0.0)
    constraints = largest_constraint_violation(posed.constraints, posed.floor)
    relative = max(abs(upper - value) / scale, dual / scale, relative_interpolation, constraints)
    smallest = float(np.linalg.eigvalsh(pep.G_value)[0])
    return Residuals(upper - value, smallest, interpolation, constraints, dual, relative), value, upper
