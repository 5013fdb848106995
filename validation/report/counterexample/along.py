"""An order at its counterexample: the constants of the family and both sides where a size violates it, exactly."""

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

__all__ = ["Along", "along", "letter_of_size"]

_GRID = re.compile(r"^for n in map\(Fraction, \[(\d+)((?:, \d+)*)\]\):$", re.MULTILINE)
_SIDES = re.compile(r"^    \*sides, claimed = map\(Fraction, (.*)\)$", re.MULTILINE)
_LIMIT = "max(Fraction(0), low - claimed, claimed - high)"
_PARTS = {"low / claimed": "left side over claimed order", "claimed / high": "claimed order over left side"}
_SIZES = 4  # sizes of the table
_PARTS[_LIMIT] = "distance of the left side from the claimed limit"


@dataclass(frozen=True)
class Along:
    """A family at a size n: constants, both sides, the quotient that should stay bounded or vanish, its form.

    The size is the first one at which the quotient is above 1, else the first. `quotient_says`: what is divided by
    what; `form_latex`: the closed form that the quotient is never below, in n. `says`: what the script says of it.
    `table`: (size, left side, claimed order, quotient) at this size and those after it.
    """

    n: int
    constants: tuple[Constant, ...]
    left: Number
    claimed: Number
    quotient: Number
    quotient_says: str
    form: Number
    form_latex: str
    says: str = ""
    table: tuple[tuple[int, Number, Number, Number], ...] = ()

    @property
    def size(self) -> str:
        """«T = n = 8» where a letter of the family is its size, else «n = 8»."""
        own = [c.name for c in self.constants if c.formula == "n" and len(c.name) == 1]
        return " = ".join([*own[: len(own) == 1], "n", str(self.n)])

    @property
    def letter(self) -> str:
        """«T = n» where a letter of the family is its size, else «n»."""
        return self.size.removesuffix(f" = {self.n}")

    @property
    def exact(self) -> bool:
        """Whether the quotient is its closed form here."""
        return self.quotient == self.form

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """(what, value) of the numbers at this size."""
        said = self.quotient_says
        named = [("left side", self.left), ("claimed order", self.claimed), (said, self.quotient)]
        form = "its closed form" if self.exact else "closed form below it"
        return tuple((words, exact_text(x)) for words, x in [*named, (form, self.form)])


def along(source: str, letters: Letters) -> Along | None:
    """The family of an order's script at the first size that shows the violation; None for any other script."""
    grid, sides = _GRID.search(source), _SIDES.search(source)
    if grid is None or sides is None:
        return None
    sizes = [int(n) for n in (grid[1] + grid[2]).split(", ")]
    whole = run_script(source)
    quotients = {int(n): q for n, q, _ in (() if whole is None else whole.growth)}
    first = next((n for n in sizes if quotients.get(n, 0.0) > 1), sizes[0])
    shown = [n for n in sizes if n >= first][:_SIZES]
    ran = [run_script(source[: grid.start(1)] + str(n) + source[grid.end(2) :]) for n in shown]
    rows = [one.names for one in ran if one is not None]
    call = ast.parse(sides[1], mode="eval").body
    if len(rows) < len(shown) or not isinstance(call, ast.Call):
        return None
    seen = rows[0]
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
        _says(source, call),
        tuple(
            (n, _number(row["low"]), _number(row["claimed"]), _number(row["quotient"]))
            for n, row in zip(shown, rows, strict=True)
        ),
    )


def _says(source: str, call: ast.Call) -> str:
    """The first line that the script has on the function of its family; '' for none."""
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    made = (x for x in ast.parse(source).body if isinstance(x, ast.FunctionDef) and x.name == name)
    return ((ast.get_docstring(next(made, ast.parse("")), clean=True) or "").split("\n\n")[0]).replace("\n", " ")


def letter_of_size(source: str) -> str:
    """The letter that is the size itself, such as T of a family along T; «n» where there is none."""
    sides = _SIDES.search(source)
    call = ast.parse(sides[1], mode="eval").body if sides else None
    keys = call.keywords if isinstance(call, ast.Call) else []
    own = [k.arg for k in keys if k.arg and isinstance(k.value, ast.Name) and k.value.id == "n"]
    return own[0] if len(own) == 1 and len(own[0]) == 1 else "n"


def _defined(source: str, name: str) -> str:
    found = re.search(rf"^    {name} = (.*)$", source, re.MULTILINE)
    return found[1] if found else ""


def _number(x: Any) -> Number:
    return Fraction(x) if isinstance(x, int | Fraction) else float(x)
