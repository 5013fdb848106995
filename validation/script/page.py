"""What scripts of counterexamples share: letters, lines, the right side by its terms, two sentences on both sides."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from validation.statement.bound import Bound, python_source

__all__ = [
    "DIGITS",
    "WIDE",
    "confirms",
    "fraction_of",
    "literal",
    "meaning",
    "packed",
    "plain_line",
    "quoted",
    "rational",
    "reasons",
    "right_side",
    "side_told",
    "terms_of",
]

WIDE = 110  # characters of a line of short assignments


DIGITS = 40  # of a number that is readable


_BRIEF = 50  # characters of an assignment that may share its line


_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eta": "η", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "Gamma": "Γ", "Delta": "Δ", "Omega": "Ω", "Pi": "Π", "Psi": "Ψ",
}  # fmt: skip


_TERMS = """summands = [
{terms}
]
for words, value in summands:
    print(f"term {{words}} = {{value}} = {{float(value):.6g}}")
rhs = {right}"""


def literal(value: Any) -> str:
    """Python source of Fractions in nested lists."""
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
    value = Fraction(value)
    top, below = _whole(value.numerator), _whole(value.denominator)
    return f"Fraction({top})" if value.denominator == 1 else f"Fraction({top}, {below})"


def _whole(number: int) -> str:
    """Python source of an integer; in hexadecimal where Python reads no decimal of that length."""
    return str(number) if abs(number) < 10**4000 else hex(number)


def _letter(name: str) -> str:
    first, *rest = name.split("_")
    return "_".join([_GREEK.get(first, first), *rest])


def meaning(name: str, words: str) -> str:
    """What a quantity is, its Greek letter in front."""
    letter = _letter(name)
    return plain_line(": ".join(filter(None, (letter if letter != name else "", words))))


def side_told(name: str, value: Fraction) -> str:
    """A side as a script prints it: the fraction, a decimal of one too long to be read."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()  # Python writes no integer of 4,300 digits
    short = bits <= 8 * DIGITS and len(str(value)) <= 2 * DIGITS
    return f"{{{name}}}" if short else f"about {{float({name}):.9g}}"


def quoted(text: str) -> str:
    """Python source of words."""
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else ascii(text)


def plain_line(words: str) -> str:
    """Words as they stand in one line of a docstring."""
    plain = "".join(c if c.isprintable() else " " for c in words)
    return plain.replace("\\", "\\\\").replace('"""', "'''")


def packed(lines: list[tuple[str, str]], roomy: bool) -> list[str]:
    """(Assignment, words about it) as lines, short ones several to a line, those inside a loop too.

    With room its words stand behind it, or above it where both are long, and a long sum over several lines.
    """
    out: list[tuple[str, str]] = []
    brief = False
    for code, words in lines:
        short = len(code.strip()) <= _BRIEF and " = " in code and "(f" not in code and not (roomy and words)
        same = brief and len(code) - len(code.lstrip()) == len(out[-1][0]) - len(out[-1][0].lstrip())
        if short and same and len(out[-1][0]) + len(code) < WIDE - 2:
            out[-1] = f"{out[-1][0]}; {code.strip()}", ""
        else:
            out.append((code, words))
        brief = short
    return [line for code, words in out for line in (_wrapped(code, words) if roomy else [code])]


def _wrapped(code: str, words: str) -> list[str]:
    """A line with its words, and a long sum in brackets over several lines."""
    comment = f"  # {words}" if words else ""
    if len(code) <= WIDE or "; " in code:
        return [code + comment] if len(code + comment) <= WIDE + 10 else [f"# {words}", code]
    name, _, formula = code.partition(" = ")
    parts, depth = [""], 0
    for word in re.findall(r" [+-] |.", formula):
        depth += (word == "(") - (word == ")")
        if len(word) == 3 and not depth:
            parts.append(word[1:])
        else:
            parts[-1] += word
    if len(parts) == 1 or "(f" in code:
        return [code + comment]
    margin = " " * (len(code) - len(code.lstrip()))
    words_apart = " ".join(part.replace(" ", "\0") for part in parts)
    rows = textwrap.wrap(words_apart, WIDE - len(margin) - 4, break_long_words=False, break_on_hyphens=False)
    rows = [row.replace("\0", " ") for row in rows]
    return [f"{name} = ({comment}", *(f"{margin}    {row}" for row in rows), f"{margin})"]


def rational(bound: Bound, constants: Mapping[str, Any]) -> Fraction:
    """The value of a bound; `TypeError` where it is none of a fraction."""
    return fraction_of(bound.exact(constants))


def fraction_of(value: Any) -> Fraction:
    """The same number as a fraction; `TypeError` for any other."""
    if not isinstance(value, int | Fraction):
        raise TypeError(f"{value} is not rational")
    return Fraction(value)


def terms_of(bound: Bound, constants: Mapping[str, Any]) -> tuple[Any, ...]:
    """The terms of the right side; of a maximum or minimum those of the argument that it is here."""
    expression = sp.sympify(bound.expression)
    if isinstance(expression, sp.Max | sp.Min):
        least = isinstance(expression, sp.Min)
        expression = (min if least else max)(expression.args, key=lambda part: rational(Bound(part), constants))
    return tuple(sp.Add.make_args(expression))


def _short(term: Any, i: int) -> str:
    words = str(term)
    return words if len(words) <= WIDE // 2 else f"number {i + 1}"


def reasons(lhs: Fraction, rhs: Fraction, terms: tuple[Any, ...], constants: Mapping[str, Any]) -> tuple[str, str]:
    """Two sentences: by how much the statement is missed, and what the right side is made of."""
    first = f"Here the left side is {float(lhs):.4g}"
    first += f", {float(lhs / rhs):.4g} times the right side." if rhs > 0 else f" and the right side {float(rhs):.4g}."
    values = {str(t): rational(Bound(t), constants) for t in terms}
    largest = max(values, key=lambda name: abs(values[name]))
    if rhs == 0 and len(terms) == 1:
        return first, "Nothing should be left, and something is."
    second = f"Of the {len(terms)} terms of the right side {largest} is the largest, {float(values[largest]):.4g}."
    return first, second if len(terms) > 1 else f"The right side is one term, {largest}."


def confirms(script: str) -> bool:
    """Whether the script, run here, ends as one that confirms, with sides that are exact."""
    found: dict[str, Any] = {"__name__": "resolved"}
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "<resolved>", "exec"), found)
    except SystemExit as end:
        return end.code == 0 and all(isinstance(found[side], int | Fraction) for side in ("lhs", "rhs"))
    except Exception:
        return False
    return False


def right_side(bound: Bound, terms: tuple[Any, ...]) -> str:
    """The lines that make `rhs`; of several terms each is printed."""
    right = python_source(bound.expression)
    if len(terms) == 1:
        return f"rhs = {right}"
    rows = "\n".join(f"    ({_short(t, i)!a}, {python_source(t)})," for i, t in enumerate(terms))
    whole = "sum(value for _, value in summands)" if sp.sympify(bound.expression).is_Add else right
    return _TERMS.format(terms=rows, right=whole)
