r"""A Python expression of a script as LaTeX: `L*(Gamma - Omega)/mu` becomes \frac{L(\Gamma-\Omega)}{\mu}."""

from __future__ import annotations

import ast
import re

__all__ = ["latex_of", "name_latex"]

# fmt: off
_GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi",
    "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Sigma", "Phi", "Psi",
    "Omega",
))
# fmt: on
_CALLS = {"Max": r"\max", "Min": r"\min", "max": r"\max", "min": r"\min"}


def latex_of(expression: str) -> str:
    r"""The expression in LaTeX, as \texttt where it is more than arithmetic on names."""
    try:
        return _text(ast.parse(expression, mode="eval").body, 0)
    except (SyntaxError, LookupError, RecursionError):
        return r"\text{" + re.sub(r"([\\{}$&#%_^~])", r" ", expression) + "}"


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
    lower = index if index.isdigit() or len(index) == 1 else rf"\text{{{index.replace('_', ' ')}}}"
    return f"{shown}_{{{lower}}}"


def _text(node: ast.expr, inside: int) -> str:
    match node:
        case ast.Name(id=name):
            return name_latex(name)
        case ast.Constant(value=int() | float() as value):
            return str(value)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return _bracketed(f"-{_text(part, 2)}", 1, inside)
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return rf"\frac{{{_text(left, 0)}}}{{{_text(right, 0)}}}"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            base = _text(left, 0)
            base = rf"\left({base}\right)" if isinstance(left, ast.BinOp | ast.UnaryOp) else base
            return f"{{{base}}}^{{{_text(right, 0)}}}"
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _bracketed(_product(_text(left, 2), _text(right, 3)), 2, inside)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _bracketed(f"{_text(left, 1)}+{_text(right, 1)}", 1, inside)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _bracketed(f"{_text(left, 1)}-{_text(right, 2)}", 1, inside)
        case ast.Call(func=ast.Name(id="Fraction"), args=[only]):
            return _text(only, inside)
        case ast.Call(func=ast.Name(id="Fraction"), args=[top, bottom]):
            return rf"\frac{{{_text(top, 0)}}}{{{_text(bottom, 0)}}}"
        case ast.Call(func=ast.Name(id="abs" | "Abs"), args=[only]):
            return rf"|{_text(only, 0)}|"
        case ast.Call(func=ast.Name(id="sqrt"), args=[only]):
            return rf"\sqrt{{{_text(only, 0)}}}"
        case ast.Call(func=ast.Name(id=name), args=args) if name in _CALLS:
            return rf"{_CALLS[name]}({','.join(_text(a, 0) for a in args)})"
    raise LookupError(ast.dump(node))


def _product(left: str, right: str) -> str:
    """Side by side; a point where letters or digits would run together."""
    touch = left[-1:].isdigit() and right[:1].isdigit()
    return left + (r"\cdot " if touch else r"\,") + right


def _bracketed(text: str, binds: int, inside: int) -> str:
    return rf"\left({text}\right)" if binds < inside else text
