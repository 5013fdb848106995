"""The counterexample that a claim shows, for every output alike: sizes, clients, constants, both sides, hypotheses.

Page, terminal, LaTeX and JSON all show what `at_instance` makes of the claim's one script and of the instance that its
reading keeps. Forms without letters show something else, which `AtInstance.form` names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from inspect import signature
from typing import Any

from validation.judge.exact.certify import robustness
from validation.report.claims.claims import Claim, Reading
from validation.report.counterexample.along import Along, along
from validation.report.counterexample.clients import Clients, clients_of, n_clients, sizes_of
from validation.report.counterexample.compared import Compared, compared, run_words, summands_of
from validation.report.counterexample.constants import (
    Constant,
    Side,
    constants_of,
    evaluated,
    exact_string,
    side_of,
    spelled,
)
from validation.report.counterexample.hypotheses import Hypothesis, hypotheses_of
from validation.report.counterexample.instance import Instance, Number, run_script, told_apart
from validation.report.counterexample.written_out import Arithmetic, written_out
from validation.report.glosses import Glosses, stem
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters, is_letter
from validation.report.text.symbols import bare, symbols
from validation.report.told import Told

__all__ = ["COPIES", "AtInstance", "at_instance", "shown_in_words", "shown_reading", "sides_text"]

COPIES: int = signature(robustness).parameters["n"].default
"""How many moved copies of an instance its robustness is a share of."""

_VECTORS = re.compile(r"^Vectors of one dimension: (.*)\.$", re.MULTILINE)
_NO_INSTANCE = {"case", "family", "path"}


@dataclass(frozen=True)
class AtInstance:
    """What is shown of a counterexample.

    `form`: «inequality», «identity», «order», «printed numbers» or «number»; an order has no constants of its sides but
    those of its family, in `family`, printed numbers have their cells as constants. `case`: what the instance is, in
    words; `reading`: the reading that it refutes. `numbers`: what the instance draws, by name. `arithmetic`: written
    out line by line, where it is short. `left` and `right` are None for an order. `notes`: what else a reader has to
    know of the instance. `says`: the whole instance in the letters of the paper, '' where nobody wrote it.
    `as_printed`: the right side and its terms are as the paper prints them, which a script may have in other letters.
    `lettered`: (LaTeX, words) of the numbers of the instance that have a letter.
    """

    form: str
    reading: str
    case: str
    sizes: tuple[tuple[str, str], ...]
    constants: tuple[Constant, ...]
    left: Side | None
    right: Side | None
    relation: str
    terms: tuple[Side, ...]
    clients: Clients | None
    numbers: Mapping[str, object]
    hypotheses: tuple[Hypothesis, ...]
    arithmetic: Arithmetic = field(default_factory=Arithmetic)
    family: Along | None = None
    words: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    says: str = ""
    as_printed: bool = False
    lettered: tuple[tuple[str, str], ...] = ()

    @property
    def others(self) -> Mapping[str, object]:
        """The numbers of the instance that the table of the clients does not hold."""
        held = self.clients.names if self.clients else frozenset()
        return {name: value for name, value in self.numbers.items() if name not in held}

    def json(self) -> dict[str, Any]:
        """The same as plain JSON; exact numbers are texts such as "2/47", null where they are too long to be read."""
        return {
            "form": self.form,
            "reading": self.reading,
            "case": self.case,
            "says": self.says or None,
            "sizes": dict(self.sizes),
            "constants": [
                {"name": c.name, "latex": c.latex, "says": c.says, "formula": c.formula or None, **_valued(c)}
                for c in self.constants
            ],
            "left": _side(self.left),
            "relation": self.relation,
            "right": _side(self.right),
            "terms": [_side(term) for term in self.terms],
            "instance": dict(self.numbers),
            "notes": list(self.notes),
            "hypotheses": [
                {"says": h.words, "how": h.how, "numbers": list(h.numbers), "met": h.met} for h in self.hypotheses
            ],
            "along": None
            if self.family is None
            else {"n": self.family.n, **dict(self.family.rows), "form": self.family.form_latex},
        }


def _valued(x: Constant | Side) -> dict[str, Any]:
    try:
        return {"exact": exact_string(x.value), "value": float(x.value)}
    except OverflowError:
        return {"exact": exact_string(x.value), "value": None}


def _side(side: Side | None) -> dict[str, Any] | None:
    return None if side is None else {"formula": side.source, "latex": side.latex, **_valued(side)}


def shown_in_words(claim: Claim) -> str:
    """«The instance shown is to the reading “…”», where other readings of the print fall too; else ''."""
    reading = shown_reading(claim)
    others = [r for r in claim.readings if r.counterexample_source and r is not reading]
    if reading is None or not others:
        return ""
    return f"The instance shown is to the reading “{reading.name}”; {_count(len(others))} below."


def _count(others: int) -> str:
    return "that to another reading is" if others == 1 else f"those to {others} others are"


def shown_reading(claim: Claim) -> Reading | None:
    """The reading whose counterexample the claim shows; None where it shows none."""
    if not claim.counterexample_source:
        return None
    return next((r for r in claim.readings if r.counterexample_source == claim.counterexample_source), None)


def at_instance(claim: Claim, letters: Letters | None = None, glosses: Glosses | None = None) -> AtInstance | None:
    """What the claim's counterexample shows; None where it has none, or its script does not run.

    `letters` and `glosses` of the claim's paper: LaTeX and words of its names.
    """
    source = claim.counterexample_source
    found = run_script(source) if source.strip() else None
    if found is None:
        return None
    glosses = glosses or Glosses()
    letters = (letters or Letters()).lettered(glosses.drawn, glosses.letters, claim.printed)
    others = glosses.shown_of(claim.id)
    letters = letters.but(others)
    reading = shown_reading(claim)
    kept = dict(reading.worst_instance) if reading is not None else {}
    case = str(kept.get("case", kept.get("family", "")))
    numbers = {k: v for k, v in kept.items() if k not in _NO_INSTANCE} or dict(found.values)
    both = compared(source)
    letters = letters if both is None else letters.without(run_words(both, letters.quantities))
    made = along(source, letters) if both is None else None
    form = _form(claim, both, made)
    cells = form == "printed numbers"
    own = glosses.named(claim.id, numbers)
    table = _table(both, found, _own_letters(letters, source, cells).but(others), own)
    words = _words(numbers, own, table, letters)
    n = None if cells else _n_clients(glosses.clients_of(claim.id), numbers, words)
    sizes = () if cells else sizes_of(case, reading.place if reading is not None else "", numbers, n)
    if made is not None:
        table = made.constants
    told = glosses.told.get(claim.id)
    strict = both is not None and both.strict
    left = _one(r"\text{left side}", found.left, "" if both is None else both.left, table, letters, strict)
    right = _one(r"\text{right side}", found.right, "" if both is None else both.right, table, letters, strict)
    if left is not None and right is not None:
        texts = told_apart(left.value, right.value)
        left, right = replace(left, told=texts[0]), replace(right, told=texts[1])
    if told is not None and not told.fits(case, left.told if left else "", right.told if right else ""):
        told = None
    terms, as_printed = _terms(both, table, letters), False
    if told is not None and told.printed_right and right is not None:
        table, right, terms = _as_printed(told, table, right, letters)
        as_printed = True
    used = {name: value for name, value in numbers.items() if told is None or name not in told.unused}
    return AtInstance(
        form=form,
        reading=reading.name if reading is not None else "",
        case=case,
        sizes=sizes,
        constants=table,
        left=left,
        right=right,
        relation="<" if strict else found.relation,
        terms=terms,
        as_printed=as_printed,
        clients=None if cells else clients_of(used, words, dict(sizes)),
        numbers={} if cells or form == "identity" else used,
        hypotheses=_met(hypotheses_of(found, source), told),
        arithmetic=written_out(
            source,
            letters,
            {c.name: c.latex for c in table},
            others,
            lambda name: glosses.number(claim.id, name) or letters.meaning(stem(name)),
            {bare(symbol) for symbol in symbols(claim.printed)},
        ),
        family=made,
        words=words,
        notes=() if cells else (*(_of_family(made) if told is None else ()), *glosses.noted(numbers)),
        says="" if told is None else told.says,
        lettered=tuple((letters.of_drawn(n), words.get(n, "")) for n in used if is_letter(n, letters)),
    )


def _as_printed(
    told: Told, table: tuple[Constant, ...], right: Side, letters: Letters
) -> tuple[tuple[Constant, ...], Side, tuple[Side, ...]]:
    """Constants with the letters of the print, the right side in these, its terms; raises for another value."""
    for name, latex, words, formula in told.own_letters():
        of = {c.name: c.latex for c in table}
        value = evaluated(formula, {c.name: c.value for c in table})
        table = (*table, Constant(name, latex, words, latex_of(formula, of.__getitem__), value))
    made = side_of(told.printed_right, table, letters)
    if made.value != right.value:
        raise ValueError(f"printed_right = {told.printed_right!r} is {made.value}; the script has {right.value}")
    terms = tuple(side_of(term, table, letters) for term in summands_of(told.printed_right))
    return table, replace(made, told=right.told), terms if len(terms) > 1 else ()


def _met(checked: tuple[Hypothesis, ...], told: Told | None) -> tuple[Hypothesis, ...]:
    """The hypotheses that the script checks, and those that the words of the instance say more of."""
    if told is None:
        return checked
    parts = (line.partition(": ") for line in told.met)
    more = (Hypothesis(words, (how,), "checked", True) for words, _, how in parts)
    return (*(h for h in checked if h.words not in told.instead_of), *more)


def _of_family(made: Along | None) -> tuple[str, ...]:
    return (made.says.rstrip("."),) if made is not None and made.says else ()


def _words(
    numbers: Mapping[str, object], own: Mapping[str, str], table: tuple[Constant, ...], letters: Letters
) -> dict[str, str]:
    """Words for the numbers of the instance: own ones, else of the constant that it is or of the letter it spells."""
    constants = {c.name: c.says for c in table if str(numbers.get(c.name)) == c.exact}
    found = {}
    for name in numbers:
        of_letter = letters.meaning(name) if letters.of_quantity(name) == spelled(name) else ""
        found[name] = own.get(name) or constants.get(name) or of_letter
    return {name: said for name, said in found.items() if said}


def _n_clients(formula: str, numbers: Mapping[str, object], words: Mapping[str, str]) -> int | None:
    """The number of clients: by the formula of the claim, where it has one, else by what belongs to each client."""
    if not formula:
        return n_clients(numbers, words)
    values = {name: Fraction(str(x)) for name, x in numbers.items() if isinstance(x, int | str)}
    return int(evaluated(formula, values))


def _one(
    name: str, value: Number | None, source: str, table: tuple[Constant, ...], letters: Letters, strict: bool
) -> Side | None:
    """A side by its formula where that gives the number of the script, else the number alone.

    `strict`: the script keeps no more of its sides than whether they are so.
    """
    if value is None:
        return None
    try:
        made = side_of(source, table, letters)
    except (NameError, TypeError, ValueError, SyntaxError, ArithmeticError):  # of somebody else's script
        made = None
    return made if made is not None and (strict or made.value == value) else Side("", name, "", value)


def _terms(both: Compared | None, table: tuple[Constant, ...], letters: Letters) -> tuple[Side, ...]:
    try:
        return () if both is None else tuple(side_of(term, table, letters) for term in both.terms)
    except (NameError, TypeError, ValueError, SyntaxError, ArithmeticError):
        return ()


def _form(claim: Claim, both: Compared | None, made: Along | None) -> str:
    if made is not None:
        return "order"
    if claim.kind == "relation":
        return "printed numbers"
    if both is None:
        return claim.kind
    return (
        "number" if claim.kind == "number" else "identity" if both.defined.keys() >= {"left", "right"} else "inequality"
    )


def _table(both: Compared | None, found: Instance, letters: Letters, words: Mapping[str, str]) -> tuple[Constant, ...]:
    return () if both is None else constants_of(both, found.names, letters, words)


def _own_letters(letters: Letters, source: str, cells: bool) -> Letters:
    """The paper's letters but those that the script has for something else: printed numbers, and vectors of its own."""
    vectors = _VECTORS.search(source)
    own = set(vectors[1].split(", ")) if vectors else set()
    if cells:
        return Letters()
    said = {name: words for name, words in letters.says.items() if name not in own}
    return Letters(letters.quantities, letters.drawn, {**said, **dict.fromkeys(own, "a vector, here a number")})


def sides_text(found: AtInstance) -> tuple[str, str] | None:
    """Both sides as texts; None for an order."""
    if found.left is None or found.right is None:
        return None
    return told_apart(found.left.value, found.right.value)
