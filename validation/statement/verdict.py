"""What may be said of a statement or of one reading of it."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Verdict"]


class Verdict(StrEnum):
    """What may be said of a statement; what earns each word is written in the README."""

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
