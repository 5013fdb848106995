"""What a paper's letters mean, once per paper: symbol, LaTeX, units and randomness of every quantity.

Quantities are of either sign unless they are declared positive or nonnegative; of those roots and logarithms simplify,
and no value observed may break what is declared. Sides of a statement are kept as they are written: `le(x, x + y)`
stays two sides, whatever is positive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Literal, TypeAlias

import sympy as sp

from validation.statement.letters import declaration

__all__ = ["Notation", "Quantity", "Randomness", "letters"]

_SHOWN = 5  # names of a notation in its repr

Randomness: TypeAlias = Literal["fixed", "past", "round", "path"]


@dataclass(frozen=True)
class Quantity:
    """One letter of a paper.

    `units`: its (loss, length) degrees under F → aF and x → bx, None where it has none that are known. `randomness`:
    fixed before the run, known from the past at the start of a round, drawn in the round, or of the whole path.
    It may be of either sign (`signed`) unless it is `positive`, or `nonnegative` for what may be 0.
    Raises `ValueError` for a name that is no identifier, and for two declarations.
    """

    name: str
    latex: str
    says: str
    units: tuple[int, int] | None = None
    randomness: Randomness = "fixed"
    positive: bool = False
    nonnegative: bool = False
    signed: bool = False

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"Quantity({self.name!r}): expected an identifier, such as eta_t")
        self._declared()

    @cached_property
    def symbol(self) -> Any:
        """The sympy symbol: real, positive or nonnegative where declared."""
        return sp.Symbol(self.name, **self._declared())

    def _declared(self) -> Mapping[str, bool]:
        call = f"Quantity({self.name!r})"
        return declaration(call, positive=self.positive, nonnegative=self.nonnegative, signed=self.signed)


@dataclass(frozen=True)
class Notation:
    """The quantities of a paper. Raises `ValueError` for a name that is there twice."""

    quantities: tuple[Quantity, ...]

    def __post_init__(self) -> None:
        names = [q.name for q in self.quantities]
        twice = sorted({n for n in names if names.count(n) > 1})
        if twice:
            raise ValueError(f"Notation: {', '.join(twice)} declared twice")

    def __repr__(self) -> str:
        """The names alone, few of many: worlds, and the signatures of those who make them, show their notation."""
        names = [q.name for q in self.quantities]
        more = f", … ({len(names)} quantities)" if len(names) > _SHOWN else ""
        return f"Notation({', '.join(names[:_SHOWN])}{more})"

    @cached_property
    def by_name(self) -> Mapping[str, Quantity]:
        """The quantities by name."""
        return {q.name: q for q in self.quantities}

    def symbols(self, names: str, *, positive: bool = False, nonnegative: bool = False, signed: bool = False) -> Any:
        """The symbols of these names: a tuple, or the one symbol. Raises `ValueError` for a name that is not there.

        `positive`, `nonnegative` or `signed`: declared so here, where a quantity takes other values than elsewhere.
        """
        wanted = names.replace(",", " ").split()
        missing = [n for n in wanted if n not in self.by_name]
        if missing:
            raise ValueError(
                f"Notation.symbols({names!r}): no quantity {', '.join(missing)} in the notation"
                f"{_meant(missing, self.by_name)}"
            )
        said = declaration(f"Notation.symbols({names!r})", positive=positive, nonnegative=nonnegative, signed=signed)
        anew = positive or nonnegative or signed
        found = tuple(sp.Symbol(n, **said) if anew else self.by_name[n].symbol for n in wanted)
        return found if len(found) != 1 else found[0]

    def spelled(self, expression: Any) -> Any:
        """A formula of plain symbols in the paper's quantities of the same names. Raises `ValueError` as `symbols`."""
        letters = sp.sympify(expression).free_symbols
        self.symbols(" ".join(sorted(s.name for s in letters)))
        return expression.subs({s: self.by_name[s.name].symbol for s in letters}, simultaneous=True)

    def units(self, expression: Any) -> Mapping[str, tuple[int, int]] | None:
        """The degrees of all symbols of an expression; None where one has none."""
        names = [s.name for s in sp.sympify(expression).free_symbols]
        known = {n: self.by_name[n].units for n in names if n in self.by_name}
        found = {n: u for n, u in known.items() if u is not None}
        return found if len(found) == len(names) else None


def _meant(missing: Iterable[str], known: Iterable[str]) -> str:
    """For each missing name the known ones nearest to it, as a question; '' where none is near."""
    near = {name: get_close_matches(name, list(known), 3) for name in missing}
    return "".join(f"; for {name} did you mean {' or '.join(found)}?" for name, found in near.items() if found)


def letters(table: str) -> Notation:
    r"""The letters of a table, one a line: name | LaTeX | meaning | units, and `positive` or `nonnegative`.

    >>> letters(r"eta | \eta_t | step size | -1 2 positive").by_name["eta"].units
    (-1, 2)

    Units are left out where there are none that are known. Raises `ValueError` for a line that has something else.
    """
    found = []
    for line in filter(str.strip, table.splitlines()):
        name, latex, says, *rest = (part.strip() for part in line.split(" | "))
        told = re.fullmatch(r"(?:(-?\d+) (-?\d+))? ?(positive|nonnegative|signed)?", " ".join(rest))
        if told is None or len(rest) > 1:
            given = f"letters: {line.strip()!r}"
            raise ValueError(f"{given}; expected name | LaTeX | meaning | loss length positive, or nonnegative")
        units = (int(told[1]), int(told[2])) if told[1] else None
        positive, nonnegative, signed = (told[3] == word for word in ("positive", "nonnegative", "signed"))
        declared = Quantity(name, latex, says, units, positive=positive, nonnegative=nonnegative, signed=signed)
        found.append(declared)
    return Notation(tuple(found))
