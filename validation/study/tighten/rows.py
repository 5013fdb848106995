"""Instances as rows of a linear program: the left side less what is kept, and every term."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.exact import Exact
from theory.exact.errors import DigitsError, InexactError, NoValueError, OperationsError, UndecidedError
from validation.cost.limits import NoAnswerError, announce, limited
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import take
from validation.statement.letters import broken_by, letters_of
from validation.study.tighten.template import Template

__all__ = ["ExactRow", "Rows", "exact_rows", "exact_sides"]

__judges__ = "no"

Float = NDArray[np.float64]

_LIMITS = (8, 100, 10**4, 10**9, 1 << 1100)  # denominators that an instance is rounded to, the coarsest first
_BITS = 6_000  # of a numerator or denominator: a certificate is to be read and checked quickly
_ROUNDING = 2e-9  # of the sides: what a difference of floats must exceed to be a row
_NO_VALUE = (ZeroDivisionError, OverflowError, DigitsError, InexactError, NoValueError, OperationsError, UndecidedError)
_NEGATIVE = 1e-9  # of the largest term: what is below it is no sign


@dataclass
class Rows:
    """Admissible instances that were measured. `lhs`, `terms`, `kept`: (n,), (n, terms), (n,) arrays of floats.

    `on`: of how many of `seen` instances each term was not 0; `negative`: whether a term was below 0 on one.
    """

    template: Template
    places: list[tuple[Case, Float]] = field(default_factory=list)
    lhs: Float = field(default_factory=lambda: np.empty(0))
    kept: Float = field(default_factory=lambda: np.empty(0))
    terms: Float = field(init=False)
    on: Float = field(init=False)
    negative: NDArray[np.bool_] = field(init=False)
    seen: int = 0

    def __post_init__(self) -> None:
        n = len(self.template.names)
        self.terms, self.on, self.negative = np.empty((0, n)), np.zeros(n), np.zeros(n, dtype=bool)
        self._bounds = [Bound(t) for t in self.template.terms]
        self._kept = Bound(sp.sympify(self.template.kept))

    def add(self, case: Case, cube: Float) -> None:
        """Measure points of the cube, (n, n_cube), and keep those that meet the hypotheses and that floats resolve."""
        with np.errstate(all="ignore"):
            measured: Mapping[str, Any] = case.measure(case.space.decode(cube))
            lhs = np.asarray(measured["lhs"], dtype=np.float64)
            terms = np.stack([np.broadcast_to(b(measured)[0], lhs.shape) for b in self._bounds], axis=-1)
            kept, size = (np.broadcast_to(v, lhs.shape) for v in self._kept(measured))
            size = size + np.abs(lhs) + 1e-4 * np.asarray(measured.get("magnitude", 0.0), dtype=np.float64)
        good = np.isfinite(lhs) & np.isfinite(terms).all(axis=-1) & np.isfinite(kept)
        for flag in ("admissible", "resolved"):
            good &= np.broadcast_to(np.asarray(measured.get(flag, True), dtype=bool), lhs.shape)
        for letter in letters_of(*self.template.terms, self.template.kept):
            if letter.name in measured:
                values = np.broadcast_to(np.asarray(measured[letter.name], dtype=np.float64), lhs.shape)
                broken = np.flatnonzero(good & letter.broken(values))
                if broken.size:
                    raise ValueError(letter.words(values[broken[0]].item()))
        self.seen += int(good.sum())
        largest = np.abs(terms).max(axis=-1, initial=0.0)
        self.on += (np.abs(terms[good]) > 1e-12 * np.abs(lhs[good])[:, None]).sum(axis=0)
        self.negative |= (terms[good] < -_NEGATIVE * largest[good][:, None]).any(axis=0)
        good &= np.maximum(np.abs(lhs), largest) > 1e-280
        room = _ROUNDING * size
        with np.errstate(invalid="ignore"):
            good &= lhs - kept > room  # a row without a left side asks nothing of the constants
        self.places += [(case, cube[i]) for i in np.flatnonzero(good)]
        self.lhs = np.concatenate([self.lhs, lhs[good] - room[good]])
        self.kept = np.concatenate([self.kept, kept[good]])
        self.terms = np.concatenate([self.terms, terms[good]])


@dataclass(frozen=True)
class ExactRow:
    """One instance in fractions at which every hypothesis is met: lhs less what is kept, and the terms."""

    case: str
    instance: Mapping[str, Any]
    lhs: Fraction
    terms: tuple[Fraction, ...]


def exact_rows(
    template: Template,
    places: Sequence[tuple[Case, Float]],
    known: Sequence[tuple[Case, Mapping[str, Any]]] = (),
) -> list[ExactRow]:
    """Each instance at growing denominators, wherever its sides are rational and every hypothesis is met exactly.

    `known`: instances in fractions, as they are. Within `rechecking` what takes longer than the limits in force gives
    no row.
    """
    bounds = tuple(Bound(e) for e in (*template.terms, sp.sympify(template.kept)))
    announce(exact_sides, *((bounds, case.exact) for case, _ in (*places, *known) if case.exact is not None))
    rounded = ((case, _rounded(case, cube)) for case, cube in places)
    return [
        row for case, growing in (*rounded, *((c, [i]) for c, i in known)) for row in _rows_of(bounds, case, growing)
    ]


def _rounded(case: Case, cube: Float) -> Iterator[Mapping[str, Any]]:
    drawn = take(case.space.decode(cube[None]), 0)
    return (case.space.rationalise(drawn, limit) for limit in _LIMITS)


def _rows_of(bounds: tuple[Bound, ...], case: Case, growing: Iterable[Mapping[str, Any]]) -> Iterator[ExactRow]:
    if case.exact is None:
        return
    for instance in growing:
        try:
            values = limited(exact_sides, (bounds, case.exact), instance)
        except NoAnswerError:
            return  # finer roundings take longer
        except _NO_VALUE:
            continue
        if values is not None:
            lhs, *terms, kept = values
            yield ExactRow(case.name, instance, lhs - kept, tuple(terms))


def exact_sides(bounds: tuple[Bound, ...], exact: ExactCheck, instance: Mapping[str, Any]) -> list[Fraction] | None:
    """The left side, and every bound, as fractions; None where a hypothesis fails or one of them is irrational."""
    met, measured = exact.function(instance)
    if not all(met.values()):
        return None
    if broken_by(letters_of(*(b.expression for b in bounds)), measured) is not None:
        return None
    values = [_fraction(v) for v in (measured["lhs"], *(b.exact(measured) for b in bounds))]
    known = [v for v in values if v is not None]
    return known if len(known) == len(values) else None


def _fraction(value: Any) -> Fraction | None:
    """The value where it is rational and not too long; None for one with roots."""
    try:
        found = value.fraction() if isinstance(value, Exact) else Fraction(value)
    except (TypeError, ValueError):
        return None
    return found if max(found.numerator.bit_length(), found.denominator.bit_length()) <= _BITS else None
