"""What testing one formal statement gave, its counterexample, and its numbers as they are written."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.exact.decide import Side, near
from validation.statement.claim import Case
from validation.statement.verdict import Verdict

__all__ = ["Outcome", "Witness", "digits", "finite", "nearest", "text"]

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Witness:
    """A certified counterexample: the instance in Fractions, and both sides as recomputed exactly.

    `cube`: the point of the search that it was rounded from, where it was one. `robustness`: how far its numbers may
    move, as `validation.judge.exact.certify.robustness` finds it, None where nobody will read it.
    """

    case: Case
    instance: Mapping[str, Any]
    lhs: Side
    rhs: Side
    stage: str
    robustness: float | None
    cube: Float | None = None


@dataclass(frozen=True)
class Outcome:
    """What testing one formal statement gave; `script` confirms a refutation, `stage` found it.

    `worst_ratio`: the largest lhs/rhs; of a statement that holds the largest one in exact numbers, `attained` where
    both sides are equal there, None where no draw has one (both sides 0, a right side that is not positive). What
    floats saw is evidence in `detail`. `best`: the leading points of the search by case name, for related searches to
    start from. Raises `ValueError` for a statement that holds with a ratio above 1.
    """

    verdict: Verdict
    why: str
    worst_ratio: float | None = None
    instances: int = 0
    admissible: int = 0
    script: str | None = None
    stage: str | None = None
    robustness: float | None = None
    witness: Witness | None = field(default=None, repr=False)
    best: Mapping[str, Any] = field(default_factory=dict, repr=False)
    detail: dict[str, Any] = field(default_factory=dict, repr=False)
    attained: bool = False

    def __post_init__(self) -> None:
        if self.verdict.true and self.worst_ratio is not None and not self.worst_ratio <= 1:
            raise ValueError(
                f"Outcome(verdict={str(self.verdict)!r}, worst_ratio={self.worst_ratio}): a ratio above 1 that no exact"
                " arithmetic dismissed is no statement that holds; expected at most 1, or None"
            )


def nearest(value: Side) -> float:
    """The nearest float, ±∞ for what no float holds."""
    value = near(value)
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def digits(value: Side) -> str:
    """Six digits of a number of any size: 3.33333e+400 as well as 0.5."""
    value = near(value)
    shown = nearest(value)
    if value == 0 or (math.isfinite(shown) and abs(shown) > 1e-300):
        return f"{shown:.6g}"
    context = Context(prec=6, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()).lower()


def text(value: Side) -> str:
    """A side as it is written exactly, where no number of its fraction takes 256 bits; else its digits after «≈»."""
    if isinstance(value, Fraction | int) and max(value.numerator.bit_length(), value.denominator.bit_length()) < 256:
        return str(value)
    return f"≈ {digits(value)}"


def finite(value: float) -> float | str:
    """The number, or "inf" where JSON has none."""
    return value if math.isfinite(value) else "inf"
