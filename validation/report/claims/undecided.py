"""What is open over all papers, and why: only runs decide it, a search did not, or the text leaves it open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from validation.report.claims.claims import Claim
from validation.report.claims.wording import issue_words

__all__ = ["Undecided", "undecided"]

_GROUPS = (
    ("needs-run", "Only training runs can decide it"),
    ("inconclusive", "The search did not decide it"),
    ("underspecified", "True in one reading of the text and false in another"),
)
_SO_FAR = "; so far"


@dataclass(frozen=True)
class Undecided:
    """The open claims of one verdict, each with what leaves it open."""

    title: str
    claims: tuple[tuple[Claim, str], ...]


def undecided(claims: Sequence[Claim]) -> tuple[Undecided, ...]:
    """Groups of what is open, those without a claim left out."""
    made = (Undecided(title, tuple((c, _why(c)) for c in claims if c.verdict.word == word)) for word, title in _GROUPS)
    return tuple(group for group in made if group.claims)


def _why(claim: Claim) -> str:
    """The run that would decide it, or what the print leaves open; else why the search did not decide it."""
    if claim.verdict.word == "needs-run":
        whys = (r.why for r in claim.readings if r.verdict.word == "needs-run")
        return next((f"Would decide it: {why.partition(_SO_FAR)[0]}." for why in whys if why), claim.why)
    if claim.open:
        return "; ".join(f"{issue_words(issue, why)}: {why.rstrip('.')}" for issue, _, why in claim.open) + "."
    return claim.words or claim.why
