"""A counterexample that no page of straight arithmetic holds: the world's own function, cut to what it does at it.

Laid out as those that are resolved are: the instance, what is observed on it in the letters of the statement, every
hypothesis, every term of the right side. Why it is not written out stands in its head.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from theory.exact.decide import Enclosed, near
from theory.exact.interval import Interval
from validation.script.page import (
    WIDE,
    confirms,
    literal,
    meaning,
    plain_line,
    quoted,
    rational,
    reasons,
    right_side,
    side_told,
    terms_of,
)
from validation.script.slice import Cut, cut
from validation.statement.bound import Bound, identifier, interval_source, python_source
from validation.statement.claim import ExactCheck
from validation.statement.forms.formula_check import FormulaCheck

__all__ = ["carried"]

_LONG = (
    "Written out step by step it would be more than a page, or of numbers too long to be read.\n"
    "So here is the world's own function, cut to what it does at this instance; at another it may do more."
)
_ROOTS = (
    "The right side has roots, which are enclosed between rationals; the left side lies above.\n"
    "Here is the world's own function, cut to what it does at this instance; at another it may do more."
)
_LONG_NUMBER = 10**4000  # no decimal text of such a length is read
_ENTRIES = 80  # characters of several fields in one line
_ALIKE = 6  # equal numbers of a list that are not written out
_ROUNDING = Fraction(1, 10**30)  # a right side below this only allows for rounding: no ratio tells anything


def carried(
    claim_id: str, reading: str, statement: str, bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]
) -> str | None:
    """The script; None where Python alone cannot confirm the violation: roots on the
    left, exp and log, maxima of roots, near equality.
    """
    formulas: Any = exact.function if isinstance(exact, FormulaCheck) else None
    plain = exact if formulas is None else formulas.plain
    _, constants = exact.function(instance)
    if not isinstance(constants["lhs"], int | Fraction | Enclosed):  # roots on the left
        return None
    enclosed = None
    if not bound.is_rational:
        enclosed = interval_source(bound.expression)
        names = {identifier(name): constants[name] for name in bound.names}
        if enclosed is None or not constants["lhs"] > _high(enclosed, names):
            return None
    wanted = _wanted(bound, formulas)
    found = Cut("", "{}, INSTANCE", tuple(instance))
    whole = found
    if plain is not None:
        chosen = plain.function.keywords if isinstance(plain.function, partial) else {}
        function: Callable[..., Any] = plain.function.func if isinstance(plain.function, partial) else plain.function
        found, whole = (cut(function, plain.uses, chosen, instance, wanted, least=least) for least in (False, True))
    pages = (
        _page((claim_id, reading, statement), bound, enclosed, exact, made, instance, constants)
        for made in (found, whole)
    )
    first = next(pages)
    return first if confirms(first) else next(pages)


def _high(enclosed: str, names: Mapping[str, Any]) -> Any:
    return eval(enclosed, {"Interval": Interval, "Fraction": Fraction}, dict(names)).high


def _wanted(bound: Bound, formulas: Any) -> frozenset[str]:
    """The quantities that the script speaks of."""
    if formulas is None:
        return frozenset({*bound.names, "lhs"})
    parts = [bound, formulas.left, *(b for _, b in formulas.defined)]
    parts += [formulas.below] if formulas.below is not None else []
    parts += [side for h in formulas.hypotheses for side in h.sides]
    return frozenset({name for part in parts for name in part.names} - {name for name, _ in formulas.defined})


def _page(
    titles: tuple[str, str, str],
    bound: Bound,
    enclosed: str | None,
    exact: ExactCheck,
    found: Cut,
    instance: Mapping[str, Any],
    constants: Mapping[str, Any],
) -> str:
    formulas: Any = exact.function if isinstance(exact, FormulaCheck) else None
    says = exact.letters if isinstance(exact, FormulaCheck) else {}
    lhs = Fraction(near(constants["lhs"]))
    why, right, sides = (
        _rational(bound, lhs, constants) if enclosed is None else _enclosed(enclosed, bound, lhs, constants)
    )
    names = sorted(_wanted(bound, formulas) - {"lhs"})
    letters = [f"{identifier(n)} = constants[{quoted(n)}]{_words(n, says)}" for n in names]
    more = ""
    if formulas is None:
        letters.append('lhs = constants["lhs"]')
    else:
        letters += [f"{identifier(n)} = {python_source(b.expression)}{_words(n, says)}" for n, b in formulas.defined]
        left = python_source(formulas.left.expression)
        below = formulas.below
        letters.append(f"lhs = {left if below is None else f'0 if {left} < {python_source(below.expression)} else 1'}")
        more = "".join(f"hypotheses[{quoted(h.words)}] = {h.source}\n" for h in formulas.hypotheses)
    claim, reading, statement = ("\n".join(map(plain_line, words.splitlines())) for words in titles)
    body = _BODY.format(
        functions="\n\n".join(filter(None, (_interval() if enclosed else "", found.source))),
        values=_values({name: instance[name] for name in found.fields}),
        call=found.call,
        letters="\n".join(letters),
        more=more,
        right=right,
        sides=sides,
    )
    because = (_LONG if enclosed is None else _ROOTS) if found.source else ""
    head = "\n".join(filter(None, [f"Claimed: {statement}", *map(plain_line, why), because]))
    return _HEAD.format(claim=claim, reading=reading, head=head, imports=_imports(body)) + body


def _rational(bound: Bound, lhs: Fraction, constants: Mapping[str, Any]) -> tuple[tuple[str, ...], str, str]:
    """Why the statement is missed, in words; the lines that make `rhs`; both sides as they are printed."""
    source = f"rhs = {python_source(bound.expression)}"
    try:
        terms, rhs = terms_of(bound, constants), rational(bound, constants)
    except TypeError:  # a number that Python alone has no fraction for
        return (), source, "left side about {float(lhs):.9g}, right side about {float(rhs):.9g}"
    told = f"left side {_told('lhs', lhs)}, right side {_told('rhs', rhs)}"
    try:
        why: tuple[str, ...] = reasons(lhs, rhs, terms, constants)
    except OverflowError:  # no float holds them
        return (), source, told
    if 0 < rhs < _ROUNDING:
        why = (f"Here the left side is {float(lhs):.4g}; the right side allows for rounding alone.",)
    ratio = ", ratio {float(lhs / rhs):.6g}" if abs(rhs) >= _ROUNDING else ""
    return why, right_side(bound, terms), f"{told}{ratio}"


def _enclosed(
    enclosed: str, bound: Bound, lhs: Fraction, constants: Mapping[str, Any]
) -> tuple[tuple[str, ...], str, str]:
    """The same of a right side with roots."""
    high = _high(enclosed, {identifier(name): constants[name] for name in bound.names})
    source = f"rhs = ({enclosed}).high"
    try:
        why = f"Here the left side is {float(lhs):.4g}, and the right side at most {float(high):.4g}."
    except OverflowError:  # no float holds them
        return (), source, "left side and right side are beyond the range of floats"
    return (why,), source, f"left side {_told('lhs', lhs)}, right side at most about {{float(rhs):.9g}}"


def _told(name: str, value: Fraction) -> str:
    try:
        float(value)
    except OverflowError:
        return "beyond the range of floats"
    return side_told(name, value)


def _words(name: str, says: Mapping[str, str]) -> str:
    words = meaning(identifier(name), says.get(name, ""))
    return f"  # {words}" if words else ""


def _values(instance: Mapping[str, Any]) -> str:
    """The fields of the instance as lines, short ones several to a line, long ones over several."""
    out: list[str] = []
    for name, value in instance.items():
        entry = f"{quoted(name)}: {_value(value)},"
        if out and len(out[-1]) + len(entry) < _ENTRIES:
            out[-1] += f" {entry}"
        else:
            out.append(f"    {entry}")
    return "".join(f"{line}\n" for entry in out for line in _folded(entry))


def _folded(entry: str) -> list[str]:
    lines = textwrap.wrap(entry, WIDE, subsequent_indent=" " * 8, break_long_words=False, break_on_hyphens=False)
    return [f"    {lines[0].strip()}", *lines[1:]]


def _value(value: Any) -> str:
    """Source of a number of the instance or a list, for `_exact` of the script: 2, "1/2", [0] * 100."""
    if not isinstance(value, list):
        number = Fraction(value)
        if max(abs(number.numerator), number.denominator) >= _LONG_NUMBER:
            return literal(number)
        return str(number) if number.denominator == 1 else f'"{number}"'
    if len(value) >= _ALIKE and all(item == value[0] for item in value):
        return f"[{_value(value[0])}] * {len(value)}"
    return f"[{', '.join(map(_value, value))}]"


def _interval() -> str:
    return textwrap.dedent(inspect.getsource(Interval))


def _imports(body: str) -> str:
    """The imports that a script needs."""
    known = {
        "from collections.abc import Callable, Mapping, Sequence": ("Callable", "Mapping", "Sequence"),
        "from decimal import Context, Decimal, localcontext": ("Decimal(",),
        "from fractions import Fraction": ("Fraction",),
        "from math import isqrt": ("isqrt(",),
        "from typing import Any": ("Any",),
    }
    lines = [line for line, words in known.items() if any(word in body for word in words)]
    return "\n".join([*(["from __future__ import annotations\n"] if " -> " in body else []), *lines])


_HEAD = '''"""Counterexample to {claim}. Reading: {reading}.

{head}
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
{imports}

'''

_BODY = """{functions}
def _exact(value):
    return [_exact(v) for v in value] if isinstance(value, list) else Fraction(value)

# The instance.
INSTANCE = {{
{values}}}
INSTANCE = {{name: _exact(value) for name, value in INSTANCE.items()}}

# What is observed on it.
hypotheses, constants = {call}
{letters}
{more}for words, met in hypotheses.items():
    print(f"hypothesis {{words}}: {{met}}")
{right}
print(f"{sides}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
"""
