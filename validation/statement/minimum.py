"""That letters minimise a formula, as hypotheses that a world of numbers can solve."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

from validation.statement.says import Eq, Le, eq, lt

__all__ = ["minimises"]


def minimises(formula: Any, *letters: Any) -> tuple[Eq | Le, ...]:
    """That the letters are where a formula, quadratic in them, has its only minimum; for `World.where(*minimises(…))`.

    Each partial derivative is 0, and each leading principal minor of the second derivatives is above 0. In a world of
    numbers each derivative determines one number (`solved`). A world in which a letter of the formula is not drawn by
    itself refuses it: derivatives take the other letters as constants. Raises `ValueError` without letters, where the
    formula is no polynomial of degree 2 in them, and where it has no single minimum whatever the other letters are.
    """
    f, chosen = sp.sympify(formula), [sp.sympify(letter) for letter in letters]
    if not chosen:
        raise ValueError("minimises: expected a formula and at least one letter, such as minimises(mu*x**2 - x, x)")
    if not all(letter.is_Symbol for letter in chosen) or len(set(chosen)) < len(chosen):
        raise ValueError(f"minimises(…, {', '.join(map(str, chosen))}): expected letters, each once")
    if not f.is_polynomial(*chosen) or sp.Poly(f, *chosen).total_degree() > 2:
        raise ValueError(f"minimises({f}, …): expected a polynomial of degree 2 in {', '.join(map(str, chosen))}")
    second = sp.hessian(f, chosen)
    minors = [sp.expand(second[: n + 1, : n + 1].det()) for n in range(len(chosen))]
    if any(minor.is_positive is False for minor in minors):
        raise ValueError(f"minimises({f}, {', '.join(map(str, chosen))}): it has no single minimum there")
    conditions: list[Eq | Le] = [
        *(eq(sp.expand(sp.diff(f, letter)), 0) for letter in chosen),
        *(lt(0, minor) for minor in minors if not minor.is_positive),
    ]
    derived = frozenset(letter.name for letter in f.free_symbols)
    return tuple(replace(condition, derived=derived) for condition in conditions)
