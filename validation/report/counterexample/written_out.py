"""The arithmetic of a small counterexample line by line: each formula, its numbers, its value, as its script has them.

Only for a script of straight arithmetic with few lines; loops of at most three rounds are gone through.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.report.counterexample.arithmetic_only import execute
from validation.report.counterexample.compared import compared, names_in
from validation.report.counterexample.constants import inside, latex_names, observed
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters
from validation.report.text.number_latex import valued_latex

__all__ = ["Line", "written_out"]

_MOST_LINES, _MOST_ROUNDS = 60, 3
_LONGEST = 700  # characters of LaTeX of a formula, or of it with its numbers
_START = "# What is observed on it."


@dataclass(frozen=True)
class Line:
    r"""One assignment: a name, its formula, the same in numbers ('' where it is a number), and the value, in LaTeX."""

    name: str
    formula: str
    numbers: str
    value: str

    @property
    def latex(self) -> str:
        """The whole line; a number by itself is not repeated."""
        between = f"={self.numbers}" if self.numbers else ""
        own = f"={self.formula}" if self.formula else ""
        return f"{self.name}{own}{between}{self.value}"


def written_out(source: str, letters: Letters) -> tuple[Line, ...]:
    """The lines from the instance to both sides; none where the script is not of this kind, or has too many of them."""
    if _START not in source:
        return ()
    tree, first = ast.parse(source), source[: source.index(_START)].count("\n") + 1
    assigned = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    both = compared(source)
    known = frozenset[str]() if both is None else observed(both, letters)
    latex = latex_names(tuple(dict.fromkeys(assigned)), letters, known)
    values: dict[str, Any] = {"Fraction": Fraction, "max": max, "min": min, "abs": abs}
    lines: list[Line] = []
    try:
        for node in tree.body:
            if node.lineno < first:
                if isinstance(node, ast.Assign):
                    execute(ast.Module([node], []), values)
                continue
            if isinstance(node, ast.FunctionDef):  # what checks the hypotheses: both sides come before it
                break
            for made in _steps(node, values):
                line = _line(made, values, latex)
                if line is None or len(lines) == _MOST_LINES:
                    return ()
                lines.append(line)
    except (LookupError, TypeError, ValueError, ArithmeticError, NameError):
        return ()
    return tuple(lines) if "lhs" in values else ()


def _steps(node: ast.stmt, values: dict[str, Any]) -> Iterator[ast.Assign]:
    """The assignments of a statement, in order; raises `LookupError` for what is not straight arithmetic."""
    match node:
        case ast.Assign(targets=[ast.Name()]):
            yield node
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=n)])):
            if not isinstance(n, int) or n > _MOST_ROUNDS:
                raise LookupError("more rounds than are gone through")
            for k in range(n):
                values[name] = k
                for inner in node.body:
                    yield from _steps(inner, values)
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return
        case _:
            raise LookupError(ast.dump(node))


def _line(node: ast.Assign, values: dict[str, Any], latex: Mapping[str, str]) -> Line | None:
    (target,) = node.targets
    name = target.id if isinstance(target, ast.Name) else ""
    source = ast.unparse(node.value)
    used = names_in(source)
    before = {n: values[n] for n in used}
    execute(ast.Module([node], []), values)
    value = values[name]
    if not isinstance(value, int | Fraction):
        raise TypeError(f"{name} is no number")
    shown = r"\text{left side}" if name == "lhs" else latex[name]
    exact = Fraction(value)
    if not used:
        return Line(shown, "", "", valued_latex(exact))
    formula = latex_of(source, lambda n: latex[n])
    numbers = ""
    if not isinstance(node.value, ast.Name):
        numbers = latex_of(source, lambda n: inside(Fraction(before[n])), dotted=True)
    return None if max(len(formula), len(numbers)) > _LONGEST else Line(shown, formula, numbers, valued_latex(exact))
