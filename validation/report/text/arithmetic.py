"""Arithmetic that a text prints, «1 − 9.87/11.20 = 11.9%», worked out: what its right side should be."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from fractions import Fraction

__all__ = ["worked_out"]

_SUM = re.compile(r"(?<![\w.)²])(?P<sum>[−√(]*\d[\d.²%)(√+−×·/ ]*?) = (?=[−+]?\d)")
_ROOT = re.compile(r"√(?=[\d(])")
_PER_CENT = re.compile(r"(\d+(?:\.\d+)?)%")


def worked_out(text: str) -> Iterator[Fraction]:
    """The value of every sum of a text that stands before «=» and a number, and a hundred times it, for per cent.

    >>> [float(round(value, 4)) for value in worked_out("They fall by 1 − 9.87/11.20 = 11.9% in all.")]
    [0.1188, 11.875]
    >>> [float(round(value, 2)) for value in worked_out("0.33 ± √(0.32² + 0.37²) = 0.49; and E = 3/4")]
    [0.49, 48.92]
    >>> [float(value) for value in worked_out("most on Webcam (86.44 − 77.40 = 9.04)")][:1]
    [9.04]
    """
    for found in _SUM.finditer(text):
        written = found["sum"].strip()
        opened = max(0, written.count("(") - written.count(")"))
        value = _value(written.removeprefix("(" * opened))
        if value is not None:
            yield from (value, 100 * value)


def _value(written: str) -> Fraction | None:
    """Of whole numbers and decimals, with + − × / ² and √; None of a number alone and of what is no sum."""
    if not re.search(r"²|√|[+−×·/](?=.*\d)", written[1:]) and "√" not in written:
        return None
    plain = _PER_CENT.sub(r"(\1/100)", written)
    plain = _ROOT.sub("sqrt", plain)
    plain = re.sub(r"sqrt(\d+(?:\.\d+)?)", r"sqrt(\1)", plain)
    for sign, instead in {"−": "-", "×": "*", "·": "*", "²": "**2"}.items():
        plain = plain.replace(sign, instead)
    try:
        return _of(ast.parse(plain, mode="eval").body, plain)
    except (SyntaxError, ValueError, ZeroDivisionError):
        return None


def _of(node: ast.expr, text: str) -> Fraction:
    match node:
        case ast.Constant():
            return Fraction(ast.get_source_segment(text, node) or "")
        case ast.UnaryOp(ast.USub(), operand):
            return -_of(operand, text)
        case ast.Call(ast.Name("sqrt"), [inside]):
            return Fraction(math.sqrt(_of(inside, text)))
        case ast.BinOp(left, operator, right):
            a, b = _of(left, text), _of(right, text)
            match operator:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
                case ast.Pow() if b == 2:
                    return a * a
    raise ValueError(text)
