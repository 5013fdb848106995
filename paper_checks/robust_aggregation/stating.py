"""How statements about diagonal quadratic federations become claims: their usual hypotheses, bounds and canaries."""

from __future__ import annotations

from typing import Any

import sympy as sp

from paper_checks.robust_aggregation.diagonal import DEGREES
from validation import Bound, Canary, Case, Claim, Family, Inequality, Kind, Property, Reading

__all__ = ["FIXED", "QUADRATIC", "bounded", "breaks", "claimed"]

QUADRATIC = "Fᵢ μ-strongly convex and L-smooth, Fᵢ* = Fᵢ(wᵢ*), pᵢ > 0, Σpᵢ = Σαᵢ = 1, αᵢ >= 0"
FIXED = "weights fixed over the rounds, step sizes that fall to 0, so that every run ends at the minimiser of ΣαᵢFᵢ"


def bounded(expression: Any, again: Any, family: Family, degrees: tuple[int, int] = (0, 0)) -> Inequality:
    """What the family measures is at most the expression in its constants."""
    named = {str(s): DEGREES[str(s)] for s in sp.sympify(expression).free_symbols}
    return Inequality(Bound(expression, again=again, degrees=named), (family,), degrees=degrees)


def breaks(name: str, since: str, *cases: Case | Family) -> Canary:
    """A mutant that some instance of the cases has to break."""
    return Canary(name, Property(cases), since)


def claimed(
    suffix: str,
    source: str,
    title: str,
    statement: str,
    says: str,
    readings: tuple[Reading, ...],
    canaries: tuple[Canary, ...],
    words: str,
    depends_on: tuple[str, ...],
    assumes: tuple[str, ...] = (QUADRATIC,),
    tight: str | None = None,
) -> Claim:
    """The claim RA-`suffix`, its fields in the order in which they are read."""
    kind = Kind.INEQUALITY if isinstance(readings[0].test, Inequality) else Kind.PROPERTY
    return Claim(
        f"RA-{suffix}", kind, source, title, statement, says, assumes, readings, canaries, tight, depends_on, words
    )
