"""What the claims about one round share: their hypotheses, the noise term of (7), and cases of both kinds of noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedaware.round_moments import ROUND_DEGREES, round_family
from validation import Bound, Canary, Claim, Kind, Reading, symbols

__all__ = ["FLOOR", "both_noises", "round_bound", "round_claim"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

L, K, c, eta_l, sigma2 = symbols("L K c eta_l sigma2")

FLOOR = 2 * c * eta_l**2 * L**2 * K * sigma2

_SMOOTH = (
    "every fᵢ is L-smooth (A4.2)",
    "unbiased gradients of variance at most σ_l² (A4.3)",
    "η_l <= 1/(8LK); for (7) also 1/(√cKL) <= η_l",
)


def round_bound(expression: Any, again: Any) -> Bound:
    """A right side of constants of one round, with their units."""
    return Bound(expression, again=again, degrees=ROUND_DEGREES)


def round_claim(
    key: str,
    source: str,
    title: str,
    statement: str,
    says: str,
    readings: tuple[Reading, ...],
    canaries: tuple[Canary, ...],
    words: str,
    depends: tuple[str, ...],
) -> Claim:
    """A claim about one round under the hypotheses of (7)."""
    return Claim(
        id=key,
        kind=Kind.INEQUALITY,
        source=source,
        title=title,
        statement=statement,
        says=says,
        assumes=_SMOOTH,
        readings=readings,
        canaries=canaries,
        depends_on=depends,
        verdict_words=words,
    )


def both_noises(left: Any, exact: Any) -> tuple[Any, ...]:
    """Clients of either curvature, with noise alike everywhere and with noise at the broadcast model only."""
    return (round_family(left, exact), round_family(left, exact, profile=1))
