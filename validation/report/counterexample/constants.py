"""The constants of a statement at its counterexample: every letter of both sides with meaning, formula and exact value.

Forms without letters show something else: a comparison of printed numbers its cells, an order its quotient by size.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.report.counterexample.arithmetic_only import value_of
from validation.report.counterexample.compared import Compared, names_in
from validation.report.counterexample.instance import Number, exact_text
from validation.report.text.formula import latex_of, name_latex
from validation.report.text.letters import Letters
from validation.report.text.number_latex import decimal_latex, exact_latex

__all__ = [
    "Constant",
    "Side",
    "constants_of",
    "evaluated",
    "exact_string",
    "inside",
    "latex_names",
    "names_of",
    "observed",
    "side_of",
    "spelled",
]

_LONGEST_FORMULA = 900  # characters of a formula with numbers in place of letters
_MOST_DIGITS = 400  # of a number that is kept in full


@dataclass(frozen=True)
class Constant:
    """A letter at the instance: `name` in the script, LaTeX, words, formula in other letters ('' for none), value."""

    name: str
    latex: str
    says: str
    formula: str
    value: Number

    @property
    def text(self) -> str:
        """The value: a fraction with its decimal."""
        return exact_text(self.value)

    @property
    def exact(self) -> str | None:
        """The whole value as «p/q»; None for a float, and for one of more than 400 digits."""
        return exact_string(self.value)


@dataclass(frozen=True)
class Side:
    """A side or a term: its formula, the same with numbers in place of letters ('' where that is too long), its value.

    `source`: the formula as Python, in the names of the constants. `told`: the value as a text, '' for the usual one.
    """

    source: str
    latex: str
    numbers: str
    value: Number
    told: str = ""

    @property
    def text(self) -> str:
        """The value: a fraction with its decimal, in so many digits that the other side's looks different."""
        return self.told or exact_text(self.value)


def exact_string(value: Number) -> str | None:
    """The number as «p/q», as long as it has at most 400 digits; None for a float."""
    if not isinstance(value, Fraction):
        return None
    digits = (value.numerator.bit_length() + value.denominator.bit_length()) * 0.30103
    return str(value) if digits <= _MOST_DIGITS else None


def evaluated(expression: str, values: Mapping[str, Any]) -> Number:
    """The expression at exact values. Raises `NameError` for a letter without a value."""
    found = value_of(expression, {"Fraction": Fraction, **values})
    return Fraction(found) if isinstance(found, int | Fraction) else float(found)


def names_of(found: Compared, values: Mapping[str, Any], letters: Letters) -> tuple[str, ...]:
    """The letters of both sides, and those of the formulas that give them at these values."""
    names = list(found.letters)
    for name in names:  # grows on the way
        formula = _definition(name, found, letters)
        if formula and _gives(formula, values, values.get(name, 0)):
            names += [n for n in names_in(formula) if n not in names]
    return tuple(names)


def observed(found: Compared, letters: Letters) -> frozenset[str]:
    """The names of a script that are letters of the paper: those of both sides, and what it says itself to be observed.

    A number of the instance or of the computation on the way may be called as a letter is and be another. One that
    nothing is said of is a letter only if its name spells it, such as `mu`, and the instance has it.
    """
    said = {*found.letters, *found.words}
    return frozenset(
        n for n in letters.by_identifier if n in said or (n in found.drawn and letters.of_quantity(n) == spelled(n))
    )


def spelled(name: str) -> str:
    r"""The LaTeX that a name spells: `mu` is \mu, `G2` is G^2."""
    return re.sub(r"\{(\w)\}", r"\1", name_latex(name)).strip()


def _definition(name: str, found: Compared, letters: Letters) -> str:
    """The formula of a letter in other letters of the paper; '' where it is none, or observed on the instance."""
    source = found.defined.get(name, "")
    known = observed(found, letters)
    if name not in known or not source or "constants[" in source:
        return ""
    used = names_in(source)
    return source if used and name not in used and known.issuperset(used) else ""


def _gives(formula: str, values: Mapping[str, Any], value: Number) -> bool:
    """Whether a formula has this value at the values of its letters: a letter may have changed since it was made."""
    try:
        return evaluated(formula, values) == value
    except (NameError, TypeError, ValueError, ArithmeticError):
        return False


def latex_names(names: tuple[str, ...], letters: Letters, known: Set[str] | None = None) -> Mapping[str, str]:
    r"""LaTeX by name; what a paper writes with one sign for several quantities is told apart, [\rho]_1 and [\rho]_2.

    `known`: the names that are letters of the paper, all that it has where None; others are written as they are.
    """
    plain = {
        name: letters.of_quantity(name)
        if name in (letters.by_identifier if known is None else known)
        else _own_latex(name, names, letters)
        for name in names
    }
    many = Counter(plain.values())
    seen: Counter[str] = Counter()
    out = {}
    for name, latex in plain.items():
        seen[latex] += 1
        out[name] = latex if many[latex] == 1 else rf"[{latex}]_{{{seen[latex]}}}"
    return out


def _own_latex(name: str, names: Sequence[str], letters: Letters) -> str:
    """LaTeX of a name that is no letter of the paper: beside n1, n2 is the second of two and no square."""
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", name)
    if found and any(other != name and re.fullmatch(rf"{found[1]}\d+", other) for other in names):
        return f"{name_latex(found[1])}_{{{found[2]}}}"
    return letters.of_drawn(name)


def constants_of(
    found: Compared, values: Mapping[str, Any], letters: Letters, words: Mapping[str, str]
) -> tuple[Constant, ...]:
    """The table of constants; `words` by name where the paper's notation has none. Letters without a value are left."""
    names = tuple(
        name for name in names_of(found, values, letters) if isinstance(values.get(name), int | float | Fraction)
    )
    latex = latex_names(names, letters)
    table = []
    for name in names:
        formula, value = _definition(name, found, letters), values[name]
        if formula and not _gives(formula, values, value):
            formula = ""
        table.append(
            Constant(
                name,
                latex[name],
                letters.meaning(name) or words.get(name, "") or found.words.get(name, ""),
                latex_of(formula, lambda n: latex.get(n) or letters.of_quantity(n)) if formula else "",
                Fraction(value) if isinstance(value, int) else value,
            )
        )
    return tuple(table)


def side_of(source: str, table: tuple[Constant, ...], letters: Letters) -> Side:
    """A side or term of the script in the letters of the table."""
    latex, values = {c.name: c.latex for c in table}, {c.name: c.value for c in table}
    numbers = latex_of(source, lambda name: inside(values[name]), dotted=True) if values else ""
    plain = source in values or not names_in(source) or len(numbers) > _LONGEST_FORMULA
    formula = latex_of(source, lambda name: latex.get(name) or letters.of_quantity(name))
    return Side(source, formula, "" if plain else numbers, evaluated(source, values))


def inside(value: Number) -> str:
    """A number as it stands in a formula: exact where that is short, in brackets where it is negative."""
    text = exact_latex(value) or decimal_latex(value)
    return rf"\left({text}\right)" if text.startswith("-") or r"\cdot" in text else text
