"""What one constant of a bound costs the other: the trade-off of two terms, with exact cuts below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from validation.statement.claim import Inequality
from validation.study.tighten.template import Template
from validation.study.tighten.tighten import Tightened, tighten

__all__ = ["FrontierPoint", "frontier", "weights_of"]

__judges__ = "no"

_SHARES = (Fraction(1, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8))


@dataclass(frozen=True)
class FrontierPoint:
    """The constants (c₁, c₂) of least w·c₁ + c₂ at the weight w; None where none up to the cap serve.

    `at_least`: w·c₁ + c₂ is certainly no less, so that this line and all below it is forbidden; `survived`: a search
    found no violation of the constants, raised by the slack.
    """

    weight: Fraction
    constants: tuple[float, float] | None
    at_least: Fraction | None
    survived: bool


def frontier(
    test: Inequality, pair: tuple[str, str], *, shares: Sequence[Fraction] = _SHARES, **words: Any
) -> tuple[FrontierPoint, ...]:
    """The trade-off between the constants of two terms, all others as printed; `words` are of `tighten`.

    The weight of the first runs over `shares` times c₂/c₁ as printed, 1 where one of them is not printed. Raises
    `ValueError` for a term that is not there, for one term twice, and for one that is negative on some instance.
    """
    first, second = pair
    if first == second:
        raise ValueError(f"frontier: {first!r} twice; expected two terms")
    template = Template.of(test.bound.expression, words.get("terms"), words.pop("keep", ()))
    unknown = [name for name in pair if name not in template.names]
    if unknown:
        raise ValueError(f"frontier: no term {unknown[0]!r}; expected two of {', '.join(template.names)}")
    others = tuple(name for name in template.names if name not in pair)
    words.pop("weights", None)
    points = []
    for weight in weights_of(template, pair, shares):
        found = tighten(test, keep=others, weights={first: float(weight), second: 1.0}, **words)
        points.append(FrontierPoint(weight, _both(found, pair), found.at_least, found.survived))
    return tuple(points)


def weights_of(template: Template, pair: tuple[str, str], shares: Sequence[Fraction] = _SHARES) -> tuple[Fraction, ...]:
    """Weights of the first constant beside 1 for the second: `shares` times c₂/c₁ as printed."""
    printed = [template.printed[template.names.index(name)] for name in pair]
    unit = printed[1] / printed[0] if all(printed) else Fraction(1)
    return tuple(share * unit for share in shares)


def _both(found: Tightened, pair: tuple[str, str]) -> tuple[float, float] | None:
    """The constants of the pair; raises `ValueError` where one stays as printed because it is negative somewhere."""
    signed = [name for name in pair if name in found.kept]
    if signed:
        raise ValueError(f"frontier: {signed[0]!r} is negative on some instance, and stays as printed")
    held = {t.name: t.jointly for t in found.terms}
    first, second = (held[name] for name in pair)
    return None if first is None or second is None else (first, second)
