"""The answer to «does it hold?» in one sentence, and the formula that does."""

from __future__ import annotations

import re

from markupsafe import Markup

from validation.report.claims.claims import Claim, Reading
from validation.report.claims.shown import shown_reading
from validation.report.claims.wording import excluded, read_as
from validation.report.counterexample.instance import Instance, exact_text
from validation.report.text.formula import latex_of
from validation.report.text.linear import linear
from validation.report.text.mathml import prose
from validation.report.text.readable import count, ratio, typeset

__all__ = [
    "FALLEN",
    "along_words",
    "answer",
    "edited",
    "either",
    "holds_instead",
    "mended",
    "named_sides",
    "restored",
    "restoring",
    "still_false",
]

FALLEN = {"refuted": "which is refuted", "unstated-condition": "which lacks a condition as printed"}
_MOST = 220  # characters of a list of conditions in a sentence


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
    return f": {one} is {exact_text(found.left)}, {other} {exact_text(found.right)}"


def along_words(claim: Claim) -> str:
    """«along L = 1/ε, lhs/claimed is at least …», of a refuted order whose counterexample is shown."""
    reading = shown_reading(claim)
    return _in_words(reading.why.partition(";")[0]) if reading is not None else ""


_QUOTIENTS = {
    "lhs/claimed": "the left side over the claimed order",
    "claimed/lhs": "the claimed order over the left side",
    "|lhs − limit|": "the distance from the limit",
}


def _in_words(along: str) -> str:
    for quotient, words in _QUOTIENTS.items():
        along = along.replace(quotient, words)
    form = re.search(r"is at least (.+?), which", along)
    if form is None:
        return along
    shown = re.sub(r"(?<=\d) (?=[a-z])", "", linear(latex_of(form[1])))
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
        return f"Not as printed{where}. {restored(claim)}"
    if word == "misprint":
        return f"Not as printed{where}. It is a misprint; it holds with {_short(claim.edit or claim.condition)}."
    if word == "refuted":
        if claim.kind == "relation":
            return f"No: {_numbers(claim)} contradict it."
        return f"No{where}.{mended(claim)}"
    if word == "underspecified":
        return f"It depends on what the text leaves open{_between(claim)}{where}."
    if word == "vacuous":
        return "True, but it adds nothing to what is known without it."
    if word == "needs-run":
        return "Open: only runs decide it, and those that would have not been made."
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
        return f": false when read as «{false[0].name}»" if false else ""
    return f": true when read as «{true[0].name}», false when read as «{false[0].name}»"


def _numbers(claim: Claim) -> str:
    """What decides a relation: our runs where every reading is of them, formulas where we chose their constants."""
    if any(where.startswith("chosen:") for r in claim.readings for where, _ in r.cells):
        return "the printed formulas, with constants of our choice,"
    return "our runs" if all(r.of_runs for r in claim.readings if r.as_printed) else "the printed numbers"


def _nearest(worst: float) -> str:
    """How near its bound a statement that holds came, in words; `worst` in (0, 1], by floating arithmetic."""
    shown = ratio(worst)
    return "the closest instance reached its bound" if shown == "1" else f"the closest came to {shown} of its bound"


def restoring(condition: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What restores a statement: the conditions to add, and what to leave out («not with …»)."""
    parts = tuple(part for part in map(str.strip, condition.split("; ")) if part)
    left_out = tuple(part.removeprefix("not with ") for part in parts if part.startswith("not with "))
    return tuple(part for part in parts if not part.startswith("not with ")), left_out


def _chosen(claim: Claim) -> str:
    """« This reads γ as «A.9».»: where the print is open, the choices with which a claim's conditions restore it."""
    fit = [r for r in claim.readings if not (r.violated or r.edits) and "; ".join(r.conditions) == claim.condition]
    options = tuple(option for r in fit[:1] for option in r.options)
    return f" This reads {read_as(options, {issue: why for issue, _, why in claim.open})}." if options else ""


def restored(claim: Claim) -> str:
    """«It holds with one more condition: ….», «It holds except for ….»"""
    added, left_out = restoring(claim.condition)
    but = f"except for {excluded(left_out)}" if left_out else ""
    if not added:
        return f"It holds {but}.{_chosen(claim)}"
    more = "one more condition" if len(added) == 1 else f"{len(added)} more conditions"
    return f"It holds {but}{', and ' if but else ''}with {more}: {_short('; '.join(added))}.{_chosen(claim)}"


def either(claim: Claim) -> bool:
    """Whether the claim's edit mends the statement without its conditions: one of the two is enough."""
    found, (added, left_out) = edited(claim), restoring(claim.condition)
    return found is not None and bool(added or left_out) and not set(added) <= set(found.conditions)


def edited(claim: Claim) -> Reading | None:
    """The reading that holds with the claim's edit and needs the fewest further conditions; None without an edit."""
    fit = [r for r in claim.readings if claim.edit and "; ".join(r.edits) == claim.edit and not r.violated]
    return min(fit, key=lambda r: len(r.conditions), default=None)


def still_false(claim: Claim, mended: Reading) -> bool:
    """Whether another part of the statement is refuted as printed, and the edit does not mend that one."""
    right = {r.part for r in claim.readings if r.edits == mended.edits and not r.violated}
    return any(r.as_printed and r.verdict.word == "refuted" and r.part not in right for r in claim.readings)


def mended(claim: Claim) -> str:
    """« It holds with ….»: the edit, the conditions that it takes beside, and the part if another stays false."""
    if not claim.edit:
        return ""
    found = edited(claim)
    if found is None:
        return f" It holds with {_short(claim.edit)}."
    what = f"Its part «{found.part}» holds" if found.part and still_false(claim, found) else "It holds"
    beside = f", if also: {_short('; '.join(found.conditions))}" if found.conditions else ""
    return f" {what} with {_short(claim.edit)}{beside}."


def _short(text: str) -> str:
    text = text.strip().rstrip(".")
    if len(text) <= _MOST:
        return text
    return text[:_MOST].rsplit(" ", 1)[0].rstrip(",;") + " …"


def holds_instead(claim: Claim) -> tuple[tuple[str, Markup], ...]:
    """(what kind of change, the change with what is new and what is gone marked), where something restores it.

    Conditions and edit are alternatives where the edit does without the conditions.
    """
    (added, left_out), edits = restoring(claim.condition), filter(None, map(str.strip, claim.edit.split("; ")))
    found, alternative = edited(claim), either(claim)
    beside = found.conditions if found and (alternative or not claim.condition) else ()
    new = (("under the condition", Markup("<ins>") + prose(c) + Markup("</ins>")) for c in added)
    but = (excluded(left_out),) if left_out else ()
    old = (("except for", Markup("<del>") + prose(c) + Markup("</del>")) for c in but)
    also = (("if also", Markup("<ins>") + prose(c) + Markup("</ins>")) for c in beside)
    change = "or, without that, with the change" if alternative else "with the change"
    return (*new, *old, *((change, _marked(e)) for e in edits), *also)


def _marked(edit: str) -> Markup:
    """«a in place of b»: a marked as new, b as gone."""
    found = re.fullmatch(r"(.+?) in place of (.+)", edit)
    if found is None:
        return Markup("<ins>") + prose(edit) + Markup("</ins>")
    new, old = (prose(part) for part in found.groups())
    return Markup("<ins>") + new + Markup("</ins> in place of <del>") + old + Markup("</del>")
