"""Verdicts, and how the verdict of a statement as printed follows from those of its readings."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

__all__ = ["Verdict", "combine"]


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


def combine(printed: Sequence[Verdict], conditions: Sequence[Verdict]) -> Verdict:
    """The verdict of the print, from its printed readings and from readings with one more condition each.

    All true: proved or holds. All refuted: `unstated-condition` if a condition restores it, else `refuted`. True under
    one reading and refuted under another: `underspecified`. Anything undecided leaves the print undecided.
    """
    if not printed:
        raise ValueError("combine(printed=[]): a claim needs at least one reading of the printed text")
    kinds = set(printed)
    for undecided in (Verdict.NOT_CHECKED, Verdict.NEEDS_RUN, Verdict.INCONCLUSIVE):
        if undecided in kinds:
            return undecided
    if all(v.true for v in printed):
        return Verdict.PROVED if kinds == {Verdict.PROVED} else Verdict.HOLDS
    if kinds == {Verdict.REFUTED}:
        restored = any(v.true for v in conditions)
        return Verdict.UNSTATED_CONDITION if restored else Verdict.REFUTED
    if kinds == {Verdict.VACUOUS}:
        return Verdict.VACUOUS
    return Verdict.UNDERSPECIFIED
