"""A paper's results in the order of print, each with the steps of its proof beneath it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from validation.report.claims.claims import Claim
from validation.statement.roles import RESULTS

__all__ = ["Group", "Result", "groups_of", "place_of", "rests_on"]

_TITLES = (
    ("results", "Theorems, corollaries and lemmas", tuple(RESULTS)),
    ("remarks", "Remarks", ("remark",)),
    ("definitions", "Assumptions, definitions and algorithms", ("definition",)),
    ("relations", "Statements on tables and figures", ("relation",)),
)
_SECTION = re.compile(r"(?:Secs?\.|§|Section)\s*(\d+(?:\.\d+)*)")
_APPENDIX = re.compile(r"\b([A-F])(?:\.(\d+(?:\.\d+)*))?\b")
_LABEL = re.compile(
    r"(?:Theorem|Corollary|Lemma|Proposition|Property|Remark|Assumption|Definition)\s+(?:[A-Z]\.)?(\d+)"
)
_NUMBER = re.compile(r"\((\d+)\)")
_PROOF_OF = re.compile(r"proof of ((?:Theorem|Corollary|Lemma) [\w.]+)")
_PROOF_IN = re.compile(r"proof (?:in )?([A-Z]\.[\d.]*\d)")


@dataclass(frozen=True)
class Result:
    """A result and the steps that serve it, in the order of the proof."""

    claim: Claim
    steps: tuple[Claim, ...]

    @property
    def broken(self) -> tuple[Claim, ...]:
        """The steps that do not stand as printed."""
        return tuple(s for s in self.steps if not s.stands)


@dataclass(frozen=True)
class Group:
    """Results of one kind."""

    key: str
    title: str
    results: tuple[Result, ...]


def place_of(claim: Claim) -> tuple[int, tuple[int, ...], int]:
    """Where a source stands: body before appendix, then the section, then its number, or its equation's."""
    number = _LABEL.match(claim.at) or _NUMBER.search(claim.at)
    equation = int(number[1]) if number else 10_000
    if body := _SECTION.search(claim.at):
        return 0, _numbers(body[1]), equation
    if appendix := _APPENDIX.search(claim.at):
        return 1, (ord(appendix[1]), *_numbers(appendix[2] or "0")), equation
    return (0, (0,), equation) if "Abstract" in claim.at else (2, (), equation)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _serves(claims: Sequence[Claim]) -> dict[str, str]:
    """The result that each step serves.

    The one whose proof its source names; else the nearest theorem or lemma that rests on it, directly or through
    steps; else the one whose proof stands in its section.
    """
    results = [c for c in claims if c.level in RESULTS]
    named = {label[0]: c.id for c in results if (label := _LABEL.match(c.at))}
    proofs = {proof[1]: c.id for c in reversed(results) if (proof := _PROOF_IN.search(c.at))}
    by_id = {c.id: c for c in claims}
    used_by: dict[str, list[str]] = {c.id: [] for c in claims}
    for c in claims:
        for needed in dict.fromkeys(c.rests_on):
            if needed in used_by:
                used_by[needed].append(c.id)
    found = {}
    for c in claims:
        if c.level != "step":
            continue
        told = _PROOF_OF.search(c.at)
        section = _APPENDIX.search(c.at)
        served = (named.get(told[1]) if told else None) or _user(c.id, used_by, by_id)
        served = served or (proofs.get(section[0]) if section else None)
        if served:
            found[c.id] = served
    return found


def _user(step: str, used_by: dict[str, list[str]], by_id: dict[str, Claim]) -> str | None:
    near, seen = [step], {step}
    while near:
        users = [u for n in near for u in used_by[n] if u not in seen]
        results = [u for u in users if by_id[u].level in RESULTS]
        if results:
            return results[0]
        seen |= set(users)
        near = [u for u in users if by_id[u].level == "step"]
    return None


def groups_of(claims: Sequence[Claim]) -> tuple[Group, ...]:
    """All claims of a paper: results with their steps, then remarks, definitions and relations; empty groups left out.

    Steps that serve no theorem or lemma by a chain of steps are a group of their own, and so is what is asked by us.
    """
    asked = tuple(Result(c, ()) for c in claims if c.ours)
    claims = [c for c in claims if not c.ours]
    serves = _serves(claims)
    groups = []
    placed = sorted(claims, key=place_of)  # stable: claims of one place stay in the ledger's order
    for key, title, levels in _TITLES:
        kept = (
            [c for c in placed if c.level in levels] if key != "relations" else [c for c in claims if c.level in levels]
        )
        results = [Result(c, tuple(s for s in claims if serves.get(s.id) == c.id)) for c in kept]
        groups.append(Group(key, title, tuple(results)))
    known = {level for _, _, levels in _TITLES for level in levels}
    free = tuple(Result(c, ()) for c in placed if c.level not in known and c.id not in serves)
    groups.insert(1, Group("steps", "Further steps", free))
    groups.append(Group("asked", "Our own questions, not printed: counted separately", asked))
    return tuple(g for g in groups if g.results)


def rests_on(claim: Claim, claims: Sequence[Claim], most: int = 40) -> tuple[Claim, ...]:
    """The claim and everything it rests on, nearest first, at most `most` of them."""
    by_id = {c.id: c for c in claims}
    found = {claim.id: claim}
    near = [claim]
    while near and len(found) < most:
        needed = [by_id[d] for c in near for d in dict.fromkeys(c.rests_on) if d in by_id and d not in found]
        near = list({c.id: c for c in needed}.values())[: most - len(found)]
        found |= {c.id: c for c in near}
    return tuple(found.values())
