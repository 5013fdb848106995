"""How what needs no search is judged: an identity by algebra, a printed number by computing it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from validation.proof.symbolic import find_point, is_identity
from validation.script.script import identity_script, number_script
from validation.statement.claim import Identity, Number
from validation.statement.outcome import Outcome
from validation.statement.verdict import Verdict

__all__ = ["judge_identity", "judge_number"]

__judges__ = "identities"


def judge_identity(test: Identity, claim_id: str, name: str) -> Outcome:
    """The verdict on an identity: proved by sympy, or refuted at a rational point."""
    if is_identity(test):
        return Outcome(Verdict.PROVED, "the difference of the two sides simplifies to 0 symbolically", instances=0)
    point = find_point(test)
    if point is None:
        return Outcome(
            Verdict.INCONCLUSIVE, "sympy neither reduces the difference to 0 nor finds a point where it is not"
        )
    values, left, right = point
    words = ", ".join(f"{k} = {v}" for k, v in values.items())
    return Outcome(
        Verdict.REFUTED,
        f"the sides differ: at {words} the left side is {left}, the right side {right}",
        instances=1,
        admissible=1,
        script=identity_script(claim_id, name, test, values),
        stage="symbolic",
        detail={"worst_instance": {k: str(v) for k, v in values.items()}},
    )


def judge_number(test: Number, claim_id: str, name: str) -> Outcome:
    """The verdict on a printed number that can be computed exactly."""
    computed, printed = Fraction(test.computed()), Fraction(test.printed.value)
    apart = abs(computed - printed)
    shown = f"computed {float(computed):.6g}, printed {test.printed.value} ({test.printed.where})"
    outcome = partial(
        Outcome,
        instances=1,
        admissible=1,
        detail={"cells": [{"cell": test.printed.where, "value": test.printed.value}]},
    )
    if apart <= test.tolerance:
        return outcome(Verdict.HOLDS, f"{shown}: within {float(test.tolerance):.3g}, {test.because}")
    why = f"{shown}: {float(apart):.3g} apart, more than {float(test.tolerance):.3g}, {test.because}"
    return outcome(Verdict.REFUTED, why, script=number_script(claim_id, name, test), stage="computed")
