"""A counterexample in one dimension as explicit functions: piecewise quadratic ones through its points, exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from theory.classes.members import PiecewiseQuadratic, through
from theory.classes.numbers import Real, Surd, fraction
from theory.classes.vectors import Vector
from validation.proof.classes.witness import Place, Witness

__all__ = ["ShownFunction", "functions_of"]


@dataclass(frozen=True)
class ShownFunction:
    """A member of its class, and the (x, f′(x), f(x)) at which the counterexample asks it."""

    function: PiecewiseQuadratic
    asked: tuple[tuple[Fraction, Fraction, Fraction], ...]


def functions_of(witness: Witness) -> Mapping[str, ShownFunction]:
    """Each smooth function of a one-dimensional rational counterexample by name; nothing of others.

    They take the counterexample's values exactly, so that its statement can be replayed with them.
    """
    rational = not any(isinstance(x, Surd) for x in (*(x for v in witness.vectors for x in v), *witness.values))
    if witness.dimension != 1 or not rational:
        return {}
    place = Place(witness.vectors, witness.values)
    found = {}
    for name, family, samples in witness.statement.asked:
        if family.curvatures is None or any(isinstance(x, Surd) for x in family.curvatures):
            continue
        mu, L = (fraction(x) for x in family.curvatures)
        asked = tuple(
            (fraction(_at(s.x, witness)), fraction(_at(s.g, witness)), fraction(place.at(s.f))) for s in samples
        )
        found[name] = ShownFunction(through(asked, L, mu), asked)
    return found


def _at(vector: Vector, witness: Witness) -> Real:
    return sum((a * witness.vectors[i][0] for i, a in vector.parts.items()), fmpq(0))
