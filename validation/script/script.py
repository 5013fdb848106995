"""Counterexamples as scripts that stand alone: the exact check's own source, the instance, and both sides."""

from __future__ import annotations

import hashlib
import inspect
import re
import textwrap
from collections.abc import Mapping
from fractions import Fraction

from validation.script.page import literal
from validation.script.sliced_page import carried
from validation.script.straight_line import resolved
from validation.statement.bound import Bound, identifier, python_source
from validation.statement.claim import Identity, Number
from validation.statement.outcome import Witness

__all__ = [
    "file_name",
    "head",
    "identity_script",
    "inequality_script",
    "literal",
    "number_script",
    "one_line",
    "string",
]

__judges__ = "no"


def file_name(words: str) -> str:
    """A name for a file, of letters, digits, dots and dashes: `words` where they are that, else told apart by a digest.

    >>> file_name("EA-T1"), file_name("../x")
    ('EA-T1', 'x-d6b9')
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", words)[:80].strip(".-")
    return words if words and plain == words else f"{plain}-{_digest(words)}"


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()[:4]


def string(text: str) -> str:
    """Python source of a text."""
    return f'"{text}"' if re.fullmatch(r"[\w.+-]*", text) else ascii(text)


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
    return _HEAD.format(title=_quoted(title), words=_quoted(words), imports=imports)


def _quoted(words: str) -> str:
    """Words as they stand in a docstring: no backslash or quote of theirs ends it or means something in it."""
    plain = "".join(c if c.isprintable() or c == "\n" else " " for c in words)
    return plain.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def one_line(words: str) -> str:
    """Words as they stand behind a #: in one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in words).split())


def inequality_script(claim_id: str, reading: str, statement: str, bound: Bound, witness: Witness) -> str | None:
    """A script of its own that recomputes both sides and every hypothesis of the witness, with Fractions only.

    One page of straight arithmetic where the computation at this instance fits there, else the plain function itself.
    A bound with roots is enclosed between rationals, and the left side has to lie above. None where Python alone cannot
    confirm the violation: exp and log, maxima of roots, or sides that agree to about 100 digits.
    """
    exact = witness.case.exact
    if exact is None:
        raise ValueError(f"inequality_script({claim_id!r}): case {witness.case.name!r} has no exact check")
    told = f"{statement}\nInstance: {witness.case.name}."
    page = resolved(claim_id, reading, told, bound, exact, witness.instance)
    return page or carried(claim_id, reading, told, bound, exact, witness.instance)


def identity_script(claim_id: str, reading: str, test: Identity, point: Mapping[str, Fraction]) -> str:
    """A script that evaluates both sides of an identity at one rational point."""
    parts = [head(f"Counterexample to {claim_id}.", f"Reading: {reading}.", "")]
    parts += [f"{identifier(name)} = {literal(value)}\n" for name, value in point.items()]
    parts.append(
        f"left = {python_source(test.left)}\nright = {python_source(test.right)}\n"
        'print(f"left side  = {left}")\nprint(f"right side = {right}")\n'
        'print("violated" if left != right else "NOT violated")\n'
        "raise SystemExit(0 if left != right else 1)\n"
    )
    return "".join(parts)


def number_script(claim_id: str, reading: str, test: Number) -> str:
    """A script that computes a number again and compares it with the printed one."""
    sources = [textwrap.dedent(inspect.getsource(f)) + "\n" for f in (*test.uses, test.computed)]
    body = "\n".join(sources) + (
        f"computed = Fraction({test.computed.__name__}())\n"
        f"printed = Fraction({string(test.printed.value)})  # {one_line(test.printed.where)}\n"
        f"tolerance = {literal(test.tolerance)}  # {one_line(test.because)}\n"
        'print(f"computed {float(computed):.9g}, printed {printed}, tolerance {float(tolerance):.3g}")\n'
        "violated = abs(computed - printed) > tolerance\n"
        'print("violated" if violated else "NOT violated")\n'
        "raise SystemExit(0 if violated else 1)\n"
    )
    return head(f"Counterexample to {claim_id}.", f"Reading: {reading}.", body) + body
