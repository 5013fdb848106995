"""What exact means say of a statement in expectation: replicas never see an event rarer than they are many.

A case with an exact check is asked at up to 200 of the instances looked at, the candidates first and the rest spread
over the cases; one that gives its mean in floats, too, is searched like any inequality.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from theory.exact.decide import near
from validation.cost.limits import current, rechecking, within
from validation.judge.exact.certify import COARSE, Decision, Said, UndefinedError, decide
from validation.statement.bound import Bound
from validation.statement.claim import Case

__all__ = ["MOST", "Means", "exact_means", "looks"]

Float = NDArray[np.float64]

MOST = 200
_LEAST = 24  # finds what fails on a sixth of the volume 99 times of 100
_SECONDS, _DIGITS = 2.0, 2000  # of one exact mean here


@dataclass(frozen=True)
class Means:
    """How many exact means gave which answer; the first violation; the largest exact lhs/rhs with rhs > 0 that is met.

    `reason`: why the first undecided one is. `undeclared`: the letter whose declaration one breaks, in words.
    """

    violated: tuple[Case, Decision] | None = None
    said: Mapping[Said, int] = field(default_factory=dict)
    ratio: Fraction | None = None
    reason: str = ""
    undeclared: str = ""

    @property
    def looked(self) -> int:
        """Instances that exact arithmetic was asked about."""
        return sum(self.said.values())

    @property
    def met(self) -> int:
        """Instances of which it says that they meet the statement."""
        return self.said.get(Said.MET, 0)

    @property
    def open(self) -> bool:
        """Whether more than half of them stay undecided."""
        return 2 * self.said.get(Said.UNDECIDED, 0) > self.looked

    @property
    def words(self) -> str:
        """The counts, for `why`."""
        met, undecided = self.said.get(Said.MET, 0), self.said.get(Said.UNDECIDED, 0)
        words = f"exact means on {met} of {self.looked} instances"
        words += "" if self.ratio is None else f", largest exact lhs/rhs {float(self.ratio):.4g}"
        return words + (f", {undecided} undecided ({self.reason})" if undecided else "")


def looks(budget: int) -> int:
    """How many instances are decided exactly at a budget: 1 for 100 replicas, from 24 to 200."""
    return min(MOST, max(_LEAST, budget // 100))


def exact_means(bound: Bound, draws: Sequence[tuple[Case, Float]]) -> Means:
    """Decide draws (case, point of the cube) in turn; stops at the first exact violation, or broken declaration.

    A case whose mean was beyond the limits twice is not asked again.
    """
    most = current()
    limits = replace(most, digits=min(most.digits, _DIGITS), recheck_seconds=min(most.recheck_seconds, _SECONDS))
    passes = (UndefinedError, ArithmeticError, ValueError, IndexError, TypeError)
    said: dict[Said, int] = {}
    dear: dict[str, int] = {}
    ratio, reason = None, ""
    with within(limits), rechecking(*passes, anew=True):
        for case, cube in draws:
            if dear.get(case.name, 0) > 1:
                continue
            decision = decide(bound, case, cube, COARSE)
            said[decision.said] = said.get(decision.said, 0) + 1
            if decision.said is Said.VIOLATED and decision.instance is not None:
                return Means((case, decision), said)
            if decision.said is Said.UNDECLARED:
                return Means(None, said, undeclared=decision.reason)
            if decision.said is Said.UNDECIDED:
                dear[case.name] = dear.get(case.name, 0) + 1
                reason = reason or decision.reason
            elif decision.said is Said.MET and decision.lhs is not None and decision.rhs is not None:
                own = min(near(decision.lhs) / near(decision.rhs), Fraction(1)) if decision.rhs > 0 else None
                ratio = own if ratio is None or (own is not None and own > ratio) else ratio
    return Means(None, said, ratio, reason)
