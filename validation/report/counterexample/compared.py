"""What a script compares, as text: both sides as formulas in letters, the terms of the right side, the hypotheses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from validation.report.text.readable import GREEK
from validation.statement.bound import identifier

__all__ = ["Check", "Compared", "checks_of", "compared", "names_in", "run_words", "summands_of"]

_SIDES = (("lhs", "rhs"), ("left", "right"), ("computed", "printed"))
_SIGNS: Mapping[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
_WORD = re.compile(r"[A-Za-z]{3,}")
_FUNCTIONS = {"Fraction", "max", "min", "abs", "sum", "sqrt", "Max", "Min", "Interval", "constants", "value", "words"}


@dataclass(frozen=True)
class Compared:
    """Both sides of a script as Python expressions in letters, and the summands of the right one.

    `strict`: the script compares them by `<` and keeps only whether that holds. `letters`: names in both sides, in the
    order of their appearance. `defined`: of every name that is assigned at the top of the script its last expression.
    `words`: what the script says behind a name. `drawn`: the names that the instance has.
    """

    left: str
    right: str
    terms: tuple[str, ...]
    strict: bool
    letters: tuple[str, ...]
    defined: Mapping[str, str]
    words: Mapping[str, str]
    drawn: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Check:
    """One comparison of a hypothesis, as Python expressions; `sign` is one of < <= > >= ==."""

    words: str
    left: str
    sign: str
    right: str


def names_in(expression: str) -> tuple[str, ...]:
    """The names of an expression but those of functions, in the order of their appearance."""
    found = [n for n in ast.walk(ast.parse(expression, mode="eval")) if isinstance(n, ast.Name)]
    found.sort(key=lambda n: (n.lineno, n.col_offset))
    return tuple(dict.fromkeys(n.id for n in found if n.id not in _FUNCTIONS))


def compared(source: str) -> Compared | None:
    """What the script compares; None where it compares no two numbers, such as along an order."""
    body = ast.parse(source).body
    made = {n.targets[0].id: n.value for n in body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)}
    names = next((names for names in _SIDES if all(name in made for name in names)), None)
    if names is None:
        return None
    left, right = (made[name] for name in names)
    terms, strict = _terms(made, right), False
    if terms and ast.unparse(right).startswith("sum("):
        right = ast.parse(" + ".join(f"({term})" for term in terms), mode="eval").body
    if isinstance(left, ast.IfExp) and isinstance(left.test, ast.Compare):  # 0 where strictly less, else 1
        strict, right = True, left.test.comparators[0]
        left, terms = left.test.left, ()
    one, other = _bare(left), _bare(right)
    return Compared(
        left=one,
        right=other,
        terms=terms if len(terms) > 1 else (),
        strict=strict,
        letters=tuple(dict.fromkeys((*names_in(one), *names_in(other)))),
        defined={name: ast.unparse(value) for name, value in made.items()},
        words={**_above(source), **dict(re.findall(r"^(\w+) = .*?  # (.*)$", source, re.MULTILINE))},
        drawn=_drawn(source),
    )


def _above(source: str) -> Mapping[str, str]:
    """What a script says in a line above a name, as it does of a long formula; it has headings there, too."""
    lines = re.findall(r"^# (.*)\n(\w+) = ", source, re.MULTILINE)
    return {name: words for words, name in lines if not words.startswith(("The instance", "What is observed"))}


def run_words(found: Compared, quantities: Iterable[str]) -> frozenset[str]:
    """The words that a script has for numbers of its run, such as `total`, and a paper for quantities of its own.

    A script says behind each letter of its statement what it is. A single letter, Greek or not, is nobody's word: it is
    the paper's wherever it is met.
    """
    own = {identifier(name) for name in quantities if _WORD.fullmatch(name) and name.lower() not in GREEK}
    return frozenset((own & found.defined.keys()) - {*found.letters} - found.words.keys())


def _drawn(source: str) -> frozenset[str]:
    """The names that are set in the block of the script that has the instance."""
    block = source.partition("# The instance;")[2].partition("\n\n")[0]
    return frozenset(re.findall(r"(?:^|; )(\w+) = ", block, re.MULTILINE))


def _bare(node: ast.expr) -> str:
    """The expression as text, out of a `Fraction(…)` around it."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fraction":
        inner = node.args[0]
        if len(node.args) == 1 and not isinstance(inner, ast.Constant | ast.Call):
            return ast.unparse(inner)
    return ast.unparse(node)


def _terms(made: Mapping[str, ast.expr], right: ast.expr) -> tuple[str, ...]:
    """The summands that the script lists, else those of a right side that is a sum."""
    listed = made.get("summands")
    if isinstance(listed, ast.List):
        return tuple(ast.unparse(row.elts[1]) for row in listed.elts if isinstance(row, ast.Tuple))
    return tuple(map(ast.unparse, _summands(right)))


def summands_of(expression: str) -> tuple[str, ...]:
    """The summands of an expression, those with a minus as such."""
    return tuple(map(ast.unparse, _summands(ast.parse(expression, mode="eval").body)))


def _summands(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        last = node.right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.right)
        return [*_summands(node.left), last]
    return [node]


def checks_of(source: str) -> tuple[Check, ...]:
    """The comparisons by which a script checks its hypotheses, in its order; none of a script that lists no such."""
    held = [
        node.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "held"
    ]
    rows = held[-1].elts if held and isinstance(held[-1], ast.List) else []
    return tuple(check for row in rows for check in _checks(row))


def _checks(row: ast.expr) -> Iterable[Check]:
    if not isinstance(row, ast.Call) or len(row.args) != 4:
        return
    words, left, sign, right = row.args
    if not isinstance(words, ast.Constant) or not isinstance(sign, ast.Constant):
        return
    said = str(words.value).removesuffix(": the others")
    if ast.unparse(right) != "True":
        yield Check(said, ast.unparse(left), str(sign.value), ast.unparse(right))
        return
    parts = left.values if isinstance(left, ast.BoolOp) and isinstance(left.op, ast.And) else [left]
    for part in parts:
        if isinstance(part, ast.Compare) and len(part.ops) == 1 and type(part.ops[0]) in _SIGNS:
            one, other = ast.unparse(part.left), ast.unparse(part.comparators[0])
            yield Check(said, one, _SIGNS[type(part.ops[0])], other)
        else:
            yield Check(said, ast.unparse(part), "==", "True")
