"""How far the minimiser moves when one client joins or leaves, over whole classes of clients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from theory.base.arrays import check_simplex
from theory.worst_case.one_step import Ratio, worst_ratio
from theory.worst_case.problem import MAX_ROWS, check_class, load_pepit, smooth
from theory.worst_case.result import WorstCase, in_units

__all__ = ["ExcessAt", "Shift", "worst_optimum_shift"]

Shift = Literal["departure", "arrival"]
ExcessAt = Literal["new", "old"]


def worst_optimum_shift(
    share: Sequence[float],
    *,
    mu: float | Sequence[float],
    L: float | Sequence[float],
    shift: Shift,
    moved: int = -1,
    excess_at: ExcessAt = "new",
    solver: str = "CLARABEL",
    tolerance: float = 1e-5,
    max_rows: int = MAX_ROWS,
) -> WorstCase:
    """sup ‖ω* − ω̂*‖² / (F_a(ω) − F_a*), in units of 1/curvature, over all clients of the given classes.

    Source: efl, Theorem 2, eqs. (10) departure and (11) arrival, Section 4.4: both bound it by 8Lp²/μ², p the share of
    client a among all clients, a included (n_a/n there before a departure, n_a/(n + n_a) at an arrival).
    `share` pₖ > 0 on the simplex: all clients, a included; `moved` is the index of a. The minimiser of ΣpₖFₖ and that
    of the others' Σpₖ Fₖ/(1 − p) are compared. `excess_at`: the loss of a is taken at the "new" minimiser, as printed
    (without a after a departure, with a after an arrival), or at the "old" one.
    `mu` > 0 and `L`: one for all or one per client. Raises `ValueError` naming the argument.
    """
    p, low, high, a = _check(share, mu, L, shift, moved, excess_at)
    without_a = (shift == "departure") == (excess_at == "new")

    curvature = max(high)

    def build(pep: Any) -> Ratio:
        pepit = load_pepit()
        F = [smooth(pep, mu=m / curvature, L=top / curvature) for m, top in zip(low, high, strict=True)]
        with_all, without, own = pepit.null_point, pep.set_initial_point(), pep.set_initial_point()
        F[a].add_point((own, pepit.null_point, pepit.null_expression))
        others = [k for k in range(len(F)) if k != a]
        # Σpₖ∇Fₖ = 0 at one minimiser and Σ_{k≠a} pₖ∇Fₖ = 0 at the other; each fixes the gradient of the last client.
        rest = -(p[a] / p[others[-1]]) * F[a].gradient(with_all)
        balance = pepit.null_point
        for k in others[:-1]:
            rest = rest - (p[k] / p[others[-1]]) * F[k].gradient(with_all)
            balance = balance - (p[k] / p[others[-1]]) * F[k].gradient(without)
        F[others[-1]].add_point((with_all, rest, pepit.Expression()))
        F[others[-1]].add_point((without, balance, pepit.Expression()))
        return Ratio((with_all - without) ** 2, F[a](without if without_a else with_all))

    worst = worst_ratio(build, solver=solver, tolerance=tolerance, max_rows=max_rows)
    return in_units(worst, length=1.0, curvature=curvature, value=1 / curvature)


def _check(
    share: Sequence[float],
    mu: float | Sequence[float],
    L: float | Sequence[float],
    shift: str,
    moved: int,
    excess_at: str,
) -> tuple[list[float], list[float], list[float], int]:
    call, n = "worst_optimum_shift", len(share)
    for name, got, allowed in (("shift", shift, get_args(Shift)), ("excess_at", excess_at, get_args(ExcessAt))):
        if got not in allowed:
            raise ValueError(f"{call}({name}={got!r}): must be one of {', '.join(map(repr, allowed))}")
    check_simplex(np.asarray(share, dtype=np.float64), f"{call}(share={list(share)})")
    if n < 2 or min(share) <= 0:
        raise ValueError(f"{call}(share={list(share)}): expected at least 2 shares > 0")
    if not -n <= moved < n:
        raise ValueError(f"{call}(moved={moved}): must index one of the {n} clients")
    constants = []
    for name, value in (("mu", mu), ("L", L)):
        values = [float(v) for v in value] if isinstance(value, Sequence) else [float(value)] * n
        if len(values) != n or not all(0 < v < math.inf for v in values):
            raise ValueError(f"{call}({name}={value}): expected one number > 0, or {n} of them")
        constants.append(values)
    for client in zip(*constants, strict=True):
        check_class(*client)
    return [float(x) for x in share], constants[0], constants[1], moved % n
