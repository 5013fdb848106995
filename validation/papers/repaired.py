"""What a claim says in place of its statement, held against the violations that its ledger keeps, exactly.

An instance that violates a reading must not meet a printed repair: what sets the repaired reading apart is then not
printed. It is held against a repair wherever a case of the repaired reading draws the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import partial
from typing import Any

from theory.exact.budget import at_most_digits, at_most_operations
from theory.exact.errors import DigitsError, InexactError, OperationsError
from validation.judge.entry import Entry, ReadingRecord
from validation.judge.words.mends import Mend, Repair
from validation.judge.words.verdict import Judged, Word, combine
from validation.search.arms import case_at
from validation.statement.claim import Case, Claim, Family, Inequality, Property, Test
from validation.statement.forms.formula_check import FormulaCheck
from validation.statement.instances.at import exactly
from validation.statement.instances.draw import Choice, Integer, Signed, Uniform
from validation.statement.roles import ReadingRole, Role, roles_of
from validation.study.courses import case_named, sizes_in

__all__ = ["STANDING", "Held", "Look", "OfShown", "held_against", "in_range", "of_shown", "word_of"]

_MOST, _DIGITS = 400_000, 20_000  # operations and digits of one exact look
STANDING = "standing"
_BESIDE = {Role.OURS, Role.BESIDE}  # of other statements than the print's


class Look(StrEnum):
    """How a stored violation stands to a printed repair."""

    OTHER_CHOICE = "the repair chooses otherwise where the print is open"
    EDITED = "it is of another edit"
    LEFT_OUT = "the repair leaves it out"
    UNMET = "it misses a hypothesis of the repaired reading"
    OUTSIDE = "it is outside of what the repaired reading draws"
    MENDED = "it meets the repair, whose printed choice or edit makes the statement hold there"
    LETTER = "the condition is one of a letter that the repaired reading has instead"
    NOT_OBSERVED = "no case of the repaired reading draws its numbers"
    TOO_LONG = "too long to be evaluated"
    MEETS = "it meets all that is printed"
    VIOLATES = "it violates the repaired reading"


_ORDER = (
    *(Look.VIOLATES, Look.MEETS, Look.LETTER, Look.MENDED),
    *(Look.UNMET, Look.OUTSIDE, Look.TOO_LONG, Look.NOT_OBSERVED),
)


@dataclass(frozen=True)
class Held:
    """One stored violation against one mend of one repair of its claim."""

    claim_id: str
    repair: str
    violated: str
    mended: str
    look: Look
    more: str = ""

    def __str__(self) -> str:
        more = f" ({self.more})" if self.more else ""
        return f"{self.claim_id}: a violation of «{self.violated}», {self.look} of «{self.mended}»{more}"


@dataclass(frozen=True)
class OfShown:
    """How the instance that a claim shows stands to a repair.

    `otherwise`: (issue, choice there, choice of the repair). `cuts`: of what its reading is a case, «weights = …».
    `sides`: left and right side of the repaired statement at the instance, where they can be computed and it holds.
    """

    look: Look
    otherwise: tuple[tuple[str, str, str], ...] = ()
    cuts: tuple[str, ...] = ()
    sides: tuple[Fraction, Fraction] | None = None


def word_of(entry: Entry, claim: Claim) -> Word:
    """The word of a claim's stored outcomes, with its repairs."""
    roles = roles_of(claim)
    return combine(
        [
            Judged(row.verdict, role, bool(row.restored_by), reading.whole_range)
            for row, role, reading in zip(entry.readings, roles.readings, claim.readings, strict=True)
        ],
        roles.switches_met_by,
    )


def held_against(entry: Entry, claim: Claim, word: Word | None = None) -> Iterator[Held]:
    """Every stored violation against every repair of the claim; `word`: with which repairs, else those of today."""
    found = word_of(entry, claim) if word is None else word
    roles = roles_of(claim).readings
    for kind, repair in (("condition", found.restored), ("edit", found.edited), ("reading", found.read)):
        for mend in repair.mends if repair is not None else ():
            for row, role, reading in zip(entry.readings, roles, claim.readings, strict=True):
                if repair is None or mend.reading is None or not _speaks_of(row, role, mend):
                    continue
                test, whole = claim.readings[mend.reading].test, roles[mend.reading]
                look, more = _look(row, role, reading.test, repair, whole, test)
                yield Held(claim.id, kind, reading.name, claim.readings[mend.reading].name, look, more)


def of_shown(entry: Entry, claim: Claim, word: Word | None = None) -> dict[str, OfShown]:
    """The instance shown against each repair, by its kind: condition, edit, reading; of parts, the mend of its part.

    `STANDING`: of which case it is, where a reading of the print holds as it is.
    """
    if [row.name for row in entry.readings] != [reading.name for reading in claim.readings]:
        return {}  # an entry of other readings, which are judged anew
    found = word_of(entry, claim) if word is None else word
    roles, source = roles_of(claim).readings, entry.counterexample_source
    where = next((i for i, row in enumerate(entry.readings) if source and row.counterexample_source == source), None)
    looks: dict[str, OfShown] = {}
    if where is not None:  # beside readings that hold as they are
        cuts = tuple(f"{key} = {value}" for key, value in roles[where].cuts.items())
        looks[STANDING] = OfShown(Look.LEFT_OUT, cuts=cuts)
    for kind, repair in (("condition", found.restored), ("edit", found.edited), ("reading", found.read)):
        for mend in repair.mends if repair is not None and where is not None else ():
            if repair is None or where is None or mend.reading is None or kind in looks:
                continue
            row, role, own = entry.readings[where], roles[where], claim.readings[where].test
            if not _speaks_of(row, role, mend):
                continue
            test, whole = claim.readings[mend.reading].test, roles[mend.reading]
            look, _ = _look(row, role, own, repair, whole, test)
            looks[kind] = OfShown(
                look=look,
                otherwise=tuple(
                    (issue, choice, whole.options[issue])
                    for issue, choice in role.options.items()
                    if whole.options.get(issue, choice) != choice
                ),
                cuts=tuple(f"{key} = {value}" for key, value in role.cuts.items()),
                sides=_sides(row, own, test, alone=not whole.conditions),
            )
    return looks


def _sides(row: ReadingRecord, own: Test, test: Test, *, alone: bool) -> tuple[Fraction, Fraction] | None:
    """Both sides of a repaired statement at a stored violation, as its own case or the constants there give them.

    `alone`: whether it changes the formula alone, so that the constants are enough.
    """
    instance = dict(row.worst_instance or {})
    name = str(instance.pop("case", ""))
    instance.pop("family", None)
    numbers, tested = _numbers(instance), _inequality(test)
    mine = _case_of(own, row.place, name)
    if numbers is None or tested is None:
        return None
    cases = [case for case in _cases(tested, name, numbers) if mine is None or _alike(mine, case)]
    same = mine is not None and any(_left(mine) == _left(case) for case in tested.cases if isinstance(case, Case))
    for case in [*cases, *([mine] if mine is not None and same and alone and not cases else [])]:
        try:
            with at_most_operations(_MOST), at_most_digits(_DIGITS):
                met, constants = case.exact.function(numbers) if case.exact is not None else ({"": False}, {})
                if not all(met.values()):
                    continue
                left, right = constants["lhs"], tested.bound.exact(constants)
                if isinstance(left, Fraction) and isinstance(right, Fraction) and left <= right:
                    return left, right
        except (OperationsError, DigitsError, ArithmeticError, InexactError, LookupError, TypeError, ValueError):
            continue
    return None


def _left(case: Case) -> object:
    """The left side of a statement over a case as a formula, else what tells the case from any other."""
    made = case.exact.function if isinstance(case.exact, FormulaCheck) else None
    return getattr(getattr(made, "left", None), "expression", None) or case


def _speaks_of(row: ReadingRecord, role: ReadingRole, mend: Mend) -> bool:
    """Whether a stored violation is one of the part that is mended, of the print or of less."""
    violated = row.counterexample_source is not None and bool(row.worst_instance)
    return violated and role.part == mend.role.part and role.role not in _BESIDE


def _look(
    row: ReadingRecord, role: ReadingRole, own: Test, repair: Repair, whole: ReadingRole, test: Test
) -> tuple[Look, str]:
    """`whole`: what the repaired reading is; `repair`: what is printed of it."""
    other = [issue for issue, choice in role.options.items() if whole.options.get(issue, choice) != choice]
    if other:
        said = [issue for issue in other if repair.options.get(issue) == whole.options[issue]]
        return (Look.OTHER_CHOICE, ", ".join(said)) if said else (Look.MEETS, f"not printed: {', '.join(other)}")
    if role.cuts and ", ".join(f"{k} = {v}" for k, v in role.cuts.items()) in repair.left_out:
        return Look.LEFT_OUT, ""
    if not set(role.edits) <= set(whole.edits):
        return Look.EDITED, ""
    if not (repair.conditions or repair.edits):
        return Look.MEETS, "nothing that is printed sets it apart"
    instance = dict(row.worst_instance or {})
    name = str(instance.pop("case", ""))
    instance.pop("family", None)
    numbers = _numbers(instance)
    tested = _inequality(test)
    if numbers is None or tested is None:
        return Look.NOT_OBSERVED, "no numbers" if numbers is None else type(test).__name__
    mine = _case_of(own, row.place, name)
    cases = [case for case in _cases(tested, name, numbers) if mine is None or _alike(mine, case)]
    if not cases:
        return Look.NOT_OBSERVED, name
    lettered = mine is not None and _said(tested, cases[0]) != _said(_inequality(own), mine)
    apart = Look.MENDED if repair.edits else Look.LETTER if lettered else Look.MEETS
    looks = [_exact_look(tested, case, numbers, apart) for case in cases]
    return min(looks, key=lambda found: _ORDER.index(found[0]))


def _exact_look(test: Inequality, case: Case, numbers: Mapping[str, Any], apart: Look) -> tuple[Look, str]:
    if case.exact is None:
        return Look.NOT_OBSERVED, "no exact side"
    outside = [c.name for c in case.space.coordinates if not in_range(c, numbers[c.name])]
    if outside:
        return Look.OUTSIDE, ", ".join(outside)
    try:
        with at_most_operations(_MOST), at_most_digits(_DIGITS):
            met, constants = case.exact.function(numbers)
            unmet = [name for name, holds in met.items() if not holds]
            if unmet:
                return Look.UNMET, unmet[0]
            if constants["lhs"] > test.bound.exact(constants):
                return Look.VIOLATES, case.name
    except (OperationsError, DigitsError):
        return Look.TOO_LONG, case.name
    except (ArithmeticError, InexactError, LookupError, TypeError, ValueError) as error:
        return Look.NOT_OBSERVED, f"{type(error).__name__} in {case.name}"
    return apart, case.name


def _numbers(instance: Mapping[str, Any]) -> dict[str, Any] | None:
    try:
        return {name: exactly(value) for name, value in instance.items()}
    except ValueError:
        return None


def _cases(test: Inequality, name: str, numbers: Mapping[str, Any]) -> Iterator[Case]:
    """The cases that draw numbers of these names and lengths: that of the name, and all others."""
    seen = set()
    named = case_named(test, name)
    for case in ([named] if named is not None else []) + list(_others(test, name)):
        if case.name not in seen and _draws(case, numbers):
            seen.add(case.name)
            yield case


def _others(test: Inequality, name: str) -> Iterator[Case]:
    for item in test.cases:
        if isinstance(item, Family):
            yield from (item.at(**sizes) for sizes in sizes_in(item, name))
        else:
            yield item


def _case_of(test: Test, place: str | None, name: str) -> Case | None:
    """The case that a stored instance is one of."""
    whole = _inequality(test)
    if whole is None:
        return None
    return case_at(whole, place) if place else case_named(whole, name)


def _inequality(test: Test) -> Inequality | None:
    whole = test.inequality if isinstance(test, Property) else test
    return whole if isinstance(whole, Inequality) else None


def _said(test: Inequality | None, case: Case) -> tuple[object, ...]:
    """Both sides of a statement over a case, as formulas where it has some."""
    made = case.exact.function if isinstance(case.exact, FormulaCheck) else None
    left = getattr(getattr(made, "left", None), "expression", None)
    return (left, None if test is None else test.bound.expression)


def _alike(one: Case, other: Case) -> bool:
    """Whether two cases make the same of the same numbers: one plain function with the same choices."""
    return _computed(one) == _computed(other)


def _computed(case: Case) -> tuple[Any, ...]:
    exact = case.exact
    if isinstance(exact, FormulaCheck):
        exact = exact.function.plain  # type: ignore[attr-defined]
    if exact is None:
        return ("as drawn", case.name)
    function: Any = exact.function
    keywords: Mapping[str, Any] = function.keywords if isinstance(function, partial) else {}
    plain = function.func if isinstance(function, partial) else function
    return (plain.__module__, plain.__qualname__, *sorted((k, str(v)) for k, v in keywords.items()))


def in_range(coordinate: Any, value: Any) -> bool:
    """Whether every entry of a value is one that its coordinate draws."""
    if isinstance(value, list):
        return all(in_range(coordinate, one) for one in value)
    if isinstance(coordinate, Choice):
        return value in {Fraction(str(v)) for v in coordinate.values}
    if isinstance(coordinate, Signed):
        return bool(value == 0 or coordinate.low <= abs(value) <= coordinate.high)
    if isinstance(coordinate, Uniform | Integer):
        return bool(coordinate.low <= value <= coordinate.high)
    return True


def _draws(case: Case, numbers: Mapping[str, Any]) -> bool:
    """Whether a case draws just these numbers, in arrays of these lengths."""
    shapes = {c.name: tuple(getattr(c, "shape", ())) for c in case.space.coordinates}
    return shapes.keys() == numbers.keys() and all(_shape(numbers[n]) == s or not s for n, s in shapes.items())


def _shape(value: Any) -> tuple[int, ...]:
    return (len(value), *_shape(value[0])) if isinstance(value, list) and value else ()
