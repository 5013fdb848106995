"""What letters are declared to be, positive or nonnegative say, and whether their values keep to it.

sympy uses what is declared while a formula is written: |s| of a positive letter is s before anything is evaluated. A
value that breaks the declaration of its letter is therefore no instance of the formula that was meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.exact.errors import InexactError, NoValueError, UndecidedError
from theory.exact.number import compared, exact

__all__ = ["Letter", "broken_by", "declaration", "letters_of"]

Float = NDArray[np.float64]

_SIGNS: Mapping[str, frozenset[int]] = {
    "positive": frozenset({1}),
    "negative": frozenset({-1}),
    "nonnegative": frozenset({0, 1}),
    "nonpositive": frozenset({-1, 0}),
    "nonzero": frozenset({-1, 1}),
}
_BROKEN: Mapping[str, np.ufunc] = {
    "positive": np.less_equal,
    "negative": np.greater_equal,
    "nonnegative": np.less,
    "nonpositive": np.greater,
    "nonzero": np.equal,
}
_SHOWN = 20  # characters of an exact value that are still read


@dataclass(frozen=True, order=True)
class Letter:
    """A letter of which a sign is declared, in sympy's word for it: "positive", "nonnegative", …"""

    name: str
    declared: str

    def broken(self, values: Float) -> NDArray[np.bool_]:
        """Which values break it; NaN breaks nothing."""
        found: NDArray[np.bool_] = _BROKEN[self.declared](values, 0)
        return found

    def broken_exactly(self, value: Any) -> bool:
        """Whether an exact value breaks it; not where its sign cannot be told."""
        if isinstance(value, int | Fraction):
            return (value > 0) - (value < 0) not in _SIGNS[self.declared]
        try:
            return compared(exact(value), exact(0)) not in _SIGNS[self.declared]
        except (InexactError, NoValueError, UndecidedError, TypeError):
            return False

    def words(self, value: Any) -> str:
        """What is wrong with a value, and how the letter is to be declared instead.

        >>> Letter("s", "positive").words(-1).split("; ")[0]
        's is declared positive, but -1 on an instance'
        """
        wider = "nonnegative" if self.declared == "positive" and not value else "signed"
        cure = f'declare it {wider}: symbols("{self.name}", {wider}=True) or in Quantity("{self.name}", …)'
        return f"{self.name} is declared {self.declared}, but {_shown(value)} on an instance; {cure}"


def _shown(value: Any) -> str:
    text = str(value) if isinstance(value, int | Fraction) else ""
    if text and len(text) <= _SHOWN:
        return text
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "below all floats" if value < 0 else "above all floats"


def declaration(call: str, *, positive: bool, nonnegative: bool, signed: bool) -> Mapping[str, bool]:
    """What sympy is told of the letters that a call declares: real, of either sign, where it says nothing else.

    Raises `ValueError`, naming the call, for two declarations at once.
    """
    said = {"positive": positive, "nonnegative": nonnegative, "signed": signed}
    chosen = [word for word, given in said.items() if given]
    if len(chosen) > 1:
        raise ValueError(f"{call}: {' and '.join(chosen)}; expected one of them")
    return {word: True for word in chosen if word != "signed"} or {"real": True}


def letters_of(*formulas: Any) -> tuple[Letter, ...]:
    """The letters of some formulas of which a sign is declared, sorted; one that is declared twice is there twice."""
    found = set()
    for letter in {letter for formula in formulas for letter in sp.sympify(formula).free_symbols}:
        declared = next((word for word in _SIGNS if getattr(letter, f"is_{word}")), None)
        if declared is not None:
            found.add(Letter(letter.name, declared))
    return tuple(sorted(found))


def broken_by(letters: tuple[Letter, ...], values: Mapping[str, Any]) -> tuple[Letter, Any] | None:
    """The first letter whose exact value breaks its declaration, with that value; None where none does.

    Letters without a value are left alone.
    """
    for letter in letters:
        value = values.get(letter.name)
        if value is not None and letter.broken_exactly(value):
            return letter, value
    return None
