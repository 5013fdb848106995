"""Arithmetic on printed numbers, and the comparisons a sentence about a table comes down to.

A `Quantity` is an expression over printed cells with two companions, `low` and `high`: the least and the largest it can
be when every printed number may be off by half a unit in its last digit.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from validation.published.tables import Printed, evaluate
from validation.statement.claim import Cell, Comparison
from validation.statement.forms.kinds import Ranked, Ranking

__all__ = [
    "Quantity",
    "above",
    "agree",
    "below",
    "chain",
    "constant",
    "count",
    "difference_is",
    "equal",
    "mean",
    "near",
    "number",
    "quoted",
    "ranked",
    "reverse",
    "rival",
    "sign",
    "significant",
    "spread",
    "total",
]

Comparisons = tuple[Comparison, ...]
_MANY = 10**6  # printed numbers that differ do so by more than 1/_MANY


@dataclass(frozen=True)
class Quantity:
    """An exact expression over printed cells.

    `low` and `high` of a product or quotient are right where neither side can be negative. `rankings`: the orders that
    singled out parts of it.
    """

    source: str
    low: str
    high: str
    cells: Mapping[str, Cell]
    label: str
    rankings: tuple[Ranking, ...] = ()

    def named(self, label: str) -> Quantity:
        """The same under another name."""
        return replace(self, label=label)

    @property
    def value(self) -> Fraction:
        """The expression at the printed numbers."""
        return evaluate(self.source, {name: Fraction(cell.value) for name, cell in self.cells.items()})

    def __add__(self, other: Quantity | int | Fraction) -> Quantity:
        b = _quantity(other)
        return _joined(self, b, "+", (self.source, b.source), (self.low, b.low), (self.high, b.high))

    def __sub__(self, other: Quantity | int | Fraction) -> Quantity:
        b = _quantity(other)
        return _joined(self, b, "-", (self.source, b.source), (self.low, b.high), (self.high, b.low))

    def __rsub__(self, other: int | Fraction) -> Quantity:
        return _quantity(other) - self

    def __mul__(self, other: Quantity | int | Fraction) -> Quantity:
        b = _quantity(other)
        return _joined(self, b, "*", (self.source, b.source), (self.low, b.low), (self.high, b.high))

    __rmul__ = __mul__

    def __truediv__(self, other: Quantity | int | Fraction) -> Quantity:
        b = _quantity(other)
        return _joined(self, b, "/", (self.source, b.source), (self.low, b.high), (self.high, b.low))

    def __rtruediv__(self, other: int | Fraction) -> Quantity:
        return _quantity(other) / self

    def __abs__(self) -> Quantity:
        farthest = f"Max(Abs({self.low}), Abs({self.high}))"
        nearest = f"Max(0, {self.low}, -({self.high}))"
        return Quantity(f"Abs({self.source})", nearest, farthest, self.cells, f"|{self.label}|", self.rankings)


def _joined(
    a: Quantity, b: Quantity, sign: str, source: tuple[str, str], low: tuple[str, str], high: tuple[str, str]
) -> Quantity:
    clash = [n for n in a.cells.keys() & b.cells.keys() if a.cells[n] != b.cells[n]]
    if clash:
        raise ValueError(f"{clash[0]!r} names both {a.cells[clash[0]].where!r} and {b.cells[clash[0]].where!r}")
    parts = [f"({left} {sign} {right})" for left, right in (source, low, high)]
    word = {"-": "−", "*": "×"}.get(sign, sign)
    label = f"({a.label} {word} {b.label})"
    return Quantity(parts[0], parts[1], parts[2], {**a.cells, **b.cells}, label, _rankings([a, b]))


def _rankings(quantities: Iterable[Quantity]) -> tuple[Ranking, ...]:
    """Those of all of them, each once."""
    found: list[Ranking] = []
    for q in quantities:
        found += [ranking for ranking in q.rankings if ranking not in found]
    return tuple(found)


def constant(value: int | str | Fraction) -> Quantity:
    """A number that is ours and not printed, such as a threshold."""
    number = Fraction(value)
    text = str(number) if number.denominator == 1 else f"Rational({number.numerator}, {number.denominator})"
    return Quantity(text, text, text, {}, f"{float(number):g}")


def _quantity(value: Quantity | int | Fraction) -> Quantity:
    return value if isinstance(value, Quantity) else constant(value)


def number(printed: Printed) -> Quantity:
    """A printed number, known up to half a unit in its last digit."""
    name = re.sub(r"\W+", "_", printed.where, flags=re.ASCII).strip("_")
    name = name if name[0].isalpha() else f"n_{name}"
    half = constant(printed.half_unit).source
    return Quantity(name, f"({name} - {half})", f"({name} + {half})", {name: printed.cell}, printed.where)


def total(quantities: Iterable[Quantity]) -> Quantity:
    """The sum."""
    first, *rest = quantities
    for q in rest:
        first = first + q
    return first.named("the sum")


def mean(quantities: Iterable[Quantity]) -> Quantity:
    """The arithmetic mean."""
    several = list(quantities)
    return (total(several) / len(several)).named(f"the mean of {len(several)}")


def count(quantities: Iterable[Quantity]) -> Quantity:
    """How many of these linear expressions in printed numbers are positive."""
    steps = []
    for q in quantities:
        step = f"Min(1, Max(0, {_MANY}*{q.source}))"
        steps.append(replace(q, source=step, low=step, high=step))
    return total(steps).named(f"how many of {len(steps)}")


def sign(q: Quantity) -> Quantity:
    """1, 0 or −1."""
    step = f"Max(-1, Min(1, {_MANY}*{q.source}))"
    return replace(q, source=step, low=step, high=step)


def _compare(
    a: Quantity, b: Quantity, relation: str, says: str | None, left: str | None = None, right: str | None = None
) -> Comparison:
    words = {"<": "below", "<=": "at most", "==": "equal to"}[relation]
    cells = {**a.cells, **b.cells}
    left, right = left or a.source, right or b.source
    used = set(re.findall(r"[A-Za-z_]\w*", f"{left} {right}"))
    kept = {name: cell for name, cell in cells.items() if name in used}
    says = says or f"{a.label} is {words} {b.label}"
    return Comparison(says, left, relation, right, kept, _rankings([a, b]))  # type: ignore[arg-type]


def below(a: Quantity, b: Quantity, says: str | None = None, *, strict: bool = True) -> Comparison:
    """a < b as printed; a <= b unless `strict`."""
    return _compare(a, b, "<" if strict else "<=", says)


def above(a: Quantity, others: Iterable[Quantity], *, by: Quantity | None = None) -> Comparisons:
    """Each of the others, plus `by`, is below a."""
    return tuple(below(other if by is None else other + by, a) for other in others)


def chain(*quantities: Quantity, strict: bool = True) -> Comparisons:
    """Each is below the next."""
    return tuple(below(a, b, strict=strict) for a, b in itertools.pairwise(quantities))


def equal(a: Quantity, b: Quantity, says: str | None = None) -> Comparison:
    """a == b as printed."""
    return _compare(a, b, "==", says)


def near(a: Quantity, b: Quantity, tolerance: Quantity | int | str | Fraction, says: str | None = None) -> Comparison:
    """|a − b| <= tolerance."""
    t = tolerance if isinstance(tolerance, Quantity) else constant(tolerance)
    return below(abs(a - b).named(f"|{a.label} − {b.label}|"), t, says, strict=False)


def difference_is(a: Quantity, stated: Quantity, says: str | None = None) -> Comparisons:
    """a and the stated number can be equal for some values that round to what is printed."""
    says = says or f"{a.label} equals {stated.label} up to rounding"
    return (
        _compare(a, stated, "<=", says, a.low, stated.high),
        _compare(a, stated, "<=", says, stated.low, a.high),
    )


def agree(a: Quantity, stated: Quantity, says: str | None = None) -> Comparisons:
    """a, computed from cells as printed, rounds to the stated number."""
    says = says or f"{a.label} rounds to {stated.label}"
    return (_compare(stated, a, "<=", says, stated.low), _compare(a, stated, "<=", says, None, stated.high))


def significant(
    a: Quantity, b: Quantity, variance: Quantity, *, z: str = "2", unit: str = "standard errors"
) -> Comparison:
    """b − a exceeds z·√variance: (b − a)·|b − a| > z²·variance, which stays rational."""
    gap = b - a
    signed = Quantity(f"({gap.source}*Abs({gap.source}))", "0", "0", gap.cells, "", gap.rankings)
    says = f"{b.label} is above {a.label} by more than {z} {unit}"
    return below(variance * Fraction(z) ** 2, signed, says)


def ranked(quantities: Iterable[Quantity], place: int) -> Quantity:
    """The one in this place (1: smallest) as printed, with all of them as the ranking that singled it out."""
    several = list(quantities)
    chosen = sorted(range(len(several)), key=lambda i: several[i].value)[place - 1]
    found = several[chosen]
    word = {1: "the smallest", len(several): "the largest"}.get(place, f"number {place} from below")
    rows = tuple(Ranked(q.label, q.source, q.cells) for q in several)
    rankings = (*_rankings(several), Ranking(place, chosen, rows))
    return replace(found, label=f"{found.label}, {word} of {len(several)}", rankings=rankings)


def rival(quantities: Iterable[Quantity], *, largest: bool = True) -> Quantity:
    """The largest (or smallest) as printed."""
    several = list(quantities)
    return ranked(several, len(several) if largest else 1)


def spread(quantities: Iterable[Quantity]) -> Quantity:
    """Largest minus smallest as printed."""
    several = list(quantities)
    return (rival(several) - rival(several, largest=False)).named(f"the spread of {len(several)}")


def reverse(comparisons: Comparisons) -> Comparisons:
    """Every order the other way round."""
    return tuple(Comparison(f"not: {c.says}", c.right, "<", c.left, c.cells, c.rankings) for c in comparisons)


def quoted(prose: str) -> str:
    """A sentence as LaTeX text."""
    escaped = re.sub(r"[%#&_{}]", lambda found: f"}}\\{found[0]}\\text{{", prose)
    return f"\\text{{«{escaped}»}}"
