"""A statement of any form at one exact instance: both sides, the hypotheses that are not met, and whether it falls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from theory.exact.decide import as_side
from theory.exact.number import Exact
from validation.judge.gram import side_on_a_line
from validation.judge.orders import judge_order
from validation.published.tables import decide
from validation.statement.bound import exact_value
from validation.statement.claim import Case, Identity, Inequality, Number, Property, Relation, Test
from validation.statement.forms.formula_check import left_side
from validation.statement.forms.gram import VectorInequality
from validation.statement.forms.kinds import ExactCheck
from validation.statement.forms.orders import Order
from validation.statement.forms.quotients import SYMBOL, in_n
from validation.statement.instances.at import At
from validation.statement.outcome import text
from validation.statement.verdict import Verdict
from validation.study.courses import case_named

__all__ = ["BothSides", "cases_at", "printed_sides", "sides_at", "sides_of"]

__judges__ = "no"

Side = Fraction | Exact
_ROUNDING = "rounding"  # how a notation names what the rounding of exponentials and logarithms may add up to


@dataclass(frozen=True)
class BothSides:
    """Both sides of a statement at one instance, exactly; `unmet`: the hypotheses that it does not meet.

    `relation`: how the left side has to stand to the right one. `granted`: by how much the statement's own letters for
    rounding bring the left side below the right one; sides that they alone hold apart are equal.
    """

    left: Side
    right: Side
    unmet: tuple[str, ...]
    relation: str = "<="
    granted: Side = Fraction(0)

    @property
    def equal(self) -> bool:
        """Whether both sides are one number, up to what is granted to rounding."""
        return bool(0 <= self.right - self.left <= 2 * self.granted) or bool(self.left == self.right)

    @property
    def violates(self) -> bool:
        """Whether every hypothesis is met and the sides are not as they are said to be."""
        if self.unmet:
            return False
        if self.relation == "order":
            return True
        if self.relation == "==":
            return bool(self.left != self.right)
        return bool(self.left > self.right) or (self.relation == "<" and bool(self.left == self.right))

    @property
    def words(self) -> tuple[str, str]:
        """Both sides as they are written: exactly where they are short fractions, else their digits."""
        left, right = (text(side if isinstance(side, Fraction) else as_side(side)) for side in (self.left, self.right))
        return left, right


def sides_at(test: Inequality, case: Case, numbers: Mapping[str, Any], place: str) -> BothSides:
    """The sides of a statement in a case at exact numbers, one for each that the case draws.

    Raises `ValueError` naming the numbers that are missing or unknown, and for a case without an exact side.
    """
    wanted = {c.name for c in case.space.coordinates}
    if set(numbers) != wanted:
        missing, unknown = (
            ", ".join(sorted(names)) or "none" for names in (wanted - set(numbers), set(numbers) - wanted)
        )
        raise ValueError(f"{place}(case={case.name!r}): numbers missing: {missing}; unknown: {unknown}")
    if case.exact is None:
        raise ValueError(f"{place}(case={case.name!r}): no exact side; nothing can be evaluated there")
    met, constants = case.exact.function(numbers)
    unmet = tuple(name for name, holds in met.items() if not holds)
    left, right = constants["lhs"], test.bound.exact(constants)
    return BothSides(left, right, unmet, granted=_granted(test, case.exact, constants, right - left))


def _granted(test: Inequality, check: ExactCheck, constants: Mapping[str, Any], gap: Side) -> Side:
    """How much of the gap between the sides is due to letters for rounding: what it loses where these are 0."""
    without = {**constants, **{name: Fraction(0) for name in constants if name.startswith(_ROUNDING)}}
    left = left_side(check)
    if without == constants or left is None:
        return Fraction(0)
    return gap - (test.bound.exact(without) - left.exact(without))


def sides_of(test: Test, instance: At, here: str) -> BothSides:
    """The sides at the numbers that an instance names.

    Of an inequality these are what a case draws; of an identity its letters; of a step between vectors its parameters
    and the vectors, on a line. An order has no instance but a family: its name and what stays fixed; the sides are
    those at the end of its grid, and it counts as unmet where it does not refute. Raises `ValueError` naming `here` for
    numbers that are not those.
    """
    if isinstance(test, Property):
        test = test.inequality
    if isinstance(test, Inequality):
        cases = cases_at(test, instance)
        if len(cases) != 1:
            drawn = "; ".join(f"{c.name}: {', '.join(k.name for k in c.space.coordinates)}" for c in _usual(test))
            what = f"{len(cases)} cases draw these numbers" if cases else "no case draws these numbers"
            raise ValueError(f"{here}: at({instance}): {what}; expected at('case', …) of one of: {drawn}")
        return sides_at(test, cases[0], instance.numbers, here)
    if isinstance(test, Identity):
        letters = {s.name for side in (test.left, test.right) for s in getattr(side, "free_symbols", ())}
        _expected(letters, instance, here)
        left, right = (exact_value(side, instance.numbers) for side in (test.left, test.right))
        return BothSides(left, right, (), "==")
    if isinstance(test, VectorInequality):
        return _of_vectors(test, instance, here)
    if isinstance(test, Order):
        return _of_order(test, instance, here)
    raise ValueError(f"{here}: at({instance}) is an instance of a {type(test).__name__}; expected none")


def printed_sides(test: Relation | Number) -> BothSides | None:
    """Of what is said of printed numbers, which are its only instance, the sides that decide; None where a run would.

    They are those of the first comparison that is false, else of the first one; of a number the distance of the
    printed one to the computed one, and its tolerance.
    """
    if isinstance(test, Number):
        return BothSides(abs(Fraction(test.computed()) - Fraction(test.printed.value)), test.tolerance, ())
    comparisons = () if test.needs_run is not None else test.comparisons()
    first = next((one for one in comparisons if not decide(one)), comparisons[0] if comparisons else None)
    if first is None:
        return None
    values = {name: Fraction(cell.value) for name, cell in first.cells.items()}
    return BothSides(exact_value(first.left, values), exact_value(first.right, values), (), first.relation)


def cases_at(test: Inequality, instance: At) -> list[Case]:
    """The cases that draw what an instance names, of that name where it names one."""

    def drawn(cases: Iterable[Case]) -> list[Case]:
        return [case for case in cases if {c.name for c in case.space.coordinates} == set(instance.numbers)]

    if not instance.case:
        return drawn(_usual(test))
    named = case_named(test, instance.case)
    return drawn([named] if named else []) or drawn(_of_name(test, instance.case))[:1]


def _of_name(test: Inequality, name: str) -> Iterator[Case]:
    """Cases of a name, families at all sizes that a search visits and at the smallest: names need not say the sizes."""
    for item in test.cases:
        if isinstance(item, Case):
            yield from [item] if item.name == name else []
            continue
        few = [[v for v in range(size.low, size.low + 3) if v <= size.high] for size in item.sizes]
        names = [size.name for size in item.sizes]
        small: list[dict[str, float]] = [dict(zip(names, chosen, strict=True)) for chosen in product(*few)]
        raw = getattr(item.at, "at", item.at)  # builds the case without the statement's sides, which takes longer
        yield from (item.at(**sizes) for sizes in (*small, *item.choices()) if raw(**sizes).name == name)


def _usual(test: Inequality) -> list[Case]:
    return [item if isinstance(item, Case) else item.at(**item.usual()) for item in test.cases]


def _expected(letters: set[str], instance: At, here: str) -> None:
    if set(instance.numbers) != letters:
        raise ValueError(f"{here}: at({instance}): expected numbers for {', '.join(sorted(letters))}")


def _of_vectors(test: VectorInequality, instance: At, here: str) -> BothSides:
    _expected({*test.names, *test.domain.names}, instance, here)
    numbers = {name: Fraction(value) for name, value in instance.numbers.items()}
    point = {name: numbers[name] for name in test.domain.names}
    outside = [p.name for p in test.domain.parameters if point[p.name] < p.low]
    outside += [p.name for p in test.domain.parameters if p.high is not None and point[p.name] > p.high]
    for group in test.domain.simplices:
        if sum(point[name] for name in group) != 1 or min(point[name] for name in group) < 0:
            outside.append(" + ".join(group))
    unmet = (*(f"the range of {name}" for name in outside), *(() if test.domain.holds_at(point) else ("where",)))
    left, right = (side_on_a_line(side, numbers, {}) for side in (test.lhs, test.rhs))
    return BothSides(left, right, unmet)


def _of_order(test: Order, instance: At, here: str) -> BothSides:
    family = next((f for f in test.families if f.name == instance.case), None)
    if family is None:
        names = "; ".join(f.name for f in test.families)
        raise ValueError(f"{here}: at({instance}): expected at('family', …) of one of: {names}")
    _expected(set(family.fixed), instance, here)
    fixed = {name: (value,) for name, value in instance.numbers.items()}
    moved = tuple(name for name in test.uniform_in if name in family.path)
    alone = replace(
        test,
        families=(replace(family, fixed=fixed),),
        may_depend_on=(*test.may_depend_on, *(name for name in test.uniform_in if name not in moved)),
        uniform_in=moved,
    )
    found = judge_order(alone, here, instance.case)
    path = {name: exact_value(in_n(e), {SYMBOL: test.grid[-1]}) for name, e in family.path.items()}
    *sides, claimed = (Fraction(v) for v in family.at(**path, **instance.numbers))
    refuted = found.verdict is Verdict.REFUTED
    return BothSides(sides[0], claimed, () if refuted else (found.why,), "order")
