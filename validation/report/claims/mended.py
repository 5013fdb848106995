"""What holds in place of a print that falls, as its judged readings say it: whole statements that one may cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from validation.judge.entry import Terms
from validation.judge.record import read
from validation.judge.words.mends import Repair
from validation.judge.words.verdict import Judged, Word, combine
from validation.report import fields
from validation.report.claims.wording import excluded, read_as
from validation.statement.roles import ReadingRole
from validation.statement.verdict import Verdict

__all__ = ["Mended", "read_mended"]

_TERMS = ReadingRole.__dataclass_fields__.keys() - {"name"}


@dataclass(frozen=True)
class Mended:
    """A statement that holds: what is read how, left out, added and changed, and the readings that were judged so.

    `kind`: "condition" without an edit, "edit" with one, "reading" where a choice that the print leaves open is enough.
    `parts`: those that it speaks of, where others stay false; `says`: how each of its readings is set up.
    """

    kind: str
    readings: tuple[str, ...]
    says: tuple[str, ...]
    verdicts: tuple[str, ...]
    parts: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    conditions: tuple[str, ...]
    edits: tuple[str, ...]
    whys: Mapping[str, str]

    @property
    def proved(self) -> bool:
        """Whether every reading that it is made of is proved; else a search found no violation of it."""
        return all(word == "proved" for word in self.verdicts)

    @property
    def chosen(self) -> str:
        """«γ as in A.9», '' where nothing is open."""
        return read_as(self.options, self.whys)

    def sentence(self, most: int | None = None) -> str:
        """«It holds, reading γ as in A.9, with one more condition: no noise.»; `most`: characters of a list in it.

        What is not proved is said to be what it is, a search without a violation.
        """
        parts = " and ".join(f"“{part}”" for part in self.parts)
        named = f"its part{'s' * (len(self.parts) > 1)} {parts}" if parts else ""
        if self.proved:
            said = f"I{named[1:] or 't'} hold{'s' * (len(self.parts) < 2)}"
        else:
            said = f"No violation{' of ' * bool(named)}{named} was found"
        reading = f", reading {self.chosen}" if self.options else ""
        but = f"except for {excluded(self.left_out)}" if self.left_out else ""
        change = f"with {_short('; '.join(self.edits), most)}" if self.edits else ""
        more = _short("; ".join(self.conditions), most)
        if self.edits:
            added = f", if also: {more}" if more else ""
        else:
            count = "one more condition" if len(self.conditions) == 1 else f"{len(self.conditions)} more conditions"
            added = f"{', and' if but else ''} with {count}: {more}" if more else ""
        tail = f"{' ' * bool(but)}{but}{' ' * bool(change)}{change}{added}"
        return f"{said}{reading}{',' * bool(reading and tail)}{tail}."

    @property
    def whole(self) -> str:
        """The sentence with how its readings are set up: all that was judged, as one may cite it."""
        return " ".join([self.sentence(), *(f"Setting: {said.rstrip('.')}." for said in self.says)])

    def json(self) -> dict[str, object]:
        """As plain JSON, with the sentence that is generated from it."""
        return {
            "kind": self.kind,
            "readings": list(self.readings),
            "verdicts": list(self.verdicts),
            "parts": list(self.parts),
            "read_as": dict(self.options),
            "except_for": list(self.left_out),
            "conditions": list(self.conditions),
            "edits": list(self.edits),
            "set_up": list(self.says),
            "text": self.sentence(),
            "whole": self.whole,
        }


def _short(text: str, most: int | None) -> str:
    text = text.strip().rstrip(".")
    if most is None or len(text) <= most:
        return text
    return text[:most].rsplit(" ", 1)[0].rstrip(",;") + " …"


def read_mended(row: Mapping[str, object], whys: Mapping[str, str], place: str) -> tuple[Mended, ...]:
    """What holds in place of an entry's print: by conditions, by edits, by a reading of what is open.

    None of a row whose readings do not say what they are, or do not give the condition and edit that it has.
    """
    readings = fields.objects(row, "readings", place)
    found = _word(row, readings, place)
    if found is None:
        return ()
    kinds = (("condition", found.restored), ("edit", found.edited), ("reading", found.read))
    return tuple(_mended(kind, repair, readings, whys, place) for kind, repair in kinds if repair is not None)


def _word(row: Mapping[str, object], readings: Sequence[Mapping[str, object]], place: str) -> Word | None:
    """The word that the stored outcomes give; an entry does not keep what meets the extras that a search found."""
    if not readings or not all(fields.text(r, "role", place) for r in readings):
        return None
    stored = fields.text(row, "condition", place), fields.text(row, "edit", place)
    for met_by in ("", "a named setting"):
        try:
            found = combine([_judged(r, place) for r in readings], met_by)
        except ValueError:  # no reading decides, or the word of one is none of a single reading
            return None
        if (found.condition or "", found.edit or "") == stored:
            return found
    return None


def _judged(row: Mapping[str, object], place: str) -> Judged:
    terms = vars(read(Terms, fields.mapping(row, "terms", place), f"{place}: terms"))
    role = ReadingRole(fields.text(row, "name", place), **{k: v for k, v in terms.items() if k in _TERMS})
    return Judged(Verdict(fields.text(row, "verdict", place)), role, bool(row.get("restored_by")))


def _mended(
    kind: str, repair: Repair, readings: Sequence[Mapping[str, object]], whys: Mapping[str, str], place: str
) -> Mended:
    rows = [readings[mend.reading] for mend in repair.mends if mend.reading is not None]
    return Mended(
        kind=kind,
        readings=tuple(fields.text(r, "name", place) for r in rows),
        says=tuple(dict.fromkeys(filter(None, (fields.text(r, "says", place) for r in rows)))),
        verdicts=tuple(fields.text(r, "verdict", place) for r in rows),
        parts=repair.parts,
        options=tuple(repair.options.items()),
        left_out=repair.left_out,
        conditions=repair.conditions,
        edits=repair.edits,
        whys=whys,
    )
