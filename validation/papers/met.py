"""Whether the settings that a claim names meet its conditions: an exact instance of each in the reading's own world.

A reading that adds a condition draws nothing but what meets it. So an instance of the setting that it draws, and that
meets all of its hypotheses and what it says, shows that the setting meets the condition; of a cut the plain reading is
looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from theory.base.streams import stream
from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from validation.papers.repaired import in_range
from validation.statement.claim import Case, Claim, Inequality, Property, Test
from validation.statement.forms.orders import Order
from validation.statement.instances.draw import LogScale, take
from validation.statement.roles import ReadingRole, Role, roles_of
from validation.statement.setting import Setting

__all__ = ["Met", "met_by"]

_DRAWS, _LARGEST = 60, 12  # instances a case, and the size of their denominators
_MOST, _DIGITS = 200_000, 5_000
_SIMPLEX = ("share", "weights", "applied", "table")
_NEARLY_0 = 1e-3  # where a scale begins there or below, 0 is its limit


@dataclass(frozen=True)
class Met:
    """A setting that a reading names, and an instance of it in the world of `shown_by`; none where none was found."""

    claim_id: str
    reading: str
    setting: Setting
    shown_by: str
    case: str
    instance: Mapping[str, Any] | None

    def __str__(self) -> str:
        found = f"as in {self.shown_by} ({self.case})" if self.instance is not None else "shown by no instance"
        return f"{self.claim_id}, «{self.reading}»: {self.setting.name}: {found}"


def met_by(claim: Claim, sisters: tuple[Claim, ...] = ()) -> Iterator[Met]:
    """Every setting that a claim's readings name, with an instance that shows that it meets the condition.

    A reading that draws no instances, such as an identity, is shown by one of the same conditions in a sister claim.
    """
    roles = roles_of(claim).readings
    for role, reading in zip(roles, claim.readings, strict=True):
        if role.setting is None:
            continue
        tests = _tests(claim, role) if role.cuts else [(reading.name, reading.test)]
        if all(_drawn(test) is None for _, test in tests):
            tests += [(f"{other.id}, {name}", test) for other in sisters for name, test in _alike(other, role)]
        yield _first(claim, reading.name, role.setting, tests)


def _tests(claim: Claim, cut: ReadingRole) -> list[tuple[str, Test]]:
    """The plain readings of what a cut reads."""
    return [
        (reading.name, reading.test)
        for reading, role in zip(claim.readings, roles_of(claim).readings, strict=True)
        if role.role is Role.ALTERNATIVE
        and role.part == cut.part
        and all(cut.options.get(issue, choice) == choice for issue, choice in role.options.items())
    ]


def _alike(claim: Claim, role: ReadingRole) -> list[tuple[str, Test]]:
    """Of a sister claim: readings under the same conditions, and the plain ones of a cut of the same value."""
    found: list[tuple[str, Test]] = []
    for reading, other in zip(claim.readings, roles_of(claim).readings, strict=True):
        if role.cuts and other.cuts == role.cuts:
            found += _tests(claim, other)
        elif role.conditions and other.conditions == role.conditions and not other.edits:
            found.append((reading.name, reading.test))
    return found


def _first(claim: Claim, name: str, setting: Setting, tests: list[tuple[str, Test]]) -> Met:
    for shown_by, test in tests:
        for case, instance in _instances(test, setting):
            return Met(claim.id, name, setting, shown_by, case, instance)
    return Met(claim.id, name, setting, "", "", None)


def _drawn(test: Test) -> Inequality | Order | None:
    whole = test.inequality if isinstance(test, Property) else test
    return whole if isinstance(whole, Inequality | Order) else None


def _instances(test: Test, setting: Setting) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Instances of the setting that the test draws, that meet its hypotheses and keep to it."""
    whole = _drawn(test)
    if isinstance(whole, Order):
        yield from _of_families(whole)
        return
    for case in sorted(_cases(whole), key=_without_clients) if whole is not None else ():
        cube = case.space.random(stream(0, f"setting/{setting.name}/{case.name}"), _DRAWS)
        drawn = case.space.decode(cube)
        for place in range(_DRAWS):
            numbers = setting.imposed(case.space.rationalise(take(drawn, place), _LARGEST))
            if numbers is None:
                break
            if whole is not None and _plain_enough(numbers) and _keeps(whole, case, numbers, setting):
                yield case.name, numbers


def _cases(test: Inequality) -> Iterator[Case]:
    for item in test.cases:
        if isinstance(item, Case):
            yield item
        else:
            usual, low = item.usual(), {s.name: s.low for s in item.sizes}
            yield item.at(**{name: min(size, 3) if low[name] <= 3 else low[name] for name, size in usual.items()})


def _without_clients(case: Case) -> bool:
    return not any(c.name in _SIMPLEX for c in case.space.coordinates)


def _plain_enough(numbers: Mapping[str, Any]) -> bool:
    """Whether nobody has share 0, and there are two clients at least where clients have shares."""
    rows = [row for name in _SIMPLEX if name in numbers for row in _rows(numbers[name])]
    return all(len(row) > 1 and min(row) > 0 for row in rows)


def _rows(value: Any) -> list[Any]:
    return value if value and isinstance(value[0], list) else [value]


def _keeps(test: Inequality, case: Case, numbers: Mapping[str, Any], setting: Setting) -> bool:
    if case.exact is None or not all(
        in_range(c, numbers[c.name]) or (c.name in setting.fixes and _at_its_limit(c, numbers[c.name]))
        for c in case.space.coordinates
    ):
        return False
    try:
        with at_most_operations(_MOST), at_most_digits(_DIGITS):
            met, constants = case.exact.function(numbers)
            return all(met.values()) and bool(constants["lhs"] <= test.bound.exact(constants))
    except (OperationsError, DigitsError, ArithmeticError, InexactError, LookupError, TypeError, ValueError):
        return False


def _at_its_limit(coordinate: Any, value: Any) -> bool:
    return isinstance(coordinate, LogScale) and value == 0 and coordinate.low <= _NEARLY_0


def _of_families(test: Order) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The first member of each family, which has exact sides."""
    for family in test.families:
        values = {name: tried[0] for name, tried in family.fixed.items()}
        values |= {name: _at(path, test.grid[0]) for name, path in family.path.items()}
        if all(side is not None for side in family.at(**values)):
            yield family.name, values


def _at(path: Any, n: int) -> Any:
    from validation.statement.forms.quotients import in_n
    from validation.statement.forms.quotients import n as letter

    found = in_n(path).subs(letter, n)
    return int(found) if found.is_integer else found
