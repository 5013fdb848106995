"""A right-hand side, written once: a sympy expression over named constants, and every form of it that is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.printing.str import StrPrinter

__all__ = ["Bound", "exact_value", "python_source", "symbols"]

Float = NDArray[np.float64]


class _FractionPrinter(StrPrinter):  # type: ignore[misc]
    """Python source that stays exact when every name is a Fraction."""

    def _print_Rational(self, expr: Any) -> str:
        return f"Fraction({expr.p}, {expr.q})"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(self._print(a) for a in expr.args)})"

    def _print_Min(self, expr: Any) -> str:
        return f"min({', '.join(self._print(a) for a in expr.args)})"

    def _print_Abs(self, expr: Any) -> str:
        return f"abs({self._print(expr.args[0])})"


def symbols(names: str) -> Any:
    """Positive sympy symbols by name, for bounds and identities; one name gives one symbol, several a tuple."""
    return sp.symbols(names, positive=True)


def python_source(expression: Any) -> str:
    """The expression as Python source that is exact over Fractions."""
    return str(_FractionPrinter().doprint(sp.sympify(expression)))


def exact_value(expression: Any, values: Mapping[str, Any]) -> Fraction:
    """The expression at rational values, as a Fraction; `ZeroDivisionError` where it is undefined."""
    expression = sp.sympify(expression)
    chosen = {s: sp.Rational(Fraction(values[s.name])) for s in expression.free_symbols}
    result = sp.nsimplify(expression.subs(chosen), rational=True)
    if not result.is_Rational:
        raise ZeroDivisionError(f"{expression} has no rational value at {dict(values)}: {result}")
    return Fraction(int(result.p), int(result.q))


def _scaling(node: Any, degrees: Mapping[str, tuple[int, int]]) -> set[tuple[int, int]]:
    """The (loss, length) degrees of an expression; more than one where summands do not match."""
    if node.is_Number:
        return {(0, 0)}
    if node.is_Symbol:
        return {degrees[node.name]}
    if node.is_Pow and node.exp.is_Number:
        powers = ((node.exp * a, node.exp * b) for a, b in _scaling(node.base, degrees))
        return {(int(a) if a == int(a) else a, int(b) if b == int(b) else b) for a, b in powers}
    if node.is_Mul:
        found = {(0, 0)}
        for factor in node.args:
            found = {(a + c, b + d) for a, b in found for c, d in _scaling(factor, degrees)}
        return found
    if node.is_Add or isinstance(node, sp.Max | sp.Min | sp.Abs):
        return set().union(*(_scaling(arg, degrees) for arg in node.args if arg != 0))
    raise ValueError(f"Bound.scaling(): no degrees known for {node.func.__name__}")


@dataclass(frozen=True)
class Bound:
    """The right-hand side as one sympy expression; every free symbol is a constant the claim's cases measure.

    `again`: the same formula written a second time as a plain Python function of the constants, from the print and
    not from the expression; the tests compare the two at random points.
    `degrees`: for each symbol its (loss, length) scaling degrees under F → aF and x → bx; see `scaling`.
    """

    expression: Any
    again: Callable[..., Any] | None = None
    degrees: Mapping[str, tuple[int, int]] | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the constants, sorted."""
        return tuple(sorted(s.name for s in sp.sympify(self.expression).free_symbols))

    @cached_property
    def _numeric(self) -> tuple[Callable[..., Any], list[Callable[..., Any]]]:
        symbols = [sp.Symbol(name) for name in self.names]
        plain = sp.sympify(self.expression).subs({s: sp.Symbol(s.name) for s in self.expression.free_symbols})
        terms = sp.Add.make_args(sp.expand(plain))
        return sp.lambdify(symbols, plain, "numpy"), [sp.lambdify(symbols, term, "numpy") for term in terms]

    def __call__(self, constants: Mapping[str, Float]) -> tuple[Float, Float]:
        """(value, Σ|terms|) for arrays of constants: the second is the scale that cancellation is measured against."""
        whole, terms = self._numeric
        chosen = [constants[name] for name in self.names]
        with np.errstate(all="ignore"):
            value = np.asarray(whole(*chosen), dtype=np.float64)
            scale = sum(np.abs(np.asarray(term(*chosen), dtype=np.float64)) for term in terms)
        return value, np.broadcast_to(np.asarray(scale, dtype=np.float64), value.shape)

    @cached_property
    def _part_functions(self) -> dict[str, tuple[Callable[..., Any], list[Callable[..., Any]]]]:
        chosen = [sp.Symbol(name) for name in self.names]
        plain = sp.sympify(self.expression).subs({s: sp.Symbol(s.name) for s in self.expression.free_symbols})
        found = list(sp.Add.make_args(plain))
        parts = {f"term {i + 1}": term for i, term in enumerate(found)} if len(found) > 1 else {}
        below = {sp.expand(b.base) for b in plain.atoms(sp.Pow) if b.exp.is_negative and b.base.is_Add}
        parts |= {f"denominator {i + 1}": d for i, d in enumerate(sorted(below, key=str))}
        compiled = {}
        for name, part in parts.items():
            pieces = sp.Add.make_args(sp.expand(part))
            # A monomial is as positive as its constants: alone it has no cancellation to look for.
            if len(pieces) > 1:
                compiled[name] = (sp.lambdify(chosen, part, "numpy"), [sp.lambdify(chosen, p, "numpy") for p in pieces])
        return compiled

    def parts(self, constants: Mapping[str, Float]) -> dict[str, tuple[Float, Float]]:
        """(value, Σ|pieces|) of each term and each denominator of the right side that is itself a sum."""
        chosen = [constants[name] for name in self.names]
        with np.errstate(all="ignore"):
            return {
                name: (np.asarray(whole(*chosen)), np.asarray(sum(np.abs(piece(*chosen)) for piece in pieces)))
                for name, (whole, pieces) in self._part_functions.items()
            }

    @cached_property
    def _compiled(self) -> Any:
        return compile(python_source(self.expression), "<bound>", "eval")

    def exact(self, constants: Mapping[str, Any]) -> Fraction:
        """The value at exact constants, by the very source the counterexample's script carries."""
        names = {name: Fraction(constants[name]) for name in self.names}
        return Fraction(eval(self._compiled, {"Fraction": Fraction}, names))

    def scaling(self) -> set[tuple[int, int]]:
        """The (loss, length) degrees of the terms, inner sums included; a dimensionally sound bound has exactly one.

        Raises `ValueError` when a symbol's degrees are not declared, or a function other than powers, sums, products,
        Max, Min and Abs occurs.
        """
        if self.degrees is None:
            raise ValueError("Bound.scaling(): no degrees declared")
        missing = set(self.names) - set(self.degrees)
        if missing:
            raise ValueError(f"Bound.scaling(): no degrees for {sorted(missing)}")
        return _scaling(sp.sympify(self.expression), self.degrees)
