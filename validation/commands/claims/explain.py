"""One claim in a terminal: the answer, formulas, every reading, and the command for the script."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from validation.commands.terminal import Terminal, verdict_style

if TYPE_CHECKING:
    from validation.judge.entry import Entry
    from validation.report.claims.claims import Claim
    from validation.report.claims.shown import AtInstance
    from validation.report.own_method import OwnMethod
    from validation.statement.claim import Paper

__all__ = ["explain", "in_a_paragraph"]

_WIDTH = 80


def in_a_paragraph(instance: Mapping[str, object]) -> str:
    """An instance in a paragraph: long vectors keep their ends, rows of a matrix stand behind one another.

    Fractions too long to be read are decimals behind ≈.
    """
    from validation.report.text.readable import nearby, value

    rows = ((name, value(nearby(x)).splitlines()) for name, x in instance.items())
    return "; ".join(f"{name} = {' | '.join(' '.join(row.split()) for row in lines)}" for name, lines in rows)


def explain(entry: Entry, script: str, of_paper: Path, paper: Paper | None = None) -> None:
    """Print an entry in at most 80 columns, its script last; `script`: its path, '' if it is not written.

    `of_paper`: the paper's folder, which may hold results over whole classes; `paper`: whose letters are used.
    """
    from validation.papers.repaired import of_shown
    from validation.report.claims.answer import answer, heading_of, in_place
    from validation.report.claims.apart import apart
    from validation.report.claims.claims import read_claims
    from validation.report.claims.matter import WEIGHTS, uncovered
    from validation.report.claims.over_classes import in_lines, over_classes, read_over_classes
    from validation.report.claims.printed_letters import printed_letters
    from validation.report.claims.shown import at_instance, shown_in_words
    from validation.report.claims.smallest import in_lines as in_few_lines
    from validation.report.claims.smallest import read_smallest, smallest_constants
    from validation.report.counterexample.instance import run_script
    from validation.report.glosses import Glosses, read_glosses, stem
    from validation.report.own_method import own_method_of
    from validation.report.text.letters import Letters
    from validation.report.text.linear import linear

    (claim,) = read_claims([entry.json()])
    out = _Lines(Terminal(highlight=False))
    out.say(Text.assemble((entry.id, "bold"), f"  {entry.title}"))
    out.wrap(f"{entry.paper}, {entry.at}" if entry.at else entry.paper, "    ")
    weight = f"  ({entry.weight})" if entry.weight else ""
    out.say(Text.assemble("\n  verdict: ", (entry.verdict, verdict_style(entry.verdict)), weight))
    if entry.weight:
        out.wrap(f"({entry.weight}: {WEIGHTS.get(entry.weight, '')})", "  ")
    source = entry.counterexample_source
    found = run_script(source) if source else None
    out.wrap(answer(claim, found), "  ")
    out.wrap(uncovered(claim), "  ")
    for needed, fate in _fallen(entry, of_paper):
        out.wrap(f"It uses {needed}, {fate}; that error is counted there.", "  ")
    if claim.ours:
        out.wrap(f"our own question, not printed, and counted separately: {claim.ours}", "  ")
    if entry.printed:
        out.head(claim.heading)
        out.wrap(linear(entry.printed), "    ")
    out.wrap(entry.plainly, "    ")
    if claim.written:
        out.wrap(f"(ours: {claim.written})", "    ")
    if claim.assumes:
        out.head("Under")
        for assumption in claim.assumes:
            out.wrap(assumption, "  - ", "    ")
    try:
        glosses, unread = read_glosses(of_paper), ""
    except ValueError as error:
        glosses, unread = Glosses(), str(error)
    shown_at = at_instance(claim, None if paper is None else Letters.of(paper), glosses) if source else None
    own = next((one for one in (paper.claims if paper is not None else ()) if one.id == entry.id), None)
    compared = apart(claim, shown_at, {} if own is None else of_shown(entry, own))
    for place, sentence in enumerate(in_place(claim)):
        out.head("Or" if place else heading_of(claim))
        out.wrap(sentence, "    ")
        for setting in claim.mended[place].says:
            out.wrap(f"Setting: {setting}", "    ")
        out.wrap(compared.get(claim.mended[place].kind, ""), "    ")
    for issue, said in entry.open.items():
        out.wrap(f"open: {issue}, printed {said.printed}: {said.why}", "  ")
    letters = printed_letters(claim, glosses, shown_at)
    if letters:
        out.head("Letters")
    for latex, meaning in letters:
        out.wrap(f"{linear(latex)}: {meaning}", "  - ", "    ")
    _counterexample(out, shown_at)
    _own_method(out, own_method_of(of_paper, claim.id), claim)
    out.head("Why")
    out.wrap(shown_in_words(claim), "    ")
    out.wrap(entry.words or entry.why or "", "    ")
    out.head("Readings")
    drawn = set[str]() if found is None else set(found.values)
    for r, shown in zip(entry.readings, claim.readings, strict=True):
        out.wrap(f"{r.name}: {r.verdict}", "  - ", "    ")
        out.wrap(f"{shown.what}. {shown.why}", "      ")
        if r.worst_instance and not r.counterexample_source:
            nearest = in_a_paragraph(r.worst_instance)
            note = " (≈ is rounded here; exact in the ledger)" if "≈" in nearest else ""
            out.wrap(f"nearest instance{note}: {nearest}", "      ")
            drawn |= r.worst_instance.keys()
    decided = read_over_classes({"over_classes": over_classes(of_paper).get(entry.id, [])}, entry.id)
    for line in in_lines(entry.verdict, decided):
        out.wrap(line, "  ")
    small = smallest_constants(of_paper, {entry.id: entry.fingerprint}).get(entry.id, [])
    for one in read_smallest({"smallest": small}, entry.id):
        out.head(f"Constants of the reading “{one.name}”")
        for line in in_few_lines(one):
            out.wrap(line, "  - ", "    ")
    if unread:
        out.wrap(f"no explanation of its numbers: {unread}", "  ")
    words = {**glosses.named(entry.id, sorted({stem(name) for name in drawn}))}
    words |= {} if shown_at is None else {n: said for n, said in shown_at.words.items() if stem(n) not in words}
    if words:
        out.head("Numbers of the instance")
    for name, meaning in words.items():
        out.wrap(f"{name}: {meaning}", "  - ", "    ")
    killed = sum(c.killed for c in entry.mutants)
    out.wrap(f"planted errors caught: {killed} of {len(entry.mutants)}", "\n  ", "  ")
    out.say(f"  again: {claim.command}")
    if source:
        keep = f"fedverdict check {entry.id} --script | python -"
        out.head(f"counterexample: python {script}" if script else f"Counterexample: {keep}")
        out.say(f"  for an erratum: fedverdict check {entry.id} --latex\n")
        out.console.print(source, soft_wrap=True)


def _counterexample(out: _Lines, found: AtInstance | None) -> None:
    """Sizes, constants, clients, both sides and hypotheses of the counterexample, as the page has them."""
    from validation.report.text.linear import linear

    if found is None:
        return
    out.head("The counterexample, in the letters of the statement")
    out.wrap(found.case, "    ")
    out.wrap(found.says, "    ")
    if found.sizes:
        out.wrap("sizes: " + ", ".join(f"{name} = {value}" for name, value in found.sizes), "    ")
    if found.family is not None:
        out.wrap(f"at {found.family.size}:", "    ")
    for c in found.constants:
        formula = f" = {linear(c.formula)}" if c.formula else ""
        out.wrap(
            f"{linear(c.latex)}{formula} = {c.text}".replace("= ≈", "≈") + (f"  ({c.says})" if c.says else ""),
            "    ",
            "      ",
        )
    if found.clients is not None:
        heads = [f"{name} {index}" if index else name for name, index in found.clients.columns]
        for k, row in enumerate(found.clients.rows):
            cells = ", ".join(f"{head} = {cell}" for head, cell in zip(heads, row, strict=True))
            out.wrap(f"client {k + 1}: {cells}", "    ", "      ")
    if found.others:
        out.wrap(f"instance: {in_a_paragraph(found.others)}", "    ", "      ")
    one, other = ("one side", "the other") if found.form == "identity" else ("left", "right")
    sides = [(one, found.left), (other, found.right), *((f"term {i + 1}", t) for i, t in enumerate(found.terms))]
    for name, side in sides:
        if side is not None:
            out.wrap(f"{name}: {linear(side.latex)} = {side.text}".replace("= ≈", "≈"), "    ", "      ")
    for name, value in found.family.rows if found.family is not None else ():
        out.wrap(f"{name}: {value}", "    ", "      ")
    for note in found.notes:
        out.wrap(f"note: {note}", "    ", "      ")
    for h in found.hypotheses:
        out.wrap(f"hypothesis {h.words}: {h.result}", "    ", "      ")


def _own_method(out: _Lines, own: OwnMethod | None, claim: Claim) -> None:
    """A counterexample by the paper's own method, or what was tried."""
    from validation.report.text.linear import linear

    if own is None:
        return
    out.head("By the paper's own method")
    if not own.found:
        out.wrap(f"none found. {own.tried}", "    ")
        return
    out.wrap(own.says, "    ")
    for what, by in own.of_method:
        out.wrap(f"{what}: {by}", "    ", "      ")
    for line in (own.formula, *own.worked_out(claim)):
        out.wrap(linear(line) if line else "", "      ")
    sides = own.sides(claim)
    least, most = own.bounds(claim)
    out.wrap(f"left: {least}{sides[0]}; right: {most}{sides[1]}" if sides else "", "    ")
    out.wrap(f"reading: {own.reading}" if own.reading else "", "    ")


def _fallen(entry: Entry, of_paper: Path) -> list[tuple[str, str]]:
    """What a true statement uses that does not hold as printed, and why, by the paper's committed verdicts."""
    from validation.ledger.ledger import load_rows
    from validation.report.claims.answer import FALLEN

    if entry.verdict not in {"holds", "proved"}:
        return []
    words = {str(row["id"]): str(row["verdict"]) for row in load_rows(of_paper / "ledger.json")}
    return [(d, FALLEN[words[d]]) for d in dict.fromkeys(entry.rests_on) if words.get(d) in FALLEN]


class _Lines:
    """Paragraphs of at most 80 columns in a terminal."""

    def __init__(self, console: Terminal) -> None:
        self.console = console

    def say(self, text: str | Text) -> None:
        self.console.print(text, soft_wrap=True)

    def head(self, title: str) -> None:
        self.console.print(Text.assemble("\n  ", (title, "bold")), soft_wrap=True)

    def wrap(self, text: str, first: str, later: str | None = None) -> None:
        from validation.report.text.readable import typeset

        if not text:
            return
        rest = first.lstrip("\n") if later is None else later
        lead = first.lstrip("\n")
        shown = typeset(text)
        filled = textwrap.fill(shown, _WIDTH, initial_indent=lead, subsequent_indent=rest, break_long_words=False)
        self.console.print(("\n" if first.startswith("\n") else "") + filled, soft_wrap=True)
