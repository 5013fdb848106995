r"""A Python expression of a script as LaTeX: `L*(Gamma - Omega)/mu` becomes \frac{L(\Gamma-\Omega)}{\mu}."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["is_greek", "latex_of", "name_latex"]

# fmt: off
_GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi",
    "Omega",
))
# fmt: on
_WIDE, _FEW = 150, 2  # characters of a fraction, terms of a sum in it, that a line has room for
_CALLS = {"Max": r"\max", "Min": r"\min", "max": r"\max", "min": r"\min"}


def is_greek(name: str) -> bool:
    """Whether a name is that of a Greek letter."""
    return name in _GREEK


def name_latex(name: str) -> str:
    r"""`sigma_1` as \sigma_{1}, `G2` as G^{2}, `excess` as upright letters."""
    stem, _, index = name.partition("_")
    if stem in _GREEK:
        shown = f"\\{stem} "
    elif re.fullmatch(r"[A-Za-z]", stem):
        shown = stem
    elif found := re.fullmatch(r"([A-Za-z])([2-9])", stem):
        shown = f"{found[1]}^{{{found[2]}}}"
    elif found := re.fullmatch(r"([A-Za-z])(\d+)", stem):
        shown = f"{found[1]}_{{{found[2]}}}"
    else:
        shown = rf"\mathrm{{{stem}}}"
    if not index:
        return shown
    numbers = index.replace("_", ",") if index.replace("_", "").isdigit() else ""
    lower = numbers or (index if len(index) == 1 else rf"\text{{{index.replace('_', ' ')}}}")
    return f"{shown}_{{{lower}}}"


def latex_of(expression: str, named: Callable[[str], str] = name_latex, *, dotted: bool = False) -> str:
    r"""The expression in LaTeX, as \text where it is more than arithmetic on names; `named`: LaTeX of a name.

    `dotted`: with a point between factors, as numbers need it.
    """
    try:
        return _Writer(named, dotted)(ast.parse(expression, mode="eval").body, 0)
    except (SyntaxError, LookupError, RecursionError):
        return r"\text{" + re.sub(r"([\\{}$&#%_^~])", r" ", expression) + "}"


@dataclass(frozen=True)
class _Writer:
    """Writes expressions with names as `named` has them."""

    named: Callable[[str], str]
    dotted: bool = False

    def __call__(self, node: ast.expr, inside: int) -> str:
        match node:
            case ast.Name(id=name):
                shown = self.named(name)
                return rf"\left({shown}\right)" if inside > 1 and not _is_number(shown) and _is_sum(shown) else shown
            case ast.Constant(value=int() | float() as value):
                return str(value)
            case ast.UnaryOp(op=ast.USub(), operand=part):
                return _bracketed(f"-{self(part, 2)}", 1, inside)
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                whole = rf"\frac{{{self(left, 0)}}}{{{self(right, 0)}}}"
                found = _long_sum(left) if len(whole) > _WIDE else None
                if found is None:
                    return whole
                factor, long = found  # a fraction cannot break over lines, a sum in brackets behind it can
                return rf"\frac{{{self(factor, 0)}}}{{{self(right, 0)}}}\left({self(long, 0)}\right)"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                base = self(left, 0)
                apart = isinstance(left, ast.BinOp | ast.UnaryOp) or "^" in base or _is_sum(base)
                base = rf"\left({base}\right)" if apart and not _is_bracketed(base) else base
                return f"{{{base}}}^{{{self(right, 0)}}}"
            case ast.BinOp(op=ast.Mult()) if (bare := _without_minus(node)) is not None:
                return _bracketed(f"-{self(bare, 2)}", 1, inside)
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return _bracketed(_product(self(left, 2), self(right, 3), self.dotted), 2, inside)
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                return _bracketed(self.summed(_terms(node)), 1, inside)
            case ast.Call(func=ast.Name(id="Fraction"), args=[only]):
                return self(only, inside)
            case ast.Call(func=ast.Name(id="Fraction"), args=[top, bottom]):
                return rf"\frac{{{self(top, 0)}}}{{{self(bottom, 0)}}}"
            case ast.Call(func=ast.Name(id="abs" | "Abs"), args=[only]):
                return rf"|{self(only, 0)}|"
            case ast.Call(func=ast.Name(id="exp"), args=[only]):
                return rf"\exp\left({self(only, 0)}\right)"
            case ast.Call(func=ast.Name(id="sqrt"), args=[only]):
                return rf"\sqrt{{{self(only, 0)}}}"
            case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
                return rf"{_CALLS[name]}({','.join(self(a, 0) for a in args)})"
        raise LookupError(ast.dump(node))

    def summed(self, terms: Sequence[tuple[bool, ast.expr]]) -> str:
        """A sum; where it would begin with a minus, what is added comes first, numbers before all else."""
        if not terms[0][0] and any(added for added, _ in terms):
            terms = sorted(terms, key=lambda term: (not term[0], not isinstance(term[1], ast.Constant)))
        written = [f"+{self(term, 1)}" if added else f"-{self(term, 2)}" for added, term in terms]
        return "".join(written).removeprefix("+")


def _long_sum(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """(the other factor, the sum) of a product with a sum of several terms; None for anything else."""
    match node:
        case ast.BinOp(left=factor, op=ast.Mult(), right=long) if len(_terms(long)) > _FEW:
            return factor, long
    return None


def _terms(node: ast.expr) -> list[tuple[bool, ast.expr]]:
    """(whether it is added, the term) of a sum in its order; a minus in front of a product is its term's."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [*_terms(left), *_terms(right)]
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return [*_terms(left), (False, right)]
    bare = _without_minus(node)
    return [(bare is None, node if bare is None else bare)]


def _without_minus(node: ast.expr) -> ast.expr | None:
    """What a minus stands in front of, as that of -2*A*C; None where there is none."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return part
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() as op, right=right):
            bare = _without_minus(left)
            return None if bare is None else ast.BinOp(left=bare, op=op, right=right)
    return None


def _is_number(latex: str) -> bool:
    """Whether it is a number that needs no brackets in a product: a fraction, or one that has them."""
    return bool(re.fullmatch(r"\\frac\{\d+\}\{\d+\}", latex)) or _is_bracketed(latex)


def _is_bracketed(latex: str) -> bool:
    return bool(re.fullmatch(r"\\left\([^()]*\\right\)", latex))


def _is_sum(latex: str) -> bool:
    """Whether a name's LaTeX is more than a letter with indices: a sum, a difference, a fraction, a largest value."""
    bare = re.sub(r"[_^]\{[^{}]*\}|[_^].", " ", latex)
    return bool(re.search(r"\\(?:sum|max|min|lim|frac)(?![A-Za-z])|[^{(]\s*[-+]|\\mathbb E", bare))


def _product(left: str, right: str, dotted: bool) -> str:
    """Side by side; a point where letters or digits would run together."""
    touch = left[-1:].isdigit() and right[:1].isdigit()
    return left + (r"\cdot " if touch or dotted else r"\,") + right


def _bracketed(text: str, binds: int, inside: int) -> str:
    return rf"\left({text}\right)" if binds < inside else text
