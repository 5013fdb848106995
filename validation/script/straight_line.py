"""A counterexample resolved: the world's plain computation at one instance, as straight arithmetic that fits a page.

The plain function runs once on numbers that remember how they were made. What it did is then written out: loops are
gone, branches taken, zeros of the instance left out. Every hypothesis stands with the numbers that it compares, every
term of the right side by itself; a series, as of e^x, stands there as a function. Where that would be more than a page,
or is not arithmetic, there is none, and the script carries the plain function itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from validation.script.emit import Layout, Writer, fraction, without_words
from validation.script.page import (
    DIGITS,
    confirms,
    fraction_of,
    meaning,
    packed,
    plain_line,
    quoted,
    rational,
    reasons,
    right_side,
    side_told,
    terms_of,
)
from validation.script.reroll_loops import rolled
from validation.script.reuse_names import sharing
from validation.script.trace import Node, Record, calling, named, node_of, remembering
from validation.script.trace_names import watching
from validation.statement.bound import Bound, identifier, python_source
from validation.statement.claim import ExactCheck
from validation.statement.forms.formula_check import FormulaCheck

__all__ = ["LONGEST", "resolved"]

LONGEST = 100  # lines of a script that is followed from top to bottom
_SHOWN = 3  # comparisons of one hypothesis
_LAYOUTS = (Layout(12), Layout(12, 4), Layout(8, apart=True), Layout(5, apart=True))
_WIDER = (Layout(16, 6, 4), Layout(24, 12, 4), Layout(16, 16, 1), Layout(24, 24, 1))  # where none of these fits


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
    return script if script is not None and confirms(script) else None


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
    seen: Mapping[str, Any] = given
    if plain is not None:
        with watching(record, (plain.function, *plain.uses)):
            _, seen = calling(plain.function, plain.uses)(given)
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
    terms, lhs, rhs = terms_of(bound, constants), fraction_of(constants["lhs"]), rational(bound, constants)
    head = {"claim": claim_id, "reading": reading, "statement": statement}
    functions = "".join(f"{without_words(f)}\n" for f in record.called.values())
    if "Decimal(" in functions:
        functions = f"from decimal import Context, Decimal, localcontext\n{functions}"
    head["why"] = "\n".join(reasons(lhs, rhs, terms, constants))
    head["ratio"] = ", ratio {float(lhs / rhs):.6g}" if rhs else ""
    head["sides"] = f"left side {side_told('lhs', lhs)}, right side {side_told('rhs', rhs)}"
    says = exact.letters if isinstance(exact, FormulaCheck) else {}
    laid = partial(_laid_out, bound, formulas, instance, found, tests, says)
    for layouts in (_LAYOUTS, _WIDER):
        parts = [part for layout in layouts if (part := laid(layout)) is not None]
        for roomy in (True, False):
            pages = [_page(head, functions, bound, terms, part, roomy) for part in parts]
            short = [page for page in pages if len(page.splitlines()) <= LONGEST]
            if short:
                return min(short, key=_effort)
    return None


def _effort(page: str) -> int:
    """How long a page takes to read: its lines, and what is long or has no name of its own."""
    lines = page.splitlines()
    return (
        len(lines) + sum(len(line) // 100 for line in lines) + 2 * len(set(re.findall(r"\b\w*part(?:_\d+)?\b", page)))
    )


@dataclass(frozen=True)
class _Laid:
    """What a page is made of: assignments of the instance, lines of three kinds with words behind them, and checks."""

    values: list[str]
    steps: tuple[list[tuple[str, str]], ...]
    checks: list[str]


def _laid_out(
    bound: Bound,
    formulas: Any,
    instance: Mapping[str, Any],
    nodes: Mapping[str, Node],
    tests: Mapping[str, list[tuple[Node, str, Node]]],
    says: Mapping[str, str],
    layout: Layout,
) -> _Laid | None:
    """The computation in one layout; None where a number of it is too long to be read. `says`: what letters mean."""
    letters = {id(node): "lhs" if name == "lhs" else identifier(name) for name, node in reversed([*nodes.items()])}
    roots = [*nodes.values(), *(n for rows in tests.values() for a, _, b in rows for n in (a, b))]
    writer = Writer(roots, letters, layout)
    given = []
    for name, node in nodes.items():
        own = "lhs" if name == "lhs" else identifier(name)
        if node.name != name and writer.names.get(id(node)) != own:
            text = writer.text(node)
            given.append(f"{own} = {f'Fraction({text})' if text.isdigit() else text}")  # 1/2 of it is no float
    numbers = [(identifier(n), v) for name, value in instance.items() for n, v in named(name, value)]
    # A quantity may be called as a number of the instance is, and be another: then that one is the drawn one.
    twice = {n: f"{n}_drawn" for n, _ in numbers if any(line.startswith(f"{n} = ") for line in given)}
    lines = [(name, _renamed(text, twice)) for name, text in writer.lines]
    checks = [row for name, rows in tests.items() for row in _checks(writer, name, rows, twice)]
    given = [f"{line.partition(' = ')[0]} = {_renamed(line.partition(' = ')[2], twice)}" for line in given]
    numbers = [(twice.get(n, n), v) for n, v in numbers]
    last: list[str] = []
    if formulas is not None:
        last += [f"{identifier(n)} = {python_source(b.expression)}" for n, b in formulas.defined]
        left = python_source(formulas.left.expression)
        below = formulas.below
        strictly = below is not None and f"0 if {left} < {python_source(below.expression)} else 1"
        last.append(f"lhs = {strictly or left}")
        checks += [
            _check(h.words, python_source(h.left), "<" if h.strict else "<=", python_source(h.right))
            for h in formulas.hypotheses
        ]
    later = _words("\n".join([*given, *last, *checks, python_source(bound.expression)]))
    taken = {*(n for n, _ in numbers), *map(identifier, nodes)}
    steps, names = sharing(rolled(lines, later), writer.base, later, taken)
    given, checks = ([_renamed(line, names) for line in part] for part in (given, checks))
    used = _words("\n".join([*steps, *given, *last, *checks])) | set(bound.names)
    values = [f"{n} = {fraction(v)}" for n, v in numbers if n in used]
    if any(len(word) > DIGITS for line in (*values, *steps, *given) for word in re.findall(r"\d+", line)):
        return None
    defined = [] if formulas is None else [name for name, _ in formulas.defined]
    meant = {identifier(name): meaning(name, says.get(name, "")) for name in (*nodes, *defined)}
    parts = tuple([(line, meant.get(line.partition(" = ")[0], "")) for line in part] for part in (steps, given, last))
    return _Laid(values, parts, checks)


def _page(
    head: Mapping[str, str], functions: str, bound: Bound, terms: tuple[Any, ...], laid: _Laid, roomy: bool
) -> str:
    return _PAGE.format(
        **{name: "\n".join(map(plain_line, text.splitlines())) for name, text in head.items()},
        values="\n".join(packed([(line, "") for line in laid.values], roomy)),
        steps="\n".join(line for part in laid.steps for line in packed(part, roomy)),
        checks="\n".join(laid.checks),
        functions=functions,
        right=right_side(bound, terms),
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _renamed(line: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda found: names.get(found[0], found[0]), line)


def _nearest(rows: list[tuple[Node, str, Node]]) -> list[tuple[Node, str, Node]]:
    """The comparisons of a hypothesis, each once, those nearest to failing first."""
    once = list({(id(a), sign, id(b)): (a, sign, b) for a, sign, b in rows}.values())
    return sorted(once, key=lambda row: abs(row[0].value - row[2].value))


def _checks(writer: Writer, name: str, rows: list[tuple[Node, str, Node]], twice: Mapping[str, str]) -> list[str]:
    """One line for each of the nearest comparisons, and one for all others."""
    told = [(_renamed(writer.text(a), twice), sign, _renamed(writer.text(b), twice)) for a, sign, b in rows]
    found = [_check(name, *row) for row in told[:_SHOWN]]
    others = " and ".join(f"{a} {sign} {b}" for a, sign, b in told[_SHOWN:])
    return [*found, *([_check(f"{name}: the others", others, "==", "True")] if others else [])]


def _check(name: str, left: str, sign: str, right: str) -> str:
    return f'    holds({quoted(name)}, {left}, "{sign}", {right}),'


_PAGE = '''"""Counterexample to {claim}. Reading: {reading}.

Claimed: {statement}
{why}
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from fractions import Fraction
{functions}
# The instance; a number behind a letter says which client, round or coordinate. What is 0 and adds nothing is left out.
{values}

# What is observed on it.
{steps}

def holds(words, left, sign, right):
    met = {{"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right, "==": left == right}}[sign]
    print(f"hypothesis {{words}}: {{left}} {{sign}} {{right}}: {{met}}")
    return met

held = [
{checks}
]
{right}
print(f"{sides}{ratio}")
violated = all(held) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
'''
