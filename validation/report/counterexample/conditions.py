"""A condition that a sentence states as a formula, such as «1 − C − A·W_D(1 − C) > 0», worked out at an instance."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass

from validation.report.counterexample.constants import Constant, evaluated
from validation.report.counterexample.instance import Number
from validation.report.text.linear import linear
from validation.report.text.readable import GREEK, typeset
from validation.report.text.symbols import symbols

__all__ = ["Condition", "condition_of", "signs_of", "value_of_formula"]

_COMPARED = {"≤": operator.le, "≥": operator.ge, "<": operator.lt, ">": operator.gt, "=": operator.eq, "≠": operator.ne}
_OPERATORS = {"−": "-", "-": "-", "+": "+", "·": "*", "*": "*", "/": "/", "(": "(", ")": ")", ",": ","}
_POWERS = {"²": "**2", "³": "**3"}
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_CALL = re.compile(r"(max|min)([{(])")


@dataclass(frozen=True)
class Condition:
    """Two sides of a condition as texts, the sign between them, and their values."""

    left: str
    sign: str
    right: str
    values: tuple[Number, Number]

    @property
    def met(self) -> bool:
        """Whether it holds."""
        return bool(_COMPARED[self.sign](*self.values))


def signs_of(constants: tuple[Constant, ...]) -> dict[str, Number]:
    """Values by the signs that a sentence has for letters: `W_D`, `η`, `ρ̄`; of two with one sign none is taken."""
    found: dict[str, list[Number]] = {}
    for one in constants:
        own = symbols(one.latex)
        if len(own) != 1 or re.search(r"\\(?:sum|max|min|frac|nabla|mathbb|langle)|[-+/|=()\[\]^]", one.latex):
            continue
        for sign in {linear(one.latex), _plain(own[0])}:
            found.setdefault(sign, []).append(one.value)
    values = {sign: held[0] for sign, held in found.items() if len(set(held)) == 1}
    if "κ" not in values and {"L", "μ"} <= values.keys() and values["μ"]:
        values["κ"] = values["L"] / values["μ"]
    return values


def _plain(symbol: str) -> str:
    """`eta_l` as η_l."""
    name, mark, lower = symbol.partition("_")
    return GREEK.get(name, name) + mark + lower


def condition_of(text: str, values: Mapping[str, Number]) -> Condition | None:
    """The condition that a text begins with, at these values; None where it is in words, or has other letters.

    >>> from fractions import Fraction
    >>> found = condition_of("1 - C - 2AC > 0: in words", {"A": Fraction(3), "C": Fraction(1, 2)})
    >>> found.left, found.sign, found.right, found.values, found.met
    ('1 − C − 2AC', '>', '0', (Fraction(-5, 2), Fraction(0, 1)), False)
    >>> condition_of("weights chosen before the round", {"A": Fraction(3)})
    """
    shown = typeset(text.partition(": ")[0])
    found = re.fullmatch(r"([^≤≥<>=≠]+) ([≤≥<>=≠]) ([^≤≥<>=≠]+)", shown)
    if found is None:
        return None
    left, right = value_of_formula(found[1], values), value_of_formula(found[3], values)
    if left is None or right is None:
        return None
    return Condition(found[1].strip().replace("-", "−"), found[2], found[3].strip().replace("-", "−"), (left, right))


def value_of_formula(text: str, values: Mapping[str, Number]) -> Number | None:
    """A formula in the signs of a sentence; None where it has words or letters without a value.

    >>> from fractions import Fraction
    >>> value_of_formula("max{8L/μ, E} − 1", {"L": Fraction(1), "μ": Fraction(1), "E": Fraction(1)})
    Fraction(7, 1)
    """
    written, at, ready = "", 0, False  # whether what comes next is multiplied with what stands before
    names = sorted(values, key=len, reverse=True)
    while at < len(text):
        rest = text[at:]
        if rest[0] == " ":
            at += 1
            continue
        if call := _CALL.match(rest):
            written, ready = written + ("*" if ready else "") + f"{call[1]}(", False
            at += call.end()
        elif number := _NUMBER.match(rest):
            written, ready = written + ("*" if ready else "") + f"Fraction('{number[0]}')", True
            at += number.end()
        elif rest[0] in _POWERS and ready:
            written, at = written + _POWERS[rest[0]], at + 1
        elif rest[0] in _OPERATORS or rest[0] == "}":
            sign = _OPERATORS.get(rest[0], ")")
            written += "*(" if sign == "(" and ready else sign
            ready, at = sign == ")", at + 1
        elif name := next((n for n in names if rest.startswith(n) and not _goes_on(rest[len(n) :])), ""):
            written, ready = written + ("*" if ready else "") + f"v{names.index(name)}", True
            at += len(name)
        else:
            return None
    try:
        return evaluated(written, {f"v{i}": values[name] for i, name in enumerate(names)})
    except (SyntaxError, ValueError, ZeroDivisionError, TypeError):
        return None


def _goes_on(rest: str) -> bool:
    """Whether a letter has an accent, an index or a mark that it is not known with."""
    return bool(re.match(r"[\u0300-\u036f_*'₀-₉ₐ-ₜᵢ-ᵥᵃ-ᶻᵀ]", rest))
