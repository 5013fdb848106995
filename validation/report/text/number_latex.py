r"""Numbers in LaTeX: \frac{2}{47}\approx0.04255, and what is too long to be read by its decimal."""

from __future__ import annotations

import math
from fractions import Fraction

__all__ = ["decimal_latex", "exact_latex", "valued_latex"]

LONGEST = 26  # digits of a fraction that is read
_BRIEF = 14  # digits of one that stands inside a formula

Number = Fraction | float


def decimal_latex(x: Number, digits: int = 4) -> str:
    r"""A number to `digits` significant digits.

    >>> decimal_latex(Fraction(1, 3)), decimal_latex(-2.5e-7)
    ('0.3333', '-2.5\\cdot10^{-7}')
    """
    try:
        near = float(x)
    except OverflowError:
        near = math.inf if x > 0 else -math.inf
    if not math.isfinite(near):
        return r"\infty" if near > 0 else r"-\infty"
    if near != 0 and not 1e-3 <= abs(near) < 1e6:
        mantissa, exponent = f"{near:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return rf"{mantissa}\cdot10^{{{int(exponent)}}}"
    return f"{near:.{digits}g}" if abs(near) < 10**digits else f"{near:.0f}"


def exact_latex(x: Number, longest: int = _BRIEF) -> str | None:
    r"""An integer or a fraction in full; None for one of more than `longest` digits, and for a float."""
    if not isinstance(x, Fraction) or max(x.numerator.bit_length(), x.denominator.bit_length()) > 4 * longest:
        return None
    if len(str(abs(x.numerator))) + (len(str(x.denominator)) if x.denominator > 1 else 0) > longest:
        return None
    if x.denominator == 1:
        return str(x.numerator)
    sign = "-" if x < 0 else ""
    return rf"{sign}\frac{{{abs(x.numerator)}}}{{{x.denominator}}}"


def valued_latex(x: Number) -> str:
    r"""`=` or `\approx` with the number: =\frac{1}{2}=0.5, =3, \approx2.3\cdot10^{5}."""
    exact = exact_latex(x, LONGEST)
    near = decimal_latex(x)
    if exact is None:
        return rf"\approx {near}"
    if isinstance(x, Fraction) and x.denominator == 1:
        return f"={exact}"
    same = isinstance(x, Fraction) and Fraction(f"{float(x):.4g}") == x
    return f"={exact}{'=' if same else chr(92) + 'approx '}{near}"
