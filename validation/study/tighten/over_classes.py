"""The smallest constants of a bound over a whole class of functions, in every dimension, at fixed numbers: both sides.

The constants c >= 0 of lhs <= Σ cⱼ·termⱼ are unknowns of a semidefinite program. Each setting, such as a number of
steps, gives cuts: the worst member of the class for the present constants is a row of the linear program of
`smallest`. The constants in the end are raised by a slack and proved exactly for every setting; less than their
weighted sum, by that slack, is refuted exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theory.classes import Condition, Form, Problem, Statement, assemble, number, solve
from theory.worst_case.status import UnsolvedError
from validation.proof.classes import ClassDecision, decide_class
from validation.study.tighten.program import smallest

__all__ = ["ClassConstants", "OverClass", "constants_over_class"]

__judges__ = "no"

Float = NDArray[np.float64]

_ROUNDS, _CAP = 40, 1e6
_NEAR = 1e-9  # of the left side, where all terms are at most 1: constants that are broken by less are kept


@dataclass(frozen=True, eq=False)
class OverClass:
    """One setting: lhs <= Σ cⱼ·termⱼ for every member where `given` holds; forms without constants, at fixed numbers.

    `given` may hold conditions without constants alone, so that an instance can be scaled.
    """

    problem: Problem
    lhs: Form
    terms: Mapping[str, Form]
    given: Sequence[Condition] = ()

    def at(self, constants: Sequence[Fraction]) -> Statement:
        """«lhs − Σ cⱼ·termⱼ <= 0», where the terms are at most 1 in sum."""
        gap, total = self.lhs, Form()
        for c, term in zip(constants, self.terms.values(), strict=True):
            gap, total = gap - number(c) * term, total + term
        return self.problem.statement(gap, 0, given=[total <= 1, *self.given])

    def within(self, weights: Sequence[Fraction], bound: Fraction) -> Statement:
        """«lhs <= bound where every term is at most its weight»: refuted, no constants of a smaller sum Σ w·c serve."""
        limits = [term <= number(w) for term, w in zip(self.terms.values(), weights, strict=True)]
        return self.problem.statement(self.lhs, number(bound), given=[*limits, *self.given])


@dataclass(frozen=True, eq=False)
class ClassConstants:
    """`constants` by term, raised by the slack; `proved`: exactly, for every member, at each setting.

    `value` = Σ w·c before the slack, as floats; `at_least`: no constants of a smaller sum serve all settings, exactly;
    0 where that was not shown. `decisions`: what proved each setting, or did not.
    """

    constants: Mapping[str, Fraction]
    value: float
    at_least: Fraction
    decisions: tuple[ClassDecision, ...]

    @property
    def proved(self) -> bool:
        """Whether every setting has its exact proof."""
        return all(d.word == "proved" for d in self.decisions)


def constants_over_class(
    settings: Sequence[OverClass], *, weights: Mapping[str, float] | None = None, slack: float = 1e-5
) -> ClassConstants:
    """The constants c >= 0 of least Σ w·c that serve every setting, all of the same terms; weights are 1 unless given.

    Raises `ValueError` for no settings, other terms, a term with a constant, and where no constants up to 10⁶ serve.
    """
    names = _names(settings)
    worth = tuple(Fraction(str((weights or {}).get(name, 1))) for name in names)
    lhs, terms = np.zeros(0), np.zeros((0, len(names)))
    constants = np.zeros(len(names))
    for _ in range(_ROUNDS):
        broken = False
        for setting in settings:
            found = _worst(setting, constants)
            if found is None:
                continue
            broken = True
            lhs, terms = np.append(lhs, found[0]), np.vstack([terms, found[1]])
        if not broken:
            break
        solved = smallest(lhs, terms, np.array([float(w) for w in worth]), _CAP)
        if solved is None:
            raise ValueError(f"constants_over_class: no constants up to {_CAP:g} serve")
        constants = solved[0]
    value = float(constants @ [float(w) for w in worth])
    raised = [_up(c, slack * max(float(constants.max()), 1e-3)) for c in constants]
    decisions = tuple(decide_class(setting.at(raised)) for setting in settings)
    less = Fraction(value * (1 - slack)).limit_denominator(10**9)
    refuted = any(decide_class(setting.within(worth, less)).word == "refuted" for setting in settings) if less else True
    return ClassConstants(dict(zip(names, raised, strict=True)), value, less if refuted else Fraction(0), decisions)


def _names(settings: Sequence[OverClass]) -> tuple[str, ...]:
    if not settings:
        raise ValueError("constants_over_class: no setting; expected at least one")
    names = tuple(settings[0].terms)
    for setting in settings:
        if tuple(setting.terms) != names:
            raise ValueError(f"constants_over_class: terms {tuple(setting.terms)}; expected {names}, as the first has")
        for name, form in {"the left side": setting.lhs, **setting.terms}.items():
            if form.constant != 0:
                raise ValueError(f"constants_over_class: {name} has the constant {form.constant}; expected none")
    return names


def _worst(setting: OverClass, constants: Float) -> tuple[float, Float] | None:
    """(left side, terms) of the member that breaks these constants most, each term at most 1; None where none does."""
    fractions = [Fraction(float(c)).limit_denominator(10**9) for c in constants]
    gap = setting.lhs
    for c, term in zip(fractions, setting.terms.values(), strict=True):
        gap = gap - number(c) * term
    limits = [term <= 1 for term in setting.terms.values()]
    program = assemble(setting.problem.statement(gap, 0, given=[*limits, *setting.given]))
    try:
        solved = solve(program)
    except UnsolvedError as error:
        raise ValueError(
            "constants_over_class: with every term at most 1 the left side has no largest value, or none that a solver"
            f" tells: no constants serve then ({error})"
        ) from None
    if not np.isfinite(solved.value) or solved.value <= _NEAR * max(1.0, float(constants.max(initial=0.0))):
        return None
    forms = np.einsum("kij,ij->k", program.gram, solved.gram) + program.linear @ solved.values + program.constant
    terms = np.maximum(forms[program.n_measures : program.n_measures + len(limits)] + 1, 0.0)
    return float(forms[0] + terms @ [float(c) for c in fractions]), terms


def _up(value: float, room: float) -> Fraction:
    """A short fraction a little above the value."""
    return Fraction(value + room).limit_denominator(10**7)
