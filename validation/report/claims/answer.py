"""The answer to «does it hold?» in one sentence, and the formula that does."""

from __future__ import annotations

import re

from markupsafe import Markup

from validation.report.claims.claims import Claim, Reading
from validation.report.claims.mended import Mended
from validation.report.claims.shown import shown_reading
from validation.report.claims.wording import excluded
from validation.report.counterexample.along import letter_of_size
from validation.report.counterexample.instance import Instance, run_script, told_apart
from validation.report.text.formula import latex_of
from validation.report.text.linear import linear
from validation.report.text.mathml import prose
from validation.report.text.readable import count, ratio, typeset

__all__ = [
    "FALLEN",
    "along_words",
    "answer",
    "heading_of",
    "holds_instead",
    "in_place",
    "named_sides",
    "standing",
]

FALLEN = {"refuted": "which is refuted", "unstated-condition": "which lacks a condition as printed"}
_MOST = 220  # characters of a list of conditions in a sentence
_INTERPOLATED = "interpolated, exact at all"  # what a reason says of a form that is the quotient itself


def named_sides(claim: Claim, relation: str) -> tuple[str, str]:
    """What the two sides of a script are called: where a print says ≥ alone, its left side is the script's right.

    `relation` between the sides, as the statement wants it.
    """
    if relation in {"=", "≈"}:
        return "one side", "the other"
    printed = claim.printed or ""
    if re.search(r"\\geq?(?![a-z])", printed) and not re.search(r"\\leq?(?![a-z])|<|\\l[tl](?![a-z])", printed):
        return "what has to be smaller", "what has to be larger"
    return "the left side", "the right side"


def _sides(claim: Claim, found: Instance | None) -> str:
    """« : the left side is 2, the right side 1»."""
    if found is None:
        return ""
    if found.left is None or found.right is None:  # an order: no two sides, but a form that they follow
        along = along_words(claim)
        return f": {along}" if along.startswith("along ") else ""
    one, other = named_sides(claim, found.relation)
    left, right = told_apart(found.left, found.right)
    return f": {one} is {left}, {other} {right}"


def along_words(claim: Claim) -> str:
    """«along L = 1/ε, lhs/claimed is at least …», of a refuted order whose counterexample is shown."""
    reading = shown_reading(claim)
    if reading is None:
        return ""
    said = _in_words(reading.why.partition(";")[0], letter_of_size(claim.counterexample_source))
    ran = run_script(claim.counterexample_source)
    equal = ran is not None and bool(ran.growth) and all(q == form for _, q, form in ran.growth)
    return said.replace(" is at least ", " is exactly ") if equal and _INTERPOLATED in reading.why else said


_QUOTIENTS = {
    "lhs/claimed": "the left side over the claimed order",
    "claimed/lhs": "the claimed order over the left side",
    "|lhs − limit|": "the distance from the limit",
}


def _in_words(along: str, letter: str) -> str:
    for quotient, words in _QUOTIENTS.items():
        along = along.replace(quotient, words)
    form = re.search(r"is at least (.+?), which", along)
    if form is None:
        return along
    shown = re.sub(r"(?<=\d) (?=[a-z])", "", linear(latex_of(form[1])))
    shown = re.sub(r"(?<![A-Za-z])n(?![A-Za-z])", letter, shown)
    shown = re.sub(r"^\((\d+[A-Za-z])\)/", r"\1/", shown)
    return f"{along[: form.start(1)]}{shown}{along[form.end(1) :]}"


def answer(claim: Claim, found: Instance | None) -> str:
    """One sentence; every number in it is of the counterexample's script `found`, or says that it is of the search."""
    return typeset(_answer(claim, found))


def _answer(claim: Claim, found: Instance | None) -> str:
    word = claim.verdict.word
    where = _sides(claim, found)
    if word == "proved":
        return "Yes: established symbolically."
    if word == "holds":
        near = [r.worst_ratio for r in claim.readings if r.as_printed and r.worst_ratio is not None]
        tail = f"; {_nearest(max(near))}" if near and 0 < max(near) <= 1 else ""
        tried = f" on {count(claim.tried)} instances" if claim.tried > 1 else ""
        if claim.kind == "relation":
            return f"Yes: {_numbers(claim)} confirm it."
        return f"Yes, as far as the search found: no violation{tried}{tail}."
    if word == "unstated-condition":
        return f"Not as printed{where}. {_first(claim, 'condition')}".rstrip()
    if word == "misprint":
        said = _first(claim, "edit")
        return f"Not as printed{where}. It is a misprint; {said[:1].lower()}{said[1:]}".rstrip("; ")
    if word == "refuted":
        if claim.kind == "relation":
            return f"No: {_numbers(claim)} contradict it."
        return f"No{where}. {_first(claim, 'edit') or _standing_words(claim)}".rstrip()
    if word == "underspecified":
        return f"It depends on what the text leaves open{_between(claim)}{where}."
    if word == "vacuous":
        return "True, but it adds nothing to what is known without it."
    if word == "needs-run":
        return "Open: only training runs can decide it, and those made so far do not."
    return "Undecided." if word == "inconclusive" else "Not checked."


def _between(claim: Claim) -> str:
    """«: true read as …, false read as …»: the reading whose numbers are shown, and one of the same part that holds."""
    printed = [r for r in claim.readings if r.as_printed]
    false = [r for r in printed if r.verdict.word == "refuted"]
    shown = shown_reading(claim)
    if shown is not None:
        false = [r for r in false if r is shown]
    true = [r for r in printed if false and r.part == false[0].part and not r.violated]
    if not true or not false:
        return f": false when read as “{false[0].name}”" if false else ""
    stands = "true" if true[0].verdict.word == "proved" else "no violation was found"
    return f": {stands} when read as “{true[0].name}”, false when read as “{false[0].name}”"


def _numbers(claim: Claim) -> str:
    """What decides a relation: our runs where every reading is of them, formulas where we chose their constants."""
    if any(where.startswith("chosen:") for r in claim.readings for where, _ in r.cells):
        return "the printed formulas, with constants of our choice,"
    return "our runs" if all(r.of_runs for r in claim.readings if r.as_printed) else "the printed numbers"


def _nearest(worst: float) -> str:
    """How near its bound a statement that holds came, in words; `worst` in (0, 1], by floating arithmetic."""
    if worst == 1:
        return "the closest instance reached its bound"
    shown = ratio(worst)
    return (
        "the closest instance reached its bound, to rounding"
        if shown == "1"
        else f"the closest came to {shown} of its bound"
    )


def heading_of(claim: Claim) -> str:
    """What stands above the statements that hold in place of the print."""
    proved = claim.mended and all(found.proved for found in claim.mended)
    return "What is proved instead" if proved else "What holds, as far as searched"


def in_place(claim: Claim, most: int | None = None) -> tuple[str, ...]:
    """What holds in place of the print, each a whole statement and an alternative to the others; none is said shorter.

    `most`: characters of a list in a sentence, for one line that has no room for more.
    """
    return tuple(found.sentence(most) for found in claim.mended)


def _first(claim: Claim, kind: str) -> str:
    """The sentence on what a word stands on."""
    return next((found.sentence(_MOST) for found in claim.mended if found.kind == kind), "")


def standing(claim: Claim) -> list[Reading]:
    """The readings that hold of a refuted print for which nothing else is said to hold in its place."""
    if claim.mended or claim.verdict.word != "refuted" or claim.kind == "relation":
        return []
    return [r for r in claim.readings if r.as_printed and r.verdict.word in {"holds", "proved"}]


def _standing_words(claim: Claim) -> str:
    found = standing(claim)
    if not found:
        return ""
    proved = all(r.verdict.word == "proved" for r in found)
    said = " and ".join(_read(r) for r in found)
    return f"It holds {said}." if proved else f"No violation was found {said}."


def _read(reading: Reading) -> str:
    """«of the part “…”» where the reading is no more than a part, else «when read as “…”»."""
    return f"{'of the part' if reading.part == reading.name else 'when read as'} “{reading.name}”"


def holds_instead(claim: Claim) -> tuple[tuple[str, Markup], ...]:
    """(what kind of change, the change with what is new and what is gone marked), where something restores it.

    What the readings of one statement choose, leave out, add and change belongs together; another one begins with «or».
    """
    rows: list[tuple[str, Markup]] = []
    for reading in standing(claim):
        rows += [
            ("of the part" if reading.part == reading.name else "when read as", _ins(reading.name)),
            *([("set up as", prose(reading.says))] if reading.says else []),
        ]
    for found in claim.mended:
        own = _rows(found)
        rows += [(f"or, instead, {own[0][0]}", own[0][1]), *own[1:]] if rows else own
    return tuple(rows)


def _rows(found: Mended) -> list[tuple[str, Markup]]:
    parts = [("of the part" if len(found.parts) == 1 else "of the parts", prose(", ".join(found.parts)))]
    rows = [*(parts if found.parts else []), *([("reading", prose(found.chosen))] if found.options else [])]
    rows += [("except for", _del(excluded(found.left_out)))] if found.left_out else []
    rows += [("with the change", _marked(edit)) for edit in found.edits]
    rows += [("if also" if found.edits else "under the condition", _ins(c)) for c in found.conditions]
    return rows + [("set up as", prose(said)) for said in found.says]


def _ins(text: str) -> Markup:
    return Markup("<ins>") + prose(text) + Markup("</ins>")


def _del(text: str) -> Markup:
    return Markup("<del>") + prose(text) + Markup("</del>")


def _marked(edit: str) -> Markup:
    """«a in place of b in the sum»: a marked as new, b as gone."""
    found = re.fullmatch(r"(.+?) in place of (.+?)( (?:in|of|on|under|where|for) .+)?", edit)
    if found is None:
        return _ins(edit)
    new, old, where = (prose(part or "") for part in found.groups())
    return Markup("<ins>") + new + Markup("</ins> in place of <del>") + old + Markup("</del>") + where
