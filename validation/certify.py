"""When a counterexample counts: rounded to small rationals, recomputed exactly, hypotheses included."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream
from validation.bound import Bound, python_source
from validation.claim import Case, Comparison, ExactCheck, Identity
from validation.draw import stack, take
from validation.search import Search, evaluate

__all__ = [
    "Certification",
    "UndefinedError",
    "Witness",
    "certify",
    "comparison_script",
    "identity_script",
    "inequality_script",
    "recheck",
    "robustness",
]

Float = NDArray[np.float64]
LIMITS = (1, 2, 4, 8, 20, 100, 1000, 10**5, 10**9, 1 << 1100)  # the last keeps every float exactly


@dataclass(frozen=True)
class Witness:
    """A certified counterexample: the instance in Fractions, and both sides as recomputed exactly."""

    case: Case
    instance: Mapping[str, Any]
    lhs: Fraction
    rhs: Fraction
    stage: str
    robustness: float


class UndefinedError(Exception):
    """A hypothesis fails, or a side is undefined, at an instance that was to be rechecked."""


def recheck(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> tuple[bool, Fraction, Fraction]:
    """(lhs > rhs, lhs, rhs), exactly, with every hypothesis met; else raises `UndefinedError` saying which is not."""
    try:
        hypotheses, constants = exact.function(instance)
        lhs, rhs = Fraction(constants["lhs"]), bound.exact(constants)
    except ZeroDivisionError as error:
        raise UndefinedError(f"undefined: {error}") from None
    broken = [name for name, met in hypotheses.items() if not met]
    if broken:
        raise UndefinedError(f"hypotheses not met: {', '.join(broken)}")
    return lhs > rhs, lhs, rhs


@dataclass(frozen=True)
class Certification:
    """What exact arithmetic said of the candidates: a witness, or how many it dismissed and how many stay open."""

    witness: Witness | None
    dismissed: int
    undecided: int


def certify(bound: Bound, found: Search, seed: int, label: str) -> Certification:
    """The simplest certified witness among the candidates of a search.

    Candidates are taken strongest first, and all of them while none is certified. Each is first recomputed exactly as
    it was evaluated: one that does not violate there is rounding error and is dismissed, one whose hypotheses fail or
    whose sides are undefined at every rounding stays undecided. A true one is rounded to rationals of growing
    denominator, and the first that still violates counts; after the first witness only a few more are looked at, for
    simpler numbers.
    """
    ranked = sorted(found.witnesses, key=lambda w: -w[2])
    # The strongest candidate of each case first, so that one mechanism does not crowd out another.
    heads = [next(w for w in ranked if w[0] is case) for case in dict.fromkeys(w[0] for w in ranked)]
    queue = [*heads, *[w for w in ranked if not any(w is h for h in heads)]]
    best: tuple[tuple[int, int], Witness] | None = None
    dismissed = undecided = 0
    for position, (case, cube, _, stage) in enumerate(queue):
        if best is not None and position >= max(12, len(heads)):
            break
        outcome, level = _recheck_rounded(bound, case, cube, LIMITS if best is None else LIMITS[: best[0][0] + 1])
        if isinstance(outcome, tuple):
            rounded, lhs, rhs = outcome
            rank = (level, len(str(rounded)))  # the coarsest grid first, then the shortest to write down
            if best is None or rank < best[0]:
                share = robustness(bound, case, rounded, seed, label)
                best = (rank, Witness(case, rounded, lhs, rhs, stage, share))
        elif best is None:
            dismissed += outcome
            undecided += not outcome
    return Certification(None if best is None else best[1], dismissed, undecided)


def _recheck_rounded(
    bound: Bound, case: Case, cube: Float, limits: tuple[int, ...]
) -> tuple[tuple[dict[str, Any], Fraction, Fraction] | bool, int]:
    """The first rounding of a candidate that violates exactly, and its level; else whether it was dismissed."""
    if case.exact is None:
        return False, 0
    instance = take(case.space.decode(cube[None]), 0)
    try:
        violated, _, _ = recheck(bound, case.exact, case.space.rationalise(instance, LIMITS[-1]))
        if not violated:
            return True, 0
    except UndefinedError:
        pass  # a hypothesis may fail by a rounding error alone; a coarser grid may meet it
    for level, limit in enumerate(limits):
        rounded = case.space.rationalise(instance, limit)
        try:
            violated, lhs, rhs = recheck(bound, case.exact, rounded)
        except UndefinedError:
            continue
        if violated:
            return (rounded, lhs, rhs), level
    return False, 0


def robustness(bound: Bound, case: Case, instance: Mapping[str, Any], seed: int, label: str, n: int = 200) -> float:
    """The share of ±10% perturbations of every number (simplex rows renormalised) that still violate, in floats."""
    rng = stream(seed, f"robustness/{label}")
    base = stack([instance])
    moved = {}
    for c in case.space.coordinates:
        value = np.repeat(base[c.name], n, axis=0)
        factor = rng.uniform(0.9, 1.1, size=value.shape)
        whole = type(c).__name__ in {"Integer", "Choice"}
        value = value if whole else value * factor
        moved[c.name] = value / value.sum(axis=-1, keepdims=True) if type(c).__name__ == "Simplex" else value
    fixed = _Given(moved)
    scores = evaluate(bound, Case(case.name, fixed, case.measure), np.empty((n, 0)))  # type: ignore[arg-type]
    return float(np.mean(scores.excess > 0))


@dataclass(frozen=True)
class _Given:
    """A stand-in for a space whose instances are already decoded."""

    instances: Mapping[str, Float]

    def decode(self, cube: Float) -> Mapping[str, Float]:
        return self.instances


def _literal(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_literal(v) for v in value) + "]"
    value = Fraction(value)
    return (
        f"Fraction({value.numerator})"
        if value.denominator == 1
        else f"Fraction({value.numerator}, {value.denominator})"
    )


_HEAD = '''"""{title}

{words}
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

{imports}
'''
_ABSTRACT = ("Callable", "Mapping", "Sequence")
_ALIASES = {"Number": "Any", "Vector": "list[Any]", "Matrix": "list[list[Any]]"}


def _head(title: str, words: str, body: str) -> str:
    """The top of a script: what it is, and the imports that `body` needs."""
    used = {name for name in (*_ABSTRACT, "Any", *_ALIASES) if re.search(rf"\b{name}\b", body)}
    lines = []
    if used & set(_ABSTRACT):
        lines.append(f"from collections.abc import {', '.join(sorted(used & set(_ABSTRACT)))}")
    lines.append("from fractions import Fraction")
    if used - set(_ABSTRACT):
        lines.append("from typing import Any")
    aliases = [f"{name} = {meaning}" for name, meaning in _ALIASES.items() if name in used]
    imports = "\n".join(lines) + ("\n\n" + "\n".join(aliases) if aliases else "") + "\n"
    return _HEAD.format(title=title, words=words, imports=imports)


def inequality_script(claim_id: str, reading: str, statement: str, bound: Bound, witness: Witness) -> str:
    """A script of its own that recomputes both sides and every hypothesis of the witness, with Fractions only."""
    exact = witness.case.exact
    if exact is None:
        raise ValueError(f"inequality_script({claim_id!r}): case {witness.case.name!r} has no exact check")
    words = f"Reading: {reading}.\nInstance: {witness.case.name}.\nClaimed: {statement}"
    parts = [textwrap.dedent(inspect.getsource(f)) + "\n" for f in (*exact.uses, exact.function)]
    fields = "".join(f"    {name!r}: {_literal(value)},\n" for name, value in witness.instance.items())
    names = ", ".join(bound.names)
    pull = ", ".join(f'constants["{name}"]' for name in bound.names)
    parts.append(
        f"INSTANCE = {{\n{fields}}}\n"
        f"hypotheses, constants = {exact.function.__name__}(INSTANCE)\n"
        f"{names}{',' if len(bound.names) == 1 else ''} = {pull}{',' if len(bound.names) == 1 else ''}\n"
        f'lhs = constants["lhs"]\n'
        f"rhs = {python_source(bound.expression)}\n"
        "for name, met in hypotheses.items():\n"
        '    print(f"hypothesis {name}: {met}")\n'
        'print(f"left side  = {lhs} = {float(lhs):.6g}")\n'
        'print(f"right side = {rhs} = {float(rhs):.6g}")\n'
        "violated = all(hypotheses.values()) and lhs > rhs\n"
        'print("violated" if violated else "NOT violated")\n'
        "raise SystemExit(0 if violated else 1)\n"
    )
    body = "\n".join(parts)
    return _head(f"Counterexample to {claim_id}.", words, body) + body


def identity_script(claim_id: str, reading: str, test: Identity, point: Mapping[str, Fraction]) -> str:
    """A script that evaluates both sides of an identity at one rational point."""
    parts = [_head(f"Counterexample to {claim_id}.", f"Reading: {reading}.", "")]
    parts += [f"{name} = {_literal(value)}\n" for name, value in point.items()]
    parts.append(
        f"left = {python_source(test.left)}\nright = {python_source(test.right)}\n"
        'print(f"left side  = {left}")\nprint(f"right side = {right}")\n'
        'print("violated" if left != right else "NOT violated")\n'
        "raise SystemExit(0 if left != right else 1)\n"
    )
    return "".join(parts)


def comparison_script(claim_id: str, reading: str, failed: Comparison) -> str:
    """A script that recomputes one failed comparison from the printed cells."""
    words = f"Reading: {reading}.\nClaimed: {failed.says}."
    parts = [_head(f"Counterexample to {claim_id}.", words, "")]
    parts += [f'{name} = Fraction("{cell.value}")  # {cell.where}\n' for name, cell in failed.cells.items()]
    parts.append(
        f"left = {python_source(failed.left)}\nright = {python_source(failed.right)}\n"
        f'print(f"claimed: {{left}} {failed.relation} {{right}}  ({{float(left):.6g}}, {{float(right):.6g}})")\n'
        f"holds = left {failed.relation} right\n"
        'print("NOT violated" if holds else "violated")\n'
        "raise SystemExit(1 if holds else 0)\n"
    )
    return "".join(parts)
