"""Both sides of a bound at one instance, exactly: hypotheses asked, lhs <= rhs decided."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.exact.decide import Decision, Sides, decide
from theory.exact.errors import InexactError, NoValueError
from theory.exact.floats import watching
from theory.exact.number import refusal
from validation.statement.bound import Bound
from validation.statement.forms.kinds import ExactCheck
from validation.statement.letters import broken_by

__all__ = ["DeclarationError", "OutsideError", "UndefinedError", "decided_sides"]


class UndefinedError(Exception):
    """A hypothesis fails, or a side is undefined, at an instance that was to be rechecked."""


class OutsideError(UndefinedError):
    """A hypothesis fails, exactly."""


class DeclarationError(UndefinedError):
    """A letter's exact value breaks what is declared of it, where every hypothesis is met."""


def decided_sides(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> Decision:
    """How lhs stands to the bound at one instance that meets every hypothesis.

    Raises `OutsideError` naming the hypotheses it misses, `DeclarationError` naming the letter whose value breaks what
    is declared of it, and how to declare it, and `UndefinedError` for sides without a value. What could not be computed
    exactly raises the error of `theory.exact` that says why, and decides nothing: `InexactError` (a float slipped in),
    `UndecidedError` or `DigitsError`.
    """
    try:
        with watching(not exact.measured) as watch:  # exact copies refuse floats by themselves
            hypotheses, constants = exact.function(instance)
        broken = [name for name, met in hypotheses.items() if not met]
        if broken:
            raise OutsideError(f"hypotheses not met: {', '.join(broken)}")
        for name in ("lhs", *bound.names):
            given: Any = constants[name]  # the type says no float, the user's function may
            if not isinstance(given, float):
                continue
            watch.refuse(name)
            wrong = refusal(given)
            if wrong is not None:
                raise InexactError(f"{name!r} of the exact side: {wrong.what}; {wrong.cure}")
        found = broken_by(bound.letters, constants)
        if found is not None:
            letter, value = found
            raise DeclarationError(letter.words(value))
        decision = decide(constants["lhs"], bound.exact(constants))
    except (ZeroDivisionError, NoValueError) as error:
        raise UndefinedError(f"undefined: {error}") from None
    if decision.outcome is Sides.UNDEFINED:
        raise UndefinedError(str(decision))
    return decision
