"""The arithmetic of a small counterexample line by line: each formula, its numbers, its value, in the paper's letters.

Only for a script of straight arithmetic with few lines; loops of at most three rounds are gone through. What the paper
has no letter for gets one with a number, z₁, z₂, …: a result on the way by its own line, a number of the instance by
its words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from validation.report.counterexample.arithmetic_only import execute
from validation.report.counterexample.compared import compared, names_in
from validation.report.counterexample.constants import inside, latex_names, observed
from validation.report.counterexample.instance import exact_text
from validation.report.text.formula import latex_of
from validation.report.text.letters import Letters, is_letter, stem_of
from validation.report.text.number_latex import valued_latex
from validation.report.text.symbols import bare, symbols

__all__ = ["Arithmetic", "Line", "written_out"]

_MOST_LINES, _MOST_ROUNDS = 60, 3
_LONGEST = 700  # characters of LaTeX of a formula, or of it with its numbers
_START = "# What is observed on it."
_DRAWN = "_drawn"
_NUMBERED = "zuvyqbdcxsn"  # the first that the page has for nothing else


@dataclass(frozen=True)
class Line:
    r"""One assignment: a name, its formula, the same in numbers ('' where it is a number), and the value, in LaTeX.

    `script`: what the script calls it.
    """

    name: str
    formula: str
    numbers: str
    value: str
    script: str = ""

    @property
    def latex(self) -> str:
        """The whole line; a number by itself is not repeated."""
        between = f"={self.numbers}" if self.numbers else ""
        own = f"={self.formula}" if self.formula else ""
        return f"{self.name}{own}{between}{self.value}"


@dataclass(frozen=True)
class Arithmetic:
    """The lines, and (LaTeX, words) of the letters in them that stand for numbers of the instance.

    `numbered`: the letter that results on the way have, with a number each; '' where there are none.
    """

    lines: tuple[Line, ...] = ()
    letters: tuple[tuple[str, str], ...] = ()
    numbered: str = ""


def written_out(
    source: str,
    letters: Letters,
    table: Mapping[str, str] | None = None,
    own: Mapping[str, tuple[str, str]] | None = None,
    says: Callable[[str], str] = str,
    taken: Set[str] = frozenset(),
) -> Arithmetic:
    """The lines from the instance to both sides; none where the script is not of this kind, or has too many of them.

    `table`: LaTeX by name of the constants that the page has; `own`: (LaTeX, words) by name of what this claim's script
    alone has. `says`: words for a number of the instance. `taken`: the letters that the page has for something else.
    """
    if _START not in source:
        return Arithmetic()
    tree, first = ast.parse(source), source[: source.index(_START)].count("\n") + 1
    assigned = dict.fromkeys(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    both = compared(source)
    known = frozenset[str]() if both is None else observed(both, letters)
    of_paper = latex_names(tuple(name for name in assigned if name in known), letters, known)
    of_paper = {**of_paper, **(table or {})}
    others = {n: (latex, letters.meaning(n)) for n, latex in of_paper.items()} | dict(own or {})
    told = {n: two for n, two in others.items() if n not in (table or {}) and two[1]}
    names = _Names(of_paper, letters, told, says, taken)
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
            names.drawn = names.drawn or frozenset(values)
            for made in _steps(node, values, names):
                line = _line(made, values, names)
                if line is None or len(lines) == _MOST_LINES:
                    return Arithmetic()
                lines.append(line)
    except (LookupError, TypeError, ValueError, ArithmeticError, NameError):
        return Arithmetic()
    if "lhs" not in values:
        return Arithmetic()
    return Arithmetic(tuple(lines), tuple(names.rows(values)), names.numbered if names.on_the_way else "")


@dataclass
class _Names:
    """LaTeX of a script's names: of the paper, of the instance, with a number for all others; a loop's is its value."""

    of_paper: Mapping[str, str]
    letters: Letters
    own: Mapping[str, tuple[str, str]]
    says: Callable[[str], str]
    taken: Set[str]
    drawn: Set[str] = frozenset()
    given: dict[str, str] = field(default_factory=dict)
    met: dict[str, str] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    on_the_way: int = 0
    count: int = 0

    @property
    def numbered(self) -> str:
        """The letter that has a number."""
        known = (*self.of_paper.values(), *self.letters.drawn.values(), *(latex for latex, _ in self.own.values()))
        used = {bare(s) for latex in known for s in symbols(latex)}
        return next((x for x in _NUMBERED if x not in used | self.taken), _NUMBERED[0])

    def __call__(self, name: str) -> str:
        """LaTeX of a name that is used."""
        if name in self.counters:
            return str(self.counters[name])
        if name in self.own:
            self.met.setdefault(name, self.own[name][0])
            return self.own[name][0]
        if name in self.of_paper:
            return self.of_paper[name]
        if name not in self.given:
            lettered = name in self.drawn and is_letter(name, self.letters)
            latex = self.letters.of_drawn(name) if lettered or stem_of(name) in self.letters.drawn else ""
            if name.endswith(_DRAWN):  # a letter whose name was taken
                latex = self.letters.of_quantity(name.removesuffix(_DRAWN))
            self.given[name] = latex if latex and latex not in self.given.values() else self._next()
        if name in self.drawn:
            self.met.setdefault(name, self.given[name])
        return self.given[name]

    def made(self, name: str) -> str:
        """LaTeX of a name that is assigned: what has a number has a new one each time."""
        if name in self.own or name in self.of_paper:
            return self(name)
        if name not in self.given and stem_of(name) in self.letters.drawn:
            return self(name)
        if name not in self.given or self.given[name].startswith(f"{self.numbered}_"):
            self.given[name] = self._next()
            self.on_the_way += 1
        return self.given[name]

    def rows(self, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """(LaTeX, words) of the numbers of the instance that lines have; those with one letter in one row."""
        told = set()
        for name, latex in self.met.items():
            if name in self.own:
                yield self.own[name]
                continue
            numbered = latex.startswith(f"{self.numbered}_")
            shown = latex if numbered else self.letters.drawn.get(stem_of(name), latex)
            if shown not in told:
                told.add(shown)
                value = values[name]
                number = (
                    f", here {exact_text(Fraction(value))}" if numbered and isinstance(value, int | Fraction) else ""
                )
                yield shown, self.says(name) + number

    def _next(self) -> str:
        self.count += 1
        return f"{self.numbered}_{{{self.count}}}"


def _steps(node: ast.stmt, values: dict[str, Any], names: _Names) -> Iterator[ast.Assign]:
    """The assignments of a statement, in order; raises `LookupError` for what is not straight arithmetic."""
    match node:
        case ast.Assign(targets=[ast.Name()]):
            yield node
        case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=n)])):
            if not isinstance(n, int) or n > _MOST_ROUNDS:
                raise LookupError("more rounds than are gone through")
            for k in range(n):
                values[name] = names.counters[name] = k
                for inner in node.body:
                    yield from _steps(inner, values, names)
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            return
        case _:
            raise LookupError(ast.dump(node))


def _line(node: ast.Assign, values: dict[str, Any], names: _Names) -> Line | None:
    (target,) = node.targets
    name = target.id if isinstance(target, ast.Name) else ""
    source = ast.unparse(node.value)
    used = names_in(source)
    before = {n: values[n] for n in used}
    formula = latex_of(source, names) if used else ""
    execute(ast.Module([node], []), values)
    value = values[name]
    if not isinstance(value, int | Fraction):
        raise TypeError(f"{name} is no number")
    shown = r"\text{left side}" if name == "lhs" else names.made(name)
    exact = Fraction(value)
    numbers = ""
    if used and not isinstance(node.value, ast.Name):
        numbers = latex_of(source, lambda n: inside(Fraction(before[n])), dotted=True)
    too_long = max(len(formula), len(numbers)) > _LONGEST
    return None if too_long else Line(shown, formula, numbers, valued_latex(exact), name)
