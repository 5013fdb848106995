"""Which constants a bound needs: the smallest common factor, and term by term how much can go.

The candidates come from a linear program over measured instances; the last word has a search of the lowered bound,
and every instance that breaks one enters the program. All of it says what was seen, not what is true everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.judge.repairs.edits import measured_sample
from validation.search.arms import arms
from validation.search.search import search
from validation.search.seen import Search
from validation.statement.bound import Bound
from validation.statement.claim import Inequality
from validation.statement.outcome import finite

__all__ = ["BestConstants", "TermShare", "best_constants"]

Float = NDArray[np.float64]

_ROUNDS = 12  # of search and linear program
_SAMPLE = 400  # corner and random draws a case that enter the first linear program
_GRID = 1000  # shares are given to a thousandth, rounded down


@dataclass(frozen=True)
class TermShare:
    """One additive term: how much of it can go with all others kept (`alone`), and in the joint optimum (`jointly`).

    `constant` is its printed numeric factor, `could_be` what survived alone: constant·(1 − alone).
    """

    term: str
    alone: float
    jointly: float
    constant: float
    could_be: float


@dataclass(frozen=True)
class BestConstants:
    """The smallest factor c with lhs <= c·rhs on everything seen (`factor`, with its instance), and term by term.

    `joint` is a bound that survived its own search of the full budget, None when none did in time; `survived`: whether
    every lowered bound did. A share of 0 claims nothing.
    """

    factor: float | str
    instance: Mapping[str, Any] | None
    terms: tuple[TermShare, ...]
    joint: str | None
    survived: bool
    instances: int

    def json(self) -> dict[str, Any]:
        """Plain JSON."""
        return asdict(self)


def best_constants(
    test: Inequality,
    *,
    terms: Mapping[str, Any] | None = None,
    budget: int = 20_000,
    seed: int = 0,
    label: str = "statement",
) -> BestConstants:
    """How far the constants of a bound that holds can be lowered, as far as a search can tell.

    `terms`: the additive terms by name, their sum equal to the bound (checked in sympy); by default its summands.
    Raises `ValueError` for other terms, and when the bound is violated as it stands (in floats).
    """
    named = terms or {str(t): t for t in sp.Add.make_args(sp.sympify(test.bound.expression))}
    if sp.simplify(sum(named.values()) - test.bound.expression) != 0:
        raise ValueError(f"best_constants(terms={list(named)}): they do not add up to {test.bound.expression}")
    found = search(test, budget=budget, seed=seed, label=f"{label}/constants")
    if found.witnesses or found.worst is None:
        raise ValueError(f"best_constants({label!r}): the bound is violated, or nothing was admissible")
    case, cube = found.worst
    shown = {"case": case.name, **{k: v[0].tolist() for k, v in case.space.decode(cube[None]).items()}}
    pool = _Pool.of(test, named, found, seed, label)
    used = found.instances
    alone: list[float] = []
    all_survived = True
    for j in range(len(named)):
        shares, n, one_survived = _survivor(test, pool, np.eye(len(named))[j], budget, seed, f"{label}/term {j}")
        alone.append(float(shares[j]))
        used += n
        all_survived = all_survived and one_survived
    jointly, n, survived = _survivor(test, pool, np.ones(len(named)), budget, seed, f"{label}/joint")
    rows = []
    for j, (name, term) in enumerate(named.items()):
        constant = float(sp.sympify(term).as_coeff_Mul()[0])
        rows.append(TermShare(name, alone[j], float(jointly[j]), constant, constant * (1 - alone[j])))
    joint = str(_lowered(named, jointly)) if survived else None
    return BestConstants(finite(found.worst_ratio), shown, tuple(rows), joint, survived and all_survived, used + n)


@dataclass
class _Pool:
    """What was measured: each term at each admissible instance, and rhs − lhs there."""

    named: Mapping[str, Any]
    terms: Float
    slack: Float

    @staticmethod
    def of(test: Inequality, named: Mapping[str, Any], found: Search, seed: int, label: str) -> _Pool:
        pool = _Pool(named, np.empty((0, len(named))), np.empty(0))
        cases = list({arm.case.name: arm.case for arm in arms(test)}.values())
        rng = stream(seed, f"constants/{label}")
        for constants in measured_sample(cases, found.best, rng, max(8, _SAMPLE // len(cases))):
            pool.add(constants)
        return pool

    def add(self, constants: Mapping[str, Float]) -> None:
        lhs = np.asarray(constants["lhs"], dtype=np.float64)
        values = [np.broadcast_to(Bound(sp.sympify(t))(constants)[0], lhs.shape) for t in self.named.values()]
        terms = np.stack(values, axis=-1)
        good = np.all(np.isfinite(terms), axis=-1) & np.isfinite(lhs)
        good &= np.broadcast_to(np.asarray(constants.get("admissible", True), dtype=bool), lhs.shape)
        self.terms = np.concatenate([self.terms, terms[good]])
        self.slack = np.concatenate([self.slack, terms[good].sum(axis=-1) - lhs[good]])

    def shares(self, worth: Float) -> Float:
        """Shares θ in [0, 1] that maximise Σ worthⱼ·θⱼ with Σθⱼtⱼ <= rhs − lhs everywhere; 0 where worth is 0."""
        from scipy.optimize import linprog

        size = np.maximum(np.abs(self.terms).max(axis=1), 1e-300)
        bounds = [(0.0, 1.0 if w > 0 else 0.0) for w in worth]
        limits = np.maximum(self.slack / size, 0.0)  # a slack below zero is rounding: the bound was found to hold
        solved = linprog(-worth, A_ub=self.terms / size[:, None], b_ub=limits, bounds=bounds, method="highs")
        if solved.x is None:
            raise ArithmeticError(f"best_constants: the linear program ended with {solved.message!r}")
        return np.asarray(np.floor(solved.x * _GRID) / _GRID)


def _survivor(
    test: Inequality, pool: _Pool, worth: Float, budget: int, seed: int, label: str
) -> tuple[Float, int, bool]:
    """(shares, instances, survived): shares whose lowered bound a full search does not break; each break is learned."""
    used = 0
    shares = pool.shares(worth)
    for turn in range(_ROUNDS):
        if not shares.any():
            return shares, used, True
        lowered = replace(test, bound=Bound(_lowered(pool.named, shares)), switches=())
        found = search(lowered, budget=budget, seed=seed, label=f"{label}/{turn}", stop=lambda s: len(s.witnesses) >= 8)
        used += found.instances
        if not found.witnesses:
            return shares, used, True
        for case, cube, _, _ in found.witnesses:
            pool.add(case.measure(case.space.decode(cube[None])))
        again = pool.shares(worth)
        # Rounding alone may keep the program where it is: give way by one step of the grid.
        shares = again if np.any(again != shares) else np.maximum(shares - 1 / _GRID, 0.0)
    return np.zeros(len(worth)), used, False


def _lowered(named: Mapping[str, Any], shares: Sequence[float] | Float) -> Any:
    kept = [sp.Integer(1) - sp.Rational(round(float(s) * _GRID), _GRID) for s in shares]
    return sum(k * sp.sympify(t) for k, t in zip(kept, named.values(), strict=True))
