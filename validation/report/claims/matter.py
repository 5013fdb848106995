"""Does it matter? What rests on a statement, through how many others, and what its weight says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.judge.words.weight import Weight
from validation.report.claims.claims import Claim
from validation.report.verdicts import VERDICTS
from validation.statement.roles import RESULTS

__all__ = ["WEIGHTS", "Resting", "matter", "rest_on_it", "uncovered"]

WEIGHTS: Mapping[str, str] = {
    Weight.RESULT_FALSE: "a theorem, lemma, remark or comparison is false as printed, unless it is read to say nothing",
    Weight.CONDITION_MISSING: "a statement is false as printed, and true under a condition that the print lacks",
    Weight.SAYS_NOTHING: "a statement is true but never better than what is known without it",
    Weight.RESULT_TRUE_PROOF_BROKEN: "no violation of the result was found, but its proof uses a step that fails",
    Weight.PROOF_BROKEN: "a step of a proof is false, and no edit of it was found with which the proof goes on",
    Weight.SLIP: "one wrong symbol, or a step that a small edit mends so that the proof goes on",
    Weight.WORDING: "a text that can be read in a true and in a false way, or a definition that is wrong as printed",
}
"""What each weight says, the heaviest first."""

_TRUE = {"holds", "proved"}
_NAMED = 6  # statements that a sentence names
_SIGHTED = {"cut", "special case"}  # roles of readings of the print, or of it with a condition


@dataclass(frozen=True)
class Resting:
    """A statement that rests on another; `through`: on the way from it, () where it does so directly."""

    claim: Claim
    through: tuple[str, ...]


def rest_on_it(claim_id: str, claims: Sequence[Claim]) -> tuple[Resting, ...]:
    """All that rests on a statement, the direct ones first, each by a shortest way."""
    found: dict[str, tuple[str, ...]] = {claim_id: ()}
    rows: list[Resting] = []
    waiting = [claim_id]
    while waiting:
        one = waiting.pop(0)
        for claim in claims:
            if one in claim.rests_on and claim.id not in found:
                way = () if one == claim_id else (*found[one], one)
                found[claim.id] = way
                rows.append(Resting(claim, way))
                waiting.append(claim.id)
    return tuple(rows)


def matter(claim: Claim, resting: Sequence[Resting]) -> str:
    """What rests on a statement that does not hold as printed, and what of that stands all the same; else ''.

    It speaks of what the claims say they rest on, so a statement that nothing rests on may still be used in passing.
    """
    if claim.stands or claim.ours or claim.verdict.word in {"needs-run", "inconclusive"}:
        return ""
    if not resting:
        return "No other statement that was judged rests on it."
    results = [r.claim for r in resting if r.claim.level in RESULTS]
    direct = sum(not r.through for r in resting)
    said = f"{_statements(len(resting))} {'rests' if len(resting) == 1 else 'rest'} on it"
    said += ", directly" if direct == len(resting) else f", {direct} directly and {len(resting) - direct} through these"
    said += f"; results among them: {_named(results)}." if results else "; no theorem, lemma or corollary among them."
    standing = [r.claim for r in resting if r.claim.verdict.word in _TRUE]
    fallen = [r.claim for r in resting if r.claim.verdict.word not in _TRUE]
    if not fallen:
        return f"{said} No violation of {'it' if len(resting) == 1 else 'any of them'} was found."
    if len(resting) == 1:
        return f"{said} Its verdict is {fallen[0].verdict.word}."
    words = Counter(c.verdict.word for c in fallen)
    rest = ", ".join(f"{n} {v.word}" for v in VERDICTS if (n := words[v.word]))
    stands = f"No violation was found of {_named(standing)}. The rest: " if standing else "Their verdicts: "
    return f"{said} {stands}{rest}."


def _statements(n: int) -> str:
    return "One statement" if n == 1 else f"{n} statements"


def _named(claims: Sequence[Claim]) -> str:
    names = [c.id for c in claims]
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def uncovered(claim: Claim) -> str:
    """That what holds in place of the print does not cover the paper's own method; '' where nothing says so.

    A refuted reading says by which algorithm of the paper it is used; a repair with conditions does not hold for it.
    """
    if claim.verdict.word != "unstated-condition" or not all(found.conditions for found in claim.mended):
        return ""
    used = [r.used_by for r in claim.readings if r.used_by and r.role in _SIGHTED and r.verdict.word == "refuted"]
    if not used or not claim.mended:
        return ""
    return f"Not covered by what holds: {used[0].rstrip('.')}."
