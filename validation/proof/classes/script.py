"""A decision as a script of its own: the statement spelled out, the evidence, and the checks, with Python alone."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence

from theory.classes import Form, Statement, assemble
from theory.classes.numbers import Real, definitions, text, value
from validation.proof.classes import checker
from validation.proof.classes.certificate import Proof
from validation.proof.classes.decide import ClassDecision
from validation.proof.classes.instance import lines_of
from validation.proof.classes.witness import Witness

__all__ = ["class_script", "proof_script", "witness_script"]


def class_script(decision: ClassDecision, says: str = "") -> str | None:
    """The decision's script, which exits 0 when its evidence checks; None where there is no evidence."""
    if decision.proof is not None:
        return proof_script(decision.proof, says)
    return None if decision.witness is None else witness_script(decision.witness, says)


def proof_script(proof: Proof, says: str = "") -> str:
    """A script that exits 0 when the multipliers prove the bound; zero multipliers are left out."""
    statement = proof.statement
    used = [(x, c) for x, c in zip(proof.multipliers, statement.conditions, strict=True) if not _is_zero(x)]
    numbers = [proof.bound, *proof.weights, *(x for x, _ in used)]
    lines = ["measures = [  # weight, inner products, values, constant"]
    for w, m in zip(proof.weights, statement.measures, strict=True):
        lines.append(f"    ({text(w)}, {_form(statement, m)}),")
    lines += ["]", "conditions = [  # multiplier, is an equation, form <= 0 (or = 0)"]
    for x, c in used:
        lines.append(f"    ({text(x)}, {c.equality}, {_form(statement, c.form)}),  # {c.label}")
    program = assemble(statement)
    shifts = [{statement.vectors[v]: int(x.p) for v, x in direction.items()} for _, direction in program.shifts]
    lines += [
        "]",
        f"kept = {[statement.vectors[i] for i in program.kept]!r}",
        f"shifts = {shifts!r}",
        "proved = proves(bound, measures, conditions, kept, shifts)",
        'print("proved" if proved else "NOT proved")',
        "raise SystemExit(0 if proved else 1)",
    ]
    words = ["A proof over whole classes, in every dimension.", "", *_words(statement, says)]
    return _script(words, _setting([*numbers, *_numbers(statement)], proof.bound), lines)


def witness_script(witness: Witness, says: str = "") -> str:
    """A script that exits 0 when the points satisfy every condition and exceed the bound."""
    statement = witness.statement
    numbers = [statement.bound, *(x for v in witness.vectors for x in v), *witness.values, *_numbers(statement)]
    lines = ["place = {"]
    for name, vector in zip(statement.vectors, witness.vectors, strict=True):
        lines.append(f"    {name!r}: ({''.join(text(x) + ', ' for x in vector)}),")
    lines += ["}", "value = {"]
    lines += [f"    {name!r}: {text(x)}," for name, x in zip(statement.values, witness.values, strict=True)]
    lines += ["}", "measures = [", *(f"    ({_form(statement, m)})," for m in statement.measures), "]"]
    lines += ["conditions = [  # is an equation, form <= 0 (or = 0)"]
    lines += [f"    ({c.equality}, {_form(statement, c.form)}),  # {c.label}" for c in statement.conditions]
    lines += [
        "]",
        "for form in measures:",
        '    print(f"measure = {float(sum(at(form, place, value).bounds(64)) / 2):.9g}")',
        f'print("bound   = {value(statement.bound):.9g}")',
        "violated = violates(bound, measures, conditions, place, value)",
        'print("violated" if violated else "NOT violated")',
        "raise SystemExit(0 if violated else 1)",
    ]
    words = ["A counterexample over whole classes: points, gradients and values that members of them take.", ""]
    words += [*lines_of(witness), ""]
    return _script([*words, *_words(statement, says)], _setting(numbers, statement.bound), lines)


def _script(words: Iterable[str], setting: Sequence[str], lines: Sequence[str]) -> str:
    source = inspect.getsource(checker)
    code = source[source.index("from fractions") :]
    return "\n".join(['"""', *words, '"""', "", "from __future__ import annotations", "", code, *setting, *lines, ""])


def _words(statement: Statement, says: str) -> list[str]:
    out = [says, ""] if says else []
    for name, family, samples in statement.asked:
        kind = "interpolation" if family.exact else "necessary conditions only"
        out.append(f"{name}: {family.name}, asked at {len(samples)} points ({kind}: {family.source}).")
    return [
        *out,
        f"Free vectors: {', '.join(statement.vectors)}.",
        f"Free values: {', '.join(statement.values) or 'none'}.",
    ]


def _setting(numbers: Sequence[Real], bound: Real) -> list[str]:
    return [*(f"{name} = {made}" for name, made in definitions(numbers)), f"bound = {text(bound)}"]


def _numbers(statement: Statement) -> list[Real]:
    out: list[Real] = []
    for form in (*statement.measures, *(c.form for c in statement.conditions)):
        out += [*form.quad.values(), *form.values.values(), form.constant]
    return out


def _form(statement: Statement, form: Form) -> str:
    products = ", ".join(
        f"({statement.vectors[i]!r}, {statement.vectors[j]!r}): {text(a)}" for (i, j), a in form.quad.items()
    )
    values = ", ".join(f"{statement.values[v]!r}: {text(a)}" for v, a in form.values.items())
    return f"{{{products}}}, {{{values}}}, {text(form.constant)}"


def _is_zero(x: Real) -> bool:
    return text(x) == "0"
