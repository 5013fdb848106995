"""FA-VAR, the variance of the pseudo-gradient, and FA-LA1, the drift of the local models."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from paper_checks.fedaware.one_round import seeing_case
from paper_checks.fedaware.proof_sides import round_bound, round_claim
from paper_checks.fedaware.round_moments import round_case, round_exact, round_family
from paper_checks.fedaware.runs import run as run_fast
from paper_checks.fedaware.runs import run_case, run_exact
from validation import Bound, Canary, Case, Claim, Inequality, Instance, Reading, symbols

__all__ = ["CLAIMS"]

Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]

K, eta_l, sigma2, sg2, grad = symbols("K eta_l sigma2 sg2 grad")


def variance_of_round_exact(x: Mapping[str, Any]) -> Exact:
    """Mean variance of the local updates on the left."""
    met, k = round_exact(x)
    return met, {**k, "lhs": k["mean_variance"]}


def farthest_exact(x: Mapping[str, Any]) -> Exact:
    """The largest E|x_i^k - x|^2 over clients and steps on the left."""
    met, k = round_exact(x)
    return met, {**k, "lhs": k["farthest"]}


def widest_exact(x: Mapping[str, Any]) -> Exact:
    """The same, with sigma_g^2 the largest dissimilarity of any client."""
    met, k = round_exact(x)
    return met, {**k, "lhs": k["farthest"], "sg2": k["widest"]}


def averaged_exact(x: Mapping[str, Any]) -> Exact:
    """The largest mean over clients of E|x_i^k - x|^2 on the left."""
    met, k = round_exact(x)
    return met, {**k, "lhs": k["mean_farthest"]}


variance_bound = K * eta_l**2 * sigma2

_VARIANCE = round_bound(variance_bound, lambda K, eta_l, sigma2: sigma2 * K * eta_l**2)


def _spread(k: Mapping[str, Any]) -> Any:
    return k["mean_variance"]


def _over_run(x: Instance) -> Mapping[str, Any]:
    """E‖Gᵗ‖² − ‖E Gᵗ‖² of the second of two rounds, one client: the rounds' sums minus the first round."""
    both, first = run_fast({**x, "n_rounds": x["n_rounds"] * 0 + 2}), run_fast({**x, "n_rounds": x["n_rounds"] * 0 + 1})
    seen = 2 * both["rho"] - first["rho"] - (2 * both["rho_full"] - first["rho_full"])
    return {**both, "lhs": seen, "magnitude": both["rho"] + first["rho"]}


def over_run_exact(x: Mapping[str, Any]) -> Exact:
    """Of the second round only the part of the variance that the random model brings."""
    met, both = run_exact({**x, "n_rounds": Fraction(2)})
    _, first = run_exact({**x, "n_rounds": Fraction(1)})
    return met, {**both, "lhs": 2 * both["rho"] - first["rho"] - (2 * both["rho_full"] - first["rho_full"])}


_RUN = run_case(1, 1, 1, 2, server=(1.0, 1e2), measure=_over_run, exact=over_run_exact, uses=(run_exact,))

VAR = round_claim(
    "FA-VAR",
    "between (8) and (9), A.2 (attributed to Khaled et al. 2020)",
    "Variance of the pseudo-gradient",
    r"\mathbb E\|G^t\|^2=\mathbb V[G^t]+\rho^t(\lambda),\qquad\mathbb V[G^t]\le\sum_i\lambda_i\mathbb E\|g_i^t-\mathbb E g_i^t\|^2"
    r"\le K\eta_l^2\sigma_l^2",
    "The variance of the pseudo-gradient is at most the mean variance of the local updates, at most Kη_l²σ_l².",
    (
        Reading(
            "given the model, smooth clients",
            "Variance of the local updates over the round's noise given xᵗ; curvatures of either sign.",
            Inequality(_VARIANCE, (round_family(_spread, variance_of_round_exact),), degrees=(0, 2)),
        ),
        Reading(
            "over the whole run",
            "E over everything random; the left side is only the part that the random xᵗ adds, in the second round.",
            Inequality(_VARIANCE, (_RUN,), degrees=(0, 2)),
        ),
        Reading(
            "weights that see the round's noise",
            "As (13) and (16) use it for λ̃ computed from the same noisy updates: smallest norm among three clients.",
            Inequality(
                Bound(variance_bound, again=lambda K, eta_l, sigma2: sigma2 * K * eta_l**2),
                (seeing_case(3, 1, of="variance"),),
            ),
        ),
        Reading(
            "given the model, convex clients, weights fixed in advance",
            "Both kinds of noise.",
            Inequality(
                _VARIANCE,
                (
                    round_family(_spread, variance_of_round_exact, convex=True),
                    round_family(_spread, variance_of_round_exact, convex=True, profile=1),
                ),
                degrees=(0, 2),
            ),
            repair="condition",
        ),
    ),
    (
        Canary(
            "one sample for all steps",
            Inequality(
                Bound(variance_bound),
                (round_case(2, 5, left=_spread, left_exact=variance_of_round_exact, convex=True, profile=2),),
            ),
            "K equal errors add up to K² times their square, where curvature is small",
        ),
        Canary(
            "without K",
            Inequality(Bound(eta_l**2 * sigma2), (round_family(_spread, variance_of_round_exact, convex=True),)),
            "K fresh errors add up to K times the square, where curvature is small",
        ),
    ),
    "The last inequality fails for clients that need not be convex, and with E over the whole run; it holds given xᵗ "
    "for convex clients and weights fixed in advance. A gradient step on a convex smooth function brings points no "
    "farther apart, so each local step adds at most η_l²σ_l²: so in the paper it is quoted from, which is about "
    "convex functions. This paper has non-convex losses, and a concave client magnifies its earlier noise. Over the "
    "whole run the model's own spread is part of the variance. Weights computed from the noisy updates can give more "
    "variance than any single client has; here λ is static, so that counts at FA-S13.5 and FA-S16.2.",
    ("FA-A4.3", "FA-A4.2"),
)

_LA1 = 5 * K * eta_l**2 * (sigma2 + 6 * K * sg2 + 6 * K * grad)

_LA1_BOUND = round_bound(
    _LA1, lambda K, eta_l, sigma2, sg2, grad: 30 * (K * eta_l) ** 2 * (sg2 + grad) + 5 * K * sigma2 * eta_l**2
)


def _far(profile: int, left: Any, exact: Any) -> Any:
    return round_family(left, exact, profile=profile)


def _wide_case(N: float, K: float) -> Case:
    from dataclasses import replace

    case = round_case(N, K, left=lambda k: k["farthest"], left_exact=widest_exact, convex=False)

    def measure(x: Instance) -> Mapping[str, Any]:
        found = case.measure(x)
        return {**found, "sg2": found["widest"]}

    return replace(case, measure=measure)


_WIDE = tuple(_wide_case(n, k) for n, k in ((1, 1), (2, 3), (3, 20), (20, 3)))
_EACH = (*_WIDE, _wide_case(2, 40))  # beyond 30 steps, where K² outweighs 30K; its exact numbers stay short enough
_LONG = (*_WIDE, _wide_case(2, 100))

LA1 = round_claim(
    "FA-LA1",
    "Lemma A.1, A.1 (quoted from Reddi et al. 2020)",
    "Bounded local updates",
    r"\mathbb E\|x_i^{t,k}-x^t\|^2\le5K\eta_l^2\big(\sigma_l^2+6K\sigma_g^2+6K\|\nabla f(x^t)\|^2\big)",
    "Every client's local model stays near the broadcast model.",
    (
        Reading(
            "for every client",
            "As printed, for all i, with A4.1: a bound on the mean over clients of the dissimilarity.",
            Inequality(_LA1_BOUND, (_far(0, lambda k: k["farthest"], farthest_exact),), degrees=(0, 2)),
        ),
        Reading(
            "for every client, each within σ_g²",
            "‖∇fᵢ − ∇f‖² <= σ_g² for every client.",
            Inequality(_LA1_BOUND, _EACH, degrees=(0, 2)),
            repair="condition",
        ),
        Reading(
            "averaged over the clients with λ",
            "As in the paper it is quoted from: the mean over clients on the left.",
            Inequality(
                _LA1_BOUND,
                tuple(_far(p, lambda k: k["mean_farthest"], averaged_exact) for p in (0, 1)),
                degrees=(0, 2),
            ),
            repair="edit",
        ),
    ),
    (
        Canary(
            "dissimilarity dropped",
            Inequality(Bound(5 * K * eta_l**2 * (sigma2 + 6 * K * grad)), _LONG),
            "at a stationary point of f without noise the right side is 0, but the clients move",
        ),
        Canary(
            "K in place of K²",
            Inequality(Bound(5 * K * eta_l**2 * (sigma2 + 6 * sg2 + 6 * grad)), _LONG),
            "K steps along a slope move K times as far, and K² exceeds 30K for K > 30",
        ),
    ),
    "For all clients at once the lemma holds when each client is within σ_g² of the mean gradient; under A4.1, which "
    "bounds only the mean over the clients, it does not. The condition is met where Table 1, row 1, is read as "
    "printed, for each i. Under A4.1 a client of weight λᵢ may have a slope as large as σ_g/√λᵢ, and it leaves the "
    "ball when λᵢ < 1/30. Averaged over the clients, as in the paper that the lemma is quoted from, it holds under "
    "A4.1. L is that of A4.2, which the lemma does not name.",
    ("FA-A4.1", "FA-A4.2", "FA-A4.3"),
)

CLAIMS: tuple[Claim, ...] = (VAR, LA1)
