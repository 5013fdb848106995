"""EA-E25a, b, c: the steps of A.11 at one step t, from the order of the excess losses to the weights of Corollary 1.1."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.chebyshev_cases import (
    EQUAL_SIZES,
    RIGHT,
    at_most,
    equal_family,
    mean_exact,
    order,
    order_exact,
    rewritten_exact,
    tilted_family,
    total_exact,
    weighted,
)
from paper_checks.exp_alpha.missed import never_missed
from validation import Bound, Canary, Claim, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

right = symbols("right")


def _claim(letter: str, kind: Kind, title: str, statement: str, says: str, *rest: Any, **more: Any) -> Claim:
    assumes, readings, canaries = rest
    return Claim(f"EA-E25{letter}", kind, "A.11", title, statement, says, assumes, readings, canaries, **more)


_U = ("U >= 0 non-decreasing", "Ωᵢ = Fᵢ(W̄ᵗ) − Fᵢ(Wᵢ*) >= 0")

E25A = _claim(
    "a",
    Kind.PROPERTY,
    "Order reversed by the negation, kept by U",
    r"a_i\ge a_{i+1}\ \Rightarrow\ -a_i\le-a_{i+1}\ \Rightarrow\ \mathcal U(-a_i)\le\mathcal U(-a_{i+1})",
    "The larger the scaled excess loss, the smaller the value of U.",
    _U,
    (Reading("as printed", "Four kinds of U, any sizes.", never_missed((tilted_family(order, order_exact),))),),
    (
        Canary(
            "U decreasing",
            never_missed((tilted_family(order, order_exact, "falling", low=2),)),
            "a decreasing function reverses the order once more",
        ),
    ),
    depends_on=("EA-D5",),
    verdict_words="The definition of a non-decreasing function, applied to negated numbers.",
)

E25B = _claim(
    "b",
    Kind.INEQUALITY,
    "Chebyshev's sum inequality",
    r"\sum_i\tilde\rho_i^{t+1}a_i\le\frac1N\sum_ia_i,\qquad a_i=\frac{N|\Xi_i|}{\sum_j|\Xi_j|}\Omega_i^t",
    "Weights that fall as the numbers grow give a mean of at most the plain one.",
    (*_U, "ρ̃ᵢ = U(−aᵢ)/ΣU(−aⱼ), not all U(−aᵢ) zero"),
    (Reading("as printed", "Four kinds of U, any sizes, wherever the weights exist.", at_most("mean", mean_exact)),),
    (
        Canary(
            "U decreasing",
            at_most("mean", mean_exact, "falling"),
            "weights that grow with the numbers give a mean above the plain one",
        ),
        Canary(
            "half of the plain mean",
            at_most("mean", mean_exact, bound=Bound(right / 2)),
            "for a constant U both printed sides are equal",
        ),
    ),
    tight="U constant on the values taken, or all aᵢ equal",
    depends_on=("EA-E25a",),
    verdict_words=(
        "Chebyshev's inequality for oppositely ordered sequences, whose hypothesis is EA-E25a. It needs weights that exist: "
        "for U(x) = max(x, 0) all U(−aᵢ) are 0 at any model that is nobody's optimum, and ρ̃ is 0/0."
    ),
)

E25C = _claim(
    "c",
    Kind.INEQUALITY,
    "From ρ̃ to ρ",
    (
        r"\sum_i\rho_i^{t+1}\Omega_i^t\le\sum_i\rho_i\Omega_i^t,\qquad"
        r"\rho_i^{t+1}=\frac{N|\Xi_i|}{\sum_j|\Xi_j|}\tilde\rho_i^{t+1},\ \rho_i=\frac{|\Xi_i|}{\sum_j|\Xi_j|}"
    ),
    "The weighted excess under the weights of the corollary is at most the proportional one.",
    (*_U, "ρ̃ on the simplex", "aggregation weights sum to one (Eq. 2)"),
    (
        Reading(
            "ρᵗ⁺¹ as A.11 defines it, whatever its sum",
            "N|Ξᵢ|/Σ|Ξⱼ| times ρ̃ᵢ.",
            at_most("rewritten", rewritten_exact),
        ),
        Reading(
            "its weights sum to one",
            "As (2) requires of aggregation weights; the squared distance of the sum from 1 must be 0.",
            never_missed((tilted_family(lambda x: weighted(x, "total"), total_exact),), (EQUAL_SIZES,)),
        ),
        Reading(
            "«∝» with normalisation",
            "The same weights divided by their sum.",
            at_most("rewritten", rewritten_exact, "normal", switches=(EQUAL_SIZES,)),
        ),
        Reading(
            "equal sizes",
            "|Ξᵢ| = |Ξⱼ|, as in the experiments; ρᵗ⁺¹ = ρ̃ then.",
            Inequality(RIGHT, (equal_family(),), degrees=(1, 0)),
            repair="condition",
        ),
    ),
    (
        Canary(
            "half of the proportional excess",
            at_most("rewritten", rewritten_exact, bound=Bound(right / 2)),
            "for a constant U and the weights of A.11 both sides are equal",
        ),
        Canary(
            "U decreasing, weights of A.11",
            at_most("rewritten", rewritten_exact, "falling"),
            "EA-E25b turned round",
        ),
    ),
    tight="U constant",
    depends_on=("EA-E25b", "EA-D3"),
    verdict_words=(
        "With ρᵗ⁺¹ = Npᵢρ̃ᵢ it is EA-E25b rewritten. But these numbers are no aggregation weights: their sum is ΣNpᵢρ̃ᵢ, which is "
        "not 1 for unequal sizes, and a sum below 1 makes the left side small for no good reason. Normalised, as «∝» in the "
        "corollary suggests, the inequality fails: of two clients with shares 9:1 and excess losses 1:5 the second has the smaller "
        "product and gets more than its share, though its excess is larger. For equal sizes all readings agree, and it holds."
    ),
)

CLAIMS: tuple[Claim, ...] = (E25A, E25B, E25C)
