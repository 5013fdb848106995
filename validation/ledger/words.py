"""The words of a committed entry follow from its stored outcomes: verdict, condition and edit from its readings.

Weights follow from the words of a whole paper and what its claims say of themselves.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from validation.judge.entry import Entry, ReadingRecord
from validation.judge.record import written
from validation.judge.words.entry import beyond_bound, weighed
from validation.judge.words.verdict import Judged, Word, combine
from validation.statement.claim import Claim
from validation.statement.roles import ReadingRole, roles_of
from validation.statement.verdict import Verdict

__all__ = ["check_weights", "check_words"]

__judges__ = "no"

_TERMS = {field.name for field in dataclasses.fields(ReadingRole)} - {"name"}
_CURE = "restore it, or check the paper again with --update-committed"


def check_words(entries: Sequence[Entry], path: Path) -> None:
    """Raises `ValueError` naming file and claim where a verdict, condition or edit is not that of its outcomes.

    A reading that carries an exact counterexample is refuted, and one does not hold where every mutant survived.
    """
    for entry in entries:
        for reading in entry.readings:
            said = _against(entry, reading)
            if said:
                word = f"{entry.id}, reading «{reading.name}», is {reading.verdict}"
                raise ValueError(f"{path}: {word}, {said}; {_CURE}")
        stored = (entry.verdict, entry.condition, entry.edit)
        if stored not in ((w.verdict, w.condition, w.edit) for w in _words(entry)):  # the first, mostly
            given = _in_a_line(next(_words(entry)))
            raise ValueError(f"{path}: {entry.id} is {_in_a_line(entry)}; its readings give {given}; {_CURE}")


def _against(entry: Entry, reading: ReadingRecord) -> str:
    """What is kept of a reading that its word denies; empty where nothing does."""
    shown = reading.counterexample_source is not None or reading.exact is not None
    if shown and reading.verdict is not Verdict.REFUTED:
        return "and has an exact counterexample"
    if reading.verdict is Verdict.HOLDS and entry.mutants and not any(m.killed for m in entry.mutants):
        return "and every mutant survived"
    return ""


def check_weights(entries: Sequence[Entry], claims: Sequence[Claim], path: Path) -> None:
    """Raises `ValueError` naming file and claim where a weight is not that of the paper's verdicts.

    `claims`: all of the paper; where not each has an entry, weights are not known and nothing is compared.
    """
    held = {entry.id: entry for entry in entries}
    if any(claim.id not in held for claim in claims):
        return
    mine = [held[claim.id] for claim in claims]
    for entry, again in zip(mine, weighed(mine, {c.id: roles_of(c) for c in claims}), strict=True):
        if entry.weight != again.weight:
            raise ValueError(f"{path}: {entry.id} weighs «{entry.weight}»; its verdict gives «{again.weight}»; {_CURE}")


def _words(entry: Entry) -> Iterator[Word]:
    """What its outcomes may give; an entry does not keep whether its ranges are whole, nor what meets the extras."""
    beyond_any = any(beyond_bound(written(program)) for program in entry.worst_cases)
    for whole in (True, False):
        for met_by in ("", "a named setting"):
            found = combine([_judged(reading, whole) for reading in entry.readings], met_by)
            beyond = found.verdict.true and beyond_any
            yield dataclasses.replace(found, verdict=Verdict.INCONCLUSIVE) if beyond else found


def _judged(reading: ReadingRecord, whole: bool) -> Judged:
    terms = {name: value for name, value in vars(reading.terms).items() if name in _TERMS}
    return Judged(reading.verdict, ReadingRole(reading.name, **terms), bool(reading.restored_by), whole)


def _in_a_line(word: Word | Entry) -> str:
    more = "".join(f", {name} «{text}»" for name, text in (("condition", word.condition), ("edit", word.edit)) if text)
    return f"{word.verdict}{more}"
