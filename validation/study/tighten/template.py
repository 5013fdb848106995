"""The template of a bound: which constants are free, as numeric factors of its terms, and what stays as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

__all__ = ["Template", "rational_of"]

__judges__ = "no"


@dataclass(frozen=True)
class Template:
    """rhs = kept + Σ cⱼ·termⱼ with free cⱼ >= 0.

    `names`: how each term is called; `terms`: sympy expressions without their numeric factor; `printed`: the factors
    as printed, 0 for a term that the print has not; `kept`: what stays as printed.
    """

    names: tuple[str, ...]
    terms: tuple[Any, ...]
    printed: tuple[Fraction, ...]
    kept: Any

    @staticmethod
    def of(bound: Any, terms: Mapping[str, Any] | None = None, keep: Sequence[str] = ()) -> Template:
        """The summands of a bound as it is written, or `terms` in their place; those of `keep` stay as printed.

        `terms` maps names to expressions. Each has the rational factor with which it stands in the bound, 0 where it
        does not; what no term takes up stays as printed, and so does a summand with a negative factor. Raises
        `ValueError` for a name of `keep` that is no term, for two terms of one form, and where nothing is left free.
        """
        whole = sp.sympify(bound)
        named = (
            {str(f): f for c, f in map(_parted, sp.Add.make_args(whole)) if c > 0 and f != 0}
            if terms is None
            else dict(terms)
        )
        unknown = [name for name in keep if name not in named]
        if unknown:
            raise ValueError(f"keep={unknown[0]!r}: no such term; expected some of {', '.join(named)}")
        names: list[str] = []
        forms: list[Any] = []
        printed: list[Fraction] = []
        rest = sp.expand(whole)
        for name, given in named.items():
            if name in keep:
                continue
            _, form = _parted(sp.sympify(given))
            if any(sp.simplify(form - other) == 0 for other in forms):
                raise ValueError(f"term {name!r}: another term has the same form, {form}")
            factor = _factor(rest, sp.expand(form))
            rest = sp.expand(rest - factor * form)
            names.append(name)
            forms.append(form)
            printed.append(rational_of(factor))
        if not forms:
            raise ValueError("every term is kept as printed; expected at least one that is free")
        return Template(tuple(names), tuple(forms), tuple(printed), rest)

    def without(self, places: Sequence[int]) -> Template:
        """The same bound with these terms kept as printed; raises `ValueError` where none is left."""
        free = [j for j in range(len(self.names)) if j not in places]
        if not free:
            raise ValueError("no term is positive on all instances; expected at least one that is free")
        kept = self.kept + sum(sp.Rational(self.printed[j]) * self.terms[j] for j in places)
        return Template(
            names=tuple(self.names[j] for j in free),
            terms=tuple(self.terms[j] for j in free),
            printed=tuple(self.printed[j] for j in free),
            kept=kept,
        )

    def bound(self, constants: Mapping[int, Fraction]) -> Any:
        """The right side with these constants, by place; the others as printed."""
        chosen = {j: constants.get(j, c) for j, c in enumerate(self.printed)}
        return self.kept + sum(sp.Rational(c) * self.terms[j] for j, c in chosen.items())


def _parted(term: Any) -> tuple[Any, Any]:
    """A summand as (numeric factor, the rest); a factor that is no rational belongs to the rest."""
    factor, form = term.as_coeff_Mul()
    return (factor, form) if factor.is_Rational and form != 1 else (sp.Integer(1), term)


def _factor(rest: Any, form: Any) -> Any:
    """The positive rational c with which an expanded form stands in an expanded sum, all its monomials alike; or 0."""
    held = rest.as_coefficients_dict()
    factors = {held.get(monomial, sp.Integer(0)) / c for monomial, c in form.as_coefficients_dict().items()}
    factor = factors.pop()
    return factor if not factors and factor.is_Rational and factor > 0 else sp.Integer(0)


def rational_of(value: Any) -> Fraction:
    """A sympy rational as a Fraction."""
    return Fraction(int(value.p), int(value.q))
