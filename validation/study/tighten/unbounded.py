"""That no constants will do, however large: an instance with ε, along which the left side outgrows all terms."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, islice
from typing import Any

import sympy as sp

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from theory.exact.germ import EPSILON, Germ, deciding
from validation.statement.bound import Bound
from validation.statement.claim import Case
from validation.statement.forms.for_small import sides_in_epsilon
from validation.statement.instances.draw import LogScale, Signed, Simplex, Uniform
from validation.study.tighten.beyond import exact_or_none
from validation.study.tighten.template import Template

__all__ = ["Growing", "Outgrown", "outgrown"]

__judges__ = "no"

_OPERATIONS, _DIGITS = 200_000, 20_000  # of one look
_PAIRS = 300  # pairs of changes that are looked at after the single ones
_SECONDS = 3.0  # of processor time for all looks
_DECADES = 2  # between two looks
_EPSILONS = tuple(Fraction(1, 10**k) for k in (3, 5, 7, 9))
_STEADY, _BEND = 0.2, 0.1  # the least power of a growth, and how far powers of one growth may differ
_FAR = 100  # a scale whose range ends that far from 1 is one that may go to 0 or grow without end


@dataclass(frozen=True)
class Outgrown:
    """Instances for every 0 < ε < `until`, along which left/term → ∞ as ε → 0 for each term that is not 0 there.

    `words`: what ε changes; `left`, `terms`: coefficients of numerator and denominator by powers of ε; `orders`: the
    leading power of the left side, then of each term, None of a term that is 0.
    """

    case: str
    instance: Mapping[str, Any]
    words: str
    until: Fraction
    left: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
    terms: tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], ...]
    orders: tuple[int | None, ...]

    def script(self, title: str) -> str:
        """Python alone: checks from the coefficients that the left side outgrows every term as ε → 0."""
        rows = ",\n    ".join(_quotient(t) for t in self.terms)
        return "\n".join(
            [
                f'"""{title}: along instances with {self.words} no constants are large enough."""',
                "",
                "from fractions import Fraction as F",
                "",
                f"LEFT = {_quotient(self.left)}",
                f"TERMS = [\n    {rows},\n]" if self.terms else "TERMS = []",
                "",
                "",
                "def leading(quotient):",
                "    (k, c), (m, d) = (next((i, x) for i, x in enumerate(p) if x != 0) for p in quotient)",
                "    return c / d, k - m",
                "",
                "",
                "size, order = leading(LEFT)",
                "assert size > 0",
                "for top, bottom in TERMS:",
                "    if any(top):",
                "        c, power = leading((top, bottom))",
                "        assert c < 0 or power > order",
                'print("no constants will do: the left side outgrows every term")',
                "",
            ]
        )


@dataclass(frozen=True)
class Growing:
    """What the left side is over the sum of all terms at exact instances with ever smaller ε: no proof of a limit.

    `power` p: between the last two, left/terms grows like ε^-p.
    """

    case: str
    instance: Mapping[str, Any]
    words: str
    epsilons: tuple[Fraction, ...]
    ratios: tuple[float, ...]
    power: float


def outgrown(template: Template, case: Case, start: Mapping[str, Any]) -> Outgrown | Growing | None:
    """One or two numbers of an exact instance moved to 0, to infinity or to an end of their range; None without one.

    A number is moved beyond the range that is drawn only where that is of a scale, far from 1; the hypotheses are those
    of the statement, met at each ε that is looked at. Where sides can be computed with an infinitesimal, that is met
    for all small ε, and two instances of the family are computed again in fractions.
    """
    bounds = tuple(Bound(e) for e in (*template.terms, sp.sympify(template.kept)))
    changes = list(_changes(case, start))
    single = ((one,) for one in changes)
    double = ((a, b) for a, b in combinations(changes, 2) if a[0] != b[0])
    until = time.process_time() + _SECONDS
    for change in (*single, *islice(double, _PAIRS)):
        if time.process_time() > until:
            return None
        instance = {**start, **{name: value for name, value, _ in change}}
        ratios = _ratios(bounds, case, instance)
        if ratios is None:
            continue
        words = ", ".join(words for _, _, words in change)
        shown = {name: _shown(value) for name, value in instance.items()}
        germs = _along(template, case, instance)
        if germs is None or not _again(bounds, case, instance, germs[0], germs[1:]):
            return Growing(case.name, shown, words, _EPSILONS, ratios, _power(ratios[-2:]))
        reach, left, *terms = germs
        orders = [left.leading[1], *(t.leading[1] if t.top != 0 else None for t in terms)]
        each = tuple(_coefficients(t) for t in terms)
        return Outgrown(case.name, shown, words, reach, _coefficients(left), each, tuple(orders))
    return None


def _ratios(bounds: tuple[Bound, ...], case: Case, instance: Mapping[str, Any]) -> tuple[float, ...] | None:
    """Left side over the sum of all terms at each ε, where it grows steadily; None elsewhere."""
    found: list[float] = []
    for epsilon in _EPSILONS:
        row = exact_or_none(bounds, case, {name: _at(v, epsilon) for name, v in instance.items()})
        if row is None or row.lhs <= 0 or any(t < 0 for t in row.terms) or not any(row.terms):
            return None
        found.append(float(row.lhs / sum(row.terms)))
        if len(found) > 1 and _power(found[-2:]) < _STEADY:
            return None
    powers = [_power(found[i : i + 2]) for i in range(len(found) - 1)]
    return tuple(found) if max(powers) - min(powers) < _BEND else None


def _power(pair: Sequence[float]) -> float:
    """p with ratio ∝ ε^-p between two looks."""
    return math.log10(pair[1] / pair[0]) / _DECADES


def _along(template: Template, case: Case, instance: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """(until, left side less what is kept, every term) as germs, where the left side outgrows every term."""
    try:
        with at_most_operations(_OPERATIONS), at_most_digits(_DIGITS), deciding() as reach:
            met, lhs, kept = sides_in_epsilon(case, Bound(sp.sympify(template.kept)), instance)
            if not all(bool(holds) for holds in met.values()):
                return None
            left = lhs - kept
            if left.sign <= 0:
                return None
            terms = []
            for term in template.terms:
                _, _, value = sides_in_epsilon(case, Bound(term), instance)
                if value.sign > 0 and value.leading[1] <= left.leading[1]:
                    return None
                terms.append(value)
            return reach.until, left, *terms
    except (OperationsError, DigitsError, ArithmeticError, InexactError, LookupError, TypeError, ValueError):
        return None


def _again(
    bounds: tuple[Bound, ...], case: Case, instance: Mapping[str, Any], until: Fraction, sides: Sequence[Germ]
) -> bool:
    """Whether two members of the family, in fractions, meet every hypothesis and have the sides of the germs."""
    for share in (Fraction(1, 2), Fraction(1, 1000)):
        epsilon = until * share
        row = exact_or_none(bounds, case, {name: _at(v, epsilon) for name, v in instance.items()})
        if row is None or [row.lhs, *row.terms] != [side.at(epsilon) for side in sides]:
            return False
    return True


def _changes(case: Case, instance: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """(coordinate, its value with ε, in words): whole lists first, then entries."""
    for c in case.space.coordinates:
        value = instance[c.name]
        many = isinstance(value, list)
        if isinstance(c, Simplex):
            if many and not isinstance(value[0], list):
                for k in range(c.size):
                    vertex = [Fraction(int(i == k)) for i in range(c.size)]
                    inner = [Fraction(1, c.size)] * c.size if any(v == 0 for v in value) else value
                    moved = [v + EPSILON * (w - v) for v, w in zip(vertex, inner, strict=True)]
                    yield c.name, moved, f"{c.name} → all on entry {k + 1}"
            continue
        for how, words in _ways(c):
            yield c.name, _each(value, how), f"{c.name} → {words}"
        if many:
            for i, one in enumerate(value):
                if not isinstance(one, list):
                    for how, words in _ways(c):
                        new = [how(x) if j == i else x for j, x in enumerate(value)]
                        yield c.name, new, f"entry {i + 1} of {c.name} → {words}"


def _ways(c: Any) -> Iterator[tuple[Any, str]]:
    """What ε may do to a number of a coordinate."""
    if isinstance(c, LogScale | Signed):
        if c.low * _FAR <= 1:
            yield lambda x: x * EPSILON, "0"
        if c.high >= _FAR:
            yield lambda x: (x or 1) / EPSILON, "∞"
    elif isinstance(c, Uniform):
        low, high = (Fraction(repr(float(v))) for v in (c.low, c.high))
        yield lambda _: low + (high - low) * EPSILON, str(low)
        yield lambda _: high - (high - low) * EPSILON, str(high)


def _each(value: Any, how: Any) -> Any:
    return [_each(one, how) for one in value] if isinstance(value, list) else how(value)


def _at(value: Any, epsilon: Fraction) -> Any:
    if isinstance(value, list):
        return [_at(one, epsilon) for one in value]
    return value.at(epsilon) if isinstance(value, Germ) else value


def _coefficients(value: Germ) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    top, bottom = (tuple(Fraction(int(c.p), int(c.q)) for c in p.coeffs()) for p in (value.top, value.bottom))
    return top or (Fraction(0),), bottom


def _shown(value: Any) -> Any:
    """A number, or one with ε in it, as text, in lists as they are."""
    if isinstance(value, list):
        return [_shown(one) for one in value]
    if not isinstance(value, Germ):
        return str(value)
    top, bottom = (_polynomial(p) for p in _coefficients(value))
    return top if bottom == "1" else f"({top})/({bottom})"


def _polynomial(coefficients: Sequence[Fraction]) -> str:
    powers = ("", "·ε", *(f"·ε^{k}" for k in range(2, len(coefficients))))
    return " + ".join(f"{c}{p}" for c, p in zip(coefficients, powers, strict=False) if c != 0) or "0"


def _quotient(value: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]) -> str:
    top, bottom = (f"[{', '.join(f'F({c.numerator}, {c.denominator})' for c in p)}]" for p in value)
    return f"({top}, {bottom})"
