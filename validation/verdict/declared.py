"""The first look at what is declared of letters: whether corners and a few random draws of a case keep to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.cost.limits import Limits, NoAnswerError, contained, within
from validation.judge.exact.certify import LIMITS
from validation.judge.exact.declared import clearly
from validation.judge.exact.sides import DeclarationError, UndefinedError, decided_sides
from validation.search.scores import Broken, breaking
from validation.statement.bound import Bound
from validation.statement.claim import Case, ExactCheck
from validation.statement.instances.draw import take
from validation.statement.letters import Letter

__all__ = ["first_broken"]

Float = NDArray[np.float64]

_DRAWN = 24  # corners, and as many random draws; fewer of long runs
_FEWEST = 2
_GLANCE = Limits(recheck_seconds=1.0, digits=1000)


def first_broken(bound: Bound, case: Case) -> str:
    """The letter whose declaration a corner or a random draw of a case breaks, and the cure; empty where none does.

    What is within the rounding of floats is decided exactly; left to the search where exact arithmetic takes long.
    """
    if not bound.letters:
        return ""
    n, rng = max(_FEWEST, round(_DRAWN / case.cost)), np.random.default_rng(0)
    cube = np.concatenate([case.space.corners(rng, n), case.space.random(rng, n)])
    try:
        found = _breaking(bound, case, cube)
    except Exception:  # the measure's own fault, told where it is run
        return ""
    for letter, how in found.items():
        words = _exactly(bound, case, cube[how.place])
        if words is None and clearly(how):
            return letter.words(how.value)
        if words:
            return words
    return ""


def _breaking(bound: Bound, case: Case, cube: Float) -> Mapping[Letter, Broken]:
    with np.errstate(all="ignore"):
        constants = case.measure(case.space.decode(cube))
        given = [constants["lhs"], constants.get("magnitude", 0.0)]
        given += [constants[letter.name] for letter in bound.letters if letter.name in constants]
        shape = (len(cube),)
        whole = sum((np.abs(np.broadcast_to(np.asarray(v, dtype=np.float64), shape)) for v in given), np.zeros(shape))
        met = np.broadcast_to(np.asarray(constants.get("admissible", True), dtype=np.bool_), shape)
        return breaking(bound, constants, met, whole)


def _exactly(bound: Bound, case: Case, cube: Float) -> str | None:
    """The letter whose declaration a draw breaks exactly, in words; "" for none, None where that stays open."""
    if case.exact is None:
        return None
    drawn = take(case.space.decode(cube[None]), 0)
    with within(_GLANCE), contained(partial(_words, bound, case.exact)) as words:
        try:
            return words(case.space.rationalise(drawn, LIMITS[-1]))
        except NoAnswerError:
            return None


def _words(bound: Bound, exact: ExactCheck, instance: Mapping[str, Any]) -> str:
    try:
        decided_sides(bound, exact, instance)
    except DeclarationError as error:
        return str(error)
    except UndefinedError:
        return ""
    return ""
