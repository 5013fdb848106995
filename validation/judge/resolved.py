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
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp

from validation.judge.remembered import Node, Record, calling, named, node_of, remembering
from validation.judge.rolled import rolled
from validation.judge.shared_names import sharing
from validation.judge.watched import watching
from validation.judge.written import Layout, Writer, fraction, without_words
from validation.statement.bound import Bound, identifier, python_source
from validation.statement.claim import ExactCheck
from validation.statement.formula_check import FormulaCheck

__all__ = ["LONGEST", "resolved"]

LONGEST = 70  # lines of a script that is one page
_WIDE = 110  # characters of a line of short assignments
_DIGITS = 40  # of a number that is readable
_SHOWN = 3  # comparisons of one hypothesis
_LAYOUTS = (Layout(12), Layout(12, 4), Layout(8, apart=True), Layout(5, apart=True))
_WIDER = (Layout(16, 6, 4), Layout(24, 12, 4), Layout(16, 16, 1), Layout(24, 24, 1))  # where none of these fits


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
    terms, lhs, rhs = _terms(bound, constants), _fraction_of(constants["lhs"]), _rational(bound, constants)
    head = {"claim": claim_id, "reading": reading, "statement": statement}
    functions = "".join(f"{without_words(f)}\n" for f in record.called.values())
    if "Decimal(" in functions:
        functions = f"from decimal import Context, Decimal, localcontext\n{functions}"
    head["why"] = "\n".join(_why(lhs, rhs, terms, constants))
    head["ratio"] = ", ratio {float(lhs / rhs):.6g}" if rhs else ""
    head["sides"] = f"left side {_shown('lhs', lhs)}, right side {_shown('rhs', rhs)}"
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


def _shown(name: str, value: Fraction) -> str:
    return f"{{{name}}}" if len(str(value)) <= 2 * _DIGITS else f"about {{float({name}):.9g}}"


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
    if any(len(word) > _DIGITS for line in (*values, *steps, *given) for word in re.findall(r"\d+", line)):
        return None
    defined = [] if formulas is None else [name for name, _ in formulas.defined]
    meant = {identifier(name): _meaning(name, says.get(name, "")) for name in (*nodes, *defined)}
    parts = tuple([(line, meant.get(line.partition(" = ")[0], "")) for line in part] for part in (steps, given, last))
    return _Laid(values, parts, checks)


def _page(
    head: Mapping[str, str], functions: str, bound: Bound, terms: tuple[Any, ...], laid: _Laid, roomy: bool
) -> str:
    rows = "\n".join(f"    ({_short(t, i)!a}, {python_source(t)})," for i, t in enumerate(terms))
    right = python_source(bound.expression)
    right = right if not sp.sympify(bound.expression).is_Add else "sum(value for _, value in summands)"
    return _PAGE.format(
        **{name: "\n".join(map(_line, text.splitlines())) for name, text in head.items()},
        values="\n".join(_packed([(line, "") for line in laid.values], roomy)),
        steps="\n".join(line for part in laid.steps for line in _packed(part, roomy)),
        checks="\n".join(laid.checks),
        functions=functions,
        right=_TERMS.format(terms=rows, right=right) if len(terms) > 1 else f"rhs = {python_source(bound.expression)}",
    )


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _renamed(line: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\w+", lambda found: names.get(found[0], found[0]), line)


def _meaning(name: str, words: str) -> str:
    """What a quantity is, its Greek letter in front."""
    letter = _letter(name)
    return _line(": ".join(filter(None, (letter if letter != name else "", words))))


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
    return f'    holds({_string(name)}, {left}, "{sign}", {right}),'


def _string(text: str) -> str:
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else ascii(text)


_BRIEF = 50  # characters of an assignment that may share its line


def _packed(lines: list[tuple[str, str]], roomy: bool) -> list[str]:
    """(Assignment, words about it) as lines, short ones several to a line, those inside a loop too.

    With room its words stand behind it, or above it where both are long, and a long sum over several lines.
    """
    out: list[tuple[str, str]] = []
    brief = False
    for code, words in lines:
        short = len(code.strip()) <= _BRIEF and " = " in code and "(f" not in code and not (roomy and words)
        same = brief and len(code) - len(code.lstrip()) == len(out[-1][0]) - len(out[-1][0].lstrip())
        if short and same and len(out[-1][0]) + len(code) < _WIDE - 2:
            out[-1] = f"{out[-1][0]}; {code.strip()}", ""
        else:
            out.append((code, words))
        brief = short
    return [line for code, words in out for line in (_wrapped(code, words) if roomy else [code])]


def _wrapped(code: str, words: str) -> list[str]:
    """A line with its words, and a long sum in brackets over several lines."""
    comment = f"  # {words}" if words else ""
    if len(code) <= _WIDE or "; " in code:
        return [code + comment] if len(code + comment) <= _WIDE + 10 else [f"# {words}", code]
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
    rows = textwrap.wrap(words_apart, _WIDE - len(margin) - 4, break_long_words=False, break_on_hyphens=False)
    rows = [row.replace("\0", " ") for row in rows]
    return [f"{name} = ({comment}", *(f"{margin}    {row}" for row in rows), f"{margin})"]


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

_TERMS = """summands = [
{terms}
]
for words, value in summands:
    print(f"term {{words}} = {{value}} = {{float(value):.6g}}")
rhs = {right}"""


def _confirms(script: str) -> bool:
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
