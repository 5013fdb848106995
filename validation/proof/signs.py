"""Sign conditions: every coefficient of an expression with the sign it must have on a domain, and where it has not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from theory.base.streams import stream
from validation.proof.sos import prove_nonnegative
from validation.statement.bound import exact_value
from validation.statement.instances.domain import Domain, Point, domain_points
from validation.statement.verdict import Verdict

__all__ = ["Sign", "coefficient_signs"]


@dataclass(frozen=True)
class Sign:
    """One coefficient and the sign it must have: proved, holds (at every point tried) or refuted with a witness."""

    term: str
    coefficient: str
    required: str
    verdict: Verdict
    why: str
    witness: Mapping[str, str] | None = None


def coefficient_signs(
    expression: Any,
    of: Sequence[Any],
    required: Mapping[Any, str],
    domain: Domain,
    *,
    seed: int = 0,
    label: str = "signs",
    budget: int = 2000,
) -> tuple[Sign, ...]:
    """Every coefficient of `expression` as a polynomial in `of`, with the sign it must have on the domain.

    `required`: term (a monomial in `of`, 1 for what is free of them) → ">=0" or "<=0"; terms not named must be >= 0.
    """
    poly = sp.Poly(sp.expand(expression), *of)
    points = domain_points(domain, stream(seed, f"signs/{label}"), budget)
    unknown = set(required.values()) - {">=0", "<=0"}
    if unknown:
        raise ValueError(f"coefficient_signs(required=…): expected '>=0' or '<=0', got {sorted(unknown)}")
    wanted = {sp.sympify(k): v for k, v in required.items()}
    return tuple(_sign(term, c, wanted.get(term, ">=0"), domain, points) for term, c in _terms(poly))


def _terms(poly: Any) -> list[tuple[Any, Any]]:
    return [(sp.Mul(*(g**e for g, e in zip(poly.gens, powers, strict=True))), c) for powers, c in poly.terms()]


def _sign(term: Any, coefficient: Any, required: str, domain: Domain, points: Sequence[Point]) -> Sign:
    signed = domain.plain(coefficient if required == ">=0" else -coefficient)
    shown = (str(term), str(sp.factor(coefficient)), required)
    how = prove_nonnegative(signed, domain)
    if how is not None:
        return Sign(*shown, Verdict.PROVED, how)
    tried = 0
    for point in points:
        try:
            value = exact_value(signed, point)
        except ZeroDivisionError:
            continue
        tried += 1
        if value < 0:
            found = {k: str(point[k]) for k in sorted(s.name for s in signed.free_symbols)}
            actual = value if required == ">=0" else -value
            return Sign(*shown, Verdict.REFUTED, f"the coefficient is {actual} there", found)
    return Sign(*shown, Verdict.HOLDS, f"at all {tried:,} points tried")
