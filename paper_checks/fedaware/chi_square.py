"""The χ² steps of FedAWARE's proofs: the Cauchy–Schwarz bound (12) and the relation A.4 assumes «without loss»."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from theory.exact import dot, weighted_sum
from theory.quantities import chi_square
from validation import (
    Bound,
    Canary,
    Case,
    Claim,
    ExactCheck,
    Inequality,
    Instance,
    Kind,
    Reading,
    Signed,
    Simplex,
    Space,
    permuted_clients,
    rotated_space,
    split_client,
    symbols,
)

__all__ = ["FA_CHIW", "FA_E12"]

chi2, mean_square = symbols("chi2 mean_square")


def _vectors(x: Instance) -> Mapping[str, Any]:
    moved = ((x["weights"] - x["applied"])[..., None] * x["updates"]).sum(axis=1)
    return {
        "lhs": (moved**2).sum(axis=-1),
        "chi2": chi_square(x["applied"], x["weights"]),
        "mean_square": (x["weights"] * (x["updates"] ** 2).sum(axis=-1)).sum(axis=-1),
        "magnitude": (x["updates"] ** 2).sum(axis=-1).max(axis=-1),
    }


def vectors_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Objective weights lam > 0, applied weights lam_tilde, and any vectors g_i."""
    lam, tilde, g = x["weights"], x["applied"], x["updates"]
    moved = weighted_sum([a - b for a, b in zip(lam, tilde, strict=True)], g)
    hypotheses = {
        "lambda on the simplex, all positive": sum(lam) == 1 and min(lam) > 0,
        "lambda tilde on the simplex": sum(tilde) == 1 and min(tilde) >= 0,
    }
    constants = {
        "lhs": dot(moved, moved),
        "chi2": sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True)),
        "mean_square": sum(a * dot(v, v) for a, v in zip(lam, g, strict=True)),
    }
    return hypotheses, constants


def _weights_only(x: Instance) -> Mapping[str, Any]:
    return {
        "lhs": (x["applied"] ** 2 / x["weights"]).sum(axis=-1),
        "chi2": chi_square(x["applied"], x["weights"]),
        "magnitude": np.ones(len(x["weights"])),
    }


def weights_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Objective weights lam > 0 and applied weights lam_tilde."""
    lam, tilde = x["weights"], x["applied"]
    hypotheses = {
        "lambda on the simplex, all positive": sum(lam) == 1 and min(lam) > 0,
        "lambda tilde on the simplex": sum(tilde) == 1 and min(tilde) >= 0,
    }
    constants = {
        "lhs": sum(b * b / a for a, b in zip(lam, tilde, strict=True)),
        "chi2": sum((a - b) ** 2 / a for a, b in zip(lam, tilde, strict=True)),
    }
    return hypotheses, constants


def _vector_case(n_clients: int, dim: int) -> Case:
    space = Space(
        (
            Simplex("weights", n_clients, interior=True),
            Simplex("applied", n_clients),
            Signed("updates", 1e-3, 1e3, (n_clients, dim)),
        )
    )
    every = {"weights": 0, "applied": 0, "updates": 0}
    return Case(
        f"{n_clients} clients, dimension {dim}",
        space,
        _vectors,
        ExactCheck(vectors_exact, (dot, weighted_sum)),
        symmetries=(
            permuted_clients(every),
            split_client(every, ("weights", "applied")),
            rotated_space(("updates",)),
        ),
    )


def _weight_case(n_clients: int) -> Case:
    space = Space((Simplex("weights", n_clients, interior=True), Simplex("applied", n_clients)))
    every = {"weights": 0, "applied": 0}
    same = (permuted_clients(every), split_client(every, ("weights", "applied")))
    return Case(f"{n_clients} clients", space, _weights_only, ExactCheck(weights_exact), symmetries=same)


_VECTORS = tuple(_vector_case(*size) for size in ((1, 1), (2, 1), (3, 2), (5, 3), (20, 2)))
_WEIGHTS = tuple(_weight_case(n) for n in (1, 2, 3, 10, 100))

FA_E12 = Claim(
    id="FA-E12",
    kind=Kind.INEQUALITY,
    source="Eq. (12), A.3",
    title="Reweighting costs at most χ²",
    statement=(
        r"\mathbb E\|G^t-\tilde G^t\|^2\le\Big[\sum_i\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}\Big]"
        r"\Big[\sum_i\lambda_i\|g_i^t\|^2\Big]=\chi^2_{\lambda\|\tilde\lambda}\sum_i\lambda_i\|g_i^t\|^2"
    ),
    says="Applying other weights moves the pseudo-gradient by at most χ² times the weighted mean of squared updates.",
    assumes=("λ and λ̃ on the simplex, λᵢ > 0", "gᵢ any vectors; path by path, so λ̃ may depend on them"),
    readings=(
        Reading(
            "path by path",
            "For every choice of vectors, which covers weights computed from them; hence also with E around both sides.",
            Inequality(Bound(chi2 * mean_square, again=lambda chi2, mean_square: mean_square * chi2), _VECTORS),
        ),
    ),
    canaries=(
        Canary(
            "half the bound",
            Inequality(Bound(chi2 * mean_square / 2), _VECTORS),
            "Cauchy–Schwarz is attained by gᵢ ∝ (λᵢ − λ̃ᵢ)/λᵢ, so half the bound is too small",
        ),
        Canary(
            "χ² squared",
            Inequality(Bound(chi2**2 * mean_square), _VECTORS),
            "with χ² < 1 and the attaining vectors the left side is χ²·mean > χ⁴·mean",
        ),
    ),
    tight="gᵢ proportional to (λᵢ − λ̃ᵢ)/λᵢ",
    verdict_words=(
        "It holds path by path, so also with E around the whole of both sides, for weights of any kind. It is the "
        "Cauchy–Schwarz inequality, and vectors that attain it exist for every pair of weights. The print has E on "
        "the left alone, which leaves the right side random; the next line, ΣλᵢE‖gᵢ‖², shows that E belongs on both. "
        "For weights that depend on the updates it has to stand around the product: with E of the updates alone and "
        "χ² outside, as the next line takes it, the bound holds only for weights that do not see them (FA-S13.2)."
    ),
)

FA_CHIW = Claim(
    id="FA-CHIW",
    kind=Kind.INEQUALITY,
    source="A.4, bound on T₁ (ST1.3)",
    title="Weights against χ², assumed without loss of generality",
    statement=(
        r"\sum_{i=1}^N\frac{\tilde\lambda_i^2}{\lambda_i}\le\chi^2_{\lambda\|\tilde\lambda}"
        r"=\sum_{i=1}^N\frac{(\lambda_i-\tilde\lambda_i)^2}{\lambda_i}"
    ),
    says="The weighted sum of squared applied weights is at most the χ² divergence, without loss of generality.",
    assumes=("λ and λ̃ on the simplex, λᵢ > 0",),
    readings=(
        Reading(
            "for all weights",
            "«Without loss of generality» taken at its word.",
            Inequality(Bound(chi2, again=lambda chi2: 0 + chi2), _WEIGHTS),
        ),
        Reading(
            "with χ² + 1 on the right",
            "One more unit on the right side.",
            Inequality(Bound(chi2 + 1), _WEIGHTS),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "half a unit is not enough",
            Inequality(Bound(chi2 + sp.Rational(1, 2)), _WEIGHTS),
            "the two sums differ by exactly Σ(2λ̃ᵢ − λᵢ) = 1",
        ),
    ),
    tight="never: the left side is larger by exactly 1, whatever the weights",
    verdict_words=(
        "Expanding the square gives Σ λ̃ᵢ²/λᵢ = χ² + 2Σλ̃ᵢ − Σλᵢ = χ² + 1 on the simplex. So the assumed relation fails "
        "for every pair of weights, always by 1; no instance satisfies it, and nothing is without loss of generality. "
        "Replacing χ² by χ² + 1 in the following lines repairs the step: the β terms of eq. (16) then no longer vanish "
        "with χ²."
    ),
)
