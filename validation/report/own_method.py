"""Counterexamples by a paper's own method: its equation for the weights, its step sizes, its participation.

A statement over any weights may fall at weights that no method computes. A paper's folder may hold `own_method.toml`: a
table under a claim's id with a script of its own, with the reading of the ledger whose instance is such a one, or with
what was tried where none was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from theory.base.toml import parsed
from validation.report.claims.claims import Claim
from validation.report.counterexample.constants import evaluated, inside
from validation.report.counterexample.instance import Instance, run_script, told_apart
from validation.report.text.formula import latex_of
from validation.report.text.number_latex import exact_latex, valued_latex

__all__ = ["FILE", "OwnMethod", "own_method_of", "own_methods"]

__judges__ = "no"

FILE = "own_method.toml"
_FIELDS = ("says", "weights", "steps", "participation", "formula", "script", "reading", "tried", "put_in")
_PUT_IN = "put_in"
_OF_METHOD = ("weights", "steps", "participation")


@dataclass(frozen=True)
class OwnMethod:
    """A counterexample by the paper's own method, or what was tried where none was found.

    `says`: the instance in one or two sentences; `weights`, `steps`, `participation`: what of the method decides them.
    `formula`: LaTeX of what the paper prints for the weights. `put_in`: what the numbers give in it, a line «LaTeX |
    expression in the names of the script» each. `script`: Python that confirms it and needs nothing else; `reading`:
    the one of the ledger that it is to, in place of a script. `tried`: where there is neither.
    """

    claim: str
    says: str = ""
    weights: str = ""
    steps: str = ""
    participation: str = ""
    script: str = ""
    reading: str = ""
    tried: str = ""
    formula: str = ""
    put_in: tuple[str, ...] = ()

    def worked_out(self, claim: Claim) -> tuple[str, ...]:
        """The lines of `put_in` as LaTeX: what, the formula with the numbers of the script in it, and its value.

        Raises `ValueError` for a line with a name that the script does not have.
        """
        ran = self.ran(claim)
        names = {} if ran is None else {n: x for n, x in ran.names.items() if isinstance(x, int | float | Fraction)}
        lines = []
        for line in self.put_in:
            what, expression = line.split(" | ")
            try:
                value = evaluated(expression, {**names, "exp": math.exp})
            except (NameError, SyntaxError, TypeError, ArithmeticError) as error:
                raise ValueError(f"{FILE}: [{self.claim}]: {_PUT_IN}: {expression!r}: {error}") from error
            numbers = latex_of(expression, lambda name: inside(names[name]), dotted=True)
            lines.append(f"{what}={numbers}{'' if numbers == exact_latex(value) else valued_latex(value)}")
        return tuple(lines)

    @property
    def formulas(self) -> tuple[str, ...]:
        """The formula, and what is worked out, as LaTeX."""
        return (*filter(None, [self.formula]), *(line.split(" | ")[0] for line in self.put_in))

    @property
    def found(self) -> bool:
        """Whether there is one."""
        return not self.tried

    def source(self, claim: Claim) -> str:
        """The script: its own, or that of the claim's reading; '' where none was found."""
        if self.script or not self.reading:
            return self.script
        return next((r.counterexample_source for r in claim.readings if r.name == self.reading), "")

    def ran(self, claim: Claim) -> Instance | None:
        """What its script computes."""
        source = self.source(claim)
        return run_script(source) if source else None

    def sides(self, claim: Claim) -> tuple[str, str] | None:
        """Both sides as texts; None where none was found, or for an order."""
        ran = self.ran(claim)
        return None if ran is None or ran.left is None else told_apart(ran.left, ran.right)

    def bounds(self, claim: Claim) -> tuple[str, str]:
        """What its script prints before its sides: «at least », «at most », where it encloses them; else nothing."""
        ran = self.ran(claim)
        printed = "" if ran is None else ran.printed
        return ("at least ", "at most ") if "left side at least " in printed else ("", "")

    @property
    def of_method(self) -> tuple[tuple[str, str], ...]:
        """(what, by what it is decided), what is not said left out."""
        return tuple((name, getattr(self, name)) for name in _OF_METHOD if getattr(self, name))

    def json(self, claim: Claim) -> dict[str, Any]:
        """As plain JSON; sides as texts, null where none was found and for an order."""
        sides = self.sides(claim)
        return {
            "found": self.found,
            "says": self.says or None,
            **{name: getattr(self, name) or None for name in _OF_METHOD},
            "formula": self.formula or None,
            "put_in": list(self.worked_out(claim)),
            "reading": self.reading or None,
            "left": None if sides is None else sides[0],
            "right": None if sides is None else sides[1],
            "script": self.script or None,
            "tried": self.tried or None,
        }


def own_methods(folder: Path) -> dict[str, OwnMethod]:
    """A paper's, by claim; none where its folder has no such file. Raises `ValueError` for one not as it should be.

    `folder`: of the paper.
    """
    file = folder / FILE
    if not file.is_file():
        return {}
    try:
        held = parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: {error}") from error
    return {claim: _read(claim, row, f"{file}: [{claim}]") for claim, row in held.items()}


def own_method_of(folder: Path, claim_id: str) -> OwnMethod | None:
    """The one of a claim; nothing where the paper's file is not readable."""
    try:
        return own_methods(folder).get(claim_id)
    except ValueError:
        return None


def _read(claim: str, row: Any, here: str) -> OwnMethod:
    lines = row.get(_PUT_IN, []) if isinstance(row, Mapping) else None
    if lines is None or not _are_texts(text for name, text in row.items() if name != _PUT_IN):
        raise ValueError(f"{here}: expected texts under {', '.join(_FIELDS)}")
    if not isinstance(lines, list) or not _are_texts(lines) or any(len(line.split(" | ")) != 2 for line in lines):
        raise ValueError(f"{here}: expected lines “LaTeX | expression” under {_PUT_IN}, got {lines!r}")
    odd = [name for name in row if name not in _FIELDS]
    if odd:
        raise ValueError(f"{here}: unknown {odd[0]!r}; expected {', '.join(_FIELDS)}")
    given = [name for name in ("script", "reading", "tried") if row.get(name)]
    if len(given) != 1:
        raise ValueError(f"{here}: {' and '.join(given) or 'nothing'}; expected one of script, reading and tried")
    if given != ["tried"] and not (row.get("says") and any(row.get(name) for name in _OF_METHOD)):
        raise ValueError(f"{here}: expected `says` and what of the method it uses: {', '.join(_OF_METHOD)}")
    texts = {name: text for name, text in row.items() if name != _PUT_IN}
    return OwnMethod(
        claim,
        **{name: " ".join(text.split()) if name != "script" else text for name, text in texts.items()},
        put_in=tuple(lines),
    )


def _are_texts(values: Iterable[Any]) -> bool:
    return all(isinstance(value, str) for value in values)
