"""Whether a claim says what is printed: the print as the grammar reads it against the formulas of its readings."""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path
from typing import Any

import sympy as sp

from theory.base.toml import parsed
from validation.print.latex import Chain, Grammar
from validation.statement.claim import Claim, Identity, Inequality, Reading
from validation.statement.roles import Role, roles_of

__all__ = ["agreements", "formulas_read", "load_grammars", "same"]


def _plain(expression: Any) -> Any:
    """The formula over letters that are nothing but names."""
    expression = sp.sympify(expression)
    return expression.xreplace({s: sp.Symbol(s.name) for s in expression.free_symbols})


def same(one: Any, other: Any) -> bool:
    """Whether two formulas are one for all values of their letters; maxima are one where their arguments are."""
    difference = (_plain(one) - _plain(other)).replace(
        lambda node: isinstance(node, sp.Max | sp.Min), lambda node: node.func(*(sp.cancel(a) for a in node.args))
    )
    return bool(sp.cancel(sp.together(difference)) == 0)


def agreements(claim: Claim, grammar: Grammar) -> tuple[str, ...]:
    """The readings, corrections left out, whose statement is what the grammar reads: both sides where it prints both.

    A side that is printed is compared with its definitions put in, where the statement has not the letter defined.
    """
    chains = grammar.read(claim.printed)
    edited = {r.name for r in roles_of(claim).readings if r.role is Role.REPAIR}
    return tuple(r.name for r in claim.readings if r.name not in edited and _said(r, chains))


def formulas_read(claim: Claim, grammar: Grammar) -> tuple[Any, ...]:
    """Every formula that the grammar reads as a side of the print, definitions put in."""
    chains = grammar.read(claim.printed)
    defined = _definitions(chains, frozenset())
    return tuple(_filled(side, defined) for chain in chains for side in chain.sides if side is not None)


def _said(reading: Reading, chains: tuple[Chain, ...]) -> bool:
    found = _sides(reading)
    if found is None:
        return False
    left, right, _ = found
    letters = {s.name for side in (left, right) if side is not None for s in sp.sympify(side).free_symbols}
    defined = _definitions(chains, letters)
    pairs = ((_filled(a, defined), sign, _filled(b, defined)) for c in chains for a, sign, b in c.pairs())
    onward = ((a, sign, _filled(b, defined)) for c in chains if c.goes_on for a, sign, b in c.pairs() if a is None)
    return any(_is_said(found, pair) for pair in pairs) or any(_is_said((None, *found[1:]), pair) for pair in onward)


def _definitions(chains: tuple[Chain, ...], letters: Set[str]) -> Mapping[Any, Any]:
    """Letters that the print defines, but for those that are there to be tested."""
    opens = [c.sides[:2] for c in chains if c.relations[:1] == ("=",) and None not in c.sides[:2]]
    return {letter: formula for letter, formula in opens if letter.is_Symbol and letter.name not in letters}


def _is_said(tested: tuple[Any, Any, str], printed: tuple[Any, str, Any]) -> bool:
    """Whether what is printed is what is tested: the same sides, the same difference of sides, or the same ratio."""
    (left, right, relation), (a, sign, b) = tested, printed
    if b is None or (sign == "=") < (relation == "="):
        return False
    if left is None:
        return same(b, right)
    if a is None:
        return False
    if right == 0 and sign == "=" and (isinstance(left, sp.Abs) or (left.is_Pow and left.exp == 2)):
        return same((a - b) ** 2, left.args[0] ** 2)
    if same(a, left) and same(b, right):
        return True
    if relation == "=":
        return False
    return same(a - b, left - right) or (a != 0 and left != 0 and same(a * right, b * left))


def _filled(side: Any, defined: Mapping[Any, Any]) -> Any:
    if side is None:
        return None
    for _ in defined:
        side = side.xreplace(defined)
    return side


def _sides(reading: Reading) -> tuple[Any, Any, str] | None:
    """(left or None where it is measured, right, relation) of what a reading tests."""
    test = reading.test
    if isinstance(test, Identity):
        return test.left, test.right, "="
    if not isinstance(test, Inequality):
        return None
    sides = getattr(getattr(test.cases[0], "measure", getattr(test.cases[0], "at", None)), "sides", None)
    return getattr(getattr(sides, "left", None), "expression", None), test.bound.expression, "<="


@cache
def load_grammars(folder: Path) -> Mapping[str, Grammar]:
    """The grammar of every claim that a paper's `spellings.toml` says is read; none where there is no such file.

    `letters`: the paper's spellings; `read`: ids; a claim's own table adds, changes or, where empty, drops spellings.
    """
    file = folder / "spellings.toml"
    try:
        held = parsed(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise ValueError(f"{file}: cannot be read as TOML: {error}") from error
    letters, read = held.get("letters", {}), [*held.get("read", []), *(k for k in held if k not in {"letters", "read"})]
    spelled = {name: {**letters, **held.get(name, {})} for name in read}
    return {name: Grammar({latex: value for latex, value in own.items() if value}) for name, own in spelled.items()}
