"""What holds in place of a print that falls: readings that were judged and hold, whole, and their one line of text.

Options, conditions, what is left out and edits belong together: a condition under which the print falls with another
choice of options restores nothing by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from validation.statement.roles import ReadingRole

__all__ = ["Mend", "Repair", "in_full", "repair"]

__judges__ = "no"


@dataclass(frozen=True)
class Mend:
    """A reading that holds where a part of the print falls.

    `reading`: its place among the claim's readings; None for extras that the search found by itself, which `role` names
    as conditions. `left_out`: cuts at which the print falls; the reading has the plain value there.
    """

    reading: int | None
    role: ReadingRole
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Repair:
    """A statement that holds: its mends, one for each false part, and the choices under which its other parts hold.

    `whole`: whether no other part stays false or open; else it is a statement on the parts of its mends alone.
    """

    mends: tuple[Mend, ...]
    beside: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True

    @property
    def options(self) -> dict[str, str]:
        """What is chosen where the print is open."""
        chosen = dict(self.beside)
        for mend in self.mends:
            chosen |= mend.role.options
        return chosen

    @property
    def left_out(self) -> tuple[str, ...]:
        """«weights = see the round's samples»: values of the scope that it does not speak of."""
        return _once(one for mend in self.mends for one in mend.left_out)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The hypotheses that it adds."""
        return _once(one for mend in self.mends for one in mend.role.conditions)

    @property
    def edits(self) -> tuple[str, ...]:
        """What it changes in the formula."""
        return _once(one for mend in self.mends for one in mend.role.edits)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that it speaks of; none where it is the whole statement."""
        return () if self.whole else _once(mend.role.part for mend in self.mends)


def repair(mends: Iterable[Mend], others: Iterable[ReadingRole] = (), *, whole: bool = True) -> Repair:
    """The mends of all false parts as one statement; `others`: the readings by which its other parts hold."""
    merged: dict[tuple[int | None, tuple[str, ...]], Mend] = {}
    for mend in mends:
        key = mend.reading, mend.role.conditions
        known = merged.get(key)
        merged[key] = mend if known is None else replace(mend, left_out=_once((*known.left_out, *mend.left_out)))
    beside: dict[str, str] = {}
    for role in others:
        beside |= role.options
    return Repair(tuple(merged.values()), beside, whole)


def in_full(found: Repair | None) -> str | None:
    """A repair in one line, nothing left out: «E² in place of E; gamma read as «A.9»; if also: no noise»."""
    if found is None:
        return None
    chosen = [f"{issue} read as {_quoted(choice)}" for issue, choice in found.options.items()]
    chosen += [f"not with {one}" for one in found.left_out]
    said = [*found.edits, *chosen, *_if_also(found.conditions)] if found.edits else [*chosen, *found.conditions]
    of = ", ".join(map(_quoted, found.parts))
    return (f"of {of}: " if of else "") + "; ".join(said)


def _quoted(choice: str) -> str:
    """In quotation marks; those inside it are the inner ones."""
    return "«" + choice.replace("«", "“").replace("»", "”") + "»"


def _if_also(conditions: Sequence[str]) -> list[str]:
    return [f"if also: {'; '.join(conditions)}"] if conditions else []


def _once(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(given))
