r"""A counterexample as a LaTeX example, in the letters of the paper: instance, constants, both sides, what holds.

It needs amsmath, amssymb and an environment `example`, such as \newtheorem{example}{Example}.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from validation.report.claims.answer import along_words, in_place, named_sides
from validation.report.claims.claims import Claim
from validation.report.claims.shown import AtInstance
from validation.report.counterexample.constants import Side
from validation.report.text.letters import Letters
from validation.report.text.number_latex import exact_latex, valued_latex
from validation.report.text.tex import ascii_math, in_tex

__all__ = ["PREAMBLE", "referee"]

PREAMBLE = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb}
\newtheorem{example}{Example}
"""
"""What a document needs before the example."""

_MOST_NUMBERS = 60  # of an array that is written out
_RELATIONS = {"≤": r"\le", "<": "<", "≥": r"\ge", ">": ">", "=": "=", "≈": r"\approx", "≠": r"\ne"}


def referee(claim: Claim, found: AtInstance | None, letters: Letters | None = None) -> str:
    r"""A LaTeX example environment: statement, instance, constants, both sides, and what holds.

    '' without a counterexample, and for what the paper does not state.
    """
    if found is None or not claim.counterexample_source or claim.ours:
        return ""
    falls = "is false in one reading" if claim.verdict.word == "underspecified" else "does not hold as printed"
    lines = [rf"\begin{{example}}[{in_tex(claim.at or claim.id)} {falls}]"]
    if claim.printed:
        lines += ["The statement reads", r"\[", f"  {ascii_math(claim.printed)}", r"\]"]
    if found.reading and found.reading != "as printed":
        lines.append(f"Read as: {in_tex(found.reading)}.")
    if found.case:
        lines.append(f"Setting: {in_tex(found.case)}.")
    lines += [*_instance(found, letters or Letters()), *_constants(found), *_sides(claim, found)]
    for place, (said, found_so) in enumerate(_in_place(claim)):
        lines.append(in_tex(f"{'Or else: ' * bool(place)}{said}"))
        lines += [in_tex(f"Setting: {one.rstrip('.')}.") for one in found_so]
    script = rf"\texttt{{fedverdict check {in_tex(claim.id)} --script}}"
    lines.append(f"A script that confirms this in exact arithmetic: {script}.")
    return "\n".join([*lines, r"\end{example}"])


def _in_place(claim: Claim) -> list[tuple[str, tuple[str, ...]]]:
    """What holds in place of the print, and how the readings that show it are set up."""
    return list(zip(in_place(claim), [found.says for found in claim.mended], strict=True))


def _table(columns: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    body = [" & ".join(row) + r" \\" for row in rows]
    return [
        r"\begin{center}",
        rf"\begin{{tabular}}{{{columns}}}",
        " & ".join(head) + r" \\",
        r"\hline",
        *body,
        r"\end{tabular}",
        r"\end{center}",
    ]


def _instance(found: AtInstance, letters: Letters) -> list[str]:
    lines = [in_tex(found.says)] if found.says else []
    if found.sizes:
        lines.append("Sizes: " + ", ".join(f"{in_tex(name)}: {value}" for name, value in found.sizes) + ".")
    if found.clients is not None:
        heads = [_column(name, index, letters) for name, index in found.clients.columns]
        rows = [[str(k + 1), *map(_cell, row)] for k, row in enumerate(found.clients.rows)]
        lines += ["Clients:", *_table("l" * (len(heads) + 1), ["client", *heads], rows)]
    rest = {name: value for name, value in found.others.items() if _count(value) <= _MOST_NUMBERS}
    if rest:
        rows = [[_letter(name, letters), _array(value), _words(name, found.words)] for name, value in rest.items()]
        lines += ["Numbers of the instance:", *_table(r"llp{7cm}", ["", "value", "meaning"], rows)]
    if len(rest) < len(found.others):
        lines.append("Longer arrays of the instance are in the script.")
    return lines


def _constants(found: AtInstance) -> list[str]:
    if not found.constants:
        return []
    cells = found.form == "printed numbers"
    rows = [[f"${c.latex}$", in_tex(c.says), f"${_value(c.value, cells)}$"] for c in found.constants]
    said = "The printed numbers:" if cells else "The constants of the statement at this instance:"
    if found.family is not None:
        said = f"What is fixed and what grows along the family, at $n={found.family.n}$:"
    table = _table(r"lp{6cm}l", ["", "meaning", "value"], rows)
    formulas = [rf"\[ {c.latex}={c.formula}{valued_latex(c.value)} \]" for c in found.constants if c.formula]
    return [said, *table, *(["where", *formulas] if formulas and found.family is None else [])]


def _sides(claim: Claim, found: AtInstance) -> list[str]:
    if found.left is None or found.right is None:
        along = along_words(claim)
        lines = [f"{in_tex(along[:1].upper() + along[1:])}."] if along else []
        if found.family is not None:
            numbers = "; ".join(f"{in_tex(what)} {in_tex(value)}" for what, value in found.family.rows)
            lines.append(f"At $n={found.family.n}$: {numbers}.")
        return lines
    one, other = named_sides(claim, found.relation)
    read = "" if found.reading in {"", "as printed"} else " of this reading"
    lines = [f"Every hypothesis{read} is met."]
    lines += [f"{one[:1].upper() + one[1:]} is", rf"\[ {_side(found.left)} \]"]
    lines += [f"and {other} is", rf"\[ {_side(found.right)} \]"]
    if found.terms:
        lines += ["with the terms", *(rf"\[ {_side(term)} \]" for term in found.terms)]
    if one == "the left side":
        lines.append(f"The statement wants {one} ${_RELATIONS.get(found.relation, chr(92) + 'le')}$ {other}.")
    return lines


def _side(side: Side) -> str:
    between = f"={side.numbers}" if side.numbers else ""
    value = valued_latex(side.value)
    if not side.source:
        return value.removeprefix("=")
    return side.latex if value == f"={side.latex}" else f"{side.latex}{between}{value}"


def _value(value: object, cells: bool) -> str:
    if cells and not isinstance(value, float):
        return f"{float(value):g}"  # type: ignore[arg-type]
    shown = valued_latex(value)  # type: ignore[arg-type]
    return shown.removeprefix("=")


def _letter(name: str, letters: Letters) -> str:
    return f"${letters.of_drawn(name)}$"


def _column(name: str, index: int | None, letters: Letters) -> str:
    latex = letters.of_drawn(name)
    return f"${latex}$" if index is None else f"${{{latex}}}_{{({index})}}$"


def _words(name: str, words: Mapping[str, str]) -> str:
    return in_tex(words.get(name, ""))


def _cell(text: object) -> str:
    try:
        exact = exact_latex(Fraction(str(text)))
    except ValueError:
        return in_tex(str(text))
    return f"${exact or valued_latex(Fraction(str(text))).removeprefix('=')}$"


def _array(value: object) -> str:
    if isinstance(value, list):
        return "(" + ", ".join(map(_array, value)) + ")"
    return _cell(value)


def _count(value: object) -> int:
    return sum(map(_count, value)) if isinstance(value, list) else 1
