"""A counterexample over time: the exact check of its case at shorter horizons, both sides and every term at each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any

import sympy as sp

from theory.exact.errors import InexactError
from validation.judge.entry import Entry, ReadingRecord
from validation.search.arms import case_at, concrete
from validation.statement.bound import Bound
from validation.statement.claim import Case, Claim, ExactCheck, Family, Inequality
from validation.statement.forms.formula_check import FormulaCheck

__all__ = ["LEAST", "Course", "Moment", "case_named", "course", "courses", "horizons", "sizes_in"]

_NAMES = ("rounds", "n_rounds", "R", "T", "steps", "n_steps")  # what a case calls its horizon
_MOST, LEAST = 9, 3  # horizons that are shown, and that make a picture
_LONGEST = 2_000  # rounds of a run that is played again
_NUMBERED = re.compile(r".* \(\d+\)")
_TRIES = 4_096  # choices of sizes among the numbers of a case's name


@dataclass(frozen=True)
class Moment:
    """Both sides after `rounds` rounds and the terms of the right one, in the order of the whole run's; floats."""

    rounds: int
    left: float
    right: float
    terms: tuple[float, ...]


@dataclass(frozen=True)
class Course:
    """What happens at growing horizons, counted in `unit`: "rounds" or "steps"."""

    unit: str
    moments: tuple[Moment, ...]


def horizons(last: int, step: int = 1) -> Sequence[int]:
    """1 to `last` in multiples of `step`, of many some, which grow by a factor; the last is always there.

    >>> horizons(4), horizons(6, 2)
    ([1, 2, 3, 4], [2, 4, 6])
    """
    n = last // step
    if n <= _MOST:
        return [step * k for k in range(1, n + 1)]
    grown = [round(n ** (k / (_MOST - 1))) for k in range(_MOST)]
    return [step * k for k in (grown[0], *(b for a, b in pairwise(grown) if b > a))]


def courses(claims: Sequence[Claim], entries: Sequence[Entry]) -> dict[str, Course]:
    """The courses of entries' counterexamples by the paths of their scripts, where a case has a horizon to shorten."""
    known = {claim.id: claim for claim in claims}
    found = {}
    for entry in entries:
        for reading in entry.readings if entry.id in known else ():
            path = reading.counterexample
            made = course(known[entry.id], reading) if path and path not in found else None
            if path and made is not None:
                found[path] = made
    return found


def course(claim: Claim, found: ReadingRecord) -> Course | None:
    """The sides at growing horizons of a reading's counterexample, `found` of the ledger; None where none are counted.

    Each is the case's own exact check of the same instance; a horizon at which a hypothesis fails, or that has no two
    finite numbers, is left out. The last is the counterexample's own, with a left side above the right one.
    """
    test = next((r.test for r in claim.readings if r.name == found.name), None)
    instance = dict(found.worst_instance or {})
    if not isinstance(test, Inequality) or "case" not in instance:
        return None
    name = str(instance.pop("case"))
    case = case_at(test, found.place) if found.place else case_named(test, name)
    if case is None or not isinstance(case.exact, FormulaCheck):
        return None
    try:
        exact = {name: _exact(value) for name, value in instance.items()}
    except (TypeError, ValueError):
        return None
    return _played(test.bound, case, case.exact, exact)


def _played(bound: Bound, case: Case, check: FormulaCheck, instance: Mapping[str, Any]) -> Course | None:
    formulas: Any = check.function
    plain: ExactCheck | None = formulas.plain
    if plain is None or not isinstance(plain.function, partial):
        return None
    chosen = plain.function.keywords
    name = next((n for n in _NAMES if isinstance(chosen.get(n), int)), "")
    if not name or chosen[name] > _LONGEST:
        return None
    # A horizon in steps ends with a round, where the statement speaks.
    in_rounds = name == "T" and isinstance(chosen.get("E"), int) and chosen["T"] % chosen["E"] == 0
    moments = []
    for t in horizons(chosen[name], chosen["E"] if in_rounds else 1):
        shorter = replace(plain, function=partial(plain.function.func, *plain.function.args, **{**chosen, name: t}))
        moment = _moment(t, bound, replace(formulas, plain=shorter), instance)
        moments += [] if moment is None else [moment]
    whole = bool(moments) and moments[-1].rounds == chosen[name] and moments[-1].left > moments[-1].right
    steps = "steps" in name or "steps" in case.name or ("E" in chosen and name != "R")
    unit = "steps" if steps else "rounds"
    return Course(unit, tuple(moments)) if whole and len(moments) >= LEAST else None


def _moment(rounds: int, bound: Bound, sides: Any, instance: Mapping[str, Any]) -> Moment | None:
    parts = sp.Add.make_args(bound.expression) if isinstance(bound.expression, sp.Add) else ()
    try:
        met, constants = sides(instance)
        exact = (constants["lhs"], bound.exact(constants), *(Bound(part).exact(constants) for part in parts))
        numbers = [float(value) for value in exact]
    except (ArithmeticError, InexactError, LookupError, TypeError, ValueError):
        return None
    if not all(met.values()) or not all(map(math.isfinite, numbers)):
        return None
    return Moment(rounds, numbers[0], numbers[1], tuple(numbers[2:]))


def _exact(value: Any) -> Any:
    if isinstance(value, list):
        return [_exact(part) for part in value]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise TypeError(f"{value!r} is no exact number")
    return Fraction(value)


def case_named(test: Inequality, name: str) -> Case | None:
    """The statement's case of that name; a family's sizes are numbers that stand in it.

    Where several cases bear one name a search numbers all but the first: «runs», «runs (2)».
    """
    for item in test.cases:
        if isinstance(item, Case):
            if item.name == name:
                return item
            continue
        raw = getattr(item.at, "at", item.at)  # builds the case without the statement's sides, which takes longer
        for sizes in sizes_in(item, name):
            if raw(**sizes).name == name:
                return item.at(**sizes)
    if not _NUMBERED.fullmatch(name):
        return None
    return next((case for case in concrete(test) if case.name == name), None)


def sizes_in(family: Family, name: str) -> Iterator[dict[str, float]]:
    """The sizes of a family that the numbers in a case's name may be, its usual and lowest ones besides."""
    numbers = [int(word) for word in dict.fromkeys(re.findall(r"\d+", name))]
    ranges = [
        [v for v in dict.fromkeys([*numbers, int(s.usual), int(s.low)]) if s.low <= v <= s.high] for s in family.sizes
    ]
    if math.prod(map(len, ranges)) > _TRIES:
        return
    for values in product(*ranges):
        yield dict(zip([s.name for s in family.sizes], values, strict=True))
