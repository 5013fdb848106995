"""How small the constants of a bound can be: what a search leaves standing, and what exact instances rule out.

The template lhs <= kept + Σ cⱼ·termⱼ over all instances is a linear program with infinitely many rows. The search that
judges claims is its oracle: what breaks the bound with the present constants, and what comes close, enters as rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.cost.limits import current, rechecking, within
from validation.search.arms import arms
from validation.search.search import search
from validation.statement.bound import Bound
from validation.statement.claim import Case, Family, Inequality
from validation.study.tighten.program import Certificate, certified, smallest
from validation.study.tighten.rows import Rows, exact_rows
from validation.study.tighten.template import Template

__all__ = ["TermFound", "Tightened", "no_less", "sampled", "tighten"]

__judges__ = "no"

Float = NDArray[np.float64]

_SAMPLE = 400  # corner and random draws, over all cases, before the first program
_ROUNDS = 24  # of program and search
_PATIENCE = 4  # rounds in a row that find violations and move no constant
_SECONDS = 0.5  # of processor time for the exact sides of one instance; longer ones are left out
_WITNESSES = 64  # of a search that enter as rows


@dataclass(frozen=True)
class TermFound:
    """One constant. `printed`: its factor in the print, 0 where it is not printed.

    `alone`: what it needs with the others as printed, as far as searches can tell, None where nothing up to the cap
    serves; `at_least`: an exact lower bound of that, None without one; `survived`: the last full search found no
    violation of `alone` with slack; `jointly`: its value where the weighted sum of all is least; `on`: the share of
    instances at which the term was not 0; `seeds`: `alone` of each seed.
    """

    name: str
    printed: Fraction
    alone: float | None
    at_least: Fraction | None
    survived: bool
    jointly: float | None
    on: float
    seeds: tuple[float | None, ...]
    certificate: Certificate | None


@dataclass(frozen=True)
class Tightened:
    """The constants of a bound, one by one and together.

    `kept`: terms that stay as printed because they are negative on some instance. `value`: Σ w·c of the joint optimum,
    None where none up to the cap serve; `at_least`: its exact lower bound; `survived`: as above, for the joint
    constants; `slack`: the factor 1 + slack by which constants are raised before a search tries to break them.
    """

    terms: tuple[TermFound, ...]
    kept: tuple[str, ...]
    weights: tuple[Fraction, ...]
    value: float | None
    at_least: Fraction | None
    survived: bool
    certificate: Certificate | None
    slack: float
    evaluations: int


@dataclass(frozen=True)
class _Solved:
    """Constants of one program by place (None: none up to the cap), whether a full search left them, and its effort."""

    constants: Float | None
    survived: bool
    evaluations: int
    active: tuple[int, ...]


def tighten(
    test: Inequality,
    *,
    terms: Mapping[str, Any] | None = None,
    keep: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    sizes: Mapping[str, int] | None = None,
    budget: int = 20_000,
    seeds: Iterable[int] = (0, 1, 2),
    slack: float = 1e-3,
    cap: float = 1e4,
    label: str = "statement",
    start: Sequence[tuple[Case, Float]] = (),
    known: Sequence[tuple[Case, Mapping[str, Any]]] = (),
) -> Tightened:
    """The smallest constants of lhs <= kept + Σ cⱼ·termⱼ: each alone with the others as printed, and all together.

    `terms`: see `Template.of`; `keep`: names of terms that stay as printed; `weights` of the joint sum Σ w·c by name,
    1 unless given; `sizes`: sizes of families that are held at one value. A term that is negative on some instance
    stays as printed: its smallest constant would loosen the bound. `start`: points of the unit cube of cases, such as
    those that led another search; every seed begins with them. `known`: instances in fractions that count for what is
    certain, such as stored counterexamples. Nothing here proves an upper side: `alone` and
    `jointly` survived a search, `at_least` is certain. Raises `ValueError` for terms or weights that are not there,
    and where no instance is admissible.
    """
    held = _at_sizes(test, sizes or {})
    template = Template.of(held.bound.expression, terms, keep)
    unknown = [name for name in weights or {} if name not in template.names]
    if unknown:
        raise ValueError(f"weights: no term {unknown[0]!r}; expected some of {', '.join(template.names)}")
    pools = [sampled(held, template, seed, label, start) for seed in seeds]
    if not pools:
        raise ValueError("seeds: expected at least one")
    if not any(pool.seen for pool in pools):
        raise ValueError(f"{label}: no instance meets the hypotheses")
    signed = [j for j in range(len(template.names)) if any(pool.negative[j] for pool in pools)]
    if signed:
        free = template.without(signed)
        pools = [sampled(held, free, seed, label, start) for seed in seeds]
    else:
        free = template
    worth = tuple(Fraction(str((weights or {}).get(name, 1))) for name in free.names)
    task = _Task(held, free, budget, slack, cap, label, start, known)
    used = 0
    found: list[TermFound] = []
    alone: list[list[_Solved]] = []
    for j in range(len(free.names)):
        solved = [task.solve(pool, (j,), worth, seed) for seed, pool in zip(seeds, pools, strict=True)]
        used += sum(s.evaluations for s in solved)
        alone.append(solved)
    joint = [
        task.solve(pool, tuple(range(len(free.names))), worth, seed) for seed, pool in zip(seeds, pools, strict=True)
    ]
    used += sum(s.evaluations for s in joint)
    each_joint = [s.constants for s in joint]
    together = max(
        (c for c in each_joint if c is not None),
        key=lambda c: float(np.dot(c, [float(w) for w in worth])),
        default=None,
    )
    together = None if any(c is None for c in each_joint) else together
    for j, name in enumerate(free.names):
        each = tuple(None if s.constants is None else float(s.constants[j]) for s in alone[j])
        proof = task.certificate(pools, (j,), (Fraction(1),), [s.active for s in alone[j]])
        found.append(
            TermFound(
                name=name,
                printed=free.printed[j],
                alone=_largest(each, proof),
                at_least=None if proof is None else proof.value,
                survived=all(s.survived for s in alone[j]),
                jointly=None if together is None else float(together[j]),
                on=float(sum(p.on[j] for p in pools) / max(1, sum(p.seen for p in pools))),
                seeds=each,
                certificate=proof,
            )
        )
    joint_least = no_less(None if together is None else together.tolist(), found)
    found = [replace(t, jointly=None if joint_least is None else joint_least[j]) for j, t in enumerate(found)]
    everything = tuple(range(len(free.names)))
    proof = task.certificate(pools, everything, worth, [s.active for s in joint])
    return Tightened(
        terms=tuple(found),
        kept=tuple(template.names[j] for j in signed),
        weights=worth,
        value=None if joint_least is None else _sum_of(joint_least, worth, proof),
        at_least=None if proof is None else proof.value,
        survived=all(s.survived for s in joint),
        certificate=proof,
        slack=slack,
        evaluations=used,
    )


@dataclass(frozen=True)
class _Task:
    """What all programs of one call share."""

    test: Inequality
    template: Template
    budget: int
    slack: float
    cap: float
    label: str
    start: Sequence[tuple[Case, Float]]
    known: Sequence[tuple[Case, Mapping[str, Any]]]

    def solve(self, pool: Rows, free: tuple[int, ...], worth: Sequence[Fraction], seed: int) -> _Solved:
        """Smallest constants of the terms `free`, the others as printed: program and search in turn."""
        printed = np.array([float(c) for c in self.template.printed])
        weights = np.array([float(worth[j]) for j in free])
        fixed = [j for j in range(len(printed)) if j not in free]
        used, calm, stuck = 0, False, 0
        warm = {case.name: cube[None] for case, cube in self.start}
        constants: Float | None = None
        for turn in range(_ROUNDS):
            left = pool.lhs - pool.kept - pool.terms[:, fixed] @ printed[fixed]
            solved = smallest(left, pool.terms[:, free], weights, self.cap)
            if solved is None or np.any(solved[0] >= self.cap * (1 - 1e-9)):
                return _Solved(None, False, used, _nearest(left, pool.terms[:, free]))
            moved = constants is None or float(weights @ (solved[0] - constants[list(free)])) > self.slack / 20 * float(
                weights @ solved[0]
            )
            constants = printed.copy()
            constants[list(free)] = solved[0]
            active = _nearest(left, pool.terms[:, free], solved[0], solved[1])
            stuck = 0 if moved else stuck + 1
            if stuck > _PATIENCE:
                return _Solved(constants, False, used, active)
            raised = {j: _raised(constants[j], self.slack) for j in free}
            lowered = replace(self.test, bound=Bound(self.template.bound(raised)), switches=(), trivial=None, grid=None)
            found = search(
                lowered,
                budget=self.budget if calm else max(1000, self.budget // 4),
                seed=seed + 1000 * turn,
                label=f"{self.label}/tighten {free}",
                warm=warm,
            )
            used += found.instances
            if not found.witnesses and calm:
                return _Solved(constants, True, used, active)
            calm = not found.witnesses
            warm = {**warm, **found.best}
            for case, cubes in _best_of(found.witnesses):
                pool.add(case, np.array(cubes))
            for kept in found.leaders:
                pool.add(kept.case, kept.cube[None])
        return _Solved(constants, False, used, active)

    def certificate(
        self, pools: Sequence[Rows], free: tuple[int, ...], worth: Sequence[Fraction], active: Sequence[tuple[int, ...]]
    ) -> Certificate | None:
        """The exact lower bound that the active instances of all seeds give."""
        fixed = {j: c for j, c in enumerate(self.template.printed) if j not in free}
        kept = self.template.kept + sum(sp.Rational(c) * self.template.terms[j] for j, c in fixed.items())
        one = Template(
            tuple(self.template.names[j] for j in free),
            tuple(self.template.terms[j] for j in free),
            tuple(self.template.printed[j] for j in free),
            kept,
        )
        with within(replace(current(), recheck_seconds=_SECONDS)), rechecking():
            near = [p.places[i] for p, chosen in zip(pools, active, strict=True) for i in chosen]
            rows = exact_rows(one, near, self.known)
        return certified(rows, worth)


def no_less(together: Sequence[float] | None, found: Sequence[TermFound]) -> list[float] | None:
    """The joint constants, each no less than what is certain of it alone where all others are at most as printed:

    constants of others that are as printed only loosen the bound.
    """
    if together is None:
        return None
    least = [0.0 if t.at_least is None else float(t.at_least) for t in found]
    below = [value <= float(t.printed) for value, t in zip(together, found, strict=True)]
    return [
        max(float(value), least[j]) if all(b for k, b in enumerate(below) if k != j) else float(value)
        for j, value in enumerate(together)
    ]


def _sum_of(together: Sequence[float], worth: Sequence[Fraction], proof: Certificate | None) -> float:
    """The weighted sum of the joint constants, no less than the exact lower bound of all seeds' instances."""
    value = float(np.dot(together, [float(w) for w in worth]))
    return value if proof is None else max(value, float(proof.value))


def _largest(each: Sequence[float | None], proof: Certificate | None) -> float | None:
    """What all seeds and the exact lower bound ask for; None where nothing up to the cap is enough for one."""
    known = [v for v in each if v is not None]
    low = 0.0 if proof is None else float(proof.value)
    return max(*known, low) if len(known) == len(each) else None


def _raised(value: float, slack: float) -> Fraction:
    """A constant with slack, rounded up to seven digits; a constant of 0 is raised to the slack itself."""
    return Fraction(value * (1 + slack) if value > 0 else slack).limit_denominator(10**7)


def _nearest(left: Float, terms: Float, constants: Float | None = None, duals: Float | None = None) -> tuple[int, ...]:
    """The rows with a dual above 0, and those that are nearest to active: four for each constant and four more."""
    if not len(left):
        return ()
    right = terms.sum(axis=1) if constants is None else terms @ constants
    with np.errstate(all="ignore"):
        ratio = np.nan_to_num(left / right, nan=-np.inf)
    chosen = [] if duals is None else [int(i) for i in np.argsort(-duals) if duals[i] > 0]
    near = [int(i) for i in np.argsort(-ratio, kind="stable")[: 4 * terms.shape[1] + 4]]
    return tuple(dict.fromkeys(chosen + near))


def _best_of(witnesses: Sequence[tuple[Case, Float, float, str]]) -> list[tuple[Case, list[Float]]]:
    """The points that violate most, by case."""
    by: dict[int, tuple[Case, list[Float]]] = {}
    for case, cube, _, _ in sorted(witnesses, key=lambda w: -w[2])[:_WITNESSES]:
        by.setdefault(id(case), (case, []))[1].append(cube)
    return list(by.values())


def sampled(test: Inequality, template: Template, seed: int, label: str, start: Sequence[tuple[Case, Float]]) -> Rows:
    """Corner and random draws of every case, measured, after those to start with."""
    pool = Rows(template)
    for case, cube in start:
        pool.add(case, cube[None])
    rng = stream(seed, f"tighten/{label}")
    cases = arms(test)
    for arm in cases:
        n = max(4, round(_SAMPLE / len(cases) / max(1.0, arm.case.cost)))
        for cubes in (arm.case.space.corners(rng, n), arm.case.space.random(rng, n)):
            pool.add(arm.case, cubes)
    return pool


def _at_sizes(test: Inequality, sizes: Mapping[str, int]) -> Inequality:
    """The statement with these sizes of its families held; raises `ValueError` for one that no family has."""
    names = {s.name for item in test.cases if isinstance(item, Family) for s in item.sizes}
    unknown = [name for name in sizes if name not in names]
    if unknown:
        raise ValueError(f"sizes: no family has {unknown[0]!r}; expected some of {', '.join(sorted(names)) or 'none'}")
    cases: list[Case | Family] = []
    for item in test.cases:
        if isinstance(item, Family):
            held = tuple(
                replace(s, low=sizes[s.name], high=sizes[s.name], usual=sizes[s.name], limit=False)
                if s.name in sizes
                else s
                for s in item.sizes
            )
            cases.append(replace(item, sizes=held))
        else:
            cases.append(item)
    return replace(test, cases=tuple(cases))
