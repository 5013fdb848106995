"""Counterexamples as scripts that stand alone: the exact check's own source, the instance, and both sides."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from validation.bound import Bound, python_source
from validation.certify import Witness
from validation.claim import Comparison, Identity, Number

__all__ = ["comparison_script", "head", "identity_script", "inequality_script", "literal", "number_script"]


def literal(value: Any) -> str:
    """Python source of Fractions in nested lists."""
    if isinstance(value, list):
        return "[" + ", ".join(literal(v) for v in value) + "]"
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


def head(title: str, words: str, body: str) -> str:
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
    fields = "".join(f"    {name!r}: {literal(value)},\n" for name, value in witness.instance.items())
    pulled = "".join(f'{name} = constants["{name}"]\n' for name in bound.names)
    parts.append(
        f"INSTANCE = {{\n{fields}}}\n"
        f"hypotheses, constants = {exact.function.__name__}(INSTANCE)\n"
        f"{pulled}"
        f'lhs = constants["lhs"]\n'
        f"rhs = Fraction({python_source(bound.expression)})\n"
        "for name, met in hypotheses.items():\n"
        '    print(f"hypothesis {name}: {met}")\n'
        'for side, value in (("left side ", lhs), ("right side", rhs)):\n'
        "    short = max(abs(value.numerator), value.denominator) < 10**60\n"
        '    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")\n'
        "violated = all(hypotheses.values()) and lhs > rhs\n"
        'print("violated" if violated else "NOT violated")\n'
        "raise SystemExit(0 if violated else 1)\n"
    )
    body = "\n".join(parts)
    return head(f"Counterexample to {claim_id}.", words, body) + body


def identity_script(claim_id: str, reading: str, test: Identity, point: Mapping[str, Fraction]) -> str:
    """A script that evaluates both sides of an identity at one rational point."""
    parts = [head(f"Counterexample to {claim_id}.", f"Reading: {reading}.", "")]
    parts += [f"{name} = {literal(value)}\n" for name, value in point.items()]
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
    parts = [head(f"Counterexample to {claim_id}.", words, "")]
    parts += [f'{name} = Fraction("{cell.value}")  # {cell.where}\n' for name, cell in failed.cells.items()]
    parts.append(
        f"left = {python_source(failed.left)}\nright = {python_source(failed.right)}\n"
        f'print(f"claimed: {{left}} {failed.relation} {{right}}  ({{float(left):.6g}}, {{float(right):.6g}})")\n'
        f"holds = left {failed.relation} right\n"
        'print("NOT violated" if holds else "violated")\n'
        "raise SystemExit(1 if holds else 0)\n"
    )
    return "".join(parts)


def number_script(claim_id: str, reading: str, test: Number) -> str:
    """A script that computes a number again and compares it with the printed one."""
    sources = [textwrap.dedent(inspect.getsource(f)) + "\n" for f in (*test.uses, test.computed)]
    body = "\n".join(sources) + (
        f"computed = Fraction({test.computed.__name__}())\n"
        f'printed = Fraction("{test.printed.value}")  # {test.printed.where}\n'
        f"tolerance = {literal(test.tolerance)}  # {test.because}\n"
        'print(f"computed {float(computed):.9g}, printed {printed}, tolerance {float(tolerance):.3g}")\n'
        "violated = abs(computed - printed) > tolerance\n"
        'print("violated" if violated else "NOT violated")\n'
        "raise SystemExit(0 if violated else 1)\n"
    )
    return head(f"Counterexample to {claim_id}.", f"Reading: {reading}.", body) + body
