"""The verdict words, and what each means: the one definition that README, docs and report show."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["MEANINGS", "Verdict"]


class Verdict(StrEnum):
    """What may be said of a statement; `MEANINGS` says what each word means."""

    PROVED = "proved"
    HOLDS = "holds"
    REFUTED = "refuted"
    MISPRINT = "misprint"
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


MEANINGS: Mapping[Verdict, str] = MappingProxyType(
    {
        Verdict.PROVED: "Established symbolically, or by an exact certificate, over the statement's whole range.",
        Verdict.HOLDS: (
            "No violation found; the nearest candidates were re-checked in exact arithmetic. "
            "The search effort, the worst ratio and what was never exercised are recorded."
        ),
        Verdict.REFUTED: (
            "False, or one of its parts is, under every interpretation of the text that is not vacuous: "
            "an exact counterexample meets all hypotheses."
        ),
        Verdict.MISPRINT: (
            "False as printed by one wrong symbol. The right form is printed elsewhere or forced by the lines "
            "around it, and no result uses the wrong one."
        ),
        Verdict.UNSTATED_CONDITION: (
            "False as printed, true under a named condition that a named setting of the paper meets."
        ),
        Verdict.UNDERSPECIFIED: (
            "The text leaves something undefined or prints it twice: "
            "true under one interpretation, false under another."
        ),
        Verdict.VACUOUS: "True, but never better than what is known without it; or its hypotheses exclude each other.",
        Verdict.INCONCLUSIVE: "Not decided; the reason is recorded.",
        Verdict.NEEDS_RUN: "Depends on an experiment; no run made so far decides it.",
        Verdict.NOT_CHECKED: "Not examined; the reason is recorded.",
    }
)
