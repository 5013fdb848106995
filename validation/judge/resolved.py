"""A counterexample resolved: the world's plain computation at one instance, as straight arithmetic that fits a page.

The plain function runs once on numbers that remember how they were made. What it did is then written out: loops are
gone, branches taken, zeros of the instance left out. Every hypothesis stands with the numbers that it compares, every
term of the right side by itself; a series, as of e^x, stands there as a function. Where that would be more than a page,
or is not arithmetic, there is none, and the script carries the plain function itself.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from validation.judge.remembered import Node, Record, calling, named, node_of, remembering
from validation.judge.rolled import rolled
from validation.judge.written import Writer, fraction, without_words
from validation.statement.bound import Bound, identifier, python_source
from validation.statement.claim import ExactCheck
from validation.statement.formula_check import FormulaCheck

__all__ = ["LONGEST", "resolved"]

LONGEST = 60  # lines of a script that is one page
_WIDE = 110  # characters of a line of short assignments
_DIGITS = 40  # of a number that is readable
_SHOWN = 3  # comparisons of one hypothesis
_LAYOUTS = ((8, False), (12, False), (8, True), (5, True))  # most letters of a formula, steps kept apart
_WIDER = ((16, False), (24, False))  # where none of these fits


_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eta": "η", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "rho": "ρ", "sigma": "σ", "tau": "τ", "Gamma": "Γ", "Delta": "Δ", "Omega": "Ω", "Pi": "Π", "Psi": "Ψ",
}  # fmt: skip


def _letter(name: str) -> str:
    first, *rest = name.split("_")
    return "_".join([_GREEK.get(first, first), *rest])


def resolved(
    claim_id: str, reading: str, statement: str, bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]
) -> str | None:
    """The script of a page; None where the computation is longer, not rational, or does not confirm the violation."""
    if not bound.is_rational:
        return None
    try:
        script = _written(claim_id, reading, statement, bound, exact, instance)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None
    return script if script is not None and _confirms(script) else None


def _written(
    claim_id: str, reading: str, statement: str, bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]
) -> str | None:
    formulas: Any = exact.function if isinstance(exact, FormulaCheck) else None
    plain = exact if formulas is None else formulas.plain
    met, constants = exact.function(instance)
    if not all(met.values()):  # what fails would stand there by the comparisons that hold
        return None
    record = Record(frozenset(met))
    given = {name: remembering(record, name, value) for name, value in instance.items()}
    _, seen = ({}, given) if plain is None else calling(plain.function, plain.uses)(given)
    wanted = {*bound.names} - {n for n, _ in formulas.defined} if formulas is not None else {*bound.names, "lhs"}
    if formulas is not None:
        more = [formulas.below] if formulas.below is not None else []
        parts = [
            formulas.left,
            *more,
            *(b for _, b in formulas.defined),
            *(s for h in formulas.hypotheses for s in h.sides),
        ]
        wanted |= {name for part in parts for name in part.names} - {n for n, _ in formulas.defined}
    nodes = {name: node_of(seen[name], record) for name in sorted(wanted)}
    shown = {name: rows for name, rows in record.compared.items() if name in met}
    tests = {name: _nearest(rows) for name, rows in shown.items()}
    if any(node is None for node in nodes.values()):
        return None
    found = {name: node for name, node in nodes.items() if node is not None}
    terms, lhs, rhs = _terms(bound, constants), _fraction_of(constants["lhs"]), _rational(bound, constants)
    head = {"claim": claim_id, "reading": reading, "statement": statement}
    functions = "".join(f"{without_words(f)}\n" for f in record.called.values())
    if "Decimal(" in functions:
        functions = f"from decimal import Context, Decimal, localcontext\n{functions}"
    head["why"] = "\n".join(_why(lhs, rhs, terms, constants))
    for layouts in (_LAYOUTS, _WIDER):
        tried = [_page(head, functions, bound, formulas, instance, found, tests, terms, layout) for layout in layouts]
        text = min((page for page in tried if page is not None), key=lambda page: page.count("\n"), default=None)
        if text is not None and len(text.splitlines()) <= LONGEST:
            return text
    return None


def _page(
    head: Mapping[str, str],
    functions: str,
    bound: Bound,
    formulas: Any,
    instance: Mapping[str, Any],
    nodes: Mapping[str, Node],
    tests: Mapping[str, list[tuple[Node, str, Node]]],
    terms: tuple[Any, ...],
    layout: tuple[int, bool],
) -> str | None:
    """The page in one layout; None where a number of it is too long to be read."""
    letters = {id(node): "lhs" if name == "lhs" else identifier(name) for name, node in reversed([*nodes.items()])}
    roots = [*nodes.values(), *(n for rows in tests.values() for a, _, b in rows for n in (a, b))]
    writer = Writer(roots, letters, *layout)
    given = []
    for name, node in nodes.items():
        own = "lhs" if name == "lhs" else identifier(name)
        if node.name != name and writer.names.get(id(node)) != own:
            text = writer.text(node)
            given.append(f"{own} = {f'Fraction({text})' if text.isdigit() else text}")  # 1/2 of it is no float
    checks = [row for name, rows in tests.items() for row in _checks(writer, name, rows)]
    last: list[str] = []
    if formulas is not None:
        last += [f"{identifier(n)} = {python_source(b.expression)}" for n, b in formulas.defined]
        left = python_source(formulas.left.expression)
        below = formulas.below
        strictly = below is not None and f"0 if {left} < {python_source(below.expression)} else 1"
        last.append(f"lhs = {strictly or left}")
        checks += [
            f"    ({h.words!a}, {python_source(h.left)}, {'<' if h.strict else '<='!r}, {python_source(h.right)}),"
            for h in formulas.hypotheses
        ]
    right = python_source(bound.expression)
    steps = rolled(writer.lines, set(re.findall(r"\w+", "\n".join([*given, *last, *checks, right]))))
    steps = [*_packed([_greek(line) for line in steps]), *_packed(given), *_packed(last)]
    used = set(re.findall(r"\w+", "\n".join([*steps, *checks])))
    numbers = [(n, v) for name, value in instance.items() for n, v in named(name, value)]
    values = [f"{identifier(n)} = {fraction(v)}" for n, v in numbers if identifier(n) in used | set(bound.names)]
    if any(len(word) > _DIGITS for line in (*values, *steps) for word in re.findall(r"\d+", line)):
        return None
    rows = "\n".join(f"    ({_short(t, i)!a}, {python_source(t)})," for i, t in enumerate(terms))
    return _PAGE.format(
        **{name: "\n".join(_line(words) for words in text.splitlines()) for name, text in head.items()},
        values="\n".join(_packed(values)),
        steps="\n".join(steps),
        checks="\n".join(checks),
        functions=functions,
        terms=_TERMS.format(terms=rows) if len(terms) > 1 else "",
        right=right,
    )


def _greek(line: str) -> str:
    """A line with the Greek letter of what it names behind it."""
    name = re.match(r"([A-Za-z]\w*) = ", line)
    letter = _letter(name[1]) if name else ""
    return f"{line}  # {letter}" if name and letter != name[1] else line


def _nearest(rows: list[tuple[Node, str, Node]]) -> list[tuple[Node, str, Node]]:
    """The comparisons of a hypothesis, each once, those nearest to failing first."""
    once = list({(id(a), sign, id(b)): (a, sign, b) for a, sign, b in rows}.values())
    return sorted(once, key=lambda row: abs(row[0].value - row[2].value))


def _checks(writer: Writer, name: str, rows: list[tuple[Node, str, Node]]) -> list[str]:
    """One line for each of the nearest comparisons, and one for all others."""
    told = [(writer.text(a), sign, writer.text(b)) for a, sign, b in rows]
    found = [f"    ({name!a}, {a}, {sign!r}, {b})," for a, sign, b in told[:_SHOWN]]
    others = " and ".join(f"{a} {sign} {b}" for a, sign, b in told[_SHOWN:])
    return [*found, *([f"    ({f'{name}: the others'!a}, {others}, '==', True),"] if others else [])]


_BRIEF = 50  # characters of an assignment that may share its line


def _packed(lines: list[str]) -> list[str]:
    """Short assignments several to a line, those inside a loop too; their Greek letters stand behind the last."""
    out: list[list[str]] = []
    brief = False
    for line in lines:
        code, _, letter = line.partition("  # ")
        short = len(code.strip()) <= _BRIEF and " = " in code and "(f" not in code
        same = brief and len(code) - len(code.lstrip()) == len(out[-1][0]) - len(out[-1][0].lstrip())
        if short and same and len(out[-1][0]) + len(code) < _WIDE:
            out[-1] = [f"{out[-1][0]}; {code.strip()}", ", ".join(filter(None, (out[-1][1], letter)))]
        else:
            out.append([code, letter])
        brief = short
    return [f"{code}  # {letters}" if letters else code for code, letters in out]


def _line(words: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in words)
    return plain.replace("\\", "\\\\").replace('"""', "'''")


def _rational(bound: Bound, constants: Mapping[str, Any]) -> Fraction:
    return _fraction_of(bound.exact(constants))


def _fraction_of(value: Any) -> Fraction:
    if not isinstance(value, int | Fraction):
        raise TypeError(f"{value} is not rational")
    return Fraction(value)


def _terms(bound: Bound, constants: Mapping[str, Any]) -> tuple[Any, ...]:
    """The terms of the right side; of a maximum or minimum those of the argument that it is here."""
    expression = sp.sympify(bound.expression)
    if isinstance(expression, sp.Max | sp.Min):
        least = isinstance(expression, sp.Min)
        expression = (min if least else max)(expression.args, key=lambda part: _rational(Bound(part), constants))
    return tuple(sp.Add.make_args(expression))


def _short(term: Any, i: int) -> str:
    words = str(term)
    return words if len(words) <= _WIDE // 2 else f"number {i + 1}"


def _why(lhs: Fraction, rhs: Fraction, terms: tuple[Any, ...], constants: Mapping[str, Any]) -> tuple[str, str]:
    """Two sentences: by how much the statement is missed, and what the right side is made of."""
    first = f"Here the left side is {float(lhs):.4g}"
    first += f", {float(lhs / rhs):.4g} times the right side." if rhs > 0 else f" and the right side {float(rhs):.4g}."
    values = {str(t): _rational(Bound(t), constants) for t in terms}
    largest = max(values, key=lambda name: abs(values[name]))
    if rhs == 0 and len(terms) == 1:
        return first, "Nothing should be left, and something is."
    second = f"Of the {len(terms)} terms of the right side {largest} is the largest, {float(values[largest]):.4g}."
    return first, second if len(terms) > 1 else f"The right side is one term, {largest}."


_PAGE = '''"""Counterexample to {claim}. Reading: {reading}.

Claimed: {statement}
{why}
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from fractions import Fraction
from operator import eq, ge, gt, le, lt
_SIGNS = {{"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq}}
{functions}
# The instance; a number behind a letter says which client, round or coordinate. What is 0 and adds nothing is left out.
{values}

# What is observed on it.
{steps}

_held = True
for _name, _left, _sign, _right in [
{checks}
]:
    _held &= (_met := _SIGNS[_sign](_left, _right))
    print(f"hypothesis {{_name}}: {{_left}} {{_sign}} {{_right}}: {{_met}}")
{terms}rhs = {right}
print(f"left side {{lhs}}, right side {{rhs}}" + (f", ratio {{float(lhs / rhs):.6g}}" if rhs else ""))
print("violated" if (violated := _held and float not in (type(lhs), type(rhs)) and lhs > rhs) else "NOT violated")
raise SystemExit(0 if violated else 1)
'''

_TERMS = """for _name, _value in [
{terms}
]:
    print(f"term {{_name}} = {{_value}} = {{float(_value):.6g}}")
"""


def _confirms(script: str) -> bool:
    """Whether the script, run here, ends as one that confirms."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(script, "<resolved>", "exec"), {"__name__": "resolved"})
    except SystemExit as end:
        return end.code == 0
    except Exception:
        return False
    return False
