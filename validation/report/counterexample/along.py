"""An order at its counterexample: the constants of the family and both sides at the first size, exactly."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.report.counterexample.arithmetic_only import NotArithmeticError, value_of
from validation.report.counterexample.constants import Constant, latex_names
from validation.report.counterexample.instance import Number, exact_text, run_script
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters

__all__ = ["Along", "along"]

_GRID = re.compile(r"^for n in map\(Fraction, \[(\d+)((?:, \d+)*)\]\):$", re.MULTILINE)
_SIDES = re.compile(r"^    \*sides, claimed = map\(Fraction, (.*)\)$", re.MULTILINE)
_LIMIT = "max(Fraction(0), low - claimed, claimed - high)"
_PARTS = {"low / claimed": "left side over claimed order", "claimed / high": "claimed order over left side"}
_PARTS[_LIMIT] = "distance of the left side from the claimed limit"


@dataclass(frozen=True)
class Along:
    """A family at its first size n: constants, both sides, the quotient that should stay bounded or vanish, its form.

    `quotient_says`: what is divided by what; `form_latex`: the closed form that the quotient is never below, in n.
    """

    n: int
    constants: tuple[Constant, ...]
    left: Number
    claimed: Number
    quotient: Number
    quotient_says: str
    form: Number
    form_latex: str

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """(what, value) of the numbers at this size."""
        said = self.quotient_says
        named = [("left side", self.left), ("claimed order", self.claimed), (said, self.quotient)]
        return tuple((words, exact_text(x)) for words, x in [*named, ("closed form below it", self.form)])


def along(source: str, letters: Letters) -> Along | None:
    """The family of an order's script at the first of its sizes; None for any other script."""
    grid, sides = _GRID.search(source), _SIDES.search(source)
    if grid is None or sides is None:
        return None
    first = int(grid[1])
    ran = run_script(source[: grid.start(2)] + source[grid.end(2) :])
    call = ast.parse(sides[1], mode="eval").body
    if ran is None or not isinstance(call, ast.Call):
        return None
    seen = ran.names
    names = tuple(k.arg for k in call.keywords if k.arg is not None)
    latex = latex_names(names, letters)
    constants = []
    for key in call.keywords:
        if key.arg is None:
            continue
        source_of = ast.unparse(key.value)
        try:
            value = Fraction(value_of(key.value, {"Fraction": Fraction, "n": Fraction(first)}))
        except NotArithmeticError:  # a line that is found in a text of the script, not among what was run
            return None
        formula = latex_of(source_of) if "n" in {getattr(x, "id", "") for x in ast.walk(key.value)} else ""
        constants.append(Constant(key.arg, latex[key.arg], letters.meaning(key.arg), formula, value))
    quotient = _defined(source, "quotient")
    return Along(
        first,
        tuple(constants),
        _number(seen["low"]),
        _number(seen["claimed"]),
        _number(seen["quotient"]),
        _PARTS.get(quotient, quotient),
        _number(seen["form"]),
        latex_of(_defined(source, "form")),
    )


def _defined(source: str, name: str) -> str:
    found = re.search(rf"^    {name} = (.*)$", source, re.MULTILINE)
    return found[1] if found else ""


def _number(x: Any) -> Number:
    return Fraction(x) if isinstance(x, int | Fraction) else float(x)
