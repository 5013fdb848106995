"""The word for a statement as printed, from the stored verdicts of its readings and what each one is.

A pure function of both: no search is repeated when a table of readings is mended. An alternative is one choice for each
issue that the print leaves open; it is the conjunction of its parts and cuts. Special cases restore, edits correct,
what is ours or beside never decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from typing import Literal, TypeAlias

from validation.judge.words.mends import Mend, Repair, in_full, repair
from validation.statement.roles import ReadingRole, Role
from validation.statement.verdict import Verdict

__all__ = [
    "Judged",
    "Out",
    "Word",
    "alternatives",
    "always_refuted",
    "combine",
    "out",
    "untested",
    "word",
]

__judges__ = "no"

AS_PRINTED = ReadingRole("as printed")
Repaired: TypeAlias = Literal["misprint", "condition"] | None


class Out(StrEnum):
    """The truth value of one alternative; earlier ones win in a conjunction."""

    FALSE = "F"
    UNKNOWN = "U"
    NEEDS = "N"
    VACUOUS = "V"
    TRUE = "T"


_OUT = {
    Verdict.REFUTED: Out.FALSE,
    Verdict.NOT_CHECKED: Out.UNKNOWN,
    Verdict.INCONCLUSIVE: Out.UNKNOWN,
    Verdict.NEEDS_RUN: Out.NEEDS,
    Verdict.VACUOUS: Out.VACUOUS,
    Verdict.HOLDS: Out.TRUE,
    Verdict.PROVED: Out.TRUE,
}


@dataclass(frozen=True)
class Judged:
    """The verdict of one reading and what the reading is.

    `restored`: a smallest set of extras that the search found by itself makes this very reading hold. `whole`: whether
    the verdict covers the statement's whole range; only then `proved` is a proof of it.
    Raises `ValueError` for a verdict that is itself combined.
    """

    verdict: Verdict
    role: ReadingRole = AS_PRINTED
    restored: bool = False
    whole: bool = True

    def __post_init__(self) -> None:
        if self.verdict not in _OUT:
            raise ValueError(f"Judged(verdict={str(self.verdict)!r}): expected the verdict of one reading, not of many")


@dataclass(frozen=True)
class Word:
    """The word for a statement, what restores a false one or branch by conditions alone, and what corrects it by edits.

    `read`: where the print is open, and true under one choice of options, that choice.
    """

    verdict: Verdict
    restored: Repair | None = None
    edited: Repair | None = None
    read: Repair | None = None

    @property
    def condition(self) -> str | None:
        """What restores it, in full."""
        return in_full(self.restored)

    @property
    def edit(self) -> str | None:
        """What corrects it, in full."""
        return in_full(self.edited)


def out(parts: Sequence[Verdict]) -> Out:
    """Kleene's «and»: false if any part is refuted, else unknown, needs a run, vacuous, true, in this order."""
    if not parts:
        raise ValueError("out(parts=[]): an alternative has at least one part")
    found = {_OUT[v] for v in parts}
    return next(o for o in Out if o in found)


def word(outs: Sequence[Out], *, proved: bool = False, repaired: Repaired = None, unsure: bool = False) -> Verdict:
    """The word for the outs of all alternatives.

    All true, or true and vacuous: `proved` or `holds`. All vacuous: `vacuous`. Some true, some false: `underspecified`,
    whatever else. With only one side known and anything unknown: `inconclusive`, or `needs-run` where only runs are
    missing. Only false, or false and vacuous: `misprint` or `unstated-condition` where repaired so, else `refuted`; but
    `inconclusive` where it is `unsure` whether a repair holds.
    """
    if not outs:
        raise ValueError("word(outs=[]): a claim needs at least one reading of the printed text")
    found = set(outs)
    if {Out.TRUE, Out.FALSE} <= found:
        return Verdict.UNDERSPECIFIED
    if Out.UNKNOWN in found:
        return Verdict.INCONCLUSIVE
    if Out.NEEDS in found:
        return Verdict.NEEDS_RUN
    if Out.FALSE in found:
        if repaired is None:
            return Verdict.INCONCLUSIVE if unsure else Verdict.REFUTED
        return Verdict.MISPRINT if repaired == "misprint" else Verdict.UNSTATED_CONDITION
    if Out.TRUE in found:
        return Verdict.PROVED if proved else Verdict.HOLDS
    return Verdict.VACUOUS


def alternatives(readings: Sequence[Judged]) -> tuple[tuple[Judged, ...], ...]:
    """The deciding readings of every choice of options under which each part is tested; those of no issue are in all.

    Raises `ValueError` where no reading decides, or where no choice has all parts.
    """
    deciding, parts = _deciding(readings)
    chosen: dict[tuple[int, ...], tuple[Judged, ...]] = {}
    for _, those in _choices(deciding):
        if {deciding[i].role.part for i in those} == parts and those:
            chosen[those] = tuple(deciding[i] for i in those)
    if not chosen:
        raise ValueError("combine(readings=[…]): no choice of options has a reading for every part of the print")
    return tuple(chosen.values())


def untested(readings: Sequence[Judged]) -> tuple[Mapping[str, str], ...]:
    """The choices of options, by issue, of which nothing is known: a part has no reading, and none of another falls.

    The print may hold under them.
    """
    return tuple(c for c, those in _incomplete(readings) if not any(j.verdict is Verdict.REFUTED for j in those))


def _incomplete(readings: Sequence[Judged]) -> list[tuple[Mapping[str, str], tuple[Judged, ...]]]:
    """The choices of options under which some part has no reading, with the readings that there are."""
    deciding, parts = _deciding(readings)
    found = [(choices, tuple(deciding[i] for i in those)) for choices, those in _choices(deciding)]
    return [(choices, those) for choices, those in found if {j.role.part for j in those} != parts]


def _deciding(readings: Sequence[Judged]) -> tuple[list[Judged], set[str]]:
    """The readings that decide, and the parts they are of."""
    deciding = [j for j in readings if j.role.decides]
    return deciding, {j.role.part for j in deciding}


def _choices(deciding: Sequence[Judged]) -> Iterator[tuple[Mapping[str, str], tuple[int, ...]]]:
    """Every choice of one option for each issue, and which of the readings it has."""
    issues: dict[str, dict[str, None]] = {}
    for j in deciding:
        for issue, choice in j.role.options.items():
            issues.setdefault(issue, {})[choice] = None
    for combination in product(*issues.values()):
        choices = dict(zip(issues, combination, strict=True))
        yield choices, tuple(i for i, j in enumerate(deciding) if _within(j.role.options, choices))


def always_refuted(readings: Sequence[Judged]) -> frozenset[str]:
    """The parts that are refuted under every choice of options: by them the print falls however it is read."""
    fallen = (
        {j.role.part for j in those if j.verdict is Verdict.REFUTED} for those in map(tuple, alternatives(readings))
    )
    return frozenset.intersection(*map(frozenset, fallen))


def combine(readings: Sequence[Judged], switches_met_by: str = "") -> Word:
    """The word for the print from its readings' verdicts and roles.

    A false alternative is corrected where every false part of it has an edit of a single token that is forced, true
    without a condition, and whose wrong form no result uses; it is restored where every false reading of it has a
    special case of its part that is true and met by a named setting, or is a cut whose plain value is true and met, or
    was restored by extras that `switches_met_by` a named setting, and where no other part of it is undecided. Where
    none of these is known to hold, and one would do if what is undecided held, the word is open. A choice of options
    under which a part has no reading is false where another part is, and else undecided. Raises `ValueError` as
    `alternatives`.
    """
    several = alternatives(readings)
    outs = [out([j.verdict for j in those]) for those in several]
    false = [those for those, o in zip(several, outs, strict=True) if o is Out.FALSE]
    fallen = [those for _, those in _incomplete(readings) if any(j.verdict is Verdict.REFUTED for j in those)]
    outs += [Out.FALSE] * len(fallen) + [Out.UNKNOWN] * len(untested(readings))
    edit = _repair(false, lambda j: _corrected(j, readings))
    condition = _repair(false, lambda j: _restored(j, readings, switches_met_by))
    hoped = [replace(j, verdict=Verdict.HOLDS) if _OUT[j.verdict] is Out.UNKNOWN else j for j in readings]
    deciding = [j for those in several for j in those]
    verdict = word(
        outs,
        proved=all(j.verdict is Verdict.PROVED and j.whole for j in deciding),
        repaired="misprint" if edit is not None else "condition" if condition is not None else None,
        unsure=_repair(
            [*false, *fallen], lambda j: _corrected(j, hoped) or _restored(j, hoped, switches_met_by), hoping=True
        )
        is not None,
    )
    if verdict.true:  # an edit that mends what is ours would read like a correction of the print
        return Word(verdict)
    true = [those for those, o in zip(several, outs, strict=False) if o is Out.TRUE]
    read = _as_read(true[0], readings) if verdict is Verdict.UNDERSPECIFIED else None
    return Word(verdict, condition, edit if edit is not None else _edited([*false, *fallen], readings), read)


def _within(options: Mapping[str, str], choices: Mapping[str, str]) -> bool:
    return all(choices.get(issue) == choice for issue, choice in options.items())


def _repair(
    false: Sequence[Sequence[Judged]], of: Callable[[Judged], Mend | None], *, hoping: bool = False
) -> Repair | None:
    """What repairs all false readings of some false alternative; None where none is repaired whole.

    Parts of it that are undecided, or need a run, are not known to hold then: such an alternative counts when `hoping`.
    """
    for those in false:
        if not hoping and any(_OUT[j.verdict] in {Out.UNKNOWN, Out.NEEDS} for j in those):
            continue
        found = [of(j) for j in those if j.verdict is Verdict.REFUTED]
        if all(f is not None for f in found):
            others = [j.role for j in those if j.verdict is not Verdict.REFUTED]
            return repair([f for f in found if f is not None], others)
    return None


def _corrected(false: Judged, readings: Sequence[Judged]) -> Mend | None:
    for place, j in enumerate(readings):
        r = j.role
        forced = r.token and r.forced_by and not (r.wrong_form_in or r.conditions or r.ours)
        if r.role is Role.REPAIR and forced and j.verdict.true and _same(false.role, r):
            return Mend(place, r)
    return None


def _restored(false: Judged, readings: Sequence[Judged], switches_met_by: str) -> Mend | None:
    for place, j in enumerate(readings):
        r = j.role
        if r.role is Role.SPECIAL_CASE and r.met_by and j.verdict.true and _same(false.role, r):
            return Mend(place, r)
    if false.role.met_by and (found := _at_the_plain_value(false, readings)) is not None:
        return found
    if false.restored and switches_met_by:
        extras = replace(false.role, conditions=("the extras that the search names",))
        return Mend(None, extras)
    return None


def _at_the_plain_value(false: Judged, readings: Sequence[Judged]) -> Mend | None:
    """Of a cut that falls: the plain reading of the print, where that holds."""
    if not false.role.cuts:
        return None
    plain = [(i, j) for i, j in enumerate(readings) if j.role.role is Role.ALTERNATIVE and _same(false.role, j.role)]
    if not plain or not all(j.verdict.true for _, j in plain):
        return None
    place, held = plain[0]
    return Mend(place, held.role, (", ".join(f"{k} = {v}" for k, v in false.role.cuts.items()),))


def _same(false: ReadingRole, other: ReadingRole) -> bool:
    """Whether the other reading is of the same part and of no other choice."""
    shared = set(false.options) & set(other.options)
    return false.part == other.part and all(false.options[i] == other.options[i] for i in shared)


def _edited(false: Sequence[Sequence[Judged]], readings: Sequence[Judged]) -> Repair | None:
    """The false alternative that edits mend, reported beside: whole if one is, else the parts that are; None for none.

    Parts that no edit mends may have a special case that holds, whoever meets it.
    """
    found: list[Repair] = []
    for those in false:
        fallen = [j for j in those if j.verdict is Verdict.REFUTED]
        edits = [_first_edit(j, readings) for j in fallen]
        if not any(edits):
            continue
        mends = [e or _special(j, readings) for e, j in zip(edits, fallen, strict=True)]
        whole = all(mends) and not any(_OUT[j.verdict] in {Out.UNKNOWN, Out.NEEDS} for j in those)
        others = [j.role for j in those if j.verdict is not Verdict.REFUTED] if whole else []
        found.append(repair([m for m in (mends if whole else edits) if m is not None], others, whole=whole))
    return max(found, key=lambda r: r.whole, default=None)


def _first_edit(false: Judged, readings: Sequence[Judged]) -> Mend | None:
    """The first edit under which a false reading holds, with the fewest further conditions."""
    fit = [
        Mend(i, j.role)
        for i, j in enumerate(readings)
        if j.role.role is Role.REPAIR and j.verdict.true and _same(false.role, j.role)
    ]
    same = [mend for mend in fit if mend.role.edits == fit[0].role.edits]
    return min(same, key=lambda mend: len(mend.role.conditions), default=None)


def _special(false: Judged, readings: Sequence[Judged]) -> Mend | None:
    """A special case of a false reading that holds, with the fewest conditions; of a cut its plain value."""
    fit = [
        Mend(i, j.role)
        for i, j in enumerate(readings)
        if j.role.role is Role.SPECIAL_CASE and j.verdict.true and _same(false.role, j.role)
    ]
    return min(fit, key=lambda mend: len(mend.role.conditions), default=_at_the_plain_value(false, readings))


def _as_read(those: Sequence[Judged], readings: Sequence[Judged]) -> Repair:
    """An alternative that holds, as what the print says when it is so read."""
    chosen = [Mend(readings.index(j), j.role) for j in those if j.role.options]
    return repair(chosen, [j.role for j in those])
