"""What a claim says, as a value: two sides and how they are related, kept as they are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from theory.exact.number import Exact
from validation.statement.bound import Bound, python_source

__all__ = ["Eq", "Le", "all_of", "eq", "exists", "identity", "largest", "le", "lt"]


@dataclass(frozen=True)
class Le:
    """left <= right on every instance of a world; also the form of a hypothesis.

    `again`: the right side once more, from the print. `trivial`: what is known anyway, a formula over the same world
    or the reason why there is none; where the right side is nowhere better, the statement is vacuous. `strict`: equal
    sides are a violation, too, and no ratio is near one. `choice`: what was chosen, in words, where the statement is
    that some choice serves; that this one fails does not refute it. `derived`: the letters of a formula of which a
    hypothesis has derivatives; none of them may be a formula of another.
    """

    left: Any
    right: Any
    again: Callable[..., Any] | None = None
    trivial: Any = None
    strict: bool = False
    choice: str = ""
    derived: frozenset[str] = frozenset()

    @cached_property
    def sides(self) -> tuple[Bound, Bound]:
        """Both sides in every form that is needed, compiled once."""
        return Bound(self.left), Bound(self.right)

    @property
    def words(self) -> str:
        """The relation in plain characters, as a hypothesis is named."""
        return f"{self.left} {'<' if self.strict else '<='} {self.right}"

    @property
    def source(self) -> str:
        """The relation as Python source that is exact over Fractions."""
        return f"{python_source(self.left)} {'<' if self.strict else '<='} {python_source(self.right)}"

    def met(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
        """Whether it holds at each of many instances, in floats; `<=` with the slack of a rounding of either side."""
        left, right = self.sides
        value, other = left.value(values), right.value(values)
        if self.strict:
            return np.asarray(value < other)
        return np.asarray(value - other <= 4 * np.finfo(np.float64).eps * (left.scale(values) + right.scale(values)))

    def met_exactly(self, values: Mapping[str, Fraction | Exact]) -> bool:
        """Whether it holds at one instance of exact numbers."""
        left, right = (side.exact(values) for side in self.sides)
        return bool(left < right if self.strict else left <= right)


@dataclass(frozen=True)
class Eq:
    """left == right on every instance of a world; `identity`: for all values of their letters, whatever the world.

    `sample`: the values at which a false identity is shown to be one. `derived`: as in `Le`.
    """

    left: Any
    right: Any
    identity: bool = False
    sample: tuple[Fraction, ...] = (Fraction(1), Fraction(2), Fraction(1, 3), Fraction(5))
    derived: frozenset[str] = frozenset()

    @property
    def words(self) -> str:
        """The relation in plain characters, as a hypothesis is named."""
        return f"{self.left} = {self.right}"

    @property
    def both(self) -> tuple[Le, Le]:
        """The same as two hypotheses."""
        both = ((self.left, self.right), (self.right, self.left))
        one, other = (Le(left, right, derived=self.derived) for left, right in both)
        return one, other


def le(left: Any, right: Any, *, again: Callable[..., Any] | None = None, trivial: Any = None) -> Le:
    """left <= right; numbers, symbols and formulas of them. See `Le` for the rest."""
    known = trivial if trivial is None or isinstance(trivial, str) else sp.sympify(trivial)
    return Le(sp.sympify(left), sp.sympify(right), again, known)


def lt(left: Any, right: Any) -> Le:
    """left < right."""
    return Le(sp.sympify(left), sp.sympify(right), strict=True)


def all_of(*said: Le) -> Le:
    """All of these at once: none is missed by more than 0. They must have one unit; else they are parts.

    Raises `ValueError` for a strict one, which is missed by 0 where its sides are equal.
    """
    for one in said:
        if one.strict:
            raise ValueError(f"all_of({one.words}): strict; expected le, or each as a part of its own")
    choice = "; ".join(dict.fromkeys(s.choice for s in said if s.choice))
    return replace(le(largest(*(s.left - s.right for s in said)), 0), choice=choice)


def largest(*terms: Any) -> Any:
    """The largest of some formulas, kept as they are: numbers are compared later, formulas not at all."""
    return sp.Max(*terms, evaluate=False)


def exists(choice: Mapping[Any, Any], said: Le) -> Le:
    """What is said at a named choice, letters replaced by formulas. That this choice fails does not refute it.

    Raises `ValueError` for no choice at all, and for a letter that is in neither side; `TypeError` for what is no `Le`.
    """
    if not isinstance(said, Le):
        raise TypeError(f"exists: {said!r} is a {type(said).__name__}; expected le(…) or lt(…)")
    if not choice:
        raise ValueError(
            "exists({}, …): expected at least one letter and what is chosen for it, such as {gamma: 8 * k}"
        )
    letters = {letter for side in (said.left, said.right) for letter in side.free_symbols}
    chosen_for = {str(letter): chosen for letter, chosen in choice.items()}  # however it is declared there
    foreign = sorted(chosen_for.keys() - {letter.name for letter in letters})
    if foreign:
        raise ValueError(f"exists: {', '.join(foreign)} is in neither side of {said.words}; nothing is chosen there")
    new = {letter: chosen_for[letter.name] for letter in letters if letter.name in chosen_for}
    left, right = (side.subs(new, simultaneous=True) for side in (said.left, said.right))
    words = ", ".join(f"{letter} = {sp.sympify(chosen)}" for letter, chosen in choice.items())
    return Le(left, right, trivial=said.trivial, strict=said.strict, choice=words)


def eq(left: Any, right: Any) -> Eq:
    """left == right on every instance of the world; without a world for all values of the letters, as `identity`."""
    return Eq(sp.sympify(left), sp.sympify(right))


def identity(left: Any, right: Any, *, sample: Sequence[Fraction | int] = (1, 2, Fraction(1, 3), 5)) -> Eq:
    """left == right for all values of the letters, though the claim's world observes them."""
    return Eq(sp.sympify(left), sp.sympify(right), True, tuple(Fraction(value) for value in sample))
