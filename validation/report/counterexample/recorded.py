"""The numbers that a script compares for its hypotheses, where it prints no more of them than whether they are met.

The script is run once more with every comparison of a hypothesis recorded: `"eta <= 1/(4L)": eta <= 1 / (4 * L)` in a
dictionary of hypotheses gives 1/8 ≤ 1/4.
"""

from __future__ import annotations

import ast
import contextlib
import io
import operator
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from validation.report.counterexample.arithmetic_only import execute

__all__ = ["Comparison", "recorded"]

_NAME = "recorded_comparison"  # what a comparison becomes in the script
_SIGNS: Mapping[type, str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "=="}
_HOLDS: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
_LONGEST = 2_000  # bits of a number that is kept


@dataclass(frozen=True)
class Comparison:
    """Two numbers that a hypothesis compares; `sign` is one of < <= > >= ==."""

    left: int | float | Fraction
    sign: str
    right: int | float | Fraction


@lru_cache(maxsize=2048)
def recorded(source: str, words: tuple[str, ...]) -> Mapping[str, tuple[Comparison, ...]]:
    """By hypothesis what the script compares for it, in its order, each pair once.

    `words`: the hypotheses by the names that the script prints. Nothing of one whose comparisons are of no numbers.
    """
    found: dict[str, dict[Comparison, None]] = {}

    def compare(name: str, values: Sequence[Any], signs: Sequence[str]) -> Any:
        holds: Any = True
        for left, sign, right in zip(values, signs, values[1:], strict=False):
            if _is_number(left) and _is_number(right):
                found.setdefault(name, {})[Comparison(left, sign, right)] = None
            holds = _HOLDS[sign](left, right)
            if not holds:
                break
        return holds

    try:
        tree = ast.fix_missing_locations(_Hypotheses(frozenset(words)).visit(ast.parse(source)))
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            execute(tree, {"__name__": "__main__", _NAME: compare})
    except SystemExit:
        pass
    except Exception:  # somebody else's script fails in its own way: then nothing of it is shown
        return {}
    return {name: tuple(held) for name, held in found.items()}


def _is_number(x: Any) -> bool:
    if isinstance(x, bool) or not isinstance(x, int | float | Fraction):
        return False
    return isinstance(x, float) or max(abs(x.numerator), x.denominator).bit_length() < _LONGEST


class _Hypotheses(ast.NodeTransformer):
    """The values of dictionaries under the names of hypotheses, every comparison in them recorded."""

    def __init__(self, words: frozenset[str]) -> None:
        self.words = words

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        self.generic_visit(node)
        values = [
            _Comparisons(str(key.value)).visit(value)
            if isinstance(key, ast.Constant) and key.value in self.words
            else value
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return ast.Dict(node.keys, values)


class _Comparisons(ast.NodeTransformer):
    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        signs = [_SIGNS.get(type(op)) for op in node.ops]
        if None in signs:
            return node
        given = [
            ast.Constant(self.name),
            ast.List([node.left, *node.comparators], ast.Load()),
            ast.List([ast.Constant(sign) for sign in signs], ast.Load()),
        ]
        return ast.Call(ast.Name(_NAME, ast.Load()), given, [])
