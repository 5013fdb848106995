"""Orders and limits: lhs = O(claimed), Ω(claimed), o(claimed) or → claimed, judged along instance families, exactly.

No finite grid decides an order. A statement is refuted only by a family of instances along which the quotient that
should stay bounded is at least a closed form that does not, and that form is checked exactly at every point computed.
A fitted slope is a picture (`validation.judge.orders.slopes`), never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from validation.statement.forms.quotients import Kind, in_n, n

__all__ = ["Order", "OrderFamily"]

__judges__ = "orders"


@dataclass(frozen=True)
class OrderFamily:
    """Instances along a path to infinity: `path` gives what grows as expressions of `n`, `fixed` what stays.

    `at(**values)` gives (lhs, claimed), or (lower bound of lhs, upper bound of lhs, claimed), as Fractions; it takes
    every name of `path` and `fixed`. `fixed` lists the values tried, each in a family of its own.
    `form`: an expression of n and the fixed names that the quotient is never below (see `Order`), true for all n by the
    argument in `because`. Or `degree`: the quotient is a rational function of n with numerator and denominator of at
    most this degree; the form is then interpolated, exactly, and checked at the points left over.
    `uses`: plain functions that `at` calls; its script carries their source.
    """

    name: str
    at: Callable[..., Sequence[Any]]
    path: Mapping[str, Any]
    fixed: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    form: Any = None
    because: str = ""
    degree: int | None = None
    uses: tuple[Callable[..., Any], ...] = ()

    def __post_init__(self) -> None:
        if self.form is not None and not self.because:
            raise ValueError(
                f"OrderFamily({self.name!r}): a form needs `because`, the argument that it holds for all n"
            )
        if set(self.path) & set(self.fixed):
            raise ValueError(
                f"OrderFamily({self.name!r}): {sorted(set(self.path) & set(self.fixed))} grow and are fixed"
            )


@dataclass(frozen=True)
class Order:
    """The quotient of lhs and claimed stays bounded (upper: lhs/claimed; lower: claimed/lhs) or tends to 0.

    "limit": |lhs − claimed| → 0. "faster": lhs/claimed → 0. `variable` is what grows in the statement (T, N, or ε → 0).
    The hidden constant may depend on the names in `may_depend_on`, which no path may move, and on none of those in
    `uniform_in`, which the families have to vary. `grid`: values of n, growing geometrically.
    """

    kind: Kind
    families: tuple[OrderFamily, ...]
    variable: str = "T"
    may_depend_on: tuple[str, ...] = ()
    uniform_in: tuple[str, ...] = ()
    grid: tuple[int, ...] = tuple(2**k for k in range(2, 12))

    def __post_init__(self) -> None:
        if len(self.grid) < 6 or list(self.grid) != sorted(set(self.grid)) or self.grid[-1] < 32 * self.grid[0]:
            raise ValueError(f"Order(grid={self.grid}): expected 6 or more growing values that span a factor 32")
        if not self.families:
            raise ValueError("Order(families=()): nothing to judge")
        for family in self.families:
            self._check(family)
        for name in self.uniform_in:
            if not any(name in f.path or len(f.fixed.get(name, ())) > 1 for f in self.families):
                raise ValueError(f"Order: the constant may not depend on {name!r}, but no family varies it")

    def _check(self, family: OrderFamily) -> None:
        moved = set(family.path) & set(self.may_depend_on)
        if moved:
            raise ValueError(
                f"Order: the constant may depend on {sorted(moved)}; family {family.name!r} may not move it"
            )
        unknown = (set(family.path) | set(family.fixed)) - {self.variable, *self.may_depend_on, *self.uniform_in}
        if unknown:
            raise ValueError(f"Order: may the constant depend on {sorted(unknown)}? Family {family.name!r} names them")
        end = sp.limit(in_n(family.path.get(self.variable, 1)), n, sp.oo)
        if end not in {sp.oo, sp.Integer(0)}:
            raise ValueError(f"Order: family {family.name!r} must move {self.variable!r} to ∞ or 0; it tends to {end}")
