"""A counterexample's own numbers: its script is run, and what it computes and prints is what the page shows.

So a number beside a refuted claim cannot be another instance's. Scripts are small (526 of them take three seconds) and
need only Python. A ledger may be anybody's, so only a script that is arithmetic is run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from validation.report.counterexample.arithmetic_only import execute, value_of
from validation.report.text.readable import count, num

__all__ = ["Instance", "Number", "exact_text", "run_script", "told_apart"]

_SIDES = (("lhs", "rhs"), ("left", "right"), ("computed", "printed"))
_HYPOTHESIS = re.compile(r"^hypothesis (.*): (True|False)$", re.MULTILINE)
_TERM = re.compile(r"^term (.*) = (\S+) = (\S+)$", re.MULTILINE)
_PRINTED = re.compile(r"^(left|right) side[^=\d-]*(?:= |about )?.*?(-?[\d.]+(?:e[+-]?\d+)?)$", re.MULTILINE)
_ORDER = re.compile(r"^(\w+) = (\d+): quotient >= (\S+), form (\S+)$", re.MULTILINE)
_INDEXED = re.compile(r"(.*[A-Za-z])((?:_\d+)+)")
_LONGEST = 28  # characters of a fraction that is shown in full
_MOST_TERMS = 8
_GROUPED = 10_000  # whole numbers from here on have their thousands apart
_DIGITS = 17  # of a float that tell it from every other

Number = Fraction | float


@dataclass(frozen=True)
class Instance:
    """What a script found: both sides, the terms of the right one, its instance, and the text it printed.

    `relation` between the sides as the statement wants it; None sides where the script compares no two numbers.
    `growth` of a statement about an order: (size, the quotient seen, the form claimed), `along` that size.
    `names`: every name that the script ends with and that is a number or a list of numbers.
    """

    confirmed: bool
    printed: str
    left: Number | None
    right: Number | None
    relation: str
    terms: tuple[tuple[str, Number], ...]
    hypotheses: tuple[tuple[str, bool], ...]
    values: Mapping[str, object]
    growth: tuple[tuple[float, float, float], ...]
    along: str
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        """Left over right; None where one of them is missing or the right side is not positive."""
        if self.left is None or self.right is None or self.right <= 0:
            return None
        try:
            return float(self.left / self.right)
        except OverflowError:
            return math.inf


def told_apart(left: Number | None, right: Number | None) -> tuple[str, str]:
    """Two numbers as `exact_text` has them, with more digits where different ones would look the same.

    >>> told_apart(Fraction(1, 3), Fraction(1, 3)), told_apart(0.25000012, 0.25)
    (('1/3 ≈ 0.3333', '1/3 ≈ 0.3333'), ('≈ 0.2500001', '≈ 0.25'))
    """
    texts = exact_text(left), exact_text(right)
    if left is None or right is None or left == right or _decimal(texts[0]) != _decimal(texts[1]):
        return texts
    for digits in range(5, _DIGITS):
        longer = exact_text(left, digits), exact_text(right, digits)
        if _decimal(longer[0]) != _decimal(longer[1]):
            return longer
    apart = abs(Fraction(left) - Fraction(right))
    smaller = texts[1] if left > right else texts[0]
    more = f"{smaller} and {num(_float(apart), 4)} more"
    return (more, smaller) if left > right else (smaller, more)


def _decimal(text: str) -> str:
    """The decimal of a number's text, behind its fraction."""
    return re.split(r"[≈=] ", text)[-1]


def exact_text(x: Number | None, digits: int = 4) -> str:
    """A number as its script has it: a short fraction in full, with its decimal beside it where it is not one."""
    if x is None:
        return "—"
    about = num(_float(x), digits)
    # Python writes no number of more than a few thousand digits; nobody reads one of more than a few.
    if not isinstance(x, Fraction) or max(x.numerator.bit_length(), x.denominator.bit_length()) > 4 * _LONGEST:
        return f"≈ {about}"
    whole = str(x).replace("-", "−")
    if x.denominator == 1:
        return about if len(whole) > 12 else whole if abs(x) < _GROUPED else count(int(x)).replace("-", "−")
    same = "=" if Fraction(f"{_float(x):.{digits}g}") == x else "≈"
    return f"{whole} {same} {about}" if len(whole) <= _LONGEST else f"≈ {about}"


def _float(x: Number) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


@lru_cache(maxsize=4096)
def run_script(source: str) -> Instance | None:
    """The script, run; None for one that is more than arithmetic or does not end as ours do (exit code 0 or 1)."""
    space: dict[str, Any] = {"__name__": "__main__"}
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            execute(source, space)
            return None
    except SystemExit as ended:
        code = ended.code
    except Exception:  # somebody else's script: whatever it raises, there are no numbers of it
        return None
    if code not in {0, 1}:
        return None
    printed = out.getvalue()
    left, right = _sides(space, printed)
    return Instance(
        confirmed=code == 0,
        printed=printed.rstrip(),
        left=left,
        right=right,
        relation=_relation(source, printed),
        terms=_terms(source, space, printed, right),
        hypotheses=tuple(dict.fromkeys((n, met == "True") for n, met in _HYPOTHESIS.findall(printed))),
        values=_values(source, space),
        growth=tuple((float(n), float(q), float(f)) for _, n, q, f in _ORDER.findall(printed)),
        along=next((name for name, *_ in _ORDER.findall(printed)), ""),
        names={name: value for name, value in space.items() if _is_of_numbers(value)},
    )


def _is_of_numbers(x: object) -> bool:
    if isinstance(x, list | tuple):
        return all(map(_is_of_numbers, x))
    return isinstance(x, int | float | Fraction) and not isinstance(x, bool)


def _number(x: object) -> Number | None:
    if isinstance(x, bool):
        return None
    if isinstance(x, int | Fraction):
        return Fraction(x)
    return x if isinstance(x, float) and math.isfinite(x) else None


def _sides(space: Mapping[str, Any], printed: str) -> tuple[Number | None, Number | None]:
    for names in _SIDES:
        found = [_number(space.get(name)) for name in names]
        if None not in found:
            return found[0], found[1]
    # A side with a root is an interval in the script; what it printed is the number to show.
    said = {side: float(value) for side, value in _PRINTED.findall(printed)}
    return said.get("left"), said.get("right")


def _relation(source: str, printed: str) -> str:
    if claimed := re.search(r"^claimed: \S+ (<=|>=|==|<|>|!=) ", printed, re.MULTILINE):
        return {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}.get(claimed[1], claimed[1])
    if "left != right" in source:
        return "="
    return "≈" if "computed" in source and "tolerance" in source else "≤"


def _terms(source: str, space: Mapping[str, Any], printed: str, right: Number | None) -> tuple[tuple[str, Number], ...]:
    """The summands of the right side, by name; none where it has but one, or where they do not sum to it."""
    found: list[tuple[str, Number]] = [
        (_term_name(n, source), Fraction(value)) for n, value, _ in _TERM.findall(printed) if _is_fraction(value)
    ]
    if not found or sum(v for _, v in found) != right:
        found = _summands(source, space)
    if not 2 <= len(found) <= _MOST_TERMS or sum(v for _, v in found) != right:
        return ()
    return tuple(found)


def _term_name(name: str, source: str) -> str:
    """A term that the script numbers is called by its formula there."""
    if not name.startswith("number "):
        return name
    found = re.search(rf"^ +\('{re.escape(name)}', (.+)\),$", source, re.MULTILINE)
    return name.replace("number", "term") if found is None else found[1]


def _is_fraction(text: str) -> bool:
    with contextlib.suppress(ValueError, ZeroDivisionError):
        Fraction(text)
        return True
    return False


def _summands(source: str, space: Mapping[str, Any]) -> list[tuple[str, Number]]:
    """The top-level sum of `rhs = …` in the script, each part evaluated on the script's own names."""
    made = [n for n in ast.parse(source).body if isinstance(n, ast.Assign)]
    sides = [n.value for n in made if isinstance(n.targets[0], ast.Name) and n.targets[0].id == "rhs"]
    if not sides:
        return []
    node = sides[-1]
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.func, ast.Name):
        node = node.args[0] if node.func.id == "Fraction" else node
    found: list[tuple[str, Number]] = []
    for part in _parts(node):
        value = _number(value_of(part, space))
        if value is None:
            return []
        found.append((ast.unparse(part), value))
    return found


def _parts(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        last = node.right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.right)
        return [*_parts(node.left), ast.fix_missing_locations(ast.copy_location(last, node))]
    return [node]


def _values(source: str, space: Mapping[str, Any]) -> Mapping[str, object]:
    """The instance by name: the dictionary of the script, or the numbers that stand in its first lines."""
    held = space.get("INSTANCE")
    if isinstance(held, dict):
        return {str(k): _plain(v) for k, v in held.items()}
    lines = source.partition("# The instance")[2].partition("\n\n")[0].splitlines()[1:]
    names = re.findall(r"(?:^|; )(\w+) = ", "\n".join(lines), re.MULTILINE)
    return _gathered({n: _plain(space[n]) for n in names if n in space})


def _plain(x: object) -> object:
    if isinstance(x, Fraction):
        return str(x)
    if isinstance(x, list | tuple):
        return [_plain(v) for v in x]
    return {str(k): _plain(v) for k, v in x.items()} if isinstance(x, dict) else x


def _gathered(values: Mapping[str, object]) -> Mapping[str, object]:
    """`share_1, share_2` as one list `share`, `weights_1_1, …` as rows; names whose numbers have holes stay."""
    out: dict[str, object] = {}
    groups: dict[str, dict[tuple[int, ...], object]] = {}
    for name, value in values.items():
        if found := _INDEXED.fullmatch(name):
            groups.setdefault(found[1], {})[tuple(map(int, found[2][1:].split("_")))] = value
    whole = {stem: made for stem, held in groups.items() if (made := _nested(held)) is not None}
    for name, value in values.items():
        stem = found[1] if (found := _INDEXED.fullmatch(name)) else ""
        if stem in whole and name not in whole and stem not in values:
            out.setdefault(stem, whole[stem])
        else:
            out[name] = value
    return out


def _nested(held: Mapping[tuple[int, ...], object]) -> list[object] | None:
    """Values by index as a list, rows of it lists; None where an index is missing or their numbers differ."""
    depths = {len(at) for at in held}
    if len(depths) > 1:
        return None
    firsts = sorted({at[0] for at in held})
    if firsts != list(range(1, len(firsts) + 1)):
        return None
    if depths == {1}:
        return [held[(i,)] for i in firsts]
    rows = [_nested({at[1:]: v for at, v in held.items() if at[0] == i}) for i in firsts]
    known = [row for row in rows if row is not None]
    if len(known) < len(rows) or len({len(row) for row in known}) > 1:
        return None
    return list(known)
