"""An outcome of a statement that holds, which prints as two lines: what was tried, and where the rest is."""

from __future__ import annotations

from dataclasses import dataclass, fields

from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

__all__ = ["Held", "held"]


@dataclass(frozen=True)
class Held(Outcome):
    """An `Outcome` of a statement that holds; printed, it says what was tried, and its attributes have the rest."""

    def __str__(self) -> str:
        if self.verdict is not Verdict.HOLDS or not self.admissible:
            return f"{self.verdict}: {self.why}"
        ratio = "none has a ratio of its sides"
        if self.worst_ratio is not None:
            ratio = f"largest left/right {self.worst_ratio:.6g}{', where both are equal' if self.attained else ''}"
        first = f"{self.verdict}: no violation on {self.admissible:,} admissible instances; {ratio}"
        return f"{first}\na search, no proof; .why names sizes and cases, .detail has what the search saw"


def held(outcome: Outcome) -> Held:
    """The same outcome, to be printed short."""
    return Held(**{f.name: getattr(outcome, f.name) for f in fields(outcome)})
