"""What sets the instance shown apart from a statement that holds in place of the print: computed, with both numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validation.papers.repaired import STANDING, Look, OfShown
from validation.report.claims.answer import standing
from validation.report.claims.claims import Claim
from validation.report.claims.mended import Mended
from validation.report.claims.shown import AtInstance
from validation.report.claims.wording import excluded, issue_words
from validation.report.counterexample.conditions import condition_of, signs_of, value_of_formula
from validation.report.counterexample.instance import Number, exact_text, told_apart

__all__ = ["apart"]

_OUTSIDE = "The instance shown is not covered: "
_FAILS = {"≤": "which is more than", "≥": "which is less than", "<": "which is not less than"}
_FAILS |= {">": "which is not more than", "=": "which is not", "≠": "which is"}


def apart(claim: Claim, found: AtInstance | None, looks: Mapping[str, OfShown]) -> dict[str, str]:
    """One sentence by the kind of what holds: what the instance shown breaks of it, or its sides where it holds there.

    `looks`: how that instance stands to each, as `validation.papers.repaired.of_shown` computes it.
    """
    if found is None or found.form == "printed numbers":
        return {}
    values = signs_of(found.constants)
    told = [(m.kind, _said(m, values, looks.get(m.kind))) for m in claim.mended]
    own = looks.get(STANDING)
    if not told and own is not None and own.cuts and standing(claim):
        told = [(STANDING, f"{_OUTSIDE}{_excluded(own)}.")]
    return {kind: said for kind, said in told if said}


def _said(mended: Mended, values: Mapping[str, Number], look: OfShown | None) -> str:
    broken = [*_conditions(mended, values), *_choices(mended, values, look), *_cases(mended, look)]
    if broken:
        return f"{_OUTSIDE}{'; '.join(broken)}."
    if look is not None and look.sides is not None:
        left, right = told_apart(*look.sides)
        return f"At the instance shown it holds: its left side is {left}, its right side {right}."
    if look is not None and look.look is Look.OUTSIDE and mended.conditions:
        return f"{_OUTSIDE}the instance does not meet “{'; '.join(mended.conditions)}”."
    return "Whether it holds at the instance shown was not computed." if look is not None else ""


def _conditions(mended: Mended, values: Mapping[str, Number]) -> Iterator[str]:
    """The conditions in numbers that are broken: «1 − C − A·W_D(1 − C) is −15 there, which is not more than 0»."""
    for condition in mended.conditions:
        found = condition_of(condition, values)
        if found is not None and not found.met:
            left, right = (exact_text(value) for value in found.values)
            other = right if right.startswith(found.right) else f"{found.right} = {right}"
            yield f"{found.left} is {left} there, {_FAILS[found.sign]} {other}"


def _choices(mended: Mended, values: Mapping[str, Number], look: OfShown | None) -> Iterator[str]:
    """Where the print is open and the two choose otherwise: «it has γ = 1, max{8L/μ, E} − 1 is 7 there»."""
    for issue, own, other in look.otherwise if look is not None else ():
        name = issue_words(issue, mended.whys.get(issue, ""))
        formula = mended.chosen.partition(f"{name} = ")[2].partition(" as in ")[0]
        value = value_of_formula(formula, values) if formula else None
        if value is not None and name in values and values[name] != value:
            yield f"the instance has {name} = {exact_text(values[name])}, and {formula} is {exact_text(value)}"
        else:
            yield f"the instance reads {name} as “{own}”, what holds reads it as “{other}”"


def _cases(mended: Mended, look: OfShown | None) -> Iterator[str]:
    """The case of the print that the instance is one of, and that its conditions or exceptions do not admit."""
    if look is not None and look.cuts and (mended.conditions or mended.left_out):
        yield _excluded(look)


def _excluded(look: OfShown) -> str:
    return f"what holds leaves out the case of the instance, {excluded(look.cuts)}"
