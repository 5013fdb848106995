"""What a word costs its paper: of level, word and what rests on what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from validation.statement.roles import RESULTS, ClaimRoles, Level
from validation.statement.verdict import Verdict

__all__ = ["Weight", "weigh"]

__judges__ = "no"


class Weight(StrEnum):
    """What a word costs its paper, the heaviest first."""

    RESULT_FALSE = "result false"
    CONDITION_MISSING = "condition missing"
    SAYS_NOTHING = "says nothing"
    RESULT_TRUE_PROOF_BROKEN = "result true, proof broken"
    PROOF_BROKEN = "proof broken"
    SLIP = "slip of the pen"
    WORDING = "wording"


_STATED = RESULTS | {Level.REMARK, Level.RELATION}
_PROVED = (RESULTS - {Level.THEOREM}) | {Level.STEP}  # what a proof is made of
_FALLEN = {Weight.RESULT_FALSE, Weight.CONDITION_MISSING, Weight.PROOF_BROKEN}


def weigh(
    verdicts: Mapping[str, Verdict],
    roles: Mapping[str, ClaimRoles],
    carried: Mapping[str, bool],
    rests_on: Mapping[str, Sequence[str]],
) -> dict[str, Weight]:
    """The weight of every claim that does not stand as printed; of level, word and graph.

    A definition, assumption or algorithm promises nothing: where it is false or lacks a condition, that is wording.
    `carried`: claims with an edit that holds and with which the proof goes through. A false step whose edit carries is
    a slip of the pen, another breaks the proof. A theorem or lemma that holds, and rests on a step that breaks or on a
    lemma that falls, is true with a broken proof; what lacks no more than a condition that the result says it `meets`
    breaks nothing there, though what that rests on may. A claim that repeats the slip of another has no weight of its
    own, and a statement that is ours, not printed, has none: it costs the paper nothing.
    """
    found: dict[str, Weight] = {}
    for name, verdict in verdicts.items():
        if roles[name].repeats or roles[name].ours:
            continue
        level = roles[name].level
        if verdict is Verdict.REFUTED and level is Level.DEFINITION:
            found[name] = Weight.WORDING
        elif verdict is Verdict.REFUTED and level in _STATED:
            found[name] = Weight.RESULT_FALSE
        elif verdict is Verdict.REFUTED:
            found[name] = Weight.SLIP if carried.get(name) else Weight.PROOF_BROKEN
        elif verdict is Verdict.UNSTATED_CONDITION and level is Level.DEFINITION:
            found[name] = Weight.WORDING  # as a definition that is refuted, which lacks more
        elif verdict is Verdict.UNSTATED_CONDITION:
            found[name] = Weight.CONDITION_MISSING
        elif verdict is Verdict.VACUOUS:
            found[name] = Weight.SAYS_NOTHING
        elif verdict is Verdict.MISPRINT:
            found[name] = Weight.SLIP
        elif verdict is Verdict.UNDERSPECIFIED:
            found[name] = Weight.WORDING
    for name, verdict in verdicts.items():
        if verdict.true and roles[name].level in RESULTS:
            met = {n for n in roles[name].meets if found.get(n) is Weight.CONDITION_MISSING}
            below = [n for n in _below(name, rests_on) - met if found.get(n) in _FALLEN]
            if any(roles[n].level in _PROVED for n in below):
                found[name] = Weight.RESULT_TRUE_PROOF_BROKEN
    return found


def _below(name: str, rests_on: Mapping[str, Sequence[str]]) -> set[str]:
    """All that a claim rests on, directly or through others."""
    seen: set[str] = set()
    waiting = list(rests_on.get(name, ()))
    while waiting:
        one = waiting.pop()
        if one not in seen:
            seen.add(one)
            waiting += rests_on.get(one, ())
    return seen - {name}
