"""Orders and limits judged: along which family a quotient grows without bound, exactly at every point."""

from __future__ import annotations

import inspect
import itertools
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from validation.script.script import head, literal
from validation.statement.bound import exact_value, python_source
from validation.statement.forms.orders import Order, OrderFamily
from validation.statement.forms.quotients import (
    SAYS,
    SOURCES,
    SYMBOL,
    Slope,
    fitted_slope,
    in_n,
    n,
    quotient,
    rational_form,
)
from validation.statement.outcome import Outcome, finite
from validation.statement.verdict import Verdict

__all__ = ["judge_order", "slopes"]

__judges__ = "orders"


_STILL_GROWING = Fraction(3, 2)  # log n grows by so much over the second half of any grid longer than 2³ … 2¹²
_LAST = 4  # points at least, of the end of a grid, that are asked whether growth flags


@dataclass(frozen=True)
class _Track:
    """One family at one choice of its fixed values: the quotient's exact lower and upper bound at every n."""

    family: OrderFamily
    fixed: Mapping[str, Fraction]
    low: tuple[Any, ...]
    high: tuple[Any, ...]

    @property
    def name(self) -> str:
        shown = ", ".join(f"{k} = {v}" for k, v in self.fixed.items())
        return f"{self.family.name} ({shown})" if shown else self.family.name


def _tracks(test: Order) -> Iterator[_Track]:
    for family in test.families:
        names = list(family.fixed)
        for chosen in product(*(family.fixed[name] for name in names)):
            fixed = {name: Fraction(v) for name, v in zip(names, chosen, strict=True)}
            lows, highs = [], []
            for value in test.grid:
                moved = {k: exact_value(in_n(e), {SYMBOL: value}) for k, e in family.path.items()}
                *sides, claimed = (Fraction(v) for v in family.at(**moved, **fixed))
                if not sides or sides[0] > sides[-1]:
                    raise ValueError(f"OrderFamily({family.name!r}): lower bound above the upper one at n = {value}")
                low, high = quotient(test.kind, sides[0], sides[-1], claimed)
                lows.append(low)
                highs.append(high)
            yield _Track(family, fixed, tuple(lows), tuple(highs))


def _symbolic(test: Order, track: _Track) -> tuple[Any, str]:
    """(form at this track's fixed values, how it is known), or (None, why there is none)."""
    family = track.family
    if family.form is not None:
        form = in_n(family.form)
        form = form.subs({s: sp.Rational(track.fixed[s.name]) for s in form.free_symbols if s.name in track.fixed})
        return form, f"given: {family.because}"
    if family.degree is None:
        return None, ""
    if track.low != track.high:
        return None, "the sides are only enclosed, so no form can be interpolated"
    form = rational_form(test.grid, track.low, family.degree)
    if form is None:
        return None, f"no rational function of degree {family.degree} passes through all {len(test.grid)} points"
    return form, f"interpolated, exact at all {len(test.grid)} points, degree at most {family.degree}"


def _unbounded(test: Order, track: _Track, form: Any) -> str | None:
    """None when the form proves that the quotient does not stay bounded (or vanish); else what is missing."""
    try:
        at = [exact_value(form, {SYMBOL: x}) for x in test.grid]
    except ZeroDivisionError:
        return f"the form {form} has no rational value on the grid"
    wrong = [x for x, f, q in zip(test.grid, at, track.low, strict=True) if f > q]
    if wrong:
        return f"the form {form} is above the exact quotient at n = {wrong[0]}"
    try:
        end = sp.limit(form, n, sp.oo)
    except (NotImplementedError, ValueError) as error:
        return f"the limit of {form} is unknown ({error})"
    if test.kind in {"upper", "lower"}:
        if end != sp.oo:
            return f"the form {form} tends to {end}"
        # A form far below a bounded quotient passes any grid: it has to overtake what was seen at the start.
        return None if at[-1] > track.high[0] else f"the form {form} never exceeds the first quotient on this grid"
    if not (end == sp.oo or end.is_positive):
        return f"the form {form} tends to {end}"
    enough = 2 * at[-1] >= min(track.high)
    return None if enough else f"the form {form} is less than half of what is left at the end of this grid"


def _unflagging(values: Sequence[Any]) -> bool:
    """Whether what grows at every point adds at the end more than half of what it added first, as √log n does."""
    steps = [b - a for a, b in itertools.pairwise(values)]
    return all(step > 0 for step in steps) and 2 * steps[-1] > steps[0]


def _unsettled(test: Order, track: _Track) -> str | None:
    """What on this track keeps the statement from being called true on the grid."""
    high, middle = track.high, len(track.high) // 2
    if test.kind in {"upper", "lower"}:
        rising = high[-3] < high[-2] < high[-1]
        later = high[min(middle, len(high) - _LAST) :]
        grew = rising and (high[-1] > _STILL_GROWING * high[middle] or _unflagging(later))
        return f"{SAYS[test.kind]} still grows at the end of the grid, {track.name}" if grew else None
    vanishing = high[-1] == 0 or (high[-3] >= high[-2] >= high[-1] and 2 * high[-1] <= high[middle])
    return None if vanishing else f"{SAYS[test.kind]} does not fall towards 0 on the grid, {track.name}"


def _grows_with(test: Order, tracks: Sequence[_Track]) -> str | None:
    """A parameter the constant may not depend on, with which the largest quotient keeps growing."""
    if test.kind not in {"upper", "lower"}:
        return None
    for family in test.families:
        for name in (u for u in test.uniform_in if len(family.fixed.get(u, ())) > 2):
            own = [t for t in tracks if t.family is family]
            values = sorted({t.fixed[name] for t in own})
            top = [max(max(t.high) for t in own if t.fixed[name] == v) for v in values]
            if top[-3] < top[-2] < top[-1] and top[-1] > _STILL_GROWING * top[-2]:
                return (
                    f"the constant grows with {name}, on which it may not depend: {', '.join(_shown(v) for v in top)}"
                )
    return None


def judge_order(test: Order, claim_id: str, name: str) -> Outcome:
    """Refuted by a form without bound, holds when bounded on every grid, else inconclusive; see the module."""
    tracks = list(_tracks(test))
    points = sum(len(t.low) for t in tracks)
    largest = max((max(t.high) for t in tracks), default=0)
    per_constant: dict[str, Any] = {}
    for t in tracks:
        key = ", ".join(f"{k} = {v}" for k, v in t.fixed.items() if k in test.may_depend_on) or "any"
        per_constant[key] = max(per_constant.get(key, 0), *t.high)
    detail: dict[str, Any] = {
        "quotient": SAYS[test.kind],
        "largest_quotient": finite(_float(largest)),
        "constants": {k: finite(_float(v)) for k, v in per_constant.items()},
        "points": {t.name: [[x, finite(_float(q))] for x, q in zip(test.grid, t.high, strict=True)] for t in tracks},
        "slopes": [{"family": s.family, "slope": s.slope, "low": s.low, "high": s.high} for s in _slopes(test, tracks)],
    }
    doubts = []
    for track in tracks:
        form, known = _symbolic(test, track)
        missing = _unbounded(test, track, form) if form is not None else known or None
        if form is not None and missing is None:
            end = sp.limit(form, n, sp.oo)
            growth = "grows without bound" if test.kind in {"upper", "lower"} else f"stays above 0 (limit {end})"
            why = f"along {track.name}, {SAYS[test.kind]} is at least {form}, which {growth}"
            why += f"; confirmed exactly at n = {test.grid[0]}, …, {test.grid[-1]} ({known})"
            detail["worst_instance"] = {"family": track.name, "path": {k: str(v) for k, v in track.family.path.items()}}
            script = _script(test, track, form, claim_id, name)
            return Outcome(Verdict.REFUTED, why, None, points, points, script, "family", detail=detail)
        # A form that was offered but says nothing new is no doubt about a bounded quotient.
        if missing is not None and (known.startswith("no rational") or "above the exact" in missing):
            doubts.append(missing)
    doubts += [u for t in tracks if (u := _unsettled(test, t)) is not None]
    grows = _grows_with(test, tracks)
    doubts += [grows] if grows else []
    verdict = Verdict.INCONCLUSIVE if doubts else Verdict.HOLDS
    why = f"largest {SAYS[test.kind]} {_shown(largest)} at {points} exact points of {len(tracks)} families"
    return Outcome(verdict, "; ".join([why, *doubts]), None, points, points, detail=detail)


def slopes(test: Order) -> tuple[Slope, ...]:
    """For each family the log-log slope of its quotient over the upper half of the grid. For pictures only."""
    return _slopes(test, list(_tracks(test)))


def _slopes(test: Order, tracks: Sequence[_Track]) -> tuple[Slope, ...]:
    found = (fitted_slope(t.name, test.grid, [_float(q) for q in t.high]) for t in tracks)
    return tuple(s for s in found if s is not None)


def _float(value: Any) -> float:
    """The nearest float, ∞ for what no float holds."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _shown(value: Any) -> str:
    return f"{_float(value):.4g}"


def _script(test: Order, track: _Track, form: Any, claim_id: str, name: str) -> str | None:
    """A script that recomputes the family at every n and compares it with the form; None where `at` has no source."""
    family = track.family
    if any(f.__name__ == "<lambda>" for f in (family.at, *family.uses)):
        return None
    end = sp.limit(form, n, sp.oo)
    words = f"Reading: {name}.\nFamily: {track.name}.\nThe form {form} tends to {end} as n grows ({SAYS[test.kind]})."
    parts = [textwrap.dedent(inspect.getsource(f)) + "\n" for f in (*family.uses, family.at)]
    given = [f"{k}={python_source(in_n(e))}" for k, e in family.path.items()]
    given += [f"{k}={literal(v)}" for k, v in track.fixed.items()]
    parts.append(
        "confirmed = True\n"
        f"for n in map(Fraction, {list(test.grid)}):\n"
        f"    *sides, claimed = map(Fraction, {family.at.__name__}({', '.join(given)}))\n"
        "    low, high = sides[0], sides[-1]\n"
        f"    quotient = {SOURCES[test.kind]}\n"
        f"    form = {python_source(form)}\n"
        '    print(f"n = {n}: quotient >= {float(quotient):.6g}, form {float(form):.6g}")\n'
        "    confirmed = confirmed and quotient >= form\n"
        'print("violated" if confirmed else "NOT violated")\n'
        "raise SystemExit(0 if confirmed else 1)\n"
    )
    body = "\n".join(parts)
    return head(f"Counterexample to {claim_id}.", words, body) + body
