"""«No method of this family does better than …»: every member's worst case over its class, exactly, against a bound.

A member does better where its worst case is proved to be below the bound; that refutes. It does not where an exact
instance of the class brings it within a millionth of the bound, or above. A family with a parameter is tried on a grid,
then near the parameter whose worst case is smallest; a statement on all its parameters is never proved by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any, Literal

from theory.classes import Statement, assemble, number, solve
from theory.classes.numbers import Number, Real
from theory.exact.sturm import Range
from theory.worst_case.status import UnsolvedError
from validation.proof.classes import ClassDecision, decide_class

__all__ = ["Member", "NoBetter", "no_better"]

__judges__ = "no"

_CLOSE = Fraction(1, 10**6)  # relative: a worst case this near the bound is not better than it
_GRID = 12
_NARROWINGS = 20


@dataclass(frozen=True)
class Member:
    """One method: `worst` is its worst case in floats; `does` says what is shown exactly, by `decision`."""

    name: str
    worst: float
    does: Literal["better", "no better", "not decided"]
    decision: ClassDecision


@dataclass(frozen=True)
class NoBetter:
    """`word`: "refuted" by the last of `tried`, which does better; "holds" where none does; else "inconclusive"."""

    word: str
    why: str
    tried: tuple[Member, ...]

    def __str__(self) -> str:
        return f"{self.word}: {self.why}"


def no_better(
    family: Mapping[str, Statement] | Callable[[Any], Statement], bound: Number, *, within: str = "", seed: int = 0
) -> NoBetter:
    """Whether no method of a family has a worst case below a bound.

    `family`: the statement «its measure is at most …» of each method by name (its own bound is not looked at), or a
    function of one parameter with `within`, the interval of the parameter; `seed` moves its grid. Raises `ValueError`
    for no methods, a function without a bounded interval, and a bound that is not > 0.

    >>> import fedverdict as fv
    >>> def descent(step):
    ...     p = fv.classes.Problem()
    ...     F = p.function(fv.classes.families.smooth_convex(L=1, mu="1/10"))
    ...     best, x = F.minimiser(), p.point("x")
    ...     return p.statement((x - step * F.gradient(x) - best) ** 2, 1, given=[(x - best) ** 2 <= 1])
    >>> no_better(descent, "81/121", within="(0, 2)").word  # ((κ − 1)/(κ + 1))², by 2/(L + μ)
    'holds'
    >>> no_better(descent, "81/100", within="(0, 2)").word  # (1 − 1/κ)², by 1/L
    'refuted'
    """
    least = number(bound)
    if not least > 0:
        raise ValueError(f"no_better(bound={bound}): must be > 0")
    if callable(family):
        members = _along(family, within, seed)
    else:
        members = [(name, _worst(statement), statement) for name, statement in family.items()]
    if not members:
        raise ValueError("no_better: no methods; expected one or more")
    tried = []
    for name, worst, statement in sorted(members, key=lambda member: member[1]):
        found = _decided(name, worst, statement, least)
        tried.append(found)
        if found.does == "better":
            why = f"{name} does better: its worst case is about {worst:.9g}; {found.decision.why}"
            return NoBetter("refuted", why, tuple(tried))
    open_ = [member.name for member in tried if member.does == "not decided"]
    if open_:
        return NoBetter("inconclusive", f"not decided exactly: {', '.join(open_)}", tuple(tried))
    near = tried[0]
    why = f"of {len(tried)} methods tried none does better; the best is {near.name} with about {near.worst:.9g}"
    return NoBetter("holds", why, tuple(tried))


def _decided(name: str, worst: float, statement: Statement, bound: Real) -> Member:
    """What is shown of one method: an exact proof of less, or an exact instance that reaches as much."""
    less = statement.with_bound(bound * number(1 - _CLOSE))
    decision = decide_class(less)
    does: Literal["better", "no better", "not decided"] = {  # type: ignore[assignment]
        "proved": "better",
        "refuted": "no better",
    }.get(decision.word, "not decided")
    return Member(name, worst, does, decision)


def _worst(statement: Statement) -> float:
    try:
        found = solve(assemble(statement))
    except UnsolvedError:
        return inf
    return found.value if found.status in ("optimal", "optimal_inaccurate") else inf


def _along(family: Callable[[Any], Statement], within: str, seed: int) -> list[tuple[str, float, Statement]]:
    """Members on a grid of the parameter, and where the worst case is smallest, by golden sections of the floats."""
    whole = Range.read(within)
    if whole.high is None:
        raise ValueError(f"no_better(within={within!r}): expected a bounded interval")
    width = whole.high - whole.low
    moved = Fraction(1 + seed % 5, 7)
    grid = [whole.low + width * (i + moved) / _GRID for i in range(_GRID)]
    values = {x: _worst(family(x)) for x in grid}
    best = min(grid, key=lambda x: values[x])
    values |= _narrowed(family, best, width / _GRID, whole)
    return [(str(x), worst, family(x)) for x, worst in values.items()]


def _narrowed(
    family: Callable[[Any], Statement], best: Fraction, step: Fraction, whole: Range
) -> dict[Fraction, float]:
    """The smallest worst case near a parameter, and short fractions close to it."""
    low, high = max(best - step, whole.low), best + step
    high = high if whole.high is None else min(high, whole.high)
    for _ in range(_NARROWINGS):
        a, b = low + (high - low) * Fraction(382, 1000), low + (high - low) * Fraction(618, 1000)
        left, right = _worst(family(a)), _worst(family(b))
        low, high = (low, b) if left <= right else (a, high)
    place = (low + high) / 2
    short = [place.limit_denominator(limit) for limit in (10, 100, 1000)]
    near: Sequence[Fraction] = list(dict.fromkeys(x for x in short if x in whole))
    return {x: _worst(family(x)) for x in near}
