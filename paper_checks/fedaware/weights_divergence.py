"""FA-CHI: the χ² divergence of the applied weights from those of the objective."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked
from theory.quantities import chi_square
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    Property,
    Reading,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
)

__all__ = ["CLAIMS"]


def _chi(x: Instance) -> Mapping[str, Any]:
    """What χ² misses: χ² < 0, Σ|λ − λ̃|² > χ², χ² ≠ Σλ̃²/λ − 1, and convexity along the mean with a second pair.

    `part` 2: 1 where χ² has no finite value; 3: convexity as if χ² were linear.
    """
    lam, tilde, part = x["weights"], x["applied"], int(x["part"][0])
    if part == 2:
        return {"lhs": np.any((lam == 0) & (tilde > 0), axis=1).astype(float)}
    other, other_tilde = x["other"], x["other_applied"]
    chi, chi_other = chi_square(tilde, lam), chi_square(other_tilde, other)
    middle = chi_square((tilde + other_tilde) / 2, (lam + other) / 2)
    convex = middle - (chi + chi_other) / 2
    if part == 3:
        return {"lhs": np.abs(convex), "magnitude": 1 + chi + chi_other}
    again = np.abs((tilde**2 / lam).sum(axis=1) - 1 - chi)
    missed = np.stack([-chi, ((lam - tilde) ** 2).sum(axis=1) - chi, again, convex])
    return {"lhs": missed.max(axis=0), "magnitude": 1 + chi + chi_other}


def chi_exact(x: Mapping[str, Any]) -> Checked:
    """chi^2 of two pairs of weights and of their mean; a weight lambda_i = 0 with lambda~_i > 0 leaves it without a value."""
    lam, tilde, part = x["weights"], x["applied"], int(x["part"])
    pairs = ((lam, tilde), (x["other"], x["other_applied"])) if part != 2 else ((lam, tilde),)
    met = {"on the simplex": all(sum(w) == 1 and min(w) >= 0 for pair in pairs for w in pair)}
    if part == 2:
        return met, {"lhs": Fraction(int(any(a == 0 < b for a, b in zip(lam, tilde, strict=True))))}
    met["lambda > 0"] = min(min(w) for w, _ in pairs) > 0
    mean = tuple([(a + b) / 2 for a, b in zip(u, v, strict=True)] for u, v in zip(*pairs, strict=True))
    one, two, middle = (sum((a - b) ** 2 / a for a, b in zip(u, v, strict=True)) for u, v in (*pairs, mean))
    convex = middle - (one + two) / 2
    if part == 3:
        return met, {"lhs": abs(convex)}
    square = sum((a - b) ** 2 for a, b in zip(lam, tilde, strict=True))
    return met, {
        "lhs": max(-one, square - one, abs(sum(b * b / a for a, b in zip(lam, tilde, strict=True)) - 1 - one), convex)
    }


def _weights(part: int) -> Family:
    def at(N: float) -> Case:
        n = int(N)
        pair = (Simplex("other", n, interior=True), Simplex("other_applied", n)) if part != 2 else ()
        space = Space(
            (Simplex("weights", n, interior=part != 2), Simplex("applied", n), *pair, Choice("part", (float(part),)))
        )
        every = {c.name: 0 for c in space.coordinates if c.name != "part"}
        same = (permuted_clients(every), split_client(every, tuple(every)))
        return Case(f"{n} clients", space, _chi, ExactCheck(chi_exact), cost=max(1.0, n / 75), symmetries=same)

    return Family("weights", (Size("N", 1, 300, 3),), at)


CHI = Claim(
    id="FA-CHI",
    kind=Kind.PROPERTY,
    source="Corollary 4.1, §4.2",
    title="χ² divergence of the weights",
    statement=r"\chi^2_{\lambda\|\tilde\lambda}=\sum_i\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}",
    says="The χ² divergence measures how far the applied weights are from those of the objective.",
    assumes=("λ and λ̃ on the simplex", "λᵢ >= 0, as §2 prints"),
    readings=(
        Reading(
            "finite on the whole simplex",
            "A client may have λᵢ = 0, as §2 allows.",
            Property((_weights(2),), degrees=(0, 0)),
        ),
        Reading(
            "λᵢ > 0",
            "Non-negative, 0 for λ̃ = λ only, jointly convex, equal to Σλ̃ᵢ²/λᵢ − 1.",
            Property((_weights(1),), degrees=(0, 0)),
            repair="condition",
        ),
    ),
    canaries=(Canary("linear along the mean", Property((_weights(3),), degrees=(0, 0)), "χ² is strictly convex in λ̃"),),
    tight="λ̃ = λ",
    verdict_words=(
        "For λᵢ > 0 it is what it should be. The problem of §2 allows λᵢ = 0; there the display divides by 0, or is "
        "infinite by the usual convention as soon as λ̃ᵢ > 0, and Corollary 4.1 is then empty. Min-norm weights are computed "
        "over all clients and may well give such a client weight."
    ),
)


CLAIMS: tuple[Claim, ...] = (CHI,)
