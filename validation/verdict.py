"""Verdicts, and how the verdict of a statement as printed follows from those of its readings.

A statement is a conjunction of parts; what the print leaves open makes alternatives of each; a condition or an edit
repairs. `out` is Kleene's «and» within an alternative, `combine` the word for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

__all__ = ["Judged", "Out", "Repair", "Role", "Verdict", "combine", "out", "word"]

Role: TypeAlias = Literal["alternative", "part"]
Repair: TypeAlias = Literal["condition", "edit"] | None


class Verdict(StrEnum):
    """What may be said of a statement; what earns each word is written in the README."""

    PROVED = "proved"
    HOLDS = "holds"
    REFUTED = "refuted"
    UNSTATED_CONDITION = "unstated-condition"
    UNDERSPECIFIED = "underspecified"
    VACUOUS = "vacuous"
    INCONCLUSIVE = "inconclusive"
    NEEDS_RUN = "needs-run"
    NOT_CHECKED = "not-checked"

    @property
    def true(self) -> bool:
        """Whether this verdict says that the reading holds."""
        return self in {Verdict.PROVED, Verdict.HOLDS}


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
    """The verdict of one reading and what the reading is: part of a conjunction, an alternative, or a repair.

    Parts belong to every alternative: each of them has to hold whichever way the rest is read. `restored`: a smallest
    extra that the search found by itself makes this very reading hold. `range`: whether the verdict covers the whole
    range of the statement; only then `proved` is a proof of it.
    Raises `ValueError` for a verdict that is itself combined.
    """

    verdict: Verdict
    role: Role = "alternative"
    repair: Repair = None
    restored: bool = False
    whole: bool = True

    def __post_init__(self) -> None:
        if self.verdict not in _OUT:
            raise ValueError(f"Judged(verdict={str(self.verdict)!r}): expected the verdict of one reading, not of many")


def out(parts: Sequence[Verdict]) -> Out:
    """Kleene's «and»: false if any part is refuted, else unknown, needs a run, vacuous, true, in this order."""
    if not parts:
        raise ValueError("out(parts=[]): an alternative has at least one part")
    found = {_OUT[v] for v in parts}
    return next(o for o in Out if o in found)


def word(outs: Sequence[Out], *, proved: bool = False, restored: bool = False) -> Verdict:
    """The word for the outs of all alternatives.

    All true, or true and vacuous: `proved` or `holds`. All vacuous: `vacuous`. Some true, some false: `underspecified`,
    whatever else. Only false, or false and vacuous: `unstated-condition` where a condition restores every false one,
    else `refuted`. With only one side known and anything unknown: `inconclusive`, or `needs-run` where only runs are
    missing.
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
        return Verdict.UNSTATED_CONDITION if restored else Verdict.REFUTED
    if Out.TRUE in found:
        return Verdict.PROVED if proved else Verdict.HOLDS
    return Verdict.VACUOUS


def combine(readings: Sequence[Judged]) -> Verdict:
    """The verdict of the print from those of its readings, by their roles.

    A refuted part refutes every alternative, whatever the others. `proved` only if every part and alternative is, over
    the statement's whole range. A condition that a claim states, or extras that the search found for every refuted
    reading, restore. Raises `ValueError` without a reading of the print.
    """
    printed = [j for j in readings if j.repair is None]
    if not printed:
        raise ValueError("combine(readings=[]): a claim needs at least one reading of the printed text")
    parts = [j for j in printed if j.role == "part"]
    alternatives = [j for j in printed if j.role == "alternative"]
    conjunctions = [[j.verdict, *(p.verdict for p in parts)] for j in alternatives] or [[p.verdict for p in parts]]
    refuted = [j for j in printed if j.verdict is Verdict.REFUTED]
    stated = any(j.verdict.true for j in readings if j.repair == "condition")
    return word(
        [out(verdicts) for verdicts in conjunctions],
        proved=all(j.verdict is Verdict.PROVED and j.whole for j in printed),
        restored=stated or (bool(refuted) and all(j.restored for j in refuted)),
    )
