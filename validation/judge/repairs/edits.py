"""Single-token edits of a refuted bound: a sign, an exponent, a lost factor, a lost positive part, a wrong symbol.

«As printed false; holds with …» needs candidates; these are all expressions one slip of the pen away, filtered first by
every instance already measured, then by dimensions, and only then given a search of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from validation.search.scores import TOLERANCE, scored
from validation.statement.bound import Bound, left_alone, with_maxima
from validation.statement.claim import Case

__all__ = ["Edit", "edits", "measured_sample", "survivors"]

Float = NDArray[np.float64]

_MOST = 400
_CONSTANTS = (2, 3, 4, 8, sp.Rational(1, 2))
_TOLD = 16
_MAX = sp.Function("Max")


@dataclass(frozen=True)
class Edit:
    """One slip of the pen: what was changed, and the bound after it, whose maxima are as they were written.

    `reached`: no lhs/rhs of the instances it was filtered by is larger, in plain floats.
    """

    says: str
    written: Bound
    reached: float = math.inf

    @cached_property
    def bound(self) -> Bound:
        """The bound after it: of a maximum those arguments that may be the largest, which takes sympy a while."""
        return replace(self.written, expression=with_maxima(self.written.expression, evaluate=True))


def edits(
    bound: Bound, degrees: tuple[int, int] | None, measured: Sequence[Mapping[str, Float]] = ()
) -> tuple[Edit, ...]:
    """All single-token edits of the bound, at most 400: no instance of `measured` violates them.

    Where the degrees of both sides are declared, those whose dimensions do not match `degrees` are dropped, too: a slip
    that mixed up the units is undone and no other can enter.
    """
    expression = sp.sympify(bound.expression)
    printed = left_alone(expression)
    back = {sp.Symbol(s.name): s for s in expression.free_symbols}
    declared = bound.degrees is not None and degrees is not None
    points = _points(back)
    probe, looked = _Values(points), [_Values(constants) for constants in measured]
    before = probe.at(printed)
    found: list[Edit] = []
    seen: set[Any] = set()
    # Without dimensions to check against, exchanging or adding symbols would only produce nonsense that holds.
    names = sorted(printed.free_symbols, key=str) if declared else []
    for says, edited in _variants(printed, names):
        if edited in seen or not edited.free_symbols:
            continue
        seen.add(edited)
        if any(not power.exp.is_Integer for power in edited.atoms(sp.Pow)) or edited.has(sp.zoo, sp.oo, sp.nan):
            continue  # a root has no exact value to recheck, and a division by 0 has none at all
        if np.allclose(probe.at(edited), before, rtol=1e-9, atol=0, equal_nan=True):
            continue
        reached = _plainly_reached(edited, looked)
        if reached == math.inf:
            continue
        new = Bound(with_maxima(edited.xreplace(back)), degrees=bound.degrees, beside=bound.beside)
        if declared and "Max" not in says:
            try:
                if new.scaling() != {degrees}:
                    continue
            except ValueError:
                continue
        made = Edit(says, new, reached)
        if "ositive part" in says and made.bound.expression == expression:  # of what is positive
            continue
        found.append(made)
        if len(found) >= _MOST:
            break
    return tuple(found)


def _points(letters: Iterable[Any]) -> Mapping[str, Float]:
    """Points of either sign at which two formulas are told apart, without a meaning of their own."""
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=_TOLD) for name in sorted(letter.name for letter in letters)}


class _Values:
    """Values of many formulas at the same constants: what they have in common is computed once."""

    def __init__(self, constants: Mapping[str, Float]) -> None:
        self.constants = constants
        self.known: dict[Any, Any] = {}

    def at(self, node: Any) -> Float:
        """The value of a formula; a first look at many candidates, for which sympy's own compiler takes far longer."""
        found = self.known.get(node)
        if found is None:
            with np.errstate(all="ignore"):
                found = self.known[node] = self._made(node)
        return np.asarray(found, dtype=np.float64)

    def _made(self, node: Any) -> Any:
        if node.is_Symbol:
            return self.constants[node.name]
        if not node.args:
            return float(node)
        args = [self.at(arg) for arg in node.args]
        if node.is_Add:
            return sum(args[1:], args[0])
        if node.is_Mul:
            return prod(args[1:], start=args[0])
        if node.is_Pow:
            return args[0] ** (int(node.exp) if node.exp.is_Integer else args[1])
        return _FUNCTIONS[node.func.__name__](*args)


def _variants(expression: Any, names: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    terms = list(sp.Add.make_args(expression))
    for i, term in enumerate(terms):
        rest = sum((t for j, t in enumerate(terms) if j != i), sp.Integer(0))
        where = f"term {i + 1}" if len(terms) > 1 else "the right side"
        for says, new in _term_variants(term, names):
            yield f"{says} in {where}" if says else f"in {where}", rest + new
    yield "positive part: Max(…, 0) of the right side", _MAX(expression, 0)


def _term_variants(term: Any, names: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    yield "sign changed", -term
    for c in _CONSTANTS:
        yield f"a factor {c}", c * term
    for s in names:
        yield f"a factor {s}", s * term
        yield f"a divisor {s}", term / s
        yield f"a factor {s}²", s**2 * term
        for other in names:
            if s in term.free_symbols and other != s:
                yield f"{other} for {s}", term.xreplace({s: other})
    for node in sorted(term.atoms(sp.Pow), key=str):
        if node.exp.is_Integer:
            for e in (node.exp + 1, node.exp - 1):
                yield f"exponent {e} of {node.base}", term.xreplace({node: node.base**e})
    # Inner sums: one sign changed, one summand dropped, or its positive part.
    for inner in sorted(term.atoms(sp.Add), key=str):
        for piece in sp.Add.make_args(inner):
            yield f"sign of {piece} changed", term.xreplace({inner: inner - 2 * piece})
            yield f"{piece} dropped", term.xreplace({inner: inner - piece})
        if not any(p.exp.is_negative and p.base.has(inner) for p in term.atoms(sp.Pow)):
            yield f"positive part of {inner}", term.xreplace({inner: _MAX(inner, 0)})
    yield "dropped", sp.Integer(0)


def survivors(
    candidates: Sequence[Edit], measured: Sequence[Mapping[str, Float]], most: int
) -> tuple[tuple[Edit, float], ...]:
    """Edits that no measured instance violates, with their largest lhs/rhs, the tightest first, at most `most`.

    Those of `edits` with the same instances were looked at in plain floats alone; here scores decide, those first asked
    about that may be tight. An edit that is never reached above a tenth of itself is no repair but a triviality, and
    left out.
    """
    kept: list[tuple[Edit, float]] = []
    places = {id(edit): place for place, edit in enumerate(candidates)}
    for edit in sorted(candidates, key=lambda e: -e.reached):
        tightest = sorted((round(worst, 3) for _, worst in kept), reverse=True)[:most]
        if edit.reached <= 0.1 or (len(tightest) == most and round(edit.reached, 3) + 1e-3 < tightest[-1]):
            break
        worst = 0.0
        for constants in measured:
            scores = scored(edit.written, constants)
            if np.any(scores.admissible):
                wrong = float(np.max(scores.excess)) > TOLERANCE
                worst = np.inf if wrong else max(worst, float(np.max(scores.ratio)))
        if 0.1 < worst < np.inf:
            kept.append((edit, worst))
    kept.sort(key=lambda p: (-round(p[1], 3), sp.count_ops(p[0].bound.expression), places[id(p[0])]))
    return tuple(kept[:most])


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Max": lambda *values: reduce(np.maximum, values),
    "Min": lambda *values: reduce(np.minimum, values),
    "Abs": np.abs,
    "exp": np.exp,
    "log": np.log,
}


def _plainly_reached(expression: Any, measured: Sequence[_Values]) -> float:
    """The largest lhs/rhs over measured instances, ∞ where one violates."""
    top = 0.0
    with np.errstate(all="ignore"):
        for values in measured:
            rhs, constants = values.at(expression), values.constants
            lhs = np.asarray(constants["lhs"], dtype=np.float64)
            size = np.abs(lhs) + np.abs(rhs) + np.asarray(constants.get("magnitude", 0.0)) * 1e-4
            met = np.asarray(constants.get("admissible", True), dtype=bool) & np.isfinite(rhs) & np.isfinite(lhs)
            if np.any(met & (lhs - rhs > 1e-6 * size)):
                return math.inf
            top = max(top, float(np.max(np.where(met & (rhs > 0), lhs / rhs, 0.0), initial=0.0)))
    return top


def measured_sample(
    cases: Iterable[Case], points: Mapping[str, Float], rng: np.random.Generator, n: int
) -> list[Mapping[str, Float]]:
    """Constants of `n` corner and `n` random draws of each case, fewer where they cost more, and of given points."""
    out: list[Mapping[str, Float]] = []
    for case in cases:
        m = max(8, round(n / case.cost))
        cube = np.concatenate([case.space.corners(rng, m), case.space.random(rng, m)])
        known = points.get(case.name)
        if known is not None and known.shape[1] == case.space.n_cube:  # cases of two sizes may share a name
            cube = np.concatenate([cube, known])
        with np.errstate(all="ignore"):
            out.append(case.measure(case.space.decode(cube)))
    return out
