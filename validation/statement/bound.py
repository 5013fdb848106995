"""A right-hand side, written once: a sympy expression over named constants, and every form of it that is needed."""

from __future__ import annotations

import builtins
import hashlib
import keyword
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import prod
from typing import Any, cast

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.printing.str import StrPrinter

from theory.exact.errors import InexactError
from theory.exact.number import PI, Exact, exact, refusal
from validation.statement.letters import Letter, declaration, letters_of

__all__ = [
    "Bound",
    "exact_value",
    "identifier",
    "interval_source",
    "left_alone",
    "python_source",
    "symbols",
    "with_maxima",
]

Float = NDArray[np.float64]


# What a counterexample's script uses itself, beside Python's own names.
_RESERVED = {
    "Fraction",
    "INSTANCE",
    "Interval",
    "constants",
    "hypotheses",
    "lhs",
    "rhs",
    "left",
    "right",
    "held",
    "holds",
    "met",
    "k",
    "sign",
    "summands",
    "value",
    "violated",
    "words",
}


def identifier(name: str) -> str:
    """The Python name of a symbol: its own where that is one and free, else one that no other symbol has.

    >>> identifier("kappa"), identifier("lambda"), identifier("L_{1}")
    ('kappa', 'lambda_', 'L_1_f0bc_')
    """
    if name.isidentifier() and unicodedata.normalize("NFKC", name) == name:
        taken = keyword.iskeyword(name) or hasattr(builtins, name) or name in _RESERVED or name.endswith("_")
        return name + "_" if taken else name
    words = re.sub(r"[\W_]+", "_", name, flags=re.ASCII).strip("_")
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:4]
    return f"{words}_{digest}_" if words[:1].isalpha() else f"s_{words}_{digest}_"


class _FractionPrinter(StrPrinter):  # type: ignore[misc]
    """Python source that stays exact when every name is a Fraction."""

    def _print_Symbol(self, expr: Any) -> str:
        return identifier(expr.name)

    def _print_Rational(self, expr: Any) -> str:
        return f"Fraction({expr.p}, {expr.q})"

    def _print_Max(self, expr: Any) -> str:
        return f"max({', '.join(map(self._value, expr.args))})"

    def _print_Min(self, expr: Any) -> str:
        return f"min({', '.join(map(self._value, expr.args))})"

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.base.is_Integer and not expr.exp.is_number:
            return f"{self._value(expr.base)}**({self._print(expr.exp)})"
        return str(super()._print_Pow(expr, rational=rational))

    def _value(self, expr: Any) -> str:
        """What may be divided as a whole: a whole number of Python divided by another is a float."""
        return f"Fraction({expr})" if expr.is_Integer else str(self._print(expr))

    def _print_Abs(self, expr: Any) -> str:
        return f"abs({self._print(expr.args[0])})"


class _IntervalPrinter(_FractionPrinter):
    """Python source that encloses an expression with roots when every name is an `Interval` or a Fraction."""

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp.is_Integer:
            return f"({self._print(expr.base)})**({int(expr.exp)})"
        return f"Interval.of({self._print(expr.base)})**{self._print(expr.exp)}"


def interval_source(expression: Any) -> str | None:
    """The expression as Python source over `theory.exact.interval`; None for what that has not, such as exp or Max."""
    expression = sp.sympify(expression)
    known = (sp.Symbol, sp.Rational, sp.Add, sp.Mul, sp.Pow)
    parts = list(sp.preorder_traversal(expression))
    if not all(isinstance(p, known) for p in parts) or not all(p.exp.is_Rational for p in parts if p.is_Pow):
        return None
    return str(_IntervalPrinter().doprint(expression))


def symbols(names: str, *, positive: bool = False, nonnegative: bool = False, signed: bool = False) -> Any:
    """Sympy symbols by name, for bounds and identities; one name gives one symbol, several a tuple.

    They are `signed`, of either sign, unless declared `positive`, or `nonnegative` for what may be 0. A declaration
    simplifies formulas, |s| to s, and may be broken by no value of the letter.
    """
    said = declaration(f"symbols({names!r})", positive=positive, nonnegative=nonnegative, signed=signed)
    return sp.symbols(names, **said)


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


_MAX, _MIN = sp.Function("Max"), sp.Function("Min")
_EXTREMES = {_MAX: sp.Max, _MIN: sp.Min, sp.Max: sp.Max, sp.Min: sp.Min}


def left_alone(expression: Any) -> Any:
    """The expression in letters of which sympy assumes nothing, with maxima and minima as functions it knows not.

    It would compare all their arguments with each other, anew at every step, which takes longer than many a search.
    """
    expression = sp.sympify(expression)
    letters = {s: sp.Symbol(s.name) for s in expression.free_symbols}
    return expression.replace(sp.Max, _MAX).replace(sp.Min, _MIN).xreplace(letters)


def with_maxima(expression: Any, *, evaluate: bool = False) -> Any:
    """What `left_alone` or a change of it gave, with sympy's own maxima and minima, their arguments as they stand.

    `evaluate`: with those left out that sympy knows to be no larger, or no smaller, than another.
    """
    if not expression.args:
        return expression
    args = [with_maxima(arg, evaluate=evaluate) for arg in expression.args]
    extreme = _EXTREMES.get(expression.func)
    if extreme is not None:
        return extreme(*args, evaluate=evaluate)
    return expression if all(a is b for a, b in zip(args, expression.args, strict=True)) else expression.func(*args)


def _size(term: Any) -> Any:
    """A term as large as what cancels inside it: a factor Max, Min or Abs of sums is as large as their summands."""
    factors = []
    for factor in sp.Mul.make_args(term):
        inner = factor.args if isinstance(factor, sp.Abs) or factor.func in (_MAX, _MIN) else ()
        sums = [sp.Add.make_args(sp.expand(arg)) for arg in inner]
        cancels = any(len(pieces) > 1 for pieces in sums)
        factors.append(_MAX(*(sum(map(sp.Abs, pieces)) for pieces in sums)) if cancels else factor)
    return sp.Mul(*factors)


_MOST_SUMMANDS = 8


def _summands(node: Any) -> list[Any]:
    """The terms of an expression; a product with a sum of terms without a minus is split into its products."""
    if node.is_Add:
        return [term for arg in node.args for term in _summands(arg)]
    factors = list(sp.Mul.make_args(node))
    for i, factor in enumerate(factors):
        if factor.is_Add and not any(arg.could_extract_minus_sign() for arg in factor.args):
            others = sp.Mul(*factors[:i], *factors[i + 1 :])
            return [term for arg in factor.args for term in _summands(others * arg)]
    return [node]


def _is_rational(node: Any) -> bool:
    if node.is_Symbol or node.is_Rational:
        return True
    if node.is_Pow and not node.exp.is_Integer:
        return False
    known = node.is_Pow or node.is_Add or node.is_Mul or isinstance(node, sp.Max | sp.Min | sp.Abs)
    return bool(known) and all(_is_rational(arg) for arg in node.args)


def _evaluated(node: Any, values: Mapping[str, Exact]) -> Exact:
    """An expression at exact constants, operation by operation."""
    if node.is_Symbol:
        return values[node.name]
    if node.is_Rational:
        return exact(Fraction(int(node.p), int(node.q)))
    if node.is_Float:
        wrong = refusal(float(node))
        if wrong is not None:
            raise InexactError(f"Bound: {wrong.what}; {wrong.cure.replace('Fraction', 'sympy.Rational')}")
        return exact(float(node))
    if node is sp.E:
        return exact(1).exp()
    if node is sp.pi:
        return PI
    args = [_evaluated(arg, values) for arg in node.args]
    if node.is_Pow:
        found: Exact = args[0] ** args[1]
        return found
    if node.is_Add:
        return sum(args[1:], args[0])
    if node.is_Mul:
        return prod(args[1:], start=args[0])
    if isinstance(node, sp.Max):
        return reduce(Exact.maximum, args)
    if isinstance(node, sp.Min):
        return reduce(Exact.minimum, args)
    if isinstance(node, sp.Abs):
        return abs(args[0])
    if isinstance(node, sp.exp):
        return args[0].exp()
    if isinstance(node, sp.log):
        return args[0].log()
    raise InexactError(
        f"Bound: {node.func.__name__} has no exact version; write it with powers, Max, Min, Abs, exp or log"
    )


def _all_with_maxima(parts: Any) -> Any:
    return [_all_with_maxima(part) for part in parts] if isinstance(parts, list) else with_maxima(parts)


@dataclass(frozen=True)
class Bound:
    """The right-hand side as one sympy expression; every free symbol is a constant the claim's cases measure.

    `again`: the same formula written a second time as a plain Python function of the constants, from the print and
    not from the expression; the tests compare the two at random points.
    `degrees`: for each symbol its (loss, length) scaling degrees under F → aF and x → bx; see `scaling`.
    `beside`: the declared letters of what else the statement is written with: its left side and hypotheses.
    """

    expression: Any
    again: Callable[..., Any] | None = None
    degrees: Mapping[str, tuple[int, int]] | None = None
    beside: tuple[Letter, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the constants, sorted."""
        return tuple(sorted({s.name for s in sp.sympify(self.expression).free_symbols}))

    @cached_property
    def letters(self) -> tuple[Letter, ...]:
        """All letters of the statement of which a sign is declared, sorted: no value may break it."""
        return tuple(sorted({*letters_of(self.expression), *self.beside}))

    @cached_property
    def declared(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """The names of these letters by what is declared of them."""
        words = dict.fromkeys(letter.declared for letter in self.letters)
        return tuple((word, tuple(a.name for a in self.letters if a.declared == word)) for word in words)

    @cached_property
    def _plain(self) -> Any:
        """The expression as `left_alone` has it."""
        return left_alone(self.expression)

    def _function(self, parts: Any) -> Callable[..., Any]:
        """One formula, or lists of them, as a function of the constants: written and compiled once for them all."""
        letters = [*map(sp.Symbol, self.names)]
        return cast("Callable[..., Any]", sp.lambdify(letters, _all_with_maxima(parts), "numpy", docstring_limit=0))

    @cached_property
    def _value(self) -> Callable[..., Any]:
        return self._function(self._plain)

    @cached_property
    def _terms(self) -> Callable[..., list[Any]]:
        return self._function([_size(term) for term in sp.Add.make_args(sp.expand(self._plain))])

    def __call__(self, constants: Mapping[str, Float]) -> tuple[Float, Float]:
        """(value, Σ|terms|) for arrays of constants: the second is the scale that cancellation is measured against."""
        value, scale = self.value(constants), self.scale(constants)
        return value, scale if scale.shape == value.shape else np.broadcast_to(scale, value.shape)

    def value(self, constants: Mapping[str, Float]) -> Float:
        """The value for arrays of constants."""
        with np.errstate(all="ignore"):
            return np.asarray(self._value(*(constants[name] for name in self.names)), dtype=np.float64)

    def scale(self, constants: Mapping[str, Float]) -> Float:
        """Σ|terms| for arrays of constants."""
        with np.errstate(all="ignore"):
            terms = self._terms(*(constants[name] for name in self.names))
            return np.asarray(sum(np.abs(np.asarray(term, dtype=np.float64)) for term in terms), dtype=np.float64)

    @cached_property
    def _summand_function(self) -> Callable[..., list[Any]] | None:
        found = _summands(self._plain)
        return self._function(found) if 1 < len(found) <= _MOST_SUMMANDS else None

    def summands(self, constants: Mapping[str, Float]) -> list[Float]:
        """The values of the terms that the right side adds up, where these are 2 to 8; see `_summands`."""
        if self._summand_function is None:
            return []
        with np.errstate(all="ignore"):
            found = self._summand_function(*(constants[name] for name in self.names))
            return [np.asarray(term, dtype=np.float64) for term in found]

    @cached_property
    def _part_functions(self) -> tuple[tuple[str, ...], Callable[..., list[Any]]]:
        plain = self._plain
        found = list(sp.Add.make_args(plain))
        parts = {f"term {i + 1}": term for i, term in enumerate(found)} if len(found) > 1 else {}
        below = {sp.expand(b.base) for b in plain.atoms(sp.Pow) if b.exp.is_negative and b.base.is_Add}
        parts |= {f"denominator {i + 1}": d for i, d in enumerate(sorted(below, key=str))}
        pieces = {name: list(sp.Add.make_args(sp.expand(part))) for name, part in parts.items()}
        # A monomial is as positive as its constants: alone it has no cancellation to look for.
        names = tuple(name for name in parts if len(pieces[name]) > 1)
        return names, self._function([[parts[name], pieces[name]] for name in names])

    def parts(self, constants: Mapping[str, Float]) -> dict[str, tuple[Float, Float]]:
        """(value, Σ|pieces|) of each term and each denominator of the right side that is itself a sum."""
        names, function = self._part_functions
        if not names:
            return {}
        with np.errstate(all="ignore"):
            found = function(*(constants[name] for name in self.names))
            return {
                name: (np.asarray(whole), np.asarray(sum(np.abs(piece) for piece in pieces)))
                for name, (whole, pieces) in zip(names, found, strict=True)
            }

    @cached_property
    def is_rational(self) -> bool:
        """Whether it is rational at rational constants: sums, products, whole powers, Max, Min and Abs only."""
        return _is_rational(sp.sympify(self.expression))

    @cached_property
    def _compiled(self) -> Any:
        return compile(python_source(self.expression), "<bound>", "eval")

    def exact(self, constants: Mapping[str, Any]) -> Fraction | Exact:
        """The value at exact constants: a Fraction, or an `Exact` number where roots, exp or log make it irrational.

        A rational expression of Fractions is computed by the very source the counterexample's script carries. Raises
        `ZeroDivisionError` where that is undefined, `InexactError` for a float that is not its own shortest decimal, in
        the constants or in the expression, and for functions without an exact version.
        """
        given = {name: constants[name] for name in self.names}
        if self.is_rational and all(isinstance(value, Fraction) for value in given.values()):
            return self._evaluated(given)
        values = {name: exact(value) for name, value in given.items()}
        if self.is_rational and all(value.is_rational for value in values.values()):
            return self._evaluated({name: value.fraction() for name, value in values.items()})
        found = _evaluated(sp.sympify(self.expression), values)
        return found.fraction() if found.is_rational else found

    def _evaluated(self, values: Mapping[str, Fraction]) -> Fraction:
        names = {identifier(name): value for name, value in values.items()}
        found = eval(self._compiled, {"Fraction": Fraction}, names)
        if isinstance(found, float):
            raise InexactError(f"{self.expression} came out as the float {found!r}; expected a Fraction")
        return Fraction(found)

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
